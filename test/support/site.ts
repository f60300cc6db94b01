/** Snapshots with their pages and downloads, built once a process and served through the front door. */
import { startServer } from './product.ts'
import { fillDemo, fillOdd, initialize, madeOnce } from './snapshots.ts'
import { oddFunds } from './odd-funds.ts'

export type Site = Awaited<ReturnType<typeof buildSite>>

/** Where the pages say that the API is published. */
export const publishedAt = 'https://api.example.org'

/** @param name tells it from other sites @param fill makes the database */
export async function buildSite(name: string, asOf: string, fill: (db: string) => Promise<void>) {
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: publishedAt }
  const site = await madeOnce(`site ${name}`, asOf, fill, env)
  return { ...site, ...(await startServer(site.out)) }
}

/** Eight funds with two years of prices; fewer for those who publish them all. */
export const buildDemoSite = (funds = 8) =>
  buildSite(`demo ${funds}`, '2026-11-20', fillDemo(funds, 2, '2026-11-20'))

/** The eight funds of `odd-funds.ts`. */
export const buildOddSite = () => buildSite('odd', oddFunds.asOf, fillOdd)

/** A database without a fund. */
export const buildEmptySite = () => buildSite('empty', '2026-11-20', initialize)

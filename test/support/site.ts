/** Snapshots with their pages and downloads, built once a process and served through the front door. */
import { serveHere } from './serve-here.ts'
import { fillDemo, fillOdd, madeOnce } from './snapshots.ts'
import { oddFunds } from './odd-funds.ts'

export type Site = Awaited<ReturnType<typeof buildSite>>

/** Where the pages say that the API is published. */
export const publishedAt = 'https://api.example.org'

/** @param name tells it from other sites @param fill makes the database */
export async function buildSite(
  name: string,
  asOf: string,
  fill: (db: string) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
) {
  const everything = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: publishedAt }
  const env = { ...everything, ...more }
  const site = await madeOnce(`site ${name}`, asOf, fill, env)
  return { ...site, ...(await serveHere(site.out)) }
}

/** Eight funds with two years of prices. */
export const buildDemoSite = () => buildSite('demo', '2026-11-20', fillDemo(8, 2, '2026-11-20'))

/** The eight funds of `odd-funds.ts`. */
export const buildOddSite = () => buildSite('odd', oddFunds.asOf, fillOdd)

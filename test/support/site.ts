/** Snapshots with their pages and downloads, built once a process and served through the front door. */
import { insertOddFunds, oddFunds } from './odd-funds.ts'
import { once } from './once.ts'
import { makeTempFolder, mustRun, startServer, type TempFolder } from './product.ts'

export interface Site {
  readonly folder: TempFolder
  readonly db: string
  readonly out: string
  readonly asOf: string
  /** For example http://127.0.0.1:41234 */
  readonly base: string
  /** Ends the server. */
  readonly stop: () => Promise<void>
}

/** Where the pages say that the API is published. */
export const publishedAt = 'https://api.example.org'

/** @param name tells it from other sites @param fill makes the database */
export async function buildSite(
  name: string,
  asOf: string,
  fill: (db: string) => Promise<void>,
): Promise<Site> {
  const site = await once(`site ${name}`, async () => {
    const folder = makeTempFolder()
    const [db, out] = [folder.file('funds.sqlite'), folder.file('out')]
    await fill(db)
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: publishedAt }
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
    return { folder, db, out, asOf }
  })
  const { base, stop } = await startServer(site.out)
  return { ...site, base, stop }
}

/** Eight funds with two years of prices; fewer for those who publish them all. */
export const buildDemoSite = (funds = 8) =>
  buildSite(`demo ${funds}`, '2026-11-20', async (db) => {
    const family = ['--funds', String(funds), '--years', '2', '--until', '2026-11-20', '--seed', '7']
    await mustRun(['demo', '--db', db, ...family])
  })

/** The eight funds of `odd-funds.ts`. */
export const buildOddSite = () =>
  buildSite('odd', oddFunds.asOf, async (db) => {
    await mustRun(['init', '--db', db])
    insertOddFunds(db)
  })

/** A database without a fund. */
export const buildEmptySite = () =>
  buildSite('empty', '2026-11-20', async (db) => {
    await mustRun(['init', '--db', db])
  })

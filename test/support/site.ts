/** Snapshots with their pages and downloads, built and served through the front door. */
import { insertOddFunds, oddFunds } from './odd-funds.ts'
import { makeTempFolder, mustRun, startServer, type TempFolder } from './product.ts'

export interface Site {
  readonly folder: TempFolder
  readonly db: string
  readonly out: string
  readonly asOf: string
  /** For example http://127.0.0.1:41234 */
  readonly base: string
  /** Ends the server and removes everything. */
  readonly stop: () => Promise<void>
}

/** Where the pages say that the API is published. */
export const publishedAt = 'https://api.example.org'

/** @param fill makes the database @param asOf of the snapshot */
export async function buildSite(fill: (db: string) => Promise<void>, asOf: string): Promise<Site> {
  const folder = makeTempFolder()
  const [db, out] = [folder.file('funds.sqlite'), folder.file('out')]
  await fill(db)
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: publishedAt }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
  const server = await startServer(out)
  const stop = async (): Promise<void> => {
    await server.stop()
    folder.remove()
  }
  return { folder, db, out, asOf, base: server.base, stop }
}

/** Eight funds with two years of prices. */
export const buildDemoSite = () =>
  buildSite(async (db) => {
    await mustRun([
      'demo',
      '--db',
      db,
      '--funds',
      '8',
      '--years',
      '2',
      '--until',
      '2026-11-20',
      '--seed',
      '7',
    ])
  }, '2026-11-20')

/** The eight funds of `odd-funds.ts`. */
export const buildOddSite = () =>
  buildSite(async (db) => {
    await mustRun(['init', '--db', db])
    insertOddFunds(db)
  }, oddFunds.asOf)

/** A database without a fund. */
export const buildEmptySite = () =>
  buildSite(async (db) => {
    await mustRun(['init', '--db', db])
  }, '2026-11-20')

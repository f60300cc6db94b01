/** Databases that the suites build, once a process, and serve, each with the oracle that knows what must be answered. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { insertOddFunds, oddFunds } from './odd-funds.ts'
import { once } from './once.ts'
import { docsUrl, makeTempFolder, mustRun, repository, startServer, type TempFolder } from './product.ts'
import { type Oracle, openOracle } from '../../src/conform/oracle/oracle.ts'

export interface Snapshot {
  readonly folder: TempFolder
  readonly db: string
  readonly out: string
  readonly asOf: string
  readonly oracle: Oracle
}

export interface Served extends Snapshot {
  /** For example http://127.0.0.1:41234 */
  readonly base: string
  /** Ends the server. */
  readonly stop: () => Promise<void>
}

/** Builds a snapshot and serves it. */
export async function serve(buildIt: () => Promise<Snapshot>): Promise<Served> {
  const snapshot = await buildIt()
  const { base, stop } = await startServer(snapshot.out)
  return { ...snapshot, base, stop }
}

export const demoUntil = '2025-09-30'

/** Twelve funds with four years of prices; fewer for those who publish them all. */
export const buildDemo = (funds = 12): Promise<Snapshot> =>
  once(`demo snapshot ${funds}`, () => makeDemo(funds))

async function makeDemo(funds: number): Promise<Snapshot> {
  const folder = makeTempFolder()
  const db = folder.file('demo.sqlite')
  const size = ['--funds', String(funds), '--years', '4']
  await mustRun(['demo', '--db', db, ...size, '--until', demoUntil, '--seed', '7'])
  return build(folder, db, demoUntil)
}

/** The eight funds of `odd-funds.ts`. */
export const buildOdd = (): Promise<Snapshot> =>
  once('odd snapshot', async () => {
    const folder = makeTempFolder()
    const db = folder.file('odd.sqlite')
    await mustRun(['init', '--db', db])
    insertOddFunds(db)
    return build(folder, db, oddFunds.asOf)
  })

/** A real fund family; not part of the repository. */
export const captorDatabase = join(repository, '../shared/data/captor/captor.sqlite')
export const hasCaptor = existsSync(captorDatabase)

export async function buildCaptor(): Promise<Snapshot> {
  return build(makeTempFolder(), captorDatabase, '2025-12-31')
}

/** A fund that every kind of endpoint has an answer for. */
export function fundWithEverything({ oracle }: Snapshot): string {
  const isFull = (isin: string): boolean =>
    ['prices-current', 'performance-years', 'performance-legal', 'profile', 'figures'].every(
      (name) => oracle.answer({ target: `/api/v1/${name}/${isin}/` }).status === 200,
    )
  const found = oracle.isins().find(isFull)
  if (found === undefined) throw new Error('no fund of the database has everything')
  return found
}

async function build(folder: TempFolder, db: string, asOf: string): Promise<Snapshot> {
  const out = folder.file('out')
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet'])
  return { folder, db, out, asOf, oracle: openOracle({ db, asOf, docsUrl }) }
}

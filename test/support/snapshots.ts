/** Databases that the suites build, once a process, and serve, each with the oracle that knows what must be answered. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { insertOddFunds, oddFunds } from './odd-funds.ts'
import { once } from './once.ts'
import { docsUrl, makeTempFolder, mustRun, repository, startServer } from './product.ts'
import { openOracle } from '../../src/conform/oracle/oracle.ts'

export type Snapshot = Awaited<ReturnType<typeof build>>
export type Served = Awaited<ReturnType<typeof serve>>
type Fill = (db: string) => Promise<void>

/** Builds a snapshot and serves it. */
export async function serve(buildIt: () => Promise<Snapshot>) {
  const snapshot = await buildIt()
  return { ...snapshot, ...(await startServer(snapshot.out)) }
}

export const demoUntil = '2025-09-30'

/** Four funds with four years of prices. */
export const buildDemo = () => build('demo', demoUntil, fillDemo(4, 4, demoUntil))

/** The eight funds of `odd-funds.ts`. */
export const buildOdd = () => build('odd', oddFunds.asOf, fillOdd)

/** A real fund family; not part of the repository. */
export const captorDatabase = join(repository, '../shared/data/captor/captor.sqlite')
export const hasCaptor = existsSync(captorDatabase)

export const buildCaptor = () => build('captor', '2025-12-31', captorDatabase)

export async function initialize(db: string): Promise<void> {
  await mustRun(['init', '--db', db])
}

export async function fillOdd(db: string): Promise<void> {
  await initialize(db)
  insertOddFunds(db)
}

export const fillDemo =
  (funds: number, years: number, until: string): Fill =>
  async (db) => {
    const size = ['--funds', String(funds), '--years', String(years), '--until', until, '--seed', '7']
    await mustRun(['demo', '--db', db, ...size])
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

const build = (name: string, asOf: string, source: Fill | string) =>
  once(`snapshot and oracle ${name}`, async () => {
    const made = await madeOnce(name, asOf, source)
    return { ...made, oracle: openOracle({ db: made.db, asOf, docsUrl }) }
  })

/** @param source a database, or what makes one */
export const madeOnce = (name: string, asOf: string, source: Fill | string, env = {}) =>
  once(`snapshot ${name}`, async () => {
    const folder = makeTempFolder()
    const [db, out] = [typeof source === 'string' ? source : folder.file('funds.sqlite'), folder.file('out')]
    if (typeof source !== 'string') await source(db)
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet'], { env })
    return { folder, db, out, asOf }
  })

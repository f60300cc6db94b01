/** Databases that the suites build, once a process, and serve. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { editDatabase, readDatabase } from './database.ts'
import { insertOddFunds, oddFunds } from './odd-funds.ts'
import { once } from './once.ts'
import { makeTempFolder, mustRun, repository, startServer } from './product.ts'

export type Snapshot = Awaited<ReturnType<typeof madeOnce>>
export type Served = Awaited<ReturnType<typeof serve>>
type Fill = (db: string) => Promise<void>

/** The funds of a snapshot, in the order of its lists. */
export const isinsOf = ({ db }: Pick<Snapshot, 'db'>): readonly string[] =>
  readDatabase(db, 'SELECT isin FROM fund ORDER BY isin').map(({ isin }) => isin ?? '')

/** Builds a snapshot and serves it. */
export async function serve(buildIt: () => Promise<Snapshot>) {
  const snapshot = await buildIt()
  return { ...snapshot, ...(await startServer(snapshot.out)) }
}

const demoUntil = '2025-09-30'

/** Four funds with four years of prices. */
export const buildDemo = () => madeOnce('demo', demoUntil, fillDemo(4, 4, demoUntil))

/** The eight funds of `odd-funds.ts`. */
export const buildOdd = () => madeOnce('odd', oddFunds.asOf, fillOdd)

async function initialize(db: string): Promise<void> {
  await mustRun(['init', '--db', db])
}

export async function fillOdd(db: string): Promise<void> {
  await initialize(db)
  insertOddFunds(db)
}

/** A real fund family. */
export async function fillCaptor(db: string): Promise<void> {
  await initialize(db)
  editDatabase(db, readFileSync(join(repository, 'data/captor/captor.sql'), 'utf8'))
}

export const fillDemo =
  (funds: number, years: number, until: string): Fill =>
  async (db) => {
    const size = ['--funds', String(funds), '--years', String(years), '--until', until, '--seed', '7']
    await mustRun(['init', '--demo', '--db', db, ...size])
  }

export const madeOnce = (name: string, asOf: string, fill: Fill, env = {}) =>
  once(`snapshot ${name}`, async () => {
    const folder = makeTempFolder()
    const db = folder.file('funds.sqlite')
    const out = folder.file('out')
    await fill(db)
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet'], { env })
    return { folder, db, out, asOf }
  })

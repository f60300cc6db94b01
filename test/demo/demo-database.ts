/** Demo databases for tests, and reading them. */
import Database from 'better-sqlite3'
import { afterAll, beforeAll } from 'vitest'
import { writeDemo, type DemoOptions } from '../../src/demo/demo.ts'
import { tempFolder } from '../support/product.ts'

export const usual = { funds: 12, years: 10, until: '2026-11-20', seed: 1 } as const

type Value = string | number | null

export type DemoDatabase = ReturnType<typeof demoForTests>

/** Makes a demo database before the tests of this file, and removes it after them. */
export function demoForTests(options: Partial<DemoOptions> = {}) {
  const folder = tempFolder()
  let db: Database.Database
  beforeAll(async () => {
    const file = folder.file('demo.sqlite')
    await writeDemo({ file, ...usual, ...options })
    db = new Database(file, { readonly: true })
  })
  afterAll(() => {
    db.close()
  })
  const prepare = (sql: string) => db.prepare<Value[]>(sql)
  return {
    rows: <T = Readonly<Record<string, Value>>>(sql: string, ...values: Value[]) =>
      prepare(sql).all(...values) as T[],
    /** The first column. */
    values: <T = string>(sql: string, ...values: Value[]) =>
      prepare(sql)
        .pluck()
        .all(...values) as T[],
  }
}

export interface DemoPrice {
  readonly date: string
  readonly nav: number
  readonly change: number
  readonly changePercent: number
  readonly performance: number
}

export const pricesOf = (demo: DemoDatabase, isin: string) =>
  demo.rows<DemoPrice>(
    `SELECT date, CAST(net_asset_value AS REAL) AS nav, CAST(change AS REAL) AS change,
       CAST(change_percent AS REAL) AS changePercent, CAST(performance AS REAL) AS performance
     FROM price WHERE isin = ? ORDER BY date`,
    isin,
  )

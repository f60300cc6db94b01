/** Demo databases for tests, and reading them. */
import Database from 'better-sqlite3'
import { afterAll, beforeAll } from 'vitest'
import { writeDemo, type DemoOptions } from '../../src/extensions/demo/demo.ts'
import { tempFolder } from '../support/product.ts'

export const usual = { funds: 12, years: 10, until: '2026-11-20', seed: 1 } as const

type Value = string | number | null

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
  return {
    rows: <T = Readonly<Record<string, Value>>>(sql: string, ...values: Value[]) =>
      db.prepare<Value[]>(sql).all(...values) as T[],
    /** The first column. */
    values: <T = string>(sql: string) => db.prepare(sql).pluck().all() as T[],
  }
}

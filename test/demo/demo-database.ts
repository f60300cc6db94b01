/** Demo databases in a temporary folder, and reading them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { writeDemo, type DemoOptions } from '../../src/demo/demo.ts'

export const usual = { funds: 12, years: 10, until: '2026-11-20', seed: 1 } as const

export interface TemporaryFolder {
  readonly path: string
  readonly file: (name: string) => string
  readonly remove: () => void
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'fundpress-demo-'))
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

export interface DemoDatabase {
  readonly rows: <T = Row>(sql: string, ...values: readonly Value[]) => T[]
  /** The first column. */
  readonly values: <T = string>(sql: string, ...values: readonly Value[]) => T[]
  readonly close: () => void
}

export async function makeDemo(file: string, options: Partial<DemoOptions> = {}): Promise<DemoDatabase> {
  await writeDemo({ file, ...usual, ...options })
  const db = new Database(file, { readonly: true })
  return {
    rows: <T>(sql: string, ...values: readonly Value[]) => db.prepare(sql).all(...values) as T[],
    values: <T>(sql: string, ...values: readonly Value[]) =>
      db
        .prepare(sql)
        .pluck()
        .all(...values) as T[],
    close: () => void db.close(),
  }
}

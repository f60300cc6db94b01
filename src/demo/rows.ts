/** Rows of the demo database and their insertion, sixteen with a statement: that takes two thirds of the time. */

import type Database from 'better-sqlite3'
import type { Name } from './words.ts'

export type DemoRow = readonly (string | number | null)[]

/** @returns the number of rows */
export type InsertRows = (rows: Iterable<DemoRow>) => number

const rowsAStatement = 16

/** @param columns how many the table has: a row holds a value for each, in their order */
export function rowInserter(db: Database.Database, table: string, columns: number): InsertRows {
  const placeholders = `(${Array(columns).fill('?').join(', ')})`
  const insertOne = db.prepare(`INSERT INTO ${table} VALUES ${placeholders}`)
  const insertMany = db.prepare(
    `INSERT INTO ${table} VALUES ${Array(rowsAStatement).fill(placeholders).join(', ')}`,
  )
  return (rows) => {
    let waiting: DemoRow[] = []
    let count = 0
    for (const row of rows) {
      count++
      waiting.push(row)
      if (waiting.length < rowsAStatement) continue
      insertMany.run(waiting.flat())
      waiting = []
    }
    for (const row of waiting) insertOne.run(row)
    return count
  }
}

/** The two columns of a name. */
export const nameColumns = (name: Name) => [name[0], name[1] ?? null]

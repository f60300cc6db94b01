/** A small database to import into, and the command that does it. */
import { copyFileSync } from 'node:fs'
import { expect } from 'vitest'
import { run } from '../../cli/run.ts'
import { insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { tempFolder } from '../../support/product.ts'
import { writeCsv, type Dialect } from './dialects.ts'

/** Two funds with a row in every table, and a third one with none. */
export const isins = [isinOf(0), isinOf(1), isinOf(2)] as const
export const unknownIsin = isinOf(9)

export function importFolder() {
  const folder = tempFolder()
  makeDatabase(folder.file('template.sqlite'), (insert) => {
    insertGood(insert, isins[0])
    insertGood(insert, isins[1])
    const empty = { name: 'Empty Fund', fund_inception_date: '2020-01-02', currency: 'EUR' }
    insert('fund', { isin: isins[2], ...empty, url: 'https://funds.example/empty' })
  })
  let count = 0
  const importFile = (...args: readonly string[]) => run(['import', ...args], { cwd: folder.path })
  return {
    ...folder,
    import: importFile,
    /** A copy of its own for a test. */
    database: (): string => {
      const name = `${count++}.sqlite`
      copyFileSync(folder.file('template.sqlite'), folder.file(name))
      return name
    },
    /** Writes lines of cells into a new file and imports it. */
    importLines: (
      db: string,
      table: string,
      lines: readonly (readonly string[])[],
      flags: readonly string[] = [],
      dialect?: Dialect,
    ) => {
      const name = `${count++}.csv`
      writeCsv(folder.file(name), lines, dialect)
      return importFile(table, name, '--db', db, ...flags)
    },
  }
}

/** How a command ends that refuses its input. @param reason is part of its message */
export const refusal = (reason: string) => ({ code: 1, stderr: expect.stringContaining(reason) })

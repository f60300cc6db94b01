/** A small database to import into, and the command that does it. */
import { copyFileSync } from 'node:fs'
import { run, type Ended } from '../../cli/run.ts'
import { insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { makeTempFolder } from '../../support/product.ts'
import { writeCsv, type Dialect } from './dialects.ts'

/** Two funds with a row in every table, and a third one with none. */
export const isins = [isinOf(0), isinOf(1), isinOf(2)] as const
export const unknownIsin = isinOf(9)

export function importFolder() {
  const folder = makeTempFolder()
  makeDatabase(folder.file('template.sqlite'), (insert) => {
    insertGood(insert, isins[0])
    insertGood(insert, isins[1])
    insert('fund', {
      isin: isins[2],
      name: 'Empty Fund',
      fund_inception_date: '2020-01-02',
      url: 'https://funds.example/empty',
      currency: 'EUR',
    })
  })
  let count = 0
  return {
    ...folder,
    /** A copy of its own for a test. */
    database: (): string => {
      const name = `${count++}.sqlite`
      copyFileSync(folder.file('template.sqlite'), folder.file(name))
      return name
    },
    /** Writes lines of cells into a new file and imports it. */
    importLines: async (
      db: string,
      table: string,
      lines: readonly (readonly string[])[],
      flags: readonly string[] = [],
      dialect?: Dialect,
    ): Promise<Ended> => {
      const name = `${count++}.csv`
      writeCsv(folder.file(name), lines, dialect)
      return run(['import', table, name, '--db', db, ...flags], { cwd: folder.path })
    },
    import: (...args: readonly string[]): Promise<Ended> => run(['import', ...args], { cwd: folder.path }),
  }
}

/** A whole database, written as CSV and imported into an empty one, is the same database: in every dialect. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { insertOddFunds } from '../support/odd-funds.ts'
import { makeTempFolder } from '../support/product.ts'
import { dumpAll, exportTables, tableNames, type Dialect } from './dialects.ts'

const folder = makeTempFolder()
const fundpress = (line: string) => run(line.split(' '), { cwd: folder.path })

beforeAll(async () => {
  await fundpress('demo --db demo.sqlite --funds 3 --years 1 --until 2026-11-19 --quiet')
  await fundpress('init --db odd.sqlite --quiet')
  insertOddFunds(folder.file('odd.sqlite'))
})
afterAll(folder.remove)

async function importAll(db: string, from: string, ...flags: string[]): Promise<void> {
  for (const table of tableNames) {
    const line = ['import', table, `${from}/${table}.csv`, '--db', db, '--quiet', ...flags]
    const { code, stdout, stderr } = await run(line, { cwd: folder.path })
    expect({ table, code, stdout, stderr }).toEqual({ table, code: 0, stdout: '', stderr: '' })
  }
}

/** Each value of a dialect at least once, and each delimiter with both marks. */
const dialects: readonly Dialect[] = [
  { encoding: 'utf-8', delimiter: ';', decimal: ',', dates: 'german', lineEnd: '\r\n' },
  { encoding: 'utf-8 with BOM', delimiter: ';', decimal: '.', dates: 'iso', lineEnd: '\n' },
  { encoding: 'utf-8', delimiter: ',', decimal: '.', dates: 'iso', lineEnd: '\n' },
  { encoding: 'windows-1252', delimiter: ',', decimal: ',', dates: 'german', lineEnd: '\r\n' },
  { encoding: 'windows-1252', delimiter: '\t', decimal: ',', dates: 'iso', lineEnd: '\n' },
  { encoding: 'utf-8 with BOM', delimiter: '\t', decimal: '.', dates: 'german', lineEnd: '\r\n' },
]

describe.concurrent('a demo database comes back the same', () => {
  it.for(dialects.map((dialect, index) => [JSON.stringify(dialect), dialect, index] as const))(
    'as %s',
    async ([, dialect, index]) => {
      const db = `demo-${index}.sqlite`
      await fundpress(`init --db ${db} --quiet`)
      exportTables(folder.file('demo.sqlite'), folder.file(`demo-${index}`), dialect)
      await importAll(db, `demo-${index}`)
      expect(dumpAll(folder.file(db))).toEqual(dumpAll(folder.file('demo.sqlite')))
      if (index > 0) return
      // Once more: everything is there.
      await importAll(db, `demo-${index}`, '--replace-all')
      expect(dumpAll(folder.file(db))).toEqual(dumpAll(folder.file('demo.sqlite')))
    },
  )
})

it('a database full of marks, quotes and line ends comes back the same', async () => {
  const dialect: Dialect = {
    encoding: 'utf-8',
    delimiter: ',',
    decimal: ',',
    dates: 'german',
    lineEnd: '\r\n',
  }
  await fundpress('init --db odd-again.sqlite --quiet')
  exportTables(folder.file('odd.sqlite'), folder.file('odd'), dialect)
  await importAll('odd-again.sqlite', 'odd', '--decimal', 'comma')
  expect(dumpAll(folder.file('odd-again.sqlite'))).toEqual(dumpAll(folder.file('odd.sqlite')))
})

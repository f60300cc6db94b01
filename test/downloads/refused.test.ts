/** Nothing that the API refuses stands in any file of the downloads, whatever its form. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { oddFunds } from '../support/odd-funds.ts'
import { needs } from '../support/programs.ts'
import { filesIn } from '../support/tree.ts'
import { oddNight, secret, type Night } from './night.ts'
import { refusedIsins } from './oracle.ts'
import { python } from '../support/python.ts'
import { readParquet } from './readers.ts'

let night: Night | undefined
/** What people can read in each file, by its path. */
const texts = new Map<string, string>()

const canRead = needs('python3')

beforeAll(async () => {
  if (!canRead) return
  night = await oddNight()
  for (const path of filesIn(night.folder)) texts.set(path, await readableText(join(night.folder, path)))
})

const refused = () => refusedIsins(night?.db ?? '', night?.asOf ?? '')
/** The files with a text in them. */
const filesWith = (text: string, among = /./) =>
  [...texts]
    .filter(([path, content]) => among.test(path) && (content.includes(text) || path.includes(text)))
    .map(([path]) => path)

it('finds what may be given out in every form, so the searches below can find something', () => {
  const found = filesWith(oddFunds.awkward).map((path) => path.replace(/^.*\./, ''))
  const forms = ['SHA256SUMS', 'csv', 'html', 'json', 'parquet', 'sqlite', 'txt', 'xml']
  expect([...new Set(found)].sort()).toEqual(forms)
  expect(refused()).toEqual({
    data: [oddFunds.denied],
    prices: [oddFunds.denied, oddFunds.pricesDenied],
    performance: [oddFunds.young, oddFunds.denied, oddFunds.performanceDenied],
  })
})

it('a fund whose data may not be given out is in no file at all', () => {
  expect(filesWith(oddFunds.denied)).toEqual([])
})

it('prices that may not be given out are in no file of prices, and the fund has no folder', () => {
  for (const isin of refused().prices) {
    expect(filesWith(isin, /^(csv-excel\/)?prices|^[A-Z]{2}\w{10}\//)).toEqual([])
    expect(inSqlite('prices', isin)).toBe(0)
  }
})

it('performance of a fund that it is refused for, or that is not a year old, is in no file of performance', () => {
  for (const isin of refused().performance) {
    expect(filesWith(isin, /performance/)).toEqual([])
    for (const table of ['years', 'periods', 'line', 'launch'])
      expect({ table, rows: inSqlite(`performance_${table}`, isin) }).toEqual({ table, rows: 0 })
  }
})

it.each([secret, '777.123', '777,123'])('the API refuses or leaves out %s, and it is in no file', (value) => {
  expect(filesWith(value)).toEqual([])
})

const inSqlite = (table: string, isin: string): number =>
  python(
    `import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM " + sys.argv[2] + " WHERE isin = ?", (sys.argv[3],)).fetchone()[0])`,
    join(night?.folder ?? '', 'fund-data.sqlite'),
    table,
    isin,
  )

async function readableText(file: string): Promise<string> {
  if (file.endsWith('.sqlite')) {
    const program = `import json, sqlite3, sys
print(json.dumps(list(sqlite3.connect(sys.argv[1]).iterdump()), ensure_ascii=False))`
    // Freed pages would be a place to forget something in.
    return python<string[]>(program, file).join('\n') + readFileSync(file, 'latin1')
  }
  if (file.endsWith('.parquet')) {
    const rows = await readParquet(file)
    return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }
  return readFileSync(file, 'utf8')
}

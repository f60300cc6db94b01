/** Parquet files, read by a program that shares no code with what wrote them. */
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decimalBytesOf, parquetFile } from '../../src/extensions/downloads/formats/parquet.ts'
import type { EarlierFile } from '../../src/core/snapshot/parts.ts'
import type { OutputColumn, OutputRow } from '../../src/extensions/downloads/tables.ts'
import { isinOf } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { readParquet } from './readers.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()

const column = (name: string, type: OutputColumn['type'], isNullable = false): OutputColumn => {
  return { name, type, describe: { en: '', de: '' }, isNullable, sql: name }
}
const texts = [column('isin', 'text'), column('date', 'date')]
const columns = [...texts, column('nav', 'decimal'), column('profit', 'decimal', true)]

function write(
  name: string,
  pieces: readonly (readonly OutputRow[])[],
  amounts: 'exact' | 'double' = 'exact',
): string {
  const parquet = parquetFile(folder.path, name, columns, { amounts, metadata: [['as_of', '2024-01-02']] })
  for (const rows of pieces) parquet.add(rows)
  parquet.close()
  return join(folder.path, name)
}

const dayOf = (number: number) => new Date(number * 86_400_000)

it('holds every row of more funds than fit into a group, in their order, with its NULLs', async () => {
  const navs = ['0', '-0.01', '100.5', '007.25', '12345678.123456', '-99999', '0.000001']
  const funds = Array.from({ length: 30 }, (_, fund) =>
    Array.from({ length: 2500 }, (_, row) => {
      const nav = navs[(fund * 31 + row) % navs.length] ?? ''
      // Runs of NULLs, runs of values, and both in turn.
      const profit = row < 900 || (row > 2000 && row % 3 === 0) ? null : `${row}.50`
      return { isin: isinOf(fund), day: 10_000 + row, nav, profit }
    }),
  )
  const pieces = funds.map((fund) =>
    fund.map(({ isin, day, nav, profit }) => [isin, dayOf(day).toISOString().slice(0, 10), nav, profit]),
  )
  const path = write('many.parquet', pieces)
  const rows = await readParquet(path)
  expect(rows.length).toBe(75_000)
  const near = (text: string | null): unknown => (text === null ? null : expect.closeTo(Number(text), 6))
  const expected = funds.flat().map(({ isin, day, nav, profit }) => {
    return { isin, date: dayOf(day), nav: near(nav), profit: near(profit) }
  })
  expect(rows).toEqual(expected)
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  const bounds = groups.map(({ columns: [isins] }) => {
    const { min_value: first, max_value: last } = isins?.meta_data?.statistics ?? {}
    return { first, last }
  })
  expect(bounds.length).toBeGreaterThan(1)
  expect(bounds[0]?.first).toBe(isinOf(0))
  expect(bounds.at(-1)?.last).toBe(isinOf(29))
})

it('copies each part once, also where one of the same size comes before it', async () => {
  const writeParts = (name: string, isins: readonly string[], earlier?: EarlierFile) => {
    const form = { amounts: 'exact', metadata: [] } as const
    const parquet = parquetFile(folder.path, name, columns, form, earlier)
    for (const isin of isins) {
      const end = parquet.putPart(isin)
      if (end !== null) parquet.add([[isin, '2024-01-02', '1.5', null]])
      end?.()
    }
    return { ...parquet.close(), place: join(folder.path, name) }
  }
  const earlier = writeParts('parts.parquet', ['b', 'c'])
  const { place } = writeParts('more-parts.parquet', ['a', 'b', 'c'], earlier)
  expect((await readParquet(place)).map(({ isin }) => isin as unknown)).toEqual(['a', 'b', 'c'])
})

it('says that a column has no NULL', () => {
  expect(() => write('null.parquet', [[['X', '2024-01-02', null, null]]])).toThrow('column nav has no NULL')
})

it('takes a value of as many digits as fit, and is a file without rows', async () => {
  const widest = `-${'1'.repeat(23)}.${'9'.repeat(15)}`
  const [row] = await readParquet(write('widest.parquet', [[['X', '2024-01-02', widest, '0.1']]]))
  expect(row).toEqual({
    isin: 'X',
    date: new Date('2024-01-02'),
    nav: expect.closeTo(-1.1111111111111111e22, -8),
    profit: expect.closeTo(0.1, 6),
  })
  expect(await readParquet(write('empty.parquet', []))).toEqual([])
})

it('has the nearest double of each decimal if amounts are doubles, and no NULL becomes a number', async () => {
  const texts = ['79.14', '-0.01', '0.1', '007.25', '12345678901234567890123.123456789012345', '0']
  const rows = texts.map((text, row) => ['X', '2024-01-02', text, row === 0 ? null : text])
  const read = await readParquet(write('doubles.parquet', [rows], 'double'))
  const expected = [79.14, -0.01, 0.1, 7.25, 1.2345678901234568e22, 0]
  expect(read.map(({ nav }) => nav as unknown)).toEqual(expected)
  expect(read.map(({ profit }) => profit as unknown)).toEqual([null, ...expected.slice(1)])
})

it('holds any decimal within the limits digit for digit, in the 16 bytes of DECIMAL(38, 15)', () => {
  const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`))
  const texts = fc
    .record({ minus: fc.constantFrom('', '-'), whole: digits(23), fraction: fc.option(digits(15)) })
    .map(({ minus, whole, fraction }) => `${minus}${whole}${fraction === null ? '' : `.${fraction}`}`)
  const property = fc.property(texts, (text) => {
    const bytes = Buffer.from(decimalBytesOf(text, 0))
    const value = BigInt.asIntN(128, BigInt(`0x${bytes.toString('hex')}`))
    const [whole = '', fraction = ''] = text.split('.')
    expect({ bytes: bytes.length, value }).toEqual({
      bytes: 16,
      value: BigInt(whole + fraction.padEnd(15, '0')),
    })
  })
  const edges = '0 -0 -0.0 -1 -0.000000000000001 999999999999999.999999999999999 -4294967296'
  fc.assert(property, { numRuns: times(3000), examples: edges.split(' ').map((text) => [text]) })
})

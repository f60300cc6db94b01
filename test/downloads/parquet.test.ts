/** Parquet made of lines of CSV, read by a program that knows nothing of us. */
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { afterAll, expect, it } from 'vitest'
import { date, decimal, optional, text } from '../../src/downloads/column.ts'
import { usualWidth } from '../../src/downloads/decimal-width.ts'
import { parquetOfLines } from '../../src/downloads/parquet.ts'
import { isinOf } from '../support/database.ts'
import { makeTempFolder } from '../support/product.ts'
import { readParquet } from './readers.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

const columns = [text('isin', ''), date('date', ''), decimal('nav', ''), optional.decimal('profit', '')]

function write(name: string, pieces: readonly (readonly string[])[]): string {
  const parquet = parquetOfLines(folder.path, name, columns, () => usualWidth)
  for (const lines of pieces) parquet.add(lines.map((line) => Buffer.from(`${line}\r\n`)))
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
  const lines = funds.map((fund) =>
    fund.map(({ isin, day, nav, profit }) =>
      [isin, dayOf(day).toISOString().slice(0, 10), nav, profit ?? ''].join(','),
    ),
  )
  const path = write('many.parquet', lines)
  const rows = await readParquet(path)
  expect(rows.length).toBe(75_000)
  expect(rows).toEqual(
    funds.flat().map(({ isin, day, nav, profit }) => {
      return {
        isin,
        date: dayOf(day),
        nav: expect.closeTo(Number(nav), 6),
        profit: profit === null ? null : Number(profit),
      }
    }),
  )
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  const bounds = groups.map(({ columns: [isins] }) => {
    const { min_value: first, max_value: last } = isins?.meta_data?.statistics ?? {}
    return [first, last]
  })
  expect(bounds.length).toBeGreaterThan(1)
  expect(bounds[0]?.[0]).toBe(isinOf(0))
  expect(bounds.at(-1)?.[1]).toBe(isinOf(29))
})

it('says that a value is too wide for its column, and that a column has no NULL', () => {
  expect(() => write('wide.parquet', [['X,2024-01-02,1.1234567,']])).toThrow(RangeError)
  expect(() => write('wide.parquet', [['X,2024-01-02,1234567890123,']])).toThrow(RangeError)
  expect(() => write('null.parquet', [['X,2024-01-02,,']])).toThrow('column nav has no NULL')
})

it('takes a value of as many digits as fit, and is a file without rows', async () => {
  const [row] = await readParquet(write('widest.parquet', [['X,2024-01-02,-123456789012.123456,0.1']]))
  expect(row).toEqual({
    isin: 'X',
    date: new Date('2024-01-02'),
    nav: expect.closeTo(-123456789012.123456, 4),
    profit: expect.closeTo(0.1, 6),
  })
  expect(await readParquet(write('empty.parquet', []))).toEqual([])
})

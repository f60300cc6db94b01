/** Prices for Excel: files that are full go on in others. */
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { date, decimal, text, type Table } from '../../src/downloads/column.ts'
import { excelPrices } from '../../src/downloads/excel-files.ts'
import { makeTempFolder } from '../support/product.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

const table: Table = {
  name: 'prices',
  describe: '',
  source: 'price',
  needs: 'prices',
  key: ['isin', 'date'],
  columns: [text('isin', ''), date('date', ''), decimal('net_asset_value', '')],
}

it('goes on in another file where a sheet is full, in the middle of a fund, too', () => {
  const excel = excelPrices(folder.path, table, 3)
  const add = (isin: string, rows: number) => {
    const lines = Array.from({ length: rows }, (_, day) => `${isin},2024-01-0${day + 1},1.${day}\r\n`)
    excel.add({ year: '2024', lines: Buffer.from(lines.join('')), rows })
  }
  add('A', 2)
  add('B', 5)
  const files = excel.close()
  expect(files.map(({ path, rows }) => [path, rows])).toEqual([
    ['csv-excel/prices_2024.csv', 3],
    ['csv-excel/prices_2024_part2.csv', 3],
    ['csv-excel/prices_2024_part3.csv', 1],
  ])
  const header = '\ufeffisin;date;net_asset_value'
  expect(files.map(({ path }) => readFileSync(folder.file(path), 'utf8').trimEnd().split('\r\n'))).toEqual([
    [header, 'A;2024-01-01;1,0', 'A;2024-01-02;1,1', 'B;2024-01-01;1,0'],
    [header, 'B;2024-01-02;1,1', 'B;2024-01-03;1,2', 'B;2024-01-04;1,3'],
    [header, 'B;2024-01-05;1,4'],
  ])
})

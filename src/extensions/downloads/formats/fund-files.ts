/**
 * Each fund's prices for programs that read numbers, ascending, in a folder with its ISIN. `<isin>-prices.json` has the
 * whole history; the name of a saved file says the fund. As CSV, the API answers the same. `prices.csv` and
 * `prices.json` have as many of its newest prices as the web functions of spreadsheets take, and `nav.txt` the newest NAV
 * alone, without a line feed: a cell's value.
 */

import { maxCharacters } from '../../../core/api/contract/page.ts'
import { fileSink, writeFile, type WrittenFile } from '../../../core/snapshot/file-sink.ts'
import { fileParts, partFrom } from '../../../core/snapshot/parts.ts'
import { type OutputRow, type OutputTable, pricesTable } from '../tables.ts'
import {
  type FormatWork,
  type FundTables,
  inBoth,
  type PieceFile,
  type RowsFormat,
  rowsOfTable,
} from './format.ts'

const inPackage = (files: readonly PieceFile[]) => ({
  fundFiles: {
    description:
      'The prices of each fund, in a folder named after its ISIN. {isin}-prices.json contains the whole history in ' +
      'ascending order, with the columns of the resource prices.csv without isin. ' +
      'Amounts are numbers, and tax figures without a value are omitted. {isin}/prices.csv and {isin}/prices.json contain date ' +
      `and nav of the newest prices, up to ${maxCharacters} characters: the limit of the web functions of spreadsheets. nav.txt ` +
      'contains the newest net asset value only. These files are not resources: with many funds, this description would be too ' +
      'long to read. The resource prices.csv contains the same rows.',
    paths: [
      historyPath('{isin}'),
      ...['prices.csv', 'prices.json', 'nav.txt'].map((name) => `{isin}/${name}`),
    ],
    maxCharacters,
    fullHistory: [historyPath('{isin}'), 'prices.csv', 'prices.parquet'],
    funds: new Set(files.map(({ piece }) => piece)).size,
  },
})

export const fundFiles: RowsFormat = {
  id: 'funds',
  kind: 'rows',
  name: 'csv',
  mediatype: 'text/csv',
  label: inBoth('CSV'),
  pieces: (funds) => {
    const rows = rowsOfTable(pricesTable, funds)
    const about = { row: null, describe: { en: 'Prices of one fund', de: 'Preise eines Fonds' } }
    return rows.funds.map((fund) => ({ name: fund.isin, ...about, rows: { ...rows, funds: [fund] } }))
  },
  open: (work) => {
    const { folder, wanted } = work
    const files: PieceFile[] = []
    return {
      add: (fund) => {
        const { isin, rows, years } = fund
        if (!wanted.has(isin) || years.length === 0) return
        for (const [name, content, count] of shortFiles(rows(navTable))) {
          const file = writeFile(folder, `${isin}/${name}`, content)
          files.push({ ...file, ...(count === undefined ? {} : { rows: count }), piece: isin })
        }
        files.push({ ...historyFile(fund, work), piece: isin })
      },
      close: () => files,
    }
  },
  inPackage,
}

/** A name in the folder of a fund, the content, and how many rows a table has. */
type FundFile = readonly [name: string, content: string, rows?: number]

/** The whole history, in the folder of the fund. */
export const historyPath = (isin: string) => `${isin}/${isin}-prices.json`

/** The columns after the ISIN. */
const members = pricesTable.columns.slice(1).map(({ name, type }, index) => {
  return { start: `${index === 0 ? '{' : ','}"${name}":`, isNumber: type === 'decimal' }
})

/** The years before the newest are a part of it: in most nights, they are as they were. */
function historyFile(
  { isin, older, newest, olderDigest }: FundTables,
  { folder, madeBy, earlierFiles }: FormatWork,
): WrittenFile {
  const path = historyPath(isin)
  const sink = fileSink(folder, path)
  const parts = fileParts(earlierFiles.get(path), sink.bytes, sink.write)
  sink.write('[\n')
  if (olderDigest !== null) {
    parts.put(partFrom(madeBy, 'json', isin, olderDigest), () => {
      const records = older(pricesTable)
      sink.write(`${records.map(historyRecord).join(recordEnd)}${recordEnd}`)
      return records.length
    })
  }
  sink.write(`${newest(pricesTable).map(historyRecord).join(recordEnd)}\n]\n`)
  return { ...sink.close(), parts: parts.close() }
}

const recordEnd = ',\n'

/** Amounts are numbers of JSON, digit for digit. Missing tax figures are left out, as in the API's JSON. */
function historyRecord(row: OutputRow): string {
  let record = ''
  for (const [index, { start, isNumber }] of members.entries()) {
    const cell = row[index + 1] ?? null
    if (cell === null) continue
    record += start
    record += isNumber ? jsonNumber(String(cell)) : JSON.stringify(cell)
  }
  return `${record}}`
}

/** Days and NAVs. */
const navTable: OutputTable = {
  ...pricesTable,
  columns: pricesTable.columns.filter(({ name }) => name === 'date' || name === 'net_asset_value'),
}

const lineEnd = '\r\n'
const shortHead = `date,nav${lineEnd}`

/** More rows than ever fit. */
const maxRows = Math.ceil(maxCharacters / `yyyy-mm-dd,1${lineEnd}`.length)

/** @param prices of a fund, of {@link navTable} */
function shortFiles(prices: readonly OutputRow[]): readonly FundFile[] {
  const newest = prices.slice(-maxRows).map(([day, nav]) => ({ day: String(day), nav: String(nav) }))
  const lines = newestThatFit(newest, ({ day, nav }) => `${day},${nav}${lineEnd}`, shortHead.length)
  const json = newestThatFit(newest, ({ day, nav }) => `{"date":"${day}","nav":${jsonNumber(nav)}}`, 2, 1)
  return [
    ['nav.txt', newest.at(-1)?.nav ?? ''],
    ['prices.csv', `${shortHead}${lines.join('')}`, lines.length],
    ['prices.json', `[${json.join(',')}]`],
  ]
}

type Price = Readonly<Record<'day' | 'nav', string>>

/** @param prices ascending @param frame characters around them @returns the newest ones that fit, ascending */
function newestThatFit(
  prices: readonly Price[],
  write: (price: Price) => string,
  frame: number,
  between = 0,
): readonly string[] {
  const taken: string[] = []
  let room = maxCharacters - frame
  for (const price of prices.toReversed()) {
    const piece = write(price)
    room -= piece.length + between
    if (room < 0) break
    taken.push(piece)
  }
  return taken.reverse()
}

/** JSON knows no zeros in front. All other plain decimals are numbers of JSON, digit for digit. */
function jsonNumber(decimal: string): string {
  const at = decimal.startsWith('-') ? 1 : 0
  // Almost all decimals end here.
  if (decimal[at] !== '0' || decimal[at + 1] === '.') return decimal
  return decimal.replace(/^(-?)0+(?=\d)/, '$1')
}

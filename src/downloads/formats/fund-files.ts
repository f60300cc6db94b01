/**
 * Each fund's prices for programs that read numbers, ascending, in a folder with its ISIN. `<isin>-prices.csv` and
 * `<isin>-prices.json` have the whole history: their names say the fund when somebody saves them. `prices.csv` and
 * `prices.json` have as many of its newest prices as the web functions of spreadsheets take, and `nav.txt` the newest NAV
 * alone, without a line feed: a cell's value.
 */

import { maxCharacters } from '../../api/contract/page.ts'
import { writeFile } from '../file-sink.ts'
import { csvHeader, csvLine } from './csv.ts'
import { type PieceFile, rowsOfTable, type RowsFormat } from './format.ts'
import { historyTable, type OutputRow, placeIn, pricesTable } from '../tables.ts'

const inPackage = (files: readonly PieceFile[]) => ({
  fundFiles: {
    description:
      'The prices of each fund, in a folder named after its ISIN. {isin}-prices.csv and {isin}-prices.json contain the whole ' +
      'history in ascending order, with the columns of the resource prices.csv without isin, and with the currency. In JSON, ' +
      'amounts are numbers, and tax figures without a value are omitted. {isin}/prices.csv and {isin}/prices.json contain date ' +
      `and nav of the newest prices, up to ${maxCharacters} characters: the limit of the web functions of spreadsheets. nav.txt ` +
      'contains the newest net asset value only. These files are not resources: with many funds, this description would be too ' +
      'long to read. The resource prices.csv contains the same rows.',
    paths: [...historyNames('{isin}'), 'prices.csv', 'prices.json', 'nav.txt'].map(
      (name) => `{isin}/${name}`,
    ),
    maxCharacters,
    fullHistory: [...historyNames('{isin}').map((name) => `{isin}/${name}`), 'prices.csv', 'prices.parquet'],
    funds: new Set(files.map(({ piece }) => piece)).size,
  },
})

export const fundFiles: RowsFormat = {
  ...{ id: 'funds', kind: 'rows', name: 'csv', mediatype: 'text/csv', label: 'CSV' },
  pieces: (funds) => {
    const { isins, digest } = rowsOfTable(historyTable, funds)
    const about = { row: null, describe: { en: 'Prices of one fund', de: 'Preise eines Fonds' } }
    return isins.map((isin) => ({ name: isin, ...about, rows: { isins: [isin], digest } }))
  },
  open: ({ folder, wanted }) => {
    const files: PieceFile[] = []
    return {
      add: ({ isin, rows }) => {
        const prices = wanted.has(isin) ? rows(pricesTable) : []
        if (prices.length === 0) return
        const made = [...shortFiles(prices), ...historyFiles(isin, rows(historyTable))]
        for (const [name, content, count] of made) {
          const file = writeFile(folder, `${isin}/${name}`, content)
          files.push({ ...file, ...(count === undefined ? {} : { rows: count }), piece: isin })
        }
      },
      close: () => files,
    }
  },
  inPackage,
}

/** A name in the folder of a fund, the content, and how many rows a table has. */
type FundFile = readonly [name: string, content: string, rows?: number]

/** The whole history, as CSV and as JSON, in the folder of the fund. */
export const historyNames = (isin: string) => [`${isin}-prices.csv`, `${isin}-prices.json`] as const

const historyLine = csvLine(historyTable.columns, 'plain')
const memberStarts = historyTable.columns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`)

/** @param rows of {@link historyTable} */
function historyFiles(isin: string, rows: readonly OutputRow[]): readonly FundFile[] {
  const [csvName, jsonName] = historyNames(isin)
  return [
    [csvName, csvHeader(historyTable.columns, 'plain') + rows.map(historyLine).join(''), rows.length],
    [jsonName, `[\n${rows.map(historyRecord).join(',\n')}\n]\n`],
  ]
}

/** Amounts are numbers of JSON, digit for digit. Tax figures that there are none of are left out, as in the API's JSON. */
function historyRecord(row: OutputRow): string {
  let record = ''
  for (const [index, { type }] of historyTable.columns.entries()) {
    const cell = row[index] ?? null
    if (cell === null) continue
    record += memberStarts[index]
    record += type === 'decimal' ? jsonNumber(String(cell)) : JSON.stringify(cell)
  }
  return `${record}}`
}

const [dayAt, navAt] = [placeIn(pricesTable, 'date'), placeIn(pricesTable, 'net_asset_value')]

const lineEnd = '\r\n'
const shortHead = `date,nav${lineEnd}`

/** More rows than ever fit. */
const maxRows = Math.ceil(maxCharacters / `yyyy-mm-dd,1${lineEnd}`.length)

/** @param prices of a fund, ascending */
function shortFiles(prices: readonly OutputRow[]): readonly FundFile[] {
  const newest = prices.slice(-maxRows).map((row) => ({ day: String(row[dayAt]), nav: String(row[navAt]) }))
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
const jsonNumber = (decimal: string) => decimal.replace(/^(-?)0+(?=\d)/, '$1')

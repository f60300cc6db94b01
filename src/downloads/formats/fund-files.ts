/**
 * Each fund's prices for programs that read numbers, in a folder with its ISIN: `prices.csv` and `prices.json`, ascending, with
 * as many of its newest prices as the web functions of spreadsheets take, and `nav.txt`, the newest NAV alone, without a line
 * feed: a cell's value.
 */

import { maxCharacters } from '../../api/contract/page.ts'
import { writeFile } from '../file-sink.ts'
import { allPrices, type FormatParagraph, type PieceFile, type RowsFormat } from './format.ts'
import { type OutputRow, permittedIsins, pricesTable } from '../tables.ts'
import { html } from '../../site/layout/html.ts'

const paragraph: FormatParagraph = {
  en: (isin, grouped) =>
    html`Small files in a folder with the ISIN of each fund, with decimal points, for spreadsheets and
      portfolio programs: its newest prices as <a href="${isin}/prices.csv">prices.csv</a> and
      <a href="${isin}/prices.json">prices.json</a>, as many as ${grouped(maxCharacters)} characters hold, and
      the newest NAV alone as <a href="${isin}/nav.txt">nav.txt</a>. The full history is in
      <a href="prices.csv">prices.csv</a>.`,
  de: (isin, grouped) =>
    html`Zu jedem Fonds gibt es einen nach seiner ISIN benannten Ordner mit kleinen Dateien für
      Tabellenkalkulationen und Depotprogramme, mit Dezimalpunkt:
      <a href="${isin}/prices.csv">prices.csv</a> und <a href="${isin}/prices.json">prices.json</a>
      enthalten die neuesten Preise, bis zu ${grouped(maxCharacters)} Zeichen,
      <a href="${isin}/nav.txt">nav.txt</a> nur den neuesten Nettoinventarwert. Alle Preise enthält
      <a href="prices.csv">prices.csv</a>.`,
}

const inPackage = (files: readonly PieceFile[]) => ({
  fundFiles: {
    description:
      `Of each fund with prices, in a folder with its ISIN: prices.csv and prices.json (date, nav), ascending, with as ` +
      `many of the newest prices as ${maxCharacters} characters hold, which is what the web functions of spreadsheets ` +
      'take; the full history is in prices.csv and prices.parquet. nav.txt is the newest NAV alone.',
    paths: ['{isin}/prices.csv', '{isin}/prices.json', '{isin}/nav.txt'],
    maxCharacters,
    fullHistory: ['prices.csv', 'prices.parquet'],
    funds: new Set(files.map(({ piece }) => piece)).size,
  },
})

export const fundFiles: RowsFormat = {
  ...{ id: 'funds', kind: 'rows', name: 'csv', mediatype: 'text/csv', section: 'funds' },
  pieces: ({ scopes }) =>
    permittedIsins(scopes, 'prices').map((isin) => ({
      name: isin,
      describe: { en: 'Prices of one fund', de: 'Preise eines Fonds' },
      rows: { isins: [isin], digest: allPrices },
    })),
  open: ({ folder, wanted }) => {
    const files: PieceFile[] = []
    return {
      add: ({ isin, rows }) => {
        if (!wanted.has(isin)) return
        for (const [name, content, count] of filesOf(rows(pricesTable))) {
          const file = writeFile(folder, `${isin}/${name}`, content)
          files.push({ ...file, ...(count === undefined ? {} : { rows: count }), piece: isin })
        }
      },
      close: () => files,
    }
  },
  inPackage,
  paragraph,
}

const placeOf = (column: string) => pricesTable.columns.findIndex(({ name }) => name === column)
const [dayAt, navAt] = [placeOf('date'), placeOf('net_asset_value')]

const lineEnd = '\r\n'
const csvHead = `date,nav${lineEnd}`

/** More rows than ever fit. */
const maxRows = Math.ceil(maxCharacters / `yyyy-mm-dd,1${lineEnd}`.length)

/** @param rows all prices of a fund, ascending */
function* filesOf(rows: readonly OutputRow[]): Generator<[name: string, content: string, rows?: number]> {
  const newest = rows.slice(-maxRows).map((row) => ({ day: String(row[dayAt]), nav: String(row[navAt]) }))
  const last = newest.at(-1)
  if (last === undefined) return
  const lines = newestThatFit(newest, ({ day, nav }) => `${day},${nav}${lineEnd}`, csvHead.length)
  const json = newestThatFit(newest, ({ day, nav }) => `{"date":"${day}","nav":${jsonNumber(nav)}}`, 2, 1)
  yield ['nav.txt', last.nav]
  yield ['prices.csv', `${csvHead}${lines.join('')}`, lines.length]
  yield ['prices.json', `[${json.join(',')}]`]
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

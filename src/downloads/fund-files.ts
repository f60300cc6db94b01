/**
 * The prices of one fund for programs that read numbers: ISO dates and decimal points, in files that fit into what the
 * web functions of spreadsheets take.
 */

import { maxCharacters } from '../contract/fund-files.ts'
import type { FundDatabase } from '../source/open.ts'
import { writeFile, type WrittenFile } from './file-sink.ts'
import { pieceOf } from './pieces.ts'
import { permittedIsins, type FundScope } from './scope.ts'

/** More rows than ever fit. */
const maxRows = 3000

interface Price {
  readonly date: string
  readonly nav: string
}

/**
 * Of each fund whose prices may be given out, and that has some: `<isin>/prices.csv` and `prices.json`, ascending, with
 * as many of its newest prices as fit, and `nav.txt`, the newest NAV alone, without a line feed: a cell's value.
 * @param wanted names of the pieces that are to be made
 */
export function writeFundFiles(
  db: FundDatabase,
  scopes: readonly FundScope[],
  folder: string,
  wanted: ReadonlySet<string>,
): readonly WrittenFile[] {
  const newest = db.prepare<[string], Price>(
    `SELECT date, net_asset_value AS nav FROM price WHERE isin = ? ORDER BY date DESC LIMIT ${maxRows}`,
  )
  const isins = permittedIsins(scopes, 'prices').filter((isin) => wanted.has(pieceOf.fund(isin)))
  return isins.flatMap((isin) => {
    const prices = newest.all(isin)
    const [last] = prices
    if (last === undefined) return []
    const csv = asMany(prices, ({ date, nav }) => `${date},${nav}\r\n`, 'date,nav\r\n'.length)
    const json = asMany(prices, ({ date, nav }) => `{"date":"${date}","nav":${jsonNumber(nav)}}`, 2, 1)
    return [
      writeFile(folder, `${isin}/nav.txt`, last.nav),
      { ...writeFile(folder, `${isin}/prices.csv`, `date,nav\r\n${csv.join('')}`), rows: csv.length },
      writeFile(folder, `${isin}/prices.json`, `[${json.join(',')}]`),
    ]
  })
}

/** @param prices the newest first @param frame characters around them @returns those that fit, the newest last */
function asMany(
  prices: readonly Price[],
  write: (price: Price) => string,
  frame: number,
  between = 0,
): readonly string[] {
  const taken: string[] = []
  let room = maxCharacters - frame
  for (const price of prices) {
    const piece = write(price)
    room -= piece.length + between
    if (room < 0) break
    taken.push(piece)
  }
  return taken.reverse()
}

/** JSON knows no zeros in front. All other plain decimals are numbers of JSON, digit for digit. */
const jsonNumber = (decimal: string) => decimal.replace(/^(-?)0+(?=\d)/, '$1')

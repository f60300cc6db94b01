/**
 * The prices of one fund for programs that read numbers: ISO dates and decimal points, in files that fit into what the
 * web functions of spreadsheets take.
 */

import { maxCharacters } from '../contract/fund-files.ts'
import type { FundDatabase } from '../source/open.ts'
import { writeFile, type WrittenFile } from './file-sink.ts'
import { pieceOf } from './pieces.ts'
import { permittedIsins, type FundScope } from './scope.ts'

const lineEnd = '\r\n'

/** As a price stands in the CSV file: the day, a comma, the NAV. */
type PriceLine = string

const day = 'yyyy-mm-dd'
const csvHead = `date,nav${lineEnd}`

/** More rows than ever fit. */
const maxRows = Math.ceil(maxCharacters / `${day},1${lineEnd}`.length)

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
  const beyond = db
    .prepare<[string], string>(
      `SELECT date FROM price WHERE isin = ? ORDER BY date DESC LIMIT 1 OFFSET ${maxRows}`,
    )
    .pluck()
  // As one text, which is faster. They come in the order of the primary key that finds them.
  const after = db
    .prepare<[string, string], string | null>(
      `SELECT group_concat(concat(date, ',', net_asset_value), char(13, 10)) FROM price WHERE isin = ? AND date > ?`,
    )
    .pluck()
  const isins = permittedIsins(scopes, 'prices').filter((isin) => wanted.has(pieceOf.fund(isin)))
  return isins.flatMap((isin) => {
    const prices = after.get(isin, beyond.get(isin) ?? '')?.split(lineEnd) ?? []
    const last = prices.at(-1)
    if (last === undefined) return []
    const csv = newestThatFit(prices, (price) => `${price}${lineEnd}`, csvHead.length)
    const json = newestThatFit(prices, jsonPrice, 2, 1)
    return [
      writeFile(folder, `${isin}/nav.txt`, navOf(last)),
      { ...writeFile(folder, `${isin}/prices.csv`, `${csvHead}${csv.join('')}`), rows: csv.length },
      writeFile(folder, `${isin}/prices.json`, `[${json.join(',')}]`),
    ]
  })
}

const navOf = (price: PriceLine) => price.slice(day.length + 1)

const jsonPrice = (price: PriceLine) =>
  `{"date":"${price.slice(0, day.length)}","nav":${jsonNumber(navOf(price))}}`

/** @param prices ascending @param frame characters around them @returns the newest ones that fit, ascending */
function newestThatFit(
  prices: readonly PriceLine[],
  write: (price: PriceLine) => string,
  frame: number,
  between = 0,
): readonly string[] {
  const taken: string[] = []
  let room = maxCharacters - frame
  for (let at = prices.length - 1; at >= 0; at--) {
    const piece = write(prices[at] ?? '')
    room -= piece.length + between
    if (room < 0) break
    taken.push(piece)
  }
  return taken.reverse()
}

/** JSON knows no zeros in front. All other plain decimals are numbers of JSON, digit for digit. */
const jsonNumber = (decimal: string) => decimal.replace(/^(-?)0+(?=\d)/, '$1')

/** What is wrong with the data of a night, as SQL. */
import { goodRows, isinOf } from '../support/database.ts'
import { amount, days, lastNight, nameOf, navOf, prices, tonight } from './night-runs.ts'

export const isins = Array.from({ length: 11 }, (_, index) => isinOf(index + 1))
export const [one = '', two = ''] = isins
export const ofPrices = ['prices-current', 'prices-historic']
/** A price of tonight, or of another day. */
export function priced(
  nav: number,
  { isin = one, date = tonight }: { isin?: string; date?: string } = {},
): string {
  const before = navOf(days.indexOf(date) - 1, isin)
  const values = Object.entries(prices(nav, before)).map(([column, value]) => `${column} = '${value}'`)
  return `UPDATE price SET ${values.join(', ')} WHERE isin = '${isin}' AND date = '${date}';`
}
export const value = (column: string, text: string, { isin = one, date = tonight } = {}) =>
  `UPDATE price SET ${column} = '${text}' WHERE isin = '${isin}' AND date = '${date}';`
export const tables = Object.keys(goodRows)
/** Removes the last funds, or rows of them. */
export const withoutFunds = (count: number, from = tables) => {
  const last = isins.slice(-count).map((isin) => `'${isin}'`)
  return from.map((table) => `DELETE FROM ${table} WHERE isin IN (${last.join(', ')});`).join('')
}
/** Removes the oldest prices. */
export const withoutPrices = (count: number) =>
  `DELETE FROM price WHERE (isin, date) IN (SELECT isin, date FROM price ORDER BY date, isin LIMIT ${count});`
/** Removes countries of structures. */
export const withoutRows = (count: number) =>
  `DELETE FROM structure_item WHERE (isin, position) IN
    (SELECT isin, position FROM structure_item ORDER BY position DESC, isin LIMIT ${count});`
/** Some funds have had no price for two weeks. */
export const stale = (count: number) =>
  isins
    .slice(0, count)
    .map((isin) => `DELETE FROM price WHERE date > '2024-04-20' AND isin = '${isin}';`)
    .join('')
/** No fund has a price on these days. */
export const closed = (from: string, to: string) =>
  `DELETE FROM price WHERE date BETWEEN '${from}' AND '${to}';`
/** All prices of a fund until last night are higher, and so are their changes. */
export const higher = (factor: number, isin = one) => {
  const columns = ['issue_price', 'repurchase_price', 'net_asset_value', 'change']
  const values = columns.map((column) => `${column} = printf('%.2f', ${column} * ${factor})`)
  return `UPDATE price SET ${values.join(', ')} WHERE isin = '${isin}';`
}
/** A price of April, whose NAV is a cent higher, and the change of the next one. */
export const corrected = (isin: string) => {
  const [day = '', next = ''] = days.slice(20)
  const change = amount(navOf(21, isin) - navOf(20, isin) - 0.01)
  return priced(navOf(20, isin) + 0.01, { isin, date: day }) + value('change', change, { isin, date: next })
}
/** The NAV stays the same on the last days. */
export const flat = (count: number) => {
  const nav = navOf(days.length - count - 1)
  const columns = Object.entries(prices(nav, nav)).map(([column, text]) => `${column} = '${text}'`)
  return `UPDATE price SET ${columns.join(', ')} WHERE isin = '${one}' AND date >= '${days.at(-count) ?? ''}';`
}

export const named = (isin: string, name: string) =>
  `UPDATE fund SET name = '${name}' WHERE isin = '${isin}';`
export const exchanged = named(one, nameOf(two)) + named(two, nameOf(one))
/** The last funds have no benchmark any more. */
export const withoutBenchmark = (count: number) =>
  isins
    .slice(-count)
    .map((isin) => `UPDATE profile SET benchmark = NULL WHERE isin = '${isin}';`)
    .join('')
/** The tax figures of a fund are zero on all days. */
export const untaxed = `UPDATE price SET intercompany_profit = '0.00', share_profit = '0.00', real_estate_profits = '0.00',
    share_profit2 = '0.00' WHERE isin = '${one}';`

/** The price of tonight came with the date of last night, and replaced that price. */
export const antedated = (isin: string) =>
  `DELETE FROM price WHERE isin = '${isin}' AND date = '${tonight}';` +
  priced(navOf(days.length - 1, isin) + 0.2, { isin, date: lastNight })

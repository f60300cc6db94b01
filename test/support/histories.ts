/** Funds with histories of prices, from which guards learn what is usual. */
import { goodRows, insertGood, type Insert } from './database.ts'

/** The last so many Mondays to Fridays until a day, ISO 8601. */
export function weekdaysUntil(last: string, count: number): readonly string[] {
  const all = Array.from(
    { length: 2 * count + 2 },
    (_, back) => new Date(Date.parse(last) - back * 86_400_000),
  )
  return all
    .filter((day) => ![0, 6].includes(day.getUTCDay()))
    .slice(0, count)
    .map((day) => day.toISOString().slice(0, 10))
    .reverse()
}

/** Inserts a fund with a row in every table, and a price without performance on each day. */
export function insertHistory(
  insert: Insert,
  isin: string,
  days: readonly string[],
  navOf: (index: number) => number,
): void {
  for (const [index, date] of days.entries()) {
    const nav = navOf(index)
    const before = index === 0 ? nav : navOf(index - 1)
    const prices = {
      net_asset_value: nav.toFixed(2),
      repurchase_price: nav.toFixed(2),
      issue_price: (nav * 1.05).toFixed(2),
      change: (nav - before).toFixed(2),
      change_percent: ((nav / before - 1) * 100).toFixed(2),
      performance: null,
    }
    if (index === 0) insertGood(insert, isin, { price: { ...prices, date } })
    else insert('price', { ...goodRows['price'], isin, date, ...prices })
  }
}

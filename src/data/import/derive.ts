/** What a price file lacks, from its NAVs: the change to the price before, in percent, too, and the performance of the year. */

import type { Database } from 'better-sqlite3'

/** The columns of table price that `--derive` computes if the file lacks them. */
export const derivableColumns: readonly string[] = ['change', 'change_percent', 'performance']

/**
 * - change: the NAV less that of the fund's price before, in the file or in the database.
 * - change_percent: the same, in percent of the NAV before.
 * - performance: the NAV against the fund's last price of an earlier year, else against its first, in percent. It leaves
 *   distributions out.
 *
 * Percentages have two decimals, rounded half away from zero. The first price of a fund has 0.
 * @param staged the table of the lines @param columns those that the file lacks @param isUpsert whether other rows stay
 */
export function priceDeriver(db: Database, staged: string, columns: readonly string[], isUpsert: boolean) {
  // Rows that the import removes are no price before.
  const kept = isUpsert
    ? `UNION ALL SELECT date, net_asset_value, 0 FROM main.price AS own
        WHERE isin = :isin AND date >= coalesce((SELECT max(date) FROM main.price WHERE isin = :isin AND date <
          (SELECT substr(min(date), 1, 4) FROM ${staged} WHERE isin = :isin)), '')
        AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.date = own.date)`
    : ''
  const prices = db.prepare<{ isin: string }, { date: string; nav: string; isNew: 0 | 1 }>(
    `SELECT date, net_asset_value AS nav, 1 AS isNew FROM ${staged} WHERE isin = :isin ${kept} ORDER BY date`,
  )
  const values = columns.map((name) => `${name} = :${name}`).join(', ')
  const update = db.prepare(`UPDATE ${staged} SET ${values} WHERE isin = :isin AND date = :date`)
  const valuesOf = (
    { nav, last, base }: Readonly<Record<'nav' | 'last' | 'base', string>>,
    place: string,
  ) => {
    try {
      const [change, change_percent, performance] = [
        difference(nav, last),
        percentChange(nav, last),
        percentChange(nav, base),
      ]
      const all: Readonly<Record<string, string>> = { change, change_percent, performance }
      return Object.fromEntries(columns.map((name) => [name, all[name]]))
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw new Error(`${place}: nothing can be derived, because an earlier NAV is 0`, { cause })
    }
  }
  let behind = 0
  return {
    derive: (isin: string): void => {
      let before: { date: string; nav: string; isNew: 0 | 1 } | undefined
      let base: string | undefined
      let isBehind = false
      for (const price of prices.all({ isin })) {
        const { date, nav, isNew } = price
        if (before !== undefined && before.date.slice(0, 4) < date.slice(0, 4)) base = before.nav
        base ??= nav
        const last = before?.nav ?? nav
        if (isNew === 1) update.run({ isin, date, ...valuesOf({ nav, last, base }, `${isin}, ${date}`) })
        isBehind ||= isNew === 0 && before?.isNew === 1
        before = price
      }
      behind += Number(isBehind)
    },
    /** Funds with a price in the database that comes after one of the file, and keeps its own change. */
    behind: () => behind,
  }
}

function inUnits(decimals: readonly string[]) {
  const scale = Math.max(...decimals.map((text) => text.split('.')[1]?.length ?? 0))
  const units = decimals.map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(scale, '0'))
  })
  return { units, scale }
}

/** @param scale decimals of the unit */
function fromUnits(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return (units < 0n ? '-' : '') + digits.slice(0, point) + (scale === 0 ? '' : `.${digits.slice(point)}`)
}

/** Exact, with the decimals of the longer one. */
function difference(one: string, other: string): string {
  const { units, scale } = inUnits([one, other])
  const [left = 0n, right = 0n] = units
  return fromUnits(left - right, scale)
}

/** @throws {RangeError} if the base is 0 */
function percentChange(value: string, base: string): string {
  const [left = 0n, right = 0n] = inUnits([value, base]).units
  const size = right < 0n ? -right : right
  if (left === right) return fromUnits(0n, 2)
  const share = (left - right) * 10_000n * (right < 0n ? -1n : 1n)
  const half = share < 0n ? -size : size
  return fromUnits((2n * share + half) / (2n * size), 2)
}

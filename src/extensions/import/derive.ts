/** Computes columns that a price file lacks from its NAVs: change, change in percent, performance of the year. */

import type { Database } from 'better-sqlite3'
import { daysOfYearEnd, isOfYearEnd } from '../../core/guards/year-end.ts'
import { schemaTables } from '../../core/data/model/schema.ts'

/** The columns of table price that `--derive` computes if the file lacks them. */
export const derivableColumns: readonly string[] = ['change', 'change_percent', 'performance']

/** A NAV of the file or of the database, and whether the file adds or corrects it. */
interface DatedNav {
  readonly date: string
  readonly nav: string
  readonly isOfFile: 0 | 1
  readonly isOther: 0 | 1
}

/** A NAV to compare with, and the shares that one share has become since: exact decimal text. */
interface EarlierNav extends DatedNav {
  readonly shares: string
}

interface Split {
  readonly exDate: string
  readonly factor: string
}

/**
 * A NAV from before a split counts by its factor.
 * - change: the NAV less that of the fund's price before, in the file or in the database.
 * - change_percent: the same, in percent of the NAV before.
 * - performance: the NAV against that of the end of the year before, in percent, without distributions. NULL if no price is
 *   of the end of that year (`guards/year-end.ts`): the figure is called "since 31 December".
 *
 * Percentages have two decimals, rounded half away from zero. The first price of a fund has no change: 0. A later price of
 * the database joins the lines of the file where it is against a NAV that the file adds or corrects.
 * @param staged the table of the lines @param columns those that the file lacks @param isUpsert whether other rows stay
 * @param splitsOf of a fund, by day
 */
export function priceDeriver(
  db: Database,
  staged: string,
  columns: readonly string[],
  isUpsert: boolean,
  splitsOf: (isin: string) => readonly Split[],
) {
  // Rows that the import removes are no price before. Some more than the last price of the year before show its rhythm.
  const kept = isUpsert
    ? `UNION ALL SELECT date, net_asset_value, 0, 0 FROM main.price AS own
        WHERE isin = :isin AND date >= coalesce((SELECT date FROM main.price WHERE isin = :isin AND date <
          (SELECT substr(min(date), 1, 4) FROM ${staged} WHERE isin = :isin)
          ORDER BY date DESC LIMIT 1 OFFSET ${daysOfYearEnd - 1}), '')
        AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.date = own.date)`
    : ''
  const prices = db.prepare<{ isin: string }, DatedNav>(
    `SELECT date, net_asset_value AS nav, 1 AS isOfFile, net_asset_value IS NOT (SELECT net_asset_value
        FROM main.price AS own WHERE own.isin = line.isin AND own.date = line.date) AS isOther
      FROM ${staged} AS line WHERE isin = :isin ${kept} ORDER BY date`,
  )
  const names = schemaTables.prices.columns.map(({ name }) => name).join(', ')
  const join = db.prepare(
    `INSERT INTO ${staged} (${names}) SELECT ${names} FROM main.price WHERE isin = :isin AND date = :date`,
  )
  const values = columns.map((name) => `${name} = iif(:has_${name}, :${name}, ${name})`).join(', ')
  const update = db.prepare(`UPDATE ${staged} SET ${values} WHERE isin = :isin AND date = :date`)
  const again = { count: 0, first: '' }
  const withoutBase = { count: 0, first: '' }
  return {
    derive: (isin: string): void => {
      let last: EarlierNav | undefined
      let base = noBase
      const splits = splitsOf(isin)
      const all = prices.all({ isin })
      for (const [index, one] of all.entries()) {
        const price = { ...one, shares: '1' }
        const { date, isOfFile } = price
        if (last !== undefined && last.date.slice(0, 4) < date.slice(0, 4))
          base = baseOfYear(last, all.slice(Math.max(0, index - daysOfYearEnd), index), date.slice(0, 4))
        last ??= price
        const since = last.date
        for (const { exDate, factor } of splits) {
          if (exDate <= since || exDate > date) continue
          last = { ...last, shares: product(last.shares, factor) }
          base = { ...base, shares: product(base.shares, factor) }
        }
        const others = { last, base }
        last = price
        const found = columns.map((name) => ({ name, value: derivedValue(name, price, others, isin) }))
        if (isOfFile === 1 && found.some(({ value }) => value === null))
          if (withoutBase.count++ === 0) withoutBase.first = `${isin} on ${date}`
        if (found.every(({ value }) => value === undefined)) continue
        if (isOfFile === 0) {
          join.run({ isin, date })
          if (again.count++ === 0) again.first = `${isin} on ${date}`
        }
        const bound = found.flatMap(({ name, value }) => [
          [name, value ?? null],
          [`has_${name}`, value === undefined ? 0 : 1],
        ])
        update.run({ isin, date, ...Object.fromEntries(bound) })
      }
    },
    /** How many prices of the database were derived again, and which was the first. */
    again,
    /** How many prices of the file have no performance, and which was the first. */
    withoutBase,
  }
}

/** What a performance is against: a NAV, or null if no price is of the end of the year before. */
type Base = Omit<EarlierNav, 'nav' | 'date' | 'isOfFile'> & { readonly nav: string | null }

const noBase: Base = { nav: null, isOther: 0, shares: '1' }

/** @param last the last price before a year begins @param recent the prices before that year, ascending, `last` included */
function baseOfYear(last: EarlierNav, recent: readonly DatedNav[], year: string): Base {
  const days = recent.map(({ date }) => date).reverse()
  const { shares } = last
  if (isOfYearEnd(days.slice(0, 1), year)) return { nav: last.nav, isOther: last.isOther, shares }
  // The rhythm of the prices before decides: any of them may be new.
  const isOther = recent.some((one) => one.isOther === 1) ? 1 : 0
  return { nav: isOfYearEnd(days, year) ? last.nav : null, isOther, shares }
}

/** @returns undefined if the price of the database keeps its own; null for a performance that has no base */
function derivedValue(
  name: string,
  { date, nav, isOfFile }: DatedNav,
  { last, base }: Readonly<{ last: EarlierNav; base: Base }>,
  isin: string,
): string | null | undefined {
  const other = name === 'performance' ? base : last
  if (isOfFile === 0 && other.isOther === 0) return undefined
  if (other.nav === null) return null
  try {
    return name === 'change'
      ? difference(nav, inShares(last, nav))
      : percentChange(product(nav, other.shares), other.nav)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new Error(`${isin}, ${date}: nothing can be derived, because an earlier NAV is 0`, { cause })
  }
}

/** Exact. */
function product(one: string, other: string): string {
  if (other === '1') return one
  const left = inUnits([one])
  const right = inUnits([other])
  return fromUnits((left.units[0] ?? 0n) * (right.units[0] ?? 0n), left.scale + right.scale)
}

/** The NAV as it would have been after the splits, with its decimals or those of the other one. */
function inShares({ nav, shares }: EarlierNav, other: string): string {
  if (shares === '1') return nav
  const { units, scale } = inUnits([nav, other])
  const factor = inUnits([shares])
  return fromUnits(divided((units[0] ?? 0n) * 10n ** BigInt(factor.scale), factor.units[0] ?? 0n), scale)
}

function inUnits(decimals: readonly string[]) {
  const scale = Math.max(...decimals.map((text) => text.split('.')[1]?.length ?? 0))
  const units = decimals.map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(scale, '0'))
  })
  return { units, scale }
}

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
  return fromUnits(divided((left - right) * 10_000n * (right < 0n ? -1n : 1n), size), 2)
}

/** Rounds half away from zero. @throws {RangeError} if the divisor is 0 */
function divided(number: bigint, divisor: bigint): bigint {
  const half = number < 0n ? -divisor : divisor
  return (2n * number + half) / (2n * divisor)
}

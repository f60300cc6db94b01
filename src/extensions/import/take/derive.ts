/** Computes the figures that a price file lacks, for its lines and for the later prices that depend on them. */

import type { Database } from 'better-sqlite3'
import {
  comparePrices,
  derivedFigure,
  type ComparedPrice,
  type DatedNav,
  type PricingAction,
} from '../../../core/data/derive/figures.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { daysOfYearEnd } from '../../../core/guards/year-end.ts'
import { type Fees, filledColumns, filledPrice, noFees } from './fill.ts'
import { bitsOf, goneName, stagedName } from './staging.ts'

/** A NAV of the file or of the database, and whether the file adds or corrects it. */
interface Line extends DatedNav {
  readonly isOfFile: 0 | 1
  readonly isOther: 0 | 1
  /** Of the database, where the file has the price, too. */
  readonly ownNav: string | null
  readonly ownIssue: string | null
  readonly ownRepurchase: string | null
}

/**
 * A later price of the database joins the lines of the file where it is against a NAV that the file adds or corrects.
 * @param columns those that some line of the files lacks @param isUpsert whether other rows stay
 * @param actionsOf a fund
 */
export function priceDeriver(
  db: Database,
  columns: readonly string[],
  isUpsert: boolean,
  actionsOf: (isin: string) => readonly PricingAction[],
) {
  const staged = stagedName(schemaTables.prices)
  const gone = goneName(schemaTables.prices)
  // A neighbour of a price that goes is another price before than it was.
  const isBesideGone = ['max', 'min'].map((end) => {
    const beside = `SELECT ${end}(date) FROM main.price AS other WHERE other.isin = own.isin AND other.date ${end === 'max' ? '<' : '>'} own.date`
    return `EXISTS (SELECT 1 FROM ${gone} AS gone WHERE gone.isin = own.isin AND gone.date = (${beside}))`
  })
  // Rows that the import removes are no price before. Some more than the last price of the year before show its rhythm.
  const kept = isUpsert
    ? `UNION ALL SELECT date, net_asset_value, 0, ${isBesideGone.join(' OR ')}, NULL, NULL, NULL FROM main.price AS own
        WHERE isin = :isin AND date >= coalesce((SELECT date FROM main.price WHERE isin = :isin AND date <
          (SELECT substr(min(date), 1, 4) FROM
            (SELECT date FROM ${staged} WHERE isin = :isin UNION ALL SELECT date FROM ${gone} WHERE isin = :isin))
          ORDER BY date DESC LIMIT 1 OFFSET ${daysOfYearEnd - 1}), '')
        AND NOT EXISTS (SELECT 1 FROM ${gone} AS gone WHERE gone.isin = own.isin AND gone.date = own.date)
        AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.date = own.date)`
    : ''
  const prices = db.prepare<{ isin: string }, Line>(
    `SELECT line.date AS date, line.net_asset_value AS nav, 1 AS isOfFile, line.net_asset_value IS NOT own.net_asset_value AS isOther,
        own.net_asset_value AS ownNav, own.issue_price AS ownIssue, own.repurchase_price AS ownRepurchase
      FROM ${staged} AS line LEFT JOIN main.price AS own ON own.isin = line.isin AND own.date = line.date
      WHERE line.isin = :isin ${kept} ORDER BY date`,
  )
  const names = schemaTables.prices.columns.map(({ name }) => name).join(', ')
  const join = db.prepare(
    `INSERT INTO ${staged} (${names}) SELECT ${names} FROM main.price WHERE isin = :isin AND date = :date`,
  )
  const isFree = (name: string) => `NOT (has & ${bitsOf(schemaTables.prices, [name])})`
  const values = columns
    .map((name) => `${name} = iif(:has_${name} AND ${isFree(name)}, :${name}, ${name})`)
    .join(', ')
  const update = db.prepare(`UPDATE ${staged} SET ${values} WHERE isin = :isin AND date = :date`)
  const fees = db.prepare<{ isin: string }, Fees>(
    'SELECT issue_surcharge AS issueSurcharge, redemption_fee AS redemptionFee FROM main.profile WHERE isin = :isin',
  )
  const again = { count: 0, first: '' }
  const withoutBase = { count: 0, first: '' }
  return {
    derive: (isin: string): void => {
      const ownFees = fees.get({ isin }) ?? noFees
      for (const compared of comparePrices(prices.all({ isin }), actionsOf(isin))) {
        const { date, isOfFile } = compared.price
        const found = columns.map((name) => {
          const isFilled = filledColumns.includes(name)
          const value = isFilled ? filled(name, compared.price, ownFees) : valueOf(name, compared, isin)
          return { name, value }
        })
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

/** A price of the database that is not the filled one is the company's own, and stays. @returns undefined if the file does not have the price */
function filled(name: string, { nav, isOfFile, ownNav, ownIssue, ownRepurchase }: Line, fees: Fees) {
  if (isOfFile === 0) return undefined
  const own = name === 'issue_price' ? ownIssue : ownRepurchase
  const isOwn = own !== null && ownNav !== null && own !== filledPrice(name, ownNav, fees)
  return isOwn ? own : filledPrice(name, nav, fees)
}

/** @returns undefined if the price of the database keeps its own; null for a performance that has no base */
function valueOf(name: string, compared: ComparedPrice<Line>, isin: string): string | null | undefined {
  const { price, last, base } = compared
  const others = name === 'performance' ? base.decisive : [last.price]
  if (price.isOfFile === 0 && others.every(({ isOther }) => isOther === 0)) return undefined
  try {
    return derivedFigure(name, compared)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new Error(`${isin}, ${price.date}: nothing can be derived, because an earlier NAV is 0`, { cause })
  }
}

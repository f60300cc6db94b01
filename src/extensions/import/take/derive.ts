/** Computes the figures that a price file lacks, for its lines and for the later prices that depend on them. */

import type { Database } from 'better-sqlite3'
import type { DerivedAgain, DerivedDoubt } from '../../../core/data/derive/derived.ts'
import { doubtfulSplits } from '../../../core/data/derive/doubt.ts'
import { fractionOf, one, product, rounded, scaleOf } from '../../../core/data/derive/exact.ts'
import { offerMarker, offerMarks } from '../../../core/data/derive/offer-marks.ts'
import {
  type Charges,
  chargesOfKnown,
  isCharged,
  type KnownCharges,
  offerColumns,
  offeredPrice,
} from '../../../core/data/derive/offer.ts'
import { unchargedReader } from '../../../core/data/derive/uncharged.ts'
import {
  comparePrices,
  derivedFigure,
  type ComparedPrice,
  type DatedNav,
  type PricingAction,
} from '../../../core/data/derive/figures.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { daysOfYearEnd } from '../../../core/guards/year-end.ts'
import { bitsOf, goneName, stagedName } from './staging.ts'

/** A NAV of the file or of the database, and whether the file adds or corrects it. */
interface Line extends DatedNav {
  readonly isOfFile: 0 | 1
  readonly isOther: 0 | 1
  /** The bits of the columns that the file brings. */
  readonly has: number
  /** Of the database, where the file has the price, too. */
  readonly ownNav: string | null
  readonly ownIssue: string | null
  readonly ownRepurchase: string | null
}

/** How the NAVs of the files are, if a fund has a split: as they were, or in the shares of after it. */
export type History = 'original' | 'adjusted'

/** What is to be told of derived prices. */
export interface DerivedPrices {
  /** Prices of the database that were derived again, by prices of the files. */
  readonly again: DerivedAgain
  /** Prices of the files without a performance. */
  readonly withoutBase: DerivedAgain
  /** Funds without an issue surcharge: the issue price of new prices is their NAV. */
  readonly withoutSurcharge: DerivedAgain
  /** Funds whose new prices have charges of the files, since their profile is left out. */
  readonly byFiles: DerivedAgain
  /** Funds whose new prices have charges of the last derived price: neither a profile nor a file names them. */
  readonly byLast: DerivedAgain
  /** Prices whose NAV the files correct, and whose issue or repurchase price is the company's own. */
  readonly kept: DerivedAgain
  /** Prices of the database that stand at their NAV, though their funds have charges by now. */
  readonly atNav: DerivedAgain
}

const noneDerived: DerivedAgain = { count: 0, first: '' }

export const nothingDerived: DerivedPrices = {
  again: noneDerived,
  withoutBase: noneDerived,
  withoutSurcharge: noneDerived,
  byFiles: noneDerived,
  byLast: noneDerived,
  kept: noneDerived,
  atNav: noneDerived,
}

interface DeriverOptions {
  /** Those that some line of the files lacks. */
  readonly columns: readonly string[]
  /** Whether other rows stay. */
  readonly isUpsert: boolean
  readonly isDryRun: boolean
  /** Undefined: it is asked for where it is in doubt. */
  readonly history: History | undefined
  readonly actionsOf: (isin: string) => readonly PricingAction[]
  /** Undefined for a fund without a profile. */
  readonly chargesOf: (isin: string) => Charges | undefined
  /** Charges of funds whose profile is left out. */
  readonly leftChargesOf: (isin: string) => KnownCharges
}

/**
 * A later price of the database joins the lines of the file where it is against a NAV that the file adds or corrects.
 */
export function priceDeriver(
  db: Database,
  { columns, isUpsert, isDryRun, history, actionsOf, chargesOf, leftChargesOf }: DeriverOptions,
) {
  const staged = stagedName(schemaTables.prices)
  const gone = goneName(schemaTables.prices)
  // A neighbour of a price that goes is another price before than it was.
  const isBesideGone = ['max', 'min'].map((end) => {
    const beside = `SELECT ${end}(date) FROM main.price AS other WHERE other.isin = own.isin AND other.date ${end === 'max' ? '<' : '>'} own.date`
    return `EXISTS (SELECT 1 FROM ${gone} AS gone WHERE gone.isin = own.isin AND gone.date = (${beside}))`
  })
  // Rows that the import removes are no price before. Some more than the last price of the year before show its rhythm.
  const others = isUpsert
    ? `UNION ALL SELECT date, net_asset_value, 0, ${isBesideGone.join(' OR ')}, 0, NULL, NULL, NULL FROM main.price AS own
        WHERE isin = :isin AND date >= coalesce((SELECT date FROM main.price WHERE isin = :isin AND date <
          (SELECT substr(min(date), 1, 4) FROM
            (SELECT date FROM ${staged} WHERE isin = :isin UNION ALL SELECT date FROM ${gone} WHERE isin = :isin))
          ORDER BY date DESC LIMIT 1 OFFSET ${daysOfYearEnd - 1}), '')
        AND NOT EXISTS (SELECT 1 FROM ${gone} AS gone WHERE gone.isin = own.isin AND gone.date = own.date)
        AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.date = own.date)`
    : ''
  const prices = db.prepare<{ isin: string }, Line>(
    `SELECT line.date AS date, line.net_asset_value AS nav, 1 AS isOfFile, line.net_asset_value IS NOT own.net_asset_value AS isOther, line.has AS has,
        own.net_asset_value AS ownNav, own.issue_price AS ownIssue, own.repurchase_price AS ownRepurchase
      FROM ${staged} AS line LEFT JOIN main.price AS own ON own.isin = line.isin AND own.date = line.date
      WHERE line.isin = :isin ${others} ORDER BY date`,
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
  const uncharged = unchargedReader(db)
  const adjusted = openAdjusted(db, staged)
  const doubted: DerivedDoubt[] = []
  const again = { count: 0, first: '' }
  const withoutBase = { count: 0, first: '' }
  const withoutSurcharge = { count: 0, first: '' }
  const byFiles = { count: 0, first: '' }
  const byLast = { count: 0, first: '' }
  const kept = { count: 0, first: '' }
  const atNav = { count: 0, first: '' }
  const offers = columns.filter((name) => (offerColumns as readonly string[]).includes(name))
  const marks = offerMarks(db)
  const mark = offers.length === 0 || isDryRun ? undefined : offerMarker(db)
  /** What a file says comes before the profile, and this before what the last derived price had. */
  const sourcesOf = (isin: string) => {
    const named = leftChargesOf(isin)
    const profile = chargesOf(isin)
    const last = profile === undefined ? marks.newest(isin) : {}
    return { named, last, known: { ...last, ...profile, ...named } }
  }
  /** Counts a fund with new prices. */
  const countOffers = (isin: string, { named, last, known }: ReturnType<typeof sourcesOf>) => {
    const fund = { count: 1, first: isin }
    const { issueSurcharge } = chargesOfKnown(known)
    if (columns.includes('issue_price') && issueSurcharge === null) addTo(withoutSurcharge, fund)
    if (offers.length === 0) return
    if (isCharged(chargesOfKnown(named))) addTo(byFiles, fund)
    const isOfLast = ([name, percent]: readonly [string, string | null]) =>
      percent !== null && !(name in named)
    if (Object.entries(last).some(isOfLast)) addTo(byLast, fund)
  }
  /** The offer price of a line; undefined if the file, or the price of the database, has its own. */
  const offered = (name: string, isin: string, line: Line, charges: Charges): string | undefined => {
    const { date, isOfFile, has } = line
    if (isOfFile === 0 || (has & bitsOf(schemaTables.prices, [name])) !== 0) return undefined
    const { value, isKept } = offeredOf(name, line, charges, () => marks.at(isin, date))
    if (isKept) addTo(kept, { count: 1, first: `${isin} on ${date}` })
    return value
  }
  const countAtNav = (isin: string, lines: readonly Line[], charges: Charges) => {
    const isKept = lines.some((line) => offers.some((name) => keepsNav(name, line, charges)))
    if (offers.length > 0 && (isKept || uncharged.isNewestOne(isin, charges)))
      addTo(atNav, uncharged.all(isin, charges))
  }
  return {
    derive: (isin: string): void => {
      const actions = actionsOf(isin)
      if (history === 'adjusted') adjusted.undo(isin, actions)
      const lines = prices.all({ isin })
      if (history === undefined) doubted.push(...doubtsAbout(isin, lines, actions))
      const from = sourcesOf(isin)
      const charges = chargesOfKnown(from.known)
      const isKnown = Object.keys(from.known).length > 0
      if (lines.some(({ isOfFile, ownNav }) => isOfFile === 1 && ownNav === null)) countOffers(isin, from)
      countAtNav(isin, lines, charges)
      for (const compared of comparePrices(lines, actions)) {
        const { date, isOfFile } = compared.price
        const found = columns.map((name) => {
          const value = offers.includes(name)
            ? offered(name, isin, compared.price, charges)
            : valueOf(name, compared, isin)
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
        if (isKnown && compared.price.isOther === 1 && isOfFile === 1) mark?.(isin, date, charges)
      }
    },
    derived: { again, withoutBase, withoutSurcharge, byFiles, byLast, kept, atNav } satisfies DerivedPrices,
    /** @throws {Error} if it is in doubt how the NAVs of a fund are */
    assertClear: (): void => {
      const [first, ...others] = doubted
      if (first === undefined) return
      const more = others.length === 0 ? '' : `, as of ${others.length} more`
      throw new Error(
        `${first.isin}: ${first.message}${more}. If the NAVs from before the split are in the shares of after it, as in histories ` +
          'of data vendors, say so with --history adjusted, which takes them as they were; if they are as they were, with --history original',
      )
    },
  }
}

/** Asks only about splits next to a NAV that is new. */
function doubtsAbout(
  isin: string,
  lines: readonly Line[],
  actions: readonly PricingAction[],
): DerivedDoubt[] {
  const [doubt] = doubtfulSplits(lines, actions).filter(
    ({ isAdjusted, price, previous }) =>
      isAdjusted &&
      lines.some(({ date, isOther }) => isOther === 1 && (date === price[0] || date === previous[0])),
  )
  return doubt === undefined ? [] : [{ isin, message: doubt.message }]
}

/** Multiplies NAVs and prices of a fund by the factors of the splits after them: the file has them in the shares of today. */
function openAdjusted(db: Database, staged: string) {
  const lines = db.prepare<[string], Readonly<Record<'date' | 'nav' | 'issue' | 'repurchase', string>>>(
    `SELECT date, net_asset_value AS nav, issue_price AS issue, repurchase_price AS repurchase
      FROM ${staged} WHERE isin = ? ORDER BY date DESC`,
  )
  const update = db.prepare(
    `UPDATE ${staged} SET net_asset_value = ?, issue_price = ?, repurchase_price = ? WHERE isin = ? AND date = ?`,
  )
  return {
    undo: (isin: string, actions: readonly PricingAction[]): void => {
      const all = lines.all(isin)
      const newest = all[0]?.date ?? ''
      const splits = actions.filter(({ factor, exDate }) => factor !== null && exDate <= newest)
      if (splits.length === 0) return
      for (const { date, nav, issue, repurchase } of all) {
        const shares = splits
          .filter(({ exDate }) => exDate > date)
          .map(({ factor }) => fractionOf(factor ?? '1'))
          .reduce(product, one)
        if (shares === one) continue
        const original = (text: string) => rounded(product(fractionOf(text), shares), scaleOf(text))
        update.run(...[nav, issue, repurchase].map(original), isin, date)
      }
    },
  }
}

/**
 * A price of the database that its NAV made goes with it, by the charges that it was derived by or those of today. Another one is the
 * company's own, and stays.
 */
function offeredOf(name: string, line: Line, charges: Charges, markOf: () => Charges | undefined) {
  const { nav, isOther, ownNav } = line
  const own = ownOf(name, line)
  if (ownNav === null || own === null) return { value: offeredPrice(name, nav, charges), isKept: false }
  if (isOther === 0) return { value: own, isKept: false }
  const mark = markOf()
  const isMade = [mark ?? charges, charges].some((by) => own === offeredPrice(name, ownNav, by))
  if (isMade) return { value: offeredPrice(name, nav, charges), isKept: false }
  return keepsNav(name, line, charges) ? { value: nav, isKept: false } : { value: own, isKept: true }
}

const ownOf = (name: string, { ownIssue, ownRepurchase }: Line) =>
  name === 'issue_price' ? ownIssue : name === 'repurchase_price' ? ownRepurchase : null

/** The charges are newer than a price of the database that stands at its NAV. */
function keepsNav(name: string, line: Line, charges: Charges): boolean {
  const { ownNav } = line
  const own = ownOf(name, line)
  return ownNav !== null && own === ownNav && own !== offeredPrice(name, ownNav, charges)
}

/** Adds what one fund has. */
function addTo(all: { count: number; first: string }, { count, first }: DerivedAgain): void {
  if (all.count === 0) all.first = first
  all.count += count
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

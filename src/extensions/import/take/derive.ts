/** Computes the figures that a price file lacks, for its lines and for the later prices that depend on them. */

import type { Database } from 'better-sqlite3'
import type { DerivedAgain, DerivedDoubt } from '../../../core/data/derive/derived.ts'
import { doubtfulSplits } from '../../../core/data/derive/doubt.ts'
import { fractionOf, one, product, rounded, scaleOf } from '../../../core/data/derive/exact.ts'
import { type FundCharges, plainPercent } from '../../../core/data/derive/charges.ts'
import { offerMarks, type OfferMarks } from '../../../core/data/derive/offer-marks.ts'
import {
  type Charges,
  isCharged,
  isSameCharges,
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
import type { Scope } from '../readers/reader.ts'
import { isGone } from './foreseen.ts'
import type { FileCharges } from './left-charges.ts'
import { bitsOf, goneName, stagedName } from './staging.ts'

/** A NAV of the file or of the database, and whether the file adds or corrects it. */
interface StoredLine extends DatedNav {
  readonly isOfFile: 0 | 1
  readonly isOther: 0 | 1
  /** The bits of the columns that the file brings. */
  readonly has: number
  /** In percent, if the file names them for the day. */
  readonly surcharge: number | null
  readonly fee: number | null
  /** Of the database, where the file has the price, too. */
  readonly ownNav: string | null
  readonly ownIssue: string | null
  readonly ownRepurchase: string | null
}

interface Line extends StoredLine {
  /** Of its day, as far as anything says what they were; else those of today. */
  readonly charges: Charges
  /** Whether something says what they are. */
  readonly isCharged: boolean
  /** Neither a file nor the database says what they were on its day. */
  readonly isOfToday: boolean
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
  /** Prices of earlier days with the charges of today: nothing says what they were then. */
  readonly byToday: DerivedAgain
  /** Prices whose NAV the files correct, and whose issue or repurchase price is the company's own. */
  readonly kept: DerivedAgain
  /** Prices of the database that stand at their NAV, though something says by now what their funds charge. */
  readonly atNav: DerivedAgain
}

const noneDerived: DerivedAgain = { count: 0, first: '' }

export const nothingDerived: DerivedPrices = {
  again: noneDerived,
  withoutBase: noneDerived,
  withoutSurcharge: noneDerived,
  byFiles: noneDerived,
  byLast: noneDerived,
  byToday: noneDerived,
  kept: noneDerived,
  atNav: noneDerived,
}

interface DeriverOptions {
  /** Those that some line of the files lacks. */
  readonly columns: readonly string[]
  readonly scope: Scope
  readonly isDryRun: boolean
  /** Undefined: it is asked for where it is in doubt. */
  readonly history: History | undefined
  readonly actionsOf: (isin: string) => readonly PricingAction[]
  readonly chargesOf: (isin: string) => FundCharges
  readonly fileCharges: FileCharges
}

/**
 * A later price of the database joins the lines of the file where it is against a NAV that the file adds or corrects.
 */
export function priceDeriver(
  db: Database,
  { columns, scope, isDryRun, history, actionsOf, chargesOf, fileCharges }: DeriverOptions,
) {
  const staged = stagedName(schemaTables.prices)
  const gone = goneName(schemaTables.prices)
  // A neighbour of a price that goes is another price before than it was.
  const isBesideGone = ['max', 'min'].map((end) => {
    const beside = `SELECT ${end}(date) FROM main.price AS other WHERE other.isin = own.isin AND other.date ${end === 'max' ? '<' : '>'} own.date`
    return `EXISTS (SELECT 1 FROM ${gone} AS gone WHERE gone.isin = own.isin AND gone.date = (${beside}))`
  })
  // Rows that the import removes are no price before. Some more than the last price of the year before show its rhythm.
  const others = `UNION ALL SELECT date, net_asset_value, 0, ${isBesideGone.join(' OR ')}, 0, NULL, NULL, NULL, NULL, NULL FROM main.price AS own
        WHERE isin = :isin AND date >= coalesce((SELECT date FROM main.price WHERE isin = :isin AND date <
          (SELECT substr(min(date), 1, 4) FROM
            (SELECT date FROM ${staged} WHERE isin = :isin UNION ALL SELECT date FROM ${gone} WHERE isin = :isin))
          ORDER BY date DESC LIMIT 1 OFFSET ${daysOfYearEnd - 1}), '')
        AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.date = own.date)
        AND NOT (${isGone(schemaTables.prices, scope)})`
  const prices = db.prepare<{ isin: string }, StoredLine>(
    `SELECT line.date AS date, line.net_asset_value AS nav, 1 AS isOfFile, line.net_asset_value IS NOT own.net_asset_value AS isOther, line.has AS has,
        line.issue_surcharge AS surcharge, line.redemption_fee AS fee,
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
  const byToday = { count: 0, first: '' }
  const kept = { count: 0, first: '' }
  const atNav = { count: 0, first: '' }
  const offers = offerColumns.filter((name) => columns.includes(name))
  const marksOf = offerMarks(db, { isDryRun })
  /** Without a profile, what a file says comes before what the last derived price had. */
  const knownOf = (isin: string): Known => {
    const fund = chargesOf(isin)
    const named = fund.from === 'profile' ? {} : fileCharges.of(isin)
    const sourceOf = (name: keyof Charges) => (name in named ? 'file' : fund.from)
    return {
      charges: { ...fund, ...named },
      sources: { issueSurcharge: sourceOf('issueSurcharge'), redemptionFee: sourceOf('redemptionFee') },
    }
  }
  /** Counts a fund with new prices. */
  const countFund = (isin: string, { charges, sources }: Known) => {
    const fund = { count: 1, first: isin }
    // A file that names 0 says it itself.
    const isNamed = sources.issueSurcharge === 'file'
    if (offers.includes('issue_price') && charges.issueSurcharge === null && !isNamed)
      addTo(withoutSurcharge, fund)
    const isOf = (source: Source) =>
      chargeNames.some((name) => sources[name] === source && charges[name] !== null)
    if (offers.length > 0 && isOf('file')) addTo(byFiles, fund)
    if (offers.length > 0 && isOf('lastPrice')) addTo(byLast, fund)
  }
  /** Counts prices that may have had other charges: those of the newest day are known. */
  const countOfToday = (isin: string, lines: readonly Line[], known: Known, last: Charges | undefined) => {
    if (offers.length === 0 || !isCharged(known.charges) || isSameCharges(last, known.charges)) return
    const found = lines.slice(0, -1).filter((line) => isNewToDerive(line) && line.isOfToday)
    addTo(byToday, { count: found.length, first: `${isin} on ${found[0]?.date ?? ''}` })
  }
  /** Whether the database lacks the price, and the file lacks one of the prices that charges make. */
  const isNewToDerive = ({ isOfFile, ownNav, has }: Line) =>
    isOfFile === 1 &&
    ownNav === null &&
    offers.some((name) => (has & bitsOf(schemaTables.prices, [name])) === 0)
  /** The offer price of a line; none if the file, or the price of the database, has its own. */
  const offered = (name: OfferColumn, line: Line, before: ChargesBefore): Offered => {
    const { isOfFile, has } = line
    if (isOfFile === 0 || (has & bitsOf(schemaTables.prices, [name])) !== 0) return ofFile
    return offeredOf(name, line, before)
  }
  /** Counts prices that `derive --charges` would charge, if they are no news. */
  const countAtNav = (
    isin: string,
    lines: readonly Line[],
    { charges, sources }: Known,
    marks: OfferMarks,
  ) => {
    const last = lines.at(-1)
    if (last === undefined || offers.length === 0) return
    const isNewestAtNav = uncharged.isNewestOne(isin, charges)
    const isOfProfile = sources.issueSurcharge === 'profile'
    // The command reads no file: so what one says is noted.
    if (isNewestAtNav && !isOfProfile) marks.note(last.date, charges)
    const lasting = isOfProfile ? charges : marks.at(last.date)
    const isKept = lines.some((line) => offers.some((name) => keepsNav(name, line)))
    if (lasting !== undefined && (isKept || isNewestAtNav)) addTo(atNav, uncharged.all(isin, lasting))
  }
  return {
    derive: (isin: string): void => {
      const actions = actionsOf(isin)
      if (history === 'adjusted') adjusted.undo(isin, actions)
      const known = knownOf(isin)
      const marks = marksOf(isin)
      const lines = chargedLines(prices.all({ isin }), known, fileCharges.isContradicted(isin), marks.ofDay)
      if (history === undefined) doubted.push(...doubtsAbout(isin, lines, actions))
      if (lines.some(({ isOfFile, ownNav }) => isOfFile === 1 && ownNav === null)) countFund(isin, known)
      countOfToday(isin, lines, known, marks.newest())
      for (const compared of comparePrices(lines, actions)) {
        const { price } = compared
        const { date, isOfFile } = price
        const before = () => marks.at(date)
        const found = columns.map((name) =>
          isOffer(name)
            ? offered(name, price, before)
            : { value: valueOf(name, compared, isin), kind: 'figure' as const },
        )
        if (isOfFile === 1 && found.some(({ value }) => value === null))
          if (withoutBase.count++ === 0) withoutBase.first = `${isin} on ${date}`
        if (found.every(({ value }) => value === undefined)) continue
        if (isOfFile === 0) {
          join.run({ isin, date })
          if (again.count++ === 0) again.first = `${isin} on ${date}`
        }
        const bound = found.flatMap(({ value }, at) => {
          const name = columns[at] ?? ''
          return [
            [name, value ?? null],
            [`has_${name}`, value === undefined ? 0 : 1],
          ]
        })
        update.run({ isin, date, ...Object.fromEntries(bound) })
        if (found.some(({ kind }) => kind === 'own')) addTo(kept, { count: 1, first: `${isin} on ${date}` })
        if (price.isCharged && found.some(({ kind }) => kind === 'charged')) marks.note(date, price.charges)
      }
      countAtNav(isin, lines, known, marks)
    },
    derived: {
      again,
      withoutBase,
      withoutSurcharge,
      byFiles,
      byLast,
      byToday,
      kept,
      atNav,
    } satisfies DerivedPrices,
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

const chargeNames = ['issueSurcharge', 'redemptionFee'] as const
type OfferColumn = (typeof offerColumns)[number]
const isOffer = (name: string): name is OfferColumn => offerColumns.some((column) => column === name)

/** What says a charge. */
type Source = FundCharges['from'] | 'file'

/** What is known of the charges of a fund. */
interface Known {
  readonly charges: Charges
  readonly sources: Readonly<Record<keyof Charges, Source>>
}

/** Reads what the price of the day was derived by. */
type ChargesBefore = () => Charges | undefined

/** `charged` by the charges of its day, the `same` as before, left `atNav`, the company's `own`, or delivered: `ofFile`. */
interface Offered {
  readonly value: string | undefined
  readonly kind: 'charged' | 'same' | 'atNav' | 'own' | 'ofFile'
}

const ofFile: Offered = { value: undefined, kind: 'ofFile' }

/**
 * A price of the database that its NAV made by the charges of its day goes with it. Another one is the company's own, and stays.
 */
function offeredOf(name: OfferColumn, line: Line, before: ChargesBefore): Offered {
  const { nav, isOther, ownNav, charges } = line
  const own = ownOf(name, line)
  const charged: Offered = { value: offeredPrice(name, nav, charges), kind: 'charged' }
  if (ownNav === null || own === null) return charged
  if (isOther === 0) return { value: own, kind: 'same' }
  // A file may name other charges for the day.
  if ([before() ?? charges, charges].some((by) => own === offeredPrice(name, ownNav, by))) return charged
  return keepsNav(name, line) ? { value: nav, kind: 'atNav' } : { value: own, kind: 'own' }
}

const nothingNamed = { surcharge: null, fee: null }

/**
 * A price has the charges of its day: those that a file names for it, or for the last day before that it names any for, since a history
 * has them perhaps not in each line; else those that prices of the database have on that day. A day that is newer than all of them has
 * those of today, and so has one of which nothing is known.
 * @param ofDay those that prices of the database were derived by on a day
 */
function chargedLines(
  lines: readonly StoredLine[],
  { charges, sources }: Known,
  isContradicted: boolean,
  ofDay: (date: string) => Charges | undefined,
): readonly Line[] {
  const isKnown = chargeNames.some((name) => sources[name] !== 'nothing')
  let named: KnownCharges = {}
  return lines.map((line) => {
    const { surcharge, fee } = isContradicted ? nothingNamed : line
    if (surcharge !== null) named = { ...named, issueSurcharge: plainPercent(surcharge) }
    if (fee !== null) named = { ...named, redemptionFee: plainPercent(fee) }
    const stored = ofDay(line.date)
    const isNamed = Object.keys(named).length > 0
    return {
      ...line,
      charges: { ...(stored ?? charges), ...named },
      isCharged: isKnown || isNamed || stored !== undefined,
      isOfToday: stored === undefined && !isNamed,
    }
  })
}

const ownOf = (name: OfferColumn, { ownIssue, ownRepurchase }: Line) =>
  name === 'issue_price' ? ownIssue : ownRepurchase

/** The charges are newer than a price of the database that stands at its NAV. */
function keepsNav(name: OfferColumn, line: Line): boolean {
  const { ownNav, charges } = line
  const own = ownOf(name, line)
  return ownNav !== null && own === ownNav && own !== offeredPrice(name, ownNav, charges)
}

/** Adds what one fund has. */
function addTo(all: { count: number; first: string }, { count, first }: DerivedAgain): void {
  if (all.count === 0 && count > 0) all.first = first
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

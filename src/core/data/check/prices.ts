/** The expectations of prices: what is new since what is live, and what is older. */

import type { Database } from 'better-sqlite3'
import { isDay } from '../../api/routes/values.ts'
import type { CorporateActionRow } from '../../api/contract/rows.ts'
import type { PricedFund } from '../../guards/assess.ts'
import type { Calendar } from '../../guards/calendar.ts'
import { surprisesIn } from '../../guards/across.ts'
import { type Arrival, missingPrices, noRhythm, type Rhythm, rhythmOf } from '../../guards/arrivals.ts'
import { type NewPrice, newPriceOf } from '../../guards/habits.ts'
import { type Figures, figuresOf, type PriceTexts } from '../../guards/figures.ts'
import { actionKey, doubtfulActions, type DoubtfulActions } from '../../guards/new-actions.ts'
import {
  type ExpectationSettings,
  type ImplausiblePrice,
  implausiblePrices,
  strictnessOf,
} from '../../guards/plausibility.ts'
import type { Rules } from '../../guards/rules.ts'
import type { GuardName } from '../../guards/guards.ts'
import { cached } from '../../system/cached.ts'
import { messageOf } from '../../system/message.ts'
import { fundReader, readPriceDays } from '../read/fund-reader.ts'
import { generalWarning, type Finding } from './finding.ts'
import { firstDay, textFaults } from '../model/limits.ts'
import { escapeInvisible } from '../model/printable.ts'
import { DamagedDocument, livePrices, priceColumns, type LiveReader } from './live-prices.ts'

export interface PriceSettings {
  readonly expectations: ExpectationSettings
  readonly rules: Rules
}

/** The prices of a fund that may be given out, judged by themselves, whatever is live. */
export interface JudgedPrices {
  readonly isin: string
  readonly currency: string
  readonly newest: PriceTexts
  readonly found: readonly ImplausiblePrice[]
  readonly actions: readonly CorporateActionRow[]
  /** Of the actions, what the NAVs contradict. */
  readonly doubtful: readonly DoubtfulActions[]
  /** Of the newest price, in case it is new. */
  readonly newPrice: NewPrice
  readonly rhythm: Rhythm
}

/** What only all funds of a night show together. JSON, because shards bring theirs to the merge. */
export interface OfNight {
  readonly newPrices: readonly NewPrice[]
  /** Empty if it is not known what is live. */
  readonly arrivals: readonly Arrival[]
}

/** @param asOf ISO 8601 @returns judges funds; leaves out those without prices, or whose prices may not be given out */
export function priceJudge(
  db: Database,
  { expectations, rules }: PriceSettings,
  asOf: string,
  pricesOf: PricesOf = priceReader(db),
) {
  const { rows } = fundReader(db)
  return (isins: readonly string[]): readonly JudgedPrices[] =>
    readPriceDays(db, isins, 0).flatMap((fund) => {
      const { isin, currency } = fund
      const strictness = strictnessToCheck(expectations, fund)
      const prices = strictness === null ? [] : pricesOf(isin)
      const newest = prices.at(-1)
      if (strictness === null || newest === undefined) return []
      const actions = rows('corporateActions', isin)
      const { calendar, isWatched } = rules(fund)
      const rhythm = isWatched ? rhythmOf(prices, calendar, fund, asOf) : noRhythm
      const judged = judgeFund(fund, prices.map(figuresOf), actions, calendar, strictness)
      const doubtful = doubtfulActions(prices, actions)
      // One mistake has one name: with another row, the price would not move.
      const isDoubted = doubtful.some(({ price, isRefused }) => isRefused && price === newest)
      const newPrice = isDoubted ? { ...judged.newPrice, isRefused: true } : judged.newPrice
      return [{ isin, currency, newest, rhythm, actions, doubtful, found: judged.found, newPrice }]
    })
}

/** @param prices of the fund, by day, one at least @param from the index of the first price to judge */
export function judgeFund(
  fund: PricedFund,
  prices: readonly Figures[],
  actions: readonly CorporateActionRow[],
  calendar: Calendar,
  strictness: number,
  from = 0,
) {
  const all = implausiblePrices(prices, strictness, calendar, { ...fund, actions }, from).filter(isOfDecimals)
  const newest = prices.at(-1)?.texts
  const isRefused = all.some(({ guard, price }) => guard !== null && price === newest)
  const newPrice = newPriceOf(fund, prices, actions, calendar, { strictness, isRefused })
  const isSaidByHabit = ({ isAboutMove, price }: ImplausiblePrice) =>
    newPrice.habit !== null && isAboutMove && price === newest
  return { found: all.filter((one) => !isSaidByHabit(one)), newPrice }
}

/**
 * Compares judged prices with what is live. New is a price that is not live, or not with these values; and what is compared
 * with one. Of a fund without live prices it is the newest.
 * @param read null if nothing is live, or it is unknown: then the newest price of each fund counts as new
 * @throws {Error} if what is live cannot be reached
 */
export async function comparePrices(read: LiveReader | null) {
  const findings: Finding[] = []
  const newPrices: NewPrice[] = []
  const arrivals: Arrival[] = []
  const older = gatherOlder()
  const live = read === null ? null : livePrices(read)
  /** A damaged document is as good as none: what it should hold counts as new. */
  const orWarn = (error: unknown) => {
    if (!(error instanceof DamagedDocument)) throw error
    findings.push(generalWarning(`${messageOf(error)}: its prices count as new`, 'price'))
    return null
  }
  const liveFunds = (await live?.funds().catch(orWarn)) ?? null
  const liveActions = (await live?.actions().catch(orWarn)) ?? null
  return {
    add: async (judged: JudgedPrices): Promise<void> => {
      const { isin, currency, newest, newPrice, rhythm } = judged
      const before = liveFunds?.get(isin)
      findings.push(...otherCurrency(isin, currency, before?.currency, newest[0]))
      const known = before !== undefined || liveFunds === null ? live : null
      const compared = comparison(isin, newest, known, before?.newest[0] ?? null, orWarn)
      if (before === undefined || isNewer(newest, before.newest)) newPrices.push(newPrice)
      const [day] = newest
      if (before !== undefined)
        arrivals.push({ isin, newest: day, hasCome: day > before.newest[0], ...rhythm })
      const actions =
        liveActions === null ? null : compareActions(judged.actions, liveActions.get(isin) ?? [])
      const doubts = await newDoubts(judged.doubtful, actions, compared)
      findings.push(...doubts.map((one) => findingOfActions(isin, one)))
      const found = judged.found.filter((one) => !isExplained(one, judged.doubtful))
      const { news, old } = await divide(found, compared, actions)
      findings.push(...shortened(news).map((one) => findingOf(isin, one)))
      // A move that is live was judged by the fund's habit when it was new: no fact is told twice.
      const untold = known === null ? old : old.filter(({ isAboutMove }) => !isAboutMove)
      older.add(isin, untold, known !== null)
    },
    end: () => ({
      findings: [...findings, ...older.findings()],
      ofNight: { newPrices, arrivals } satisfies OfNight,
    }),
  }
}

/** Null if nothing of the fund's prices is checked, or given out. */
export const strictnessToCheck = (expectations: ExpectationSettings, fund: PricedFund) =>
  fund.dataPermitted === 1 && fund.pricesPermitted === 1 ? strictnessOf(expectations, fund) : null

/** What only the new prices of all funds show together. */
export const findingsAcross = (
  { newPrices, arrivals }: OfNight,
  asOf: string,
  { strictness }: ExpectationSettings,
): readonly Finding[] =>
  [...surprisesIn(newPrices, { asOf, strictness }), ...missingPrices(arrivals, { asOf, strictness })].map(
    ({ guard, subject, isin, message }) => {
      const finding = { isin, table: 'price', message: escapeInvisible(message) } as const
      if (guard === null) return { ...finding, severity: 'warning' }
      return { ...finding, severity: 'error', guard, ...(subject !== null && { subject }) }
    },
  )

/** A whole history may be wrong: beyond this, they are only counted. */
const olderKept = 1000

function gatherOlder() {
  const kept: Finding[] = []
  let others = 0
  return {
    add: (isin: string, found: readonly ImplausiblePrice[], isLive: boolean) => {
      const some = found.slice(0, olderKept - kept.length)
      kept.push(...some.map((one) => olderPrice(isin, one, isLive)))
      others += found.length - some.length
    },
    findings: (): readonly Finding[] => {
      if (others === 0) return kept
      const message = `${others} more older prices are implausible`
      return [...kept, { ...generalWarning(message, 'price'), identity: 'more older prices', isOlder: true }]
    },
  }
}

/** Its identity is that of the finding when the price was new: what was told then is told. */
function olderPrice(isin: string, one: ImplausiblePrice, isLive: boolean): Finding {
  const { message, identity = message } = textsOf(one)
  const what = `an older price is implausible${isLive ? ' (live already)' : ''}`
  return {
    severity: 'warning',
    isin,
    table: 'price',
    message: `${what}: ${message}`,
    identity,
    isOlder: true,
  }
}

/** None for a text that is no currency: the checks of values name it. @param before undefined: no prices are live */
function otherCurrency(
  isin: string,
  currency: string,
  before: string | undefined,
  newest: string,
): Finding[] {
  if (before === undefined || before === currency || textFaults.currency(currency) !== undefined) return []
  const message = `currency ${currency}, but prices in ${before} are live, and they go on (${newest})`
  const guard = 'currency-change'
  return [{ severity: 'error', isin, table: 'fund', message: escapeInvisible(message), guard }]
}

/** Day, prices, change, percentages: what guards look at. */
const checkedColumns = 7

/** The checks of values name a text that is no decimal: to JavaScript, an empty text is 0. */
export const isOfDecimals = ({ price, previous }: ImplausiblePrice) =>
  [price, previous ?? price].every((one) =>
    one.slice(1, checkedColumns).every((text) => text === null || textFaults.decimal(text) === undefined),
  )

/** Of each guard: what is allowed or withheld stands in the first line of the manifest. */
const named = 3

/** A whole history may be wrong: of each guard the first ones, and how many more there are. */
function shortened(news: readonly ImplausiblePrice[]): ImplausiblePrice[] {
  return [...Map.groupBy(news, ({ guard }) => guard)].flatMap(([guard, all]) => {
    const more = all.length - named
    if (guard === null || more <= 0) return all
    const counted = `, as in ${more} more ${more === 1 ? 'price' : 'prices'}`
    return all
      .slice(0, named)
      .map((one, index) =>
        index === named - 1 ? { ...one, message: one.message + counted, identity: one.message } : one,
      )
  })
}

const textsOf = ({ message, identity }: ImplausiblePrice) => ({
  message: escapeInvisible(message),
  ...(identity !== undefined && { identity }),
})

export function findingOf(isin: string, one: ImplausiblePrice): Finding {
  const { guard } = one
  const place = { isin, table: 'price', ...textsOf(one) }
  return guard === null ? { ...place, severity: 'warning' } : { ...place, severity: 'error', guard }
}

/** What differs from the actions that are live. */
type ActionChanges = ReturnType<typeof compareActions>

function compareActions(actions: readonly CorporateActionRow[], live: readonly CorporateActionRow[]) {
  const own = new Set(actions.map(actionKey))
  const former = new Set(live.map(actionKey))
  return {
    isNew: (row: CorporateActionRow) => !former.has(actionKey(row)),
    gone: live.filter((row) => !own.has(actionKey(row))),
  }
}

/** An action is new until a price that shows it is live: one of tomorrow is judged tomorrow. @param changes null if nobody knows */
async function newDoubts(
  doubtful: readonly DoubtfulActions[],
  changes: ActionChanges | null,
  { isLive }: ReturnType<typeof comparison>,
): Promise<readonly DoubtfulActions[]> {
  const news: DoubtfulActions[] = []
  for (const one of doubtful) {
    const isNew = changes === null || one.rows.some(changes.isNew)
    if (isNew || !(await isLive(one.price)) || !(await isLive(one.previous))) news.push(one)
  }
  return news
}

/** One mistake has one name: with another row, the price would not jump. */
const isExplained = ({ guard, price: [day] }: ImplausiblePrice, doubts: readonly DoubtfulActions[]) =>
  guard !== null &&
  explained.includes(guard) &&
  doubts.some(({ price, isRefused }) => isRefused && price[0] === day)

const explained: readonly GuardName[] = ['price-jump', 'price-change']

function findingOfActions(isin: string, { isRefused, message }: DoubtfulActions): Finding {
  const place = { isin, table: 'corporate_action', message: escapeInvisible(message) }
  return isRefused
    ? { ...place, severity: 'error', guard: 'corporate-action' }
    : { ...place, severity: 'warning' }
}

/** Divides what is implausible into what is new and what is old. */
async function divide(
  found: readonly ImplausiblePrice[],
  { isLive, isNew }: ReturnType<typeof comparison>,
  actions: ActionChanges | null,
) {
  /** The action that explained a jump is gone. */
  const hasLost = ({ guard, price, previous }: ImplausiblePrice) =>
    guard !== null &&
    previous !== null &&
    actions?.gone.some(({ exDate }) => previous[0] < exDate && exDate <= price[0]) === true
  // A whole history may be wrong: its windows are read at the same time.
  await Promise.all(found.filter(({ guard }) => guard !== null).map(({ price }) => isLive(price)))
  const news: ImplausiblePrice[] = []
  const old: ImplausiblePrice[] = []
  for (const one of found) {
    if (hasLost(one) || (await isNew(one))) news.push(one)
    else old.push(one)
  }
  return { news, old }
}

/**
 * Compares a fund's prices with those that are live.
 * @param newest of the database @param live null if the fund has none, or it is unknown @param newestLive null if unknown
 */
function comparison(
  isin: string,
  newest: PriceTexts,
  live: ReturnType<typeof livePrices> | null,
  newestLive: string | null,
  orWarn: (error: unknown) => null,
) {
  const window = cached(async (year: string) =>
    valuesByDay((await live?.window(isin, year).catch(orWarn))?.prices ?? []),
  )
  const isLive = async (price: PriceTexts): Promise<boolean> => {
    if (live === null) return price !== newest
    if (newestLive !== null && price[0] > newestLive) return false
    return (await window(price[0].slice(0, 4))).get(price[0]) === valuesOf(price)
  }
  const isNew = async ({ guard, price, previous }: ImplausiblePrice): Promise<boolean> => {
    // Whether an old price was changed is read only for what a guard refuses.
    if (guard === null && newestLive !== null) return price[0] > newestLive
    return !(await isLive(price)) || (previous !== null && !(await isLive(previous)))
  }
  return { isLive, isNew }
}

export type PricesOf = (isin: string) => readonly PriceTexts[]

/**
 * The prices of a fund by day, without those whose day is none: the checks of values name them. Those of the last fund are kept:
 * several checks of a fund read them.
 */
export function priceReader(db: Database): PricesOf {
  const names = priceColumns.map(({ name }) => name).slice(0, checkedColumns)
  const statement = db.prepare<[string], PriceTexts>(
    `SELECT ${names.join(', ')} FROM price WHERE isin = ? ORDER BY date`,
  )
  statement.raw()
  let last = { isin: '', prices: [] as readonly PriceTexts[] }
  return (isin) => {
    if (last.isin !== isin)
      last = { isin, prices: statement.all(isin).filter(([day]) => isDay(day) && day >= firstDay) }
    return last.prices
  }
}

const isNewer = (price: PriceTexts, live: PriceTexts) =>
  price[0] > live[0] || (price[0] === live[0] && valuesOf(price) !== valuesOf(live))

/** Values whose change makes an old price a new one: the checked columns. */
const valuesOf = ([, ...values]: PriceTexts) => values.slice(0, checkedColumns - 1).join(' ')

const valuesByDay = (prices: readonly PriceTexts[]) =>
  new Map(prices.map((price) => [price[0], valuesOf(price)] as const))

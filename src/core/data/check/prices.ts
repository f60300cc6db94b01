/** The plausibility of prices: each finding of what is new since what is live, and one of all that is older. */

import type { Database } from 'better-sqlite3'
import { isDay } from '../../api/routes/values.ts'
import type { PricedFund } from '../../guards/assess.ts'
import { type NewPrice, newPriceOf, objectionsAcross } from '../../guards/across.ts'
import type { PriceTexts } from '../../guards/figures.ts'
import {
  implausiblePrices,
  limitsOf,
  type ImplausiblePrice,
  type PlausibilitySettings,
} from '../../guards/plausibility.ts'
import type { Rules } from '../../guards/rules.ts'
import { cached } from '../../system/cached.ts'
import { messageOf } from '../../system/message.ts'
import { fundReader, readPriceDays } from '../read/fund-reader.ts'
import { generalWarning, type OlderPrices, olderPrices, type Finding } from './finding.ts'
import { firstDay, textFaults } from '../model/limits.ts'
import { escapeInvisible } from '../model/printable.ts'
import { DamagedDocument, livePrices, priceColumns, type LiveReader } from './live-prices.ts'

export interface PriceSettings {
  readonly plausibility: PlausibilitySettings
  readonly rules: Rules
}

/** The prices of a fund that may be given out, judged by themselves, whatever is live. */
export interface JudgedPrices {
  readonly isin: string
  readonly currency: string
  readonly newest: PriceTexts
  readonly found: readonly ImplausiblePrice[]
  /** Of the newest price, in case it is new. */
  readonly newPrice: NewPrice
}

/** @returns judges funds; leaves out those without prices, or whose prices may not be given out */
export function priceJudge(db: Database, { plausibility, rules }: PriceSettings) {
  const pricesOf = priceReader(db)
  const { rows } = fundReader(db)
  return (isins: readonly string[]): readonly JudgedPrices[] =>
    readPriceDays(db, isins, 0).flatMap((fund) => {
      const { isin, currency } = fund
      const limits = limitsToCheck(plausibility, fund)
      const prices = limits === null ? [] : pricesOf(isin)
      const newest = prices.at(-1)
      if (limits === null || newest === undefined) return []
      const { calendar } = rules(fund)
      const actions = rows('corporateActions', isin)
      const found = implausiblePrices(prices, limits, calendar, { ...fund, actions }).filter(isOfDecimals)
      const newPrice = newPriceOf(isin, prices, actions, found, calendar, limits.mayStay)
      return [{ isin, currency, newest, found, newPrice }]
    })
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
  const older = gatherOlder()
  const live = read === null ? null : livePrices(read)
  /** A damaged document is as good as none: what it should hold counts as new. */
  const orWarn = (error: unknown) => {
    if (!(error instanceof DamagedDocument)) throw error
    findings.push(generalWarning(`${messageOf(error)}: its prices count as new`, 'price'))
    return null
  }
  const liveFunds = (await live?.funds().catch(orWarn)) ?? null
  return {
    add: async ({ isin, currency, newest, found, newPrice }: JudgedPrices): Promise<void> => {
      const before = liveFunds?.get(isin)
      findings.push(...otherCurrency(isin, currency, before?.currency, newest[0]))
      const known = before !== undefined || liveFunds === null ? live : null
      const compared = comparison(isin, newest, known, before?.newest[0] ?? null, orWarn)
      if (before === undefined || isNewer(newest, before.newest)) newPrices.push(newPrice)
      const { news, old } = await divide(found, compared)
      findings.push(...shortened(news).map((one) => findingOf(isin, one)))
      older.add(isin, old, known !== null)
    },
    /** @returns also the newest price of each fund, if it is new, for the guards across funds */
    end: () => ({ findings: [...findings, ...older.findings()], newPrices }),
  }
}

/** Null if nothing of the fund's prices is checked, or given out. */
export const limitsToCheck = (plausibility: PlausibilitySettings, fund: PricedFund) =>
  fund.dataPermitted === 1 && fund.pricesPermitted === 1 ? limitsOf(plausibility, fund) : null

export const findingsAcross = (newPrices: readonly NewPrice[], plausibility: PlausibilitySettings) =>
  objectionsAcross(newPrices, plausibility).map(({ guard, subject, message }): Finding => {
    const finding = { severity: 'error', isin: null, table: 'price', message, guard } as const
    return subject === null ? finding : { ...finding, subject }
  })

/** A whole history may be wrong: beyond this, they are only counted. */
const olderKept = 1000

function gatherOlder() {
  let count = 0
  let areLive = true
  const prices: OlderPrices['prices'][number][] = []
  return {
    add: (isin: string, found: readonly ImplausiblePrice[], isLive: boolean) => {
      if (found.length === 0) return
      const some = found.slice(0, olderKept - prices.length)
      prices.push(...some.map(({ message }) => ({ isin, message: escapeInvisible(message) })))
      count += found.length
      areLive &&= isLive
    },
    findings: () => (count === 0 ? [] : [olderPrices({ prices, areLive }, count)]),
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
      .map((one, index) => (index === named - 1 ? { ...one, message: one.message + counted } : one))
  })
}

export function findingOf(isin: string, { guard, message }: ImplausiblePrice): Finding {
  const place = { isin, table: 'price', message: escapeInvisible(message) }
  return guard === null ? { ...place, severity: 'warning' } : { ...place, severity: 'error', guard }
}

/** Divides what is implausible into what is new and what is old, without what says nothing about old prices. */
async function divide(found: readonly ImplausiblePrice[], { isLive, isNew }: ReturnType<typeof comparison>) {
  // A whole history may be wrong: its windows are read at the same time.
  await Promise.all(found.filter(({ guard }) => guard !== null).map(({ price }) => isLive(price)))
  const news: ImplausiblePrice[] = []
  const old: ImplausiblePrice[] = []
  for (const one of found) {
    if (await isNew(one)) news.push(one)
    else if (!one.isForNewOnly) old.push(one)
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

/** The prices of a fund by day, without those whose day is none: the checks of values name them. */
export function priceReader(db: Database) {
  const names = priceColumns.map(({ name }) => name).slice(0, checkedColumns)
  const statement = db.prepare<[string], PriceTexts>(
    `SELECT ${names.join(', ')} FROM price WHERE isin = ? ORDER BY date`,
  )
  statement.raw()
  return (isin: string) => statement.all(isin).filter(([day]) => isDay(day) && day >= firstDay)
}

const isNewer = (price: PriceTexts, live: PriceTexts) =>
  price[0] > live[0] || (price[0] === live[0] && valuesOf(price) !== valuesOf(live))

/** Values whose change makes an old price a new one: the checked columns. */
const valuesOf = ([, ...values]: PriceTexts) => values.slice(0, checkedColumns - 1).join(' ')

const valuesByDay = (prices: readonly PriceTexts[]) =>
  new Map(prices.map((price) => [price[0], valuesOf(price)] as const))

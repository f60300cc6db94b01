/** Guards across funds: mistakes that only the new prices of one day show together. Pure. */

import type { CorporateActionRow } from '../api/contract/rows.ts'
import { actionWatch } from './corporate-actions.ts'
import type { GuardName, Objection } from './guards.ts'
import type { PriceTexts } from './figures.ts'
import type { AcrossLimits, ImplausiblePrice } from './plausibility.ts'
import type { Calendar } from './calendar.ts'
import { listed } from './loss.ts'
import { addDays, isWeekend } from '../system/days.ts'

/** The newest price of a fund, not live yet. JSON, because shards bring theirs to the merge. */
export interface NewPrice {
  readonly isin: string
  /** ISO 8601 */
  readonly day: string
  readonly nav: number
  /** As it would be without what corporate actions did to it since. */
  readonly before: number | null
  /** The mean of the last moves before, as a share; null if they are fewer than `leastMoves`. */
  readonly usualMove: number | null
  /** The NAV may stay as it was, as that of a money-market fund. */
  readonly mayStay: boolean
  /** A guard refuses it by itself: no other reason is needed. */
  readonly isRefused: boolean
  readonly warnings: readonly GuardName[]
}

const movesSeen = 20
const leastMoves = 5
/** The least usual move, for NAVs that hardly ever move. */
const leastUsualMove = 0.0005

/** @param prices of a fund, by day, one at least @param found implausible new prices among them */
export function newPriceOf(
  isin: string,
  prices: readonly PriceTexts[],
  actions: readonly CorporateActionRow[],
  found: readonly ImplausiblePrice[],
  calendar: Calendar,
  mayStay: boolean,
): NewPrice {
  const actionsUntil = actionWatch(actions)
  let last = NaN
  const pairs = prices.slice(-movesSeen - 2).map(([day, , , text]) => {
    const { shares, distributed } = actionsUntil(day)
    const pair = { nav: Number(text), before: last / shares - distributed }
    last = pair.nav
    return pair
  })
  const { nav, before } = pairs.pop() ?? { nav: NaN, before: NaN }
  const moves = pairs.slice(1).map((each) => Math.abs(moveOf(each.before, each.nav)))
  const usual = moves.reduce((sum, move) => sum + move, 0) / moves.length
  const price = prices.at(-1)
  const ofPrice = found.filter((one) => one.price === price)
  const warnings = new Set(ofPrice.filter(({ guard }) => guard === null).map(({ countedBy }) => countedBy))
  if (warnings.has('non-business-day') && hasClosedDay(prices, calendar)) warnings.delete('non-business-day')
  return {
    isin,
    day: price?.[0] ?? '',
    nav,
    before: nav > 0 && before > 0 ? before : null,
    usualMove: moves.length >= leastMoves && usual >= 0 ? Math.max(leastUsualMove, usual) : null,
    mayStay,
    isRefused: ofPrice.some(({ guard }) => guard !== null),
    warnings: [...warnings],
  }
}

/** A logarithm, so that there and back is no move. */
const moveOf = (before: number, nav: number) => Math.log(nav / before)

const aYear = 366

/** Finds an earlier price of a year on a closed day of this kind (weekend or holiday): then the fund has another calendar. */
function hasClosedDay(prices: readonly PriceTexts[], calendar: Calendar): boolean {
  const [newest = ''] = prices.at(-1) ?? []
  const since = addDays(newest, -aYear)
  for (const [day] of prices.slice(0, -1).reverse()) {
    if (day < since) return false
    if (isWeekend(day) === isWeekend(newest) && !calendar.isBusinessDay(day)) return true
  }
  return false
}

/** @param prices of a night, by ISIN, of all funds, not only of a shard's */
export function objectionsAcross(prices: readonly NewPrice[], limits: AcrossLimits): Objection[] {
  const { warnedShare, closedDayShare, roundedShare } = limits
  const moves = sameMoves(prices, limits)
  // One mistake has one name: moves explain warnings.
  const isExplained = moves.length > 0
  return [
    ...moves,
    ...(isExplained ? [] : warned(prices, 'many-warnings', warnedShare, 'a warning about their new price')),
    ...warned(prices, 'non-business-day', closedDayShare, 'a new price on a day that is no business day'),
    ...warned(prices, 'decimals', roundedShare, 'a new price with fewer decimals than ever before'),
    ...swapped(prices, limits),
  ]
}

/** Fewer funds may always have warnings. */
const fewestWarned = 3

function warned(prices: readonly NewPrice[], guard: GuardName, share: number, what: string): Objection[] {
  const funds = prices.filter(({ warnings }) => warnings.includes(guard))
  if (funds.length < fewestWarned || !isMore(funds.length, prices.length, share)) return []
  const of = prices.length
  const names = listed(funds.map(({ isin }) => isin))
  return [{ guard, subject: null, message: `${funds.length} of ${of} funds have ${what} (${names})` }]
}

const isMore = (count: number, of: number, share: number) => count > of * share + 1e-9

/** Fewer funds may always move alike: a company may have one portfolio in some share classes. */
const fewestAlike = 5
/** Moves are alike if they differ by a fifth at most: each has the market's move in it. */
const alike = 0.2
/** A smaller common move may be the market's. */
const leastCommonMove = 0.03

function sameMoves(prices: readonly NewPrice[], { sameMoveShare, unusualMove }: AcrossLimits): Objection[] {
  const moved = prices.flatMap(({ nav, before, usualMove, mayStay, isRefused }) =>
    before === null || mayStay || isRefused ? [] : [{ move: moveOf(before, nav), usualMove }],
  )
  const of = moved.length
  const still = moved.filter(({ move }) => move === 0).length
  const isMany = (count: number) => count >= fewestAlike && isMore(count, of, sameMoveShare)
  if (isMany(still)) {
    const message = `${still} of ${of} funds have the NAV of the day before: are these yesterday's prices?`
    return [{ guard: 'unchanged-prices', subject: null, message }]
  }
  const middle = moved.map(({ move }) => move).sort((one, other) => one - other)[Math.floor(of / 2)] ?? 0
  const together = moved.filter(
    ({ move, usualMove }) =>
      Math.abs(move - middle) <= alike * Math.abs(middle) &&
      usualMove !== null &&
      Math.abs(move) >= unusualMove * usualMove,
  ).length
  if (Math.abs(middle) < leastCommonMove || !isMany(together)) return []
  const percent = ((Math.exp(middle) - 1) * 100).toFixed(1)
  const message = `the NAVs of ${together} of ${of} funds have moved by about ${percent} % alike: are they in another currency?`
  return [{ guard: 'same-move', subject: null, message }]
}

/** Finds pairs of funds that each continue the NAVs of the other much better than their own. */
function swapped(prices: readonly NewPrice[], { unusualMove }: AcrossLimits): Objection[] {
  const moved = prices.flatMap(({ isin, day, nav, before, usualMove }) => {
    if (before === null || usualMove === null) return []
    const from = Math.log(before)
    const to = Math.log(nav)
    const own = Math.abs(to - from)
    return own < unusualMove * usualMove ? [] : [{ isin, day, nav, before, from, to, own }]
  })
  return moved.flatMap((one, index) =>
    moved
      .slice(index + 1)
      .filter((other) => one.day === other.day && fits(one, other) && fits(other, one))
      .map((other): Objection => {
        const message = `NAV ${one.nav} of ${one.isin} and ${other.nav} of ${other.isin} on ${one.day} look exchanged: before they were ${one.before} and ${other.before}`
        return { guard: 'swapped', subject: `${one.isin},${other.isin}`, message }
      }),
  )
}

const fits = ({ from, own }: { from: number; own: number }, { to }: { to: number }) =>
  Math.abs(to - from) <= own / 2

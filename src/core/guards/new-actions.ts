/**
 * Corporate actions against the NAVs: finds rows of table corporate_action that the NAVs contradict. NAVs alone count, never a
 * figure that was derived with such a row. Pure.
 */

import type { CorporateActionRow } from '../api/contract/rows.ts'
import { actionWatch, type Between, likelyFactor } from './corporate-actions.ts'
import type { PriceTexts } from './figures.ts'
import { dayNumber } from '../system/day-number.ts'

/** The actions between two prices, which these contradict. */
export interface DoubtfulActions {
  readonly rows: readonly CorporateActionRow[]
  /** The first price that should show them, and the one before. */
  readonly price: PriceTexts
  readonly previous: PriceTexts
  /** False for a distribution that the NAV before or after shows, and for one like others of the fund: its day may be off. */
  readonly isRefused: boolean
  /** Whether the NAVs look as if they were in the shares after a split already, also those before it. */
  readonly isAdjusted: boolean
  /** A sentence without its full stop. */
  readonly message: string
}

/** Tells a row from another one of the same fund. */
export const actionKey = (row: CorporateActionRow): string =>
  JSON.stringify([row.exDate, row.kind, row.amount, row.currency, row.factor, row.successorIsin])

/**
 * A row is contradicted if the move of the NAV is much more usual for the fund without it, or with the row that was most likely
 * meant. Splits are few and change much; distributions are many, and some meet a day on which the market moves against them.
 */
const mostOdd = { split: 5, distribution: 30 }

/** Moves on each side of a price that show what is usual. Days of a crash are compared with days of a crash. */
const movesAround = 20
const leastMoves = 5
/** Shares: of a NAV that hardly ever moves, and of a fund with a few prices only. */
const leastUsual = 0.0005
const usualOfUnknown = 0.02
/** Prices on each side in which a split is looked for that has the wrong day. */
const daysAround = 10
/** A move of so many usual ones is one as on any day. */
const ordinary = 3

interface Pair {
  readonly nav: number
  readonly before: number
  readonly usual: number
}

/** @param prices of a fund, by day @param actions of the fund; those after its last price are not judged yet */
export function doubtfulActions(
  prices: readonly PriceTexts[],
  actions: readonly CorporateActionRow[],
): readonly DoubtfulActions[] {
  const relevant = actions.filter(({ kind }) => kind !== 'merger')
  if (relevant.length === 0) return []
  const rowsAt = new Map<number, CorporateActionRow[]>()
  for (const row of relevant) {
    const index = firstFrom(prices, row.exDate)
    if (index > 0 && index < prices.length) rowsAt.set(index, [...(rowsAt.get(index) ?? []), row])
  }
  const pairAt = (index: number): Pair | null => {
    const before = navAt(prices, index - 1)
    const nav = navAt(prices, index)
    if (!(nav > 0) || !(before > 0)) return null
    return { nav, before, usual: usualMove(prices, rowsAt, index) }
  }
  return [...rowsAt].flatMap(([index, rows]) => {
    const pair = pairAt(index)
    const price = prices[index]
    const previous = prices[index - 1]
    if (pair === null || price === undefined || previous === undefined) return []
    const between = betweenOf(rows)
    const others = [nothing, ...slipsOf(rows, pair)]
    const [likeliest = nothing] = others.toSorted((one, other) => oddness(pair, one) - oddness(pair, other))
    const limit = rows.some(({ kind }) => kind === 'split') ? mostOdd.split : mostOdd.distribution
    if (!(oddness(pair, between) > limit * oddness(pair, likeliest))) return []
    const shown = dayThatShows(between, index, limit, (at) => (rowsAt.has(at) ? null : pairAt(at)))
    const isNextTo = shown !== null && Math.abs(shown - index) === 1 && between.shares === 1
    const isHabit = likeliest === nothing && isUsualAmount(rows, relevant)
    const day = shown === null ? undefined : prices[shown]?.[0]
    const advice =
      day === undefined ? adviceFor(rows, likeliest) : `the NAV of ${day} shows it: is that its ex_date`
    const message = `${describe(rows, previous, price, between)}: ${advice}`
    const isAdjusted = between.shares !== 1 && likeliest === nothing && day === undefined
    return [{ rows, price, previous, isRefused: !isNextTo && !isHabit, isAdjusted, message }]
  })
}

const navAt = (prices: readonly PriceTexts[], index: number) => Number(prices[index]?.[3])

/** The index of the first price on a day or after it; the number of prices without one. */
function firstFrom(prices: readonly PriceTexts[], day: string): number {
  let from = 0
  for (let to = prices.length; from < to;) {
    const middle = Math.floor((from + to) / 2)
    if ((prices[middle]?.[0] ?? '') < day) from = middle + 1
    else to = middle
  }
  return from
}

/** Amounts of a fund differ less from one distribution to another. */
const usualRatio = 2

const isUsualAmount = (rows: readonly CorporateActionRow[], all: readonly CorporateActionRow[]) =>
  rows.every((row) =>
    all.some((other) => {
      const ratio = Number(row.amount) / Number(other.amount)
      return row !== other && row.kind === 'distribution' && ratio <= usualRatio && ratio >= 1 / usualRatio
    }),
  )

const nothing: Between = { shares: 1, distributed: 0 }

const betweenOf = (rows: readonly CorporateActionRow[]): Between => actionWatch(rows)('9999-12-31')

/** A move of a NAV, beside what actions do to it; a logarithm, so that there and back is no move. */
const moveOf = ({ nav, before }: Pair, { shares, distributed }: Between) =>
  Math.log(((nav + distributed) * shares) / before)

/**
 * How odd a move is: the square of this is the inverse likelihood by Student's t with three degrees of freedom, since large moves
 * are far more frequent than a normal distribution has them.
 */
const oddness = (pair: Pair, between: Between) => 1 + (moveOf(pair, between) / pair.usual) ** 2 / 3

/** Two factors that differ by less are one that the NAV misses. */
const leastOther = 1.5

/** The rows that may have been meant: a split the other way round or by the whole factor of the NAVs, an amount with its point elsewhere. */
function slipsOf(rows: readonly CorporateActionRow[], { nav, before }: Pair): readonly Between[] {
  const [row] = rows
  if (row === undefined || rows.length > 1) return []
  const { shares, distributed } = betweenOf(rows)
  if (row.kind === 'distribution')
    return [10, 100, 0.1, 0.01].map((times) => ({ shares, distributed: distributed * times }))
  const whole = likelyFactor(nav, before)
  // A NAV near the right one may be wrong itself: then it jumps.
  const isOther = whole !== null && Math.abs(Math.log(whole / shares)) > Math.log(leastOther)
  return [1 / shares, ...(isOther ? [whole] : [])].map((each) => ({ shares: each, distributed }))
}

/** The index of a price near by that the actions explain, as none of its own does; null without one. */
function dayThatShows(
  between: Between,
  index: number,
  limit: number,
  pairAt: (index: number) => Pair | null,
): number | null {
  for (let apart = 1; apart <= daysAround; apart++)
    for (const at of [index - apart, index + apart]) {
      const pair = pairAt(at)
      if (pair === null || Math.abs(moveOf(pair, between)) > ordinary * pair.usual) continue
      if (oddness(pair, nothing) > limit * oddness(pair, between)) return at
    }
  return null
}

/** The usual move around a price as a share, by the median, without those of actions and the one in question. */
function usualMove(
  prices: readonly PriceTexts[],
  rowsAt: ReadonlyMap<number, unknown>,
  index: number,
): number {
  const daysAt = (at: number) => gapInDays(prices[at - 1]?.[0] ?? '', prices[at]?.[0] ?? '')
  const moves: number[] = []
  const from = Math.max(1, index - movesAround)
  for (let at = from; at <= Math.min(prices.length - 1, index + movesAround); at++) {
    const before = navAt(prices, at - 1)
    const nav = navAt(prices, at)
    if (at === index || rowsAt.has(at) || !(nav > 0) || !(before > 0)) continue
    moves.push(Math.abs(Math.log(nav / before)) / Math.sqrt(daysAt(at)))
  }
  const middle = moves.sort((one, other) => one - other)[Math.floor(moves.length / 2)] ?? 0
  const ofDay = moves.length < leastMoves ? usualOfUnknown : middle / medianOfStandard
  return Math.max(leastUsual, ofDay) * Math.sqrt(daysAt(index))
}

/** The median of the absolute values of a standard normal distribution. */
const medianOfStandard = 0.6745

/** In days with trading: a weekend is none. */
function gapInDays(from: string, to: string): number {
  const days = dayNumber(to) - dayNumber(from)
  return days <= 4 ? 1 : (days * 5) / 7
}

function describe(
  rows: readonly CorporateActionRow[],
  [since, , , before]: PriceTexts,
  [day, , , nav]: PriceTexts,
  { shares, distributed }: Between,
): string {
  const named = rows.map(nameOf).join(' and ')
  const expected = rounded(Number(before) / shares - distributed)
  return `${named} would make about ${expected} of NAV ${before} of ${since}, and NAV ${nav} of ${day} does not show it`
}

const nameOf = ({ kind, exDate, factor, amount }: CorporateActionRow) =>
  kind === 'split'
    ? `the split by ${factor ?? ''} on ${exDate}`
    : `the distribution of ${amount ?? ''} on ${exDate}`

const rounded = (value: number) => Number(value.toPrecision(6))

function adviceFor(rows: readonly CorporateActionRow[], likeliest: Between): string {
  const ofOthers = 'or the row is of another fund or day'
  const [row] = rows
  if (likeliest === nothing || row === undefined) {
    const isSplit = rows.some(({ kind }) => kind === 'split')
    const ready = isSplit
      ? 'are the NAVs in the new shares already, or are they wrong'
      : 'is the amount that of all shares, or are the NAVs wrong'
    return `is the row of another fund or day, ${ready}`
  }
  return row.kind === 'split'
    ? `factor ${rounded(likeliest.shares)} would fit, ${ofOthers}`
    : `amount ${rounded(likeliest.distributed)} would fit, ${ofOthers}`
}

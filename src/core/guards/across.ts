/**
 * What is expected of the new prices of a night, by the habits of each fund and the moves of the others: mistakes that one
 * price alone does not show. Pure.
 */

import { median } from 'simple-statistics'
import type { GuardName } from './guards.ts'
import { moveOf, type NewPrice, type Seen, traitNames, traits } from './habits.ts'
import { listed } from './loss.ts'
import { isWeekend } from '../system/days.ts'

/** What came in place of what was expected. */
export interface Surprise {
  /** Null: a warning. */
  readonly guard: GuardName | null
  readonly subject: string | null
  /** Null if it is about several funds. */
  readonly isin: string | null
  readonly message: string
}

/** @param prices of a night, by ISIN, of all funds, not only of a shard's */
export function surprisesIn(
  prices: readonly NewPrice[],
  { asOf, strictness }: Readonly<{ asOf: string; strictness: number }>,
): readonly Surprise[] {
  const portfolios = Map.groupBy(prices, ({ portfolio }) => portfolio)
  const night: Night = {
    prices,
    asOf,
    strictness,
    moved: movesOf(prices),
    weightOf: ({ portfolio }) => 1 / (portfolios.get(portfolio)?.length ?? 1),
    portfolios: portfolios.size,
  }
  return [...traitsOfMany(night), ...movesOfMany(night), ...movesOfOne(night)]
}

interface Night {
  readonly prices: readonly NewPrice[]
  readonly asOf: string
  readonly strictness: number
  readonly moved: readonly Moved[]
  /** Classes of one portfolio count as one: they do the same on the same day. */
  readonly weightOf: (price: NewPrice) => number
  readonly portfolios: number
}

/** A share of the funds that may have something in common by chance. */
const mostOfFunds = 1 / 3
/** Fewer funds may always have it. */
const fewestFunds = 3
/** The probability of an accident that is no accident: once in centuries of nights. */
const accident = 1e-5

/** A fund that has a trait more often tells nothing by it. */
const mostOften = 0.2

/** @param of so many funds, each portfolio counted once */
const isMany = (count: number, of: number, { strictness }: Night) =>
  count > fewestFunds - 0.01 && count > (of * mostOfFunds) / strictness + 1e-9

/**
 * The probability of so many or more, if each is independent of the others (Poisson).
 * @param expected the sum of the probabilities of all
 */
function chanceOf(count: number, expected: number): number {
  const least = Math.floor(count + 0.01)
  let term = Math.exp(-expected)
  for (let index = 1; index <= least; index++) term *= expected / index
  let sum = term
  for (let index = least + 1; term > sum * 1e-6; index++) {
    term *= expected / index
    sum += term
  }
  return sum
}

function traitsOfMany(night: Night): Surprise[] {
  const found = traitNames.flatMap((name) => {
    const { column, says } = traits[name]
    // A price on a business day has no habit of closed days, but is one of those that have no such trait.
    const seen = night.prices.flatMap((price) => {
      const trait: Seen | undefined = price.traits[name]
      if (price.habit === null || (trait !== undefined && trait.before > mostOften)) return []
      return [{ price, weight: night.weightOf(price), trait }]
    })
    const having = seen.filter(({ trait }) => trait?.has === true)
    const count = sumOf(having.map(({ weight }) => weight))
    const of = sumOf(seen.map(({ weight }) => weight))
    const usual = sumOf(having.map(({ weight, trait }) => weight * (trait?.before ?? 0))) / count
    const expected = sumOf(seen.map(({ weight, trait }) => weight * (trait?.before ?? usual)))
    if (!isMany(count, of, night) || chanceOf(count, expected) > accident) return []
    const names = listed(having.map(({ price }) => price.isin))
    const message = `${having.length} of ${night.prices.length} funds ${says} (${names})${name === 'closed' ? yearEndHint(having.map(({ price }) => price.day)) : ''}`
    // A file may come late, and bring the newest day only; but no price is of a day that has not ended.
    const isRefused = name !== 'skipped' || having.every(({ price }) => price.day >= night.asOf)
    return [surprise(isRefused ? 'column' : null, message, `price.${column}`)]
  })
  // Prices without any decimals have fewer, too.
  const isFirst = ({ subject }: Surprise, index: number) =>
    found.findIndex((one) => one.subject === subject) === index
  return found.filter(isFirst)
}

/** Calendars have 24 and 31 December closed: only the setting tells that these are business days of a company. */
const yearEndHint = (days: readonly string[]) =>
  days.some((day) => /-12-(24|31)$/.test(day) && !isWeekend(day))
    ? '; set freshness.yearEndOpen if 24 and 31 December are business days of your funds'
    : ''

const surprise = (guard: GuardName | null, message: string, subject: string): Surprise => ({
  guard,
  subject,
  isin: null,
  message,
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)

interface Moved {
  readonly price: NewPrice
  readonly before: number
  /** Logarithms: what the fund did, usually does, and does once in a hundred days; of its time since the price before. */
  readonly move: number
  readonly usual: number
  readonly large: number
  /** In usual moves. */
  readonly times: number
  /** What the moves of similar funds do not explain. */
  readonly own: number
  /** What similar funds did, by the fund's own habit; null if there are too few. */
  readonly market: number | null
}

/** Funds that show what the market did. */
const fewestPeers = 3
/** Larger moves of all, in usual ones, are no market day. */
const mostOfMarket = 25

/** Explains each move by what funds of its category and currency did, of its category, and of the company. */
function movesOf(prices: readonly NewPrice[]): readonly Moved[] {
  const all = prices.flatMap((price) => {
    const { habit, before, gap } = price
    if (habit === null || before === null) return []
    const usual = habit.usualMove * Math.sqrt(gap)
    const move = moveOf(price)
    return [{ price, before, move, usual, large: habit.largeMove * Math.sqrt(gap), times: move / usual }]
  })
  const markets = [
    marketOf(all, ({ category, currency }) => (category === null ? null : `${category} ${currency}`)),
    marketOf(all, ({ category }) => category),
    marketOf(all, () => 'all'),
  ]
  return all.map((one) => {
    const explained = markets.flatMap((timesOf) => timesOf(one) ?? []).map((times) => times * one.usual)
    const unexplained = [0, ...explained].map((each) => one.move - each)
    const own = unexplained.reduce((least, each) => (Math.abs(each) < Math.abs(least) ? each : least))
    return { ...one, market: explained[0] ?? null, own }
  })
}

type OwnMove = Pick<Moved, 'price' | 'times'>

/** Without the fund itself: it would change the median of a few. */
const mostWithoutItself = 50

/** @returns the median move of the funds like one, in usual moves; null if they are too few */
function marketOf(all: readonly OwnMove[], groupOf: (price: NewPrice) => string | null) {
  const groups = Map.groupBy(all, ({ price }) => groupOf(price))
  const medianOf = (some: readonly OwnMove[]) => {
    const times = median(some.map((one) => one.times))
    return Math.max(-mostOfMarket, Math.min(mostOfMarket, times))
  }
  const ofMany = new Map(
    [...groups].flatMap(([name, some]) =>
      some.length > mostWithoutItself ? [[name, medianOf(some)] as const] : [],
    ),
  )
  return (one: OwnMove): number | null => {
    const name = groupOf(one.price)
    const peers = name === null ? [] : (groups.get(name) ?? [])
    if (peers.length <= fewestPeers) return null
    return ofMany.get(name) ?? medianOf(peers.filter((peer) => peer !== one))
  }
}

/** A market day is smaller, in usual moves: 12 % on the worst day of an equity fund. */
const mostOfCompany = 15
/** Smaller moves of all funds are no mistake that anybody would see. */
const leastOfCompany = 0.005
/** Funds that have never moved by as much as the company: so many usual moves of theirs. */
const calmTimes = 8
/** They usually move less than the others, by this factor. */
const calmer = 4
/** The part of the company's move that is no small one any more. */
const alikeFrom = 0.5
const alikeTo = 2.5
/** On a market day, few calm funds move as much as the others. */
const mostCalm = 0.75
/** A market day that an operator is told of. */
const marketDay = 0.03
/** Funds with a large move of their own, beside many: more are no accident. */
const mostAlone = 0.02

function movesOfMany(night: Night): Surprise[] {
  const { moved, strictness, weightOf, portfolios } = night
  if (moved.length < fewestFunds) return []
  const column = 'price.net_asset_value'
  const move = median(moved.map((one) => one.move))
  const times = median(moved.map((one) => one.times))
  const about = `about ${percentOf(move)}, ${Math.abs(times).toFixed(1)} times as much as usual`
  const all = `the NAVs of ${moved.length} funds have moved by ${about}`
  if (Math.abs(times) > mostOfCompany / strictness && Math.abs(move) > leastOfCompany)
    return [surprise('column', `${all}: are they in another currency?`, column)]
  const most = Math.min(Math.abs(move) / calmTimes, median(moved.map((one) => one.usual)) / calmer)
  const calm = moved.filter(({ usual }) => usual < most)
  const alike = calm.filter((one) => one.move / move > alikeFrom && one.move / move < alikeTo)
  if (alike.length > 1 && alike.length > calm.length * mostCalm) {
    const names = listed(alike.map(({ price }) => price.isin))
    const message = `${all}, and so have funds that never do (${names}): are they in another currency?`
    return [surprise('column', message, column)]
  }
  const apart = apartIn(night)
  const count = sumOf(apart.map(({ price }) => weightOf(price)))
  if (count > fewestFunds - 0.01 && count > portfolios * mostAlone) {
    const named = apart.map(
      ({ price: { isin }, move: own, usual }) =>
        `${isin} by ${percentOf(own)}, usually ${percentOf(usual, '')}`,
    )
    const message = `the NAVs of ${apart.length} of ${moved.length} funds have moved as they never do, and others have not (${listed(named)})`
    return [surprise('column', message, column)]
  }
  return marketDays(moved)
}

/** A market day is no mistake, and an operator wants to know what readers will ask about. */
function marketDays(moved: readonly Moved[]): Surprise[] {
  const days = [...Map.groupBy(moved, ({ price }) => price.category)].flatMap(([category, some]) => {
    const move = median(some.map((one) => one.move))
    if (some.length < fewestFunds || Math.abs(move) < marketDay) return []
    const name = category === null ? 'funds without a category' : `funds of ${category}`
    return [`${some.length} ${name} by about ${percentOf(move)}`]
  })
  if (days.length === 0) return []
  return [
    surprise(null, `the NAVs have moved together, ${days.join(', ')}: a market day`, 'price.net_asset_value'),
  ]
}

/** Funds whose own move is far from all that they usually do, however small it is. */
const apartIn = ({ moved, strictness }: Night) =>
  moved.filter(
    ({ own, usual, large, price }) =>
      !price.isRefused && Math.abs(own) > Math.max(8 * usual, 3 * large) / strictness,
  )

const percentOf = (move: number, sign = move < 0 ? '−' : '+') =>
  `${sign}${((Math.exp(Math.abs(move)) - 1) * 100).toPrecision(2)} %`

/** A smaller move of one fund refuses no night. */
const leastJump = 0.02
/** A move of this part of the limit is a warning. */
const warnedPart = 0.75

function movesOfOne(night: Night): Surprise[] {
  const isOfMany = movesOfMany(night).some(({ guard }) => guard !== null)
  const pairs = swapped(night)
  const inPairs = new Set(pairs.flatMap(({ subject }) => subject?.split(',') ?? []))
  const alone = night.moved.flatMap((one): Surprise[] => {
    const { price } = one
    if (isOfMany || price.isRefused || inPairs.has(price.isin)) return []
    const limit = Math.max(leastJump, 10 * one.usual, 2.5 * one.large) / price.strictness
    const size = Math.abs(one.own)
    const other = size > limit ? null : ofAnotherFund(one, night)
    if (size <= limit * warnedPart && other === null) return []
    const guard = size > limit || other !== null ? 'price-jump' : null
    return [{ guard, subject: price.isin, isin: price.isin, message: describeMove(one, other) }]
  })
  return [...pairs, ...alone]
}

function describeMove({ price, before, move, usual, large, market }: Moved, other: string | null): string {
  const { nav, day, beforeDay } = price
  const direction = move > 0 ? 'above' : 'below'
  const peers = market === null ? '' : `; by the moves of funds like it, ${percentOf(market)} were expected`
  const twin = other === null ? '' : `; it is the NAV of ${other}: is it the price of that fund?`
  return (
    `NAV ${nav} on ${day} is ${percentOf(move, '')} ${direction} the ${Number(before.toPrecision(12))} of ${beforeDay ?? ''}: ` +
    `its usual move is ${percentOf(usual, '')}, and one in a hundred is above ${percentOf(large, '')}${peers}${twin}`
  )
}

/** So many usual moves are unusual. */
const unusual = 5
/** The probability that the NAV of another fund is hit by chance. */
const hit = 0.005

const isUnusual = ({ own, usual, large, price: { strictness } }: Moved) =>
  Math.abs(own) > Math.max(unusual * usual, large) / strictness

/** @returns the fund whose NAV an unusual price is, unless so many have similar NAVs that this is no wonder; else null */
function ofAnotherFund(one: Moved, { moved }: Night): string | null {
  if (!isUnusual(one)) return null
  const { price, before } = one
  const way = Math.abs(price.nav - before)
  const isWithin = (nav: number) => Math.abs(nav - before) <= way + price.unit
  const near = moved.filter((other) => other !== one && [other.before, other.price.nav].some(isWithin))
  if ((near.length * price.unit) / (2 * way) > hit) return null
  const twin = near.find((other) => [other.price.nav, other.before].includes(price.nav))
  return twin?.price.isin ?? null
}

/** Finds pairs of funds that each continue the NAVs of the other much better than their own. */
function swapped({ moved }: Night): Surprise[] {
  const some = moved.filter(isUnusual)
  return some.flatMap((one, index) =>
    some
      .slice(index + 1)
      .filter((other) => one.price.day === other.price.day && continues(one, other) && continues(other, one))
      .map((other): Surprise => {
        const isins = [one, other].map(({ price }) => price.isin)
        const message =
          `NAV ${one.price.nav} of ${isins[0]} and ${other.price.nav} of ${isins[1]} on ${one.price.day} look exchanged: ` +
          `before they were ${one.before} and ${other.before}`
        return { guard: 'swapped', subject: isins.join(), isin: null, message }
      }),
  )
}

const continues = ({ before, large, own }: Moved, other: Moved) =>
  Math.abs(Math.log(other.price.nav / before)) <= Math.min(large, Math.abs(own) / 2)

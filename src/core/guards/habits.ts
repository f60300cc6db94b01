/** What is normal for the prices of a fund, learned from its own history. Pure. */

import { median, medianAbsoluteDeviation, quantile } from 'simple-statistics'
import type { CorporateActionRow } from '../api/contract/rows.ts'
import { usualGap } from './assess.ts'
import { businessDaysBetween, type Calendar } from './calendar.ts'
import { actionWatch, type Earlier, inSharesOf } from './corporate-actions.ts'
import { decimalsOf, type Figures, roundingOf, tiny } from './figures.ts'
import { isPerformanceApart } from './price-errors.ts'
import type { GroupedFund } from './rules.ts'
import { addDays, isWeekend } from '../system/days.ts'

/** Prices that are learned from: those of about a year, so that a habit may change. */
const pricesLearned = 250
/** Fewer moves are no habit. */
const leastMoves = 20

/** Of a fund's moves of NAV: absolute shares, as logarithms, of its usual time between two prices. */
export interface Habit {
  /** As a standard deviation, from the median of the deviations: a crash of some days does not raise it. */
  readonly usualMove: number
  /** One move in a hundred is larger. */
  readonly largeMove: number
}

/** Whether a price has a trait, and the share of the prices before that had it, from 0 to 1. */
export interface Seen {
  readonly has: boolean
  readonly before: number
}

/** The newest price of a fund, which is not live yet. JSON, because shards bring theirs to the merge. */
export interface NewPrice {
  readonly isin: string
  readonly category: string | null
  readonly currency: string
  /** ISO 8601 */
  readonly day: string
  readonly nav: number
  /** One unit of the last decimal of the NAV before: the new one may be wrong. */
  readonly unit: number
  /** The NAV before and its day, in the shares of today, less what was distributed since; null for a first price. */
  readonly before: number | null
  readonly beforeDay: string | null
  /** How many times longer than usual it took from the price before to this one; 1 or more. */
  readonly gap: number
  /** Null for a young fund. */
  readonly habit: Habit | null
  /** Those that can be told of this price. */
  readonly traits: Readonly<Partial<Record<TraitName, Seen>>>
  /** Classes of one portfolio made the same moves before: they have the same text. */
  readonly portfolio: string
  /** As the settings say: limits are divided by it. */
  readonly strictness: number
  /** A guard refuses it by itself: no other reason is needed. */
  readonly isRefused: boolean
}

interface Pair extends Earlier {
  readonly price: Figures
  /** A logarithm, so that there and back is no move. NaN for a NAV that is not above zero. */
  readonly move: number
  /** The NAV is that of one of the days before, but for the last one. */
  readonly isOfEarlierDay: boolean
}

/** What is usual, to compare single prices with. */
interface Usual {
  readonly decimals: number
  readonly issue: number
  readonly repurchase: number
  readonly calendar: Calendar
  /** In business days. */
  readonly rhythm: number
  readonly isWeekend: boolean
}

interface Trait {
  /** Of table `price`. */
  readonly column: string
  /** What funds with this trait have, as the end of a sentence, and how to read it. */
  readonly says: string
  /** Whether a fund that had it once may always have it. */
  readonly isHabitAtOnce?: boolean
  /** @returns how often the trait is there, and how often it could be */
  readonly count: (pair: Pair, usual: Usual) => readonly [had: number, chances: number]
}

const flag = (has: boolean | null): readonly [number, number] => [Number(has === true), Number(has !== null)]

/** Traits that are rare for most funds. If many funds show one in the same night, a file is wrong. */
export const traits = {
  still: {
    column: 'net_asset_value',
    says: "have the NAV of the day before: are these yesterday's prices?",
    count: ({ price, previous }) => flag(price.nav === previous.nav),
  },
  earlier: {
    column: 'net_asset_value',
    says: 'have the NAV of one of the days before: are these the prices of another day?',
    count: ({ isOfEarlierDay }) => flag(isOfEarlierDay),
  },
  rounded: {
    column: 'net_asset_value',
    says: 'have a NAV with fewer decimals than usual: was it rounded?',
    count: ({ price }, usual) => flag(usedDecimals(price.texts[3]) < usual.decimals),
  },
  whole: {
    column: 'net_asset_value',
    says: 'have a NAV without the decimals that it usually has: was it cut?',
    count: ({ price }, usual) => flag(usedDecimals(price.texts[3]) < usual.decimals - 1),
  },
  issue: {
    column: 'issue_price',
    says: 'have an issue price that differs from the NAV as it never does: is the surcharge missing?',
    count: ({ price }, usual) => flag(isApart(price, 1, usual.issue)),
  },
  repurchase: {
    column: 'repurchase_price',
    says: 'have a repurchase price that differs from the NAV as it never does: is a fee missing?',
    count: ({ price }, usual) => flag(isApart(price, 2, usual.repurchase)),
  },
  performance: {
    column: 'performance',
    says: 'have a performance that does not continue the one before: is it that of another day?',
    count: (pair) => flag(isPerformanceApart(pair.price, pair)),
  },
  closed: {
    column: 'date',
    says: 'have a price on a day that is no business day',
    // Then the fund has another calendar.
    isHabitAtOnce: true,
    count: ({ price, previous }, usual) => closedDays(previous.texts[0], price.texts[0], usual),
  },
  skipped: {
    column: 'date',
    says: 'have no price of the business day before, as they usually do: does the price have the right day?',
    count: ({ price, previous }, { calendar, rhythm }) =>
      flag(
        rhythm === 1 && calendar.isBusinessDay(price.texts[0])
          ? businessDaysBetween(calendar, previous.texts[0], price.texts[0]) > 1
          : null,
      ),
  },
} as const satisfies Readonly<Record<string, Trait>>

export type TraitName = keyof typeof traits
export const traitNames = Object.keys(traits) as readonly TraitName[]

/** A file may have a fixed form: a column of `,00` has no decimals. */
function usedDecimals(text: string): number {
  let decimals = decimalsOf(text)
  for (let end = text.length; decimals > 0 && text[end - 1] === '0'; end--) decimals--
  return decimals
}

const ratioOf = (price: Figures, column: 1 | 2) => Number(price.texts[column]) / price.nav

/** Beyond rounding, and a twentieth of a per cent of the NAV. */
function isApart(price: Figures, column: 1 | 2, usual: number): boolean {
  const rounding = roundingOf([price.texts[column]]) + roundingOf([price.texts[3]]) * usual
  return Math.abs(ratioOf(price, column) - usual) > (2 * rounding) / price.nav + 0.0005
}

/** Closed days of the kind of the newest one, weekend or holiday, after a price and up to the next one. */
function closedDays(from: string, to: string, { calendar, isWeekend: ofWeekend }: Usual) {
  let chances = 0
  let had = 0
  for (let day = addDays(from, 1); day <= to && chances < pricesLearned; day = addDays(day, 1)) {
    if (isWeekend(day) !== ofWeekend || calendar.isBusinessDay(day)) continue
    chances++
    if (day === to) had++
  }
  return [had, chances] as const
}

/**
 * @param prices of a fund, by day, one at least
 * @param isRefused whether a guard refuses the newest one by itself
 */
export function newPriceOf(
  { isin, currency, categoryDe: category }: GroupedFund,
  prices: readonly Figures[],
  actions: readonly CorporateActionRow[],
  calendar: Calendar,
  { strictness, isRefused }: Readonly<{ strictness: number; isRefused: boolean }>,
): NewPrice {
  const newest = prices.at(-1)
  if (newest === undefined) throw new Error(`fund ${isin} has no price`)
  const pairs = pairsOf(prices.slice(-pricesLearned - 2), actions)
  const last = pairs.pop()
  const { texts, nav } = newest
  const before = last === undefined ? NaN : last.previous.nav - last.distributed
  const known = {
    isin,
    category,
    currency,
    day: texts[0],
    nav,
    unit: 10 ** -decimalsOf((last?.previous ?? newest).texts[3]),
    before: nav > 0 && before > 0 ? before : null,
    beforeDay: last?.previous.texts[0] ?? null,
    strictness,
    isRefused,
  }
  const moves = pairs.map(({ move }) => move)
  const portfolio = portfolioOf(category, moves, known.unit / before)
  if (last === undefined || moves.length < leastMoves || moves.some(Number.isNaN))
    return { ...known, gap: 1, habit: null, traits: {}, portfolio }
  const gaps = pairs.map(({ price, previous }) => price.at - previous.at)
  const usualLongGap = quantile(gaps, 0.9)
  const timesOf = ({ price, previous }: Pair) => Math.max(1, (price.at - previous.at) / usualLongGap)
  const scaled = pairs.map((pair) => pair.move / Math.sqrt(timesOf(pair)))
  const usual = usualOf(pairs, last, calendar)
  return {
    ...known,
    gap: timesOf(last),
    habit: habitOf(scaled, known.unit / before),
    traits: traitsOf(pairs, last, usual),
    portfolio,
  }
}

const movesOfPortfolio = 3

/** Of business days: last week's file is the oldest that is sent again. */
const daysOfWeek = 5

/** @param unit one unit of a NAV's last decimal, as a share of it: both NAVs of a move are rounded */
function portfolioOf(category: string | null, moves: readonly number[], unit: number): string {
  const last = moves.slice(-movesOfPortfolio).map((move) => Math.round(move / (2 * unit)))
  return [category, ...last].join(' ')
}

function pairsOf(prices: readonly Figures[], actions: readonly CorporateActionRow[]): Pair[] {
  const actionsUntil = actionWatch(actions)
  const pairs: Pair[] = []
  let previous: Figures | null = null
  for (const [index, price] of prices.entries()) {
    const between = actionsUntil(price.texts[0])
    const plain = previous === null ? null : { previous, base: { price: previous, isOfYearEnd: true } }
    const earlier = inSharesOf(plain === null ? null : { ...plain, distributed: 0 }, between)
    if (earlier !== null) {
      const before = earlier.previous.nav - earlier.distributed
      const move = price.nav > 0 && before > 0 ? Math.log(price.nav / before) : NaN
      const others = prices.slice(Math.max(0, index - daysOfWeek), Math.max(0, index - 1))
      const isOfEarlierDay = others.some(({ nav }) => nav === price.nav)
      pairs.push({ ...earlier, price, move, isOfEarlierDay })
    }
    previous = price
  }
  return pairs
}

/** The least usual move: NAVs of money-market funds hardly ever move. */
const leastMove = 0.00005
/** The median of the absolute deviations of a normal distribution is this part of its standard deviation. */
const deviationsToStandard = 1.4826
/** The 90 % quantile of absolute values of a normal distribution, in standard deviations. */
const ninetyPercent = 1.645

/** @param unit one unit of the NAV's last decimal, as a share of it */
function habitOf(moves: readonly number[], unit: number): Habit {
  const sizes = moves.map(Math.abs)
  const usualMove = Math.max(
    deviationsToStandard * medianAbsoluteDeviation([...moves]),
    // More than half of the moves may be zero.
    quantile(sizes, 0.9) / ninetyPercent,
    unit / 2,
    leastMove,
  )
  return { usualMove, largeMove: Math.max(usualMove, quantile(sizes, 0.99)) }
}

function usualOf(pairs: readonly Pair[], { price }: Pair, calendar: Calendar): Usual {
  const days = pairs.map(({ price: { texts } }) => texts[0])
  return {
    decimals: median(pairs.map((pair) => usedDecimals(pair.price.texts[3]))),
    issue: median(pairs.map((pair) => ratioOf(pair.price, 1))),
    repurchase: median(pairs.map((pair) => ratioOf(pair.price, 2))),
    calendar,
    rhythm: usualGap(calendar, days.reverse()) ?? 1,
    isWeekend: isWeekend(price.texts[0]),
  }
}

/** What was never seen may be seen for the first time: half a time is added (Jeffreys). */
const notSeenYet = 0.5

function traitsOf(pairs: readonly Pair[], last: Pair, usual: Usual): NewPrice['traits'] {
  const found = traitNames.flatMap((name): (readonly [TraitName, Seen])[] => {
    const { count, isHabitAtOnce = false }: Trait = traits[name]
    const [has, isKnown] = count(last, usual)
    // A closed day counts for a price on a closed day only.
    if (isKnown === 0) return []
    let had = 0
    let chances = 0
    for (const pair of pairs) {
      const counted = count(pair, usual)
      had += counted[0]
      chances += counted[1]
    }
    const before = isHabitAtOnce && had > 0 ? 1 : (had + notSeenYet) / (chances + 2 * notSeenYet)
    return [[name, { has: has > 0, before }]]
  })
  return Object.fromEntries(found)
}

/** Of a price with a habit and a price before it. */
export const moveOf = ({ nav, before }: Pick<NewPrice, 'nav' | 'before'>) =>
  before === null || Math.abs(nav - before) < tiny ? 0 : Math.log(nav / before)

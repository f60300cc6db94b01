/** An invented company with correlated markets, and its nights as the guards see them. */
import { openLife } from '../support/life.ts'
import type { Calendar } from '../../src/core/guards/calendar.ts'
import { figuresOf, type PriceTexts } from '../../src/core/guards/figures.ts'
import { surprisesIn } from '../../src/core/guards/across.ts'
import { judgeFund } from '../../src/core/data/check/prices.ts'
import { isinOf } from '../support/database.ts'

/** NAVs move by `beta` times the market, and by `own` standard deviations of their own. */
const kinds = [
  { category: 'Aktienfonds', beta: 1, own: 0.003, surcharge: 5 },
  { category: 'Aktienfonds', beta: 0.9, own: 0.004, surcharge: 5 },
  { category: 'Mischfonds', beta: 0.5, own: 0.002, surcharge: 3 },
  { category: 'Rentenfonds', beta: 0.1, own: 0.001, surcharge: 2 },
  { category: 'Rentenfonds', beta: 0.05, own: 0.0006, surcharge: 2 },
  { category: 'Geldmarktfonds', beta: 0, own: 0.00004, surcharge: 0 },
] as const

export interface InventedFund {
  readonly isin: string
  readonly category: string
  readonly prices: readonly PriceTexts[]
}

/** Numbers from 0 to 1 that are the same each time. */
export function randomNumbers(seed: number) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * @param days of prices, ISO 8601
 * @param marketOf the market's move on a day, by its index; by chance unless given
 * @param classes of one portfolio, with NAVs of their own
 */
export function inventCompany(
  days: readonly string[],
  {
    funds,
    classes = 1,
    seed = 1,
    marketOf,
  }: {
    readonly funds: number
    readonly classes?: number
    readonly seed?: number
    readonly marketOf?: (index: number) => number | undefined
  },
): readonly InventedFund[] {
  const random = randomNumbers(seed)
  // The sum of twelve random numbers is nearly normal.
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6)
  const market = days.map((_, index) => marketOf?.(index) ?? normal() * 0.009)
  return Array.from({ length: funds }, (_, number) => {
    const kind = kinds[number % kinds.length] ?? kinds[0]
    const moves = market.map((move) => kind.beta * move + kind.own * normal() + 0.00005)
    return Array.from({ length: classes }, (_, part): InventedFund => {
      let nav = 20 + random() * 180
      const navs = moves.map((move) => (nav *= 1 + move))
      const isin = isinOf(number * classes + part + 1)
      return { isin, category: kind.category, prices: pricesOf(days, navs, kind.surcharge) }
    })
  }).flat()
}

const text = (value: number) => value.toFixed(2)

/** Figures follow from the rounded NAVs, as `--derive` computes them. */
export function pricesOf(days: readonly string[], navs: readonly number[], surcharge: number): PriceTexts[] {
  const rounded = navs.map((nav) => Number(text(nav)))
  let base = rounded[0] ?? 0
  return days.map((day, index): PriceTexts => {
    const nav = rounded[index] ?? 0
    const before = rounded[index - 1] ?? nav
    if (days[index - 1]?.slice(0, 4) !== day.slice(0, 4)) base = before
    const figures = [
      text(nav - before),
      text((nav / before - 1) * 100),
      text((nav / base - 1) * 100),
    ] as const
    return [day, text(nav * (1 + surcharge / 100)), text(nav), text(nav), ...figures]
  })
}

export function priceAt(prices: readonly PriceTexts[], index: number): PriceTexts {
  const price = prices[index]
  if (price === undefined) throw new Error(`there is no price ${index}`)
  return price
}

/** The same price with another NAV, and the figures that follow from it. */
export function withNav(prices: readonly PriceTexts[], index: number, nav: number): PriceTexts {
  const navs = prices.slice(0, index).map((price) => Number(price[3]))
  const days = prices.slice(0, index + 1).map(([day]) => day)
  const [, issue, , before] = prices[index] ?? []
  const surcharge = (Number(issue) / Number(before) - 1) * 100
  return pricesOf(days, [...navs, nav], surcharge).at(-1) ?? priceAt(prices, index)
}

type Judge = Parameters<typeof messagesOfNight>

/** What the guards say of a night: `price-jump:<ISIN>`, or `warning: …` in full. */
export const judgeNight = (...night: Judge) =>
  messagesOfNight(...night).map((one) =>
    one.startsWith('warning') ? one : (/^[^ ]+(?=: )/.exec(one)?.[0] ?? one),
  )

/** The same in full: `price-jump:<ISIN>: …`. @param change the price of a fund in this night */
export function messagesOfNight(
  company: readonly InventedFund[],
  index: number,
  calendar: Calendar,
  change: (fund: InventedFund, price: PriceTexts, number: number) => PriceTexts = (_, price) => price,
) {
  const judged = company.map((fund, number) => {
    const { isin, category, prices } = fund
    const newest = priceAt(prices, index)
    const known = [...prices.slice(0, index), change(fund, newest, number)].map(figuresOf)
    const priced = {
      ...openLife,
      isin,
      name: isin,
      currency: 'EUR',
      categoryDe: category,
      categoryEn: null,
      inceptionDate: '2000-01-03',
      dataPermitted: 1,
      pricesPermitted: 1,
      priceDays: [],
    } as const
    return { isin, ...judgeFund(priced, known, [], calendar, 1, index) }
  })
  const alone = judged.flatMap(({ isin, found }) =>
    found.map(({ guard, message }) => `${guard === null ? 'warning' : `${guard}:${isin}`}: ${message}`),
  )
  const prices = judged.map(({ newPrice }) => newPrice)
  const across = surprisesIn(prices, { asOf: '2100-01-01', strictness: 1 }).map(
    ({ guard, subject, message }) =>
      `${guard === null ? 'warning' : `${guard}:${subject ?? ''}`}: ${message}`,
  )
  return [...alone, ...across]
}

/**
 * What splits and distributions do to a line of prices, for the build and the browser alike. A distribution buys shares at
 * the NAV of its ex-date, or of the next day with a price, without costs. Source: the method of the German fund
 * association (BVI) for the performance of a fund.
 */

/** Days are counted since 1970-01-01. */
export interface FundActions {
  /** Ascending. */
  readonly distributions: readonly Distribution[]
  readonly splits: readonly Split[]
}

interface Distribution {
  readonly exDay: number
  /** Per share as it is on the ex-date, after a split of that day. */
  readonly amount: string
  /** The NAV that buys shares; null until there is one. */
  readonly reinvested: DayPrice | null
}

interface Split {
  readonly exDay: number
  /** New shares for an old one. */
  readonly factor: string
}

export interface DayPrice {
  readonly day: number
  /** Net asset value: decimal text with a point. */
  readonly nav: string
}

export interface AdjustedPrice extends DayPrice {
  /** The same as a number, not rounded to the digits of the text. */
  readonly value: number
  /** What the shares are worth that one share at the beginning of all prices has become. */
  readonly worth: number
}

export const noActions: FundActions = { distributions: [], splits: [] }

/** @returns prices with NAVs in the shares of the last day @param prices ascending */
export function adjusted(prices: readonly DayPrice[], actions: FundActions): readonly AdjustedPrice[] {
  const { distributions, splits } = actions
  const last = prices.at(-1)?.day ?? 0
  const splitBetween = (from: number, to: number) =>
    splits.reduce(
      (shares, { exDay, factor }) => (exDay > from && exDay <= to ? shares * Number(factor) : shares),
      1,
    )
  const bought = distributions.flatMap(({ exDay, amount, reinvested }) => {
    if (reinvested === null) return []
    const { day, nav } = reinvested
    return [{ day, shares: 1 + Number(amount) / (Number(nav) * splitBetween(exDay, day)) }]
  })
  return prices.map(({ day, nav }) => {
    const before = splitBetween(-Infinity, day)
    const after = splitBetween(day, last)
    const shares = bought.reduce((all, one) => (one.day <= day ? all * one.shares : all), before)
    const value = Number(nav) / after
    return { day, nav: after === 1 ? nav : inDigitsOf(nav, value), value, worth: Number(nav) * shares }
  })
}

const inDigitsOf = (nav: string, value: number) => value.toFixed(nav.split('.')[1]?.length ?? 0)

/** What the first price becomes if distributions are reinvested, day by day. */
export function reinvestedPrices(prices: readonly AdjustedPrice[]): readonly AdjustedPrice[] {
  const [first] = prices
  return prices.map(({ day, nav, worth }) => {
    const value = ((first?.value ?? 0) * worth) / (first?.worth ?? 1)
    return { day, nav: inDigitsOf(nav, value), value, worth }
  })
}

/** As attributes of a chart: numbers between blanks. */
export const packed = ({ distributions, splits }: FundActions) => ({
  distributions: distributions
    .map(
      ({ exDay, amount, reinvested }) =>
        `${exDay} ${amount} ${reinvested?.day ?? '-'} ${reinvested?.nav ?? '-'}`,
    )
    .join(' '),
  splits: splits.map(({ exDay, factor }) => `${exDay} ${factor}`).join(' '),
})

/** @param flat as `packed` gives them */
export function unpacked(flat: { readonly distributions: string; readonly splits: string }): FundActions {
  return {
    distributions: inGroups(flat.distributions, 4).map(([exDay, amount = '', day, nav = '']) => ({
      exDay: Number(exDay),
      amount,
      reinvested: day === '-' ? null : { day: Number(day), nav },
    })),
    splits: inGroups(flat.splits, 2).map(([exDay, factor = '']) => ({ exDay: Number(exDay), factor })),
  }
}

function inGroups(flat: string, size: number): readonly (readonly string[])[] {
  const parts = flat === '' ? [] : flat.split(' ')
  return Array.from({ length: parts.length / size }, (_, index) =>
    parts.slice(index * size, (index + 1) * size),
  )
}

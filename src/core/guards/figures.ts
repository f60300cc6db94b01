/** A price as texts and as numbers, and the rounding of its texts. Pure. */

import { cached } from '../system/cached.ts'
import { dayNumber } from '../system/day-number.ts'

/** A price of the database: day (ISO 8601), then decimal texts. A performance may be missing, and a row may have more. */
export type PriceTexts = readonly [
  day: string,
  issue: string,
  repurchase: string,
  nav: string,
  change: string,
  percent: string,
  performance: string | null,
  ...others: readonly (string | null)[],
]

/** Numbers, because prices are compared again and again: NaN for a text that is no number, or is missing. */
export type Figures = ReturnType<typeof figuresOf>

// Thousands of funds have prices on the same days.
const numberOf = cached(dayNumber)

export function figuresOf(texts: PriceTexts) {
  const [day, issue, repurchase, nav, , percent, performance] = texts
  return {
    texts,
    year: day.slice(0, 4),
    /** In days. */
    at: numberOf(day),
    /** Shares that one share has become, if it is compared with a price after a split. */
    shares: 1,
    issue: Number(issue),
    repurchase: Number(repurchase),
    nav: Number(nav),
    percent: Number(percent),
    performance: performance === null ? NaN : Number(performance),
  }
}

/** Differences of doubles are not exact. */
export const tiny = 1e-9

export const decimalsOf = (text: string) => (text.includes('.') ? text.length - text.indexOf('.') - 1 : 0)

/** The largest difference between rounded numbers and the exact ones, all together. */
export const roundingOf = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + 0.5 * 10 ** -decimalsOf(text), 0)

/** The rounding of a NAV; one from before a split may have been rounded again. */
export function roundingOfNav({ texts, shares }: Figures): number {
  const rounding = roundingOf([texts[3]])
  return shares === 1 ? rounding : rounding / shares + rounding
}

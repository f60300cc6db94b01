/** A price as its texts and as numbers, and how far its texts may have been rounded. Pure. */

import { dayNumber } from '../system/days.ts'

/** A price as the database has it: its day (ISO 8601), then decimal texts. A row may have more. */
export type PriceTexts = readonly [
  day: string,
  issue: string,
  repurchase: string,
  nav: string,
  change: string,
  percent: string,
  performance: string,
  ...others: readonly (string | null)[],
]

/** A price with its figures as numbers, which are compared again and again: NaN for a text that is none. */
export type Figures = ReturnType<typeof figuresOf>

export function figuresOf(texts: PriceTexts) {
  const [day, issue, repurchase, nav, , percent, performance] = texts
  return {
    texts,
    year: day.slice(0, 4),
    /** In days. */
    at: dayNumber(day),
    issue: Number(issue),
    repurchase: Number(repurchase),
    nav: Number(nav),
    percent: Number(percent),
    performance: Number(performance),
  }
}

/** Differences of doubles are not exact. */
export const tiny = 1e-9

export const decimalsOf = (text: string) => (text.includes('.') ? text.length - text.indexOf('.') - 1 : 0)

/** How far rounded numbers may be from the exact ones, all together. */
export const roundingOf = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + 0.5 * 10 ** -decimalsOf(text), 0)

/** A price as its texts and as numbers, and how far its texts have been rounded. Pure. */

import { dayNumber } from '../system/day-number.ts'

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

/** The largest difference between rounded numbers and the exact ones, all together. */
export const roundingOf = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + 0.5 * 10 ** -decimalsOf(text), 0)

/** In a file that leaves zeros at the end out, every tenth price has a decimal less: fewer prices say nothing. */
const leastPrices = 20

const columns = [
  { at: 3, name: 'NAV' },
  { at: 1, name: 'issue price' },
  { at: 2, name: 'repurchase price' },
] as const

/** @returns a function that takes each price of a fund, by day, and describes figures that are rounded more than all before; else null */
export function roundedWatch() {
  const fewest = [Infinity, Infinity, Infinity, Infinity]
  let count = 0
  return (texts: PriceTexts): string | null => {
    let found: string | null = null
    for (const { at, name } of columns) {
      const decimals = decimalsOf(texts[at])
      const before = fewest[at] ?? Infinity
      // Almost all prices end here.
      if (decimals >= before) continue
      fewest[at] = decimals
      if (count < leastPrices) continue
      const what = `${name} ${texts[at]} on ${texts[0]} has ${decimals === 1 ? '1 decimal' : `${decimals} decimals`}, after ${before} or more`
      found = found === null ? what : `${found}, ${what}`
    }
    count++
    return found
  }
}

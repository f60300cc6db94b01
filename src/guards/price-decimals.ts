/** Prices with fewer decimals than the fund has always had: somebody has rounded them. Pure. */

import { decimalsOf, type PriceTexts } from './figures.ts'

/** In a file that leaves zeros at the end out, every tenth price has a decimal less: fewer prices say nothing. */
const leastPrices = 20

const columns = [
  { at: 3, name: 'NAV' },
  { at: 1, name: 'issue price' },
  { at: 2, name: 'repurchase price' },
] as const

/** @returns a function that takes each price of a fund, by day, and says which figures are rounded more than all before, or null */
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

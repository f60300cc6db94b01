/** Historic prices of any range of days. */

import type { Check, Context } from '../check.ts'
import { edgeRanges, randomRange, type Days } from '../ranges.ts'

const anyDays: Days = { first: '2020-01-01', last: '2024-12-31' }

export const rangeChecks: readonly Check[] = [
  {
    group: 'ranges',
    name: 'cuts at both bounds, the bounds included',
    run: async ({ oracle, isins, each, compare }) => {
      const targets = isins.flatMap((isin) => {
        const days = oracle.priceDays(isin)
        return days === undefined ? [] : edgeRanges(days).map((range) => targetOf(isin, range))
      })
      await each(
        targets.flatMap((target) => [
          { target: `${target}?format=json` },
          { target: `${target}?format=xml` },
        ]),
        compare,
      )
    },
  },
  {
    group: 'ranges',
    name: 'answers any range in JSON as SQL finds it',
    run: (context) => compareRandom(context, 'json', 2 / 3),
  },
  {
    group: 'ranges',
    name: 'answers any range in XML as SQL finds it, its items counted from 0',
    run: (context) => compareRandom(context, 'xml', 1 / 3),
  },
]

async function compareRandom(context: Context, format: 'json' | 'xml', share: number): Promise<void> {
  const { oracle, isins, random, randomRequests, each, compare } = context
  if (isins.length === 0) return
  const requests = Array.from({ length: Math.ceil(randomRequests * share) }, () => {
    const isin = random.pick(isins)
    const range = randomRange(random, oracle.priceDays(isin) ?? anyDays)
    return { target: `${targetOf(isin, range)}?format=${format}` }
  })
  await each(requests, compare)
}

function targetOf(isin: string, range: string): string {
  return `/api/v1/prices-historic/${isin}/${range}/`
}

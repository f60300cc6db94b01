/** Requests that a database answers with 200: one of each kind, for checks of what does not hang on the data. */

import type { Oracle } from './oracle/oracle.ts'
import { fundPaths } from './requests.ts'

export interface Example {
  /** `a range that is cut and joined` */
  readonly kind: string
  /** Without a query. */
  readonly target: string
  readonly hasLanguages: boolean
}

export function findExamples(oracle: Oracle, isins: readonly string[]): Example[] {
  const isFound = (target: string): boolean => oracle.answer({ target }).status === 200
  const examples: Example[] = [
    { kind: 'all funds', target: '/api/v1/prices-current-all/', hasLanguages: false },
    { kind: 'all funds', target: '/api/v1/performance-years-all/', hasLanguages: false },
  ]
  const seen = new Set<string>()
  for (const isin of isins) {
    for (const { path, hasLanguages } of fundPaths(isin)) {
      const endpoint = path.replace(isin, '').replace(/(structure)-\w+/, '$1')
      if (seen.has(endpoint) || !isFound(path)) continue
      seen.add(endpoint)
      const kind = hasLanguages ? 'an answer with languages' : 'a stored answer'
      examples.push({ kind, target: path, hasLanguages })
    }
  }
  return [...examples, ...rangeExamples(oracle, isins)]
}

/** Of the fund with the longest history: a window as it lies there, pieces of several, none. */
function rangeExamples(oracle: Oracle, isins: readonly string[]): Example[] {
  let longest: { isin: string; first: string; last: string } | undefined
  for (const isin of isins) {
    const days = oracle.priceDays(isin)
    if (days === undefined || oracle.answer({ target: range(isin, days.last, days.last) }).status !== 200)
      continue
    const years = Number(days.last.slice(0, 4)) - Number(days.first.slice(0, 4))
    const best = longest && Number(longest.last.slice(0, 4)) - Number(longest.first.slice(0, 4))
    if (best === undefined || years > best) longest = { isin, ...days }
  }
  if (longest === undefined) return []
  const { isin, first, last } = longest
  const year = Number(last.slice(0, 4))
  const kinds = [
    ['a range that is one window', range(isin, `${year}-01-01`, `${year}-12-31`)],
    ['a range that is cut and joined', range(isin, `${year - 2}-11-07`, `${year}-02-10`)],
    ['the whole history', range(isin, first, last)],
    ['a range without a price', range(isin, '1970-01-01', '1970-01-02')],
  ] as const
  return kinds.map(([kind, target]) => ({ kind, target, hasLanguages: false }))
}

function range(isin: string, from: string, to: string): string {
  return `/api/v1/prices-historic/${isin}/${from}/${to}/`
}

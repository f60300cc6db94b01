/** Two snapshots compared by endpoint and fund, and the documents that tell more about it. Reads manifests, no documents. */

import { parseKey, type KeyMeaning } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { ManifestLine } from '../../build/manifest.ts'
import { statusFolder } from '../live/layout.ts'
import { compareManifests, entry, isSameObject, noCounts, type Counts, type Tally } from './compare.ts'

export interface DocumentComparison {
  readonly documents: Counts
  readonly endpoints: readonly (Counts & { readonly endpoint: string })[]
  /** ISINs of funds that only the new snapshot publishes, and that only the old one published. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** By fund. */
  readonly toRead: readonly ToRead[]
}

/** One document in both snapshots. */
interface Lines {
  readonly before: ManifestLine | null
  readonly after: ManifestLine | null
}

/**
 * Documents of a fund to read, as they were and as they are; one at least is not null.
 * - `window`: prices of a year; `isNewest`: the last year that had any before.
 * - `name`: any document, for the fund's name.
 */
export type ToRead = Lines & { readonly isin: string } & (
    { readonly kind: 'window'; readonly isNewest: boolean } | { readonly kind: 'name' }
  )

/** Memory grows with the number of funds and of windows that differ. */
export async function compareDocuments(
  from: AsyncIterable<ManifestLine>,
  to: AsyncIterable<ManifestLine>,
  table: RouteTable,
): Promise<DocumentComparison> {
  const documents = noCounts()
  const endpoints = new Map<string, Tally>()
  const funds = new Map<string, FundTally>()
  for await (const row of compareManifests(from, to, isSameObject)) {
    const { key, before = null, after = null, change } = row
    const meaning = parseKey(table, key)
    if (change !== null) {
      documents[change]++
      entry(endpoints, endpointOf(meaning, key), noCounts)[change]++
    }
    if (meaning.kind !== 'document' && meaning.kind !== 'window') continue
    const isin = meaning.values['isin']
    if (isin !== undefined)
      note(entry(funds, isin, newFund), meaning, { before, after, isSame: change === null })
  }
  return {
    documents,
    endpoints: sortedEntries(endpoints).map(([endpoint, counts]) => ({ endpoint, ...counts })),
    ...fundsOfOneSide(funds),
    toRead: sortedEntries(funds).flatMap(([isin, fund]) => toReadOf(isin, fund)),
  }
}

/** The entries of a map by key. */
export const sortedEntries = <T>(map: ReadonlyMap<string, T>): (readonly [string, T])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))

/** In which of two snapshots a fund is. */
export interface FundSides {
  isBefore: boolean
  isAfter: boolean
}

/** ISINs of the funds that only one of two snapshots has, in their order. */
export function fundsOfOneSide(funds: ReadonlyMap<string, Readonly<FundSides>>) {
  const only = (side: keyof FundSides, other: keyof FundSides) =>
    sortedEntries(funds).flatMap(([isin, fund]) => (fund[side] && !fund[other] ? [isin] : []))
  return { added: only('isAfter', 'isBefore'), removed: only('isBefore', 'isAfter') }
}

/** The route's id; `errors` for those of no endpoint, `pages`, `status`, and `other` for keys that this version does not know. */
export function endpointOf(meaning: KeyMeaning, key: string): string {
  switch (meaning.kind) {
    case 'unknown':
      return 'other'
    case 'page':
      return key.startsWith(statusFolder) ? 'status' : 'pages'
    case 'sharedError':
      return 'errors'
    default:
      return meaning.route.id
  }
}

/** A fund is in a snapshot if it has documents there: one that is withheld has errors alone. */
interface FundTally extends FundSides {
  /** Each document has the name: if one is unchanged, so is the name. */
  keepsName: boolean
  /** The shortest documents that differ, but for windows. */
  shortestBefore: ManifestLine | null
  shortestAfter: ManifestLine | null
  /** The last year that had prices, or an empty text. */
  lastYearBefore: string
  hasWindowsAfter: boolean
  /** Those that differ, by year. */
  readonly windows: (Lines & { readonly year: string })[]
}

const newFund = (): FundTally => ({
  isBefore: false,
  isAfter: false,
  keepsName: false,
  shortestBefore: null,
  shortestAfter: null,
  lastYearBefore: '',
  hasWindowsAfter: false,
  windows: [],
})

function note(
  fund: FundTally,
  meaning: Extract<KeyMeaning, { readonly kind: 'document' | 'window' }>,
  { before, after, isSame }: Lines & { readonly isSame: boolean },
): void {
  fund.isBefore ||= before !== null
  fund.isAfter ||= after !== null
  if (meaning.format !== 'json') return
  fund.keepsName ||= isSame
  if (meaning.kind === 'window') {
    const { year } = meaning
    if (before !== null && year > fund.lastYearBefore) fund.lastYearBefore = year
    fund.hasWindowsAfter ||= after !== null
    if (!isSame) fund.windows.push({ year, before, after })
  } else if (!isSame) {
    fund.shortestBefore = shorter(fund.shortestBefore, before)
    fund.shortestAfter = shorter(fund.shortestAfter, after)
  }
}

/** The first one, if both have the same length. */
function shorter(one: ManifestLine | null, other: ManifestLine | null): ManifestLine | null {
  if (one === null || other === null) return one ?? other
  return other.bytes < one.bytes ? other : one
}

function toReadOf(isin: string, fund: FundTally): ToRead[] {
  const { isBefore, isAfter, keepsName, shortestBefore, shortestAfter, lastYearBefore } = fund
  // Prices that appear for the first time, or no more, are no corrections; nor is a year that follows the last one.
  const hasBoth = lastYearBefore !== '' && fund.hasWindowsAfter
  const windows = fund.windows.filter(({ year }) => hasBoth && year <= lastYearBefore)
  const read: ToRead[] = windows.map(({ year, before, after }) => {
    return { kind: 'window', isin, before, after, isNewest: year === lastYearBefore }
  })
  const tellsNames = windows.some(({ before, after }) => before !== null && after !== null)
  if (isBefore && isAfter && (keepsName || tellsNames)) return read
  const name = { before: shortestBefore, after: shortestAfter }
  const missing = [name.before, name.after].filter((line) => line === null).length
  // Whether a fund was renamed takes both names.
  if (missing === 2 || (missing === 1 && isBefore && isAfter)) return read
  return [...read, { kind: 'name', isin, ...name }]
}

/** Two manifests side by side: what differs by endpoint and fund, and which documents tell more. Pure: streams in. */

import type { DocumentCounts, EndpointChanges } from '../changes/night-changes.ts'
import { parseKey, type KeyMeaning } from '../routes/parse-key.ts'
import type { RouteTable } from '../routes/table.ts'
import type { ManifestLine } from '../snapshot/manifest.ts'
import { endpointOf } from './endpoint-of.ts'
import { mergeSorted } from './sorted.ts'

export interface NightComparison {
  readonly documents: DocumentCounts
  readonly endpoints: readonly EndpointChanges[]
  /** Funds that only the new snapshot gives out, and that only the old one gave out; by ISIN. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** By fund. */
  readonly toRead: readonly ToRead[]
}

/**
 * Documents of a fund to read, as they were and as they are; one at least is not null.
 * - `window`: prices of a year; `isNewest`: the last year that had any before.
 * - `name`: any document, for the fund's name.
 */
export type ToRead = {
  readonly isin: string
  readonly before: ManifestLine | null
  readonly after: ManifestLine | null
} & ({ readonly kind: 'window'; readonly isNewest: boolean } | { readonly kind: 'name' })

/** Memory grows with the number of funds and of windows that differ. */
export async function compareNights(
  from: AsyncIterable<ManifestLine>,
  to: AsyncIterable<ManifestLine>,
  table: RouteTable,
): Promise<NightComparison> {
  const documents = noCounts()
  const endpoints = new Map<string, Tally>()
  const funds = new Map<string, FundTally>()
  for await (const { key, values } of mergeSorted<readonly [ManifestLine, ManifestLine]>(from, to)) {
    const [before = null, after = null] = values
    const isSame = before?.sha256 === after?.sha256 && before?.type === after?.type
    if (!isSame) {
      const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
      documents[change]++
      entry(endpoints, endpointOf(table, key), noCounts)[change]++
    }
    const meaning = parseKey(table, key)
    const isin = isinOf(meaning)
    if (isin !== null) note(entry(funds, isin, newFund), meaning, { before, after, isSame })
  }
  const ascending = [...funds].sort(([one], [other]) => (one < other ? -1 : 1))
  const only = (isIt: (fund: FundTally) => boolean) =>
    ascending.filter(([, fund]) => isIt(fund)).map(([isin]) => isin)
  return {
    documents,
    endpoints: [...endpoints]
      .map(([endpoint, counts]) => ({ endpoint, ...counts }))
      .sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1)),
    added: only(({ isBefore, isAfter }) => isAfter && !isBefore),
    removed: only(({ isBefore, isAfter }) => isBefore && !isAfter),
    toRead: ascending.flatMap(([isin, fund]) => toReadOf(isin, fund)),
  }
}

type Tally = Record<keyof DocumentCounts, number>
const noCounts = (): Tally => ({ added: 0, removed: 0, changed: 0 })

interface Lines {
  readonly before: ManifestLine | null
  readonly after: ManifestLine | null
}

interface FundTally {
  /** Whether it was given out, and is: of one that is withheld there are errors alone. */
  isBefore: boolean
  isAfter: boolean
  /** Each document has the name: where one stayed as it was, so did the name. */
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
  ...{ isBefore: false, isAfter: false, keepsName: false, hasWindowsAfter: false },
  ...{ shortestBefore: null, shortestAfter: null, lastYearBefore: '', windows: [] },
})

function isinOf(meaning: KeyMeaning): string | null {
  if (meaning.kind === 'unknown' || meaning.kind === 'sharedError' || meaning.kind === 'page') return null
  return meaning.values['isin'] ?? null
}

function note(
  fund: FundTally,
  meaning: KeyMeaning,
  { before, after, isSame }: Lines & { readonly isSame: boolean },
): void {
  if (meaning.kind !== 'document' && meaning.kind !== 'window') return
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

/** The first one where they are of one length. */
function shorter(one: ManifestLine | null, other: ManifestLine | null): ManifestLine | null {
  if (one === null || other === null) return one ?? other
  return other.bytes < one.bytes ? other : one
}

function toReadOf(isin: string, fund: FundTally): ToRead[] {
  const { isBefore, isAfter, keepsName, shortestBefore, shortestAfter, lastYearBefore } = fund
  // Prices that are given out for the first time, or no more, are not corrected; a year that follows is not of the past.
  const hasBoth = lastYearBefore !== '' && fund.hasWindowsAfter
  const windows = fund.windows.filter(({ year }) => hasBoth && year <= lastYearBefore)
  const read: ToRead[] = windows.map(({ year, before, after }) => {
    return { kind: 'window', isin, before, after, isNewest: year === lastYearBefore }
  })
  const tellsNames = windows.some(({ before, after }) => before !== null && after !== null)
  if (isBefore && isAfter && (keepsName || tellsNames)) return read
  const name = { before: shortestBefore, after: shortestAfter }
  const isOfUse = isBefore && isAfter ? name.before !== null && name.after !== null : true
  if (!isOfUse || (name.before === null && name.after === null)) return read
  return [...read, { kind: 'name', isin, ...name }]
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

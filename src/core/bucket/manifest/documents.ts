/** Compares two snapshots by fund and endpoint, for guards, news and `changes/`. Reads manifests, no documents. */

import { pricesCurrentAll } from '../../api/endpoints/prices.ts'
import { answeredBy, keyParser, type KeyMeaning } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import { statisticsKey } from '../../guards/statistics.ts'
import type { ManifestLine } from '../../snapshot/manifest.ts'
import { statusFolder } from '../live/layout.ts'
import { entry, isSameObject, mergeSorted, noCounts, type Counts } from './compare.ts'

export type DocumentComparison = ReturnType<ReturnType<typeof documentComparison>['end']>

export interface Lines {
  readonly before: ManifestLine | null
  readonly after: ManifestLine | null
}

/** Prices of a fund in a year, before and after; at least one is not null. `isNewest`: the last year with prices before. */
export interface Window extends Lines {
  readonly isin: string
  readonly isNewest: boolean
}

export async function compareDocuments(
  from: AsyncIterable<ManifestLine>,
  to: AsyncIterable<ManifestLine>,
  table: RouteTable,
): Promise<DocumentComparison> {
  const comparison = documentComparison(table)
  for await (const { key, values } of mergeSorted(from, to)) comparison.add(key, ...values)
  return comparison.end()
}

/** Memory grows with the number of funds, and of groups and windows that differ. */
export function documentComparison(table: RouteTable) {
  const documents = noCounts()
  const funds = new Map<string, FundTally>()
  const groups = new Map<string, Group>()
  const answers = new Map<string, { before: number; after: number }>()
  let newestPrices: Lines | null = null
  const parse = keyParser(table)
  return {
    /** Takes an object of one snapshot, or of both. To be called in the order of keys. */
    add: (key: string, before: ManifestLine | null = null, after: ManifestLine | null = null): void => {
      const change = changeOf(before, after)
      const meaning = parse(key)
      const isin = isinOf(meaning)
      const answered = answeredBy(meaning)
      if (answered !== null) {
        const counts = entry(answers, answered, () => ({ before: 0, after: 0 }))
        if (before !== null) counts.before++
        if (after !== null) counts.after++
      }
      if (isin !== null) note(entry(funds, isin, newFund), meaning, { before, after }, change === null)
      if (change === null) return
      const endpoint = endpointOf(meaning, key)
      documents[change]++
      if (isNewestPrices(meaning)) newestPrices = { before, after }
      const group = entry(groups, `${isin ?? ''} ${endpoint}`, () => newGroup(isin, endpoint))
      group.documents[change]++
      if (change === 'removed' && answered !== null) group.removedAnswers++
    },
    end: () => comparisonOf({ documents, funds, groups, answers, newestPrices }),
  }
}

interface Tallies {
  readonly documents: Counts
  readonly funds: ReadonlyMap<string, FundTally>
  readonly groups: ReadonlyMap<string, Group>
  readonly answers: ReadonlyMap<string, { readonly before: number; readonly after: number }>
  readonly newestPrices: Lines | null
}

function comparisonOf({ documents, funds, groups, answers, newestPrices }: Tallies) {
  const ofFunds = sortedEntries(funds)
  const only = (side: 'before' | 'after', flag: 'isThere' | 'hasDocuments') => {
    const other = side === 'before' ? 'after' : 'before'
    return ofFunds.filter(([, fund]) => fund[side][flag] && !fund[other][flag]).map(([isin]) => isin)
  }
  const gone = only('before', 'isThere')
  const withheld = only('before', 'hasDocuments')
  return {
    documents,
    endpoints: sumsByEndpoint(groups.values()),
    /** ISINs of funds with objects only in the new snapshot, refusals included, and only in the old one. */
    funds: { added: only('after', 'isThere'), removed: gone },
    /** The same for documents: a withheld fund has errors alone. */
    added: only('after', 'hasDocuments'),
    removed: withheld,
    /** ISINs of funds with prices of a calendar year after their last one before. */
    continued: ofFunds.filter(([, fund]) => hasNewYear(fund)).map(([isin]) => isin),
    loss: lossOf(new Set([...gone, ...withheld]), [...groups.values()], documents.removed, answers),
    windows: ofFunds.flatMap(([isin, fund]) => windowsOf(isin, fund)),
    /** The document with the newest price of each fund, if it differs. */
    newestPrices,
  }
}

function sumsByEndpoint(groups: Iterable<Group>) {
  const endpoints = new Map<string, ReturnType<typeof noCounts>>()
  for (const { endpoint, documents } of groups) {
    const sum = entry(endpoints, endpoint, noCounts)
    for (const change of ['added', 'removed', 'changed'] as const) sum[change] += documents[change]
  }
  return sortedEntries(endpoints).map(([endpoint, counts]) => ({ endpoint, ...counts }))
}

const isNewestPrices = (meaning: KeyMeaning) =>
  meaning.kind === 'document' && meaning.format === 'json' && meaning.route.id === pricesCurrentAll.id

function lossOf(
  lost: ReadonlySet<string>,
  groups: readonly Group[],
  removed: number,
  answers: ReadonlyMap<string, { readonly before: number; readonly after: number }>,
) {
  const ofLost = groups.filter(({ isin }) => isin !== null && lost.has(isin))
  const explained = (endpoint: string) =>
    ofLost.reduce((sum, group) => sum + (group.endpoint === endpoint ? group.removedAnswers : 0), 0)
  return {
    funds: [...lost].sort(),
    /** Objects that only the old snapshot has; without those of lost funds. */
    objects: ofLost.reduce((left, { documents }) => left - documents.removed, removed),
    /** Documents by endpoint, without errors. `before` lacks those of lost funds. */
    documents: sortedEntries(answers).map(([endpoint, { before, after }]) => {
      return { endpoint, before: before - explained(endpoint), after }
    }),
  }
}

function changeOf(before: ManifestLine | null, after: ManifestLine | null): keyof Counts | null {
  if (before === null) return 'added'
  if (after === null) return 'removed'
  return isSameObject(before, after) ? null : 'changed'
}

export const sortedEntries = <T>(map: ReadonlyMap<string, T>): (readonly [string, T])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))

/** The route's id; `errors` for those of no endpoint, `pages`, `status`, `statistics`, and `other` for keys that are unknown to this version. */
export function endpointOf(meaning: KeyMeaning, key: string): string {
  if (key === statisticsKey) return 'statistics'
  if (meaning.kind === 'unknown') return 'other'
  if (meaning.kind === 'page') return key.startsWith(statusFolder) ? 'status' : 'pages'
  return meaning.kind === 'sharedError' ? 'errors' : meaning.route.id
}

function isinOf(meaning: KeyMeaning): string | null {
  if (meaning.kind === 'unknown' || meaning.kind === 'sharedError') return null
  return meaning.kind === 'page' ? meaning.isin : (meaning.values['isin'] ?? null)
}

type Group = ReturnType<typeof newGroup>

const newGroup = (isin: string | null, endpoint: string) => ({
  isin,
  endpoint,
  documents: noCounts(),
  /** Without errors. */
  removedAnswers: 0,
})

type FundTally = ReturnType<typeof newFund>

const newFund = () => ({
  before: newSide(),
  after: newSide(),
  windows: [] as (Lines & { readonly year: string })[],
})

/** `lastYear`: with prices. */
const newSide = () => ({ isThere: false, hasDocuments: false, lastYear: '' })

function note(fund: FundTally, meaning: KeyMeaning, lines: Lines, isSame: boolean): void {
  const isDocument = meaning.kind === 'document' || meaning.kind === 'window'
  const year = meaning.kind === 'window' && meaning.format === 'json' ? meaning.year : null
  for (const name of ['before', 'after'] as const) {
    const side = fund[name]
    if (lines[name] === null) continue
    side.isThere = true
    side.hasDocuments ||= isDocument
    if (year !== null) side.lastYear = later(side.lastYear, year)
  }
  if (year !== null && !isSame) fund.windows.push({ year, ...lines })
}

const later = (one: string, other: string) => (other > one ? other : one)

const hasNewYear = ({ before, windows }: FundTally) =>
  before.lastYear !== '' && windows.some(({ year, after }) => after !== null && year > before.lastYear)

function windowsOf(isin: string, { before, after, windows }: FundTally): Window[] {
  // Prices that appear for the first time, or vanish, are no corrections; nor is a year after the last one.
  const hasBoth = before.lastYear !== '' && after.lastYear !== ''
  const past = windows.filter(({ year }) => hasBoth && year <= before.lastYear)
  return past.map(({ year, ...lines }) => ({ isin, ...lines, isNewest: year === before.lastYear }))
}

/** Changes of a publish for readers: the documents that differ between the live snapshot and the new one. Reads, no write. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storedValues } from '../../api/contract/prices.ts'
import type { ManifestHead, ManifestLine } from '../../snapshot/manifest.ts'
import { inSlot, manifestIn, type Slot } from '../live/layout.ts'
import { entry } from '../manifest/compare.ts'
import type { DocumentComparison, Lines, Window } from '../manifest/documents.ts'
import type { Publish } from '../publish/snapshot.ts'
import { readObject } from '../store/read.ts'
import {
  type ChangedData,
  type CorrectedValue,
  mostAwaited,
  type NamedFund,
  type PastDay,
  type SnapshotChanges,
  type SnapshotName,
} from '../../api/contract/changes.ts'
import { statisticsKey } from '../../guards/statistics.ts'
import { awaitedFunds, readStatusDocument, statusKey } from '../../snapshot/status-document.ts'
import type { Comparison } from '../live/options.ts'
import { compareFunds, type FundComparison } from './data.ts'
import { largestMoves, type NewestPrices } from './news.ts'

/** Rows of each kind that are told: more are counted only. */
export const maxRowsTold = 10_000

/** What a publish changes, before anything is compared. @param before null for the first publish */
export function changesWithout(
  head: Pick<ManifestHead, 'asOf' | 'snapshot' | 'funds' | 'objects' | 'restricted'> & {
    readonly freshness: Pick<ManifestHead['freshness'], 'late' | 'stale'>
    readonly withheld?: readonly { readonly isin: string }[]
    readonly awaited: readonly NamedFund[]
  },
  before: SnapshotName | null,
): SnapshotChanges {
  const { asOf, snapshot, objects, freshness, withheld = [], awaited } = head
  // Readers know the funds of the list: those whose data may be given out.
  const unknown = head.restricted?.data ?? []
  const heldBack = withheld.filter(({ isin }) => !unknown.includes(isin))
  return {
    format: 1,
    as_of: asOf,
    snapshot,
    before,
    funds: {
      total: head.funds - unknown.length,
      overdue: freshness.late + freshness.stale,
      stale: freshness.stale,
      held_back: heldBack.length,
      ...(awaited.length > 0 && { awaited: awaited.slice(0, mostAwaited) }),
      added: [],
      removed: [],
      renamed: [],
      ending: [],
      suspended: [],
    },
    documents: { added: before === null ? objects : 0, removed: 0, changed: 0 },
    endpoints: [],
    prices: noPrices(),
    other_data: { values: 0, funds: 0, changed: [] },
    not_compared: [],
  }
}

const noPrices = () => ({
  counts: { corrected: 0, added: 0, removed: 0 },
  totals: { funds_with_new: 0, corrected_prices: 0, corrected_funds: 0 },
  corrected: [] as CorrectedValue[],
  added: [] as PastDay[],
  removed: [] as PastDay[],
})

/** They are named; the others are counted. */
const fundsOfPastDay = 10

export type ReadChanges = Awaited<ReturnType<typeof readChanges>>

/**
 * @param compared `documents` is null if the live slot's manifest cannot be read, or nothing is live
 * @returns `announced`: for `changes/`; null for the snapshot that is live. `corrected`: number of corrected days by ISIN.
 * `pastDays`: by day, the funds with another NAV, issue or repurchase price, unless it is their newest live one
 */
export async function readChanges(publish: Publish, { head: before, documents: compared }: Comparison) {
  const { live } = publish.base.live
  const head = { ...publish.snapshot.manifest.head, awaited: await readAwaited(publish) }
  const corrected = new Map<string, number>()
  const pastDays = new Map<string, { funds: number; readonly first: string[] }>()
  // A repair uploads the snapshot that is live into the other slot.
  if (live?.snapshot === head.snapshot) return { announced: null, corrected, pastDays }
  if (live === null) return { announced: changesWithout(head, null), corrected, pastDays }
  const changes = changesWithout(head, { as_of: live.asOf, snapshot: live.snapshot })
  if (compared === null)
    return { announced: { ...changes, not_compared: [manifestIn(live.slot)] }, corrected, pastDays }
  const { windows, documents, endpoints } = compared
  const notCompared: string[] = []
  const found = await readFunds(publish, live.slot, before).catch(() => null)
  if (found === null) notCompared.push(statisticsKey)
  const { names, renamed, ending, suspended, data, currencyOf } = found ?? nothingKnown
  const prices = noPrices()
  const withNew = new Set(compared.continued)
  const add = (one: Window, read: Both) => {
    const { isin } = one
    try {
      const old = documentIn(one.before, read.before)
      const fresh = documentIn(one.after, read.after)
      const of = compareWindows(daysIn(old), daysIn(fresh), one.isNewest)
      const fund = { isin, name: nameIn(fresh) ?? nameIn(old) }
      const keep = <Row>(
        kept: (NamedFund & Row)[],
        kind: keyof typeof prices.counts,
        rows: readonly Row[],
      ) => {
        prices.counts[kind] += rows.length
        kept.push(...rows.slice(0, maxRowsTold - kept.length).map((row) => ({ ...fund, ...row })))
      }
      const currency = of.corrected.length === 0 ? null : currencyOf(isin)
      const withCurrency = of.corrected.map((row) =>
        currency !== null && amountItems.includes(row.item) ? { ...row, currency } : row,
      )
      keep(prices.corrected, 'corrected', withCurrency)
      keep(prices.added, 'added', of.added)
      keep(prices.removed, 'removed', of.removed)
      if (of.hasNewDays) withNew.add(isin)
      if (of.corrected.length === 0) return
      const days = new Set(of.corrected.map(({ date }) => date)).size
      corrected.set(isin, (corrected.get(isin) ?? 0) + days)
      prices.totals.corrected_prices += days
      for (const day of of.pastDays) {
        const past = entry(pastDays, day, () => ({ funds: 0, first: [] }))
        past.funds++
        if (past.first.length < fundsOfPastDay) past.first.push(isin)
      }
    } catch {
      // Another version may have made it in another form: no reason to stop a publish.
      notCompared.push((one.after ?? one.before)?.key ?? isin)
    }
  }
  for await (const [one, read] of readAll(publish, live.slot, windows)) add(one, read)
  prices.totals.funds_with_new = withNew.size
  prices.totals.corrected_funds = corrected.size
  const { added, removed } = namedFunds(compared, names, head.merged)
  const funds = { ...changes.funds, added, removed, renamed, ending, suspended }
  return {
    announced: {
      ...changes,
      funds,
      documents,
      endpoints,
      prices,
      other_data: toldOf(data),
      not_compared: notCompared,
    },
    corrected,
    pastDays,
  }
}

/** As the status of the new snapshot names them; without one, they are counted only. */
async function readAwaited({ out }: Publish): Promise<readonly NamedFund[]> {
  const status = readStatusDocument(await readFile(join(out, statusKey)).catch(() => null))
  return status === null ? [] : awaitedFunds(status)
}

/** Without statistics, nobody is named. */
const nothingKnown: FundComparison = {
  names: { before: new Map(), after: new Map() },
  renamed: [],
  ending: [],
  suspended: [],
  data: [],
  currencyOf: () => null,
}

const toldOf = (data: readonly ChangedData[]): SnapshotChanges['other_data'] => ({
  values: data.length,
  funds: new Set(data.map(({ isin }) => isin)).size,
  changed: data.slice(0, maxRowsTold),
})

/**
 * Reads the statistics of both snapshots. @param before the live head
 * @returns null if they cannot be compared: another version may have made what is live
 */
async function readFunds(publish: Publish, live: Slot, before: ManifestHead | null) {
  const lineIn = ({ files }: ManifestHead) => files.find(({ key }) => key === statisticsKey) ?? null
  const lines = { before: before && lineIn(before), after: lineIn(publish.snapshot.manifest.head) }
  const read = await readBoth(publish, live, lines)
  return read.before === null || read.after === null
    ? null
    : compareFunds({ before: read.before, after: read.after })
}

/** @param names by ISIN */
function namedFunds(
  { added, removed }: DocumentComparison,
  { before, after }: FundComparison['names'],
  successors: ManifestHead['merged'] = {},
) {
  const named = (isins: readonly string[], names: ReadonlyMap<string, string>) =>
    isins.map((isin) => ({ isin, name: names.get(isin) ?? null }))
  const gone = named(removed, before).map((fund) => {
    const isin = successors[fund.isin]
    return isin === undefined ? fund : { ...fund, successor: { isin, name: after.get(isin) ?? null } }
  })
  return { added: named(added, after), removed: gone }
}

/** @returns null if the moves are unknown */
export async function readMoves(publish: Publish, live: Slot, compared: DocumentComparison | null) {
  const lines = compared?.newestPrices
  if (lines === undefined) return null
  if (lines === null) return []
  const read = await readBoth(publish, live, lines)
  try {
    const before = documentIn(lines.before, read.before)
    const after = documentIn(lines.after, read.after)
    return largestMoves(newestIn(before), newestIn(after))
  } catch {
    return null
  }
}

type Both = Awaited<ReturnType<typeof readBoth>>

/** Reads some documents at a time, in their order: the rows that are kept do not depend on the speed of reads. */
async function* readAll(publish: Publish, live: Slot, windows: readonly Window[]) {
  const { concurrency, lease } = publish
  for (let from = 0; from < windows.length; from += concurrency) {
    lease.writing.signal.throwIfAborted()
    const some = windows.slice(from, from + concurrency)
    yield* await Promise.all(some.map(async (one) => [one, await readBoth(publish, live, one)] as const))
  }
}

async function readBoth(publish: Publish, live: Slot, { before, after }: Lines) {
  const { store, out, base, lease } = publish
  const { signal } = lease.writing
  const fromSlot = async (slot: Slot, line: ManifestLine) =>
    checked((await readObject(store, inSlot(slot, line.key), { signal }))?.body, line)
  // A sparse snapshot's folder lacks files that are in the slot.
  const fromFolder = async (line: ManifestLine) =>
    checked(await readFile(join(out, line.key)).catch(() => undefined), line)
  const [old, fresh] = await Promise.all([
    before === null ? null : fromSlot(live, before),
    after === null ? null : fromFolder(after).then((body) => body ?? fromSlot(base.slot, after)),
  ])
  return { before: old, after: fresh }
}

const checked = (body: Buffer | undefined, { sha256 }: ManifestLine) =>
  body === undefined || hash('sha256', body) !== sha256 ? null : body

type FundDocument = {
  readonly fund?: { readonly name?: unknown } | null
  readonly prices?: unknown
  /** By ISIN, in the document of all funds. */
  readonly funds?: Readonly<Record<string, FundDocument>>
} | null

function documentIn(line: ManifestLine | null, body: Buffer | null): FundDocument {
  if (line === null) return null
  if (body === null) throw new Error('it cannot be read')
  return JSON.parse(body.toString()) as FundDocument
}

const nameIn = (document: FundDocument) =>
  typeof document?.fund?.name === 'string' ? document.fund.name : null

function newestIn(document: FundDocument): NewestPrices {
  const funds = Object.entries(document?.funds ?? {}).map(([isin, fund]) => {
    const prices = fund?.prices as Readonly<Record<string, unknown>>
    const { net_asset_value: nav = '' } = storedValues(prices)
    return [isin, { name: nameIn(fund), date: String(prices['date']), nav }] as const
  })
  return new Map(funds)
}

type Values = ReturnType<typeof storedValues>
/** The prices of one calendar year by day, ISO 8601, ascending. */
type Days = ReadonlyMap<string, Values>

function daysIn(document: FundDocument): Days {
  const days = new Map<string, Values>()
  if (document === null) return days
  if (!Array.isArray(document.prices)) throw new Error('no prices')
  for (const record of document.prices as readonly (Readonly<Record<string, unknown>> | null)[]) {
    if (typeof record?.['date'] === 'string') days.set(record['date'], storedValues(record))
  }
  return days
}

/** Tax figures come later, and what is derived follows other days. */
const priceItems: readonly string[] = ['net_asset_value', 'issue_price', 'repurchase_price']
/** Values in the currency of the fund. */
const amountItems: readonly string[] = [...priceItems, 'change']

/** @param isNewest true for the last year with prices before: a day after its last price is new, not past */
function compareWindows(before: Days, after: Days, isNewest: boolean) {
  const lastDay = [...before.keys()].at(-1) ?? ''
  const isPast = (day: string) => !isNewest || day <= lastDay
  const fresh = [...after.keys()].filter((date) => !before.has(date))
  const added = fresh.filter(isPast)
  const removed = [...before.keys()].filter((date) => !after.has(date))
  const corrected = [...after].flatMap(([date, now]) => correctionsOf(date, before.get(date) ?? now, now))
  const ofPast = corrected.filter(
    ({ date, item }) => priceItems.includes(item) && !(isNewest && date === lastDay),
  )
  return {
    corrected,
    pastDays: new Set(ofPast.map(({ date }) => date)),
    added: added.map((date) => ({ date })),
    removed: removed.map((date) => ({ date })),
    hasNewDays: fresh.length > added.length,
  }
}

function correctionsOf(date: string, before: Values, after: Values) {
  // The NAV tells readers most.
  const items = [...new Set(['net_asset_value', ...Object.keys(after), ...Object.keys(before)])]
  return items
    .map((item) => ({ date, item, before: before[item] ?? null, after: after[item] ?? null }))
    .filter((one) => one.before !== one.after)
}

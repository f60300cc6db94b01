/** What a publish changes for readers: the documents that differ between the live snapshot and the new one. Reads, no write. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManifestHead, ManifestLine } from '../../build/manifest.ts'
import { inSlot, manifestIn, type Slot } from '../live/layout.ts'
import type { DocumentComparison, ToRead } from '../manifest/documents.ts'
import type { Publish } from '../publish/options.ts'
import { readObject } from '../store/read.ts'
import {
  type CorrectedValue,
  maxPriceRows,
  type NamedFund,
  type PastDay,
  type SnapshotChanges,
  type SnapshotName,
} from './day.ts'

/** What is known without reading any document. @param documents how many the snapshot has if nothing was live */
export const changesWithout = (
  { asOf, snapshot, funds: total }: ManifestHead,
  before: SnapshotName | null,
  { documents = 0, notCompared = [] }: { documents?: number; notCompared?: readonly string[] },
): SnapshotChanges => ({
  ...{ format: 1, asOf, snapshot, before },
  funds: { total, added: [], removed: [], renamed: [] },
  documents: { added: documents, removed: 0, changed: 0 },
  ...{ endpoints: [], prices: { counts: noCounts, corrected: [], added: [], removed: [] }, notCompared },
})

const noCounts = { corrected: 0, added: 0, removed: 0 }

/** @param compared null if the live slot's manifest cannot be read */
export async function readChanges(
  publish: Publish,
  live: SnapshotName & { readonly slot: Slot },
  compared: DocumentComparison | null,
): Promise<SnapshotChanges> {
  const { head } = publish.snapshot.manifest
  const before = { asOf: live.asOf, snapshot: live.snapshot }
  if (compared === null) return changesWithout(head, before, { notCompared: [manifestIn(live.slot)] })
  const { asOf, snapshot, funds: total } = head
  const { toRead, documents, endpoints } = compared
  const found = collector()
  // Some at a time, in their order: the rows that are kept do not depend on which was read first.
  for (let from = 0; from < toRead.length; from += publish.concurrency) {
    publish.lease.writing.signal.throwIfAborted()
    const some = toRead.slice(from, from + publish.concurrency)
    const read = await Promise.all(some.map((one) => readBoth(publish, live.slot, one)))
    for (const [index, one] of some.entries()) found.add(one, read[index] ?? nothingRead)
  }
  const named =
    (names: ReadonlyMap<string, string>) =>
    (isin: string): NamedFund => ({ isin, name: names.get(isin) ?? null })
  return {
    ...{ format: 1, asOf, snapshot, before },
    funds: {
      total,
      added: compared.added.map(named(found.namesAfter)),
      removed: compared.removed.map(named(found.namesBefore)),
      renamed: found.renamed(),
    },
    ...{ documents, endpoints, prices: found.prices, notCompared: found.notCompared },
  }
}

interface Both {
  /** Null if there is none, or if it cannot be read. */
  readonly before: string | null
  readonly after: string | null
}
const nothingRead: Both = { before: null, after: null }

async function readBoth(publish: Publish, live: Slot, { before, after }: ToRead): Promise<Both> {
  const { store, out, base, lease } = publish
  const { signal } = lease.writing
  const fromSlot = async (slot: Slot, line: ManifestLine) =>
    textOf((await readObject(store, inSlot(slot, line.key), { signal }))?.body, line)
  // A sparse snapshot's folder lacks files that are in the slot.
  const fromFolder = async (line: ManifestLine) =>
    textOf(await readFile(join(out, line.key)).catch(() => undefined), line)
  const [old, fresh] = await Promise.all([
    before === null ? null : fromSlot(live, before),
    after === null ? null : fromFolder(after).then((text) => text ?? fromSlot(base.slot, after)),
  ])
  return { before: old, after: fresh }
}

/** Null if it is not what the manifest says. */
function textOf(body: Buffer | undefined, { sha256 }: ManifestLine): string | null {
  return body === undefined || hash('sha256', body) !== sha256 ? null : body.toString('utf8')
}

/** Collects what differs in documents, which come in the order of funds. */
function collector() {
  const namesBefore = new Map<string, string>()
  const namesAfter = new Map<string, string>()
  const notCompared: string[] = []
  const counts = { ...noCounts }
  const prices = {
    counts,
    corrected: [] as CorrectedValue[],
    added: [] as PastDay[],
    removed: [] as PastDay[],
  }
  const addPrices = (fund: NamedFund, { corrected, added, removed }: WindowChanges) => {
    const days = { added, removed }
    for (const kind of ['added', 'removed'] as const) {
      counts[kind] += days[kind].length
      const rows = days[kind].slice(0, maxPriceRows - prices[kind].length)
      prices[kind].push(...rows.map((date) => ({ ...fund, date })))
    }
    counts.corrected += corrected.length
    const rows = corrected.slice(0, maxPriceRows - prices.corrected.length)
    prices.corrected.push(...rows.map((one) => ({ ...fund, ...one })))
  }
  return {
    ...{ namesBefore, namesAfter, notCompared, prices },
    add: (one: ToRead, read: Both) => {
      const { isin } = one
      try {
        const [old, fresh] = [documentIn(one.before, read.before), documentIn(one.after, read.after)]
        const changes =
          one.kind === 'window' ? compareWindows(daysIn(old), daysIn(fresh), one.isNewest) : null
        const [before, after] = [nameIn(old), nameIn(fresh)]
        if (before !== null) namesBefore.set(isin, before)
        if (after !== null) namesAfter.set(isin, after)
        if (changes !== null) addPrices({ isin, name: after ?? before }, changes)
      } catch {
        // Another version may have made it in another form: that is no reason to stop a publish.
        notCompared.push((one.after ?? one.before)?.key ?? isin)
      }
    },
    renamed: () =>
      [...namesBefore].flatMap(([isin, before]) => {
        const after = namesAfter.get(isin) ?? before
        return after === before ? [] : [{ isin, before, after }]
      }),
  }
}

/** A document of any endpoint, as far as it matters here. */
type FundDocument = { readonly fund?: { readonly name?: unknown } | null; readonly prices?: unknown } | null

/** @returns null if there is none @throws {Error} if it could not be read, or is no JSON */
function documentIn(line: ManifestLine | null, text: string | null): FundDocument {
  if (line === null) return null
  if (text === null) throw new Error('it cannot be read')
  return JSON.parse(text) as FundDocument
}

function nameIn(document: FundDocument): string | null {
  const name = document?.fund?.name
  return typeof name === 'string' ? name : null
}

/** Values by item, decimals with a point. */
type Values = Readonly<Record<string, string>>
/** The prices of one calendar year by day, ISO 8601, ascending. */
type Days = ReadonlyMap<string, Values>

/** @throws {Error} if the document is not that of a window */
function daysIn(document: FundDocument): Days {
  const days = new Map<string, Values>()
  if (document === null) return days
  if (!Array.isArray(document.prices)) throw new Error('no prices')
  for (const record of document.prices as readonly (Readonly<Record<string, unknown>> | null)[]) {
    if (typeof record?.['date'] === 'string') days.set(record['date'], valuesOf(record))
  }
  return days
}

function valuesOf(record: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    Object.entries(record).flatMap(([item, field]) => {
      const value = (field as { readonly value?: unknown } | null)?.value
      // Historic prices have a decimal comma (src/api/interface.md).
      return typeof value === 'string' ? [[item, value.replace(',', '.')]] : []
    }),
  )
}

interface WindowChanges {
  readonly corrected: readonly Omit<CorrectedValue, keyof NamedFund>[]
  /** ISO 8601 days. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** @param isNewest whether it is the last year that had prices before: a day after its last one is not in the past */
function compareWindows(before: Days, after: Days, isNewest: boolean): WindowChanges {
  const lastDay = [...before.keys()].at(-1) ?? ''
  const isPast = (day: string) => !isNewest || day <= lastDay
  return {
    corrected: [...after].flatMap(([date, values]) => {
      const old = before.get(date)
      return old === undefined ? [] : correctionsOf(old, values).map((one) => ({ date, ...one }))
    }),
    added: [...after.keys()].filter((day) => !before.has(day) && isPast(day)),
    removed: [...before.keys()].filter((day) => !after.has(day)),
  }
}

/** In the order of the items in the records; items that are gone come last. */
function correctionsOf(before: Values, after: Values) {
  const items = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return items
    .map((item) => ({ item, before: before[item] ?? null, after: after[item] ?? null }))
    .filter((one) => one.before !== one.after)
}

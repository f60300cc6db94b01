/** What a night changed for those who read it: the live snapshot beside the new one. Reads, no write. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareWindows, readFundName, readWindow } from '../changes/compare-windows.ts'
import {
  maxRows,
  nothingCorrected,
  type CorrectedValue,
  type NightChanges,
  type PastDay,
  type PastPrices,
} from '../changes/night-changes.ts'
import type { ManifestHead, ManifestLine } from '../snapshot/manifest.ts'
import type { NightComparison, ToRead } from './compare-nights.ts'
import { inSlot, manifestIn, type Slot } from './layout.ts'
import { readObject } from './manifest-reader.ts'
import type { ObjectStore } from './store.ts'

export interface Sides {
  readonly live: { readonly slot: Slot; readonly snapshot: string; readonly asOf: string }
  /** The folder of the new snapshot; what a sparse one lacks stands in the slot. */
  readonly out: string
  readonly slot: Slot
  /** Documents at a time. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** @param compared null where the live slot's manifest cannot be read */
export async function readChanges(
  store: ObjectStore,
  head: ManifestHead,
  compared: NightComparison | null,
  sides: Sides,
): Promise<NightChanges> {
  const { asOf, snapshot, funds: total } = head
  const before = { asOf: sides.live.asOf, snapshot: sides.live.snapshot }
  if (compared === null) {
    const notCompared = [manifestIn(sides.live.slot)]
    return { ...unchanged(head), before, notCompared }
  }
  const found = gathering()
  const { toRead, documents, endpoints } = compared
  // Some at a time, taken in their order: what is kept does not depend on which was read first.
  for (let from = 0; from < toRead.length; from += sides.concurrency) {
    sides.signal.throwIfAborted()
    const some = toRead.slice(from, from + sides.concurrency)
    const read = await Promise.all(some.map((one) => readBoth(store, one, sides)))
    for (const [index, one] of some.entries()) found.take(one, read[index] ?? nothingRead)
  }
  const named = (isin: string, names: ReadonlyMap<string, string>) => ({
    isin,
    name: names.get(isin) ?? null,
  })
  return {
    ...{ format: 1, asOf, snapshot, before },
    funds: {
      total,
      added: compared.added.map((isin) => named(isin, found.namesAfter)),
      removed: compared.removed.map((isin) => named(isin, found.namesBefore)),
      renamed: found.renamed(),
    },
    ...{ documents, endpoints },
    prices: found.prices(),
    notCompared: found.notCompared,
  }
}

/** Of a night of which nothing is known but what it has. */
const unchanged = ({ asOf, snapshot, funds: total }: ManifestHead): NightChanges => ({
  ...{ format: 1, asOf, snapshot, before: null },
  funds: { total, added: [], removed: [], renamed: [] },
  documents: { added: 0, removed: 0, changed: 0 },
  ...{ endpoints: [], prices: nothingCorrected, notCompared: [] },
})

/** The night before which nothing was live. */
export const firstNight = (head: ManifestHead): NightChanges => ({
  ...unchanged(head),
  documents: { added: head.objects, removed: 0, changed: 0 },
})

interface Both {
  /** Null where there is none to be read, or where it cannot be. */
  readonly before: string | null
  readonly after: string | null
}
const nothingRead: Both = { before: null, after: null }

async function readBoth(store: ObjectStore, { before, after }: ToRead, sides: Sides): Promise<Both> {
  const { live, slot, out, signal } = sides
  const fromSlot = async (of: Slot, line: ManifestLine) =>
    textOf((await readObject(store, inSlot(of, line.key), { signal }))?.body, line)
  const fresh = async (line: ManifestLine) =>
    textOf(await readFile(join(out, line.key)).catch(() => undefined), line) ?? (await fromSlot(slot, line))
  const [old, now] = await Promise.all([
    before === null ? null : fromSlot(live.slot, before),
    after === null ? null : fresh(after),
  ])
  return { before: old, after: now }
}

/** Null where it is not what the manifest says. */
function textOf(body: Buffer | undefined, { sha256 }: ManifestLine): string | null {
  if (body === undefined || createHash('sha256').update(body).digest('hex') !== sha256) return null
  return body.toString('utf8')
}

/** Takes documents in the order of funds. */
function gathering() {
  const namesBefore = new Map<string, string>()
  const namesAfter = new Map<string, string>()
  const notCompared: string[] = []
  const counts = { ...nothingCorrected.counts }
  const rows = { corrected: [] as CorrectedValue[], added: [] as PastDay[], removed: [] as PastDay[] }
  const noteNames = (isin: string, before: string | null, after: string | null) => {
    if (before !== null) namesBefore.set(isin, before)
    if (after !== null) namesAfter.set(isin, after)
  }
  const takeWindows = (isin: string, isNewest: boolean, { before, after }: Both) => {
    const old = before === null ? null : readWindow(before)
    const now = after === null ? null : readWindow(after)
    noteNames(isin, old?.fund ?? null, now?.fund ?? null)
    const name = now?.fund ?? old?.fund ?? null
    const found = compareWindows(old, now, isNewest)
    for (const kind of ['added', 'removed'] as const) {
      counts[kind] += found[kind].length
      for (const date of found[kind]) if (rows[kind].length < maxRows) rows[kind].push({ isin, name, date })
    }
    counts.corrected += found.corrected.length
    for (const one of found.corrected)
      if (rows.corrected.length < maxRows) rows.corrected.push({ isin, name, ...one })
  }
  return {
    ...{ namesBefore, namesAfter, notCompared },
    take: (one: ToRead, read: Both) => {
      const isLost =
        (one.before !== null && read.before === null) || (one.after !== null && read.after === null)
      try {
        if (isLost) throw new Error('not to be read')
        if (one.kind === 'window') takeWindows(one.isin, one.isNewest, read)
        else noteNames(one.isin, nameOf(read.before), nameOf(read.after))
      } catch {
        // Also what another version made otherwise: what changed in it is no reason to stop a night.
        notCompared.push((one.after ?? one.before)?.key ?? one.isin)
      }
    },
    prices: (): PastPrices => ({ counts, ...rows }),
    renamed: () =>
      [...namesBefore].flatMap(([isin, before]) => {
        const after = namesAfter.get(isin) ?? before
        return after === before ? [] : [{ isin, before, after }]
      }),
  }
}

const nameOf = (text: string | null) => (text === null ? null : readFundName(text))

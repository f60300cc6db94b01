/** What a publish would take away from readers: the snapshot compared with the live one, and what the guards say to that. */

import { type WindowList, windowListKey } from '../../api/routes/keys.ts'
import { judge, type Objection, Refusal } from '../../guards/guards.ts'
import { fewPrices, type Loss, lossByCounts, objectionsTo, type SnapshotFigures } from '../../guards/loss.ts'
import { inSlot, manifestIn } from '../live/layout.ts'
import type { LiveSnapshot } from '../live/live.ts'
import { compareDocuments } from '../manifest/documents.ts'
import { fetchHead, fetchManifest } from '../manifest/manifest.ts'
import { inParallel } from '../store/in-parallel.ts'
import { readSmall } from '../store/read.ts'
import { Damaged } from '../store/store.ts'
import type { Flipping } from './options.ts'

export type Comparison = Awaited<ReturnType<typeof compareWithLive>>

/** By ISIN, how many prices that are live have other values; null if nobody has looked. */
type Corrected = ReadonlyMap<string, number> | null

/**
 * `head`: the first line of the live manifest; null if nothing is live, or if it cannot be read. `documents`: null also if
 * the rest cannot be read.
 * @throws {Error} if the store fails
 */
export async function compareWithLive({ store, base, snapshot, folder, table }: Flipping) {
  const { live } = base.live
  if (live === null) return { head: null, documents: null }
  const manifest = await fetchManifest(store, live.slot, folder, true)
  const head = manifest?.head ?? (await fetchHead(store, manifestIn(live.slot)).catch(nullIfDamaged))
  if (head?.snapshot !== live.snapshot) return { head: null, documents: null }
  if (manifest === null) return { head, documents: null }
  // Objects alone: the files of /status/ differ each day.
  const documents = await compareDocuments(manifest.objects(), snapshot.manifest.objects(), table)
  return { head, documents }
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof Damaged) return null
  throw error
}

/**
 * @param before what an operator had allowed when the snapshot was staged: it stays allowed
 * @returns what an operator has allowed besides @throws {Refusal} that names everything else
 */
export async function refuseLosses(
  publish: Flipping,
  comparison: Comparison,
  corrected: Corrected,
  before: readonly { readonly guard: string; readonly subject: string | null }[] = [],
) {
  const { snapshot, base, limits, override, today, onRefusal } = publish
  const { head } = snapshot.manifest
  const { live } = base.live
  const figures = live === null ? null : { ...live, counts: comparison.head?.counts }
  const loss = figures === null ? null : await lossSince(publish, figures, comparison, corrected)
  const isNew = ({ guard, subject }: Objection) =>
    !before.some((one) => one.guard === guard && one.subject === subject)
  const { refused, allowed } = judge(objectionsTo(head, figures, loss, limits, today).filter(isNew), override)
  if (onRefusal !== undefined) for (const one of refused) onRefusal(one)
  else if (refused.length > 0) throw new Refusal(`the snapshot ${head.snapshot}`, refused)
  return allowed
}

async function lossSince(
  publish: Flipping,
  live: LiveSnapshot & SnapshotFigures,
  { documents }: Comparison,
  corrected: Corrected,
): Promise<Loss> {
  const { head } = publish.snapshot.manifest
  if (documents === null) return lossByCounts(live, head)
  const { funds, ...loss } = documents.loss
  const [before = 0, after = 0] = [live.counts, head.counts].map((counts) => counts?.rows['price'])
  const lost = after >= before ? [] : funds
  const changed = [...(corrected ?? [])].map(([isin, prices]) => ({ isin, prices }))
  const many = changed.filter(({ prices }) => prices > fewPrices).map(({ isin }) => isin)
  const pricesOf = await livePricesOf(publish, live, [...lost, ...many])
  const known = lost.flatMap((isin) => pricesOf(isin) ?? [])
  const isKnown = lost.length > 0 && known.length === lost.length
  return {
    ...loss,
    funds: funds.length,
    // A fund that is withheld in the live snapshot is not named.
    isins: documents.removed,
    prices: isKnown ? known.reduce((sum, prices) => sum + prices, 0) : null,
    changed: changed.map((one) => ({ ...one, of: pricesOf(one.isin) })),
  }
}

/** How many price rows each of these funds has live: null if its list of windows is missing (the fund was withheld) or damaged. */
async function livePricesOf(
  { store, table, concurrency }: Flipping,
  { slot }: LiveSnapshot,
  isins: readonly string[],
) {
  const route = table.routes.find(({ series }) => series !== undefined)
  const found = new Map<string, number>()
  await inParallel(route === undefined ? [] : isins, concurrency, async (isin) => {
    if (route === undefined) return
    const text = (await readSmall(store, inSlot(slot, windowListKey(route, { isin }))))?.text ?? ''
    try {
      const { windows } = JSON.parse(text) as WindowList
      const prices = windows.reduce((sum, { records }) => sum + records, 0)
      found.set(isin, prices)
    } catch {
      // It is not known.
    }
  })
  return (isin: string) => found.get(isin) ?? null
}

/** What a publish would take away from readers: the snapshot compared with the live one, and what the guards say to that. */

import { type WindowList, windowListKey } from '../../api/routes/keys.ts'
import { judge, type Objection, Refusal } from '../../guards/guards.ts'
import { lossByCounts, objectionsTo, type SnapshotFigures } from '../../guards/loss.ts'
import { inSlot, manifestIn } from '../live/layout.ts'
import type { LiveSnapshot } from '../live/live.ts'
import { compareDocuments } from '../manifest/documents.ts'
import { fetchHead, fetchManifest } from '../manifest/manifest.ts'
import { inParallel } from '../store/in-parallel.ts'
import { readSmall } from '../store/read.ts'
import { Damaged } from '../store/store.ts'
import type { Flipping } from './options.ts'

export type Comparison = Awaited<ReturnType<typeof compareWithLive>>

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
  before: readonly { readonly guard: string; readonly subject: string | null }[] = [],
) {
  const { snapshot, base, limits, override, today, onRefusal } = publish
  const { head } = snapshot.manifest
  const { live } = base.live
  const figures = live === null ? null : { ...live, counts: comparison.head?.counts }
  const loss = figures === null ? null : await lossSince(publish, figures, comparison)
  const isNew = ({ guard, subject }: Objection) =>
    !before.some((one) => one.guard === guard && one.subject === subject)
  const { refused, allowed } = judge(objectionsTo(head, figures, loss, limits, today).filter(isNew), override)
  if (onRefusal !== undefined) for (const one of refused) onRefusal(one)
  else if (refused.length > 0) throw new Refusal(`the snapshot ${head.snapshot}`, refused)
  return allowed
}

async function lossSince(publish: Flipping, live: LiveSnapshot & SnapshotFigures, { documents }: Comparison) {
  const { head } = publish.snapshot.manifest
  if (documents === null) return lossByCounts(live, head)
  const { funds, ...loss } = documents.loss
  const [before = 0, after = 0] = [live.counts, head.counts].map((counts) => counts?.rows['price'])
  const prices = funds.length === 0 || after >= before ? null : await pricesOf(publish, live, funds)
  // A fund that is withheld in the live snapshot is not named.
  return { ...loss, funds: funds.length, isins: documents.removed, prices }
}

/** How many price rows these funds have live. @returns null if a list of windows is missing (the fund was withheld) or damaged */
async function pricesOf(
  { store, table, concurrency }: Flipping,
  { slot }: LiveSnapshot,
  isins: readonly string[],
) {
  const route = table.routes.find(({ series }) => series !== undefined)
  if (route === undefined) return null
  const texts: string[] = []
  await inParallel(isins, concurrency, async (isin) => {
    texts.push((await readSmall(store, inSlot(slot, windowListKey(route, { isin }))))?.text ?? '')
  })
  try {
    return texts
      .flatMap((text) => (JSON.parse(text) as WindowList).windows)
      .reduce((sum, { records }) => sum + records, 0)
  } catch {
    return null
  }
}

/** Asks the guards whether a snapshot may go live in place of the live one. */

import { type WindowList, windowListKey } from '../../api/routes/keys.ts'
import type { ReadChanges } from '../changes/compare.ts'
import { givenOutAgain, holdAgainst } from '../../guards/going-back.ts'
import { changedSettings } from '../../guards/settings.ts'
import { judge, type Objection, Refusal } from '../../guards/guards.ts'
import {
  fewPrices,
  type Loss,
  lossByCounts,
  newFunds,
  objectionsTo,
  type SnapshotFigures,
} from '../../guards/loss.ts'
import { compareDocuments } from '../manifest/documents.ts'
import { fetchHead, fetchManifest, type Manifest } from '../manifest/manifest.ts'
import { inParallel } from '../store/in-parallel.ts'
import { readSmall } from '../store/read.ts'
import { nullIfDamaged } from '../store/store.ts'
import { type ReadObjectText, signatureObjections, textsIn } from './signed.ts'
import { edgeObjections } from './edges.ts'
import { inSlot, manifestIn } from './layout.ts'
import type { LiveSnapshot } from './live.ts'
import type { Arrival, Verdict, Comparison, Door } from './options.ts'

interface Asking extends Pick<Arrival, 'manifest' | 'live' | 'slot'> {
  /** `stage`: no flip yet, so a hold does not refuse it. */
  readonly kind: Arrival['kind'] | 'stage'
  /** Absent: compared here. */
  readonly compared?: Comparison
  /** Reads the snapshot's folder before an upload; absent: its slot is read. */
  readonly folderTexts?: ReadObjectText
  /** Absent for a flip: the stage has read the documents, and what is live has not changed since. */
  readonly read?: ReadChanges
}

/**
 * Forwards, guards compare the snapshot with what is live. Backwards, a loss is intended: only holds and withdrawals count.
 * In both directions, the signature has to be one of a trusted key, and known edges have to read the slot.
 * @throws {Refusal} that names each objection without an override @throws {Error} if the store fails
 */
export async function askGuards(door: Door, asking: Asking): Promise<Verdict> {
  const { store, override, onRefusal } = door
  const { kind, manifest, live, slot } = asking
  const { head } = manifest
  const isBack = kind === 'rollback' || kind === 'return'
  const compared = asking.compared ?? (await compareWithLive(door, asking, isBack))
  const objections: Objection[] = kind === 'stage' ? [] : [...holdAgainst(head.snapshot, live.live)]
  const signed = await signatureObjections(
    asking.folderTexts ?? textsIn(store, slot),
    manifest,
    door.signing,
    asking.folderTexts === undefined
      ? { hasChanges: true, place: `${slot}/` }
      : { hasChanges: false, place: '' },
  )
  objections.push(...signed.objections)
  const announced =
    kind === 'flip' ? ((await door.compared?.read(store, slot, head, signed.sums)) ?? null) : null
  if (isBack) objections.push(...withdrawnSince(asking, compared))
  else {
    const settings = changedSettings(compared.head?.published, head.published, signed.objections.length === 0)
    const lost = await losses(door, asking, compared)
    objections.push(...withoutAllowed([...settings, ...lost], announced))
  }
  // Edges may be updated between stage and flip. A return takes damaged bodies away, to a slot that edges were asked about before.
  if (kind !== 'stage' && kind !== 'return')
    objections.push(...(await edgeObjections(door.askEdges, slot, kind !== 'publish')))
  const { refused, allowed } = judge(objections, override)
  if (onRefusal !== undefined) for (const one of refused) onRefusal(one)
  else if (refused.length > 0) throw new Refusal(`the snapshot ${head.snapshot}`, refused)
  return { allowed, compared, announced }
}

function withdrawnSince({ manifest, live }: Asking, { head }: Comparison): readonly Objection[] {
  if (live.live?.restricted === undefined) return []
  return givenOutAgain(head === null ? null : (head.restricted ?? {}), manifest.head)
}

async function losses(
  door: Door,
  { manifest, live, read }: Asking,
  compared: Comparison,
): Promise<readonly Objection[]> {
  const { head } = manifest
  const { counts, freshness = live.live?.freshness } = compared.head ?? {}
  const figures = live.live === null || freshness === undefined ? null : { ...live.live, counts, freshness }
  const loss = figures === null ? null : await lossSince(door, figures, head, compared, read)
  const { funds, added = [] } = compared.documents ?? {}
  const isNew = new Set(funds?.added)
  const fresh = added.filter((isin) => isNew.has(isin))
  return [
    ...(figures === null ? [] : newFunds(head, figures, fresh, door.strictness)),
    ...objectionsTo(head, figures, loss, door.strictness, door.today),
  ]
}

const withoutAllowed = (objections: readonly Objection[], announced: Verdict['announced']) =>
  objections.filter(
    ({ guard, subject }) =>
      !announced?.allowed?.some((one) => one.guard === guard && one.subject === subject),
  )

async function compareWithLive(
  door: Door,
  { live, manifest: next }: Pick<Asking, 'live' | 'manifest'>,
  isBrief: boolean,
): Promise<Comparison> {
  const { head, objects } = await openLive(door, live, isBrief)
  if (objects === null) return { head, documents: null }
  // Objects alone: the files of `status/` differ each day.
  return { head, documents: await compareDocuments(objects(), next.objects(), door.table) }
}

/**
 * The live manifest; both members are null if nothing is live, or if it cannot be read.
 * @param isBrief reads only its first line @throws {Error} if the store fails
 */
export async function openLive(
  { store, folder }: Pick<Door, 'store' | 'folder'>,
  { live }: Asking['live'],
  isBrief = false,
): Promise<Pick<Comparison, 'head'> & { readonly objects: Manifest['objects'] | null }> {
  const none = { head: null, objects: null }
  if (live === null) return none
  const manifest = isBrief ? null : await fetchManifest(store, live.slot, folder, true)
  const head = manifest?.head ?? (await fetchHead(store, manifestIn(live.slot)).catch(nullIfDamaged))
  return head?.snapshot === live.snapshot ? { head, objects: manifest?.objects ?? null } : none
}

async function lossSince(
  door: Door,
  live: LiveSnapshot & SnapshotFigures,
  head: SnapshotFigures,
  { documents }: Comparison,
  read: ReadChanges | undefined,
): Promise<Loss> {
  if (documents === null) return lossByCounts(live, head)
  const { funds, ...loss } = documents.loss
  const [before = 0, after = 0] = [live.counts, head.counts].map((counts) => counts?.rows['price'])
  const lost = after >= before ? [] : funds
  const changed = [...(read?.corrected ?? [])].map(([isin, prices]) => ({ isin, prices }))
  const many = changed.filter(({ prices }) => prices > fewPrices).map(({ isin }) => isin)
  const pricesOf = await livePricesOf(door, live, [...lost, ...many])
  const known = lost.flatMap((isin) => pricesOf(isin) ?? [])
  const isKnown = lost.length > 0 && known.length === lost.length
  return {
    ...loss,
    funds: funds.length,
    // A fund that is withheld in the live snapshot stays unnamed.
    isins: documents.removed,
    prices: isKnown ? known.reduce((sum, prices) => sum + prices, 0) : null,
    changed: changed.map((one) => ({ ...one, of: pricesOf(one.isin) })),
    changedDays: [...(read?.pastDays ?? [])].map(([day, past]) => ({ day, ...past })),
    renamed: read?.announced?.funds.renamed ?? [],
  }
}

/** Number of live price rows by fund; null if its list of windows is missing (the fund was withheld) or damaged. */
async function livePricesOf(
  { store, table, concurrency }: Door,
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
      // Damaged: the number stays unknown.
    }
  })
  return (isin: string) => found.get(isin) ?? null
}

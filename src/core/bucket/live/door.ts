/** The door: the one function that lets `live.json` name another snapshot. Every command that does so ends in it. */

import { countsByMark } from '../../guards/assess.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import { messageOf } from '../../system/message.ts'
import { ConditionFailed, type ObjectStore } from '../store/store.ts'
import { askGuards } from './ask.ts'
import { assertWhole } from './whole.ts'
import { downloadDays, earlierAfter, type RemovedFolder } from './download-folders.ts'
import { assertFollowed, namesFollower, point, pointStaged, type Following } from './follow.ts'
import { signChanges } from './signed.ts'
import {
  changesFolder,
  changesKey,
  downloadDaysKey,
  inSlot,
  liveKey,
  type Slot,
  stagedKey,
} from './layout.ts'
import { type Lease, LeaseLost } from './lease.ts'
import { isSameLive, readLive, smallObject, snapshotOf, snapshotsIn } from './live.ts'
import type { Hold, Live, LiveObject, LiveSnapshot } from './live.ts'
import type { Arrival, Verdict, Door, Gone } from './options.ts'
import { findRemoved, newlyRestricted, removeFolders, digestOfRestricted } from './removal.ts'

/**
 * In this order: the slot is listed and compared with its manifest, and damage is put again if the snapshot is at hand; every
 * guard is asked; one conditional write; the history; what is withdrawn or expired is removed.
 * @throws {Refusal} if a guard refuses @throws {Error} if the slot is not whole, if another snapshot went live meanwhile, or if the
 * result of the write is unknown. What was live stays live, but in the last case
 */
export async function goLive(door: Door, arrival: Arrival): Promise<Gone> {
  const { store, lease, onGone } = door
  const { kind, live, reason } = arrival
  const { next, removed, ...found } = await admit(door, arrival)
  const isBack = goesBack(arrival)
  const fenced = arrival.fenced ?? (isBack ? live : await fence(store, live, door))
  if (!isBack) lease.settle()
  await write(door, next, fenced, isBack)
  await tidyUp(door, arrival, next, found.mended)
  // Exceptions in the build of a staged snapshot were noted with the stage.
  const inBuild = kind === 'publish' ? (arrival.manifest.head.allowed ?? []) : []
  const allowed = [...inBuild, ...found.allowed]
  const gone = {
    kind,
    live: next,
    manifest: arrival.manifest.head,
    before: live.live,
    reason,
    removed,
    ...found,
    allowed,
  }
  await onGone?.(gone)
  if (!isBack) await removeFolders(door, next, removed)
  return gone
}

/**
 * Writes `staged.json` in place of `live.json`; `flip` brings the snapshot to the door again. The slot counts as whole only
 * afterwards: a whole slot holds what was live, or what `staged.json` names. Readers still use all downloads, so none is removed.
 */
export async function stage(door: Door, arrival: Arrival): Promise<Pick<Gone, 'mended' | 'removed'>> {
  const { store, lease, pointer } = door
  const { next, mended } = await admit(door, arrival)
  await store.put(smallObject(stagedKey, next), undefined, lease.writing)
  await lease.markTorn(arrival.slot, null)
  if (next.changes !== undefined) await store.delete([next.changes])
  await pointStaged(pointer, next)
  return { mended, removed: [] }
}

async function admit(door: Door, arrival: Arrival) {
  const { store, lease, pointer, slots } = door
  const { live } = arrival
  assertFollowed(store, live.live, door)
  // `live.json` may name no KeyValueStore yet, or be missing.
  assertFollowed(store, arrival.staged ?? null, door, stagedKey)
  const mended = await assertWhole(door, arrival)
  const asked = arrival.asked ?? (await askGuards(door, arrival))
  const removed = goesBack(arrival) ? [] : await findOutdated(door, arrival, asked)
  lease.writing.signal.throwIfAborted()
  const next = liveAfter(arrival, { now: await lease.assertHeld(), asked, pointer, slots, removed })
  // Only a publish may write to a slot: those who release a staged snapshot need no right to, and no key.
  if (arrival.kind === 'publish') await writeDays(door, arrival, next)
  return { next, removed, mended, ...asked }
}

/** The last file of `changes/`: then all of it can be signed. */
async function writeDays(door: Door, { slot, manifest, written = new Map() }: Arrival, next: Live) {
  const days = smallObject(inSlot(slot, downloadDaysKey), downloadDays(next))
  await door.store.put(days, undefined, door.lease.writing)
  const name = downloadDaysKey.slice(changesFolder.length)
  await signChanges(door, slot, manifest.head, new Map([...written, [name, days.sha256]]))
}

const goesBack = ({ kind }: Arrival) => kind === 'rollback' || kind === 'return'

function findOutdated(
  door: Door,
  { slot, manifest, brought, live, restricted }: Arrival,
  { compared }: Verdict,
) {
  const { head } = manifest
  const toSearch = restricted ?? newlyRestricted(door, head, compared.head)
  const next = { ...head, downloads: brought.downloads }
  const former = live.live === null ? [] : formerAfter(slot, live.live, door.slots)
  return findRemoved(door, next, live.live, former, toSearch)
}

interface Circumstances {
  /** By the store's clock. */
  readonly now: Date
  readonly asked: Verdict
  readonly pointer: Following['pointer']
  readonly slots: number
  /** Folders of downloads that the new `live.json` leaves out. */
  readonly removed: readonly RemovedFolder[]
}

function liveAfter(arrival: Arrival, { now, asked, pointer, slots, removed }: Circumstances): Live {
  const { kind, slot, brought, manifest, live } = arrival
  const { snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, freshness, restricted }: ManifestHead =
    manifest.head
  const { live: before } = live
  // Answers carry this time as Last-Modified, in whole seconds: it never goes back, whatever the clocks say.
  const earliest = before === null ? -Infinity : Date.parse(before.liveSince) + 1000
  const [previous = null, ...older] = before === null ? [] : formerAfter(slot, before, slots)
  const liveSince = new Date(Math.max(now.getTime(), earliest)).toISOString()
  return {
    format: 1,
    slot,
    snapshot,
    asOf,
    funds,
    objects,
    bytes,
    newestPrice,
    docsUrl,
    ...brought,
    freshness: countsByMark((mark) => freshness[mark]),
    restricted: digestOfRestricted(restricted),
    liveSince,
    broughtBy: kind === 'rollback' || kind === 'return' ? kind : undefined,
    hold: holdAfter(arrival, asked, liveSince),
    keyValueStore: pointer?.name,
    earlierDownloads: earlierAfter({ asOf }, before, removed),
    previous,
    // Two slots have no further one.
    older: older.length === 0 ? undefined : older,
  }
}

/** @param slot that is about to be live @param count of slots @returns what the others hold then, the one that was live last first */
function formerAfter(slot: Slot, before: Live, count: number): LiveSnapshot[] {
  const [, ...former] = snapshotsIn(before)
  const others = former.filter((one) => one.slot !== slot && one.slot !== before.slot)
  return [snapshotOf(before), ...others].slice(0, count - 1)
}

/** A rollback holds its snapshot, unless it lifts a hold; a repair of a held snapshot keeps the hold. */
function holdAfter(
  { kind, manifest, live, isHolding, reason }: Arrival,
  { allowed }: Verdict,
  since: string,
) {
  const { live: before } = live
  if (before === null) return undefined
  const isLifting = allowed.some(({ guard }) => guard === 'hold')
  const hold: Hold = { since, reason, reverted: before.snapshot }
  if (kind === 'rollback') return isHolding === true && !isLifting ? hold : undefined
  return manifest.head.snapshot === before.snapshot ? before.hold : undefined
}

async function write(door: Door, next: Live, expected: LiveObject, isBack: boolean): Promise<void> {
  const { store, isLocking, lease, signal, onWarning } = door
  const unanswered = store.unanswered()
  try {
    const condition = isLocking ? expected.condition : undefined
    await store.put(smallObject(liveKey, next), condition, { assertFresh: lease.assertFresh })
  } catch (error) {
    // Nothing was sent.
    if (error instanceof LeaseLost && store.unanswered() === unanswered) throw error
    // The store may have carried out the write without an answer.
    const found = await readLive(store).catch(() => null)
    if (found !== null && isSameLive(found.live, next)) return
    if (error instanceof ConditionFailed)
      throw liveChanged(store, isBack ? 'nothing was taken back' : notFlipped, error)
    const again = isBack ? '' : ', and publish again'
    const unknown = `nobody knows whether ${next.snapshot} went live: look at \`fundpress status\`${again}`
    // A stopped command reports nothing else.
    if (signal.aborted) onWarning(unknown)
    throw new Error(`${messageOf(error)}; ${unknown}`, { cause: error })
  }
}

async function tidyUp(
  { store, lease, pointer, onWarning }: Door,
  { kind, slot, hasStagedFile }: Arrival,
  live: Live,
  mended: number,
): Promise<void> {
  try {
    const hasChanged = kind === 'publish' || mended > 0
    if (hasChanged) await lease.markTorn(slot, null)
    const outdated = [...(hasChanged ? [changesKey(lease.id)] : []), ...(hasStagedFile ? [stagedKey] : [])]
    if (outdated.length > 0) await store.delete(outdated, lease.writing)
  } catch (error) {
    const why = error instanceof LeaseLost ? 'the lease was lost' : messageOf(error)
    onWarning(`${live.snapshot} is live, but the notes of this publish are not tidied up: ${why}`)
  }
  await point(pointer, live)
  await pointStaged(pointer, null)
}

const notFlipped = 'nothing was flipped, publish again'
const maxFences = 5

/**
 * Makes sure that no other process makes the other slot live from here on. If requests of earlier holders may still arrive, it
 * rewrites `live.json` with the same meaning and another ETag: their flips fail then. Else `live.json` must only be
 * unchanged: another tool asks for no lease. A stage may lack the right to write `live.json`:
 * it has waited for late requests, stays unsettled, and the next flip fences.
 * @returns what the flip must find @throws {Error} if another snapshot went live
 */
export async function fence(
  store: ObjectStore,
  before: LiveObject,
  {
    isLocking,
    lease,
    isStaging = false,
  }: { readonly isLocking: boolean; readonly lease: Lease; readonly isStaging?: boolean },
): Promise<LiveObject> {
  // While nothing is live there are no readers yet.
  if (before.live === null || before.isDamaged) return before
  // Without conditions, too: edges count on it that nobody writes to a slot while `live.json` is damaged.
  if (!isLocking || !lease.isUnsettled || isStaging) {
    const now = await readLive(store)
    // The same snapshot with another ETag means a flip there and back: edges may have followed it.
    if (isSameLive(now.live, before.live) && hasSameEtag(now, before)) return before
    throw liveChanged(store, notFlipped)
  }
  let found = before
  for (let attempt = 1; found.live !== null && isSameLive(found.live, before.live); attempt++) {
    try {
      const fenced = smallObject(liveKey, { ...found.live, fence: lease.id })
      const { etag } = await store.put(fenced, found.condition)
      return { ...before, condition: { ifMatch: etag } }
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === maxFences) throw error
      found = await readLive(store)
    }
  }
  throw liveChanged(store, notFlipped)
}

const hasSameEtag = ({ condition: one }: LiveObject, { condition: other }: LiveObject) =>
  'ifMatch' in one && 'ifMatch' in other && one.ifMatch === other.ifMatch

const liveChanged = (store: ObjectStore, undone: string, cause?: unknown) =>
  new Error(`${store.name}: somebody else changed live.json meanwhile; ${undone}`, { cause })

/** Writes the follower of the bucket into `live.json`, without a flip. Like a fence, the write never restores earlier bytes. */
export async function noteFollower(
  store: ObjectStore,
  { live, condition }: LiveObject,
  { pointer, isLocking, lease }: Pick<Following, 'pointer'> & { isLocking: boolean; lease: Lease },
): Promise<void> {
  if (live === null || namesFollower(live, pointer)) return
  const noted = smallObject(liveKey, { ...live, keyValueStore: pointer?.name, fence: lease.id })
  await store.put(noted, isLocking ? condition : undefined, lease.writing)
}

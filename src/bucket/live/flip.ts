/** The writes of `live.json`: the fence before a publish changes the other slot, and the flip of a publish or rollback. */

import type { ManifestHead } from '../../build/manifest.ts'
import type { FreshnessCounts } from '../../guards/assess.ts'
import { messageOf } from '../../system/message.ts'
import { ConditionFailed, type ObjectStore } from '../store/store.ts'
import { earlierAfter, type RemovedFolder } from './download-folders.ts'
import { liveKey, type Slot } from './layout.ts'
import { type Lease, LeaseLost, type LeaseOptions } from './lease.ts'
import { isSameLive, readLive, smallObject, snapshotOf } from './live.ts'
import type { Live, LiveObject, LiveSnapshot } from './live.ts'
import { digestOfRestricted } from './withdrawn.ts'

const notFlipped = 'nothing was flipped, publish again'
const maxFences = 5

/**
 * Makes sure that nobody else makes the other slot live from here on. If requests of earlier holders may still arrive, it
 * rewrites `live.json` with the same meaning and another ETag: their flips fail then. Else `live.json` must only be
 * unchanged: another tool, or a rollback of an earlier version, asks for no lease. A stage never writes `live.json`, which its
 * role may not: it has waited for late requests, stays unsettled, and the next flip fences.
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
  if (!isLocking || before.live === null) return before
  if (!lease.isUnsettled || isStaging) {
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

/**
 * What `live.json` says when a snapshot goes live.
 * @param brought what is not in its manifest @param now by the store's clock @param before what is live until then
 * @param removed folders of downloads that it names no longer
 */
export function liveAfter(
  { snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, freshness, restricted }: ManifestHead,
  slot: Slot,
  {
    broughtBy,
    keyValueStore,
    ...brought
  }: Pick<Live, 'changes' | 'edition' | 'downloads' | 'broughtBy' | 'keyValueStore'>,
  { now, before }: { readonly now: Date; readonly before: Live | null },
  removed: readonly RemovedFolder[] = [],
): Live {
  // Answers carry it as Last-Modified, in whole seconds: it never goes back, whatever clocks say.
  const earliest = before === null ? -Infinity : Date.parse(before.liveSince) + 1000
  return {
    ...{ format: 1, slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, ...brought },
    freshness: freshness && countsOf(freshness),
    restricted: digestOfRestricted(restricted),
    liveSince: new Date(Math.max(now.getTime(), earliest)).toISOString(),
    broughtBy,
    keyValueStore,
    earlierDownloads: earlierAfter({ asOf }, before, removed),
    previous: before === null ? null : snapshotOf(before),
  }
}

/** The manifest names the stalest funds, too. */
const countsOf = ({ fresh, late, stale, unwatched, unpriced, withheld }: FreshnessCounts) => {
  return { fresh, late, stale, unwatched, unpriced, withheld }
}

/**
 * The flip: one conditional write.
 * @param expected what `live.json` must be until then
 * @throws {Error} if another snapshot went live, or if nobody knows whether this one did
 */
export async function flip(
  store: ObjectStore,
  next: Live,
  expected: LiveObject,
  options: Pick<LeaseOptions, 'isLocking' | 'signal'> & {
    lease: Lease
    onWarning: (warning: string) => void
  },
): Promise<void> {
  const { isLocking, lease, signal, onWarning } = options
  const isRollback = next.broughtBy === 'rollback'
  const unanswered = store.unanswered()
  try {
    const condition = isLocking ? expected.condition : undefined
    await store.put(smallObject(liveKey, next), condition, { assertFresh: lease.assertFresh })
  } catch (error) {
    // Then nothing was sent.
    if (error instanceof LeaseLost && store.unanswered() === unanswered) throw error
    // The store may have carried out the write without an answer.
    const found = await readLive(store).catch(() => null)
    if (found !== null && isSameLive(found.live, next)) return
    if (error instanceof ConditionFailed)
      throw liveChanged(store, isRollback ? 'nothing was taken back' : notFlipped, error)
    const again = isRollback ? '' : ', and publish again'
    const unknown = `nobody knows whether ${next.snapshot} went live: look at \`fundpress status\`${again}`
    // A command that was stopped reports nothing but that.
    if (signal.aborted) onWarning(unknown)
    throw new Error(`${messageOf(error)}; ${unknown}`, { cause: error })
  }
}

/** A place beside `live.json` that says what is live, for edges that cannot read it: CloudFront's KeyValueStore. */
export interface LivePointer {
  /** The ARN. */
  readonly name: string
  /** @returns whether it said something else before */
  readonly set: (live: Pointed) => Promise<boolean>
  /** Says what edges show to whoever has the preview token; null: nothing. */
  readonly setStaged: (staged: Pointed | null) => Promise<void>
}

/** What such a place needs to know. */
export type Pointed = LiveSnapshot & Partial<Pick<Live, 'earlierDownloads' | 'previous'>>

/** @returns whether the place said something else before @throws {Error} if it cannot be written: what to do */
export async function point(pointer: LivePointer | null, live: Pointed): Promise<boolean> {
  try {
    return (await pointer?.set(live)) ?? false
  } catch (error) {
    const unsaid = `${pointer?.name ?? ''} does not say that ${live.snapshot} is live; publish again`
    throw new Error(`${messageOf(error)}: ${unsaid}`, { cause: error })
  }
}

/** Who follows `live.json` from now on. */
export interface Following {
  readonly pointer: LivePointer | null
  /** Whether the KeyValueStore that `live.json` names no longer counts. */
  readonly isForgetting: boolean
}

type Named = Pick<LivePointer, 'name'> | null

/** Whether `live.json` names the KeyValueStore that follows the bucket from now on, or none if none does. */
export const namesFollower = (live: Live, pointer: Named) => live.keyValueStore === pointer?.name

/**
 * CloudFront shows what its KeyValueStore names. After a flip without it, it would show a slot that the next publish writes to.
 * @param file what `live` was read from
 * @throws {Error} if it names a KeyValueStore, and the command would write to none or to another one
 */
export function assertFollowed(
  { name }: Pick<ObjectStore, 'name'>,
  live: Live | null,
  { pointer, isForgetting }: { readonly pointer: Named; readonly isForgetting: boolean },
  file = liveKey,
): void {
  if (live?.keyValueStore === undefined || isForgetting || namesFollower(live, pointer)) return
  const { keyValueStore: arn } = live
  const [given, forget] =
    pointer === null
      ? ['is not set', '--forget-kvs if CloudFront does not serve this bucket any more']
      : [`is ${pointer.name}`, '--forget-kvs beside it if CloudFront reads that one from now on']
  throw new Error(
    `${name}: CloudFront shows what the KeyValueStore ${arn} names (${file}), and edge.keyValueStore ${given}. ` +
      'Without it, CloudFront would stay on the old slot, which the next publish overwrites. Nothing was written. ' +
      `Set edge.keyValueStore (--flip-kvs ${arn}), or give ${forget}`,
  )
}

/** Lets `live.json` name who follows the bucket, without a flip. Like a fence, it never brings earlier bytes back. */
export async function noteFollower(
  store: ObjectStore,
  { live, condition }: LiveObject,
  { pointer, isLocking, lease }: Pick<Following, 'pointer'> & { isLocking: boolean; lease: Lease },
): Promise<void> {
  if (live === null || namesFollower(live, pointer)) return
  const noted = smallObject(liveKey, { ...live, keyValueStore: pointer?.name, fence: lease.id })
  await store.put(noted, isLocking ? condition : undefined, lease.writing)
}

/** @throws {Error} if the place cannot be written: what to do */
export async function pointStaged(pointer: LivePointer | null | undefined, staged: Pointed | null) {
  try {
    await pointer?.setStaged(staged)
  } catch (error) {
    const unsaid = staged === null ? 'that nothing is staged' : `that ${staged.snapshot} is staged`
    throw new Error(`${messageOf(error)}: ${pointer?.name ?? ''} does not say ${unsaid}; try again`, {
      cause: error,
    })
  }
}

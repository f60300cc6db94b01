/** How a publish ends: with a flip, or with a staged snapshot that a flip makes live later. */

import type { RestrictedFunds } from '../../api/contract/fund.ts'
import { messageOf } from '../../system/message.ts'
import { flip, liveAfter, point, pointStaged } from '../live/flip.ts'
import { stagedKey } from '../live/layout.ts'
import { LeaseLost } from '../live/lease.ts'
import { type Live, type LiveObject, smallObject } from '../live/live.ts'
import type { Flipping } from './options.ts'
import { findRemoved, removeFolders } from './removal.ts'
import type { RemovedFolder } from '../live/download-folders.ts'

/** What the flip is to write. Reads only. @param brought what is not in the manifest */
export async function prepareFlip(
  flipping: Flipping,
  brought: Pick<Live, 'changes' | 'edition' | 'downloads'>,
  restricted: RestrictedFunds,
) {
  const { lease, base, snapshot } = flipping
  const { head } = snapshot.manifest
  const { live: before } = base.live
  const removed = await findRemoved(flipping, { ...head, downloads: brought.downloads }, before, restricted)
  lease.writing.signal.throwIfAborted()
  const now = await lease.assertHeld()
  const keyValueStore = flipping.pointer?.name
  return {
    next: liveAfter(head, base.slot, { ...brought, keyValueStore }, { now, before }, removed),
    removed,
  }
}

/** @param expected what `live.json` must be until then */
export async function goLive(
  flipping: Flipping,
  { next, removed }: { readonly next: Live; readonly removed: readonly RemovedFolder[] },
  expected: LiveObject,
): Promise<void> {
  await flip(flipping.store, next, expected, flipping)
  await tidyUp(flipping, next)
  await removeFolders(flipping, next, removed)
}

/** The snapshot is live: no reader suffers from what fails here. */
async function tidyUp({ store, lease, base, pointer, onWarning }: Flipping, live: Live): Promise<void> {
  try {
    await lease.markTorn(base.slot, null)
    const notes = live.changes === undefined ? [] : [live.changes]
    await store.delete(base.hasStagedFile ? [...notes, stagedKey] : notes)
  } catch (error) {
    const reason = error instanceof LeaseLost ? 'the lease was lost' : messageOf(error)
    onWarning(`${live.snapshot} is live, but the notes of this publish are not tidied up: ${reason}`)
  }
  await point(pointer, live)
  await pointStaged(pointer, null)
}

/**
 * Writes `staged.json`, then marks the slot as whole: in this order, so that a slot that is whole holds what was live, or what
 * `staged.json` names.
 */
export async function stage({ store, lease, base, pointer }: Flipping, next: Live): Promise<void> {
  await store.put(smallObject(stagedKey, next), undefined, lease.writing)
  await lease.markTorn(base.slot, null)
  if (next.changes !== undefined) await store.delete([next.changes])
  await pointStaged(pointer, next)
}

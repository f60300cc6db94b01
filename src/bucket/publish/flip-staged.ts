/** `fundpress flip`: brings the staged snapshot to the door. */

import { decide } from '../live/decide.ts'
import { goLive } from '../live/door.ts'
import { assertFollowed, point, pointStaged } from '../live/follow.ts'
import { withLease } from '../live/lease.ts'
import { type Live, readLive, snapshotOf } from '../live/live.ts'
import type { Door, DoorOptions } from '../live/options.ts'
import { clearWithdrawn, hasCleared } from '../live/removal.ts'
import { findStaged, readStaged } from '../live/staged.ts'
import { adviseRepair, fetchManifest } from '../manifest/manifest.ts'
import { withFolder } from '../store/files.ts'
import type { ObjectStore } from '../store/store.ts'
import { differencesOf } from './publish.ts'

export interface FlipStagedOptions extends DoorOptions {
  /** The snapshot that is to be live. */
  readonly to: string
}

export type FlipSummary = Awaited<ReturnType<typeof flipStaged>>

/**
 * @returns what is live now. `hasFlipped`: false if it was live already. `before`: the snapshot that was live until then
 * @throws {Refusal} if a guard refuses it now @throws {Error} if the snapshot is not staged, its slot is not whole, or another process
 * holds the lease
 */
export async function flipStaged(store: ObjectStore, options: FlipStagedOptions) {
  const { to, pointer } = options
  const { live } = await readLive(store)
  assertFollowed(store, live, options)
  const { staged } = await findStaged(store, live)
  // The attempt before may have been killed after its flip.
  if (live?.snapshot === to && staged === null && (await hasCleared(store, live))) {
    await point(pointer, live)
    await pointStaged(pointer, null)
    return isLiveAlready(live)
  }
  return withLease(store, options, (lease) =>
    withFolder((folder) => flipUnder({ ...options, store, lease, folder }, to)),
  )
}

const isLiveAlready = (live: Live) => {
  const nothing = { hasFlipped: false, changed: 0, news: null, allowed: [], removed: [] }
  return { ...snapshotOf(live), ...nothing, before: live.snapshot }
}

async function flipUnder(door: Door, to: string) {
  const { store, lease, folder, pointer, override, lateSeconds, onWarning } = door
  await lease.awaitLateRequests(lateSeconds, (seconds) =>
    onWarning(`${store.name}: a command before was killed or not answered: waiting ${seconds} s`),
  )
  const live = await readLive(store)
  assertFollowed(store, live.live, door)
  const staged = await readStaged(store, live.live)
  const { hasFile: hasStagedFile } = await findStaged(store, live.live)
  const manifest =
    staged?.snapshot === to ? await fetchManifest(store, staged.slot, folder).catch(adviseRepair) : null
  const situation = {
    live: live.live,
    staged,
    hasStagedFile,
    journal: { changing: lease.torn },
    isRepair: false,
  }
  const held = manifest?.head.snapshot ?? null
  const decision = decide({ kind: 'staged', snapshot: to }, { ...situation, held })
  if (decision.kind === 'nothing') {
    const removed = await clearWithdrawn(store, decision.named, door)
    await point(pointer, decision.named)
    return { ...isLiveAlready(decision.named), removed }
  }
  if (decision.kind !== 'flip' || staged === null || manifest === null)
    throw new Error(`${store.name}: ${decision.kind === 'refusal' ? decision.why : `${to} is not staged`}`)
  const { changes, edition, downloads, slot } = staged
  const gone = await goLive(door, {
    ...{ kind: 'flip', slot, manifest, brought: { changes, edition, downloads } },
    ...{ live, staged, hasStagedFile: true, reason: override.reason },
  })
  const { allowed, removed } = gone
  const done = { hasFlipped: true, ...differencesOf(gone), allowed, removed }
  return { ...snapshotOf(gone.live), ...done, before: live.live?.snapshot ?? null }
}

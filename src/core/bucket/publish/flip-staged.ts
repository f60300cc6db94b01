/** `fundpress flip`, and a publish of a staged snapshot: brings the staged snapshot to the door. */

import type { AllowedObjection } from '../../guards/guards.ts'
import { type News, newsOf } from '../changes/news.ts'
import { awaitLateRequests, findSituation, withDoor, type Found } from '../live/command.ts'
import { decide } from '../live/decide.ts'
import { goLive } from '../live/door.ts'
import { assertFollowed, point, pointStaged } from '../live/follow.ts'
import type { RemovedFolder } from '../live/download-folders.ts'
import { type Live, type LiveSnapshot, readLive, snapshotOf } from '../live/live.ts'
import type { Arrival, Door, DoorOptions } from '../live/options.ts'
import { clearWithdrawn, hasCleared } from '../live/removal.ts'
import { findStaged, readStaged, type Staged } from '../live/staged.ts'
import { adviseRepair, fetchManifest } from '../manifest/manifest.ts'
import type { ObjectStore } from '../store/store.ts'

interface FlipStagedOptions extends DoorOptions {
  readonly to: string
}

/** What a flip has done; a publish of a staged snapshot reports it, too. */
interface Flipped {
  readonly outcome: 'flipped' | 'already live'
  /** Number of documents that differ from the former live ones; null if unknown. */
  readonly changed: number | null
  /** Null if nothing was live, or nothing is new. */
  readonly news: News | null
  readonly allowed: readonly AllowedObjection[]
  readonly removed: readonly RemovedFolder[]
}

export interface FlipSummary extends LiveSnapshot, Flipped {
  /** The snapshot that was live until then; null without one. */
  readonly before: string | null
}

/**
 * @returns what is live now. `before`: the snapshot that was live until then
 * @throws {Refusal} if a guard refuses it now @throws {Error} if the snapshot is not staged, its slot is not whole, or another process
 * holds the lease
 */
export async function flipStaged(store: ObjectStore, options: FlipStagedOptions): Promise<FlipSummary> {
  const { to, pointer } = options
  const { live } = await readLive(store)
  assertFollowed(store, live, options)
  const { staged } = await findStaged(store, live)
  // The attempt before may have been killed after its flip.
  if (live?.snapshot === to && staged === null && (await hasCleared(store, live))) {
    await point(pointer, live)
    await pointStaged(pointer, null)
    return liveAlready(live)
  }
  return withDoor(store, options, flipUnder)
}

const liveAlready = (live: Live): FlipSummary => ({
  ...snapshotOf(live),
  outcome: 'already live',
  changed: 0,
  news: null,
  allowed: [],
  removed: [],
  before: live.snapshot,
})

async function flipUnder(door: FlipStagedOptions & Door): Promise<FlipSummary> {
  const { store, folder, pointer, to } = door
  await awaitLateRequests(door)
  const found = await findSituation(door)
  const { live, staged, hasStagedFile } = found
  // Throws an error that names a damaged file.
  if (staged === null && hasStagedFile) await readStaged(store, live)
  const manifest =
    staged?.snapshot === to ? await fetchManifest(store, staged.slot, folder).catch(adviseRepair) : null
  const held = manifest?.head.snapshot ?? null
  const decision = decide({ kind: 'staged', snapshot: to }, { ...found, held })
  if (decision.kind === 'nothing') {
    const removed = await clearWithdrawn(store, decision.named, door)
    await point(pointer, decision.named)
    return { ...liveAlready(decision.named), removed }
  }
  if (decision.kind !== 'flip' || staged === null || manifest === null)
    throw new Error(`${store.name}: ${decision.kind === 'refusal' ? decision.why : `${to} is not staged`}`)
  const { live: now, done } = await flip(door, found, staged, { manifest })
  return { ...snapshotOf(now), ...done, before: live?.snapshot ?? null }
}

interface FlippedNow {
  readonly live: Live
  /** Number of damaged objects that were put again. */
  readonly mended: number
  readonly done: Flipped
}

export async function flip(
  door: Door,
  { found: live, hasStagedFile }: Found,
  staged: Staged,
  snapshot: Pick<Arrival, 'manifest' | 'mend'>,
): Promise<FlippedNow> {
  const { changes, edition, downloads, slot } = staged
  const gone = await goLive(door, {
    kind: 'flip',
    slot,
    brought: { changes, edition, downloads },
    live,
    staged,
    hasStagedFile,
    reason: door.override.reason,
    ...snapshot,
  })
  const { before, compared, announced, mended, allowed, removed } = gone
  const counts = compared.documents?.documents
  const changed = counts === undefined ? null : counts.added + counts.removed + counts.changed
  const differences =
    before === null
      ? { changed: gone.live.objects, news: null }
      : { changed, news: newsOf(compared, gone.manifest, announced, null) }
  return { live: gone.live, mended, done: { outcome: 'flipped', ...differences, allowed, removed } }
}

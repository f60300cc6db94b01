/** `fundpress flip`: makes the staged snapshot live, under the same guards as its publish. */

import { newsOf } from '../changes/news.ts'
import { readToldChanges } from '../changes/write.ts'
import { prefixOf } from '../live/download-folders.ts'
import { assertFollowed, fence, point, pointStaged } from '../live/flip.ts'
import { stagedKey } from '../live/layout.ts'
import { withLease } from '../live/lease.ts'
import { type LiveObject, readLive, snapshotOf, tornSlots } from '../live/live.ts'
import { assertWhole, byRepair, tornSlot } from '../live/rollback.ts'
import { findStaged, readStaged, type Staged } from '../live/staged.ts'
import { downloadsState } from '../live/status.ts'
import { adviseRepair, fetchManifest } from '../manifest/manifest.ts'
import { withFolder } from '../store/files.ts'
import type { ObjectStore } from '../store/store.ts'
import { noDownloads } from './downloads.ts'
import { goLive, prepareFlip } from './go-live.ts'
import { compareWithLive, refuseLosses } from './loss.ts'
import type { Flipping, FlipOptions } from './options.ts'
import { clearWithdrawn, hasCleared, newlyRestricted } from './removal.ts'

export interface FlipStagedOptions extends FlipOptions {
  /** The snapshot that is to be live. */
  readonly to: string
  /** Whether the slot is listed first, and compared with its manifest, and its downloads are looked for. */
  readonly isChecking: boolean
}

export type FlipSummary = Awaited<ReturnType<typeof flipStaged>>

/**
 * @returns what is live now. `hasFlipped`: false if it was live already. `before`: the snapshot that was live until then
 * @throws {Refusal} if a guard refuses it now @throws {Error} if the snapshot is not staged, its slot is not whole, or another process
 * holds the lease
 */
export async function flipStaged(store: ObjectStore, options: FlipStagedOptions) {
  const { to, pointer } = options
  const found = await readLive(store)
  assertFollowed(store, found.live, options)
  const { staged } = await findStaged(store, found.live)
  // The attempt before may have been killed after its flip.
  if (found.live?.snapshot === to && staged === null && (await hasCleared(store, found.live))) {
    await point(pointer, found.live)
    await pointStaged(pointer, null)
    return { ...snapshotOf(found.live), ...notFlipped, before: to }
  }
  return withLease(store, options, (lease) =>
    withFolder(async (folder) => {
      const begun = { ...options, store, lease, folder }
      await lease.awaitLateRequests(options.lateSeconds, (seconds) =>
        options.onWarning(`${store.name}: a command before was killed or not answered: waiting ${seconds} s`),
      )
      const live = await readLive(store)
      assertFollowed(store, live.live, options)
      const now = await readStaged(store, live.live)
      if (live.live?.snapshot === to && now?.snapshot !== to) {
        const removed = await clearWithdrawn(store, live.live, begun)
        await point(pointer, live.live)
        return { ...snapshotOf(live.live), ...notFlipped, removed, before: to }
      }
      if (now?.snapshot !== to) throw await notStaged(store, to, live, now)
      const manifest = await fetchManifest(store, now.slot, folder).catch(adviseRepair)
      if (manifest?.head.snapshot !== to) throw tornSlot(store, now.slot, `it does not hold ${to}`, byRepair)
      if (tornSlots({ changing: lease.torn }, live.live)[now.slot] !== undefined)
        throw tornSlot(store, now.slot, 'a publish was stopped in it')
      if (options.isChecking) {
        await assertWhole(store, now.slot, manifest, folder)
        const downloads = await downloadsState(store, now)
        const isWrong = downloads === 'missing' || downloads === 'other'
        const why = `${prefixOf(now)} does not hold its downloads`
        if (isWrong) throw tornSlot(store, now.slot, why, byRepair)
      }
      const base = { live, slot: now.slot, hasStagedFile: true }
      const { next, ...done } = await flipUnder({ ...begun, snapshot: { manifest }, base }, now)
      return { ...snapshotOf(next), ...done, before: live.live?.snapshot ?? null }
    }),
  )
}

const notFlipped = { hasFlipped: false, changed: 0, news: null, allowed: [], removed: [] }

/**
 * The flip itself, of a slot that is whole, under a lease that has waited for late requests.
 * @returns `changed`: as of a publish. `allowed`: what an operator has allowed beside what was allowed when it was staged
 */
async function flipUnder(flipping: Flipping, toFlip: Staged) {
  const { store, lease, base, snapshot } = flipping
  const { live } = base.live
  // What is live may name no KeyValueStore yet, or nothing is live.
  assertFollowed(store, toFlip, flipping, stagedKey)
  const { changes, edition, downloads, slot, ...staged } = toFlip
  const compared = await compareWithLive(flipping)
  const told = await readToldChanges(store, slot, staged)
  // The stage has looked at corrected prices, and what is live has not changed since.
  const allowed = await refuseLosses(flipping, compared, null, told?.allowed)
  const restricted = newlyRestricted(flipping, compared.head)
  const expected = await fence(store, base.live, flipping)
  const prepared = await prepareFlip(flipping, { changes, edition, downloads }, restricted)
  lease.settle()
  await goLive(flipping, prepared, expected)
  const counts = compared.documents?.documents
  const differing = counts === undefined ? null : counts.added + counts.removed + counts.changed
  const changed = live === null ? snapshot.manifest.head.objects : differing
  const news = live === null ? null : newsOf(compared, snapshot.manifest.head, told, null)
  return { ...prepared, hasFlipped: true, changed, news, allowed }
}

/** What a publish reports that only had to flip. */
export async function flipInPublish(flipping: Flipping, staged: Staged) {
  const { changed, news, allowed, removed } = await flipUnder(flipping, staged)
  const nothingPut = { put: 0, deleted: 0, bytes: 0, downloads: noDownloads }
  return { slot: staged.slot, ...goneLive, changed, news, ...nothingPut, allowed, removed }
}

const goneLive = { hasFlipped: true, hasStaged: false, isStaged: false }

async function notStaged(store: ObjectStore, to: string, { live }: LiveObject, staged: Staged | null) {
  const { hasFile } = staged === null ? await findStaged(store, live) : { hasFile: false }
  const now = live === null ? 'nothing is live' : `${live.snapshot} is live`
  const why =
    staged !== null
      ? `${staged.snapshot} is staged, not ${to}`
      : hasFile
        ? `another snapshot went live after ${to} or another one was staged (${now}): stage it again`
        : `nothing is staged, ${now}: stage ${to} first (\`fundpress publish --stage\`)`
  return new Error(`${store.name}: ${why}`)
}

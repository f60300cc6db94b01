/** `fundpress rollback`, and the return of a publish whose sample of bodies was damaged: the snapshot before goes live again. */

import { fetchManifest, type Manifest } from '../manifest/manifest.ts'
import { writeNdjson } from '../manifest/ndjson.ts'
import type { ObjectStore } from '../store/store.ts'
import { findSituation, withDoor } from './command.ts'
import { decide, slotToGoBackTo } from './decide.ts'
import { goLive } from './door.ts'
import { assertFollowed } from './follow.ts'
import { changesKey, downloadsPrefix, gzipType, noCache, type Slot } from './layout.ts'
import { type LiveSnapshot, readLive, snapshotOf } from './live.ts'
import type { Door, DoorOptions } from './options.ts'
import { downloadsState } from './status.ts'

interface RollbackOptions extends DoorOptions {
  /** The snapshot to bring back; null for the one that was live last. */
  readonly to: string | null
  readonly isHolding: boolean
}

/**
 * Waits for no late requests of a killed publish: they can change only a torn slot, which a rollback refuses.
 * @returns what is live now, and the snapshot that was live until then
 * @throws {Refusal} if a hold is on, or if withdrawn data would be given out @throws {Error} if another process holds the lease, or if
 * its slot is torn, damaged, or does not hold that snapshot
 */
export async function rollback(store: ObjectStore, options: RollbackOptions) {
  const { live } = await readLive(store)
  assertFollowed(store, live, options)
  return withDoor(store, options, (door) => goBack(door, 'rollback', options))
}

/**
 * Makes the snapshot before live again, if its slot is whole. The slot that readers leave is torn from then on: the next publish puts
 * all of it again.
 * @param from the damaged snapshot @returns null if it is not live any more @throws as {@link rollback}
 */
export async function returnFrom(store: ObjectStore, from: string, options: DoorOptions) {
  return withDoor(store, options, async (door) => {
    const { live } = await readLive(store)
    if (live?.snapshot !== from || live.previous === null) return null
    const manifest = await fetchManifest(store, live.slot, door.folder, true)
    await tearAll(door, live.slot, manifest)
    return goBack(door, 'return', { to: live.previous.snapshot, isHolding: false })
  })
}

/** Names all objects of a slot in the journal: their content is unknown. */
async function tearAll({ store, lease, folder }: Door, slot: Slot, manifest: Manifest | null): Promise<void> {
  const file = `${folder}/all.ndjson.gz`
  async function* keys() {
    for await (const { key } of manifest?.lines() ?? []) yield { key }
  }
  await writeNdjson(file, keys())
  const list = changesKey(`${lease.id}-${slot}`)
  await store.putFile(file, { key: list, type: gzipType, cacheControl: noCache }, lease.writing)
  await lease.markTorn(slot, list)
}

async function goBack(
  door: Door,
  kind: 'rollback' | 'return',
  { to, isHolding }: Pick<RollbackOptions, 'to' | 'isHolding'>,
) {
  const { store, folder, override, onWarning } = door
  const situation = await findSituation(door)
  const { found, live: before, staged } = situation
  const place = before && slotToGoBackTo(before, staged, to, door.slots)
  const manifest = place && (await fetchManifest(store, place.slot, folder))
  const held = manifest?.head.snapshot ?? null
  const decision = decide({ kind: 'before', snapshot: to }, { ...situation, held })
  if (decision.kind !== 'flip' || before === null || manifest === null)
    throw new Error(
      `${store.name}: ${decision.kind === 'refusal' ? decision.why : 'there is nothing to go back to'}`,
    )
  const { changes, downloads, edition } = decision.named ?? {}
  const { live, allowed } = await goLive(door, {
    kind,
    slot: decision.slot,
    manifest,
    live: found,
    brought: { changes, downloads, edition },
    reason: override.reason,
    isHolding,
    hasStagedFile: false,
  })
  const lost = await lostDownloads(store, live)
  if (lost !== null) onWarning(`${store.name}: ${lost}`)
  return { ...snapshotOf(live), reverted: before.snapshot, isHeld: live.hold !== undefined, allowed }
}

async function lostDownloads(store: ObjectStore, now: LiveSnapshot) {
  if (now.downloads === undefined || (await downloadsState(store, now).catch(() => null)) === 'whole')
    return null
  const advice = `publish the folder of ${now.snapshot} again (\`fundpress publish --repair --out …\`)`
  return `${downloadsPrefix(now.downloads.folder)} could not be found whole: ${advice}`
}

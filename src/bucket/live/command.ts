/** What every command that makes a snapshot live begins with: the lease, the wait for late requests, and what the bucket says. */

import { withFolder } from '../store/files.ts'
import type { ObjectStore } from '../store/store.ts'
import { readLiveFor } from './damaged.ts'
import { assertFollowed } from './follow.ts'
import { withLease } from './lease.ts'
import type { Door, DoorOptions } from './options.ts'
import { findStaged } from './staged.ts'

/** @param target of a publish, as {@link withLease} has it @throws {Error} if another process holds the lease */
export const withDoor = <Options extends DoorOptions, T>(
  store: ObjectStore,
  options: Options,
  work: (door: Options & Door) => Promise<T>,
  target?: string,
): Promise<T> =>
  withLease(
    store,
    options,
    (lease) => withFolder((folder) => work({ ...options, store, lease, folder })),
    target,
  )

export const awaitLateRequests = ({ store, lease, lateSeconds, onWarning }: Door): Promise<void> =>
  lease.awaitLateRequests(lateSeconds, (seconds) => {
    const why = `waiting ${seconds} s, until none of its requests can arrive any more`
    onWarning(`${store.name}: the publish before was killed or not answered: ${why}`)
  })

export type Found = Awaited<ReturnType<typeof findSituation>>

/** Read under the lease: the holder before may have flipped. `found`: what `live.json` says, as an object of the store. */
export async function findSituation(door: Door) {
  const { store, lease, isRepair } = door
  const found = await readLiveFor(store, isRepair)
  const { live } = found
  assertFollowed(store, live, door)
  const { staged, hasFile: hasStagedFile } = await findStaged(store, live)
  return { found, live, staged, hasStagedFile, journal: { changing: lease.torn }, isRepair }
}

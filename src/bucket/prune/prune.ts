/** `fundpress prune`: lists the bucket's garbage, and removes it under the lease. */

import { isHeldByOther, readJournal } from '../live/journal.ts'
import { withLease, type LeaseOptions } from '../live/lease.ts'
import { readLive } from '../live/live.ts'
import { withFolder } from '../store/files.ts'
import type { S3Store } from '../store/s3.ts'
import { findGarbage, type Garbage, type BucketState } from './garbage.ts'
import { abortUpload, oldUploads } from './uploads.ts'

export interface PruneOptions
  extends LeaseOptions, Pick<BucketState, 'keepDownloadDays' | 'today' | 'onListed' | 'onNote'> {
  /** False: nothing is removed. */
  readonly isReal: boolean
  readonly now: () => Date
  /** A promise that it returns is waited for. */
  readonly onFound: (garbage: Garbage) => unknown
}

const keysPerDelete = 1000

/**
 * Holds the lease while it removes: no publish and no rollback can begin meanwhile.
 * @throws {Error} if a publish is under way and something would be removed
 */
export async function prune(store: S3Store, options: PruneOptions): Promise<void> {
  const { isReal, me, isAlive } = options
  if (!isReal) {
    const isHeld = isHeldByOther(await readJournal(store), me, isAlive)
    await walk(store, options, { isHeld, isUnsettled: false }, () => Promise.resolve())
    return
  }
  await withLease(store, options, ({ isUnsettled, writing }) =>
    walk(store, options, { isHeld: false, isUnsettled }, async (batch) => {
      const objects = batch.filter(({ kind }) => kind !== 'upload')
      writing.assertFresh()
      const keys = objects.map(({ key }) => key)
      await store.delete(keys, writing)
      for (const upload of batch.filter(({ kind }) => kind === 'upload')) {
        writing.assertFresh()
        await abortUpload(store, upload, writing.signal)
      }
    }),
  )
}

/** Finds everything, and hands it on a thousand at a time. */
async function walk(
  store: S3Store,
  options: PruneOptions,
  others: Pick<BucketState, 'isHeld' | 'isUnsettled'>,
  remove: (batch: readonly Garbage[]) => Promise<void>,
): Promise<void> {
  const { signal, onFound } = options
  const now = options.now()
  const { live } = await readLive(store)
  const { journal } = await readJournal(store)
  let batch: Garbage[] = []
  const take = async (found: AsyncIterable<Garbage>) => {
    for await (const garbage of found) {
      signal.throwIfAborted()
      await onFound(garbage)
      batch.push(garbage)
      if (batch.length === keysPerDelete) {
        await remove(batch)
        batch = []
      }
    }
  }
  await withFolder((folder) =>
    take(findGarbage(store, { ...options, ...others, live, journal, now, folder })),
  )
  await take(oldUploads(store, now, signal, options.onNote))
  if (batch.length > 0) await remove(batch)
}

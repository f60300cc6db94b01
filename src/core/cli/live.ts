/** Opens what is live for the checks of prices: the live slot of the bucket, or a folder in place of it. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSlotWord } from '../bucket/manifest/sources.ts'
import { readLive } from '../bucket/live/live.ts'
import { readObject } from '../bucket/store/read.ts'
import { orIfMissing } from '../bucket/store/files.ts'
import { Damaged, type ObjectStore } from '../bucket/store/store.ts'
import { readManifestHead, readSparse } from '../snapshot/manifest.ts'
import type { LiveReader } from '../data/check/live-prices.ts'
import { withBucket } from './from-settings.ts'
import type { Session } from './command.ts'

/**
 * @param word of --since: the word of any slot means the live slot of the bucket. Else the first complete snapshot counts, of
 * the named folder or of `out`.
 * @param work gets null if nothing is live, or no snapshot says what is
 */
export async function withLive<T>(
  session: Session,
  word: string | null,
  work: (read: LiveReader | null) => Promise<T>,
): Promise<T> {
  const { out } = session.settings
  if (word !== null && isSlotWord(word))
    return withBucket(session, async (store) => work(await readLiveSlot(store, out)))
  const folders = word === null ? [out] : [word, out]
  const snapshots = await Promise.all(folders.map(snapshotIn))
  const folder = folders.find((_, index) => snapshots[index] !== null)
  return work(folder === undefined ? null : readFolder(folder))
}

/** Reads `out` instead if it holds the same snapshot: ordinary nights need no request. */
async function readLiveSlot(store: ObjectStore, out: string): Promise<LiveReader | null> {
  const { live } = await readLive(store)
  if (live === null) return null
  if ((await snapshotIn(out)) === live.snapshot) return readFolder(out)
  return async (key) => {
    const object = await readObject(store, `${live.slot}/${key}`).catch((error: unknown) => {
      // An object that is too large to be written by fundpress is no JSON, either.
      if (error instanceof Damaged) return { body: Buffer.from('damaged') }
      throw error
    })
    return object?.body ?? null
  }
}

/** The id of a complete snapshot, or null. */
const snapshotIn = async (folder: string): Promise<string | null> => {
  const head = await readManifestHead(folder).catch(() => null)
  return head === null || readSparse(folder) !== null ? null : head.snapshot
}

const readFolder =
  (folder: string): LiveReader =>
  (key) =>
    readFile(join(folder, key)).catch(orIfMissing(null))

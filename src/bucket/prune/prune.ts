/** `fundpress prune`: lists the bucket's garbage, and removes it under the lease. */

import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { isHeldByOther, readJournal } from '../live/journal.ts'
import { journalKey, liveKey, slotPrefix, slots } from '../live/layout.ts'
import { withLease, type LeaseOptions } from '../live/lease.ts'
import { readLive } from '../live/live.ts'
import { findStaged } from '../live/staged.ts'
import { bareCause, codeOf, isMissing, statusOf } from '../store/errors.ts'
import { withFolder } from '../store/files.ts'
import type { FolderStore } from '../store/folder.ts'
import type { S3Store } from '../store/s3.ts'
import { findGarbage, type Garbage, type BucketState } from './garbage.ts'

export interface PruneOptions
  extends LeaseOptions, Pick<BucketState, 'retention' | 'today' | 'onListed' | 'onNote'> {
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
export async function prune(store: S3Store | FolderStore, options: PruneOptions): Promise<void> {
  if (!options.isReal) {
    const isHeld = isHeldByOther(await readJournal(store), options.me, options.isAlive)
    await walk(store, options, { isHeld, isUnsettled: false }, () => Promise.resolve())
    return
  }
  await withLease(store, options, ({ isUnsettled, writing }) =>
    walk(store, options, { isHeld: false, isUnsettled }, async (batch) => {
      writing.assertFresh()
      const keys = batch.filter(({ kind }) => kind !== 'upload').map(({ key }) => key)
      await store.delete(keys, writing)
      // A folder has no uploads.
      if (store.kind === 'folder') return
      for (const upload of batch.filter(({ kind }) => kind === 'upload')) {
        writing.assertFresh()
        await abortUpload(store, upload, writing.signal)
      }
    }),
  )
}

/** Finds everything, and hands it on a thousand at a time. */
async function walk(
  store: S3Store | FolderStore,
  options: PruneOptions,
  others: Pick<BucketState, 'isHeld' | 'isUnsettled'>,
  remove: (batch: readonly Garbage[]) => Promise<void>,
): Promise<void> {
  const { signal, onFound } = options
  const now = options.now()
  const { live } = await readLive(store)
  const { staged } = await findStaged(store, live)
  const { journal } = await readJournal(store)
  let batch: Garbage[] = []
  const take = async (found: AsyncIterable<Garbage>) => {
    for await (const garbage of found) {
      signal.throwIfAborted()
      await onFound(garbage)
      batch.push(garbage)
      if (batch.length < keysPerDelete) continue
      await remove(batch)
      batch = []
    }
  }
  await withFolder((folder) =>
    take(findGarbage(store, { ...options, ...others, live, staged, journal, now, folder })),
  )
  if (store.kind === 's3') await take(oldUploads(store, now, signal, options.onNote))
  if (batch.length > 0) await remove(batch)
}

/** A bucket without a prefix can hold uploads of others. */
const ours = [...slots.map(slotPrefix), 'journal/', 'downloads/', liveKey, journalKey]

/**
 * Uploads in parts that were never finished: no listing of objects shows them, and their parts cost storage.
 * None, with a note, if the store does not list them.
 */
async function* oldUploads(store: S3Store, now: Date, signal: AbortSignal, onNote: (note: string) => void) {
  const start = store.fullKey('')
  try {
    for await (const { Key = '', UploadId = '', Initiated = now } of listUploads(store, start, signal)) {
      const key = Key.slice(start.length)
      // A younger upload may still be under way.
      const isOld = now.getTime() - Initiated.getTime() > 24 * 3600 * 1000
      if (isOld && ours.some((place) => key.startsWith(place)))
        yield { kind: 'upload', key, bytes: 0, uploadId: UploadId } satisfies Garbage
    }
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOf(error)
    // No answer means that the network failed, not that the store does not list uploads.
    if (status === undefined || status === 500 || status > 501) throw store.advise(error, 'list', 'uploads')
    const reason = status === 403 ? 'no right to ask (s3:ListBucketMultipartUploads)' : codeOf(error)
    onNote(`unfinished uploads are not known: the store does not list them, ${reason}`)
  }
}

async function* listUploads({ client, bucket }: S3Store, start: string, signal: AbortSignal) {
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {}
  do {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: start, ...marker })
    const page = await client.send(command, { abortSignal: signal })
    yield* page.Uploads ?? []
    const { IsTruncated, NextKeyMarker: KeyMarker = '', NextUploadIdMarker: UploadIdMarker = '' } = page
    marker = IsTruncated === true ? { KeyMarker, UploadIdMarker } : {}
  } while (marker.KeyMarker)
}

/** An upload that is gone already counts as aborted. */
async function abortUpload(store: S3Store, { key, uploadId }: Garbage, signal: AbortSignal): Promise<void> {
  try {
    const upload = { Bucket: store.bucket, Key: store.fullKey(key), UploadId: uploadId }
    await store.client.send(new AbortMultipartUploadCommand(upload), { abortSignal: signal })
  } catch (error) {
    signal.throwIfAborted()
    if (isMissing(error)) return
    if (statusOf(error) !== 403) throw store.advise(error, 'delete', `the unfinished upload of ${key}`)
    const failed = `${store.name}: the upload of ${key} could not be aborted (${codeOf(error)})`
    throw new Error(`${failed}: the credentials need s3:AbortMultipartUpload`, { cause: bareCause(error) })
  }
}

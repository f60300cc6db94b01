/** Uploads in parts that were never finished: no listing of objects shows them, and their parts cost storage. */

import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3'
import { journalKey, liveKey, slotPrefix, slots } from '../live/layout.ts'
import type { Garbage } from './garbage.ts'
import { bareCause, codeOf, isMissing, statusOf } from '../store/errors.ts'
import type { S3Store } from '../store/s3.ts'

/** A younger upload may still be under way. */
const minimumMs = 24 * 3600 * 1000

/** A bucket without a prefix can hold uploads of others. */
const ours = [...slots.map(slotPrefix), 'journal/', 'downloads/', liveKey, journalKey]

/** None, with a note, if the store does not list them. */
export async function* oldUploads(
  store: S3Store,
  now: Date,
  signal: AbortSignal,
  onNote: (note: string) => void,
): AsyncGenerator<Garbage> {
  const start = store.fullKey('')
  try {
    for await (const { Key = '', UploadId = '', Initiated = now } of listUploads(store, start, signal)) {
      const key = Key.slice(start.length)
      const isOld = now.getTime() - Initiated.getTime() > minimumMs
      if (isOld && ours.some((place) => key.startsWith(place)))
        yield { kind: 'upload', key, bytes: 0, uploadId: UploadId }
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

async function* listUploads(
  { client, bucket }: S3Store,
  start: string,
  signal: AbortSignal,
): AsyncGenerator<MultipartUpload> {
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {}
  for (;;) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: start, ...marker }),
      { abortSignal: signal },
    )
    yield* page.Uploads ?? []
    const { NextKeyMarker: KeyMarker = '', NextUploadIdMarker: UploadIdMarker = '' } = page
    if (page.IsTruncated !== true || KeyMarker === '') return
    marker = { KeyMarker, UploadIdMarker }
  }
}

/** An upload that is gone already counts as aborted. */
export async function abortUpload(
  store: S3Store,
  { key, uploadId }: Garbage,
  signal: AbortSignal,
): Promise<void> {
  try {
    const upload = { Bucket: store.bucket, Key: store.fullKey(key), UploadId: uploadId }
    await store.client.send(new AbortMultipartUploadCommand(upload), { abortSignal: signal })
  } catch (error) {
    signal.throwIfAborted()
    if (isMissing(error)) return
    if (statusOf(error) !== 403) throw store.advise(error, 'delete', `the unfinished upload of ${key}`)
    throw new Error(
      `${store.name}: the upload of ${key} could not be aborted (${codeOf(error)}): the credentials need s3:AbortMultipartUpload`,
      { cause: bareCause(error) },
    )
  }
}

/** Uploads in parts that were never finished: they are in no listing of objects, and cost what their parts take. */

import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3'
import { journalKey, liveKey, slotPrefix, slots } from './layout.ts'
import type { Garbage } from './prune.ts'
import { codeOf, isMissing, statusOf } from './s3-errors.ts'
import type { S3Store } from './s3-store.ts'

/** Below a day an upload may still be under way. */
const minimumMs = 24 * 3600 * 1000

/** A bucket without a prefix can hold what is not ours. */
const ours = [...slots.map(slotPrefix), 'journal/', 'downloads/', liveKey, journalKey]

/** @returns none, with a note, where the store does not tell */
export async function oldUploads(
  store: S3Store,
  now: Date,
  onNote: (note: string) => void,
): Promise<readonly Garbage[]> {
  const found: Garbage[] = []
  const start = store.fullKey('')
  try {
    for await (const { Key = '', UploadId = '', Initiated = now } of listUploads(store, start)) {
      const key = Key.slice(start.length)
      const isOld = now.getTime() - Initiated.getTime() > minimumMs
      if (isOld && ours.some((place) => key.startsWith(place)))
        found.push({ kind: 'upload', key, bytes: 0, uploadId: UploadId })
    }
  } catch (error) {
    const status = statusOf(error)
    // Without an answer it is the network, and worth a failure.
    if (status === undefined || status === 500 || status > 501) throw store.advise(error, 'list', 'uploads')
    const reason = status === 403 ? 'no right to ask (s3:ListBucketMultipartUploads)' : codeOf(error)
    onNote(`unfinished uploads are not known: the store does not list them, ${reason}`)
  }
  return found
}

async function* listUploads({ client, bucket }: S3Store, start: string): AsyncGenerator<MultipartUpload> {
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {}
  for (;;) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: start, ...marker }),
    )
    yield* page.Uploads ?? []
    const { NextKeyMarker: KeyMarker = '', NextUploadIdMarker: UploadIdMarker = '' } = page
    if (page.IsTruncated !== true || KeyMarker === '') return
    marker = { KeyMarker, UploadIdMarker }
  }
}

/** One that is gone already is as good. */
export async function abortUpload(store: S3Store, { key, uploadId }: Garbage): Promise<void> {
  try {
    const upload = { Bucket: store.bucket, Key: store.fullKey(key), UploadId: uploadId }
    await store.client.send(new AbortMultipartUploadCommand(upload))
  } catch (error) {
    if (!isMissing(error)) {
      throw new Error(
        `${store.name}: the upload of ${key} could not be aborted (${codeOf(error)}): the credentials need s3:AbortMultipartUpload`,
        { cause: error },
      )
    }
  }
}

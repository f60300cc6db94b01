/** The store port over S3: AWS, Cloudflare R2, MinIO, Ceph. `retry.ts` has the retries, `errors.ts` explains failures. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CopyObjectCommand, DeleteObjectsCommand, GetObjectCommand } from '@aws-sdk/client-s3'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { paginateListObjectsV2, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { callsOf } from './calls.ts'
import { explained, isMissing, statusOf, type Doing } from './errors.ts'
import { digestOfFile, sizeOf, streamedFrom, unreadable } from './files.ts'
import { readSmall } from './read.ts'
import { deleteKeys, nightlyPatience, putConditionally, type Patience } from './retry.ts'
import { guard, noteClock, openClient, openPuts, sendFile, sending, type S3Settings } from './sdk.ts'
import {
  keysPerDelete,
  type NewObject,
  type ObjectStore,
  type PutObject,
  type WriteOptions,
} from './store.ts'

export interface S3Store extends ObjectStore {
  readonly kind: 's3'
  readonly client: S3Client
  readonly bucket: string
  /** The key in the bucket, below the prefix. */
  readonly fullKey: (key: string) => string
  readonly advise: (error: unknown, doing: Doing, key: string) => unknown
  /** Lag of this machine's clock behind the store's; negative if it is ahead. */
  readonly behindSeconds: () => number
  readonly close: () => void
}

/** @param signal ends the requests under way when it aborts; later ones, to clean up, go through */
export function openS3(
  settings: S3Settings,
  signal?: AbortSignal,
  patience: Patience = nightlyPatience,
): S3Store {
  const { bucket, prefix, endpoint } = settings
  const below = prefix === '' ? '' : `${prefix}/`
  const name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const fullKey = (key: string) => below + key
  const shortKey = (key: string) => key.slice(below.length)
  // Objects at the root of the bucket are the lease or depend on it: they wait for no others.
  const isUrgent = (key: string) => !shortKey(key).includes('/')
  const { client, ...counts } = openClient(settings, patience, isUrgent)
  const advise: S3Store['advise'] = (error, doing, key) =>
    explained(error, { name, bucket, endpoint }, doing, key)
  const calls = callsOf(signal, advise)
  const place: Place = { name, client, bucket, fullKey, shortKey, advise, calls }
  const reads = readsOf(place)
  return {
    ...{ kind: 's3', areEtagsDigests: true, name, client, bucket, fullKey, advise },
    ...{ ...reads, ...putsOf(place, reads.get), delete: deleteIn(place, patience.attempts) },
    ...{ close: () => client.destroy(), ...counts },
  }
}

interface Place extends Pick<S3Store, 'name' | 'client' | 'bucket' | 'fullKey' | 'advise'> {
  readonly shortKey: (key: string) => string
  readonly calls: ReturnType<typeof callsOf>
}

function readsOf({ client, bucket, fullKey, shortKey, calls }: Place) {
  const get: ObjectStore['get'] = (key, { part, ifMatch, signal: own } = {}) =>
    calls.call(own, 'read', key, async (stop) => {
      const Range = part && `bytes=${part.first}-${part.last}`
      const command = new GetObjectCommand({ Bucket: bucket, Key: fullKey(key), Range, IfMatch: ifMatch })
      const clock = noteClock(command)
      try {
        const got = await client.send(command, sending(stop))
        const body = got.Body as unknown as AsyncIterable<Uint8Array> & { destroy?: () => void }
        const { ETag: etag = '', ContentLength: bytes = null, LastModified: lastModified = new Date(0) } = got
        return { etag, bytes, lastModified, ...clock, body, cancel: () => body.destroy?.(), signal: stop }
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    })

  const pages = (input: { readonly Prefix: string; readonly Delimiter?: string }, stop?: AbortSignal) =>
    paginateListObjectsV2({ client }, { Bucket: bucket, ...input }, sending(stop))

  const list: ObjectStore['list'] = (start, { signal: own } = {}) =>
    calls.list(own, start, async function* (stop) {
      for await (const { Contents = [] } of pages({ Prefix: fullKey(start) }, stop))
        for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents)
          yield { key: shortKey(Key), bytes: Size, etag: ETag, lastModified: LastModified }
    })

  const folders: ObjectStore['folders'] = (start, { signal: own } = {}) =>
    calls.call(own, 'list', start, async (stop) => {
      const names: string[] = []
      for await (const { CommonPrefixes = [] } of pages({ Prefix: fullKey(start), Delimiter: '/' }, stop))
        for (const { Prefix = '' } of CommonPrefixes) names.push(shortKey(Prefix).slice(start.length, -1))
      return names
    })
  return { get, list, folders }
}

function putsOf({ name, client, bucket, fullKey, calls }: Place, get: ObjectStore['get']) {
  const commandFor = (object: Omit<NewObject, 'body'>, input: Partial<PutObjectCommandInput>) =>
    new PutObjectCommand({
      Bucket: bucket,
      Key: fullKey(object.key),
      ContentType: object.type,
      CacheControl: object.cacheControl,
      ChecksumSHA256: Buffer.from(object.sha256, 'hex').toString('base64'),
      Metadata: { sha256: object.sha256 },
      ...input,
    })
  const send = async (command: PutObjectCommand, options: WriteOptions, stop?: AbortSignal) => {
    const { ETag: etag = '' } = await client.send(guard(command, options), sending(stop))
    return { etag }
  }
  const putPlainly = openPuts(client, (key, options: WriteOptions) => {
    const about = { key, type: '', cacheControl: '', sha256: '' }
    return guard(commandFor(about, { Body: Buffer.alloc(0) }), options)
  })

  const put: ObjectStore['put'] = (object, condition, options = {}) =>
    calls.call(options.signal, 'write', object.key, async (stop) => {
      const once = (conditions: Partial<PutObjectCommandInput>): Promise<PutObject> =>
        send(commandFor(object, { Body: object.body, ...conditions }), options, stop)
      if (condition === undefined) return (await putPlainly(object, options, stop)) ?? once({})
      const read = () => readSmall({ name, get }, object.key, { signal: stop })
      return putConditionally(object, condition, once, read, stop)
    })

  const putFile: ObjectStore['putFile'] = async (file, object, options = {}) => {
    const bytes = await sizeOf(file)
    if (bytes < streamedFrom) {
      const body = await readFile(file).catch((error: unknown) => {
        throw unreadable(file, error)
      })
      const sha256 = object.sha256 ?? hash('sha256', body)
      return put({ ...object, body, sha256 }, undefined, options)
    }
    return calls.call(options.signal, 'write', object.key, async (stop) => {
      const sha256 = object.sha256 ?? (await digestOfFile(file, stop))
      const command = commandFor({ ...object, sha256 }, { ContentLength: bytes })
      sendFile(command, file, bytes)
      return send(command, options, stop)
    })
  }

  const copy: S3Store['copy'] = (
    { key, etag: wanted },
    { type, cacheControl, sha256, ...to },
    options = {},
  ) =>
    calls.call(options.signal, 'write', to.key, async (stop) => {
      const command = new CopyObjectCommand({
        ...{ Bucket: bucket, Key: fullKey(to.key), MetadataDirective: 'REPLACE' },
        ...{ ContentType: type, CacheControl: cacheControl, Metadata: { sha256 } },
        CopySource: [bucket, ...fullKey(key).split('/')].map(encodeURIComponent).join('/'),
      })
      try {
        const { CopyObjectResult } = await client.send(guard(command, options), sending(stop))
        // Ceph ignores conditions of a copy, and writes its ETag without quotes: that tells what was copied.
        return bare(CopyObjectResult?.ETag ?? '') === bare(wanted) ? { etag: wanted } : null
      } catch (error) {
        const status = statusOf(error) ?? 0
        if ((status >= 400 && status < 500) || status === 501) return null
        throw error
      }
    })
  return { put, putFile, copy }
}

const bare = (etag: string) => etag.replaceAll('"', '')

function deleteIn({ client, bucket, fullKey, shortKey, advise, calls }: Place, attempts: number) {
  const remove: ObjectStore['delete'] = async (keys, options = {}) => {
    for (let at = 0; at < keys.length; at += keysPerDelete)
      await removeSome(keys.slice(at, at + keysPerDelete), options)
  }
  const removeSome = async (keys: readonly string[], options: WriteOptions) => {
    const left = await calls.call(options.signal, 'delete', keys[0] ?? '', (stop) => {
      const once = async (some: readonly string[]) => {
        const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true }
        const command = guard(new DeleteObjectsCommand({ Bucket: bucket, Delete }), options)
        return (await client.send(command, sending(stop))).Errors ?? []
      }
      return deleteKeys(keys.map(fullKey), attempts, once, stop)
    })
    const [first] = left
    if (first === undefined) return
    const { Key = '', Code = 'no reason given', Message = '' } = first
    const more = left.length === 1 ? '' : ` and ${left.length - 1} more`
    const error = Object.assign(new Error(Message), { name: Code, Code })
    throw advise(error, 'delete', `${shortKey(Key)}${more}`)
  }
  return remove
}

/** The store port over S3: AWS, Cloudflare R2, MinIO, Ceph. `retry.ts` has the retries, `errors.ts` explains failures. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CopyObjectCommand, DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import type { ListObjectsV2CommandOutput, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { isBefore } from '../manifest/compare.ts'
import { cutBody, limitBody } from './bodies.ts'
import { callsOf } from './calls.ts'
import { codeOf, explained, isMissing, isFinalRefusal, statusOf, type Doing } from './errors.ts'
import { digestOfFile, sizeOf, streamedFrom, unreadable } from './files.ts'
import { inParallel } from './in-parallel.ts'
import { insteadOf, maxCutBytes, type Lack, type Lacks } from './lacks.ts'
import { readSmall } from './read.ts'
import { deleteKeys, nightlyPatience, putConditionally, type Patience } from './retry.ts'
import { CopyRefused, guard, md5Of, noteAnswer, onceIfAnswered, openClient, openPuts } from './sdk.ts'
import { sendFile, sending, strongEtag, type S3Settings } from './sdk.ts'
import { isStray } from './strays.ts'
import {
  keysPerDelete,
  type FetchedObject,
  type GetOptions,
  type ListOptions,
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
  const lacks = new Set<Lack>()
  const { concurrency } = settings
  const place: Place = {
    name,
    client,
    bucket,
    fullKey,
    shortKey,
    advise,
    calls,
    lacks,
    patience,
    concurrency,
  }
  const reads = readsOf(place)
  return {
    kind: 's3',
    areEtagsDigests: true,
    name,
    client,
    bucket,
    fullKey,
    advise,
    lacks,
    ...reads,
    ...putsOf(place, reads.get),
    delete: deleteIn(place),
    close: () => client.destroy(),
    ...counts,
  }
}

interface Place extends Pick<S3Store, 'name' | 'client' | 'bucket' | 'fullKey' | 'advise'> {
  readonly shortKey: (key: string) => string
  readonly calls: ReturnType<typeof callsOf>
  readonly lacks: Lacks
  readonly patience: Patience
  readonly concurrency: number
}

function readsOf({ name, client, bucket, fullKey, shortKey, calls, lacks, patience }: Place) {
  const get: ObjectStore['get'] = (key, { part, ifMatch, signal: own } = {}) =>
    calls.call(own, 'read', key, async (stop) => {
      const Range = part && `bytes=${part.first}-${part.last}`
      const command = new GetObjectCommand({ Bucket: bucket, Key: fullKey(key), Range, IfMatch: ifMatch })
      const noted = noteAnswer(command)
      try {
        const got = await client.send(command, sending(stop))
        const raw = got.Body as unknown as AsyncIterable<Uint8Array> & { destroy?: () => void }
        const { ETag = '', ContentLength: size = null, LastModified: lastModified = new Date(0) } = got
        if (part !== undefined && noted.status === 206 && !isFrom(part, got.ContentRange)) {
          raw.destroy?.()
          throw new Error(`${name}: asked for ${Range} of ${key}, the store answered ${got.ContentRange}`)
        }
        const limited = limitBody(raw, `${name}/${key}`, { waitMs: patience.bodyMs })
        const about = { etag: strongEtag(ETag), lastModified, now: noted.now, signal: stop }
        const whole = { ...about, bytes: size, body: limited, cancel: () => raw.destroy?.() }
        return part !== undefined && noted.status === 200 ? cutFrom(whole, key, part) : whole
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    })

  /** The store has ignored the range. */
  const cutFrom = (
    { bytes: size, body, ...whole }: FetchedObject,
    key: string,
    part: NonNullable<GetOptions['part']>,
  ): FetchedObject => {
    lacks.add('ranges')
    if (part.last >= maxCutBytes) {
      whole.cancel()
      throw new Error(`${name}: could not read a part of ${key}: ${insteadOf.ranges}`)
    }
    const last = Math.min(part.last, (size ?? Infinity) - 1)
    const bytes = size === null ? null : Math.max(0, last - part.first + 1)
    return { ...whole, bytes, body: cutBody(body, part) }
  }

  const list: ObjectStore['list'] = (start, { signal: own, pageKeys } = {}) =>
    calls.list(own, start, async function* (stop) {
      for await (const { Contents = [] } of pagesOf(start, { pageKeys }, stop))
        for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents) {
          const key = shortKey(Key)
          if (!isStray(key)) yield { key, bytes: Size, etag: strongEtag(ETag), lastModified: LastModified }
        }
    })

  const folders: ObjectStore['folders'] = (start, { signal: own } = {}) =>
    calls.call(own, 'list', start, async (stop) => {
      const names: string[] = []
      for await (const { CommonPrefixes = [] } of pagesOf(start, { delimiter: '/' }, stop))
        for (const { Prefix = '' } of CommonPrefixes) names.push(shortKey(Prefix).slice(start.length, -1))
      return names.filter((folder) => !isStray(folder))
    })

  const pagesOf = (start: string, asked: Asked, stop: AbortSignal | undefined) => {
    const input = {
      Bucket: bucket,
      Prefix: fullKey(start),
      MaxKeys: asked.pageKeys,
      Delimiter: asked.delimiter,
    }
    const ask = (token: string | undefined) =>
      client.send(new ListObjectsV2Command({ ...input, ContinuationToken: token }), sending(stop))
    return pagesWithin(`${name}: the listing of ${start}`, fullKey(start), ask)
  }
  return { get, list, folders }
}

const isFrom = ({ first }: { readonly first: number }, range = `bytes ${first}-`) =>
  range.startsWith(`bytes ${first}-`)

type Asked = Pick<ListOptions, 'pageKeys'> & { readonly delimiter?: string }

/** Limits of a listing: ours has some million keys. A store may send empty pages, if it skips objects that are gone. */
const listing = { keys: 20e6, emptyPages: 1000 }

/** @throws {Error} if the pages do not end, bring keys in another order than that of their bytes, or keys that were not asked for */
async function* pagesWithin(
  what: string,
  prefix: string,
  ask: (token: string | undefined) => Promise<ListObjectsV2CommandOutput>,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  const useless = 'fundpress cannot work with this store, or with what answers in its place'
  const assertNext = sortedKeys(what, prefix, useless)
  let token: string | undefined
  let listed = 0
  let empty = 0
  for (;;) {
    const page = await ask(token)
    if (page.IsTruncated === undefined) throw new Error(`${what} was answered with no listing: ${useless}`)
    const keys = (page.Contents ?? []).map(({ Key = '' }) => Key)
    const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix)
    assertNext.key(keys)
    assertNext.folder(folders)
    listed += keys.length + folders.length
    empty = keys.length + folders.length === 0 ? empty + 1 : 0
    yield page
    if (!page.IsTruncated) return
    const next = page.NextContinuationToken
    const isEndless =
      next === undefined || next === token || empty > listing.emptyPages || listed > listing.keys
    if (isEndless)
      throw new Error(`${what} does not end after ${listed} keys (${endless(next, token)}): ${useless}`)
    token = next
  }
}

function endless(next: string | undefined, token: string | undefined): string {
  if (next === undefined) return 'a further page is announced without a continuation token'
  return next === token ? 'the same continuation token again' : 'too many pages'
}

function sortedKeys(what: string, prefix: string, useless: string) {
  const follow = () => {
    let last: string | undefined
    return (keys: readonly string[]) => {
      for (const key of keys) {
        if (!key.startsWith(prefix))
          throw new Error(`${what} has ${JSON.stringify(key)}, which was not asked for: ${useless}`)
        if (last !== undefined && !isBefore(last, key))
          throw new Error(
            `${what} is not in the order of the bytes of its keys, ${JSON.stringify(key)} comes after ${JSON.stringify(last)}: ${useless}`,
          )
        last = key
      }
    }
  }
  return { key: follow(), folder: follow() }
}

function putsOf(place: Place, get: ObjectStore['get']) {
  const { name, client, bucket, fullKey, calls, lacks } = place
  const commandFor = (object: Omit<NewObject, 'body'>, input: Partial<PutObjectCommandInput>) =>
    new PutObjectCommand({
      Bucket: bucket,
      Key: fullKey(object.key),
      ContentType: object.type,
      CacheControl: object.cacheControl,
      Metadata: { sha256: object.sha256 },
      ...input,
    })
  const send = async (command: PutObjectCommand, options: WriteOptions, stop?: AbortSignal) => {
    const { ETag = '' } = await client.send(guard(command, options), sending(stop))
    return { etag: strongEtag(ETag) }
  }
  const putPlainly = openPuts(
    client,
    (key, options: WriteOptions) => {
      const about = { key, type: '', cacheControl: '', sha256: '' }
      return guard(commandFor(about, { Body: Buffer.alloc(0) }), options)
    },
    ({ body, sha256 }) =>
      lacks.has('checksums') ? ['content-md5', md5Of(body)] : ['x-amz-checksum-sha256', inBase64(sha256)],
  )
  const withChecksum = checksumsOf(lacks)

  const put: ObjectStore['put'] = (object, condition, options = {}) =>
    calls.call(options.signal, 'write', object.key, async (stop) => {
      const { body, sha256 } = object
      const once = (conditions: Partial<PutObjectCommandInput>): Promise<PutObject> =>
        withChecksum(
          { sha256, digest: (algorithm) => Promise.resolve(hash(algorithm, body)) },
          async (checksum) => {
            // A put without a condition has no checksum of its own in what is prepared.
            const isPlain = condition === undefined
            const done = isPlain ? await putPlainly(object, options, stop) : null
            return done ?? send(commandFor(object, { Body: body, ...checksum, ...conditions }), options, stop)
          },
        )
      if (condition === undefined) return once({})
      const read = () => readSmall({ name, get }, object.key, { signal: stop })
      return putConditionally(object, condition, once, read, stop)
    })

  const putFile: ObjectStore['putFile'] = async (file, object, options = {}) => {
    const bytes = sizeOf(file)
    if (bytes < streamedFrom) {
      const body = await readFile(file).catch((error: unknown) => {
        throw unreadable(file, error)
      })
      const sha256 = object.sha256 ?? hash('sha256', body)
      return put({ ...object, body, sha256 }, undefined, options)
    }
    return calls.call(options.signal, 'write', object.key, async (stop) => {
      const sha256 = object.sha256 ?? (await digestOfFile(file, stop))
      const digest = (algorithm: Algorithm) => digestOfFile(file, stop, algorithm)
      return withChecksum({ sha256, digest }, (checksum) => {
        const command = commandFor({ ...object, sha256 }, { ContentLength: bytes, ...checksum })
        sendFile(command, file, bytes)
        return send(command, options, stop)
      })
    })
  }
  return { put, putFile, copy: copyIn(place) }
}

type Algorithm = 'md5' | 'sha256'
type Checksum = Pick<PutObjectCommandInput, 'ChecksumSHA256' | 'ContentMD5'>

const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

/** Codes of a store that has verified a body, and found another one. */
const wrongDigest = /^(?:BadDigest|InvalidDigest|XAmzContent(?:SHA256|Checksum)Mismatch)$/

/**
 * Sends a put with its SHA-256. A store that has never taken one may not know the header: then the put is sent again with Content-MD5, after its SHA-256 was compared here, since an MD5 of the wrong bytes is right, too.
 */
function checksumsOf(lacks: Lacks) {
  let isKnown = false
  interface Body {
    readonly sha256: string
    readonly digest: (algorithm: Algorithm) => Promise<string>
  }
  const withMd5 = async (
    { sha256, digest }: Body,
    send: (checksum: Checksum) => Promise<PutObject>,
  ): Promise<PutObject> => {
    if ((await digest('sha256')) !== sha256)
      // As the store would answer that had the header.
      throw Object.assign(new Error(sha256), { name: 'BadDigest', $metadata: { httpStatusCode: 400 } })
    return send({ ContentMD5: inBase64(await digest('md5')) })
  }
  return async (body: Body, send: (checksum: Checksum) => Promise<PutObject>): Promise<PutObject> => {
    if (lacks.has('checksums')) return withMd5(body, send)
    try {
      const done = await send({ ChecksumSHA256: inBase64(body.sha256) })
      isKnown = true
      return done
    } catch (error) {
      const status = statusOf(error)
      const mayBeHeader = (status === 400 || status === 501) && !wrongDigest.test(codeOf(error))
      if (isKnown || !mayBeHeader) throw error
      lacks.add('checksums')
      try {
        return await withMd5(body, send)
      } catch (second) {
        lacks.delete('checksums')
        // The same refusal had another reason.
        throw codeOf(second) === codeOf(error) ? error : second
      }
    }
  }
}

function copyIn({ client, bucket, fullKey, calls, lacks }: Place): NonNullable<S3Store['copy']> {
  return ({ key, etag: wanted }, { type, cacheControl, sha256, ...to }, options = {}) => {
    if (lacks.has('copies')) return Promise.resolve(null)
    return calls.call(options.signal, 'write', to.key, async (stop) => {
      const command = new CopyObjectCommand({
        Bucket: bucket,
        Key: fullKey(to.key),
        MetadataDirective: 'REPLACE',
        ContentType: type,
        CacheControl: cacheControl,
        Metadata: { sha256 },
        CopySource: [bucket, ...fullKey(key).split('/')].map(encodeURIComponent).join('/'),
      })
      try {
        const copying = guard(onceIfAnswered(command), options)
        const { CopyObjectResult } = await client.send(copying, sending(stop))
        // Ceph ignores conditions of a copy: the ETag tells what was copied.
        return strongEtag(CopyObjectResult?.ETag ?? '') === strongEtag(wanted) ? { etag: wanted } : null
      } catch (error) {
        if (!(error instanceof CopyRefused)) throw error
        if (!error.isOfThisCopy) lacks.add('copies')
        return null
      }
    })
  }
}

function deleteIn({ client, bucket, fullKey, shortKey, advise, calls, lacks, patience, concurrency }: Place) {
  const remove: ObjectStore['delete'] = async (keys, options = {}) => {
    for (let at = 0; at < keys.length; at += keysPerDelete)
      await removeSome(keys.slice(at, at + keysPerDelete), options)
  }
  const removeSome = async (keys: readonly string[], options: WriteOptions) => {
    let left = keys
    if (!lacks.has('deletes')) {
      if (await removeTogether(keys, options)) return
      const [first = '', ...others] = keys
      // If this is refused, too, its reason explains more.
      await removeOne(first, options)
      lacks.add('deletes')
      left = others
    }
    await inParallel(left, concurrency, (key) => removeOne(key, options))
  }
  const removeOne = (key: string, options: WriteOptions) =>
    calls.call(options.signal, 'delete', key, async (stop) => {
      const command = guard(new DeleteObjectCommand({ Bucket: bucket, Key: fullKey(key) }), options)
      await client.send(command, sending(stop)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    })
  /** @returns false if the store refuses the whole request */
  const removeTogether = async (keys: readonly string[], options: WriteOptions): Promise<boolean> => {
    const left = await calls.call(options.signal, 'delete', keys[0] ?? '', async (stop) => {
      const once = async (some: readonly string[]) => {
        const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true }
        const command = guard(new DeleteObjectsCommand({ Bucket: bucket, Delete }), options)
        return (await client.send(command, sending(stop))).Errors ?? []
      }
      try {
        return await deleteKeys(keys.map(fullKey), patience.attempts, once, stop)
      } catch (error) {
        if (isFinalRefusal(error)) return null
        throw error
      }
    })
    if (left === null) return false
    const [first] = left
    if (first === undefined) return true
    const { Key = '', Code = 'no reason given', Message = '' } = first
    const more = left.length === 1 ? '' : ` and ${left.length - 1} more`
    const error = Object.assign(new Error(Message), { name: Code, Code })
    throw advise(error, 'delete', `${shortKey(Key)}${more}`)
  }
  return remove
}

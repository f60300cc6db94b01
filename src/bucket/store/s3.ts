/** The store port over S3: AWS, Cloudflare R2, MinIO, Ceph. `retry.ts` says what is tried again, `errors.ts` what failures mean. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { paginateListObjectsV2, type PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { explained, failureOf, isMissing, type Doing } from './errors.ts'
import { digestOfFile, sendFile, sizeOf, streamedFrom, unreadable } from './files.ts'
import { openPuts } from './puts.ts'
import { readSmall } from './read.ts'
import { deleteKeys, limitConcurrency, nightlyPatience, putConditionally } from './retry.ts'
import { type Patience, retrySettings, watchAttempts } from './retry.ts'
import { joinedWith } from './signals.ts'
import type { NewObject, ObjectStore, PutObject, WriteOptions } from './store.ts'

export interface S3Settings {
  readonly bucket: string
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string
  /** The address of a store other than AWS. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly pathStyle: boolean
  /** Requests at a time: as many connections are kept open. */
  readonly concurrency: number
}

export interface S3Store extends ObjectStore {
  readonly kind: 's3'
  /** For requests that only some commands make (doctor, prune), with what they need to name the bucket. */
  readonly client: S3Client
  readonly bucket: string
  /** A key as the bucket has it, below the prefix. */
  readonly fullKey: (key: string) => string
  readonly advise: (error: unknown, doing: Doing, key: string) => unknown
  /** How far this machine's clock is behind the store's; negative if it is ahead. */
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
  const client = openClient(settings, patience)
  const below = prefix === '' ? '' : `${prefix}/`
  const name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const fullKey = (key: string) => below + key
  const shortKey = (key: string) => key.slice(below.length)
  const advise: S3Store['advise'] = (error, doing, key) =>
    explained(error, { name, bucket, endpoint }, doing, key)
  const stopOf = joinedWith(signal)

  /** What a call throws: why it was stopped, or what failed, with advice. */
  const reasonFor = (error: unknown, stop: AbortSignal | undefined, doing: Doing, key: string): unknown =>
    stop?.aborted === true ? stop.reason : advise(error, doing, key)

  const get: ObjectStore['get'] = async (key, { part, ifMatch, signal: own } = {}) => {
    const stop = stopOf(own)
    const Range = part && `bytes=${part.first}-${part.last}`
    const command = new GetObjectCommand({ Bucket: bucket, Key: fullKey(key), Range, IfMatch: ifMatch })
    // The store's clock, by which ages are measured.
    let now = new Date()
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        const { date } = (result.response as { headers: Readonly<Record<string, string>> }).headers
        if (date !== undefined) now = new Date(date)
        return result
      },
      { step: 'deserialize', name: 'readDate' },
    )
    try {
      const got = await client.send(command, sending(stop))
      const body = got.Body as unknown as AsyncIterable<Uint8Array> & { destroy?: () => void }
      const { ETag: etag = '', ContentLength: bytes = null, LastModified: lastModified = new Date(0) } = got
      return { etag, bytes, lastModified, now, body, cancel: () => body.destroy?.(), signal: stop }
    } catch (error) {
      if (isMissing(error)) return null
      throw reasonFor(error, stop, 'read', key)
    }
  }

  /** A command whose attempts first ask whether they may be sent. */
  const guarded = <Command extends PutObjectCommand | DeleteObjectsCommand>(
    command: Command,
    { assertFresh, onFailure }: WriteOptions,
  ): Command => {
    ;(command as PutObjectCommand).middlewareStack.add(
      (next) => (args) => {
        try {
          assertFresh?.()
        } catch (error) {
          throw new NotSent(error)
        }
        return next(args).catch((error: unknown) => {
          onFailure?.(failureOf(error))
          throw error
        })
      },
      { step: 'finalizeRequest', priority: 'low', name: 'assertFresh' },
    )
    return command
  }

  /** Runs a write of guarded commands. */
  const write = async <T>(
    { signal: own }: WriteOptions,
    key: string,
    doing: 'write' | 'delete',
    work: (stop: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> => {
    const stop = stopOf(own)
    try {
      return await work(stop)
    } catch (error) {
      throw error instanceof NotSent ? error.reason : reasonFor(error, stop, doing, key)
    }
  }

  const inputOf = (object: Omit<NewObject, 'body'>, input: Partial<PutObjectCommandInput>) => ({
    Bucket: bucket,
    Key: fullKey(object.key),
    ContentType: object.type,
    CacheControl: object.cacheControl,
    ChecksumSHA256: Buffer.from(object.sha256, 'hex').toString('base64'),
    Metadata: { sha256: object.sha256 },
    ...input,
  })

  const putPlainly = openPuts(client, (key, options: WriteOptions) => {
    const about = { key, type: '', cacheControl: '', sha256: '' }
    return guarded(new PutObjectCommand(inputOf(about, { Body: Buffer.alloc(0) })), options)
  })

  const put: ObjectStore['put'] = (object, condition, options = {}) =>
    write(options, object.key, 'write', (stop) => {
      const once = async (conditions: Partial<PutObjectCommandInput>): Promise<PutObject> => {
        const command = new PutObjectCommand(inputOf(object, { Body: object.body, ...conditions }))
        const { ETag: etag = '' } = await client.send(guarded(command, options), sending(stop))
        return { etag }
      }
      if (condition === undefined) return putPlainly(object, options, stop).then((done) => done ?? once({}))
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
    return write(options, object.key, 'write', async (stop) => {
      const sha256 = object.sha256 ?? (await digestOfFile(file, stop))
      const command = new PutObjectCommand(inputOf({ ...object, sha256 }, { ContentLength: bytes }))
      sendFile(command, file, bytes)
      const { ETag: etag = '' } = await client.send(guarded(command, options), sending(stop))
      return { etag }
    })
  }

  const list: ObjectStore['list'] = async function* (start, options = {}) {
    const stop = stopOf(options.signal)
    try {
      const input = { Bucket: bucket, Prefix: fullKey(start) }
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, input, sending(stop))) {
        for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents)
          yield { key: shortKey(Key), bytes: Size, etag: ETag, lastModified: LastModified }
      }
    } catch (error) {
      throw reasonFor(error, stop, 'list', start)
    }
  }

  const folders: ObjectStore['folders'] = async (start, options = {}) => {
    const stop = stopOf(options.signal)
    const names: string[] = []
    try {
      const input = { Bucket: bucket, Prefix: fullKey(start), Delimiter: '/' }
      for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client }, input, sending(stop)))
        for (const { Prefix = '' } of CommonPrefixes) names.push(shortKey(Prefix).slice(start.length, -1))
      return names
    } catch (error) {
      throw reasonFor(error, stop, 'list', start)
    }
  }

  const remove: ObjectStore['delete'] = async (keys, options = {}) => {
    if (keys.length === 0) return
    const left = await write(options, keys[0] ?? '', 'delete', (stop) => {
      const once = async (some: readonly string[]) => {
        const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true }
        const command = guarded(new DeleteObjectsCommand({ Bucket: bucket, Delete }), options)
        return (await client.send(command, sending(stop))).Errors ?? []
      }
      return deleteKeys(keys.map(fullKey), patience.attempts, once, stop)
    })
    const [first] = left
    if (first === undefined) return
    const { Key = '', Code = 'no reason given', Message = '' } = first
    const more = left.length === 1 ? '' : ` and ${left.length - 1} more`
    const error = Object.assign(new Error(Message), { name: Code, Code })
    throw advise(error, 'delete', `${shortKey(Key)}${more}`)
  }

  const close = () => client.destroy()
  giveDigests(client)
  const counts = watchAttempts(client)
  // What is at the root of the bucket is the lease or depends on it, and waits for nothing else.
  const isUrgent = (key: string) => !shortKey(key).includes('/')
  if (patience.refusedMs !== undefined) limitConcurrency(client, settings.concurrency, isUrgent)
  return {
    kind: 's3',
    areEtagsDigests: true,
    name,
    client,
    bucket,
    fullKey,
    advise,
    get,
    put,
    putFile,
    list,
    folders,
    delete: remove,
    close,
    ...counts,
  }
}

/** Connections for the lease and the like: a request that waited for one would be sent later than its sender decided. */
const bookkeeping = 4

function openClient(settings: S3Settings, patience: Patience): S3Client {
  const { endpoint, region, pathStyle, concurrency } = settings
  const { requestHandler, ...retrying } = retrySettings(patience)
  const agent = { keepAlive: true, maxSockets: concurrency + bookkeeping }
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(region !== null ? { region } : endpoint === null ? {} : { region: regionOrAuto() }),
    forcePathStyle: pathStyle,
    ...retrying,
    requestHandler: { ...requestHandler, httpAgent: agent, httpsAgent: agent },
    // Bodies carry their SHA-256 already; older stores refuse the SDK's default of a trailing CRC.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** The reason is not a cause: on its way out the SDK would search that for a reason to try again. */
class NotSent extends Error {
  readonly reason: unknown
  constructor(reason: unknown) {
    super('not sent')
    this.reason = reason
  }
}

/**
 * The signature covers the digest that the object is to have. So the SDK need not hash the body again, and the store refuses
 * a body with another one.
 */
function giveDigests({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next) => (args) => {
      const { sha256 } = (args.input as Partial<PutObjectCommandInput>).Metadata ?? {}
      const { headers } = args.request as { headers: Record<string, string> }
      if (sha256 !== undefined) headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'giveDigest' },
  )
}

/** The region of the environment or the profile; else 'auto': a store with an address of its own mostly does not care. */
function regionOrAuto() {
  let answer: Promise<string> | undefined
  // The SDK asks for each request.
  return () => (answer ??= new S3Client({}).config.region().catch(() => 'auto'))
}

const sending = (stop: AbortSignal | undefined) => (stop === undefined ? {} : { abortSignal: stop })

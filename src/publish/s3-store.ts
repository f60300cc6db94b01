/** An object store that speaks S3: AWS, Cloudflare R2, MinIO, Ceph. */

import { readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import {
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { retryConditionally } from './conditional-put.ts'
import { ofANight, type Patience } from './patience.ts'
import { openClient, type S3Settings } from './s3-client.ts'
import { deleteAll } from './s3-delete.ts'
import { isMissing, withAdvice, type Doing } from './s3-errors.ts'
import { digestOfFile, sendFile, sizeOf, streamedFrom, unreadable } from './s3-put-file.ts'
import type {
  FetchedObject,
  GetOptions,
  NewFileObject,
  NewObject,
  ObjectStore,
  WriteOptions,
} from './store.ts'

export type { Patience } from './patience.ts'
export type { S3Settings } from './s3-client.ts'

export interface S3Store extends ObjectStore {
  /** For what only some commands ask of a bucket (doctor, prune), with what they need to name it. */
  readonly client: S3Client
  readonly bucket: string
  /** A key as the bucket has it, below the prefix. */
  readonly fullKey: (key: string) => string
  /** An error of the client with its place and a way out. */
  readonly advise: (error: unknown, doing: Doing, key: string) => unknown
  readonly close: () => void
}

/**
 * @param signal ends the requests that are under way when it aborts; what a command asks for afterwards, to clean up,
 * goes through
 */
export function openS3(settings: S3Settings, signal?: AbortSignal, patience: Patience = ofANight): S3Store {
  const { bucket, prefix } = settings
  const { client, requests, unanswered, dateOf } = openClient(settings, patience)
  const name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const fullKey = (key: string) => (prefix === '' ? key : `${prefix}/${key}`)
  const shortKey = (key: string) => (prefix === '' ? key : key.slice(prefix.length + 1))
  const place = { name, bucket, endpoint: settings.endpoint, region: settings.region }
  const stopOf = joinedWith(signal)

  /** What a call throws: why it was stopped, or what failed, with advice. */
  const reasonFor = (error: unknown, stop: AbortSignal | undefined, doing: Doing, key: string): unknown =>
    stop?.aborted === true ? stop.reason : withAdvice(error, place, doing, key)

  const get = async (key: string, options: GetOptions = {}): Promise<FetchedObject | null> => {
    const { part, ifMatch } = options
    const input = {
      ...(part === undefined ? {} : { Range: `bytes=${part.first}-${part.last}` }),
      ...(ifMatch === undefined ? {} : { IfMatch: ifMatch }),
    }
    const stop = stopOf(options.signal)
    try {
      const got = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: fullKey(key), ...input }),
        sending(stop),
      )
      const body = got.Body as unknown as AsyncIterable<Uint8Array> & { destroy?: () => void }
      return {
        etag: got.ETag ?? '',
        bytes: got.ContentLength ?? null,
        lastModified: got.LastModified ?? new Date(0),
        now: dateOf(got.$metadata) ?? new Date(),
        body,
        cancel: () => body.destroy?.(),
        signal: stop,
      }
    } catch (error) {
      if (isMissing(error)) return null
      throw reasonFor(error, stop, 'read', key)
    }
  }

  const putCommand = (object: Omit<NewObject, 'body'>, input: Partial<PutObjectCommandInput>) =>
    new PutObjectCommand({
      Bucket: bucket,
      Key: fullKey(object.key),
      ContentType: object.type,
      CacheControl: object.cacheControl,
      ChecksumSHA256: Buffer.from(object.sha256, 'hex').toString('base64'),
      Metadata: { sha256: object.sha256 },
      ...input,
    })

  /** Makes the last steps of a write: each attempt asks whether it may. */
  const write = async <T>(
    options: WriteOptions,
    key: string,
    doing: 'write' | 'delete',
    work: (guard: Guard, stop: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> => {
    const stop = stopOf(options.signal)
    const { guard, refusal } = guardOf(options.assertFresh)
    try {
      return await work(guard, stop)
    } catch (error) {
      const refused = refusal()
      throw refused === undefined ? reasonFor(error, stop, doing, key) : refused.error
    }
  }

  const put: ObjectStore['put'] = (object, condition, options = {}) =>
    write(options, object.key, 'write', async (guard, stop) => {
      const once = async (input: Partial<PutObjectCommandInput>) => {
        const command = putCommand(object, { Body: object.body, ...input })
        command.middlewareStack.add(guard, beforeEachAttempt)
        const { ETag = '' } = await client.send(command, sending(stop))
        return { etag: ETag }
      }
      if (condition === undefined) return once({})
      return retryConditionally(object, condition, once, (key) => get(key, { signal: stop }), stop)
    })

  const putFile = async (file: string, object: NewFileObject, options: WriteOptions = {}) => {
    const bytes = await sizeOf(file)
    if (bytes < streamedFrom) {
      const body = await readFile(file).catch((error: unknown) => {
        throw unreadable(file, error)
      })
      const sha256 = object.sha256 ?? createHash('sha256').update(body).digest('hex')
      return put({ ...object, body, sha256 }, undefined, options)
    }
    return write(options, object.key, 'write', async (guard, stop) => {
      const sha256 = object.sha256 ?? (await digestOfFile(file, stop))
      const command = putCommand({ ...object, sha256 }, { ContentLength: bytes })
      sendFile(command, file, bytes, sha256)
      command.middlewareStack.add(guard, beforeEachAttempt)
      const { ETag = '' } = await client.send(command, sending(stop))
      return { etag: ETag }
    })
  }

  return {
    name,
    client,
    bucket,
    fullKey,
    advise: (error, doing, key) => withAdvice(error, place, doing, key),
    get,
    put,
    putFile,
    async *list(start, options = {}) {
      const stop = stopOf(options.signal)
      try {
        const pages = paginateListObjectsV2(
          { client },
          { Bucket: bucket, Prefix: fullKey(start) },
          sending(stop),
        )
        for await (const { Contents = [] } of pages) {
          for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents)
            yield { key: shortKey(Key), bytes: Size, etag: ETag, lastModified: LastModified }
        }
      } catch (error) {
        throw reasonFor(error, stop, 'list', start)
      }
    },
    delete: async (keys, options = {}) => {
      if (keys.length === 0) return
      const left = await write(options, keys[0] ?? '', 'delete', (guard, stop) =>
        deleteAll({
          bucket,
          keys: keys.map(fullKey),
          attempts: patience.attempts,
          signal: stop,
          send: (command) => {
            command.middlewareStack.add(guard, beforeEachAttempt)
            return client.send(command, sending(stop))
          },
        }),
      )
      if (left === null) return
      const more = left.more === 0 ? '' : ` and ${left.more} more`
      throw withAdvice(left.error, place, 'delete', `${shortKey(left.key)}${more}`)
    },
    requests,
    unanswered,
    close: () => {
      client.destroy()
    },
  }
}

const sending = (stop: AbortSignal | undefined) => (stop === undefined ? {} : { abortSignal: stop })

/** What stops a call: the session's signal, unless it has been used up, and the call's own. */
function joinedWith(session: AbortSignal | undefined) {
  // One for all calls with the same signal: a night has a million calls.
  const joined = new WeakMap<AbortSignal, AbortSignal>()
  return (own: AbortSignal | undefined): AbortSignal | undefined => {
    if (session === undefined || session.aborted) return own
    if (own === undefined || own === session) return session
    const both = joined.get(own) ?? AbortSignal.any([session, own])
    joined.set(own, both)
    return both
  }
}

const beforeEachAttempt = { step: 'finalizeRequest', priority: 'low', name: 'assertFresh' } as const

type Guard = <A, O>(next: (args: A) => Promise<O>) => (args: A) => Promise<O>

/** Remembers what was thrown: on its way out the SDK would look into it for a reason to try again. */
function guardOf(assertFresh: (() => void) | undefined) {
  let refused: { readonly error: unknown } | undefined
  const guard: Guard = (next) => (args) => {
    try {
      assertFresh?.()
    } catch (error) {
      refused = { error }
      throw new Error('not sent')
    }
    return next(args)
  }
  return { guard, refusal: () => refused }
}

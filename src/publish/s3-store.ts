/** An object store that speaks S3: AWS, Cloudflare R2, MinIO, Ceph. */

import {
  DeleteObjectsCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3'
import { retryConditionally } from './conditional-put.ts'
import { isMissing, statusOf, withAdvice, type Doing } from './s3-errors.ts'
import type { FetchedObject, NewObject, ObjectStore } from './store.ts'

export interface S3Settings {
  readonly bucket: string
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string
  /** Of a store other than AWS. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly pathStyle: boolean
  /** Requests at a time: as many connections are kept open. */
  readonly concurrency: number
}

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

/** How long a request is tried. */
export interface Patience {
  /** With backoff, jitter and a rate that adapts to what the store can take. */
  readonly attempts: number
  /** Milliseconds until there is a connection. */
  readonly connectMs: number
  /** Milliseconds without a byte in either direction. */
  readonly silenceMs: number
}

const ofANight: Patience = { attempts: 8, connectMs: 10_000, silenceMs: 60_000 }

/**
 * @param signal ends the requests that are under way when it aborts; what a command asks for afterwards, to clean up,
 * goes through
 */
export function openS3(settings: S3Settings, signal?: AbortSignal, patience = ofANight): S3Store {
  const { bucket, prefix, concurrency } = settings
  const client = makeClient(settings)
  const name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const counts: Record<string, number> = {}
  const fullKey = (key: string) => (prefix === '' ? key : `${prefix}/${key}`)
  const place = { name, bucket, endpoint: settings.endpoint, region: settings.region }

  const stoppable = () => (signal === undefined || signal.aborted ? {} : { abortSignal: signal })

  // Counted where requests leave, so that retries count too: that is what is paid for.
  client.middlewareStack.add(
    (next, context) => (args) => {
      const operation = context.commandName?.replace('Command', '') ?? 'unknown'
      counts[operation] = (counts[operation] ?? 0) + 1
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countRequests' },
  )

  client.middlewareStack.addRelativeTo(trustAnswers, {
    relation: 'after',
    toMiddleware: 'retryMiddleware',
    name: 'trustAnswers',
  })

  const get = async (key: string): Promise<FetchedObject | null> => {
    try {
      const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: fullKey(key) }), stoppable())
      const body = got.Body as unknown as AsyncIterable<Uint8Array> & { destroy?: () => void }
      return {
        etag: got.ETag ?? '',
        bytes: got.ContentLength ?? 0,
        lastModified: got.LastModified ?? new Date(0),
        now: dates.get(got.$metadata) ?? new Date(),
        body,
        cancel: () => body.destroy?.(),
      }
    } catch (error) {
      if (isMissing(error)) return null
      throw withAdvice(error, place, 'read', key)
    }
  }

  // The Date header of an answer: the store's clock, which ages are told by.
  const dates = new WeakMap<object, Date>()
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { headers } = result.response as { headers?: Record<string, string> }
      const output = result.output as { $metadata: object }
      if (headers?.['date'] !== undefined) dates.set(output.$metadata, new Date(headers['date']))
      return result
    },
    { step: 'deserialize', priority: 'high', name: 'rememberDate' },
  )

  const putOnce = async (object: NewObject, input: Partial<PutObjectCommandInput>) => {
    const put = new PutObjectCommand({
      Bucket: bucket,
      Key: fullKey(object.key),
      Body: object.body,
      ContentType: object.type,
      CacheControl: object.cacheControl,
      ChecksumSHA256: Buffer.from(object.sha256, 'hex').toString('base64'),
      Metadata: { sha256: object.sha256 },
      ...input,
    })
    const { ETag = '' } = await client.send(put, stoppable())
    return { etag: ETag }
  }

  return {
    name,
    client,
    bucket,
    fullKey,
    advise: (error, doing, key) => withAdvice(error, place, doing, key),
    get,
    put: async (object, condition) => {
      try {
        if (condition === undefined) return await putOnce(object, {})
        return await retryConditionally(object, condition, (input) => putOnce(object, input), get)
      } catch (error) {
        throw withAdvice(error, place, 'write', object.key)
      }
    },
    async *list(start) {
      try {
        const pages = paginateListObjectsV2(
          { client },
          { Bucket: bucket, Prefix: fullKey(start) },
          stoppable(),
        )
        for await (const { Contents = [] } of pages) {
          for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents) {
            const key = prefix === '' ? Key : Key.slice(prefix.length + 1)
            yield { key, bytes: Size, etag: ETag, lastModified: LastModified }
          }
        }
      } catch (error) {
        throw withAdvice(error, place, 'list', start)
      }
    },
    delete: async (keys) => {
      if (keys.length === 0) return
      try {
        const Objects = keys.map((key) => ({ Key: fullKey(key) }))
        const { Errors = [] } = await client.send(
          new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
          stoppable(),
        )
        const [first] = Errors
        if (first !== undefined) {
          const others = Errors.length > 1 ? ` and ${Errors.length - 1} more` : ''
          throw new Error(
            `${name}: ${first.Key ?? ''}${others} could not be deleted (${first.Code ?? 'no reason given'})`,
          )
        }
      } catch (error) {
        throw withAdvice(error, place, 'delete', keys[0] ?? '')
      }
    },
    requests: () => ({ ...counts }),
    close: () => {
      client.destroy()
    },
  }

  function makeClient({ endpoint, region, pathStyle }: S3Settings): S3Client {
    return new S3Client({
      ...(endpoint === null ? {} : { endpoint }),
      ...(region === null ? (endpoint === null ? {} : { region: regionOrAuto }) : { region }),
      forcePathStyle: pathStyle,
      maxAttempts: patience.attempts,
      retryMode: 'adaptive',
      requestHandler: {
        connectionTimeout: patience.connectMs,
        // Not requestTimeout: the SDK only warns of that one, and a large body may take its time.
        socketTimeout: patience.silenceMs,
        httpAgent: { keepAlive: true, maxSockets: concurrency },
        httpsAgent: { keepAlive: true, maxSockets: concurrency },
      },
      // Bodies carry their SHA-256 already; older stores refuse the SDK's default of a trailing CRC.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }
}

/** What environment or profile say; else 'auto': a store with an address of its own mostly does not care. */
const regionOrAuto = () => new S3Client({}).config.region().catch(() => 'auto')

/** With a clock that is wrong, the SDK (3.1169) takes every error for one of the clock, and tries again. */
const trustAnswers =
  <A, O>(next: (args: A) => Promise<O>) =>
  async (args: A): Promise<O> => {
    try {
      return await next(args)
    } catch (error) {
      const { $metadata } = error as { $metadata?: { clockSkewCorrected?: boolean } }
      if (isMissing(error) || statusOf(error) === 412) delete $metadata?.clockSkewCorrected
      throw error
    }
  }

/**
 * Everything inside the AWS SDK: its layers (middlewares), retries, prepared requests. `package.json` pins the version
 * exactly; a newer one needs `test/bucket/store.test.ts` and `store-faults.test.ts`.
 */

import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import type { CopyObjectCommand, DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import type { GetObjectCommand } from '@aws-sdk/client-s3'
import type { PutObjectCommand } from '@aws-sdk/client-s3'
import type { PutObjectCommandInput, S3ClientConfig } from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { answersOfProxies, assertOfStore, limitXml, type RawAnswer } from './answers.ts'
import { countRequests, NotSent } from './calls.ts'
import { afterAnswer, afterRefusal, fullConcurrency, backoff, isThrottled, type Patience } from './retry.ts'
import { codeOf, failureOf, isMissing, refusedCode, statusOf } from './errors.ts'
import { unreadable } from './files.ts'
import type { NewObject, PutObject, WriteOptions } from './store.ts'

export interface S3Settings {
  readonly bucket: string
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string
  /** Null for AWS. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly pathStyle: boolean
  /** Requests at a time: as many connections are kept open. */
  readonly concurrency: number
}

/** Connections for the lease and the like: a request that waited for one would leave later than its sender decided. */
const bookkeeping = 4

/** @param isUrgent by the key of a request: an urgent one is sent at once, however much the store throttles */
export function openClient(settings: S3Settings, patience: Patience, isUrgent: (key: string) => boolean) {
  const { endpoint, region, pathStyle, concurrency } = settings
  const { attempts, connectMs, silenceMs, throttledMs, bodyMs } = patience
  const agent = { keepAlive: true, maxSockets: concurrency + bookkeeping }
  const client = new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(region !== null ? { region } : endpoint === null ? {} : { region: regionOrAuto() }),
    forcePathStyle: pathStyle,
    maxAttempts: attempts,
    retryStrategy: retryStrategy(patience),
    // `requestTimeout` is no limit: the SDK only warns, and a large body may take its time.
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Bodies carry their SHA-256 already; older stores refuse the SDK's default of a trailing CRC.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  giveDigests(client)
  giveMd5(client)
  trustAnswers(client)
  const counts = watchAttempts(client, bodyMs)
  if (throttledMs !== undefined) limitConcurrency(client, concurrency, isUrgent)
  return { client, ...counts }
}

/** The region of the environment or the profile; else 'auto': other stores mostly ignore it. */
function regionOrAuto() {
  let answer: Promise<string> | undefined
  // The SDK asks for each request.
  return () => (answer ??= new S3Client({}).config.region().catch(() => 'auto'))
}

export const sending = (stop: AbortSignal | undefined) => (stop === undefined ? {} : { abortSignal: stop })

/** Notes the time of the store's answer, by which ages are measured, and its status. */
export function noteAnswer(command: GetObjectCommand) {
  const noted = { now: new Date(), status: 0 }
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { statusCode, headers } = result.response as RawAnswer
      const date = new Date(headers['date'] ?? '')
      if (!isNaN(date.getTime())) noted.now = date
      noted.status = statusCode
      return result
    },
    { step: 'deserialize', name: 'noteAnswer' },
  )
  return noted
}

/** Checks before each attempt of a command whether it may be sent. @throws {NotSent} from the command */
export function guard<
  Command extends PutObjectCommand | CopyObjectCommand | DeleteObjectsCommand | DeleteObjectCommand,
>(command: Command, { assertFresh, onFailure }: WriteOptions): Command {
  const { middlewareStack } = command as Pick<PutObjectCommand, 'middlewareStack'>
  middlewareStack.add(
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

/**
 * Tries a copy only once if the store answers: a put does the same. Without a status, the SDK sees no reason to try again.
 * @returns the command; it fails with {@link CopyRefused}
 */
export function onceIfAnswered(command: CopyObjectCommand): CopyObjectCommand {
  command.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        throw statusOf(error) === undefined ? error : new CopyRefused(error)
      }),
    { step: 'finalizeRequest', priority: 'low', name: 'onceIfAnswered' },
  )
  return command
}

export class CopyRefused extends Error {
  override readonly name = 'CopyRefused'
  /** The next copy may succeed: the source was missing or another one, a right is missing for it, or the store throttles. */
  readonly isOfThisCopy: boolean
  constructor(error: unknown) {
    super(failureOf(error))
    const isThrottled = statusOf(error) === 429 || /^(?:SlowDown|ServiceUnavailable)$/.test(codeOf(error))
    this.isOfThisCopy = isThrottled || [403, 404, 412].includes(statusOf(error) ?? 0)
  }
}

/** Limit for a store that has never answered: the endpoint may be wrong. */
const firstAnswerMs = 10_000

type RetryStrategy = Extract<S3ClientConfig['retryStrategy'], { readonly recordSuccess: unknown }>

interface Behind {
  readonly retries: number
  readonly failed: number
  readonly refusedSince: number
}

const tokenOf = (behind: Behind, delay: number) => ({
  ...behind,
  getRetryCount: () => behind.retries,
  getRetryDelay: () => delay,
})

/** Layer 2, for all requests of a client together. */
function retryStrategy({ attempts, throttledMs, refusedMs }: Patience): RetryStrategy {
  let hasAnswered = false
  // One start for all requests: a request to clean up after the limit does not take the same time again.
  let refusedSince = Infinity
  const noteAnswer = () => {
    hasAnswered = true
    refusedSince = Infinity
  }
  /** @returns the delay before the next attempt, or null if the store has refused for too long */
  const afterRefused = (error: object, behind: Behind, patienceMs: number): number | null => {
    refusedSince = Math.min(refusedSince, performance.now())
    const canWait = isThrottled(error) || hasAnswered
    const limitMs = canWait ? patienceMs : Math.min(patienceMs, firstAnswerMs)
    if (performance.now() - Math.min(refusedSince, behind.refusedSince) > limitMs) {
      Object.assign(error, { triedSeconds: limitMs / 1000 })
      return null
    }
    return isThrottled(error) ? backoff(behind.retries, 5000) : 250 + 500 * Math.random()
  }
  const afterFailure = (error: object, isPassing: boolean, { failed }: Behind): number | null => {
    if (statusOf(error) !== undefined) noteAnswer()
    return isPassing && failed + 1 < attempts ? backoff(failed, 20_000) : null
  }
  return {
    acquireInitialRetryToken: () =>
      Promise.resolve(tokenOf({ retries: 0, failed: 0, refusedSince: Infinity }, 0)),
    refreshRetryTokenForRetry: (token, { error = {}, errorType }) => {
      const behind = token as Behind & typeof token
      const { retries, failed, refusedSince: since } = behind
      const isPassing = errorType === 'TRANSIENT' || errorType === 'THROTTLING'
      const patienceMs = isThrottled(error)
        ? throttledMs
        : codeOf(error) === refusedCode
          ? refusedMs
          : undefined
      const delay =
        patienceMs === undefined
          ? afterFailure(error, isPassing, behind)
          : afterRefused(error, behind, patienceMs)
      if (delay === null) return Promise.reject(new Error('no retry'))
      const next =
        patienceMs !== undefined
          ? { retries: retries + 1, failed, refusedSince: Math.min(since, performance.now()) }
          : { retries: retries + 1, failed: failed + 1, refusedSince: since }
      return Promise.resolve(tokenOf(next, delay))
    },
    recordSuccess: noteAnswer,
  }
}

/**
 * Layer 1: all requests of a client share one limit, which goes down while the store throttles. An urgent request is no part of it: a
 * store that refuses one may only limit the writes of its key.
 */
function limitConcurrency(
  { middlewareStack }: S3Client,
  most: number,
  isUrgent: (key: string) => boolean,
): void {
  let concurrency = fullConcurrency(most)
  const limit = pLimit(most)
  const note = (next: typeof concurrency) => {
    concurrency = next
    const allowed = Math.floor(next.allowed)
    if (limit.concurrency !== allowed) limit.concurrency = allowed
  }
  middlewareStack.addRelativeTo(
    <A extends { readonly input: object }, O>(next: (args: A) => Promise<O>) =>
      (args: A) => {
        const { Key: key } = args.input as { readonly Key?: string }
        if (key !== undefined && isUrgent(key)) return next(args)
        return limit(async () => {
          const { cuts } = concurrency
          try {
            const result = await next(args)
            note(afterAnswer(concurrency))
            return result
          } catch (error) {
            if (isThrottled(error)) note(afterRefusal(concurrency, cuts))
            else if (statusOf(error) !== undefined) note(afterAnswer(concurrency))
            throw error
          }
        })
      },
    { relation: 'after', toMiddleware: 'retryMiddleware', name: 'limitConcurrency' },
  )
}

/** Counts attempts, and writes without an answer: a page of a proxy is none. Without a connection, nothing counts. */
function watchAttempts({ middlewareStack }: S3Client, bodyMs: number) {
  const { count, requests } = countRequests()
  let unanswered = 0
  let shortest = { lastedMs: Infinity, behindMs: 0 }
  // Closest to the connection: each attempt passes, and only an answer gets through without an error.
  middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async (args) => {
        const operation = billed[commandName] ?? commandName.replace('Command', '')
        count(operation)
        let isAnswered = false
        const asked = Date.now()
        const began = performance.now()
        try {
          const result = await next(args)
          const answer = result.response as RawAnswer
          const { statusCode, headers } = answer
          const lastedMs = performance.now() - began
          const storeMs = Date.parse(headers['date'] ?? '')
          if (lastedMs <= shortest.lastedMs && !isNaN(storeMs))
            shortest = { lastedMs, behindMs: storeMs - (asked + lastedMs / 2) }
          const { Key: key = '' } = args.input as { readonly Key?: string }
          assertOfStore(answer, commandName, key)
          isAnswered = !answersOfProxies.includes(statusCode)
          limitXml(answer, commandName, bodyMs)
          return result
        } catch (error) {
          if (codeOf(error) === refusedCode) {
            count(operation, -1)
            isAnswered = true
          }
          throw error
        } finally {
          if (!isAnswered && !/^(?:Get|List|Head)/.test(operation)) unanswered++
        }
      },
    { step: 'deserialize', priority: 'low', name: 'watchAttempts' },
  )
  return {
    requests,
    unanswered: () => unanswered,
    /** Seconds, from the quickest answer; 0 without an answer. */
    behindSeconds: () => shortest.behindMs / 1000,
  }
}

/** Stores bill a copy as a put. Deletes are counted together, whichever way a store takes. */
const billed: Readonly<Record<string, string>> = {
  CopyObjectCommand: 'PutObject',
  DeleteObjectCommand: 'DeleteObjects',
}

/** Drops the SDK's guess that a wrong clock caused the error: it would try again. */
function trustAnswers({ middlewareStack }: S3Client): void {
  middlewareStack.addRelativeTo(
    <A, O>(next: (args: A) => Promise<O>) =>
      (args: A) =>
        next(args).catch((error: unknown) => {
          const { $metadata } = error as { $metadata?: { clockSkewCorrected?: boolean } }
          if (isMissing(error) || statusOf(error) === 412) delete $metadata?.clockSkewCorrected
          throw error
        }),
    { relation: 'after', toMiddleware: 'retryMiddleware', name: 'trustAnswers' },
  )
}

/** Signs the object's digest: the SDK need not hash the body again, and the store refuses another body. */
function giveDigests({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { Metadata: metadata } = args.input as Partial<PutObjectCommandInput>
        const { headers } = args.request as { headers: Record<string, string> }
        // A copy names the digest, and has no body.
        if (commandName === 'PutObjectCommand' && metadata?.['sha256'] !== undefined)
          headers['x-amz-content-sha256'] = metadata['sha256']
        return next(args)
      },
    { step: 'build', name: 'giveDigest' },
  )
}

/** Gives DeleteObjects a Content-MD5, which every store knows, in place of the SDK's CRC32. */
function giveMd5({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { headers, body } = args.request as { headers: Record<string, string>; body?: unknown }
        if (commandName !== 'DeleteObjectsCommand' || typeof body !== 'string') return next(args)
        const kept = Object.entries(headers).filter(([name]) => !/^x-amz-(?:sdk-)?checksum-/i.test(name))
        const request = Object.assign(args.request as object, {
          headers: { ...Object.fromEntries(kept), 'content-md5': md5Of(Buffer.from(body)) },
        })
        return next({ ...args, request })
      },
    // After the SDK's checksums.
    { step: 'build', priority: 'low', name: 'giveMd5' },
  )
}

/** For Content-MD5. */
export const md5Of = (body: Buffer) => hash('md5', body, 'base64')

/**
 * Gives a put without a body a file as its body. The SDK never repeats a request whose body is a stream, because a
 * stream cannot be read twice. So a middleware behind the SDK's retries opens the file for each attempt.
 * @param bytes the file's length, which the command must give as ContentLength
 */
export function sendFile(put: PutObjectCommand, file: string, bytes: number): void {
  put.middlewareStack.add(
    (next) => (args) =>
      next({ ...args, request: { ...(args.request as object), body: fileBody(file, bytes) } }),
    { step: 'finalizeRequest', priority: 'low', name: 'openFile' },
  )
}

function fileBody(file: string, bytes: number): Readable {
  const body = new Readable({ read: () => undefined })
  // The SDK's own pipe has two faults: an answer before the end of the body leaves the file open, and an error of the
  // file leaves the request waiting.
  body.pipe = (destination) => {
    const request = destination as unknown as ClientRequest
    const source = Readable.from(wholeFile(file, bytes), { objectMode: false })
    // `pipeline` would abort the request without the reason.
    source.once('error', (error) => request.destroy(error))
    request.once('close', () => source.destroy())
    source.pipe(request)
    return destination
  }
  return body
}

/** Yields as many bytes as were announced: with fewer the store would wait for the rest. */
async function* wholeFile(file: string, bytes: number): AsyncGenerator<Buffer> {
  let read = 0
  try {
    for await (const chunk of createReadStream(file, { end: bytes - 1, highWaterMark: 256 * 1024 })) {
      read += (chunk as Buffer).length
      yield chunk as Buffer
    }
  } catch (error) {
    throw unreadable(file, error)
  }
  if (read < bytes) throw new Error(`${file} became shorter while it was read`)
}

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** A put as the SDK has prepared it, and the function that sends such requests. */
interface Prepared {
  readonly stop: AbortSignal | undefined
  readonly madeAt: number
  readonly input: PutObjectCommandInput
  readonly request: Request
  readonly send: (args: {
    readonly input: PutObjectCommandInput
    readonly request: unknown
  }) => Promise<{ readonly output: { readonly ETag?: string | undefined } }>
}

/** Limit of a signature: credentials are refreshed minutes before they expire, so older ones are still good. */
const maxAgeMs = 60_000

/** Matches keys that need no escapes in a path. */
const plainKey = /^\w[\w.~-]*(?:\/\w[\w.~-]*)*$/
const sampleKey = 'key'

/**
 * Puts small objects, of which a publish has a million. The SDK decides for each request anew about address, signer and layers: half of
 * its CPU time. Here it decides once for many puts of the same holder. Each put still passes the inner layers, from the retries on:
 * the guard, the signature, the answer.
 * @param prepare the put of an empty object with this key; each attempt asks the holder whether it may be sent
 * @param checksumOf the header by which the store verifies the body
 * @returns a put that resolves to null, and sends nothing, if the object must be put in the usual way
 */
export function openPuts<Holder extends object>(
  client: S3Client,
  prepare: (key: string, holder: Holder) => PutObjectCommand,
  checksumOf: (object: NewObject) => readonly [name: string, value: string],
) {
  const preparedPuts = new WeakMap<Holder, Promise<Prepared>>()

  const preparedFor = async (holder: Holder, stop: AbortSignal | undefined): Promise<Prepared> => {
    const known = await preparedPuts.get(holder)
    if (known !== undefined && known.stop === stop && performance.now() - known.madeAt < maxAgeMs)
      return known
    const made = takeApart(client, prepare(sampleKey, holder), stop)
    made.catch(() => preparedPuts.delete(holder))
    preparedPuts.set(holder, made)
    return made
  }

  return async (
    object: NewObject,
    holder: Holder,
    stop: AbortSignal | undefined,
  ): Promise<PutObject | null> => {
    const { key, body, type, cacheControl, sha256 } = object
    if (!plainKey.test(key)) return null
    const { input, request, send } = await preparedFor(holder, stop)
    const [checksum, digest] = checksumOf(object)
    const prepared = Object.entries(request.headers).filter(([header]) => header !== 'x-amz-checksum-sha256')
    const headers = {
      ...Object.fromEntries(prepared),
      'content-length': String(body.length),
      'content-type': type,
      'cache-control': cacheControl,
      'x-amz-meta-sha256': sha256,
      'x-amz-content-sha256': sha256,
      [checksum]: digest,
    }
    const path = request.path.slice(0, -sampleKey.length) + key
    const fullKey = (input.Key ?? '').slice(0, -sampleKey.length) + key
    const args = {
      input: { ...input, Key: fullKey, Body: body },
      request: { ...request, path, headers, body },
    }
    const { ETag: etag = '' } = (await send(args)).output
    return { etag: strongEtag(etag) }
  }
}

/** An ETag in quotes. Some stores send none, and proxies that compress make it a weak one. */
export const strongEtag = (etag: string) => `"${etag.replace(/^W\//, '').replaceAll('"', '')}"`

async function takeApart(
  client: S3Client,
  command: PutObjectCommand,
  stop: AbortSignal | undefined,
): Promise<Prepared> {
  const madeAt = performance.now()
  return new Promise((resolve, reject) => {
    command.middlewareStack.add(
      (next) => (args) => {
        resolve({ stop, madeAt, input: command.input, request: args.request as Request, send: next })
        return Promise.resolve({ response: {}, output: { $metadata: {} } })
      },
      { step: 'build', priority: 'low', name: 'takeApart' },
    )
    client.send(command, sending(stop)).catch(reject)
  })
}

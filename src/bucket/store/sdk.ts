/**
 * All that touches the inside of the AWS SDK: its layers (middlewares), its retries, its prepared requests. `package.json` pins the version
 * exactly; a newer one needs `test/bucket/store.test.ts` and `store-faults.test.ts`.
 */

import { createReadStream } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import type { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { PutObjectCommandInput, S3ClientConfig } from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { countRequests, NotSent } from './calls.ts'
import { afterAnswer, afterRefusal, fullConcurrency, backoff, isThrottled, type Patience } from './retry.ts'
import { codeOf, failureOf, foreignCode, isMissing, refusedCode, statusOf } from './errors.ts'
import { unreadable } from './files.ts'
import type { NewObject, PutObject, WriteOptions } from './store.ts'

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

/** Connections for the lease and the like: a request that waited for one would be sent later than its sender decided. */
const bookkeeping = 4

/** @param isUrgent by the key that a request is about: such a one is sent at once, however much the store throttles */
export function openClient(settings: S3Settings, patience: Patience, isUrgent: (key: string) => boolean) {
  const { endpoint, region, pathStyle, concurrency } = settings
  const { attempts, connectMs, silenceMs, refusedMs } = patience
  const agent = { keepAlive: true, maxSockets: concurrency + bookkeeping }
  const client = new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(region !== null ? { region } : endpoint === null ? {} : { region: regionOrAuto() }),
    forcePathStyle: pathStyle,
    maxAttempts: attempts,
    retryStrategy: retryStrategy(patience),
    // Not requestTimeout: the SDK only warns of that one, and a large body may take its time.
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
  trustAnswers(client)
  const counts = watchAttempts(client)
  if (refusedMs !== undefined) limitConcurrency(client, concurrency, isUrgent)
  return { client, ...counts }
}

/** The region of the environment or the profile; else 'auto': a store with an address of its own mostly does not care. */
function regionOrAuto() {
  let answer: Promise<string> | undefined
  // The SDK asks for each request.
  return () => (answer ??= new S3Client({}).config.region().catch(() => 'auto'))
}

export const sending = (stop: AbortSignal | undefined) => (stop === undefined ? {} : { abortSignal: stop })

/** Notes what the store's clock says in its answer, by which ages are measured. */
export function noteClock(command: GetObjectCommand) {
  const clock = { now: new Date() }
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { date } = (result.response as { headers: Readonly<Record<string, string>> }).headers
      if (date !== undefined) clock.now = new Date(date)
      return result
    },
    { step: 'deserialize', name: 'noteClock' },
  )
  return clock
}

/** Lets each attempt of a command first ask whether it may be sent. @throws {NotSent} from the command */
export function guard<Command extends PutObjectCommand | DeleteObjectsCommand>(
  command: Command,
  { assertFresh, onFailure }: WriteOptions,
): Command {
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

/** A store that has never answered may be a wrong endpoint. */
const firstAnswerMs = 10_000

type RetryStrategy = Extract<S3ClientConfig['retryStrategy'], { readonly recordSuccess: unknown }>

/** What a request has behind it: retries, failed attempts, and since when the store refuses it. */
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
function retryStrategy({ attempts, refusedMs }: Patience): RetryStrategy {
  let hasAnswered = false
  // What is asked to clean up after the time is over does not take the same time again.
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
      const isRefused = refusedMs !== undefined && (isThrottled(error) || codeOf(error) === refusedCode)
      const delay = isRefused
        ? afterRefused(error, behind, refusedMs)
        : afterFailure(error, isPassing, behind)
      if (delay === null) return Promise.reject(new Error('no retry'))
      const next = isRefused
        ? { retries: retries + 1, failed, refusedSince: Math.min(since, performance.now()) }
        : { retries: retries + 1, failed: failed + 1, refusedSince: since }
      return Promise.resolve(tokenOf(next, delay))
    },
    recordSuccess: noteAnswer,
  }
}

/**
 * Layer 1: all requests of a client share one limit, which goes down while the store throttles.
 * @param isUrgent by the key that a request is about: such a one is sent at once, whatever the limit
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
        const attempt = async () => {
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
        }
        const { Key: key } = args.input as { readonly Key?: string }
        return key !== undefined && isUrgent(key) ? attempt() : limit(attempt)
      },
    { relation: 'after', toMiddleware: 'retryMiddleware', name: 'limitConcurrency' },
  )
}

/** A proxy that has waited in vain gives these answers: the store may still carry the request out. */
const answersOfProxies: readonly (number | undefined)[] = [408, 502, 504]

type Headers = Readonly<Record<string, string>>

/**
 * Counts all attempts of a client, retries included, and those to write that had no answer. One without a connection is none, and
 * a page of a proxy is no answer.
 */
function watchAttempts({ middlewareStack }: S3Client) {
  const { count, requests } = countRequests()
  let unanswered = 0
  let shortest = { lastedMs: Infinity, behindMs: 0 }
  // Closest to the connection: each attempt passes, and only an answer gets through without an error.
  middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async (args) => {
        const operation = commandName.replace('Command', '')
        count(operation)
        let isAnswered = false
        const [asked, began] = [Date.now(), performance.now()]
        try {
          const result = await next(args)
          const { statusCode, headers = {} } = result.response as { statusCode?: number; headers?: Headers }
          const lastedMs = performance.now() - began
          const storeMs = Date.parse(headers['date'] ?? '')
          if (lastedMs <= shortest.lastedMs && !isNaN(storeMs))
            shortest = { lastedMs, behindMs: storeMs - (asked + lastedMs / 2) }
          if (operation === 'PutObject' && statusCode === 200 && headers['etag'] === undefined)
            throw Object.assign(new Error(headers['content-type'] ?? 'no type'), { name: foreignCode })
          isAnswered = !answersOfProxies.includes(statusCode)
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
    /** How far this machine's clock is behind the store's, in seconds, as the quickest answer says; 0 without an answer. */
    behindSeconds: () => shortest.behindMs / 1000,
  }
}

/** If the machine's clock is wrong, the SDK blames every error on it, and tries again. */
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

/**
 * Gives a put without a body a file as its body. The SDK never repeats a request whose body is a stream, because a
 * stream cannot be read twice. So the SDK does not see one: a middleware behind its retries opens the file for each attempt.
 * @param bytes the file's length, which the command must give as ContentLength
 */
export function sendFile(put: PutObjectCommand, file: string, bytes: number): void {
  put.middlewareStack.add(
    (next) => (args) =>
      next({ ...args, request: { ...(args.request as object), body: fileBody(file, bytes) } }),
    { step: 'finalizeRequest', priority: 'low', name: 'openFile' },
  )
}

/** Opens the file when it is piped, and closes it with the request, however that ends. */
function fileBody(file: string, bytes: number): Readable {
  const body = new Readable({ read: () => undefined })
  // The SDK would pipe it: an answer that comes before the body is sent would leave the file open, and an error of the
  // file would leave the request waiting.
  body.pipe = (destination) => {
    const request = destination as unknown as ClientRequest
    const source = Readable.from(wholeFile(file, bytes), { objectMode: false })
    // Not pipeline: it aborts a request without the reason.
    source.once('error', (error) => request.destroy(error))
    request.once('close', () => source.destroy())
    source.pipe(request)
    return destination
  }
  return body
}

/** As many bytes as were announced: with fewer the store would wait for the rest. */
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

/** A put as the SDK has prepared it, and what sends such requests. */
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

/** Credentials are refreshed minutes before they expire: a request that is signed with older ones is still good. */
const maxAgeMs = 60_000

/** A path says such a key as it is. */
const plainKey = /^\w[\w.~-]*(?:\/\w[\w.~-]*)*$/
const sampleKey = 'key'

/**
 * Puts of small objects, of which a publish has a million. The SDK finds out for each request anew where it goes, who signs it, and
 * which layers it passes: half of its CPU time. Here it does that once for many puts of the same holder. Each put still passes the
 * inner layers, from the retries on: the guard, the signature, the answer.
 * @param prepare the put of an empty object with this key; each attempt asks the holder whether it may be sent
 * @returns a put that resolves to null, and sends nothing, if the object must be put in the usual way
 */
export function openPuts<Holder extends object>(
  client: S3Client,
  prepare: (key: string, holder: Holder) => PutObjectCommand,
) {
  const prepared = new WeakMap<Holder, Promise<Prepared>>()

  const preparedFor = async (holder: Holder, stop: AbortSignal | undefined): Promise<Prepared> => {
    const known = await prepared.get(holder)
    if (known !== undefined && known.stop === stop && performance.now() - known.madeAt < maxAgeMs)
      return known
    const made = takeApart(client, prepare(sampleKey, holder), stop)
    made.catch(() => prepared.delete(holder))
    prepared.set(holder, made)
    return made
  }

  return async (
    { key, body, type, cacheControl, sha256 }: NewObject,
    holder: Holder,
    stop: AbortSignal | undefined,
  ): Promise<PutObject | null> => {
    if (!plainKey.test(key)) return null
    const { input, request, send } = await preparedFor(holder, stop)
    const headers = {
      ...request.headers,
      'content-length': String(body.length),
      'content-type': type,
      'cache-control': cacheControl,
      'x-amz-meta-sha256': sha256,
      'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
      // The signature covers it: the SDK need not hash the body again.
      'x-amz-content-sha256': sha256,
    }
    const path = request.path.slice(0, -sampleKey.length) + key
    const fullKey = (input.Key ?? '').slice(0, -sampleKey.length) + key
    const args = {
      input: { ...input, Key: fullKey, Body: body },
      request: { ...request, path, headers, body },
    }
    const { ETag: etag = '' } = (await send(args)).output
    return { etag }
  }
}

/** Lets the SDK prepare a put, and stops where its inner layers begin. */
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
        // Nothing is sent.
        return Promise.resolve({ response: {}, output: { $metadata: {} } })
      },
      { step: 'build', priority: 'low', name: 'takeApart' },
    )
    client.send(command, sending(stop)).catch(reject)
  })
}

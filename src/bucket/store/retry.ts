/**
 * All retries of the store port: how patient a request is, what is tried again, and what fails at once. No other file of
 * `bucket/` repeats a request.
 *
 * Layers, from the connection outwards:
 * 1. `limitConcurrency` sends fewer requests at a time while the store throttles.
 * 2. `retryStrategy` tells the SDK (3.1169) when to repeat a request: after 500, 502, 504, timeouts and network errors so
 *    many times, after throttling (429, 503) and a refused connection for so long. Other 4xx answers fail at once. Pauses
 *    are random, and end when the call is stopped.
 * 3. `putConditionally` repeats conditional puts after a conflict, and finds out whether a lost answer was a success.
 * 4. `deleteKeys` repeats the keys that a DeleteObjects answer names.
 * 5. `readWhole` repeats a read whose body breaks off after the answer has begun.
 */

import { setTimeout } from 'node:timers/promises'
import type { PutObjectCommandInput, S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { afterAnswer, afterRefusal, fullConcurrency } from './concurrency.ts'
import { bareCause, codeOf, foreignCode, isMissing, refusedCode, statusOf, unanswered } from './errors.ts'
import { type Condition, ConditionFailed, ConditionsUnknown, Damaged } from './store.ts'
import type { FetchedObject, GetOptions, NewObject, ObjectStore, PutObject } from './store.ts'

/** How long a request is tried: milliseconds until there is a connection, and without a byte in either direction. */
export interface Patience extends Readonly<Record<'attempts' | 'connectMs' | 'silenceMs', number>> {
  /**
   * How long a store may throttle, or refuse connections while it restarts; unless given, each refusal is an attempt, and
   * throttling lowers no concurrency.
   */
  readonly refusedMs?: number
}
export const nightlyPatience: Patience = {
  attempts: 8,
  connectMs: 10_000,
  silenceMs: 60_000,
  refusedMs: 60_000,
}
/** A store that has never answered may be a wrong endpoint. */
const firstAnswerMs = 10_000

/**
 * How long after its sender was killed, or gave it up, a request may still be carried out, in seconds: the time of one
 * attempt, and a margin for queues in the network and in the store. `src/bucket/README.md` says why this matters.
 */
export const requestLifetimeSeconds = (nightlyPatience.connectMs + nightlyPatience.silenceMs) / 1000 + 20

/** The client's settings. */
export function retrySettings(patience: Patience) {
  const { attempts, connectMs, silenceMs } = patience
  return {
    maxAttempts: attempts,
    retryStrategy: retryStrategy(patience),
    // Not requestTimeout: the SDK only warns of that one, and a large body may take its time.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: silenceMs },
  } satisfies S3ClientConfig
}

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

/** Full jitter: not all at the same moment. Source: AWS Architecture Blog, Exponential Backoff And Jitter. */
const backoff = (failed: number, mostMs: number) => Math.random() * Math.min(100 * 2 ** failed, mostMs)

const isThrottled = (error: unknown): boolean => statusOf(error) === 429 || statusOf(error) === 503

/**
 * Layer 1: all requests of a client share one limit, which goes down while the store throttles.
 * @param isUrgent by the key that a request is about: such a one is sent at once, whatever the limit
 */
export function limitConcurrency(
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
export function watchAttempts({ middlewareStack }: S3Client) {
  const counts: Record<string, number> = {}
  let unanswered = 0
  let shortest = { lastedMs: Infinity, behindMs: 0 }
  // Closest to the connection: each attempt passes, and only an answer gets through without an error.
  middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async (args) => {
        const operation = commandName.replace('Command', '')
        counts[operation] = (counts[operation] ?? 0) + 1
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
            counts[operation] = (counts[operation] ?? 1) - 1
            isAnswered = true
          }
          throw error
        } finally {
          if (!isAnswered && !/^(?:Get|List|Head)/.test(operation)) unanswered++
        }
      },
    { step: 'deserialize', priority: 'low', name: 'watchAttempts' },
  )
  // If the machine's clock is wrong, the SDK (3.1169) blames every error on it, and tries again.
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
  return {
    requests: () => ({ ...counts }),
    unanswered: () => unanswered,
    /** How far this machine's clock is behind the store's, in seconds, as the quickest answer says; 0 without an answer. */
    behindSeconds: () => shortest.behindMs / 1000,
  }
}

const maxConflicts = 10

/**
 * @param put one put with these headers @param read what is there now
 * @throws {ConditionFailed} if another object is there @throws {ConditionsUnknown} if the store has no conditions
 */
export async function putConditionally(
  object: NewObject,
  condition: Condition,
  put: (input: Partial<PutObjectCommandInput>) => Promise<PutObject>,
  read: () => Promise<{ readonly etag: string; readonly text: string } | null>,
  signal?: AbortSignal,
): Promise<PutObject> {
  let isUnquoted = false
  for (let attempt = 1; ; attempt++) {
    try {
      return await put(conditionHeaders(condition, isUnquoted))
    } catch (error) {
      const status = statusOf(error)
      if (status === 501)
        throw new ConditionsUnknown(`no conditional writes (${object.key})`, { cause: bareCause(error) })
      // ConditionalRequestConflict: a write at the same moment; AWS asks to try again.
      if (status === 409 && attempt < maxConflicts) {
        await pause(50 * attempt, signal)
        continue
      }
      if (status !== 412 && status !== 404 && status !== 409) throw error
      // The SDK repeats a put whose answer got lost: then the object that is there is ours.
      const found = await read()
      if (found?.text === object.body.toString('utf8')) return { etag: found.etag }
      // Ceph compares with the ETag without its quotation marks.
      if ('ifAbsent' in condition || isUnquoted || found?.etag !== condition.ifMatch)
        throw new ConditionFailed(`${object.key} is not what it was`, { cause: bareCause(error) })
      isUnquoted = true
    }
  }
}

function conditionHeaders(condition: Condition, isUnquoted: boolean): Partial<PutObjectCommandInput> {
  if ('ifAbsent' in condition) return { IfNoneMatch: '*' }
  return { IfMatch: isUnquoted ? condition.ifMatch.replaceAll('"', '') : condition.ifMatch }
}

/** Codes of single keys that a later attempt may delete. */
const passing = new Set<unknown>(['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout'])

/**
 * DeleteObjects answers 200 with an error for each key that it could not delete. Only those keys are sent again. A key that
 * is missing already counts as deleted.
 * @param send one request @returns the keys that are left, those without hope first
 */
export async function deleteKeys<Failed extends { Key?: string | undefined; Code?: string | undefined }>(
  keys: readonly string[],
  attempts: number,
  send: (keys: readonly string[]) => Promise<readonly Failed[]>,
  signal?: AbortSignal,
): Promise<readonly Failed[]> {
  let left = keys
  for (let attempt = 1; ; attempt++) {
    const failed = (await send(left)).filter(({ Code }) => Code !== 'NoSuchKey')
    const hopeless = failed.filter(({ Code }) => !passing.has(Code))
    const retried = failed.filter(({ Code }) => passing.has(Code))
    if (hopeless.length > 0 || retried.length === 0 || attempt >= attempts) return [...hopeless, ...retried]
    left = retried.flatMap(({ Key }) => Key ?? [])
    await pause(backoff(attempt, 10_000), signal)
  }
}

const maxReads = 5

/**
 * Reads a whole object; begins again if its body breaks off, unless the call was stopped.
 * @returns null if there is no such object
 * @throws {Damaged} if it has more bytes than `maxBytes` @throws {Error} if it keeps breaking off, or what the reader throws
 */
export async function readWhole<T>(
  store: Pick<ObjectStore, 'name' | 'get'>,
  key: string,
  { maxBytes = Infinity, ...options }: GetOptions & { readonly maxBytes?: number },
  read: (object: FetchedObject) => Promise<T>,
): Promise<T | null> {
  for (let attempt = 1; ; attempt++) {
    const object = await store.get(key, options)
    if (object === null) return null
    const state = { hasBrokenOff: false }
    async function* whole({ body, bytes }: FetchedObject) {
      let length = 0
      // A stream throws what went wrong with its reader in here.
      let isWithReader = false
      try {
        for await (const chunk of body) {
          length += chunk.length
          if (length > maxBytes)
            throw new Damaged(`${store.name}/${key} is damaged: it has more than ${maxBytes} bytes`)
          isWithReader = true
          yield chunk
          isWithReader = false
        }
        if (bytes !== null && length !== bytes) throw new Error(`${length} of ${bytes} bytes`)
      } catch (error) {
        state.hasBrokenOff = !isWithReader && !(error instanceof Damaged)
        throw error
      }
    }
    try {
      return await read({ ...object, body: whole(object) })
    } catch (error) {
      object.cancel()
      object.signal?.throwIfAborted()
      // The object is too large, or the reader itself failed: a file that cannot be written.
      if (!state.hasBrokenOff) throw error
      if (attempt === maxReads) throw unanswered(`${store.name}: ${key} keeps breaking off`, error)
      await pause(100 * 2 ** attempt, object.signal)
    }
  }
}

/** The time of this machine. Tests have their own, in which days pass at once. */
export interface Time {
  /** In milliseconds. The wall clock can be set; the steady one stands still while a machine sleeps. */
  readonly clocks: () => { readonly wall: number; readonly steady: number }
  /** @param ms milliseconds @throws the signal's reason, as soon as it aborts */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

export const realTime: Time = {
  clocks: () => ({ wall: Date.now(), steady: performance.now() }),
  pause,
}

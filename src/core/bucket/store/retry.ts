/**
 * All retries of the store port: patience, what is tried again, and what fails at once. No other file of `bucket/` repeats a
 * request.
 *
 * Layers, from the connection outwards:
 * 1. `limitConcurrency` (`sdk.ts`) sends fewer requests at a time while the store throttles.
 * 2. `retryStrategy` (`sdk.ts`) lets the SDK repeat a request: after 500, 502, 504, timeouts and network errors up to a number of
 *    attempts, after throttling (429, 503) and a refused connection up to a time. Other 4xx answers fail at once. Pauses are
 *    random, and end when the call is stopped.
 * 3. `putConditionally` repeats conditional puts after a conflict, and finds out whether a lost answer was a success.
 * 4. `deleteKeys` repeats the keys that a DeleteObjects answer names.
 * 5. `readWhole` repeats a read whose body breaks off after the answer has begun.
 */

import { setTimeout } from 'node:timers/promises'
import type { PutObjectCommandInput } from '@aws-sdk/client-s3'
import { bareCause, Endless, statusOf, unanswered } from './errors.ts'
import { ConditionFailed, ConditionsUnknown, Damaged } from './store.ts'
import type { Condition, FetchedObject, GetOptions, NewObject, ObjectStore, PutObject } from './store.ts'

/** Limits of a request: milliseconds until there is a connection, and without a byte in either direction. */
export interface Patience extends Readonly<Record<'attempts' | 'connectMs' | 'silenceMs', number>> {
  /** Time for a store that throttles; absent: each refusal is an attempt, and lowers no concurrency. */
  readonly throttledMs?: number
  /** Time for a store that refuses connections, since it restarts; absent: each refusal is an attempt. */
  readonly refusedMs?: number
  /** Time to wait for a body, beside that for its size. */
  readonly bodyMs: number
}
export const nightlyPatience: Patience = {
  attempts: 8,
  connectMs: 10_000,
  silenceMs: 60_000,
  throttledMs: 60_000,
  refusedMs: 60_000,
  bodyMs: 30_000,
}
/**
 * Seconds in which a request may still be carried out after its sender was killed, or gave up: the time of one attempt, and a margin
 * for queues in the network and in the store. `src/core/bucket/protocol.md` builds on it.
 */
export const requestLifetimeSeconds = (nightlyPatience.connectMs + nightlyPatience.silenceMs) / 1000 + 20

/** Full jitter spreads the retries. Source: AWS Architecture Blog, Exponential Backoff And Jitter. */
export const backoff = (failed: number, mostMs: number) => Math.random() * Math.min(100 * 2 ** failed, mostMs)

export const isThrottled = (error: unknown): boolean => statusOf(error) === 429 || statusOf(error) === 503

const maxConflicts = 10

/**
 * @param put sends one put with these headers @param read the object that is there now
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

const passing = new Set<unknown>(['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout'])

/** Repeats keys that failed in an answer of 200. A missing key counts as deleted. @returns the keys left, hopeless first */
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
 * Reads a whole object; begins again if its body breaks off. @returns null if there is no such object
 * @throws {Damaged} above `maxBytes` @throws {Error} if it keeps breaking off; errors of the reader
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
      // A stream throws the errors of its reader in here.
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
        state.hasBrokenOff = !isWithReader && !(error instanceof Damaged) && !(error instanceof Endless)
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

/** The time of this machine. Tests have another one, in which days pass at once. */
export interface Time {
  /** Milliseconds. The wall clock can be set; the steady one stands still while a machine sleeps. */
  readonly clocks: () => { readonly wall: number; readonly steady: number }
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

/**
 * Number of requests at a time: lower while the store throttles, higher again with its answers. Additive increase,
 * multiplicative decrease, as in TCP. `sdk.ts` has one for all requests of a client.
 */
interface Concurrency {
  readonly most: number
  /** Between 1 and `most`; its whole part counts. */
  readonly allowed: number
  readonly cuts: number
}

export const fullConcurrency = (most: number): Concurrency => ({ most, allowed: most, cuts: 0 })

/** Adds one for as many answers as are allowed at the same time. */
export const afterAnswer = ({ most, allowed, cuts }: Concurrency): Concurrency => {
  return { most, allowed: Math.min(most, allowed + 1 / allowed), cuts }
}

/** Halves once for all refusals of a moment. @param cuts when the refused request was sent: older ones do not count */
export const afterRefusal = (now: Concurrency, cuts: number): Concurrency =>
  cuts < now.cuts ? now : { ...now, allowed: Math.max(1, now.allowed / 2), cuts: now.cuts + 1 }

import { cleanUpMs } from '../../system/signals.ts'
import type { Doing } from './errors.ts'

type Signal = AbortSignal | undefined

/** @param session stops all calls when it aborts; later ones, to clean up, go through for a short time */
export function callsOf(session: Signal, explain: (error: unknown, doing: Doing, key: string) => unknown) {
  const stopOf = joinedWith(session)
  const reasonFor = (error: unknown, stop: Signal, doing: Doing, key: string): unknown => {
    if (error instanceof NotSent) return error.reason
    return stop?.aborted === true ? stop.reason : explain(error, doing, key)
  }
  return {
    call: async <T>(
      own: Signal,
      doing: Doing,
      key: string,
      work: (stop: Signal) => Promise<T>,
    ): Promise<T> => {
      const stop = stopOf(own)
      try {
        return await work(stop)
      } catch (error) {
        throw reasonFor(error, stop, doing, key)
      }
    },
    async *list<T>(own: Signal, prefix: string, work: (stop: Signal) => AsyncIterable<T>) {
      const stop = stopOf(own)
      try {
        yield* work(stop)
      } catch (error) {
        throw reasonFor(error, stop, 'list', prefix)
      }
    },
  }
}

/** A request that its sender forbade at the last moment. The reason is no `cause`: the SDK would search it for a reason to try again. */
export class NotSent extends Error {
  readonly reason: unknown
  constructor(reason: unknown) {
    super('not sent')
    this.reason = reason
  }
}

export function countRequests() {
  const counts: Record<string, number> = {}
  return {
    count: (operation: string, by = 1) => {
      counts[operation] = (counts[operation] ?? 0) + by
    },
    requests: () => ({ ...counts }),
  }
}

/** @returns the signal of a call: the session's, joined with the call's own */
function joinedWith(session: Signal) {
  let limit = session
  // Calls with the same signal share one: a publish has a million calls.
  let joined = new WeakMap<AbortSignal, AbortSignal>()
  const beginCleanUp = () => {
    limit = AbortSignal.timeout(cleanUpMs)
    joined = new WeakMap()
  }
  if (session?.aborted === true) beginCleanUp()
  else session?.addEventListener('abort', beginCleanUp, { once: true })
  return (own: Signal): Signal => {
    if (limit === undefined || own === session) return own
    if (own === undefined) return limit
    const both = joined.get(own) ?? AbortSignal.any([limit, own])
    joined.set(own, both)
    return both
  }
}

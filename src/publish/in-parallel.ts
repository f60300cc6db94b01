/** Works side by side, some at a time, with a queue that is bounded too. */

import pLimit from 'p-limit'

/** Used by one producer: each call is waited for before the next. */
export interface Crew {
  /** Has a work done, waiting while too many are queued; after a failure nothing is begun any more. */
  readonly begin: (work: () => Promise<void>) => Promise<void>
  /** Waits until it holds, which is asked whenever a work has ended; after a failure it does not wait. */
  readonly until: (holds: () => boolean) => Promise<void>
  readonly hasFailed: () => boolean
}

/** @throws {Error} the first failure, the producer's included, when all that was under way has ended */
export async function withCrew(concurrency: number, produce: (crew: Crew) => Promise<void>): Promise<void> {
  const limit = pLimit(concurrency)
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
  }
  // One waits at most, and is woken by whichever ends next: to race all of them costs as many listeners each time.
  let wake: () => void = () => undefined
  const ended = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  let queued = 0
  const work = async (one: () => Promise<void>) => {
    try {
      if (failure === undefined) await one()
    } catch (error) {
      fail(error)
    } finally {
      queued--
      wake()
    }
  }
  const until = async (holds: () => boolean) => {
    while (failure === undefined && !holds()) await ended()
  }
  const crew: Crew = {
    until,
    hasFailed: () => failure !== undefined,
    begin: async (one) => {
      // Twice as many as are at work, so that the next is there when one ends.
      await until(() => queued < concurrency * 2)
      if (failure !== undefined) return
      queued++
      void limit(work, one)
    },
  }
  await produce(crew).catch(fail)
  while (queued > 0) await ended()
  if (failure !== undefined) throw failure.error
}

/** @throws {Error} the first failure, when all that was under way has ended; what was not begun then is left */
export function inParallel<T>(
  items: AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  return withCrew(concurrency, async ({ begin, hasFailed }) => {
    for await (const item of items) {
      if (hasFailed()) break
      await begin(() => work(item))
    }
  })
}

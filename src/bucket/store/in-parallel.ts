/** Runs works in parallel, with a bounded number at a time and a bounded queue. */

import pLimit from 'p-limit'

/** Used by one producer: each call is waited for before the next. */
export interface Crew {
  /** Queues a work, and waits while too many are queued; after a failure nothing more is begun. */
  readonly begin: (work: () => Promise<void>) => Promise<void>
  /** Waits until the condition holds, which is checked when a work ends; after a failure it does not wait. */
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
  // At most one waits, and the next end wakes it: a race of all works would cost as many listeners each time.
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
      // Twice as many as run, so that the next one is ready when one ends.
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

/** @throws {Error} the first failure, when all works that were under way have ended; the others are not begun */
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

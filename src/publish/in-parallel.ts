/** Work on a stream's items, some at a time, with a queue that is bounded too. */

import pLimit from 'p-limit'

/** @throws {Error} the first failure, when all that was under way has ended; what was not begun then is left */
export async function inParallel<T>(
  items: AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(concurrency)
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  for await (const item of items) {
    if (failure !== undefined) break
    const task = limit(() => (failure === undefined ? work(item) : Promise.resolve()))
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => running.delete(task))
    running.add(task)
    while (running.size >= concurrency * 2) await Promise.race(running)
  }
  await Promise.all(running)
  if (failure !== undefined) throw failure.error
}

/** For one producer, which awaits each call before the next. */
interface Crew {
  /** Begins a work as soon as fewer than the allowed number run; after a failure none. */
  readonly begin: (work: () => Promise<void>) => Promise<void>
  /** Waits until the condition holds, which is checked when a work ends; after a failure it does not wait. */
  readonly until: (holds: () => boolean) => Promise<void>
  readonly hasFailed: () => boolean
}

/** @throws {Error} the first failure, the producer's included, at the end of all works that were under way */
export async function withCrew(concurrency: number, produce: (crew: Crew) => Promise<void>): Promise<void> {
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
  }
  // Only the producer waits, and the next end wakes it: a race of all works would cost as many listeners each time.
  let wake: () => void = () => undefined
  const nextEnd = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  let running = 0
  const run = async (work: () => Promise<void>) => {
    running++
    await work().catch(fail)
    running--
    wake()
  }
  const until = async (holds: () => boolean) => {
    while (failure === undefined && !holds()) await nextEnd()
  }
  const begin: Crew['begin'] = async (work) => {
    await until(() => running < concurrency)
    if (failure === undefined) void run(work)
  }
  await produce({ begin, until, hasFailed: () => failure !== undefined }).catch(fail)
  while (running > 0) await nextEnd()
  if (failure !== undefined) throw failure.error
}

/** @throws {Error} the first failure, at the end of all works that were under way; the others are not begun */
export function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
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

/** Streams sorted by key, read side by side: memory does not grow with the number of objects. */

/** One key with what each stream has of it; undefined where it has none. */
export interface Row<T extends readonly unknown[]> {
  readonly key: string
  readonly values: { readonly [I in keyof T]: T[I] | undefined }
}

type Streams<T extends readonly unknown[]> = { readonly [I in keyof T]: AsyncIterable<T[I]> }
interface Keyed {
  readonly key: string
}

/** What UTF-16 orders otherwise than UTF-8: beyond the surrogates, or one of them. */
const oddOnes = /[\ud800-\uffff]/

/**
 * Whether a key comes before another one in the order of its UTF-8 bytes, as stores list them. Ours are ASCII (keys.md);
 * strangers in a slot need not be.
 */
export function isBefore(one: string, other: string): boolean {
  if (!oddOnes.test(one) || !oddOnes.test(other)) return one < other
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** @throws {Error} if a stream is not sorted */
export async function* mergeSorted<T extends readonly Keyed[]>(
  ...streams: Streams<T>
): AsyncGenerator<Row<T>> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]())
  try {
    yield* rowsOf<T>(iterators)
  } finally {
    // A reader that stops early, or a stream that fails, leaves no file of the others open.
    await Promise.allSettled(iterators.map(async (iterator) => iterator.return?.()))
  }
}

async function* rowsOf<T extends readonly Keyed[]>(
  iterators: readonly AsyncIterator<Keyed>[],
): AsyncGenerator<Row<T>> {
  const heads = await Promise.all(iterators.map((iterator) => iterator.next()))
  for (;;) {
    let key: string | undefined
    for (const head of heads) {
      if (head.done !== true && (key === undefined || isBefore(head.value.key, key))) key = head.value.key
    }
    if (key === undefined) return
    const values: (Keyed | undefined)[] = []
    for (const [index, head] of heads.entries()) {
      const isHere = head.done !== true && head.value.key === key
      values.push(isHere ? head.value : undefined)
      if (isHere) heads[index] = await nextAfter(key, iterators[index])
    }
    yield { key, values: values as unknown as Row<T>['values'] }
  }
}

async function nextAfter(
  key: string,
  iterator: AsyncIterator<Keyed> | undefined,
): Promise<IteratorResult<Keyed>> {
  const next = (await iterator?.next()) ?? { done: true as const, value: undefined }
  if (next.done !== true && !isBefore(key, next.value.key))
    throw new Error(`not sorted: ${next.value.key} after ${key}`)
  return next
}

/** Compares lists that are sorted by key, as streams: memory does not grow with the number of objects. Pure. */

import type { ManifestLine } from '../../build/manifest.ts'

export interface KeyedLine {
  readonly key: string
}

export const isSameObject = (one: ManifestLine, other: ManifestLine): boolean =>
  one.sha256 === other.sha256 && one.bytes === other.bytes && one.type === other.type

/** Objects that only the second snapshot has, that only the first one has, and that differ. */
export const noCounts = () => ({ added: 0, removed: 0, changed: 0 })
export type Counts = Readonly<ReturnType<typeof noCounts>>

/** The entry of a map, made if it is missing. */
export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

/** What a publish has to do to one object of a slot. */
export type Change =
  ({ readonly kind: 'put' } & ManifestLine) | { readonly kind: 'delete'; readonly key: string }

/**
 * The changes that turn a slot into the next snapshot, in the order of keys.
 * @param current the lines of the slot's manifest
 * @param doubtful lists of keys whose objects nobody knows: they are put, or deleted, in any case
 */
export async function* planChanges(
  next: AsyncIterable<ManifestLine>,
  current: AsyncIterable<ManifestLine>,
  ...doubtful: readonly AsyncIterable<KeyedLine>[]
): AsyncGenerator<Change> {
  for await (const { key, values } of mergeSorted(next, current, ...doubtful)) {
    const [line, present, ...doubts] = values
    const isDoubtful = doubts.some((doubt) => doubt !== undefined)
    if (line === undefined) yield { kind: 'delete', key }
    else if (present === undefined || isDoubtful || !isSameObject(present, line))
      yield { kind: 'put', ...line }
  }
}

/** Characters that UTF-16 orders otherwise than UTF-8: surrogates, and what is beyond them. */
const oddOnes = /[\ud800-\uffff]/

/**
 * Whether a key comes before another one in the order of its UTF-8 bytes, in which stores list keys. Our keys are ASCII
 * (src/bucket/keys.md); those of strangers in a slot need not be.
 */
export function isBefore(one: string, other: string): boolean {
  if (!oddOnes.test(one) || !oddOnes.test(other)) return one < other
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** Each key with what each stream has of it; undefined if it has none. @throws {Error} if a stream is not sorted */
export async function* mergeSorted<T extends readonly KeyedLine[]>(
  ...streams: { readonly [I in keyof T]: AsyncIterable<T[I]> }
): AsyncGenerator<{ readonly key: string; readonly values: { readonly [I in keyof T]: T[I] | undefined } }> {
  const iterators: readonly AsyncIterator<KeyedLine>[] = streams.map((stream) =>
    stream[Symbol.asyncIterator](),
  )
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()))
    for (;;) {
      let key: string | undefined
      for (const head of heads) {
        if (head.done !== true && (key === undefined || isBefore(head.value.key, key))) key = head.value.key
      }
      if (key === undefined) return
      const values: (KeyedLine | undefined)[] = []
      for (const [index, iterator] of iterators.entries()) {
        const head = heads[index]
        const value = head?.done !== true && head?.value.key === key ? head.value : undefined
        values.push(value)
        if (value === undefined) continue
        const next = await iterator.next()
        if (next.done !== true && !isBefore(key, next.value.key))
          throw new Error(`not sorted: ${next.value.key} after ${key}`)
        heads[index] = next
      }
      yield { key, values: values as { readonly [I in keyof T]: T[I] | undefined } }
    }
  } finally {
    // A reader that stops early, or a stream that fails, leaves no file of the others open.
    await Promise.allSettled(iterators.map(async (iterator) => iterator.return?.()))
  }
}

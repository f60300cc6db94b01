/** Compares lists that are sorted by key, as streams: memory does not grow with the number of objects. Pure. */

import type { ManifestLine } from '../../snapshot/manifest.ts'

export interface KeyedLine {
  readonly key: string
}

export const isSameObject = (one: ManifestLine, other: ManifestLine): boolean =>
  one.sha256 === other.sha256 && one.bytes === other.bytes && one.type === other.type

export const noCounts = () => ({ added: 0, removed: 0, changed: 0 })
export type Counts = Readonly<ReturnType<typeof noCounts>>

export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

export type Change =
  ({ readonly kind: 'put' } & ManifestLine) | { readonly kind: 'delete'; readonly key: string }

/**
 * The change of one object that turns a slot into the next snapshot.
 * @param line of the next manifest @param present line of the slot's @param doubts not undefined: the object is unknown
 * @returns null if nothing changes
 */
export function changeBetween(
  key: string,
  line: ManifestLine | undefined,
  present: ManifestLine | undefined,
  ...doubts: readonly (KeyedLine | undefined)[]
): Change | null {
  const isDoubtful = doubts.some((doubt) => doubt !== undefined)
  if (line === undefined) return present === undefined && !isDoubtful ? null : { kind: 'delete', key }
  return present !== undefined && !isDoubtful && isSameObject(present, line) ? null : { kind: 'put', ...line }
}

/** Characters in another order in UTF-16 than in UTF-8: surrogates, and those beyond. */
const oddOnes = /[\ud800-\uffff]/

/** Compares keys by their UTF-8 bytes, the order of stores. Our keys are ASCII; foreign ones need not be. */
export function isBefore(one: string, other: string): boolean {
  if (!oddOnes.test(one) || !oddOnes.test(other)) return one < other
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** Yields each key with its line in each stream; undefined if there is none. @throws {Error} if a stream is not sorted */
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
    // After an early stop, or the failure of a stream, no file of the others stays open.
    await Promise.allSettled(iterators.map(async (iterator) => iterator.return?.()))
  }
}

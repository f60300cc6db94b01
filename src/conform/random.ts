/** Pseudo-random numbers: the same seed gives the same numbers on any machine. */

export interface SeededRandom {
  /** A whole number from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
  /** @throws {Error} for an empty list */
  readonly pick: <T>(list: readonly T[]) => T
  /** Up to `count` members, each at most once, in any order. */
  readonly sample: <T>(list: readonly T[], count: number) => T[]
  /** Calls one of the makers, chosen by their weights. */
  readonly oneOf: <T>(...makers: readonly (readonly [weight: number, make: () => T])[]) => T
}

/** @param words a seed and the purpose of the numbers: other words give an independent stream */
export function seededRandom(...words: readonly (string | number)[]): SeededRandom {
  let state = hash(words.join('\n'))
  const next = (): number => {
    // Source: mulberry32, Tommy Ettinger, public domain.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('there is nothing to pick from')
    return list[below(list.length)] as T
  }
  return {
    below,
    pick,
    sample: (list, count) => {
      const rest = [...list]
      return Array.from({ length: Math.min(count, rest.length) }, () =>
        rest.splice(below(rest.length), 1),
      ).flat()
    },
    oneOf: (...makers) => {
      let left = below(makers.reduce((sum, [weight]) => sum + weight, 0))
      for (const [weight, make] of makers) {
        if (left < weight) return make()
        left -= weight
      }
      throw new Error('the weights are no whole numbers')
    },
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value
}

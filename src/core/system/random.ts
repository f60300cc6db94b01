/**
 * Pseudo-random numbers that are the same on every machine: only integer arithmetic and + - * /,
 * because Math.exp, Math.log and the like may differ in the last digit between processors.
 */

export interface Draws {
  /** In [low, high). */
  between(low: number, high: number): number
  /** Both bounds included. */
  whole(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** `count` different choices, in drawn order; all of them if there are fewer. */
  draw<T>(choices: readonly T[], count: number): readonly T[]
  /** Mean 0, variance 1, within ±3.5. */
  gaussian(): number
}

/** A stream for each topic: more draws for one never change another. */
export function randomFor(...topic: readonly (string | number)[]): Draws {
  const next = bitsFor(topic.join('/'))
  const uniform = () => next() / 4294967296
  const between = (low: number, high: number) => low + (high - low) * uniform()
  const whole = (low: number, high: number) => low + Math.floor((high - low + 1) * uniform())
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[whole(0, choices.length - 1)]
    if (choice === undefined) throw new Error('nothing to pick from')
    return choice
  }
  const draw = <T>(choices: readonly T[], count: number): readonly T[] => {
    const left = [...choices]
    const drawn: T[] = []
    while (drawn.length < count && left.length > 0) drawn.push(...left.splice(whole(0, left.length - 1), 1))
    return drawn
  }
  const gaussian = () => {
    const a = next()
    const b = next()
    // Four uniforms of 16 bits each: their sum has mean 2 and variance 1/3.
    const sum = ((a >>> 16) + (a & 0xffff) + (b >>> 16) + (b & 0xffff)) / 65536
    return (sum - 2) * 1.7320508075688772
  }
  return { between, whole, chance: (probability) => uniform() < probability, pick, draw, gaussian }
}

/** The generator sfc32, its state filled from a hash of the topic. */
function bitsFor(topic: string): () => number {
  let hash = 1779033703 ^ topic.length
  for (let i = 0; i < topic.length; i++) {
    hash = Math.imul(hash ^ topic.charCodeAt(i), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  const mixed = () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
    return (hash ^= hash >>> 16) >>> 0
  }
  let a = mixed()
  let b = mixed()
  let c = mixed()
  let counter = mixed()
  const next = () => {
    const bits = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + bits) | 0
    return bits >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  return next
}

/** Randomness that can be had again: a generator of numbers in [0, 1) from a seed. */

/** The xorshift of 32 bits by George Marsaglia, started from a scrambled seed. */
export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  // The first numbers of neighbouring seeds are alike.
  for (let turn = 0; turn < 8; turn++) next()
  return next
}

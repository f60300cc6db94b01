/** How much a run of the tests tries: FUNDPRESS_TEST_ROUNDS, 1 unless it is set. `.ci/run` sets `ciRounds`. */

/** With so many rounds, samples are complete. */
const ciRounds = 4

export const rounds = Number(process.env['FUNDPRESS_TEST_ROUNDS'] ?? 1)
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error('FUNDPRESS_TEST_ROUNDS is not a positive integer')

/**
 * Whether everything runs, as in CI. Tests that take seconds and show once more, in another situation, what other tests show
 * are `it.runIf(isComplete)`.
 */
export const isComplete = rounds >= ciRounds

/** How often to try something random: `eight` times in eight rounds, in proportion otherwise, but at least `least` times. */
export const times = (eight: number, least = 1): number => Math.max(least, Math.ceil((eight * rounds) / 8))

/**
 * A part of a list, evenly spread, the same in every run: an eighth of it for each round, but at least `least` items; all of
 * it in CI.
 * @param turn moves the choice by so many items: several samples of one list together cover more of it
 */
export function sample<T>(items: readonly T[], { least = 1, turn = 0 } = {}): readonly T[] {
  if (isComplete) return items
  const count = Math.min(items.length, times(items.length, Math.ceil(least)))
  const chosen = Array.from(
    { length: count },
    (_, index) => Math.floor((index * items.length) / count) + turn,
  )
  return chosen.map((index) => items[index % items.length] as T)
}

/** A line of numbers as a row of blocks. */

const blocks = '▁▂▃▄▅▆▇█'

/** @param width how many characters at most; of numbers that share one the last counts */
export function sparkline(numbers: readonly number[], width: number): string {
  const count = Math.min(width, numbers.length)
  const shown = Array.from(
    { length: count },
    (_, index) => numbers[Math.ceil(((index + 1) * numbers.length) / count) - 1] ?? 0,
  )
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const level = (value: number) =>
    // All the same: in the middle.
    high === low ? 3 : Math.round(((value - low) / (high - low)) * (blocks.length - 1))
  return shown.map((value) => blocks.charAt(level(value))).join('')
}

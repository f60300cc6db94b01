/** Names at the ends of lines: shortened, on two lines where one is too short, and never one over another. Pure. */

/** A line of text and the space between two names, as shares of the height of a chart that is wide enough for names. */
const lineHeight = 0.05
const distance = 0.02

/** Moves what is too close: downwards from the highest, then upwards from the bottom. */
export function apart(
  ends: readonly { readonly depth: number; readonly lines: number }[],
): readonly number[] {
  const order = [...ends.keys()].sort((one, other) => (ends[one]?.depth ?? 0) - (ends[other]?.depth ?? 0))
  const halves = ends.map(({ lines }) => (lines * lineHeight) / 2)
  const moved = ends.map(({ depth }) => depth)
  let least = -lineHeight / 2
  for (const index of order) {
    const half = halves[index] ?? 0
    moved[index] = Math.max(least + half, moved[index] ?? 0)
    least = moved[index] + half + distance
  }
  let most = 1 + lineHeight / 2
  for (const index of order.reverse()) {
    const half = halves[index] ?? 0
    moved[index] = Math.min(most - half, moved[index] ?? 0)
    most = moved[index] - half - distance
  }
  return moved
}

/** Leaves out the words that all names begin with: all of the chart, or for a single one all that there are. */
export function shortened(names: readonly string[], others: readonly string[]): readonly string[] {
  const all = (names.length === 1 ? [...names, ...others] : names).map((name) => name.split(' '))
  const longest = all.reduce((one, other) => (other.length > one.length ? other : one), [])
  const differs = longest.findIndex((word, index) => all.some((other) => other[index] !== word))
  return names.map((name) => {
    const words = name.split(' ')
    return words.slice(Math.max(0, Math.min(differs, words.length - 1))).join(' ')
  })
}

/** Breaks a name between words. What does not fit on two lines ends with dots. @param fits tells it of a text */
export function inTwoLines(name: string, fits: (text: string) => boolean): readonly string[] {
  if (fits(name)) return [name]
  const words = name.split(' ')
  let count = words.length - 1
  while (count > 0 && !fits(words.slice(0, count).join(' '))) count--
  // A word that is longer than the line is cut itself.
  if (count === 0) return [cut(name, fits)]
  const rest = words.slice(count).join(' ')
  return [words.slice(0, count).join(' '), fits(rest) ? rest : cut(rest, fits)]
}

function cut(text: string, fits: (text: string) => boolean): string {
  const letters = [...text]
  while (letters.length > 1 && !fits(`${letters.join('').trimEnd()}…`)) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

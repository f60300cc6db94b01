/** Names at the ends of lines: shortened, on up to three lines where one is too short, and never one over another. Pure. */

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

/** More would not leave room for five names. */
const mostLines = 3

/**
 * Breaks a name between words. Of what does not fit on three lines the middle is left out: classes of shares differ at the end.
 * @param fits tells of a text, if it has room on a line
 */
export function inLines(name: string, fits: (text: string) => boolean): readonly string[] {
  const lines: string[] = []
  let words = name.split(' ')
  while (lines.length < mostLines - 1 && !fits(words.join(' '))) {
    let count = words.length - 1
    while (count > 0 && !fits(words.slice(0, count).join(' '))) count--
    // A word that is longer than the line is cut itself, with what follows.
    if (count === 0) break
    lines.push(words.slice(0, count).join(' '))
    words = words.slice(count)
  }
  const rest = words.join(' ')
  return [...lines, fits(rest) ? rest : cut(rest, fits)]
}

function cut(text: string, fits: (text: string) => boolean): string {
  const letters = [...text]
  const shownOf = (count: number) => {
    const half = Math.ceil(count / 2)
    const tail = letters.slice(letters.length - (count - half))
    return `${letters.slice(0, half).join('').trimEnd()}…${tail.join('').trimStart()}`
  }
  let count = letters.length - 1
  while (count > 1 && !fits(shownOf(count))) count--
  return shownOf(count)
}

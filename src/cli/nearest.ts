/** Guesses which name was meant by one that does not exist. */

/** @returns ` (did you mean "edge"?)`, or the names there are, to be put behind a message */
export function suggest(word: string, names: readonly string[]): string {
  const found = nearest(word, names)
  return found === undefined ? ` (there are ${names.join(', ')})` : ` (did you mean "${found}"?)`
}

/** The most similar name, if one is similar at all: at most a third of the letters may differ. Case does not count. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    const limit = Math.ceil(Math.max(word.length, name.length) / 3)
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best?.name
}

/** Levenshtein's distance: insertions, deletions and substitutions, one row of the matrix at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [above, letter] of Array.from(from).entries()) {
    const next = [above + 1]
    for (let index = 0; index < to.length; index++) {
      const substituted = (row[index] ?? 0) + (letter === to[index] ? 0 : 1)
      next.push(Math.min(substituted, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

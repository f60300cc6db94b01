/** Names that are like a word that somebody meant for one of them. Pure. */

interface Near {
  readonly name: string
  /** How many letters differ. */
  readonly distance: number
  /** Whether at most a third of the letters differ. */
  readonly isSimilar: boolean
}

/**
 * Sorts names by their likeness to a word, whatever the case is.
 * @param writingsOf a name's spellings, of which the nearest counts
 */
export const byNearness = (
  word: string,
  names: readonly string[],
  writingsOf: (name: string) => readonly string[] = (name) => [name],
): readonly Near[] =>
  names
    .map((name): Near => {
      const [nearest = { distance: Infinity, isSimilar: false }] = writingsOf(name)
        .map((writing) => likeness(word, writing))
        .sort((one, other) => one.distance - other.distance)
      return { name, ...nearest }
    })
    .sort((one, other) => one.distance - other.distance)

function likeness(word: string, writing: string): Omit<Near, 'name'> {
  const distance = editDistance(word.toLowerCase(), writing.toLowerCase())
  return { distance, isSimilar: distance <= Math.ceil(Math.max(word.length, writing.length) / 3) }
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

/** Turns an error into one line of text, and suggests a name for one that does not exist. */

import { inspect } from 'node:util'
import { escapeInvisible } from '../data/model/printable.ts'
import { withoutSecrets } from './safe-text.ts'

/** Wrong arguments, environment or config file. The exit code is 2. */
export class UsageError extends Error {}

export const wrongSettings = (cause: unknown): never => {
  throw new UsageError('the settings are wrong', { cause })
}

/** The answer no of `nightly --ask --exit-code`. The exit code is 4. */
export class NothingToDo extends Error {}

/** The messages of an error and of its causes, as one line without invisible characters and passwords. */
export function reasonOf(error: unknown): string {
  const reasons: string[] = []
  let current = error
  // Limited, because an error can be its own cause.
  for (let depth = 0; depth < 10 && current !== undefined; depth++) {
    const reason = current instanceof Error ? current.message || current.name : inspect(current)
    // Errors often quote their cause.
    if (!reasons.some((said) => said.includes(reason))) reasons.push(reason)
    current = current instanceof Error ? current.cause : undefined
  }
  const reason = reasons.join(': ').replace(/[\p{Cc}\s]+/gu, ' ')
  return escapeInvisible(withoutSecrets(reason.trim()))
}

/** @returns the end of a message: ` (did you mean "edge"?)`, or all names that exist */
export function suggest(word: string, names: readonly string[]): string {
  const found = nearest(word, names)
  return found === undefined ? ` (there are ${names.join(', ')})` : ` (did you mean "${found}"?)`
}

/** The most similar name, ignoring case; undefined if more than a third of the letters differ in all of them. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const found = names.map((name) => ({
    name,
    distance: editDistance(word.toLowerCase(), name.toLowerCase()),
  }))
  const limitOf = (name: string) => Math.ceil(Math.max(word.length, name.length) / 3)
  const similar = found.filter(({ name, distance }) => distance <= limitOf(name))
  return similar.sort((one, other) => one.distance - other.distance)[0]?.name
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

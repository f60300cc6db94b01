/** Turns an error into one line of text, and suggests a name for one that does not exist. */

import { inspect } from 'node:util'
import { escapeInvisible } from '../data/model/printable.ts'
import { byNearness } from '../system/nearest.ts'
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
  const found = byNearness(word, names).find(({ isSimilar }) => isSimilar)
  return found === undefined ? ` (there are ${names.join(', ')})` : ` (did you mean "${found.name}"?)`
}

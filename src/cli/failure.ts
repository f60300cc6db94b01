/** What went wrong, in one line. Only the CLI catches everything; this is where it ends. */

import { inspect } from 'node:util'
import { escapeInvisible } from '../source/printable.ts'
import { withoutSecrets } from './secrets.ts'

/** The command was not called right: arguments, environment or config file. Exit code 2 instead of 1. */
export class UsageError extends Error {}

/** The error's message and those of its causes, as one line, without characters that cannot be seen and passwords of addresses. */
export function reasonOf(error: unknown): string {
  const reasons: string[] = []
  let current = error
  // Deep enough for every chain; an error can be its own cause.
  for (let depth = 0; depth < 10 && current !== undefined; depth++) {
    const reason = current instanceof Error ? current.message || current.name : inspect(current)
    // Wrapping errors often quote what they wrap.
    if (!reasons.some((said) => said.includes(reason))) reasons.push(reason)
    current = current instanceof Error ? current.cause : undefined
  }
  const reason = reasons.join(': ').replace(/[\p{Cc}\s]+/gu, ' ')
  return escapeInvisible(withoutSecrets(reason.trim()))
}

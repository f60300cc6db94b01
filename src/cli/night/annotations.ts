/** What GitHub Actions shows beside a run: annotations, as lines that its runner reads out of the log. */

import { escapeInvisible } from '../../source/printable.ts'
import { cut } from '../safe-text.ts'
import { withoutCommands } from '../workflow-commands.ts'

export interface Annotation {
  readonly kind: 'warning' | 'error'
  readonly title: string
  readonly message: string
}

/** Source: GitHub's documentation, "Workflow commands"; the escapes are those of its own toolkit. */
export function annotationLine({ kind, title, message }: Annotation): string {
  return `::${kind} title=${escapeProperty(title)}::${escapeMessage(cut(escapeInvisible(message), maxMessageBytes))}\n`
}

/** Less than a line may have: `%` takes three bytes, and a title stands before it. */
const maxMessageBytes = 600

/** A step shows ten annotations of a kind at most: the last one counts the rest. */
const shown = 9

/** @param title of the annotation that counts the rest */
export function annotationLines(warnings: readonly Omit<Annotation, 'kind'>[], title: string): string {
  const some = warnings.slice(0, shown)
  const rest = warnings.length - some.length
  const more = rest === 0 ? [] : [{ title, message: `${rest} more warnings: see the log` }]
  return [...some, ...more].map((one) => annotationLine({ kind: 'warning', ...one })).join('')
}

/** Without commands even in the lines that the runner makes of it. */
const escapeMessage = (text: string) =>
  withoutCommands(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string) => escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

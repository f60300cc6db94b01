/**
 * What the program writes, made safe for whoever reads it. Names come out of databases, buckets and files: none of them may
 * move the cursor, hide or reverse what stands there, give the runner of a workflow a command, or fill a log.
 */

import { escapeInvisible } from '../source/printable.ts'
import { withoutCommands } from './workflow-commands.ts'

/** Bytes of a line, in UTF-8. */
export const maxLineBytes = 2048

/** Lines for people: characters that cannot be seen as escapes, and no line longer than 2 KB. */
export const safeLines = (text: string): string => text.split('\n').map(safeLine).join('\n')

/** JSON, or a piece of it, with the same meaning. It is not cut, and neither are scripts without such characters. */
export const safeData = (text: string): string =>
  withoutCommands(text.split('\n').map(escapeInvisible).join('\n'))

const safeLine = (line: string) => cut(withoutCommands(escapeInvisible(line)))

/** The line with an ellipsis, and how many bytes it had, if it is too long. */
export function cut(line: string, most: number = maxLineBytes): string {
  // A unit is a byte at least, and three at most.
  if (line.length * 3 <= most) return line
  const bytes = Buffer.from(line)
  if (bytes.length <= most) return line
  const note = `… (${bytes.length.toLocaleString('en-US')} bytes)`
  // What a cut goes through at the end is decoded as U+FFFD.
  const start = bytes.subarray(0, most - Buffer.byteLength(note)).toString()
  return `${start.replace(/\ufffd$/, '')}${note}`
}

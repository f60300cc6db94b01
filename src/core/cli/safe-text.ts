/**
 * Makes output safe. Names come from databases, buckets and files: none of them may move the cursor, hide or reverse text,
 * give the runner of a workflow a command, or fill a log. No password is written.
 */

import { escapeInvisible } from '../data/model/printable.ts'

/** Lines for people: invisible characters become escapes, and no line is longer than 2 KB. */
export const safeLines = (text: string): string => text.split('\n').map(safeLine).join('\n')

/** Escapes JSON or a script without a cut and without a change of its meaning. */
export const safeData = (text: string): string =>
  withoutCommands(text.split('\n').map(escapeInvisible).join('\n'))

const safeLine = (line: string) => cut(withoutCommands(escapeInvisible(line)))

/** Cuts a line to `most` bytes of UTF-8. A cut line ends with an ellipsis and its number of bytes. */
export function cut(line: string, most = 2048): string {
  // A UTF-16 unit has three bytes at most.
  if (line.length * 3 <= most) return line
  const bytes = Buffer.from(line)
  if (bytes.length <= most) return line
  const note = `… (${bytes.length.toLocaleString('en-US')} bytes)`
  // A character that the cut goes through is decoded as U+FFFD.
  const start = bytes.subarray(0, most - Buffer.byteLength(note)).toString()
  return `${start.replace(/\ufffd$/, '')}${note}`
}

/**
 * Escapes commands of GitHub Actions: `##[` anywhere in a line, `::` at its beginning, also behind white space. A fund with
 * the name `##[add-mask]1` would hide every 1 in the log. JSON keeps its meaning. Source: actions/runner, ActionCommand.cs.
 */
export function withoutCommands(text: string): string {
  return text
    .replaceAll('##[', '##\\u005b')
    .replace(/^((?:[^\S\n\r\u2028\u2029]|\u0085)*):(?=:)/gm, '$1\\u003a')
}

/** Removes user names and passwords from addresses: all up to the last `@` of a word, because a password may hold one. */
export const withoutSecrets = (text: string): string => text.replace(/\S+/g, withoutSecret)

function withoutSecret(word: string): string {
  // An address that was taken for a path has one slash left of two.
  const scheme = word.indexOf(':/')
  const host = word.lastIndexOf('@')
  if (scheme === -1 || host < scheme) return word
  const slashes = word.startsWith('//', scheme + 1) ? '//' : '/'
  return `${word.slice(0, scheme + 1)}${slashes}***${word.slice(host)}`
}

/** An operator's words about a decision, for keeping and publishing: one line, without secrets. */
export const statement = (text: string): string =>
  escapeInvisible(
    withoutSecrets(text)
      .replace(secretParameter, '$1***')
      .replace(token, '***')
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  )

const secretParameter = /([?&][\w-]*(?:token|key|secret|signature|password)[\w-]*=)[^\s&#]+/gi
/** Tokens of GitHub, GitLab, Slack and AWS, and JSON Web Tokens. */
const token = /\b(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ)[\w.-]{12,}/g

/** A refused value for a message, which does not show a value that may hold a password. */
export const shownValue = (text: string): string =>
  text.includes('@') ? 'a value with an @ (not shown, it may hold a password)' : `'${text}'`

/**
 * Makes what the program writes safe for its reader. Names come from databases, buckets and files: none of them may move
 * the cursor, hide or reverse text, give the runner of a workflow a command, or fill a log; and no password is written.
 */

import { escapeInvisible } from '../data/model/printable.ts'

/** Lines for people: invisible characters become escapes, and no line is longer than 2 KB. */
export const safeLines = (text: string): string => text.split('\n').map(safeLine).join('\n')

/** JSON or a script, whole and with the same meaning. */
export const safeData = (text: string): string =>
  withoutCommands(text.split('\n').map(escapeInvisible).join('\n'))

const safeLine = (line: string) => cut(withoutCommands(escapeInvisible(line)))

/** Cuts a line that has too many bytes of UTF-8: it ends with an ellipsis and its number of bytes. */
export function cut(line: string, most = 2048): string {
  // A UTF-16 unit has from one to three bytes.
  if (line.length * 3 <= most) return line
  const bytes = Buffer.from(line)
  if (bytes.length <= most) return line
  const note = `… (${bytes.length.toLocaleString('en-US')} bytes)`
  // A character that the cut goes through is decoded as U+FFFD.
  const start = bytes.subarray(0, most - Buffer.byteLength(note)).toString()
  return `${start.replace(/\ufffd$/, '')}${note}`
}

/**
 * Escapes what begins a command of GitHub Actions: `##[` anywhere in a line, and `::` at its beginning, also behind white
 * space. A fund may have any name: `##[add-mask]1` would hide every 1 in the log, `##[stop-commands]x` what comes after it.
 * JSON keeps its meaning. Source: actions/runner, ActionCommand.cs.
 */
export function withoutCommands(text: string): string {
  return text
    .replaceAll('##[', '##\\u005b')
    .replace(/^((?:[^\S\n\r\u2028\u2029]|\u0085)*):(?=:)/gm, '$1\\u003a')
}

/**
 * Removes user names and passwords from the addresses in a text. A password that is not encoded may hold everything but
 * white space: the text of a word up to its last `@` goes.
 */
export const withoutSecrets = (text: string): string => text.replace(/\S+/g, withoutSecret)

function withoutSecret(word: string): string {
  // An address that was taken for a path has one slash left of two.
  const scheme = word.indexOf(':/')
  const host = word.lastIndexOf('@')
  if (scheme === -1 || host < scheme) return word
  const slashes = word.startsWith('//', scheme + 1) ? '//' : '/'
  return `${word.slice(0, scheme + 1)}${slashes}***${word.slice(host)}`
}

/** An operator's words about a decision, as they are kept and published: one line, without secrets. */
export const statement = (text: string): string =>
  escapeInvisible(
    withoutSecrets(text)
      .replace(secretParameter, '$1***')
      .replace(token, '***')
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  )

const secretParameter = /([?&][\w-]*(?:token|key|secret|signature|password)[\w-]*=)[^\s&#]+/gi
/** Those of GitHub, GitLab, Slack and AWS, and JSON Web Tokens. */
const token = /\b(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ)[\w.-]{12,}/g

/** A refused value, as a message shows it. A value that may hold a password is not shown at all. */
export const shownValue = (text: string): string =>
  text.includes('@') ? 'a value with an @ (not shown, it may hold a password)' : `'${text}'`

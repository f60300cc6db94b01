/** Text of a database on a line of ours: nothing in it can move a cursor, hide or reverse what stands there. */

/** Longer text is cut: a line is to be read. */
const maxLength = 60

/** The text with every invisible character as an escape, without a line feed, not longer than a line bears. */
export function printable(text: string): string {
  // Cut before it is looked at, but never through a surrogate pair.
  const start = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  const shown = escapeInvisible(JSON.stringify(start).slice(1, -1))
  return text.length > maxLength ? `${shown}…` : shown
}

/** The same in quotation marks, so that white space and nothing at all can be seen. */
export const quoted = (text: string): string => `"${printable(text)}"`

/** Control and formatting characters as `\u009b`: JSON.stringify leaves many of them as they are. */
export function escapeInvisible(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

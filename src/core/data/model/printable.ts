/** Texts of a database in messages: nothing in them can move a cursor, or hide or reverse other text. */

const maxLength = 60

/** The text with every invisible character as an escape, without a line feed, and at most 60 characters long. */
export const printable = (text: string): string =>
  // A quotation mark ends nothing here.
  escaped(text).replace(/\\./g, (pair) => (pair === '\\"' ? '"' : pair))

/** A number as people write it: a double holds 15 digits, and the others are how 0.0145 came about (1.45 / 100). */
export const printableNumber = (value: number): string => String(Number(value.toPrecision(15)))

/** The same in quotation marks, which show white space and an empty text. */
export const quoted = (text: string): string => `"${escaped(text)}"`

function escaped(text: string): string {
  // Cut first, but never through a surrogate pair.
  const start = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  const shown = escapeInvisible(JSON.stringify(start).slice(1, -1))
  return text.length > maxLength ? `${shown}…` : shown
}

/** Control and formatting characters as `\u009b`: JSON.stringify leaves many of them as they are. */
export function escapeInvisible(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

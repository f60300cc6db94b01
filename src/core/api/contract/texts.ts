/** Limits of texts on a page, in a spreadsheet and in a terminal. Pure. */

/** The address if a browser may follow it, '' otherwise. SQL has the same rule (`downloads/tables.ts`). */
export const webAddress = (url: string): string => (isWebAddress(url) ? url : '')

/** True for `http://` and `https://`, in either case: no `javascript:`, no `data:`, no path. */
export const isWebAddress = (url: string): boolean => /^https?:\/\/[^]/i.test(url)

/**
 * True if a spreadsheet runs a text as a formula. Leading blanks do not help, because some programs trim. A plain
 * number (`-8,81 %`) is no formula, and neither is a sign alone. Source: OWASP, "CSV Injection".
 */
export const isFormula = (text: string): boolean =>
  /^(?:[\t\r]|\s*[=+\-@＝＋－＠])/.test(text) && !/^[+-](?:\d[\d.,]*(?:[ \u00a0]?%)?)?$/.test(text)

/**
 * True for letters of UTF-8 that were read as Windows-1252, Mac Roman or code page 850, and saved: `Ã¶`, `â€“`, `√∂`, `├Â`. Of other
 * scripts two in a row, since one may be a letter before a quotation mark.
 */
export const isDecodedTwice = (text: string): boolean => decodedTwice.test(text)

/** What Windows-1252 makes of the bytes 80 to BF, which go on with a character of UTF-8. */
const goesOn =
  '[\\u0080-\\u00bf\\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192\\u02c6\\u02dc\\u2013-\\u203a\\u20ac\\u2122]'
const decodedTwice = new RegExp(
  `[ÂÃÄÅ]${goesOn}|â[€‚„]${goesOn}|(?:[Æ-ß]${goesOn}){2}|[\\u221a\\u251c\\u252c][\\u0080-\\uffff]`,
)

/** True for a named character of Latin letters and punctuation in HTML, or for one by its number: `&amp;`, `&ouml;`, `&#246;`. */
export const hasEntity = (text: string): boolean =>
  /&(?:amp|lt|gt|quot|apos|nbsp|shy|euro|pound|copy|reg|trade|sect|deg|middot|bull|hellip|[nm]dash|[lrsb]d?[sa]?quo|szlig|[ao]?elig|[a-z](?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron)|#\d{2,6}|#x[\da-f]{2,5});/i.test(
    text,
  )

/** True for a text with white space before or behind it. */
export const hasOuterBlank = (text: string): boolean => /^\s+\S|\S\s+$/.test(text)

/** Control characters, bidirectional controls and characters without a width, but not the soft hyphen. */
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

/** @returns the first invisible character as `U+202E`, or undefined */
export const invisibleIn = (text: string) => firstOf(invisible, text)

function firstOf(pattern: RegExp, text: string): string | undefined {
  const code = pattern.exec(text)?.[0].codePointAt(0)
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A quick test for the functions above and below, but that of addresses: most texts pass. */
export const isSuspect = (text: string): boolean => suspect.test(text)

const suspect =
  /^\s|\s$|&#?\w+;|[Â-ßâ\u221a\u251c\u252c][\u0080-\uffff]|^[=+\-@＝＋－＠]|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffd-\uffff]/

/** @returns the first character that XML 1.0 does not have (its production Char) as `U+000B`, or undefined */
export const unfitForXml = (text: string) => (isSuspect(text) ? firstOf(notInXml, text) : undefined)

const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u

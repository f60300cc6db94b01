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

/** Control characters, bidirectional controls and characters without a width, but not the soft hyphen. */
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

/** @returns the first invisible character as `U+202E`, or undefined */
export const invisibleIn = (text: string) => firstOf(invisible, text)

function firstOf(pattern: RegExp, text: string): string | undefined {
  const code = pattern.exec(text)?.[0].codePointAt(0)
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A quick test for the functions above and below: most texts pass. */
export const isSuspect = (text: string): boolean => suspect.test(text)

const suspect =
  /^\s*[=+\-@＝＋－＠]|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffd-\uffff]/

/** @returns the first character that XML 1.0 does not have (its production Char) as `U+000B`, or undefined */
export const unfitForXml = (text: string) => (isSuspect(text) ? firstOf(notInXml, text) : undefined)

const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u

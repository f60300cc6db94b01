/** How large the values of a database may be: larger ones are refused, with the row's name. */

/** Bytes of a text in UTF-8. */
export const maxTextBytes = 100_000

/** Rows in one list of a document: an investment structure of one type, key figures, legal periods. */
export const maxListRows = 10_000

/** Digits of a decimal text, on both sides of the point together. */
export const maxDigits = 30
export const maxDecimals = 15
/** Together with 15 decimals these are the 38 digits of the widest decimal that Parquet readers agree on. */
export const maxWholeDigits = 23

/** For messages. */
export const mostDigits = `${maxDigits} digits, ${maxWholeDigits} before and ${maxDecimals} after the point`

/** @param decimal plain */
export function isWithinDigits(decimal: string): boolean {
  // A text this short is within all limits, wherever the point is. It saves time: there are millions of prices.
  if (decimal.length <= maxDecimals) return true
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const { length: before } = whole
  const { length: after } = fraction
  return before <= maxWholeDigits && after <= maxDecimals && before + after <= maxDigits
}

/** The magnitude of a number that is not 0 lies between these two. */
export const maxNumber = 1e30
export const minNumber = 1e-30

export const firstDay = '1900-01-01'

/** @param asOf ISO 8601 @returns the last day that a database may name */
export const lastDay = (asOf: string): string =>
  `${String(Number(asOf.slice(0, 4)) + 50).padStart(4, '0')}${asOf.slice(4)}`

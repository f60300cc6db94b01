/** Limits of the values of a database. The checks refuse other values, and name the row. */

import { structureTypes } from '../../api/contract/structure-types.ts'
import { isWebAddress, unfitForXml } from '../../api/contract/texts.ts'
import { isDay, isIsin } from '../../api/routes/values.ts'
import { currencyFault } from './currencies.ts'
import { quoted } from './printable.ts'
import type { TextKind } from './columns.ts'

export const maxTextBytes = 100_000

/** Browsers and servers take so many characters. */
const maxAddress = 2000
const isWithoutBlank = /^[\x21-\x7e]+$/

/** Rows in one list of a document: an investment structure of one type, key figures, legal periods. */
export const maxListRows = 10_000

/** Digits of a decimal text, on both sides of the point together. */
const maxDigits = 30
export const maxDecimals = 15
/** Together with 15 decimals these are the 38 digits of the widest decimal that Parquet readers agree on. */
export const maxWholeDigits = 23

function isWithinDigits(decimal: string): boolean {
  // A text this short is within all limits, wherever the point is. It saves time: there are millions of prices.
  if (decimal.length <= maxDecimals) return true
  const [before = 0, after = 0] = decimal
    .replace('-', '')
    .split('.')
    .map(({ length }) => length)
  return before <= maxWholeDigits && after <= maxDecimals && before + after <= maxDigits
}

/** The magnitude of a number that is not 0 lies between these two. */
export const maxNumber = 1e30
export const minNumber = 1e-30

export const firstDay = '1900-01-01'

/** @param asOf ISO 8601 @returns the last day that a database may name */
export const lastDay = (asOf: string): string =>
  `${String(Number(asOf.slice(0, 4)) + 50).padStart(4, '0')}${asOf.slice(4)}`

const knownTypes = new Set(structureTypes)

const unless = (isRight: (text: string) => boolean, what: string) => (text: string) =>
  isRight(text) ? undefined : `${quoted(text)} is not ${what}`

const notPlain = unless((text) => /^-?[0-9]+(?:\.[0-9]+)?$/.test(text), 'a plain decimal')

/** `#REF!`, `#BEZUG!`, `#DIV/0!`, `#N/A`, `#NV` of Excel, also within a text; `###`, a column that is too narrow; `Err:502` of LibreOffice. */
const spreadsheetError = /(?:^|\s)#(?:[A-ZÄÖÜ]+(?:\/0)?[!?]|N\/A|NV)(?:[\s%]|$)|^#{3,}$|^Err:\d{3}$/
/** Texts that programs write for a missing value: `NaN %`, `null`, `<NA>`. */
const missingValue = /^-?(?:nan|null|undefined|<na>)(?:\s?%)?$/i

const isNoText = (text: string) => spreadsheetError.test(text) || missingValue.test(text.trim())

/** Describe the fault of a text: the end of a sentence that begins with the column's name. Undefined for a right text. */
export const textFaults: Readonly<Record<TextKind, (text: string) => string | undefined>> = {
  isin: unless(isIsin, 'an ISIN: wrong form or check digit'),
  structureType: unless((text) => knownTypes.has(text), 'one of the structure types'),
  currency: currencyFault,
  language: unless((text) => /^[a-z]{2}$/.test(text), 'a language: two small letters, ISO 639-1'),
  address: unless(
    (text) =>
      text.length <= maxAddress && isWebAddress(text) && isWithoutBlank.test(text) && URL.canParse(text),
    'an address of the web: http:// or https:// and no blank',
  ),
  day: unless(isDay, 'a date (YYYY-MM-DD)'),
  dayOfYear: unless((text) => isDay(`2000-${text}`), 'a day of the year (MM-DD)'),
  decimal: (text) =>
    notPlain(text) ??
    (isWithinDigits(text)
      ? undefined
      : `${quoted(text)} has more than ${maxDigits} digits, ${maxWholeDigits} before and ${maxDecimals} after the point`),
  text: (text) => {
    // UTF-8 has up to three bytes for what is one unit here.
    if (text.length > maxTextBytes / 3 && Buffer.byteLength(text) > maxTextBytes)
      return `has more than ${maxTextBytes} bytes`
    const unfit = unfitForXml(text)
    if (unfit !== undefined) return `holds ${unfit}, which XML cannot hold`
    return isNoText(text) ? `${quoted(text)} is an error or a missing value of another program` : undefined
  },
}

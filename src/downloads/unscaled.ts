/**
 * Decimal texts as Parquet's decimals: whole numbers of a power of ten. Every decimal column has the same type on any night,
 * wide enough for whatever the checks let through: no row changes it.
 */

import { maxDecimals, maxWholeDigits } from '../source/limits.ts'

/** How many digits are after the point. */
export const scale = maxDecimals

/** The widest decimal that is commonly read: 16 bytes. */
export const precision = maxWholeDigits + maxDecimals

/** @param text a plain decimal within the limits @returns the value as a whole number of 10^-scale */
export function unscaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(scale, '0'))
  return text.startsWith('-') ? -value : value
}

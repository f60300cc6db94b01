/** Decimal texts as Parquet's decimals: whole numbers of a power of ten. */

/** `text` where a column has values that no decimal of Parquet holds: more than 38 digits. */
export type DecimalWidth = { readonly precision: number; readonly scale: number } | 'text'

/** What a column has as a rule, so that its type is the same every night. */
export const usualWidth = { precision: 18, scale: 6 } as const

/** More do not fit into the widest decimal that is commonly read. */
const maxPrecision = 38

/** Digits that a double holds for certain. */
export const safeDigits = 15

/**
 * @param text a plain decimal
 * @returns the value as a whole number of 10^-scale
 * @throws {RangeError} if it has more digits than that
 */
export function unscaled(
  text: string,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint {
  const point = text.indexOf('.')
  const places = point < 0 ? 0 : text.length - point - 1
  const digits = point < 0 ? text : text.slice(0, point) + text.slice(point + 1)
  if (places <= scale && digits.length + scale - places <= safeDigits) {
    return BigInt(Number(digits) * (powers[scale - places] ?? 0))
  }
  const { whole, fraction } = significant(text)
  if (fraction.length > scale || whole.length + scale > precision) {
    throw new RangeError(`${text} is no decimal of ${precision} digits, ${scale} of them after the point`)
  }
  const value = BigInt(whole + fraction.padEnd(scale, '0'))
  return text.startsWith('-') ? -value : value
}

/** Powers of ten. */
export const powers: readonly number[] = Array.from({ length: safeDigits + 1 }, (_, index) => 10 ** index)

/** The width that holds all of these, the usual one if it does. */
export function widthFor(values: Iterable<string>): DecimalWidth {
  let wholeDigits: number = usualWidth.precision - usualWidth.scale
  let scale: number = usualWidth.scale
  for (const text of values) {
    const { whole, fraction } = significant(text)
    wholeDigits = Math.max(wholeDigits, whole.length)
    scale = Math.max(scale, fraction.length)
  }
  if (wholeDigits + scale <= usualWidth.precision) return usualWidth
  return wholeDigits + scale <= maxPrecision ? { precision: maxPrecision, scale } : 'text'
}

/** The digits that count, without the sign. */
function significant(text: string): { readonly whole: string; readonly fraction: string } {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return { whole: whole.replace(/^0+/, ''), fraction: fraction.replace(/0+$/, '') }
}

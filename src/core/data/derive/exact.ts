/** Exact numbers: fractions of whole numbers, and decimal texts. Nothing is rounded but what is written. Pure. */

/** The bottom of a number is above zero. */
export interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}

export const one: Fraction = { top: 1n, bottom: 1n }

export const product = (left: Fraction, right: Fraction): Fraction =>
  right === one ? left : { top: left.top * right.top, bottom: left.bottom * right.bottom }

/** @throws {RangeError} if the divisor is 0 */
export function quotient(left: Fraction, { top, bottom }: Fraction): Fraction {
  if (top === 0n) throw new RangeError('Division by zero')
  const sign = top < 0n ? -1n : 1n
  return { top: left.top * bottom * sign, bottom: left.bottom * top * sign }
}

export const sum = (left: Fraction, right: Fraction): Fraction => ({
  top: left.top * right.bottom + right.top * left.bottom,
  bottom: left.bottom * right.bottom,
})

/** @param decimal a plain decimal text: '-12.50' */
export function fractionOf(decimal: string): Fraction {
  const [whole = '', fraction = ''] = decimal.split('.')
  return { top: BigInt(whole + fraction), bottom: 10n ** BigInt(fraction.length) }
}

/** The number of decimals of a text. */
export const scaleOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0

/** A decimal text with so many decimals, rounded half away from zero; never -0. */
export function rounded({ top, bottom }: Fraction, scale: number): string {
  const number = top * 10n ** BigInt(scale)
  const half = number < 0n ? -bottom : bottom
  const units = (2n * number + half) / (2n * bottom)
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return (units < 0n ? '-' : '') + digits.slice(0, point) + (scale === 0 ? '' : `.${digits.slice(point)}`)
}

/** Exact, with the decimals of the longer one. */
export const difference = (left: string, right: string): string => {
  const { top, bottom } = fractionOf(right)
  return rounded(sum(fractionOf(left), { top: -top, bottom }), Math.max(scaleOf(left), scaleOf(right)))
}

/** A growth, such as 1.05, in percent with two decimals: '5.00'. */
export const percentChange = ({ top, bottom }: Fraction): string =>
  rounded({ top: (top - bottom) * 100n, bottom }, 2)

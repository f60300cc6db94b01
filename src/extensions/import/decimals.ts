/** Exact arithmetic with plain decimals, as the schema writes them: `-1234.50`. Pure. */

import { textFaults } from '../../core/data/model/limits.ts'

/** A decimal as a whole number of units of its last digit. */
interface Scaled {
  readonly units: bigint
  /** Digits after the point. */
  readonly scale: number
}

function scaled(decimal: string): Scaled {
  const [whole = '', fraction = ''] = decimal.split('.')
  return { units: BigInt(whole + fraction), scale: fraction.length }
}

function plain({ units, scale }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const sign = units < 0n ? '-' : ''
  return sign + (scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`)
}

/** @returns the sum, with the most digits that one of them has */
export function sumOf(all: readonly string[]): string {
  const numbers = all.map(scaled)
  const scale = Math.max(0, ...numbers.map((number) => number.scale))
  const units = numbers.map((number) => number.units * 10n ** BigInt(scale - number.scale))
  return plain({ units: units.reduce((sum, one) => sum + one, 0n), scale })
}

/** @returns the decimal without zeros at its end: 61.83 for 61.830. A database may have texts that are none: they stay as they are */
export function shortestOf(decimal: string): string {
  if (textFaults.decimal(decimal) !== undefined) return decimal
  let { units, scale } = scaled(decimal)
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale--
  }
  return plain({ units, scale })
}

/** @returns a fraction as a percentage: 0.035 is 3.5 */
export function percentOf(fraction: string): string {
  const { units, scale } = scaled(fraction)
  return scale <= 2
    ? plain({ units: units * 10n ** BigInt(2 - scale), scale: 0 })
    : plain({ units, scale: scale - 2 })
}

/** The schema has no more digits after the point. */
const decimals = 15
/** Terms of ratios that people write with few digits: 3, 1.5, 0.7. */
const smallTerm = 50n

/**
 * Turns a ratio around. One with many digits is taken for the simple fraction that it is rounded from: 0.1666667 gives 6.
 * @returns undefined if it is not above zero, or rounded to so few digits that it may be several fractions: 0.33
 */
export function reciprocalOf(ratio: string): string | undefined {
  const { units, scale } = scaled(ratio)
  if (units <= 0n) return undefined
  const whole = 10n ** BigInt(scale)
  const divisor = commonDivisor(units, whole)
  const top = units / divisor
  const bottom = whole / divisor
  if (hasEnd(top) || (top <= smallTerm && bottom <= smallTerm)) return quotient(bottom, top)
  const simple = simplestBetween([units - 1n, whole], [units + 1n, whole])
  // A fraction with larger terms would be near by chance.
  if (simple.bottom * simple.bottom * 100n <= whole) return quotient(simple.bottom, simple.top)
  return scale >= 6 ? quotient(whole, units) : undefined
}

const commonDivisor = (one: bigint, other: bigint): bigint =>
  other === 0n ? one : commonDivisor(other, one % other)

/** Whether a fraction below it ends: 1, 2, 4, 5, 8, 10, … */
function hasEnd(number: bigint): boolean {
  return 10n ** BigInt(decimals) % number === 0n
}

/** @returns the quotient, rounded half up, without zeros at its end */
function quotient(top: bigint, bottom: bigint): string {
  const units = (2n * top * 10n ** BigInt(decimals) + bottom) / (2n * bottom)
  const text = plain({ units, scale: decimals })
  const last = Array.from(text).findLastIndex((digit) => digit !== '0')
  return text.slice(0, text[last] === '.' ? last : last + 1)
}

type Fraction = readonly [top: bigint, bottom: bigint]

/** The fraction with the smallest terms between two others, by their continued fractions. */
function simplestBetween(
  [lowTop, lowBottom]: Fraction,
  [highTop, highBottom]: Fraction,
): { top: bigint; bottom: bigint } {
  const floor = lowTop / lowBottom
  if (floor * lowBottom === lowTop) return { top: floor, bottom: 1n }
  if ((floor + 1n) * highBottom <= highTop) return { top: floor + 1n, bottom: 1n }
  const rest = simplestBetween(
    [highBottom, highTop - floor * highBottom],
    [lowBottom, lowTop - floor * lowBottom],
  )
  return { top: floor * rest.top + rest.bottom, bottom: rest.top }
}

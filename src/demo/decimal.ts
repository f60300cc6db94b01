/** Decimal text and rounded percents. Prices are counted in whole units of their last digit, so no digit is ever lost. */

const twoDigits: readonly string[] = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))

/** `units` of the last digit as plain decimal text: 1234567 with 2 decimals is '12345.67'. */
export function decimalText(units: number, decimals: 2 | 4): string {
  const size = units < 0 ? -units : units
  const hundreds = Math.floor(size / 100)
  const tail = twoDigits[size - hundreds * 100] ?? ''
  const sign = units < 0 ? '-' : ''
  if (decimals === 2) return `${sign}${hundreds}.${tail}`
  const whole = Math.floor(hundreds / 100)
  return `${sign}${whole}.${twoDigits[hundreds - whole * 100] ?? ''}${tail}`
}

/** 0.0525 as '5.25'. */
export function percentText(fraction: number): string {
  return decimalText(Math.round(fraction * 10_000), 2)
}

/** 0.0525 as 5.25, rounded to 2 decimals, never -0. */
export function percent(fraction: number): number {
  return (Math.round(fraction * 10_000) || 0) / 100
}

/** German figure text: 12.34 as '12,34'. */
export function commaText(value: number): string {
  return decimalText(Math.round(value * 100), 2).replace('.', ',')
}

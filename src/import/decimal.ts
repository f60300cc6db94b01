/** Numbers as files have them: with a decimal comma or point, in groups of thousands or not. Text in, text out. */

/** What divides the whole from its fraction. */
export type DecimalMark = 'comma' | 'point'

/** Exponents of more digits are no amounts. */
const exponent = String.raw`(?:[eE]([+-]?\d{1,3}))?`
const sign = String.raw`([+\-\u2212]?)`

/** A group of thousands never starts with a zero, and one number has one kind of divider. */
function numberPattern(mark: string, group: string): RegExp {
  const groups = String.raw`[1-9]\d{0,2}([${group}'\u2019 \u00a0\u202f])\d{3}(?:\3\d{3})*`
  return new RegExp(String.raw`^${sign}(?=[${mark}\d])(\d+|${groups})?(?:[${mark}](\d+))?${exponent}$`)
}

const patterns: Readonly<Record<DecimalMark, RegExp>> = {
  comma: numberPattern(',', '.'),
  point: numberPattern('.', ','),
}

/** Most numbers: neither groups, nor an exponent, nor a plus. */
const simple: Readonly<Record<DecimalMark, RegExp>> = {
  comma: /^-?[0-9]+(?:,[0-9]+)?$/,
  point: /^-?[0-9]+(?:\.[0-9]+)?$/,
}

/**
 * The number as the schema has it: `-1.234,50` with a decimal comma is `-1234.50`. Its digits stay as they are; an
 * exponent only moves the point.
 * @returns undefined where it is no number, or where its exponent hides digits (`1,23457E+11`)
 */
export function plainDecimal(text: string, mark: DecimalMark): string | undefined {
  if (simple[mark].test(text)) return mark === 'comma' ? text.replace(',', '.') : text
  const match = patterns[mark].exec(text.trim())
  if (match === null) return undefined
  const [, signs = '', grouped = '', , fraction = '', power] = match
  const whole = grouped.replace(/[^0-9]/g, '')
  const minus = signs === '' || signs === '+' ? '' : '-'
  if (power === undefined) return `${minus}${withPoint(whole, fraction)}`
  const moved = movePoint(whole, fraction, Number(power))
  return moved === undefined ? undefined : minus + moved
}

const withPoint = (whole: string, fraction: string) =>
  (whole === '' ? '0' : whole) + (fraction === '' ? '' : `.${fraction}`)

function movePoint(whole: string, fraction: string, power: number): string | undefined {
  const digits = whole + fraction
  const point = whole.length + power
  // 1.23457E+11 was a longer number once: what would be zeros here are digits that somebody cut off.
  if (point > digits.length) return /^0+$/.test(digits) ? '0' : undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits
  const at = point <= 0 ? 1 : point
  return withPoint(padded.slice(0, at).replace(/^0+(?=[0-9])/, ''), padded.slice(at))
}

/** What a number tells of its file: it has this mark, or it would be a number with either. */
export type DecimalSign =
  | { readonly kind: 'sure'; readonly mark: DecimalMark }
  /** `1.234`: with a decimal point it is little more than one. */
  | { readonly kind: 'either'; readonly ifDecimal: DecimalMark }

/** @returns undefined of a text that tells nothing: it has neither mark, or is no number */
export function decimalSign(text: string): DecimalSign | undefined {
  const hasComma = text.includes(',')
  if (!hasComma && !text.includes('.')) return undefined
  const trimmed = text.trim()
  const comma = patterns.comma.test(trimmed)
  const point = patterns.point.test(trimmed)
  if (comma && point) return { kind: 'either', ifDecimal: hasComma ? 'comma' : 'point' }
  if (comma) return { kind: 'sure', mark: 'comma' }
  return point ? { kind: 'sure', mark: 'point' } : undefined
}

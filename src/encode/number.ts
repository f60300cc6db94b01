/**
 * A number as it is published, in JSON and XML alike: the shortest decimal digits that name this double, never an
 * exponent. Source: decisions.md, Values.
 * @throws {RangeError} for NaN and the infinities, which neither format can hold
 */
export function shortestDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be published as a number`)
  const digits = String(value)
  return digits.includes('e') ? withoutExponent(digits) : digits
}

function withoutExponent(scientific: string): string {
  const [mantissa = '', exponent = '0'] = scientific.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

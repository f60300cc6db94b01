import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shortestDecimal } from '../../../src/api/encode/json.ts'
import { times } from '../../support/rounds.ts'

it('writes every number without an exponent, as the digits that name it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = shortestDecimal(value)
      expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
      expect(Number(text)).toBe(value === 0 ? 0 : value)
      // No shorter digits: JavaScript's own form has as few as can be.
      const significant = (digits: string) =>
        digits
          .replace(/e.*/, '')
          .replaceAll(/[-.]/g, '')
          .replace(/^0+|0+$/g, '')
      expect(significant(text).replace(/0+$/, '')).toBe(significant(String(value)).replace(/0+$/, ''))
    }),
    { numRuns: times(5000) },
  )
})

it.each([
  [0, '0'],
  [-0, '0'],
  [5, '5'],
  [-12.5, '-12.5'],
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.5e300, `15${'0'.repeat(299)}`],
  [0.1 + 0.2, '0.30000000000000004'],
])('writes %d as %s', (value, text) => {
  expect(shortestDecimal(value)).toBe(text)
})

it.each([NaN, Infinity, -Infinity])('refuses %d', (value) => {
  expect(() => shortestDecimal(value)).toThrow('cannot be published')
})

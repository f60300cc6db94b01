import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyed, number, record } from '../../../src/core/api/contract/shape.ts'
import { jsonEncoder, jsonText, shortestDecimal } from '../../../src/core/api/encode/json.ts'
import { document, type Plain } from './documents.ts'
import { times } from '../../support/rounds.ts'

function toObject(plain: Plain): unknown {
  if (plain.kind === 'leaf') return plain.value
  if (plain.kind === 'list') return plain.entries.map(([, member]) => toObject(member))
  return Object.fromEntries(plain.entries.map(([key, member]) => [key, toObject(member)]))
}

it('a document has the same bytes as from JSON.stringify', () => {
  fc.assert(
    fc.property(document, ({ shape, value, plain }) => {
      // -0 is the one number that JSON.stringify and the shortest form agree on only by their own rule: both give 0.
      expect(jsonEncoder(shape)(value)).toBe(JSON.stringify(toObject(plain)))
    }),
    { numRuns: times(1000) },
  )
})

it('a text is escaped as by JSON.stringify, lone surrogates included', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      expect(jsonText(any)).toBe(JSON.stringify(any))
    }),
  )
})

it('a map whose keys look like numbers keeps its order', () => {
  const encode = jsonEncoder(record({ years: keyed('year', 'Jahr', number('any')) }))
  const years = new Map(['2020', '2019', 'since', '1'].map((key, index) => [key, index + 1]))
  expect(encode({ years })).toBe('{"years":{"2020":1,"2019":2,"since":3,"1":4}}')
})

it('a number is written without an exponent, as the digits that name it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = shortestDecimal(value)
      expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
      expect(Number(text)).toBe(value === 0 ? 0 : value)
      // No shorter digits: JavaScript's own form has as few as can be.
      const significant = (digits: string) => digits.replaceAll(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '')
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
])('the number %d is written as %s', (value, text) => {
  expect(shortestDecimal(value)).toBe(text)
})

it.each([NaN, Infinity, -Infinity])('the number %d is refused', (value) => {
  expect(() => shortestDecimal(value)).toThrow('cannot be published')
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyed, number, record } from '../../../src/api/contract/shape.ts'
import { jsonEncoder, jsonText } from '../../../src/api/encode/json.ts'
import { document, type Plain } from './documents.ts'
import { times } from '../../support/rounds.ts'

function toObject(plain: Plain): unknown {
  if (plain.kind === 'leaf') return plain.value
  if (plain.kind === 'items' && plain.isList) return plain.entries.map(([, member]) => toObject(member))
  return Object.fromEntries(plain.entries.map(([key, member]) => [key, toObject(member)]))
}

it('gives the same bytes as JSON.stringify for any document', () => {
  fc.assert(
    fc.property(document, ({ shape, value, plain }) => {
      // -0 is the one number that JSON.stringify and the shortest form agree on only by their own rule: both give 0.
      expect(jsonEncoder(shape)(value)).toBe(JSON.stringify(toObject(plain)))
    }),
    { numRuns: times(1000) },
  )
})

it('escapes any text as JSON.stringify does, lone surrogates included', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      expect(jsonText(any)).toBe(JSON.stringify(any))
    }),
  )
})

it('keeps the order of a map whose keys look like numbers', () => {
  const encode = jsonEncoder(record({ years: keyed('year', 'Jahr', number('any')) }))
  expect(
    encode({
      years: new Map([
        ['2020', 1],
        ['2019', 2],
        ['since', 3],
        ['1', 4],
      ]),
    }),
  ).toBe('{"years":{"2020":1,"2019":2,"since":3,"1":4}}')
})

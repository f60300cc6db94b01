/** Arbitrary shapes with values of them, and the plain structure that independent encoders make text of. */

import fc from 'fast-check'
import type { Fields, Shape } from '../../../src/api/contract/shape.ts'

/** What an independent encoder sees: records as entries, so that no object can reorder them. */
export type Plain =
  | { readonly kind: 'leaf'; readonly value: string | number | boolean | null }
  | { readonly kind: 'named'; readonly entries: readonly (readonly [string, Plain])[] }
  | {
      readonly kind: 'items'
      readonly entries: readonly (readonly [string, Plain])[]
      readonly isList: boolean
    }

export interface Sample {
  readonly shape: Shape
  readonly value: unknown
  readonly plain: Plain
}

/**
 * Text that XML 1.0 can hold, with what has to be escaped more often than chance would have it. Nothing that looks like
 * an entity: xmlbuilder2 takes `&amp;` in a text for one and does not escape it, so that a parser reads `&`.
 */
export const xmlText = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('&', '<', '>', '"', "'", ']]>', '{', '}', '[', ']', ',', ':', '\\'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('\t', '\n', ' ', 'ä', '€', '\u2028', '😀', '\u007f', '\u0085'),
      },
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join('').replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''))
  .map((text) => text.replaceAll(/&(?=[^&]*;)/g, '+'))

const numberText = fc
  .tuple(fc.constantFrom('', '-'), fc.nat(), fc.option(fc.stringMatching(/^[0-9]{1,6}$/), { nil: undefined }))
  .map(([sign, whole, fraction]) => sign + String(whole) + (fraction === undefined ? '' : `.${fraction}`))

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

/** Numbers that JavaScript itself writes without an exponent: the others have a test of their own. */
const plainNumber = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((number) => !String(number).includes('e'))

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/).filter((text) => text !== '__proto__')
const description = { en: 'any', de: 'any' }

const leaf = fc.oneof(
  xmlText.map((value) => sample({ kind: 'text', description }, value, value)),
  numberText.map((value) => sample({ kind: 'decimal', description, mark: '.' }, value, value)),
  day.map((value) => sample({ kind: 'day', description }, value, value)),
  plainNumber.map((value) => sample({ kind: 'number', description }, value, value)),
  fc.boolean().map((value) => sample({ kind: 'flag', description }, value, value)),
  fc.tuple(xmlText, numberText).map(([label, value]): Sample => ({
    shape: { kind: 'item', name: `n${label}`, value: { kind: 'decimal', description, mark: '.' } },
    value,
    plain: {
      kind: 'named',
      entries: [
        ['name', { kind: 'leaf', value: `n${label}` }],
        ['value', { kind: 'leaf', value }],
      ],
    },
  })),
)

function sample(shape: Shape, value: unknown, plain: string | number | boolean | null): Sample {
  return { shape, value, plain: { kind: 'leaf', value: plain } }
}

/** Lists and maps take one member's shape for all: their members are copies of one value, or none. */
function copies(count: number, keys: readonly string[], { value, plain }: Sample) {
  const used = keys.slice(0, count)
  return {
    values: used.map((key) => [key, value] as const),
    plains: used.map((key) => [key, plain] as const),
  }
}

/** Keys that no object would sort to the front, so that JSON.stringify can be asked about order. */
const mapKeys = fc.uniqueArray(
  xmlText.map((text) => `k${text.replaceAll(/[\t\n]/g, '')}`),
  { minLength: 3, maxLength: 3 },
)

export const document = fc.letrec<{ any: Sample; record: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    tie('record'),
    fc.tuple(tie('any'), fc.boolean()).map(([inner, isNull]): Sample => {
      const shape: Shape = { kind: 'nullable', of: inner.shape }
      return isNull ? sample(shape, null, null) : { ...inner, shape }
    }),
    fc.tuple(tie('any'), fc.nat(3)).map(([inner, count]): Sample => {
      const { values, plains } = copies(count, ['0', '1', '2'], inner)
      return {
        shape: { kind: 'list', of: inner.shape },
        value: values.map(([, value]) => value),
        plain: { kind: 'items', entries: plains, isList: true },
      }
    }),
    fc.tuple(tie('any'), fc.nat(3), mapKeys).map(([inner, count, keys]): Sample => {
      const { values, plains } = copies(count, keys, inner)
      return {
        shape: { kind: 'keyed', key: description, of: inner.shape },
        value: new Map(values),
        plain: { kind: 'items', entries: plains, isList: false },
      }
    }),
    fc.tuple(tie('any'), fc.nat(2)).map(([inner, count]): Sample => {
      const { values, plains } = copies(count, ['DE0008471400', 'LU0000000018'], inner)
      return {
        shape: { kind: 'byIsin', of: inner.shape },
        value: new Map(values),
        plain: { kind: 'named', entries: plains },
      }
    }),
  ),
  record: fc
    .uniqueArray(fc.tuple(name, tie('any'), fc.constantFrom('required', 'present', 'absent')), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 5,
    })
    .map((members): Sample => {
      const there = members.filter(([, , presence]) => presence !== 'absent')
      const fields: Fields = Object.fromEntries(
        members.map(([key, { shape }, presence]) => [
          key,
          presence === 'required' ? shape : ({ kind: 'optional', of: shape } as const),
        ]),
      )
      return {
        shape: { kind: 'record', fields },
        value: Object.fromEntries(there.map(([key, { value }]) => [key, value])),
        plain: { kind: 'named', entries: there.map(([key, { plain }]) => [key, plain]) },
      }
    }),
})).record

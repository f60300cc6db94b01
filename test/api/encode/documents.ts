/** Arbitrary shapes with values of them, and the plain structure that independent encoders make text of. */

import fc from 'fast-check'
import { create } from 'xmlbuilder2'
import type { Fields, Shape } from '../../../src/core/api/contract/shape.ts'

/** What an independent encoder sees: records as entries, so that no object can reorder them. */
export type Plain =
  | { readonly kind: 'leaf'; readonly value: string | number | boolean | null }
  | { readonly kind: 'named' | 'keyed' | 'list'; readonly entries: readonly (readonly [string, Plain])[] }

interface Sample {
  readonly shape: Shape
  readonly value: unknown
  readonly plain: Plain
}

/**
 * Text that XML 1.0 can hold, with what has to be escaped more often than chance would have it. Nothing that looks like
 * an entity: xmlbuilder2 takes `&amp;` in a text for one and does not escape it, so that a parser reads `&`.
 */
const xmlText = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...`& < > " ' ]]> { } [ ] , : \\`.split(' ')) },
      { weight: 2, arbitrary: fc.constantFrom('\t', '\n', ' ', ...'ä € \u2028 😀 \u007f \u0085'.split(' ')) },
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
  xmlText.map((value) => sample({ kind: 'text', description }, value)),
  numberText.map((value) => sample({ kind: 'decimal', description, mark: '.' }, value)),
  day.map((value) => sample({ kind: 'day', description }, value)),
  plainNumber.map((value) => sample({ kind: 'number', description }, value)),
  fc.boolean().map((value) => sample({ kind: 'flag', description }, value)),
  fc.tuple(xmlText, numberText).map(([label, text]): Sample => {
    const name = `n${label}`
    const { shape, value, plain } = sample({ kind: 'decimal', description, mark: '.' }, text)
    const entries = [['name', { kind: 'leaf', value: name }] as const, ['value', plain] as const]
    return { shape: { kind: 'item', name, value: shape }, value, plain: { kind: 'named', entries } }
  }),
)

function sample<S extends Shape>(shape: S, value: string | number | boolean | null) {
  return { shape, value, plain: { kind: 'leaf', value } } as const
}

/** Lists and maps take one member's shape for all: their members are copies of one value, or none. */
const copies = (
  member: fc.Arbitrary<Sample>,
  keys: fc.Arbitrary<string[]>,
  kind: 'named' | 'keyed' | 'list',
  shapeOf: (of: Shape) => Shape,
) =>
  fc.tuple(member, fc.nat(3), keys).map(([{ shape, value, plain }, count, all]): Sample => {
    const used = all.slice(0, count)
    return {
      shape: shapeOf(shape),
      value: kind === 'list' ? used.map(() => value) : new Map(used.map((key) => [key, value])),
      plain: { kind, entries: used.map((key) => [key, plain]) },
    }
  })

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
      return isNull ? sample(shape, null) : { ...inner, shape }
    }),
    copies(tie('any'), fc.constant(['0', '1', '2']), 'list', (of) => ({ kind: 'list', of })),
    copies(tie('any'), mapKeys, 'keyed', (of) => ({ kind: 'keyed', key: description, of })),
    copies(tie('any'), fc.constant(['DE0008471400', 'LU0000000018']), 'named', (of) => ({
      kind: 'byIsin',
      of,
    })),
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
        members.map(([key, { shape: of }, presence]) => [
          key,
          presence === 'required' ? of : ({ kind: 'optional', of } as const),
        ]),
      )
      return {
        shape: { kind: 'record', fields },
        value: Object.fromEntries(there.map(([key, { value }]) => [key, value])),
        plain: { kind: 'named', entries: there.map(([key, { plain }]) => [key, plain]) },
      }
    }),
})).record

/** xmlbuilder2's own compact document. */
export function byXmlbuilder(plain: Plain): string {
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('root')
  add(root, plain)
  return root.end({ format: 'xml', prettyPrint: false }).replace('?>', '?>\n')
}

function add(parent: ReturnType<typeof create>, plain: Plain): void {
  if (plain.kind === 'leaf') {
    const { value } = plain
    const text = value === true ? '1' : value === false ? '0' : value === null ? '' : String(value)
    if (text !== '') parent.txt(text)
    return
  }
  for (const [key, member] of plain.entries) {
    add(plain.kind === 'named' ? parent.ele(key) : parent.ele('item', { key }), member)
  }
}

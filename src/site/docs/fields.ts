/** The table of a document's fields, derived from its shape. */

import type { Optional, RecordOf, Shape } from '../../api/contract/shape.ts'
import type { Language } from '../../api/routes/table.ts'
import { html, type Html } from '../layout/html.ts'
import { wideTable } from '../layout/parts.ts'
import { wording, type Wording } from '../wording.ts'

interface FieldRow {
  readonly depth: number
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
  /** May hold `code` in backticks. */
  readonly notes: readonly string[]
}

export function fieldTable(body: RecordOf, language: Language, label: string): Html {
  const { field, type, meaning, optional } = wording[language].docs
  return wideTable(label, {
    kind: 'fields',
    columns: [field, type, meaning],
    rows: rowsOf(body, 0, language).map((row) => [
      { content: html`<code>${row.name}</code>`, kind: `d${row.depth}` },
      [row.type, row.isOptional ? html`, <em>${optional}</em>` : null],
      row.notes
        .filter((note) => note !== '')
        .map((note, index) => [index === 0 ? '' : ' ', inlineCode(note)]),
    ]),
  })
}

/** Text in which backticks set off code. */
export const inlineCode = (text: string): Html =>
  html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`

function rowsOf({ fields }: RecordOf, depth: number, language: Language): FieldRow[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const shape = inner(field)
    const { type, notes } = describe(shape, language)
    const own = { depth, name, isOptional: field.kind === 'optional', type, notes }
    return [own, ...childRows(shape, depth + 1, language)]
  })
}

const inner = (field: Shape | Optional): Shape => (field.kind === 'optional' ? field.of : field)

/** The rows below a field's own row: the fields of an object; the members of a list or a map, and their fields. */
function childRows(shape: Shape, depth: number, language: Language): FieldRow[] {
  switch (shape.kind) {
    case 'record':
      return rowsOf(shape, depth, language)
    case 'nullable':
      return childRows(shape.of, depth, language)
    case 'list':
      return memberRows('[ ]', shape.of, depth, language)
    case 'keyed':
      return memberRows(`{${shape.key[language]}}`, shape.of, depth, language)
    case 'byIsin':
      return memberRows('{ISIN}', shape.of, depth, language)
    default:
      return []
  }
}

function memberRows(name: string, shape: Shape, depth: number, language: Language): FieldRow[] {
  const { type, notes } = describe(shape, language)
  return [{ depth, name, isOptional: false, type, notes }, ...childRows(shape, depth + 1, language)]
}

function describe(shape: Shape, language: Language): Pick<FieldRow, 'type' | 'notes'> {
  const { kinds, always, oneOf } = wording[language].docs
  switch (shape.kind) {
    case 'text':
      return {
        type: kinds.text,
        notes: [
          shape.description[language],
          shape.form?.kind === 'values'
            ? oneOf(shape.form.values.map((value) => `\`${value}\``).join(', '))
            : '',
        ],
      }
    case 'decimal':
      return { type: decimalKind(shape.mark, kinds), notes: [shape.description[language]] }
    case 'day':
    case 'flag':
      return { type: kinds[shape.kind], notes: [shape.description[language]] }
    case 'number':
      return {
        type: shape.whole === undefined ? kinds.number : kinds.whole,
        notes: [shape.description[language]],
      }
    case 'item':
      return {
        type: `${kinds.item}: ${decimalKind(shape.value.mark, kinds)}`,
        notes: [`${shape.value.description[language]}.`, always(shape.name)],
      }
    case 'nullable': {
      const { type, notes } = describe(shape.of, language)
      return { type: `${type} ${kinds.orNull}`, notes }
    }
    case 'record':
    case 'list':
      return { type: kinds[shape.kind], notes: [] }
    case 'keyed':
    case 'byIsin':
      return { type: kinds.map, notes: [] }
    default:
      return shape satisfies never
  }
}

const decimalKind = (mark: '.' | ',', { decimalPoint, decimalComma }: Wording['docs']['kinds']) =>
  mark === '.' ? decimalPoint : decimalComma

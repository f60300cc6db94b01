/** The table of a document's fields, derived from its shape. */

import type { Optional, RecordOf, Shape } from '../../api/contract/shape.ts'
import type { Language } from '../../api/routes/table.ts'
import { html, type Html } from '../layout/html.ts'
import { wideTable, type TableCell } from '../layout/parts.ts'
import { wording } from '../wording.ts'

type Row = readonly TableCell[]

export function fieldTable(body: RecordOf, language: Language, label: string): Html {
  const { field, type, meaning } = wording[language].docs
  const rows = innerRows(body, 0, language)
  return wideTable(label, { kind: 'fields', columns: [field, type, meaning], rows })
}

/** Text in which backticks set off code. */
export const inlineCode = (text: string): Html =>
  html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`

/** The row of a field or of a member, and the rows of what it holds. */
function rowsOf(name: string, field: Shape | Optional, depth: number, language: Language): readonly Row[] {
  const isOptional = field.kind === 'optional'
  const shape = isOptional ? field.of : field
  const [type, notes] = describe(shape, language)
  const row = [
    { content: html`<code>${name}</code>`, kind: `d${depth}` },
    [type, isOptional && html`, <em>${wording[language].docs.optional}</em>`],
    inlineCode(notes),
  ]
  return [row, ...innerRows(shape, depth + 1, language)]
}

/** The fields of an object; the members of a list or a map, and their fields. */
function innerRows(shape: Shape, depth: number, language: Language): readonly Row[] {
  switch (shape.kind) {
    case 'record':
      return Object.entries(shape.fields).flatMap(([name, field]) => rowsOf(name, field, depth, language))
    case 'nullable':
      return innerRows(shape.of, depth, language)
    case 'list':
      return rowsOf('[ ]', shape.of, depth, language)
    case 'keyed':
      return rowsOf(`{${shape.key[language]}}`, shape.of, depth, language)
    case 'byIsin':
      return rowsOf('{ISIN}', shape.of, depth, language)
    default:
      return []
  }
}

function describe(shape: Shape, language: Language): readonly [type: string, notes: string] {
  const { kinds, always, oneOf } = wording[language].docs
  const decimal = (mark: '.' | ',') => (mark === '.' ? kinds.decimalPoint : kinds.decimalComma)
  switch (shape.kind) {
    case 'text': {
      const values = shape.form?.kind === 'values' ? shape.form.values.map((value) => `\`${value}\``) : []
      const note = shape.description[language]
      return [kinds.text, values.length === 0 ? note : `${note} ${oneOf(values.join(', '))}`]
    }
    case 'decimal':
      return [decimal(shape.mark), shape.description[language]]
    case 'day':
    case 'flag':
      return [kinds[shape.kind], shape.description[language]]
    case 'number':
      return [shape.whole === undefined ? kinds.number : kinds.whole, shape.description[language]]
    case 'item':
      return [
        `${kinds.item}: ${decimal(shape.value.mark)}`,
        `${shape.value.description[language]}. ${always(shape.name)}`,
      ]
    case 'nullable': {
      const [type, notes] = describe(shape.of, language)
      return [`${type} ${kinds.orNull}`, notes]
    }
    case 'record':
    case 'list':
      return [kinds[shape.kind], '']
    case 'keyed':
    case 'byIsin':
      return [kinds.map, '']
    default:
      return shape satisfies never
  }
}

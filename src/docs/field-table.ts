/** The fields of a document, as its shape tells them. */

import type { Optional, RecordOf, Shape } from '../contract/shape.ts'
import { html, type Html } from '../pages/html.ts'
import type { Language } from '../routes/table.ts'
import { translate } from './translate.ts'
import { words, type Words } from './words.ts'

interface FieldRow {
  readonly depth: number
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
  /** May hold `code` in backticks. */
  readonly notes: readonly string[]
}

/** @param label of the region that scrolls where the table is wider than the page */
export function fieldTable(body: RecordOf, language: Language, label: string): Html {
  const { field, type, meaning, optional } = words[language]
  const row = ({ depth, name, isOptional, type: kind, notes }: FieldRow) =>
    html`<tr>
      <th scope="row" class="d${depth}"><code>${name}</code></th>
      <td>${kind}${isOptional ? html`, <em>${optional}</em>` : null}</td>
      <td>
        ${notes.filter((note) => note !== '').map((note, index) => [index === 0 ? '' : ' ', inlineCode(note)])}
      </td>
    </tr> `
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">${field}</th>
          <th scope="col">${type}</th>
          <th scope="col">${meaning}</th>
        </tr>
      </thead>
      <tbody>
        ${rowsOf(body, 0, language).map(row)}
      </tbody>
    </table>
  </div>`
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

/** What stands within: a list's members and a map's values have no row of their own, but where they are no objects. */
function childRows(shape: Shape, depth: number, language: Language): FieldRow[] {
  switch (shape.kind) {
    case 'record':
      return rowsOf(shape, depth, language)
    case 'nullable':
      return childRows(shape.of, depth, language)
    case 'list':
      return memberRows('[ ]', shape.of, depth, language)
    case 'keyed':
      return memberRows(`{${translate(shape.key, language)}}`, shape.of, depth, language)
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
  const { kinds, always, oneOf } = words[language]
  switch (shape.kind) {
    case 'text':
      return {
        type: kinds.text,
        notes: [
          translate(shape.description, language),
          shape.form?.kind === 'values'
            ? oneOf(shape.form.values.map((value) => `\`${value}\``).join(', '))
            : '',
        ],
      }
    case 'decimal':
      return { type: decimalKind(shape.mark, kinds), notes: [translate(shape.description, language)] }
    case 'day':
      return { type: kinds.day, notes: [translate(shape.description, language)] }
    case 'number':
      return {
        type: shape.whole === undefined ? kinds.number : kinds.whole,
        notes: [translate(shape.description, language)],
      }
    case 'flag':
      return { type: kinds.flag, notes: [translate(shape.description, language)] }
    case 'item':
      return {
        type: `${kinds.item}: ${decimalKind(shape.value.mark, kinds)}`,
        notes: [`${translate(shape.value.description, language)}.`, always(shape.name)],
      }
    case 'nullable': {
      const { type, notes } = describe(shape.of, language)
      return { type: `${type} ${kinds.orNull}`, notes }
    }
    case 'record':
      return { type: kinds.record, notes: [] }
    case 'list':
      return { type: kinds.list, notes: [] }
    case 'keyed':
    case 'byIsin':
      return { type: kinds.map, notes: [] }
    default:
      return shape satisfies never
  }
}

const decimalKind = (mark: '.' | ',', { decimalPoint, decimalComma }: Words['kinds']) =>
  mark === '.' ? decimalPoint : decimalComma

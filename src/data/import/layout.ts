/**
 * Which cell of a line goes into which column, as the header says: the schema's own names, or the fields of the European
 * MiFID Template of FinDatEx (EMT V4) for table emt.
 */

import { isIsinInEitherCase } from '../../api/routes/values.ts'
import { quoted } from '../model/printable.ts'
import type { SchemaTable, TableColumn } from '../model/schema.ts'
import type { FileCell } from './values.ts'

export interface CellLines {
  /** The cells of the line that names the columns. */
  readonly header: readonly FileCell[]
  /** The number of that line, from 1. */
  readonly headerLine: number
  /** What the file is, for people: `UTF-8, delimiter ;`. */
  readonly form: string
  /** The lines after the header that are not empty, in order. May be called again. */
  readonly read: (visitor: LineVisitor) => Promise<void>
}

export interface LineVisitor {
  readonly line: (cells: readonly FileCell[], line: number) => void
  /** A line that cannot be split into cells, though the lines after it can. */
  readonly broken: (reason: string, line: number) => void
  /** How many bytes were read since the last call. If it throws, reading ends. */
  readonly bytes: (count: number) => void
}

export interface Field {
  readonly column: TableColumn
  /** The cell's place in the line, from 0. */
  readonly at: number
  /** What a message calls it. */
  readonly label: string
}

export interface Layout {
  readonly fields: readonly Field[]
  /** How many cells a line has, at least and at most. */
  readonly width: readonly [least: number, most: number]
  /** What is wrong with a line apart from the values of its fields. */
  readonly check: (cells: readonly FileCell[]) => readonly string[]
  /** What the file does not have, and other notes, after the file has been read. */
  readonly notes: () => readonly string[]
}

/** Names that are like an unknown one: the end of a message. */
export type Suggest = (word: string, names: readonly string[]) => string

/** A header's name as it is compared: without upper case. */
export const headerName = (cell: FileCell): string => String(cell).trim().toLowerCase()

/**
 * The layout of a file that has the schema's own columns, in any order.
 * @throws {Error} if a column is unknown, without a name, there twice, or missing where it may not be NULL
 */
export function columnLayout(table: SchemaTable, header: readonly FileCell[], suggest: Suggest): Layout {
  const names = table.columns.map(({ name }) => name)
  if (header.some((cell) => isIsinInEitherCase(String(cell).trim())))
    throw new Error(`the first line has to name the columns: ${names.join(', ')}`)
  // Excel writes delimiters at the end of all lines for columns that were in use once.
  const named = header.findLastIndex((cell) => headerName(cell) !== '') + 1
  const fields = header.slice(0, named).map((cell, at): Field => {
    const name = headerName(cell)
    if (name === '') throw new Error(`column ${at + 1} has no name`)
    const column = table.columns.find((each) => each.name === name)
    if (column === undefined)
      throw new Error(`table ${table.name} has no column ${quoted(String(cell))}${suggest(name, names)}`)
    return { column, at, label: name }
  })
  const found = fields.map(({ label }) => label)
  const twice = found.find((label, at) => found.indexOf(label) < at)
  if (twice !== undefined) throw new Error(`column ${twice} is there twice`)
  const absent = table.columns.filter(({ name }) => !found.includes(name))
  const missing = absent.filter(({ isNullable, hasDefault }) => !isNullable && !hasDefault)
  if (missing.length > 0) {
    const [noun, verb] = missing.length === 1 ? ['column', 'is'] : ['columns', 'are']
    const list = missing.map(({ name }) => name).join(', ')
    throw new Error(`${noun} ${list} of table ${table.name} ${verb} missing`)
  }
  return {
    fields,
    width: [named, header.length],
    check: (cells) =>
      cells.slice(named).flatMap((cell, index) => {
        const text = String(cell).trim()
        const place = `column ${named + index + 1} has no name in the header`
        return text === '' ? [] : [`${place}, but here ${quoted(text)}`]
      }),
    notes: () => notInFile(absent.map(({ name }) => name)),
  }
}

const notInFile = (names: readonly string[]) =>
  names.length === 0 ? [] : [`not in the file: ${names.join(', ')}`]

const versionField = '00001'
const codeTypeField = '00020'
/** ISO 6166. Source: the template's closed list. */
const isinCode = '1'

/** The versions that this was written for. Later ones of the fourth have kept the numbers so far. */
const knownVersions = ['V4', 'V4.0', 'V4.1', 'V4.2', 'V4.3']

/** The number of a field of the template, of a header's cell: `00010_Financial_Instrument_Identifying_Data`. */
export const fieldNumber = (cell: FileCell): string | undefined =>
  /^\s*([0-9]{5})(?![0-9])/.exec(String(cell))?.[1]

/** Whether a line names fields of the template. */
export function isTemplateHeader(header: readonly FileCell[]): boolean {
  const numbers = new Set(header.map(fieldNumber))
  return [versionField, '00010'].some((number) => numbers.has(number)) && numbers.size > 2
}

/** @throws {Error} if a field that nothing can be read without is missing */
export function templateLayout(table: SchemaTable, header: readonly FileCell[]): Layout {
  const places = new Map<string, number>()
  for (const [at, cell] of header.entries()) {
    const number = fieldNumber(cell)
    if (number === undefined) continue
    if (places.has(number)) throw new Error(`field ${number} is there twice`)
    places.set(number, at)
  }
  const required = (number: string, what: string): number => {
    const at = places.get(number)
    if (at === undefined) throw new Error(`field ${number} of the template, ${what}, is missing`)
    return at
  }
  const version = required(versionField, 'the version')
  required('00010', 'the ISIN')
  const fields = table.columns.flatMap((column): Field[] => {
    const at = places.get(column.template ?? '')
    return at === undefined ? [] : [{ column, at, label: `${column.template} (${column.name})` }]
  })
  const wanted = new Set(table.columns.flatMap(({ template }) => template ?? []))
  const codeType = places.get(codeTypeField)
  const versions = new Set<string>()
  return {
    fields,
    width: [header.length, header.length],
    check: (cells) => {
      const name = versionName(textOf(cells[version]))
      const isRight = /^V4(?:\.[0-9]{1,2})?$/.test(name)
      if (isRight) versions.add(name)
      const type = codeType === undefined ? isinCode : textOf(cells[codeType])
      const wrong = `EMT version ${quoted(name)} is not one of ${knownVersions.join(', ')}`
      const other = `the fund is named by a code of type ${quoted(type)}, not by its ISIN (1)`
      return [
        ...(isRight ? [] : [`${versionField}: ${wrong}`]),
        ...(type === isinCode ? [] : [`${codeTypeField}: ${other}`]),
      ]
    },
    notes: () => [
      ...[...versions]
        .sort()
        .map((name) => `EMT ${name}${knownVersions.includes(name) ? '' : ', which is not known here'}`),
      ...notInFile([...wanted].filter((number) => !places.has(number)).sort()),
    ],
  }
}

const textOf = (cell: FileCell | undefined) => String(cell ?? '').trim()

/** A spreadsheet makes a number of a version without the V. */
const versionName = (version: string) => (/^[0-9]/.test(version) ? `V${version}` : version.toUpperCase())

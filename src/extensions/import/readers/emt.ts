/** The European MiFID Template of FinDatEx (EMT V4), as CSV or a workbook, for table emt: fields by their numbers. */

import { quoted } from '../../../core/data/model/printable.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { openCsv } from '../csv.ts'
import { readEncoding } from '../encoding.ts'
import { notInFile, type Field, type FileLines, type Layout } from '../layout.ts'
import type { FileCell } from '../values.ts'
import { firstLineThat, linesOfSheet, visibleSheets } from '../workbook.ts'
import { askedLines } from './asked-lines.ts'
import { passMeter, readCells, within } from './cells.ts'
import { otherTemplate } from './foreign.ts'
import { withHabits } from './habits.ts'
import type { FileStart, Reader, ReadOptions, RowSink } from './reader.ts'
import { mandatoryFields, notReported, sectionOf } from './template-fields.ts'

const { emt: table } = schemaTables

export const emt: Reader = {
  name: 'emt',
  about: 'the European MiFID Template of FinDatEx (EMT V4), CSV or XLSX',
  hasSettings: true,
  recognises: ({ heads }) =>
    heads.some((head) => isTemplateHeader(head) && otherTemplate(head) === undefined),
  read: async (start, sink, given) => {
    const { file } = start
    const options = withHabits(given, emt.name)
    const cells = askedLines(await openCells(start, sink, options), options, true)
    const layout = within(`${file}, line ${cells.headerLine}`, () => templateLayout(table, cells.header))
    const told = await readCells({ file, table, cells, layout, sink, options })
    const columns = cells.header.map((cell, at) => {
      const column = layout.fields.find((field) => field.at === at)?.column
      return { name: String(cell), as: column === undefined ? null : column.name }
    })
    return { ...told, columns }
  },
}

async function openCells(
  { file, sheets }: FileStart,
  sink: RowSink,
  options: ReadOptions,
): Promise<FileLines> {
  const fields = "the names of the template's fields (00010_…, and 00001_… for the version)"
  if (sheets !== null)
    return linesOfSheet(file, options.skipHidden ? visibleSheets(file, sheets) : sheets, {
      headerIn: firstLineThat(isTemplateHeader),
      what: fields,
      sheet: options.sheet,
    })
  const asked = {
    asked: options.encoding,
    configured: options.habitsOf(emt.name).encoding,
    table: emt.name,
  }
  const encoding = await readEncoding(file, asked, passMeter(sink, options))
  const isName = (text: string) => fieldNumber(text) !== undefined
  return openCsv(file, encoding, { delimiter: options.delimiter, skipLines: options.skipLines, isName })
}

const versionField = '00001'
const codeTypeField = '00020'
/** ISO 6166. Source: the template's closed list. */
const isinCode = '1'

/** The versions that this was written for. Later ones of the fourth have kept the numbers so far. */
const knownVersions = ['V4', 'V4.0', 'V4.1', 'V4.2', 'V4.3']

/** The number of a field of the template, of a header's cell: `00010_Financial_Instrument_Identifying_Data`. */
const fieldNumber = (cell: FileCell): string | undefined => /^\s*([0-9]{5})(?![0-9])/.exec(String(cell))?.[1]

function isTemplateHeader(header: readonly FileCell[]): boolean {
  const numbers = new Set(header.map(fieldNumber))
  return [versionField, '00010'].some((number) => numbers.has(number)) && numbers.size > 2
}

/** @throws {Error} if a field that nothing can be read without is missing */
function templateLayout(table: SchemaTable, header: readonly FileCell[]): Layout {
  const places = new Map<string, number>()
  for (const [at, cell] of header.entries()) {
    const number = fieldNumber(cell)
    if (number === undefined) continue
    if (places.has(number)) throw new Error(`field ${number} is there twice`)
    places.set(number, at)
  }
  const required = (number: string, what: string): number => {
    const at = places.get(number)
    if (at === undefined)
      throw new Error(`field ${number} of the template, ${what}, is missing${absentVersion(number)}`)
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
  const mandatory = mandatoryFields(places)
  /** A section that is not reported takes no value away: another file has it. */
  const unsaid = (cells: readonly FileCell[]) =>
    new Map(
      fields.flatMap(({ column, at }) => {
        const section = sectionOf(column.template ?? '')
        const flag = section === undefined ? undefined : cells[places.get(section) ?? -1]
        return section === undefined || textOf(flag) !== notReported || textOf(cells[at]) !== ''
          ? []
          : [[column.name, `not reported, as field ${section} says`] as const]
      }),
    )
  return {
    fields,
    constants: [],
    unsaid,
    check: (cells, line) => {
      mandatory.look(cells, line)
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
    warnings: mandatory.warnings,
  }
}

const textOf = (cell: FileCell | undefined) => String(cell ?? '').trim()

/** A spreadsheet makes a number of a version without the V. */
const versionName = (version: string) => (/^[0-9]/.test(version) ? `V${version}` : version.toUpperCase())

/** The first versions of the template had no field for theirs. */
const absentVersion = (number: string) =>
  number === versionField ? ': it may be an EMT V1 or V2, which had none; ask for EMT V4' : ''

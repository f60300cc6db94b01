/** A plain table as CSV or a workbook: its columns have the schema's names, or names that a map has for them. */

import { schemaTables } from '../../../core/data/model/schema.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { openCsv } from '../csv.ts'
import { readEncoding } from '../encoding.ts'
import { columnLayout, fitsTable, headerName, type CellLines } from '../layout.ts'
import { headerOf, headerWithin } from '../lines.ts'
import { derivableColumns } from '../../../core/data/derive/figures.ts'
import { passMeter, readCells, within } from './cells.ts'
import { linesOfSheet } from '../workbook.ts'
import type { FileStart, Reader, ReadOptions, RowSink, Sheet } from './reader.ts'

export const table: Reader = {
  name: 'table',
  about: 'a table of the schema, CSV or XLSX, with its columns or columns that --map names',
  recognises: (start, options) => fittingTables(start, options).length > 0,
  read: async (start, sink, options) => {
    const { file } = start
    const own = options.table ?? theOnlyTable(start, options)
    const { name } = own
    if (options.isDeriving && options.table !== undefined && name !== 'price')
      throw new Error(`--derive is for table price, not for ${name}`)
    const columnMap = options.columnMapOf(name)
    const cells = await openCells(start, own, sink, options)
    const { suggest, named, constants, takesMinorUnits } = options
    const absence = {
      computed: options.isDeriving && name === 'price' ? derivableColumns : [],
      isKeeping: options.scope === 'upsert' && options.hasRows(name),
    }
    const layout = within(`${file}, line ${cells.headerLine}`, () =>
      columnLayout(own, cells.header, { suggest, columnMap, named, constants, takesMinorUnits }, absence),
    )
    const told = await readCells({ file, table: own, cells, layout, sink, options })
    return { ...told, table: name, columns: cells.header.map(headerName) }
  },
}

async function openCells(
  { file, sheets }: FileStart,
  own: SchemaTable,
  sink: RowSink,
  options: ReadOptions,
): Promise<CellLines> {
  const { name, columns } = own
  const { delimiter, skipLines, sheet, constants } = options
  const columnMap = options.columnMapOf(name)
  const names = new Set(columns.map((column) => column.name))
  const isName = (text: string) => names.has(headerName(text)) || columnMap.has(headerName(text))
  if (sheets === null) {
    const asked = { asked: options.encoding, configured: options.usualEncodingOf(name), table: name }
    const encoding = await readEncoding(file, asked, passMeter(sink, options))
    return openCsv(file, encoding, { delimiter, skipLines, isName })
  }
  const headerIn = (lines: Sheet['lines']): number => {
    if (skipLines !== undefined) return skipLines < lines.length ? skipLines : -1
    const [first, ...others] = [...lines.slice(0, headerWithin).entries()]
    if (first === undefined) return -1
    const [at, cells] = headerOf([first, ...others], ([, line]) => line, isName)
    return cells.some((cell) => isName(String(cell))) ? at : -1
  }
  const isWhole = (each: Sheet) =>
    fitsTable(own, each.lines[headerIn(each.lines)] ?? [], { columnMap, constants })
  const whole = sheets.filter(isWhole)
  // A sheet that has all of the table, before others that have some words of it; a single sheet, to say what its columns are.
  const among = sheet === undefined && whole.length > 0 ? whole : sheets
  const isOnly = among.length === 1 && among.every(({ lines }) => headerIn(lines) < 0 && lines.length > 0)
  return linesOfSheet(file, among, {
    headerIn: isOnly ? () => 0 : headerIn,
    what: `columns of table ${name}`,
    sheet,
  })
}

const fittingTables = (
  { heads }: FileStart,
  { columnMapOf, constants }: ReadOptions,
): readonly SchemaTable[] =>
  Object.values(schemaTables).filter((each) =>
    heads.some((head) => fitsTable(each, head, { columnMap: columnMapOf(each.name), constants })),
  )

/** @throws {Error} if the columns are those of several tables, or of none */
function theOnlyTable(start: FileStart, options: ReadOptions): SchemaTable {
  const [first, ...others] = fittingTables(start, options)
  if (first !== undefined && others.length === 0) return first
  const names = first === undefined ? ['<table>'] : [first, ...others].map(({ name }) => name)
  const ways = names.map((name) => `fundpress import ${name} FILE`).join(' or ')
  const found = first === undefined ? 'no table' : `the tables ${names.join(' and ')}`
  throw new Error(`${start.file} has the columns of ${found}: name the table, ${ways}`)
}

/** A plain table as CSV: its columns have the schema's names, or names that a map has for them. */

import { schemaTables } from '../../../core/data/model/schema.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { openCsv } from '../csv.ts'
import { readEncoding } from '../encoding.ts'
import { columnLayout, fitsTable, headerName } from '../layout.ts'
import { computedColumns } from '../take/fill.ts'
import { passMeter, readCells, within } from './cells.ts'
import type { FileStart, Reader, ReadOptions } from './reader.ts'

export const table: Reader = {
  name: 'table',
  about: 'a table of the schema as CSV, with its columns or columns that --map names',
  recognises: (start, options) => start.sheets === null && fittingTables(start, options).length > 0,
  read: async (start, sink, options) => {
    const { file } = start
    const own = options.table ?? theOnlyTable(start, options)
    const { name, columns } = own
    if (options.isDeriving && options.table !== undefined && name !== 'price')
      throw new Error(`--derive is for table price, not for ${name}`)
    if (start.sheets !== null)
      throw new Error(`${file} is a workbook, which is read for the EMT template only: save the sheet as CSV`)
    const asked = { asked: options.encoding, configured: options.usualEncodingOf(name), table: name }
    const encoding = await readEncoding(file, asked, passMeter(sink, options))
    const columnMap = options.columnMapOf(name)
    const names = new Set(columns.map((column) => column.name))
    const isName = (text: string) => names.has(headerName(text)) || columnMap.has(headerName(text))
    const cells = openCsv(file, encoding, {
      delimiter: options.delimiter,
      skipLines: options.skipLines,
      isName,
    })
    const { suggest, named, constants, takesMinorUnits } = options
    const absence = {
      computed: options.isDeriving && name === 'price' ? computedColumns : [],
      isKeeping: options.scope === 'upsert' && options.hasRows(name),
    }
    const layout = within(`${file}, line ${cells.headerLine}`, () =>
      columnLayout(own, cells.header, { suggest, columnMap, named, constants, takesMinorUnits }, absence),
    )
    const told = await readCells({ file, table: own, cells, layout, sink, options })
    return { ...told, table: name, columns: cells.header.map(headerName) }
  },
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

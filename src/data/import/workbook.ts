/**
 * A workbook (XLSX) as lines of cells: the sheet that has the header asked for. The library that reads workbooks makes a full
 * table of each sheet, up to its last row and column: a single cell in XFD1048576 would cost gigabytes. So this file refuses
 * workbooks whose cells reach too far before the library sees them.
 */

import { closeSync, openSync, readSync } from 'node:fs'
import { messageOf } from '../../system/message.ts'
import { quoted } from '../model/printable.ts'
import type { LineVisitor } from './layout.ts'
import type { FileCell } from './values.ts'
import { packParts, readParts } from './zip.ts'

/** A title or two may stand above the header. */
const headerWithin = 50

/** Whether the file is a ZIP archive, as every XLSX is. */
export function isWorkbook(file: string): boolean {
  const handle = openSync(file, 'r')
  try {
    const start = Buffer.alloc(4)
    readSync(handle, start)
    return start.equals(Buffer.from('PK\u0003\u0004', 'latin1'))
  } finally {
    closeSync(handle)
  }
}

/** @throws {Error} if it is no workbook, or if not exactly one of its sheets has such a header */
export async function openWorkbook(file: string, isHeader: (cells: readonly FileCell[]) => boolean) {
  const { default: readWorkbook } = await import('read-excel-file/node')
  const sheets = await readWorkbook(bounded(file), { trim: false }).catch((error: unknown) => {
    throw new Error(`${file} cannot be read as a workbook (XLSX)`, { cause: error })
  })
  const found = sheets.flatMap(({ sheet, data }) => {
    // The package's own type names the constructor instead of a Date.
    const lines = (data as readonly (readonly unknown[])[]).map((row) => row.map(cellOf))
    const at = lines.slice(0, headerWithin).findIndex(isHeader)
    return at < 0 ? [] : [{ sheet, lines, at }]
  })
  const [first, ...others] = found
  const fields = "the names of the template's fields (00010_…, and 00001_… for the version)"
  if (first === undefined) throw new Error(`${file}: no sheet has a line with ${fields}`)
  const names = found.map(({ sheet }) => quoted(sheet)).join(' and ')
  if (others.length > 0)
    throw new Error(`${file}: the sheets ${names} both have the template's fields: leave one in the file`)
  const { sheet, lines, at } = first
  return {
    header: lines[at] ?? [],
    headerLine: at + 1,
    form: `XLSX, sheet ${quoted(sheet)}`,
    read: (visitor: LineVisitor) => {
      for (const [index, cells] of lines.entries()) {
        if (index > at && cells.some((cell) => cell !== '')) visitor.line(cells, index + 1)
      }
      return Promise.resolve()
    },
  }
}

function cellOf(value: unknown): FileCell {
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Date) return value
  // The other cells are booleans and empty ones.
  return typeof value === 'boolean' ? String(value) : ''
}

const maxRows = 100_000
const maxColumns = 1024
/** Cells of a sheet as a full table: 100,000 funds with the fields of the template have fewer. */
const maxCells = 12_000_000
/** Each of them is an object. */
const maxTexts = 1_000_000

/**
 * @returns the workbook, with nothing in it that is beyond the limits
 * @throws {Error} that says which limit it breaks, and where
 */
function bounded(file: string): Buffer {
  try {
    const parts = readParts(file)
    for (const { name, bytes } of parts) {
      const xml = bytes.toString()
      if (/[<:]sheetData\b/.test(xml)) checkSheet(xml, name)
      else if (/[<:]si\b/.test(xml)) checkTexts(xml)
    }
    return packParts(parts)
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is damaged' : messageOf(error)
    throw new Error(`${file} cannot be read as a workbook (XLSX): ${reason}`, { cause: error })
  }
}

function checkSheet(xml: string, part: string): void {
  let [lastRow, lastColumn, rows, cells] = [0, 0, 0, 0]
  for (const { name, rest } of tagsOf(xml)) {
    if (name === 'row') {
      rows++
      const place = attributesIn(rest, part).get('r')
      if (place !== undefined && (!/^[1-9][0-9]{0,6}$/.test(place) || Number(place) > sheetRows))
        throw new Error(`${part} has a row ${quoted(place)}, which no sheet has`)
    }
    // A cell without a value has at most a style, and takes no room.
    if (name !== 'c' || rest.endsWith('/')) continue
    cells++
    const place = attributesIn(rest, part).get('r') ?? ''
    const [, letters, digits] = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/.exec(place) ?? []
    if (letters === undefined) throw new Error(`${part} has a cell at ${quoted(place)}, which no sheet has`)
    const [row, column] = [Number(digits), columnNumber(letters)]
    if (row > maxRows || column > maxColumns) throw tooFar(`has a cell in ${place}`, part)
    lastRow = Math.max(lastRow, row)
    lastColumn = Math.max(lastColumn, column)
  }
  if (rows > sheetRows) throw tooFar(`has ${rows} rows`, part)
  if (cells > maxCells || lastRow * lastColumn > maxCells)
    throw tooFar(`has ${lastRow} rows of ${lastColumn} columns`, part)
}

/** Source: Excel's specifications and limits. */
const sheetRows = 1_048_576

const tooFar = (what: string, part: string) =>
  new Error(
    `${part} ${what}: up to ${maxRows.toLocaleString('en-US')} rows, ${maxColumns.toLocaleString('en-US')} columns and ` +
      `${maxCells.toLocaleString('en-US')} cells are read; delete the rows and columns behind the data, or save the sheet as CSV`,
  )

/** `A` is 1, `XFD` 16,384. */
const columnNumber = (letters: string) =>
  [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)

function checkTexts(xml: string): void {
  let texts = 0
  for (const { name } of tagsOf(xml)) if (name === 'si') texts++
  if (texts > maxTexts) throw new Error(`it has more than ${maxTexts.toLocaleString('en-US')} texts`)
}

/** Every opening tag, without its prefix, and what follows its name. In comments too: what a parser finds is among them. In linear time. */
function* tagsOf(xml: string): Generator<{ readonly name: string; readonly rest: string }> {
  const start = /<(?:[^\s<>/:?!]+:)?([^\s<>/:?!]+)/g
  const end = /(?:[^"'<>]+|"[^"]*"|'[^']*')*/y
  for (let found = start.exec(xml); found !== null; found = start.exec(xml)) {
    end.lastIndex = start.lastIndex
    yield { name: found[1] ?? '', rest: end.exec(xml)?.[0] ?? '' }
  }
}

/** @throws {Error} if they are not written as in XML: another reader could find others */
function attributesIn(rest: string, part: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  const attribute = /\s+(?:[^\s"'=:/]+:)?([^\s"'=:/]+)\s*=\s*(?:"([^"&<]*)"|'([^'&<]*)')/y
  let at = 0
  for (let found = attribute.exec(rest); found !== null; found = attribute.exec(rest)) {
    const [, name = '', double, single] = found
    attributes.set(name, double ?? single ?? '')
    at = attribute.lastIndex
  }
  if (!['', '/'].includes(rest.slice(at).trim())) throw new Error(`${part} has a tag that cannot be read`)
  return attributes
}

/**
 * A workbook (XLSX) as lines of cells: the sheet that has the header asked for. A sheet becomes a full table, up to its last row and
 * column: a single cell in XFD1048576 would cost gigabytes. So this file refuses workbooks whose cells reach too far before their
 * cells are read.
 */

import { readFileSync, statSync } from 'node:fs'
import { FlateErrorCode, strFromU8, unzipSync, type FlateError, type Unzipped } from 'fflate'
import { Parser } from 'saxen'
import { messageOf } from '../../core/system/message.ts'
import { quoted } from '../../core/data/model/printable.ts'
import { headerName, type FileLines, type FileVisitor } from './layout.ts'
import { headerWithin, isEmptyLine, textFinder } from './lines.ts'
import type { Sheet, Shortened } from './readers/reader.ts'
import { columnName, columnNumber, sheetsIn } from './sheets.ts'
import type { FileCell } from './values.ts'

/** @throws {Error} if it cannot be read, or breaks a limit */
export function readSheets(file: string): readonly Sheet[] {
  const parts = bounded(file)
  try {
    return sheetsIn(parts)
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): Error {
  const reason = zipFaults[(error as Partial<FlateError>).code ?? -1] ?? messageOf(error)
  return new Error(`${file} cannot be read as a workbook (XLSX): ${reason}`, { cause: error })
}

/** @returns the sheets without what they hide @throws {Error} if they are all hidden */
export function visibleSheets(file: string, sheets: readonly Sheet[]): readonly Sheet[] {
  const visible = sheets.filter(({ hidden }) => !hidden.isSheet)
  if (visible.length === 0)
    throw new Error(`${file}: all sheets are hidden, and --skip-hidden leaves them out`)
  return visible.map((sheet) => {
    const rows = new Set(sheet.hidden.rows)
    const columns = new Set(sheet.hidden.columns)
    const shown = [...(sheet.lines[0] ?? []).keys()].filter((at) => !columns.has(at))
    const cellsOf = (cells: readonly FileCell[]) => shown.map((at) => cells[at] ?? '')
    const numbered = sheet.lines.map((cells, index) => [index + 1, cellsOf(cells)] as const)
    const { filled, numbers } = sheet.merged
    return {
      ...sheet,
      // No line of these is the header.
      lines: numbered.map(([row, cells]) => (rows.has(row) ? cells.map(() => '') : cells)),
      shortened: among(shown, sheet.shortened),
      merged: { filled: among(shown, filled), numbers: among(shown, numbers) },
      visible: { columns: shown, hiddenRows: new Map(numbered.filter(([row]) => rows.has(row))) },
    }
  })
}

/** @param columns that are left @returns what is known of them, by their new places */
function among<T>(columns: readonly number[], byColumn: ReadonlyMap<number, T>): ReadonlyMap<number, T> {
  return new Map(
    columns.flatMap((at, own) => {
      const found = byColumn.get(at)
      return found === undefined ? [] : [[own, found] as const]
    }),
  )
}

/** What is looked for in the sheets of a workbook. */
export interface Wanted {
  /** The line that names the columns; -1 if the sheet has none. */
  readonly headerIn: (lines: Sheet['lines']) => number
  /** What the header has, for messages. */
  readonly what: string
  /** The name of the sheet; undefined: the only one with such a header. */
  readonly sheet: string | undefined
}

/** The first line of the first 50 that is a header. */
export const firstLineThat =
  (isHeader: (cells: readonly FileCell[]) => boolean): Wanted['headerIn'] =>
  (lines) =>
    lines.slice(0, headerWithin).findIndex(isHeader)

/**
 * The lines below the header of the sheet that has one.
 * @throws {Error} if not exactly one of the sheets has such a header, or the named one is not there
 */
export function linesOfSheet(
  file: string,
  sheets: readonly Sheet[],
  { headerIn, what, sheet }: Wanted,
): FileLines {
  const named = sheets.filter(({ name }) => sheet === undefined || headerName(name) === headerName(sheet))
  const names = (some: readonly Sheet[]) => some.map(({ name }) => quoted(name)).join(', ')
  if (named.length === 0)
    throw new Error(`${file} has no sheet ${quoted(sheet ?? '')}; it has ${names(sheets)}`)
  const fitting = named.filter(({ lines }) => headerIn(lines) >= 0)
  const [first, ...others] = fitting
  if (first === undefined)
    throw new Error(
      `${file}: ${sheet === undefined ? 'no sheet has' : `sheet ${names(named)} does not have`} a line with ${what}`,
    )
  if (others.length > 0)
    throw new Error(`${file}: the sheets ${names(fitting)} have a line with ${what}: choose one with --sheet`)
  const { name, lines, shortened, merged, visible } = first
  const at = headerIn(lines)
  return {
    header: lines[at] ?? [],
    headerLine: at + 1,
    form: `XLSX, sheet ${quoted(name)}`,
    numberOf: (column) => (visible?.columns[column] ?? column) + 1,
    isMergedNumber: (column, line) => merged.numbers.get(column)?.has(line) === true,
    splitsAtCommas: false,
    read: (visitor: FileVisitor) => {
      const texts = textFinder()
      for (const [index, cells] of lines.entries()) {
        if (index <= at) continue
        const hiddenCells = visible?.hiddenRows.get(index + 1)
        if (hiddenCells !== undefined) visitor.hidden(hiddenCells, index + 1)
        else if (isEmptyLine(cells)) {
          texts.empty()
          visitor.empty()
        } else if (texts.isText(cells)) visitor.text(index + 1)
        else visitor.line(cells, index + 1)
      }
      return Promise.resolve()
    },
    notesOn: (columns) => [
      ...noteOnDigits(columns.flatMap((column) => shortened.get(column) ?? [])),
      ...noteOnHidden(first, at + 1, columns),
      ...notesOnMerged(first, at + 1, columns),
    ],
  }
}

/** What Excel shows and what it holds are two numbers: people have seen the one, and the other is taken. */
function noteOnDigits(all: readonly Shortened[]): readonly string[] {
  const [first] = all
  if (first === undefined) return []
  const count = all.reduce((sum, one) => sum + one.count, 0)
  const numbers = count === 1 ? '1 number has' : `${count} numbers have`
  const place = `${first.first}, ${first.value} ${first.decimals <= 0 ? 'without decimals' : `with ${first.decimals} decimals`}`
  return [`${numbers} more decimals than the sheet shows: all of them count (the first: ${place})`]
}

/** @param columns that are taken */
function noteOnHidden(
  { hidden: { isSheet, rows, columns: hiddenColumns }, visible }: Sheet,
  headerLine: number,
  columns: readonly number[],
): readonly string[] {
  const isLeftOut = visible !== undefined
  const below = rows.filter((row) => row > headerLine)
  const letters = hiddenColumns.filter((at) => isLeftOut || columns.includes(at)).map(columnName)
  const [first] = below
  const what = [
    ...(isSheet ? ['the sheet'] : []),
    ...(first === undefined
      ? []
      : [below.length === 1 ? `row ${first}` : `${below.length} rows, the first ${first}`]),
    ...(letters.length === 0 ? [] : [`${letters.length === 1 ? 'column' : 'columns'} ${letters.join(', ')}`]),
  ].join('; ')
  if (what === '') return []
  return [
    isLeftOut
      ? `hidden, and left out, as --skip-hidden says: ${what}`
      : `hidden, and taken all the same (--skip-hidden leaves it out): ${what}`,
  ]
}

/** @param columns that are taken */
function notesOnMerged({ merged, visible }: Sheet, headerLine: number, columns: readonly number[]) {
  const filled = columns.flatMap((column) => {
    const count = merged.filled.get(column)?.filter((row) => row > headerLine).length ?? 0
    if (count === 0) return []
    return [
      `${columnName(visible?.columns[column] ?? column)} (${count === 1 ? '1 cell' : `${count} cells`})`,
    ]
  })
  return filled.length === 0 ? [] : [`filled, as the cells are merged: column ${filled.join(', ')}`]
}

const maxFileBytes = 64e6
/** All parts together, as they are in memory. */
const maxUnpackedBytes = 128e6
const maxParts = 1000
const maxRows = 100_000
const maxColumns = 1024
/** Cells of all sheets as full tables: 100,000 funds with the fields of the template have fewer. */
const maxCells = 12_000_000
const maxSheets = 100
/** Each of them is an object. */
const maxTexts = 1_000_000
/** With its attributes. Parsers take long for a million attributes of one tag. */
const maxTagBytes = 16_384
/** A cell of Excel has 32,767 characters. */
const maxCellBytes = 131_072
/** A sheet has 4 or 5: worksheet, sheetData, row, c, is, r, t. */
const maxDepth = 64
/** Tags of a part without rows: styles, shared texts, names, relations. A shared text has two or three, and a format one. */
const maxTags = 3_000_000
const maxFormats = 65_536
/** Runs of a text, each with its font. Behind the rows there are also widths, merged cells and conditional formats. */
const maxTagsInCell = 100_000
const isFormat = /^(?:[^\s/>:]*:)?xf[\s/>]/
/** Parts that are not read. */
const unread =
  /^(?:docProps|customXml|xl\/(?:calcChain|charts|comments|drawings|externalLinks|pivotCache|pivotTables|threadedComments))/
/** Source: Excel's specifications and limits. */
const sheetRows = 1_048_576

/**
 * @returns the XML parts of the workbook, which are all that is read of it
 * @throws {Error} that says which limit the workbook breaks, and where
 */
function bounded(file: string): Unzipped {
  try {
    const parts = readParts(file)
    // Before a parser sees any of them.
    for (const [name, bytes] of Object.entries(parts)) checkMarkup(bytes, name)
    const totals = { sheets: 0, area: 0, texts: 0 }
    for (const [name, bytes] of Object.entries(parts)) {
      const xml = strFromU8(bytes)
      if (/[<:](?:sheetData|si)\b/.test(xml)) checkPart(xml, name, totals)
    }
    return parts
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** By the codes of fflate. */
const zipFaults: Readonly<Record<number, string>> = {
  [FlateErrorCode.UnexpectedEOF]: 'it is damaged',
  [FlateErrorCode.InvalidBlockType]: 'it is damaged',
  [FlateErrorCode.InvalidLengthLiteral]: 'it is damaged',
  [FlateErrorCode.InvalidDistance]: 'it is damaged',
  [FlateErrorCode.InvalidZipData]: 'it is incomplete',
}

function readParts(file: string): Unzipped {
  if (statSync(file).size > maxFileBytes) throw new Error(`it is larger than ${megabytes(maxFileBytes)}`)
  let count = 0
  let bytes = 0
  return unzipSync(readFileSync(file), {
    // A part gets the memory of its declared size, and what it has beyond that is left out.
    filter: ({ name, originalSize }) => {
      if (++count > maxParts) throw new Error(`it has more than ${maxParts} parts`)
      if (!/\.(?:xml|rels)$/.test(name) || unread.test(name)) return false
      bytes += originalSize
      if (bytes > maxUnpackedBytes)
        throw new Error(`unpacked it is larger than ${megabytes(maxUnpackedBytes)}`)
      return true
    },
  })
}

const slash = 0x2f
/** The second byte of what opens no element: `</`, `<!`, `<?`. */
const notOpening = new Set(Buffer.from('/!?'))

/**
 * Looks at the sizes of tags and texts, their number and their nesting, without parsing them: what parsers take long for, or
 * much memory. It takes as long as it takes to find each `<`.
 * @throws {Error} that names the part and the limit
 */
function checkMarkup(bytes: Uint8Array, part: string): void {
  const xml = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const limit = (what: string, most: number) =>
    new Error(`${part} has ${what}, more than ${most.toLocaleString('en-US')}`)
  const isSheet = xml.includes('sheetData')
  let depth = 0
  let tags = 0
  let formats = 0
  let end = 0
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', end)) {
    if (at - end > maxCellBytes) throw limit(`a text of ${at - end} bytes`, maxCellBytes)
    const close = xml.indexOf('>', at)
    end = close < 0 ? xml.length : close + 1
    if (end - at > maxTagBytes) throw limit(`a tag of ${end - at} bytes`, maxTagBytes)
    const next = xml[at + 1]
    if (next === slash) depth--
    if (next !== undefined && notOpening.has(next)) continue
    if (!isSheet && ++tags > maxTags) throw limit(`${tags} elements`, maxTags)
    if (!isSheet && isFormat.test(xml.toString('latin1', at + 1, at + 40)) && ++formats > maxFormats)
      throw limit(`${formats} formats of cells`, maxFormats)
    if (xml[end - 2] !== slash && ++depth > maxDepth) throw limit(`elements in ${depth} levels`, maxDepth)
  }
  if (xml.length - end > maxCellBytes) throw limit(`a text of ${xml.length - end} bytes`, maxCellBytes)
}

const megabytes = (bytes: number) => `${bytes / 1e6} MB`

/** Looks at the rows and cells of a sheet, or at the texts of all sheets. */
function checkPart(xml: string, part: string, totals: { sheets: number; area: number; texts: number }): void {
  let lastRow = 0
  let lastColumn = 0
  let rows = 0
  let cells = 0
  let inCell = 0
  const look: Readonly<Record<string, (place: string, isEmpty: boolean) => void>> = {
    si: () => {
      if (++totals.texts > maxTexts)
        throw new Error(`it has more than ${maxTexts.toLocaleString('en-US')} texts`)
    },
    sheetData: () => {
      if (++totals.sheets > maxSheets) throw new Error(`it has more than ${maxSheets} sheets`)
    },
    row: (place) => {
      if (++rows > sheetRows) throw tooFar(`has more than ${sheetRows.toLocaleString('en-US')} rows`, part)
      if (place !== '' && (!/^[1-9][0-9]{0,6}$/.test(place) || Number(place) > sheetRows))
        throw new Error(`${part} has a row ${quoted(place)}, which no sheet has`)
    },
    c: (place, isEmpty) => {
      // A cell without a value has at most a style, and takes no room.
      if (isEmpty) return
      cells++
      const [, letters, digits] = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/.exec(place) ?? []
      if (letters === undefined) throw new Error(`${part} has a cell at ${quoted(place)}, which no sheet has`)
      const row = Number(digits)
      const column = columnNumber(letters)
      if (row > maxRows || column > maxColumns) throw tooFar(`has a cell in ${place}`, part)
      lastRow = Math.max(lastRow, row)
      lastColumn = Math.max(lastColumn, column)
    },
  }
  const parser = new Parser()
  parser.on('error', (cause) => {
    throw new Error(`${part} has a tag that cannot be read`, { cause })
  })
  parser.on('openTag', (name, attributesOf, decode, isEmpty) => {
    const visit = look[withoutPrefix(name)]
    inCell = visit === undefined ? inCell + 1 : 0
    if (inCell > maxTagsInCell)
      throw new Error(
        `${part} has more than ${maxTagsInCell.toLocaleString('en-US')} elements in one cell or text`,
      )
    if (visit === undefined) return
    const place = Object.entries(attributesOf()).find(([key]) => withoutPrefix(key) === 'r')?.[1] ?? ''
    visit(decode(place), isEmpty)
  })
  parser.parse(xml)
  totals.area += Math.max(cells, lastRow * lastColumn)
  if (totals.area > maxCells) {
    const others =
      totals.sheets > 1 ? `, with the other sheets ${totals.area.toLocaleString('en-US')} cells` : ''
    throw tooFar(`has ${lastRow} rows of ${lastColumn} columns${others}`, part)
  }
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

const tooFar = (what: string, part: string) =>
  new Error(
    `${part} ${what}: up to ${maxRows.toLocaleString('en-US')} rows, ${maxColumns.toLocaleString('en-US')} columns and ` +
      `${maxCells.toLocaleString('en-US')} cells are read; delete the rows and columns behind the data, or save the sheet as CSV`,
  )

/**
 * The cells of a workbook (XLSX), from its XML: what the file holds, whatever a spreadsheet shows of it. An error, and a formula that
 * was never calculated, are texts that no column takes, as they are in CSV.
 */

import { strFromU8, type Unzipped } from 'fflate'
import { Parser } from 'saxen'
import { fillMerged, type MergedRange } from './merged.ts'
import type { Sheet, Shortened } from './readers/reader.ts'
import { keptNumber, Percentage, SheetTime, type FileCell } from './values.ts'

/** @param parts of the archive, by name @throws {Error} if it lacks a part */
export function sheetsIn(parts: Unzipped): readonly Sheet[] {
  const textOf = (name: string) => (parts[name] === undefined ? undefined : strFromU8(parts[name]))
  const main =
    targetsOf(textOf('_rels/.rels'), '').find(({ type }) => type === 'officeDocument')?.path ??
    'xl/workbook.xml'
  const xml = textOf(main)
  if (xml === undefined) throw new Error(`it has no part ${main}`)
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  const targets = targetsOf(textOf(`${folder}_rels/${main.slice(folder.length)}.rels`), folder)
  const partOf = (type: string) => targets.find((target) => target.type === type)?.path ?? ''
  const book = readBook(xml)
  const texts = readTexts(textOf(partOf('sharedStrings')) ?? '')
  const formats = readFormats(textOf(partOf('styles')) ?? '')
  return book.sheets.flatMap(({ name, id, isHidden }) => {
    const target = targets.find((each) => each.id === id)
    // A sheet may be a chart.
    if (target?.type !== 'worksheet') return []
    const part = textOf(target.path)
    if (part === undefined) throw new Error(`it has no part ${target.path}`)
    return [{ name, ...readCellsOf(part, { texts, formats, isHidden, is1904: book.is1904 }) }]
  })
}

type Attributes = Readonly<Record<string, string>>

interface Visitor {
  /** Names have no prefix. */
  readonly opens: (name: string, attributes: () => Attributes) => void
  readonly closes?: (name: string) => void
  readonly text?: (text: string) => void
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

/** @throws {Error} if a tag cannot be read */
function visit(xml: string, { opens, closes, text }: Visitor): void {
  const parser = new Parser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('openTag', (name, attributesOf, decode) => {
    opens(withoutPrefix(name), () =>
      Object.fromEntries(Object.entries(attributesOf()).map(([key, value]) => [key, decode(value)])),
    )
  })
  if (closes !== undefined)
    parser.on('closeTag', (name) => {
      closes(withoutPrefix(name))
    })
  if (text !== undefined) {
    parser.on('text', (found, decode) => {
      text(decode(found))
    })
    parser.on('cdata', text)
  }
  // A workbook may lack a part: one without texts has no list of them.
  if (xml !== '') parser.parse(xml)
}

interface Target {
  readonly id: string
  /** The last part of its address: `worksheet`. */
  readonly type: string
  readonly path: string
}

/** @param folder that paths are relative to */
function targetsOf(xml: string | undefined, folder: string): readonly Target[] {
  const targets: Target[] = []
  visit(xml ?? '', {
    opens: (name, attributes) => {
      if (name !== 'Relationship') return
      const { Id: id = '', Type: type = '', Target: path = '' } = attributes()
      const whole = path.startsWith('/') ? path : `/${folder}${path}`
      targets.push({
        id,
        type: type.slice(type.lastIndexOf('/') + 1),
        path: new URL(whole, 'file://').pathname.slice(1),
      })
    },
  })
  return targets
}

function readBook(xml: string) {
  const sheets: { name: string; id: string; isHidden: boolean }[] = []
  let is1904 = false
  visit(xml, {
    opens: (name, attributes) => {
      if (name === 'workbookPr') is1904 ||= isTrue(attributes()['date1904'])
      if (name !== 'sheet') return
      const all = attributes()
      const id = Object.entries(all).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      const isHidden = (all['state'] ?? 'visible') !== 'visible'
      sheets.push({ name: unescaped(all['name'] ?? ''), id, isHidden })
    },
  })
  return { sheets, is1904 }
}

/** What XML cannot hold is `_x000D_` in a workbook. */
const unescaped = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text

/** Gathers the text of a cell or a shared text, without the pronunciation of Japanese. */
function textGatherer() {
  let all = ''
  let isText = false
  let isPhonetic = false
  return {
    opens: (name: string) => {
      if (name === 't') isText = true
      else if (name === 'rPh') isPhonetic = true
    },
    closes: (name: string) => {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
    },
    text: (text: string) => {
      if (isText && !isPhonetic) all += text
    },
    take: () => {
      const taken = unescaped(all)
      all = ''
      return taken
    },
  }
}

function readTexts(xml: string): readonly string[] {
  const texts: string[] = []
  const gatherer = textGatherer()
  visit(xml, {
    ...gatherer,
    closes: (name) => {
      gatherer.closes(name)
      if (name === 'si') texts.push(gatherer.take())
    },
  })
  return texts
}

/** How a spreadsheet shows a number. */
interface Format {
  readonly isDate: boolean
  /** It shows a hundredfold of the number, and a percent sign. */
  readonly isPercent: boolean
  /** Digits after the point of the number itself; null if the format does not say. */
  readonly decimals: number | null
}

const general: Format = { isDate: false, isPercent: false, decimals: null }
const dated: Format = { isDate: true, isPercent: false, decimals: null }

/** Formats that every workbook has without naming them. Source: ECMA-376, 18.8.30 numFmt. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  41: '#,##0',
  42: '#,##0',
  43: '#,##0.00',
  44: '#,##0.00',
}

/** Of days and times, also those of Asian languages. */
const builtInDates: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
]

/** By the numbers of styles. */
function readFormats(xml: string): readonly Format[] {
  const codes = new Map<string, string>()
  const base: string[] = []
  const own: string[] = []
  let list: string[] | undefined
  visit(xml, {
    opens: (name, attributes) => {
      if (name === 'cellStyleXfs') list = base
      else if (name === 'cellXfs') list = own
      else if (name === 'numFmt') {
        const { numFmtId = '', formatCode = '' } = attributes()
        codes.set(numFmtId, formatCode)
      } else if (name === 'xf' && list !== undefined) {
        const { numFmtId, xfId = '' } = attributes()
        list.push(numFmtId ?? base[Number(xfId)] ?? '0')
      }
    },
    closes: (name) => {
      if (name === 'cellStyleXfs' || name === 'cellXfs') list = undefined
    },
  })
  const known = new Map<string, Format>()
  return own.map((id) => {
    const format = known.get(id) ?? formatOf(Number(id), codes.get(id))
    known.set(id, format)
    return format
  })
}

function formatOf(id: number, code: string | undefined): Format {
  if (code === undefined && builtInDates.some(([from, to]) => id >= from && id <= to)) return dated
  const [positive = ''] = withoutTexts(code ?? builtIn[id] ?? '').split(';')
  if (/general/i.test(positive)) return general
  if (/[dmyhsg]/i.test(positive) && !/[#?]/.test(positive)) return dated
  // Fractions, texts and powers of ten.
  if (/[/@]|e[+-]/i.test(positive)) return general
  const [, , after = ''] = /([0#?,]*)(?:\.([0#?]*))?/.exec(positive.replace(/^[^0#?.]*/, '')) ?? []
  if (!/[0#?]/.test(positive)) return general
  // Commas behind the digits divide by a thousand each.
  const thousands = /[0#?](,+)[^0#?,.]*$/.exec(positive)?.[1]?.length ?? 0
  const percents = positive.split('%').length - 1
  const decimals = after.length + 2 * percents - 3 * thousands
  return { isDate: false, isPercent: percents > 0, decimals }
}

/** A format without its texts, colours, conditions and fillings. Elapsed hours and minutes are in brackets, too. */
const withoutTexts = (code: string) =>
  code
    .replace(/"[^"]*"|\\.|[_*]./g, '')
    .replace(/\[(?:h+|m+|s+)\]/gi, 'h')
    .replace(/\[[^[\]]*\]/g, '')

interface BookParts {
  readonly texts: readonly string[]
  readonly formats: readonly Format[]
  readonly is1904: boolean
  readonly isHidden: boolean
}

/** A cell while it is read. */
interface OpenCell {
  readonly column: number
  readonly type: string
  readonly style: number
  hasFormula: boolean
  value: string | undefined
}

const uncalculated = '#FORMULA! (never calculated: open the workbook in a spreadsheet, and save it)'

function readCellsOf(xml: string, { texts, formats, is1904, isHidden }: BookParts): Omit<Sheet, 'name'> {
  const lines: FileCell[][] = []
  const shortened = new Map<number, Shortened & { count: number }>()
  const gatherer = textGatherer()
  const hidden = hiddenGatherer()
  const ranges: MergedRange[] = []
  /** Elements before and behind the rows. */
  const beside = new Map<string, (attributes: Attributes) => void>([
    ['col', hidden.column],
    ['mergeCell', ({ ref }) => ranges.push(...rangesIn(ref))],
  ])
  let isInSheet = false
  let isValue = false
  let row = 0
  let column = 0
  let width = 0
  let height = 0
  let cell: OpenCell | undefined

  const noteFormat = (number: number, format: Format, at: OpenCell): void => {
    const { decimals } = format
    if (decimals === null || decimalsOf(keptNumber(number)) <= decimals) return
    const found = shortened.get(at.column) ?? {
      count: 0,
      first: `${columnName(at.column)}${row}`,
      value: number,
      decimals,
    }
    found.count++
    shortened.set(at.column, found)
  }
  const numberOf = (text: string, own: OpenCell): FileCell => {
    const number = Number(text)
    if (Number.isNaN(number)) return text
    const format = formats[own.style] ?? general
    if (format.isDate) return dateOf(number, is1904)
    noteFormat(number, format, own)
    return format.isPercent ? new Percentage(number) : number
  }
  const valueOf = (own: OpenCell): FileCell => {
    const { type, value, hasFormula } = own
    if (type === 'inlineStr') return gatherer.take()
    if (value === undefined || (value === '' && type !== 'str')) return hasFormula ? uncalculated : ''
    return typed.get(type)?.(value) ?? numberOf(value, own)
  }
  const typed = new Map<string, (value: string) => FileCell>([
    ['s', (value) => texts[Number(value)] ?? ''],
    ['str', unescaped],
    ['b', (value) => String(value === '1')],
    ['e', (value) => (/^#(?:N\/A|[A-Z0-9/]+[!?])$/.test(value) ? value : '#VALUE!')],
    ['d', isoDate],
  ])
  const put = (own: OpenCell): void => {
    const found = valueOf(own)
    if (found === '') return
    while (lines.length < row) lines.push([])
    const line = lines[row - 1] ?? []
    while (line.length < own.column) line.push('')
    line[own.column] = found
    width = Math.max(width, own.column + 1)
    height = Math.max(height, row)
  }

  visit(xml, {
    opens: (name, attributes) => {
      if (name === 'sheetData') isInSheet = true
      beside.get(name)?.(attributes())
      if (!isInSheet) return
      if (cell !== undefined) {
        if (name === 'v') {
          isValue = true
          cell.value = ''
        } else if (name === 'f') cell.hasFormula = true
        else gatherer.opens(name)
      } else if (name === 'row') {
        const all = attributes()
        row = Number(all['r'] ?? row + 1)
        hidden.row(row, all)
        column = 0
      } else if (name === 'c') {
        const { r: place = '', t: type = 'n', s: style = '0' } = attributes()
        const [, letters, digits] = /^([A-Z]+)(\d+)$/.exec(place) ?? []
        if (letters !== undefined) column = columnNumber(letters) - 1
        if (digits !== undefined) row = Number(digits)
        cell = { column, type, style: Number(style), hasFormula: false, value: undefined }
        column++
      }
    },
    closes: (name) => {
      if (name === 'sheetData') isInSheet = false
      if (name === 'v') isValue = false
      gatherer.closes(name)
      if (name === 'c' && cell !== undefined) {
        put(cell)
        cell = undefined
      }
    },
    text: (text) => {
      if (cell === undefined) return
      if (isValue) cell.value += text
      else gatherer.text(text)
    },
  })
  for (const line of lines) while (line.length < width) line.push('')
  const merged = fillMerged(lines, ranges)
  return {
    lines: lines.slice(0, height),
    shortened,
    merged,
    hidden: { isSheet: isHidden, ...hidden.among(lines, width) },
  }
}

/** @param ref `A2:A5` @returns none for cells of one row, and for what is no range */
function rangesIn(ref = ''): readonly MergedRange[] {
  const [, letters = '', first, last] = /^([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})$/.exec(ref) ?? []
  const range = { column: columnNumber(letters) - 1, first: Number(first), last: Number(last) }
  return range.last > range.first ? [range] : []
}

/** Gathers the rows and columns that a sheet does not show. */
function hiddenGatherer() {
  const rows = new Set<number>()
  /** From the first to the last of each, from 1. */
  const columns: (readonly [first: number, last: number])[] = []
  return {
    row: (row: number, { hidden }: Attributes): void => {
      if (isTrue(hidden)) rows.add(row)
    },
    column: ({ min, max, hidden }: Attributes): void => {
      if (isTrue(hidden)) columns.push([Number(min), Number(max)])
    },
    /** @param width of the lines: sheets hide all columns behind their last one */
    among: (lines: readonly (readonly FileCell[])[], width: number) => ({
      rows: [...rows].filter((row) => lines[row - 1]?.some((cell) => cell !== '') === true),
      columns: Array.from({ length: width }, (_, at) => at).filter((at) =>
        columns.some(([first, last]) => at + 1 >= first && at + 1 <= last),
      ),
    }),
  }
}

const isTrue = (attribute: string | undefined) => attribute === '1' || attribute === 'true'

/** A day or time as a text, which few programs write. It has no zone. */
const isoDate = (text: string) =>
  new SheetTime(/Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}${text.includes('T') ? '' : 'T00:00:00'}Z`)

const dayMs = 86_400_000

/**
 * The day and time of a number, to the millisecond: less is noise of the double, and more may lead to the next day. The calendar of 1900 has a 29 February 1900, which never was: days before it are a number
 * less than they were.
 */
function dateOf(serial: number, is1904: boolean): SheetTime {
  const days = is1904 ? serial + 1462 : serial
  if (days >= 60 && days < 61) return new SheetTime(NaN)
  const since1970 = days - 25_569 + (days < 60 ? 1 : 0)
  return new SheetTime(Math.round(since1970 * dayMs))
}

/** Digits after the point of the shortest decimal text. */
function decimalsOf(number: number): number {
  const [, fraction = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  return Math.max(0, fraction.length - Number(power))
}

export const columnNumber = (letters: string) =>
  Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)

/** @param index from 0 */
export const columnName = (index: number): string =>
  (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

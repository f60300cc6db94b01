/** openfunds, the fields by which fund companies and distributors exchange data, as CSV or a workbook: rows of many tables. */

import { printable, quoted } from '../../../../core/data/model/printable.ts'
import { openCsv } from '../../csv.ts'
import { readEncoding } from '../../encoding.ts'
import { onlyLines, type CellLines, type Field, type FileLines, type LineVisitor } from '../../layout.ts'
import { isOpen, notationSniffer, type Notations } from '../../notation.ts'
import { convert, isIsinCell, isProblem, plainNumber, type FileCell, type Value } from '../../values.ts'
import { firstLineThat, linesOfSheet, visibleSheets } from '../../workbook.ts'
import { askedLines, atEnd, keptBy, rowAtEnd, widthFault, widthOf } from '../asked-lines.ts'
import { oddityMeter, passMeter, within } from '../cells.ts'
import { withHabits } from '../habits.ts'
import type { FileStart, Reader, ReadOptions, RowSink, Told } from '../reader.ts'
import { fieldOf, isIsinName, isOfId, isTellingName, type OpenField } from './fields.ts'
import { fieldOrder } from './order.ts'
import { openRows } from './rows.ts'

export const openfunds: Reader = {
  name: 'openfunds',
  about: 'openfunds, CSV or XLSX: a column a field, by OF-ID or name, or a line a field',
  derives: () => true,
  hasSettings: true,
  recognises: ({ heads }) => heads.some(isFlatHeader) || isNarrow(heads),
  read: async (start, sink, given): Promise<Told> => {
    const { file } = start
    const options = withHabits(given, openfunds.name)
    const form = start.heads.some(isFlatHeader) ? flatForm : narrowForm
    const cells = askedLines(await openCells(start, form, sink, options), options, form === flatForm)
    const place = `${file}, line ${cells.headerLine}`
    const bytes = passMeter(sink, options)
    const shape = await form.shapeOf(cells, place)
    const notations = await sniff(file, shape, cells, bytes, options)
    const rows = openRows(sink, options.currencies)
    const oddities = oddityMeter()
    const keeping = keptBy(cells.header, options.keep)
    await shape.read({
      isKept: keeping.has,
      values: valuesIn(shape.fields, notations, options, oddities),
      record: rows.take,
      spoil: rows.spoil,
      sink,
      bytes,
    })
    rows.end()
    const columns = [
      ...shape.fields.map(({ label, goes }) => ({ name: label, as: goes })),
      ...shape.others.map((name) => ({ name, as: null })),
    ]
    return {
      columns,
      form: [cells.form, form.about, ...notations.form],
      notes: [
        ...notTaken(shape.others),
        ...rows.notes(),
        ...oddities.notes(),
        ...keeping.notes(),
        ...shape.notes(),
      ],
      warnings: [],
      named: cells.named,
    }
  },
}

/** A field, and where its cells are in a line as the form gives it. */
interface PlacedField extends OpenField, Field {}

type ValuesOf = (cells: readonly FileCell[]) => {
  readonly values: Map<string, Value>
  readonly empty: Set<string>
  readonly faults: readonly string[]
}

interface Reading {
  readonly values: ValuesOf
  /** Whether a flag says that a line is an item, though it looks like a total. */
  readonly isKept: (cells: readonly FileCell[]) => boolean
  readonly record: ReturnType<typeof openRows>['take']
  readonly spoil: ReturnType<typeof openRows>['spoil']
  readonly sink: RowSink
  readonly bytes: (count: number) => void
}

/** How a file holds its fields, as far as its header says. */
interface Shape {
  readonly fields: readonly PlacedField[]
  /** Names of fields that no table has. */
  readonly others: readonly string[]
  /** What people may not see of the cells. */
  readonly notes: () => readonly string[]
  /** Gives each line with a value to a sniffer. */
  readonly look: (
    look: (cells: readonly FileCell[], line: number, behind?: FileCell) => void,
    bytes: Reading['bytes'],
  ) => Promise<void>
  readonly read: (reading: Reading) => Promise<void>
}

interface Form {
  readonly about: string
  /** What a line has that is the first of the form, for messages. */
  readonly what: string
  readonly isHeader: (cells: readonly FileCell[]) => boolean
  readonly isName: (text: string) => boolean
  /** @throws {Error} that names the place */
  readonly shapeOf: (cells: CellLines, place: string) => Promise<Shape>
}

async function openCells(
  { file, sheets }: FileStart,
  { isHeader, isName, what }: Form,
  sink: RowSink,
  options: ReadOptions,
): Promise<FileLines> {
  if (sheets !== null)
    return linesOfSheet(file, options.skipHidden ? visibleSheets(file, sheets) : sheets, {
      headerIn: firstLineThat(isHeader),
      what,
      sheet: options.sheet,
    })
  const { name } = openfunds
  const asked = { asked: options.encoding, configured: options.habitsOf(name).encoding, table: name }
  const encoding = await readEncoding(file, asked, passMeter(sink, options))
  const { delimiter, skipLines } = options
  // In the narrow form all lines look alike, and none names the columns of the others.
  return openCsv(file, encoding, {
    delimiter,
    skipLines: isHeader === isNarrowLine ? (skipLines ?? 0) : skipLines,
    isName,
  })
}

async function sniff(
  file: string,
  { fields, look }: Shape,
  cells: CellLines,
  bytes: Reading['bytes'],
  options: ReadOptions,
): Promise<Notations> {
  const sniffer = notationSniffer(fields, cells, options)
  if (isOpen(options))
    await look((line, number, behind) => {
      sniffer.look(line.map(withoutCommand), number, behind)
    }, bytes)
  return within(file, sniffer.notations)
}

/** Commands of openfunds in place of a value: to leave what the receiver has, and that there is none. */
const ignore = '[ignore]'
const notAvailable = '[n/a]'
const commandIn = (cell: FileCell) => (typeof cell === 'string' ? cell.trim().toLowerCase() : '')
const withoutCommand = (cell: FileCell) => ([ignore, notAvailable].includes(commandIn(cell)) ? '' : cell)

/** @returns a function that converts the cells of a line; a cell that is absent gives no value */
function valuesIn(
  fields: readonly PlacedField[],
  { marks, dates, days }: Notations,
  { takesMinorUnits }: ReadOptions,
  oddities: ReturnType<typeof oddityMeter>,
): ValuesOf {
  return (cells) => {
    const values = new Map<string, Value>()
    const empty = new Set<string>()
    const faults: string[] = []
    for (const [index, { at, key, label, column }] of fields.entries()) {
      const cell = cells[at]
      if (cell === undefined || commandIn(cell) === ignore) continue
      const mark = marks[index] ?? 'point'
      const notation = { mark, dates: dates[index] ?? 'iso', days, takesMinorUnits } as const
      const value = convert(withoutCommand(cell), column, notation)
      // Fractions become percentages, exactly.
      const stored = typeof value === 'number' && column.unit !== undefined ? plainNumber(value) : value
      if (stored === undefined) faults.push(`${label} is ${quoted(String(cell))}: no fraction is so large`)
      else if (isProblem(stored)) faults.push(`${label} ${stored.reason}`)
      else {
        oddities.look(label, cell, column, stored, notation)
        values.set(key, stored)
        if (stored === null && commandIn(cell) !== notAvailable) empty.add(key)
      }
    }
    return { values, empty, faults }
  }
}

function isFlatHeader(cells: readonly FileCell[]): boolean {
  // A line of the narrow form may have an OF-ID as its value: that of a breakdown.
  const hasIds = cells.filter(isOfId).length > 1 && !cells.some(isIsinCell)
  return hasIds || (cells.some(isIsinName) && cells.some(isTellingName))
}

/** Whether a cell is an ISIN, or one with a slip. */
const mayBeIsin = (cell: FileCell) => /^[A-Z]{2}(?=.*[0-9])[A-Z0-9]{9,11}$/i.test(String(cell).trim())

const isOfItems = ({ goes }: OpenField) => goes.startsWith('structure_item.')

/** A column a field. Names may stand below the OF-IDs, or above. */
const flatForm: Form = {
  about: 'a column a field',
  what: 'OF-IDs such as OFST020000, or the names of fields',
  isHeader: isFlatHeader,
  isName: (text) => isOfId(text) || isTellingName(text) || isIsinName(text),
  shapeOf: (cells, place) => {
    const { fields, others } = placedFields(cells.header, place)
    const isin = fields.find(({ key }) => key === 'OFST020000')
    if (isin === undefined) throw new Error(`${place}: field OFST020000 (ISIN) is missing`)
    const isLine = (found: readonly FileCell[]) => isIsinCell(found[isin.at] ?? '')
    return Promise.resolve({
      fields,
      others,
      notes: () => cells.notesOn(fields.map(({ at }) => at)),
      look: (look, bytes) =>
        cells.read(
          onlyLines((found, line) => {
            if (isLine(found)) look(found, line)
          }, bytes),
        ),
      read: async ({ values: valuesOf, isKept, record, spoil, sink, bytes }) => {
        const hasItems = fields.some(isOfItems)
        let isBehindHeader = true
        /** Leaves out the second line of a header, a type, a remark. @param own cells, of which none is that of a share class */
        const isAside = (own: readonly FileCell[], line: number): boolean => {
          if (!isBehindHeader || own.length === 0 || own.some(mayBeIsin)) return false
          if (!own.some(isIsinName))
            sink.leftOut('lines between the header and the first share class', `line ${line}`)
          return true
        }
        await cells.read({
          ...endingIn(sink, (found) => {
            const { values, faults } = valuesOf(found)
            return faults.length === 0 && typeof values.get('OFST020000') === 'string'
          }),
          broken: (reason, line, found) => {
            if (isAside(found, line)) return
            sink.bad(line, [reason])
            if (hasItems) spoil(`line ${line}`, undefined, undefined)
          },
          line: (found, line) => {
            if (isAside([found[isin.at] ?? ''], line)) return
            isBehindHeader = false
            const { values, empty, faults } = valuesOf(found)
            const key = values.get('OFST020000')
            const isNamed = typeof key === 'string'
            if (faults.length > 0 || !isNamed) {
              cells.forget()
              sink.bad(line, faults.length > 0 ? faults : [`${isin.label} is empty`])
              const id = values.get('OFRE100100')
              if (typeof id === 'string') spoil(`line ${line}`, key, id)
            } else record({ isin: key, values, empty, isKept: isKept(found), place: `line ${line}` })
          },
          bytes,
        })
      },
    })
  },
}

/** Visits lines that give no field, in both forms. @param isRow tells it of a line at the end, which a flag leaves out */
const endingIn = (
  sink: RowSink,
  isRow: (cells: readonly FileCell[]) => boolean,
): Omit<LineVisitor, 'line' | 'bytes'> => ({
  gap: () => undefined,
  leftOut: (why, line) => sink.leftOut(why, `line ${line}`),
  text: (line) => sink.leftOut('lines of text', `line ${line}`),
  broken: (reason, line) => sink.bad(line, [reason]),
  last: (rows, line) => {
    if (rows.some(isRow)) sink.bad(line, [rowAtEnd])
    else sink.leftOut(atEnd, `line ${line}`)
  },
})

function placedFields(header: readonly FileCell[], place: string) {
  const fields: PlacedField[] = []
  const others: string[] = []
  for (const [at, cell] of header.entries()) {
    const field = fieldOf(cell)
    if (field === undefined) {
      if (String(cell).trim() !== '') others.push(printable(String(cell).trim()))
    } else if (fields.some(({ key }) => key === field.key))
      throw new Error(`${place}: ${field.label} is there twice`)
    else fields.push({ ...field, at })
  }
  return { fields, others }
}

/** Where a line of the narrow form has its parts. */
interface NarrowPlaces {
  readonly isin: number
  readonly id: number
  readonly value: number
  /** A line that has all columns: the first one, or the first with a field if that does not name them. */
  readonly measure: { readonly name: string; readonly width: number; readonly all: number }
}

const isNarrowLine = (cells: readonly FileCell[]): boolean =>
  cells.length > 2 && [1, 2].includes(cells.filter(isOfId).length) && cells.some(isIsinCell)

/** A single line might be anything. */
const isNarrow = (heads: FileStart['heads']): boolean => heads.filter(isNarrowLine).length > 1

/** What lines say of a share class by now. */
interface NarrowRecord {
  readonly values: Map<string, Value>
  readonly empty: Set<string>
  /** Keys of its fields, also of those without a good value. */
  readonly keys: Set<string>
  isKept: boolean
  readonly place: string
}

/** A line a field: ISIN, OF-ID and value, in any order. */
const narrowForm: Form = {
  about: 'a line a field',
  what: 'an ISIN, an OF-ID and a value',
  isHeader: isNarrowLine,
  isName: (text) => isOfId(text) || isIsinName(text),
  shapeOf: async (cells, place) => {
    let places: NarrowPlaces | undefined
    const found = new Map<string, PlacedField>()
    const others = new Set<string>()
    const order = fieldOrder()
    const isinIn = (line: readonly FileCell[], at: number) =>
      String(line[at] ?? '')
        .trim()
        .toUpperCase()
    const title = cells.header
    const each = async (visitor: LineVisitor) => {
      // The first line may name the columns, or be one of the others.
      visitor.line(title, cells.headerLine)
      await cells.read(visitor)
    }
    await each(
      onlyLines((line) => {
        if (!isNarrowLine(line)) return
        places ??= placesOf(line, title, place)
        const cell = line[places.id] ?? ''
        const field = fieldOf(cell)
        if (field === undefined) others.add(printable(String(cell).trim()))
        else {
          if (!found.has(field.key)) found.set(field.key, { ...field, at: found.size })
          order.look(isinIn(line, places.isin), field)
        }
      }),
    )
    if (places === undefined) throw new Error(`${place}: no line has ${narrowForm.what}`)
    const { isin, id, value, measure } = places
    const fields = [...found.values()]
    const ofWidth = (line: readonly FileCell[]) => widthFault(line, measure.width, measure.all, measure.name)
    const cellsOf = (line: readonly FileCell[]) => {
      const field = found.get(fieldOf(line[id] ?? '')?.key ?? '')
      const cells: FileCell[] = []
      if (field !== undefined) cells[field.at] = line[value] ?? ''
      return { field, cells }
    }
    return {
      fields,
      others: [...others],
      notes: () => cells.notesOn([value]),
      look: (look, bytes) =>
        each(
          onlyLines((line, number) => {
            if (ofWidth(line) === undefined) look(cellsOf(line).cells, number, line[value + 1])
          }, bytes),
        ),
      read: async ({ values: valuesOf, isKept, record, spoil, sink, bytes }) => {
        const open = new Map<string, NarrowRecord>()
        const faultOf = (line: readonly FileCell[], key: string): string | undefined => {
          const fault = ofWidth(line)
          if (fault !== undefined) return fault
          if (!isOfId(line[id] ?? '')) return `${quoted(String(line[id] ?? ''))} is not an OF-ID`
          return isIsinCell(key) ? undefined : `${quoted(key)} is not an ISIN`
        }
        const hasItems = fields.some(isOfItems)
        const badLine = (number: number, reasons: readonly string[], field?: PlacedField) => {
          cells.forget()
          sink.bad(number, reasons)
          if (field === undefined ? hasItems : isOfItems(field)) spoil(`line ${number}`, undefined, undefined)
        }
        await each({
          ...endingIn(sink, isNarrowLine),
          bytes,
          line: (line, number) => {
            const { field, cells: own } = cellsOf(line)
            const key = isinIn(line, isin)
            const fault = faultOf(line, key) ?? (field === undefined ? undefined : order.faultOf(key, field))
            if (fault !== undefined) {
              // The first line may name the columns.
              if (line !== title || isOfId(line[id] ?? '')) badLine(number, [fault], field)
            } else if (field !== undefined) {
              const { values, empty, faults } = valuesOf(own)
              if (faults.length > 0) badLine(number, faults, field)
              const before = open.get(key)
              const isNext = before === undefined || before.keys.has(field.key)
              if (before !== undefined && isNext) record({ isin: key, ...before })
              if (isNext) {
                const keys = new Set([field.key])
                open.set(key, { values, empty, keys, isKept: isKept(line), place: `line ${number}` })
              } else {
                before.isKept ||= isKept(line)
                before.keys.add(field.key)
                for (const [name, one] of values) before.values.set(name, one)
                for (const name of empty) before.empty.add(name)
              }
            }
          },
        })
        for (const [key, one] of open) record({ isin: key, ...one })
      },
    }
  },
}

/** @throws {Error} if several columns may have the values */
function placesOf(line: readonly FileCell[], title: readonly FileCell[], place: string): NarrowPlaces {
  const isin = line.findIndex(isIsinCell)
  const id = line.findIndex(isOfId)
  const others = line.flatMap((_, at) => (at === isin || at === id ? [] : [at]))
  const named = others.filter((at) =>
    /^(?:value|wert|field value|of-?value)$/i.test(String(title[at] ?? '').trim()),
  )
  const [value, another] = named.length > 0 ? named : others
  if (value === undefined || another !== undefined)
    throw new Error(
      `${place}: several columns may have the values: name one of them Value, in the first line`,
    )
  const measure =
    named.length > 0
      ? { name: 'the header', width: widthOf(title), all: title.length }
      : { name: 'the first one with a field', width: line.length, all: line.length }
  return { isin, id, value, measure }
}

const shownFields = 8

function notTaken(others: readonly string[]): readonly string[] {
  if (others.length === 0) return []
  const more = others.length > shownFields ? ` and ${others.length - shownFields} more` : ''
  return [`not taken, since no table has them: ${others.slice(0, shownFields).join(', ')}${more}`]
}

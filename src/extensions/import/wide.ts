/** Files with a column for each fund, named by its ISIN, and a line for each day: `--map *=net_asset_value` says what their cells are. Pure. */

import { printable, quoted } from '../../core/data/model/printable.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import type { SchemaTable } from '../../core/data/model/columns.ts'
import {
  fundCurrency,
  headerName,
  type CellLines,
  type ColumnMap,
  type FileLines,
  type LineVisitor,
} from './layout.ts'
import { isEmptyCell, skippedBy } from './readers/asked-lines.ts'
import type { NamedCell } from './readers/reader.ts'
import {
  convert,
  hasNoValue,
  isDayCell,
  isIsinCell,
  isNumberOrDay,
  isProblem,
  type FileCell,
} from './values.ts'

interface Fund {
  readonly at: number
  readonly isin: string
}

const fundsIn = (header: readonly FileCell[]): readonly Fund[] =>
  header.flatMap((cell, at) => (isIsinCell(cell) ? [{ at, isin: String(cell).trim().toUpperCase() }] : []))

/** A header as one of a plain table. */
interface Narrowed {
  readonly header: readonly FileCell[]
  readonly columnMap: ColumnMap
}

/** @returns a header with columns `isin` and the one that the map has for all funds; the same header if no column is a fund */
export function narrowed(header: readonly FileCell[], columnMap: ColumnMap): Narrowed {
  const target = columnMap.get('*') ?? ''
  const funds = new Set(target === '' ? [] : fundsIn(header).map(({ at }) => at))
  if (funds.size === 0) return { header, columnMap }
  const width = header.findLastIndex((cell) => !isEmptyCell(cell)) + 1
  const others = header.slice(0, width).filter((_, at) => !funds.has(at))
  return {
    header: [...others, 'isin', target],
    columnMap: new Map([...columnMap].filter(([source]) => source !== '*')),
  }
}

/** A line below the header with a currency for each fund, and no price. */
export interface CurrencyLine {
  readonly cells: readonly FileCell[]
  readonly line: number
}

/** @returns the line of currencies above the first numbers; undefined if there is none */
export async function currencyLineOf({ header, read }: FileLines): Promise<CurrencyLine | undefined> {
  const funds = fundsIn(header).map(({ at }) => at)
  let isBehind = false
  let found: CurrencyLine | undefined
  const nothing = () => undefined
  const look = (cells: readonly FileCell[], line: number) => {
    if (isBehind) return
    const own = funds.map((at) => cells[at] ?? '').filter((cell) => !isEmptyCell(cell))
    if (own.length > 0 && own.every(isCurrency)) found = { cells, line }
    isBehind = found !== undefined || own.some(isNumberOrDay)
  }
  await read({
    line: look,
    text: nothing,
    broken: nothing,
    empty: nothing,
    hidden: look,
    bytes: nothing,
  })
  return found
}

const isCurrency = (cell: FileCell) =>
  !isProblem(convert(cell, fundCurrency, { mark: 'point', dates: 'iso', takesMinorUnits: true }))

/** @returns the lines without one that is no row */
export const withoutLine = (file: FileLines, { line: own }: CurrencyLine): FileLines => ({
  ...file,
  read: (visitor) =>
    file.read({
      ...visitor,
      line: (cells, line) => {
        if (line !== own) visitor.line(cells, line)
      },
    }),
})

/**
 * @param columnMap has the column for all funds @param skip may name columns that only these rows have
 * @returns the lines with a row for each fund that has a cell; the same lines if no column is a fund
 */
export function narrowedLines(
  cells: CellLines,
  columnMap: ColumnMap,
  skip: readonly NamedCell[],
  currencies: CurrencyLine | undefined,
): CellLines {
  const plain = narrowed(cells.header, columnMap).header
  if (plain === cells.header) return cells
  const funds = fundsIn(cells.header)
  const ofFunds = new Set(funds.map(({ at }) => at))
  const kept = [...cells.header.keys()].filter((at) => !ofFunds.has(at))
  const currency = currencies === undefined ? [] : [fundCurrency.name]
  const header = [...plain.slice(0, kept.length), ...currency, ...plain.slice(kept.length)]
  const own = skip.filter(({ column }) => !cells.named.includes(column))
  const skipping = skippedBy(header, own)
  /** A cell behind the price, which is none of another fund: a comma may have split the price. */
  const behind = (found: readonly FileCell[], at: number) =>
    ofFunds.has(at + 1) ? [] : found.slice(at + 1, at + 2)
  const rowsOf = (found: readonly FileCell[]) =>
    funds
      .filter(({ at }) => !isEmptyCell(found[at]))
      .map(({ at, isin }) => {
        const code = currencies === undefined ? [] : [currencies.cells[at] ?? '']
        return {
          price: found[at] ?? '',
          row: [
            ...kept.map((each) => found[each] ?? ''),
            ...code,
            isin,
            found[at] ?? '',
            ...behind(found, at),
          ],
        }
      })
  const read = (visitor: LineVisitor) => {
    skipping.begin()
    return cells.read({
      ...visitor,
      line: (found, line) => {
        for (const { price, row } of rowsOf(found)) {
          const why = hasNoValue(price)
            ? 'cells of funds that say that there is no value'
            : skipping.whyOf(row)
          if (why === undefined) visitor.line(row, line)
          else visitor.leftOut(why, line)
        }
      },
      broken: (reason, line, found) => {
        // Nobody knows how many of its cells are prices.
        funds.forEach(() => visitor.broken(reason, line, found))
      },
      last: (lines, line) => {
        const rows = lines.flatMap(rowsOf).filter(({ price }) => !hasNoValue(price))
        visitor.last(
          rows.map(({ row }) => row),
          line,
        )
      },
    })
  }
  const columnsOf = (at: number) => {
    const ownAt = kept[at]
    return ownAt === undefined ? (at === header.length - 1 ? [...ofFunds] : []) : [ownAt]
  }
  const names = new Set(header.map(headerName))
  const count = `${funds.length} ${funds.length === 1 ? 'fund' : 'funds'}`
  const where = currencies === undefined ? '' : `, their currencies in line ${currencies.line}`
  return {
    ...cells,
    header,
    form: `${cells.form}, a column for each of ${count}${where}`,
    read,
    numberOf: (at) => cells.numberOf(kept[at] ?? at),
    isMergedNumber: (at, line) => columnsOf(at).some((own) => cells.isMergedNumber(own, line)),
    named: [...cells.named, ...own.map(({ column }) => column).filter((name) => names.has(name))],
    notesOn: (columns) => [...skipping.notes(), ...cells.notesOn(columns.flatMap(columnsOf))],
  }
}

/** What cells of funds hold in a table, and the column that says which of a fund's rows it is. */
function columnsFor({ name, columns }: SchemaTable) {
  if (name === 'price') return { value: 'net_asset_value', what: 'NAVs', key: 'date', keyWhat: 'days' }
  const value = columns.find(({ isKey, kind }) => !isKey && ['number', 'decimal'].includes(kind))
  const text = columns.find(({ isKey, kind, allowed }) => !isKey && kind === 'text' && allowed === undefined)
  const day = columns.find(({ isKey, kind }) => isKey && ['day', 'year', 'dayOfYear'].includes(kind))
  const key = text ?? day
  if (value === undefined || key === undefined) return undefined
  return {
    value: value.name,
    what: value.name,
    key: key.name,
    keyWhat: text === undefined ? 'days' : 'names',
  }
}

/** What to do about a header with funds; undefined for another header. A line with one ISIN is a row. */
export function wideHint(
  header: readonly FileCell[],
  map: ColumnMap,
  table: SchemaTable,
): string | undefined {
  const [first, second] = fundsIn(header)
  const columns = columnsFor(table)
  if (first === undefined || second === undefined || columns === undefined) return undefined
  // A line with a number or a day is a row.
  if (map.has('*') || header.some(isNumberOrDay)) return undefined
  const shown = [first, second].map(({ at }) => quoted(String(header[at])))
  const [other] = header.filter((cell) => !isEmptyCell(cell) && !isIsinCell(cell))
  // The corner of a table of two directions often has no name.
  const source = other ?? (header.some(isEmptyCell) ? '' : undefined)
  const { value, what, key, keyWhat } = columns
  const flag = `--map ${shellWord(`${printable(String(source ?? ''))}=${key}`)}`
  const day = source === undefined ? '' : ` (and ${flag}, if it has the ${keyWhat})`
  return `has a column for each fund (${shown.join(', ')}, …): --map '*=${value}' takes their cells as ${what}, a row for each${day}`
}

/** Why a header with a column for each day cannot be read; undefined for another header. */
export function daysHint(header: readonly FileCell[]): string | undefined {
  const filled = header.filter((cell) => !isEmptyCell(cell))
  const days = filled.filter(isDayCell)
  const others = filled.filter((cell) => !isDayCell(cell))
  // A line with an ISIN or a number is a row.
  if (days.length < 2 || others.some((cell) => isIsinCell(cell) || isNumberOrDay(cell))) return undefined
  const shown = days.slice(0, 2).map((cell) => quoted(String(cell)))
  return (
    `has a column for each day (${shown.join(', ')}${days.length > 2 ? ', …' : ''}), which cannot be read: ` +
    'turn the table, so that it has a line for each day and a column for each fund, named by its ISIN, ' +
    'or a line for each price, with the columns isin, date and net_asset_value'
  )
}

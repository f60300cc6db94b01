/** Files with a column for each fund, named by its ISIN, and a line for each day: `--map *=net_asset_value` says what their cells are. Pure. */

import { isIsinInEitherCase } from '../../core/api/routes/values.ts'
import { printable, quoted } from '../../core/data/model/printable.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import type { CellLines, ColumnMap, LineVisitor } from './layout.ts'
import type { FileCell } from './values.ts'

interface Fund {
  readonly at: number
  readonly isin: string
}

const fundsIn = (header: readonly FileCell[]): readonly Fund[] =>
  header.flatMap((cell, at) => {
    const isin = String(cell).trim()
    return isIsinInEitherCase(isin) ? [{ at, isin: isin.toUpperCase() }] : []
  })

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
  const others = header.filter((_, at) => !funds.has(at))
  return {
    header: [...others, 'isin', target],
    columnMap: new Map([...columnMap].filter(([source]) => source !== '*')),
  }
}

/** @returns the lines with a row for each fund that has a cell; undefined if no column is a fund, or the map has nothing for all */
export function narrowedLines(cells: CellLines, columnMap: ColumnMap): CellLines | undefined {
  const { header } = narrowed(cells.header, columnMap)
  if (header === cells.header) return undefined
  const funds = fundsIn(cells.header)
  const ofFunds = new Set(funds.map(({ at }) => at))
  const kept = [...cells.header.keys()].filter((at) => !ofFunds.has(at))
  const width = cells.header.findLastIndex((cell) => String(cell).trim() !== '') + 1
  const read = (visitor: LineVisitor) =>
    cells.read({
      ...visitor,
      line: (found, line) => {
        // A cell too many or too few would move prices to another fund.
        const isAsWide = found.length >= width && found.slice(width).every(isEmpty)
        if (!isAsWide) visitor.broken(`it has ${found.length} cells, the header ${width}`, line)
        else
          for (const { at, isin } of funds)
            if (!isEmpty(found[at]))
              visitor.line([...kept.map((own) => found[own] ?? ''), isin, found[at] ?? ''], line)
      },
    })
  const columnsOf = (at: number) => {
    const own = kept[at]
    return own === undefined ? (at === kept.length ? [] : [...ofFunds]) : [own]
  }
  return {
    ...cells,
    header,
    form: `${cells.form}, a column for each of ${funds.length} ${funds.length === 1 ? 'fund' : 'funds'}`,
    read,
    notesOn: (columns) => cells.notesOn(columns.flatMap(columnsOf)),
  }
}

const isEmpty = (cell: FileCell | undefined) => String(cell ?? '').trim() === ''

/** A line with a number or a day is a row. */
const isNumberOrDay = (cell: FileCell) => typeof cell !== 'string' || /^\s*[-+]?\d[\d.,'/-]*\s*$/.test(cell)

/** What to do about a header with funds; undefined for another header. A line with one ISIN is a row. */
export function wideHint(header: readonly FileCell[], map: ColumnMap): string | undefined {
  const [first, second] = fundsIn(header)
  if (first === undefined || second === undefined || map.has('*') || header.some(isNumberOrDay))
    return undefined
  const shown = [first, second].map(({ at }) => quoted(String(header[at])))
  const [other] = header.filter((cell) => !isEmpty(cell) && !isIsinInEitherCase(String(cell).trim()))
  const day =
    other === undefined
      ? ''
      : ` (and --map ${shellWord(`${printable(String(other))}=date`)}, if it has the days)`
  return `has a column for each fund (${shown.join(', ')}, …): --map '*=net_asset_value' takes their cells as NAVs, a row for each${day}`
}

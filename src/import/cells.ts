/** A file as lines of cells: what the readers of CSV and of workbooks have in common. */

/** Text; of a workbook also what it knows to be a number or a date. */
export type Cell = string | number | Date

export interface CellLines {
  /** The cells of the line that names the columns. */
  readonly header: readonly Cell[]
  /** The number of that line, from 1. */
  readonly headerLine: number
  /** What the file is, for people: `UTF-8, delimiter ;`. */
  readonly form: string
  /** The lines after the header that are not empty, in their order. It can be read again. */
  readonly read: (visitor: LineVisitor) => Promise<void>
}

export interface LineVisitor {
  readonly line: (cells: readonly Cell[], line: number) => void
  /** A line that cannot be taken apart into cells, though those after it can. */
  readonly broken: (reason: string, line: number) => void
  /** How many bytes were read since it was last told; thrown out of, it ends the reading. */
  readonly bytes: (count: number) => void
}

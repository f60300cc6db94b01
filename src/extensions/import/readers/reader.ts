/** What a reader of a format of files is: what it gets to see, and where its rows go. A border of types only. */

import type { SchemaTable } from '../../../core/data/model/columns.ts'
import type { ChoosableEncoding } from '../encoding.ts'
import type { Delimiter } from '../csv.ts'
import type { ColumnMap, Suggest } from '../layout.ts'
import type { Place } from '../take/staging.ts'
import type { DateForm } from '../days.ts'
import type { DecimalMark, FileCell, Value } from '../values.ts'

/** A format of files. The registry is `readers.ts`. */
export interface Reader {
  /** For `--as`, and in the report. */
  readonly name: string
  /** A line of the help: `the European MiFID Template of FinDatEx (EMT V4), CSV or XLSX`. */
  readonly about: string
  /** Whether figures of prices that a file lacks are derived without being asked for. */
  readonly derives?: (start: FileStart, options: ReadOptions) => boolean
  /** Whether rows are judged by what other files say of their funds: such a file is read behind the others. */
  readonly isBehindFunds?: (start: FileStart, options: ReadOptions) => boolean
  /** The config may say how its files are read, by its name: `import.openfunds`. Plain tables have that by their names. */
  readonly hasSettings?: true
  /** By the content of a file, never by its name. */
  readonly recognises: (start: FileStart, options: ReadOptions) => boolean
  /**
   * Gives all rows to the sink, in any order.
   * @returns what people are told about the file
   * @throws {Error} if the file cannot be read at all, or leaves open how: nothing is taken
   */
  readonly read: (start: FileStart, sink: RowSink, options: ReadOptions) => Promise<Told>
}

/** What is known of a file before it is read. */
export interface FileStart {
  readonly file: string
  /** At most its first 64 KiB. */
  readonly bytes: Buffer
  /** The same as text: UTF-16 if a mark or its zeros say so, else UTF-8 if it can be, else Windows-1252. */
  readonly text: string
  /** Null if it is no workbook (XLSX). */
  readonly sheets: readonly Sheet[] | null
  /** Its first lines as cells, of each sheet, or by each delimiter: one of them may be a header. */
  readonly heads: readonly (readonly FileCell[])[]
}

export interface Sheet {
  readonly name: string
  /** All of the same length. */
  readonly lines: readonly (readonly FileCell[])[]
  /** Numbers that have more decimals than the sheet shows, by their columns, from 0. */
  readonly shortened: ReadonlyMap<number, Shortened>
  readonly hidden: Hidden
  readonly merged: MergedRows
  /** What the lines have, if hidden rows and columns are left out of them. */
  readonly visible?: VisibleParts
}

export interface VisibleParts {
  /** From 0: the columns of the sheet that the cells of a line are from. */
  readonly columns: readonly number[]
  /** The cells of hidden rows, whose lines are empty, by their numbers, from 1. */
  readonly hiddenRows: ReadonlyMap<number, readonly FileCell[]>
}

/** What a sheet does not show, by a filter, a fold or the hand of a person. */
export interface Hidden {
  readonly isSheet: boolean
  /** From 1, those that have a cell. */
  readonly rows: readonly number[]
  /** From 0. */
  readonly columns: readonly number[]
}

/** Rows of merged cells, from 1, by columns, from 0. */
export interface MergedRows {
  /** They have the value of the first row, which is not among them. */
  readonly filled: ReadonlyMap<number, readonly number[]>
  /** All rows of a number. */
  readonly numbers: ReadonlyMap<number, ReadonlySet<number>>
}

export interface Shortened {
  readonly count: number
  /** The first cell: `B5`. */
  readonly first: string
  readonly value: number
  /** That it shows. */
  readonly decimals: number
}

/** What people are told about a file, after it has been read. */
export interface Told {
  /** If the file is a plain table. */
  readonly table?: string
  /** Columns or fields of the file, and what becomes of them. Absent for a format without any. */
  readonly columns?: readonly ReadColumn[]
  /** Columns that flags about lines name and the file has, as `headerName` has them. */
  readonly named?: readonly string[]
  /** `UTF-8, delimiter ;`, `FundsXML 4.2.9`. */
  readonly form: readonly string[]
  readonly notes: readonly string[]
  /** Faults that refuse no row. */
  readonly warnings: readonly string[]
}

export interface ReadColumn {
  /** As the file has it. */
  readonly name: string
  /** What it is in the schema: `net_asset_value`; null: it is not taken. */
  readonly as: string | null
  /** Neither the file, nor the command line, nor the config says so. */
  readonly isProposed?: true
}

/** A cell of lines that are left out, or kept. */
export interface NamedCell {
  /** The column of the file, as `headerName` has it. */
  readonly column: string
  /** Empty for a cell that is. */
  readonly text: string
}

/** How the files of a table or a format are usually read, by the config. */
export interface Habits {
  readonly encoding?: ChoosableEncoding | undefined
  readonly sheet?: string | undefined
  readonly delimiter?: Delimiter | undefined
  readonly skipLines?: number | undefined
  readonly skipLast?: number | undefined
  readonly skip?: readonly NamedCell[]
  readonly keep?: readonly NamedCell[]
  readonly fillDown?: readonly string[] | undefined
  readonly skipHidden?: boolean | undefined
  readonly decimal?: DecimalMark | undefined
  readonly dates?: DateForm | undefined
  readonly dropTimes?: boolean | undefined
  readonly constants: ReadonlyMap<string, string>
  readonly isDeriving: boolean
}

/** Why an amount of 0 is left out. */
export const noPayment = 'a distribution of 0, which is none'

/** Where the rows of one file go. It checks them and stages them outside of the database. */
export interface RowSink {
  /**
   * A row of a table. Texts have the notation and the unit of the schema (ISO days, a decimal point, fractions as it has them); null
   * says that there is no value. A column that is absent keeps what the database has. A price may have `currency`, which is compared
   * with the currency of the fund, and the `issue_surcharge` and `redemption_fee` of its day, by which the prices that it lacks are derived.
   * @param place what a person can find: `line 12`, `cell C7 of sheet "Prices"`, `line 1834, /FundsXML4/…`
   */
  readonly row: (table: string, values: Readonly<Record<string, Value>>, place: string) => void
  /**
   * A row that a file knows only a part of. It completes a row of the database; without one it is left out, unless it has all that a
   * new row needs.
   */
  readonly part: RowSink['row']
  /**
   * Rows of the database that a file takes back: all with these values of key columns, the ISIN among them, but those that a file has.
   * So a list that is delivered as a whole replaces the one before.
   */
  readonly gone: RowSink['row']
  /**
   * A list of which a row is bad, by the values of its key columns, or of which nobody knows where that belongs. Where the file replaces
   * it, the database keeps its own: without the row it would lose an item. Of table profile: what the fund charges is in doubt.
   */
  readonly spoilt: RowSink['row']
  /** For many rows with the same columns: their values are as `convert` (`values.ts`) makes them. */
  readonly rowsOf: (table: string, columns: readonly string[], absent: Absent) => TakeRow
  /** A row or value that cannot be taken: it refuses the import, unless the bad ones are skipped. */
  readonly bad: (place: Place, reasons: readonly string[]) => void
  /** What is left out on purpose, and why: the report has a count and the first place of each text. */
  readonly leftOut: (what: string, place: string) => void
  /** How many bytes of the file were read since the last call. It throws if the import is to end. */
  readonly bytes: (count: number) => void
}

export const splitFactors = ['new-for-old', 'old-for-new'] as const
/** New shares for an old one (2 for a split 1:2), or old shares for a new one (0.5). */
export type SplitFactor = (typeof splitFactors)[number]

/** `upsert` keeps what the files do not name; `funds` replaces all rows of the funds that they name; `table` all rows. */
export type Scope = 'upsert' | 'funds' | 'table'

/** What becomes of columns that rows lack: those of the database keep their values, or lose them. */
export type Absent = 'kept' | 'emptied'

/** @param values in the order of the columns */
export type TakeRow = (values: readonly Value[], place: Place) => void

/** What the command line and the config say. Undefined: the reader finds out. */
export interface ReadOptions {
  /** Named on the command line. */
  readonly table: SchemaTable | undefined
  readonly suggest: Suggest
  readonly columnMapOf: (table: string) => ColumnMap
  /** Columns of the file that have to be there, because the command line names them; of several files, one of them has to have each. */
  readonly named: readonly string[]
  readonly encoding: ChoosableEncoding | undefined
  /** What the config says of the files of a table or a format, unless the command line does. */
  readonly habitsOf: (table: string) => Habits
  /** Columns of unknown names are proposed by their usual names, or ignored: for an explanation, never for an import. */
  readonly isProposing: boolean
  /** Of a workbook. */
  readonly sheet: string | undefined
  readonly delimiter: Delimiter | undefined
  /** Lines before the header. */
  readonly skipLines: number | undefined
  /** Lines at the end of the file that are no rows. */
  readonly skipLast: number | undefined
  /** Lines with one of these cells are left out. */
  readonly skip: readonly NamedCell[]
  /** Lines with one of these cells are items, though they look like totals. */
  readonly keep: readonly NamedCell[]
  /** Columns of the file, as `headerName` has them, of which an empty cell has the value above it. */
  readonly fillDown: readonly string[]
  /** Of a workbook. */
  readonly skipHidden: boolean
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
  /** Leaves out times of day behind days. */
  readonly dropTimes: boolean
  /** Values of all rows of a plain table, by its columns, in the notation of the schema. */
  readonly constants: ReadonlyMap<string, string>
  /** Takes amounts in hundredths of a currency (`GBp`). */
  readonly takesMinorUnits: boolean
  /** What SplitFactor of FundsXML counts; undefined: nobody knows. */
  readonly splitFactor: SplitFactor | undefined
  /** Computes the columns of prices that the file lacks. */
  readonly isDeriving: boolean
  readonly scope: Scope
  /** Whether rows may lack columns: rows of the database keep their values, and another file may have what new rows lack. */
  readonly mayLack: (table: string) => boolean
  /** The end of a message about a file without rows: how a table is emptied, if all of its rows were to be replaced; else ''. */
  readonly adviceToEmpty: (table: string) => string
  /** The currency of each fund that the database has. */
  readonly currencies: ReadonlyMap<string, string>
  /** The funds that the database or a file that was read before has, by their WKNs. */
  readonly isinsByWkn: ReadonlyMap<string, readonly string[]>
}

/**
 * Parquet: days as DATE, amounts as doubles, which every reader makes numbers of. `prices-exact.parquet` has DECIMAL(38, 15)
 * instead, so that nothing is rounded. The type of a column is declared in tables.ts, and no row changes it. Row groups are
 * bounded, and hold many funds: an analyst reads one column, or finds a fund by the bounds of the groups.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { parquetMetadata, type RowGroup, type SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { maxDecimals, maxWholeDigits } from '../../../core/data/model/limits.ts'
import { dayNumber } from '../../../core/system/day-number.ts'
import { fileThere, type Part } from '../../../core/snapshot/file-sink.ts'
import { type EarlierFile, fileParts, partFrom } from '../../../core/snapshot/parts.ts'
import {
  type ColumnType,
  type DownloadFund,
  type OutputCell,
  type OutputColumn,
  type OutputRow,
  type OutputTable,
  permittedFunds,
  pricesTable,
  tables,
} from '../tables.ts'
import {
  digestsOf,
  type FormatWork,
  inBoth,
  type PieceFile,
  pieceOfTable,
  readYears,
  type RowsFormat,
  rowsOfTable,
  type RowsWriter,
} from './format.ts'

const exactPrices: OutputTable = {
  ...pricesTable,
  name: 'prices-exact',
  describe: {
    en: 'All prices of all funds with every digit, as DECIMAL(38, 15); prices.parquet contains floating-point numbers',
    de: 'Alle Preise aller Fonds mit jeder Ziffer, als DECIMAL(38, 15); prices.parquet enthält Gleitkommazahlen',
  },
}

const priceTables = [pricesTable, exactPrices]

function openFile(table: OutputTable, work: FormatWork) {
  const path = `${table.name}.parquet`
  const amounts = table === exactPrices ? 'exact' : 'double'
  const form = { amounts, metadata: metadataOf(work) } as const
  return parquetFile(work.folder, path, table.columns, form, work.earlierFiles.get(path))
}

const otherTables = tables.filter((table) => table !== pricesTable)

const exactLabel = { en: 'Parquet, exact', de: 'Parquet, exakt' }

export const parquet: RowsFormat = {
  id: 'parquet',
  kind: 'rows',
  name: 'parquet',
  mediatype: 'application/vnd.apache.parquet',
  label: inBoth('Parquet'),
  advice: {
    en: 'The smallest files, with data types. Amounts are floating-point numbers; prices-exact.parquet contains every digit.',
    de: 'Die kleinsten Dateien, mit Datentypen. Beträge sind Gleitkommazahlen; prices-exact.parquet enthält jede Ziffer.',
  },
  isSlow: true,
  isStamped: true,
  pieces: (funds) =>
    [...tables, exactPrices].map((table) => {
      const piece = pieceOfTable(table, funds)
      return table === exactPrices ? { ...piece, row: pricesTable.name, label: exactLabel } : piece
    }),
  open: (work) => {
    const others = writeOthers(work)
    return { ...others, close: () => [...others.close(), ...writePrices(work)] }
  },
}

/** Every file names the snapshot: of a table that did not change, all but this is copied. */
function writeOthers(work: FormatWork): RowsWriter {
  const made = otherTables
    .filter(({ name }) => work.wanted.has(name))
    .map((table) => {
      const file = openFile(table, work)
      const digests = digestsOf(rowsOfTable(table, work.funds))
      return { table, file, end: file.putPart(partFrom(work.madeBy, table.name, ...digests)) }
    })
  return {
    add: ({ rows }) => {
      for (const { table, file, end } of made) if (end !== null) file.add(rows(table))
    },
    close: () =>
      made.map(({ table, file, end }) => {
        end?.()
        return { ...file.close(), piece: table.name }
      }),
  }
}

/** A query for one fund reads two row groups: the block of its older years, and the newest year of all funds, which a night changes. */
function writePrices(work: FormatWork): readonly PieceFile[] {
  const { funds, madeBy, wanted, copy } = work
  const made = priceTables
    .filter(({ name }) => wanted.has(name))
    .map((table) => ({ name: table.name, file: openFile(table, work) }))
  const db = new Database(copy, { readonly: true })
  try {
    for (const block of blocksOf(funds)) {
      const missing = made.flatMap(({ name, file }) => {
        const end = file.putPart(partFrom(madeBy, name, ...block.digests))
        return end === null ? [] : [{ file, end }]
      })
      if (missing.length === 0) continue
      // Both files share one reading.
      for (const rows of readYears(db, block)) for (const { file } of missing) file.add(rows)
      for (const { end } of missing) end()
    }
  } finally {
    db.close()
  }
  return made.map(({ name, file }) => ({ ...file.close(), piece: name }))
}

/** Number of rows in a row group: at most this and the rows of one fund. The threads have a small heap. */
const rowsPerGroup = 16_384

/** A year has 262 business days at most: such a block fits into a row group. */
const yearsPerBlock = Math.floor(rowsPerGroup / 262)

/** A fund's prices of a year. */
interface Share {
  readonly isin: string
  readonly year: string
  readonly digest: string
}

/** The older years of some funds after the other, then the newest year of all. */
function blocksOf(funds: readonly DownloadFund[]) {
  const shares = permittedFunds(funds, pricesTable.needs).flatMap(({ isin, rows: { fund, prices } }) =>
    // The currency is in the fund's own row.
    Object.entries(prices).map(([year, digest]): Share => {
      return { isin, year, digest: `${isin} ${year} ${fund} ${digest}` }
    }),
  )
  const newest = shares.reduce((latest, { year }) => (year > latest ? year : latest), '')
  const blocks: Share[][] = [[]]
  for (const some of Map.groupBy(
    shares.filter(({ year }) => year < newest),
    ({ isin }) => isin,
  ).values()) {
    if ((blocks.at(-1)?.length ?? 0) + some.length > yearsPerBlock) blocks.push([])
    blocks.at(-1)?.push(...some)
  }
  blocks.push(shares.filter(({ year }) => year === newest))
  return blocks.filter((block) => block.length > 0).map(blockOf)
}

function blockOf(shares: readonly Share[]) {
  const years = shares.map(({ year }) => year).sort()
  const first = years[0] ?? ''
  const last = years.at(-1) ?? ''
  return {
    isins: [...new Set(shares.map(({ isin }) => isin))],
    first,
    last,
    digests: shares.map(({ digest }) => digest),
  }
}

/** Facts about the file for its footer, since people save it under another name. DuckDB shows them by `parquet_kv_metadata`. */
function metadataOf({ asOf, snapshot, licence }: FormatWork): readonly (readonly [string, string])[] {
  return [
    ['as_of', asOf],
    ['snapshot', snapshot],
    ...(licence === null ? [] : [['licence', licence.name] as const]),
    ...(licence?.url ? [['licence_url', licence.url] as const] : []),
  ]
}

interface ParquetForm {
  /** How decimal columns are stored: as DOUBLE, the nearest one, or as DECIMAL(38, 15). */
  readonly amounts: 'double' | 'exact'
  readonly metadata: readonly (readonly [key: string, value: string])[]
}

/** A Parquet file that grows. @param earlier to copy parts from: they are row groups */
export function parquetFile(
  folder: string,
  path: string,
  columns: readonly OutputColumn[],
  { amounts, metadata }: ParquetForm,
  earlier?: EarlierFile,
) {
  const formed = columns.map((column): FormedColumn => {
    const isDouble = column.type === 'decimal' && amounts === 'double'
    return { ...column, form: forms[isDouble ? 'number' : column.type] }
  })
  const writer = openWriter(join(folder, path), formed, metadata)
  const { writer: bytes } = writer
  const append = (some: Uint8Array) => {
    bytes.appendBytes(some)
  }
  const parts = fileParts(earlier, () => bytes.offset, append)
  let earlierGroups: readonly RowGroup[] | null = null
  let group: OutputRow[] = []
  let rows = 0
  const flush = () => {
    if (group.length === 0) return
    const columnData = formed.map((column, index) => dataOf(column, index, group))
    void writer.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  return {
    add: (some: readonly OutputRow[]) => {
      for (const row of some) group.push(row)
      rows += some.length
      if (group.length >= rowsPerGroup) flush()
    },
    /**
     * Copies a part that was made from the same. @returns null; if there is none, what is added from now on is the part, and
     * the function ends it
     */
    putPart: (from: string): (() => void) | null => {
      const start = bytes.offset
      const before = rows
      const part = parts.copy(from)
      if (part === null) {
        return () => {
          flush()
          parts.add(from, start, rows - before)
        }
      }
      earlierGroups ??= rowGroupsIn(earlier?.place ?? '')
      writer.row_groups.push(...groupsOf(part, earlierGroups, start))
      writer.num_rows += BigInt(part.rows)
      rows += part.rows
      return null
    },
    close: () => {
      flush()
      // The writer got values in their physical form. Readers learn from the footer what these mean.
      writer.schema = schemaOf(formed, ({ physical, meaning }) => ({ ...physical, ...meaning }))
      void writer.finish()
      return { ...fileThere(folder, path), rows, parts: parts.close() }
    },
  }
}

const openWriter = (
  place: string,
  columns: readonly FormedColumn[],
  metadata: ParquetForm['metadata'],
): ParquetWriter =>
  new ParquetWriter({
    writer: fileWriter(place),
    schema: schemaOf(columns, ({ physical }) => physical),
    codec: 'GZIP',
    compressors: { GZIP: compress },
    createdBy: 'fundpress',
    kvMetadata: metadata.map(([key, value]) => ({ key, value })),
  })

interface FormedColumn extends OutputColumn {
  readonly form: Form
}

const schemaOf = (
  columns: readonly FormedColumn[],
  elementOf: (form: Form) => Omit<SchemaElement, 'name'>,
): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, isNullable, form }) => ({
    name,
    repetition_type: isNullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    ...elementOf(form),
  })),
]

/** The writer asks for one column after the other: only the values of one are in memory. */
const dataOf = (column: FormedColumn, index: number, rows: readonly OutputRow[]) => ({
  name: column.name,
  get data() {
    return valuesOf(column, index, rows)
  },
  // Analysts filter by these columns: groups have their smallest and largest value.
  statistics: column.name === 'isin' || column.type === 'date' || column.type === 'integer',
  // An index of pages would be behind the row groups, where no part of the file is copied from.
  offsetIndex: false,
  // Digits of prices seldom repeat: to look for a dictionary takes longer than it saves.
  ...(column.type === 'decimal' ? { encoding: 'PLAIN' as const } : {}),
})

function valuesOf({ name, isNullable, form }: FormedColumn, index: number, rows: readonly OutputRow[]) {
  return rows.map((row, at) => {
    const cell = row[index] ?? null
    if (cell === null && !isNullable) throw new Error(`column ${name} has no NULL`)
    return cell === null ? null : form.value(cell, at)
  })
}

/** The row groups that a file's footer lists. Source: Parquet's file format, "File format". */
function rowGroupsIn(place: string): readonly RowGroup[] {
  const file = openSync(place, 'r')
  try {
    const { size } = fstatSync(file)
    const lengthAt = size - footerEnd
    const end = Buffer.alloc(footerEnd)
    readSync(file, end, 0, footerEnd, lengthAt)
    const bytes = end.readUInt32LE(0) + footerEnd
    const footer = new Uint8Array(bytes)
    readSync(file, footer, 0, bytes, size - bytes)
    return parquetMetadata(footer.buffer).row_groups
  } finally {
    closeSync(file)
  }
}

/** The length of the footer, and the mark behind it. */
const footerEnd = 8

/** The row groups of a part, as they are at the place that it is copied to. */
function groupsOf({ at, bytes }: Part, groups: readonly RowGroup[], start: number): readonly RowGroup[] {
  const placeOf = ({ columns }: RowGroup) => Number(columns[0]?.file_offset ?? -1)
  // Copies: the next part is found by the places in the earlier file.
  const own = structuredClone(groups.filter((one) => placeOf(one) >= at && placeOf(one) < at + bytes))
  const shift = BigInt(start - at)
  for (const column of own.flatMap(({ columns }) => columns)) {
    column.file_offset += shift
    const { meta_data: data } = column
    if (data === undefined) continue
    data.data_page_offset += shift
    if (data.dictionary_page_offset !== undefined) data.dictionary_page_offset += shift
  }
  return own
}

/** Every reader has gzip. Snappy, which is as common, would be JavaScript: slower, and a third larger. */
function compress(bytes: Uint8Array): Uint8Array {
  const packed = gzipSync(bytes, { level: constants.Z_BEST_SPEED })
  packed[systemAt] = anySystem
  return packed
}

/** The byte of the header that names the system on which the file was packed. Source: RFC 1952. */
const systemAt = 9
const anySystem = 255

/** Every exact column has the same type in any snapshot, wide enough for whatever the checks let through. */
const scale = maxDecimals
const precision = maxWholeDigits + maxDecimals
/** Room for 38 digits, the widest decimal that readers commonly know. */
const decimalBytes = 16

interface Form {
  readonly physical: Omit<SchemaElement, 'name'>
  readonly meaning?: Pick<SchemaElement, 'converted_type' | 'precision' | 'scale'>
  readonly value: (cell: NonNullable<OutputCell>, at: number) => unknown
}

const forms: Readonly<Record<ColumnType, Form>> = {
  text: { physical: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, value: String },
  date: { physical: { type: 'INT32', converted_type: 'DATE' }, value: (day) => dayNumber(String(day)) },
  number: { physical: { type: 'DOUBLE' }, value: Number },
  integer: { physical: { type: 'INT64' }, value: (cell) => BigInt(cell) },
  boolean: { physical: { type: 'BOOLEAN' }, value: (cell) => cell === 1 },
  // The library would take a BigInt apart byte by byte, in thrice the time: it gets the bytes.
  decimal: {
    physical: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: decimalBytes },
    meaning: { converted_type: 'DECIMAL', precision, scale },
    value: (cell, at) => decimalBytesOf(String(cell), at),
  },
}

/**
 * A plain decimal within the limits as a whole number of 10^-scale, the highest byte first.
 * @param at a place for the bytes, which are valid until its next use: the writer copies a column before it asks for another
 */
export function decimalBytesOf(text: string, at: number): Uint8Array {
  const point = text.indexOf('.')
  const whole = point < 0 ? text : text.slice(0, point)
  const fraction = point < 0 ? '' : text.slice(point + 1)
  const value = BigInt(whole + fraction + zeros.slice(fraction.length))
  const place = (places[at] ??= new DataView(new ArrayBuffer(decimalBytes)))
  place.setBigInt64(0, value >> 64n)
  place.setBigUint64(8, value)
  return (bytes[at] ??= new Uint8Array(place.buffer))
}

const zeros = '0'.repeat(scale)
const places: DataView[] = []
const bytes: Uint8Array[] = []

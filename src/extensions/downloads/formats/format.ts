/** The interface of formats of the downloads. `index.ts` beside this file lists them; nothing here knows one of them. */

import type { Licence } from '../../../core/api/contract/page.ts'
import type { Language } from '../../../core/api/routes/table.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { wholeGroups } from '../../../core/data/read/fund-digests.ts'
import type { FundDatabase } from '../../../core/data/read/open.ts'
import { cached } from '../../../core/system/cached.ts'
import type { WrittenFile } from '../../../core/snapshot/file-sink.ts'
import type { EarlierFiles } from '../../../core/snapshot/parts.ts'
import {
  type OutputRow,
  type OutputTable,
  type DownloadFund,
  mayHold,
  permittedFunds,
  computedTable,
  pricesTable,
  type RowsOfFund,
} from '../tables.ts'

/** A format: a file of this folder, and a line of the registry. */
export type DownloadFormat = RowsFormat | WholeFormat

interface FormatBase {
  readonly id: string
  /** As `datapackage.json` names it: `csv`, `text/csv`. */
  readonly name: string
  readonly mediatype: string
  /** As people know it: what a link to one of its files is headed by. */
  readonly label: Readonly<Record<Language, string>>
  /** For the page of the downloads: whom this format is for. */
  readonly advice?: Readonly<Record<Language, string>>
  /** Lists the pieces that the format writes from these funds. */
  readonly pieces: (funds: readonly DownloadFund[]) => readonly Piece[]
  /** A member of `datapackage.json` that its files have instead of a resource each. */
  readonly inPackage?: (files: readonly PieceFile[]) => Readonly<Record<string, unknown>>
  /** Whether its files name as-of date, snapshot, licence, publisher, country or address: a build reuses them only where these are the same. */
  readonly isStamped?: boolean
}

/** A label that is the same in both languages. */
export const inBoth = (label: string): DownloadFormat['label'] => ({ en: label, de: label })

/** A format that is written fund by fund. Such formats share one reading of the database, unless `isSlow`. */
export interface RowsFormat extends FormatBase {
  readonly kind: 'rows'
  /** Whether it takes about as long as all others together: then it gets a thread of its own. */
  readonly isSlow?: boolean
  readonly open: (work: FormatWork) => RowsWriter
}

export interface WholeFormat extends FormatBase {
  readonly kind: 'whole'
  readonly write: (work: FormatWork) => readonly PieceFile[] | Promise<readonly PieceFile[]>
}

/** Files of a format that are made from the same rows. A build makes all of them, or reuses all of them. */
export interface Piece {
  readonly name: string
  /** The row of the downloads page that lists its files, beside those of other formats; null for files of a single fund. */
  readonly row: string | null
  readonly describe: Readonly<Record<Language, string>>
  /** In place of the format's, where a row has several files of a format that differ. */
  readonly label?: Readonly<Record<Language, string>>
  /** The source of the files; null for a piece that every build makes anew. */
  readonly rows: PieceRows | null
  /** Members of the files in `datapackage.json`, besides path, size and digest. */
  readonly resource?: Readonly<Record<string, unknown>>
}

export interface PieceRows {
  readonly funds: readonly DownloadFund[]
  /** A text that changes whenever the rows of a fund do that the piece is made from. */
  readonly digest: (fund: DownloadFund) => string
}

export interface PieceFile extends WrittenFile {
  readonly piece: string
}

/** The order to a format: pieces, folder, and sources. */
export interface FormatWork {
  readonly folder: string
  readonly wanted: ReadonlySet<string>
  /** Whether texts in plain CSV stay as they are (`--raw-csv`). */
  readonly isRawCsv: boolean
  /** A copy of the fund database, which no program writes to. */
  readonly copy: string
  readonly funds: readonly DownloadFund[]
  /** Digest of the code and the settings that make bytes of rows. */
  readonly madeBy: string
  readonly earlierFiles: EarlierFiles
  readonly asOf: string
  readonly snapshot: string
  readonly licence: Licence | null
  /** The name of who publishes the files. */
  readonly publisher: string
  /** Of the publisher, ISO 3166-1. */
  readonly country: string | null
  /** The address of the page that lists them. */
  readonly page: string
}

export interface RowsWriter {
  readonly add: (fund: FundTables) => void
  readonly close: () => readonly PieceFile[]
}

/** One fund's rows, each read once for all formats. */
export interface FundTables {
  readonly isin: string
  readonly rows: RowsOfFund
  /** The same with the prices of the newest year, which a night adds to. */
  readonly newest: RowsOfFund
  /** The same with the prices of all other years. */
  readonly older: RowsOfFund
  readonly years: readonly string[]
  /** Digest of the fund's own row and its prices of all years but the newest; null without such prices. */
  readonly olderDigest: string | null
}

/** The piece of a format that has one file for each table. */
export const pieceOfTable = (table: OutputTable, funds: readonly DownloadFund[]): Piece => ({
  name: table.name,
  row: table.name,
  describe: table.describe,
  rows: rowsOfTable(table, funds),
})

/** The rows of a table, as what a piece is made from. */
export function rowsOfTable(table: OutputTable, all: readonly DownloadFund[]): PieceRows {
  const { name, source, needs } = table
  const funds = permittedFunds(all, needs)
  if (source === 'fund') return { funds, digest: ({ rows: { fund } }) => fund }
  if (table === computedTable) return { funds, digest: digestOfComputed }
  // The currency is in the fund's own row.
  if (source === schemaTables.prices.name)
    return {
      funds,
      digest: ({ rows: { fund, prices } }) => `${fund} ${digestOfYears(Object.entries(prices))}`,
    }
  const group = wholeGroups.find((candidate) => schemaTables[candidate].name === source)
  if (group === undefined) throw new Error(`table ${name} is made of ${source}, which has no digest`)
  return { funds, digest: ({ rows: { groups } }) => groups[group] }
}

/** Digests of the rows, one for each fund. */
export const digestsOf = ({ funds, digest }: PieceRows): readonly string[] =>
  funds.map((fund) => `${fund.isin} ${digest(fund)}`)

/** A fund may have turned one year old, so that its performance is shown. */
const digestOfComputed: PieceRows['digest'] = ({ performance, rows: { fund, groups, prices } }) =>
  [performance, fund, groups.corporateActions, digestOfYears(Object.entries(prices))].join(' ')

const digestOfYears = (years: readonly (readonly [year: string, digest: string])[]): string =>
  years.map(([year, digest]) => `${year} ${digest}`).join(' ')

export function* readFunds(db: FundDatabase, funds: readonly DownloadFund[]): Generator<FundTables> {
  const statementOf = cached((table: OutputTable) => db.prepare<[string], OutputRow>(rowsQuery(table)).raw())
  const between = cached((table: OutputTable) =>
    db.prepare<[string, string, string], OutputRow>(rowsQuery(table, inYears)).raw(),
  )
  for (const held of funds) {
    const { isin } = held
    const { fund, prices } = held.rows
    const found = mayHold(held, pricesTable.needs) ? Object.entries(prices).sort() : []
    const years = found.map(([year]) => year)
    const first = years.at(-1) ?? ''
    const others: RowsOfFund = cached((table: OutputTable) => statementOf(table).all(isin))
    const rowsWith = (pricesOf: RowsOfFund) => rowsOf(held, pricesOf, others)
    const newest = rowsWith((table) => between(table).all(isin, first, afterAll))
    const older = beside(
      newest,
      rowsWith((table) => between(table).all(isin, '', first)),
    )
    const rows = beside(
      newest,
      rowsWith((table) => [...older(table), ...newest(table)]),
    )
    const olderDigest = years.length < 2 ? null : `${fund} ${digestOfYears(found.slice(0, -1))}`
    yield { isin, rows, newest, older, years, olderDigest }
  }
}

/** Reads each table of a fund once. @param pricesOf reads prices of some years @param others reads tables without prices */
function rowsOf(fund: DownloadFund, pricesOf: RowsOfFund, others: RowsOfFund): RowsOfFund {
  const rows: RowsOfFund = cached((table: OutputTable) => {
    if (!mayHold(fund, table.needs)) return []
    if (table.derive !== undefined) return table.derive(rows)
    return table.source === pricesTable.source ? pricesOf(table) : others(table)
  })
  return rows
}

/** Rows of further years beside those of the newest year, of which alone some tables are made. */
const beside =
  (newest: RowsOfFund, rows: RowsOfFund): RowsOfFund =>
  (table) =>
    table.isOfNewestYear === true ? newest(table) : rows(table)

const inYears = 'AND t.date >= ? AND t.date < ?'
const afterAll = '~'

/** Reads the prices from one year to the end of another, fund by fund. @param isins of funds that may be in the file */
export function* readYears(
  db: FundDatabase,
  {
    isins,
    first,
    last,
  }: { readonly isins: readonly string[]; readonly first: string; readonly last: string },
): Generator<readonly OutputRow[]> {
  const statement = db.prepare<[string, string, string], OutputRow>(rowsQuery(pricesTable, inYears)).raw()
  for (const isin of isins) yield statement.all(isin, first, last + afterAll)
}

/** One fund's rows of a table, in the order of its key. @param where more conditions */
function rowsQuery({ columns, source, key }: OutputTable, where = ''): string {
  const fields = columns.map(({ sql }) => sql).join(', ')
  const order = key.flatMap((name) => columns.find((column) => column.name === name)?.sql ?? []).join(', ')
  return `SELECT ${fields} FROM ${source} AS t WHERE t.isin = ? ${where} ORDER BY ${order}`
}

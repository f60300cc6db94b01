/** What FundsXML and openfunds have of a fund, by the columns of the database: nothing that its permissions exclude. */

import type { DownloadFund, OutputRow, OutputTable } from '../tables.ts'
import { actionsTable, documentsTable, fundsTable, newestPrices } from '../tables.ts'
import type { FundTables, Piece } from './format.ts'

/** A row by its columns. */
type Named = Readonly<Record<string, string | null>>

interface ExchangeFund {
  readonly fund: Named
  /** The newest one; undefined if there is none that may be given out. */
  readonly price: Named | undefined
  /** In the order of their ex-dates. */
  readonly distributions: readonly Named[]
  /** The newest one. */
  readonly split: Named | undefined
  readonly merger: Named | undefined
}

export function exchangeFund({ rows }: FundTables): ExchangeFund {
  const rowsOf = (table: OutputTable) => rows(table).map((row) => named(table, row))
  const [fund = {}] = rowsOf(fundsTable)
  const [price] = rowsOf(newestPrices)
  const actions = rowsOf(actionsTable)
  const distributions = actions.filter(({ kind }) => kind === 'distribution')
  const newest = (wanted: string) => actions.findLast(({ kind }) => kind === wanted)
  return { fund, price, distributions, split: newest('split'), merger: newest('merger') }
}

export const documentsOf = ({ rows }: FundTables): readonly Named[] =>
  rows(documentsTable).map((row) => named(documentsTable, row))

const named = ({ columns }: OutputTable, row: OutputRow): Named =>
  Object.fromEntries(
    columns.map(({ name }, at) => {
      const cell = row[at] ?? null
      return [name, cell === null ? null : String(cell)]
    }),
  )

/** @param name of the file */
export const exchangePiece = (name: string, funds: readonly DownloadFund[]): Piece => ({
  name,
  row: 'exchange',
  describe: {
    en: 'All funds with their newest price, distributions and documents, in formats of the fund industry',
    de: 'Alle Fonds mit neuestem Preis, Ausschüttungen und Dokumenten, in Formaten der Fondsbranche',
  },
  rows: {
    funds,
    digest: ({ rows: { fund, groups, prices } }) =>
      [fund, groups.corporateActions, groups.documents, Object.values(prices).at(-1)].join(' '),
  },
})

/** Tables of the downloads, and the funds whose rows they may hold. All formats are made from these. Source: `data/model/schema.ts`. */

import { isYoungerThanOneYear, mayGiveOutPrices, mayShowPerformance } from '../../core/api/contract/fund.ts'
import type { FundRow } from '../../core/api/contract/rows.ts'
import type { Texts } from '../../core/api/contract/shape.ts'
import type { Language } from '../../core/api/routes/table.ts'
import type { DownloadColumn, Kind, Permission, SchemaTable } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import type { RowDigests } from '../../core/data/read/fund-digests.ts'
import { cached } from '../../core/system/cached.ts'

/**
 * - `decimal`: text of a plain decimal, given out digit for digit if the format allows it.
 * - `number`: a double, as its shortest decimal.
 * - `date`: ISO 8601. `boolean`: 0 or 1 in the database.
 */
export type ColumnType = 'text' | 'date' | 'decimal' | 'number' | 'integer' | 'boolean'

export interface OutputColumn extends DownloadColumn {
  readonly name: string
  readonly type: ColumnType
}

export interface OutputTable {
  /** Name of the files (`prices.csv`), and of the table in the SQLite file. */
  readonly name: string
  /** Name of the CSV files, if it is another one. */
  readonly csvName?: string
  readonly describe: Readonly<Record<Language, string>>
  readonly source: string
  readonly needs: Permission
  readonly columns: readonly OutputColumn[]
  /** Columns that name a row; rows come in their order. */
  readonly key: readonly string[]
  /** Makes a fund's rows of its own row and of its prices; without it they are those of the source. */
  readonly derive?: (rows: RowsOfFund) => readonly OutputRow[]
  /** Whether it is made of the prices of the newest year alone. */
  readonly isOfNewestYear?: boolean
}

/** A fund's rows of a table in the order of its key; none if the fund's permissions exclude them. */
export type RowsOfFund = (table: OutputTable) => readonly OutputRow[]

export type OutputRow = readonly OutputCell[]
export type OutputCell = string | number | null

const columnTypes: Readonly<Record<Kind, ColumnType>> = {
  isin: 'text',
  wkn: 'text',
  text: 'text',
  structureType: 'text',
  currency: 'text',
  language: 'text',
  country: 'text',
  address: 'text',
  dayOfYear: 'text',
  day: 'date',
  decimal: 'decimal',
  number: 'number',
  integer: 'integer',
  year: 'integer',
  flag: 'boolean',
}

/** Only a number ends with a digit and is valid as JSON. A point may stand for thousands, so such a text has none. */
function figure(name: string, text: Texts, sql: string): OutputColumn {
  const number = `replace(rtrim(${sql}, ' %' || char(160, 8239)), ',', '.')`
  const isPlain = `${sql} NOT GLOB '*.*' AND ${number} GLOB '*[0-9]' AND json_valid(${number})`
  return {
    name,
    type: 'number',
    isNullable: true,
    describe: {
      en: `${text.en} as a number: 2.49 for "2,49\u00a0%"; empty for other texts, such as "BBB+" or "1.000"`,
      de: `${text.de} als Zahl: 2.49 für „2,49\u00a0%“; leer bei anderen Texten wie „BBB+“ oder „1.000“`,
    },
    sql: `iif(${isPlain}, CAST(${number} AS REAL), NULL)`,
  }
}

/** Columns that follow from others, by the table of the database. */
const derived: Readonly<Record<string, readonly OutputColumn[]>> = {
  [schemaTables.prices.name]: [
    {
      name: 'currency',
      type: 'text',
      isNullable: false,
      describe: {
        en: 'Currency of the fund and of its prices, ISO 4217',
        de: 'Währung des Fonds und seiner Preise, ISO 4217',
      },
      sql: '(SELECT currency FROM fund WHERE fund.isin = t.isin)',
    },
  ],
  [schemaTables.keyFigures.name]: [
    figure('number', { en: 'The value', de: 'Der Wert' }, 't.value'),
    figure(
      'number2',
      { en: 'The second value', de: 'Der zweite Wert' },
      'iif(t.has_value2 = 1, t.value2, NULL)',
    ),
  ],
}

const tableOf = cached(({ name, key, columns, download }: SchemaTable): OutputTable => {
  return {
    ...download,
    source: name,
    key,
    columns: [
      ...columns.flatMap((column) =>
        column.download === null
          ? []
          : [{ name: column.name, type: columnTypes[column.kind], ...column.download }],
      ),
      ...(derived[name] ?? []),
    ],
  }
})

const schemaOutput: readonly OutputTable[] = Object.values(schemaTables).map(tableOf)

export const pricesTable = tableOf(schemaTables.prices)
export const actionsTable = tableOf(schemaTables.corporateActions)
export const documentsTable = tableOf(schemaTables.documents)

/** The table that holds the funds: all others refer to it. */
export const fundsTable = tableOf(schemaTables.fund)

const nameAt = fundsTable.columns.findIndex(({ name }) => name === 'name')

/** The table that most people look for first. */
export const newestPrices: OutputTable = {
  ...pricesTable,
  name: 'newest_prices',
  describe: { en: 'The newest price of each fund', de: 'Der neueste Preis jedes Fonds' },
  key: ['isin'],
  isOfNewestYear: true,
  columns: pricesTable.columns.toSpliced(1, 0, ...fundsTable.columns.slice(nameAt, nameAt + 1)),
  derive: (rows) => {
    const [fund = []] = rows(fundsTable)
    return rows(pricesTable)
      .slice(-1)
      .map((price) => price.toSpliced(1, 0, fund[nameAt] ?? null))
  },
}

/** Periods of {@link computedTable} in years, each until the newest price. */
export const periods = [1, 3, 5] as const

const inWords: Readonly<Record<(typeof periods)[number], Texts>> = {
  1: { en: 'one year', de: 'ein Jahr' },
  3: { en: 'three years', de: 'drei Jahre' },
  5: { en: 'five years', de: 'fünf Jahre' },
}

/** One row a fund: what is asked of all funds most often. `computed-figures.ts` writes its source into the copy of the database. */
export const computedTable: OutputTable = {
  name: 'computed_figures',
  describe: {
    en: 'Newest price, total return and volatility of each fund, computed from its net asset values',
    de: 'Neuester Preis, Wertentwicklung und Volatilität jedes Fonds, aus den Nettoinventarwerten berechnet',
  },
  source: 'fundpress_computed_figure',
  needs: 'prices',
  key: ['isin'],
  columns: [
    ...fundsTable.columns
      .filter(({ name }) => ['isin', 'name', 'currency'].includes(name))
      .map((column) => ({ ...column, sql: `(SELECT ${column.name} FROM fund WHERE fund.isin = t.isin)` })),
    ...pricesTable.columns.filter(({ name }) => name === 'date' || name === 'net_asset_value'),
    ...periods.flatMap((years): readonly OutputColumn[] => [
      computedColumn(`total_return_${years}y`, totalReturnText(inWords[years])),
      computedColumn(`volatility_${years}y`, volatilityText(inWords[years])),
    ]),
  ],
}

function computedColumn(name: string, describe: Texts): OutputColumn {
  return { name, type: 'number', isNullable: true, describe, sql: name }
}

function totalReturnText({ en, de }: Texts): Texts {
  return {
    en:
      `Total return over ${en} until date, in percent: distributions reinvested at the NAV of the ex-date or of the next price (BVI ` +
      'method), splits taken into account, without costs of purchase. Computed, with four decimals; empty if the prices do not cover the period, or performance may not be shown',
    de:
      `Wertentwicklung über ${de} bis date in Prozent: Ausschüttungen zum Nettoinventarwert des Ex-Tags oder des nächsten Preises wieder angelegt ` +
      '(BVI-Methode), Splits berücksichtigt, ohne Kosten des Kaufs. Berechnet, mit vier Nachkommastellen; leer, wenn die Preise den Zeitraum nicht abdecken oder die Wertentwicklung nicht gezeigt werden darf',
  }
}

function volatilityText({ en, de }: Texts): Texts {
  return {
    en:
      `Volatility over ${en} until date, in percent a year: sample standard deviation of the logarithmic changes from one price to the ` +
      'next, with distributions reinvested, times the square root of the number of changes that a year of the period had. Computed, with four decimals; empty for fewer than 30 changes',
    de:
      `Volatilität über ${de} bis date in Prozent pro Jahr: Stichprobenstandardabweichung der logarithmischen Änderungen von Preis zu Preis, ` +
      'mit wieder angelegten Ausschüttungen, mal der Wurzel aus der Zahl der Änderungen, die ein Jahr des Zeitraums hatte. Berechnet, mit vier Nachkommastellen; leer bei weniger als 30 Änderungen',
  }
}

/** In the order of the downloads. */
export const tables: readonly OutputTable[] = [...schemaOutput, computedTable]

/** A fund whose data may be given out, by the API's own rules, and what it holds. */
export interface DownloadFund {
  readonly isin: string
  readonly prices: boolean
  readonly performance: boolean
  readonly rows: RowDigests
}

/** @param asOf the snapshot's date, ISO 8601 @returns null for a fund whose data may not be given out */
export function downloadFund(fund: FundRow, rows: RowDigests, asOf: string): DownloadFund | null {
  if (fund.dataPermitted === 0) return null
  const performance = mayShowPerformance(fund) && !isYoungerThanOneYear(fund, asOf)
  return { isin: fund.isin, prices: mayGiveOutPrices(fund), performance, rows }
}

export const mayHold = (fund: DownloadFund, needs: Permission): boolean => needs === 'data' || fund[needs]

/** The funds whose rows may be in a table, in their order. */
export const permittedFunds = (funds: readonly DownloadFund[], needs: Permission): readonly DownloadFund[] =>
  funds.filter((fund) => mayHold(fund, needs))

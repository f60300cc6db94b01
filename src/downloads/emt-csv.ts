/**
 * `emt.csv`: EMT data by the names of the European MiFID Template (EMT V4.3 of FinDatEx): of its fields those that the
 * interface lists, and what says which fund a line is about. `fundpress import emt` reads it back.
 */

import type { FundDatabase } from '../source/open.ts'
import { optional, text, type Column, type Row } from './column.ts'
import { csvHeader, csvLine, type Dialect } from './csv.ts'
import { fileSink, type WrittenFile } from './file-sink.ts'
import { permittedIsins, type FundScope } from './scope.ts'

/**
 * In the order of the template. It has one day for both costs ex ante: that of the transaction costs counts, or that of
 * the incidental costs where there is no other (emt_data.csv has both).
 */
export const emtColumns: readonly Column[] = [
  text('00001_EMT_Version', 'Version of the template that the names of the columns are of', {
    sql: "'V4.3'",
  }),
  text('00010_Financial_Instrument_Identifying_Data', 'ISIN', { sql: 't.isin' }),
  text('00020_Type_Of_Identification_Code_For_The_Financial_Instrument', '1: ISO 6166', { sql: "'1'" }),
  text('00030_Financial_Instrument_Name', 'Name of the fund', { sql: 'f.name' }),
  text('00040_Financial_Instrument_Currency', 'Currency, ISO 4217', { sql: 'f.currency' }),
  optional.text(
    '00075_Financial_Instrument_Manufacturer_Product_Governance_Process',
    'Product governance process: A, B, C or D',
    { sql: 't.governanceprocess' },
  ),
  optional.integer('04020_Risk_Tolerance_UCITS_Methodology', 'SRRI, 1 to 7', { sql: 't.srri' }),
  optional.text(
    '05105_Does_This_Financial_Instrument_Consider_End_Client_Sustainability_Preferences',
    'Sustainability preferences',
    { sql: 't.compatible_for_clients_with_esg_preferences' },
  ),
  optional.text('05115_Other_Specific_Investment_Need', 'N, I or O', {
    sql: 't.other_specific_investment_need',
  }),
  optional.number('07130_Financial_Instrument_Transaction_Costs_Ex_Ante', 'A fraction: 0.0158 is 1.58 %', {
    sql: 't.transaction_costs',
  }),
  optional.number('07140_Financial_Instrument_Incidental_Costs_Ex_Ante', 'A fraction', {
    sql: 't.incidental_costs',
  }),
  optional.date('07160_Ex_Ante_Costs_Reference_Date', 'Day of the costs ex ante', {
    sql: 'coalesce(t.transaction_costs_date, t.incidental_costs_date)',
  }),
  optional.number('08025_One-off_Cost_Financial_Instrument_Entry_Cost_Acquired', 'A fraction', {
    sql: 't.entry_costs',
  }),
  optional.number('08030_Financial_Instrument_Ongoing_Costs_Ex_Post', 'A fraction', {
    sql: 't.ongoing_costs',
  }),
  optional.date('08100_End_Of_Reference_Period', 'Day of the costs ex post', { sql: 't.ongoing_costs_date' }),
]

/** How many columns the template has. Source: FinDatEx, EMT V4.3. */
export const emtTemplateColumns = 114

export function writeEmt(
  db: FundDatabase,
  scopes: readonly FundScope[],
  folder: string,
  dialect: Dialect,
): WrittenFile {
  const query =
    `SELECT ${emtColumns.map(({ sql }) => sql).join(', ')} FROM emt AS t ` +
    'JOIN fund AS f ON f.isin = t.isin WHERE t.isin = ?'
  const statement = db.prepare<[string], Row>(query).raw()
  const csv = fileSink(folder, 'emt.csv')
  const line = csvLine(emtColumns, dialect)
  csv.write(
    csvHeader(
      emtColumns.map(({ name }) => name),
      dialect,
    ),
  )
  let rows = 0
  for (const isin of permittedIsins(scopes, 'data')) {
    for (const row of statement.all(isin)) {
      csv.write(line(row))
      rows++
    }
  }
  return { ...csv.close(), rows }
}

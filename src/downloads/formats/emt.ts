/**
 * `emt.csv`: EMT data by the names of the European MiFID Template (EMT V4.3 of FinDatEx): the fields that the API has, and
 * those that say which fund a line is about. `fundpress import emt` reads it back.
 */

import { type OutputColumn, type OutputTable, permittedIsins } from '../tables.ts'
import { plainCsv } from './csv.ts'
import type { RowsFormat } from './format.ts'

/** How many columns the template has. Source: FinDatEx, EMT V4.3. */
const templateColumns = 114

/**
 * In the order of the template. The template has one day for both costs ex ante: this file gives that of the transaction
 * costs, or that of the incidental costs where there is no other (emt_data.csv has both).
 */
const columns: readonly OutputColumn[] = [
  column(
    '00001_EMT_Version',
    'text',
    'Version of the template that the names of the columns are of',
    "'V4.3'",
  ),
  column('00010_Financial_Instrument_Identifying_Data', 'text', 'ISIN', 't.isin'),
  column('00020_Type_Of_Identification_Code_For_The_Financial_Instrument', 'text', '1: ISO 6166', "'1'"),
  column('00030_Financial_Instrument_Name', 'text', 'Name of the fund', ofFund('name')),
  column('00040_Financial_Instrument_Currency', 'text', 'Currency, ISO 4217', ofFund('currency')),
  column(
    '00075_Financial_Instrument_Manufacturer_Product_Governance_Process',
    'text',
    'Product governance process: A, B, C or D',
    't.governanceprocess',
    true,
  ),
  column('04020_Risk_Tolerance_UCITS_Methodology', 'integer', 'SRRI, 1 to 7', 't.srri', true),
  column(
    '05105_Does_This_Financial_Instrument_Consider_End_Client_Sustainability_Preferences',
    'text',
    'Sustainability preferences',
    't.compatible_for_clients_with_esg_preferences',
    true,
  ),
  column(
    '05115_Other_Specific_Investment_Need',
    'text',
    'N, I or O',
    't.other_specific_investment_need',
    true,
  ),
  column(
    '07130_Financial_Instrument_Transaction_Costs_Ex_Ante',
    'number',
    'A fraction: 0.0158 is 1.58 %',
    't.transaction_costs',
    true,
  ),
  column(
    '07140_Financial_Instrument_Incidental_Costs_Ex_Ante',
    'number',
    'A fraction',
    't.incidental_costs',
    true,
  ),
  column(
    '07160_Ex_Ante_Costs_Reference_Date',
    'date',
    'Day of the costs ex ante',
    'coalesce(t.transaction_costs_date, t.incidental_costs_date)',
    true,
  ),
  column(
    '08025_One-off_Cost_Financial_Instrument_Entry_Cost_Acquired',
    'number',
    'A fraction',
    't.entry_costs',
    true,
  ),
  column('08030_Financial_Instrument_Ongoing_Costs_Ex_Post', 'number', 'A fraction', 't.ongoing_costs', true),
  column('08100_End_Of_Reference_Period', 'date', 'Day of the costs ex post', 't.ongoing_costs_date', true),
]

function column(
  name: string,
  type: OutputColumn['type'],
  describe: string,
  sql: string,
  isNullable = false,
): OutputColumn {
  return { name, type, describe, isNullable, sql }
}

function ofFund(column: string): string {
  return `(SELECT ${column} FROM fund WHERE isin = t.isin)`
}

/** The texts say that the file is no complete EMT: its first column looks as if it were. */
const template: OutputTable = {
  name: 'emt',
  describe: {
    en:
      `${columns.length} of the ${templateColumns} fields of the European MiFID Template (FinDatEx EMT V4.3), by its ` +
      'names: those that the API has. 00001 is the version that the names are of; it is no complete EMT to be delivered',
    de:
      `${columns.length} der ${templateColumns} Felder des European MiFID Template (FinDatEx EMT V4.3), mit dessen Namen: ` +
      'die der API. 00001 ist die Fassung, aus der die Namen sind; ein vollständiges EMT zum Ausliefern ist es nicht',
  },
  source: 'emt',
  needs: 'data',
  key: ['00010_Financial_Instrument_Identifying_Data'],
  columns,
}

const asCsv = plainCsv('emt', [template], () => 'emt.csv')

export const emtCsv: RowsFormat = {
  ...asCsv,
  pieces: (funds) =>
    asCsv.pieces(funds).map((piece) => {
      const isins = permittedIsins(funds.scopes, template.needs)
      // The name and the currency are in the fund's own row.
      return { ...piece, rows: { isins, digest: ({ fund, groups }) => `${fund} ${groups.emt}` } }
    }),
}

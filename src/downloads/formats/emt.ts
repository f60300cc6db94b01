/**
 * `emt.csv`: EMT data by the names of the European MiFID Template (EMT V4.3 of FinDatEx): the fields that the API has, and
 * those that say which fund a line is about. `fundpress import emt` reads it back.
 */

import { schemaTables } from '../../data/model/schema.ts'
import { columnTypes, type OutputColumn, type OutputTable, permittedFunds } from '../tables.ts'
import { plainCsv } from './csv.ts'
import type { PieceRows, RowsFormat } from './format.ts'

/** How many columns the template has. Source: FinDatEx, EMT V4.3. */
const templateColumns = 114

const ofFund = (name: string, describe: string, sql: string): OutputColumn => {
  return { name, type: 'text', describe, isNullable: false, sql }
}
const inFund = (column: string) => `(SELECT ${column} FROM fund WHERE isin = t.isin)`

/** A field of table emt: its number says which one. */
function field(name: string, describe: string): OutputColumn {
  const columns = schemaTables.emt.columns.filter(({ template }) => template === name.slice(0, 5))
  const [first] = columns
  if (first === undefined) throw new Error(`no column of table emt is field ${name} of the template`)
  const sql = `coalesce(${columns.map((column) => `t.${column.name}`).join(', ')}, NULL)`
  return { name, type: columnTypes[first.kind], describe, isNullable: true, sql }
}

/**
 * In the order of the template. The template has one day for both costs ex ante: this file gives that of the transaction
 * costs, or that of the incidental costs where there is no other (emt_data.csv has both).
 */
const columns: readonly OutputColumn[] = [
  ofFund('00001_EMT_Version', 'Version of the template that the column names follow', "'V4.3'"),
  ofFund('00010_Financial_Instrument_Identifying_Data', 'ISIN', 't.isin'),
  ofFund('00020_Type_Of_Identification_Code_For_The_Financial_Instrument', '1: ISO 6166', "'1'"),
  ofFund('00030_Financial_Instrument_Name', 'Name of the fund', inFund('name')),
  ofFund('00040_Financial_Instrument_Currency', 'Currency, ISO 4217', inFund('currency')),
  field(
    '00075_Financial_Instrument_Manufacturer_Product_Governance_Process',
    'Product governance process: A, B, C or D',
  ),
  field('04020_Risk_Tolerance_UCITS_Methodology', 'Risk and reward indicator (SRRI), 1 to 7'),
  field(
    '05105_Does_This_Financial_Instrument_Consider_End_Client_Sustainability_Preferences',
    'Whether the fund takes account of investors’ sustainability preferences: Y, N or Neutral',
  ),
  field('05115_Other_Specific_Investment_Need', 'N: none, I: Islamic banking, O: other'),
  field(
    '07130_Financial_Instrument_Transaction_Costs_Ex_Ante',
    'Transaction costs ex ante, as a fraction: 0.0158 is 1.58%',
  ),
  field('07140_Financial_Instrument_Incidental_Costs_Ex_Ante', 'Incidental costs ex ante, as a fraction'),
  field('07160_Ex_Ante_Costs_Reference_Date', 'Reference date of the costs ex ante'),
  field(
    '08025_One-off_Cost_Financial_Instrument_Entry_Cost_Acquired',
    'Entry costs paid into the fund, as a fraction',
  ),
  field('08030_Financial_Instrument_Ongoing_Costs_Ex_Post', 'Ongoing costs ex post, as a fraction'),
  field('08100_End_Of_Reference_Period', 'End of the reference period of the costs ex post'),
]

/** The texts say that the file is no complete EMT: its first column looks as if it were. */
const template: OutputTable = {
  name: 'emt',
  describe: {
    en:
      `${columns.length} of the ${templateColumns} fields of the European MiFID Template (FinDatEx EMT V4.3), under the names of ` +
      'the template. Field 00001 is the version of the template. Not a complete EMT for delivery',
    de:
      `${columns.length} der ${templateColumns} Felder des European MiFID Template (FinDatEx EMT V4.3), unter den Namen des ` +
      'Templates. Feld 00001 nennt die Version des Templates. Kein vollständiges EMT zur Weitergabe',
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
      // The name and the currency are in the fund's own row.
      const digest: PieceRows['digest'] = ({ fund, groups }) => `${fund} ${groups.emt}`
      return { ...piece, row: 'emt_template', rows: { funds: permittedFunds(funds, template.needs), digest } }
    }),
}

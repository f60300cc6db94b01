/** The tables of the downloads, which CSV, Parquet and SQLite are all made of. A new one is an entry here. */

import { boolean, date, decimal, integer, number, optional, text, type Column, type Table } from './column.ts'

const isin = text('isin', 'ISIN of the fund')

/** The English text, or the German one where there is none. Source: schema.sql. */
const inBoth = (name: string, describe: string): readonly Column[] => [
  text(`${name}_de`, `${describe}, in German`),
  text(`${name}_en`, `${describe}, in English (in German where there is no English one)`, {
    sql: `coalesce(t.${name}_en, t.${name}_de)`,
  }),
]

/** A way to invest: without a word on it, its minimum is not given out either. Source: the interface, profile. */
const possibility = (name: string, describe: string): readonly Column[] => [
  optional.boolean(name, `${describe}: whether it is possible`),
  optional.decimal(`${name}_minimum`, `${describe}: smallest amount, in the currency of the fund`, {
    sql: `iif(t.${name} IS NULL, NULL, t.${name}_minimum)`,
  }),
]

export const tables: readonly Table[] = [
  {
    name: 'funds',
    describe: 'Every fund that data may be given out of',
    source: 'fund',
    needs: 'data',
    key: ['isin'],
    columns: [
      isin,
      optional.text('wkn', 'German securities identification number (WKN)'),
      text('name', 'Name of the fund'),
      date('fund_inception_date', 'Day of its inception'),
      optional.date('status_date', 'Day that the data are of'),
      // The rule of `webAddress`: LIKE does not tell upper from lower case.
      text('url', "Address of the fund's details page; empty unless it begins with http:// or https://", {
        sql: "iif(t.url LIKE 'http://_%' OR t.url LIKE 'https://_%', t.url, '')",
      }),
      text('currency', 'Currency of the fund and of its prices, ISO 4217'),
    ],
  },
  {
    name: 'prices',
    describe: 'All prices of all funds, by fund and day',
    source: 'price',
    needs: 'prices',
    key: ['isin', 'date'],
    columns: [
      isin,
      date('date', 'Day of the prices'),
      decimal('issue_price', 'Issue price of one share'),
      decimal('repurchase_price', 'Repurchase price of one share'),
      decimal('net_asset_value', 'Net asset value (NAV) of one share'),
      decimal('change', 'Change against the previous day'),
      decimal('change_percent', 'The same, in percent'),
      decimal('performance', 'Performance since the end of the previous year, percent'),
      optional.decimal('intercompany_profit', 'Interim profit (tax figure)'),
      optional.decimal('share_profit', 'Share profit (tax figure)'),
      optional.decimal('real_estate_profits', 'Real estate profit (tax figure)'),
      optional.decimal('share_profit2', 'Second share profit (tax figure)'),
    ],
  },
  {
    name: 'performance_years',
    describe: 'Performance by calendar year; of funds that are a year old',
    source: 'performance_year',
    needs: 'performance',
    key: ['isin', 'year'],
    columns: [isin, integer('year', 'Calendar year'), number('percent', 'Performance of that year, percent')],
  },
  {
    name: 'performance_periods',
    describe: 'Performance by the periods that the law asks for; of funds that are a year old',
    source: 'legal_period',
    needs: 'performance',
    key: ['isin', 'label'],
    columns: [
      isin,
      text('label', 'Label of the period'),
      date('date_from', 'Start of the period'),
      date('date_realfrom', 'Actual start of the period'),
      date('date_to', 'End of the period'),
      optional.number('gross', 'Gross performance of the period, percent'),
      optional.number('net', 'Net performance of the period, percent'),
    ],
  },
  {
    name: 'performance_line',
    describe:
      'Cumulative performance in percent, the line beside the legal periods; of funds that are a year old',
    source: 'legal_point',
    needs: 'performance',
    key: ['isin', 'date'],
    columns: [isin, date('date', 'Day of the point'), number('value', 'Cumulative performance, percent')],
  },
  {
    name: 'performance_launch',
    describe: 'Performance since launch, an index that starts at 100; of funds that are a year old',
    source: 'launch_point',
    needs: 'performance',
    key: ['isin', 'date'],
    columns: [isin, date('date', 'Day of the point'), number('value', 'Index value')],
  },
  {
    name: 'structures',
    describe: 'Investment structures: the parts of a fund by country, branch and so on',
    source: 'structure_item',
    needs: 'data',
    key: ['isin', 'type', 'position'],
    columns: [
      isin,
      text('type', 'Type of the structure, as in the path of the API'),
      integer('position', 'Place of the item in its structure'),
      ...inBoth('name', 'Name of the item'),
      number('percent', 'Percent of the fund, of the type correlation the coefficient; can be negative'),
    ],
  },
  {
    name: 'allocations',
    describe: 'Asset allocations over time',
    source: 'asset_allocation',
    needs: 'data',
    key: ['isin', 'derivatives', 'position', 'date'],
    columns: [
      isin,
      boolean('derivatives', 'Whether derivatives are counted in'),
      integer('position', 'Place of the asset class'),
      ...inBoth('class', 'Name of the asset class'),
      date('date', 'Day of the allocation'),
      number('percent', 'Percent of the fund in that class on that day'),
    ],
  },
  {
    name: 'key_figures',
    describe: 'Key figures, as texts that are ready to be shown',
    source: 'key_figure',
    needs: 'data',
    key: ['isin', 'position'],
    columns: [
      isin,
      integer('position', 'Place of the key figure'),
      ...inBoth('name', 'Name of the key figure'),
      text('value', 'Value, as a text that may carry a percent sign and a decimal comma'),
      optional.text('value2', 'Second value', { sql: 'iif(t.has_value2 = 1, t.value2, NULL)' }),
    ],
  },
  {
    name: 'profiles',
    describe: 'Profile of each fund: category, volume, costs, ways to invest',
    source: 'profile',
    needs: 'data',
    key: ['isin'],
    columns: [
      isin,
      ...inBoth('category', 'Category of the fund'),
      optional.text('benchmark', 'Benchmark'),
      decimal('fund_assets', 'Assets of the share class, in the currency of the fund'),
      decimal('total_fund_assets', 'Assets of the whole fund, in the currency of the fund'),
      text('end_of_fiscal_year', 'End of the fiscal year, MM-DD'),
      boolean('accumulating', 'Whether earnings stay in the fund, instead of being distributed'),
      boolean('conformity', 'Whether the fund conforms to the directives'),
      number('issue_surcharge', 'Issue surcharge, percent'),
      number('redemption_fee', 'Redemption fee, percent'),
      number('total_expense_ratio', 'Total expense ratio, percent'),
      number('management_fee', 'Management fee, percent'),
      number('custodian_bank_fee', 'Fee of the custodian bank, percent'),
      boolean('performance_fee', 'Whether there is a performance fee'),
      ...possibility('savings_plan', 'Savings plan'),
      ...possibility('one_time_investment', 'One-time investment'),
      ...possibility('capital_forming_payments', 'Capital-forming payments'),
    ],
  },
  {
    name: 'emt',
    // emt.csv has the names of the template.
    csvName: 'emt_data',
    describe: 'Data of the European MiFID Template (EMT), by the names of the API',
    source: 'emt',
    needs: 'data',
    key: ['isin'],
    columns: [
      isin,
      optional.integer('srri', 'Risk and reward indicator, 1 to 7 (EMT 04020)'),
      optional.date('ongoing_costs_date', 'Day of ongoing_costs (EMT 08100)'),
      optional.number('ongoing_costs', 'Ongoing costs ex post, a fraction: 0.0158 is 1.58 % (EMT 08030)'),
      optional.date('transaction_costs_date', 'Day of transaction_costs (EMT 07160)'),
      optional.number('transaction_costs', 'Transaction costs ex ante, a fraction (EMT 07130)'),
      optional.date('incidental_costs_date', 'Day of incidental_costs (EMT 07160)'),
      optional.number('incidental_costs', 'Incidental costs ex ante, a fraction (EMT 07140)'),
      optional.number('entry_costs', 'Entry costs, a fraction (EMT 08025)'),
      optional.text('governanceprocess', 'Product governance process: A, B, C or D (EMT 00075)'),
      optional.text('compatible_for_clients_with_esg_preferences', 'Sustainability preferences (EMT 05105)'),
      optional.text(
        'other_specific_investment_need',
        'Other specific investment need: N, I or O (EMT 05115)',
      ),
    ],
  },
]

/** One fund's rows of a table, in the order of its key. */
export function fundQuery({ columns, source, key }: Table): string {
  const order = key.map((name) => `t.${name}`).join(', ')
  return `SELECT ${columns.map(({ sql }) => sql).join(', ')} FROM ${source} AS t WHERE t.isin = ? ORDER BY ${order}`
}

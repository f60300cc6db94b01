/** Everything that can be wrong with the rows of a fund: one problem a fund, and what has to be said of it. */
import {
  columnsOfType,
  goodRows,
  insertGood,
  type Insert,
  type Row,
  type Value,
} from '../support/database.ts'

export interface Problem {
  /** Inserts a fund that has this problem and no other. */
  readonly insert: (insert: Insert, isin: string) => void
  readonly table: string
  /** What the message says: the row, the column and what is wrong. */
  readonly says: readonly string[]
}

const dates = columns(
  'fund: fund_inception_date status_date end_date suspended_from suspended_to',
  'price: date',
  'corporate_action: ex_date',
  'document: date',
  'legal_period: date_from date_realfrom date_to',
  'legal_point: date',
  'launch_point: date',
  'asset_allocation: date',
  'emt: ongoing_costs_date transaction_costs_date incidental_costs_date',
)
const noDates =
  '2023-02-29 2024-13-01 2024-00-10 2024-04-31 2024-1-02 20240102 0 24-01-02 2024-04-1１ 2024-04-10T00:00'.split(
    ' ',
  )

const decimals = columns(
  'price: issue_price repurchase_price net_asset_value change change_percent performance',
  'price: intercompany_profit share_profit real_estate_profits share_profit2',
  'corporate_action: amount',
  'profile: fund_assets total_fund_assets savings_plan_minimum one_time_investment_minimum',
  'profile: capital_forming_payments_minimum',
)
const noDecimals = '1e5|1,5| 1|1 |+1|.5|1.||NaN|-|--1|0x1|1.2.3|１|1\n'.split('|')

const spreadsheetErrors = '#REF!|#N/A|#DIV/0!|#BEZUG!|#NV|Rating #WERT! alt|###|Err:502'.split('|')
const noValues =
  'NaN| nan %|null|undefined|<NA>|n/a|N/A|n.a.|k.A.|k. A.|Keine Angabe|nicht verfügbar|-| – |—|- %'.split('|')

const enumerations = columns(
  'fund: data_permitted prices_permitted performance_permitted end_reason',
  'key_figure: has_value2',
  'profile: accumulating conformity performance_fee savings_plan one_time_investment capital_forming_payments',
  'asset_allocation: derivatives',
  'corporate_action: kind',
  'document: kind',
  'emt: srri governanceprocess compatible_for_clients_with_esg_preferences other_specific_investment_need',
)

/** `DEM` ended, `XXX` is no currency, and the others are hundredths. */
const noCurrencies = ['eur', 'EURO', '', 'E R', 'DEM', 'XXX', 'GBX', 'GBp', 'ZAc', 'ILA', 'USd']
const noPayment = { amount: null, currency: null }
const actionFaults: readonly (readonly [row: Row, says: string])[] = [
  [{ amount: '0.00' }, 'amount "0.00" is not above 0'],
  [{ amount: '-1.5' }, 'amount "-1.5" is not above 0'],
  [{ currency: 'USD' }, 'currency is "USD", that of the fund EUR: convert the amount'],
  [{ amount: null }, 'a distribution needs amount'],
  [{ currency: null }, 'a distribution needs currency'],
  [{ factor: '10' }, 'a distribution has no factor'],
  [{ kind: 'split', factor: '10' }, 'a split has no amount'],
  [{ ...noPayment, kind: 'split' }, 'a split needs factor'],
  ...['0', '-10', '1', '1.000'].map(
    (factor) =>
      [{ ...noPayment, kind: 'split', factor }, `factor "${factor}" is not above 0, or it is 1`] as const,
  ),
  [{ ...noPayment, kind: 'split', factor: '1:10' }, 'factor "1:10" is not a plain decimal'],
  [{ ...noPayment, kind: 'merger' }, 'a merger needs successor_isin'],
  [
    { ...noPayment, kind: 'merger', successor_isin: 'XF0000000011' },
    'successor_isin "XF0000000011" is not an ISIN',
  ],
]

const priceTooLate = '1 price lies after the as-of date 2024-05-03, the first on 2024-05-04'
const notInXml = { 'U+0000': '\u0000', 'U+000B': '\u000b', 'U+001F': '\u001f', 'U+FFFE': '\ufffe' }

/** How a message names the row, in tables that have several a fund. */
const rows: Readonly<Record<string, string>> = {
  price: 'date 2024-05-02: ',
  corporate_action: 'ex_date ',
  performance_year: 'year 2021: ',
  structure_item: 'type countries, position 3: ',
  key_figure: 'position 4: ',
  legal_period: 'label 2019: ',
  legal_point: 'date 2024-04-30: ',
  launch_point: 'date 2024-03-29: ',
  asset_allocation: 'position 5, date ',
}

/** What names the row in its table, beside the ISIN. */
const keys = 'price.date legal_point.date launch_point.date legal_period.label structure_item.type'.split(' ')

/** By the sentence that a test of them has for its title. */
export const problems: Readonly<Record<string, readonly Problem[]>> = {
  'dates that do not exist, in every column of dates': [
    ...dates.flatMap(([table, column]) =>
      [...noDates, '', '2024-01-02 '].map((day) => changed(table, column, day, `"${day}" is not a date`)),
    ),
    ...['02-30', '13-01', '1-1', '', '12-31 '].map((day) =>
      changed('profile', 'end_of_fiscal_year', day, `"${day}" is not a day of the year`),
    ),
  ],
  'what programs store for no day, in every column of dates': dates.flatMap(([table, column]) =>
    ['1899-12-30', '1753-01-01'].map((day) =>
      changed(table, column, day, `"${day}" is what programs store for no day`),
    ),
  ),
  'decimals that are not plain, in every column of decimals': decimals.flatMap(([table, column]) =>
    noDecimals.map((text) => changed(table, column, text, `${JSON.stringify(text)} is not a plain decimal`)),
  ),
  'decimals with more than 30 digits, 23 before the point or 15 after it': decimals.flatMap(
    ([table, column]) =>
      [`-${'1'.repeat(24)}`, `0.${'0'.repeat(16)}`, `${'1'.repeat(16)}.${'1'.repeat(15)}`].map((text) =>
        changed(table, column, text, `"${text}" has more than 30 digits`),
      ),
  ),
  'numbers beyond all measure, in every column of numbers': columnsOfType('REAL').flatMap(([table, column]) =>
    [1e30, -1.5e300, 1e-30, -5e-324].map((number) =>
      changed(table, column, number, `${number} is not between 1e-30 and 1e+30`),
    ),
  ),
  'days before 1700, or more than 50 years after the as-of date': dates.flatMap(([table, column]) =>
    ['1699-12-31', '0001-01-01', '2074-05-04', '9999-12-31']
      // A fund that begins in the future has prices that are older than it, which is another warning.
      .filter((day) => column !== 'fund_inception_date' || day < '2000')
      .map((day) => {
        const last = column === 'fund_inception_date' ? '2025-05-03' : '2074-05-03'
        return changed(table, column, day, `${day} does not lie between 1700-01-01 and ${last}`)
      }),
  ),
  'numbers that have no digits, in every column of numbers': columnsOfType('REAL').flatMap(
    ([table, column]) => [Infinity, -Infinity].map((number) => changed(table, column, number, 'is infinite')),
  ),
  'characters that XML cannot hold, in every column of text': columnsOfType('TEXT').flatMap(
    ([table, column]) =>
      Object.entries(notInXml).map(([code, character]) =>
        changed(table, column, `Text${character}`, isFree(table, column) ? code : ''),
      ),
  ),
  'errors of spreadsheets and words for a missing value, in every free column of text': columnsOfType('TEXT')
    .filter(([table, column]) => isFree(table, column))
    .flatMap(([table, column]) => [
      ...spreadsheetErrors.map((text) =>
        changed(table, column, text, `"${text}" is an error of a spreadsheet`),
      ),
      ...noValues.map((text) => changed(table, column, text, `"${text}" says that there is no value`)),
    ]),
  'losses of more than all, and an index or a fee below zero': [
    ...columns('profile: issue_surcharge redemption_fee management_fee custodian_bank_fee').map(
      ([table, column]) => changed(table, column, -0.5, `${column} -0.5 is below 0, which cannot be`),
    ),
    ...columns('performance_year: percent', 'legal_period: gross net', 'legal_point: value').map(
      ([table, column]) => changed(table, column, -100.01, `-100.01 is below -100, which cannot be`),
    ),
    changed('launch_point', 'value', -0.01, '-0.01 is below 0, which cannot be'),
  ],
  'values that the constraints of the schema would refuse': enumerations.flatMap(([table, column]) => {
    const isText = typeof goodRows[table]?.[column] === 'string'
    return (isText ? ['X', ''] : [-1, 8]).map((value) => changed(table, column, value, 'not one of'))
  }),
  'structure types that there are not': ['country', 'Countries', 'constructor', '__proto__', ''].map(
    (type) => ({
      ...changed('structure_item', 'type', type, ''),
      says: [`position 3: type "${type}" is not one of the structure types`],
    }),
  ),
  'currencies that are no codes, or of a part of a currency': noCurrencies.flatMap((code) =>
    columns('fund: currency', 'corporate_action: currency', 'profile: total_fund_assets_currency').map(
      ([table, column]) => changed(table, column, code, `"${code}" is not an ISO 4217 code`),
    ),
  ),
  'corporate actions that contradict themselves, their kind or their fund': actionFaults.map(
    ([row, says]) => ({
      ...changed('corporate_action', 'kind', '', ''),
      insert: (insert, isin) => insertGood(insert, isin, { corporate_action: row }),
      says: ['ex_date 2019-07-01, kind ', says],
    }),
  ),
  'years before 1700, or more than 50 years after the as-of date': [-1, 1699, 2075, 10000].map((year) =>
    changed('performance_year', 'year', year, `year ${year} does not lie between 1700 and 2074`),
  ),
  'figures of days and years after the as-of date': [
    ...columns('legal_point: date', 'launch_point: date').map(([table, column]) =>
      changed(table, column, '2024-05-04', 'date 2024-05-04 lies after the as-of date, 2024-05-03'),
    ),
    {
      ...changed('asset_allocation', 'date', '2024-05-04', ''),
      says: ['derivatives 1, position 5: date 2024-05-04 lies after the as-of date, 2024-05-03'],
    },
    changed('performance_year', 'year', 2025, 'year 2025 lies after the as-of date, 2024-05-03'),
  ],
  'prices after the as-of date': [changed('price', 'date', '2024-05-04', priceTooLate)],
  'ends and suspensions that contradict themselves': [
    ofFund({ end_date: null }, 'an end_reason needs an end_date'),
    ofFund({ end_date: '2009-12-31' }, 'it ends on 2009-12-31, before it begins (2010-01-04)'),
    ofFund({ suspended_from: null }, 'suspended_to is "2020-03-27", before suspended_from or without it'),
    ofFund({ suspended_to: '2020-03-15' }, 'suspended_to is "2020-03-15", before suspended_from'),
  ],
  'legal periods that end before they start': ['date_from', 'date_realfrom'].map((column) => ({
    ...changed('legal_period', column, '2020-01-01', ''),
    says: ['period "2019": dates out of order, it ends on 2019-12-31, before it starts'],
  })),
  'two asset classes of one name on one day, in either language': [
    sameClass({ class_de: 'Aktien', class_en: 'Stocks' }, '"Aktien" (de)'),
    sameClass({ class_de: 'Anteile', class_en: 'Shares' }, '"Shares" (en)'),
    sameClass({ class_de: 'Shares', class_en: null }, '"Shares" (en)'),
  ],
}

/** A good fund but for one value. */
function changed(table: string, column: string, value: Value, problem: string): Problem {
  const isKey = keys.includes(`${table}.${column}`) || column === 'year'
  return {
    insert: (insert, isin) => insertGood(insert, isin, { [table]: { [column]: value } }),
    table,
    says: isKey ? [problem] : [rows[table] ?? '', `${column} `, problem],
  }
}

function ofFund(fund: Row, problem: string): Problem {
  return { insert: (insert, isin) => insertGood(insert, isin, { fund }), table: 'fund', says: [problem] }
}

/** A second asset class on the same day. */
function sameClass(names: { class_de: string; class_en: string | null }, problem: string): Problem {
  return {
    insert: (insert, isin) => {
      insertGood(insert, isin)
      insert('asset_allocation', { isin, ...goodRows['asset_allocation'], position: 6, ...names })
    },
    table: 'asset_allocation',
    says: [`position 6, date 2024-02-29: another class has the same name, ${problem}`],
  }
}

/** Whether any text may stand there. */
function isFree(table: string, column: string): boolean {
  const fixed = columns(
    'structure_item: type',
    'profile: end_of_fiscal_year total_fund_assets_currency',
    'fund: currency',
    'corporate_action: currency factor successor_isin',
    'document: language country url',
  )
  const listed = [...dates, ...decimals, ...enumerations, ...fixed]
  return !listed.some(([inTable, name]) => inTable === table && name === column)
}

function columns(...lines: readonly string[]): (readonly [table: string, column: string])[] {
  return lines.flatMap((line) => {
    const [table = '', names = ''] = line.split(': ')
    return names.split(' ').map((name) => [table, name] as const)
  })
}

/** What the rows of tables beside the prices can hardly mean: `check` warns of it, and not of what is a step away from it. */
import { goodRows, isinOf, type Insert, type Row } from '../support/database.ts'

type Rows = readonly (readonly [table: string, row: Row])[]

interface Doubt {
  /** The table and the message of the one warning. */
  readonly says: string
  /** Rows of a fund in place of the good ones of their tables. */
  readonly wrong: Rows
  /** The same without a warning. */
  readonly right: Rows
}

const items = (type: string, ...percents: readonly number[]): Rows =>
  percents.map((percent, position) => ['structure_item', { type, position, percent }])

const classes = (...percents: readonly number[]): Rows =>
  percents.map((percent, position) => {
    const name = `Class ${position}`
    return ['asset_allocation', { derivatives: 0, position, class_de: name, class_en: name, percent }]
  })

/** Prices of two days with tax figures: interim profit and share profit. */
const taxed = (date: string, before: readonly [string, string], after: readonly [string, string]): Rows => {
  const figures = ([interim, share]: readonly [string, string]) => ({
    intercompany_profit: interim,
    share_profit: share,
    real_estate_profits: null,
    share_profit2: '0.00',
  })
  return [
    ['price', { date: '2024-04-30', ...figures(before) }],
    ['price', { date, ...figures(after) }],
  ]
}

const mergerOf = (end_date: string | null, end_reason: string | null): Rows => [
  ['fund', { end_date, end_reason }],
  ['corporate_action', { ...merger, ex_date: '2024-05-03' }],
]
const merger = { kind: 'merger', amount: null, currency: null, successor_isin: isinOf(100) }
const otherEnd = 'ex_date 2024-05-03, kind merger: table fund has another end_date or end_reason'

const noWkn = 'is not a WKN: six digits and capital letters without I and O'

const before = 'lies before the inception of the fund, 2010-01-04'
const after = 'lies after the as-of date, 2024-05-03'
const kid = { kind: 'kid', language: 'de' }

export const doubts: readonly Doubt[] = [
  {
    says: `performance_year: year 2008 ${before}, as in 1 more row`,
    wrong: [
      ['performance_year', { year: 2008 }],
      ['performance_year', { year: 2009 }],
      ['performance_year', { year: 2010 }],
    ],
    right: [['performance_year', { year: 2010 }]],
  },
  {
    says: `legal_period: label 2019: date_realfrom 2010-01-03 ${before}`,
    wrong: [['legal_period', { date_from: '2009-12-31', date_realfrom: '2010-01-03' }]],
    right: [['legal_period', { date_from: '2009-12-31', date_realfrom: '2010-01-04' }]],
  },
  ...['legal_point', 'launch_point'].map((table) => ({
    says: `${table}: date 2010-01-03 ${before}`,
    wrong: [[table, { date: '2010-01-03' }]] as const,
    right: [[table, { date: '2010-01-04' }]] as const,
  })),
  {
    says: `asset_allocation: derivatives 1, position 5: date 2010-01-03 ${before}`,
    wrong: [['asset_allocation', { date: '2010-01-03' }]],
    right: [['asset_allocation', { date: '2010-01-04' }]],
  },
  {
    says: `corporate_action: kind distribution: ex_date 2010-01-03 ${before}`,
    wrong: [['corporate_action', { ex_date: '2010-01-03' }]],
    right: [['corporate_action', { ex_date: '2031-12-31' }]],
  },
  {
    says: `document: kind kid, language de: date 2024-05-04 ${after}, as in 1 more row`,
    wrong: [
      ['document', { ...kid, date: '2024-05-04' }],
      ['document', { ...kid, date: '2031-12-31' }],
      ['document', { ...kid, date: '2009-12-31' }],
    ],
    right: [['document', { ...kid, date: '2024-05-03' }]],
  },
  {
    says: `fund: status_date 2024-05-04 ${after}`,
    wrong: [['fund', { status_date: '2024-05-04' }]],
    right: [['fund', { status_date: '2024-05-03' }]],
  },
  {
    says: `legal_period: label 2019: date_to 2024-05-04 ${after}`,
    wrong: [['legal_period', { date_to: '2024-05-04' }]],
    right: [['legal_period', { date_to: '2024-05-03' }]],
  },
  ...['ongoing', 'transaction', 'incidental'].map((costs) => ({
    says: `emt: ${costs}_costs_date 2024-05-04 ${after}`,
    wrong: [['emt', { [`${costs}_costs_date`]: '2024-05-04' }]] as const,
    right: [['emt', { [`${costs}_costs_date`]: '2024-05-03' }]] as const,
  })),
  ...['47402', '973270.0', '8.47E+05'].map((wkn) => ({
    says: `fund: wkn "${wkn}" ${noWkn}; a spreadsheet makes numbers of them`,
    wrong: [['fund', { wkn }]] as const,
    right: [['fund', { wkn: '047402' }]] as const,
  })),
  {
    says: `fund: wkn "A0RPWO" ${noWkn}`,
    wrong: [['fund', { wkn: 'A0RPWO' }]],
    right: [['fund', { wkn: 'A0RPWH' }]],
  },
  {
    says: 'fund: end_date 2024-05-01: there are prices after it, the newest of 2024-05-02',
    wrong: [['fund', { end_date: '2024-05-01' }]],
    right: [['fund', { end_date: '2024-05-02' }]],
  },
  {
    says: `corporate_action: ${otherEnd}: the earlier day counts`,
    wrong: mergerOf('2024-05-02', 'merged'),
    right: mergerOf('2024-05-03', 'merged'),
  },
  {
    says: `corporate_action: ${otherEnd}: the earlier day counts`,
    wrong: mergerOf('2024-05-03', 'liquidated'),
    // A term that ends later was planned before the merger.
    right: mergerOf('2040-12-31', 'matured'),
  },
  {
    says: 'profile: total_expense_ratio 0.0145 does not lie between 0.05 and 15',
    wrong: [['profile', { total_expense_ratio: 1.45 / 100 }]],
    right: [['profile', { total_expense_ratio: 0.05 }]],
  },
  {
    says: 'profile: total_expense_ratio 15.01 does not lie between 0.05 and 15',
    wrong: [['profile', { total_expense_ratio: 15.01 }]],
    right: [['profile', { total_expense_ratio: 15 }]],
  },
  {
    says: 'profile: total_fund_assets 5123.40 is below 100000',
    wrong: [['profile', { total_fund_assets: '5123.40', fund_assets: '1.00' }]],
    right: [['profile', { total_fund_assets: '100000', fund_assets: '1.00' }]],
  },
  {
    says: 'profile: fund_assets 0.00 is below 0.01',
    wrong: [['profile', { fund_assets: '0.00' }]],
    right: [['profile', { fund_assets: '0.01' }]],
  },
  {
    says: 'performance_year: year 2021: percent 1000.5 is above 1000',
    wrong: [['performance_year', { percent: 1000.5 }]],
    right: [['performance_year', { percent: 1000 }]],
  },
  {
    says: 'legal_period: label 2019: net 1525 is above 1000',
    wrong: [['legal_period', { net: 1525 }]],
    right: [['legal_period', { net: 1000 }]],
  },
  {
    says: 'structure_item: type countries: 2 items sum to 140 %, more than 101 %',
    wrong: items('countries', 84, 56),
    right: items('countries', 60, 41),
  },
  {
    says: 'structure_item: type currencies: 2 items sum to 94.9 %, less than 95 %',
    wrong: items('currencies', 60, 34.9),
    right: items('currencies', 60, 35),
  },
  {
    says: 'structure_item: type top_values: 2 items sum to 120 %, more than 101 %',
    wrong: items('top_values', 60, 60),
    right: [
      ...items('top_values', 9, 6),
      ...items('terms_derivatives', 90, 40),
      ...items('correlation', 0.9, 0.2),
    ],
  },
  {
    says: 'structure_item: type countries: 1 item has 1 %, less than 95 %, as in 1 more list',
    wrong: [...items('countries', 1), ...items('terms', 0.4, 0.6)],
    right: items('terms', 40, 60),
  },
  {
    says: 'asset_allocation: derivatives 0, date 2024-02-29: 2 items sum to 90 %, less than 95 %',
    wrong: classes(60, 30),
    right: classes(60, 40),
  },
  {
    says: 'price: date 2024-05-02: its tax figures are all zero, those of 2024-04-30 are not',
    wrong: taxed('2024-05-02', ['0.43', '-1.00'], ['0.00', '0.00']),
    right: taxed('2024-05-02', ['0.43', '-1.00'], ['0.00', '-0.01']),
  },
  {
    says: 'price: date 2024-05-03: its tax figures are all zero, those of 2024-04-30 are not',
    wrong: taxed('2024-05-03', ['0', '1'], ['0', '0']),
    // An interim profit begins anew.
    right: taxed('2024-05-03', ['0.43', '0'], ['0', '0']),
  },
]

/** Inserts a fund with good rows, but for these tables. */
export function insertWith(insert: Insert, isin: string, rows: Rows): void {
  const tables = new Set(rows.map(([table]) => table))
  for (const [table, row] of Object.entries(goodRows)) if (!tables.has(table)) insert(table, { isin, ...row })
  for (const [table, row] of rows) insert(table, { isin, ...goodRows[table], ...row })
}

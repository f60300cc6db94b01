/**
 * Funds that no demo has: every character that a format must escape, texts that look like a format's own marks, numbers
 * at the edge of their notation, years without prices, each permission taken away once. As-of date: 2025-02-28.
 */
import Database from 'better-sqlite3'
import { goodRows, insertInto, isinOf, type Insert, type Row } from './database.ts'

export const oddFunds = {
  asOf: '2025-02-28',
  /** Everything there is, as awkward as it may be. */
  awkward: 'LU00000ODD13',
  /** Born on 29 February 2024: a year old on the as-of date. */
  leapling: 'LU00000ODD21',
  /** Born on 1 March 2024: a year old the day after. */
  young: 'LU00000ODD39',
  withoutData: 'LU00000ODD47',
  denied: 'LU00000ODD54',
  pricesDenied: 'LU00000ODD62',
  /** Also too young, which must not show. */
  performanceDenied: 'LU00000ODD70',
  /** Prices in 2019 and in 2022 only. */
  gap: 'LU00000ODD88',
} as const

const forgedRecord = '"},{"date":"2020-01-01","issue_price":{"name":"'
const forgedItem = '</value></item><item key="1"><date>2020-01-01</date>'
const marks = `& < > " ' &amp; &#13; ]]> \\ / \t \n \r \u2028 \u0085 ÄÖÜß € 😀`

/** Fills an empty database of the schema. */
export function insertOddFunds(path: string): void {
  const db = new Database(path, { fileMustExist: true })
  const insert = insertInto(db)
  db.transaction(() => {
    insertFunds(insert)
    for (const isin of Object.values(oddFunds)) if (isin.startsWith('LU')) insertSimple(insert, isin)
    insertAwkward(insert, oddFunds.awkward)
    insertActions(insert, oddFunds.awkward)
    for (const date of ['2019-03-01', '2019-12-31', '2022-01-01', '2022-12-31']) {
      insert('price', { ...price(oddFunds.gap, date, '10.5'), change: '-0.00' })
    }
  })()
  db.close()
}

function insertFunds(insert: Insert): void {
  const fund = (isin: string, row: Row): void => {
    const dates = { fund_inception_date: '2015-06-01', status_date: '2025-02-27' }
    const url = `https://funds.example/${isin}`
    insert('fund', { isin, name: `Fund ${isin}`, ...dates, url, currency: 'EUR', ...row })
  }
  fund(oddFunds.awkward, {
    name: `  ${forgedRecord} ${forgedItem} ${marks} `,
    wkn: 'ODD001',
    url: 'https://funds.example/?a=1&b=%22%3C#"\'',
    status_date: null,
  })
  fund(oddFunds.leapling, { fund_inception_date: '2024-02-29' })
  fund(oddFunds.young, { fund_inception_date: '2024-03-01' })
  fund(oddFunds.withoutData, {})
  fund(oddFunds.denied, { data_permitted: 0 })
  fund(oddFunds.pricesDenied, { prices_permitted: 0 })
  fund(oddFunds.performanceDenied, { performance_permitted: 0, fund_inception_date: '2024-12-01' })
  // No address of the web: it is not given out.
  fund(oddFunds.gap, { url: 'javascript:alert(1)//http://' })
}

/** A little of everything, so that only permission and age decide what is answered. */
function insertSimple(insert: Insert, isin: string): void {
  if (isin === oddFunds.withoutData || isin === oddFunds.awkward) return
  const newest = price(isin, '2025-02-27', '10.5')
  // One fund has no performance since the end of the year before.
  if (isin !== oddFunds.gap)
    insert('price', isin === oddFunds.young ? { ...newest, performance: null } : newest)
  insert('performance_year', { isin, year: 2024, percent: 5.25 })
  const sweden = { name_de: 'Schweden', name_en: 'Sweden' }
  insert('structure_item', { isin, type: 'countries', position: 0, ...sweden, percent: 100 })
  insert('key_figure', { isin, position: 0, name_de: 'Volatilität', name_en: 'Volatility', value: '1,5 %' })
  insert('launch_point', { isin, date: '2024-12-02', value: 100 })
  // A line without periods is legal performance data too.
  insert('legal_point', { isin, date: '2024-12-02', value: 0 })
  const shares = { class_de: 'Aktien', class_en: 'Shares', date: '2024-12-31', percent: 99.5 }
  insert('asset_allocation', { isin, derivatives: 0, position: 0, ...shares })
  insert('emt', { isin })
  insert('profile', profile(isin, nothing))
}

function insertAwkward(insert: Insert, isin: string): void {
  insert('price', { ...price(isin, '2019-12-31', '-0.00'), performance: null })
  const taxed = { intercompany_profit: '1.10', share_profit2: '-2.00' }
  insert('price', { ...price(isin, '2020-01-01', '0.0001'), ...taxed })
  insert('price', { ...price(isin, '2020-02-29', '100'), share_profit: '3', real_estate_profits: '0.50' })
  // Twice, so that the newest price is plausible.
  for (const date of ['2021-12-30', '2021-12-31'])
    insert('price', {
      ...price(isin, date, '123456789012345678.123456789'),
      change: '0.00',
      change_percent: '0.00',
      // Against a NAV that the database lacks.
      performance: '98765432109876543.987654321',
    })
  for (const [index, percent] of [1e-7, -1.5e-10, 1e21, -0.1, 1.2345e22].entries())
    insert('performance_year', { isin, year: 2019 + index, percent })
  const names = ['Plain', marks, forgedRecord, forgedItem, '7', ' spaces ']
  names.forEach((name, position) => {
    const isEven = position % 2 === 0
    const isThird = position % 3 === 0
    const english = isEven ? null : `en ${name}`
    const item = { isin, type: 'top_values', position, percent: -position / 3 }
    insert('structure_item', { ...item, name_de: name, name_en: english })
    const second = { value2: isEven || isThird ? null : name, has_value2: isThird ? 0 : 1 }
    insert('key_figure', { isin, position, name_de: name, name_en: null, value: name, ...second })
    const dates = { date_from: '2009-01-02', date_realfrom: '2009-01-05', date_to: '2010-11-12' }
    const percents = { gross: isEven ? null : 1e-7, net: isThird ? null : 3 }
    insert('legal_period', { isin, label: name, ...dates, ...percents })
  })
  insert('legal_point', { isin, date: '1969-12-31', value: 0 })
  insert('legal_point', { isin, date: '1970-01-01', value: -12.5 })
  insert('launch_point', { isin, date: '2015-06-01', value: 100 })
  insertAllocations(insert, isin)
  const texts = { category_de: marks, category_en: forgedItem, benchmark: forgedRecord }
  insert('profile', profile(isin, { ...texts, end_of_fiscal_year: '03-05' }))
  const letters = { governanceprocess: 'D', other_specific_investment_need: 'O' }
  insert('emt', { isin, srri: 7, ongoing_costs: 1e-9, entry_costs: 0, ...letters })
}

/** Before the first price. A fund is gone that merged with this one. */
function insertActions(insert: Insert, isin: string): void {
  const place = { isin, ex_date: '2016-05-02' }
  insert('corporate_action', { ...place, kind: 'split', factor: '0.333333333333333' })
  insert('corporate_action', { ...place, kind: 'distribution', amount: '1234.50', currency: 'EUR' })
  const gone = { isin: isinOf(7), ex_date: '2016-06-01' }
  insert('corporate_action', { ...gone, kind: 'merger', successor_isin: isin })
  const paper = { isin, kind: 'kid', language: 'en', date: '2016-05-02' }
  insert('document', { ...paper, title: '<b>&"\'\u202e', url: 'https://example.com/?a=<b>&c="' })
}

/** Classes named like numbers keep their order; a class whose name changes in time makes two maps; one has two positions. */
function insertAllocations(insert: Insert, isin: string): void {
  const rows = [
    [0, '2020', null, '2024-01-31', 1],
    [0, '2020', null, '2024-02-29', 2],
    [1, '10', 'Ten', '2024-01-31', 3],
    [1, 'Alte Klasse', 'Ten', '2024-02-29', 4],
    [1, 'Neue Klasse', 'New class', '2024-03-31', 5],
    [2, marks, forgedItem, '2024-01-31', 1e-7],
    [3, '2020', null, '2023-12-31', 6],
  ] as const
  for (const [position, class_de, class_en, date, percent] of rows) {
    for (const derivatives of [0, 1]) {
      const place = { isin, derivatives, position, date }
      insert('asset_allocation', { ...place, class_de, class_en, percent: percent + derivatives })
    }
  }
}

function price(isin: string, date: string, amount: string): Row {
  const columns = ['issue_price', 'repurchase_price', 'net_asset_value', 'performance']
  const amounts = Object.fromEntries(columns.map((column) => [column, amount]))
  return { isin, date, ...amounts, change: '-0.10', change_percent: '-1.25' }
}

/** What many funds do not have. */
const nothing: Row = {
  category_de: null,
  category_en: null,
  fund_assets: null,
  total_fund_assets_currency: 'USD',
  conformity: null,
  issue_surcharge: null,
  redemption_fee: null,
  custodian_bank_fee: null,
}

function profile(isin: string, row: Row): Row {
  return {
    ...goodRows['profile'],
    isin,
    category_en: null,
    benchmark: null,
    fund_assets: '1234567.80',
    total_fund_assets: '98765432109876.00',
    conformity: 0,
    total_expense_ratio: 1.45,
    management_fee: 0.1 + 0.2,
    savings_plan_minimum: '50.00',
    one_time_investment: 0,
    one_time_investment_minimum: null,
    capital_forming_payments: null,
    capital_forming_payments_minimum: null,
    ...row,
  }
}

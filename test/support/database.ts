/** Databases made with plain SQL, whatever is in them: nothing of src/ has a say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { repository } from './folders.ts'

export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>
export type Insert = (table: string, row: Row) => void

/** Makes a database of the schema and fills it; its constraints are switched off. */
export function makeDatabase(
  file: string,
  fill: (insert: Insert, db: Database.Database) => void,
  encoding: 'UTF-8' | 'UTF-16le' | 'UTF-16be' = 'UTF-8',
): void {
  const db = new Database(file)
  db.pragma(`encoding = '${encoding}'`)
  db.exec(readFileSync(join(repository, 'templates/schema.sql'), 'utf8'))
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  db.transaction(() => fill(insertInto(db), db))()
  db.close()
}

export function insertInto(db: Database.Database): Insert {
  return (table, row) => {
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row))
  }
}

/** Changes a database. */
export function editDatabase(file: string, sql: string): void {
  const db = new Database(file, { fileMustExist: true })
  db.exec('PRAGMA foreign_keys = OFF')
  db.exec(sql)
  db.close()
}

/** @returns its rows, whose columns must be texts */
export function readDatabase(file: string, sql: string, ...values: readonly string[]) {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare(sql).all(...values) as Readonly<Record<string, string | null>>[]
  db.close()
  return rows
}

/** An ISIN of its own for each number. */
export function isinOf(number: number): string {
  const body = `XF${String(number).padStart(9, '0')}`
  const digits = [...body].map((letter) => String(parseInt(letter, 36))).join('')
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const weighed = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + Math.floor(weighed / 10) + (weighed % 10)
  }, 0)
  return body + String((10 - (sum % 10)) % 10)
}

/** The as-of date of the rows below. */
export const asOf = '2024-05-03'

/** A row for each table, with nothing wrong, every column filled that may be. */
export const goodRows: Readonly<Record<string, Row>> = {
  fund: {
    wkn: 'ABC123',
    name: 'Good Fund',
    fund_inception_date: '2010-01-04',
    status_date: '2024-05-02',
    url: 'https://funds.example/good',
    currency: 'EUR',
    data_permitted: 1,
    prices_permitted: 1,
    performance_permitted: 1,
    end_date: '2040-12-31',
    end_reason: 'matured',
    suspended_from: '2020-03-16',
    suspended_to: '2020-03-27',
  },
  price: {
    date: '2024-05-02',
    issue_price: '105.00',
    repurchase_price: '100.00',
    net_asset_value: '100.00',
    change: '0.00',
    change_percent: '0.00',
    performance: '3.25',
    intercompany_profit: '0.10',
    share_profit: '-1.00',
    real_estate_profits: '0',
    share_profit2: '12',
  },
  corporate_action: {
    ex_date: '2019-07-01',
    kind: 'distribution',
    amount: '1.50',
    currency: 'EUR',
    factor: null,
    successor_isin: null,
  },
  document: {
    kind: 'annual_report',
    language: 'de',
    date: '2023-12-31',
    title: 'Jahresbericht 2023',
    url: 'https://funds.example/report.pdf',
  },
  performance_year: { year: 2021, percent: 5.25 },
  structure_item: { type: 'countries', position: 3, name_de: 'Schweden', name_en: 'Sweden', percent: 99.5 },
  key_figure: {
    position: 4,
    name_de: 'Volatilität',
    name_en: 'Volatility',
    value: '1,5 %',
    value2: '2',
    has_value2: 1,
  },
  legal_period: {
    label: '2019',
    date_from: '2018-12-31',
    date_realfrom: '2018-12-31',
    date_to: '2019-12-31',
    gross: 3.5,
    net: -1.5,
  },
  legal_point: { date: '2024-04-30', value: 12.5 },
  launch_point: { date: '2024-03-29', value: 100 },
  profile: {
    category_de: 'Aktienfonds',
    category_en: 'Equity fund',
    benchmark: 'Index',
    fund_assets: '1000000.00',
    total_fund_assets: '2000000.00',
    total_fund_assets_currency: 'EUR',
    end_of_fiscal_year: '12-31',
    accumulating: 1,
    conformity: 1,
    issue_surcharge: 5,
    redemption_fee: 0,
    total_expense_ratio: 1.5,
    management_fee: 1.25,
    custodian_bank_fee: 0.05,
    performance_fee: 0,
    savings_plan: 1,
    savings_plan_minimum: '50',
    one_time_investment: 1,
    one_time_investment_minimum: '500.00',
    capital_forming_payments: 0,
    capital_forming_payments_minimum: '0.00',
  },
  asset_allocation: {
    derivatives: 1,
    position: 5,
    class_de: 'Aktien',
    class_en: 'Shares',
    date: '2024-02-29',
    percent: 60,
  },
  emt: {
    srri: 4,
    ongoing_costs_date: '2024-01-31',
    ongoing_costs: 0.0158,
    transaction_costs_date: '2024-01-30',
    transaction_costs: 0.001,
    incidental_costs_date: '2024-01-29',
    incidental_costs: 0,
    entry_costs: 0.05,
    governanceprocess: 'A',
    compatible_for_clients_with_esg_preferences: 'Y',
    other_specific_investment_need: 'N',
  },
}

/** Inserts a fund with a row in every table, one of them changed. */
export function insertGood(insert: Insert, isin: string, changed: Readonly<Record<string, Row>> = {}): void {
  for (const [table, row] of Object.entries(goodRows)) insert(table, { isin, ...row, ...changed[table] })
}

/** Every column of a type but `isin`, read from the schema itself. */
export function columnsOfType(type: 'TEXT' | 'REAL'): (readonly [table: string, column: string])[] {
  const db = new Database(':memory:')
  db.exec(readFileSync(join(repository, 'templates/schema.sql'), 'utf8'))
  const columns = db.prepare<[string, string], string>(
    "SELECT name FROM pragma_table_info(?) WHERE type = ? AND name <> 'isin'",
  )
  const found = Object.keys(goodRows).flatMap((table) =>
    columns
      .pluck()
      .all(table, type)
      .map((column) => [table, column] as const),
  )
  db.close()
  return found
}

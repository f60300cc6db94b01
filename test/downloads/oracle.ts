/** What every table of the downloads has to hold: plain SQL over the fund database, and rules that are written down anew. */
import Database from 'better-sqlite3'

export type Value = string | number | null
export type Values = readonly Value[]

/** Source: src/core/api/decisions.md, Errors: who may be given out what. */
const given = 'SELECT isin FROM fund WHERE data_permitted = 1'
const priced = `${given} AND prices_permitted = 1`
/** A fund of 29 February is a year old on 28 February. */
const yearOld = `${given} AND performance_permitted = 1 AND
  iif(substr(fund_inception_date, 6) = '02-29',
      (substr(fund_inception_date, 1, 4) + 1) || '-02-28',
      printf('%04d', substr(fund_inception_date, 1, 4) + 1) || substr(fund_inception_date, 5)) <= @asOf`

const truth = (column: string) => `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
const optional = (way: string) => `${truth(way)}, CASE WHEN ${way} IS NOT NULL THEN ${way}_minimum END`

/** A fund's NAV on 29 February a year before is that of 28 February. */
const yearsAgo = (day: string, years: string) =>
  `iif(substr(${day}, 6) = '02-29' AND ${years} % 4 != 0, date(${day}, '-1 days', '-' || ${years} || ' years'),
    date(${day}, '-' || ${years} || ' years'))`

/**
 * The rules of the table, by sums of logarithms: a step leads from one price to the next, with the splits and distributions since. Source of
 * the method: BVI, performance of funds; sample deviation of log returns, by the steps that a year had.
 */
const computed = `WITH nav AS MATERIALIZED (
    SELECT isin, date, CAST(net_asset_value AS REAL) AS nav, lag(date) OVER fund AS before,
      lag(CAST(net_asset_value AS REAL)) OVER fund AS nav_before
    FROM price WHERE CAST(net_asset_value AS REAL) > 0 WINDOW fund AS (PARTITION BY isin ORDER BY date)),
  step AS MATERIALIZED (
    SELECT isin, date, before, ln(nav / nav_before)
      + ifnull((SELECT sum(ln(factor)) FROM corporate_action a
          WHERE a.isin = nav.isin AND kind = 'split' AND ex_date > before AND ex_date <= date), 0)
      + ifnull((SELECT sum(ln(1 + amount / nav)) FROM corporate_action a
          WHERE a.isin = nav.isin AND kind = 'distribution' AND ex_date > before AND ex_date <= date), 0) AS growth
    FROM nav WHERE before IS NOT NULL),
  newest AS MATERIALIZED (SELECT isin, max(date) AS day FROM price WHERE isin IN (${priced}) GROUP BY isin),
  period AS MATERIALIZED (
    SELECT isin, years, day, ${yearsAgo('day', 'years')} AS first
    FROM newest, (SELECT 1 AS years UNION VALUES (3), (5)) WHERE isin IN (${yearOld})),
  bound AS MATERIALIZED (
    SELECT isin, years, day, ifnull(
      (SELECT max(date) FROM nav WHERE nav.isin = p.isin AND date BETWEEN date(first, '-7 days') AND first),
      (SELECT min(date) FROM nav WHERE nav.isin = p.isin AND date BETWEEN first AND date(first, '+7 days'))) AS start
    FROM period p JOIN fund USING (isin) WHERE fund_inception_date <= first
      AND day = (SELECT max(date) FROM nav WHERE nav.isin = p.isin)),
  figure AS MATERIALIZED (
    SELECT isin, years, round((exp(sum(growth)) - 1) * 100, 4) + 0 AS total, iif(count(*) < 30, NULL, round(100 * sqrt(
      (sum(growth * growth) - sum(growth) * sum(growth) / count(*)) / (count(*) - 1)
      * count(*) / ((julianday(day) - julianday(start)) / 365.25)), 4)) AS volatility
    FROM bound JOIN step USING (isin) WHERE before >= start GROUP BY isin, years)
  SELECT newest.isin, name, currency, day, net_asset_value, one.total, one.volatility, three.total, three.volatility, five.total,
    five.volatility
  FROM newest JOIN fund USING (isin) JOIN price p USING (isin)
    LEFT JOIN figure one ON one.isin = newest.isin AND one.years = 1
    LEFT JOIN figure three ON three.isin = newest.isin AND three.years = 3
    LEFT JOIN figure five ON five.isin = newest.isin AND five.years = 5
  WHERE p.date = day ORDER BY newest.isin`

/** By table. Booleans are the words `true` and `false`. */
export const oracle: Readonly<Record<string, string>> = {
  funds: `SELECT isin, wkn, name, fund_inception_date, status_date,
    CASE WHEN lower(url) GLOB 'http://?*' OR lower(url) GLOB 'https://?*' THEN url ELSE '' END, currency,
    end_date, end_reason, suspended_from, suspended_to FROM fund
    WHERE isin IN (${given}) ORDER BY isin`,
  prices: `SELECT isin, date, issue_price, repurchase_price, net_asset_value, change, change_percent, performance,
    intercompany_profit, share_profit, real_estate_profits, share_profit2, currency FROM price JOIN fund USING (isin)
    WHERE isin IN (${priced}) ORDER BY isin, date`,
  performance_years: `SELECT isin, year, percent FROM performance_year WHERE isin IN (${yearOld}) ORDER BY isin, year`,
  performance_periods: `SELECT isin, label, date_from, date_realfrom, date_to, gross, net FROM legal_period
    WHERE isin IN (${yearOld}) ORDER BY isin, label`,
  performance_line: `SELECT isin, date, value FROM legal_point WHERE isin IN (${yearOld}) ORDER BY isin, date`,
  performance_launch: `SELECT isin, date, value FROM launch_point WHERE isin IN (${yearOld}) ORDER BY isin, date`,
  structures: `SELECT isin, type, position, name_de, ifnull(name_en, name_de), percent FROM structure_item
    WHERE isin IN (${given}) ORDER BY isin, type, position`,
  allocations: `SELECT isin, ${truth('derivatives')}, position, class_de, ifnull(class_en, class_de), date, percent
    FROM asset_allocation WHERE isin IN (${given}) ORDER BY isin, derivatives, position, date`,
  key_figures: `SELECT isin, position, name_de, ifnull(name_en, name_de), value,
    CASE has_value2 WHEN 1 THEN value2 END, value, CASE has_value2 WHEN 1 THEN value2 END FROM key_figure WHERE isin IN (${given}) ORDER BY isin, position`,
  profiles: `SELECT isin, category_de, ifnull(category_en, category_de), benchmark, fund_assets, total_fund_assets, total_fund_assets_currency,
    end_of_fiscal_year, ${truth('accumulating')}, ${truth('conformity')}, issue_surcharge, redemption_fee,
    total_expense_ratio, management_fee, custodian_bank_fee, ${truth('performance_fee')},
    ${optional('savings_plan')}, ${optional('one_time_investment')}, ${optional('capital_forming_payments')}
    FROM profile WHERE isin IN (${given}) ORDER BY isin`,
  emt: `SELECT isin, srri, ongoing_costs_date, ongoing_costs, transaction_costs_date, transaction_costs,
    incidental_costs_date, incidental_costs, entry_costs, governanceprocess,
    compatible_for_clients_with_esg_preferences, other_specific_investment_need
    FROM emt WHERE isin IN (${given}) ORDER BY isin`,
  computed_figures: computed,
}

/** The names of columns that hold plain decimals: text in the database, digit for digit in CSV. */
export const decimals: Readonly<Record<string, readonly number[]>> = {
  prices: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  profiles: [4, 5, 17, 19, 21],
  computed_figures: [4],
}

export function expectedRows(db: string, table: string, asOf: string): readonly Values[] {
  const rows = ask(db, oracle[table] ?? '', asOf)
  return table === 'key_figures'
    ? rows.map((row) => row.with(6, numberIn(row[6])).with(7, numberIn(row[7])))
    : rows
}

/** `-2,49 %` is -2.49. */
function numberIn(text: Value = null): number | null {
  const [, number] = /^(-?(?:0|[1-9]\d*)(?:,\d+)?)[\s%]*$/.exec(String(text)) ?? []
  return number === undefined ? null : Number(number.replace(',', '.'))
}

/** The newest prices of each fund that has some to give, ascending. */
export function expectedPrices(db: string, asOf: string): ReadonlyMap<string, readonly Values[]> {
  const sql = `SELECT isin, date, net_asset_value FROM price WHERE isin IN (${priced}) ORDER BY isin, date`
  return Map.groupBy(ask(db, sql, asOf), ([isin]) => String(isin))
}

/** Of each fund with prices to give, all of them, ascending: those of its own file, in the order of {@link historyColumns}. */
export function expectedHistories(db: string, asOf: string): ReadonlyMap<string, readonly Values[]> {
  const found = Map.groupBy(expectedRows(db, 'prices', asOf), ([isin]) => String(isin))
  return new Map([...found].map(([isin, rows]) => [isin, rows.map(([, ...row]) => row)]))
}

export const historyColumns =
  'date issue_price repurchase_price net_asset_value change change_percent performance intercompany_profit share_profit real_estate_profits share_profit2 currency'.split(
    ' ',
  )

/** ISINs of funds that a permission is missing for. */
export function refusedIsins(db: string, asOf: string) {
  const without = (permitted: string) =>
    ask(db, `SELECT isin FROM fund WHERE isin NOT IN (${permitted}) ORDER BY isin`, asOf).flat().map(String)
  return { data: without(given), prices: without(priced), performance: without(yearOld) }
}

function ask(file: string, sql: string, asOf: string): readonly Values[] {
  const db = new Database(file, { readonly: true })
  const statement = db.prepare<unknown[], Value[]>(sql).raw()
  const rows = sql.includes('@asOf') ? statement.all({ asOf }) : statement.all()
  db.close()
  return rows
}

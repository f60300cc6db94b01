/** Derived figures against the same calculation in SQL, to the last digit. */
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { defaultDerive } from '../../../src/core/data/derive/modes.ts'
import { writeDerived } from '../../../src/core/data/derive/write.ts'
import { type Insert, isinOf, makeDatabase } from '../../support/database.ts'
import { tempFolder } from '../../support/folders.ts'

const folder = tempFolder()
const file = folder.file('funds.sqlite')

/** Days between prices, from when on; what is left out. */
interface Fund {
  readonly inception: string
  readonly from: string
  readonly step: number
  readonly decimals: number
  readonly surcharge: number | null
  readonly gap?: readonly [string, string]
  readonly actions?: readonly Readonly<{ exDate: string; amount?: string; factor?: string }>[]
}

const until = '2026-11-27'
const funds: readonly Fund[] = [
  { inception: '2016-02-01', from: '2016-02-01', step: 1, decimals: 2, surcharge: null },
  {
    inception: '2014-05-05',
    from: '2014-05-07',
    step: 1,
    decimals: 2,
    surcharge: 5.25,
    actions: [2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026].map((year) => ({
      // Some are on days without a price.
      exDate: `${year}-06-15`,
      amount: `${year % 7}.${year}`,
    })),
  },
  {
    inception: '2018-01-02',
    from: '2018-01-02',
    step: 1,
    decimals: 4,
    surcharge: 3,
    actions: [
      { exDate: '2020-03-16', factor: '10' },
      { exDate: '2022-08-22', factor: '0.25' },
      // One day has both.
      { exDate: '2024-05-13', factor: '3' },
      { exDate: '2024-05-13', amount: '0.4711' },
    ],
  },
  { inception: '2009-09-09', from: '2017-03-08', step: 7, decimals: 3, surcharge: 2.5 },
  {
    inception: '2015-01-02',
    from: '2015-01-02',
    step: 1,
    decimals: 2,
    surcharge: 5,
    gap: ['2022-11-21', '2023-09-04'],
  },
  { inception: '2025-04-01', from: '2025-04-01', step: 1, decimals: 2, surcharge: 4 },
]

const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
const isWeekend = (day: string) => [0, 6].includes(new Date(day).getUTCDay())

/** The same numbers in each run: a linear congruential generator. */
function draws(seed: number) {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

const profile = {
  category_de: 'Aktien',
  fund_assets: '1',
  total_fund_assets: '1',
  end_of_fiscal_year: '12-31',
  accumulating: 0,
  conformity: 1,
  redemption_fee: 0,
  total_expense_ratio: 1,
  management_fee: 1,
  custodian_bank_fee: 0,
  performance_fee: 0,
}

function insertBasics(insert: Insert, isin: string, { inception, surcharge, actions = [] }: Fund): void {
  const others = { wkn: null, name: 'Fund', url: 'https://funds.example/', currency: 'EUR' }
  insert('fund', { isin, ...others, fund_inception_date: inception })
  if (surcharge !== null) insert('profile', { isin, ...profile, issue_surcharge: surcharge })
  for (const { exDate, amount = null, factor = null } of actions) {
    const kind = factor === null ? 'distribution' : 'split'
    const currency = amount === null ? null : 'EUR'
    insert('corporate_action', {
      isin,
      ex_date: exDate,
      kind,
      amount,
      currency,
      factor,
      successor_isin: null,
    })
  }
}

function* daysOf({ from, step, gap = ['', ''] }: Fund): Generator<string> {
  const [last, first] = gap
  for (let day = from; day <= until; day = dayAfter(day, step))
    if (!isWeekend(day) && !(day > last && day < first)) yield day
}

makeDatabase(file, (insert) => {
  for (const [number, fund] of funds.entries()) {
    const isin = isinOf(number)
    insertBasics(insert, isin, fund)
    const draw = draws(number + 1)
    let worth = 80 + 20 * number
    let shares = 1
    let left = [...(fund.actions ?? [])]
    for (const day of daysOf(fund)) {
      worth *= 1 + (draw() - 0.495) / 40
      for (const { factor = '1', amount = '0' } of left.filter(({ exDate }) => exDate <= day)) {
        shares *= Number(factor)
        worth -= Number(amount) * shares
      }
      left = left.filter(({ exDate }) => exDate > day)
      const nav = (worth / shares).toFixed(fund.decimals)
      const figures = { change: '0', change_percent: '0', performance: null }
      insert('price', {
        isin,
        date: day,
        issue_price: nav,
        repurchase_price: nav,
        net_asset_value: nav,
        ...figures,
      })
    }
  }
})

/**
 * Another way to the same figures: an index of what a share has become, by window functions over doubles. Doubles decide the last
 * digit as long as no figure is next to a half: `isClear` says so.
 */
const oracle = `
CREATE TEMP VIEW paid AS
  SELECT isin, date, CAST(net_asset_value AS REAL) AS nav,
    coalesce((SELECT exp(sum(ln(CAST(factor AS REAL)))) FROM corporate_action AS action
      WHERE action.isin = price.isin AND kind = 'split' AND ex_date <= date AND ex_date > coalesce(
        (SELECT max(date) FROM price AS last WHERE last.isin = price.isin AND last.date < price.date), date)), 1.0) AS split,
    coalesce((SELECT sum(CAST(amount AS REAL)) FROM corporate_action AS action
      WHERE action.isin = price.isin AND kind = 'distribution' AND ex_date <= date AND ex_date > coalesce(
        (SELECT max(date) FROM price AS last WHERE last.isin = price.isin AND last.date < price.date), date)), 0.0) AS amount
  FROM price;
CREATE TEMP TABLE growth AS
  SELECT isin, date, nav * exp(sum(ln(split * (nav + amount) / nav)) OVER (PARTITION BY isin ORDER BY date)) AS worth,
    lead(date) OVER (PARTITION BY isin ORDER BY date) AS next
  FROM paid;
CREATE UNIQUE INDEX temp.growth_key ON growth (isin, date);
CREATE TEMP TABLE year_end AS
  SELECT isin, CAST(substr(date, 1, 4) AS INTEGER) AS year, worth, date FROM growth
  WHERE (substr(next, 1, 4) > substr(date, 1, 4) OR (next IS NULL AND date LIKE '%-12-31'))
    AND julianday(substr(date, 1, 4) || '-12-31') - julianday(date) <= 10;
CREATE UNIQUE INDEX temp.year_end_key ON year_end (isin, year);
CREATE TEMP VIEW years AS
  SELECT own.isin, own.year, 100 * (own.worth / before.worth - 1) AS percent
  FROM year_end AS own JOIN year_end AS before USING (isin) WHERE before.year = own.year - 1;
CREATE TEMP VIEW newest AS SELECT isin, max(date) AS newest FROM growth GROUP BY isin;
CREATE TEMP VIEW bound AS
  WITH ago(years) AS (VALUES (0), (1), (2), (3), (4), (5))
  SELECT isin, years, date(newest, '-' || years || ' years') AS day, (SELECT max(date) FROM growth
    WHERE growth.isin = newest.isin AND date <= date(newest, '-' || years || ' years')
      AND julianday(date(newest, '-' || years || ' years')) - julianday(date) <= 10) AS date
  FROM newest, ago;
CREATE TEMP VIEW gross AS
  SELECT ended.isin, ended.years AS years, substr(ended.day, 1, 4) AS label, began.day AS date_from, began.date AS date_realfrom,
    ended.day AS date_to, last.worth / first.worth AS growth
  FROM bound AS ended JOIN bound AS began USING (isin)
    JOIN growth AS first ON first.isin = ended.isin AND first.date = began.date
    JOIN growth AS last ON last.isin = ended.isin AND last.date = ended.date
  WHERE began.years = ended.years + 1;
CREATE TEMP VIEW periods AS
  SELECT gross.*, 100 * (growth - 1) AS gross, iif(issue_surcharge > 0, 100 * (growth / (1 + iif(years =
    (SELECT max(years) FROM gross AS other WHERE other.isin = gross.isin), issue_surcharge, 0) / 100) - 1), NULL) AS net
  FROM gross LEFT JOIN profile USING (isin);
CREATE TEMP VIEW month_end AS
  SELECT isin, date, worth FROM growth WHERE next IS NULL OR substr(next, 1, 7) > substr(date, 1, 7);
CREATE TEMP VIEW legal AS
  SELECT own.isin, own.date, 100 * (own.worth / base.worth - 1) AS value
  FROM (SELECT isin, min(date_realfrom) AS start FROM gross GROUP BY isin) AS line
    JOIN growth AS base ON base.isin = line.isin AND base.date = line.start
    JOIN (SELECT isin, date, worth FROM month_end UNION SELECT isin, date, worth FROM growth) AS own
      ON own.isin = line.isin AND own.date >= line.start
  WHERE own.date = line.start OR EXISTS (SELECT 1 FROM month_end WHERE month_end.isin = own.isin AND month_end.date = own.date);
CREATE TEMP VIEW launch AS
  SELECT own.isin, own.date, 100 * own.worth / base.worth AS value
  FROM (SELECT fund.isin, min(date) AS start FROM fund JOIN growth ON growth.isin = fund.isin AND date >= fund_inception_date
    GROUP BY fund.isin HAVING julianday(min(date)) - julianday(fund_inception_date) <= 10) AS line
    JOIN growth AS base ON base.isin = line.isin AND base.date = line.start
    JOIN growth AS own ON own.isin = line.isin AND own.date >= line.start
  WHERE own.date = line.start OR EXISTS (SELECT 1 FROM month_end WHERE month_end.isin = own.isin AND month_end.date = own.date);
CREATE TEMP VIEW performances AS
  SELECT own.isin, own.date, 100 * (own.worth / base.worth - 1) AS performance
  FROM growth AS own JOIN year_end AS base ON base.isin = own.isin AND base.year = CAST(substr(own.date, 1, 4) AS INTEGER) - 1;
`

const db = new Database(file)
db.transaction(() => writeDerived(db, defaultDerive))()
db.exec(oracle)

/** No figure lies within a ten-millionth of the last digit of a half. */
const isClear = (view: string, column: string) =>
  db
    .prepare<[], number>(
      `SELECT count(*) FROM ${view} WHERE abs(abs(${column} * 100) - floor(abs(${column} * 100)) - 0.5) < 0.0000001`,
    )
    .pluck()
    .get() === 0

describe('derived figures are those of SQL, to the last digit', () => {
  it.each([
    ['performance_year', 'years', 'isin, year', 'percent', 37],
    ['legal_period', 'periods', 'isin, label, date_from, date_realfrom, date_to', 'gross', 25],
    ['legal_period', 'periods', 'isin, label, date_from, date_realfrom, date_to', 'net', 25],
    ['legal_point', 'legal', 'isin, date', 'value', 300],
    ['launch_point', 'launch', 'isin, date', 'value', 500],
  ])('%s by %s: %s, %s', (table, view, key, column, least) => {
    const rows = (from: string, value: string) =>
      db.prepare(`SELECT ${key}, ${value} AS value FROM ${from} ORDER BY ${key}`).all()
    expect(isClear(view, column)).toBe(true)
    const own = rows(table, column)
    expect(own).toEqual(rows(view, `round(${column}, 2)`))
    expect(own.length).toBeGreaterThanOrEqual(least)
  })

  it('performance of prices', () => {
    expect(isClear('performances', 'performance')).toBe(true)
    const own = db.prepare(
      'SELECT isin, date, performance FROM price WHERE performance IS NOT NULL ORDER BY isin, date',
    )
    const wanted = db.prepare(
      `SELECT isin, date, iif(round(performance, 2) = 0, '0.00', printf('%.2f', round(performance, 2))) AS performance
        FROM performances ORDER BY isin, date`,
    )
    const rows = own.all()
    expect(rows).toEqual(wanted.all())
    expect(rows.length).toBeGreaterThan(10_000)
  })
})

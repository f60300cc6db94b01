/** Forty kinds of wrong nights: what a loader, a price file or an operator does to the database of a night. */

import type Database from 'better-sqlite3'
import { insertInto, isinOf } from '../../support/database.ts'
import { type FundName, isinFor } from './company.ts'

/** The database of a night, as it should be. */
export interface NightData {
  readonly db: Database.Database
  /** Its as-of date, and the business day before. */
  readonly day: string
  readonly before: string
  readonly random: () => number
}

export interface WrongNight {
  /** What is wrong, after "a night with". */
  readonly title: string
  /** The guard or the part of the program that should see it; null for what nobody can see. */
  readonly seenBy: string | null
  readonly spoil: (night: NightData) => void
  /** What the settings have instead. */
  readonly config?: Readonly<Record<string, unknown>>
  /** `broken`: nobody marks the load as complete. `none`: the database is that of the night before, with its mark. */
  readonly load?: 'broken' | 'none'
}

const spoiled =
  (sql: string) =>
  ({ db, day, before }: NightData) => {
    db.exec(sql.replaceAll(':day', `'${day}'`).replaceAll(':before', `'${before}'`))
  }

interface Price {
  readonly isin: string
  readonly nav: number
  readonly issue: number
  readonly performance: number | null
  /** In shares of today, where no action lies between. */
  readonly last: number
}

/** The prices that this night brings. */
const pricesOf = ({ db, day }: NightData) =>
  db
    .prepare<[string], Price>(
      `SELECT isin, CAST(net_asset_value AS REAL) AS nav, CAST(issue_price AS REAL) AS issue, CAST(performance AS REAL) AS performance,
        net_asset_value - change AS last FROM price WHERE date = ? ORDER BY isin`,
    )
    .all(day)

/** Another NAV, and the figures that a loader derives from it. */
function reprice(
  { db, day }: NightData,
  { isin, nav: old, issue, performance, last }: Price,
  nav: number,
): void {
  const growth = performance === null ? null : ((1 + performance / 100) * (nav / old) - 1) * 100
  const texts = [nav * (issue / old), nav, nav, nav - last, (nav / last - 1) * 100].map((each) =>
    each.toFixed(2),
  )
  db.prepare(
    `UPDATE price SET issue_price = ?, repurchase_price = ?, net_asset_value = ?, change = ?, change_percent = ?, performance = ?
      WHERE isin = ? AND date = ?`,
  ).run(...texts, growth?.toFixed(2) ?? null, isin, day)
}

/** @param navOf null: the price stays */
const repriced =
  (navOf: (price: Price, index: number, night: NightData) => number | null) => (night: NightData) => {
    for (const [index, price] of pricesOf(night).entries()) {
      const nav = navOf(price, index, night)
      if (nav !== null) reprice(night, price, nav)
    }
  }
const multiplied = (factor: number, name?: FundName) =>
  repriced(({ isin, nav }) => (name === undefined || isin === isinFor(name) ? nav * factor : null))
const navBefore = ({ db, day }: NightData, isin: string, back = 0) =>
  db
    .prepare<[string, string, number], number>(
      'SELECT CAST(net_asset_value AS REAL) FROM price WHERE isin = ? AND date < ? ORDER BY date DESC LIMIT 1 OFFSET ?',
    )
    .pluck()
    .get(isin, day, back) ?? 0

/** Gives the values of each row to the row of the next fund. */
const shifted =
  (table: string, column: string, key: string) =>
  ({ db }: NightData) => {
    const isins = db.prepare<[], string>(`SELECT DISTINCT isin FROM ${table} ORDER BY isin`).pluck().all()
    db.exec(`CREATE TEMP TABLE own AS SELECT isin, ${key} AS key, ${column} AS value FROM ${table}`)
    const update = db.prepare(
      `UPDATE ${table} SET ${column} = coalesce((SELECT value FROM own WHERE own.isin = ? AND own.key = ${table}.${key}), ${column})
      WHERE isin = ?`,
    )
    for (const [index, isin] of isins.entries()) update.run(isins[(index + 1) % isins.length], isin)
  }

function foreignFunds(count: number, name: string) {
  return ({ db, day }: NightData) => {
    const insert = insertInto(db)
    for (let number = 1; number <= count; number++) {
      const isin = isinOf(900 + number)
      const master = { fund_inception_date: day, url: 'https://funds.example', currency: 'EUR' }
      insert('fund', { isin, name: `${name} ${number}`, ...master })
      const zero = { change: '0.00', change_percent: '0.00' }
      const price = { issue_price: '100.00', repurchase_price: '100.00', net_asset_value: '100.00' }
      insert('price', { isin, date: day, ...price, ...zero })
    }
  }
}

/** What nobody can see, and what only other parts than the guards of prices see, says `seenBy`. */
export const wrongNights: readonly WrongNight[] = [
  // Prices of many funds.
  {
    title: "yesterday's prices under today's date",
    seenBy: 'column:price.net_asset_value',
    spoil: repriced(({ last }) => last),
  },
  {
    title: "yesterday's prices of half of the funds",
    seenBy: 'column:price.net_asset_value',
    spoil: repriced(({ last }, index) => (index % 2 === 0 ? last : null)),
  },
  {
    title: "last week's prices of half of the funds",
    seenBy: 'column:price.net_asset_value',
    spoil: repriced(({ isin }, index, night) => (index % 2 === 0 ? navBefore(night, isin, 4) : null)),
  },
  { title: 'all NAVs 1 % higher', seenBy: 'column:price.net_asset_value', spoil: multiplied(1.01) },
  { title: 'all NAVs in another currency', seenBy: 'column:price.net_asset_value', spoil: multiplied(1.08) },
  { title: 'all NAVs in cents', seenBy: 'column:price.net_asset_value', spoil: multiplied(100) },
  {
    title: 'all NAVs cut to whole numbers',
    seenBy: 'column:price.net_asset_value',
    spoil: repriced(({ nav }) => Math.floor(nav)),
  },
  {
    title: 'all NAVs rounded to one decimal',
    seenBy: 'column:price.net_asset_value',
    spoil: repriced(({ nav }) => Math.round(nav * 10) / 10),
  },
  {
    title: 'issue prices without their surcharge',
    seenBy: 'column:price.issue_price',
    spoil: spoiled('UPDATE price SET issue_price = net_asset_value WHERE date = :day'),
  },
  {
    title: 'issue and repurchase prices exchanged',
    seenBy: 'price-spread',
    spoil: spoiled(
      'UPDATE price SET issue_price = repurchase_price, repurchase_price = issue_price WHERE date = :day',
    ),
  },
  {
    title: "yesterday's performance of all funds",
    seenBy: 'column:price.performance',
    spoil: spoiled(
      `UPDATE price SET performance = coalesce((SELECT performance FROM price AS old WHERE old.isin = price.isin
        AND old.date = :before), performance) WHERE date = :day`,
    ),
  },
  {
    title: 'a performance of 0.00 of all funds',
    seenBy: 'column:price.performance',
    spoil: spoiled("UPDATE price SET performance = '0.00' WHERE date = :day"),
  },
  {
    title: 'changes without their sign',
    seenBy: 'price-change',
    spoil: spoiled(
      "UPDATE price SET change = replace(change, '-', ''), change_percent = replace(change_percent, '-', '') WHERE date = :day",
    ),
  },
  // Prices of one fund.
  {
    title: 'the prices of two funds exchanged',
    seenBy: 'swapped',
    spoil: (night) => {
      const all = pricesOf(night)
      const one = all.find(({ isin }) => isin === isinFor('world'))
      const other = all.find(({ isin }) => isin === isinFor('bonds'))
      if (one === undefined || other === undefined) return
      reprice(night, one, other.nav)
      reprice(night, other, one.nav)
    },
  },
  { title: 'a NAV ten times too high', seenBy: 'price-jump', spoil: multiplied(10, 'balanced') },
  { title: 'an equity fund 4 % wrong', seenBy: null, spoil: multiplied(1.04, 'europe') },
  { title: 'a bond fund 8 % too low', seenBy: 'price-jump', spoil: multiplied(0.92, 'bonds') },
  { title: 'a money-market fund 9 % too low', seenBy: 'price-jump', spoil: multiplied(0.91, 'money') },
  {
    title: 'the prices of the class in euros for that in dollars',
    seenBy: 'price-jump',
    spoil: repriced(({ isin }, _, night) =>
      isin === isinFor('dollars')
        ? (pricesOf(night).find((each) => each.isin === isinFor('world'))?.nav ?? null)
        : null,
    ),
  },
  {
    title: 'the currency of one fund changed',
    seenBy: 'currency-change',
    spoil: spoiled(`UPDATE fund SET currency = 'USD' WHERE isin = '${isinFor('split')}'`),
  },
  // Days, and what did not come.
  {
    title: 'no load: all is as it was yesterday',
    seenBy: 'load',
    load: 'none',
    spoil: () => undefined,
  },
  {
    title: 'a load that broke off: no mark of completeness',
    seenBy: 'incomplete',
    load: 'broken',
    spoil: spoiled('DELETE FROM price WHERE date = :day; UPDATE fund SET status_date = :day'),
  },
  {
    title: 'prices of half of the funds',
    seenBy: 'missing-prices',
    spoil: spoiled(
      'DELETE FROM price WHERE date = :day AND isin IN (SELECT isin FROM price WHERE date = :day ORDER BY isin LIMIT 6)',
    ),
  },
  {
    title: 'the prices of one fund alone',
    seenBy: 'missing-prices',
    spoil: spoiled(`DELETE FROM price WHERE date = :day AND isin <> '${isinFor('europe')}'`),
  },
  {
    title: "tomorrow's date for today's prices",
    seenBy: 'column:price.date',
    spoil: spoiled("UPDATE price SET date = date(:day, '+1 day') WHERE date = :day"),
  },
  {
    title: "today's prices under a day of last month",
    seenBy: 'columns',
    spoil: ({ db, day }) => {
      const old = db
        .prepare<[string], string>(
          'SELECT DISTINCT date FROM price WHERE date < ? ORDER BY date DESC LIMIT 1 OFFSET 20',
        )
        .pluck()
        .get(day)
      db.prepare('DELETE FROM price WHERE date = ? AND isin IN (SELECT isin FROM price WHERE date = ?)').run(
        old,
        day,
      )
      db.prepare('UPDATE price SET date = ? WHERE date = ?').run(old, day)
    },
  },
  // Corporate actions.
  {
    title: 'a split of the wrong fund in the past, and a performance derived with it',
    seenBy: 'actions',
    spoil: ({ db, day }) => {
      const isin = isinFor('america')
      const exDay = `${day.slice(0, 4)}-01-15` < day ? `${day.slice(0, 4)}-01-15` : `${day.slice(0, 4)}-01-02`
      insertInto(db)('corporate_action', { isin, ex_date: exDay, kind: 'split', factor: '5' })
      db.prepare(
        "UPDATE price SET performance = printf('%.2f', ((1 + performance / 100) * 5 - 1) * 100) WHERE isin = ? AND date = ?",
      ).run(isin, day)
    },
  },
  {
    title: 'a merger of a living fund',
    seenBy: 'actions',
    spoil: ({ db, before }) => {
      const action = { kind: 'merger', ex_date: before, successor_isin: isinFor('europe') }
      insertInto(db)('corporate_action', { isin: isinFor('world'), ...action })
    },
  },
  // Other tables.
  {
    title: 'the key figures of the next fund',
    seenBy: 'columns',
    spoil: shifted('key_figure', 'value', 'position'),
  },
  {
    title: 'one key figure for all funds',
    seenBy: 'columns',
    spoil: spoiled("UPDATE key_figure SET value = '77,77 %' WHERE position = 1"),
  },
  { title: 'SRRI 1 for all funds', seenBy: 'columns', spoil: spoiled('UPDATE emt SET srri = 1') },
  {
    title: 'fund assets a thousand times too high',
    seenBy: 'columns',
    spoil: spoiled(
      "UPDATE profile SET fund_assets = printf('%.2f', fund_assets * 1000), total_fund_assets = printf('%.2f', total_fund_assets * 1000)",
    ),
  },
  {
    title: 'the same category for all funds',
    seenBy: 'columns',
    spoil: spoiled("UPDATE profile SET category_de = 'Aktienfonds', category_en = 'Equity fund'"),
  },
  {
    title: 'addresses on another domain',
    seenBy: 'columns',
    spoil: spoiled(
      `UPDATE fund SET url = replace(url, 'www.spreewald.example', 'staging.example');
        UPDATE document SET url = replace(url, 'www.spreewald.example', 'staging.example')`,
    ),
  },
  {
    title: 'yearly performance that the prices do not have',
    seenBy: 'columns',
    spoil: spoiled('UPDATE performance_year SET percent = -percent - 3'),
  },
  {
    title: 'one fund without its structures',
    seenBy: 'columns',
    spoil: spoiled(`DELETE FROM structure_item WHERE isin = '${isinFor('europe')}'`),
  },
  {
    title: 'a total expense ratio as a fraction',
    seenBy: 'columns',
    spoil: spoiled('UPDATE profile SET total_expense_ratio = total_expense_ratio / 100'),
  },
  {
    title: 'names in the wrong encoding',
    seenBy: 'columns',
    spoil: spoiled(`UPDATE fund SET name = replace(replace(name, 'ö', 'Ã¶'), 'ß', 'ÃŸ') || ' Ã¼'`),
  },
  // What is new.
  { title: 'five funds of another company', seenBy: 'new funds', spoil: foreignFunds(5, 'Havelland Fonds') },
  {
    title: 'the address of a test system in the settings',
    seenBy: 'settings',
    config: { baseUrl: 'https://staging.spreewald.example' },
    spoil: () => undefined,
  },
]

/**
 * An invented company of 14 funds over two years: correlated markets with heavy tails, a crash of 12 % in three days, and
 * all that happens in a year. The first year is history, the second one has the nights.
 */

import type Database from 'better-sqlite3'
import { randomNumbers } from '../../guards/invented-company.ts'
import { insertInto, isinOf, type Row } from '../../support/database.ts'

interface Fund {
  readonly isin: string
  readonly name: string
  readonly currency: string
  readonly category: Category
  readonly start: number
  /** By how much of each market a NAV moves, and standard deviations of its own a day. */
  readonly equity: number
  readonly rates: number
  readonly dollar: number
  readonly own: number
  /** In per cent. */
  readonly surcharge: number
  readonly srri: number
  readonly isWeekly?: boolean
  /** Its prices arrive one business day later. */
  readonly isLate?: boolean
  /** Month and day on which it alone has no price. */
  readonly closed?: readonly string[]
  /** Figures with distributions added back. */
  readonly isAdjusted?: boolean
}

const english = {
  Aktienfonds: 'Equity fund',
  Mischfonds: 'Balanced fund',
  Rentenfonds: 'Bond fund',
  Geldmarktfonds: 'Money market fund',
  Immobilienfonds: 'Real estate fund',
  Rohstofffonds: 'Commodity fund',
} as const
type Category = keyof typeof english

const equityFund = { category: 'Aktienfonds', rates: 0, dollar: 0, surcharge: 5, srri: 5 } as const
const bondFund = { category: 'Rentenfonds', equity: 0.03, dollar: 0, surcharge: 2, srri: 2 } as const
const mixedFund = { category: 'Mischfonds', dollar: 0.1, surcharge: 4, srri: 4 } as const
const euro = { currency: 'EUR' } as const

/** By what they are for the nights. */
const funds = {
  europe: { ...euro, ...equityFund, name: 'Aktien Europa', start: 118.2, equity: 1, own: 0.003 },
  world: {
    ...euro,
    ...equityFund,
    name: 'Aktien Welt A',
    start: 88.4,
    equity: 0.95,
    dollar: 0.5,
    own: 0.003,
  },
  /** The class of the fund above in dollars: its NAV in euros, by the rate. */
  dollars: {
    ...equityFund,
    currency: 'USD',
    name: 'Aktien Welt B',
    start: 95.8,
    equity: 0.95,
    dollar: -0.5,
    own: 0.003,
  },
  america: {
    ...euro,
    ...equityFund,
    name: 'Aktien Amerika',
    start: 204.7,
    equity: 0.9,
    dollar: 1,
    own: 0.004,
    closed: ['07-04', '11-28'],
  },
  merged: { ...euro, ...equityFund, name: 'Nebenwerte', start: 35.1, equity: 1.1, own: 0.004 },
  suspended: { ...euro, ...equityFund, name: 'Größe & Nachhaltigkeit', start: 63.4, equity: 0.9, own: 0.003 },
  bonds: { ...euro, ...bondFund, name: 'Renten Euro', start: 52.3, rates: 1, own: 0.0005 },
  short: { ...euro, ...bondFund, name: 'Renten Kurzläufer', start: 49.9, rates: 0.3, own: 0.0003 },
  liquidated: { ...euro, ...bondFund, name: 'Laufzeitfonds 2025', start: 101.2, rates: 0.2, own: 0.0003 },
  money: {
    ...euro,
    ...bondFund,
    category: 'Geldmarktfonds',
    name: 'Geldmarkt',
    start: 100.4,
    equity: 0,
    rates: 0,
    own: 0.00003,
    surcharge: 0,
    srri: 1,
  },
  balanced: {
    ...euro,
    ...mixedFund,
    name: 'Mischfonds Ausgewogen',
    start: 71.8,
    equity: 0.5,
    rates: 0.5,
    own: 0.002,
    isAdjusted: true,
  },
  split: {
    ...euro,
    ...mixedFund,
    name: 'Mischfonds Dynamisch',
    start: 412.6,
    equity: 0.8,
    rates: 0.2,
    own: 0.002,
  },
  weekly: {
    ...euro,
    ...mixedFund,
    category: 'Immobilienfonds',
    name: 'Immobilien Spree',
    start: 47.2,
    equity: 0,
    rates: 0,
    own: 0.0004,
    isWeekly: true,
  },
  late: {
    ...equityFund,
    category: 'Rohstofffonds',
    currency: 'CHF',
    name: 'Rohstoffe',
    start: 80.7,
    equity: 0.3,
    dollar: 0.5,
    own: 0.009,
    isLate: true,
    closed: ['08-01'],
  },
} as const satisfies Readonly<Record<string, Omit<Fund, 'isin'>>>

export type FundName = keyof typeof funds
const names = Object.keys(funds) as readonly FundName[]

export const fundOf = (name: FundName): Fund => ({ ...funds[name], isin: isinOf(names.indexOf(name) + 1) })
export const isinFor = (name: FundName): string => fundOf(name).isin

/** Closed for all funds; 24 and 31 December of each year, too. */
const holidays = new Set([
  '2023-12-25', '2023-12-26', '2024-01-01', '2024-03-29', '2024-04-01', '2024-05-01', '2024-12-25', '2024-12-26',
  '2025-01-01', '2025-04-18', '2025-04-21', '2025-05-01', '2025-12-25', '2025-12-26',
]) // prettier-ignore
/** Holidays on which exchanges trade: some companies have prices. */
const halfHolidays = new Set([
  '2024-05-09', '2024-05-20', '2024-10-03', '2025-05-29', '2025-06-09', '2025-10-03',
]) // prettier-ignore

const isWorkday = (day: string) =>
  ![0, 6].includes(new Date(day).getUTCDay()) && !/-12-(?:24|31)$/.test(day) && !holidays.has(day)

const allDays = Array.from({ length: 775 }, (_, index) =>
  new Date(Date.UTC(2023, 10, 1) + index * 86_400_000).toISOString().slice(0, 10),
).filter(isWorkday)

const firstNight = '2024-12-02'
export const dayBeforeNights = '2024-11-29'
const nightsOfYear = 250

/** Of the year of nights. The ex-day of a merger is the day that its fund ends. */
export const dates = {
  crash: ['2025-03-10', '2025-03-11', '2025-03-12'],
  suspendedFrom: '2025-02-03',
  suspendedTo: '2025-02-14',
  documents: '2025-02-20',
  years: '2025-01-10',
  split: '2025-06-16',
  merger: '2025-09-30',
  liquidation: '2025-10-15',
} as const

/** Fund, ex-day, amount a share. */
const distributions: readonly (readonly [FundName, string, number])[] = [
  ['bonds', '2024-11-15', 1.1],
  ['bonds', '2025-11-17', 1.2],
  ...['2024-02-15', '2024-05-15', '2024-08-15', '2024-11-15'].map((day) => ['balanced', day, 0.6] as const),
  ...['2025-02-17', '2025-05-15', '2025-08-15', '2025-11-17'].map((day) => ['balanced', day, 0.65] as const),
]

const splitFactor = 5

interface Priced {
  readonly fund: Fund
  /** With a price. */
  readonly days: readonly string[]
  readonly navs: readonly number[]
}

/** A NAV that arrived a little wrong, and the day of the right one. */
interface Corrected {
  readonly isin: string
  readonly day: string
  readonly nav: number
  readonly corrected: string
}

export interface Company {
  readonly nights: readonly string[]
  readonly corrections: readonly Corrected[]
  /** Fills an empty database with what was known before the first night. */
  readonly fill: (db: Database.Database) => void
  /** Brings what arrives for a night. */
  readonly load: (db: Database.Database, day: string) => void
}

/** Numbers of Student's t distribution with four degrees of freedom, with a standard deviation of 1. */
export function heavyTails(random: () => number): () => number {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return () => {
    const squares = [normal(), normal(), normal(), normal()].reduce((sum, one) => sum + one * one, 0)
    return normal() / Math.sqrt(squares / 4) / Math.SQRT2
  }
}

/** @param seed an even one is a company with prices on holidays on which exchanges trade */
export function inventYear(seed: number): Company {
  const random = randomNumbers(seed * 7919 + 17)
  for (let index = 0; index < 20; index++) random()
  const days = allDays.filter((day) => seed % 2 === 0 || !halfHolidays.has(day))
  const first = days.indexOf(firstNight)
  const nights = days.slice(first, first + nightsOfYear)
  const priced = pricesOf(days, random)
  const corrections = correctionsOf(priced, days, nights, random)
  const texts = new Map(priced.map((one) => [one.fund.isin, textsOf(one)]))
  const delay = ({ isLate = false }: Fund) => Number(isLate)
  const arrivalOf = (fund: Fund, day: string) => days[days.indexOf(day) + delay(fund)] ?? '9999'

  function loadPrices(db: Database.Database, after: string, until: string): void {
    const insert = insertInto(db)
    for (const { fund, days: own } of priced)
      for (const [index, day] of own.entries()) {
        const arrival = arrivalOf(fund, day)
        if (arrival > after && arrival <= until)
          insert('price', texts.get(fund.isin)?.(index, wrongAt(fund.isin, until)) ?? {})
      }
  }
  const wrongAt = (isin: string, night: string) =>
    corrections.find((one) => one.isin === isin && one.day <= night && night < one.corrected)

  function correct(db: Database.Database, night: string): void {
    for (const { isin, day, corrected } of corrections) {
      if (corrected !== night) continue
      const index = priced.find(({ fund }) => fund.isin === isin)?.days.indexOf(day) ?? -1
      for (const each of [index, index + 1]) replaceRow(db, 'price', texts.get(isin)?.(each) ?? {})
    }
  }

  function loadMonth(db: Database.Database, night: string): void {
    const [year = '', month = ''] = night.split('-')
    const turn = Number(year) * 12 + Number(month)
    for (const { fund, days: own, navs } of priced) {
      const index = own.findLastIndex((day) => day < night)
      const day = own[index] ?? ''
      const nav =
        (navs[index] ?? 0) * (day >= dates.split && fund.name === funds.split.name ? splitFactor : 1)
      if (isEnded(fund.name, night)) continue
      for (const [table, rows] of Object.entries(monthOf(fund, day, nav, turn)))
        replaceRows(db, fund.isin, table, rows)
      const point = { isin: fund.isin, date: day }
      const first = own[0] ?? ''
      if (first < day) replaceRow(db, 'launch_point', { isin: fund.isin, date: first, value: 100 })
      replaceRow(db, 'launch_point', { ...point, value: Number(((nav / fund.start) * 100).toFixed(2)) })
      replaceRow(db, 'legal_point', { ...point, value: Number(((nav / fund.start - 1) * 100).toFixed(2)) })
      db.prepare('UPDATE fund SET status_date = ? WHERE isin = ?').run(day, fund.isin)
    }
  }

  function loadYear(db: Database.Database, year: number): void {
    for (const { fund, days: own, navs } of priced) {
      const ends = [year - 1, year].map((each) => own.findLastIndex((day) => day.startsWith(String(each))))
      const [from = -1, to = -1] = ends
      if (from < 0 || to < 0) continue
      const { isin } = fund
      const growth = texts.get(isin)?.(to)['performance']
      const percent = Number(growth ?? ((navs[to] ?? 1) / (navs[from] ?? 1) - 1) * 100)
      replaceRow(db, 'performance_year', { isin, year, percent })
      const period = { date_from: own[from] ?? '', date_realfrom: own[from] ?? '', date_to: own[to] ?? '' }
      const net = Number((((1 + percent / 100) / (1 + fund.surcharge / 100) - 1) * 100).toFixed(2))
      replaceRow(db, 'legal_period', { isin, label: String(year), ...period, gross: percent, net })
    }
  }

  return {
    nights,
    corrections,
    fill: (db) => {
      const insert = insertInto(db)
      for (const { fund } of priced)
        for (const [table, row] of Object.entries(masterOf(fund))) insert(table, row)
      for (const { fund } of priced) insert('document', documentOf(fund, '2024-02-20'))
      const before = days[first - 1] ?? ''
      loadPrices(db, '', before)
      for (const each of distributions.filter(([, day]) => day <= before))
        insert('corporate_action', distributionOf(each))
      const months = new Set(days.filter((day) => day <= before).map((day) => day.slice(0, 7)))
      for (const month of [...months].slice(1)) loadMonth(db, days.find((day) => day.startsWith(month)) ?? '')
      loadYear(db, 2023)
    },
    load: (db, night) => {
      const insert = insertInto(db)
      const before = days[days.indexOf(night) - 1] ?? ''
      for (const each of distributions.filter(([, day]) => day > before && day <= night))
        insert('corporate_action', distributionOf(each))
      if (night === dates.split)
        insert('corporate_action', {
          isin: isinFor('split'),
          ex_date: night,
          kind: 'split',
          factor: String(splitFactor),
        })
      if (night === dates.merger) {
        const action = { kind: 'merger', ex_date: night, successor_isin: isinFor('europe') }
        insert('corporate_action', { isin: isinFor('merged'), ...action })
      }
      loadPrices(db, before, night)
      correct(db, night)
      loadLife(db, night)
      if (night.slice(0, 7) !== before.slice(0, 7)) loadMonth(db, night)
      if (night === dates.years) loadYear(db, 2024)
      if (night === dates.documents)
        for (const { fund } of priced) {
          db.prepare("DELETE FROM document WHERE isin = ? AND kind = 'kid'").run(fund.isin)
          insert('document', documentOf(fund, night))
        }
    },
  }
}

/** A day without a price of a fund alone, or the end of it. */
function isClosed(fund: Fund, day: string): boolean {
  const { closed = [], isWeekly = false, name } = fund
  return (
    closed.includes(day.slice(5)) ||
    (isWeekly && new Date(day).getUTCDay() !== 5) ||
    isEnded(name, day) ||
    (name === funds.suspended.name && day >= dates.suspendedFrom && day <= dates.suspendedTo)
  )
}

const isEnded = (name: string, day: string) =>
  (name === funds.merged.name && day > dates.merger) ||
  (name === funds.liquidated.name && day > dates.liquidation)

function pricesOf(days: readonly string[], random: () => number): readonly Priced[] {
  const tail = heavyTails(random)
  const crash: readonly string[] = dates.crash
  const crashAt = days.indexOf(crash[0] ?? '')
  const markets = days.map((day, index) => {
    // Volatile days come together.
    const calm = index >= crashAt && index < crashAt + 30 ? 2.5 - (index - crashAt) / 20 : 1
    const equity = crash.includes(day) ? Math.log(0.88) / 3 + 0.004 * tail() : 0.0003 + 0.008 * calm * tail()
    return { equity, rates: 0.0011 * calm * tail(), dollar: 0.004 * tail() }
  })
  const portfolio = markets.map(() => tail())
  return names.map((name): Priced => {
    const fund = fundOf(name)
    const inWorld = name === 'world' || name === 'dollars'
    const paid = distributions.filter(([one]) => one === name)
    let nav = fund.start
    const navs: number[] = []
    const own: string[] = []
    for (const [index, day] of days.entries()) {
      const { equity, rates, dollar } = markets[index] ?? { equity: 0, rates: 0, dollar: 0 }
      const ofItself = inWorld ? (portfolio[index] ?? 0) : tail()
      nav *= Math.exp(
        0.00006 + fund.equity * equity + fund.rates * rates + fund.dollar * dollar + fund.own * ofItself,
      )
      nav -= paid.reduce((sum, [, exDay, amount]) => (exDay === day ? sum + amount : sum), 0)
      if (name === 'split' && day === dates.split) nav /= splitFactor
      if (isClosed(fund, day)) continue
      own.push(day)
      navs.push(Number(nav.toFixed(2)))
    }
    return { fund, days: own, navs }
  })
}

/** The rows of table `price`, by the definitions: nothing of src/ has a say. */
function textsOf({ fund, days, navs }: Priced) {
  const text = (value: number) => {
    const shown = value.toFixed(2)
    return shown === '-0.00' ? '0.00' : shown
  }
  const paid = distributions.filter(([name]) => isinFor(name) === fund.isin)
  const between = (before: string, day: string) =>
    paid.reduce((sum, [, exDay, amount]) => (exDay > before && exDay <= day ? sum + amount : sum), 0)
  const splitIn = (before: string, day: string) =>
    fund.name === funds.split.name && before < dates.split && day >= dates.split ? splitFactor : 1
  return (index: number, wrong?: Corrected): Row => {
    const navAt = (at: number) =>
      wrong !== undefined && days[at] === wrong.day ? wrong.nav : (navs[at] ?? 0)
    const day = days[index] ?? ''
    const before = days[index - 1] ?? day
    const nav = navAt(index)
    const last = index === 0 ? nav : navAt(index - 1) / splitIn(before, day)
    const full = fund.isAdjusted === true ? between(before, day) : 0
    const year = day.slice(0, 4)
    const base = days.findLastIndex((each) => each < year)
    let growth = base < 0 ? NaN : nav / navAt(base)
    for (let at = base + 1; base >= 0 && at <= index; at++) {
      const [from = '', to = ''] = [days[at - 1], days[at]]
      growth *= splitIn(from, to)
      if (fund.isAdjusted === true) growth *= (navAt(at) + between(from, to)) / navAt(at)
    }
    return {
      isin: fund.isin,
      date: day,
      issue_price: text(nav * (1 + fund.surcharge / 100)),
      repurchase_price: text(nav),
      net_asset_value: text(nav),
      change: text(nav + full - last),
      change_percent: text(((nav + full) / last - 1) * 100),
      performance: Number.isNaN(growth) ? null : text((growth - 1) * 100),
    }
  }
}

const nightsBetweenCorrections = 20

function correctionsOf(
  priced: readonly Priced[],
  days: readonly string[],
  nights: readonly string[],
  random: () => number,
): readonly Corrected[] {
  const some: readonly FundName[] = ['europe', 'america', 'short', 'late', 'world', 'split']
  return nights.flatMap((corrected, index): Corrected[] => {
    if (index % nightsBetweenCorrections !== 15) return []
    const isin = isinFor(some[Math.floor(random() * some.length)] ?? 'europe')
    const day = days[days.indexOf(corrected) - 4] ?? ''
    const own = priced.find(({ fund }) => fund.isin === isin)
    const at = own?.days.indexOf(day) ?? -1
    const isNearYear = corrected.slice(0, 4) !== day.slice(0, 4)
    if (
      own === undefined ||
      at < 0 ||
      isNearYear ||
      Math.abs(Date.parse(day) - Date.parse(dates.split)) < 1e9
    )
      return []
    const nav = Number(((own.navs[at] ?? 0) * 1.0006 + 0.01).toFixed(2))
    return [{ isin, day, nav, corrected }]
  })
}

const distributionOf = ([name, ex_date, amount]: readonly [FundName, string, number]): Row => {
  const { isin, currency } = fundOf(name)
  return { isin, ex_date, kind: 'distribution', amount: amount.toFixed(2), currency }
}

const site = 'https://www.spreewald.example'

const documentOf = ({ isin }: Fund, date: string): Row => {
  const what = { kind: 'kid', language: 'de', title: 'Basisinformationsblatt' }
  return { isin, date, ...what, url: `${site}/kid/${isin}-${date}.pdf` }
}

function masterOf({ isin, name, currency, category, surcharge, srri }: Fund): Readonly<Record<string, Row>> {
  const number = Number(isin.slice(2, -1))
  return {
    fund: {
      isin,
      wkn: `SPW${String(number).padStart(3, '0')}`,
      name: `Spreewald ${name}`,
      fund_inception_date: '2023-11-01',
      url: `${site}/fonds/${isin}`,
      currency,
    },
    profile: {
      isin,
      category_de: category,
      category_en: english[category],
      benchmark: category === 'Aktienfonds' ? `STOXX ${number * 100}` : null,
      fund_assets: '0.00',
      total_fund_assets: '0.00',
      end_of_fiscal_year: '09-30',
      accumulating: Number(!distributions.some(([one]) => isinFor(one) === isin)),
      conformity: 1,
      issue_surcharge: surcharge,
      redemption_fee: 0,
      total_expense_ratio: Number((0.2 + srri * 0.25 + number / 100).toFixed(2)),
      management_fee: Number((0.1 + srri * 0.2).toFixed(2)),
      custodian_bank_fee: 0.05,
      performance_fee: 0,
      savings_plan: 1,
      savings_plan_minimum: '50',
    },
    emt: {
      isin,
      srri,
      ongoing_costs_date: '2024-09-30',
      ongoing_costs: Number((0.002 + srri * 0.0025 + number / 10_000).toFixed(4)),
      entry_costs: surcharge / 100,
    },
  }
}

/** What each month brings. @param turn of the month @param nav in the shares of the beginning */
function monthOf(
  fund: Fund,
  day: string,
  nav: number,
  turn: number,
): Readonly<Record<string, readonly Row[]>> {
  const number = Number(fund.isin.slice(2, -1))
  const random = randomNumbers(number * 1009 + turn * 31)
  random()
  const around = (value: number, by: number) => value + by * (random() - 0.5)
  const assets = around(1, 0.02) * nav * (120_000 + number * 40_000)
  const german = (value: number) => value.toFixed(2).replace('.', ',')
  const volatility = 0.4 + fund.srri * 2.6 + number / 10
  const figures = [
    ['Volatilität 1 Jahr', 'Volatility 1 year', `${german(around(volatility, 0.8))} %`],
    ['Sharpe Ratio', 'Sharpe ratio', german(around(0.2 + number / 20, 0.2))],
    ['Maximaler Verlust', 'Maximum drawdown', `-${german(around(1 + fund.srri * 3 + number / 5, 1))} %`],
  ]
  const shares = (base: readonly (readonly [string, string, number])[], type: string) => {
    const all = base.map(([, , percent]) => around(percent, 2))
    const sum = all.reduce((total, one) => total + one, 0)
    return base.map(([name_de, name_en], index) => {
      const percent = Number((((all[index] ?? 0) / sum) * 99.5).toFixed(2))
      return { type, position: index + 1, name_de, name_en, percent }
    })
  }
  const first = 30 + number
  const countries = shares(
    [
      ['Deutschland', 'Germany', first],
      ['Frankreich', 'France', 20],
      ['Österreich', 'Austria', 72 - first - 20],
      ['Schweiz', 'Switzerland', 8],
    ],
    'countries',
  )
  const kinds = shares(
    [
      [fund.category.replace('fonds', 'anlagen'), english[fund.category], 80 + number / 2],
      ['Kasse', 'Cash', 12 - number / 2],
    ],
    'asset_structure',
  )
  const { isin } = fund
  const withIsin = (rows: readonly Row[]) => rows.map((row) => ({ isin, ...row }))
  return {
    structure_item: withIsin([...countries, ...kinds]),
    key_figure: withIsin(
      figures.map(([name_de = '', name_en = '', value = ''], index) => {
        return { position: index + 1, name_de, name_en, value }
      }),
    ),
    asset_allocation: withIsin(
      kinds.map(({ position, name_de, name_en, percent }) => {
        return { derivatives: 0, position, class_de: name_de, class_en: name_en, date: day, percent }
      }),
    ),
    profile: [
      {
        isin,
        fund_assets: assets.toFixed(2),
        total_fund_assets: (assets * (1 + (number % 3) / 4)).toFixed(2),
      },
    ],
  }
}

/** A profile keeps what a month does not bring. */
function replaceRows(db: Database.Database, isin: string, table: string, rows: readonly Row[]): void {
  if (table === 'profile') {
    for (const { fund_assets, total_fund_assets } of rows)
      db.prepare('UPDATE profile SET fund_assets = ?, total_fund_assets = ? WHERE isin = ?').run(
        fund_assets,
        total_fund_assets,
        isin,
      )
    return
  }
  db.prepare(`DELETE FROM ${table} WHERE isin = ?`).run(isin)
  for (const row of rows) insertInto(db)(table, row)
}

function replaceRow(db: Database.Database, table: string, row: Row): void {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join()
  db.prepare(`INSERT OR REPLACE INTO ${table} (${columns.join()}) VALUES (${places})`).run(
    ...Object.values(row),
  )
}

/** What the company says of the life of its funds, in columns of table `fund`. */
function loadLife(db: Database.Database, night: string): void {
  const set = (name: FundName, values: Row) => {
    for (const [column, value] of Object.entries(values))
      db.prepare(`UPDATE fund SET ${column} = ? WHERE isin = ?`).run(value, isinFor(name))
  }
  if (night === dates.suspendedFrom) set('suspended', { suspended_from: night })
  if (night > dates.suspendedTo && night <= '2025-02-20')
    set('suspended', { suspended_to: dates.suspendedTo })
  if (night === dates.merger) set('merged', { end_date: night, end_reason: 'merged' })
  if (night === dates.liquidation) set('liquidated', { end_date: night, end_reason: 'liquidated' })
}

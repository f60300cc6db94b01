/** The markets, the prices of a fund, which move with them, and the rows of the table price. */

import type { FundRows, PriceRow } from '../../core/api/contract/rows.ts'
import { type Draws, randomFor } from '../../core/system/random.ts'
import { dateAt, type Period, previousYearEnd } from './calendar.ts'
import type { Instrument } from './funds.ts'
import { within } from './market.ts'

export type PriceHistory = ReturnType<typeof priceHistory>

export const businessDaysAYear = 253
const lowestNav = 100

/**
 * By calendar index, in units of the price's last digit; both arrays are 0 before the launch. `worths`: NAV times the shares that one
 * share has become by reinvesting its distributions, so its ratios are total return.
 */
export function priceHistory(fund: Instrument, market: Market, { calendar, last }: Period) {
  const random = fund.randomOf('prices')
  const { kind, inception } = fund
  const equityBeta = within(random, kind.equityBeta)
  const bondBeta = within(random, kind.bondBeta)
  const volatility = within(random, kind.volatility)
  const drift = within(random, kind.drift) / businessDaysAYear
  const navs = new Int32Array(last + 1)
  const worths = new Float64Array(last + 1)
  const distributions = new Map<number, number>()

  let nav = random.pick(kind.startPrices) * 10 ** kind.decimals
  let shares = 1
  navs[inception] = nav
  worths[inception] = nav
  for (let day = inception + 1; day <= last; day++) {
    const byMarket = equityBeta * (market.equity[day] ?? 0) + bondBeta * (market.bond[day] ?? 0)
    const change = drift + byMarket + volatility * random.gaussian()
    nav = Math.max(lowestNav, Math.round(nav * (1 + change)))
    if (paysOn(fund, calendar, day)) {
      const distribution = Math.round(nav * within(random, kind.distribution))
      nav -= distribution
      distributions.set(day, distribution)
      shares *= 1 + distribution / nav
    }
    navs[day] = nav
    worths[day] = nav * shares
  }
  return { navs, worths, distributions }
}

/** Total return between two calendar indices, as a fraction. */
export const returnBetween = ({ worths }: PriceHistory, from: number, to: number): number =>
  (worths[to] ?? 0) / (worths[from] ?? 0) - 1

/** A distribution comes about six weeks after the end of each fiscal year, but not in the fund's first months. */
function paysOn(fund: Instrument, calendar: Period['calendar'], day: number): boolean {
  if (fund.accumulating || day <= fund.inception + 60) return false
  const month = ((Number(fund.endOfFiscalYear.slice(0, 2)) + 1) % 12) + 1
  const due = `${dateAt(calendar, day).slice(0, 4)}-${String(month).padStart(2, '0')}-15`
  return dateAt(calendar, day - 1) < due && due <= dateAt(calendar, day)
}

/**
 * One row for each business day, from the fund's first price to the last day. `change` is the NAV's, so a distribution
 * shows in it; `performance` is total return since the end of the previous year, which the year of the launch does not have.
 */
export function* priceRows(fund: Instrument, history: PriceHistory, period: Period): Generator<PriceRow> {
  const { calendar, last } = period
  const { decimals } = fund.kind
  const taxFiguresOn = taxFigures(fund, history, period)
  for (let day = fund.firstPrice; day <= last; day++) {
    const nav = history.navs[day] ?? 0
    const before = history.navs[Math.max(day - 1, fund.inception)] ?? 0
    const yearEnd = previousYearEnd(calendar, day)
    const yearStart = Math.max(fund.inception, yearEnd)
    yield {
      date: dateAt(calendar, day),
      issuePrice: decimalText(Math.round((nav * (10_000 + fund.surcharge)) / 10_000), decimals),
      repurchasePrice: decimalText(Math.round((nav * (10_000 - fund.redemptionFee)) / 10_000), decimals),
      netAssetValue: decimalText(nav, decimals),
      change: decimalText(nav - before, decimals),
      changePercent: percentText((nav - before) / before),
      performance: yearStart > yearEnd ? null : percentText(returnBetween(history, yearEnd, day)),
      ...taxFiguresOn(day, yearStart),
    }
  }
}

/** The distributions that the prices show: from the fund's first price on. */
export const distributionRows = (
  { firstPrice, place, kind }: Instrument,
  { distributions }: PriceHistory,
  { calendar }: Period,
): FundRows['corporateActions'] =>
  [...distributions]
    .filter(([day]) => day > firstPrice)
    .map(([day, units]) => ({
      exDate: dateAt(calendar, day),
      kind: 'distribution',
      amount: decimalText(units, kind.decimals),
      currency: place.currency,
      factor: null,
      successorIsin: null,
    }))

/** By calendar index: the interim profit in the fund's currency, the others in percent of the repurchase price. */
function taxFigures(
  { kind, ...fund }: Instrument,
  { navs }: PriceHistory,
  { calendar, lastTaxDate }: Period,
) {
  const random = fund.randomOf('tax')
  const interestADay = random.between(0.00002, 0.00006)
  const taxableShare = random.between(0.3, 0.75)
  const startProfit = random.between(-4, 22)
  const corporateShare = random.between(0.9, 0.99)
  const startNav = navs[fund.inception] ?? 0
  return (day: number, yearStart: number) => {
    const only = (figure: string, units: number, decimals = 2) =>
      dateAt(calendar, day) <= lastTaxDate && kind.taxed.includes(figure)
        ? decimalText(Math.round(units), decimals)
        : null
    const nav = navs[day] ?? 0
    // In percent of the price: a part of what the NAV has gained since the launch.
    const profit = startProfit + ((nav - startNav) / nav) * 100 * taxableShare
    return {
      intercompanyProfit: only('interim', nav * interestADay * (day - yearStart), kind.decimals),
      shareProfit: only('shares', profit * 100),
      realEstateProfits: only('realEstate', profit * 40),
      shareProfit2: only('shares', profit * corporateShare * 100),
    }
  }
}

export type Market = ReturnType<typeof marketOver>

/**
 * The two markets that all funds of a database follow, so that their bad weeks are the same weeks.
 * @returns the change on each business day of the calendar, as fractions
 */
export const marketOver = (seed: number, { length }: Period['calendar']) => ({
  equity: dailyReturns(randomFor(seed, 'equity market'), length, {
    every: 700,
    lasting: [20, 80],
    calm: { mean: 0.00045, deviation: 0.0068 },
    falling: { mean: -0.0025, deviation: 0.014 },
  }),
  bond: dailyReturns(randomFor(seed, 'bond market'), length, {
    every: 1600,
    lasting: [150, 260],
    calm: { mean: 0.0001, deviation: 0.0019 },
    falling: { mean: -0.0004, deviation: 0.0028 },
  }),
})

interface Moves {
  readonly mean: number
  readonly deviation: number
}

/** Calm years, and about once in `every` days a fall with wilder days. */
function dailyReturns(
  random: Draws,
  days: number,
  {
    every,
    lasting,
    calm,
    falling,
  }: Record<'calm' | 'falling', Moves> & { every: number; lasting: readonly [number, number] },
): Float64Array {
  let fallDays = 0
  return Float64Array.from({ length: days }, () => {
    if (fallDays > 0) fallDays--
    else if (random.chance(1 / every)) fallDays = random.whole(...lasting)
    const { mean, deviation } = fallDays > 0 ? falling : calm
    return mean + deviation * random.gaussian()
  })
}

/** `units` of the last digit as plain decimal text: 1234567 with 2 decimals is '12345.67'. */
export function decimalText(units: number, decimals: number): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  return `${units < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** 0.0525 as '5.25'. */
const percentText = (fraction: number): string => decimalText(Math.round(fraction * 10_000), 2)

/** The markets, the prices of a fund, which move with them, and the rows of the table price. */

import type { PriceRow } from '../api/contract/rows.ts'
import { randomFor } from '../system/random.ts'
import { dateAt, indexOnOrAfter, type Period, previousYearEnd } from './calendar.ts'
import type { FundKind, Instrument } from './funds.ts'

export type PriceHistory = ReturnType<typeof priceHistory>

const businessDaysAYear = 253
const lowestNav = 100

/**
 * Both arrays by calendar index, in units of the price's last digit; 0 before the launch. `worths`: NAV times the shares that one
 * share has become by reinvesting its distributions, so its ratios are total return.
 */
export function priceHistory(fund: Instrument, market: Market, { calendar, last }: Period) {
  const random = fund.randomOf('prices')
  const { traits, inception } = fund
  const equityBeta = random.between(...traits.returns.equityBeta)
  const bondBeta = random.between(...traits.returns.bondBeta)
  const volatility = random.between(...traits.returns.volatility)
  const drift = random.between(...traits.returns.drift) / businessDaysAYear
  const navs = new Int32Array(last + 1)
  const worths = new Float64Array(last + 1)
  const distributionDays = fund.accumulating ? new Set<number>() : exDays(fund, calendar, last)

  let nav = random.pick(traits.startPrices) * (traits.decimals === 2 ? 100 : 10_000)
  let shares = 1
  navs[inception] = nav
  worths[inception] = nav
  for (let day = inception + 1; day <= last; day++) {
    const byMarket = equityBeta * (market.equity[day] ?? 0) + bondBeta * (market.bond[day] ?? 0)
    const change = drift + byMarket + volatility * random.gaussian()
    nav = Math.max(lowestNav, Math.round(nav * (1 + change)))
    if (distributionDays.has(day)) {
      const distribution = Math.round(nav * random.between(...traits.distribution.yield))
      nav -= distribution
      shares *= 1 + distribution / nav
    }
    navs[day] = nav
    worths[day] = nav * shares
  }
  return { navs, worths }
}

/** Total return between two calendar indices, as a fraction. */
export const returnBetween = ({ worths }: PriceHistory, from: number, to: number): number =>
  (worths[to] ?? 0) / (worths[from] ?? 0) - 1

/** Days of distribution: about six weeks after the end of each fiscal year, but not in the fund's first months. */
function exDays(fund: Instrument, calendar: Period['calendar'], last: number): ReadonlySet<number> {
  const month = (Number(fund.endOfFiscalYear.slice(0, 2)) + 1) % 12
  const day = `${String(month + 1).padStart(2, '0')}-15`
  const days = yearsOf(fund, calendar, last).map((year) => indexOnOrAfter(calendar, `${year}-${day}`))
  return new Set(days.filter((index) => index > fund.inception + 60 && index <= last))
}

/** The years from the launch to the last price. */
function yearsOf({ inception }: Instrument, calendar: Period['calendar'], last: number): number[] {
  const [first = 0, until = 0] = [inception, last].map((day) => Number(dateAt(calendar, day).slice(0, 4)))
  return Array.from({ length: until - first + 1 }, (_, at) => first + at)
}

/**
 * One row for each business day, from the fund's first price to the last day. `change` is the NAV's, so a distribution
 * shows in it; `performance` is total return since the end of the previous year, or since the launch.
 */
export function* priceRows(fund: Instrument, history: PriceHistory, period: Period): Generator<PriceRow> {
  const { calendar, last } = period
  const { decimals } = fund.traits
  const taxFiguresOn = taxFigures(fund, history, period)
  for (let day = fund.firstPrice; day <= last; day++) {
    const nav = history.navs[day] ?? 0
    const before = history.navs[Math.max(day - 1, fund.inception)] ?? 0
    yield {
      date: dateAt(calendar, day),
      issuePrice: decimalText(Math.round((nav * (10_000 + fund.surcharge)) / 10_000), decimals),
      repurchasePrice: decimalText(Math.round((nav * (10_000 - fund.redemptionFee)) / 10_000), decimals),
      netAssetValue: decimalText(nav, decimals),
      change: decimalText(nav - before, decimals),
      changePercent: percentText((nav - before) / before),
      // Since the last business day of the year before, or the launch.
      performance: percentText(
        returnBetween(history, Math.max(fund.inception, previousYearEnd(calendar, day)), day),
      ),
      ...taxFiguresOn(day),
    }
  }
}

type TaxFigure = 'interim' | 'shares' | 'realEstate'

/** The tax figures that each kind of fund has, by its assets. */
const taxed: Readonly<Record<FundKind, readonly TaxFigure[]>> = {
  equity: ['shares'],
  bond: ['interim'],
  mixed: ['interim', 'shares'],
  realEstate: ['interim', 'realEstate'],
  moneyMarket: ['interim'],
}

/** By calendar index: the interim profit in the fund's currency, the others in percent of the repurchase price. */
function taxFigures(fund: Instrument, { navs }: PriceHistory, { calendar, last, lastTaxDate }: Period) {
  const { traits } = fund
  const random = fund.randomOf('tax')
  const interestADay = random.between(0.00002, 0.00006)
  const taxableShare = random.between(0.3, 0.75)
  const startProfit = random.between(-4, 22)
  const corporateShare = random.between(0.9, 0.99)
  const startNav = navs[fund.inception] ?? 0
  const yearStarts = fiscalYearStarts(fund, calendar, last)
  const only = (figure: TaxFigure, units: number, decimals: 2 | 4) =>
    taxed[fund.kind].includes(figure) ? decimalText(Math.round(units), decimals) : null

  return (day: number) => {
    const date = dateAt(calendar, day)
    const isTaxed = date <= lastTaxDate
    const nav = navs[day] ?? 0
    const start = yearStarts.findLast((index) => index <= day) ?? fund.inception
    // In percent of the price: a part of what the NAV has gained since the launch.
    const profit = startProfit + ((nav - startNav) / nav) * 100 * taxableShare
    return {
      intercompanyProfit: isTaxed
        ? only('interim', nav * interestADay * (day - start), traits.decimals)
        : null,
      shareProfit: isTaxed ? only('shares', profit * 100, 2) : null,
      realEstateProfits: isTaxed ? only('realEstate', profit * 40, 2) : null,
      // For corporations, by the law of March 2013.
      shareProfit2: isTaxed && date >= '2013-03-01' ? only('shares', profit * corporateShare * 100, 2) : null,
    }
  }
}

/** Indices of the days on which the interim profit begins anew. */
function fiscalYearStarts(fund: Instrument, calendar: Period['calendar'], last: number): readonly number[] {
  const later = yearsOf(fund, calendar, last).map((year) =>
    indexOnOrAfter(calendar, `${year}-${fund.endOfFiscalYear}`),
  )
  return [fund.inception, ...later.filter((start) => start > fund.inception)]
}

type Market = ReturnType<typeof marketOver>

/**
 * The two markets that all funds of a database follow, so that their bad weeks are the same weeks.
 * @returns the change on each business day of the calendar, as fractions
 */
export const marketOver = (seed: number, calendar: Period['calendar']) => ({
  equity: equityReturns(seed, calendar),
  bond: bondReturns(seed, calendar),
})

/** Quiet years, and every three years or so a fall of one to four months with wilder days, then a recovery. */
function equityReturns(seed: number, calendar: Period['calendar']): Float64Array {
  const random = randomFor(seed, 'equity market')
  const returns = new Float64Array(calendar.length)
  let volatility = 1
  let fallDays = 0
  let recoveryDays = 0
  for (let day = 0; day < returns.length; day++) {
    if (fallDays === 0 && recoveryDays === 0 && random.chance(1 / 700)) fallDays = random.whole(20, 80)
    const falling = fallDays > 0
    volatility += 0.06 * ((falling ? 2.4 : 0.9) - volatility)
    const mean = falling ? -0.0032 : recoveryDays > 0 ? 0.0012 : 0.00045
    returns[day] = mean + 0.0082 * volatility * random.gaussian()
    if (falling) {
      fallDays--
      if (fallDays === 0) recoveryDays = random.whole(80, 160)
    } else if (recoveryDays > 0) recoveryDays--
  }
  return returns
}

/** Small movements around nothing, and now and then a year in which yields rise and prices fall. */
function bondReturns(seed: number, calendar: Period['calendar']): Float64Array {
  const random = randomFor(seed, 'bond market')
  const returns = new Float64Array(calendar.length)
  let risingDays = 0
  for (let day = 0; day < returns.length; day++) {
    if (risingDays === 0 && random.chance(1 / 1600)) risingDays = random.whole(150, 260)
    const rising = risingDays > 0
    returns[day] = (rising ? -0.0004 : 0.0001) + (rising ? 0.0028 : 0.0019) * random.gaussian()
    if (rising) risingDays--
  }
  return returns
}

/** `units` of the last digit as plain decimal text: 1234567 with 2 decimals is '12345.67'. */
export function decimalText(units: number, decimals: 2 | 4): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  return `${units < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** 0.0525 as '5.25'. */
const percentText = (fraction: number): string => decimalText(Math.round(fraction * 10_000), 2)

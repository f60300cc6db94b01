/** The prices of a fund: how its value moves with the markets, and the rows of the table price. */

import { dateAt, indexOnOrAfter, type Period, shiftYears } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { FundKind } from './kinds.ts'
import type { Market } from './market.ts'
import type { DemoRow } from './rows.ts'
import { decimalText, percentText } from './shares.ts'

/** Both arrays by calendar index, in units of the price's last digit; 0 before the launch. */
export interface PriceHistory {
  readonly navs: Int32Array
  /** NAV times the shares that one share has become by reinvesting its distributions: its ratios are total return. */
  readonly worths: Float64Array
}

const businessDaysAYear = 253
const lowestNav = 100

export function priceHistory(fund: Instrument, market: Market, { calendar, last }: Period): PriceHistory {
  const random = fund.randomOf('prices')
  const { traits, inception } = fund
  const equityBeta = random.between(...traits.equityBeta)
  const bondBeta = random.between(...traits.bondBeta)
  const volatility = random.between(...traits.ownVolatility)
  const drift = random.between(...traits.drift) / businessDaysAYear
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
      const distribution = Math.round(nav * random.between(...traits.distributionYield))
      nav -= distribution
      shares *= 1 + distribution / nav
    }
    navs[day] = nav
    worths[day] = nav * shares
  }
  return { navs, worths }
}

/** Total return between two calendar indices, as a fraction. */
export function returnBetween({ worths }: PriceHistory, from: number, to: number): number {
  return (worths[to] ?? 0) / (worths[from] ?? 0) - 1
}

/** Days of distribution: about six weeks after the end of each fiscal year, but not in the fund's first months. */
function exDays(fund: Instrument, calendar: Period['calendar'], last: number): ReadonlySet<number> {
  const month = (Number(fund.endOfFiscalYear.slice(0, 2)) + 1) % 12
  const day = `${String(month + 1).padStart(2, '0')}-15`
  const days = new Set<number>()
  const firstYear = Number(dateAt(calendar, fund.inception).slice(0, 4))
  const lastYear = Number(dateAt(calendar, last).slice(0, 4))
  for (let year = firstYear; year <= lastYear; year++) {
    const index = indexOnOrAfter(calendar, `${year}-${day}`)
    if (index > fund.inception + 60 && index <= last) days.add(index)
  }
  return days
}

/**
 * One row for each business day, from the fund's first price to the last day. `change` is the NAV's, so a distribution
 * shows in it; `performance` is total return since the end of the previous year, or since the launch.
 */
export function* priceRows(fund: Instrument, history: PriceHistory, period: Period): Generator<DemoRow> {
  const { calendar, last } = period
  const { decimals } = fund.traits
  const taxFiguresOn = taxFigures(fund, history, period)
  for (let day = fund.firstPrice; day <= last; day++) {
    const nav = history.navs[day] ?? 0
    const before = history.navs[Math.max(day - 1, fund.inception)] ?? 0
    yield [
      fund.isin,
      dateAt(calendar, day),
      decimalText(Math.round((nav * (10_000 + fund.surcharge)) / 10_000), decimals),
      decimalText(Math.round((nav * (10_000 - fund.redemptionFee)) / 10_000), decimals),
      decimalText(nav, decimals),
      decimalText(nav - before, decimals),
      percentText((nav - before) / before),
      percentText(returnBetween(history, yearBase(fund, period, day), day)),
      ...taxFiguresOn(day),
    ]
  }
}

/** The start of a year's performance: the last business day of the year before, or the launch. */
export function yearBase({ inception }: Instrument, { calendar }: Period, day: number): number {
  return Math.max(inception, calendar.previousYearEnds[day] ?? -1)
}

type TaxFigures = readonly [
  intercompanyProfit: string | null,
  shareProfit: string | null,
  realEstateProfits: string | null,
  shareProfit2: string | null,
]

/** The tax figures that each kind of fund has, by its assets. */
const taxed: Readonly<Record<FundKind, readonly ('interim' | 'shares' | 'realEstate')[]>> = {
  equity: ['shares'],
  bond: ['interim'],
  mixed: ['interim', 'shares'],
  realEstate: ['interim', 'realEstate'],
  moneyMarket: ['interim'],
}

/** The second share profit, for corporations, came with the law of March 2013. */
const firstShareProfit2Date = '2013-03-01'

/** By calendar index: the interim profit in the fund's currency, the others in percent of the repurchase price. */
function taxFigures(
  fund: Instrument,
  { navs }: PriceHistory,
  { calendar, last, lastTaxDate }: Period,
): (day: number) => TaxFigures {
  const random = fund.randomOf('tax')
  const has = (figure: 'interim' | 'shares' | 'realEstate') => taxed[fund.kind].includes(figure)
  const interestADay = random.between(0.00002, 0.00006)
  const taxableShare = random.between(0.3, 0.75)
  const startProfit = random.between(-4, 22)
  const corporateShare = random.between(0.9, 0.99)
  const startNav = navs[fund.inception] ?? 0
  const yearStarts = fiscalYearStarts(fund, calendar, last)

  return (day) => {
    const date = dateAt(calendar, day)
    if (date > lastTaxDate) return [null, null, null, null]
    const nav = navs[day] ?? 0
    const start = yearStarts.findLast((index) => index <= day) ?? fund.inception
    const interim = Math.round(nav * interestADay * (day - start))
    // In percent of the price: a part of what the NAV has gained since the launch.
    const profit = startProfit + ((nav - startNav) / nav) * 100 * taxableShare
    return [
      has('interim') ? decimalText(interim, fund.traits.decimals) : null,
      has('shares') ? decimalText(Math.round(profit * 100), 2) : null,
      has('realEstate') ? decimalText(Math.round(profit * 40), 2) : null,
      has('shares') && date >= firstShareProfit2Date
        ? decimalText(Math.round(profit * corporateShare * 100), 2)
        : null,
    ]
  }
}

/** DemoCalendar indices of the days on which the interim profit begins anew. */
function fiscalYearStarts(fund: Instrument, calendar: Period['calendar'], last: number): readonly number[] {
  const starts = [fund.inception]
  const until = dateAt(calendar, last)
  let end = `${dateAt(calendar, fund.inception).slice(0, 4)}-${fund.endOfFiscalYear}`
  for (; end < until; end = shiftYears(end, 1)) {
    const start = indexOnOrAfter(calendar, end)
    if (start > fund.inception) starts.push(start)
  }
  return starts
}

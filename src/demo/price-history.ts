/** The NAV of one fund from its launch to the last day, and what a saver's first share has become. */

import { dateAt, indexOnOrAfter } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { Market } from './market.ts'
import type { Period } from './period.ts'

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

/** Some six weeks after the end of each fiscal year, but not in the fund's first months. */
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

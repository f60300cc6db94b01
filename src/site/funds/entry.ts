/** A fund's entry in lists of funds. */

import {
  isYoungerThanOneYear,
  mayGiveOutPrices,
  mayShowPerformance,
  yearBefore,
} from '../../api/contract/fund.ts'
import type { FundEntry, FundPageSource } from '../../api/contract/page.ts'
import type { PriceRow } from '../../api/contract/rows.ts'
import { dayNumber } from './chart/formats.ts'

/** @returns null if no data of the fund may be given out */
export function fundEntry(source: FundPageSource): FundEntry | null {
  const { fund } = source
  if (fund.dataPermitted === 0) return null
  const [profile] = source.rows('profile')
  const price = mayGiveOutPrices(fund) ? source.newestPrice() : null
  const changePercent = price !== null && mayPagesShowPerformance(source) ? price.changePercent : null
  return {
    isin: fund.isin,
    wkn: fund.wkn,
    name: fund.name,
    currency: fund.currency,
    categoryDe: profile?.categoryDe ?? null,
    categoryEn: profile?.categoryEn ?? profile?.categoryDe ?? null,
    newest: price === null ? null : { date: price.date, nav: price.netAssetValue, changePercent },
    oneYearPercent: price === null ? null : oneYearPercent(source, price),
    overdue: price === null ? null : source.overdue,
  }
}

/**
 * Whether a page may show how a fund has performed: it needs the permission and an age of one year. MiFID II (delegated
 * regulation 2017/565, article 44) allows no performance of less than twelve months, and a line of prices would show it,
 * too: the page of a younger fund has its newest price, but neither a change nor a chart.
 */
export const mayPagesShowPerformance = ({ fund, day }: FundPageSource) =>
  mayShowPerformance(fund) && !isYoungerThanOneYear(fund, day)

/** Days that the price or the legal period used may lie away from exactly a year ago. */
const tolerance = 7

/**
 * Percent since a year before the newest price, or null if it may not be shown or is not known. The NAV of a distributing
 * fund lacks its distributions: for such a fund only a delivered legal period of twelve months counts, which ends with the
 * newest price or at most a week before.
 */
export function oneYearPercent(source: FundPageSource, { date, netAssetValue }: PriceRow): string | null {
  if (!mayPagesShowPerformance(source)) return null
  const [profile] = source.rows('profile')
  if (profile?.accumulating === 1) {
    const yearAgo = yearBefore(date)
    const before = source.navAt(yearAgo)
    if (before === null || daysBetween(before.date, yearAgo) > tolerance) return null
    const [from, to] = [Number(before.nav), Number(netAssetValue)]
    return from > 0 ? ((to / from - 1) * 100).toFixed(2) : null
  }
  const period = source.rows('legalPeriods').find(({ dateFrom, dateTo }) => {
    const age = daysBetween(dateTo, date)
    return age >= 0 && age <= tolerance && Math.abs(daysBetween(dateFrom, yearBefore(dateTo))) <= 1
  })
  return period?.gross?.toFixed(2) ?? null
}

const daysBetween = (from: string, to: string) => dayNumber(to) - dayNumber(from)

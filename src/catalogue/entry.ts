/** A fund's entry in lists of funds. */

import { isYoungerThanOneYear, mayGiveOutPrices, mayShowPerformance } from '../contract/fund.ts'
import type { FundEntry, FundPageSource } from '../contract/page.ts'
import type { LegalPeriodRow, PriceRow } from '../contract/rows.ts'
import { yearBefore } from '../contract/years.ts'
import { dayNumber } from './chart/formats.ts'

/** @returns null where nothing of the fund is given out */
export function fundEntry(source: FundPageSource): FundEntry | null {
  const { fund } = source
  if (fund.dataPermitted === 0) return null
  const [profile] = source.rows('profile')
  const price = mayGiveOutPrices(fund) ? source.newestPrice() : null
  const showsPerformance = mayPagesShowPerformance(source)
  return {
    isin: fund.isin,
    wkn: fund.wkn,
    name: fund.name,
    currency: fund.currency,
    categoryDe: profile?.categoryDe ?? null,
    categoryEn: profile?.categoryEn ?? profile?.categoryDe ?? null,
    newest:
      price === null
        ? null
        : {
            date: price.date,
            nav: price.netAssetValue,
            changePercent: showsPerformance ? price.changePercent : null,
          },
    oneYearPercent: price === null ? null : oneYearPercent(source, price),
    overdue: price === null ? null : source.overdue,
  }
}

/**
 * Whether a page may show how a fund has done: permitted, and a year old. MiFID II (delegated regulation 2017/565,
 * article 44) allows no performance of less than twelve months, and the line of its prices shows that as well: such a
 * fund's page has its newest price, and neither a change nor a chart.
 */
export const mayPagesShowPerformance = ({ fund, day }: FundPageSource) =>
  mayShowPerformance(fund) && !isYoungerThanOneYear(fund, day)

/** So many days may lie between a year ago, and the price or the end of a legal period that is taken for it. */
const tolerance = 7

/**
 * Percent since a year before the newest price, or null where it may not be shown or is not known. What a distributing
 * fund paid out is missing in its NAV: there only the twelve months count that were delivered as a legal period, which
 * end with the newest price or at most a week before.
 */
export function oneYearPercent(source: FundPageSource, newest: PriceRow): string | null {
  if (!mayPagesShowPerformance(source)) return null
  const [profile] = source.rows('profile')
  if (profile?.accumulating === 1) return navChange(source, newest)
  const period = source.rows('legalPeriods').find((row) => isLastYear(row, newest.date))
  return period?.gross === undefined || period.gross === null ? null : period.gross.toFixed(2)
}

function navChange(source: FundPageSource, { date, netAssetValue }: PriceRow): string | null {
  const yearAgo = yearBefore(date)
  const before = source.navAt(yearAgo)
  if (before === null || dayNumber(yearAgo) - dayNumber(before.date) > tolerance) return null
  const [from, to] = [Number(before.nav), Number(netAssetValue)]
  return from > 0 ? ((to / from - 1) * 100).toFixed(2) : null
}

function isLastYear({ dateFrom, dateTo }: LegalPeriodRow, newest: string): boolean {
  const age = dayNumber(newest) - dayNumber(dateTo)
  return age >= 0 && age <= tolerance && Math.abs(dayNumber(yearBefore(dateTo)) - dayNumber(dateFrom)) <= 1
}

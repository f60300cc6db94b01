/** Prices from the API of the page's own host. */

import { dayNumber, isoOf } from '../../../../core/system/day-number.ts'
import { daysStoodFor, type DayPrice, type FundActions } from '../../../../core/layout/total-return.ts'

/** Part of the API's answer. Historic prices carry a decimal comma. */
interface PricesAnswer {
  readonly prices: readonly { readonly date: string; readonly net_asset_value: { readonly value: string } }[]
}

/** The prices of whole calendar years. @param windows ends with a slash @throws {Error} without prices */
export async function fetchPrices(windows: string, from: number, to: number): Promise<readonly DayPrice[]> {
  if (windows === '' || location.protocol === 'file:') throw new Error('there is no API')
  const response = await fetch(`${windows}${yearText(from)}-01-01/${yearText(to)}-12-31/?format=json`)
  if (!response.ok) throw new Error(`the API answered with ${response.status}`)
  const { prices } = (await response.json()) as PricesAnswer
  return prices.map(({ date, net_asset_value }) => ({
    day: dayNumber(date),
    nav: net_asset_value.value.replace(',', '.'),
  }))
}

/** Part of the list of a fund's distributions. */
interface ActionsAnswer {
  readonly distributions: readonly {
    readonly ex_date: string
    readonly amount: string
    readonly reinvested_on: string | null
    readonly net_asset_value: string | null
  }[]
  readonly splits: readonly { readonly ex_date: string; readonly factor: string }[]
}

/** @throws {Error} without them */
export async function fetchActions(address: string): Promise<FundActions> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  const { distributions, splits } = (await response.json()) as ActionsAnswer
  return {
    distributions: distributions.map(({ ex_date, amount, reinvested_on: on, net_asset_value: nav }) => ({
      exDay: dayNumber(ex_date),
      amount,
      reinvested: on === null || nav === null ? null : { day: dayNumber(on), nav },
    })),
    splits: splits.map(({ ex_date, factor }) => ({ exDay: dayNumber(ex_date), factor })),
  }
}

const yearText = (year: number) => String(year).padStart(4, '0')

/** The year of the first price that `pricesSince` may take. @param first days since 1970-01-01 */
export const yearToAsk = (first: number) => yearOf(first - daysStoodFor)

/** @param day days since 1970-01-01 */
export const yearOf = (day: number) => Number(isoOf(day).slice(0, 4))

/** The prices of a fund as its chart needs them: the sample in the page, and all of a range from the API. */

import { dayNumber, isoOf } from '../chart/formats.ts'

export interface Price {
  /** Days since 1970-01-01. */
  readonly day: number
  /** Decimal text with a point. */
  readonly nav: string
}

export interface History {
  readonly sample: readonly Price[]
  /** Every price since a day; where the API cannot be asked, those of the sample. */
  readonly since: (day: number) => Promise<readonly Price[]>
}

/** @param flat days, from the second on since the one before, each with its NAV @param windows address of the windows */
export function historyOf(flat: string, windows: string): History {
  const sample: Price[] = []
  const parts = flat.split(' ')
  let day = 0
  for (let index = 0; index < parts.length; index += 2) {
    day += Number(parts[index])
    sample.push({ day, nav: parts[index + 1] ?? '' })
  }
  const years = new Map<number, Promise<readonly Price[]>>()
  const ofYear = (year: number) => {
    const known = years.get(year) ?? fetchYear(windows, year)
    years.set(year, known)
    return known
  }
  return {
    sample,
    since: async (first) => {
      const from = Number(isoOf(first).slice(0, 4))
      const to = Number(isoOf(sample.at(-1)?.day ?? 0).slice(0, 4))
      try {
        const found = await Promise.all(
          Array.from({ length: to - from + 1 }, (_, index) => ofYear(from + index)),
        )
        return within(found.flat(), first)
      } catch {
        years.clear()
        return within(sample, first)
      }
    },
  }
}

const within = (prices: readonly Price[], first: number) => prices.filter(({ day }) => day >= first)

/** What this reads of endpoint 3. Historic prices carry a decimal comma. */
interface Answer {
  readonly prices: readonly { readonly date: string; readonly net_asset_value: { readonly value: string } }[]
}

/** A whole calendar year is one stored window. */
async function fetchYear(windows: string, year: number): Promise<readonly Price[]> {
  if (windows === '' || location.protocol === 'file:') throw new Error('there is no API')
  const response = await fetch(`${windows}${year}-01-01/${year}-12-31/?format=json`)
  if (!response.ok) throw new Error(`the API answered with ${response.status}`)
  const { prices } = (await response.json()) as Answer
  return prices.map(({ date, net_asset_value }) => ({
    day: dayNumber(date),
    nav: net_asset_value.value.replace(',', '.'),
  }))
}

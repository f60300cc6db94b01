/** Documents about a fund, at addresses that lead nowhere. */

import type { FundRows } from '../api/contract/rows.ts'
import { addDays, addYears } from '../system/days.ts'
import { dateAt, type Period } from './calendar.ts'
import type { Instrument } from './funds.ts'

/** From the end of a period on, in days: how long a report takes by law. */
const [yearReport, halfYearReport] = [122, 61]

const titles = {
  kid: { de: 'Basisinformationsblatt', en: 'Key information document' },
  prospectus: { de: 'Verkaufsprospekt', en: 'Prospectus' },
  annual_report: { de: 'Jahresbericht', en: 'Annual report' },
  half_year_report: { de: 'Halbjahresbericht', en: 'Half-year report' },
  factsheet: { de: 'Factsheet', en: 'Factsheet' },
} as const

export function documentRows(
  { isin, inception, endOfFiscalYear }: Instrument,
  { calendar, last, status }: Period,
): FundRows['documents'] {
  const [until, launch] = [dateAt(calendar, last), dateAt(calendar, inception)]
  const newYear = `${until.slice(0, 4)}-01-01`
  const start = launch > newYear ? launch : newYear
  const year = lastEnd(endOfFiscalYear, addDays(until, -yearReport))
  const half = lastEnd(halfOf(endOfFiscalYear), addDays(until, -halfYearReport))
  const all = [
    ['kid', start, ['de', 'en']],
    ['prospectus', start, ['de']],
    ['annual_report', year, ['de', 'en']],
    ['half_year_report', half, ['de']],
    ['factsheet', dateAt(calendar, status), ['de', 'en']],
  ] as const
  return all.flatMap(([kind, date, languages]) =>
    date < launch
      ? []
      : languages.map((language) => ({
          ...{ kind, language, date, title: titles[kind][language] },
          url: `https://moewenstein.example/${isin}/${kind}-${date}-${language}.pdf`,
        })),
  )
}

/** The last day of a year's such day (MM-DD) on or before a day. */
function lastEnd(dayOfYear: string, until: string): string {
  const end = `${until.slice(0, 4)}-${dayOfYear}`
  return end > until ? addYears(end, -1) : end
}

/** Half a year after a day (MM-DD) that ends a quarter. */
const halfOf = (dayOfYear: string) =>
  ({ '12-31': '06-30', '09-30': '03-31', '03-31': '09-30', '06-30': '12-31' })[dayOfYear] ?? dayOfYear

import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin, tooYoung } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { performancePoint, toPoint } from '../contract/performance.ts'
import { day, keyed, list, number, record, textLike } from '../contract/shape.ts'

const period = 'period label'
const shortDay = '^[0-9]{2}\\.[0-9]{2}\\.[0-9]{2}$'

export default endpoint({
  id: 'performance-legal',
  group: 'performance-legal',
  path: '/api/v1/performance-legal/{isin}/',
  summary: 'Performance of one fund as the law asks to show it: periods, line, bars gross and net',
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: { status: 404, slug: 'nodata', title: 'No performance data (legal) found for this fund: {isin}' },
  },
  reads: ['legalPeriods', 'legalPoints'],
  body: record({
    fund: basicFund,
    performance: record({
      periods: keyed(
        period,
        record({
          from: day('Start of the period'),
          realfrom: day('Actual start of the period'),
          to: day('End of the period'),
          fromformatted: textLike('Start as DD.MM.YY', shortDay),
          toformatted: textLike('End as DD.MM.YY', shortDay),
        }),
      ),
      line: list(performancePoint('Cumulative performance, percent')),
      bargross: keyed(period, number('Gross performance of that period, percent')),
      barnet: keyed(period, number('Net performance of that period, percent')),
    }),
  }),
  build({ fund, legalPeriods, legalPoints }, { asOf }) {
    if (!mayShowPerformance(fund)) return fail('nodata')
    if (isYoungerThanOneYear(fund, asOf)) return fail('young')
    if (legalPeriods.length === 0 && legalPoints.length === 0) return fail('nodata')
    return {
      fund: fundWithStatus(fund),
      performance: {
        periods: new Map(
          legalPeriods.map((row) => [
            row.label,
            {
              from: row.dateFrom,
              realfrom: row.dateRealfrom,
              to: row.dateTo,
              fromformatted: germanDay(row.dateFrom),
              toformatted: germanDay(row.dateTo),
            },
          ]),
        ),
        line: legalPoints.map(toPoint),
        bargross: bars(legalPeriods, 'gross'),
        barnet: bars(legalPeriods, 'net'),
      },
    }
  },
})

interface Bar {
  readonly label: string
  readonly gross: number | null
  readonly net: number | null
}

const bars = (periods: readonly Bar[], which: 'gross' | 'net') =>
  new Map(periods.flatMap((bar) => (bar[which] === null ? [] : [[bar.label, bar[which]]])))

const germanDay = (iso: string) => `${iso.slice(8)}.${iso.slice(5, 7)}.${iso.slice(2, 4)}`

import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { noPerformance, performancePoint, tooYoung, toPoint } from '../contract/performance.ts'
import { day, keyed, list, number, record, textLike, type Shape } from '../contract/shape.ts'

const byPeriod = <S extends Shape>(of: S) => keyed('period label', 'Bezeichnung des Zeitraums', of)
const shortDay = '^[0-9]{2}\\.[0-9]{2}\\.[0-9]{2}$'

export default endpoint({
  id: 'performance-legal',
  group: {
    id: 'performance-legal',
    title: { en: 'Legal performance', de: 'Gesetzliche Wertentwicklung' },
    lead: {
      en: 'Performance in twelve-month periods, gross and net, and its cumulative line, as rules for advertising require.',
      de: 'Wertentwicklung in Zwölfmonatszeiträumen, brutto und netto, und ihr kumulierter Verlauf, wie die Regeln für Werbung sie verlangen.',
    },
  },
  path: '/api/v1/performance-legal/{isin}/',
  name: { en: 'Performance, legal periods', de: 'Wertentwicklung, gesetzliche Zeiträume' },
  summary: {
    en: 'Performance of one fund in the form that the law requires: periods, line, bars gross and net',
    de: 'Wertentwicklung eines Fonds in der gesetzlich vorgeschriebenen Form: Zeiträume, Linie, Balken brutto und netto',
  },
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: noPerformance('No performance data (legal) found for this fund: {isin}'),
  },
  reads: ['legalPeriods', 'legalPoints'],
  body: record({
    fund: basicFund,
    performance: record({
      periods: byPeriod(
        record({
          from: day('Start of the period', 'Beginn des Zeitraums'),
          realfrom: day('Actual start of the period', 'Tatsächlicher Beginn des Zeitraums'),
          to: day('End of the period', 'Ende des Zeitraums'),
          fromformatted: textLike('Start as DD.MM.YY', 'Beginn als TT.MM.JJ', shortDay),
          toformatted: textLike('End as DD.MM.YY', 'Ende als TT.MM.JJ', shortDay),
        }),
      ),
      line: list(
        performancePoint('Cumulative performance, percent', 'Kumulierte Wertentwicklung in Prozent'),
      ),
      bargross: byPeriod(
        number(
          'Gross performance of that period, percent',
          'Brutto-Wertentwicklung dieses Zeitraums in Prozent',
        ),
      ),
      barnet: byPeriod(
        number(
          'Net performance of that period, percent',
          'Netto-Wertentwicklung dieses Zeitraums in Prozent',
        ),
      ),
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

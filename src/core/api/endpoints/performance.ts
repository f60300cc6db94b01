/** Performance per calendar year, in legal periods and since launch: endpoints 4, 5, 8 and 9. */

import { allFunds, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin, type ErrorRow } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import type { FundRows, PointRow } from '../contract/rows.ts'
import { day, keyed, list, number, record, textLike, wholeNumber, type Shape } from '../contract/shape.ts'

const tooYoung: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title:
    'Not permitted to get performance data for the fund with ISIN: {isin}, because the fund is not yet one year old',
  when: {
    en: 'The fund was launched less than one year ago: its performance may not be shown yet. The relevant day is the as-of date of the snapshot.',
    de: 'Die Auflegung des Fonds liegt weniger als ein Jahr zurück: Seine Wertentwicklung darf noch nicht dargestellt werden. Maßgeblich ist der Stichtag des Datenstands.',
  },
}

const noPerformance = (title: string): ErrorRow => ({
  status: 404,
  slug: 'nodata',
  title,
  when: {
    en: 'The fund has no such performance data, its performance may not be shown, or the ISIN is unknown.',
    de: 'Der Fonds hat keine solchen Daten, seine Wertentwicklung ist nicht freigegeben, oder die ISIN ist unbekannt.',
  },
})

/** Common parts of these endpoints. @param title of the error without data */
const ofPerformance = (title: string) => ({
  hasLanguages: false,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'nodata' } as const },
  errors: { noisin: noIsin, young: tooYoung, nodata: noPerformance(title) },
})

// The interface labels x as microseconds; the values are milliseconds.
const performancePoint = (en: string, de: string) =>
  record({
    x: wholeNumber(
      'Milliseconds since 1970-01-01T00:00Z, always a whole day',
      'Millisekunden seit 1970-01-01T00:00Z, immer ein ganzer Tag',
    ),
    y: number(en, de),
  })

const toPoint = ({ date, value }: PointRow) => ({ x: Date.parse(`${date}T00:00:00Z`), y: value })

export const yearly = endpoint({
  id: 'performance-years',
  group: {
    id: 'performance-years',
    title: { en: 'Performance per calendar year', de: 'Wertentwicklung je Kalenderjahr' },
    lead: {
      en: 'The performance of one fund or of all funds in each calendar year, in percent.',
      de: 'Die Wertentwicklung eines Fonds oder aller Fonds in jedem Kalenderjahr in Prozent.',
    },
  },
  path: '/api/v1/performance-years/{isin}/',
  name: { en: 'Performance per calendar year', de: 'Wertentwicklung je Kalenderjahr' },
  summary: {
    en: 'Performance of one fund per calendar year',
    de: 'Wertentwicklung eines Fonds je Kalenderjahr',
  },
  ...ofPerformance('No performance data (years) for the fund: {isin}'),
  reads: ['performanceYears'],
  body: record({
    fund: basicFund,
    years: keyed(
      'year, four digits',
      'Jahr, vier Ziffern',
      number(
        'Performance in that calendar year, in percent',
        'Wertentwicklung in diesem Kalenderjahr in Prozent',
      ),
    ),
  }),
  build({ fund, performanceYears }, { asOf }) {
    if (!mayShowPerformance(fund)) return fail('nodata')
    if (isYoungerThanOneYear(fund, asOf)) return fail('young')
    if (performanceYears.length === 0) return fail('nodata')
    return {
      fund: fundWithStatus(fund),
      years: new Map(performanceYears.map(({ year, percent }) => [String(year).padStart(4, '0'), percent])),
    }
  },
})

export const yearlyOfAll = allFunds(yearly, {
  id: 'performance-years-all',
  path: '/api/v1/performance-years-all/',
  summary: {
    en: 'Performance of all funds per calendar year',
    de: 'Wertentwicklung aller Fonds je Kalenderjahr',
  },
})

const byPeriod = <S extends Shape>(of: S) => keyed('period label', 'Bezeichnung des Zeitraums', of)
const shortDay = '^[0-9]{2}\\.[0-9]{2}\\.[0-9]{2}$'

export const legalPerformance = endpoint({
  id: 'performance-legal',
  group: {
    id: 'performance-legal',
    title: {
      en: 'Performance in twelve-month periods',
      de: 'Wertentwicklung in Zwölfmonats\u00adzeiträumen',
    },
    // The soft hyphen lets the navigation break the word.
    lead: {
      en: 'Gross and net performance in twelve-month periods, and the cumulative performance over all of them: data for presentations of past performance under Article 44(4) of Delegated Regulation (EU) 2017/565 (MiFID II).',
      de: 'Brutto- und Netto-Wertentwicklung in Zwölfmonatszeiträumen und die kumulierte Wertentwicklung über alle Zeiträume: Daten für Darstellungen der früheren Wertentwicklung nach Art.\u00a044 Abs.\u00a04 der Delegierten Verordnung (EU) 2017/565 (MiFID\u00a0II).',
    },
  },
  path: '/api/v1/performance-legal/{isin}/',
  name: { en: 'Performance in twelve-month periods', de: 'Wertentwicklung in Zwölfmonats\u00adzeiträumen' },
  summary: {
    en: 'Performance of one fund in twelve-month periods (gross and net) and cumulative',
    de: 'Wertentwicklung eines Fonds in Zwölfmonats\u00adzeiträumen (brutto und netto) und kumuliert',
  },
  ...ofPerformance('No performance data (legal) found for this fund: {isin}'),
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
        performancePoint('Cumulative performance in percent', 'Kumulierte Wertentwicklung in Prozent'),
      ),
      bargross: byPeriod(
        number(
          'Gross performance in that period in percent, without the issue surcharge',
          'Brutto-Wertentwicklung in diesem Zeitraum in Prozent, ohne Ausgabeaufschlag',
        ),
      ),
      barnet: byPeriod(
        number(
          'Net performance in that period in percent, after deduction of the issue surcharge',
          'Netto-Wertentwicklung in diesem Zeitraum in Prozent, nach Abzug des Ausgabeaufschlags',
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
          legalPeriods.map(({ label, dateFrom: from, dateRealfrom: realfrom, dateTo: to }) => {
            return [label, { from, realfrom, to, fromformatted: germanDay(from), toformatted: germanDay(to) }]
          }),
        ),
        line: legalPoints.map(toPoint),
        bargross: bars(legalPeriods, 'gross'),
        barnet: bars(legalPeriods, 'net'),
      },
    }
  },
})

const bars = (periods: FundRows['legalPeriods'], which: 'gross' | 'net') =>
  new Map(periods.flatMap((bar) => (bar[which] === null ? [] : [[bar.label, bar[which]]])))

const germanDay = (iso: string) => `${iso.slice(8)}.${iso.slice(5, 7)}.${iso.slice(2, 4)}`

export const sinceLaunch = endpoint({
  id: 'performance-launch',
  group: {
    id: 'performance-launch',
    title: { en: 'Performance since launch', de: 'Wertentwicklung seit Auflegung' },
    lead: {
      en: 'The performance of a fund since its launch, as an index that starts at 100.',
      de: 'Die Wertentwicklung eines Fonds seit seiner Auflegung als Index mit dem Anfangswert 100.',
    },
  },
  path: '/api/v1/performance-launch/{isin}/',
  name: { en: 'Performance since launch', de: 'Wertentwicklung seit Auflegung' },
  summary: {
    en: 'Performance of one fund since its launch, as an index that starts at 100',
    de: 'Wertentwicklung eines Fonds seit Auflegung, als Index mit dem Anfangswert 100',
  },
  ...ofPerformance('No performance data (full) found for this fund: {isin}'),
  reads: ['launchPoints'],
  body: record({
    fund: basicFund,
    performance: list(
      performancePoint('Index value; the series starts at 100', 'Indexwert; die Reihe beginnt bei 100'),
    ),
  }),
  build({ fund, launchPoints }, { asOf }) {
    if (!mayShowPerformance(fund)) return fail('nodata')
    if (isYoungerThanOneYear(fund, asOf)) return fail('young')
    if (launchPoints.length === 0) return fail('nodata')
    return { fund: fundWithStatus(fund), performance: launchPoints.map(toPoint) }
  },
})

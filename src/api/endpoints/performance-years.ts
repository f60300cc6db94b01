import { allFunds, eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { noPerformance, tooYoung } from '../contract/performance.ts'
import { keyed, number, record } from '../contract/shape.ts'

const performanceYears = endpoint({
  id: 'performance-years',
  group: {
    id: 'performance-years',
    title: { en: 'Performance per calendar year', de: 'Wertentwicklung je Kalenderjahr' },
    lead: {
      en: 'One figure for each year, for one fund or for all funds.',
      de: 'Ein Wert je Jahr, für einen Fonds oder für alle Fonds.',
    },
  },
  path: '/api/v1/performance-years/{isin}/',
  name: { en: 'Performance per calendar year', de: 'Wertentwicklung je Kalenderjahr' },
  summary: {
    en: 'Performance of one fund per calendar year',
    de: 'Wertentwicklung eines Fonds je Kalenderjahr',
  },
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: noPerformance('No performance data (years) for the fund: {isin}'),
  },
  reads: ['performanceYears'],
  body: record({
    fund: basicFund,
    years: keyed(
      'year, four digits',
      'Jahr, vier Ziffern',
      number(
        'Performance of that calendar year, percent',
        'Wertentwicklung dieses Kalenderjahres in Prozent',
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

export default performanceYears

export const performanceYearsAll = allFunds(performanceYears, {
  id: 'performance-years-all',
  path: '/api/v1/performance-years-all/',
  summary: {
    en: 'Performance of all funds per calendar year',
    de: 'Wertentwicklung aller Fonds je Kalenderjahr',
  },
})

import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin, tooYoung } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { keyed, number, record } from '../contract/shape.ts'

export default endpoint({
  id: 'performance-years',
  group: 'performance-years',
  path: '/api/v1/performance-years/{isin}/',
  summary: 'Performance of one fund per calendar year',
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: { status: 404, slug: 'nodata', title: 'No performance data (years) for the fund: {isin}' },
  },
  reads: ['performanceYears'],
  body: record({
    fund: basicFund,
    years: keyed('year, four digits', number('Performance of that calendar year, percent')),
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

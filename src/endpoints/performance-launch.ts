import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin, tooYoung } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { performancePoint, toPoint } from '../contract/performance.ts'
import { list, record } from '../contract/shape.ts'

export default endpoint({
  id: 'performance-launch',
  group: 'performance-launch',
  path: '/api/v1/performance-launch/{isin}/',
  summary: 'Performance of one fund since its launch, as an index that starts at 100',
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: { status: 404, slug: 'nodata', title: 'No performance data (full) found for this fund: {isin}' },
  },
  reads: ['launchPoints'],
  body: record({
    fund: basicFund,
    performance: list(performancePoint('Index value; the series starts at 100')),
  }),
  build({ fund, launchPoints }, { asOf }) {
    if (!mayShowPerformance(fund)) return fail('nodata')
    if (isYoungerThanOneYear(fund, asOf)) return fail('young')
    if (launchPoints.length === 0) return fail('nodata')
    return { fund: fundWithStatus(fund), performance: launchPoints.map(toPoint) }
  },
})

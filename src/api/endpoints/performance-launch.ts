import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, isYoungerThanOneYear, mayShowPerformance } from '../contract/fund.ts'
import { noPerformance, performancePoint, tooYoung, toPoint } from '../contract/performance.ts'
import { list, record } from '../contract/shape.ts'

export default endpoint({
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
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    young: tooYoung,
    nodata: noPerformance('No performance data (full) found for this fund: {isin}'),
  },
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

import { allocationsBody, buildAllocations } from '../contract/allocations.ts'
import { eachFund, endpoint } from '../contract/endpoint.ts'
import { dataDenied, noIsin, unknownIsin } from '../contract/errors.ts'

export default endpoint({
  id: 'asset-allocations-with-derivatives',
  group: 'asset-allocations',
  path: '/api/v2/asset-allocations/with-derivatives/{isin}/',
  summary: 'Asset allocations of one fund over time, with derivatives',
  hasLanguages: true,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'notfound' }) },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied },
  reads: ['assetAllocations'],
  body: allocationsBody,
  build: (rows, asked) => buildAllocations(rows, asked, 1),
})

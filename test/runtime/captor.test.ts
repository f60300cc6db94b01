/** A real fund family, where its database is at hand: gaps, no WKNs, funds without data. */
import { beforeAll, describe, expect, it } from 'vitest'
import { differences } from '../oracle/compare.ts'
import { allFundsRequests, fundRequests, refusalRequests } from '../oracle/requests.ts'
import { buildCaptor, hasCaptor, serve, type Served } from '../support/snapshots.ts'

describe.skipIf(!hasCaptor)('the captor database', () => {
  let served: Served

  beforeAll(async () => {
    served = await serve(buildCaptor)
    return served.stop
  })

  it('is served as the oracle says, all of it', async () => {
    const { isins } = served.oracle
    const [first = ''] = isins()
    const requests = [...allFundsRequests(), ...fundRequests(isins()), ...refusalRequests(first)]
    expect(await differences(served.base, served.oracle, requests)).toEqual([])
  })
})

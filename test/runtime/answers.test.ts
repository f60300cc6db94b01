/** Every answer of two databases as it is served, byte for byte what the oracle says. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { acceptHeader, acceptLanguageHeader } from '../oracle/arbitraries.ts'
import { difference, differences } from '../oracle/compare.ts'
import { negotiationRequests } from '../oracle/negotiations.ts'
import type { OracleRequest } from '../oracle/oracle.ts'
import { allFundsRequests, fundRequests, refusalRequests, wrongMethodRequests } from '../oracle/requests.ts'
import { buildDemo, buildOdd, serve, type Served } from '../support/snapshots.ts'

describe.each([
  ['the demo database', buildDemo],
  ['funds that no demo has', buildOdd],
])('of %s', (_, build) => {
  let served: Served

  beforeAll(async () => {
    served = await serve(build)
    return served.stop
  })

  async function expectSame(requests: readonly OracleRequest[]): Promise<void> {
    expect(await differences(served.base, served.oracle, requests)).toEqual([])
  }

  it('answers every endpoint for every fund in every format and language', async () => {
    await expectSame(fundRequests(served.oracle.isins()))
  })

  it('answers the all-funds endpoints', async () => {
    await expectSame(allFundsRequests())
  })

  it('refuses what is missing, wrong or outside the list, in the order of the checks', async () => {
    for (const isin of served.oracle.isins().slice(0, 3)) await expectSame(refusalRequests(isin))
  })

  it('refuses methods that it does not know', async () => {
    await expectSame(wrongMethodRequests(served.oracle.isins()[0] ?? ''))
  })

  it('negotiates format and language as the headers weigh them', async () => {
    for (const isin of served.oracle.isins()) await expectSame(negotiationRequests(isin))
  })

  it('weighs any mixture of media ranges and languages', async () => {
    const target = `/api/v2/asset-allocations/with-derivatives/${served.oracle.isins()[0] ?? ''}/`
    await fc.assert(
      fc.asyncProperty(acceptHeader(), acceptLanguageHeader(), async (accept, acceptLanguage) => {
        const request = { target, accept, acceptLanguage }
        expect(await difference(served.base, served.oracle, request)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('answers OPTIONS with 204 anywhere', async () => {
    const targets = [
      '/',
      '/api/v1/figures/',
      `/api/v1/figures/${served.oracle.isins()[0] ?? ''}/?format=yaml`,
    ]
    await expectSame(targets.map((target) => ({ method: 'OPTIONS', target })))
  })

  it('asks for every row of the error table that its data can reach', () => {
    const anchors = new Set<string>()
    const [first = ''] = served.oracle.isins()
    const requests = [
      ...fundRequests(served.oracle.isins()),
      ...refusalRequests(first),
      ...wrongMethodRequests(first),
    ]
    for (const request of requests) {
      const { status, body } = served.oracle.answer(request)
      const [, anchor] = /\/endpoints\/([^"<]+)/.exec(body) ?? []
      if (status >= 400) anchors.add(anchor ?? body)
    }
    expect([...anchors].sort()).toEqual(errorTable)
  })
})

const errorTable = [
  'asset-allocations/#error-403-noapidataforfund',
  'asset-allocations/#error-404-notfound',
  'emt/#error-403-noapidataforfund',
  'emt/#error-404-nodata',
  'emt/#error-404-notfound',
  'figures/#error-403-noapidataforfund',
  'figures/#error-404-notfound',
  'index/#error-400-noisin',
  'index/#error-400-wrongformat',
  'index/#error-400-wronglanguage',
  'index/#error-404-noendpoint',
  'index/#error-405-wrongmethod',
  'investment_structure/#error-404-nodata',
  'investment_structure/#error-416-wrongtype',
  'performance-launch/#error-403-noapidataforfund',
  'performance-launch/#error-404-nodata',
  'performance-legal/#error-403-noapidataforfund',
  'performance-legal/#error-404-nodata',
  'performance-years/#error-403-noapidataforfund',
  'performance-years/#error-404-nodata',
  'prices/#error-400-wrongdate',
  'prices/#error-403-noapidataforfund',
  'prices/#error-404-notfound',
  'profile/#error-403-noapidataforfund',
  'profile/#error-404-nodata',
  'profile/#error-404-notfound',
]

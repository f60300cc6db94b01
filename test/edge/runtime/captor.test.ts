/** A real fund family, where its database is at hand: gaps, no WKNs, funds without data. */
import { beforeAll, describe, expect, it } from 'vitest'
import { docsUrl } from '../../support/product.ts'
import { buildCaptor, hasCaptor, serve, type Served } from '../../support/snapshots.ts'
import { conform } from '../../../src/conform/suite.ts'

describe.skipIf(!hasCaptor)('the captor database', () => {
  let served: Served

  beforeAll(async () => {
    served = await serve(buildCaptor)
    return served.stop
  })

  it('is served completely as the oracle expects', async () => {
    const { base, db, asOf } = served
    const { checks } = await conform({ base, db, asOf, docsUrl, requests: 600 })
    expect(checks.filter(({ failed }) => failed > 0)).toEqual([])
  })
})

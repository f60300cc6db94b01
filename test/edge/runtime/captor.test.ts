/** A real fund family, where its database is at hand: gaps, no WKNs, funds without data. */
import { describe, expect, it } from 'vitest'
import { docsUrl } from '../../support/product.ts'
import { buildCaptor, hasCaptor, serve } from '../../support/snapshots.ts'
import { conform } from '../../../src/conform/suite.ts'

describe.skipIf(!hasCaptor)('the captor database', () => {
  it('is served completely as the oracle expects', async () => {
    const { base, db, asOf, stop } = await serve(buildCaptor)
    const { checks } = await conform({ base, db, asOf, docsUrl, requests: 600 })
    expect(checks.filter(({ failed }) => failed > 0)).toEqual([])
    await stop()
  })
})

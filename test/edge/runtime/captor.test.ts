/** A real fund family, where its database is at hand: gaps, no WKNs, funds without data. */
import { describe, expect, it } from 'vitest'
import { checks, openSuite } from '../../../src/conform/suite.ts'
import { docsUrl } from '../../support/product.ts'
import { sample } from '../../support/rounds.ts'
import { serveHere } from '../../support/serve-here.ts'
import { buildCaptor, hasCaptor } from '../../support/snapshots.ts'

describe.skipIf(!hasCaptor)('the captor database', () => {
  it('is served as the oracle expects', async () => {
    const { db, out, asOf } = await buildCaptor()
    const { base, stop } = await serveHere(out)
    const suite = openSuite({ base, db, asOf, docsUrl, requests: 600 })
    for (const check of sample(checks)) {
      const { name, failures } = await suite.run(check)
      expect({ name, failures }).toEqual({ name, failures: [] })
    }
    suite.close()
    await stop()
  })
})

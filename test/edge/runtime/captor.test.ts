/** A real fund family: gaps, no WKNs, funds without data. */
import { expect, it } from 'vitest'
import { readAsBuilt } from '../../../src/core/data/derive/copy.ts'
import { defaultDerive } from '../../../src/core/data/derive/modes.ts'
import { openFunds } from '../../../src/core/data/read/open.ts'
import { checks, openSuite } from '../../../src/extensions/conform/suite.ts'
import { docsUrl } from '../../support/product.ts'
import { sample } from '../../support/rounds.ts'
import { serveHere } from '../../support/serve-here.ts'
import { fillCaptor, madeOnce } from '../../support/snapshots.ts'

it('the captor database is served as the oracle expects', async () => {
  const { db, out, asOf } = await madeOnce('captor', '2025-12-31', fillCaptor)
  const { base, stop } = await serveHere(out)
  const funds = openFunds(db)
  // A build derives what the family does not deliver.
  await readAsBuilt(funds, { derive: defaultDerive, fundPages: '' }, async (built) => {
    const suite = openSuite({ base, db: built.name, asOf, docsUrl, requests: 600 })
    for (const check of sample(checks)) {
      const { name, failures } = await suite.run(check)
      expect({ name, failures }).toEqual({ name, failures: [] })
    }
    suite.close()
  })
  funds.close()
  await stop()
})

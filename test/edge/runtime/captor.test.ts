/** A real fund family, where its database is at hand: gaps, no WKNs, funds without data. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checks, openSuite } from '../../../src/conform/suite.ts'
import { docsUrl, repository } from '../../support/product.ts'
import { sample } from '../../support/rounds.ts'
import { serveHere } from '../../support/serve-here.ts'
import { madeOnce } from '../../support/snapshots.ts'

/** Not part of the repository. */
const db = join(repository, '../shared/data/captor/captor.sqlite')

it.skipIf(!existsSync(db))('the captor database is served as the oracle expects', async () => {
  const { out, asOf } = await madeOnce('captor', '2025-12-31', db)
  const { base, stop } = await serveHere(out)
  const suite = openSuite({ base, db, asOf, docsUrl, requests: 600 })
  for (const check of sample(checks)) {
    const { name, failures } = await suite.run(check)
    expect({ name, failures }).toEqual({ name, failures: [] })
  }
  suite.close()
  await stop()
})

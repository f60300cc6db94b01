/** What `serve` promises of ETags beyond what the conformance suite asks of every platform. */
import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { mustRun, startServer } from '../support/product.ts'
import { headerOf, rawRequest, type RawResponse } from '../support/request.ts'
import { buildDemo, fundWithEverything, serve, type Served } from '../support/snapshots.ts'

let served: Served
let isin: string

beforeAll(async () => {
  served = await serve(buildDemo)
  isin = fundWithEverything(served)
  return served.stop
})

/** Asks for a path in which ISIN stands for the fund with everything. */
function get(path: string, headers: Record<string, string> = {}): Promise<RawResponse> {
  return rawRequest(served.base, { target: path.replace('ISIN', isin), headers })
}

async function etagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  return headerOf(await get(path, headers), 'etag') ?? ''
}

it.each([
  '/api/v1/performance-launch/ISIN/',
  '/api/v1/prices-current-all/',
  '/api/v1/prices-historic/ISIN/2024-01-01/2024-12-31/',
  '/api/v1/prices-historic/ISIN/2023-11-07/2024-12-10/',
])('gives each content coding of %s a strong ETag of its own', async (path) => {
  const tags = await Promise.all(
    ['identity', 'gzip', 'br'].map((coding) => etagOf(path, { 'accept-encoding': coding })),
  )
  for (const tag of tags) expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/)
  expect(new Set(tags).size).toBe(3)
})

it('has another ETag once a price within the answer has changed', async () => {
  const changed = served.folder.file('changed.sqlite')
  copyFileSync(served.db, changed)
  const db = new Database(changed)
  const date = db.prepare('SELECT max(date) FROM price WHERE isin = ? AND date < ?').pluck()
  db.prepare(`UPDATE price SET net_asset_value = '77.77' WHERE isin = ? AND date = ?`).run(
    isin,
    date.get(isin, '2024-01-10'),
  )
  db.close()
  const out = served.folder.file('changed')
  await mustRun(['build', '--db', changed, '--out', out, '--as-of', served.asOf, '--quiet'])
  const server = await startServer(out)
  try {
    for (const path of [
      '2024-01-01/2024-12-31',
      '2023-11-07/2024-02-10',
      '2024-01-02/2024-01-09',
      '2020-01-01/2030-12-31',
    ]) {
      for (const format of ['json', 'xml']) {
        const target = `/api/v1/prices-historic/${isin}/${path}/?format=${format}`
        const etag = headerOf(await rawRequest(server.base, { target }), 'etag')
        expect([target, etag]).not.toEqual([target, await etagOf(target)])
      }
    }
  } finally {
    await server.stop()
  }
})

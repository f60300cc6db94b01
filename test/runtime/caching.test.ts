/** What a cache needs: validators and their 304, Vary, Cache-Control. */
import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
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
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  return rawRequest(served.base, { method, target: path.replace('ISIN', isin), headers })
}

async function etagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  return headerOf(await get(path, headers), 'etag') ?? ''
}

const answers = [
  ['a stored answer', '/api/v1/prices-current/ISIN/'],
  ['an answer with languages', '/api/v1/profile/ISIN/'],
  ['all funds', '/api/v1/prices-current-all/'],
  ['a range that is one window', '/api/v1/prices-historic/ISIN/2024-01-01/2024-12-31/'],
  ['a range that is cut and joined', '/api/v1/prices-historic/ISIN/2023-11-07/2024-02-10/'],
  ['a range without a price', '/api/v1/prices-historic/ISIN/1970-01-01/1970-01-02/'],
] as const

const refusals = [
  '/nothing/',
  '/api/v1/figures/',
  '/api/v1/figures/ISIN/?format=yaml',
  '/api/v1/prices-current/LU000NOSUCH8/',
  '/api/v1/prices-historic/ISIN/2024-02-30/2024-03-01/',
  '/api/v1/investment_structure-shoes/ISIN/',
]

describe.each(answers)('%s', (_, path) => {
  it('has a strong ETag, the same each time, another for each format and compression', async () => {
    const plain = await etagOf(path)
    expect(plain).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect(await etagOf(path)).toBe(plain)
    const tags = [plain, await etagOf(`${path}?format=xml`)]
    for (const encoding of ['gzip', 'br']) {
      const response = await get(path, { 'accept-encoding': encoding })
      if (headerOf(response, 'content-encoding') !== undefined) tags.push(headerOf(response, 'etag') ?? '')
    }
    expect(new Set(tags).size).toBe(tags.length)
    for (const tag of tags) expect(tag).toMatch(/^"/)
  })

  it('answers 304 to the ETag that it gave, in every form that a client may send it', async () => {
    const etag = await etagOf(path)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" ,W/"c",${etag}`, '*', ' * ']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await get(path, { 'if-none-match': known }, method)
        expect([known, method, response.status, response.body.length]).toEqual([known, method, 304, 0])
        expect(headerOf(response, 'etag')).toBe(etag)
        expect(headerOf(response, 'cache-control')).toBe(headerOf(await get(path), 'cache-control'))
        expect(headerOf(response, 'vary')).toBe(headerOf(await get(path), 'vary'))
      }
    }
  })

  it('answers 304 to the ETag of a compressed answer where that would come again', async () => {
    for (const encoding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': encoding }
      const response = await get(path, { ...headers, 'if-none-match': await etagOf(path, headers) })
      expect(response.status).toBe(304)
    }
  })

  it('answers in full to other ETags', async () => {
    const etag = await etagOf(path)
    const others = [
      '"other"',
      'W/"other", "another"',
      etag.slice(1, -1),
      `"x${etag.slice(1)}`,
      await etagOf(`${path}?format=xml`),
    ]
    for (const known of others) {
      const response = await get(path, { 'if-none-match': known })
      expect([known, response.status]).toEqual([known, 200])
    }
  })

  it('answers 304 to If-Modified-Since its Last-Modified, but not where If-None-Match is there', async () => {
    const modified = headerOf(await get(path), 'last-modified') ?? ''
    expect(new Date(modified).toUTCString()).toBe(modified)
    const later = new Date(Date.parse(modified) + 86_400_000).toUTCString()
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
    const statusFor = async (headers: Record<string, string>): Promise<number> =>
      (await get(path, headers)).status
    expect(await statusFor({ 'if-modified-since': modified })).toBe(304)
    expect(await statusFor({ 'if-modified-since': later })).toBe(304)
    expect(await statusFor({ 'if-modified-since': earlier })).toBe(200)
    expect(await statusFor({ 'if-modified-since': 'yesterday' })).toBe(200)
    expect(await statusFor({ 'if-modified-since': later, 'if-none-match': '"other"' })).toBe(200)
    expect(await statusFor({ 'if-modified-since': earlier, 'if-none-match': await etagOf(path) })).toBe(304)
  })

  it('says how long it may be kept', async () => {
    expect(headerOf(await get(path), 'cache-control')).toMatch(/\S/)
  })
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

it('has another ETag for each language', async () => {
  const path = '/api/v1/profile/ISIN/'
  expect(await etagOf(`${path}?language=en`)).not.toBe(await etagOf(`${path}?language=de`))
  expect(await etagOf(`${path}?language=de`)).toBe(await etagOf(path))
})

it('never answers 304 to what is refused', async () => {
  const later = new Date(Date.now() + 86_400_000).toUTCString()
  for (const path of refusals) {
    const { status } = await get(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await get(path, { 'if-none-match': '*' })).status).toBe(status)
    expect((await get(path, { 'if-modified-since': later })).status).toBe(status)
  }
  expect((await get('/nothing/', { 'if-none-match': '*' }, 'POST')).status).toBe(405)
  expect((await get('/api/v1/figures/ISIN', { 'if-none-match': '*' })).status).toBe(308)
})

it.each([
  ['/api/v1/prices-current/ISIN/', ['accept']],
  ['/api/v1/prices-current/ISIN/?format=json', []],
  ['/api/v1/prices-current/ISIN/?language=en', ['accept']],
  ['/api/v1/prices-historic/ISIN/2023-11-07/2024-02-10/', ['accept']],
  ['/api/v1/prices-historic/ISIN/2023-11-07/2024-02-10/?format=xml', []],
  ['/api/v1/performance-years-all/', ['accept']],
  ['/api/v1/figures/ISIN/', ['accept', 'accept-language']],
  ['/api/v1/figures/ISIN/?format=json', ['accept-language']],
  ['/api/v1/figures/ISIN/?language=de', ['accept']],
  ['/api/v1/figures/ISIN/?language=de&format=xml', []],
  ['/api/v1/figures/ISIN/?language=fr', ['accept']],
  ['/api/v1/figures/ISIN/?format=yaml', ['accept']],
  ['/api/v1/figures/LU000NOSUCH8/', ['accept']],
  ['/api/v1/figures/LU000NOSUCH8/?format=xml', []],
  ['/api/v1/figures/', ['accept']],
  ['/nothing/', ['accept']],
  ['/nothing/?format=json', []],
  ['/api/v1/figures/ISIN', []],
])('varies %s by what it depends on: %s', async (path, expected) => {
  for (const method of ['GET', 'HEAD']) {
    const vary = headerOf(await get(path, {}, method), 'vary') ?? ''
    const names = vary
      .toLowerCase()
      .split(/\s*,\s*/)
      .filter((name) => name !== '' && name !== 'accept-encoding')
    expect(names.sort()).toEqual(expected)
  }
})

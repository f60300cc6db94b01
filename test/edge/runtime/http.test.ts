/** What `serve` does beyond what the conformance suite asks of every platform: methods, compression, connections, ETags. */
import { copyFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { mustRun } from '../../support/product.ts'
import { exchangeBytes, headerOf, parseResponses, rawRequest } from '../../support/request.ts'
import { serveHere } from '../../support/serve-here.ts'
import { buildDemo, serve, type Served } from '../../support/snapshots.ts'

let served: Served
let isin: string

beforeAll(async () => {
  served = await serve(buildDemo)
  isin = served.oracle.isins()[0] ?? ''
  return served.stop
})

/** Asks for a path in which ISIN stands for a fund. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawRequest(served.base, { method, target: path.replace('ISIN', isin), headers })

const range = '/api/v1/prices-historic/ISIN/2023-11-07/2025-02-10/'

describe('serve', () => {
  it.each(['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'names the methods even if Node cannot read the request: %j',
    async (bytes) => {
      const answer = (await exchangeBytes(served.base, Buffer.from(bytes))).toString()
      expect(answer).toMatch(/^HTTP\/1\.1 405 /)
      expect(answer).toContain('\r\nAllow: GET, HEAD, OPTIONS\r\n')
    },
  )

  it.each(['TRACE', 'PROPFIND', 'LOCK'])('answers %s with the 405 of the interface', async (method) => {
    const target = '/nothing/?format=xml'
    const { status, body } = served.oracle.answer({ method, target })
    const response = await ask(target, {}, method)
    expect([response.status, response.body.toString()]).toEqual([status, body])
    expect(headerOf(response, 'allow')).toBe('GET, HEAD, OPTIONS')
  })
})

describe('compression', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

  it.each([
    '/api/v1/performance-launch/ISIN/',
    range,
    `${range}?format=xml`,
    '/api/v1/prices-current-all/?format=xml',
  ])('compresses %s as the client asks, and the same bytes come out', async (path) => {
    const plain = await ask(path)
    expect(headerOf(plain, 'content-encoding')).toBeUndefined()
    expect(headerOf(plain, 'vary')).toMatch(/accept-encoding/i)
    for (const [encoding, decode] of Object.entries(decoders)) {
      for (const accepted of [encoding, `identity;q=0.5, ${encoding}`, `${encoding};q=0.7`]) {
        const packed = await ask(path, { 'accept-encoding': accepted })
        expect([accepted, headerOf(packed, 'content-encoding')]).toEqual([accepted, encoding])
        expect(headerOf(packed, 'vary')).toMatch(/accept-encoding/i)
        expect(decode(packed.body).equals(plain.body)).toBe(true)
      }
    }
  })

  it('gives HEAD the headers of the compressed answer', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(range, { 'accept-encoding': 'gzip' }, method)
      expect(headerOf(response, 'content-encoding')).toBe('gzip')
    }
  })
})

it('answers several requests on one connection, in their order', async () => {
  const paths = ['/api/v1/prices-current/ISIN/', range, '/nothing/', '/api/v2/emt/ISIN']
  const targets = paths.map((path) => path.replace('ISIN', isin))
  const requests = targets.map((target, at) => {
    const connection = at === targets.length - 1 ? 'close' : 'keep-alive'
    return `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`
  })
  const responses = parseResponses(await exchangeBytes(served.base, Buffer.from(requests.join(''))))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 308])
  responses.forEach((response, at) => {
    expect(response.body.toString()).toBe(served.oracle.answer({ target: targets[at] ?? '' }).body)
  })
})

const etagOf = async (path: string, headers: Record<string, string> = {}) =>
  headerOf(await ask(path, headers), 'etag') ?? ''

it('gives each content coding of an answer a strong ETag of its own', async () => {
  const ranges = ['2024-01-01/2024-12-31', '2023-11-07/2024-12-10']
  const paths = ['performance-launch/ISIN/', 'prices-current-all/'].concat(
    ranges.map((days) => `prices-historic/ISIN/${days}/`),
  )
  for (const path of paths) {
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map((coding) => etagOf(`/api/v1/${path}`, { 'accept-encoding': coding })),
    )
    for (const tag of tags) expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect(new Set(tags).size).toBe(3)
  }
})

it('has another ETag after a price within the answer has changed', async () => {
  const changed = served.folder.file('changed.sqlite')
  copyFileSync(served.db, changed)
  editDatabase(
    changed,
    `UPDATE price SET net_asset_value = '77.77' WHERE isin = '${isin}'
      AND date = (SELECT max(date) FROM price WHERE isin = '${isin}' AND date < '2024-01-10')`,
  )
  const out = served.folder.file('changed')
  await mustRun(['build', '--db', changed, '--out', out, '--as-of', served.asOf, '--quiet'])
  const server = await serveHere(out)
  const inOneYear = ['2024-01-01/2024-12-31', '2024-01-02/2024-01-09']
  for (const days of [...inOneYear, '2023-11-07/2024-02-10', '2020-01-01/2030-12-31']) {
    for (const format of ['json', 'xml']) {
      const target = `/api/v1/prices-historic/${isin}/${days}/?format=${format}`
      const etag = headerOf(await rawRequest(server.base, { target }), 'etag')
      expect([target, etag]).not.toEqual([target, await etagOf(target)])
    }
  }
  await server.stop()
})

it.each(['/', '/?language=en', '/nothing/', '/docs/', '/not-found/'])(
  'answers a browser that asks a snapshot without pages for %s with 404, in JSON',
  async (target) => {
    const headers = { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8', 'accept-language': 'en' }
    const answer = await ask(target, headers)
    const title = `There is no such endpoint: ${target.split('?')[0] ?? ''}`
    expect(JSON.parse(answer.body.toString())).toMatchObject({ title, status: 404 })
    expect([answer.status, headerOf(answer, 'vary')]).toEqual([404, 'Accept'])
  },
)

/** What Node's adapter does beyond what the conformance suite asks of every platform: methods, compression, connections. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { exchangeBytes, headerOf, parseResponses, rawRequest, type RawResponse } from '../support/request.ts'
import { buildDemo, fundWithEverything, serve, type Served } from '../support/snapshots.ts'

let served: Served
let isin: string

beforeAll(async () => {
  served = await serve(buildDemo)
  isin = fundWithEverything(served)
  return served.stop
})

/** Asks for a path in which ISIN stands for the fund with everything. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  return rawRequest(served.base, { method, target: path.replace('ISIN', isin), headers })
}

const range = '/api/v1/prices-historic/ISIN/2023-11-07/2025-02-10/'

describe('methods', () => {
  it.each(['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'names them even to what is no request to Node: %j',
    async (bytes) => {
      const answer = (await exchangeBytes(served.base, Buffer.from(bytes))).toString()
      expect(answer).toMatch(/^HTTP\/1\.1 405 /)
      expect(answer).toContain('\r\nAllow: GET, HEAD, OPTIONS\r\n')
    },
  )

  it.each(['TRACE', 'PROPFIND', 'LOCK'])('has the 405 of the interface for %s too', async (method) => {
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
  ])('packs %s as asked, and the same bytes come out', async (path) => {
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

  it('gives HEAD the headers of the packed answer', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(range, { 'accept-encoding': 'gzip' }, method)
      expect(headerOf(response, 'content-encoding')).toBe('gzip')
    }
  })
})

it('answers several requests on one connection, in their order', async () => {
  const targets = [
    `/api/v1/prices-current/${isin}/`,
    range.replace('ISIN', isin),
    '/nothing/',
    `/api/v2/emt/${isin}`,
  ]
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

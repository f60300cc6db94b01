/** The rest of HTTP: CORS, links, redirects, methods, compression, connections. */
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

describe('what every answer carries', () => {
  it.each([
    ['GET', '/api/v1/figures/ISIN/', 200],
    ['GET', range, 200],
    ['GET', '/api/v1/figures/ISIN', 308],
    ['GET', '/api/v1/figures/', 400],
    ['GET', '/nothing/', 404],
    ['POST', '/api/v1/figures/ISIN/', 405],
    ['OPTIONS', '/api/v1/figures/ISIN/', 204],
  ])('opens %s %s (%i) to scripts of any origin, and forbids sniffing', async (method, path, status) => {
    const response = await ask(path, { origin: 'https://elsewhere.example' }, method)
    expect(response.status).toBe(status)
    expect(headerOf(response, 'access-control-allow-origin')).toBe('*')
    expect(headerOf(response, 'x-content-type-options')).toBe('nosniff')
    if (status === 200) expect(headerOf(response, 'access-control-expose-headers')).toMatch(/\betag\b/i)
  })

  it('keeps its CORS headers on a 304', async () => {
    const response = await ask('/api/v1/figures/ISIN/', { 'if-none-match': '*' })
    expect([response.status, headerOf(response, 'access-control-allow-origin')]).toEqual([304, '*'])
  })

  it('answers a preflight without a body and with the methods there are', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' }
    const response = await ask('/api/v1/figures/ISIN/', headers, 'OPTIONS')
    expect([response.status, response.body.length]).toEqual([204, 0])
    expect(headerOf(response, 'access-control-allow-methods')).toMatch(/\bGET\b/)
  })
})

describe('links', () => {
  it.each([
    ['/api/v1/prices-current/ISIN/', 'application/xml', undefined],
    ['/api/v1/prices-current/ISIN/?format=xml', 'application/json', undefined],
    [range, 'application/xml', undefined],
    ['/api/v1/performance-years-all/', 'application/xml', undefined],
    ['/api/v1/figures/ISIN/', 'application/xml', 'en'],
    ['/api/v1/figures/ISIN/?format=xml&language=en', 'application/json', 'de'],
    ['/api/v1/investment_structure-countries/ISIN/?x=1', 'application/xml', 'en'],
  ])('lead from %s to %s, and to the language %s', async (path, otherType, otherLanguage) => {
    const first = await ask(path)
    const links = readLinks(headerOf(first, 'link') ?? '').filter(({ rel }) => rel === 'alternate')
    expect(links.map(({ type }) => type)).toContain(otherType)
    expect(links.some(({ hreflang }) => hreflang !== undefined && hreflang === otherLanguage)).toBe(
      otherLanguage !== undefined,
    )
    for (const { target, type, hreflang } of links) {
      const url = new URL(target, served.base + path.replace('ISIN', isin))
      const linked = await ask(url.pathname + url.search)
      expect(linked.status).toBe(200)
      if (type !== undefined) expect(headerOf(linked, 'content-type')).toBe(`${type}; charset=utf-8`)
      if (hreflang !== undefined) expect(headerOf(linked, 'content-language')).toBe(hreflang)
      else expect(headerOf(linked, 'content-language')).toBe(headerOf(first, 'content-language'))
    }
  })
})

describe('redirects and methods', () => {
  it('redirects to the path with its slash, where the answer is', async () => {
    const response = await ask('/api/v1/profile/ISIN?format=xml&language=en')
    const location = headerOf(response, 'location') ?? ''
    expect([response.status, location]).toEqual([308, `/api/v1/profile/${isin}/?format=xml&language=en`])
    expect((await ask(location)).status).toBe(200)
  })

  it('never redirects to another host', async () => {
    for (const path of [
      '//elsewhere.example',
      '//elsewhere.example/api/v1/figures',
      '/\\elsewhere.example',
    ]) {
      const response = await ask(path)
      expect([response.status, headerOf(response, 'location')]).toEqual([404, undefined])
    }
  })

  it.each(['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'names them even to what is no request to Node: %j',
    async (bytes) => {
      const answer = (await exchangeBytes(served.base, Buffer.from(bytes))).toString()
      expect(answer).toMatch(/^HTTP\/1\.1 405 /)
      expect(answer).toContain('\r\nAllow: GET, HEAD, OPTIONS\r\n')
    },
  )

  it('names the methods there are in a 405', async () => {
    const response = await ask('/api/v1/figures/ISIN/', {}, 'DELETE')
    expect([response.status, headerOf(response, 'allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
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

  it('leaves an answer as it is where no packing is acceptable', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'zip, compress', '', 'gzip;q=0, br;q=0.0']) {
      const response = await ask(range, { 'accept-encoding': accepted })
      expect([accepted, headerOf(response, 'content-encoding')]).toEqual([accepted, undefined])
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

interface Link {
  readonly target: string
  readonly rel: string | undefined
  readonly type: string | undefined
  readonly hreflang: string | undefined
}

function readLinks(header: string): Link[] {
  return [...header.matchAll(/<([^>]*)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^",;\s]+))*)/g)].map(
    ([, target = '', rest = '']) => {
      const parameter = (name: string): string | undefined =>
        new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^",;\\s]+))`).exec(rest)?.slice(1).find(Boolean)
      return { target, rel: parameter('rel'), type: parameter('type'), hreflang: parameter('hreflang') }
    },
  )
}

/** What `serve` does beyond what the conformance suite asks of every platform. */
import { beforeAll, expect, it } from 'vitest'
import { exchangeBytes, headerOf, rawRequest } from '../../support/request.ts'
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

it.each(['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
  'names the methods even if Node cannot read the request: %j',
  async (bytes) => {
    const answer = (await exchangeBytes(served.base, Buffer.from(bytes))).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
    expect(answer).toContain('\r\nAllow: GET, HEAD, OPTIONS\r\n')
  },
)

it('answers a method that nobody uses with the 405 of the interface', async () => {
  const target = '/nothing/?format=xml'
  const { status, body } = served.oracle.answer({ method: 'PROPFIND', target })
  const response = await ask(target, {}, 'PROPFIND')
  expect([response.status, response.body.toString()]).toEqual([status, body])
  expect(headerOf(response, 'allow')).toBe('GET, HEAD, OPTIONS')
})

it.each(['performance-launch/ISIN/', 'prices-historic/ISIN/2023-11-07/2025-02-10/', 'prices-current-all/'])(
  'compresses %s as GET and HEAD ask, and each coding has a strong ETag of its own',
  async (path) => {
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'br'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(`/api/v1/${path}`, { 'accept-encoding': coding }, method)
        expect(headerOf(answer, 'content-encoding') ?? 'identity').toBe(coding)
        expect(headerOf(answer, 'etag')).toMatch(/^"[\x21\x23-\x7e]+"$/)
        tags.add(headerOf(answer, 'etag') ?? '')
      }
    expect(tags.size).toBe(3)
  },
)

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

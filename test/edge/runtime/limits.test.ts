/** Every platform refuses alike what is too long. The budget (budget.test.ts) measures what long requests cost. */
import { beforeAll, describe, expect, it } from 'vitest'
import { docsUrl } from '../../support/product.ts'
import { headerOf, rawRequest, type RawRequest } from '../../support/request.ts'
import { buildDemo, fundWithEverything, type Snapshot } from '../../support/snapshots.ts'
import { platforms, type Deployment } from './deployments.ts'

const kilobytes = (count: number, text = 'a'): string => text.repeat((count * 1024) / text.length)

describe.each(platforms)('$name', ({ name, skip, deploy }) => {
  if (skip !== undefined && process.env['CI'] !== 'true') {
    it.skip(skip, () => undefined)
    return
  }
  let snapshot: Snapshot
  let platform: Deployment
  let isin: string

  beforeAll(async () => {
    snapshot = await buildDemo(2)
    platform = await deploy(snapshot)
    isin = fundWithEverything(snapshot)
    return async () => {
      await platform.stop()
    }
  })

  const ask = (request: RawRequest) => rawRequest(platform.base, request)

  // CloudFront itself refuses a URL of more than 8,192 bytes.
  it.skipIf(name === 'CloudFront')(
    'refuses an address of more than 16 KB with 414, as a document',
    async () => {
      for (const size of [17, 20, 60]) {
        for (const target of [`/${kilobytes(size)}`, `/docs/?${kilobytes(size, '%&')}`]) {
          const answer = await ask({ target })
          expect([size, answer.status]).toEqual([size, 414])
          expect(JSON.parse(answer.body.toString())).toEqual({
            title: 'The URL is longer than 16 KB',
            type: 'about:blank',
            status: 414,
          })
          expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8')
          expect(headerOf(answer, 'access-control-allow-origin')).toBe('*')
          expect(headerOf(answer, 'cache-control')).toBe('no-store')
        }
      }
    },
  )

  it('refuses headers of more than 16 KB with 431, as a document', async () => {
    const filler = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-${at}`, 'b'.repeat(200)]))
    const large = [{ 'x-large': kilobytes(18) }, filler]
    // Of more than 20,480 bytes CloudFront itself refuses.
    if (name !== 'CloudFront')
      large.push({ accept: kilobytes(60) }, { range: `bytes=${kilobytes(40, ' ')}x` })
    for (const headers of large) {
      const answer = await ask({ target: `/api/v1/figures/${isin}/`, headers })
      expect(answer.status).toBe(431)
      expect(JSON.parse(answer.body.toString())).toEqual({
        title: 'The headers are longer than 16 KB',
        type: 'about:blank',
        status: 431,
      })
      expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8')
    }
  })

  it('answers what is almost that long as ever', async () => {
    const target = `/api/v1/figures/${isin}/`
    const expected = snapshot.oracle.answer({ target })
    const size = name === 'CloudFront' ? 7 : 15
    for (const request of [
      { target: `${target}?${kilobytes(size, '%&')}` },
      { target, headers: { 'x-large': kilobytes(15) } },
      { target, headers: { range: `bytes=${kilobytes(15, ' ')}x` } },
    ]) {
      const { status, body } = await ask(request)
      expect([status, body.toString()]).toEqual([200, expected.body])
    }
  })

  it('answers 404 to a path that nothing can lie at, without asking the store', async () => {
    await platform.asked()
    for (const path of [
      `/docs/${'a'.repeat(256)}`,
      `/docs/${'a'.repeat(256)}/index.html`,
      `/docs${'/aaaaaaa'.repeat(120)}/`,
      `/docs${'/aaaaaaa'.repeat(700)}.html`,
      `/api/v1/investment_structure-${'a'.repeat(256)}/${isin}/`,
      `/api/v1/prices-historic/${isin}/${'9'.repeat(300)}/2024-01-01/`,
      `/${'%C3%A4&'.repeat(1000)}`,
    ]) {
      const title = `There is no such endpoint: ${decodeURIComponent(path)}`
      const { status, body } = await ask({ target: `${path}?format=json` })
      const type = `${docsUrl}/v1/endpoints/index/#error-404-noendpoint`
      expect([status, JSON.parse(body.toString())]).toEqual([404, { title, type, status: 404 }])
      const inXml = await ask({ target: `${path}?format=xml` })
      const escaped = title.replaceAll('&', '&amp;')
      expect(inXml.body.toString()).toBe(
        `<?xml version="1.0" encoding="UTF-8"?>\n<root><title>${escaped}</title><type>${type}</type><status>404</status></root>`,
      )
    }
    const asked = await platform.asked()
    // The error that nginx reads tells it where the documentation is.
    expect(asked.filter((key) => key.includes('docs/') || key.includes('api/'))).toEqual([])
  })

  it('asks the store for the longest path that something can lie at, and finds nothing', async () => {
    const answer = await ask({ target: `/docs/${'a'.repeat(250)}.html` })
    expect(answer.status).toBe(404)
  })

  it('takes a parameter for another one whose name is percent-encoded', async () => {
    const target = `/api/v1/figures/${isin}/?%66ormat=xml&l%61nguage=fr`
    const { status, body } = await ask({ target })
    expect([status, body.toString()]).toEqual([
      200,
      snapshot.oracle.answer({ target: `/api/v1/figures/${isin}/` }).body,
    ])
  })

  it.each([
    ['broken', '%zz%C3%A4', '%zz%C3%A4'],
    ['short', '%C3%A4+%2B', 'ä +'],
    ['of 253 bytes', `+${'%C3%A4'.repeat(42)}`, ` ${'ä'.repeat(42)}`],
    ['of 259 bytes', `+${'%C3%A4'.repeat(43)}`, `+${'%C3%A4'.repeat(43)}`],
    ['of 6,000 bytes', '%'.repeat(6000), '%'.repeat(6000)],
  ])('shows an unsupported format that is %s', async (_, sent, shown) => {
    const { status, body } = await ask({ target: `/api/v1/figures/${isin}/?format=${sent}` })
    expect([status, (JSON.parse(body.toString()) as { title: string }).title]).toEqual([
      400,
      `Unsupported format: ${shown}`,
    ])
  })
})

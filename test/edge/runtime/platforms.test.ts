/**
 * What the conformance suite does not ask of every platform: it refuses what is too long, and says what a browser may do with a page.
 * The budget (budget.test.ts) measures what long requests cost.
 */
import { beforeAll, expect, it } from 'vitest'
import { openOracle, type Oracle } from '../../../src/conform/oracle/oracle.ts'
import { docsUrl } from '../../support/product.ts'
import { headerOf, rawRequest } from '../../support/request.ts'
import { fillDemo, madeOnce } from '../../support/snapshots.ts'
import { cloudFront, describePlatforms, firstIsin, nginx, workerd, type Deployment } from './deployments.ts'

const htmlHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const kilobytes = (count: number, text = 'a'): string => text.repeat((count * 1024) / text.length)

const asOf = '2026-11-20'
let out: string
let oracle: Oracle

beforeAll(async () => {
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
  const made = await madeOnce('all platforms', asOf, fillDemo(1, 2, asOf), env)
  out = made.out
  oracle = openOracle({ db: made.db, asOf, docsUrl })
  return oracle.close
})

describePlatforms((platform) => {
  const isNginx = platform === nginx
  let deployment: Deployment
  let figures: string

  beforeAll(async () => {
    deployment = await platform.deploy({ out }, 1, isNginx ? ['--hsts', '600'] : [])
    figures = `/api/v1/figures/${firstIsin(out)}/`
    return deployment.stop
  })

  const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(deployment.base, { target, headers })

  const expectRefusal = async (answer: ReturnType<typeof ask>, status: number, title: string) => {
    const refused = await answer
    expect(refused.status).toBe(status)
    expect(JSON.parse(refused.body.toString())).toEqual({ title, type: 'about:blank', status })
    const headers = ['content-type', 'access-control-allow-origin', 'cache-control']
    const values = headers.map((name) => headerOf(refused, name))
    expect(values).toEqual(['application/json; charset=utf-8', '*', 'no-store'])
  }

  // CloudFront itself refuses a URL of more than 8,192 bytes, and nginx one of more than 16 KB.
  it.skipIf(platform === cloudFront || isNginx)(
    'refuses a URL of more than 16 KB with 414, as a document',
    async () => {
      for (const size of [17, 20, 60])
        for (const target of [`/${kilobytes(size)}`, `/docs/?${kilobytes(size, '%&')}`])
          await expectRefusal(ask(target), 414, 'The URL is longer than 16 KB')
    },
  )

  it.skipIf(isNginx)('refuses headers of more than 16 KB with 431, as a document', async () => {
    const filler = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-${at}`, 'b'.repeat(200)]))
    // CloudFront itself refuses more than 20,480 bytes.
    const larger = [{ accept: kilobytes(60) }, { range: `bytes=${kilobytes(40, ' ')}x` }]
    for (const headers of [{ 'x-large': kilobytes(18) }, filler, ...(platform === cloudFront ? [] : larger)])
      await expectRefusal(ask(figures, headers), 431, 'The headers are longer than 16 KB')
  })

  it('answers requests that are almost as long', async () => {
    const expected = oracle.answer({ target: figures })
    for (const answer of [
      await ask(`${figures}?${kilobytes(platform === cloudFront ? 7 : 15, '%&')}`),
      await ask(figures, { 'x-large': kilobytes(15) }),
      await ask(figures, { range: `bytes=${kilobytes(15, ' ')}x` }),
    ])
      expect([answer.status, answer.body.toString()]).toEqual([200, expected.body])
  })

  it('answers 404 to an impossible path without asking the store', async () => {
    await deployment.asked()
    for (const path of [
      `/docs/${'a'.repeat(256)}`,
      `/docs/${'a'.repeat(256)}/index.html`,
      `/docs${'/aaaaaaa'.repeat(120)}/`,
      `/docs${'/aaaaaaa'.repeat(700)}.html`,
      figures.replace('figures', `investment_structure-${'a'.repeat(256)}`),
      `${figures.replace('figures', 'prices-historic')}${'9'.repeat(300)}/2024-01-01/`,
      `/${'%C3%A4&'.repeat(1000)}`,
    ]) {
      const title = `There is no such endpoint: ${decodeURIComponent(path)}`
      const { status, body } = await ask(`${path}?format=json`)
      const type = `${docsUrl}/v1/endpoints/index/#error-404-noendpoint`
      expect([status, JSON.parse(body.toString())]).toEqual([404, { title, type, status: 404 }])
      const inXml = await ask(`${path}?format=xml`)
      const escaped = title.replaceAll('&', '&amp;')
      expect(inXml.body.toString()).toBe(
        `<?xml version="1.0" encoding="UTF-8"?>\n<root><title>${escaped}</title><type>${type}</type><status>404</status></root>`,
      )
    }
    const asked = await deployment.asked()
    expect(asked.filter((key) => key.includes('docs/') || key.includes('api/'))).toEqual([])
  })

  it('asks the store for the longest possible path, and finds nothing', async () => {
    expect((await ask(`/docs/${'a'.repeat(250)}.html`)).status).toBe(404)
  })

  it('ignores a parameter whose name is percent-encoded', async () => {
    const { status, body } = await ask(`${figures}?%66ormat=xml&l%61nguage=fr`)
    expect([status, body.toString()]).toEqual([200, oracle.answer({ target: figures }).body])
  })

  it('shows an unsupported format decoded, or as it was sent if that fails or it is longer than 255 bytes', async () => {
    for (const [sent, shown] of [
      ['%zz%C3%A4', '%zz%C3%A4'],
      ['%C3%A4+%2B', 'ä +'],
      [`+${'%C3%A4'.repeat(42)}`, ` ${'ä'.repeat(42)}`],
      [`+${'%C3%A4'.repeat(43)}`, `+${'%C3%A4'.repeat(43)}`],
      ['%'.repeat(6000), '%'.repeat(6000)],
    ]) {
      const { status, body } = await ask(`${figures}?format=${sent}`)
      const title = `Unsupported format: ${shown}`
      expect([status, JSON.parse(body.toString())]).toMatchObject([400, { title }])
    }
  })

  // nginx decodes a path before any code of ours sees it.
  it.skipIf(isNginx)(
    'answers a path with %00, or that cannot be decoded, in the format that is asked for',
    async () => {
      for (const text of ['%00', '%zz', '%', '%e4', '%ed%a0%80', 'a%0d%0aX:y'])
        for (const target of [`/${text}`, `/docs/${text}/`, `/api/v1/figures/${text}/`, `${figures}${text}/`])
          for (const accept of ['application/json', 'application/xml']) {
            const { status, body } = await ask(target, { accept })
            const expected = oracle.answer({ target, accept })
            expect([target, status, body.toString()]).toEqual([target, expected.status, expected.body])
          }
    },
  )

  const expectHeaders = async (target: string, { status = 200, isHtml = true } = {}, headers = {}) => {
    const answer = await ask(target, headers)
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(htmlHeaders))
      expect([target, name, headerOf(answer, name)]).toEqual([target, name, isHtml ? value : undefined])
    expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff')
    expect(headerOf(answer, 'strict-transport-security')).toBe(isNginx ? 'max-age=600' : undefined)
    return answer
  }

  it('says what a browser may do with a page', async () => {
    for (const target of ['/docs/', '/docs/de/explorer/', '/funds/']) await expectHeaders(target)
    // The bucket of the Worker's tests holds only what the manifest lists.
    if (platform === workerd) return
    for (const target of ['/status/de.html', '/downloads/latest/']) await expectHeaders(target)
  })

  it('sends the Vary of the whole page with a part of it', async () => {
    const part = await ask('/docs/', { range: 'bytes=0-8' })
    expect([part.status, headerOf(part, 'vary')]).toEqual([206, 'Accept-Encoding'])
  })

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  it('gives a browser the start page in its language, and a program a 404', async () => {
    for (const [target, acceptLanguage, language] of [
      ['/', 'en-US,en;q=0.9', 'en'],
      ['/', 'fr', 'de'],
      ['/?language=en&x=1', 'de', 'en'],
    ] as const) {
      const headers = { accept: browser, 'accept-language': acceptLanguage }
      const page = await expectHeaders(target, {}, headers)
      expect(page.body.toString()).toContain(`<html lang="${language}"`)
      expect(headerOf(page, 'content-language')).toBe(language)
      const vary = target === '/' ? 'Accept, Accept-Language' : 'Accept'
      expect(headerOf(page, 'vary')).toBe(`${vary}, Accept-Encoding`)
      const again = await ask(target, { ...headers, 'if-none-match': headerOf(page, 'etag') ?? '' })
      expect(again.status).toBe(304)
      const head = await rawRequest(deployment.base, { method: 'HEAD', target, headers })
      expect([head.status, head.body.length]).toEqual([200, 0])
    }
    for (const accept of ['*/*', 'application/json', 'application/xml,text/html;q=0.9'])
      await expectHeaders('/', { status: 404, isHtml: false }, { accept })
  })

  it('gives a browser a page for what there is not, with the status 404', async () => {
    for (const target of ['/nothing/', '/docs/none.html', '/api/v1/nothing/', `/docs/${'a'.repeat(256)}`]) {
      const page = await expectHeaders(target, { status: 404 }, { accept: browser, 'accept-language': 'en' })
      expect(page.body.toString()).toContain('<html lang="en"')
      const names = ['content-type', 'content-language', 'vary', 'cache-control', 'etag', 'accept-ranges']
      expect(names.map((name) => headerOf(page, name))).toEqual([
        'text/html; charset=utf-8',
        'en',
        // CDNs compress it.
        'Accept, Accept-Language, Accept-Encoding',
        'public, max-age=60',
        undefined,
        undefined,
      ])
      const asked = { method: 'HEAD', target, headers: { accept: browser } }
      expect((await rawRequest(deployment.base, asked)).status).toBe(404)
      await expectHeaders(target, { status: 404, isHtml: false }, { accept: 'application/xml' })
    }
    // The API answers in its formats.
    await expectHeaders('/api/v1/figures/', { status: 400, isHtml: false }, { accept: browser })
  })

  it('redirects a page below an ISIN in lower case, without a type', async () => {
    const page = `/funds/${firstIsin(out)}/de.html`
    const answer = await expectHeaders(page.toLowerCase(), { status: 308, isHtml: false })
    expect([headerOf(answer, 'location'), headerOf(answer, 'content-type')]).toEqual([page, undefined])
  })

  it('gives out the files at the root that people ask for, and none of the publisher', async () => {
    const types = {
      'index.html': 'text/html',
      'de.html': 'text/html',
      'robots.txt': 'text/plain',
      'sitemap.xml': 'application/xml',
      'llms.txt': 'text/plain',
    }
    for (const [name, type] of Object.entries(types)) {
      const answer = await ask(`/${name}`)
      expect([name, answer.status, headerOf(answer, 'content-type')]).toEqual([
        name,
        200,
        `${type}; charset=utf-8`,
      ])
    }
    for (const name of [
      'manifest.ndjson.gz',
      'SHA256SUMS',
      'downloads.ndjson',
      'live.json',
      'errors/index/400-noisin.json',
    ])
      expect((await ask(`/${name}`)).status).toBe(404)
  })

  it('lets an SVG file run nothing, wherever it comes from', async () => {
    const icon = await ask('/docs/assets/icon.svg')
    expect([icon.status, headerOf(icon, 'content-security-policy')]).toEqual([
      200,
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    ])
  })

  it('sends no such headers with other files and answers', async () => {
    for (const target of ['/docs/assets/style.css', '/openapi.json', '/api/v1/prices-current-all/'])
      await expectHeaders(target, { isHtml: false })
    await expectHeaders('/nothing/', { status: 404, isHtml: false })
  })
})

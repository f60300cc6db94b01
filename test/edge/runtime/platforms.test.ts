/**
 * What the conformance suite does not ask of every platform: what it asks its store, and which headers a page has.
 * The budget (budget.test.ts) measures what long requests cost.
 */
import { beforeAll, expect, it } from 'vitest'
import { openOracle, type Oracle } from '../../../src/extensions/conform/oracle/oracle.ts'
import { docsUrl } from '../../support/product.ts'
import { headerOf, rawRequest } from '../../support/request.ts'
import { fillDemo, madeOnce } from '../../support/snapshots.ts'
import { describePlatforms, firstIsin, nginx, workerd, type Deployment } from './deployments.ts'

const htmlHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

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

  it('answers 404 to an impossible path without asking the store', async () => {
    await deployment.asked()
    for (const path of [
      `/docs/${'a'.repeat(256)}/index.html`,
      `/docs${'/aaaaaaa'.repeat(120)}/`,
      `/docs${'/aaaaaaa'.repeat(700)}.html`,
      figures.replace('figures', `investment_structure-${'a'.repeat(256)}`),
      `${figures.replace('figures', 'prices-historic')}${'9'.repeat(300)}/2024-01-01/`,
      `/${'%C3%A4&'.repeat(1000)}`,
    ]) {
      for (const format of ['json', 'xml']) {
        const target = `${path}?format=${format}`
        const { status, body } = await ask(target)
        expect(status, target).toBe(404)
        expect(body.toString(), target).toBe(oracle.answer({ target }).body)
      }
    }
    const asked = await deployment.asked()
    expect(asked.filter((key) => key.includes('docs/') || key.includes('api/'))).toEqual([])
  })

  const expectHeaders = async (target: string, { status = 200, isHtml = true } = {}, headers = {}) => {
    const answer = await ask(target, headers)
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(htmlHeaders))
      expect(headerOf(answer, name), `${name} of ${target}`).toBe(isHtml ? value : undefined)
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

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  it('gives out the files at the root that people ask for, and none of the publisher', async () => {
    const types = { 'de.html': 'text/html', 'robots.txt': 'text/plain', 'sitemap.xml': 'application/xml' }
    for (const [name, type] of Object.entries(types)) {
      const answer = await ask(`/${name}`)
      expect(answer.status, name).toBe(200)
      expect(headerOf(answer, 'content-type'), name).toBe(`${type}; charset=utf-8`)
    }
    for (const name of ['downloads.ndjson', 'live.json']) expect((await ask(`/${name}`)).status).toBe(404)
  })

  it('lets an SVG file run nothing, wherever it comes from', async () => {
    const icon = await ask('/docs/assets/icon.svg')
    expect(icon.status).toBe(200)
    expect(headerOf(icon, 'content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    )
  })

  it('sends no such headers with other files and answers', async () => {
    for (const target of ['/docs/assets/style.css', '/api/v1/prices-current-all/'])
      await expectHeaders(target, { isHtml: false })
    await expectHeaders('/api/v1/figures/', { status: 400, isHtml: false }, { accept: browser })
  })
})

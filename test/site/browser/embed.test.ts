/** A fund in a frame of another website, in a browser: for the sites of the setting, and for no other one. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, openBrowser, visit, whyNoBrowser } from '../../support/browser.ts'
import { mustRun, runFundpress, startServing, tempFolder } from '../../support/product.ts'
import { headerOf, listen, rawRequest } from '../../support/request.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const db = folder.file('f.sqlite')
const out = folder.file('out')
const settingOf = (origins: string) => ({
  FUNDPRESS_PAGES: 'true',
  FUNDPRESS_DOWNLOADS: 'false',
  FUNDPRESS_SITE_FRAME_ANCESTORS: origins,
})
const build = (place: string, origins: string) =>
  runFundpress(['build', '--db', db, '--out', place, '--as-of', asOf], { env: settingOf(origins) })

interface ListedFund {
  readonly isin: string
  readonly name: string
  readonly price: { readonly net_asset_value: string } | null
}

describe.skipIf(whyNoBrowser !== undefined)('a fund on another website', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof startServing>>
  let framed = ''
  /** Two websites with the same page. */
  const openSite = () =>
    listen(
      createServer((_, response) => {
        response.setHeader('Content-Type', 'text/html').end(`<iframe src="${framed}"></iframe>`)
      }),
    )
  let sites: Awaited<ReturnType<typeof openSite>>[] = []
  let fund: ListedFund

  beforeAll(async () => {
    sites = [await openSite(), await openSite()]
    const origins = `https://*.example.org ${sites[0]?.base}`
    await mustRun(['init', '--demo', '--db', db, '--funds', '2', '--years', '12', '--until', asOf])
    expect((await build(out, origins)).stderr).toBe('')
    server = await startServing(['--out', out], { env: settingOf(origins) })
    const { funds } = JSON.parse(readFileSync(`${out}/funds/index.json`, 'utf8')) as {
      readonly funds: readonly ListedFund[]
    }
    fund = funds.find(({ price }) => price !== null) ?? expect.fail('no fund with a price')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    for (const site of sites) await site.stop()
  })

  const textInFrame = async (site: string) => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(site, { waitUntil: 'networkidle' })
    const text = await page.frames()[1]?.locator('body').textContent()
    expect(await page.context().cookies()).toEqual([])
    await page.context().close()
    return text
  }

  it.each(['', 'de.html'])('shows in a frame of a site of the setting only: %s', async (name) => {
    framed = `${server.base}/embed/${fund.isin}/${name}`
    const [ours = '', other = ''] = sites.map(({ base }) => base)
    const shown = await textInFrame(ours)
    expect(shown).toContain(fund.name)
    expect(shown?.replaceAll(/\D/g, '')).toContain(fund.price?.net_asset_value.replace('.', ''))
    expect(await textInFrame(other)).not.toContain(fund.name)
  })

  it('keeps all other pages out of every frame', async () => {
    for (const target of ['/funds/', `/funds/${fund.isin}/`, '/status/', '/embed/none/']) {
      const policy = headerOf(
        await rawRequest(server.base, { target, headers: { accept: 'text/html' } }),
        'content-security-policy',
      )
      expect([target, policy]).toEqual([target, expect.stringMatching(/frame-ancestors 'none'$/)])
    }
  })

  it.each(['index.html', 'de.html'])('is light, and usable for everybody: %s', async (name) => {
    const { page, weights, end } = await visit(browser, `${server.base}/embed/${fund.isin}/${name}`)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.locator('svg path.line').count()).toBe(2)
    const sizes = await weights()
    await end()
    // The page and its style sheet.
    expect(sizes).toHaveLength(2)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15_000)
  })

  it('is offered by the page of the fund, as a line of HTML', async () => {
    const seen = await visit(browser, `${server.base}/funds/${fund.isin}/de.html`)
    const line = (await seen.page.locator('#embed code').textContent()) ?? ''
    await seen.end()
    expect(line).not.toContain('\n')
    const page = await browser.newPage()
    await page.setContent(line)
    const frame = page.locator('iframe')
    expect(await frame.getAttribute('src')).toMatch(new RegExp(`^http.*/embed/${fund.isin}/de\\.html$`))
    expect(await frame.getAttribute('title')).toBe(fund.name)
    await page.close()
  })

  it('is not there without the setting', async () => {
    const without = folder.file('without')
    await build(without, '')
    expect(existsSync(`${without}/embed`)).toBe(false)
    expect(readFileSync(`${without}/funds/${fund.isin}/index.html`, 'utf8')).not.toContain('embed')
  })

  it.each([
    '*',
    'https://*',
    'https://*.com',
    'https://a.example/path',
    "'self'",
    'https://a.example; script-src *',
    'https://a.example\nX-Other: 1',
  ])('refuses what is no list of origins: %s', async (origins) => {
    const { code, stderr } = await build(folder.file('none'), origins)
    expect(code).toBe(2)
    expect(stderr).toContain('FUNDPRESS_SITE_FRAME_ANCESTORS')
    expect(stderr).toContain('at most 20 origins')
  })
})

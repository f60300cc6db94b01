import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  desktopLight,
  inTurn,
  openBrowser,
  overhang,
  phoneDark,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'
import { sample } from '../../support/rounds.ts'

const because = whyNoBrowser === undefined ? '' : ` (${whyNoBrowser})`

const guide = [
  'docs/index.html',
  'docs/de/conventions/index.html',
  'docs/recipes/index.html',
  'docs/v1/endpoints/prices/index.html',
  'docs/de/v1/endpoints/investment_structure/index.html',
]
// They take seconds to open, and are alike but for their words.
const explorers = [
  ['docs/explorer/index.html', 'a desktop in light', desktopLight],
  ['docs/de/explorer/index.html', 'a phone in dark', phoneDark],
] as const

describe.skipIf(whyNoBrowser !== undefined)(`the documentation in a browser${because}`, () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await buildDemoSite()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await site.stop()
  })

  const url = (key: string) => `${site.base}/${key}`
  it.each(inTurn(guide))(
    'has no accessibility fault, no error and no request to another host: %s on %s',
    async (key, _, look) => {
      const { page, complaints, strangers, end } = await visit(browser, url(key), look)
      expect(await accessibilityFaults(page)).toEqual([])
      expect(await overhang(page)).toBe(0)
      expect([complaints, strangers]).toEqual([[], []])
      await end()
    },
  )

  it.each([
    ['a desktop', desktopLight],
    ['a phone', phoneLight],
  ])('lets the keyboard reach every link and control on %s', async (_, look) => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/figures/index.html'), look)
    // Of radio buttons the one that is chosen is a stop, arrows lead to the others.
    const controls = 'a[href], button, summary, input:checked, [tabindex="0"]'
    expect(await unreachedByKeyboard(page, controls)).toEqual([])
    await end()
  })

  it('shows XML instead of JSON without scripts, by keyboard', async () => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/emt/index.html'), {
      ...desktopLight,
      scripts: false,
    })
    const [json, xml] = [page.locator('.endpoint .panel').nth(0), page.locator('.endpoint .panel').nth(1)]
    expect([await json.isVisible(), await xml.isVisible()]).toEqual([true, false])
    await page.locator('.endpoint input').first().focus()
    await page.keyboard.press('ArrowRight')
    expect([await json.isVisible(), await xml.isVisible()]).toEqual([false, true])
    expect(await xml.textContent()).toContain('<root>')
    await end()
  })

  it('copies a request by its button', async () => {
    const { page, end } = await visit(browser, url('docs/index.html'))
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const button = page.locator('[data-copy] button').first()
    await button.click()
    await page.waitForFunction("document.querySelector('[data-copy] button').textContent === 'Copied'")
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^curl 'https:\/\/api\.example\.org\/api\/v1\/prices-current\/[A-Z0-9]{12}\/'$/)
    await end()
  })

  it('marks the error that an address points to', async () => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/prices/index.html#error-404-notfound'))
    const top = await page.evaluate<number>("document.querySelector(':target').getBoundingClientRect().top")
    expect(top).toBeGreaterThanOrEqual(0)
    expect(top).toBeLessThan(900)
    expect(await page.locator(':target h3').textContent()).toContain('404')
    await end()
  })

  it('works from a folder: its style, its links, a word where a server is needed', async () => {
    const { page, complaints, strangers, end } = await visit(
      browser,
      pathToFileURL(join(site.out, 'docs/index.html')).href,
    )
    expect(await page.evaluate<string>('getComputedStyle(document.body).display')).toBe('flex')
    await page.locator('.side .wide').getByRole('link', { name: 'Prices', exact: true }).click()
    expect(await page.locator('h1').textContent()).toBe('Prices')
    await page.getByRole('link', { name: 'Deutsch' }).click()
    expect(await page.locator('h1').textContent()).toBe('Preise')
    await page.getByRole('link', { name: 'API-Explorer' }).first().click()
    await page.locator('#from-folder').waitFor({ state: 'visible' })
    expect([complaints, strangers]).toEqual([[], []])
    await end()
  })

  it('leads to the files of answers from a folder, and nowhere where there is none', async () => {
    const hrefs = (links: readonly { getAttribute: (name: string) => string | null }[]) =>
      links.map((link) => link.getAttribute('href'))
    for (const [group, endings] of [
      ['prices', ['index.json', 'index.xml', '2026.json', '2026.xml']],
      ['figures', ['index.en.json', 'index.en.xml']],
    ] as const) {
      const file = join(site.out, `docs/v1/endpoints/${group}/index.html`)
      const { page, complaints, end } = await visit(browser, pathToFileURL(file).href)
      const links = (await page.locator('main a[href*="/api/v"]').evaluateAll(hrefs)).map(
        (href) => href ?? '',
      )
      expect(links.filter((link) => !existsSync(join(dirname(file), link)))).toEqual([])
      expect([...new Set(links.map((link) => link.slice(link.lastIndexOf('/') + 1)))]).toEqual(endings)
      await page.locator('main .links a[href*="/api/v"]').first().click()
      expect(await page.textContent('body')).toContain('"fund"')
      expect(complaints).toEqual([])
      await end()
    }
  })

  it('sends no language from the explorer unless the reader fills one in', async () => {
    const { page, end } = await visit(browser, url('docs/explorer/index.html#/figures/figures'))
    await page.locator('.opblock.is-open .btn.execute').waitFor()
    const field = page.locator('.opblock.is-open tr[data-param-name="Accept-Language"] input')
    expect(await field.inputValue()).toBe('')
    await execute(page)
    const curl = await page.locator('.live-responses-table, .opblock.is-open .curl-command').allTextContents()
    expect(curl.join()).not.toContain('Accept-Language:')
    await end()
  })

  async function execute(page: Page): Promise<void> {
    await page.locator('.opblock.is-open .btn.execute').first().click()
    await page.locator('.live-responses-table').waitFor()
  }

  it.each(sample(explorers))('sends requests of %s to its server, on %s', async (explorer, _, look) => {
    const target = `${url(explorer)}#/prices/prices-current`
    const { page, complaints, strangers, end } = await visit(browser, target, look)
    await page.locator('.opblock.is-open .btn.execute').waitFor()
    const asked = page.waitForRequest(/\/api\/v1\/prices-current\//)
    await execute(page)
    expect(new URL((await asked).url()).origin).toBe(site.base)
    expect(await page.locator('.live-responses-table .response .response-col_status').textContent()).toBe(
      '200',
    )
    expect(
      await page.locator('.live-responses-table .response-col_description pre').first().textContent(),
    ).toContain('"prices"')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await overhang(page)).toBe(0)
    expect([complaints, strangers]).toEqual([[], []])
    await end()
  })
})

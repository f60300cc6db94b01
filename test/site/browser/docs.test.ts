/** The documentation as people see and use it, in a real browser. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  desktopLight,
  expectSound,
  hrefs,
  inTurn,
  openBrowser,
  overhang,
  phoneDark,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { sample } from '../../support/rounds.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

const guide = [
  'docs/v1/endpoints/prices/index.html',
  'docs/de/conventions/index.html',
  'docs/recipes/index.html',
  'docs/lists/index.html',
  'docs/terms/index.html',
  'docs/index.html',
  'docs/de/v1/endpoints/investment_structure/index.html',
]
const looks = [
  ['a desktop', desktopLight],
  ['a phone', phoneLight],
] as const
const answers = [
  ['prices', ['index.json', 'index.xml', 'index.csv', '2026.json', '2026.xml', '2026.csv']],
  ['figures', ['index.en.json', 'index.en.xml']],
] as const
// They take seconds to open, and are alike but for their words.
const explorers = [
  ['docs/explorer/index.html', 'a desktop in light', desktopLight],
  ['docs/de/explorer/index.html', 'a phone in dark', phoneDark],
] as const

interface Operation {
  readonly tags: readonly string[]
  readonly operationId: string
}

/** For `evaluate`: `widest` is how far the page was wider than its window in any frame from now on. */
const widestOverhang = `(() => {
  globalThis.widest = 0
  const look = () => {
    const { scrollWidth, clientWidth } = document.documentElement
    globalThis.widest = Math.max(globalThis.widest, scrollWidth - clientWidth)
    requestAnimationFrame(look)
  }
  look()
})()`

describe.skipIf(whyNoBrowser !== undefined)('the documentation in a browser', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await buildDemoSite()
    browser = await openBrowser()
    return async () => {
      await browser.close()
      await site.stop()
    }
  })

  const url = (key: string) => `${site.base}/${key}`
  const fileUrl = (key: string) => pathToFileURL(join(site.out, key)).href

  it.each(sample(inTurn(guide)))('is sound, and asks no other host: %s on %s', async (key, _, look) => {
    const visited = await visit(browser, url(key), look)
    await expectSound(visited)
    await visited.end()
  })

  it.each(sample(looks))('lets the keyboard reach every link and control on %s', async (_, look) => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/figures/index.html'), look)
    // Of radio buttons the one that is chosen is a stop, arrows lead to the others.
    const controls = 'a[href], button, summary, input:checked, [tabindex="0"]'
    expect(await unreachedByKeyboard(page, controls)).toEqual([])
    await end()
  })

  it('shows XML instead of JSON without scripts, by keyboard', async () => {
    const look = { ...desktopLight, scripts: false }
    const { page, end } = await visit(browser, url('docs/v1/endpoints/emt/index.html'), look)
    const [json, xml] = [page.locator('.endpoint .panel').nth(0), page.locator('.endpoint .panel').nth(1)]
    expect([await json.isVisible(), await xml.isVisible()]).toEqual([true, false])
    await page.locator('.endpoint input').first().focus()
    await page.keyboard.press('ArrowRight')
    expect([await json.isVisible(), await xml.isVisible()]).toEqual([false, true])
    expect(await xml.textContent()).toContain('<root>')
    await end()
  })

  it('copies a request by its button, and marks the error that an address points to', async () => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/prices/index.html#error-404-notfound'))
    const top = await page.evaluate<number>("document.querySelector(':target').getBoundingClientRect().top")
    expect(top).toBeGreaterThanOrEqual(0)
    expect(top).toBeLessThan(900)
    expect(await page.locator(':target h3').textContent()).toContain('404')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('[data-copy] button').first().click()
    await page.waitForFunction("document.querySelector('[data-copy] button').textContent === 'Copied'")
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^curl 'https:\/\/api\.example\.org\/api\/v1\/prices-current\/[A-Z0-9]{12}\/'$/)
    await end()
  })

  it('works from a folder: its style, its links, a notice where a server is needed', async () => {
    const { page, complaints, strangers, end } = await visit(browser, fileUrl('docs/index.html'))
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

  it.each(sample(answers))('leads from a folder to the files of answers: %s', async (group, endings) => {
    const key = `docs/v1/endpoints/${group}/index.html`
    const { page, complaints, end } = await visit(browser, fileUrl(key))
    const links = await page.locator('main a[href*="/api/v"]').evaluateAll(hrefs)
    expect(links.filter((link) => !existsSync(join(site.out, dirname(key), link)))).toEqual([])
    expect([...new Set(links.map((link) => link.slice(link.lastIndexOf('/') + 1)))]).toEqual(endings)
    await page.locator('main .links a[href*="/api/v"]').first().click()
    expect(await page.textContent('body')).toContain('"fund"')
    expect(complaints).toEqual([])
    await end()
  })

  it('loads the library of the explorer when a reader chooses an operation, and has a list of them without it', async () => {
    const visited = await visit(browser, url('docs/explorer/index.html'), phoneLight)
    const { page, end } = visited
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    expect(await page.evaluate<string>('typeof SwaggerUIBundle')).toBe('undefined')
    const { paths } = (await (await fetch(url('openapi.json'))).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    }
    const operations = Object.values(paths).flatMap(({ get }) => get ?? [])
    expect(await page.locator('#operation-list a').evaluateAll(hrefs)).toEqual(
      operations.map(({ tags, operationId }) => `#/${tags[0]}/${operationId}`),
    )
    await expectSound(visited)
    await page.locator('#operation-list a[href="#/figures/figures"]').focus()
    await page.keyboard.press('Enter')
    await page.locator('.opblock.is-open .btn.execute').waitFor()
    expect(asked).toContain('/docs/explorer/swagger-ui-bundle.js')
    expect(await page.locator('#operation-list').isVisible()).toBe(false)
    // The link that had the focus is gone.
    const focused = page.locator('.opblock.is-open .opblock-summary-control:focus')
    await focused.waitFor()
    await end()
  })

  it('lists the operations of the explorer without scripts, with links to their documentation', async () => {
    const look = { ...phoneLight, scripts: false }
    const { page, end } = await visit(browser, url('docs/de/explorer/index.html'), look)
    await page.locator('#operation-list a', { hasText: '/api/v1/figures/' }).click()
    expect(new URL(page.url()).pathname).toBe('/docs/de/v1/endpoints/figures/index.html')
    expect(await page.locator(':target').textContent()).toBe('Kennzahlen eines Fonds')
    await end()
  })

  // The German one has the longer words.
  it('the explorer is never wider than the narrowest phone, whatever comes late', async () => {
    const look = { ...phoneDark, width: 320 }
    const { page, end } = await visit(browser, url('docs/de/explorer/index.html'), look)
    await page.evaluate(widestOverhang)
    // The script comes before the style.
    const held = Promise.withResolvers<null>()
    await page.route(/swagger-ui\.css/, async (route) => {
      await held.promise
      await route.continue()
    })
    const script = page.waitForResponse(/swagger-ui-bundle\.js/)
    await page.locator('#operation-list a[href="#/prices/prices-historic"]').click()
    await (await script).finished()
    expect(await page.locator('.swagger-ui').count()).toBe(0)
    held.resolve(null)
    const open = page.locator('.opblock.is-open')
    await open.locator('.btn.execute').click()
    await page.locator('.live-responses-table .response').waitFor()
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 740 })
      expect([width, ...(await overhang(page))]).toEqual([width])
    }
    // Of each frame since the first.
    expect(await page.evaluate<number>('globalThis.widest')).toBe(0)
    await end()
  })

  it.each(sample(explorers))(
    'sends requests from %s to its own server, without a language unless the reader fills one in, on %s',
    async (explorer, _, look) => {
      const visited = await visit(browser, `${url(explorer)}#/figures/figures`, look)
      const { page } = visited
      const open = page.locator('.opblock.is-open')
      await open.locator('.btn.execute').waitFor()
      expect(await open.locator('tr[data-param-name="Accept-Language"] input').inputValue()).toBe('')
      const asked = page.waitForRequest(/\/api\/v1\/figures\//)
      await open.locator('.btn.execute').click()
      expect(new URL((await asked).url()).origin).toBe(site.base)
      const response = page.locator('.live-responses-table .response')
      expect(await response.locator('.response-col_status').textContent()).toBe('200')
      const shown = await response.locator('.response-col_description pre').first().textContent()
      expect(shown).toContain('"figures"')
      expect((await open.locator('.curl-command').allTextContents()).join()).not.toContain('Accept-Language:')
      // What changes slowly makes the page too wide for as long: how often that was seen depended on the machine.
      const slow = `[...document.querySelectorAll('.swagger-ui *')].filter(
        (element) => getComputedStyle(element).transitionDuration !== '0s').map(({ className }) => className)`
      expect(await page.evaluate<string[]>(slow)).toEqual([])
      await expectSound(visited)
      await visited.end()
    },
  )
})

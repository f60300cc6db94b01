/** The documentation as people see and use it, in a real browser. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  desktopLight,
  expectSound,
  follow,
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
import { brokenTexts } from '../../support/broken-texts.ts'
import { sample } from '../../support/rounds.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

const guide = [
  'docs/v1/endpoints/prices/index.html',
  'docs/de/conventions/index.html',
  'docs/recipes/index.html',
  'docs/clients/index.html',
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
const explorers = [
  ['docs/explorer/index.html', 'a desktop in light', desktopLight],
  ['docs/de/explorer/index.html', 'a phone in dark', phoneDark],
] as const

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

  it('shows all of a field on a phone: its type beside or below its name, its meaning below both', async () => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/prices/index.html'), phoneLight)
    const cut = `[...document.querySelectorAll(':is(.fields, .errors) :is(th, td)')].filter((cell) => {
      const { left, right, top } = cell.getBoundingClientRect()
      const before = cell.previousElementSibling?.getBoundingClientRect()
      const isBeside = cell.matches('.fields td:nth-child(2)') && before.right < left
      const isOver = before !== undefined && top < before.bottom && !isBeside
      return cell.closest('thead') === null && right > left && (left < 0 || right > innerWidth || isOver)
    }).map(({ textContent }) => textContent)`
    expect(await page.evaluate<string[]>(cut)).toEqual([])
    expect(await page.getByText('Launch date of the fund').first().isVisible()).toBe(true)
    await end()
  })

  it.each([1000, 1440])(
    'shows the end of its menu at a width of %i, and a shadow while it goes on',
    async (width) => {
      const { page, end } = await visit(browser, url('docs/de/v1/endpoints/prices/index.html'), {
        ...desktopLight,
        width,
      })
      const menu = page.locator('.side > *')
      const measured = `(() => {
      const { scrollHeight, clientHeight } = document.querySelector('.side > *')
      const { bottom } = document.querySelector('.side > *').getBoundingClientRect()
      return { isInWindow: bottom < innerHeight, goesOn: scrollHeight > clientHeight + 20 }
    })()`
      /** The darkest of the last rows of pixels, at a column where no text is: 255 is white paper. */
      const darkest = async () => {
        const box = await menu.boundingBox()
        const { x = 0, y = 0, width: wide = 0, height = 0 } = box ?? {}
        const clip = { x: x + wide - 4, y: y + height - 3, width: 3, height: 3 }
        const png = (await page.screenshot({ clip })).toString('base64')
        return page.evaluate<number>(`(async () => {
        const image = new Image()
        image.src = 'data:image/png;base64,${png}'
        await image.decode()
        const canvas = document.createElement('canvas')
        const drawn = canvas.getContext('2d')
        drawn.drawImage(image, 0, 0)
        return Math.min(...drawn.getImageData(0, 0, 3, 3).data)
      })()`)
      }
      expect(await page.evaluate(measured)).toEqual({ isInWindow: true, goesOn: true })
      expect(await darkest()).toBeLessThan(245)
      await page.evaluate(`document.querySelector('.side > *').scrollTo({ top: 9999, behavior: 'instant' })`)
      expect(await darkest()).toBe(255)
      await end()
    },
  )

  it('shows XML instead of JSON without scripts, by keyboard', async () => {
    const look = { ...desktopLight, scripts: false }
    const { page, end } = await visit(browser, url('docs/v1/endpoints/emt/index.html'), look)
    const json = page.locator('.endpoint .panel').nth(0)
    const xml = page.locator('.endpoint .panel').nth(1)
    expect({ json: await json.isVisible(), xml: await xml.isVisible() }).toEqual({ json: true, xml: false })
    await page.locator('.endpoint input').first().focus()
    await page.keyboard.press('ArrowRight')
    expect({ json: await json.isVisible(), xml: await xml.isVisible() }).toEqual({ json: false, xml: true })
    expect(await xml.textContent()).toContain('<root>')
    await end()
  })

  it.each(['docs/recipes/index.html', 'docs/de/clients/index.html'])(
    'shows all of a program in colours at any width, and its button lies over none of it: %s',
    async (key) => {
      const { page, end } = await visit(browser, url(key), phoneLight)
      // The programs of all tabs.
      await page.evaluate(
        "for (const each of document.querySelectorAll('.panel')) each.style.display = 'block'",
      )
      for (const width of [320, 360, 600, 720, 960, 1100, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate<object>(`(() => {
          const blocks = [...document.querySelectorAll('.code:has([data-recipe])')]
          const isCut = ({ firstElementChild: pre }) => pre.scrollWidth > pre.clientWidth
          const isCovered = ({ firstElementChild: pre, lastElementChild: button }) => {
            const text = pre.getBoundingClientRect()
            const { left, right, top, bottom } = button.getBoundingClientRect()
            return left < text.right && right > text.left && top < text.bottom && bottom > text.top
          }
          const ink = getComputedStyle(document.body).color
          const isPlain = (block) => {
            const texts = [...block.querySelectorAll('.s')]
            return texts.length === 0 || texts.some((each) => getComputedStyle(each).color === ink)
          }
          const hasTexts = (block) => /["']/.test(block.textContent)
          return {
            blocks: blocks.length > 4,
            cut: blocks.filter(isCut).length,
            covered: blocks.filter(isCovered).length,
            plain: blocks.filter(hasTexts).filter(isPlain).length,
          }
        })()`)
        expect({ width, ...found }).toEqual({ width, blocks: true, cut: 0, covered: 0, plain: 0 })
      }
      await page.setViewportSize({ width: phoneLight.width, height: phoneLight.height })
      expect(await brokenTexts(page)).toEqual([])
      await end()
    },
  )

  it('shows an example beside the fields where there is room, and keeps it in sight while they are read', async () => {
    const { page, end } = await visit(browser, url('docs/v1/endpoints/prices/index.html'), {
      ...desktopLight,
      width: 1440,
    })
    const endpoint = page.locator('.endpoint').first()
    const example = endpoint.locator('.example')
    const fields = endpoint.locator('table[data-answer]')
    expect((await example.boundingBox())?.x).toBeGreaterThan(
      ((await fields.boundingBox())?.x ?? 0) + ((await fields.boundingBox())?.width ?? 0),
    )
    await fields.locator('tr').nth(10).evaluate(toMiddle)
    const { y = -1, height = 0 } = (await example.boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(900)
    // No line of an example is cut there.
    const cut = await page.locator('.example pre:visible').evaluateAll(cutLines)
    expect(cut).toEqual([])
    await end()
  })

  it('begins with its first endpoint soon below the lead, and folds the examples of errors', async () => {
    const { page, end } = await visit(browser, url('docs/de/v1/endpoints/prices/index.html'), phoneDark)
    const lead = await page.locator('main .lead').boundingBox()
    const first = await page.locator('.endpoint').first().boundingBox()
    expect((first?.y ?? 0) - ((lead?.y ?? 0) + (lead?.height ?? 0))).toBeLessThanOrEqual(24)
    const example = page.locator('.error').first().locator('pre').first()
    expect(await example.isVisible()).toBe(false)
    await page.locator('.error summary').first().click()
    expect(await example.textContent()).toContain('"status": 400')
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
    await page.waitForFunction("document.querySelector('[data-copy] button').textContent === '✓ Copied'")
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^curl 'https:\/\/api\.example\.org\/api\/v1\/prices-current\/[A-Z0-9]{12}\/'$/)
    await end()
  })

  it('keeps the section in the other language, also in one that the reader has gone on to', async () => {
    const { page, end } = await visit(browser, url('docs/conventions/index.html#errors'))
    const language = (name: string) => page.getByRole('link', { name, exact: true })
    await follow(language('Deutsch'))
    expect(page.url()).toBe(url('docs/de/conventions/index.html#errors'))
    await page.evaluate("location.hash = 'values'")
    await expect.poll(() => language('English').getAttribute('href')).toMatch(/#values$/)
    await follow(language('English'))
    expect(page.url()).toBe(url('docs/conventions/index.html#values'))
    await end()
  })

  it('leads from page to page to its end, and back', async () => {
    const { page, end } = await visit(browser, url('docs/index.html'))
    const listed = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.side .wide a[href$=".html"]')].map(({ href }) => href)`,
    )
    const walked = [page.url()]
    for (let next = page.locator('.pager [rel=next]'); (await next.count()) > 0;) {
      await follow(next)
      walked.push(page.url())
    }
    expect(walked).toEqual(listed)
    await page.goto(walked.at(-2) ?? '')
    await follow(page.locator('.pager [rel=prev]'))
    expect(page.url()).toBe(walked.at(-3))
    await end()
  })

  it('has headings that lead to their sections, with no more in their names', async () => {
    const { page, end } = await visit(browser, url('docs/de/conventions/index.html'))
    const heading = page.getByRole('heading', { name: 'Fehler', exact: true })
    await heading.locator('a').click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#errors')
    await end()
  })

  it('shows the first request in the language that the reader has chosen', async () => {
    const { page, end } = await visit(browser, url('docs/index.html'))
    const shown = page.locator('.tabs').first().locator('pre:visible')
    expect(await shown.textContent()).toMatch(/^curl 'https:/)
    await page.locator('.tabs').first().locator('label', { hasText: 'Python' }).click()
    expect(await shown.textContent()).toContain('urlopen("https:')
    // Where no text is typed, a slash opens the search.
    await page.keyboard.press('/')
    await page.locator('dialog[open] input:focus').waitFor()
    await end()
  })

  it('works from a folder: its style, its links, a notice where a server is needed', async () => {
    const { page, complaints, strangers, end } = await visit(browser, fileUrl('docs/index.html'))
    expect(await page.evaluate<string>('getComputedStyle(document.body).display')).toBe('flex')
    await follow(page.locator('.side .wide').getByRole('link', { name: 'Prices', exact: true }))
    expect(await page.locator('h1').textContent()).toBe('Prices')
    await follow(page.getByRole('link', { name: 'Deutsch' }))
    expect(await page.locator('h1').textContent()).toBe('Preise')
    await follow(page.getByRole('link', { name: 'API-Explorer' }).first())
    await page.locator('#from-folder').waitFor({ state: 'visible' })
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
    await end()
  })

  it.each(sample(answers))('leads from a folder to the files of answers: %s', async (group, endings) => {
    const key = `docs/v1/endpoints/${group}/index.html`
    const { page, complaints, end } = await visit(browser, fileUrl(key))
    const links = await page.locator('main a[href*="/api/v"]').evaluateAll(hrefs)
    expect(links.filter((link) => !existsSync(join(site.out, dirname(key), link)))).toEqual([])
    expect([...new Set(links.map((link) => link.slice(link.lastIndexOf('/') + 1)))]).toEqual(endings)
    await follow(page.locator('main .links a[href*="/api/v"]').first())
    expect(await page.textContent('body')).toContain('"fund"')
    expect(complaints).toEqual([])
    await end()
  })

  it('has a form in the explorer for each operation that is for readers, and without scripts a link to its documentation', async () => {
    const look = { ...phoneLight, scripts: false }
    const { page, end } = await visit(browser, url('docs/de/explorer/index.html'), look)
    const { paths } = (await (await fetch(url('openapi.json'))).json()) as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>
    }
    const operations = Object.entries(paths).map(([path, { get }]) => ({ id: get.operationId, path }))
    const forms = `[...document.querySelectorAll('form')].map((form) => ({ id: form.closest('.operation').id, path: form.dataset.path }))`
    const forReaders = operations.filter(({ id }) => id !== 'staged')
    expect(forReaders).toHaveLength(operations.length - 1)
    expect(await page.evaluate(forms)).toEqual(forReaders)
    await page.locator('#figures summary').first().click()
    expect(await page.locator('#figures form').isVisible()).toBe(false)
    await follow(page.locator('#figures > p a'))
    expect(new URL(page.url()).pathname).toBe('/docs/de/v1/endpoints/figures/index.html')
    expect(await page.locator(':target').textContent()).toBe('Kennzahlen eines Fonds')
    await end()
  })

  it.each(sample(explorers))(
    'sends requests from %s to its own server by keyboard, and shows what it says, on %s',
    async (explorer, _, look) => {
      const visited = await visit(browser, `${url(explorer)}#prices-historic`, look)
      const { page } = visited
      const operation = page.locator('#prices-historic')
      // What an address names is open, and the next stop.
      await page.keyboard.press('Tab')
      await operation.locator('> summary:focus').waitFor()
      await operation.locator('select').selectOption('xml')
      await operation.locator('[name="datefrom"]').fill('2026-11-16')
      const asked = page.waitForRequest(/\/api\/v1\/prices-historic\//)
      await page.keyboard.press('Enter')
      const { origin, pathname, search } = new URL((await asked).url())
      expect({ origin, search }).toEqual({ origin: site.base, search: '?format=xml' })
      const state = operation.locator('[role="status"]')
      await expect
        .poll(() => state.textContent())
        .toMatch(/^200 OK · \d+ ms · \d[.,]\d\u00a0kB · application\/xml$/)
      const shown = operation.locator('.exchange code')
      expect(await shown.nth(0).textContent()).toBe(`curl '${site.base}${pathname}?format=xml'`)
      const xml = (await shown.nth(1).textContent()) ?? ''
      const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
      expect(xml.slice(0, declaration.length)).toBe(declaration)
      expect(declaration + xml.slice(declaration.length).replace(/\n\s*/g, '')).toBe(
        await (await fetch(site.base + pathname + search)).text(),
      )
      expect(await shown.nth(2).textContent()).toContain('content-type: application/xml')
      await expectSound(visited)

      // Years are keys in their order: the text is indented, not made anew.
      await page.evaluate("location.hash = 'performance-years'")
      const years = page.locator('#performance-years')
      await years.locator('button').first().click()
      await expect.poll(() => years.locator('[role="status"]').textContent()).toMatch(/^200/)
      const text = (await years.locator('.result code').nth(0).textContent()) ?? ''
      const isin = await years.locator('[name=isin]').inputValue()
      expect(text).toContain(`{\n  "fund": {\n    "name": "`)
      const answer = await fetch(`${site.base}/api/v1/performance-years/${isin}/`)
      const compact = text.replace(
        /("(?:\\.|[^"\\])*")|\s+/g,
        (_, quoted: string | undefined) => quoted ?? '',
      )
      expect(compact).toBe(await answer.text())

      await years.locator('[name=isin]').fill(' XX0000000002/')
      await years.locator('button').first().click()
      await expect.poll(() => years.locator('[role="status"]').textContent()).toMatch(/^404/)
      await page.route('**/api/**', (route) => route.abort())
      await years.locator('button').first().click()
      await expect.poll(() => years.locator('[role="status"]').textContent()).toMatch(/again|erneut/i)
      expect(await years.locator('.result').isVisible()).toBe(false)
      await visited.end()
    },
  )

  it('shows the beginning of a long response, no wider than the narrowest phone', async () => {
    const { page, end } = await visit(browser, `${url('docs/de/explorer/index.html')}#openapi`, {
      ...phoneDark,
      width: 320,
    })
    const operation = page.locator('#openapi')
    await operation.locator('button').first().click()
    const state = operation.locator('[role="status"]')
    await expect.poll(() => state.textContent()).toContain('Gezeigt wird nur der Anfang.')
    expect(await operation.locator('.result code').nth(0).textContent()).toHaveLength(100_000)
    const whole = state.getByRole('link', { name: 'Ganze Antwort öffnen' })
    expect(await whole.getAttribute('href')).toBe(url('openapi.json'))
    expect(await overhang(page)).toEqual([])
    await end()
  })

  it('is searched from the keyboard: a slash or Ctrl+K, words, arrows, Enter; Escape leads back', async () => {
    const { page, complaints, end, weights } = await visit(browser, url('docs/terms/index.html'))
    const before = (await weights()).length
    await Promise.all([page.waitForResponse('**/search.en.json'), page.keyboard.press('/')])
    await page.keyboard.press('Escape')
    for (const key of ['/', 'Control+k']) {
      await page.keyboard.press(key)
      await page.locator('dialog[open] input:focus').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog[open]').count()).toBe(0)
    }
    // The index is loaded once.
    expect((await weights()).length).toBe(before + 1)
    await page.keyboard.press('/')
    await page.keyboard.type('decimal comma')
    await page.locator('dialog li').first().waitFor()
    expect(await page.locator('dialog [role=status]').innerText()).toMatch(/^\d+ results$/)
    expect(await page.locator('dialog li').first().innerText()).toContain('have a decimal comma')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.locator('dialog li:nth-child(2) a:focus').waitFor()
    await page.keyboard.press('ArrowUp')
    await follow(page.locator('dialog :focus'), 'Enter')
    expect(page.url()).toBe(url('docs/conventions/index.html#values'))
    expect(complaints).toEqual([])
    await end()
  })

  it('offers all pages to a searcher who has typed nothing yet, and shows which result Enter opens', async () => {
    const { page, end } = await visit(browser, url('docs/de/terms/index.html'))
    const pages = await page.locator('.side .wide a[href$="index.html"]').evaluateAll(hrefs)
    await page.keyboard.press('/')
    const results = page.locator('dialog li a')
    // All but the explorer, which has no text to search in.
    await expect.poll(() => results.count()).toBe(pages.length - 1)
    expect(await page.locator('dialog [role=status]').innerText()).toBe('Alle Seiten')
    // Each with a sentence of its own.
    const texts = await results.allInnerTexts()
    expect(texts[0]).toMatch(/^Fondsdaten: Dokumentation\s+\S/)
    expect(texts.filter((text) => text.split('\n').length < 2)).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.type('zeiträume')
    await expect.poll(() => page.locator('dialog [role=status]').innerText()).toMatch(/Treffer$/)
    const grounds = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('dialog li a')].map((each) => getComputedStyle(each).backgroundColor)",
      )
    const [first, ...others] = await grounds()
    expect(others.length).toBeGreaterThan(1)
    expect(others).not.toContain(first)
    // One that the arrow keys have chosen is the only one.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect.poll(grounds).toEqual([others[0], first, ...others.slice(1)])
    await end()
  })

  it('is searched on a phone, in German, and leads within the page', async () => {
    const { page, end } = await visit(browser, url('docs/de/conventions/index.html'), {
      ...phoneDark,
      touch: true,
    })
    await page.locator('#open-search').tap()
    await page.locator('dialog input').fill('freigaben junge')
    await page.locator('dialog li').first().waitFor()
    expect(await overhang(page)).toEqual([])
    await page.locator('dialog li a').first().tap()
    await page.waitForURL('**/docs/de/conventions/index.html#permissions')
    const open = page.locator('dialog[open]')
    await open.waitFor({ state: 'hidden' })
    await page.locator('#open-search').tap()
    await page.locator('dialog input').fill('kein solches wort')
    await expect.poll(() => page.locator('dialog [role=status]').innerText()).toContain('Nichts gefunden.')
    await page.getByRole('button', { name: 'Schließen' }).tap()
    await open.waitFor({ state: 'hidden' })
    await end()
  })

  it('says that the search could not be loaded, and tries again; from a folder it says why', async () => {
    const { page, end } = await visit(browser, url('docs/index.html'))
    await page.route('**/search.en.json', (route) => route.abort())
    await page.keyboard.press('/')
    await page.getByText('The search could not be loaded.').waitFor()
    await page.unroute('**/search.en.json')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('dialog input').fill('caching')
    await page.locator('dialog li').first().waitFor()
    await end()
    const local = await visit(browser, fileUrl('docs/index.html'))
    await local.page.keyboard.press('/')
    await local.page.getByText('The search needs a server').waitFor()
    expect(local.complaints).toEqual([])
    await local.end()
  })

  it('shows a response in the explorer with the colours of the documentation, and breaks no part of its address', async () => {
    const { page, end } = await visit(
      browser,
      `${url('docs/explorer/index.html')}#prices-historic`,
      phoneLight,
    )
    await page.locator('#prices-historic [type=submit]').click()
    const code = page.locator('#prices-historic .exchange code')
    const request = code.nth(0)
    const response = code.nth(1)
    const headers = code.nth(2)
    await response.locator('.k').first().waitFor()
    expect(await response.locator('.k').first().textContent()).toBe('"fund"')
    expect(await response.locator('.s').first().textContent()).toMatch(/^"[^"]+"$/)
    expect(JSON.parse((await response.textContent()) ?? '')).toHaveProperty('prices')
    expect(await request.textContent()).toMatch(/^curl 'http:[^' ]+\/\d{4}-\d\d-\d\d\/'$/)
    expect(await headers.textContent()).toContain('content-type: application/json')
    expect(await brokenTexts(page)).toEqual([])
    await page.locator('#prices-historic select[name=format]').selectOption('xml')
    await page.locator('#prices-historic [type=submit]').click()
    await page.locator('#prices-historic .result .k', { hasText: '<root' }).first().waitFor()
    expect(await response.locator('.s').first().textContent()).toMatch(/^[^<>]+$/)
    await end()
  })

  it('types a slash into a field, and shows no search without scripts', async () => {
    const { page, end } = await visit(browser, url('docs/index.html'), { ...desktopLight, scripts: false })
    expect(await page.locator('#open-search').isVisible()).toBe(false)
    await end()
    const explorer = await visit(browser, url('docs/index.html'))
    await explorer.page.keyboard.press('/')
    await explorer.page.keyboard.type('a/b')
    expect(await explorer.page.locator('dialog input').inputValue()).toBe('a/b')
    await explorer.end()
  })
})

const toMiddle = (row: { scrollIntoView: (at: { readonly block: 'center' }) => void }) =>
  row.scrollIntoView({ block: 'center' })

interface Scrolled {
  readonly scrollWidth: number
  readonly clientWidth: number
  readonly textContent: string | null
}

const cutLines = (blocks: readonly Scrolled[]) =>
  blocks
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent)

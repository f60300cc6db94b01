/** The page of the downloads in a browser: which earlier days it shows. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import {
  desktopLight,
  expectSound,
  hrefs,
  openBrowser,
  overhang,
  phoneDark,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { asOf, makePricedFunds } from '../../support/priced-funds.ts'
import { type Server, startServer, tempFolder } from '../../support/product.ts'

describe.skipIf(whyNoBrowser !== undefined)('the page of the downloads in a browser', () => {
  const folder = tempFolder()
  const servers = new Map<string, Server>()
  /** What a publish would have found: served alone, since a server keeps what it has read. */
  const lists = {
    some: { days: [asOf, '2019-01-02', '2018-12-31'], withdrawn: ['2019-01-01'] },
    none: { days: [asOf], withdrawn: [] },
    missing: null,
  }
  let browser: Browser
  beforeAll(async () => {
    makePricedFunds(folder.file('funds.sqlite'))
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
    const build = `build --db funds.sqlite --out out --as-of ${asOf} --quiet`
    expect(await run(build, { cwd: folder.path, env })).toMatchObject({ code: 0, stderr: '' })
    for (const [name, list] of Object.entries(lists)) {
      cpSync(folder.file('out'), folder.file(name), { recursive: true })
      const file = join(folder.file(name), 'changes/downloads.json')
      if (list === null) rmSync(file)
      else writeFileSync(file, JSON.stringify({ format: 1, as_of: asOf, ...list }))
      servers.set(name, await startServer(folder.file(name)))
    }
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const server of servers.values()) await server.stop()
  })

  const pageOf = (list: keyof typeof lists, name: string) =>
    `${servers.get(list)?.base ?? ''}/downloads/${asOf}/${name}`

  it.each([
    ['index.html', desktopLight, '2 Jan 2019, 31 Dec 2018', 'Withdrawn: 1 Jan 2019.'],
    ['de.html', phoneDark, '02.01.2019, 31.12.2018', 'Zurückgezogen: 01.01.2019.'],
  ] as const)(
    'shows the earlier days, and those that were withdrawn: %s',
    async (name, look, days, withdrawn) => {
      const visited = await visit(browser, pageOf('some', name), look)
      await expectSound(visited)
      const { page, end } = visited
      await page.locator('#days a').first().waitFor()
      const links = await page.locator('#days a').all()
      const texts = await page.locator('#days a').allTextContents()
      expect(texts.join(', ').replaceAll('\u00a0', ' ')).toBe(days)
      expect(await links[0]?.getAttribute('href')).toBe(`../2019-01-02/${name}`)
      expect((await page.locator('#withdrawn').textContent())?.replaceAll('\u00a0', ' ')).toContain(withdrawn)
      await page.setViewportSize({ width: 320, height: 740 })
      expect(await overhang(page)).toEqual([])
      await end()
    },
  )

  it.each(['index.html', 'de.html'])(
    'keeps kinds away from links, and underlines below underscores: %s',
    async (name) => {
      for (const look of [desktopLight, phoneDark]) {
        const { page, end } = await visit(browser, pageOf('some', name), look)
        const found = await page.evaluate<{
          readonly kinds: number
          readonly close: readonly string[]
          readonly offset: number
        }>(
          `(() => {
          const boxOf = (node) => {
            const range = document.createRange()
            range.selectNodeContents(node)
            return range.getBoundingClientRect()
          }
          const kinds = [...document.querySelectorAll('.files .kind')].filter((each) => each.checkVisibility())
          const isClose = (kind) => {
            const { right, height } = boxOf(kind)
            return height > 24 || boxOf(kind.nextElementSibling ?? kind.nextSibling).left < right + 5
          }
          const offsets = [...document.querySelectorAll('.files a')].map((link) => {
            const { textUnderlineOffset, fontSize } = getComputedStyle(link)
            return parseFloat(textUnderlineOffset) / parseFloat(fontSize)
          })
          const close = kinds.filter(isClose).map(({ textContent }) => textContent)
          return { kinds: kinds.length, close, offset: Math.min(...offsets) }
        })()`,
        )
        expect(found.kinds).toBeGreaterThan(10)
        expect(found.close).toEqual([])
        // An underscore reaches to 0.25 em below the line in the fonts that pages ask for.
        expect(found.offset).toBeGreaterThan(0.25)
        await end()
      }
    },
  )

  it.each([
    ['index.html', desktopLight, 'Copy', '✓ Copied'],
    ['de.html', phoneDark, 'Kopieren', '✓ Kopiert'],
  ] as const)(
    'leads to each section, and copies addresses, of which all is to be seen: %s',
    async (name, look, copy, copied) => {
      const { page, end } = await visit(browser, pageOf('some', name), look)
      const sections = await page.locator('main h2').evaluateAll(idsOf)
      expect(sections.length).toBeGreaterThan(6)
      expect(hrefsOf(await page.locator('.sections a').evaluateAll(hrefs))).toEqual(sections)
      // The list stays in sight, beside the files or above them.
      await page.locator('.sections a').nth(4).click()
      const present = page.locator('.sections [aria-current]')
      await expect.poll(() => present.getAttribute('href')).toBe(`#${sections[4]}`)
      const heading = await page.locator(`#${sections[4]}`).boundingBox()
      const box = await present.boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual(0)
      if (look === phoneDark) expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(heading?.y ?? 0)
      else expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(heading?.x ?? 0)
      // The first row of files is the workbook, which most readers look for.
      expect(await page.locator('.files li').first().textContent()).toContain('.xlsx')
      const address = page.locator('#fund ~ .code').last()
      expect(await address.locator('pre').evaluate(isCut)).toBe(false)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await address.getByRole('button', { name: copy }).click()
      await address.getByRole('button', { name: copied }).waitFor()
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(text).toMatch(/^https?:.*\/downloads\/latest\/<ISIN>\/<ISIN>-prices\.json$/)
      await end()
    },
  )

  it.each([
    ['index.html', 'At present, no files of earlier days are available.'],
    ['de.html', 'Derzeit sind keine Dateien früherer Tage verfügbar.'],
  ])('says that no earlier day is there, instead of promising one: %s', async (name, text) => {
    const { page, end } = await visit(browser, pageOf('none', name))
    await page.locator('#days').waitFor()
    expect(await page.locator('#days').textContent()).toBe(text)
    expect(await page.locator('#withdrawn').isVisible()).toBe(false)
    await end()
  })

  it.each(['index.html', 'de.html'])(
    'has the name of a file and its size on one line on a desktop: %s',
    async (name) => {
      const { page, end } = await visit(browser, pageOf('none', name))
      await page.evaluate('for (const each of document.querySelectorAll(".files details")) each.open = true')
      for (const width of [1280, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const dropped = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('.files li li')]
        .filter((file) => new Set([...file.querySelectorAll('a, .quiet')].flatMap((part) =>
          [...part.getClientRects()].map(({ top }) => Math.round(top / 8)))).size > 1 && file.querySelector('details') === null)
        .map(({ textContent }) => textContent)`)
        expect({ width, dropped }).toEqual({ width, dropped: [] })
      }
      // Names within texts are whole at any width.
      const named = page.locator('main :is(p, dd) > code', { hasText: 'prices-exact.parquet' })
      expect(await named.count()).toBe(2)
      for (const width of [320, 390, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        for (const each of await named.all()) expect(await each.evaluate(boxes)).toBe(1)
        expect(await overhang(page)).toEqual([])
      }
      await end()
    },
  )

  it('says where the list is and what it has, also if it cannot be loaded', async () => {
    const { page, end } = await visit(browser, pageOf('missing', 'index.html'))
    expect(await page.locator('#days').isVisible()).toBe(false)
    expect(await page.locator('main').textContent()).toMatch(/because\s+data\s+in\s+them\s+may/)
    await end()
  })
})

const idsOf = (elements: readonly { readonly id: string }[]) => elements.map(({ id }) => id)

/** `check` for `#check`. */
const hrefsOf = (fragments: readonly string[]) => fragments.map((fragment) => fragment.slice(1))

const boxes = (element: { readonly getClientRects: () => ArrayLike<object> }) =>
  element.getClientRects().length

const isCut = (element: { readonly scrollWidth: number; readonly clientWidth: number }) =>
  element.scrollWidth > element.clientWidth

/** Pages on paper, as Chromium prints them. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit, whyNoBrowser } from '../../support/browser.ts'
import { lacks } from '../../support/programs.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

/** Of the paper, in CSS pixels: what stands at the end of a sheet is another text on each. */
const heights = Array.from({ length: 16 }, (_, index) => 540 + index * 37)

describe.skipIf(whyNoBrowser !== undefined || lacks('pdftotext'))('a printed page', () => {
  let site: Site
  let browser: Browser
  /** The pages of funds with the most on them. */
  let funds: readonly string[] = []
  beforeAll(async () => {
    site = await buildDemoSite()
    browser = await openBrowser()
    funds = readdirSync(join(site.out, 'funds')).filter((name) => /^[A-Z]{2}[A-Z0-9]{10}$/.test(name))
    return async () => {
      await browser.close()
      site.server.close()
    }
  })

  it('has no heading and no row of tabs at the end of a sheet, before what it is about', async () => {
    let sheets = 0
    const wrong: object[] = []
    for (const path of ['index.html', 'status/de.html', ...funds.map((isin) => `funds/${isin}/de.html`)]) {
      const { page, end } = await visit(browser, `${site.base}/${path}`)
      await page.emulateMedia({ media: 'print' })
      const before = await page
        .locator(
          'h1:visible, h2:visible, h3:visible, h4:visible, .tabs label:visible, caption:visible, thead tr:visible, details[open] summary:visible',
        )
        .allInnerTexts()
      const names = new Set(before.map((text) => text.trim().replaceAll(/\s+/g, ' ')))
      for (const height of heights) {
        const input = await page.pdf({ width: '720px', height: `${height}px`, printBackground: true })
        const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], { input, encoding: 'utf8' })
        const ends = stdout
          .split('\f')
          .slice(0, -2)
          .map((sheet) => sheet.trimEnd().split('\n').at(-1)?.trim().replaceAll(/\s+/g, ' ') ?? '')
        sheets += ends.length
        for (const text of ends.filter((each) => names.has(each))) wrong.push({ path, height, text })
      }
      await end()
    }
    expect(wrong).toEqual([])
    expect(sheets).toBeGreaterThan(200)
  }, 300_000)

  it('of the list and of the comparison ends without a link, which paper cannot follow', async () => {
    for (const path of ['funds/de.html', `compare/de.html?isins=${funds[0] ?? ''}`]) {
      const { page, end } = await visit(browser, `${site.base}/${path}`)
      const last = page.locator('main a').last()
      expect({ path, onScreen: await last.isVisible() }).toEqual({ path, onScreen: true })
      await page.emulateMedia({ media: 'print' })
      expect({ path, onPaper: await last.isVisible() }).toEqual({ path, onPaper: false })
      await end()
    }
  })

  it.each([1200, 660])(
    'has neither the values at a cursor over a chart nor a ring of the focus, of a window of %i px',
    async (width) => {
      const [first = '', second = ''] = funds
      const seen = `(() => ({
      tips: [...document.querySelectorAll('.tip')].filter((tip) => tip.checkVisibility({ visibilityProperty: true })).length,
      rings: [...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).outlineStyle !== 'none').length,
    }))()`
      for (const [path, tab, figure] of [
        [`funds/${first}/index.html?range=5y`, 'Performance', '#index'],
        [`compare/index.html?isins=${first},${second}`, null, '#compare'],
      ] as const) {
        const { page, end } = await visit(browser, `${site.base}/${path}`)
        await page.setViewportSize({ width, height: 1000 })
        if (tab !== null) await page.locator('.tabs').getByText(tab).click()
        const stage = page.locator(figure).getByRole('slider').first()
        await stage.press('Home')
        await stage.press('Shift+End')
        expect({ path, ...(await page.evaluate<object>(seen)) }).toMatchObject({ path, tips: 1 })
        await page.emulateMedia({ media: 'print' })
        expect({ path, ...(await page.evaluate<object>(seen)) }).toEqual({ path, tips: 0, rings: 0 })
        await end()
      }
    },
  )

  it('has facts in two columns', async () => {
    const columns: number[] = []
    for (const isin of funds) {
      const { page, end } = await visit(browser, `${site.base}/funds/${isin}/index.html`)
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: 720, height: 1000 })
      const found = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.facts')].map((each) => getComputedStyle(each).gridTemplateColumns.split(' ').length)`,
      )
      columns.push(...found)
      await end()
    }
    expect(columns.length).toBeGreaterThan(10)
    expect(new Set(columns)).toEqual(new Set([2]))
  })
})

/** Texts of separate elements stay apart, for the eye and for those who read the text alone. */
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit, whyNoBrowser, type Look } from '../../support/browser.ts'
import { joinedTexts } from '../../support/joined-texts.ts'
import { sample } from '../../support/rounds.ts'
import { isins, pageKinds, servePageKinds } from './page-kinds.ts'

const look: Look = { scheme: 'light', width: 1440, height: 900 }

describe.skipIf(whyNoBrowser !== undefined)('texts of separate elements', () => {
  let site: Awaited<ReturnType<typeof servePageKinds>>
  let browser: Browser
  beforeAll(async () => {
    site = await servePageKinds()
    browser = await openBrowser()
    return async () => {
      await browser.close()
      await site.stop()
    }
  })
  const withPage = async (path: string, how: Look, run: (page: Page) => Promise<void>) => {
    const { page, end } = await visit(browser, `${site.base}/${path}`, how)
    try {
      await run(page)
    } finally {
      await end()
    }
  }

  const wide = ['the list', 'a comparison', 'the status page', 'the changes', 'a fund: whole']
  const first = pageKinds.filter(([kind, language]) => wide.includes(kind) && language === 'de')
  const others = pageKinds.filter((page) => !first.includes(page))
  it.each([...first, ...sample(others, { least: 3 })])(
    'do not run together: %s (%s)',
    async (_, __, path) => {
      await withPage(path, look, async (page) => {
        await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 })
          expect({ width, joined: await joinedTexts(page) }).toEqual({ width, joined: [] })
          for (const stage of await page.locator('.stage:visible').all()) {
            await stage.press('Home')
            expect({ width, joined: await joinedTexts(page) }).toEqual({ width, joined: [] })
            const tip = (await stage.locator('.tip > span').allTextContents()).join(', ')
            // A table beside the chart has the other lines.
            expect((await stage.getAttribute('aria-valuetext'))?.slice(0, tip.length)).toBe(tip)
          }
        }
      })
    },
  )

  it.each([
    ['', ['EUR [\\d,.]+, \\d+ \\w{3} 20\\d\\d', 'Distributions reinvested: EUR [\\d,.]+']],
    [
      'de.html',
      ['[\\d,.]+ EUR, \\d\\d\\.\\d\\d\\.20\\d\\d', 'Mit Wiederanlage der Ausschüttungen: [\\d,.]+ EUR'],
    ],
  ] as const)(
    'of the price chart are a line each, with the unit as on the page, by mouse, finger and keys: %s',
    async (key, lines) => {
      const expected = new RegExp(`^${lines.join('\\n')}$`)
      const text = async (page: Page) =>
        (await page.locator('#nav .tip').innerText()).replaceAll('\u00a0', ' ')
      for (const touch of [false, true]) {
        await withPage(`funds/${isins.whole}/${key}`, { ...look, touch }, async (page) => {
          const stage = page.locator('#nav .stage')
          await stage.scrollIntoViewIfNeeded()
          const box = await stage.boundingBox()
          if (box === null) throw new Error('there is no chart')
          const place = [box.x + box.width / 2, box.y + box.height / 2] as const
          if (touch) await page.touchscreen.tap(...place)
          else await page.mouse.move(...place)
          expect(await text(page)).toMatch(expected)
          await stage.press('ArrowLeft')
          expect(await text(page)).toMatch(expected)
          const spoken = ((await stage.getAttribute('aria-valuetext')) ?? '').replaceAll('\u00a0', ' ')
          expect(spoken).toMatch(new RegExp(`^${lines.join(', ')}$`))
        })
      }
    },
  )
})

/** Texts of separate elements stay apart, for the eye and for those who read the text alone. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectSound, tap, visit, whyNoBrowser, type Look } from '../../support/browser.ts'
import { joinedTexts } from '../../support/joined-texts.ts'
import { sample } from '../../support/rounds.ts'
import { expectTipAside } from '../../support/tip.ts'
import { isins, pageKinds, usePageKinds } from './page-kinds.ts'

const look: Look = { scheme: 'light', width: 1440, height: 900 }

describe.skipIf(whyNoBrowser !== undefined)('texts of separate elements', () => {
  const site = usePageKinds()
  const withPage = async (path: string, how: Look, run: (page: Page) => Promise<void>) => {
    const { page, end } = await visit(site.browser(), `${site.base()}/${path}`, how)
    try {
      await run(page)
    } finally {
      await end()
    }
  }

  const changes = pageKinds.filter(([kind]) => kind === 'the changes' || kind === 'a day of changes')
  it.each(changes)('are told from the links within them without colours: %s (%s)', async (_, __, path) => {
    const visited = await visit(site.browser(), `${site.base()}/${path}`, look)
    await visited.page.locator('table:visible').first().waitFor()
    await expectSound(visited)
    await visited.end()
  })

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
            const tip = (await stage.locator('.tip > *').allTextContents()).join(', ')
            // A table beside the chart has the other lines.
            expect((await stage.getAttribute('aria-valuetext'))?.slice(0, tip.length)).toBe(tip)
          }
        }
      })
    },
  )

  it.each([
    [
      '',
      'English',
      ['\\d+ \\w{3} 20\\d\\d', 'Net asset value: EUR [\\d,.]+', 'With distributions: EUR [\\d,.]+'],
    ],
    [
      'de.html',
      'German',
      ['\\d\\d\\.\\d\\d\\.20\\d\\d', 'Nettoinventarwert: [\\d,.]+ EUR', 'Mit Ausschüttungen: [\\d,.]+ EUR'],
    ],
  ] as const)(
    'of the price chart are a line each, the day first and the unit as on the page, by mouse, finger and keys: %s %s',
    async (key, _, lines) => {
      const spokenAs = new RegExp(`^${lines.join(', ')}(?:, .+)?$`)
      const expectLines = async (page: Page) => {
        const tip = page.locator('#nav .tip')
        expect(await tip.isVisible()).toBe(true)
        const parts = await tip.locator(':scope > *').all()
        const boxes = []
        for (const [index, part] of parts.entries()) {
          const text = ((await part.textContent()) ?? '').replaceAll('\u00a0', ' ')
          if (index < lines.length) expect(text).toMatch(new RegExp(`^${lines[index] ?? ''}$`))
          // Each value has the key of its line, and nothing shares its line.
          expect(await part.locator('svg.key').count()).toBe(index === 0 ? 0 : 1)
          boxes.push(await part.boundingBox())
        }
        expect(boxes.length).toBeGreaterThanOrEqual(3)
        for (const [index, box] of boxes.slice(1).entries())
          expect(box?.y).toBeGreaterThanOrEqual((boxes[index]?.y ?? 0) + (boxes[index]?.height ?? 0) - 1)
        const weight = 'getComputedStyle(document.querySelector("#nav .tip b")).fontWeight'
        expect(Number(await page.evaluate<string>(weight))).toBeGreaterThanOrEqual(600)
        expect(await page.locator('#nav .cursor .dot').count()).toBe(2)
        return tip.boundingBox()
      }
      for (const [touch, width] of [
        [false, 1440],
        [true, 1440],
        [true, 390],
      ] as const) {
        await withPage(`funds/${isins.whole}/${key}`, { ...look, width, touch }, async (page) => {
          const stage = page.locator('#nav .stage')
          await stage.scrollIntoViewIfNeeded()
          const plot = await page.locator('#nav .plot').boundingBox()
          if (plot === null) throw new Error('there is no chart')
          const heights = 'document.querySelector("#nav").getBoundingClientRect().height'
          const height = await page.evaluate<number>(heights)
          for (const share of [0.02, 0.5, 0.98]) {
            const place = [plot.x + plot.width * share, plot.y + plot.height / 2] as const
            if (touch) await tap(page, ...place)
            else await page.mouse.move(...place)
            const tip = await expectLines(page)
            if (tip === null) throw new Error('the tip is not to be seen')
            // On a phone it is below the chart; else beside the place, and never over it.
            if (width === 390) expect(tip.y).toBeGreaterThan(plot.y + plot.height)
            else await expectTipAside(page, '#nav')
            // Nothing moves.
            expect(await page.evaluate<number>(heights)).toBe(height)
          }
          await stage.press('ArrowLeft')
          await expectLines(page)
          const spoken = ((await stage.getAttribute('aria-valuetext')) ?? '').replaceAll('\u00a0', ' ')
          expect(spoken).toMatch(spokenAs)
        })
      }
    },
  )
})

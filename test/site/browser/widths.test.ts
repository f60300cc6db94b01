/** No page is wider than its window, and no cell than its column, at any width. */
import { beforeAll, describe, expect, it } from 'vitest'
import { brokenWords, overhang, visit, whyNoBrowser, wideCells } from '../../support/browser.ts'
import { type Comparison, openComparison, ready } from './comparison.ts'

const narrowest = 320
const widest = 1440
const step = 10

describe.skipIf(whyNoBrowser !== undefined)(
  'no page is wider than its window, in steps of ten pixels',
  () => {
    let compared: Comparison
    beforeAll(async () => {
      compared = await openComparison()
      return compared.close
    })

    /** @returns the widths at which the page is wider, and by what */
    const widerAt = async (path: string, isComparison: boolean) => {
      const { page, end } = await visit(compared.browser, `${compared.site.base}/${path}`)
      try {
        if (isComparison) await ready(page)
        const wider: string[] = []
        for (let width = narrowest; width <= widest; width += step) {
          await page.setViewportSize({ width, height: 900 })
          const found = [...(await overhang(page)), ...(await wideCells(page))]
          if (found.length > 0) wider.push(`${width}: ${found.join(' ')}`)
        }
        return wider
      } finally {
        await end()
      }
    }

    it.each(['index.html', 'de.html'])('of a comparison: %s', async (name) => {
      expect(await widerAt(`compare/${name}?isins=${compared.asked(5)}`, true)).toEqual([])
    })

    it.each(['status', 'changes', 'a fund'])('no word is broken on the page: %s', async (kind) => {
      const folder = kind === 'a fund' ? `funds/${compared.isins[2] ?? ''}` : kind
      const { page, end } = await visit(compared.browser, `${compared.site.base}/${folder}/de.html`)
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      const broken: string[] = []
      for (let width = narrowest; width <= widest; width += 2 * step) {
        await page.setViewportSize({ width, height: 900 })
        broken.push(...(await brokenWords(page)).map((word) => `${width}: ${word}`))
      }
      await end()
      expect(broken).toEqual([])
    })

    it.each(['', 'de.html'])('a price of a fund stands beside its name: %s', async (name) => {
      const { page, end } = await visit(
        compared.browser,
        `${compared.site.base}/funds/${compared.isins[2] ?? ''}/${name}`,
      )
      const below: string[] = []
      for (let width = narrowest; width <= widest; width += step) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate<
          string[]
        >(`[...document.querySelectorAll('#nav ~ .facts > div, .views ~ .facts > div')]
          .filter((each) => each.lastElementChild.getBoundingClientRect().top >= each.firstElementChild.getBoundingClientRect().bottom)
          .map(({ innerText }) => innerText)`)
        below.push(...found.map((text) => `${width}: ${text}`))
      }
      await end()
      expect(below).toEqual([])
    })

    it.each(['funds', 'status', 'changes'])('of the part %s', async (folder) => {
      expect(await widerAt(`${folder}/de.html`, false)).toEqual([])
    })
  },
)

/** The head and the foot of a page stand where they stand on all others: who goes on sees them stay. */
import { describe, expect, it } from 'vitest'
import { visit, whyNoBrowser } from '../../support/browser.ts'
import { pageKinds, usePageKinds } from './page-kinds.ts'

/** An expression: the edges of the name, of the link to the other language, and of the footer. */
const edges = `(() => {
  const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect()
  const edgesOf = ({ left, right }) => ({ left: Math.round(left), right: Math.round(right) })
  return {
    brand: Math.round(boxOf('.brand').left),
    menu: Math.round(boxOf('header.site nav').left),
    language: Math.round(boxOf('.languages').right),
    footer: edgesOf(boxOf('footer.site .bar')),
  }
})()`

describe.skipIf(whyNoBrowser !== undefined)('the head and the foot of a page', () => {
  const site = usePageKinds()

  it.each(['en', 'de'] as const)(
    'stand at one place on all pages, whatever is between: %s',
    async (wanted) => {
      const paths = pageKinds.flatMap(([, language, path]) => (language === wanted ? [path] : []))
      const { page, end } = await visit(site.browser(), `${site.base()}/${paths[0] ?? ''}`)
      const pagesAt = new Map<string, string[]>()
      for (const path of paths) {
        await page.goto(`${site.base()}/${path}`)
        const places: unknown[] = []
        for (const width of [1280, 1440, 1920]) {
          await page.setViewportSize({ width, height: 900 })
          places.push(await page.evaluate(edges))
        }
        const place = JSON.stringify(places)
        pagesAt.set(place, [...(pagesAt.get(place) ?? []), path])
      }
      expect(paths.length).toBeGreaterThan(20)
      expect([...pagesAt].slice(1)).toEqual([])
      await end()
    },
  )

  it('is never wider than the text of its page, which begins below the name', async () => {
    const { page, end } = await visit(site.browser(), `${site.base()}/docs/v1/endpoints/prices/`)
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const found = await page.evaluate<object>(`(() => {
        const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect()
        return {
          isBelow: Math.round(boxOf('.side').left) === Math.round(boxOf('.brand').left),
          isAsWide: boxOf('main').right >= boxOf('.languages').right - 1,
        }
      })()`)
      expect({ width, ...found }).toEqual({ width, isBelow: true, isAsWide: true })
    }
    await end()
  })
})

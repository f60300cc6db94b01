/** What screen readers say of charts and tables: a name for each, and every figure once. */
import { expect, it } from 'vitest'
import { buildDemoSite } from '../../support/site.ts'

it('names every table and every chart of a fund, and describes a chart only if no table has its figures', async () => {
  const { base } = await buildDemoSite()
  const { funds } = (await (await fetch(`${base}/funds/index.json`)).json()) as {
    readonly funds: readonly { readonly isin: string }[]
  }
  const described = new Set<string>()
  for (const { isin } of funds) {
    const page = await (await fetch(`${base}/funds/${isin}/`)).text()
    for (const [, inside = ''] of page.matchAll(/<table[^>]*>(.*?)<\/table>/gs))
      expect({ isin, inside }).toEqual({ isin, inside: expect.stringMatching(/^\s*<caption/) })
    for (const [, start = '', inside = ''] of page.matchAll(/<svg\s+(class="canvas[^>]*)>(.*?)<\/svg>/gs)) {
      const [, name = ''] = /aria-labelledby="([\w-]+)"/.exec(start) ?? []
      expect(inside).toMatch(new RegExp(`<title id="${name}">[^<]+</title>`))
      const [, text] = /aria-describedby="([\w-]+)"/.exec(start) ?? []
      expect(inside.includes('<desc')).toBe(text !== undefined)
      if (text !== undefined) described.add(text)
    }
  }
  expect([...described].sort()).toEqual(['allocation-0-text', 'allocation-1-text', 'index-text', 'nav-text'])
})

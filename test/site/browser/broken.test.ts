/** No code, date or amount stands on two lines: on every page, at every width. */
import { describe, expect, it } from 'vitest'
import { overhang, visit, whyNoBrowser, wideCells } from '../../support/browser.ts'
import { brokenTexts } from '../../support/broken-texts.ts'
import { oddFunds } from '../../support/odd-funds.ts'
import { sample } from '../../support/rounds.ts'
import { buildOddSite } from '../../support/site.ts'
import { pageKinds, usePageKinds } from './page-kinds.ts'

/** Names of funds and of benchmarks are the company's: `40 % of …`, an ISIN, the forged day of an odd fund. */
const names = /^(?:40 %|2020-01-01|[A-Z]{2}\w{9}\d in <bdi)/
const widths = [1440, 1100, 960, 900, 800, 768, 700, 600, 480, 390, 360, 320]

describe.skipIf(whyNoBrowser !== undefined)('codes, dates and amounts', () => {
  const site = usePageKinds()
  const brokenAt = async (base: string, path: string) => {
    const { page, end } = await visit(site.browser(), `${base}/${path}`)
    try {
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      const found: string[] = []
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        for (const text of await brokenTexts(page)) if (!names.test(text)) found.push(`${width}: ${text}`)
      }
      return found
    } finally {
      await end()
    }
  }

  const first = ['the list', 'a comparison', 'the status page', 'a fund: whole']
  const always = pageKinds.filter(([kind]) => first.includes(kind))
  const others = pageKinds.filter((page) => !always.includes(page))
  it.each([...always, ...sample(others, { least: 6 })])(
    'stand on one line at twelve widths: %s (%s)',
    async (_, __, path) => {
      expect(await brokenAt(site.base(), path)).toEqual([])
    },
  )

  it('stand on one line with large amounts, long names and codes of other kinds', async () => {
    const odd = await buildOddSite()
    for (const path of ['funds/', 'funds/de.html', 'status/'])
      expect({ path, broken: await brokenAt(odd.base, path) }).toEqual({ path, broken: [] })
  })

  it('make no page scroll sideways, however large, and lie over no other column', async () => {
    const odd = await buildOddSite()
    for (const path of [
      'funds/',
      'funds/de.html',
      `funds/${oddFunds.awkward}/`,
      `funds/${oddFunds.awkward}/de.html`,
    ]) {
      const { page, end } = await visit(site.browser(), `${odd.base}/${path}`)
      try {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          const place = { path, width }
          // A chart moves its tip after a change of the width.
          await expect
            .poll(async () => ({ ...place, over: await overhang(page) }))
            .toEqual({ ...place, over: [] })
          expect({ ...place, over: await wideCells(page) }).toEqual({ ...place, over: [] })
        }
      } finally {
        await end()
      }
    }
  })
})

/** What is no longer published: the address of a fund says since when, the day of withdrawn downloads why. */
import { describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  follow,
  phoneDark,
  phoneLight,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { removedIsin, usePageKinds } from './page-kinds.ts'

describe.skipIf(whyNoBrowser !== undefined)('what is gone', () => {
  const site = usePageKinds()
  const open = (path: string, look = phoneLight) => visit(site.browser(), `${site.base()}/${path}`, look)
  const plain = (text: string) => text.replaceAll('\u00a0', ' ')

  it.each([
    [
      'en',
      phoneLight,
      /^This fund \(DE000FPC4UN5\) has not been published since 21 Nov 2026\. Changes on 21 Nov 2026$/,
    ],
    [
      'de',
      phoneDark,
      /^Dieser Fonds \(DE000FPC4UN5\) wird seit dem 21\.11\.2026 nicht mehr veröffentlicht\. Änderungen vom 21\.11\.2026$/,
    ],
  ])(
    'has an address that says since when a fund is not published, and leads to the changes: %s',
    async (language, look, text) => {
      const { page, end } = await open('', look)
      await page.route(`**/funds/${removedIsin}/`, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'accept-language': language } }),
      )
      await page.goto(`${site.base()}/funds/${removedIsin}/`)
      const said = page.locator('#gone')
      await expect.poll(async () => plain(await said.innerText())).toMatch(text)
      // The page is about the fund: no word of an address that nobody knows.
      const name = await page.locator('h1').innerText()
      expect(name).not.toMatch(/not found|nicht gefunden/)
      expect((await page.title()).split(' · ')[0]).toBe(name)
      expect(await page.locator('main').innerText()).not.toMatch(/typing error|Tippfehler/)
      expect(await accessibilityFaults(page)).toEqual([])
      await follow(said.getByRole('link'))
      await page.locator('#day h1').waitFor()
      expect(await page.locator('#day').innerText()).toContain(removedIsin)
      await end()
    },
  )

  it.each(['funds/DE0008471400/', 'no/such/page', 'not-found/'])(
    'has no word of a fund that was never published: %s',
    async (path) => {
      const { page, end } = await open(path)
      expect(await page.locator('#gone').isVisible()).toBe(false)
      await end()
    },
  )

  it('leads from a day without downloads to the reason', async () => {
    const { page, end } = await open('changes/')
    await page.route('**/changes/downloads.json', (route) =>
      route.fulfill({ json: { format: 1, days: [], withdrawn: ['2026-11-21'] } }),
    )
    await page.reload()
    await follow(page.getByRole('link', { name: 'Downloads withdrawn' }))
    expect(new URL(page.url()).search).toBe('?day=2026-11-21')
    await page.getByText('because data in them may no longer be given out').waitFor()
    await end()
  })

  it('has its row among the changes by fund, which are folded until a link leads there', async () => {
    const { page, end } = await open('changes/', { ...phoneLight, scripts: false })
    const row = page.locator(`.by-fund [id="${removedIsin}"]`)
    expect(await row.isVisible()).toBe(false)
    await page.goto(`${site.base()}/changes/?day=2026-11-21#${removedIsin}`)
    expect(await row.isVisible()).toBe(true)
    await end()
  })
})

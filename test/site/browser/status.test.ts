/** The status page: one of the site's pages, and alone in a snapshot without them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import {
  accessibilityFaults,
  desktopLight,
  inTurn,
  openBrowser,
  overhang,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { asOf, freshness, isins, makePricedFunds, names } from '../../support/priced-funds.ts'
import { makeTempFolder, startServer, type Server } from '../../support/product.ts'

const because = whyNoBrowser === undefined ? '' : ` (${whyNoBrowser})`
const pages = ['status/index.html', 'status/de.html']
const parts = ['Funds', 'Documentation', 'API explorer', 'Downloads', 'Status']

describe.skipIf(whyNoBrowser !== undefined)(`the status page in a browser${because}`, () => {
  const folder = makeTempFolder()
  const servers = new Map<string, Server>()
  let browser: Browser
  beforeAll(async () => {
    makePricedFunds(folder.file('funds.sqlite'))
    writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness }))
    for (const [out, withPages] of [
      ['site', 'true'],
      ['alone', 'false'],
    ] as const) {
      const args = ['build', '--db', 'funds.sqlite', '--out', out, '--as-of', asOf, '--quiet']
      const env = { FUNDPRESS_PAGES: withPages, FUNDPRESS_DOWNLOADS: withPages }
      expect(await run(args, { cwd: folder.path, env })).toMatchObject({ code: 0, stderr: '' })
      // As a publish does: one of the two has a feed.
      if (out === 'site') {
        mkdirSync(folder.file('site/changes'))
        writeFileSync(folder.file('site/changes/feed.xml'), '<feed xmlns="http://www.w3.org/2005/Atom"/>')
      }
      servers.set(out, await startServer(folder.file(out)))
    }
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const server of servers.values()) await server.stop()
    folder.remove()
  })

  const url = (out: string, key: string) => `${servers.get(out)?.base ?? ''}/${key}`

  describe.each(['site', 'alone'])('of a snapshot: %s', (out) => {
    it.each(inTurn(pages))(
      'has no accessibility fault, no error and no request to another host: %s on %s',
      async (key, _, look) => {
        const { page, complaints, strangers, end } = await visit(browser, url(out, key), look)
        expect(await accessibilityFaults(page)).toEqual([])
        expect(await overhang(page)).toBe(0)
        const noFeed = complaints.filter((complaint) => out === 'alone' && complaint.includes('404'))
        expect(noFeed.filter((complaint) => complaint.startsWith('404'))).toEqual(
          out === 'alone' ? [`404: ${url(out, 'changes/feed.xml')}`] : [],
        )
        expect([complaints.filter((complaint) => !noFeed.includes(complaint)), strangers]).toEqual([[], []])
        await end()
      },
    )

    it.each(pages)('is no wider than the narrowest window, of 320 px: %s', async (key) => {
      const { page, end } = await visit(browser, url(out, key), { ...phoneLight, width: 320 })
      expect(await overhang(page)).toBe(0)
      await end()
    })

    it('links to the feed of changes if there is one', async () => {
      for (const key of pages) {
        const { page, end } = await visit(browser, url(out, key))
        const link = page.locator('#feed a')
        expect([out, await link.isVisible()]).toEqual([out, out === 'site'])
        if (out === 'site')
          expect(new URL((await link.getAttribute('href')) ?? '', page.url()).href).toBe(
            url(out, 'changes/feed.xml'),
          )
        await end()
      }
    })

    it('has no dead link, on a server or in a folder', async () => {
      for (const key of pages) {
        const hrefs = readFileSync(folder.file(`${out}/${key}`), 'utf8').matchAll(/ (?:href|src)="([^"]+)"/g)
        for (const [, href = ''] of hrefs) {
          if (href.endsWith('changes/feed.xml') && out === 'alone') continue
          const target = new URL(href, url(out, key))
          expect([href, (await fetch(target)).status]).toEqual([href, 200])
        }
        const { complaints, end } = await visit(browser, pathToFileURL(folder.file(`${out}/${key}`)).href)
        expect(complaints).toEqual([])
        await end()
      }
    })

    it('has its style, shows the time it went live, and lets the keyboard reach every link', async () => {
      const { page, end } = await visit(browser, url(out, 'status/'))
      expect(await page.evaluate<string>('getComputedStyle(document.body).display')).toBe('flex')
      expect(
        await page.evaluate<string>("getComputedStyle(document.querySelector('thead th')).position"),
      ).toBe('sticky')
      expect(await page.locator('#live').innerText()).toMatch(
        /^Live since\n\d{1,2} \w+ \d{4}\n\d\d:\d\d, \d+ minutes? ago$/,
      )
      expect(await unreachedByKeyboard(page, 'a[href]')).toEqual([])
      await page.getByRole('link', { name: 'Deutsch' }).click()
      expect(await page.locator('.verdict').textContent()).toBe('Einige Preise sind veraltet')
      await page.locator('#live').waitFor()
      expect(await page.locator('#live').innerText()).toMatch(/vor \d+ Minuten?$/)
      await end()
    })

    it('shows everything except its age without scripts, with unchanged names', async () => {
      const { page, end } = await visit(browser, url(out, 'status/'), { ...desktopLight, scripts: false })
      expect(await page.locator('#live').isVisible()).toBe(false)
      const rows = await page.locator('tbody tr').allInnerTexts()
      expect(rows).toHaveLength(8)
      const cellsOf = (kind: keyof typeof isins) =>
        rows.find((row) => row.includes(isins[kind]))?.split(/\s*[\t\n]\s*/)
      expect(cellsOf('fresh')).toEqual([
        names.fresh,
        isins.fresh,
        'fresh',
        '19 Nov 2026',
        '1',
        '1',
        '20 Nov 2026',
      ])
      expect(cellsOf('stale')?.slice(0, 4)).toEqual([names.stale, isins.stale, 'stale', '10 Nov 2026'])
      expect(cellsOf('merged')?.slice(2, 5)).toEqual(['not watched', '28 Jun 2019', '≥\u00a01,000'])
      expect(cellsOf('unpriced')?.slice(2)).toEqual(['without a price', '–', '–', '–', '–'])
      await end()
    })
  })

  it('tells on a phone, too, when the next price is due', async () => {
    const { page, end } = await visit(browser, url('site', 'status/de.html'), phoneLight)
    const cellsOf = async (place: string) =>
      (await page.locator(place).allInnerTexts()).map((text) => text.split(/\s*[\t\n]\s*/))
    const [fund, mark, price, next] = ['Fonds', 'Status', 'Preis vom', 'Nächster Preis']
    expect((await cellsOf('thead tr'))[0]).toEqual([fund, mark, price, next])
    const fresh = (await cellsOf('tbody tr')).find((cells) => cells.includes(isins.fresh))
    expect(fresh).toEqual([names.fresh, isins.fresh, 'aktuell', '19.11.2026', '20.11.2026'])
    await end()
  })

  it('stands in the navigation of the site, and leads to the pages of the funds', async () => {
    const { page, end } = await visit(browser, url('site', 'status/'))
    expect(await page.locator('header nav a').allInnerTexts()).toEqual(parts)
    expect(await page.locator('header nav [aria-current="page"]').allInnerTexts()).toEqual(['Status'])
    await page.getByRole('link', { name: 'Deutsch' }).click()
    expect(await page.locator('header nav [aria-current="page"]').allInnerTexts()).toEqual(['Status'])
    await page.getByRole('link', { name: names.fresh }).click()
    expect(new URL(page.url()).pathname).toBe(`/funds/${isins.fresh}/de.html`)
    expect(await page.locator('h1').textContent()).toBe(names.fresh)
    await end()
  })

  it('has no navigation where there is nothing to go to', async () => {
    const { page, end } = await visit(browser, url('alone', 'status/'))
    expect(await page.locator('nav').count()).toBe(0)
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))",
    )
    expect(links).toEqual(['#main', 'de.html', 'index.json'])
    await end()
  })
})

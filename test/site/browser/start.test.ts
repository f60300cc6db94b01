/** The start page and the page in place of missing ones in a browser: they find funds, and everybody can use them. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  expectSound,
  follow,
  inTurn,
  openBrowser,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { mustRun, tempFolder } from '../../support/product.ts'
import { serveHere } from '../../support/serve-here.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const out = folder.file('out')

describe.skipIf(whyNoBrowser !== undefined)('the start page in a browser', () => {
  let browser: Browser
  let served: Awaited<ReturnType<typeof serveHere>>
  let funds: readonly {
    readonly isin: string
    readonly wkn: string | null
    readonly name: string
    readonly category: { readonly de: string } | null
  }[] = []
  beforeAll(async () => {
    await mustRun([
      'init',
      '--demo',
      '--db',
      folder.file('f.sqlite'),
      '--funds',
      '30',
      '--years',
      '1',
      '--until',
      asOf,
    ])
    await mustRun(['build', '--db', folder.file('f.sqlite'), '--out', out, '--as-of', asOf], {
      env: {
        FUNDPRESS_PAGES: 'true',
        FUNDPRESS_DOWNLOADS: 'true',
        FUNDPRESS_SITE_NAME: 'Muster Kapitalverwaltungsgesellschaft mbH',
        FUNDPRESS_SITE_ACCENT_LIGHT: '#123a6f',
      },
    })
    funds = (JSON.parse(readFileSync(`${out}/funds/index.json`, 'utf8')) as { funds: typeof funds }).funds
    served = await serveHere(out)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })
  const open = (key: string, look?: Parameters<typeof visit>[2]) =>
    visit(browser, `${served.base}/${key}`, look)

  it.each(inTurn(['index.html', 'not-found/de.html', 'de.html', 'not-found/index.html']))(
    '%s is usable for everybody on %s',
    async (key, _, look) => {
      const visited = await open(key, look)
      await expectSound(visited)
      expect(await unreachedByKeyboard(visited.page, 'a[href], input')).toEqual([])
      await visited.end()
    },
  )

  it.each(['index.html', 'de.html'])(
    'leads to the funds of each category, as a fund of it does: %s',
    async (key) => {
      const { page, end } = await open(key)
      const links = page.locator('#categories + ul a')
      const texts = await links.allTextContents()
      expect(texts.length).toBeGreaterThan(3)
      // If it has no room for all, it says so.
      const all = new Set(funds.map(({ category }) => category?.de).filter((name) => name !== undefined)).size
      expect(await page.locator('section:has(> #categories) > p').allInnerTexts()).toEqual(
        texts.length === all ? [] : [key === 'de.html' ? `Alle ${all} Kategorien` : `All ${all} categories`],
      )
      for (const [place, text] of texts.entries()) {
        const [, name = '', count = ''] = /^(.*) (\d+)$/.exec(text) ?? []
        await follow(links.nth(place))
        const rows = page.locator('#funds tbody tr')
        expect(await rows.count()).toBe(Number(count))
        expect(await rows.locator('th a + small').allTextContents()).toEqual(Array(Number(count)).fill(name))
        const address = page.url()
        await follow(rows.locator('th a').first())
        await follow(page.locator('.eyebrow').getByText(name, { exact: true }))
        expect(page.url()).toBe(address)
        await page.goto(`${served.base}/${key}`)
      }
      await end()
    },
  )

  it('has pictures for home screens and previews of links in the colour of the company', async () => {
    const { page, end } = await open('index.html')
    const drawn = (name: string) =>
      page.evaluate<unknown>(`(async () => {
        const image = new Image()
        image.src = 'docs/assets/${name}.png'
        await image.decode()
        const canvas = document.createElement('canvas')
        const context = canvas.getContext('2d')
        context.drawImage(image, 0, 0)
        return { size: [image.naturalWidth, image.naturalHeight], corner: [...context.getImageData(0, 0, 1, 1).data] }
      })()`)
    const corner = [0x12, 0x3a, 0x6f, 255]
    expect(await drawn('icon')).toEqual({ size: [180, 180], corner })
    expect(await drawn('preview')).toEqual({ size: [1200, 630], corner })
    await end()
  })

  it('shows its menu on a narrow screen at the press of a button, and by the keyboard, without scripts', async () => {
    const { page, end } = await open('de.html', { ...phoneLight, scripts: false })
    const menu = page.getByRole('navigation', { name: 'Hauptnavigation' })
    const button = page.getByRole('button', { name: 'Menü' })
    expect(await menu.isVisible()).toBe(false)
    // One row.
    expect((await page.locator('header').boundingBox())?.height).toBeLessThan(64)
    await button.click()
    expect(await menu.getByRole('link').allTextContents()).toContain('Downloads')
    await page.keyboard.press('Escape')
    expect(await menu.isVisible()).toBe(false)
    await button.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await follow(page.locator(':focus'), 'Enter')
    expect(page.url()).toBe(`${served.base}/funds/de.html`)
    await end()
  })

  it('suggests funds by parts of their names, and goes to the only one that is left', async () => {
    const { page, complaints, end } = await open('index.html')
    const [fund = { isin: '', name: '' }] = funds
    await page.fill('#search', fund.isin.slice(0, 3).toLowerCase())
    const start = fund.isin.slice(0, 3).toLowerCase()
    const matching = funds.filter(({ isin, wkn, name }) =>
      `${name} ${isin} ${wkn ?? ''}`.toLowerCase().includes(start),
    )
    await expect.poll(() => page.locator('#find [role=status]').innerText()).toBe(`${matching.length} funds`)
    expect(await page.getByRole('option').count()).toBe(Math.min(8, matching.length))
    await page.fill('#search', `  ${fund.isin.toLowerCase()} `)
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([`${fund.name} (${fund.isin})`])
    expect(await accessibilityFaults(page)).toEqual([])
    await follow(page.locator('#search'), 'Enter')
    expect(page.url()).toBe(`${served.base}/funds/${fund.isin}/index.html`)
    expect(complaints).toEqual([])
    await end()
  })

  it('suggests funds in the order of their names, as the list has them', async () => {
    const { page, end } = await open('index.html')
    await page.fill('#search', 'de0')
    await expect.poll(() => page.getByRole('option').count()).toBe(8)
    const suggested = (await page.getByRole('option').allInnerTexts()).map((text) => text.slice(-13, -1))
    await page.goto(`${served.base}/funds/index.html?q=de0`)
    const isinsShown = page.locator('#funds tbody td:nth-child(2)')
    await expect.poll(async () => (await isinsShown.allTextContents()).slice(0, 8)).toEqual(suggested)
    await end()
  })

  it('goes to a suggestion that the arrow keys choose', async () => {
    const { page, end } = await open('index.html')
    await page.fill('#search', 'de0')
    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(2)
    await page.press('#search', 'ArrowUp')
    await page.press('#search', 'ArrowDown')
    await page.press('#search', 'ArrowDown')
    const chosen = (await page.locator('[aria-selected=true]').innerText()).slice(-13, -1)
    expect(await page.getByRole('option').nth(1).innerText()).toContain(chosen)
    await follow(page.locator('#search'), 'Enter')
    expect(page.url()).toBe(`${served.base}/funds/${chosen}/index.html`)
    await end()
  })

  it('leads to the list with the search where several funds match, and says so where none does', async () => {
    const { page, end } = await open('de.html')
    await page.fill('#search', 'no such fund')
    await expect
      .poll(() => page.locator('#find [role=status]').innerText())
      .toBe('Kein Fonds passt zu dieser Suche.')
    await page.press('#search', 'Enter')
    await page.fill('#search', 'de0')
    await follow(page.locator('#search'), 'Enter')
    expect(page.url()).toBe(`${served.base}/funds/de.html?q=de0`)
    expect(await page.locator('#search').inputValue()).toBe('de0')
    await end()
  })

  it('asks for the list again if it could not be loaded', async () => {
    const { page, end } = await open('index.html')
    await page.route('**/funds/index.json', (route) => route.abort())
    await page.fill('#search', 'x')
    await expect
      .poll(() => page.locator('#find [role=status]').innerText())
      .toBe('The list of funds could not be loaded. Press Enter to search on its page.')
    await page.unroute('**/funds/index.json')
    await page.fill('#search', 'no such fund')
    await expect.poll(() => page.locator('#find [role=status]').innerText()).toBe('No fund matches.')
    await end()
  })

  it('finds funds at any address that does not exist', async () => {
    const { page, end } = await open('not-found/de.html')
    const [fund = { isin: '' }] = funds
    await page.fill('#search', fund.isin)
    await follow(page.getByRole('option'))
    expect(page.url()).toBe(`${served.base}/funds/${fund.isin}/de.html`)
    await end()
  })

  it('leads a search in a folder, where it cannot read the list, to the list itself', async () => {
    const local = await visit(browser, pathToFileURL(`${out}/index.html`).href)
    expect(local.complaints).toEqual([])
    const isin = funds[0]?.isin ?? ''
    await local.page.fill('#search', isin)
    await local.page.press('#search', 'Enter')
    // A whole ISIN leads on to its fund.
    await local.page.waitForURL(`**/funds/${isin}/index.html`)
    await local.page.goBack()
    const name = funds[0]?.name ?? ''
    await local.page.fill('#search', name.slice(0, 12))
    await follow(local.page.locator('#search'), 'Enter')
    expect(new URL(local.page.url()).pathname).toMatch(/\/funds\/index\.html$/)
    expect(await local.page.locator('#funds tbody').innerText()).toContain(name)
    await local.end()
  })

  it('without scripts shows no search that does nothing, and leads to the list', async () => {
    const { page, end } = await open('index.html', { ...phoneLight, scripts: false })
    expect(await page.locator('#search').isVisible()).toBe(false)
    expect(await page.locator('main a[href="funds/index.html"]').first().isVisible()).toBe(true)
    await end()
  })
})

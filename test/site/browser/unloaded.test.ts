/** What pages say if something cannot be loaded: never less than that, and no figure in place of the one that was asked for. */
import Database from 'better-sqlite3'
import type { Browser, Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  desktopLight,
  nextFrame,
  openBrowser,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { sample } from '../../support/rounds.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

const asOf = '2026-11-20'

describe.skipIf(whyNoBrowser !== undefined)('what cannot be loaded', () => {
  let site: Site
  let browser: Browser
  let db: Database.Database
  beforeAll(async () => {
    site = await buildDemoSite()
    browser = await openBrowser()
    db = new Database(site.db, { readonly: true })
    return async () => {
      await browser.close()
      await site.stop()
      db.close()
    }
  })
  const withPage = async (path: string, run: (page: Page) => Promise<void>) => {
    const { page, end } = await visit(browser, `${site.base}/${path}`, desktopLight)
    try {
      await run(page)
    } finally {
      await end()
    }
  }
  const value = <T>(sql: string, ...values: readonly string[]) =>
    db
      .prepare(sql)
      .pluck()
      .get(...values) as T
  const fundThat = (accumulates: 0 | 1) =>
    value<string>(`SELECT isin FROM fund JOIN profile USING (isin) WHERE data_permitted AND prices_permitted
      AND performance_permitted AND accumulating = ${accumulates} AND fund_inception_date < '2020-01-01'
      AND isin IN (SELECT isin FROM price) ORDER BY isin LIMIT 1`)

  const starts = { '1M': '2026-10-20', '3M': '2026-08-20', YTD: '2025-12-31', '1Y': '2025-11-20' }
  type Range = keyof typeof starts
  /** The change of the NAV from the day of a range, or the last one before, to the newest: `+1.23`. */
  const changeOver = (isin: string, range: Range): string => {
    const nav = 'SELECT net_asset_value FROM price WHERE isin = ? AND date <= ? ORDER BY date DESC LIMIT 1'
    const change = (Number(value(nav, isin, asOf)) / Number(value(nav, isin, starts[range])) - 1) * 100
    return (change > 0 ? '+' : '') + change.toFixed(2).replace('-', '\u2212')
  }
  const shown = async (page: Page) =>
    (await page.locator('#nav .change').innerText()).replaceAll('\u00a0', ' ')
  const line = (page: Page) => page.locator('#nav path.line').first().getAttribute('d')
  const press = (page: Page, range: Range) => page.locator(`#nav .ranges [data-range="${range}"]`).click()
  const windows = '**/prices-historic/**'

  /** How a request fails. */
  const faults: readonly (readonly [name: string, fail: (route: Route) => Promise<void>])[] = [
    ['the net is gone', (route) => route.abort('internetdisconnected')],
    ['the server is busy', (route) => route.fulfill({ status: 503, body: '{}' })],
    ['the fund is gone', (route) => route.fulfill({ status: 404, json: { error: {} } })],
    ['a login page answers', (route) => route.fulfill({ status: 200, body: '<!doctype html>' })],
    ['the answer has no prices', (route) => route.fulfill({ status: 200, json: { prices: [] } })],
    [
      'one of two years is missing',
      (route) => (route.request().url().includes('/2026-01-01/') ? route.abort() : route.continue()),
    ],
  ]
  const ranges = Object.keys(starts) as Range[]

  it.each(sample(faults, { least: 2 }))(
    'shows no change of another period beside the button of a range if %s, says so, and shows it after another try',
    async (_, fail) => {
      const isin = fundThat(1)
      await withPage(`funds/${isin}/`, async (page) => {
        const whole = await shown(page)
        const wholeLine = await line(page)
        for (const range of ranges) {
          await page.route(windows, fail)
          await press(page, range)
          const again = page.getByRole('button', { name: 'Try again' })
          await again.waitFor()
          const said = await shown(page)
          expect({ range, said }).toEqual({ range, said: expect.stringContaining('could not be loaded') })
          expect({ range, said }).toEqual({ range, said: expect.not.stringMatching(/\d/) })
          expect(await line(page)).not.toBe(wholeLine)
          expect(await page.locator('#nav .ranges [aria-pressed="true"]').getAttribute('data-range')).toBe(
            range,
          )
          if (range === '1M') expect(await accessibilityFaults(page)).toEqual([])
          await page.unroute(windows)
          await again.click()
          await expect.poll(() => shown(page)).toContain(`: ${changeOver(isin, range)}%`)
          expect(await page.locator('#nav .fault').count()).toBe(0)
          // The button is gone: the focus is where the reader pressed before.
          expect(await page.evaluate('document.activeElement.dataset.range')).toBe(range)
          await page.locator('#nav .ranges [data-range="Max"]').click()
          expect(await shown(page)).toBe(whole)
          await page.reload()
        }
      })
    },
  )

  it('says it in the view of performance, too, and shows both views after another try', async () => {
    const isin = fundThat(1)
    await withPage(`funds/${isin}/`, async (page) => {
      await page.locator('.tabs').getByText('Performance').click()
      const index = page.locator('#index')
      const said = async () => (await index.locator('.change').innerText()).replaceAll('\u00a0', ' ')
      await page.route(windows, (route) => route.abort())
      await index.locator('[data-range="3M"]').click()
      const again = index.getByRole('button', { name: 'Try again' })
      await again.waitFor()
      expect(await said()).toMatch(/^The prices of this period could not be loaded\.\D*$/)
      await page.unroute(windows)
      await again.click()
      await expect.poll(said).toContain(`Performance: ${changeOver(isin, '3M')}%`)
      expect(await index.locator('.fault').count()).toBe(0)
      expect(await page.evaluate('document.activeElement.dataset.range')).toBe('3M')
      await expect.poll(() => shown(page)).toContain(`: ${changeOver(isin, '3M')}%`)
    })
  })

  it('says it in German, too, without a line of reinvested distributions, which begins on another day', async () => {
    const isin = fundThat(0)
    await withPage(`funds/${isin}/de.html`, async (page) => {
      expect(await page.locator('#nav path.l2').count()).toBe(1)
      await page.route(windows, (route) => route.abort())
      await press(page, '1Y')
      await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor()
      expect(await shown(page)).toContain('konnten nicht geladen werden')
      expect({ shown: await shown(page), lines: await page.locator('#nav path.l2').count() }).toEqual({
        shown: expect.not.stringMatching(/\d/),
        lines: 0,
      })
      const note = page.getByText('Die gestrichelte Linie')
      expect(await note.isVisible()).toBe(false)
      await page.locator('#nav .stage').press('Home')
      expect(await page.locator('#nav .tip').textContent()).not.toContain('Mit Ausschüttungen')
      await page.unroute(windows)
      await page.getByRole('button', { name: 'Erneut versuchen' }).click()
      await expect.poll(() => shown(page)).toContain(`: ${changeOver(isin, '1Y').replace('.', ',')} %`)
      expect(await page.locator('#nav path.l2').count()).toBe(1)
      expect(await note.isVisible()).toBe(true)
    })
  })

  it('shows while prices load that they do, and no figure of another period; the last choice wins', async () => {
    const isin = fundThat(1)
    await withPage(`funds/${isin}/`, async (page) => {
      const held = Promise.withResolvers<undefined>()
      await page.route('**/2025-01-01/**', async (route) => {
        await held.promise
        await route.continue()
      })
      const said = (name: string, range: Range) =>
        new RegExp(`^${name}: .+\\sNet asset value: \\${changeOver(isin, range)}%`)
      const height = 'document.querySelector("#nav").getBoundingClientRect().height'
      const before = await page.evaluate<number>(height)
      await press(page, '1Y')
      await page.locator('#nav[aria-busy]').waitFor()
      expect(await shown(page)).toBe('1 year: …')
      expect(await page.evaluate<number>(height)).toBe(before)
      const sign =
        '(({ content, visibility }) => content + " " + visibility)(getComputedStyle(document.querySelector("#nav"), "::after"))'
      await expect.poll(() => page.evaluate<string>(sign)).toBe('"Loading prices …" visible')
      expect(await page.locator('#nav .tip').isVisible()).toBe(false)
      await expect
        .poll(() => page.evaluate<string>('getComputedStyle(document.querySelector("#nav .drawn")).opacity'))
        .toBe('0.25')
      await press(page, '1M')
      await expect.poll(() => shown(page)).toMatch(said('1 month', '1M'))
      const late = page.waitForResponse('**/2025-01-01/**')
      held.resolve(undefined)
      await (await late).finished()
      await nextFrame(page)
      expect(await shown(page)).toMatch(said('1 month', '1M'))
      await press(page, '1Y')
      await expect.poll(() => shown(page)).toMatch(said('1 year', '1Y'))
      expect(await page.locator('#nav[aria-busy]').count()).toBe(0)
    })
  })

  it('selects a request that the browser does not let it copy', async () => {
    const { page, complaints, end } = await visit(browser, `${site.base}/docs/`, desktopLight)
    await page.addInitScript('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await page.goto(`${site.base}/funds/${fundThat(1)}/`)
    const button = page.locator('.code').getByRole('button', { name: 'Copy' })
    await button.click()
    await expect.poll(() => page.evaluate<string>('getSelection().toString()')).toContain('curl ')
    expect(await button.textContent()).toBe('Copy')
    expect(complaints).toEqual([])
    await end()
  })

  it('says if a period has one price only', async () => {
    await withPage(`funds/${fundThat(1)}/`, async (page) => {
      await page.route(windows, async (route) => {
        const response = await route.fetch()
        const answer = (await response.json()) as { readonly prices: readonly unknown[] }
        await route.fulfill({ response, json: { ...answer, prices: answer.prices.slice(-1) } })
      })
      await press(page, '1M')
      await expect.poll(() => shown(page)).toBe('There are fewer than two prices in this period.')
    })
  })

  it('tells a day of changes that cannot be loaded from one that is not known', async () => {
    for (const [key, name, failed, unknown] of [
      [
        '',
        'Try again',
        'The changes on 2\u00a0Jan\u00a02026 could not be loaded.',
        'Nothing is known of 2\u00a0Jan\u00a02026',
      ],
      [
        'de.html',
        'Erneut versuchen',
        'Die Änderungen vom 02.01.2026 konnten nicht',
        'Über den 02.01.2026 ist nichts bekannt',
      ],
    ] as const) {
      await withPage('docs/', async (page) => {
        await page.route('**/changes/*.json', (route) => route.fulfill({ status: 503, body: '' }))
        await page.goto(`${site.base}/changes/${key}?day=2026-01-02`)
        const told = page.locator('#day [role="status"]')
        await expect.poll(() => told.innerText()).toContain(failed)
        await page.unroute('**/changes/*.json')
        await page.getByRole('button', { name }).click()
        await expect.poll(() => told.innerText()).toContain(unknown)
        expect(await page.getByRole('button', { name }).count()).toBe(0)
      })
    }
  })

  it('says on the status page if it is not known whether a snapshot is staged', async () => {
    await withPage('docs/', async (page) => {
      await page.route('**/staged.json', (route) => route.abort())
      await page.goto(`${site.base}/status/`)
      await expect
        .poll(() => page.locator('#staged').innerText())
        .toBe('Staged, not live yet\n–\ncould not be loaded')
      await page.unroute('**/staged.json')
      await page.reload({ waitUntil: 'networkidle' })
      expect(await page.locator('#staged').isVisible()).toBe(false)
    })
  })

  it('says in the search of the start page that the list of funds could not be loaded', async () => {
    await withPage('', async (page) => {
      await page.route('**/funds/index.json', (route) => route.fulfill({ status: 503, body: '' }))
      await page.locator('[role="combobox"]').fill('akt')
      await expect.poll(() => page.locator('#found').innerText()).toContain('could not be loaded')
      await page.unroute('**/funds/index.json')
      await page.locator('[role="combobox"]').fill('aktien')
      await page.locator('[role="option"]').first().waitFor()
      expect(await page.locator('#found').innerText()).toMatch(/^\d+ funds?$/)
    })
  })
})

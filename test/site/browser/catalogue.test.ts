/** The catalogue as people see and use it, in a real browser. */
import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Locator, Page } from 'playwright-core'
import {
  desktopLight,
  expectSound,
  follow,
  hrefs,
  inTurn,
  nextFrame,
  openBrowser,
  overhang,
  phoneLight,
  sumOfShifts,
  tap,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
  type Look,
} from '../../support/browser.ts'
import { sample } from '../../support/rounds.ts'
import { mustRun, type Server, startServer, tempFolder } from '../../support/product.ts'

const asOf = '2026-11-20'
/** For what a page shows after an answer. */
const folder = tempFolder()
const dbFile = folder.file('demo.sqlite')
let server: Server
let browser: Browser
let db: Database.Database
let isin = ''

describe.skipIf(whyNoBrowser !== undefined)('the catalogue in a browser', () => {
  beforeAll(async () => {
    await mustRun(['init', '--demo', '--db', dbFile, '--funds', '12', '--years', '6', '--until', asOf])
    const build = ['build', '--db', dbFile, '--out', folder.file('out'), '--as-of', asOf, '--quiet']
    await mustRun(build, { env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' } })
    server = await startServer(folder.file('out'))
    browser = await openBrowser()
    db = new Database(dbFile, { readonly: true })
    isin =
      value<string>(`SELECT isin FROM fund JOIN profile USING (isin) WHERE data_permitted AND prices_permitted
        AND performance_permitted AND fund_inception_date < '2015-01-01' AND isin IN (SELECT isin FROM legal_period)
        AND isin IN (SELECT isin FROM price) AND isin IN (SELECT isin FROM asset_allocation) ORDER BY isin LIMIT 1`)
    return async () => {
      await browser.close()
      await server.stop()
      db.close()
    }
  })

  const open = (path: string, look: Look) => visit(browser, `${server.base}/${path}`, look)
  const withPage = async <T>(path: string, look: Look, run: (page: Page) => Promise<T>): Promise<T> => {
    const { page, end } = await open(path, look)
    try {
      return await run(page)
    } finally {
      await end()
    }
  }
  const value = <T>(sql: string, ...values: readonly string[]) =>
    db
      .prepare(sql)
      .pluck()
      .get(...values) as T
  const navOn = (day: string) =>
    value<string>('SELECT net_asset_value FROM price WHERE isin = ? AND date = ?', isin, day)

  /** Functions, since the fund is known after the build. */
  const kinds = new Map([
    ['the list', () => 'funds/index.html'],
    ['the German list', () => 'funds/de.html'],
    ['a fund', () => `funds/${isin}/index.html`],
    ['a German fund', () => `funds/${isin}/de.html`],
  ])
  // Those in English as they come, German ones after a choice: both are seen in each scheme and at each width.
  it.each(sample(inTurn([...kinds.keys()]), { least: 2, turn: 1 }))(
    'has no accessibility fault, no error and no request to another host, and a fund weighs little: %s on %s',
    async (kind, _, look) => {
      const path = kinds.get(kind)?.() ?? ''
      const visited = await open(path, look)
      const weights = await visited.weights()
      // Page, three style sheets, script, icon: uncompressed.
      expect(weights.length).toBeGreaterThanOrEqual(4)
      const limit = path.includes(isin) ? 112_000 : Infinity
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThan(limit)
      const { page } = visited
      if (kind === 'a German fund') {
        await page.locator('#nav .ranges button:enabled').first().click()
        await page.locator('#nav:not([aria-busy])').waitFor()
        await page.locator('#nav .stage').focus()
      } else if (kind === 'the German list') await page.locator('#search').fill('e')
      await expectSound(visited)
      await visited.end()
    },
  )

  it.each([true, false])(
    'keeps the sections of a fund at the top of a phone, and leads to each below them (with scripts: %s)',
    async (scripts) => {
      await withPage(`funds/${isin}/de.html`, { ...phoneLight, scripts }, async (page) => {
        const menu = page.locator('.side')
        const links = menu.getByRole('link')
        const hashes = (await links.evaluateAll(hrefs)).filter((href) => href.startsWith('#'))
        expect(hashes.length).toBeGreaterThan(5)
        for (const hash of [...hashes.slice(1), ...hashes.slice(0, 2)]) {
          await menu.locator(`a[href="${hash}"]`).click()
          const { y = -1, height = 0 } = (await menu.boundingBox()) ?? {}
          expect({ hash, y }).toEqual({ hash, y: 0 })
          // The last section may be too short to come to the top.
          const top = (await page.locator(hash).boundingBox())?.y ?? 0
          expect({ hash, isBelow: top >= height }).toEqual({ hash, isBelow: true })
        }
        expect(await overhang(page)).toEqual([])
        if (!scripts) return
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
        const last = links.last()
        await page.locator('.side li:last-child [aria-current]').waitFor()
        const { x = 0, width = 0 } = (await last.boundingBox()) ?? {}
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + width).toBeLessThanOrEqual(phoneLight.width)
      })
    },
  )

  describe('the chart of a fund', () => {
    const textOf = async (tip: Locator) => ((await tip.textContent()) ?? '').replaceAll('\u00a0', ' ')
    /** Day and NAV of a tip. */
    const told = /^(\d+ \w+ \d{4}) Net asset value: [A-Z]{3} ([\d.,]+)/
    const path = (page: Page) => page.locator('#nav path.line').first().getAttribute('d')
    const days = async (page: Page) =>
      Number((await page.locator('#nav .plot').getAttribute('viewBox'))?.split(' ')[2])

    it('is there without scripts, and leaves no room for the buttons of ranges', async () => {
      await withPage(`funds/${isin}/index.html`, { ...phoneLight, scripts: false }, async (page) => {
        expect((await page.locator('#nav path.line').first().boundingBox())?.width).toBeGreaterThan(200)
        expect(await page.locator('#nav svg title').textContent()).toContain('Net asset value in')
        // Something that is only not seen has a place.
        expect(await page.locator('.ranges').first().boundingBox()).toBeNull()
      })
    })

    it('shows every price of a range, shows the price under the mouse, and copies a request', async () => {
      await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
        const button = (name: string) => page.getByRole('button', { name })
        for (const range of ['1M', '5Y', 'Max'])
          expect({ range, isEnabled: await button(range).isEnabled() }).toEqual({ range, isEnabled: true })
        const whole = await path(page)
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await button('1Y').click()
        await page.locator('#nav:not([aria-busy])').waitFor()
        const since = 'SELECT count(*) FROM price WHERE isin = ? AND date >= ?'
        const records = value<number>(since, isin, '2025-11-20')
        // A pair of numbers a point after the first.
        const points = ((await path(page)) ?? '').replace(/^[^l]*l/, '').match(/-?\d+/g) ?? []
        expect(points.length / 2).toBe(records)
        expect(await days(page)).toBe(365)
        expect(asked.map((url) => new URL(url).pathname)).toEqual([
          `/api/v1/prices-historic/${isin}/2025-01-01/2025-12-31/`,
          `/api/v1/prices-historic/${isin}/2026-01-01/2026-12-31/`,
        ])
        expect(await button('1Y').getAttribute('aria-pressed')).toBe('true')
        const before = value<string>(
          "SELECT net_asset_value FROM price WHERE isin = ? AND date <= '2025-11-20' ORDER BY date DESC",
          isin,
        )
        const percent = ((Number(navOn(asOf)) / Number(before) - 1) * 100).toFixed(2).replace('-', '\u2212')
        const change = async () =>
          ((await page.locator('#nav .change').textContent()) ?? '').replace(/\u00a0/g, ' ')
        expect(await change()).toMatch(/^1 year: .* – 20 Nov 2026/)
        expect(await change()).toContain(
          `Net asset value: ${percent.startsWith('\u2212') ? '' : '+'}${percent}%`,
        )
        await button('Max').click()
        await page.locator('#nav:not([aria-busy])').waitFor()
        expect(await path(page)).toBe(whole)
        expect(await change()).toMatch(/^Entire period: .* – 20 Nov 2026 /)

        await page.locator('#nav .stage').scrollIntoViewIfNeeded()
        const box = await page.locator('#nav .plot').boundingBox()
        if (box === null) throw new Error('there is no plot')
        await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2)
        const tip = page.locator('#nav .tip')
        expect(await textOf(tip)).toMatch(new RegExp(`^20 Nov 2026 Net asset value: [A-Z]{3} ${navOn(asOf)}`))
        expect(await tip.isVisible()).toBe(true)
        await page.mouse.move(box.x + box.width / 2, box.y + 5)
        const [, day = '', nav = ''] = told.exec(await textOf(tip)) ?? []
        expect(nav.replace(',', '')).toBe(navOn(new Date(`${day} UTC`).toISOString().slice(0, 10)))
        await page.mouse.move(5, 5)
        expect(await tip.isVisible()).toBe(false)

        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        const copied = async (place: string) => {
          await page.locator(place).getByRole('button', { name: 'Copy' }).click()
          await page.locator(place).getByRole('button', { name: '✓ Copied' }).waitFor()
          return page.evaluate<string>('navigator.clipboard.readText()')
        }
        expect(await copied('.code')).toContain(`/api/v1/prices-current/${isin}/`)
        expect(await copied('.codes')).toBe(isin)
        const controls = '.ranges button:enabled, .stage, .tabs :checked, summary, :is(.code, .codes) button'
        expect(await unreachedByKeyboard(page, controls)).toEqual([])
      })
    })

    it.each(['index.html', 'de.html'])(
      'is no wider than the narrowest phone, also with all folds open: %s',
      async (page) => {
        await withPage(`funds/${isin}/${page}`, { ...phoneLight, width: 320 }, async (opened) => {
          expect(await overhang(opened)).toEqual([])
          await opened.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
          expect(await overhang(opened)).toEqual([])
        })
      },
    )

    it('shows the price of the day that a finger taps, and scrolls on under a finger that moves', async () => {
      await withPage(`funds/${isin}/index.html`, { ...phoneLight, touch: true }, async (page) => {
        const stage = page.locator('#nav .stage')
        await stage.scrollIntoViewIfNeeded()
        const box = await page.locator('#nav .plot').boundingBox()
        if (box === null) throw new Error('there is no plot')
        const tip = page.locator('#nav .tip')
        const days = new Set<string>()
        for (const share of [0.3, 0.7, 0.05]) {
          await tap(page, box.x + box.width * share, box.y + box.height / 2)
          expect(await tip.isVisible()).toBe(true)
          const [, text = '', nav = ''] = told.exec(await textOf(tip)) ?? []
          const day = new Date(`${text} UTC`).toISOString().slice(0, 10)
          expect(nav.replace(',', '')).toBe(navOn(day))
          const first = value<string>('SELECT min(date) FROM price WHERE isin = ?', isin)
          const place = (Date.parse(day) - Date.parse(first)) / (Date.parse(asOf) - Date.parse(first))
          expect(Math.abs(place - share)).toBeLessThan(0.02)
          days.add(day)
        }
        expect(days.size).toBe(3)
        const action = 'getComputedStyle(document.querySelector("#nav .stage")).touchAction'
        expect(await page.evaluate<string>(action)).toBe('pan-y')
        await page.getByRole('heading', { level: 1 }).tap()
        // Below a narrow chart it stays, as the key of the lines, with the newest values.
        await page.locator('#nav .cursor').waitFor({ state: 'hidden' })
        expect(await textOf(tip)).toMatch(/^20 Nov 2026 /)
      })
    })

    it('names the ex-date of a distribution where its line has no price of that day', async () => {
      await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
        const texts = await page.evaluate<string[]>(`(() => {
          const stage = document.querySelector('#nav .stage')
          const textAfter = (key) => {
            stage.dispatchEvent(new KeyboardEvent('keydown', { key }))
            return stage.getAttribute('aria-valuetext')
          }
          const first = textAfter('Home')
          return [first, ...Array.from({ length: stage.ariaValueMax }, () => textAfter('ArrowRight'))]
        })()`)
        const paid = texts.flatMap((text) => {
          const [, day = '', exDay = day, amount] =
            /^(\d+ \w+ \d{4}), .*Distribution(?: (\d+ \w+ \d{4}))?: (.*)$/.exec(
              text.replaceAll('\u00a0', ' '),
            ) ?? []
          return amount === undefined
            ? []
            : [`${new Date(`${exDay} UTC`).toISOString().slice(0, 10)}: ${amount}`]
        })
        const known = db
          .prepare<[string, string, string], string>(
            `SELECT ex_date || ': ' || fund.currency || ' ' || amount FROM corporate_action JOIN fund USING (isin)
              WHERE isin = ? AND amount IS NOT NULL AND ex_date > ? AND ex_date <= ? ORDER BY ex_date`,
          )
          .pluck()
          .all(isin, value<string>('SELECT min(date) FROM price WHERE isin = ?', isin), asOf)
        expect(known.length).toBeGreaterThan(2)
        expect(paid).toEqual(known)
      })
    })

    describe('measures the change between two days', () => {
      const measured =
        /^(\d+ \w+ \d{4}) – (\d+ \w+ \d{4}) \(([\d,.]+) (days|years?)\)(?: |, )\w{3} ([\d,.]+) → \w{3} ([\d,.]*\d)(?: |, )Net asset value: ([^%]+)%(?: \(([^%]+)% p\.\u2060?a\.\))?/
      const isoOf = (text: string) => new Date(`${text} UTC`).toISOString().slice(0, 10)
      const shown = (day: string) => navOn(day).replace(/\B(?=(?:\d{3})+\.)/, ',')
      const first = () => value<string>('SELECT min(date) FROM price WHERE isin = ?', isin)
      const placeOf = (day: string) =>
        (Date.parse(day) - Date.parse(first())) / (Date.parse(asOf) - Date.parse(first()))

      /** Expects a text to name two days, the time between them and its change, as the database has them. @returns the days */
      const expectMeasured = (text: string | null) => {
        const plain = (text ?? '').replaceAll('\u00a0', ' ').replaceAll('\u2212', '-')
        const [, from = '', to = '', count = '', unit, valueThen = '', valueNow = '', percent = '', yearly] =
          measured.exec(plain) ?? []
        expect(plain).toMatch(measured)
        const begin = isoOf(from)
        const end = isoOf(to)
        const days = (Date.parse(end) - Date.parse(begin)) / 86_400_000
        const years = days / 365.25
        const isLong = unit !== 'days'
        expect({ isLong }).toEqual({ isLong: years > 1 })
        // Years of the calendar have some days more or less.
        if (isLong) expect(Math.abs(Number(count) - years)).toBeLessThanOrEqual(0.06)
        else expect(Number(count.replace(',', ''))).toBe(days)
        expect({ valueThen, valueNow }).toEqual({ valueThen: shown(begin), valueNow: shown(end) })
        const growth = Number(navOn(end)) / Number(navOn(begin))
        expect(Number(percent)).toBe(Number(((growth - 1) * 100).toFixed(2)))
        expect({ hasYearly: yearly !== undefined }).toEqual({ hasYearly: isLong })
        if (isLong) expect(Number(yearly)).toBeCloseTo((growth ** (1 / years) - 1) * 100, 1)
        return { begin, end }
      }

      it('by the mouse, in both directions, until the next press', async () => {
        await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
          const tip = page.locator('#nav .tip')
          const band = page.locator('#nav .band')
          await page.locator('#nav .stage').scrollIntoViewIfNeeded()
          const box = await page.locator('#nav .plot').boundingBox()
          if (box === null) throw new Error('there is no plot')
          const y = box.y + box.height / 2
          for (const [press, release] of [
            [0.2, 0.7],
            [0.6, 0.1],
          ] as const) {
            await page.mouse.move(box.x + box.width * press, y)
            await page.mouse.down()
            expect(await band.isVisible()).toBe(false)
            await page.mouse.move(box.x + box.width * release, y, { steps: 4 })
            await page.mouse.up()
            const { begin, end } = expectMeasured(await tip.textContent())
            expect(Math.abs(placeOf(begin) - Math.min(press, release))).toBeLessThan(0.02)
            expect(Math.abs(placeOf(end) - Math.max(press, release))).toBeLessThan(0.02)
            const width = (await band.boundingBox())?.width ?? 0
            expect(Math.abs(width / box.width - Math.abs(press - release))).toBeLessThan(0.02)
          }
          // It can be read at leisure.
          const text = await tip.textContent()
          await page.mouse.move(box.x + box.width * 0.4, y)
          expect(await tip.textContent()).toBe(text)
          await page.mouse.click(box.x + box.width * 0.4, y)
          expect(await textOf(tip)).toMatch(told)
          expect(await band.isVisible()).toBe(false)
          // Beyond the end of the chart, its last day is meant.
          await page.mouse.move(box.x + box.width * 0.5, y)
          await page.mouse.down()
          await page.mouse.move(box.x + box.width + 30, y, { steps: 4 })
          await page.mouse.up()
          expect(expectMeasured(await tip.textContent()).end).toBe(asOf)
          expect(await overhang(page)).toEqual([])
          await page.keyboard.press('Escape')
          expect(await tip.isVisible()).toBe(false)
          expect(await page.evaluate<string>('String(getSelection())')).toBe('')
        })
      })

      it('by two fingers, while one finger shows the day that it is on', async () => {
        await withPage(`funds/${isin}/index.html`, { ...phoneLight, touch: true }, async (page) => {
          const tip = page.locator('#nav .tip')
          await page.locator('#nav .stage').scrollIntoViewIfNeeded()
          const box = await page.locator('#nav .plot').boundingBox()
          if (box === null) throw new Error('there is no plot')
          const client = await page.context().newCDPSession(page)
          const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', shares: readonly number[]) => {
            await client.send('Input.dispatchTouchEvent', {
              type,
              touchPoints: shares.map((share, id) => ({
                x: box.x + box.width * share,
                y: box.y + box.height / 2,
                id,
              })),
            })
            await nextFrame(page)
          }
          const height = (await page.locator('#nav').boundingBox())?.height
          await touch('touchStart', [0.3])
          await touch('touchMove', [0.35])
          expect(await textOf(tip)).toMatch(told)
          await touch('touchStart', [0.35, 0.8])
          await touch('touchMove', [0.3, 0.9])
          const { begin, end } = expectMeasured(await tip.textContent())
          expect(Math.abs(placeOf(begin) - 0.3)).toBeLessThan(0.02)
          expect(Math.abs(placeOf(end) - 0.9)).toBeLessThan(0.02)
          expect((await page.locator('#nav').boundingBox())?.height).toBe(height)
          expect(await overhang(page)).toEqual([])
          await touch('touchEnd', [])
          expectMeasured(await tip.textContent())
          await tap(page, box.x + box.width * 0.5, box.y + box.height / 2)
          expect(await textOf(tip)).toMatch(told)
        })
      })

      it('by arrow keys with Shift, also to a screen reader', async () => {
        await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
          const stage = page.getByRole('slider', { name: 'Net asset value' })
          const text = () => stage.getAttribute('aria-valuetext')
          await stage.focus()
          await page.keyboard.press('Home')
          for (const key of ['PageUp', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(`Shift+${key}`)
          expect(expectMeasured(await text()).begin).toBe(first())
          await page.keyboard.press('Shift+End')
          expect(expectMeasured(await text())).toEqual({ begin: first(), end: asOf })
          await page.keyboard.press('ArrowLeft')
          expect(await text()).toMatch(/^\d+\s\w+\s\d{4}, /)
          expect(await page.locator('#nav .band').isVisible()).toBe(false)
        })
      })
    })

    it('has the same ranges and percentages in the view of performance, from 100 on their first day', async () => {
      await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
        const plain = (text: string | null) => (text ?? '').replaceAll('\u00a0', ' ')
        const changeIn = async (figure: string) =>
          plain(await page.locator(`${figure} .change`).textContent())
        const offered = (figure: string) => page.locator(`${figure} .ranges button:enabled`).allTextContents()
        await page.locator('.tabs').getByText('Performance').click()
        expect(await offered('#index')).toEqual(await offered('#nav'))
        const whole = await changeIn('#index')
        expect(whole).toMatch(/^Entire period: /)
        const index = page.getByRole('slider', { name: 'Performance as an index' })
        for (const range of ['1M', '1Y', '3Y']) {
          await page.locator('#index').getByRole('button', { name: range }).click()
          await expect
            .poll(() => changeIn('#index'))
            .toMatch(new RegExp(`^${range.replace('Y', ' year').replace('M', ' month')}`))
          await page.locator('#nav:not([aria-busy])').waitFor({ state: 'attached' })
          const days = /: (.*?\d{4} – .*?\d{4}) /.exec(await changeIn('#index'))?.[1]
          expect(await changeIn('#nav')).toContain(days)
          // Of a period without a distribution, both lines are one.
          const [, ofPrices] =
            / (?:With distributions|Net asset value): ([^:]*)$/.exec(await changeIn('#nav')) ?? []
          expect(await changeIn('#index')).toMatch(/ Performance: [+\u2212]/)
          expect((await changeIn('#index')).split(' Performance: ')[1]).toBe(ofPrices)
          await index.press('Home')
          expect(plain(await index.getAttribute('aria-valuetext'))).toMatch(/^\d+ \w+ \d{4}, 100\.00$/)
        }
        expect(new URL(page.url()).search).toBe('?range=3y')
        // What is measured has the percentage of the whole range.
        const ofRange = (await changeIn('#index')).split(' Performance: ')[1] ?? ''
        await index.press('Shift+End')
        const measured = plain(await index.getAttribute('aria-valuetext'))
        expect(measured).toMatch(/ \(3 years\), 100\.00 → [\d.]+, Performance: /)
        expect(measured.split(' Performance: ')[1]?.replace(/[()]/g, '')).toBe(ofRange)
        await page.locator('#index').getByRole('button', { name: 'Max' }).click()
        await expect.poll(() => changeIn('#index')).toBe(whole)
        expect(await overhang(page)).toEqual([])
        expect(await page.locator('#index').innerText()).toContain('Drag across the chart')
      })
    })

    it('has its range in the address: it can be sent, taken back, and seen in the other language', async () => {
      await withPage(`funds/${isin}/index.html?range=1y`, desktopLight, async (page) => {
        const pressed = () => page.locator('#nav .ranges [aria-pressed="true"]').textContent()
        await expect.poll(() => days(page)).toBe(365)
        expect(await pressed()).toBe('1Y')
        await page.getByRole('button', { name: '3M' }).click()
        await expect.poll(() => days(page)).toBe(92)
        expect(new URL(page.url()).search).toBe('?range=3m')
        await page.goBack()
        await expect.poll(() => days(page)).toBe(365)
        await page.goForward()
        await expect.poll(() => days(page)).toBe(92)
        await page.getByRole('link', { name: 'Key figures', exact: true }).click()
        const german = page.getByRole('link', { name: 'Deutsch' })
        await expect.poll(() => german.getAttribute('href')).toMatch(/#figures$/)
        await follow(german)
        expect(page.url()).toBe(`${server.base}/funds/${isin}/de.html?range=3m#figures`)
        await expect.poll(() => days(page)).toBe(92)
        await page.getByRole('button', { name: '1J' }).click()
        expect(new URL(page.url()).search).toBe('?range=1y')
        await page.getByRole('button', { name: 'Max' }).click()
        expect(new URL(page.url()).search).toBe('')
        await expect.poll(() => days(page)).toBeGreaterThan(1500)
        expect(await pressed()).toBe('Max')
      })
    })

    it('shows the price of a day by the arrow keys, also to a screen reader', async () => {
      await withPage(`funds/${isin}/de.html`, desktopLight, async (page) => {
        const stage = page.getByRole('slider', { name: 'Nettoinventarwert' })
        await stage.focus()
        expect(await stage.getAttribute('aria-valuetext')).toContain('20.11.2026')
        await page.keyboard.press('Home')
        const first = value<string>('SELECT min(date) FROM price WHERE isin = ?', isin)
        const day = first.split('-').reverse().join('.')
        const nav = Number(navOn(first)).toLocaleString('de-DE', { minimumFractionDigits: 2 })
        const currency = value<string>('SELECT currency FROM fund WHERE isin = ?', isin)
        expect(await stage.getAttribute('aria-valuetext')).toBe(
          `${day}, Nettoinventarwert: ${nav}\u00a0${currency}, Mit Ausschüttungen: ${nav}\u00a0${currency}`,
        )
        await page.keyboard.press('ArrowRight')
        // With Alt it belongs to the browser: the next page.
        await page.keyboard.press('Alt+ArrowRight')
        expect(await stage.getAttribute('aria-valuenow')).toBe('1')
        expect(await page.locator('#nav .tip').isVisible()).toBe(true)
        await page.keyboard.press('Escape')
        expect(await page.locator('#nav .tip').isVisible()).toBe(false)
        expect(await stage.getAttribute('aria-label')).toContain('Nettoinventarwert')
      })
    })
  })

  it('gives the bars of all structures the same room, so that the same length is the same share', async () => {
    for (const width of [360, 768, 960, 1440]) {
      await withPage(`funds/${isin}/de.html`, { ...desktopLight, width }, async (page) => {
        const columns = await page.evaluate<number>(
          'new Set([...document.querySelectorAll(".card")].map((each) => each.getBoundingClientRect().left)).size',
        )
        expect({ width, columns }).toEqual({ width, columns: width < 400 ? 1 : 2 })
        const widths = await page.evaluate<number[]>(
          '[...new Set([...document.querySelectorAll(".card svg")].map((bar) => Math.round(bar.getBoundingClientRect().width)))]',
        )
        expect({ width, widths }).toEqual({ width, widths: [expect.any(Number)] })
        const card = await page.evaluate<number>(
          'document.querySelector(".card").getBoundingClientRect().width',
        )
        // The rest is for the figures.
        expect({ width, isWide: (widths[0] ?? 0) > card * 0.7 }).toEqual({ width, isWide: true })
        expect(await overhang(page)).toEqual([])
      })
    }
  })

  it('has its ranges and its views on a line each on the narrowest phone, and no figure of its head alone', async () => {
    for (const path of [`funds/${isin}/index.html`, `funds/${isin}/de.html`]) {
      await withPage(path, { ...phoneLight, width: 320 }, async (page) => {
        const tops = (selector: string) =>
          page.evaluate<number[]>(
            `[...document.querySelectorAll('${selector}')].map((each) => Math.round(each.getBoundingClientRect().top))`,
          )
        for (const selector of ['#nav .ranges button', '.tabs label:has([name=chart])'])
          expect({ path, selector, lines: new Set(await tops(selector)).size }).toEqual({
            path,
            selector,
            lines: 1,
          })
        const [, ...figures] = await tops('.headline > div')
        expect(figures.length).toBe(4)
        expect(figures.filter((top) => top === figures[0]).length).toBe(2)
      })
    }
  })

  it('tells the figures of each chart by pointer, finger and keyboard: years, index, shares', async () => {
    await withPage(`funds/${isin}/index.html`, { ...phoneLight, touch: true }, async (page) => {
      const plain = (text: string | null) => (text ?? '').replaceAll('\u00a0', ' ').replace('\u2212', '-')
      const years = page.getByRole('slider', { name: 'Calendar years' })
      await years.scrollIntoViewIfNeeded()
      const bar = await page.locator('.bars rect').nth(2).boundingBox()
      if (bar === null) throw new Error('there is no third bar')
      // Above or below a short bar, too.
      await tap(page, bar.x + bar.width / 2, bar.y - 3)
      const count = await page.locator('.bars rect').count()
      const [year, percent] = db
        .prepare<[string, number], [number, number]>(
          'SELECT year, percent FROM performance_year WHERE isin = ? ORDER BY year DESC LIMIT 1 OFFSET ?',
        )
        .raw()
        .get(isin, count - 3) ?? [0, 0]
      const figure = `${year}: ${percent > 0 ? '+' : ''}${percent.toFixed(2)}%`
      const tip = years.locator('.tip')
      expect({ isVisible: await tip.isVisible(), text: plain(await tip.textContent()) }).toEqual({
        isVisible: true,
        text: figure,
      })

      await page.locator('.tabs').getByText('Performance').tap()
      const index = page.getByRole('slider', { name: 'Performance as an index' })
      await index.press('Home')
      expect(plain(await index.getAttribute('aria-valuetext'))).toMatch(/^\d+ \w+ \d{4}, 100\.00$/)
      expect(await page.locator('#nav').isVisible()).toBe(false)

      const areas = page.getByRole('slider', { name: 'Without derivatives' })
      const legend = page.locator('.view:has([aria-label*="Without"]) .shares')
      const asMade = await legend.textContent()
      await areas.press('Home')
      const first = value<string>(
        'SELECT min(date) FROM asset_allocation WHERE isin = ? AND derivatives = 0',
        isin,
      )
      const shares = db
        .prepare<[string, string], [string, number]>(
          `SELECT coalesce(class_en, class_de), percent FROM asset_allocation
            WHERE isin = ? AND derivatives = 0 AND date = ? ORDER BY position DESC`,
        )
        .raw()
        .all(isin, first)
      const shown = await legend.locator('tbody tr').allTextContents()
      expect(shown.map(plain)).toEqual(shares.map(([name, share]) => `${name}${share.toFixed(2)}%`))
      for (const [name, share] of shares)
        expect(plain(await areas.getAttribute('aria-valuetext'))).toContain(`${name}: ${share.toFixed(2)}%`)
      await page.getByRole('heading', { level: 1 }).tap()
      await expect.poll(() => legend.textContent()).toBe(asMade)
    })
  })

  it('marks the section that is read in the navigation', async () => {
    await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
      const present = () => page.locator('.side [aria-current]').allTextContents()
      expect(await present()).toEqual([])
      for (const name of ['Performance', 'Investment structure', 'Data']) {
        await page.locator('.side').getByRole('link', { name, exact: true }).click()
        await expect.poll(present).toEqual([name])
      }
    })
  })

  it('has its first chart on the first screen of a phone', async () => {
    await withPage(`funds/${isin}/index.html`, { scheme: 'light', width: 390, height: 844 }, async (page) => {
      const box = await page.locator('#nav .plot').boundingBox()
      expect(box === null ? NaN : box.y + box.height).toBeLessThan(844)
    })
  })

  it('shows the present page, the range and the legend where the system sets the colours', async () => {
    await withPage(`funds/${isin}/index.html`, desktopLight, async (page) => {
      await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
      const colours = (property: string, selector: string) =>
        page.evaluate<number>(
          `new Set([...document.querySelectorAll('${selector}')].map((each) => getComputedStyle(each)['${property}'])).size`,
        )
      expect(await colours('borderBottomColor', 'header nav a')).toBe(2)
      expect(await colours('backgroundColor', '.view .shares i')).toBeGreaterThan(1)
      expect(await colours('backgroundColor', '.ranges button')).toBe(2)
      expect(await colours('borderBottomColor', '.tabs label')).toBe(2)
    })
  })

  it('has targets for fingers of 24 pixels at least, and of 30 for what is used most', async () => {
    const small = (
      selector: string,
      least: number,
    ) => `[...document.querySelectorAll('${selector}')].filter((each) => {
      const { width, height } = each.getBoundingClientRect()
      return each.checkVisibility() && Math.min(width, height) < ${least}
    }).map((each) => each.outerHTML)`
    for (const kind of ['the list', 'a German fund']) {
      await withPage(kinds.get(kind)?.() ?? '', { ...phoneLight, touch: true }, async (page) => {
        const all = 'main :is(button, select, summary, .select, #search, .documents a, .funds tbody a)'
        expect(await page.evaluate<string[]>(small(all, 23.9))).toEqual([])
        const main = 'main :is(select, .select, #search, .ranges button)'
        expect(await page.evaluate<string[]>(small(main, 29.9))).toEqual([])
      })
    }
  })

  it.each(sample(['a fund', 'the list']))('does not shift while it loads, with scripts: %s', async (kind) => {
    const path = kinds.get(kind)?.() ?? ''
    expect(await withPage(path, phoneLight, (page) => page.evaluate<number>(sumOfShifts))).toBe(0)
  })

  it('works from a folder: styles, chart, ranges of the sample without a change, and links to the files of documents', async () => {
    const url = pathToFileURL(`${folder.file('out')}/funds/${isin}/index.html`).href
    const { page, complaints, end } = await visit(browser, url)
    await page.getByRole('button', { name: '1Y' }).click()
    await page.locator('#nav .plot[viewBox^="0 0 36"]').waitFor({ state: 'attached' })
    expect(await page.locator('#nav .change').innerText()).toMatch(
      /^This page was opened from a folder. [^\d]*$/,
    )
    const links = await page.locator('.documents a').evaluateAll(hrefs)
    expect(links).toContain(`../../api/v1/figures/${isin}/index.en.xml`)
    expect(links).toContain(`../../api/v1/prices-historic/${isin}/2026.json`)
    expect(await page.evaluate<string>('getComputedStyle(document.querySelector(".line")).fill')).toBe('none')
    const files = `../../downloads/${asOf}/`
    await page.locator(`a[href="${files}${isin}/prices.csv"]`).waitFor()
    const downloads = await page.locator('main a[href*="downloads/"]').evaluateAll(hrefs)
    const own = [`${isin}-prices.json`, 'prices.csv', 'prices.json', 'nav.txt'].map(
      (name) => `${files}${isin}/${name}`,
    )
    expect(downloads).toEqual([...own, `${files}index.html`])
    for (const link of downloads) expect(existsSync(`${folder.file('out')}/funds/${isin}/${link}`)).toBe(true)
    await page.locator('#documents summary').click()
    await follow(page.locator(`.documents a[href$="figures/${isin}/index.en.json"]`))
    expect(await page.textContent('body')).toContain(isin)
    expect(complaints).toEqual([])
    await end()
  })
})

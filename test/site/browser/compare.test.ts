/** The comparison of funds in a real browser, against plain SQL. */
import Database from 'better-sqlite3'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import {
  accessibilityFaults,
  desktopLight,
  expectSound,
  inTurn,
  openBrowser,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
  type Look,
} from '../../support/browser.ts'
import { sample } from '../../support/rounds.ts'
import { buildSite, type Site } from '../../support/site.ts'
import { fillDemo } from '../../support/snapshots.ts'

const asOf = '2026-11-20'
/** For what a page shows after an answer. */
let site: Site
let browser: Browser
let db: Database.Database
/** Funds that may be compared, six, the first two accumulating, the fourth in US dollars. */
let isins: readonly string[]
let young = ''

describe.skipIf(whyNoBrowser !== undefined)('the comparison in a browser', () => {
  beforeAll(async () => {
    site = await buildSite('comparison', asOf, fillDemo(24, 3, asOf), { FUNDPRESS_SITE_FUND_NAMES: 'de' })
    browser = await openBrowser()
    db = new Database(site.db, { readonly: true })
    const may = (condition: string) =>
      db
        .prepare<[], string>(
          `SELECT isin FROM fund JOIN profile USING (isin) WHERE data_permitted AND prices_permitted
            AND performance_permitted AND ${condition} AND isin IN (SELECT isin FROM price) ORDER BY isin`,
        )
        .pluck()
        .all()
    const old = "fund_inception_date < '2015-01-01'"
    isins = [
      ...may(`${old} AND accumulating = 1 AND currency = 'EUR'`).slice(0, 2),
      ...may(`${old} AND accumulating = 0 AND currency = 'EUR'`).slice(0, 1),
      ...may(`${old} AND currency = 'USD'`).slice(0, 1),
      ...may(`${old} AND accumulating = 0 AND currency = 'EUR'`).slice(1, 3),
    ]
    young = may("fund_inception_date > '2025-12-01'")[0] ?? ''
    return async () => {
      await browser.close()
      site.server.close()
      db.close()
    }
  })

  const withPage = async <T>(path: string, look: Look, run: (page: Page) => Promise<T>): Promise<T> => {
    const { page, end } = await visit(browser, `${site.base}/compare/${path}`, look)
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
  const nameOf = (isin: string) => value<string>('SELECT name FROM fund WHERE isin = ?', isin)
  const asked = (count: number) => isins.slice(0, count).join(',')
  const messages = async (page: Page) =>
    (await page.locator('#messages p').allTextContents()).map((text) => text.trim())
  const ready = (page: Page) =>
    page.locator('figure:not([aria-busy]) .drawn path').first().waitFor({ state: 'attached' })

  it.each(sample(inTurn(['index.html', 'de.html']), { least: 1 }))(
    'has no accessibility fault, no error, no request to another host, and no sideways scrolling: %s on %s',
    async (name, _, look) => {
      const visited = await visit(browser, `${site.base}/compare/${name}?isins=${asked(5)}`, look)
      await ready(visited.page)
      await expectSound(visited)
      const controls = '.ranges button, .stage, .chips button, .compared :is(a, button), #search'
      expect(await unreachedByKeyboard(visited.page, controls)).toEqual([])
      await visited.end()
    },
  )

  it('names each line at its end where there is room, no name over another', async () => {
    const asked = isins.slice(0, 5)
    await withPage(`?isins=${asked.join(',')}`, desktopLight, async (page) => {
      const labels = page.locator('.drawn .end text')
      await expect.poll(() => labels.count()).toBe(5)
      const boxes = await Promise.all((await labels.all()).map((label) => label.boundingBox()))
      const [shown, figure] = [
        boxes.filter((box) => box !== null),
        await page.locator('figure').boundingBox(),
      ]
      for (const { x, width } of shown)
        expect(x + width).toBeLessThanOrEqual((figure?.x ?? 0) + (figure?.width ?? 0))
      const tops = shown.map(({ y }) => y).sort((one, other) => one - other)
      for (const [index, top] of tops.slice(1).entries())
        expect(top - (tops[index] ?? 0)).toBeGreaterThanOrEqual((shown[0]?.height ?? 0) - 1)
      const [label = '', ...others] = await labels.allTextContents()
      const name = value<string>('SELECT name FROM fund WHERE isin = ?', asked[0] ?? '')
      expect(name).toContain(label.replace('…', ''))
      expect(new Set([label, ...others]).size).toBe(5)
    })
    await withPage(`?isins=${asked.join(',')}`, phoneLight, async (page) => {
      await expect.poll(() => page.locator('.drawn .end text').count()).toBe(5)
      expect(await page.locator('.drawn .end text:visible').count()).toBe(0)
      expect(await page.locator('.chips li:visible').count()).toBe(5)
    })
  })

  it('draws funds from 100 on the first day that they have in common, with their performance, from the API of its host', async () => {
    const four = isins.slice(0, 4)
    const { page, complaints, end } = await visit(
      browser,
      `${site.base}/compare/?isins=${four.join(',')}&range=1y`,
    )
    await ready(page)
    const common = (day: string, order: string) =>
      value<string>(
        `SELECT date FROM price WHERE isin IN (${four.map((each) => `'${each}'`).join()}) AND ${day}
          GROUP BY date HAVING count(*) = ${four.length} ORDER BY date ${order}`,
      )
    const [first, last] = [common("date <= '2025-11-20'", 'DESC'), common('true', 'DESC')]
    const navOn = (isin: string, day: string) =>
      Number(value<string>('SELECT net_asset_value FROM price WHERE isin = ? AND date = ?', isin, day))
    /** What a share has become, with its distributions reinvested. */
    const worthOn = (isin: string, day: string) =>
      navOn(isin, day) *
      value<number>(
        `SELECT coalesce(exp(sum(ln(1 + CAST(amount AS REAL) / (SELECT CAST(net_asset_value AS REAL) FROM price
            WHERE price.isin = own.isin AND date >= ex_date ORDER BY date LIMIT 1)))), 1)
          FROM corporate_action AS own WHERE isin = ? AND ex_date <= ?`,
        ...[isin, day],
      )
    const performances = four.map((isin) => (worthOn(isin, last) / worthOn(isin, first) - 1) * 100)
    expect(performances[2]).not.toBeCloseTo(
      (navOn(four[2] ?? '', last) / navOn(four[2] ?? '', first) - 1) * 100,
      1,
    )
    /** Of the columns from the end: risk class, costs, volatility, performance. */
    const numbersIn = async (fromEnd: number) => {
      const texts = await page.locator(`.compared tbody td:nth-last-child(${fromEnd})`).allTextContents()
      return texts.map((text) =>
        text === '–' ? null : Number(text.replace('\u2212', '-').replace(/[^\d.-]/g, '')),
      )
    }
    const numbers = await numbersIn(4)
    expect(numbers).toEqual(performances.map((percent) => Number(percent.toFixed(2))))
    const stored = (column: string, table: string) =>
      four.map(
        (isin) => value<number | undefined>(`SELECT ${column} FROM ${table} WHERE isin = ?`, isin) ?? null,
      )
    expect(await numbersIn(2)).toEqual(
      stored('total_expense_ratio', 'profile').map((ratio) => ratio && Number(ratio.toFixed(2))),
    )
    expect(await numbersIn(1)).toEqual(stored('srri', 'emt'))
    const days = db
      .prepare<[], string>(
        `SELECT date FROM price WHERE isin IN (${four.map((each) => `'${each}'`).join()}) AND date >= '${first}'
          GROUP BY date HAVING count(*) = 4 ORDER BY date`,
      )
      .pluck()
      .all()
    const volatilities = four.map((isin) => {
      const navs = days.map((day) => worthOn(isin, day))
      const changes = navs.slice(1).map((nav, index) => Math.log(nav) - Math.log(navs[index] ?? 1))
      const mean = changes.reduce((sum, change) => sum + change) / changes.length
      const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1)
      const years = (Date.parse(last) - Date.parse(first)) / 864e5 / 365.25
      return Number((100 * Math.sqrt((variance * changes.length) / years)).toFixed(2))
    })
    expect(await numbersIn(3)).toEqual(volatilities)
    await page.getByRole('button', { name: 'Costs (TER)' }).click()
    const sorted = await numbersIn(2)
    expect(sorted).toEqual(sorted.toSorted((one, other) => (other ?? 0) - (one ?? 0)))
    expect(new URL(page.url()).search).toContain('&sort=-costs')
    await page.goBack()
    await expect.poll(() => numbersIn(4)).toEqual(numbers)

    // An accumulating fund has the figure that the list has.
    const list = (await (await fetch(`${site.base}/funds/index.json`)).json()) as {
      readonly funds: readonly { readonly isin: string; readonly one_year_percent: string }[]
    }
    expect(first).toBe('2025-11-20')
    for (const index of [0, 1]) {
      const listed = list.funds.find(({ isin }) => isin === four[index])
      expect(numbers[index]).toBe(Number(listed?.one_year_percent))
    }

    const stage = page.getByRole('slider')
    await stage.focus()
    await page.keyboard.press('Home')
    const text = () => stage.getAttribute('aria-valuetext')
    expect(await text()).toMatch(/^20 Nov 2025, /)
    expect((await text())?.match(/: 100\.00/g)).toHaveLength(4)
    await page.keyboard.press('End')
    for (const percent of performances) expect(await text()).toContain(`: ${(100 + percent).toFixed(2)}`)

    /** Dashes and colour of each line. */
    const styles = (selector: string) =>
      page.evaluate<readonly string[][]>(`[...document.querySelectorAll('${selector}')].map((line) => {
        const { strokeDasharray, stroke } = getComputedStyle(line)
        return [strokeDasharray, stroke]
      })`)
    const drawn = await styles('.drawn path')
    expect(await styles('.drawn .end .line')).toEqual(drawn)
    for (const part of [0, 1]) expect(new Set(drawn.map((style) => style[part])).size).toBe(4)
    expect(await styles('.compared .key .line')).toEqual(drawn)
    expect(await styles('.chips .key .line')).toEqual(drawn)
    expect(await styles('.tip .key .line')).toEqual(drawn)
    expect((await messages(page)).join()).toContain('different currencies (EUR, USD)')
    expect(complaints).toEqual([])
    await end()
  })

  it('adds a fund by search, removes one, keeps both and the range in the address, on the way back and in the other language', async () => {
    await withPage(`index.html?isins=${asked(1)}`, desktopLight, async (page) => {
      await ready(page)
      const rows = () => page.locator('.compared tbody a').allTextContents()
      const [one = '', two = ''] = isins
      expect(await messages(page)).toEqual(['Add a second fund to compare.'])
      await page.locator('#search').fill(two.toLowerCase())
      // The company says that its names are German.
      expect(
        await page
          .getByRole('option', { name: nameOf(two) })
          .locator('[lang=de]')
          .innerText(),
      ).toBe(nameOf(two))
      await page.getByRole('option', { name: nameOf(two) }).click()
      await expect.poll(rows).toEqual([nameOf(one), nameOf(two)])
      for (const place of ['.compared a', '.chips span'])
        expect(await page.locator(place).first().getAttribute('lang')).toBe('de')
      const key = () =>
        page.locator('.compared tr', { hasText: two }).locator('.key line').getAttribute('class')
      const styled = await key()
      expect(new URL(page.url()).search).toBe(`?isins=${one},${two}`)
      await page.getByRole('button', { name: '3M' }).click()
      expect(new URL(page.url()).search).toBe(`?isins=${one},${two}&range=3m`)
      await page.getByRole('button', { name: `Remove ${nameOf(one)}` }).press('Enter')
      await expect.poll(rows).toEqual([nameOf(two)])
      // The line keeps its colour, and the keyboard its place.
      expect([await key(), await page.locator('.drawn path').getAttribute('class')]).toEqual([styled, styled])
      expect(await page.locator('.chips').innerText()).not.toContain(nameOf(one))
      const focused = page.locator(':focus')
      await expect.poll(() => focused.getAttribute('aria-label')).toBe(`Remove ${nameOf(two)}`)
      await page.goBack()
      await expect.poll(rows).toEqual([nameOf(one), nameOf(two)])
      await page.getByRole('link', { name: 'Deutsch' }).click()
      await ready(page)
      expect(page.url()).toBe(`${site.base}/compare/de.html?isins=${one},${two}&range=3m`)
      expect(await rows()).toEqual([nameOf(one), nameOf(two)])
      expect(await page.locator('.ranges [aria-pressed="true"]').textContent()).toBe('3M')
      await page.locator('.compared a').first().click()
      expect(page.url()).toBe(`${site.base}/funds/${one}/de.html`)
      await page.getByRole('link', { name: 'Vergleichen' }).click()
      expect(page.url()).toBe(`${site.base}/compare/de.html?isins=${one}`)
    })
  })

  it('says what is wrong with an address: no fund, an unknown one, one too young, more than five', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      expect((await messages(page)).join()).toContain('No fund has been chosen yet')
      expect(await page.locator('figure').isVisible()).toBe(false)
    })
    await withPage(
      `index.html?isins=${asked(2)},XX0000000000,${young}`.toLowerCase(),
      desktopLight,
      async (page) => {
        await ready(page)
        expect(await messages(page)).toEqual([
          expect.stringContaining('no fund with the ISIN XX0000000000'),
          expect.stringContaining(
            `${nameOf(young)} cannot be compared: it was launched less than one year ago`,
          ),
        ])
        expect(await page.locator('.compared tbody tr').count()).toBe(2)
        expect(await page.locator('.drawn path').count()).toBe(2)
      },
    )
    await withPage(`index.html?isins=${asked(6)}`, phoneLight, async (page) => {
      await ready(page)
      expect(isins).toHaveLength(6)
      expect((await messages(page))[0]).toContain('At most five funds')
      expect(await page.locator('.drawn path').count()).toBe(5)
    })
  })

  it('adds funds by keyboard alone: arrows, Enter, Escape', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      const field = page.getByRole('combobox')
      const active = () =>
        page.evaluate<string>(`document.getElementById(
          document.getElementById('search').getAttribute('aria-activedescendant'))?.textContent ?? ''`)
      const found = () => page.getByRole('option').allTextContents()
      await field.fill('de000')
      const options = await found()
      expect(options.length).toBeGreaterThan(2)
      for (const [key, index] of [
        ['ArrowDown', 1],
        ['ArrowUp', 0],
        ['ArrowUp', options.length - 1],
        ['ArrowDown', 0],
      ] as const) {
        await field.press(key)
        expect(await active()).toBe(options[index])
      }
      await field.press('Escape')
      expect([await found(), await field.getAttribute('aria-expanded')]).toEqual([[], 'false'])
      const [one = ''] = isins
      await field.fill(one)
      expect(await accessibilityFaults(page)).toEqual([])
      await field.press('Enter')
      await expect.poll(() => page.locator('.compared tbody a').allTextContents()).toEqual([nameOf(one)])
      expect([await field.inputValue(), await found()]).toEqual(['', []])
      await field.fill(young)
      await field.press('Enter')
      expect((await found()).join()).toContain('cannot be compared')
      expect(await page.locator('.compared tbody tr').count()).toBe(1)
    })
  })

  it('says that it loads, and shows no placeholder before it knows the days', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      const held = Promise.withResolvers<undefined>()
      await page.route('**/prices-historic/**', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto(`${site.base}/compare/index.html?isins=${asked(2)}`)
      await page.locator('figure[aria-busy]').waitFor()
      const text = () => page.locator('main').innerText()
      const shown = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('figure'), '::after').content",
      )
      expect([shown, await text()]).toEqual(['"Loading prices …"', expect.not.stringContaining('{')])
      held.resolve(undefined)
      await ready(page)
      expect(await text()).toMatch(/Net asset value on \d+ \w+ 20\d\d/)
      expect(await text()).not.toContain('{')
    })
  })

  it('says of a distributing fund that its distributions are not known, and needs the list of them', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      const paying = isins[2] ?? ''
      const answer = { status: 200, body: '{"distributions":[],"splits":[]}' }
      await page.route('**/distributions.json', (route) =>
        route.request().url().includes(paying) ? route.fulfill(answer) : route.continue(),
      )
      await page.goto(`${site.base}/compare/index.html?isins=${asked(3)}`)
      await ready(page)
      expect(await messages(page)).toEqual([
        expect.stringContaining(`No distributions of ${nameOf(paying)} are known`),
      ])
      answer.status = 503
      await page.reload()
      await ready(page)
      expect((await messages(page)).join()).toContain(`The prices of ${nameOf(paying)} could not be loaded`)
    })
  })

  it('compares the others if the prices of a fund cannot be loaded, and tries again when asked', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      const [one = '', two = ''] = isins
      await page.route(`**/prices-historic/${two}/**`, (route) => route.fulfill({ status: 503, body: '{}' }))
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two}`)
      await ready(page)
      const fault = page.locator('#messages .callout.fault')
      expect(await fault.innerText()).toContain(`The prices of ${nameOf(two)} could not be loaded.`)
      expect(await accessibilityFaults(page)).toEqual([])
      expect(await page.locator('.drawn path').count()).toBe(1)
      await page.unroute(`**/prices-historic/${two}/**`)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => page.locator('.drawn path').count()).toBe(2)
      expect(await messages(page)).toEqual([])
    })
    await withPage('index.html', desktopLight, async (page) => {
      await page.route('**/funds/index.json', (route) => route.fulfill({ status: 500, body: '' }))
      await page.reload()
      await expect
        .poll(() => messages(page))
        .toEqual([expect.stringContaining('The list of funds could not be loaded.')])
    })
  })

  it('names the fund without which the others have days in common, and offers no other try', async () => {
    await withPage('index.html', desktopLight, async (page) => {
      const [one = '', two = '', three = ''] = isins
      interface Price {
        readonly date: string
      }
      /** Changes the prices of the second fund. */
      const change = async (changed: (prices: readonly Price[]) => readonly Price[]) => {
        await page.unrouteAll()
        await page.route(`**/prices-historic/${two}/**`, async (route) => {
          const response = await route.fetch()
          const answer = (await response.json()) as { readonly prices: readonly Price[] }
          await route.fulfill({ response, json: { ...answer, prices: changed(answer.prices) } })
        })
      }
      const told = async () => {
        await page.goto(`${site.base}/compare/index.html?isins=${one},${two},${three}&range=3m`)
        await page.locator('.compared tbody tr').nth(2).waitFor()
        await page.locator('.fault').nth(1).waitFor()
        expect(await page.locator('#messages button').count()).toBe(0)
        expect(await page.locator('figure').isVisible()).toBe(false)
        return messages(page)
      }
      const none = 'There is no period in which all of these funds have prices.'
      await change((prices) => prices.slice(-1))
      expect(await told()).toEqual([
        none,
        expect.stringContaining(`${nameOf(two)} has fewer than two prices`),
      ])
      // Days on which the others have no prices.
      await change((prices) => prices.map(({ date, ...price }) => ({ ...price, date: saturdayAfter(date) })))
      expect(await told()).toEqual([none, `Without ${nameOf(two)}, the others can be compared.`])
    })
  })

  it('leads to the list without scripts, and says from a folder that it needs a server', async () => {
    await withPage('de.html', { ...desktopLight, scripts: false }, async (page) => {
      expect(await page.locator('#compare').isVisible()).toBe(false)
      await page.locator('noscript a').click()
      expect(page.url()).toBe(`${site.base}/funds/de.html`)
    })
    const file = `${pathToFileURL(site.out).href}/compare/index.html?isins=${asked(2)}`
    const { page, complaints, end } = await visit(browser, file)
    expect(await messages(page)).toEqual([expect.stringContaining('needs a server')])
    expect(complaints).toEqual([])
    await end()
  })
})

function saturdayAfter(day: string): string {
  const time = new Date(`${day}T00:00:00Z`)
  time.setUTCDate(time.getUTCDate() + 6 - time.getUTCDay())
  return time.toISOString().slice(0, 10)
}

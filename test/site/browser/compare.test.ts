/** The comparison of funds in a real browser, against plain SQL. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  desktopLight,
  expectSound,
  follow,
  inTurn,
  phoneLight,
  sumOfShifts,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { sample } from '../../support/rounds.ts'
import { expectTipAside } from '../../support/tip.ts'
import { type Comparison, messagesOn, openComparison, ready } from './comparison.ts'

let compared: Comparison

/** What the table shows of each fund. @param id of a row */
const figuresOf = (page: Page, id: string) => page.locator(`.compared [data-id='${id}'] td`).allTextContents()
const numberIn = (text: string) => Number(text.replace('\u2212', '-').replace(/[^\d.-]/g, ''))

describe.skipIf(whyNoBrowser !== undefined)('the comparison in a browser', () => {
  beforeAll(async () => {
    compared = await openComparison()
    return compared.close
  })

  it.each(sample(inTurn(['index.html', 'de.html']), { least: 1 }))(
    'has no accessibility fault, no error, no request to another host, and no sideways scrolling: %s on %s',
    async (name, _, look) => {
      const { site, browser, asked } = compared
      const visited = await visit(browser, `${site.base}/compare/${name}?isins=${asked(5)}`, look)
      await ready(visited.page)
      await expectSound(visited)
      const controls = '.ranges button:enabled, .stage, .chips button, .compared :is(a, button), #search'
      expect(await unreachedByKeyboard(visited.page, controls)).toEqual([])
      await visited.end()
    },
  )

  it('keeps its place while it loads, and shows no table before a fund is chosen', async () => {
    const { asked, withPage } = compared
    for (const look of [phoneLight, desktopLight]) {
      const shifts = await withPage(`?isins=${asked(3)}`, look, async (page) => {
        await ready(page)
        return page.evaluate<number>(sumOfShifts)
      })
      // Names of funds may take a second line; a good page stays below 0.1. Source: web.dev, "Cumulative Layout Shift".
      expect(shifts).toBeLessThan(0.05)
    }
    await withPage('', phoneLight, async (page) => {
      await page.locator('#notices .callout').waitFor()
      expect(await page.locator('#compare :is(table, figure):visible').count()).toBe(0)
    })
  })

  it('names each line at its end where there is room, no name over another', async () => {
    const { isins, withPage, value } = compared
    const asked = isins.slice(0, 5)
    await withPage(`?isins=${asked.join(',')}`, desktopLight, async (page) => {
      const labels = page.locator('.drawn .end text')
      await expect.poll(() => labels.count()).toBe(5)
      const boxes = await Promise.all((await labels.all()).map((label) => label.boundingBox()))
      const shown = boxes.filter((box) => box !== null)
      const figure = await page.locator('figure').boundingBox()
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

  it('keeps the names at line ends within the content, and the last word of each, at every width', async () => {
    const { isins, nameOf, asked, withPage } = compared
    const endings = ['A (EUR)', 'A (GBP)', 'I (USD)', 'B 2031', 'C 111']
    const longNames = new Map(
      isins.slice(0, 5).map((isin, index) => {
        const name = `WWW Mittelstand & Familienunternehmen der Nordamerikanischen Freihandelszone ${endings[index] ?? ''}`
        return [isin, name]
      }),
    )
    for (const names of [new Map<string, string>(), longNames])
      await withPage('', desktopLight, async (page) => {
        await page.route('**/funds/index.json', async (route) => {
          const response = await route.fetch()
          const { funds } = (await response.json()) as { funds: readonly { isin: string; name: string }[] }
          const renamed = funds.map((fund) => ({ ...fund, name: names.get(fund.isin) ?? fund.name }))
          await route.fulfill({ response, json: { funds: renamed } })
        })
        for (const width of [768, 1000, 1440]) {
          await page.setViewportSize({ width, height: 900 })
          await page.goto(`${compared.site.base}/compare/?isins=${asked(5)}`)
          await ready(page)
          const beyond = await page.evaluate<string[]>(`(() => {
            const main = document.querySelector('main')
            const edge = main.getBoundingClientRect().right - parseFloat(getComputedStyle(main).paddingRight)
            return [...document.querySelectorAll('.end text')].flatMap((text) => {
              const over = text.getBoundingClientRect().right - edge
              return over > 0.5 ? [text.textContent + ': ' + over] : []
            })
          })()`)
          expect({ width, beyond }).toEqual({ width, beyond: [] })
          const shown = await page.locator('.drawn .end').allTextContents()
          const endOf = (isin: string) => (names.get(isin) ?? nameOf(isin)).split(' ').at(-1) ?? ''
          for (const isin of isins.slice(0, 5))
            expect(shown.filter((text) => text.endsWith(endOf(isin)))).not.toEqual([])
        }
      })
  })

  it.each([1, 2, 3, 5])(
    'shows all rows and codes of %i funds at every width, in letters of one size',
    async (count) => {
      const { asked, withPage } = compared
      await withPage(`de.html?isins=${asked(count)}`, desktopLight, async (page) => {
        await ready(page)
        const rows = await page.locator('.compared tbody [data-id]').count()
        for (const width of [320, 360, 390, 600, 768, 1000, 1440]) {
          await page.setViewportSize({ width, height: 900 })
          const [sizes = [], broken = [], labels = []] = await page.evaluate<string[][]>(`(() => {
          const cells = [...document.querySelectorAll('.compared td.number')]
          const lines = (element) => {
            const range = document.createRange()
            range.selectNodeContents(element.lastChild)
            return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
          }
          const whole = [...document.querySelectorAll('.compared .whole'), ...cells]
          return [
            [...new Set(cells.map((cell) => getComputedStyle(cell).fontSize))],
            whole.filter((each) => lines(each) > 1).map((each) => each.textContent),
            [...document.querySelectorAll('.compared [data-id$=per_year] th')].filter((each) => lines(each) > 1).map((each) => each.textContent),
          ]
        })()`)
          expect({ width, sizes: sizes.length, broken, labels }).toEqual({
            width,
            sizes: 1,
            broken: [],
            labels: [],
          })
          expect(parseFloat(sizes[0] ?? '')).toBeGreaterThanOrEqual(13)
          const shown = {
            rows: await page.locator('.compared tbody [data-id]:visible').count(),
            values: await page.locator('.compared td:is(.number, .missing):visible').count(),
            codes: await page.locator('.compared thead .whole:visible').count(),
          }
          expect({ width, ...shown }).toEqual({ width, rows, values: rows * count, codes: count })
        }
      })
    },
  )

  it('shows two of more than two funds side by side on a phone, below the names that say which is which', async () => {
    const { asked, withPage } = compared
    for (const count of [3, 4, 5])
      await withPage(`de.html?isins=${asked(count)}`, { ...phoneLight, width: 390 }, async (page) => {
        await ready(page)
        const left = (selector: string) =>
          page.evaluate<number[]>(
            `[...document.querySelectorAll("${selector}")].map((each) => Math.round(each.getBoundingClientRect().left))`,
          )
        const heads = await left('.compared thead th')
        expect(new Set(heads).size).toBe(2)
        expect(await left(".compared [data-id='performance'] td")).toEqual(heads)
        // The key of its line stands at each value, and at its name.
        for (const cells of ['thead th', "[data-id='performance'] td", "[data-id='size'] td"])
          expect(await page.locator(`.compared ${cells} > .key:visible`).count()).toBe(count)
        // Without the names, a row is as high as its own name and its values.
        const height = await page.evaluate<number>(
          `document.querySelector(".compared [data-id='performance']").getBoundingClientRect().height`,
        )
        expect(height).toBeLessThan(35 + 26 * Math.ceil(count / 2))
        await page.evaluate(
          'scrollTo(0, document.querySelector("[data-id=costs]").getBoundingClientRect().top)',
        )
        const box = await page.locator('.compared thead').boundingBox()
        expect(box?.y).toBe(0)
        expect(box?.height).toBeLessThan(260)
      })
  })

  it('leaves most of a phone to the figures, however long the names of five funds are', async () => {
    const { asked, withPage } = compared
    await withPage('', { ...phoneLight, width: 390, height: 844 }, async (page) => {
      await page.route('**/funds/index.json', async (route) => {
        const response = await route.fetch()
        const { funds } = (await response.json()) as { funds: readonly { isin: string; name: string }[] }
        const name = (isin: string) => `${isin} ${'der Stiftung für Wohnen '.repeat(7)}`.trim()
        const renamed = funds.map((fund) => ({ ...fund, name: name(fund.isin) }))
        await route.fulfill({ response, json: { funds: renamed } })
      })
      await page.goto(`${compared.site.base}/compare/?isins=${asked(5)}`)
      await ready(page)
      const box = await page.locator('.compared thead').boundingBox()
      expect(box?.height).toBeLessThan(844 / 3)
      expect(await page.locator('.compared thead .whole:visible').count()).toBe(5)
      expect(await accessibilityFaults(page)).toEqual([])
    })
  })

  it('shows the figures of one fund beside their names on a phone', async () => {
    const { asked, withPage } = compared
    await withPage(`de.html?isins=${asked(1)}`, { ...phoneLight, width: 320 }, async (page) => {
      await ready(page)
      const row = page.locator(".compared [data-id='performance']")
      const [name, figure] = await Promise.all([
        row.locator('th').boundingBox(),
        row.locator('td').boundingBox(),
      ])
      expect(figure?.y).toBeLessThan((name?.y ?? NaN) + (name?.height ?? NaN))
      expect(figure?.x).toBeGreaterThan((name?.x ?? NaN) + 100)
    })
  })

  it('has one legend: the names at the ends of the lines, or what stands below a narrow chart', async () => {
    const { asked, withPage } = compared
    await withPage(`?isins=${asked(4)}`, desktopLight, async (page) => {
      await ready(page)
      for (const width of [1440, 1024, 768, 600, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.locator('.stage').press('End')
        const shown = {
          ends: await page.locator('.end text:visible').count(),
          below: await page.locator('.tip.rows > span > span:not(:last-child):visible').count(),
          values: await page.locator('.tip.rows > span > span:last-child:visible').count(),
          chips: await page.locator('.chips .key').count(),
        }
        const isBesideCursor = width > 1024
        const hasEnds = width >= 768
        expect({ width, ...shown, ends: shown.ends > 0 }).toEqual({
          width,
          ends: hasEnds,
          below: isBesideCursor || !hasEnds ? 4 : 0,
          values: 4,
          chips: 0,
        })
      }
    })
  })

  it('says in place of a value why there is none', async () => {
    const { isins, asked, withPage } = compared
    const [one = '', two = ''] = isins
    await withPage('', desktopLight, async (page) => {
      await page.route('**/funds/index.json', async (route) => {
        const response = await route.fetch()
        const { funds } = (await response.json()) as { funds: readonly { isin: string }[] }
        const changed = funds.map((fund) =>
          fund.isin === one
            ? { ...fund, srri: null, total_expense_ratio: null, total_fund_assets: null, accumulating: null }
            : fund,
        )
        await route.fulfill({ response, json: { funds: changed } })
      })
      await page.route(`**/prices-historic/${two}/**`, (route) => route.fulfill({ status: 503, body: '{}' }))
      await page.goto(`${compared.site.base}/compare/?isins=${asked(3)}&range=1m`)
      await page.locator('#messages .fault').waitFor()
      await ready(page)
      for (const id of ['costs', 'risk', 'income', 'size'])
        expect({ id, text: (await figuresOf(page, id))[0] }).toEqual({ id, text: 'not available' })
      for (const id of ['performance', 'volatility', 'from', '5y'])
        expect({ id, text: (await figuresOf(page, id))[1] }).toEqual({ id, text: 'not loaded' })
      // A month has too few changes, and is no year.
      expect((await figuresOf(page, 'volatility'))[0]).toBe('too few prices')
      expect((await figuresOf(page, 'performance_per_year'))[0]).toBe('less than a year')
      expect((await page.locator('.compared td').allInnerTexts()).map((text) => text.trim())).not.toContain(
        '–',
      )
      expect(await accessibilityFaults(page)).toEqual([])
    })
  })

  it('cuts no word of the names at the head of a column, with five funds', async () => {
    const { isins, asked, withPage } = compared
    await withPage('', desktopLight, async (page) => {
      await page.route('**/funds/index.json', async (route) => {
        const response = await route.fetch()
        const { funds } = (await response.json()) as { funds: readonly { isin: string; name: string }[] }
        const names = ['Stiftungsfonds', 'Kommunalanleihen', 'Schwellenländer', 'Rücklage', 'Strategie']
        const renamed = funds.map((fund) => ({
          ...fund,
          name: `Möwenstein ${names[isins.indexOf(fund.isin)] ?? 'Renten'} A`,
        }))
        await route.fulfill({ response, json: { funds: renamed } })
      })
      await page.goto(`${compared.site.base}/compare/?isins=${asked(5)}`)
      await ready(page)
      for (const width of [320, 390, 600, 768, 900, 1025, 1152, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const cut = await page.evaluate<string[]>(
          "[...document.querySelectorAll('.compared .word')].filter((word) => word.scrollWidth > word.clientWidth).map((word) => word.textContent)",
        )
        expect({ width, cut }).toEqual({ width, cut: [] })
      }
    })
  })

  it.each([1, 5])(
    'tells values of %i funds at the pointer, and those of a measured stretch, where its lines leave room and no name stands',
    async (count) => {
      const { asked, withPage } = compared
      await withPage(`?isins=${asked(count)}`, desktopLight, async (page) => {
        for (const width of [1440, 1100]) {
          await page.setViewportSize({ width, height: 900 })
          // Names at the ends of lines are set for a width.
          await page.reload()
          await ready(page)
          const plot = await page.locator('.drawn .plot').boundingBox()
          if (plot === null) throw new Error('there is no chart')
          const to = (share: number) => page.mouse.move(plot.x + share * plot.width, plot.y + plot.height / 2)
          for (const share of [0.02, 0.3, 0.5, 0.7, 0.98]) {
            await to(share)
            await expectTipAside(page, 'figure')
          }
          for (const [begin, end] of [
            [0.1, 0.4],
            [0.9, 0.6],
            [0.2, 0.95],
          ] as const) {
            await to(begin)
            await page.mouse.down()
            await to(end)
            await page.mouse.up()
            await expectTipAside(page, 'figure')
          }
          await page.keyboard.press('Escape')
          expect(await page.locator('.tip').isVisible()).toBe(false)
        }
        // It would cover a narrower chart, and stands below that.
        for (const width of [768, 390]) {
          await page.setViewportSize({ width, height: 900 })
          const tip = await page.locator('.tip').boundingBox()
          const plot = await page.locator('.drawn .plot').boundingBox()
          expect(tip?.y).toBeGreaterThan((plot?.y ?? NaN) + (plot?.height ?? NaN))
        }
      })
    },
  )

  it('offers the funds of a category to begin with, all of which can be compared', async () => {
    const { site, withPage } = compared
    const list = (await (await fetch(`${site.base}/funds/index.json`)).json()) as {
      readonly funds: readonly {
        readonly isin: string
        readonly category: { readonly en: string } | null
        readonly not_comparable: string | null
      }[]
    }
    await withPage('index.html', desktopLight, async (page) => {
      const links = page.locator('#offers a')
      const names = await links.allTextContents()
      expect(names.length).toBeGreaterThan(1)
      for (const [place, name] of names.entries()) {
        const isins = list.funds.filter((fund) => fund.category?.en === name && fund.not_comparable === null)
        expect(isins.length).toBeGreaterThan(1)
        const { searchParams } = new URL((await links.nth(place).getAttribute('href')) ?? '', page.url())
        const offered = searchParams.get('isins')?.split(',').sort()
        expect({ name, offered }).toEqual({ name, offered: isins.map(({ isin }) => isin).sort() })
      }
      expect(await accessibilityFaults(page)).toEqual([])
      await follow(links.first())
      await ready(page)
      expect(await page.locator('.compared thead th').count()).toBeGreaterThan(1)
      expect(await page.locator('#offers').isVisible()).toBe(false)
    })
  })

  it('does not move while a search finds something', async () => {
    await compared.withPage('index.html', desktopLight, async (page) => {
      const below = async () => (await page.locator('#messages, #notices p').last().boundingBox())?.y
      const before = await below()
      await page.locator('#search').fill('a')
      await page.getByRole('option').first().waitFor()
      expect(await page.locator('#found').innerText()).not.toBe('')
      expect(await below()).toBe(before)
    })
  })

  it('draws funds from 100 on the first day that they have in common, with their performance, from the API of its host', async () => {
    const { site, browser, db, isins, value } = compared
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
    const first = common("date <= '2025-11-20'", 'DESC')
    const last = common('true', 'DESC')
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
    const numbersIn = async (id: string) => (await figuresOf(page, id)).map(numberIn)
    const numbers = await numbersIn('performance')
    expect(numbers).toEqual(performances.map((percent) => Number(percent.toFixed(2))))
    const stored = (column: string, table: string) =>
      four.map(
        (isin) => value<number | undefined>(`SELECT ${column} FROM ${table} WHERE isin = ?`, isin) ?? null,
      )
    expect(await numbersIn('costs')).toEqual(
      stored('total_expense_ratio', 'profile').map((ratio) => ratio && Number(ratio.toFixed(2))),
    )
    expect(await numbersIn('risk')).toEqual(stored('srri', 'emt'))
    expect(await figuresOf(page, 'income')).toEqual(
      stored('accumulating', 'profile').map((is) => (is === 1 ? 'accumulating' : 'distributing')),
    )
    expect(await figuresOf(page, 'currency')).toEqual(stored('currency', 'fund'))
    expect(await numbersIn('from')).toEqual(four.map((isin) => navOn(isin, first)))
    expect(await numbersIn('to')).toEqual(four.map((isin) => navOn(isin, last)))
    const asText = (day: string) =>
      new Date(day).toLocaleDateString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      })
    const launches = four.map((isin) =>
      asText(value<string>('SELECT fund_inception_date FROM fund WHERE isin = ?', isin)).replace(
        'Sept',
        'Sep',
      ),
    )
    const shownLaunches = await figuresOf(page, 'launched')
    expect(shownLaunches.map((text) => text.replaceAll('\u00a0', ' '))).toEqual(launches)
    const assets = four.map((isin) => {
      const ofFund = 'FROM profile JOIN fund USING (isin) WHERE isin = ?'
      const millions = value<number>(`SELECT total_fund_assets / 1e6 ${ofFund}`, isin)
      const one = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
      return `${value<string>(`SELECT coalesce(total_fund_assets_currency, currency) ${ofFund}`, isin)} ${millions.toLocaleString('en-US', one)}`
    })
    expect((await figuresOf(page, 'size')).map((text) => text.replaceAll('\u00a0', ' '))).toEqual(assets)
    const currencies = stored('currency', 'fund')
    for (const id of ['from', 'to'])
      expect((await figuresOf(page, id)).map((text) => text.slice(0, 3))).toEqual(currencies)
    const days = db
      .prepare<[], string>(
        `SELECT date FROM price WHERE isin IN (${four.map((each) => `'${each}'`).join()}) AND date >= '${first}'
          GROUP BY date HAVING count(*) = 4 ORDER BY date`,
      )
      .pluck()
      .all()
    const yearsShown = (Date.parse(last) - Date.parse(first)) / 864e5 / 365.25
    const volatilities = four.map((isin) => {
      const navs = days.map((day) => worthOn(isin, day))
      const changes = navs.slice(1).map((nav, index) => Math.log(nav) - Math.log(navs[index] ?? 1))
      const mean = changes.reduce((sum, change) => sum + change) / changes.length
      const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1)
      return Number((100 * Math.sqrt((variance * changes.length) / yearsShown)).toFixed(2))
    })
    expect(await numbersIn('volatility')).toEqual(volatilities)
    // Each pair of days, and no running maximum.
    const drawdowns = four.map((isin) => {
      const navs = days.map((day) => worthOn(isin, day))
      const losses = navs.flatMap((high, at) => navs.slice(at).map((low) => (low / high - 1) * 100))
      return Number(losses.reduce((least, loss) => Math.min(least, loss), 0).toFixed(2))
    })
    expect(Math.max(...drawdowns)).toBeLessThan(0)
    expect(await numbersIn('drawdown')).toEqual(drawdowns)
    // The demo has three years of prices, not five.
    for (const [years, start] of [
      [1, '2025-11-20'],
      [3, '2023-11-20'],
    ] as const) {
      const ofYears = four.map((isin) => {
        const before = value<string | null>(
          'SELECT max(date) FROM price WHERE isin = ? AND date <= ?',
          ...[isin, start],
        )
        return before === null ? null : worthOn(isin, last) / worthOn(isin, before)
      })
      const percents = ofYears.map((growth) => growth && Number(((growth - 1) * 100).toFixed(2)))
      expect({ years, percents: await numbersIn(`${years}y`) }).toEqual({ years, percents })
      if (years === 1) continue
      expect(await numbersIn(`${years}y_per_year`)).toEqual(
        ofYears.map((growth) => growth && Number((Math.expm1(Math.log(growth) / years) * 100).toFixed(2))),
      )
    }
    const plain = (texts: readonly string[]) => texts.map((text) => text.replaceAll('\u00a0', ' '))
    const begins = four.map(
      (isin) => `prices from ${asText(value<string>('SELECT min(date) FROM price WHERE isin = ?', isin))}`,
    )
    expect(plain(await figuresOf(page, '5y'))).toEqual(begins)
    expect(plain(await figuresOf(page, '5y_per_year'))).toEqual(begins)
    // One year: both are the same.
    expect(await numbersIn('performance_per_year')).toEqual(numbers)
    const ofYears = await numbersIn('3y')
    // What is less than a year says nothing of one.
    await page.getByRole('button', { name: '3M' }).click()
    const noYear = Array.from({ length: 4 }, () => 'less than a year')
    await expect.poll(() => figuresOf(page, 'performance_per_year')).toEqual(noYear)
    expect(await numbersIn('3y')).toEqual(ofYears)
    await page.goBack()
    await expect.poll(() => numbersIn('performance')).toEqual(numbers)

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
    expect(await text()).toMatch(/^20\u00a0Nov\u00a02025, /)
    expect((await text())?.match(/: 100\.00/g)).toHaveLength(4)
    await page.keyboard.press('End')
    for (const percent of performances) expect(await text()).toContain(`: ${(100 + percent).toFixed(2)}`)
    // From the end to the beginning: what is measured runs forwards.
    await page.keyboard.press('Shift+Home')
    expect((await text())?.replaceAll('\u00a0', ' ')).toMatch(/^20 Nov 2025 – 20 Nov 2026 \(1 year\), /)
    const measured = [...((await text()) ?? '').matchAll(/: ([+\u2212][\d.]+)%/g)].map(([, percent = '']) =>
      numberIn(percent),
    )
    expect(measured).toEqual(numbers)
    await page.keyboard.press('End')

    /** Dashes and colour of each line. */
    const styles = (selector: string) =>
      page.evaluate<readonly string[][]>(`[...document.querySelectorAll('${selector}')].map((line) => {
        const { strokeDasharray, stroke } = getComputedStyle(line)
        return [strokeDasharray, stroke]
      })`)
    const drawn = await styles('.drawn path')
    expect(await styles('.drawn .end .line')).toEqual(drawn)
    for (const part of [0, 1]) expect(new Set(drawn.map((style) => style[part])).size).toBe(4)
    expect(await styles('.compared thead .key .line')).toEqual(drawn)
    expect(await styles('.tip .key .line')).toEqual(drawn)
    expect((await messagesOn(page)).join()).toContain('different currencies (EUR, USD)')
    expect(complaints).toEqual([])
    await end()
  })

  it('adds a fund by search, removes one, keeps both and the range in the address, on the way back and in the other language', async () => {
    const { site, isins, nameOf, asked, withPage } = compared
    await withPage(`index.html?isins=${asked(1)}`, desktopLight, async (page) => {
      await ready(page)
      const rows = () => page.locator('.compared thead a').allTextContents()
      const [one = '', two = ''] = isins
      expect(await messagesOn(page)).toEqual(['Add a second fund to compare.'])
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
        page.locator('.compared thead th', { hasText: two }).locator('.key line').getAttribute('class')
      const styled = await key()
      expect(new URL(page.url()).search).toBe(`?isins=${one},${two}`)
      await page.getByRole('button', { name: '3M' }).click()
      expect(new URL(page.url()).search).toBe(`?isins=${one},${two}&range=3m`)
      await page.getByRole('button', { name: `Remove ${nameOf(one)}` }).press('Enter')
      await expect.poll(rows).toEqual([nameOf(two)])
      // The line keeps its colour, and the keyboard its place.
      expect({ key: await key(), line: await page.locator('.drawn path').getAttribute('class') }).toEqual({
        key: styled,
        line: styled,
      })
      expect(await page.locator('.chips').innerText()).not.toContain(nameOf(one))
      const focused = page.locator(':focus')
      await expect.poll(() => focused.getAttribute('aria-label')).toBe(`Remove ${nameOf(two)}`)
      await page.goBack()
      await expect.poll(rows).toEqual([nameOf(one), nameOf(two)])
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      await ready(page)
      expect(page.url()).toBe(`${site.base}/compare/de.html?isins=${one},${two}&range=3m`)
      expect(await rows()).toEqual([nameOf(one), nameOf(two)])
      expect(await page.locator('.ranges [aria-pressed="true"]').textContent()).toBe('3M')
      await follow(page.locator('.compared a').first())
      expect(page.url()).toBe(`${site.base}/funds/${one}/de.html`)
      await follow(page.getByRole('link', { name: 'Vergleichen' }))
      expect(page.url()).toBe(`${site.base}/compare/de.html?isins=${one}`)
    })
  })

  it('says what is wrong with an address: no fund, an unknown one, one too young, more than five', async () => {
    const { isins, young, nameOf, asked, withPage } = compared
    await withPage('index.html', desktopLight, async (page) => {
      expect((await messagesOn(page)).join()).toContain('No fund has been chosen yet')
      expect(await page.locator('figure').isVisible()).toBe(false)
    })
    await withPage(`index.html?isins=${young}`, desktopLight, async (page) => {
      await page.locator('#messages .fault').waitFor()
      expect(await messagesOn(page)).toEqual([expect.stringContaining(`${nameOf(young)} cannot be compared`)])
    })
    await withPage(
      `index.html?isins=${asked(2)},XX0000000000,${young}`.toLowerCase(),
      desktopLight,
      async (page) => {
        await ready(page)
        expect(await messagesOn(page)).toEqual([
          expect.stringContaining('no fund with the ISIN XX0000000000'),
          expect.stringContaining(
            `${nameOf(young)} cannot be compared: it was launched less than one year ago`,
          ),
        ])
        expect(await page.locator('.compared thead th').count()).toBe(2)
        expect(await page.locator('.drawn path').count()).toBe(2)
      },
    )
    await withPage(`index.html?isins=${asked(6)}`, phoneLight, async (page) => {
      await ready(page)
      expect(isins).toHaveLength(6)
      expect((await messagesOn(page))[0]).toContain('At most five funds')
      expect(await page.locator('.drawn path').count()).toBe(5)
    })
  })

  it('adds funds by keyboard alone: arrows, Enter, Escape', async () => {
    const { isins, young, nameOf, withPage } = compared
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
      expect({ found: await found(), expanded: await field.getAttribute('aria-expanded') }).toEqual({
        found: [],
        expanded: 'false',
      })
      const [one = ''] = isins
      await field.fill(one)
      expect(await accessibilityFaults(page)).toEqual([])
      await field.press('Enter')
      await expect.poll(() => page.locator('.compared thead a').allTextContents()).toEqual([nameOf(one)])
      expect({ typed: await field.inputValue(), found: await found() }).toEqual({ typed: '', found: [] })
      await field.fill(young)
      await field.press('Enter')
      expect((await found()).join()).toContain('cannot be compared')
      expect(await page.locator('.compared thead th').count()).toBe(1)
    })
  })
})

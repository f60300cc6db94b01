/** What a comparison says while it loads, and when it cannot compare. */
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, desktopLight, follow, visit, whyNoBrowser } from '../../support/browser.ts'
import { type Comparison, messagesOn, openComparison, ready } from './comparison.ts'

let compared: Comparison

describe.skipIf(whyNoBrowser !== undefined)('a comparison that waits or fails', () => {
  beforeAll(async () => {
    compared = await openComparison()
    return compared.close
  })

  it('says that it loads, and shows no placeholder before it knows the days', async () => {
    const { site, asked, withPage } = compared
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
      expect({ shown, text: await text() }).toEqual({
        shown: '"Loading prices …"',
        text: expect.not.stringContaining('{'),
      })
      held.resolve(undefined)
      await ready(page)
      expect(await text()).toMatch(/Net asset value on \d+\s\w+\s20\d\d/)
      expect(await text()).not.toContain('{')
    })
  })

  it('shows no figure of the period before while those of another one load', async () => {
    const { site, asked, withPage } = compared
    await withPage('index.html', desktopLight, async (page) => {
      // Of funds with a longer history than the first answer has, another period needs another one.
      await page.route('**/prices-historic/**', async (route) => {
        const response = await route.fetch()
        const answer = (await response.json()) as { readonly prices: readonly { readonly date: string }[] }
        const [first] = answer.prices
        await route.fulfill({
          response,
          json: { ...answer, prices: [{ ...first, date: '2021-01-04' }, ...answer.prices] },
        })
      })
      await page.goto(`${site.base}/compare/index.html?isins=${asked(2)}&range=1y`)
      await ready(page)
      const figures = page.locator('.compared td.number')
      const before = await figures.allInnerTexts()
      expect(before.join()).toMatch(/%/)
      const held = Promise.withResolvers<undefined>()
      await page.route('**/prices-historic/**', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.getByRole('button', { name: 'Max' }).click()
      expect(await page.getByRole('button', { name: 'Max' }).getAttribute('aria-pressed')).toBe('true')
      const shown = async () => (await figures.allInnerTexts()).join('').trim()
      await expect.poll(shown).toBe('')
      expect(await page.locator('#period').isVisible()).toBe(false)
      held.resolve(undefined)
      await expect.poll(shown).not.toBe('')
      expect(await figures.allInnerTexts()).not.toEqual(before)
      expect(await page.locator('#period').isVisible()).toBe(true)
    })
  })

  it('names the reason why a fund cannot be compared', async () => {
    const { site, young, asked, nameOf, withPage } = compared
    await withPage('index.html', desktopLight, async (page) => {
      const reasons = {
        young: 'it was launched less than one year ago.',
        no_prices: 'it has no prices.',
        not_permitted: 'its prices or its performance may not be shown.',
      }
      const listed = await page.request.get(`${site.base}/funds/index.json`)
      const { funds } = (await listed.json()) as {
        readonly funds: readonly { readonly isin: string; readonly not_comparable: string | null }[]
      }
      expect(funds.find(({ isin }) => isin === young)?.not_comparable).toBe('young')
      for (const [reason, text] of Object.entries(reasons)) {
        await page.route('**/funds/index.json', (route) =>
          route.fulfill({
            json: {
              funds: funds.map((fund) => (fund.isin === young ? { ...fund, not_comparable: reason } : fund)),
            },
          }),
        )
        await page.goto(`${site.base}/compare/index.html?isins=${asked(2)},${young}`)
        await ready(page)
        expect(await messagesOn(page)).toEqual([`${nameOf(young)} cannot be compared: ${text}`])
        await page.unrouteAll()
      }
    })
  })

  it('names the fund that begins late or ends early, and says nothing of both days with one fund', async () => {
    const { site, isins, nameOf, withPage } = compared
    await withPage('index.html', desktopLight, async (page) => {
      const [one = '', two = ''] = isins
      await page.route(`**/prices-historic/${two}/**`, async (route) => {
        const response = await route.fetch()
        const answer = (await response.json()) as { readonly prices: readonly { readonly date: string }[] }
        const prices = answer.prices.filter(({ date }) => date >= '2025-03-03' && date <= '2026-09-30')
        await route.fulfill({ response, json: { ...answer, prices } })
      })
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two}&range=max`)
      await ready(page)
      expect((await messagesOn(page)).map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
        `The prices of ${nameOf(two)} begin on 3 Mar 2025: no comparison with this fund can begin earlier.`,
        `The newest price of ${nameOf(two)} is of 30 Sep 2026: the comparison ends there.`,
      ])
      expect(await page.locator('#period').innerText()).toContain(
        'All of the funds have a price on both days.',
      )
      await page.goto(`${site.base}/compare/index.html?isins=${one}&range=max`)
      await ready(page)
      expect(await page.locator('#period').innerText()).toMatch(/^From \d+\s\w+\s\d{4} to 20\sNov\s2026\.$/)
    })
  })

  it('offers no period that shows the same days as another one, and names the fund that limits them', async () => {
    const { site, isins, nameOf, withPage } = compared
    const [one = '', two = ''] = isins
    interface Price {
      readonly date: string
    }
    await withPage('index.html', desktopLight, async (page) => {
      // The first fund has ten years of prices, the second one two.
      await page.route('**/prices-historic/**', async (route) => {
        const url = route.request().url()
        const [, from = '', to = ''] = /\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)\//.exec(url) ?? []
        const response = await route.fetch({ url: url.replace(from, '2023-01-01') })
        const answer = (await response.json()) as { readonly prices: readonly Price[] }
        const newest = answer.prices.filter(({ date }) => date >= '2024-11-20')
        const before = (years: number) =>
          newest.map(({ date, ...price }) => ({
            ...price,
            date: `${Number(date.slice(0, 4)) - years}${date.slice(4)}`,
          }))
        const all = url.includes(one)
          ? [8, 6, 4, 2, 0].flatMap((years) => before(years).slice(years === 8 ? 0 : 1))
          : newest
        const prices = all.filter(({ date }) => date >= from && date <= to && date <= '2026-11-20')
        await route.fulfill({ response, json: { ...answer, prices } })
      })
      const offered = () => page.locator('.ranges button:enabled').allTextContents()
      const pressed = () => page.locator('.ranges [aria-pressed=true]').allTextContents()
      const period = async () => (await page.locator('#period').innerText()).replaceAll('\u00a0', ' ')
      const drawn = () => page.locator('.drawn .plot').innerHTML()
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two}`)
      await ready(page)
      const limited = `The prices of ${nameOf(two)} begin on 20 Nov 2024: no comparison with this fund can begin earlier.`
      const expectLimited = async () => {
        expect(await offered()).toEqual(['1M', '3M', 'YTD', '1Y', 'Max'])
        expect((await messagesOn(page)).map((text) => text.replaceAll('\u00a0', ' '))).toEqual([limited])
      }
      await expectLimited()
      expect({ pressed: await pressed(), period: await period() }).toEqual({
        pressed: ['Max'],
        period: expect.stringMatching(/^From 20 Nov 2024 to 20 Nov 2026\./),
      })
      const whole = await drawn()
      // A shorter period is as long as it says, and the table below tells of years that nobody has.
      await page.getByRole('button', { name: '1Y', exact: true }).click()
      await expect.poll(period).toMatch(/^From 20 Nov 2025 /)
      await expectLimited()
      await page.getByRole('button', { name: 'Max' }).click()
      await expect.poll(drawn).toBe(whole)
      await expectLimited()
      // An address that names such a period shows what there is.
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two}&range=3y`)
      await ready(page)
      expect({ pressed: await pressed(), drawn: await drawn() }).toEqual({ pressed: ['Max'], drawn: whole })
      // Without the fund, the others have all periods again.
      await page.getByRole('button', { name: `Remove ${nameOf(two)}` }).click()
      await expect.poll(offered).toEqual(['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'])
      await expect.poll(period).toMatch(/^From 20 Nov 2023 /)
      expect(await pressed()).toEqual(['3Y'])
    })
  })

  it('marks a fund that is late or has ended, says where it ends the comparison, and names the successor of one that is gone', async () => {
    const { site, isins, nameOf, withPage } = compared
    const [one = '', two = '', three = ''] = isins
    const gone = 'XX0000000000'
    await withPage('index.html', desktopLight, async (page) => {
      await page.route('**/funds/index.json', async (route) => {
        const response = await route.fetch()
        const { funds } = (await response.json()) as {
          readonly funds: readonly { readonly isin: string; readonly price: object | null }[]
        }
        const marked = funds.map((fund) => {
          if (fund.isin === two) return { ...fund, state: 'ended' }
          if (fund.isin === one) return { ...fund, end_date: '2026-12-31', end_reason: 'liquidated' }
          return fund.isin === three ? { ...fund, price: { ...fund.price, overdue: 'late' } } : fund
        })
        await route.fulfill({ response, json: { funds: marked } })
      })
      await page.route(`**/prices-historic/${two}/**`, async (route) => {
        const response = await route.fetch()
        const answer = (await response.json()) as { readonly prices: readonly { readonly date: string }[] }
        const prices = answer.prices.filter(({ date }) => date <= '2026-11-17')
        await route.fulfill({ response, json: { ...answer, prices } })
      })
      await page.route('**/compare/index.html*', async (route) => {
        const response = await route.fetch()
        const merger = JSON.stringify([{ isin: gone, exDate: '2026-10-01', successorIsin: one }])
        const body = (await response.text()).replace(/data-mergers="[^"]*"/, `data-mergers='${merger}'`)
        await route.fulfill({ response, body })
      })
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two},${three},${gone}&range=1y`)
      await ready(page)
      expect((await messagesOn(page)).map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
        `${gone} was merged into ${nameOf(one)} on 1 Oct 2026.`,
        `The newest price of ${nameOf(two)} is of 17 Nov 2026: the comparison ends there.`,
      ])
      for (const place of ['.chips li', '.compared thead th']) {
        const marks = await page.locator(place).evaluateAll(marksIn)
        expect(marks).toEqual(['liquidation on 31\u00a0Dec\u00a02026', 'ended', 'late'])
      }
      // At 320 px, only the name takes further lines.
      await page.setViewportSize({ width: 320, height: 800 })
      for (const chip of await page.locator('.chips li').all()) {
        const name = await chip.locator('span').boundingBox()
        expect((await chip.boundingBox())?.height).toBeLessThan(120)
        expect(name?.width).toBeGreaterThan(150)
      }
      await page.setViewportSize({ width: 1440, height: 900 })
      const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? NaN
      expect(await top('#messages')).toBeLessThan(await top('figure'))
      expect(await top('#notices')).toBeGreaterThan(await top('figure'))
    })
  })

  it('leads from a fund that is gone to its successor, and puts that in its place when asked', async () => {
    const { site, isins, nameOf, young, withPage } = compared
    const [one = '', two = '', three = ''] = isins
    const gone = 'XX0000000000'
    await withPage('index.html', desktopLight, async (page) => {
      let successorIsin = three
      await page.route('**/compare/index.html*', async (route) => {
        const response = await route.fetch()
        const merger = JSON.stringify([{ isin: gone, exDate: '2026-10-01', successorIsin }])
        const body = (await response.text()).replace(/data-mergers="[^"]*"/, `data-mergers='${merger}'`)
        await route.fulfill({ response, body })
      })
      const open = async () => {
        await page.goto(`${site.base}/compare/index.html?isins=${one},${gone},${two}`)
        await ready(page)
      }
      await open()
      const link = page.locator('#messages').getByRole('link', { name: nameOf(three), exact: true })
      expect(await link.getAttribute('href')).toBe(`../funds/${three}/index.html`)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.getByRole('button', { name: 'Compare this fund instead' }).click()
      await page.waitForURL(`**/compare/index.html?isins=${one},${three},${two}`)
      await ready(page)
      expect(await page.locator('.compared thead a').allTextContents()).toEqual([one, three, two].map(nameOf))
      expect(await messagesOn(page)).toEqual([])
      // A fund that cannot be compared is only linked.
      successorIsin = young
      await open()
      expect(await page.locator('#messages a').innerText()).toBe(nameOf(young))
      expect(await page.locator('#messages button').count()).toBe(0)
    })
  })

  it('puts the successor in the place of a fund that is listed still, and has merged, when asked', async () => {
    const { site, isins, nameOf, withPage } = compared
    const [one = '', two = '', three = ''] = isins
    await withPage('index.html', desktopLight, async (page) => {
      await page.route('**/funds/index.json', async (route) => {
        const response = await route.fetch()
        const { funds } = (await response.json()) as { readonly funds: readonly { readonly isin: string }[] }
        const merged = funds.map((fund) =>
          fund.isin === two
            ? { ...fund, state: 'ended', end_date: '2026-10-01', end_reason: 'merged', successor: three }
            : fund,
        )
        await route.fulfill({ response, json: { funds: merged } })
      })
      const told = `${nameOf(two)} was merged into ${nameOf(three)} on 1\u00a0Oct\u00a02026.`
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two},${three}`)
      await ready(page)
      // Its successor is compared already.
      expect(await messagesOn(page)).toEqual([told])
      expect(await page.locator('#notices button').count()).toBe(0)
      await page.goto(`${site.base}/compare/index.html?isins=${one},${two}`)
      await ready(page)
      expect((await messagesOn(page))[0]).toContain(told)
      await page.getByRole('button', { name: 'Compare this fund instead' }).click()
      await page.waitForURL(`**/compare/index.html?isins=${one},${three}`)
      await expect
        .poll(() => page.locator('.compared thead a').allTextContents())
        .toEqual([one, three].map(nameOf))
      expect(await messagesOn(page)).toEqual([])
    })
  })

  it('says of a distributing fund that its distributions are not known, and needs the list of them', async () => {
    const { site, isins, nameOf, asked, withPage } = compared
    await withPage('index.html', desktopLight, async (page) => {
      const paying = isins[2] ?? ''
      const answer = { status: 200, body: '{"distributions":[],"splits":[]}' }
      await page.route('**/distributions.json', (route) =>
        route.request().url().includes(paying) ? route.fulfill(answer) : route.continue(),
      )
      await page.goto(`${site.base}/compare/index.html?isins=${asked(3)}`)
      await ready(page)
      expect(await messagesOn(page)).toEqual([
        expect.stringContaining(`No distributions of ${nameOf(paying)} are known`),
      ])
      answer.status = 503
      await page.reload()
      await ready(page)
      expect((await messagesOn(page)).join()).toContain(`The prices of ${nameOf(paying)} could not be loaded`)
    })
  })

  it('compares the others if the prices of a fund cannot be loaded, and tries again when asked', async () => {
    const { site, isins, nameOf, withPage } = compared
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
      expect(await messagesOn(page)).toEqual([])
    })
    await withPage('index.html', desktopLight, async (page) => {
      await page.route('**/funds/index.json', (route) => route.fulfill({ status: 500, body: '' }))
      await page.reload()
      await expect
        .poll(() => messagesOn(page))
        .toEqual([expect.stringContaining('The list of funds could not be loaded.')])
    })
  })

  it('shows what it knows without prices, says nothing of lines, and keeps the buttons of the periods', async () => {
    const { site, isins, nameOf, withPage } = compared
    const [one = '', , , dollars = ''] = isins
    await withPage('index.html', desktopLight, async (page) => {
      await page.route('**/prices-historic/**', (route) => route.fulfill({ status: 503, body: '{}' }))
      await page.goto(`${site.base}/compare/index.html?isins=${one},${dollars}`)
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      expect(await messagesOn(page)).toEqual([
        expect.stringContaining(`The prices of ${nameOf(one)} and ${nameOf(dollars)} could not be loaded.`),
      ])
      const rows = page.locator('.compared tbody tr:visible')
      expect(await rows.evaluateAll(idsOf)).toEqual([
        '',
        'costs',
        'risk',
        'income',
        'size',
        'currency',
        'launched',
      ])
      expect(await page.locator('#notes').innerText()).not.toMatch(/volatility|reinvest/i)
      expect(await page.locator('figure svg:visible, #period:visible').count()).toBe(0)
      await page.unroute('**/prices-historic/**')
      await page.getByRole('button', { name: '1Y' }).click()
      await expect.poll(() => page.locator('.drawn path').count()).toBe(2)
      expect(await rows.count()).toBeGreaterThan(15)
      expect(await page.locator('#notes').innerText()).toMatch(/reinvest/i)
      expect((await messagesOn(page)).join()).toContain('Each line shows')
    })
  })

  it('names the fund without which the others have days in common, and offers no other try', async () => {
    const { site, isins, nameOf, withPage } = compared
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
        await page.locator('.compared thead th').nth(2).waitFor()
        await page.locator('.fault').nth(1).waitFor()
        expect(await page.locator('#messages button').count()).toBe(0)
        expect(await page.locator('figure svg:visible').count()).toBe(0)
        // A longer period may have prices.
        expect(await page.getByRole('button', { name: 'Max' }).isVisible()).toBe(true)
        return messagesOn(page)
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
    const { site, browser, asked, withPage } = compared
    await withPage('de.html', { ...desktopLight, scripts: false }, async (page) => {
      expect(await page.locator('#compare').isVisible()).toBe(false)
      await follow(page.locator('noscript a'))
      expect(page.url()).toBe(`${site.base}/funds/de.html`)
    })
    const file = `${pathToFileURL(site.out).href}/compare/index.html?isins=${asked(2)}`
    const { page, complaints, end } = await visit(browser, file)
    expect(await messagesOn(page)).toEqual([expect.stringContaining('needs a server')])
    expect(complaints).toEqual([])
    await end()
  })
})

interface Place {
  readonly querySelector: (selector: string) => { readonly textContent: string | null } | null
}
/** For `evaluateAll`: they run in the browser. */
const idsOf = (rows: readonly { readonly dataset: Readonly<Record<string, string | undefined>> }[]) =>
  rows.map(({ dataset }) => dataset['id'] ?? '')
const marksIn = (places: readonly Place[]) =>
  places.map((place) => place.querySelector('.mark')?.textContent ?? '')

function saturdayAfter(day: string): string {
  const time = new Date(`${day}T00:00:00Z`)
  time.setUTCDate(time.getUTCDate() + 6 - time.getUTCDay())
  return time.toISOString().slice(0, 10)
}

/** The list of funds in a real browser: search, filters, sorting, selection; against plain SQL. */
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import {
  desktopLight,
  follow,
  hrefs,
  openBrowser,
  overhang,
  phoneLight,
  visit,
  whyNoBrowser,
  type Look,
} from '../../support/browser.ts'
import { editDatabase, isinOf } from '../../support/database.ts'
import { buildSite, type Site } from '../../support/site.ts'
import { fillDemo } from '../../support/snapshots.ts'

const asOf = '2026-11-20'
/** For what a page shows after an answer. */
let site: Site
let browser: Browser
let db: Database.Database
let isin = ''
const commonCategory =
  'SELECT category_de FROM profile JOIN fund USING (isin) WHERE data_permitted GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1'
const wide = isinOf(2)
const hostileName = '</script><b>"&'

describe.skipIf(whyNoBrowser !== undefined)('the list in a browser', () => {
  beforeAll(async () => {
    site = await buildSite('list', asOf, async (file) => {
      await fillDemo(12, 2, asOf)(file)
      editDatabase(
        file,
        `INSERT INTO fund (isin, name, fund_inception_date, url, currency)
          VALUES ('${isinOf(1)}', '${hostileName}', '2020-01-02', 'https://funds.example', 'EUR');
        INSERT INTO fund (isin, name, fund_inception_date, url, currency)
          VALUES ('${wide}', 'Fonds mit hohem Preis', '2020-01-02', '', 'KRW');
        INSERT INTO price (isin, date, issue_price, repurchase_price, net_asset_value, change, change_percent, performance)
          SELECT '${wide}', date, '153190000.00', '153190000.00', '153190000.00', '0.00', 0, '0.00'
          FROM price WHERE isin = (SELECT min(isin) FROM price);
        UPDATE profile SET category_en = NULL WHERE category_de = (${commonCategory})`,
      )
    })
    browser = await openBrowser()
    db = new Database(site.db, { readonly: true })
    isin = value<string>(
      'SELECT isin FROM fund WHERE data_permitted AND isin IN (SELECT isin FROM price) ORDER BY 1',
    )
    return async () => {
      await browser.close()
      site.server.close()
      db.close()
    }
  })

  const withPage = async <T>(path: string, look: Look, run: (page: Page) => Promise<T>): Promise<T> => {
    const { page, end } = await visit(browser, `${site.base}/${path}`, look)
    try {
      return await run(page)
    } finally {
      await end()
    }
  }
  const value = <T>(sql: string) => db.prepare(sql).pluck().get() as T

  const names = (page: Page) => page.locator('#funds tbody a').allTextContents()

  it('leads on to the fund at an address with its whole WKN or ISIN, and at that of its WKN', async () => {
    const wkn = value<string>(`SELECT wkn FROM fund WHERE isin = '${isin}'`)
    for (const [path, fund] of [
      [`wkn/${wkn}/`, `${isin}/index.html`],
      [`funds/?q=${wkn.toLowerCase()}`, `${isin}/index.html`],
      [`funds/de.html?q=%20${isin}`, `${isin}/de.html`],
    ] as const)
      await withPage('docs/', desktopLight, async (page) => {
        await page.goto(`${site.base}/${path}`)
        await page.waitForURL(`${site.base}/funds/${fund}`)
        // The list is no stop on the way back.
        await page.goBack()
        await page.waitForURL(`${site.base}/docs/`)
      })
  })

  it('stays with a reader who searches for an ISIN, comes back from the fund, reloads or changes the language', async () => {
    await withPage('funds/', desktopLight, async (page) => {
      const staysWith = async (address: string) => {
        await expect.poll(() => names(page)).toHaveLength(1)
        await page.waitForTimeout(100)
        expect(page.url()).toBe(`${site.base}/${address}`)
      }
      await page.locator('#search').fill(isin)
      await page.waitForURL(`**/funds/?q=${isin}`)
      await page.reload()
      await staysWith(`funds/?q=${isin}`)
      await follow(page.locator('#funds tbody a'))
      expect(page.url()).toBe(`${site.base}/funds/${isin}/index.html`)
      await page.goBack()
      await staysWith(`funds/?q=${isin}`)
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      await staysWith(`funds/de.html?q=${isin}`)
    })
  })

  it('leads from a whole WKN to the fund when Enter is pressed, and back to the search', async () => {
    const wkn = value<string>(`SELECT wkn FROM fund WHERE isin = '${isin}'`)
    await withPage('funds/', desktopLight, async (page) => {
      await page.locator('#search').fill(wkn.slice(0, 2))
      await page.locator('#search').press('Enter')
      await page.locator('#search').fill(wkn.toLowerCase())
      await follow(page.locator('#search'), 'Enter')
      expect(page.url()).toBe(`${site.base}/funds/${isin}/index.html`)
      await page.goBack()
      expect(page.url()).toBe(`${site.base}/funds/?q=${wkn.toLowerCase()}`)
    })
  })

  it('keeps ISIN and day in their places beside a mark and a name of two lines', async () => {
    await withPage('funds/', desktopLight, async (page) => {
      const row = page.locator(`#funds tbody tr:has(a[href^="${isin}"])`)
      const gaps = async () => {
        const boxOf = async (cell: string) =>
          (await row.locator(cell).boundingBox()) ?? { y: NaN, height: NaN }
        const name = await boxOf('th')
        const price = await boxOf('.nav')
        const code = await boxOf('td:nth-child(2)')
        const day = await boxOf('.date')
        return { code: code.y - name.y - name.height, day: day.y - price.y - price.height }
      }
      for (const width of [1200, 768, 660]) {
        await page.setViewportSize({ width, height: 900 })
        const before = await gaps()
        const day = row.locator('.date')
        await day.evaluate(
          "(cell) => cell.insertAdjacentHTML('beforeend', ' <small class=mark>ended</small>')",
        )
        await row.locator('a').evaluate("(link) => (link.textContent = 'Fonds '.repeat(25))")
        const after = await gaps()
        expect(Math.abs(after.code - before.code)).toBeLessThan(2)
        expect(Math.abs(after.day - before.day)).toBeLessThan(2)
        await page.reload()
      }
    })
  })

  it('shows no fund at the address of a WKN that is none, and says so', async () => {
    await withPage('wkn/ZZZZZZ/', desktopLight, async (page) => {
      await expect.poll(() => page.locator('#funds tbody').innerText()).toContain('No fund matches.')
      expect(page.url()).toBe(`${site.base}/funds/?q=ZZZZZZ`)
      await page.locator('#currency').selectOption('EUR')
      expect(await page.locator('#funds tbody').innerText()).toContain(
        'Only funds that match the chosen filters',
      )
    })
  })

  it('shows ISIN, price, day, day change and one year at every width, and no text over another', async () => {
    await withPage('funds/', desktopLight, async (page) => {
      for (const width of [1440, 1100, 1000, 900, 768, 600, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const hidden =
          await page.evaluate<number>(`[...document.querySelectorAll('#funds tbody tr')].filter((row) =>
          ![2, 4, 5, 6, 7].every((cell) => row.cells[cell - 1].checkVisibility())).length`)
        expect({ width, hidden, over: await page.evaluate<string[]>(overlaps) }).toEqual({
          width,
          hidden: 0,
          over: [],
        })
        expect(await overhang(page)).toEqual([])
      }
    })
  })

  it('searches during typing, by name without accents and by ISIN, and leads to a fund with a hostile name', async () => {
    await withPage('funds/index.html', desktopLight, async (page) => {
      const all = await names(page)
      const accented = all.find((name) => /[äöü]/.test(name.split(' ').slice(1).join(' '))) ?? ''
      const plain = accented.replace(/ä/g, 'a').replace(/ö/g, 'o').replace(/ü/g, 'u').toUpperCase()
      await page.locator('#search').pressSequentially(plain)
      expect(await names(page)).toEqual([accented])
      expect(await page.locator('#found').textContent()).toBe('1 fund')
      await page.locator('#search').fill(isin.toLowerCase().slice(2, 10))
      expect(await page.locator('#funds tbody a').evaluateAll(hrefs)).toEqual([`${isin}/index.html`])
      const heads = () => page.locator('#funds thead th').evaluateAll(leftEdges)
      const places = await heads()
      await page.locator('#search').fill('no such fund')
      expect(await page.locator('#funds tbody').textContent()).toBe(
        'No fund matches. Check the spelling, or search by a part of the name, the ISIN or the WKN.',
      )
      expect(await heads()).toEqual(places)
      await page.getByText('Performance', { exact: true }).click()
      const empty = await heads()
      await page.locator('#search').fill('')
      expect(await heads()).toEqual(empty)
      // The day of nearly every price.
      await page.locator('#search').fill('nov 2026')
      expect(await page.locator('#found').textContent()).toBe('No fund matches.')
      await page.locator('#search').fill('')
      expect(await names(page)).toEqual(all)
      await follow(page.getByRole('link', { name: hostileName }))
      expect(await page.locator('h1').textContent()).toBe(hostileName)
    })
  })

  it('finds umlauts written as two letters, and two letters written as umlauts, whatever the case', async () => {
    await withPage('funds/de.html', desktopLight, async (page) => {
      const all = await names(page)
      const [accented] = all.filter((name) => /[äöü]/.test(name.split(' ').slice(1).join(' ')))
      const long = (accented ?? '').replace(/ä/g, 'ae').replace(/ö/g, 'oe').replace(/ü/g, 'ue').toUpperCase()
      expect(long).toMatch(/AE|OE|UE/)
      await page.locator('#search').fill(long)
      expect(await names(page)).toEqual([accented])
      // `Steuer` with an umlaut, for the two letters of a word that has none.
      await page.locator('#search').fill('unternehmen stüer')
      expect(await names(page)).toEqual([])
      await page.locator('#search').fill('STRASSE')
      const withStreet = await names(page)
      await page.locator('#search').fill('straße')
      expect(await names(page)).toEqual(withStreet)
    })
  })

  it('filters by category and currency, keeps its state in the address, in the other language and on the way back', async () => {
    // It has no English name: the English page shows the German one.
    const category = value<string>(commonCategory)
    const funds = (sql: string, ...values: readonly string[]) =>
      db
        .prepare(
          `SELECT fund.name FROM fund LEFT JOIN profile USING (isin) WHERE data_permitted AND ${sql} ORDER BY 1`,
        )
        .pluck()
        .all(...values)
    await withPage('funds/index.html', desktopLight, async (page) => {
      const query = () => decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '))
      await page.locator('#category').selectOption(category)
      expect((await names(page)).toSorted()).toEqual(funds('category_de = ?', category))
      await page.locator('#currency').selectOption('EUR')
      expect((await names(page)).toSorted()).toEqual(funds("category_de = ? AND currency = 'EUR'", category))
      await page.getByRole('button', { name: '1 year' }).click()
      const shown = await names(page)
      expect(query()).toBe(`?category=${category}&currency=EUR&sort=-year`)
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      expect(query()).toBe(`?category=${category}&currency=EUR&sort=-year`)
      await expect.poll(() => names(page)).toEqual(shown)
      expect(await page.locator('#category').inputValue()).toBe(category)
      await follow(page.locator('#funds tbody a').first())
      expect(page.url()).toMatch(/funds\/[A-Z0-9]{12}\/de\.html/)
      await page.goBack()
      await expect.poll(() => names(page)).toEqual(shown)
      await page.locator('#category').selectOption('')
      expect((await names(page)).toSorted()).toEqual(funds("currency = 'EUR'"))
      await page.goBack()
      await expect.poll(() => names(page)).toEqual(shown)
      expect(await page.locator('#category').inputValue()).toBe(category)
      await page.locator('#search').pressSequentially('no such fund')
      await expect.poll(query).toContain('q=no such fund')
      await page.getByRole('button', { name: 'Filter zurücksetzen' }).click()
      expect(query()).toBe('?sort=-year')
      expect(await names(page)).toHaveLength(funds('true').length)
      expect(await page.locator('#search:focus').inputValue()).toBe('')
      expect(await page.locator('#clear').isVisible()).toBe(false)
    })
  })

  it('filters by the use of income and by risk, which an address names alike in both languages', async () => {
    const isins = (sql: string) =>
      db
        .prepare(
          `SELECT fund.isin FROM fund LEFT JOIN profile USING (isin) LEFT JOIN emt USING (isin) WHERE data_permitted AND ${sql}`,
        )
        .pluck()
        .all() as string[]
    const risk = value<number>(
      'SELECT srri FROM emt JOIN profile USING (isin) WHERE NOT accumulating GROUP BY 1 ORDER BY count(*) DESC',
    )
    await withPage('funds/', desktopLight, async (page) => {
      const shown = async () =>
        (await page.locator('#funds tbody td:nth-child(2)').allTextContents()).toSorted()
      await page.getByLabel('Income').selectOption('distributing')
      expect(await shown()).toEqual(isins('NOT accumulating').toSorted())
      await page.getByLabel(/^Risk \(1/).selectOption(String(risk))
      const both = isins(`NOT accumulating AND srri = ${risk}`).toSorted()
      expect(both.length).toBeGreaterThan(0)
      expect(await shown()).toEqual(both)
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      expect(page.url()).toBe(`${site.base}/funds/de.html?income=distributing&risk=${risk}`)
      await expect.poll(shown).toEqual(both)
      expect(await page.locator('#income').inputValue()).toBe('distributing')
      await page.getByRole('button', { name: 'Filter zurücksetzen' }).click()
      expect(await shown()).toEqual(isins('true').toSorted())
    })
  })

  it.each(['index', 'de'])(
    'shows on %s.html what a filter has chosen, without a cut, in full rows',
    async (name) => {
      await withPage(`funds/${name}.html`, desktopLight, async (page) => {
        for (const width of [1440, 1100, 1000, 900, 768, 600, 390]) {
          await page.setViewportSize({ width, height: 900 })
          const cut = await page.evaluate<string[]>(
            `[...document.querySelectorAll('.search select')].filter((select) => {
            const whole = select.cloneNode(true)
            Object.assign(whole.style, { position: 'absolute', width: 'auto' })
            select.after(whole)
            const wanted = whole.offsetWidth
            whole.remove()
            return wanted > select.offsetWidth + 1
          }).map(({ id }) => id)`,
          )
          // Where the category has a row to itself, the others share one, but on a phone.
          const alone = await page.evaluate<string[]>(`(() => {
          const rows = Map.groupBy(document.querySelectorAll('.search select'), (each) => each.offsetTop)
          return [...rows.values()].flatMap((row) => (row.length === 1 ? row[0].id : []))
        })()`)
          const mayBe = width > 960 ? [] : width > 400 ? ['category'] : ['category', 'risk']
          const wrong = alone.filter((id) => !mayBe.includes(id))
          expect({ width, cut, wrong }).toEqual({ width, cut: [], wrong: [] })
        }
      })
    },
  )

  it('keeps its heading at the top, and shows each fund as a card on a phone, whose prices push nothing away', async () => {
    await withPage('funds/index.html', { ...phoneLight, height: 400 }, async (page) => {
      const boxOf = async (selector: string) =>
        (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0 }
      const [name, nav, year] = await Promise.all(
        ['th', '.nav', '.year'].map((cell) => boxOf(`#funds tbody tr:has([href^="${wide}"]) ${cell}`)),
      )
      expect(nav?.y).toBeGreaterThan(name?.y ?? 0)
      expect(year?.y).toBeGreaterThan(nav?.y ?? 0)
      expect((year?.x ?? 0) + (year?.width ?? 0)).toBeLessThanOrEqual(360)
      expect(await overhang(page)).toEqual([])
      const last = page.locator('#funds tbody tr').last()
      await last.scrollIntoViewIfNeeded()
      expect((await boxOf('#funds thead')).y).toBe(0)
    })
  })

  it('breaks a word that is longer than its column on a phone', async () => {
    await withPage('funds/de.html', phoneLight, async (page) => {
      const tooWide = `[...document.querySelectorAll('#funds tbody a')].filter((link) =>
        link.getBoundingClientRect().right > link.closest('th').getBoundingClientRect().right)`
      await page
        .locator('#funds tbody a')
        .first()
        .evaluate("(link) => (link.textContent = 'Fonds'.repeat(9))")
      expect(await page.evaluate<number>(`${tooWide}.length`)).toBe(0)
    })
  })

  it('selects up to five funds that may be compared, and leads to their comparison', async () => {
    await withPage('funds/index.html', desktopLight, async (page) => {
      const boxes = page.locator('#funds input')
      const comparable = value<number>(
        `SELECT count(*) FROM fund WHERE data_permitted AND prices_permitted AND performance_permitted
            AND date(fund_inception_date, '+1 year') <= '${asOf}' AND isin IN (SELECT isin FROM price)`,
      )
      expect(await boxes.count()).toBe(comparable)
      expect(await page.locator('#selected').isVisible()).toBe(false)
      for (const index of [0, 1, 2, 3, 4]) await boxes.nth(index).check()
      expect(await boxes.nth(5).isDisabled()).toBe(true)
      expect(await page.locator('#selected').textContent()).toContain('Five funds are selected')
      await boxes.nth(0).uncheck()
      expect(await boxes.nth(5).isDisabled()).toBe(false)
      const isins = new URL(page.url()).searchParams.get('isins') ?? ''
      expect(isins.split(',')).toHaveLength(4)
      await page.reload()
      expect(await page.locator('#funds input:checked').count()).toBe(4)
      await follow(page.getByRole('link', { name: 'Compare', exact: true }))
      expect(page.url()).toBe(`${site.base}/compare/index.html?isins=${isins}`)
      await page.locator('.compared thead th').nth(3).waitFor()
      expect(await page.locator('.compared thead th').count()).toBe(4)
    })
  })

  it('sorts by each column in both directions, and announces it', async () => {
    await withPage('funds/de.html', desktopLight, async (page) => {
      const heads = page.locator('#funds thead button')
      expect(await heads.count()).toBe(13)
      const views = page.locator('.above label')
      for (const column of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
        if (column === 7) await views.nth(1).click()
        if (column === 9) await views.nth(2).click()
        await heads.nth(column).click()
        const inColumn = page.locator(`#funds tbody tr > :nth-child(${column + 1})`)
        const cells = await inColumn.evaluateAll(cellTexts)
        const filled = cells.filter((text) => text !== '–')
        expect(cells.slice(filled.length).join('')).toMatch(/^–*$/)
        const isText = column < 3 || column === 10
        const keys = filled.map((text) => keyOf(text, !isText))
        const isUp = isText
        expect(keys).toEqual([...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (isUp ? 1 : -1)))
        const announced = () => page.locator('th').nth(column).getAttribute('aria-sort')
        expect(await announced()).toBe(isUp ? 'ascending' : 'descending')
        await heads.nth(column).click()
        expect(await page.locator('[aria-sort]').count()).toBe(1)
        expect(await announced()).toBe(isUp ? 'descending' : 'ascending')
      }
    })
  })

  /** The columns that are shown, without those of the fund. */
  const columnsOf = async (page: Page) => {
    const heads = await page.locator('#funds thead th:not(:first-child, .whole):visible').allInnerTexts()
    return heads.map((head) => head.replaceAll('\u00ad', '').replaceAll('\u00a0', ' '))
  }
  const columnsByView = {
    Prices: ['Net asset value', 'Date', 'Day change', '1 year'],
    Performance: ['1 year', '3 years', '5 years'],
    'Costs & risk': ['Fund assets in millions', 'Income', 'Costs (TER)', 'Risk (1–\u20607)'],
  }

  it('has words on one line on phones, the ISIN beside the WKN, and below it the notes of its view only', async () => {
    await withPage('funds/de.html', { ...phoneLight, width: 390 }, async (page) => {
      const linesOf = (selector: string) =>
        page.evaluate<number[]>(`[...document.querySelectorAll('${selector}')].map((each) =>
          Math.round(each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)))`)
      expect(await linesOf('#funds thead :is(.nav, .change) button')).toEqual([1, 1])
      const row = page.locator('#funds tbody tr').filter({ hasText: 'DE000' }).first()
      const boxOf = async (cell: string) => {
        const { x = NaN, y = NaN, width = NaN } = (await row.locator(cell).boundingBox()) ?? {}
        return { x, y, end: x + width }
      }
      for (const width of [600, 390]) {
        await page.setViewportSize({ width, height: 740 })
        const isinAt = await boxOf('.whole:nth-child(2)')
        const wknAt = await boxOf('.whole:nth-child(3)')
        expect(wknAt.y).toBe(isinAt.y)
        // In the order of a wide table, each below the end of a figure.
        expect(isinAt.end).toBeLessThan(wknAt.x)
        expect(isinAt.end).toBeCloseTo((await boxOf('.change')).end, 0)
        expect(wknAt.end).toBeCloseTo((await boxOf('.year')).end, 0)
      }
      const notes = async () => [
        await page.getByText('Depotkosten').isVisible(),
        await page.getByText('Gesamtkostenquote').isVisible(),
      ]
      expect(await notes()).toEqual([true, false])
      await page.getByText('Kosten & Risiko', { exact: true }).click()
      expect(await notes()).toEqual([false, true])
      await page.setViewportSize({ width: 320, height: 740 })
      const tops = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.tabs label')].map((each) => each.getBoundingClientRect().top)",
      )
      expect(new Set(tops).size).toBe(1)
      expect(await page.getByText('Fonds zum Vergleichen ankreuzen.').isVisible()).toBe(true)
    })
  })

  it('has three views, at every width, in the address, on the way back and in the other language; names stay where they are', async () => {
    await withPage('funds/', desktopLight, async (page) => {
      for (const width of [1440, 1000, 768, 390, 320]) {
        await page.setViewportSize({ width, height: 900 })
        const firsts: number[] = []
        for (const [view, columns] of Object.entries(columnsByView)) {
          await page.getByText(view, { exact: true }).first().click()
          // A phone has the day below its price and the use of income below the assets, without a heading.
          const shown = columns.filter((name) => width > 640 || !['Date', 'Income'].includes(name))
          expect({ width, view, columns: await columnsOf(page) }).toEqual({ width, view, columns: shown })
          expect({ width, view, over: await page.evaluate<string[]>(overlaps) }).toEqual({
            width,
            view,
            over: [],
          })
          expect(await overhang(page)).toEqual([])
          firsts.push(Math.round((await page.locator('#funds tbody th').first().boundingBox())?.width ?? NaN))
        }
        expect(new Set(firsts).size).toBe(1)
      }
      expect(new URL(page.url()).search).toBe('?view=facts')
      await page.getByRole('button', { name: 'Costs (TER)' }).click()
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      expect(page.url()).toBe(`${site.base}/funds/de.html?view=facts&sort=-costs`)
      // The longest word of a cell is on one line on the narrowest phone.
      const words = await page.locator('#funds td.income').evaluateAll(heights)
      expect(Math.max(...words)).toBeLessThan(30)
      expect(await columnsOf(page)).toHaveLength(3)
      await page.goBack()
      await page.goBack()
      await page.waitForURL('**/funds/?view=facts')
      await page.goBack()
      await page.waitForURL('**/funds/?view=performance')
      expect(await columnsOf(page)).toEqual(columnsByView.Performance)
    })
  })

  it.each(['prices', 'performance', 'facts'])('ends each heading where its cells end: %s', async (view) => {
    await withPage(`funds/de.html?view=${view}`, desktopLight, async (page) => {
      for (const width of [1000, 768]) {
        await page.setViewportSize({ width, height: 900 })
        const apart = await page.evaluate<string[]>(`(() => {
          const [row] = document.querySelector('#funds').tBodies[0].rows
          const heads = [...document.querySelectorAll('#funds thead th:not(:first-child, .whole)')]
          const endOf = (text) => {
            const range = document.createRange()
            range.selectNodeContents(text)
            return range.getBoundingClientRect().right
          }
          return heads
            .filter((head) => head.checkVisibility())
            .filter((head) => Math.abs(endOf(head.firstElementChild) - endOf(row.cells[head.cellIndex])) > 1)
            .map(({ textContent }) => textContent)
        })()`)
        expect({ width, apart }).toEqual({ width, apart: [] })
      }
    })
  })

  it('shows a hundred of many funds, then more and all, finds the others, and prints them', async () => {
    const many = 230
    await withPage('funds/', desktopLight, async (page) => {
      // Its own rows again and again, under other names.
      await page.route('**/funds/index.html*', async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replace(
          /<tbody>([^]*?)<\/tr>[^]*<\/tbody>/,
          (_, row: string) => {
            const rows = Array.from(
              { length: many },
              (__, index) => `${row.replace(/<bdi[^>]*>[^<]*/, `<bdi>Fonds ${index}`)}</tr>`,
            )
            return `<tbody>${rows.join('')}</tbody>`
          },
        )
        await route.fulfill({ response, body })
      })
      await page.goto(`${site.base}/funds/index.html`)
      const rows = () => page.locator('#funds tbody tr').count()
      expect(await page.locator('#found').textContent()).toBe('230 funds')
      expect({ rows: await rows(), text: await page.locator('#more').innerText() }).toEqual({
        rows: 100,
        text: expect.stringContaining('100 of 230 funds are shown.'),
      })
      await page.getByRole('button', { name: 'Show 100 more' }).click()
      expect(await rows()).toBe(200)
      // The one button that is left shows all.
      expect(await page.locator('#more button:visible').allInnerTexts()).toEqual(['Show 30 more'])
      await follow(page.locator('#funds tbody a').nth(150))
      await page.goBack()
      await expect.poll(rows).toBe(200)
      await page.locator('#search').fill('Fonds 229')
      expect({ names: await names(page), more: await page.locator('#more').isVisible() }).toEqual({
        names: ['Fonds 229'],
        more: false,
      })
      await page.locator('#search').fill('')
      await expect.poll(rows).toBe(100)
      await expect.poll(() => page.url()).not.toContain('rows=')
      await page.evaluate("dispatchEvent(new Event('beforeprint'))")
      expect(await rows()).toBe(many)
      await page.evaluate("dispatchEvent(new Event('afterprint'))")
      expect(await rows()).toBe(100)
      await page.getByRole('button', { name: 'Show all (230)' }).click()
      expect({ rows: await rows(), more: await page.locator('#more').isVisible() }).toEqual({
        rows: many,
        more: false,
      })
    })
  })

  it('is whole without scripts, in all views, and leads to the funds', async () => {
    await withPage('funds/index.html', { ...desktopLight, scripts: false }, async (page) => {
      const count = value<number>('SELECT count(*) FROM fund WHERE data_permitted = 1')
      expect(await page.locator('#funds tbody tr').count()).toBe(count)
      expect(await page.locator(':is(#search, #found, #more):visible').count()).toBe(0)
      for (const [view, columns] of Object.entries(columnsByView)) {
        await page.getByText(view, { exact: true }).first().click()
        expect(await columnsOf(page)).toEqual(columns)
      }
      await follow(page.locator(`a[href="${isin}/index.html"]`))
      expect(page.url()).toContain(`/funds/${isin}/`)
    })
  })
})

/** An expression: texts of cells that lie over the text of another cell. */
const overlaps = `(() => {
  const boxes = [...document.querySelectorAll('#funds :is(th, td)')].filter((cell) => cell.checkVisibility()).map((cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return { cell, row: cell.parentElement, box: range.getBoundingClientRect() }
  })
  const isOver = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3
  return boxes.flatMap(({ cell, row, box }, index) => boxes.slice(index + 1, index + 9)
    .filter((other) => other.row === row && isOver(box, other.box)).map((other) => cell.innerText + ' | ' + other.cell.innerText))
})()`

interface Place {
  readonly getBoundingClientRect: () => { readonly left: number }
}
/** For `evaluateAll`: it runs in the browser. */
const leftEdges = (places: readonly Place[]) => places.map((place) => place.getBoundingClientRect().left)

/** For `evaluateAll`: it runs in the browser. */
const heights = (cells: readonly { readonly getBoundingClientRect: () => { readonly height: number } }[]) =>
  cells.map((cell) => cell.getBoundingClientRect().height)

interface Cell {
  readonly textContent: string | null
}
/** For `evaluateAll`: it runs in the browser. */
const cellTexts = (cells: readonly Cell[]) => cells.map((cell) => cell.textContent ?? '')

/** What a German cell shows, as something that sorts. */
function keyOf(text: string, isNumber: boolean): string | number {
  const [, day, month, year] = /^(\d\d)\.(\d\d)\.(\d{4})\b/.exec(text) ?? []
  if (year !== undefined) return `${year}-${month}-${day}`
  if (!isNumber) return text
  const digits = text.replace('\u2212', '-').replace(/[^\d,-]/g, '')
  return Number(digits.replace(',', '.'))
}

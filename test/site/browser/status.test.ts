/** The status page, and that of changes: among the site's pages, and alone in a snapshot without them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import {
  desktopLight,
  expectSound,
  follow,
  hrefs,
  inTurn,
  openBrowser,
  overhang,
  phoneLight,
  unreachedByKeyboard,
  visit,
  whyNoBrowser,
  wideCells,
} from '../../support/browser.ts'
import { asOf, freshness, isins, makePricedFunds, names } from '../../support/priced-funds.ts'
import { forced, mustRun, type Server, startServer, startServing, tempFolder } from '../../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { sample } from '../../support/rounds.ts'
import { startS3 } from '../../support/s3/server.ts'

const pages = ['status/index.html', 'status/de.html', 'changes/index.html', 'changes/de.html']

describe.skipIf(whyNoBrowser !== undefined)('the status page and that of changes in a browser', () => {
  const folder = tempFolder()
  const servers = new Map<string, Server>()
  let browser: Browser
  beforeAll(async () => {
    makePricedFunds(folder.file('funds.sqlite'))
    writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness }))
    for (const [out, withPages] of [
      ['site', 'true'],
      ['alone', 'false'],
    ] as const) {
      const env = { FUNDPRESS_PAGES: withPages, FUNDPRESS_DOWNLOADS: withPages }
      const build = `build --db funds.sqlite --out ${out} --as-of ${asOf} --quiet`
      expect(await run(build, { cwd: folder.path, env })).toMatchObject({ code: 0, stderr: '' })
      servers.set(out, await startServer(folder.file(out)))
    }
    browser = await openBrowser()
    return async () => {
      await browser.close()
      for (const server of servers.values()) await server.stop()
    }
  })

  const url = (out: string, key: string) => `${servers.get(out)?.base ?? ''}/${key}`

  describe.each(['site', 'alone'])('of a snapshot: %s', (out) => {
    // Alone they are the same pages without what leads to others.
    const visits = out === 'site' ? sample(inTurn(pages)) : sample(inTurn(pages, 1), { turn: 1 })
    it.each(visits)('is sound, and fits the narrowest window, of 320 px: %s on %s', async (key, _, look) => {
      const visited = await visit(browser, url(out, key), look)
      const { page, end } = visited
      await expectSound(visited)
      await page.setViewportSize({ width: 320, height: 740 })
      expect(await overhang(page)).toEqual([])
      await end()
    })

    it('has no dead link, on a server or in a folder', async () => {
      for (const key of pages) {
        const links = readFileSync(folder.file(`${out}/${key}`), 'utf8').matchAll(/ (?:href|src)="([^"]+)"/g)
        for (const [, link = ''] of links) {
          // For search engines: the address that this will be published at.
          if (link.startsWith('http://localhost:8080/')) continue
          expect({ link, status: (await fetch(new URL(link, url(out, key)))).status }).toEqual({
            link,
            status: 200,
          })
        }
      }
      for (const key of sample(pages)) {
        const { complaints, end } = await visit(browser, pathToFileURL(folder.file(`${out}/${key}`)).href)
        expect(complaints).toEqual([])
        await end()
      }
    })

    it('has its style, shows the time it went live, and lets the keyboard reach every link', async () => {
      const { page, end } = await visit(browser, url(out, 'status/'))
      const styleOf = (selector: string, name: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
      expect(await styleOf('body', 'display')).toBe('flex')
      expect(await styleOf('thead', 'position')).toBe('sticky')
      expect(await page.locator('#live').innerText()).toMatch(
        /^Live since\n\d{1,2}\u00a0\w+\u00a0\d{4}\n\d\d:\d\d, (this minute|\d+ minutes? ago)$/,
      )
      if (out === 'site') expect(await unreachedByKeyboard(page, 'a[href]')).toEqual([])
      else {
        expect(await page.locator('header nav').count()).toBe(0)
        expect(await page.locator('a').evaluateAll(hrefs)).toEqual([
          '#main',
          'de.html',
          'index.html',
          '../changes/index.html',
          `../changes/index.html?day=${asOf}`,
          'index.json',
          '../changes/feed.xml',
        ])
      }
      await follow(page.getByRole('link', { name: 'Deutsch' }))
      expect(await page.locator('.verdict').textContent()).toBe('2 Preise sind verspätet oder veraltet')
      await page.locator('#live:not(.awaited)').waitFor()
      expect(await page.locator('#live').innerText()).toMatch(/(in dieser Minute|vor \d+ Minuten?)$/)
      await end()
    })
  })

  it.each([
    ['America/Los_Angeles', '2026-11-30T09:31:00Z', '30 Nov 2026', '01:30'],
    ['Europe/Berlin', '2026-11-30T09:31:00Z', '30 Nov 2026', '10:30'],
    ['Asia/Kolkata', '2026-11-30T20:31:00Z', '1 Dec 2026', '02:00'],
    // The hour that Berlin has twice, when summer time ends.
    ['Europe/Berlin', '2026-10-25T00:31:00Z', '25 Oct 2026', '02:30'],
    ['Europe/Berlin', '2026-10-25T01:31:00Z', '25 Oct 2026', '02:30'],
  ])('says in %s at %s since when it is live', async (timeZone, now, day, time) => {
    const { page, end } = await visit(browser, url('alone', 'status/'), { ...desktopLight, timeZone }, now)
    await page.locator('#live:not(.awaited)').waitFor()
    const said = (await page.locator('#live').innerText()).replaceAll('\u00a0', ' ')
    expect(said).toBe(`Live since\n${day}\n${time}, 1 minute ago`)
    await end()
  })

  it('says that the time of going live could not be loaded, and says nothing of it in a folder', async () => {
    const { page, end } = await visit(browser, url('alone', 'status/'))
    await page.route('**/status/', (route) =>
      route.request().method() === 'HEAD' ? route.abort() : route.continue(),
    )
    await page.reload()
    await page.locator('#live:not(.awaited)').waitFor()
    expect(await page.locator('#live').innerText()).toBe('Live since\n–\ncould not be loaded')
    await end()
    const still = await visit(browser, pathToFileURL(folder.file('alone/status/index.html')).href)
    expect(await still.page.locator('#live').count()).toBe(0)
    await still.end()
  })

  it('shows a day of changes from its file, and says if nothing is known of a day', async () => {
    const s3 = await startS3({ buckets: ['funds'] })
    await mustRun(publishArgs(s3.endpoint, 'funds', folder.file('site'), ...forced), { env: credentials })
    const server = await startServing(bucketArgs(s3.endpoint, 'funds'), { env: credentials })
    for (const [key, heading, title] of [
      ['', /^Changes on /, /^First publication: /],
      ['de.html', /^Änderungen vom /, /^Erste Veröffentlichung: /],
    ] as const) {
      const visited = await visit(browser, `${server.base}/changes/${key}?day=${asOf}`, phoneLight)
      const { page } = visited
      await page.locator('#day h1').waitFor()
      expect(await page.locator('#day h1').textContent()).toMatch(heading)
      expect(await page.locator(`#day [id='day-${asOf}-1']`).innerText()).toMatch(title)
      expect(await page.locator('#all-days').isVisible()).toBe(false)
      await expectSound(visited)
      await page.setViewportSize({ width: 320, height: 740 })
      expect(await overhang(page)).toEqual([])
      const json = page.locator('#day > .ways a').first()
      expect(await json.getAttribute('href')).toBe(`${asOf}.json`)
      expect(await json.isVisible()).toBe(true)
      await visited.end()
    }
    const { page, end } = await visit(browser, `${server.base}/changes/?day=2001-02-03`)
    await page.getByText('Nothing is known of 3 Feb 2001').waitFor()
    expect((await page.locator('#day').innerText()).replaceAll('\u00a0', ' ')).toMatch(
      /^Changes on 3 Feb 2001\s+Nothing is known of 3 Feb 2001:[^\n]*\s+Recent changes$/,
    )
    await follow(page.locator('#day a').last())
    await page.locator('#all-days').waitFor()
    await end()
    // Without scripts, the link of a day leads to what the page of all days says of it.
    const still = await visit(browser, `${server.base}/changes/`, { ...phoneLight, scripts: false })
    await follow(still.page.locator('.of-day h2 a'))
    expect(new URL(still.page.url()).hash).toBe(`#day-${asOf}-1`)
    expect(await still.page.locator(`[id='day-${asOf}-1']`).innerText()).toMatch(/^First publication: /)
    await still.end()
    await server.stop()
    await s3.stop()
  })

  it('has room for amounts of any length among the corrections of a day', async () => {
    const { page, end } = await visit(browser, url('site', 'changes/de.html'), phoneLight)
    await page.route(`**/changes/${asOf}.json`, async (route) => {
      const response = await route.fetch()
      const { prices, ...day } = (await response.json()) as { readonly prices: object }
      const fund = {
        isin: isins.fresh,
        name: names.fresh,
        date: '2026-11-13',
        item: 'net_asset_value',
        currency: 'EUR',
      }
      const totals = { funds_with_new: 0, corrected_prices: 2, corrected_funds: 1 }
      const corrected = [
        { ...fund, before: '153000000.123456', after: '153000001.123456' },
        { ...fund, before: '85.2274', after: '85.237400000000008' },
      ]
      await route.fulfill({ response, json: { ...day, prices: { ...prices, totals, corrected } } })
    })
    await page.goto(url('site', `changes/de.html?day=${asOf}`))
    await page.locator('.corrections').waitFor()
    for (const width of [1440, 768, 600, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      const clashes = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.corrections tbody tr')].flatMap((row) => {
          const texts = [...row.querySelectorAll('td')].filter((cell) => cell.checkVisibility()).map((cell) => {
            const range = document.createRange()
            range.selectNodeContents(cell)
            return { text: cell.textContent, ...range.getBoundingClientRect().toJSON() }
          })
          return texts.flatMap((one, index) => texts.slice(index + 1)
            .filter((other) => one.left < other.right && other.left < one.right && one.top < other.bottom - 1 && other.top < one.bottom - 1)
            .map((other) => one.text + ' | ' + other.text))
        })`,
      )
      expect({ width, clashes, overhang: await overhang(page) }).toEqual({ width, clashes: [], overhang: [] })
    }
    await end()
  })

  it('shows the publications of the last weeks as bars, and tells of the day at the pointer', async () => {
    const { page, end } = await visit(browser, url('site', 'status/'))
    const line = page.locator('#nights p').first()
    const bars = page.locator('.nights')
    const overdue = 'prices of 1 of 8 funds late, prices of 1 of 8 funds stale'
    const summary = 'Published on 1 day, 1 of them with notes'
    await page.getByText(summary).waitFor()
    // One day, with a part for what is published, and a foot in two parts: a new site shows no weeks that it has not seen.
    expect(await bars.locator('rect').count()).toBe(3)
    // Each key is for something that the bars show.
    expect(await page.locator('#nights .legend li:visible').allInnerTexts()).toEqual([
      'published',
      'with late prices',
      'with stale prices or prices being checked',
    ])
    const colours = await page.evaluate<string[]>(
      `[...new Set([...document.querySelectorAll('#nights .legend rect')].map((each) => getComputedStyle(each).fill))]`,
    )
    expect(colours).toHaveLength(5)
    expect((await page.locator('#nights .ends').innerText()).trim()).toBe('20\u00a0Nov\u00a02026')
    const { x = 0, y = 0, width = 0, height = 0 } = (await bars.boundingBox()) ?? {}
    await page.mouse.move(x + width - 3, y + height / 2)
    expect(await line.textContent()).toBe(`20\u00a0Nov\u00a02026: published, ${overdue}`)
    expect(width).toBeLessThan(40)
    await page.mouse.move(x, y + height + 200)
    expect(await line.textContent()).toBe(summary)
    const note = page.locator('#notable li')
    expect((await note.allInnerTexts()).map((text) => text.split(/\n+/))).toEqual([
      ['20\u00a0Nov\u00a02026', overdue.replace('p', 'P'), `Awaited: ${names.stale}, ${names.late}`],
    ])
    await follow(note.getByRole('link'))
    expect(new URL(page.url()).search).toBe(`?day=${asOf}`)
    await end()
  })

  it('names the first and the last day below their bars, or as a span where they have no room for both', async () => {
    const { page, end } = await visit(browser, url('site', 'status/'))
    const response = await page.request.get(url('site', 'changes/index.json'))
    const { nights, ...rest } = (await response.json()) as { nights: readonly [object] }
    const from = async (...days: readonly string[]) => {
      const json = { ...rest, nights: days.map((day) => ({ ...nights[0], as_of: day })) }
      await page.route('**/changes/index.json', (route) => route.fulfill({ json }))
      await page.reload()
      await page.locator('.nights rect').first().waitFor()
      return page.evaluate<{ text: string; first: number; last: number }>(
        `(() => {
          const [first, last] = document.querySelectorAll('#nights .ends span')
          const bars = [...document.querySelectorAll('.nights rect')].map((each) => each.getBoundingClientRect())
          return {
            text: [first, last].map((each) => getComputedStyle(each, '::before').content.replace(/^none$/, '') + each.textContent).join(' '),
            first: Math.abs(first.getBoundingClientRect().left - Math.min(...bars.map(({ left }) => left))),
            last: Math.abs(last.getBoundingClientRect().right - Math.max(...bars.map(({ right }) => right))),
          }
        })()`,
      )
    }
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      const few = await from('2026-11-20', '2026-11-19', '2026-11-18')
      expect({ width, text: few.text.replaceAll('\u00a0', ' ') }).toEqual({
        width,
        text: '18 Nov 2026 "– "20 Nov 2026',
      })
      expect(few.first).toBeLessThan(6)
      expect(await overhang(page)).toEqual([])
      const many = await from('2026-11-20', '2026-10-10')
      expect({ width, text: many.text.replaceAll('\u00a0', ' ') }).toEqual({
        width,
        text: '10 Oct 2026 20 Nov 2026',
      })
      expect(many.first).toBeLessThan(6)
      expect(many.last).toBeLessThan(6)
    }
    await end()
  })

  it('has room for each value of its tables, also since when a price is awaited, and its counts on one line', async () => {
    for (const key of ['status/', 'status/de.html']) {
      const { page, end } = await visit(browser, url('site', key))
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      for (const width of [1440, 1100, 1000, 768, 600, 390, 320]) {
        await page.setViewportSize({ width, height: 900 })
        expect({ key, width, wide: await wideCells(page) }).toEqual({ key, width, wide: [] })
        const uneven = await page.evaluate<string[]>(
          `[...Map.groupBy(document.querySelectorAll('.headline:has(.mark) > div'), (each) => each.offsetTop).values()]
            .filter((row) => new Set(row.map((each) => each.querySelector('dd').offsetTop)).size > 1)
            .map((row) => row.map(({ innerText }) => innerText).join())`,
        )
        expect({ key, width, uneven }).toEqual({ key, width, uneven: [] })
      }
      await end()
    }
  })

  it('says that the publications could not be loaded, and loads them when asked again', async () => {
    const { page, end } = await visit(browser, url('site', 'status/de.html'), phoneLight)
    await page.route('**/changes/index.json', (route) => route.fulfill({ status: 503 }))
    await page.reload()
    await page.getByText('Die Veröffentlichungen konnten nicht geladen werden.').waitFor()
    expect(await page.locator('.nights rect').count()).toBe(0)
    await page.unroute('**/changes/index.json')
    await page.locator('#nights').getByRole('button').click()
    await page.getByText('An 1 Tag veröffentlicht, davon 1 mit Hinweisen').waitFor()
    await end()
  })

  it('tells what is staged beside the live snapshot, and nothing when that is over, without an error', async () => {
    const s3 = await startS3({ buckets: ['funds'] })
    const publishing = publishArgs(s3.endpoint, 'funds', folder.file('alone'), ...forced)
    await mustRun(publishing, { env: credentials })
    const server = await startServing(bucketArgs(s3.endpoint, 'funds'), { env: credentials })
    const live = JSON.parse(String(s3.objects('funds').get('live.json')?.body)) as object
    const since = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const staged = {
      ...live,
      slot: 'green',
      snapshot: '2026-11-23-0123456789ab',
      liveSince: since,
      previous: live,
    }
    s3.put('funds', 'staged.json', JSON.stringify(staged))
    for (const [key, shown] of [
      ['', /^Staged, not live yet\n23\u00a0Nov\u00a02026\n2026-11-23-0123456789ab: \d\d:\d\d, 3 hours ago$/],
      [
        'de.html',
        /^Vorbereitet, noch nicht online\n23.11.2026\n2026-11-23-0123456789ab: \d\d:\d\d, vor 3 Stunden$/,
      ],
    ] as const) {
      const visited = await visit(browser, `${server.base}/status/${key}`, phoneLight)
      await expectSound(visited)
      expect(await visited.page.locator('#staged').innerText()).toMatch(shown)
      await visited.page.setViewportSize({ width: 320, height: 740 })
      expect(await overhang(visited.page)).toEqual([])
      await visited.end()
    }
    s3.put('funds', 'staged.json', JSON.stringify({ ...staged, previous: { ...live, liveSince: since } }))
    const visited = await visit(browser, `${server.base}/status/`)
    await expectSound(visited)
    expect(await visited.page.locator('#staged').isVisible()).toBe(false)
    await visited.end()
    await server.stop()
    await s3.stop()
  })

  it('shows everything except its age without scripts, with unchanged names', async () => {
    const look = { ...desktopLight, scripts: false }
    const { page, end } = await visit(browser, url('alone', 'status/'), look)
    expect(await page.locator('#live').isVisible()).toBe(false)
    // What asks for nothing is folded: funds of one reason in one line.
    const folds = page.locator('summary')
    expect(await folds.allInnerTexts()).toEqual([
      '3 funds are up to date',
      '1 fund is not monitored',
      '1 fund is without a price',
      'The prices of 1 fund are not published',
    ])
    expect(await page.locator('h2:visible').last().innerText()).toBe('Stale and late prices')
    for (const name of [names.fresh, names.unpriced]) {
      expect(await page.getByText(name).isVisible()).toBe(false)
    }
    for (const fold of await folds.all()) await fold.click()
    const rows = await page.locator('tbody tr').allInnerTexts()
    expect(rows).toHaveLength(6)
    // Of which there is nothing but their names.
    const unpriced = page.locator('.folded:has-text("without a price") .funds li')
    expect(await unpriced.allInnerTexts()).toEqual([`${names.unpriced} ${isins.unpriced}`])
    const cellsOf = (kind: keyof typeof isins) =>
      rows
        .find((row) => row.includes(isins[kind]))
        ?.replaceAll('\u00a0', ' ')
        .split(/\s*[\t\n]\s*/)
    const fresh = [
      names.fresh,
      isins.fresh,
      'up to date',
      '19 Nov 2026',
      '1 business day',
      'daily',
      '20 Nov 2026',
    ]
    expect(cellsOf('fresh')).toEqual(fresh)
    expect(cellsOf('stale')?.slice(0, 4)).toEqual([names.stale, isins.stale, 'stale', '10 Nov 2026'])
    expect(cellsOf('merged')?.slice(2, 5)).toEqual(['not monitored', '28 Jun 2019', '≥ 1,000 business days'])
    // As many funds as rows; only marks that some fund has. Funds without an alarm come by name.
    const counted = (await page.locator('.headline:has(.mark) dd').allInnerTexts()).map(Number)
    expect(counted.reduce((sum, count) => sum + count)).toBe(8)
    expect(counted).not.toContain(0)
    expect(await page.locator('.headline div:has(dt:text-is("Funds")) dd').first().innerText()).toBe('8')
    const fine = await page.locator('.folded.fresh tbody bdi').allInnerTexts()
    expect(fine.length).toBeGreaterThan(2)
    expect(fine).toEqual(fine.toSorted((one, other) => one.localeCompare(other, 'de')))
    expect(await page.locator('tbody').getByLabel('not available').allInnerTexts()).toContain('–')
    await end()
  })

  it('shows on a phone, too, when the next price is due, and leads to the other pages and to the funds', async () => {
    const { page, end } = await visit(browser, url('site', 'status/de.html'), phoneLight)
    const cellsOf = async (place: string) =>
      (await page.locator(place).allInnerTexts()).map((text) => text.split(/\s*[\t\n]\s*/))
    await page.locator('.fresh summary').click()
    expect((await cellsOf('thead tr'))[0]).toEqual(['Fonds', 'Status', 'Preisdatum', 'Nächster Preis'])
    const fresh = (await cellsOf('tbody tr')).find((cells) => cells.includes(isins.fresh))
    expect(fresh).toEqual([names.fresh, isins.fresh, 'aktuell', '19.11.2026', '20.11.2026'])
    // The notes are about the columns that a phone has.
    const notes = await page.locator('main').innerText()
    expect(notes).toContain('Nächster Preis: der Tag, an dem er erwartet wird')
    expect(notes).not.toMatch(/Alter:|Turnus:/)
    const parts = ['Fonds', 'Fondsvergleich', 'Dokumentation', 'API-Explorer', 'Downloads', 'Status']
    expect(await page.locator('header nav a').allTextContents()).toEqual(parts)
    expect(await page.locator('header nav [aria-current="page"]').allTextContents()).toEqual(['Status'])
    await follow(page.getByRole('link', { name: names.fresh }))
    expect(new URL(page.url()).pathname).toBe(`/funds/${isins.fresh}/de.html`)
    expect(await page.locator('h1').textContent()).toBe(names.fresh)
    await end()
  })
})

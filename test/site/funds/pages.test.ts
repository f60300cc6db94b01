/** The catalogue of a demo snapshot through the front door, against plain SQL. */
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { pageScripts } from '../../../src/make/generate.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { editDatabase } from '../../support/database.ts'
import { askFeed, assertIsFeed, textsOfEntries } from '../../support/feed.ts'
import { mustRun, repository, type Server, startServer, tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { drawingOf, lineOf } from './drawing.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const dbFile = folder.file('demo.sqlite')
const withEverything = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
/** A fund whose category is in German only. */
const inGermanOnly = 'SELECT max(isin) FROM profile JOIN fund USING (isin) WHERE data_permitted'
/** The youngest fund that may show its performance. */
const youngest = `SELECT isin FROM fund WHERE isin IN (SELECT isin FROM performance_year) AND data_permitted
  AND prices_permitted AND performance_permitted AND fund_inception_date < '2025-11-20'
  ORDER BY fund_inception_date DESC LIMIT 1`
let server: Server
let db: Database.Database
let isin: string

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', dbFile, '--funds', '12', '--years', '4', '--until', asOf])
  editDatabase(
    dbFile,
    `UPDATE structure_item SET percent = 130 WHERE type = 'exposure_asset_structure' AND position = 0;
     UPDATE profile SET category_en = NULL WHERE isin = (${inGermanOnly});
     UPDATE performance_year SET percent = percent + 0.5 WHERE year = 2026 AND isin = (${youngest})`,
  )
  const build = ['build', '--db', dbFile, '--out', folder.file('out'), '--as-of', asOf, '--quiet']
  await mustRun(build, { env: { ...withEverything, FUNDPRESS_BASE_URL: 'https://api.example.org' } })
  server = await startServer(folder.file('out'))
  db = new Database(dbFile, { readonly: true })
  // A fund that has all kinds of data, and all permissions.
  isin = value(`SELECT isin FROM fund JOIN profile USING (isin) JOIN emt USING (isin)
    WHERE data_permitted AND prices_permitted AND performance_permitted AND fund_inception_date < '2020-01-01'
    AND isin IN (SELECT isin FROM price) AND isin IN (SELECT isin FROM legal_period)
    AND isin IN (SELECT isin FROM asset_allocation WHERE derivatives = 1) ORDER BY isin LIMIT 1`) as string
  return async () => {
    db.close()
    await server.stop()
  }
})

const page = () => text(`funds/${isin}/index.html`)
const rows = <T>(sql: string, ...values: readonly unknown[]) => db.prepare<unknown[], T>(sql).all(...values)
const value = (sql: string, ...values: readonly unknown[]) => db.prepare(sql).pluck().get(values)
const get = (path: string) => fetch(`${server.base}/${path}`)
const text = async (path: string) => (await get(path)).text()
const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

describe('the figures of a fund', () => {
  const sections = (document: string) => document.split('<section ')
  const sectionOf = async (id: string, language: 'en' | 'de') => {
    const document = await text(`funds/${isin}/${language === 'en' ? 'index' : 'de'}.html`)
    const found = sections(document).find((section) => section.startsWith(`aria-labelledby="${id}"`)) ?? ''
    return found.replaceAll('\u00a0', ' ').replace(/\n/g, '')
  }

  it('have the marks of the page’s language, also where the database holds German text', async () => {
    const english = await sectionOf('figures', 'en')
    const figures = rows<{ value: string }>('SELECT value FROM key_figure WHERE isin = ?', isin)
    const decimals = figures.filter(({ value }) => /^\d+,\d+ %$/.test(value))
    expect(decimals.length).toBeGreaterThan(0)
    for (const { value } of decimals) expect(english).toContain(value.replace(',', '.').replace(' %', '%'))
    expect(english).not.toMatch(/\d,\d\d\b/)
    expect(await sectionOf('figures', 'de')).toContain(decimals[0]?.value)
  })

  it('explain what a code of the EMT means beside the code itself, in both languages', async () => {
    const meanings: Readonly<Record<string, readonly [en: string, de: string]>> = {
      A: ['in accordance with MiFID II', 'gemäß MiFID II'],
      B: ['comparable to MiFID II', 'vergleichbar mit MiFID II'],
      C: ['not in accordance with MiFID II', 'nicht gemäß MiFID II'],
      D: ['no information requested from the issuer', 'keine Angaben beim Emittenten angefordert'],
    }
    const code = value('SELECT governanceprocess FROM emt WHERE isin = ?', isin) as string
    const [inEnglish, inGerman] = meanings[code] ?? []
    const english = await sectionOf('emt', 'en')
    const german = await sectionOf('emt', 'de')
    expect(english).toContain(`<dd>${inEnglish} (${code})</dd>`)
    expect(german).toContain(`<dd>${inGerman} (${code})</dd>`)
    const numbers = ['04020', '08030', '07130', '07140', '08025', '00075', '05105', '05115']
    for (const page of [english, german])
      expect([...page.matchAll(/EMT (\d+)/g)].map(([, number]) => number)).toEqual(numbers)
    expect(english).toContain(`${String(value('SELECT srri FROM emt WHERE isin = ?', isin))} of 7`)
  })

  it('have a category that is in German only marked as German on English pages', async () => {
    const other = String(value(inGermanOnly))
    const marked = `<span lang="de">${String(value('SELECT category_de FROM profile WHERE isin = ?', other))}</span>`
    const pages = [`funds/${other}/index.html`, 'funds/index.html', `funds/${other}/de.html`, 'funds/de.html']
    const parts = await Promise.all(pages.map(async (page) => (await text(page)).split(marked)))
    // On its own page the category stands above the name, and in the profile.
    expect(parts.map(({ length }) => length - 1)).toEqual([2, 1, 0, 0])
  })

  it('have a dash with a text for screen readers where a value is missing', async () => {
    const missing = value('SELECT isin FROM emt WHERE incidental_costs IS NULL ORDER BY isin') as string
    const of = async (name: string) => (await text(`funds/${missing}/${name}.html`)).replace(/\n/g, '')
    expect(await of('index')).toContain(
      'EMT 07140</small></dt><dd><span role="img" aria-label="not available">–</span>',
    )
    expect(await of('de')).toContain(
      'EMT 07140</small></dt><dd><span role="img" aria-label="keine Angabe">–</span>',
    )
  })
})

describe('the price chart', () => {
  it('has a price at each of its points, the first and the last included', async () => {
    const { days, points, precision } = lineOf(drawingOf(await page(), 'nav'))
    const sql = 'SELECT date, net_asset_value AS nav FROM price WHERE isin = ? ORDER BY date'
    const prices = rows<{ date: string; nav: string }>(sql, isin)
    const first = prices[0]?.date ?? ''
    const last = prices.at(-1)?.date ?? ''
    const byDay = new Map(prices.map(({ date, nav }) => [daysBetween(first, date), Number(nav)]))
    expect(points.length).toBeGreaterThan(200)
    expect(days).toBe(daysBetween(first, last))
    expect({ first: points[0]?.day, last: points.at(-1)?.day }).toEqual({ first: 0, last: days })
    const astray = points.filter(({ day, value: drawn }) => {
      const nav = byDay.get(day)
      return nav === undefined || Math.abs(nav - drawn) > precision
    })
    expect(astray).toEqual([])
  })

  it('is the same line in both languages, with the figures of the language beside it', async () => {
    const english = await page()
    const german = await text(`funds/${isin}/de.html`)
    const pathIn = (page: string) => /class="line" d="([^"]+)"/.exec(page)?.[1]
    expect(pathIn(german)).toBe(pathIn(english))
    const nav = String(value('SELECT net_asset_value FROM price WHERE isin = ? ORDER BY date DESC', isin))
    const inGerman = Number(nav).toLocaleString('de-DE', { minimumFractionDigits: 2 })
    expect(german).toContain(`<dd>${inGerman}\u00a0`)
    const inEnglish = Number(nav).toLocaleString('en-US', { minimumFractionDigits: 2 })
    expect(english).toMatch(new RegExp(`<dd>[A-Z]{3}\u00a0${inEnglish}</dd>`))
    expect(german).toContain('20.11.2026')
    expect(english).toContain('20\u00a0Nov\u00a02026')
  })

  it('has an axis of round values around the whole line', async () => {
    const { range } = drawingOf(await page(), 'nav')
    const prices = rows<{ nav: string }>('SELECT net_asset_value AS nav FROM price WHERE isin = ?', isin)
    const navs = prices.map(({ nav }) => Number(nav))
    const low = Math.min(...navs)
    const high = Math.max(...navs)
    expect(range[0]).toBeLessThanOrEqual(low)
    expect(range[1]).toBeGreaterThanOrEqual(high)
    expect(high - low).toBeGreaterThan((range[1] - range[0]) / 3)
  })
})

it('draws a bar for each calendar year, as high as its percent', async () => {
  const { elements, valueAt } = drawingOf(await page(), 'years')
  const bars = elements.filter(({ name }) => name === 'rect')
  const sql = 'SELECT percent FROM performance_year WHERE isin = ? ORDER BY year'
  // Earlier years have no room.
  const years = rows<{ percent: number }>(sql, isin).slice(-10)
  expect(bars).toHaveLength(years.length)
  for (const [index, { percent }] of years.entries()) {
    const top = parseFloat(bars[index]?.attribute('y') ?? '')
    const bottom = top + parseFloat(bars[index]?.attribute('height') ?? '')
    expect(valueAt(percent < 0 ? bottom : top)).toBeCloseTo(percent, 1)
    expect(valueAt(percent < 0 ? top : bottom)).toBeCloseTo(0, 1)
  }
})

it('marks the year that has not ended with the day of its figure, and no other', async () => {
  for (const [page, word] of [
    ['index.html', 'to 20 Nov'],
    ['de.html', 'bis 20.11.'],
  ] as const) {
    const html = (await text(`funds/${isin}/${page}`)).replaceAll('\u00a0', ' ')
    const bars = drawingOf(html, 'years').elements.filter(({ name }) => name === 'rect')
    const running = bars.map((bar) => bar.attribute('class').startsWith('running '))
    expect(running).toEqual([...new Array<boolean>(bars.length - 1).fill(false), true])
    expect(html.match(new RegExp(`<text[^>]*>${word}</text>`, 'g'))).toHaveLength(1)
    expect(html).toContain(`<th scope="row">2026 ${word}${page === 'de.html' ? '' : ' '}2026</th>`)
  }
})

it('marks the year of the launch, and names no day for a running year whose figure is not that of its prices', async () => {
  const young = value(youngest) as string
  const [year, month, day] = (
    value('SELECT fund_inception_date FROM fund WHERE isin = ?', young) as string
  ).split('-')
  expect(Number(year)).toBeGreaterThan(2017)
  const html = await text(`funds/${young}/de.html`)
  const marks = [...html.matchAll(/<text [^>]*dy="35">(.*?)<\/text>/g)].map(([, mark]) => mark)
  expect(marks).toEqual([`ab ${day}.${month}.`, 'laufend'])
  expect(html).toContain(`<th scope="row">${year} ab ${day}.${month}.${year}</th>`)
  expect(html).toContain('<th scope="row">2026 laufend</th>')
})

it('has no twelve-month period from before the launch that has no figures', async () => {
  const young = value(youngest) as string
  const periods = rows<{ date_from: string; gross: number | null }>(
    'SELECT date_from, gross FROM legal_period WHERE isin = ? ORDER BY date_from',
    young,
  )
  expect(periods[0]?.gross).toBe(null)
  const shown = (await text(`funds/${young}/de.html`)).split('id="periods"')[1]?.split('</table>')[0] ?? ''
  const whole = periods.filter(({ gross }) => gross !== null)
  expect(whole.length).toBeGreaterThan(0)
  expect(shown.match(/<th scope="row">/g)).toHaveLength(whole.length)
  expect(shown).not.toContain('aria-label="keine Angabe"')
})

it('says the day of portfolio and key figures below both headings, and nowhere else', async () => {
  const day = (value('SELECT status_date FROM fund WHERE isin = ?', isin) as string)
    .split('-')
    .reverse()
    .join('.')
  const html = await text(`funds/${isin}/de.html`)
  for (const id of ['structure', 'figures'])
    expect(html).toMatch(
      new RegExp(`<h2 id="${id}">[^<]*</h2>\\s*<p class="quiet small">Stichtag ${day}</p>`),
    )
  expect(html.match(/Stichtag/g)).toHaveLength(2)
  const bare = value(`SELECT isin FROM fund WHERE data_permitted AND status_date IS NOT NULL
    AND isin NOT IN (SELECT isin FROM structure_item) AND isin NOT IN (SELECT isin FROM key_figure)`) as string
  expect(await text(`funds/${bare}/de.html`)).not.toContain('Stichtag')
})

it('draws the line since launch as high as its points, on a logarithmic scale if it has more than 15 years', async () => {
  const drawn = drawingOf(await page(), 'index')
  expect(drawn.elements.map(({ text }) => text)).toContain('logarithmic scale')
  expect(drawingOf(await page(), 'nav').elements.map(({ text }) => text)).not.toContain('logarithmic scale')
  const { points, precision } = lineOf(drawn)
  const sql = 'SELECT date, value FROM launch_point WHERE isin = ? ORDER BY date'
  const launch = rows<{ date: string; value: number }>(sql, isin)
  const first = launch[0]?.date ?? ''
  const byDay = new Map(launch.map(({ date, value: index }) => [daysBetween(first, date), index]))
  expect(points.length).toBeGreaterThan(100)
  for (const { day, value: drawn } of points) {
    expect(Math.abs((byDay.get(day) ?? NaN) - drawn)).toBeLessThanOrEqual(precision)
  }
})

/** The cards of the structures. */
function cardsIn(html: string): readonly string[] {
  const [, structure = ''] = html.split('<h2 id="structure">')
  return (structure.split('</section>')[0] ?? '').split('<div class="card">').slice(1)
}

it('shows every structure, ten items of each at once', async () => {
  const cards = cardsIn(await page())
  // Equal lists are one.
  const sql = `SELECT DISTINCT items, content FROM (SELECT count(*) AS items, group_concat(name_de || percent) AS content
    FROM (SELECT * FROM structure_item WHERE isin = ? ORDER BY type, position) GROUP BY type)`
  const types = rows<{ items: number }>(sql, isin)
  expect(cards).toHaveLength(types.length)
  const counts = cards.map((card) => [...card.matchAll(/<tr>/g)].length)
  expect(counts.sort()).toEqual(types.map(({ items }) => items).sort())
  const atOnce = cards.map((card) => [...(card.split('<details>')[0] ?? '').matchAll(/<tr>/g)].length)
  expect(Math.max(...atOnce)).toBe(Math.min(10, Math.max(...counts)))
})

it('shows a correlation as the coefficient that it is, and all other shares in percent', async () => {
  const correlated = value(
    `SELECT isin FROM structure_item JOIN fund USING (isin) WHERE type = 'correlation' AND data_permitted LIMIT 1`,
  ) as string
  const percents = rows<{ percent: number }>(
    `SELECT percent FROM structure_item WHERE isin = ? AND type = 'correlation' ORDER BY position`,
    correlated,
  ).map(({ percent }) => percent.toFixed(2).replace('-', '\u2212'))
  expect(percents.length).toBeGreaterThan(1)
  for (const [name, caption, shown] of [
    ['index.html', 'Correlations', percents],
    ['de.html', 'Korrelationen', percents.map((percent) => percent.replace('.', ','))],
  ] as const) {
    const cards = cardsIn(await text(`funds/${correlated}/${name}`))
    const figuresIn = (some: readonly string[]) =>
      [...some.join('').matchAll(/<td>(?:<svg.*?<\/svg>)?([^<]*)<\/td>/g)].map(([, figure = '']) => figure)
    expect(figuresIn(cards.filter((card) => card.includes(caption)))).toEqual(shown)
    const others = figuresIn(cards.filter((card) => !card.includes(caption)))
    expect(others.length).toBeGreaterThan(10)
    const unit = name === 'de.html' ? /\d\u00a0%$/ : /\d%$/
    expect(others.filter((figure) => !unit.test(figure))).toEqual([])
  }
})

it('draws bars of all structures on one scale, below zero to the left, and none where all would be short', async () => {
  const funds = rows<{ isin: string }>('SELECT isin FROM fund WHERE data_permitted = 1')
  let negative = 0
  let without = 0
  for (const { isin: one } of funds) {
    const cards = cardsIn(await text(`funds/${one}/index.html`)).map((card) => {
      const cells = [...card.matchAll(/(?:<svg aria-hidden="true">(.*?)<\/svg>)?<\/th><td>([\d.,\u2212]+)/g)]
      const all = cells.map(([, bar, figure = '']) => ({
        bar: bar === undefined ? null : /<rect((?: [a-z]+="[^"]*")+)\/>/.exec(bar)?.[1],
        percent: Number(figure.replace('\u2212', '-').replace(',', '')),
      }))
      const percents = all.map(({ percent }) => percent)
      return {
        card,
        all,
        low: Math.min(0, ...percents),
        high: Math.max(0, ...percents),
        isCorrelation: card.includes('Correlations'),
      }
    })
    const span = Math.max(
      ...cards.filter(({ isCorrelation }) => !isCorrelation).map(({ low, high }) => high - low),
    )
    for (const { card, all, low, high, isCorrelation } of cards) {
      expect(all).not.toEqual([])
      const scale = isCorrelation ? Math.max(1, high - low) : span
      const hasBars = high - low >= 0.2 * scale
      if (!hasBars) without++
      for (const { bar, percent } of all) {
        expect(bar === null).toBe(!hasBars)
        if (!bar) continue
        const x = Number(/ x="([\d.]+)%"/.exec(bar)?.[1] ?? 0)
        const width = Number(/ width="([\d.]+)%"/.exec(bar)?.[1])
        expect(Math.abs(width - (Math.abs(percent) / scale) * 100)).toBeLessThan(0.6)
        expect(Math.abs(x - ((Math.min(0, percent) - low) / scale) * 100)).toBeLessThan(0.6)
      }
      expect(card.includes('class="at"')).toBe(hasBars && low < 0)
      if (hasBars && low < 0) negative++
    }
  }
  expect(negative).toBeGreaterThan(0)
  expect(without).toBeGreaterThan(0)
})

it('has structures in two columns, of all ways to share them out one that leaves the least hole', async () => {
  const funds = rows<{ isin: string }>(
    'SELECT DISTINCT isin FROM structure_item JOIN fund USING (isin) WHERE data_permitted',
  )
  let even = 0
  for (const { isin: one } of funds) {
    const [, cards = ''] = (await text(`funds/${one}/index.html`)).split('<div class="cards">')
    const columns = (cards.split('</section>')[0] ?? '').split('<div><div class="card">').slice(1)
    // In halves of a line: three for an item with a bar, two for one without and for what opens the others, four for heading and space.
    const heightOf = (card: string) => {
      const items = card.split('<tr>').length - 1
      return Math.min(items, 10) * (card.includes('<svg') ? 3 : 2) + (items > 10 ? 2 : 0) + 4
    }
    const heights = columns.map((column) => column.split('<div class="card">').map(heightOf))
    const sum = (some: readonly number[]) => some.reduce((total, each) => total + each, 0)
    const all = heights.flat()
    let least = sum(all)
    for (let way = 0; way < 2 ** all.length; way++) {
      const inLeft = all.filter((_, index) => (way >> index) % 2 === 1)
      least = Math.min(least, Math.abs(sum(all) - 2 * sum(inLeft)))
    }
    const [left = [], right = []] = heights
    expect({ one, hole: Math.abs(sum(left) - sum(right)) }).toEqual({ one, hole: least })
    if (all.length > 4 && least < 4) even++
  }
  expect(even).toBeGreaterThan(3)
})

it('shows a list once that is the same for two types, with both names', async () => {
  const cards = cardsIn(await page())
  const contents = cards.map((card) => card.replace(/<caption>.*?<\/caption>/s, ''))
  expect(new Set(contents).size).toBe(contents.length)
  expect(cards.filter((card) => card.includes('Top securities · Top shares'))).toHaveLength(1)
})

it('says what matters at the top: price with its change and day, 1 and 5 years, costs, risk, currency, income', async () => {
  const [, top = ''] = (await page()).split('<div class="fund-head">')
  const head = (top.split('<section')[0] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  const [one = {}] = rows<Record<string, string>>(
    `SELECT currency || ' ' || net_asset_value || printf(' %+.2f', change_percent) AS price, printf('%.2f', total_expense_ratio) AS costs,
      srri, accumulating, currency, (SELECT printf('%+.2f', (exp(sum(ln(1 + gross / 100))) - 1) * 100) FROM
      (SELECT gross FROM legal_period AS each WHERE each.isin = fund.isin ORDER BY date_to DESC LIMIT 5)) AS five
      FROM fund JOIN profile USING (isin) JOIN emt USING (isin) JOIN price USING (isin) WHERE isin = ? ORDER BY date DESC`,
    isin,
  )
  expect(one['accumulating']).toBe(0)
  const said = `${one['currency']}, distributing .* Net asset value ${one['price']}% 20 Nov 2026 1 year [+-][0-9.]+% reported 5 years ${one['five']}% reported Costs \\(TER\\) ${one['costs']}% Risk \\(1–\\u20607\\) ${one['srri']}`
  expect(head.replaceAll('\u2212', '-')).toMatch(new RegExp(said.replaceAll(/ [+](?=\d)/g, ' [+]')))
})

it('links to existing documents, in each format and in the language of the page', async () => {
  const page = await text(`funds/${isin}/de.html`)
  const links = [...page.matchAll(/href="\.\.\/\.\.\/(api\/[^"]+)"/g)].map(([, path = '']) =>
    path.replaceAll('&#38;', '&'),
  )
  const types = Number(value('SELECT count(DISTINCT type) FROM structure_item WHERE isin = ?', isin))
  // Endpoints 4 and 6 to 13 have two formats, 1 and 3 three. The downloads have the whole of 3 as CSV once more.
  expect(links).toHaveLength((types + 5 + 3) * 2 + 2 * 3 + 1)
  expect(links.filter((link) => link.includes('language=de'))).toHaveLength((types + 5) * 2)
  for (const link of links) {
    const { status, headers } = await get(link)
    expect({ link, status }).toEqual({ link, status: 200 })
    expect(headers.get('content-type')).toContain(/format=(\w+)/.exec(link)?.[1])
  }
})

it('names the feed of changes for feed readers', async () => {
  const feed = /<link\s+rel="alternate"\s+type="application\/atom\+xml"[^>]*\shref="([^"]+)"/g
  for (const path of ['funds/index.html', 'funds/de.html', 'status/index.html', 'status/de.html']) {
    const links = [...(await text(path)).matchAll(feed)].map(([, href = '']) => href)
    const paths = links.map((href) => new URL(href, `${server.base}/${path}`).pathname)
    expect({ path, paths }).toEqual({
      path,
      paths: [path.endsWith('de.html') ? '/changes/de/feed.xml' : '/changes/feed.xml'],
    })
  }
})

it('shows requests that the published address answers', async () => {
  const html = await page()
  const text = html.replaceAll(/<wbr \/>|<\/?span[^>]*>/g, '')
  const requests = [...text.matchAll(/curl &#39;https:\/\/api\.example\.org\/([^&]+)&#39;/g)]
  expect(requests).toHaveLength(2)
  for (const [, path = ''] of requests) expect((await get(path)).status).toBe(200)
})

describe('the list', () => {
  it('lists every fund that may be published by name, with its newest price', async () => {
    const page = await text('funds/index.html')
    const listed = [...page.matchAll(/<a href="([A-Z0-9]{12})\/index.html">/g)].map(([, one]) => one)
    const wanted = rows<{ isin: string }>('SELECT isin FROM fund WHERE data_permitted = 1 ORDER BY isin')
    expect([...listed].sort()).toEqual(wanted.map((row) => row.isin))
    const names = listed.map((one) => String(value('SELECT name FROM fund WHERE isin = ?', one)))
    expect(names).toEqual([...names].sort(new Intl.Collator('de', { ignorePunctuation: false }).compare))
  })

  it('has a JSON version, with the one-year change of accumulating funds', async () => {
    const { as_of: day, funds } = (await (await get('funds/index.json')).json()) as ListDocument
    expect(day).toBe(asOf)
    const accumulating = funds.filter(({ isin: one, one_year_percent }) => {
      return value('SELECT accumulating FROM profile WHERE isin = ?', one) === 1 && one_year_percent !== null
    })
    expect(accumulating.length).toBeGreaterThan(1)
    for (const { isin: one, price, one_year_percent } of accumulating) {
      const percent = value(
        `SELECT printf('%.2f', (CAST(now.net_asset_value AS REAL) / CAST(before.net_asset_value AS REAL) - 1) * 100)
        FROM price AS now, price AS before WHERE now.isin = ? AND before.isin = ?
        AND now.date = (SELECT max(date) FROM price WHERE isin = ?)
        AND before.date = (SELECT max(date) FROM price WHERE isin = ? AND date <= date(now.date, '-1 year'))`,
        ...[one, one, one, one],
      )
      expect({ one, one_year_percent }).toEqual({ one, one_year_percent: percent })
      const nav = value('SELECT net_asset_value FROM price WHERE isin = ? ORDER BY date DESC', one)
      expect(price?.net_asset_value).toBe(nav)
    }
  })

  it('says in its JSON version which funds may be compared: neither young ones nor those without permission', async () => {
    const { funds } = (await (await get('funds/index.json')).json()) as ListDocument
    const may = rows<{ isin: string }>(
      `SELECT isin FROM fund WHERE data_permitted AND prices_permitted AND performance_permitted
        AND date(fund_inception_date, '+1 year') <= ? AND isin IN (SELECT isin FROM price) ORDER BY isin`,
      asOf,
    )
    const comparable = funds.filter((fund) => fund.not_comparable === null).map((fund) => fund.isin)
    expect(comparable).toEqual(may.map((row) => row.isin))
    expect(comparable.length).toBeLessThan(funds.length)
    for (const { isin: one, accumulating } of funds) {
      const flag = value('SELECT accumulating FROM profile WHERE isin = ?', one)
      expect({ one, accumulating }).toEqual({ one, accumulating: flag === undefined ? null : flag === 1 })
    }
  })

  it('takes the last twelve months of a distributing fund from its legal periods', async () => {
    const { funds } = (await (await get('funds/index.json')).json()) as ListDocument
    const paying = funds.filter(({ isin: one, one_year_percent }) => {
      return value('SELECT accumulating FROM profile WHERE isin = ?', one) === 0 && one_year_percent !== null
    })
    expect(paying.length).toBeGreaterThan(1)
    for (const { isin: one, one_year_percent } of paying) {
      const gross = value('SELECT gross FROM legal_period WHERE isin = ? ORDER BY date_to DESC', one)
      expect({ one, one_year_percent }).toEqual({ one, one_year_percent: Number(gross).toFixed(2) })
    }
  })
})

interface ListDocument {
  readonly as_of: string
  readonly funds: readonly {
    readonly isin: string
    readonly price: { readonly net_asset_value: string } | null
    readonly one_year_percent: string | null
    readonly accumulating: boolean | null
    readonly not_comparable: string | null
  }[]
}

it('ships the scripts of its pages as `npm run generate` writes them', async () => {
  for (const [name, script] of await pageScripts()) {
    expect(readFileSync(join(repository, 'templates', name), 'utf8')).toBe(script)
  }
})

describe.skipIf(lacks('xmllint'))('the feed of a fund', () => {
  const feedOf = (fund: string, language: 'en' | 'de') =>
    text(`funds/${fund}/${language === 'en' ? 'feed' : 'feed.de'}.xml`)
  const newest = (fund: string) =>
    rows<{ date: string; nav: string }>(
      'SELECT date, net_asset_value AS nav FROM price WHERE isin = ? ORDER BY date DESC LIMIT 30',
      fund,
    )

  it.each(['en', 'de'] as const)('has an entry for each of its 30 newest prices: %s', async (language) => {
    const feed = await feedOf(isin, language)
    const name = language === 'en' ? 'feed.xml' : 'feed.de.xml'
    assertIsFeed(feed, { self: `https://api.example.org/funds/${isin}/${name}`, language, entries: 30 })
    expect((await get(`funds/${isin}/${name}`)).headers.get('content-type')).toBe(
      'application/atom+xml; charset=utf-8',
    )
    const prices = newest(isin)
    expect(askFeed(feed, 'string(/a:feed/a:updated)')).toBe(`${prices[0]?.date}T00:00:00Z`)
    const textsOf = (name: string) => textsOfEntries(feed, prices.length, name)
    expect(textsOf('updated')).toEqual(prices.map(({ date }) => `${date}T00:00:00Z`))
    const titles = textsOf('title').map((title) => title.replaceAll(/[.,](?=\d{3}\D)/g, ''))
    for (const [index, { nav }] of prices.entries())
      expect(titles[index]).toContain(language === 'en' ? nav : nav.replace('.', ','))
  })

  it('leads to the page in its language and to the day in the API', async () => {
    const feed = await feedOf(isin, 'de')
    for (const link of [
      '/a:feed/a:entry[1]/a:link[@type="text/html"]',
      '/a:feed/a:entry[1]/a:link[@type="application/json"]',
    ]) {
      const address = askFeed(feed, `string(${link}/@href)`)
      const answer = await get(address.replace('https://api.example.org/', ''))
      expect(answer.status).toBe(200)
      const body = await answer.text()
      if (address.includes('/api/')) expect(body).toContain(`"date":"${newest(isin)[0]?.date}"`)
      else expect(body).toContain('<html lang="de">')
    }
    expect(await page()).toContain('href="feed.xml"')
  })

  it('has one price of a fund whose performance may not be shown, and none where prices may not', async () => {
    const fund = (condition: string) =>
      value(`SELECT isin FROM fund WHERE data_permitted AND ${condition}
        AND isin IN (SELECT isin FROM price) LIMIT 1`) as string
    const young = fund(`prices_permitted AND fund_inception_date > '2026-01-01'`)
    const barred = fund('NOT prices_permitted')
    const self = `https://api.example.org/funds/${young}/feed.xml`
    assertIsFeed(await feedOf(young, 'en'), { self, language: 'en', entries: 1 })
    expect(askFeed(await feedOf(barred, 'en'), 'count(//a:entry)')).toBe('0')
    expect(await text(`funds/${barred}/index.html`)).not.toContain('feed.xml')
  })
})

/** The start page, the page in place of missing ones, and what all pages tell search engines and link previews. */
import Database from 'better-sqlite3'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SitePageSource } from '../../../src/core/api/contract/page.ts'
import { sitemapPages } from '../../../src/extensions/site/start/sitemap.ts'
import { cached } from '../../../src/core/system/cached.ts'
import { editDatabase } from '../../support/database.ts'
import { readHtml } from '../../support/html.ts'
import { forced, mustRun, runFundpress, tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { elementsOf } from '../../support/read-xml.ts'
import { filesIn } from '../../support/tree.ts'

const asOf = '2026-11-20'
const baseUrl = 'https://funds.example.com/data'
const folder = tempFolder()
const db = folder.file('funds.sqlite')
const out = folder.file('out')
const site = {
  name: 'Muster & Söhne KVG',
  homePage: 'https://www.example.com',
  terms: 'https://www.example.com/terms',
  contact: 'data@example.com',
  logo: 'logo.png',
  startEn: 'We have launched funds since 1950.\n\nQuestions? <b>Ask us</b>.',
  startDe: 'Wir legen seit 1950 Fonds auf.',
}
const build = (to: string, day: string, ...flags: readonly string[]) =>
  runFundpress(
    [
      'build',
      '--config',
      folder.file('press.json'),
      '--db',
      db,
      '--out',
      to,
      '--as-of',
      day,
      '--json',
      ...flags,
    ],
    { env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' } },
  )

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', db, '--funds', '12', '--years', '2', '--until', asOf])
  const png = Buffer.alloc(33)
  png.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  png.writeUInt32BE(400, 16)
  png.writeUInt32BE(100, 20)
  writeFileSync(folder.file('logo.png'), png)
  writeFileSync(folder.file('press.json'), JSON.stringify({ baseUrl, site }))
  expect(await build(out, asOf)).toMatchObject({ code: 0 })
})

const read = (key: string, from = out) => readFileSync(join(from, key), 'utf8')
/** Of `downloads/`, search engines shall know the newest only: its address does not change. */
const pagesOf = () => filesIn(out).filter((key) => /^(?!.*\/latest\/|not-found\/).*\.html$/.test(key))
const steady = (key: string) => key.replace(`downloads/${asOf}/`, 'downloads/latest/')
/** A folder has one address, without the name of its page. Who asks `/` for no language gets German. */
const addressOf = (key: string) =>
  `${baseUrl}/${steady(key)
    .replace(/\/index\.html$/, '/')
    .replace(/^de\.html$/, '')}`
/** Parsed once: that takes a process for each page. */
const htmlOf = cached((key: string) => readHtml(read(key)))
const linksIn = (key: string, rel: string) =>
  htmlOf(key).elements.flatMap(({ name, attributes }) =>
    name === 'link' && attributes['rel'] === rel ? [attributes] : [],
  )
const linkedDataIn = (key: string) =>
  [...read(key).matchAll(/<script type="application\/ld\+json">([^]*?)<\/script>/g)].map(
    ([, json = '']) => JSON.parse(json) as Readonly<Record<string, unknown>>,
  )
const propertiesOf = (key: string) =>
  Object.fromEntries(
    htmlOf(key).elements.flatMap(({ attributes }) =>
      attributes['property'] === undefined ? [] : [[attributes['property'], attributes['content'] ?? '']],
    ),
  )

describe('every page', () => {
  it('names its own address and that of the other language, each of which is in the snapshot', ({ skip }) => {
    skip(lacks('xmllint'), 'needs xmllint')
    expect(pagesOf().length).toBeGreaterThan(50)
    for (const key of pagesOf()) {
      expect({ key, canonical: linksIn(key, 'canonical').map(({ href }) => href) }).toEqual({
        key,
        canonical: [addressOf(key)],
      })
      const languages = linksIn(key, 'alternate').filter(({ hreflang }) => hreflang !== undefined)
      expect(languages.map(({ hreflang }) => hreflang)).toEqual(['en', 'de', 'x-default'])
      const [english, german, other] = languages.map(({ href = '' }) => href.slice(baseUrl.length + 1))
      // Pages are German, as the API is.
      expect(other).toBe(german)
      expect([english, german].map((to) => `${baseUrl}/${to ?? ''}`)).toContain(addressOf(key))
      for (const [to = '', lang] of [
        [english, 'en'],
        [german, 'de'],
      ]) {
        const page = to === '' ? 'de.html' : to
        const made = page.replace('downloads/latest/', `downloads/${asOf}/`).replace(/\/$/, '/index.html')
        expect(read(made)).toContain(`<html lang="${lang}">`)
      }
    }
  })

  it('has a title, a description, an address and a picture for link previews', ({ skip }) => {
    skip(lacks('xmllint'), 'needs xmllint')
    for (const key of pagesOf()) {
      const { elements } = htmlOf(key)
      const title = elements.find(({ name }) => name === 'title')?.text ?? ''
      expect(title).toContain(site.name)
      const description = elements.find(({ attributes }) => attributes['name'] === 'description')
      const isGerman = elements[0]?.attributes['lang'] === 'de'
      expect(propertiesOf(key)).toEqual({
        'og:type': 'website',
        'og:site_name': site.name,
        // The company is the name of the site.
        'og:title': /^(?:index|de)\.html$/.test(key) ? title : title.replace(` · ${site.name}`, ''),
        'og:description': description?.attributes['content'],
        'og:url': addressOf(key),
        'og:locale': isGerman ? 'de_DE' : 'en_GB',
        'og:locale:alternate': isGerman ? 'en_GB' : 'de_DE',
        'og:image': `${baseUrl}/docs/assets/preview.png`,
        'og:image:width': '1200',
        'og:image:height': '630',
        'og:image:alt': site.name,
      })
      const card = htmlOf(key).elements.find(({ attributes }) => attributes['name'] === 'twitter:card')
      expect(card?.attributes['content']).toBe('summary_large_image')
      const [icon = {}] = linksIn(key, 'apple-touch-icon')
      expect(posix.join(posix.dirname(key), icon['href'] ?? '')).toBe('docs/assets/icon.png')
    }
  })

  it('but the start page has its place in the site for search engines', () => {
    for (const key of pagesOf().filter((each) => each.includes('/'))) {
      const [trail, ...more] = linkedDataIn(key).filter((each) => each['@type'] === 'BreadcrumbList')
      const items = trail?.['itemListElement'] as readonly { position: number; item: string; name: string }[]
      expect({ key, more, hasMany: items.length >= 2 }).toEqual({ key, more: [], hasMany: true })
      expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index + 1))
      const isGerman = /(^|\/)de(\.html|\/)/.test(key)
      expect(items[0]).toMatchObject({
        name: isGerman ? 'Startseite' : 'Start page',
        item: `${baseUrl}/${isGerman ? '' : 'index.html'}`,
      })
      expect(items.at(-1)?.item).toBe(addressOf(key))
    }
  })

  it('of a fund stays as it is when only the day changes', async () => {
    const next = folder.file('next')
    expect(await build(next, '2026-11-21', '--since', out)).toMatchObject({ code: 0 })
    const pages = filesIn(out).filter((key) => /^funds\/[A-Z0-9]{12}\//.test(key))
    expect(pages.length).toBeGreaterThan(20)
    expect(pages.filter((key) => read(key, next) !== read(key))).toEqual([])
    expect(read('index.html', next)).not.toBe(read('index.html'))
  })
})

describe('the sitemap', () => {
  const addresses = () =>
    [...read('sitemap.xml').matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, found = '']) => found)

  it('lists exactly the pages of the snapshot, with their languages', () => {
    expect(addresses().sort()).toEqual(
      pagesOf()
        .map((key) => addressOf(key))
        .sort(),
    )
    const links = elementsOf(read('sitemap.xml')).filter(({ name }) => name === 'xhtml:link')
    expect(links).toHaveLength(3 * addresses().length)
    // Each link is an address of the list, and so what its page names as its own.
    for (const kinds of [['en', 'de'], ['x-default']]) {
      const some = links.filter(({ attributes }) => kinds.includes(attributes['hreflang'] ?? ''))
      const hrefs = new Set(some.map(({ attributes }) => attributes['href']))
      expect([...hrefs].filter((href) => !addresses().includes(href ?? ''))).toEqual([])
      expect(hrefs.size).toBe(kinds.length * (addresses().length / 2))
    }
  })

  it('is named by robots.txt, which allows everything', () => {
    expect(read('robots.txt')).toBe(`User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`)
  })

  it('continues in further files where it has no room for more addresses', () => {
    const fund = { isin: '' } as SitePageSource['funds'][number]
    const funds = Array.from({ length: 25_010 }, (_, number) => ({
      ...fund,
      isin: `XX${String(number).padStart(10, '0')}`,
    }))
    const source = { baseUrl, parts: ['changes'], funds } as Partial<SitePageSource> as SitePageSource
    const made = [...sitemapPages(source, ['index.html', 'de.html', 'funds/list.js'])]
    expect(made.map(({ key }) => key)).toEqual(['sitemap.xml', 'funds/sitemap-2.xml', 'robots.txt'])
    const counts = made.map(({ content }) => String(content).split('<loc>').length - 1)
    expect(counts).toEqual([50_000, 26, 0])
    expect(made.every(({ content }) => content.length < 50_000_000)).toBe(true)
    const named = made.slice(0, 2).map(({ key }) => `Sitemap: ${baseUrl}/${key}\n`)
    expect(String(made[2]?.content)).toBe(`User-agent: *\nAllow: /\n\n${named.join('')}`)
    // A sitemap in a folder may list only what lies in that folder.
    expect(String(made[1]?.content)).not.toMatch(/<loc>(?!https:\/\/funds\.example\.com\/data\/funds\/)/)
  })
})

describe('the start page', () => {
  it("says in the company's words what this is, as text", () => {
    expect(read('index.html')).toContain(
      '<p>We have launched funds since 1950.</p> <p>Questions? &#60;b&#62;Ask us&#60;/b&#62;.</p>',
    )
    expect(read('de.html')).toContain('<p>Wir legen seit 1950 Fonds auf.</p>')
    // Before ours.
    expect(read('index.html').indexOf('Questions?')).toBeLessThan(
      read('index.html').indexOf('As\u00a0of\u00a020'),
    )
    expect(read('index.html')).toContain('As\u00a0of\u00a020\u00a0Nov\u00a02026')
    expect(read('de.html')).toContain('Stichtag\u00a020.11.2026')
    expect(read('de.html')).not.toContain(`${site.name} veröffentlicht`)
  })

  it('names the company in its lead where that says nothing in its own words', async () => {
    const config = folder.file('plain.json')
    writeFileSync(config, JSON.stringify({ baseUrl, site: { name: site.name } }))
    const plain = folder.file('plain')
    const built = await runFundpress(
      ['build', '--config', config, '--db', db, '--out', plain, '--as-of', asOf],
      {
        env: { FUNDPRESS_PAGES: 'true' },
      },
    )
    expect(built.code).toBe(0)
    expect(read('de.html', plain)).toMatch(
      /<p class="lead">\s*Muster &#38; Söhne KVG veröffentlicht Preise, /,
    )
    expect(read('index.html', plain)).toMatch(/<p class="lead">\s*Muster &#38; Söhne KVG publishes prices, /)
  })

  /** The tables of price changes, with their rows. */
  function moversOf(folderOfPages: string) {
    const [, ...tables] = read('index.html', folderOfPages).split('<caption class="unseen">')
    const row =
      /<a href="funds\/([A-Z0-9]{12})\/index\.html">(?:(?!<\/tr>)[^])*?<span class="(?:good|bad)">([+\u2212]?[\d.]+)\u00a0?%<\/span>/g
    return tables.map((table) => ({
      title: /<th scope="col">([\w ]+)<\/th>/.exec(table)?.[1],
      shown: [...table.matchAll(row)].map(([, isin, percent = '']) => ({
        isin,
        change: Number(percent.replace('\u2212', '-')),
      })),
    }))
  }

  it('shows the largest gains and losses of the newest day, as the list of funds has them, and leads to all', async () => {
    const fallen = folder.file('fallen')
    copyFileSync(db, folder.file('fallen.sqlite'))
    editDatabase(
      folder.file('fallen.sqlite'),
      `UPDATE price SET change_percent = -abs(change_percent) WHERE date = '${asOf}'
        AND isin IN (SELECT isin FROM fund ORDER BY isin LIMIT 6)`,
    )
    expect(await build(fallen, asOf, '--db', folder.file('fallen.sqlite'), ...forced)).toMatchObject({
      code: 0,
    })
    const { funds } = JSON.parse(read('funds/index.json', fallen)) as {
      funds: { isin: string; price: { date: string; change_percent: string | null } | null }[]
    }
    // Null for a fund younger than one year.
    const changes = funds.flatMap(({ price }) =>
      price?.date === asOf && price.change_percent !== null ? [Number(price.change_percent)] : [],
    )
    changes.sort((one, other) => other - one)
    const gains = changes.filter((change) => change > 0)
    const losses = changes.filter((change) => change < 0).toReversed()
    // As many of each, so that neither column has a hole.
    const rows = Math.min(5, gains.length, losses.length)
    expect(rows).toBeGreaterThan(2)
    // Each with the largest first.
    const tables = moversOf(fallen)
    expect(tables.map(({ title, shown }) => [title, ...shown.map(({ change }) => change)])).toEqual([
      ['Gains', ...gains.slice(0, rows)],
      ['Losses', ...losses.slice(0, rows)],
    ])
    for (const { isin, change } of tables.flatMap(({ shown }) => shown))
      expect(Number(funds.find((fund) => fund.isin === isin)?.price?.change_percent)).toBe(change)
    expect(read('index.html', fallen)).toContain('<h2>Largest price changes on 20\u00a0Nov\u00a02026</h2>')
    expect(read('index.html', fallen)).toContain(
      `<a class="button first" href="funds/index.html">All funds (${funds.length})</a>`,
    )
  })

  it.each([
    { day: 'risen', from: 0, to: 0, title: 'Gains' },
    { day: 'one-loss', from: 0, to: 1, title: 'Gains and losses' },
    { day: 'one-gain', from: 1, to: undefined, title: 'Gains and losses' },
    { day: 'fallen', from: 0, to: undefined, title: 'Losses' },
  ])(
    'has both columns for one list where few funds rose or fell: $day',
    async ({ day, from, to: end, title }) => {
      const listed = JSON.parse(read('funds/index.json')) as {
        funds: { isin: string; price: { date: string; change_percent: string | null } | null }[]
      }
      const comparable = listed.funds.filter(
        ({ price }) => price?.date === asOf && price.change_percent !== null,
      )
      expect(comparable.length).toBeGreaterThan(5)
      const falling = comparable.slice(from, end).map(({ isin }) => `'${isin}'`)
      const to = folder.file(`day-${day}`)
      copyFileSync(db, folder.file(`${day}.sqlite`))
      editDatabase(
        folder.file(`${day}.sqlite`),
        `UPDATE price SET change_percent = round(0.01 + abs(change_percent), 2) WHERE date = '${asOf}';
      UPDATE price SET change_percent = -change_percent WHERE date = '${asOf}' AND isin IN (${falling.join()})`,
      )
      expect(await build(to, asOf, '--db', folder.file(`${day}.sqlite`), ...forced)).toMatchObject({
        code: 0,
      })
      const { funds } = JSON.parse(read('funds/index.json', to)) as {
        funds: { price: { change_percent: string | null } | null }[]
      }
      const changes = funds.flatMap(({ price }) =>
        typeof price?.change_percent === 'string' ? [Number(price.change_percent)] : [],
      )
      // Gains before losses, each with the largest first.
      changes.sort((one, other) => Number(other > 0) - Number(one > 0) || Math.abs(other) - Math.abs(one))
      const [left, right, ...more] = moversOf(to)
      expect(more).toEqual([])
      expect([left?.title, right?.title]).toEqual([title, title])
      const rows = [left, right].map((table) => table?.shown.map(({ change }) => change) ?? [])
      expect(rows.flat()).toEqual(changes.slice(0, 10))
      expect([0, 1]).toContain((rows[0]?.length ?? NaN) - (rows[1]?.length ?? NaN))
    },
  )

  it('says that it has no change of a fund younger than one year, where there is such a fund', async () => {
    const grown = folder.file('grown')
    copyFileSync(db, folder.file('grown.sqlite'))
    editDatabase(
      folder.file('grown.sqlite'),
      `UPDATE fund SET fund_inception_date = '2025-11-01' WHERE fund_inception_date > '2025-11-01'`,
    )
    expect(await build(grown, asOf, '--db', folder.file('grown.sqlite'), ...forced)).toMatchObject({
      code: 0,
    })
    const note = 'Without funds that were launched less than one year ago.'
    const { funds } = JSON.parse(read('funds/index.json')) as { funds: { not_comparable: string | null }[] }
    expect(funds.some((fund) => fund.not_comparable === 'young')).toBe(true)
    expect(read('index.html')).toContain(note)
    expect(read('de.html')).toContain('Ohne Fonds, deren Auflegung weniger als ein Jahr zurückliegt.')
    expect(read('index.html', grown)).not.toContain(note)
  })

  it('draws the last year of each, which ends as much higher or lower as its distributions reinvested make it', () => {
    const database = new Database(db, { readonly: true })
    const rows = [
      ...read('index.html').matchAll(
        /<a href="funds\/([A-Z0-9]{12})\/index\.html">(?:(?!<\/tr>).)*?aria-label="1 year: (.*?)%".*?<path d="M(.*?)"\/>/gs,
      ),
    ]
    expect(rows.length).toBeGreaterThan(4)
    expect(read('index.html').match(/<td class="year">/g)).toHaveLength(rows.length)
    const worths = database.prepare<[string], { readonly date: string; readonly worth: number }>(
      `SELECT date, CAST(net_asset_value AS REAL) * coalesce((SELECT exp(sum(ln(1 + CAST(amount AS REAL) /
          (SELECT CAST(net_asset_value AS REAL) FROM price AS next WHERE next.isin = own.isin AND next.date >= ex_date ORDER BY date LIMIT 1))))
          FROM corporate_action AS own WHERE own.isin = price.isin AND kind = 'distribution' AND ex_date <= price.date), 1) AS worth
        FROM price WHERE isin = ? AND date >= '2025-11-20' ORDER BY date`,
    )
    for (const [, isin = '', percent = '', path = ''] of rows) {
      const year = worths.all(isin)
      const first = year[0]
      const last = year.at(-1)
      expect(first?.date).toBe('2025-11-20')
      const change = ((last?.worth ?? NaN) / (first?.worth ?? NaN) - 1) * 100
      expect({ isin, percent: Number(percent.replace('\u2212', '-')) }).toEqual({
        isin,
        percent: Number(change.toFixed(2)),
      })
      const points = path.split('L').map((point) => point.split(' ').map(Number))
      expect(points.length).toBeLessThanOrEqual(60)
      const depths = points.map(([, depth = NaN]) => depth)
      expect(Math.min(...depths)).toBe(0)
      expect(Math.max(...depths)).toBe(28)
      // Downwards is less.
      if (Math.abs(change) > 1)
        expect(Math.sign((depths[0] ?? NaN) - (depths.at(-1) ?? NaN))).toBe(Math.sign(change))
    }
    database.close()
  })

  it('has the newest prices with their days in place of changes that are long past', async () => {
    const later = folder.file('later')
    copyFileSync(db, folder.file('later.sqlite'))
    // Its price is not overdue, but as old.
    editDatabase(
      folder.file('later.sqlite'),
      `UPDATE fund SET suspended_from = '${asOf}' WHERE isin = (SELECT isin FROM price WHERE date = '${asOf}'
        GROUP BY isin ORDER BY max(abs(change_percent)) DESC LIMIT 1)`,
    )
    const built = await build(later, '2027-01-15', '--db', folder.file('later.sqlite'), ...forced)
    expect(built).toMatchObject({ code: 0 })
    const page = read('index.html', later)
    expect(page).not.toContain('price changes on')
    const [, shown = ''] = page.split('<h2>Newest prices</h2>')
    const rows = [...shown.matchAll(/<a href="funds\/([A-Z0-9]{12})\/index\.html">[^]*?<\/tr>/g)]
    expect(rows.length).toBeGreaterThan(4)
    const { funds } = JSON.parse(read('funds/index.json', later)) as {
      funds: { isin: string; not_comparable: string | null; price: { net_asset_value: string } | null }[]
    }
    for (const [row, isin] of rows) {
      const fund = funds.find((each) => each.isin === isin)
      expect(fund?.not_comparable).toBeNull()
      expect(row.replaceAll(',', '')).toContain(fund?.price?.net_asset_value)
      expect(row).toMatch(
        /<small class="mark (?:stale">stale|suspended">suspended)<[^]*<small>\d+\u00a0[A-Z][a-z]+\u00a02026</,
      )
    }
  })

  it('describes the data and their publisher for search engines', () => {
    const [catalogue, ...more] = linkedDataIn('index.html')
    expect(more).toEqual([])
    const publisher = {
      '@type': 'Organization',
      name: site.name,
      url: site.homePage,
      email: site.contact,
      logo: `${baseUrl}/docs/assets/logo.png`,
    }
    expect(catalogue).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      url: `${baseUrl}/index.html`,
      publisher,
      dataset: {
        '@type': 'Dataset',
        dateModified: asOf,
        creator: publisher,
        url: `${baseUrl}/downloads/latest/`,
      },
    })
    // Source: Google's rules for data sets.
    expect(String(catalogue?.['description']).length).toBeGreaterThan(50)
  })
})

it('the page of a fund names the company as its provider for search engines', () => {
  const key = filesIn(out).find((each) => /^funds\/[A-Z0-9]{12}\/de\.html$/.test(each)) ?? ''
  const fund = linkedDataIn(key).find((each) => each['@type'] === 'InvestmentFund')
  expect(fund).toMatchObject({
    identifier: expect.arrayContaining([
      { '@type': 'PropertyValue', propertyID: 'ISIN', value: key.slice(6, 18) },
    ]) as unknown,
    provider: { '@type': 'Organization', name: site.name, url: site.homePage },
    url: `${baseUrl}/${key}`,
  })
})

describe('the page in place of missing ones', () => {
  it.skipIf(lacks('xmllint')).each([
    ['not-found/index.html', 'Page not found'],
    ['not-found/de.html', 'Seite nicht gefunden'],
  ])(
    '%s works at any address: its links begin with the path of the site, and search engines leave it out',
    (key, heading) => {
      const { elements } = htmlOf(key)
      expect(elements.find(({ name }) => name === 'h1')?.text).toBe(heading)
      const targets = elements.flatMap(({ attributes }) => attributes['href'] ?? attributes['src'] ?? [])
      const own = targets.filter((target) => !/^(https:\/\/www\.example\.com|mailto:|#)/.test(target))
      expect(own.filter((target) => !target.startsWith('/data/'))).toEqual([])
      const files = own.map((target) =>
        target.slice('/data/'.length).replace('downloads/latest', `downloads/${asOf}`),
      )
      expect(files.filter((file) => !existsSync(join(out, file)))).toEqual([])
      expect(files.length).toBeGreaterThan(8)
      // An address that was that of a fund: the changes tell since when it is no longer published.
      expect(files.filter((file) => file.startsWith('changes/'))).toHaveLength(1)
      expect(read(key)).toContain('<meta name="robots" content="noindex" />')
      expect({ canonical: linksIn(key, 'canonical'), properties: propertiesOf(key) }).toEqual({
        canonical: [],
        properties: {},
      })
    },
  )
})

it('the footer of every page leads to the home page and to the terms of use, as the OpenAPI document does', () => {
  expect(JSON.parse(read('openapi.json'))).toMatchObject({ info: { termsOfService: site.terms } })
  for (const key of pagesOf()) {
    const [, footer = ''] = read(key).split('<footer')
    expect(footer).toContain('<a href="https://www.example.com">Muster &#38; Söhne KVG</a>')
    expect(footer).toMatch(
      /<a href="https:\/\/www\.example\.com\/terms" rel="terms-of-service">(Terms of use|Nutzungsbedingungen)<\/a>/,
    )
  }
})

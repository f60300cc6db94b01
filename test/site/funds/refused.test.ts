/** No page shows refused data in any form; hostile texts appear as text. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { create } from 'xmlbuilder2'
import { goodRows, insertGood, isinOf, makeDatabase, type Insert, type Row } from '../../support/database.ts'
import { mustRun, type Server, startServer, tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'

const asOf = '2024-05-03'
const dayAfter = '2024-05-04'
const hostileNames = [`</script><b>"&'</title>`, `=cmd|' /C calc'!A1`, '{{7*7}}<svg onload=alert(1)>']

const good = isinOf(1)
const denied = isinOf(2)
const pricesDenied = isinOf(3)
const performanceDenied = isinOf(4)
const young = isinOf(5)
const firstBirthday = isinOf(6)
const withoutRows = isinOf(7)
const onePrice = isinOf(8)
const hostile = hostileNames.map((_, index) => isinOf(20 + index))

/** Figures that are found again wherever they stand: no other figure of a page has these digits. */
const secrets = { nav: '777.31', oldNav: '722.13', percent: '44.17', percentRounded: '44.2' }

const folder = tempFolder()
let server: Server

beforeAll(async () => {
  makeDatabase(folder.file('funds.sqlite'), (insert) => {
    fund(insert, good, {})
    fund(insert, denied, { data_permitted: 0 })
    fund(insert, pricesDenied, { prices_permitted: 0 })
    fund(insert, performanceDenied, { performance_permitted: 0 })
    fund(insert, young, { fund_inception_date: '2023-05-05' })
    fund(insert, firstBirthday, { fund_inception_date: '2023-05-03' })
    insert('fund', { ...row(withoutRows), wkn: null, status_date: null })
    insert('fund', row(onePrice))
    insert('price', price(onePrice, '2024-05-02', '10.5'))
    for (const [index, name] of hostileNames.entries()) {
      insertGood(insert, hostile[index] ?? '', {
        fund: { name, wkn: name, url: `javascript:alert("${index}")` },
        structure_item: { name_de: name, name_en: name },
        key_figure: { name_de: name, name_en: null, value: name },
        legal_period: { label: name },
        profile: { category_de: name, category_en: name, benchmark: name },
        asset_allocation: { class_de: name, class_en: name },
      })
    }
  })
  for (const day of [asOf, dayAfter]) {
    const build = ['build', '--db', folder.file('funds.sqlite'), '--out', folder.file(day), '--as-of', day]
    // A launch line of 44.17 contradicts what a line starts at.
    const allowed = ['--allow', 'figure', '--reason', 'a secret is a figure']
    await mustRun([...build, '--quiet', ...allowed], { env: { FUNDPRESS_PAGES: 'true' } })
  }
  server = await startServer(folder.file(asOf))
  return async () => {
    await server.stop()
  }
})

const row = (isin: string): Row => ({ isin, ...goodRows['fund'], name: `Fund ${isin}` })
const amounts = (nav: string): Row => ({ issue_price: nav, repurchase_price: nav, net_asset_value: nav })
const percents: Row = { change_percent: secrets.percent, performance: secrets.percent }
const price = (isin: string, date: string, nav: string): Row => ({
  isin,
  date,
  change: '-0.50',
  ...amounts(nav),
  ...percents,
})

/** A fund with everything, whose prices and percents are the secrets. */
function fund(insert: Insert, isin: string, changed: Row): void {
  const percent = Number(secrets.percent)
  insertGood(insert, isin, {
    fund: { name: `Fund ${isin}`, ...changed },
    price: { ...amounts(secrets.nav), ...percents },
    performance_year: { percent },
    legal_period: { date_from: '2023-05-02', date_to: '2024-05-02', gross: percent, net: percent },
    legal_point: { value: percent },
    launch_point: { value: percent },
  })
  insert('price', price(isin, '2023-05-02', secrets.oldNav))
  insert('legal_point', { isin, date: '2024-03-29', value: percent })
  insert('launch_point', { isin, date: '2024-04-30', value: percent })
}

const pagesOf = (isin: string, day = asOf) =>
  ['de.html', 'index.html'].map((name) => readFileSync(join(folder.file(day), 'funds', isin, name), 'utf8'))

/** The entries of a fund in the lists. */
function listed(isin: string): readonly string[] {
  const read = (name: string) => readFileSync(join(folder.file(asOf), 'funds', name), 'utf8')
  const rowIn = (list: string) => list.split('<tr>').find((text) => text.includes(`"${isin}/`)) ?? ''
  const rows = ['index.html', 'de.html'].map((name) => rowIn(read(name)))
  const { funds } = JSON.parse(read('index.json')) as { readonly funds: readonly { readonly isin: string }[] }
  return [...rows, JSON.stringify(funds.find((entry) => entry.isin === isin) ?? '')]
}

/** Both notations. */
const shows = (text: string, figure: string) =>
  text.includes(figure) || text.includes(figure.replace('.', ','))

const said = (isin: string, figure: string) =>
  [...pagesOf(isin), ...listed(isin)].filter((text) => shows(text, figure))

it('shows all data of a fund with all permissions', () => {
  for (const figure of [secrets.nav, secrets.percent]) expect(said(good, figure)).toHaveLength(5)
  expect(said(good, secrets.oldNav)).toHaveLength(2)
})

it('has no page of a fund without permission, and does not list it', async () => {
  for (const path of ['index.html', ''])
    expect((await fetch(`${server.base}/funds/${denied}/${path}`)).status).toBe(404)
  const lists = ['index.html', 'de.html', 'index.json'].map((name) => join(folder.file(asOf), 'funds', name))
  expect(lists.filter((file) => readFileSync(file, 'utf8').includes(denied))).toEqual([])
  expect(existsSync(join(folder.file(asOf), 'funds', denied))).toBe(false)
})

it('shows neither prices nor values derived from them if prices are refused', () => {
  for (const figure of [secrets.nav, secrets.oldNav]) expect(said(pricesDenied, figure)).toEqual([])
  for (const page of pagesOf(pricesDenied)) {
    expect(page).not.toContain('id="nav"')
    expect(page).not.toMatch(/href="[^"]*prices-/)
    expect(page).not.toContain('nav.txt')
  }
})

it.each([
  ['refused', performanceDenied],
  ['not to be shown yet', young],
])('shows no percent, no change and no line if performance is %s', (_, isin) => {
  for (const figure of [secrets.percent, secrets.percentRounded, secrets.oldNav])
    expect(said(isin, figure)).toEqual([])
  expect(said(isin, secrets.nav)).toHaveLength(5)
  for (const page of pagesOf(isin)) {
    expect(page).not.toContain('data-points')
    expect(page).not.toMatch(/href="[^"]*performance-/)
  }
})

it('has the chart as an image of its own, which shows a line only where performance may be shown', () => {
  const image = (isin: string) => {
    const svg = readFileSync(join(folder.file(asOf), 'funds', isin, 'chart.svg'), 'utf8')
    const texts = create(svg)
      .filter(({ node }) => node.nodeName === 'text', true, true)
      .map(({ node }) => node.textContent ?? '')
    return { lines: svg.match(/<path /g)?.length ?? 0, text: texts.join('\n') }
  }
  expect(image(good)).toMatchObject({ lines: 1, text: expect.stringContaining(secrets.nav) as string })
  for (const isin of [performanceDenied, young, onePrice, withoutRows, pricesDenied])
    expect({ isin, lines: image(isin).lines }).toEqual({ isin, lines: 0 })
  expect(image(pricesDenied).text).not.toMatch(secrets.nav)
  expect(image(young).text).toContain('less than one year ago')
  for (const [index, name] of hostileNames.entries()) expect(image(hostile[index] ?? '').text).toContain(name)
})

it('says whether a fund is too young or its performance refused, and whether prices are missing or refused', () => {
  expect(pagesOf(young)[1]).toContain('less than one year ago')
  expect(pagesOf(performanceDenied)[1]).toContain('may not be shown')
  expect(pagesOf(performanceDenied)[1]).not.toContain('one year ago')
  expect(pagesOf(pricesDenied)[1]).toContain('Prices of this fund are not published')
  expect(pagesOf(withoutRows)[1]).toContain('No prices are available for this fund')
  const rows = readFileSync(join(folder.file(asOf), 'funds/index.html'), 'utf8').split('<tr>')
  const markOf = (isin: string) => {
    const row = rows.find((each) => each.includes(isin)) ?? ''
    return /<small>(without a price|not published)<\/small>/.exec(row)?.[1]
  }
  expect([pricesDenied, withoutRows, good].map(markOf)).toEqual([
    'not published',
    'without a price',
    undefined,
  ])
})

it('shows performance from the first birthday on', () => {
  expect(said(firstBirthday, secrets.percent)).toHaveLength(5)
})

it('makes the same pages on another day, except for a fund that has its birthday', () => {
  const isins = readdirSync(join(folder.file(asOf), 'funds')).filter((name) => name.startsWith('XF'))
  const changed = isins.filter((isin) => pagesOf(isin).join('') !== pagesOf(isin, dayAfter).join(''))
  expect(isins).toHaveLength(10)
  expect(changed).toEqual([])
})

it('has a page of a fund without any rows, and shows the price but no line of a fund with one price', () => {
  for (const page of pagesOf(withoutRows)) {
    expect(page).toContain(`<h1><bdi>Fund ${withoutRows}</bdi></h1>`)
    expect(page).not.toMatch(/NaN|undefined|null|Infinity/)
  }
  for (const page of pagesOf(onePrice)) {
    expect(shows(page, '10.5')).toBe(true)
    expect(page).not.toContain('id="nav"')
  }
})

/** Tags, texts and links of pages by Python's parser. */
function parsed(...files: readonly string[]): readonly Parsed[] {
  const script = `
import html.parser, json, sys
class P(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.tags = []; self.texts = []; self.links = []; self.handlers = []
    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [v for k, v in attributes if k in ('href', 'src')]
        self.handlers += [k for k, v in attributes if k.startswith('on') or k == 'style']
    def handle_data(self, data): self.texts.append(data)
def parsed(file):
    p = P(); p.feed(open(file, encoding='utf-8').read())
    return {'tags': p.tags, 'texts': p.texts, 'links': p.links, 'handlers': p.handlers}
print(json.dumps([parsed(file) for file in sys.argv[1:]]))`
  const paths = files.map((file) => join(folder.file(asOf), 'funds', file))
  return JSON.parse(execFileSync('python3', ['-c', script, ...paths], { encoding: 'utf8' })) as Parsed[]
}

type Parsed = Readonly<Record<'tags' | 'texts' | 'links' | 'handlers', readonly string[]>>

it.skipIf(lacks('python3')).each(hostileNames.map((name, index) => [name, hostile[index] ?? ''] as const))(
  'shows the name %s as text, on the pages of its fund, in the lists and in the markup for search engines',
  (name, isin) => {
    const files = [`${good}/index.html`, `${isin}/index.html`, `${isin}/de.html`, 'index.html']
    const [sober, english, german, list] = parsed(...files)
    for (const page of [english, german]) {
      expect(page?.tags.filter((tag) => !sober?.tags.includes(tag))).toEqual([])
      expect(page?.handlers).toEqual([])
      expect(page?.links.filter((link) => /^\s*javascript:/i.test(link))).toEqual([])
      // The heading, the category, and what a structure, a figure and an allocation are called.
      expect(page?.texts.filter((text) => text.trim() === name).length).toBeGreaterThanOrEqual(5)
    }
    const markup = english?.texts.find((text) => text.includes('"@context"')) ?? '{}'
    expect((JSON.parse(markup) as { readonly name: string }).name).toBe(name)
    expect(list?.texts).toContain(name)
    expect(listed(isin)[2]).toContain(`"name":${JSON.stringify(name)}`)
  },
)

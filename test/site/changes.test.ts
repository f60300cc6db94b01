/** The pages of changes: what they say, and that every link leads to a file of the snapshot. */
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DayChanges, SnapshotChanges } from '../../src/core/api/contract/changes.ts'
import { documentKinds, endReasons } from '../../src/core/api/contract/rows.ts'
import { toldTables, untoldColumns } from '../../src/core/bucket/changes/data.ts'
import { schemaTables } from '../../src/core/data/model/schema.ts'
import { type Page, siteParts } from '../../src/core/api/contract/page.ts'
import { withPublish } from '../../src/extensions/changes/history.ts'
import { changeFeeds } from '../../src/extensions/changes/feed.ts'
import { dayMarkup } from '../../src/extensions/changes/day.ts'
import { changesPages, noHistory } from '../../src/extensions/changes/pages.ts'
import { dataName } from '../../src/extensions/changes/data-words.ts'
import {
  countsOf,
  describeChanges,
  differenceOf,
  endIn,
  headingsOf,
} from '../../src/extensions/changes/words.ts'
import { isinOf } from '../support/database.ts'
import { readHtml } from '../support/html.ts'
import { lacks } from '../support/programs.ts'

const asOf = '2026-11-20'
const noPages = { pageOf: () => null, list: null, names: null }
const baseUrl = 'https://api.example.org'
const fund = { isin: 'DE0008471400', name: 'Fonds A & B' }
const counts = { added: 0, removed: 0, changed: 0 }

/** Nothing changed, but for this. */
const changes = (
  prices: Partial<SnapshotChanges['prices']> = {},
  funds: Partial<SnapshotChanges['funds']> = {},
  data: SnapshotChanges['other_data'] = { values: 0, funds: 0, changed: [] },
): SnapshotChanges => ({
  format: 1,
  as_of: asOf,
  snapshot: `${asOf}-3f9c2ab4d1e0`,
  before: { as_of: '2026-11-19', snapshot: '2026-11-19-3f9c2ab4d1e0' },
  funds: {
    total: 3,
    overdue: 0,
    stale: 0,
    held_back: 0,
    added: [],
    removed: [],
    renamed: [],
    ending: [],
    suspended: [],
    ...funds,
  },
  documents: counts,
  endpoints: [],
  prices: {
    counts: { corrected: 0, added: 0, removed: 0 },
    totals: { funds_with_new: 0, corrected_prices: 0, corrected_funds: 0 },
    corrected: [],
    added: [],
    removed: [],
    ...prices,
  },
  other_data: data,
  not_compared: [],
})
const corrected = {
  counts: { corrected: 1, added: 0, removed: 0 },
  totals: { funds_with_new: 1412, corrected_prices: 1, corrected_funds: 1 },
  corrected: [{ ...fund, date: '2026-11-02', item: 'net_asset_value', before: '1234.50', after: null }],
}

it.each([
  [
    '412 funds with new prices',
    '412 Fonds mit neuen Preisen',
    changes({ totals: { funds_with_new: 412, corrected_prices: 0, corrected_funds: 0 } }),
  ],
  [
    '1 price of 1 fund corrected, 1,412 funds with new prices',
    '1 Preis von 1 Fonds korrigiert, 1.412 Fonds mit neuen Preisen',
    changes(corrected),
  ],
  [
    '1 fund no longer published, 2 new funds, 1 fund renamed',
    '1 Fonds nicht mehr veröffentlicht, 2 neue Fonds, 1 Fonds umbenannt',
    changes(
      {},
      {
        added: [fund, { isin: 'DE0008471418', name: null }],
        removed: [fund],
        renamed: [{ isin: fund.isin, before: 'x', after: 'y' }],
      },
    ),
  ],
  ['Nothing changed', 'Keine Änderungen', changes()],
  ['Other data changed', 'Andere Daten geändert', { ...changes(), documents: { ...counts, changed: 1 } }],
  ['First publication: 3 funds', 'Erste Veröffentlichung: 3 Fonds', { ...changes(), before: null }],
])('says what happened, corrections first: %s', (english, german, what) => {
  expect({ en: describeChanges(what, 'en').title, de: describeChanges(what, 'de').title }).toEqual({
    en: english,
    de: german,
  })
})

it.each([
  ['101.20', '101.25', '+0.05%'],
  ['101.20', '100.00', '−1.19%'],
  ['398.29', '398.30', '+0.0025%'],
  ['200000.00', '200000.01', '+0.0000050%'],
  ['153000000.123456', '153000001.123456', '+0.00000065%'],
  ['101.2', '101.20', '0.00%'],
])('says how much a correction moves an amount, however little: %s to %s', (before, after, said) => {
  expect(differenceOf({ item: 'net_asset_value', before, after }, 'en')).toBe(said)
})

it('says what changed also if no price and no fund did, so that no entry of a feed is empty', () => {
  const endpoints = [
    { endpoint: 'figures', ...counts, changed: 1200, added: 2 },
    { endpoint: 'emt', added: 0, removed: 1, changed: 0 },
  ]
  const what = { ...changes(), documents: { added: 2, removed: 1, changed: 1200 }, endpoints }
  expect(describeChanges(what, 'en').lines).toEqual([
    'figures: 1,200 documents changed, 2 documents added',
    'emt: 1 document removed',
  ])
  expect(describeChanges(what, 'de').lines).toEqual([
    'figures: 1.200 Dokumente geändert, 2 Dokumente ergänzt',
    'emt: 1 Dokument entfallen',
  ])
  expect(describeChanges({ ...what, endpoints: [] }, 'en').lines).toEqual([
    '1,200 documents changed, 2 documents added, 1 document removed',
  ])
  expect(describeChanges(changes(), 'de').lines).toEqual(['Keine Änderungen'])
})

it('lists what happened, one statement each, without numbers of documents', () => {
  const endpoints = [{ endpoint: 'pages', ...counts, changed: 64 }]
  const what = {
    ...changes(corrected),
    documents: { ...counts, changed: 64 },
    endpoints,
    not_compared: ['x.json'],
  }
  expect(describeChanges(what, 'en').lines).toEqual([
    '1 price of 1 fund corrected',
    'Fonds A & B (DE0008471400) 2\u00a0Nov\u00a02026, Net asset value (NAV) per share: 1,234.50 → none',
    '1,412 funds with new prices',
    'The changes of 1 file are not known',
  ])
})

describe.each([
  ['with pages', false],
  ['without pages', true],
] as const)('a snapshot %s', (_, isAlone) => {
  const site = { baseUrl, publisher: null, isAlone, parts: siteParts }
  const day: DayChanges = {
    ...changes(corrected, { removed: [fund] }),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const history = withPublish(noHistory, day, { sha256: '', bytes: 1 })
  const pages = textsOf(changesPages(history, site, []))

  it('has a page over all days, in both languages, and what a script adds of a day', () => {
    const keys = ['changes/index.html', 'changes/de.html']
    expect([...pages.keys()].sort()).toEqual(keys.toSorted())
    const [index, indexDe] = keys.map((key) => pages.get(key) ?? '')
    const [ofDay, ofDayDe] = (['en', 'de'] as const).map(
      (language) => dayMarkup(day, language, noPages).markup,
    )
    expect(index).toContain('1 price of 1 fund corrected')
    expect(indexDe).toContain('20.11.2026')
    expect(ofDay).toContain('1,234.50')
    // The chip leads to its section, also that of new prices, which names no fund.
    for (const kind of ['corrected', 'removed', 'newPrices']) {
      expect(ofDay).toContain(`href="#day-${asOf}-1-${kind}"`)
      expect(ofDay).toContain(`<h2 id="day-${asOf}-1-${kind}">`)
    }
    expect(ofDay).toContain('<td>2\u00a0Nov\u00a02026</td><td>Net asset value (NAV) per share</td>')
    expect(ofDayDe).toContain('1.234,50')
    expect(ofDayDe).toContain('Nettoinventarwert (NAV) je Anteil')
    expect(ofDayDe).toContain('Fonds A &#38; B')
  })

  it.skipIf(lacks('xmllint'))(
    'leads nowhere but to pages of the snapshot, its own, and places on them',
    () => {
      const feeds = changeFeeds(history, { baseUrl, publisher: null }, asOf).map(({ key }) => key)
      const elsewhere = isAlone
        ? ['status/']
        : ['funds/', 'docs/', 'downloads/latest/', 'status/', 'compare/', 'index.html', 'de.html']
      assertLinksLead(pages, ['changes/index.json', `changes/${asOf}.json`, ...feeds], elsewhere)
    },
  )
})

/** @param files other keys @param elsewhere beginnings of keys that are there */
function assertLinksLead(
  pages: ReadonlyMap<string, string>,
  files: readonly string[],
  elsewhere: readonly string[],
): void {
  for (const [key, text] of pages) {
    const { elements } = readHtml(text)
    const targets = elements.flatMap(({ attributes }) => attributes['href'] ?? [])
    for (const target of targets) {
      const [path = '', id] = target.replace(/^[?]day=[-\d]+/, '').split('#')
      if (/^(https?:|mailto:)/.test(target)) continue
      // A page of all days for those without scripts.
      const to = path === '' ? key : posix.join(posix.dirname(key), path)
      const isThere = pages.has(to) || files.includes(to) || elsewhere.some((other) => to.startsWith(other))
      expect({ key, target, isThere }).toEqual({ key, target, isThere: true })
      if (id !== undefined && pages.has(to)) expect(pages.get(to)).toContain(`id="${id}"`)
    }
  }
}

const textsOf = (pages: readonly Page[]) => new Map(pages.map(({ key, content }) => [key, String(content)]))

describe('data other than prices', () => {
  const row = { ...fund, table: 'profiles' }
  const other = { isin: 'DE0008471418', name: null }
  const data: SnapshotChanges['other_data'] = {
    values: 7,
    funds: 2,
    changed: [
      { ...row, item: 'benchmark' },
      { ...row, item: 'performance_fee', before: '0', after: '1' },
      { ...row, item: 'total_expense_ratio', before: '1.5', after: '1.99' },
      { ...row, table: 'emt', item: 'ongoing_costs', before: null, after: '0.0158' },
      { ...row, table: 'structures', item: 'countries' },
      { ...row, table: 'structures', item: 'industries' },
      { ...other, table: 'documents', item: 'factsheet', language: 'de', before: '2026-01-02', after: null },
    ],
  }
  const ending = [{ ...other, last_day: '2026-12-31', reason: 'merged' as const, successor: fund }]
  const what = changes({}, { ending }, data)
  const day: DayChanges = { ...what, publish: 1, published: `${asOf}T17:04:05Z`, earlier: [] }

  it('are told in the words and figures of each language', () => {
    expect(describeChanges(what, 'en')).toEqual({
      title: 'Merger of 1 fund, 2 funds with other changed data',
      lines: [
        'Merger of 1 fund',
        'DE0008471418: Merger on 31\u00a0Dec\u00a02026 into Fonds A & B (DE0008471400)',
        '2 funds with other changed data',
        'Fonds A & B (DE0008471400): Benchmark changed, Performance fee no → yes, Total expense ratio (TER) 1.5% → 1.99%, ' +
          'Ongoing costs none → 1.58%, Investment structure changed',
        'DE0008471418: Factsheet (DE) 2\u00a0Jan\u00a02026 → removed',
      ],
    })
    const german = describeChanges(what, 'de').lines
    expect(german[1]).toContain('Verschmelzung am 31.12.2026 auf Fonds A & B')
    expect(german[3]).toContain('Gesamtkostenquote (TER) 1,5\u00a0% → 1,99\u00a0%')
  })

  it('say when a fund is suspended, and that it is not any more, with a chip and a line', () => {
    const suspended = [
      { ...fund, from: '2026-11-18', to: null },
      { ...other, from: '2026-11-18', to: '2026-12-01' },
      { ...other, isin: 'DE0008471426', from: null, to: null },
    ]
    const night = changes({}, { suspended })
    expect(describeChanges(night, 'en').lines.map((line) => line.replaceAll('\u00a0', ' '))).toEqual([
      'Suspension of 2 funds, 1 fund no longer suspended',
      'Fonds A & B (DE0008471400): Suspended from 18 Nov 2026',
      'DE0008471418: Suspended from 18 Nov 2026 to 1 Dec 2026',
      'DE0008471426: No longer suspended',
    ])
    expect(describeChanges(night, 'de').lines).toEqual([
      'Aussetzung von 2 Fonds, 1 Fonds nicht mehr ausgesetzt',
      'Fonds A & B (DE0008471400): Ausgesetzt ab 18.11.2026',
      'DE0008471418: Ausgesetzt vom 18.11.2026 bis zum 01.12.2026',
      'DE0008471426: Nicht mehr ausgesetzt',
    ])
    const { markup } = dayMarkup({ ...day, ...night }, 'en', noPages)
    expect(markup).toContain(`href="#day-${asOf}-1-suspended"`)
    expect(markup).toContain(
      `<h2 id="day-${asOf}-1-suspended">Suspension of 2 funds, 1 fund no longer suspended</h2>`,
    )
    const published = { ...night, publish: 1, published: `${asOf}T17:04:05Z`, earlier: [] }
    const history = withPublish(noHistory, published, { sha256: '', bytes: 0 })
    const site = { baseUrl, publisher: null, isAlone: true, parts: siteParts }
    const page = textsOf(changesPages(history, site, [])).get('changes/index.html') ?? ''
    expect(page.match(/>Suspended from/g)?.length).toBe(4)
    expect(page).toContain('No longer suspended')
    expect(page).toContain('Suspension of 2 funds, 1 fund no longer suspended</span>')
  })

  it('say of each reason how many funds end, the first time as later; of more than are named, their number', () => {
    const ending = [...endReasons, 'merged' as const, null].map((reason, index) => ({
      isin: isinOf(index),
      name: null,
      last_day: '2026-12-31',
      reason,
    }))
    const cancelled = { isin: isinOf(9), name: null, last_day: null, reason: null }
    const what = changes({}, { ending: [...ending, cancelled] })
    expect(describeChanges(what, 'en').title).toBe(
      'Liquidation of 1 fund, maturity of 1 fund, merger of 2 funds, end of 1 fund, end of 1 fund cancelled',
    )
    expect(describeChanges(what, 'de').title).toBe(
      'Auflösung von 1 Fonds, Laufzeitende von 1 Fonds, Verschmelzung von 2 Fonds, Ende von 1 Fonds, Ende von 1 Fonds aufgehoben',
    )
    const { ending: heading } = headingsOf(countsOf(what), { ending, suspended: [] }, 'en')
    expect(heading).toBe('6 funds with a new or changed end date')
  })

  it('say of each reason how a fund ends, and that it does not any more', () => {
    const ends = [...endReasons, null].map((reason) => ({ last_day: '2026-12-31', reason }))
    expect(ends.map((end) => endIn(end, 'en'))).toEqual([
      'Liquidation on 31\u00a0Dec\u00a02026',
      'Maturity on 31\u00a0Dec\u00a02026',
      'Merger on 31\u00a0Dec\u00a02026',
      'End on 31\u00a0Dec\u00a02026',
    ])
    expect(endIn({ last_day: null, reason: null }, 'de')).toBe('Kein Ende mehr')
  })

  it('have a row each on the page of their day, under a heading that the chip leads to', () => {
    const { markup } = dayMarkup(day, 'en', noPages)
    for (const [kind, heading] of [
      ['ending', 'Merger of 1 fund'],
      ['data', '2 funds with other changed data'],
    ] as const) {
      expect(markup).toContain(`href="#day-${asOf}-1-${kind}"`)
      expect(markup).toContain(`<h2 id="day-${asOf}-1-${kind}">${heading}</h2>`)
    }
    expect(markup.match(/<tr\b/g)).toHaveLength(7)
  })

  it('have their values in the list of funds, the first three, without what changes in the course of things', () => {
    const history = withPublish(noHistory, day, { sha256: '', bytes: 1 })
    const site = { baseUrl, publisher: null, isAlone: false, parts: siteParts }
    const textOf = (key: string) =>
      (textsOf(changesPages(history, site, [])).get(key) ?? '').replaceAll(/<[^>]*>/g, '')
    const page = textOf('changes/index.html')
    expect(page).toContain('Benchmark: changed')
    expect(page).toContain('Total expense ratio (TER): 1.5% → 1.99%')
    expect(page).toContain('1 more change')
    expect(page).toContain('Merger on 31\u00a0Dec\u00a02026 into Fonds A &#38; B')
    expect(page).not.toContain('Investment structure')
    expect(textOf('changes/de.html')).toContain('Factsheet (DE): 02.01.2026 → entfernt')
  })

  it('are of tables and columns that the database has, by the names that the downloads give them', () => {
    const tables = Object.values(schemaTables)
    const names = new Map(tables.map(({ name, download }) => [name, download.name]))
    expect([...toldTables].filter(([table, download]) => names.get(table) !== download)).toEqual([])
    const columns = tables.flatMap((table) => table.columns.map(({ name }) => `${table.name}.${name}`))
    expect([...untoldColumns].filter((column) => !columns.includes(column))).toEqual([])
  })

  it('have a name in both languages, whatever column or kind of rows it is', () => {
    const parts = [...documentKinds, 'distribution', 'split']
    const columns = ['fund', 'profile', 'emt'].flatMap((name) =>
      Object.values(schemaTables)
        .filter((table) => table.name === name)
        .flatMap((table) => table.columns.map((column) => column.name)),
    )
    const untold = /^(isin|name|status_date|.*_permitted|end_.*|(total_)?fund_assets)$/
    for (const item of [...parts, ...columns.filter((name) => !untold.test(name))])
      for (const language of ['en', 'de'] as const)
        expect({ item, name: dataName({ table: 'x', item }, language) }).not.toEqual({ item, name: 'X' })
  })
})

it('names by fund only those that a long list of corrections has in the list of its day', () => {
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    isin: `DE${String(Math.floor(index / 10)).padStart(10, '0')}`,
    name: null,
    item: 'change',
    date: `2026-11-${10 + (index % 10)}`,
    before: '1',
    after: '2',
  }))
  const counts = { ...corrected.counts, corrected: 15_000 }
  const totals = { ...corrected.totals, corrected_prices: 15_000, corrected_funds: 500 }
  const many = changes({ corrected: rows, counts, totals })
  const day: DayChanges = { ...many, publish: 1, published: `${asOf}T17:04:05Z`, earlier: [] }
  const history = withPublish(noHistory, day, { sha256: '', bytes: 1 })
  const { markup } = dayMarkup(day, 'en', { ...noPages, pageOf: (isin: string) => `../funds/${isin}/` })
  const shown = [...markup.matchAll(/<a id="([A-Z0-9]{12})" href="\.\.\/funds\/\1\/">/g)].map(
    ([, isin]) => isin,
  )
  expect(history.nights[0]?.funds?.map(({ isin }) => isin)).toEqual(shown)
  expect(history.nights[0]?.funds).toHaveLength(100)
  // As many as the file has: it has not all of them.
  expect(markup).toContain('2,000 more rows are in the JSON file')
})

it('tells what became of a merged fund, whose page stays for a year, and links to no fund that is gone', () => {
  const survivor = { isin: 'DE0008471418', name: 'Fonds C' }
  const gone = { ...fund, successor: survivor }
  const what: DayChanges = {
    ...changes(corrected, { removed: [gone] }),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const site = { baseUrl, publisher: null, isAlone: false, parts: siteParts }
  const history = withPublish(noHistory, what, { sha256: '', bytes: 1 })
  const pageWith = (merged: readonly string[]) =>
    textsOf(changesPages(history, site, merged)).get('changes/index.html') ?? ''
  const page = pageWith([])
  expect(page).toContain(`merged into <a href="../funds/${survivor.isin}/index.html"><bdi>Fonds C</bdi></a>`)
  expect(page).not.toContain(`funds/${fund.isin}/`)
  expect(page).toContain(`data-gone="${fund.isin}"`)
  const withPage = pageWith([fund.isin])
  expect(withPage).toContain(`href="../funds/${fund.isin}/index.html"><bdi>Fonds A &#38; B</bdi></a>`)
  expect(withPage).toContain('data-gone=""')
  const lines = describeChanges(what, 'de').lines
  expect(lines).toContain('Fonds A & B (DE0008471400): verschmolzen auf Fonds C (DE0008471418)')
})

it('has one row for funds with the same change, and a row each for two of them and for other funds', () => {
  const alike = [1, 2, 3, 4].map((number) => ({
    isin: isinOf(number),
    name: `Fonds ${number}`,
    date: '2026-11-02',
  }))
  const others = [5, 6].map((number) => ({
    isin: isinOf(number),
    name: `Fonds ${number}`,
    date: '2026-11-03',
  }))
  const removed = [...alike, ...others]
  const what: DayChanges = {
    ...changes({ counts: { corrected: 0, added: 0, removed: removed.length }, removed }, { added: [fund] }),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const history = withPublish(noHistory, what, { sha256: '', bytes: 1 })
  const site = { baseUrl, publisher: null, isAlone: false, parts: siteParts }
  const page = textsOf(changesPages(history, site, [])).get('changes/index.html') ?? ''
  const rowsOf = (kind: string) =>
    (new RegExp(`<table class="[^"]*${kind}">.*?</table>`, 's').exec(page)?.[0] ?? '')
      .split('<tr>')
      .slice(2)
      .map((row) =>
        row
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
  const names = [...alike, ...others].map(({ name, isin }) => `${name} ${isin}`)
  // On the page of all days the six have lost a price each, on whatever day.
  expect(rowsOf('changed')).toEqual([
    `6 funds ${names.join(' ')} 1 past price removed`,
    `Fonds A &#38; B ${fund.isin} New`,
  ])
  expect(rowsOf('by-fund').toSorted()).toEqual(
    [
      `${names.join(' ')} 20\u00a0Nov\u00a02026 : 1 past price removed`,
      `Fonds A &#38; B ${fund.isin} 20\u00a0Nov\u00a02026 : New`,
    ]
      .map((text) => text.replaceAll('\u00a0', ' '))
      .toSorted(),
  )
  for (const { isin } of [...alike, ...others]) expect(page).toContain(`id="${isin}"`)
  // On that of the day, four have lost that of the same day.
  const { markup } = dayMarkup(what, 'en', noPages)
  const days = /<table class="days">.*?<\/table>/s.exec(markup)?.[0] ?? ''
  expect(days.split('<tr>').slice(2)).toHaveLength(3)
  for (const { isin } of [...alike, ...others]) expect(markup).toContain(`id="${isin}"`)
})

it('tells of funds that are gone, end or are suspended before new and renamed ones, everywhere in this order', () => {
  const named = (number: number) => ({ isin: isinOf(number), name: `Fonds ${number}` })
  const what: DayChanges = {
    ...changes(
      {},
      {
        added: [named(1)],
        renamed: [{ isin: isinOf(2), before: 'x', after: 'Fonds 2' }],
        suspended: [{ ...named(3), from: asOf, to: null }],
        ending: [{ ...named(4), last_day: asOf, reason: null }],
        removed: [named(5)],
      },
    ),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const { title } = describeChanges(what, 'en')
  expect(title.split(', ')).toEqual([
    '1 fund no longer published',
    'end of 1 fund',
    'suspension of 1 fund',
    '1 new fund',
    '1 fund renamed',
  ])
  const { markup } = dayMarkup(what, 'en', noPages)
  const headings = [...markup.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(headings.map((text) => text?.toLowerCase())).toEqual(title.toLowerCase().split(', '))
  const history = withPublish(noHistory, what, { sha256: '', bytes: 1 })
  const site = { baseUrl, publisher: null, isAlone: true, parts: siteParts }
  const page = textsOf(changesPages(history, site, [])).get('changes/index.html') ?? ''
  const rows = /<table class="carded changed">.*?<\/table>/s.exec(page)?.[0].matchAll(/Fonds (\d)/g) ?? []
  expect([...rows].map(([, number]) => Number(number))).toEqual([5, 4, 3, 1, 2])
})

it('has funds of the same change in the order of their names, everywhere', () => {
  const names = ['Zeta', 'Ökofonds', 'alpha', 'Beta']
  const added = names.map((name, index) => ({ isin: isinOf(index), name }))
  const what: DayChanges = {
    ...changes(
      {},
      {
        added: added.slice(0, 2),
        suspended: added.slice(2).map((one) => ({ ...one, from: asOf, to: null })),
      },
    ),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const namesIn = (text: string) => [...text.matchAll(/<bdi[^>]*>([^<]*)</g)].map(([, name]) => name)
  expect(namesIn(dayMarkup(what, 'en', noPages).markup)).toEqual(['alpha', 'Beta', 'Ökofonds', 'Zeta'])
  const history = withPublish(noHistory, what, { sha256: '', bytes: 1 })
  const site = { baseUrl, publisher: null, isAlone: true, parts: siteParts }
  const page = textsOf(changesPages(history, site, [])).get('changes/index.html') ?? ''
  const [ofDay = '', byFund = ''] = page.split('id="funds"')
  expect(namesIn(ofDay)).toEqual(['alpha', 'Beta', 'Ökofonds', 'Zeta'])
  expect(namesIn(byFund)).toEqual(['alpha', 'Beta', 'Ökofonds', 'Zeta'])
  // Folded: the days above tell the same.
  expect(byFund.split('<table')[0]).toMatch(
    /<details class="folded">\s*<summary><span>4 funds<\/span><\/summary>/,
  )
})

it('says what was checked and released by the name of its fund, and never names a guard', () => {
  const allowed = [
    { guard: 'price-jump', subject: fund.isin, reason: 'The market fell' },
    { guard: 'price-correction', subject: fund.isin, reason: 'The market fell' },
    { guard: 'changed-prices', subject: null, reason: 'Split' },
    { guard: 'lost-rows', subject: 'legal_point', reason: 'Split' },
  ]
  const what: DayChanges = {
    ...changes(corrected),
    allowed,
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const told = {
    en: [
      'Checked and released: Fonds A & B (DE0008471400). Reason: The market fell',
      'Checked and released. Reason: Split',
    ],
    de: [
      'Geprüft und freigegeben: Fonds A & B (DE0008471400). Grund: The market fell',
      'Geprüft und freigegeben. Grund: Split',
    ],
  }
  const history = withPublish(noHistory, what, { sha256: '', bytes: 1 })
  for (const language of ['en', 'de'] as const) {
    expect(describeChanges(what, language).lines.slice(-2)).toEqual(told[language])
    const { markup } = dayMarkup(what, language, noPages)
    const [feed] = changeFeeds(history, { baseUrl, publisher: null }, asOf)
    const page = textsOf(
      changesPages(history, { baseUrl, publisher: null, isAlone: true, parts: siteParts }, []),
    )
    for (const line of told[language])
      expect(page.get(language === 'en' ? 'changes/index.html' : 'changes/de.html')).toContain(
        line.replace('&', '&#38;'),
      )
    for (const text of [markup, String(feed?.content)])
      expect(text).not.toMatch(/price-jump|price-correction|changed-prices|lost-rows|legal_point/)
  }
})

it('has no empty table for prices that may no longer be given out', () => {
  const cut = {
    ...changes({ ...corrected, corrected: [] }),
    publish: 1,
    published: `${asOf}T17:04:05Z`,
    earlier: [],
  }
  const { markup } = dayMarkup(cut, 'en', noPages)
  expect(markup).toContain('1 price of 1 fund corrected')
  expect(markup).not.toContain('<table')
})

it('says before the first publish that nothing is published yet, with a feed without entries', () => {
  const pages = textsOf(
    changesPages(noHistory, { baseUrl, publisher: null, isAlone: true, parts: siteParts }, []),
  )
  const page = pages.get('changes/index.html')
  const german = pages.get('changes/de.html')
  expect(page).toContain('Nothing has been published yet')
  expect(german).toContain('Noch wurde nichts veröffentlicht')
  expect(page).not.toContain('index.json')
  const feeds = changeFeeds(noHistory, { baseUrl, publisher: null }, asOf)
  for (const { content } of feeds) {
    expect(content).toContain(`<updated>${asOf}T00:00:00Z</updated>`)
    expect(content).not.toContain('<entry>')
  }
})

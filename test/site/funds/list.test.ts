/** The list of funds as it is made. */
import { expect, it } from 'vitest'
import type { FundEntry, SitePageSource } from '../../../src/core/api/contract/page.ts'
import { cataloguePages } from '../../../src/extensions/site/funds/list.ts'

const fund: FundEntry = {
  isin: 'DE0008471400',
  wkn: null,
  name: 'Fonds',
  currency: 'EUR',
  newest: null,
  noPrice: 'unpriced',
  overdue: null,
  state: null,
  announced: [],
  inceptionDate: '2015-05-04',
  endDate: null,
  endReason: null,
  successor: null,
  categoryDe: null,
  categoryEn: null,
  accumulating: null,
  totalExpenseRatio: null,
  totalFundAssets: null,
  srri: null,
  notComparable: 'no_prices',
  returns: { oneYear: null, threeYears: null, fiveYears: null },
}

const figures = [
  ...['Net asset value', 'Date', 'Day change', '1 year', '3 years', '5 years'],
  ...['Fund assets in\u00a0millions', 'Income', 'Costs (TER)', 'Risk (1–\u20607)'],
]

it.each([
  [['Fund', 'ISIN'], [fund]],
  [
    ['Fund', 'ISIN', 'WKN'],
    [fund, { ...fund, wkn: '847140' }],
  ],
])('has a column for WKNs only if a fund has one: %s', (first, funds) => {
  const columns = [...first, ...figures]
  const source: Partial<SitePageSource> = { asOf: '2026-11-20', baseUrl: 'https://funds.example', funds }
  const [page] = cataloguePages({ ...source, parts: ['funds'], publisher: null } as SitePageSource)
  const [, table = ''] = String(page?.content).split('<table')
  expect([...table.matchAll(/<th scope="col"[^>]*><span>([^<]*)/g)].map(([, name]) => name)).toEqual(columns)
  const rows = table.split('<tr>').slice(2)
  for (const row of rows) expect(row.match(/<t[dh]/g)).toHaveLength(columns.length)
})

const textOf = (funds: readonly FundEntry[]) => {
  const source: Partial<SitePageSource> = { asOf: '2026-11-20', baseUrl: 'https://funds.example', funds }
  const [page] = cataloguePages({ ...source, parts: ['funds'], publisher: null } as SitePageSource)
  return String(page?.content).replaceAll('\u00a0', ' ')
}

it('names the day on which a reported year ends before the price, below the list and at the figure', () => {
  const newest = { date: '2026-11-20', nav: '100.00', changePercent: '0.10' }
  const pricedOver = (until: string | null): FundEntry => ({
    ...fund,
    newest,
    notComparable: null,
    returns: { oneYear: { percent: '4.15', until }, threeYears: null, fiveYears: null },
  })
  const priced = pricedOver(null)
  const early = pricedOver('2026-11-17')
  const earlier = pricedOver('2026-11-16')
  expect(textOf([priced])).not.toContain('reported performance ends')
  expect(textOf([priced])).not.toContain('title="to ')
  const one = textOf([priced, early])
  expect(one).toContain('The reported performance ends on 17 Nov 2026.')
  expect(one.match(/<span title="to 17 Nov 2026">\+4\.15/g)).toHaveLength(1)
  const two = textOf([early, earlier])
  expect(two).toContain('The reported performance ends between 16 Nov 2026 and 17 Nov 2026')
})

it('explains the dash in place of a change only where there is one, by what may not be shown', () => {
  const young = 'launched less than one year ago, no performance is shown'
  const denied = 'prices or performance may not be shown'
  expect(textOf([fund])).not.toContain(young)
  expect(textOf([fund])).not.toContain(denied)
  const ofYoung = textOf([fund, { ...fund, notComparable: 'young' }])
  expect(ofYoung).toContain(young)
  expect(ofYoung).not.toContain(denied)
  expect(textOf([{ ...fund, notComparable: 'not_permitted' }])).toContain(denied)
})

it('has a filter for each fact in which its funds differ', () => {
  const labels = (funds: readonly FundEntry[]) =>
    [...textOf(funds).matchAll(/<label for="(?!search)\w+">([^<]*)/g)].map(([, name]) => name)
  const known: FundEntry = { ...fund, categoryDe: 'Aktienfonds', accumulating: true, srri: 4 }
  expect(labels([fund, known])).toEqual([])
  expect(
    labels([known, { ...known, categoryDe: 'Mischfonds', currency: 'USD', accumulating: false, srri: 5 }]),
  ).toEqual(['Category', 'Currency', 'Income', 'Risk (1–\u20607)'])
  expect(labels([known, { ...known, accumulating: false }])).toEqual(['Income'])
})

it('says of a fund that it has no price, so that its dashes have a reason, unless it has ended', () => {
  const [, row = ''] = textOf([fund]).split('<tbody>')
  expect(row).toMatch(
    /^\s*<tr><th scope="row"[^>]*><a href="[^"]*">.*?<\/a> <small>without a price<\/small><\/th>/,
  )
  expect(textOf([{ ...fund, state: 'ended' }])).not.toContain('without a price')
  const ofWithheld = textOf([{ ...fund, noPrice: 'withheld' }])
  expect(ofWithheld).toContain('</a> <small>not published</small></th>')
  expect(ofWithheld).not.toContain('without a price')
})

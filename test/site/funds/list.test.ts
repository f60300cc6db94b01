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
  overdue: null,
  state: null,
  categoryDe: null,
  categoryEn: null,
  accumulating: null,
  totalExpenseRatio: null,
  srri: null,
  notComparable: 'no_prices',
  oneYearPercent: null,
}

it.each([
  [['Fund', 'ISIN', 'Net asset value', 'Date', 'Day change', '1 year'], [fund]],
  [
    ['Fund', 'ISIN', 'WKN', 'Net asset value', 'Date', 'Day change', '1 year'],
    [fund, { ...fund, wkn: '847140' }],
  ],
])('has a column for WKNs only if a fund has one: %s', (columns, funds) => {
  const source: Partial<SitePageSource> = { asOf: '2026-11-20', baseUrl: 'https://funds.example', funds }
  const [page] = cataloguePages({ ...source, parts: ['funds'], publisher: null } as SitePageSource)
  const [, table = ''] = String(page?.content).split('<table')
  expect([...table.matchAll(/<th scope="col"[^>]*><span>([^<]*)/g)].map(([, name]) => name)).toEqual(columns)
  const rows = table.split('<tr>').slice(2)
  for (const row of rows) expect(row.match(/<t[dh]/g)).toHaveLength(columns.length)
})

/** Makers of pages for tests: pages that tell what they were given. Threads import this file as it is. */
import type { Extension, Extensions } from '../../src/core/extension.ts'
import type { FundPages, SitePages, SitePageSource } from '../../src/core/api/contract/page.ts'
import { jsonEncoder } from '../../src/core/api/encode/json.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { extensions as installed } from '../../src/extensions.ts'

const about: FundPages = {
  folder: 'funds/',
  names: ['index.html', 'prices.csv'],
  reads: ['prices', 'keyFigures'],
  isFor: ({ fund }) => fund.dataPermitted === 1,
  render: ({ fund, day, baseUrl, overdue, rows, newestPrice, navSample }) => [
    {
      key: `funds/${fund.isin}/index.html`,
      content: JSON.stringify({
        fund,
        day,
        baseUrl,
        overdue,
        figures: rows('keyFigures'),
        newest: newestPrice(),
      }),
    },
    {
      key: `funds/${fund.isin}/prices.csv`,
      content: navSample()
        .map(({ date, nav }) => `${date};${nav}\n`)
        .join(''),
    },
  ],
  entry: ({ fund, overdue, newestPrice, navAt }) => {
    const price = newestPrice()
    const newest =
      price === null
        ? null
        : { date: price.date, nav: navAt(price.date)?.nav ?? '', changePercent: price.changePercent }
    const { isin, wkn, name, currency } = fund
    const nothing = {
      categoryDe: null,
      categoryEn: null,
      returns: { oneYear: null, threeYears: null, fiveYears: null },
      accumulating: null,
    }
    const unknown = { totalExpenseRatio: null, totalFundAssets: null, srri: null }
    return {
      isin,
      wkn,
      name,
      currency,
      ...nothing,
      ...unknown,
      newest,
      overdue,
      state: null,
      announced: [],
      inceptionDate: fund.inceptionDate,
      endDate: null,
      endReason: null,
      successor: null,
      notComparable: 'no_prices',
      noPrice: 'unpriced',
    }
  },
}

/** Keys whose order is not that of their folders, and one that lies among those of the funds' pages. */
const overAll: SitePages = ({ asOf, baseUrl, funds, exampleIsin, exampleAnswer }) => [
  {
    key: 'openapi.json',
    content: JSON.stringify({ baseUrl, exampleIsin, examples: examplesOf(exampleAnswer) }),
  },
  { key: 'docs/v1/index.html', content: 'v1' },
  { key: 'docs/v1-notes.html', content: 'notes' },
  { key: 'docs/assets/icon.png', content: Uint8Array.of(137, 80, 78, 71, 255) },
  { key: 'funds/XF000000001.html', content: 'among the funds' },
  { key: 'funds/index.html', content: JSON.stringify(funds) },
  { key: 'docs/index.html', content: `as of ${asOf}` },
]

/** Each endpoint and type with the fund's answer in German, as JSON; null for a refusal. */
const examplesOf = (exampleAnswer: SitePageSource['exampleAnswer']) =>
  endpoints.flatMap((endpoint) => {
    if (endpoint.scope === 'all') return []
    const choice = Object.values(endpoint.parameters).find(({ kind }) => kind === 'choice')
    return (choice?.kind === 'choice' ? choice.choices : ['']).map((type) => {
      const answer = exampleAnswer(endpoint, type, 'de')
      return [endpoint.id + type, answer && jsonEncoder(endpoint.body)(answer)] as const
    })
  })

/** Its pages that name the snapshot, and no others. */
const withNamedPages = ({ pages, ...extension }: Extension): Extension => ({
  ...extension,
  ...(pages !== undefined && {
    pages: async () => {
      const { namedPages = [] } = (await pages()).makers
      return { makers: { namedPages } }
    },
  }),
})

const fake: Extension = {
  name: 'fake',
  pages: () => Promise.resolve({ makers: { fundPages: [about], sitePages: [overAll] } }),
}

export const extensions: Extensions = {
  list: [fake, ...installed.list.map(withNamedPages)],
  address: import.meta.url,
}

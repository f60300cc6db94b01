import { listsOf, type PublishedList } from '../../core/api/contract/lists.ts'
import type { SitePageSource } from '../../core/api/contract/page.ts'
import { schemaKey } from './json-schema.ts'
import { fill } from '../../core/api/routes/keys.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { fundList } from '../site/funds/list.ts'
import { html, type Html, linkTo } from '../../core/layout/html.ts'
import { wording } from '../../core/layout/wording.ts'
import { describeChanges } from '../changes/words.ts'
import { type Excerpt, excerpt, listing } from './examples.ts'
import { fieldTable, inlineCode, pathTemplate } from './group.ts'
import { codeBlock, curlRequest } from './site.ts'

/**
 * Examples by list: this snapshot's own fund list, shortened. Other lists are made after these pages: their examples
 * have the form, the dates and a fund of this snapshot, but made-up figures.
 */
export function listExamples(source: SitePageSource): ReadonlyMap<string, Excerpt> {
  const { asOf, funds, exampleIsin } = source
  const fund = funds.find(({ isin }) => isin === exampleIsin)
  if (fund === undefined) return new Map()
  const { isin, name, newest } = fund
  const snapshot = `${asOf}-3f9c2ab4d1e0`
  const date = newest?.date ?? asOf
  const marked = { isin, name, mark: 'fresh', newest_price: date, age_business_days: 0 }
  const correction = { isin, name, date, item: 'net_asset_value', before: '101.20', after: '101.25' }
  const counts = { added: 0, removed: 0, changed: 2 }
  const ofDay = { as_of: asOf, snapshot, before: { as_of: asOf, snapshot: `${asOf}-08d2b1c7e6f5` } }
  const day = {
    format: 1,
    ...ofDay,
    funds: { total: funds.length, added: [], removed: [], renamed: [] },
    documents: counts,
    endpoints: [{ endpoint: 'prices-historic', ...counts }],
    prices: {
      counts: { corrected: 1, added: 0, removed: 0 },
      totals: { funds_with_new: 0, corrected_prices: 1, corrected_funds: 1 },
      corrected: [correction],
      added: [],
      removed: [],
    },
    not_compared: [],
    publish: 1,
    published: `${asOf}T03:17:00Z`,
  }
  const told = {
    ...ofDay,
    ...describeChanges(day, 'en'),
    de: describeChanges(day, 'de'),
    publish: 1,
    published: `${asOf}T03:17:00Z`,
  }
  const file = { file: `${asOf}.json`, sha256: '3f9c2ab4d1e0'.repeat(6).slice(0, 64), bytes: 1024 }
  const prices = [{ ...marked, rhythm_business_days: 1, next_price: null }]
  const freshness = { fresh: funds.length, late: 0, stale: 0, unwatched: 0, unpriced: 0, withheld: 0 }
  const examples = new Map<string, unknown>([
    ['fund-list', fundList(source)],
    [
      'status',
      {
        format: 1,
        snapshot,
        as_of: asOf,
        funds: funds.length,
        documents: 1000,
        bytes: 16_000_000,
        oldest_price: date,
        newest_price: date,
        freshness,
        overdue: [],
        prices,
      },
    ],
    ['staged', { format: 1, staged: null }],
    [
      'distributions',
      {
        isin,
        currency: fund.currency,
        distributions: [
          {
            ex_date: date,
            amount: '1.20',
            currency: fund.currency,
            reinvested_on: date,
            net_asset_value: newest?.nav ?? '100.00',
          },
        ],
        splits: [],
      },
    ],
    [
      'documents',
      {
        isin,
        documents: [
          {
            kind: 'kid',
            language: 'en',
            date,
            title: 'Key information document',
            url: `https://www.example.com/${isin}/kid-en.pdf`,
          },
        ],
      },
    ],
    ['changes', { format: 1, nights: [{ ...told, earlier: [], ...file }] }],
    ['changes-of-day', { ...day, earlier: [] }],
    ['download-days', { format: 1, as_of: asOf, days: [asOf] }],
  ])
  return new Map(
    listsOf(source).flatMap(({ id, body }) =>
      body === null || !examples.has(id) ? [] : [[id, excerpt('json', body, examples.get(id))] as const],
    ),
  )
}

/** Values for the placeholders in the paths of lists. */
export const listValues = ({
  asOf,
  exampleIsin,
}: Pick<SitePageSource, 'asOf' | 'exampleIsin'>): Readonly<Record<string, string>> => ({
  as_of: asOf,
  id: 'prices-current',
  ...(exampleIsin === null ? {} : { isin: exampleIsin }),
})

export function listSections(source: SitePageSource, language: Language, key: string): Html {
  const examples = listExamples(source)
  return html`${listsOf(source).map((list) => listSection(list, examples.get(list.id), source, language, key))}`
}

function listSection(
  list: PublishedList,
  example: Excerpt | undefined,
  source: SitePageSource,
  language: Language,
  key: string,
): Html {
  const text = wording[language].docs
  const { id, path, title, about, body, isOfPublish = false } = list
  const address = fill(path, listValues(source))
  const isThere = !isOfPublish && (source.exampleIsin !== null || !path.includes('{isin}'))
  const link = html`<p class="small links"><a href="${linkTo(key, address.slice(1))}">${text.tryIt}</a></p>`
  return html`<section class="endpoint" aria-labelledby="${id}">
    <h2 id="${id}">${title[language]}</h2>
    <p class="path"><span class="method">GET</span> <code>${pathTemplate(path)}</code></p>
    <p>${inlineCode(about[language])}</p>
    ${isThere && [codeBlock(curlRequest(source.baseUrl + address), text.request, true), link]}
    ${
      example !== undefined &&
      html`<h3>${text.example}</h3>
        ${id !== 'fund-list' && html`<p class="quiet small">${text.madeUp}</p> `}${codeBlock(
          listing(example, text.more),
          `${text.answer} ${id}`,
        )}`
    }
    ${
      body !== null &&
      html`<details class="choices">
          <summary>${text.fields}</summary>
          ${fieldTable(body, language, `${text.fields}: ${title[language]}`)}
        </details>
        <p class="small">
          <a href="${linkTo(key, schemaKey(id))}">${text.schema}: <code>${id}.json</code></a>
        </p>`
    }
  </section> `
}

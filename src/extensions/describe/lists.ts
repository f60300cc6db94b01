import { listsOf, type PublishedList } from '../../core/api/contract/lists.ts'
import type { ExampleSource, SitePageSource } from '../../core/api/contract/page.ts'
import { schemaKey } from './json-schema.ts'
import { fill } from '../../core/api/routes/keys.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { countsByMark } from '../../core/guards/assess.ts'
import { html, type Html, linkTo } from '../../core/layout/html.ts'
import { type Excerpt, excerpt, listing } from './examples.ts'
import { fieldTable, inlineCode, pathTemplate } from './group.ts'
import { codeBlock, curlRequest, exampleAnswer } from './site.ts'
import { docWords } from './wording.ts'

/** Shortened examples, by the id of the list. */
export const listExamples = (source: SitePageSource): ReadonlyMap<string, Excerpt> =>
  new Map(
    listsOf(source).flatMap(({ id, body }) => {
      const example = source.listExamples.get(id)
      return body === null || example === undefined ? [] : [[id, excerpt('json', body, example)] as const]
    }),
  )

/** Examples of the lists that the core writes, with made-up figures. */
export function exampleLists({ asOf, snapshot, funds, fund }: ExampleSource) {
  const { isin, name, newest } = fund
  const date = newest?.date ?? asOf
  const marked = { isin, name, mark: 'fresh', newest_price: date, age_business_days: 0 }
  const prices = [{ ...marked, rhythm_business_days: 1, next_price: null }]
  const freshness = countsByMark((mark) => (mark === 'fresh' ? funds.length : 0))
  const status = {
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
  }
  return {
    status,
    staged: { format: 1, staged: null },
    'download-days': { format: 1, as_of: asOf, days: [asOf], withdrawn: [] },
  }
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
  const text = docWords[language]
  const { id, path, title, about, body, isOfPublish = false } = list
  const address = fill(path, listValues(source))
  const isThere = !isOfPublish && (source.exampleIsin !== null || !path.includes('{isin}'))
  const link = html`<p class="small links"><a href="${linkTo(key, address.slice(1))}">${text.tryIt}</a></p>`
  return html`<section class="endpoint" aria-labelledby="${id}">
    <h2 id="${id}">${title[language]}</h2>
    <p class="path"><span class="method">GET</span> <code>${pathTemplate(path)}</code></p>
    <div>
      <p>${inlineCode(about[language])}</p>
      ${isThere && [codeBlock(curlRequest(source.baseUrl + address), text.request, true), link]}
    </div>
    ${
      example !== undefined &&
      html`<div class="example">
        <h3>${text.example}</h3>
        ${id !== 'fund-list' && html`<p class="quiet small">${text.madeUp}</p> `}${exampleAnswer(
          example.format,
          listing(example, text.more),
          `${text.answer} ${id}`,
        )}
      </div> `
    }
    ${
      body !== null &&
      html`<div>
        <details class="choices">
          <summary>${text.fields}</summary>
          ${fieldTable(body, language, `${text.fields}: ${title[language]}`)}
        </details>
        <p class="small">
          <a href="${linkTo(key, schemaKey(id))}">${text.schema}: <code>${id}.json</code></a>
        </p>
      </div> `
    }
  </section> `
}

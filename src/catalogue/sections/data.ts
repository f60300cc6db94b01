/** A fund as data: requests to copy, and a link to every document and file of it. */

import { structureTypeName } from '../../contract/structure-types.ts'
import { html, raw, type Html } from '../../pages/html.ts'
import { linkTo } from '../../pages/link.ts'
import { fill } from '../../routes/keys.ts'
import { formats, languages } from '../../routes/table.ts'
import type { Answer } from '../answers.ts'
import type { Language } from '../chart/formats.ts'
import type { FundFacts } from '../fund-facts.ts'
import { documentName, words } from '../words.ts'

export function dataSection(facts: FundFacts, language: Language, key: string): Html {
  const w = words[language]
  const root = linkTo(key, '')
  return html`<section aria-labelledby="data">
    <h2 id="data">${w.data}</h2>
    <p>${w.dataLead}</p>
    ${requests(facts, language)}
    <h3 id="documents">${w.documents}</h3>
    <div class="scroll" role="region" aria-labelledby="documents" tabindex="0">
      <table class="documents">
        <thead>
          <tr>
            <th scope="col">${w.document}</th>
            ${formats.map((format) => html`<th scope="col">${format.toUpperCase()}</th> `)}
          </tr>
        </thead>
        <tbody>
          ${facts.answers.map((answer) => documentRow(facts, answer, language, root))}
        </tbody>
      </table>
    </div>
    ${facts.hasDownloads ? downloads(facts, language, key) : null}
  </section> `
}

/** @param root where the snapshot begins, as seen from the page */
function documentRow(facts: FundFacts, answer: Answer, language: Language, root: string): Html {
  const { endpoint, route, type } = answer
  const name =
    type === '' ? documentName(language, endpoint.id, endpoint.summary) : structureTypeName(type, language)
  const path = root + pathOf(facts, answer).slice(1)
  const links = (format: string) =>
    route.hasLanguages
      ? languages
          .map(
            (other) =>
              `<a href="${path}?language=${other}&amp;format=${format}" hreflang="${other}">${other}</a>`,
          )
          .join(' ')
      : `<a href="${path}?format=${format}">${format}</a>`
  return html`<tr>
    <th scope="row">${name}</th>
    ${formats.map((format) => html`<td>${raw(links(format))}</td> `)}
  </tr> `
}

/** The path of an answer's document; of prices over the whole history. It holds nothing that HTML would escape. */
function pathOf({ fund, price }: FundFacts, { route, type }: Answer): string {
  const dates = route.parameters.filter(({ kind }) => kind === 'date')
  const bounds = [price?.first ?? '', price?.newest.date ?? '']
  const values = dates.map(({ name }, index) => [name, bounds[index] ?? ''] as const)
  return fill(route.path, { isin: fund.isin, type, ...Object.fromEntries(values) })
}

function requests(facts: FundFacts, language: Language): Html | null {
  const { price, baseUrl, answers } = facts
  const current = answers.find(({ endpoint }) => endpoint.id === 'prices-current')
  const historic = answers.find(({ route }) => route.series !== undefined)
  if (price === null || current === undefined || historic === undefined) return null
  const w = words[language]
  const year = price.newest.date.slice(0, 4)
  const ofYear = {
    ...facts,
    price: { ...price, first: `${year}-01-01`, newest: { ...price.newest, date: `${year}-12-31` } },
  }
  const lines = [
    `# ${w.currentRequest}`,
    `curl ${shellQuoted(baseUrl + pathOf(facts, current))}`,
    `# ${w.historicRequest}`,
    `curl ${shellQuoted(`${baseUrl}${pathOf(ofYear, historic)}?format=xml`)}`,
  ]
  return html`<h3 id="requests">${w.requests}</h3>
    <div class="code">
      <pre tabindex="0" aria-labelledby="requests"><code>${lines.join('\n')}</code></pre>
    </div> `
}

const shellQuoted = (text: string) => `'${text.replace(/'/g, `'\\''`)}'`

/** Files for tools that read numbers. They lie beside the API, of the night that is live. */
function downloads({ fund, price }: FundFacts, language: Language, key: string): Html {
  const w = words[language]
  const folder = 'downloads/latest/'
  const files = price === null ? [] : ['prices.csv', 'prices.json', 'nav.txt']
  const links = files.map(
    (name) => html`<a href="${linkTo(key, `${folder}${fund.isin}/${name}`)}">${name}</a> `,
  )
  return html`<p>
    ${links.length === 0 ? null : html`${w.downloads} ${links}`}<a
      href="${linkTo(key, `${folder}index.html`)}"
      >${w.allDownloads}</a
    >
  </p> `
}

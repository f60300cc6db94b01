/** A fund as data: requests to copy, and a link to each of its documents and files. */

import { structureTypeName } from '../../../../core/api/contract/structure-types.ts'
import { fill } from '../../../../core/api/routes/keys.ts'
import { formatsOf, type Language } from '../../../../core/api/routes/table.ts'
import { shellText } from '../../../../core/system/shell-text.ts'
import { addressText, html, type Html, linkTo, section, table } from '../../../../core/layout/html.ts'
import { frontPages, fundChartKey, fundFeedKeys } from '../../../../core/layout/layout.ts'
import { fundWords } from '../wording.ts'
import type { FundAnswer, FundFacts } from '../facts.ts'

export function dataSection(facts: FundFacts, language: Language, key: string): Html {
  const w = fundWords[language]
  return section(
    'data',
    w.data,
    html`<p>${w.dataLead}</p>
      <div class="beside">
        ${requests(facts, language)}
        <div>
          ${
            facts.price !== null &&
            html`<p><a href="${linkTo(key, fundFeedKeys(facts.fund.isin)[language])}">${w.feed}</a></p> `
          }${
            facts.price?.line &&
            html`<p><a href="${linkTo(key, fundChartKey(facts.fund.isin))}">${w.image}</a></p> `
          }${facts.parts.includes('downloads') && downloads(facts, language, key)}
        </div>
      </div>
      <details id="documents">
        <summary>${w.documents} (${facts.answers.length})</summary>
        ${table({
          caption: w.documents,
          kind: 'documents',
          columns: [w.answer, w.formats],
          rows: facts.answers.map((answer) => documentRow(facts, answer, language, linkTo(key, ''))),
        })}
      </details>`,
  )
}

/** @param root the snapshot's folder, relative to the page */
function documentRow({ fund, price }: FundFacts, answer: FundAnswer, language: Language, root: string) {
  const { endpoint, route, type } = answer
  const name = type === '' ? endpoint.name[language] : structureTypeName(type, language)
  const days = price === null ? [] : [price.first, price.newest.date]
  const path = root + pathOf(fund.isin, answer, days).slice(1)
  const inLanguage = route.hasLanguages ? `language=${language}&` : ''
  const links = formatsOf(route).map(
    (format) => html`<a href="${path}?${inLanguage}format=${format}">${format.toUpperCase()}</a> `,
  )
  return [name, links]
}

/** The path of an answer's document, which needs no escapes in HTML. @param days bounds of a range of prices */
export function pathOf(isin: string, { route, type }: FundAnswer, days: readonly string[]): string {
  const dates = route.parameters.filter(({ kind }) => kind === 'date')
  const values = dates.map(({ name }, index) => [name, days[index] ?? ''] as const)
  return fill(route.path, { isin, type, ...Object.fromEntries(values) })
}

function requests(facts: FundFacts, language: Language): Html | null {
  const { fund, price, baseUrl, answers, historic } = facts
  const current = answers.find(({ endpoint }) => endpoint.id === 'prices-current')
  if (price === null || current === undefined || historic === undefined) return null
  const w = fundWords[language]
  const year = price.newest.date.slice(0, 4)
  const request = (answer: FundAnswer, query = '') =>
    `curl ${shellText(baseUrl + pathOf(fund.isin, answer, [`${year}-01-01`, `${year}-12-31`]) + query)}`
  const newest = request(current)
  const ofYear = request(historic, '?format=xml')
  const lines = [`# ${w.currentRequest}`, newest, `# ${w.historicRequest}`, ofYear]
  return html`<div>
    <h3 id="requests">${w.requests}</h3>
    <div class="code" data-copy>
      <pre
        tabindex="0"
        role="group"
        aria-labelledby="requests"
      ><code>${lines.map((line, index) => [index > 0 && '\n', addressText(line)])}</code></pre>
    </div>
  </div> `
}

function downloads({ fund, price, historic }: FundFacts, language: Language, key: string): Html {
  const w = fundWords[language]
  const folder = 'downloads/latest/'
  const links = (...names: readonly string[]) =>
    inRow(names.map((name) => html`<a href="${linkTo(key, `${folder}${fund.isin}/${name}`)}">${name}</a>`))
  const days = price === null ? [] : [price.first, price.newest.date]
  const csv = historic && linkTo(key, pathOf(fund.isin, historic, days).slice(1))
  const json = linkTo(key, `${folder}${fund.isin}/${fund.isin}-prices.json`)
  const whole = [
    ...(csv === undefined ? [] : [html`<a href="${csv}?format=csv">CSV</a>`]),
    html`<a href="${json}">JSON</a>`,
  ]
  const own = html`<p>${w.history} ${inRow(whole)}</p>
    <p>${w.downloads} ${links('prices.csv', 'prices.json', 'nav.txt')}</p> `
  return html`${price !== null && own}
    <p><a href="${linkTo(key, frontPages.downloads[language])}">${w.allDownloads}</a></p> `
}

/** Links in a row: a comma tells where one ends. */
export const inRow = (links: readonly Html[]): Html =>
  html`${links.map((link, index) => [index > 0 && ', ', link])}`

/** The start page, and the page for missing ones. Both link to everything, and find funds. */

import type { FundEntry, Page, SitePageSource, SitePages } from '../../api/contract/page.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { amountIn, dayIn, fixedIn } from '../funds/chart/formats.ts'
import { fundListKey, sortedByName } from '../funds/list.ts'
import { fundWords } from '../funds/wording.ts'
import { addressOf, organizationOf } from '../layout/head.ts'
import { changeCell, html, type Html, linkedData, linkTo, table, type TableCell } from '../layout/html.ts'
import {
  changesKeys,
  frontPages,
  fundPageKeys,
  layout,
  linksOf,
  notFoundKeys,
  pageTemplate,
  startKeys,
} from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { statusWords } from '../status/wording.ts'
import { startWords } from './wording.ts'

const styles = ['funds/catalogue.css', 'docs/assets/start.css']
const scripts = ['docs/assets/find.js']

export function* startPages(source: SitePageSource): ReturnType<SitePages> & Generator<Page> {
  for (const language of languages) {
    yield { key: startKeys[language], content: startPage(source, language) }
    yield { key: notFoundKeys[language], content: notFoundPage(source, language) }
  }
  yield { key: 'docs/assets/start.css', content: pageTemplate('pages/start.css') }
  yield { key: 'docs/assets/find.js', content: pageTemplate('pages/find.js') }
}

function startPage(source: SitePageSource, language: Language): string {
  const { baseUrl, hasDownloads, publisher, asOf, funds } = source
  const { shell } = wording[language]
  const w = startWords[language]
  const key = startKeys[language]
  const link = (to: string) => linkTo(key, to)
  const count = fixedIn(language, funds.length, 0)
  const name = publisher?.name ?? null
  const text = publisher?.start[language] ?? null
  const parts = (Object.keys(frontPages) as (keyof typeof frontPages)[]).filter(
    (part) => part !== 'downloads' || hasDownloads,
  )
  const title = name === null ? shell.brand : `${shell.brand} · ${name}`
  return layout({
    keys: startKeys,
    language,
    baseUrl,
    title,
    description: w.description(name ?? shell.brand),
    part: null,
    hasDownloads,
    publisher,
    styles,
    scripts,
    head: linkedData(catalogueOf(source, language, title)),
    main: html`${name !== null && html`<p class="eyebrow">${name}</p> `}
      <h1>${shell.brand}</h1>
      <p class="lead">${w.lead(count, dayIn(language, asOf))}</p>
      ${text?.split(/\n\s*\n/).map((paragraph) => html`<p>${paragraph}</p> `)} ${searchBox(language, link)}
      <p><a href="${link(frontPages.funds[language])}">${w.allFunds(count)}</a></p>
      ${newestPrices(source, language)}
      <h2>${w.overview}</h2>
      <ul class="parts">
        ${parts.map((part) => entry(link(frontPages[part][language]), shell.parts[part], w.about[part]))}
        ${entry(link(changesKeys[language]), shell.changes, w.aboutChanges)}
      </ul>`,
  })
}

const entry = (address: string, name: string, about: string): Html =>
  html`<li>
    <a href="${address}">${name}</a>
    <p>${about}</p>
  </li> `

function notFoundPage({ baseUrl, hasDownloads, publisher }: SitePageSource, language: Language): string {
  const { shell } = wording[language]
  const w = startWords[language]
  const page = { keys: notFoundKeys, language, baseUrl, isAnywhere: true }
  const link = linksOf(page)
  return layout({
    ...page,
    title: `${w.missing} · ${publisher?.name ?? shell.brand}`,
    description: w.aboutMissing,
    part: null,
    hasDownloads,
    publisher,
    styles,
    scripts,
    main: html`<h1>${w.missing}</h1>
      <p class="lead">${w.aboutMissing}</p>
      ${searchBox(language, link)}
      <ul>
        <li><a href="${link(startKeys[language])}">${shell.start}</a></li>
        <li><a href="${link(frontPages.funds[language])}">${fundWords[language].list}</a></li>
        <li><a href="${link(frontPages.docs[language])}">${shell.parts.docs}</a></li>
      </ul>`,
  })
}

/** The search of `browser/find.ts`. Hidden without scripts, since a form could not be sent. */
function searchBox(language: Language, link: (to: string) => string): Html {
  const w = fundWords[language]
  const startPage = startWords[language]
  return html`<div
    class="search"
    id="find"
    role="search"
    aria-label="${startPage.find}"
    data-funds="${link(fundListKey)}"
    data-root="${link('')}"
    data-list="${link(frontPages.funds[language])}"
  >
    <div class="wide-field">
      <label for="search">${w.search}</label>
      <input id="search" type="search" autocomplete="off" spellcheck="false" />
    </div>
    <p role="status" data-words="${w.found}" data-none="${w.none}"></p>
    <ul class="results"></ul>
  </div> `
}

const mostPrices = 10

function newestPrices({ funds }: SitePageSource, language: Language): Html | null {
  const w = fundWords[language]
  const startPage = startWords[language]
  const priced = funds.flatMap(({ newest, ...fund }) => (newest === null ? [] : [{ ...fund, newest }]))
  const newestDay = priced.reduce((day, { newest }) => (newest.date > day ? newest.date : day), '')
  const shown = sortedByName(priced.filter(({ newest }) => newest.date === newestDay)).slice(0, mostPrices)
  if (shown.length === 0) return null
  const heading = startPage.prices(dayIn(language, newestDay))
  return html`<h2>${heading}</h2>
    ${table({
      kind: 'newest',
      caption: heading,
      columns: [w.fund, { content: w.nav, kind: 'number' }, { content: w.change, kind: 'number wide' }],
      rows: shown.map((fund) => priceRow(fund, language)),
    })}
    <p class="quiet small">${w.past}</p> `
}

function priceRow(
  {
    isin,
    name,
    currency,
    newest,
    overdue,
  }: FundEntry & { readonly newest: NonNullable<FundEntry['newest']> },
  language: Language,
): readonly TableCell[] {
  const page = linkTo(startKeys[language], fundPageKeys(isin)[language])
  return [
    // `<bdi>`: a name written from right to left must not turn its neighbours round.
    html`<a href="${page}"><bdi>${name}</bdi></a>`,
    [
      amountIn(language, newest.nav, currency),
      overdue !== null &&
        html` <small class="mark ${overdue}">${statusWords[language].marks[overdue]}</small>`,
    ],
    changeCell(language, newest.changePercent, 'number wide'),
  ]
}

/** For search engines. Source: schema.org/DataCatalog. */
function catalogueOf(source: SitePageSource, language: Language, name: string) {
  const { baseUrl, publisher, asOf, hasDownloads } = source
  const { shell } = wording[language]
  const w = startWords[language]
  const address = (key: string) => addressOf(baseUrl, key)
  const organization = organizationOf(publisher, baseUrl)
  const licence = publisher?.licence ?? null
  const said = {
    ...(organization !== null && { publisher: organization }),
    ...(licence !== null && { license: licence.url ?? licence.name }),
  }
  const description = w.description(publisher?.name ?? shell.brand)
  return {
    '@context': 'https://schema.org',
    '@type': 'DataCatalog',
    name,
    description,
    url: address(startKeys[language]),
    inLanguage: language,
    ...said,
    dataset: {
      '@type': 'Dataset',
      name,
      description,
      url: address((hasDownloads ? frontPages.downloads : frontPages.funds)[language]),
      dateModified: asOf,
      ...(organization !== null && { creator: organization }),
      ...said,
      distribution: [
        { '@type': 'DataDownload', encodingFormat: 'application/json', contentUrl: address(fundListKey) },
      ],
    },
  }
}

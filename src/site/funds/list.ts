/** The list of the funds: a page in each language, and the same list as JSON. */

import type { FundEntry, Overdue, Page, SitePageSource } from '../../api/contract/page.ts'
import type { Language } from '../../api/routes/table.ts'
import { html, jsonForScript, linkTo, raw, type HtmlContent, type Html } from '../layout/html.ts'
import { feedLink, frontPage, layout } from '../layout/layout.ts'
import { table, type TableCell } from '../layout/parts.ts'
import { wording } from '../wording.ts'
import { dayIn, decimalIn, fixedIn, searchKey } from './chart/formats.ts'
import { catalogueStyleKey, fundPageKeys, listScriptKey } from './keys.ts'

const keys: Readonly<Record<Language, string>> = { de: 'funds/de.html', en: 'funds/index.html' }
const dataKey = 'funds/index.json'

export function listPages(source: SitePageSource): readonly Page[] {
  const named = source.funds.map((fund) => ({ fund, name: searchKey(fund.name) }))
  // The sort is stable: equal names keep the order of their ISINs.
  const funds = named
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
    .map(({ fund }) => fund)
  return [
    { key: keys.en, content: listPage(source, funds, 'en') },
    { key: keys.de, content: listPage(source, funds, 'de') },
    { key: dataKey, content: listDocument(source) },
  ]
}

function listPage(source: SitePageSource, funds: readonly FundEntry[], language: Language): string {
  const w = wording[language].funds
  const key = keys[language]
  const count = fixedIn(language, funds.length, 0)
  return layout({
    key,
    language,
    title: w.funds,
    description: w.listLead(funds.length, source.asOf),
    part: 'funds',
    hasDownloads: source.hasDownloads,
    translations: keys,
    styles: [catalogueStyleKey],
    scripts: [listScriptKey],
    head: html`${feedLink(key, language)}
      <script type="application/ld+json">
        ${jsonForScript(markupOf(source, language))}
      </script>`,
    main: html`<h1>${w.funds}</h1>
      <p class="lead">
        ${w.listLead(funds.length, dayIn(language, source.asOf))}${overdueLink(funds, language, key)}
      </p>
      <div class="search" role="search">
        <label for="search">${w.search}</label>
        <input id="search" type="search" autocomplete="off" spellcheck="false" />
        <p role="status" id="found" data-words="${w.found}" data-none="${w.none}">${w.found} ${count}</p>
      </div>
      <div class="scroll" role="region" aria-label="${w.funds}" tabindex="0">
        ${fundTable(funds, language)}
      </div>
      <p class="quiet small">${w.oneYearNote} ${w.past}</p>
      <p><a href="${linkTo(key, dataKey)}">${w.asData}</a></p>`,
  })
}

function overdueLink(funds: readonly FundEntry[], language: Language, key: string): Html | null {
  const count = funds.filter(({ overdue }) => overdue !== null).length
  if (count === 0) return null
  const status = linkTo(key, frontPage('status', language))
  return html` <a href="${status}">${wording[language].funds.listOverdue(fixedIn(language, count, 0))}</a>`
}

function fundTable(funds: readonly FundEntry[], language: Language): Html {
  const w = wording[language].funds
  const column = (name: string, kind: string, attributes = ''): TableCell => ({
    content: html`<span>${name}</span>`,
    kind,
    attributes: raw(attributes),
  })
  return table({
    kind: 'funds',
    attributes: html` id="funds" data-more="${w.more}"`,
    columns: [
      column(w.fund, 'name', ' aria-sort="ascending"'),
      column('ISIN', 'wide'),
      column('WKN', 'wide'),
      column(w.navShort, 'number'),
      column(w.day, 'number wide'),
      column(w.change, 'number wide'),
      column(w.oneYear, 'number'),
    ],
    rows: funds.map((fund) => cells(fund, language)),
  })
}

/** The row may be one of ten thousand: it holds nothing that a script can derive. */
function cells(fund: FundEntry, language: Language): readonly TableCell[] {
  const { isin, wkn, name, newest, currency, oneYearPercent, overdue } = fund
  const category = language === 'de' ? fund.categoryDe : fund.categoryEn
  const page = fundPageKeys(isin)[language].slice('funds/'.length)
  const link = html`<a href="${page}">${name}</a>`
  return [
    { content: [link, category === null ? null : html`<small>${category}</small>`], kind: '' },
    isin,
    wkn,
    ...(newest === null
      ? [null, null, null]
      : [
          [`${decimalIn(language, newest.nav)} ${currency}`, markIn(language, overdue, newest.date)],
          { content: dayIn(language, newest.date), attributes: html` data-value="${newest.date}"` },
          percentCell(newest.changePercent, language, 'number wide'),
        ]),
    percentCell(oneYearPercent, language, 'number'),
  ]
}

/** A narrow screen has no column for the day: the mark names it. */
function markIn(language: Language, overdue: Overdue | null, day: string): HtmlContent {
  if (overdue === null) return null
  const word = wording[language].status.marks[overdue]
  const date = html`<span class="slim">, ${dayIn(language, day)}</span>`
  return html` <small class="mark ${overdue}">${word}${date}</small>`
}

function percentCell(decimal: string | null, language: Language, kind: string): TableCell {
  if (decimal === null) return null
  const value = Number(decimal)
  const [tone, sign] = value > 0 ? [' good', '+'] : value < 0 ? [' bad', ''] : ['', '']
  return { content: `${sign}${decimalIn(language, decimal)}\u00a0%`, kind: kind + tone }
}

/** The list as JSON, in the order of ISINs. */
function listDocument({ asOf, funds }: SitePageSource): string {
  return JSON.stringify({
    as_of: asOf,
    funds: funds.map(({ categoryDe, categoryEn, newest, oneYearPercent, overdue, ...fund }) => ({
      isin: fund.isin,
      wkn: fund.wkn,
      name: fund.name,
      currency: fund.currency,
      category: categoryDe === null ? null : { de: categoryDe, en: categoryEn ?? categoryDe },
      price:
        newest === null
          ? null
          : {
              date: newest.date,
              net_asset_value: newest.nav,
              change_percent: newest.changePercent,
              overdue,
            },
      one_year_percent: oneYearPercent,
      page: { de: fundPageKeys(fund.isin).de, en: fundPageKeys(fund.isin).en },
    })),
  })
}

/** For search engines. Source: schema.org/CollectionPage. */
function markupOf({ baseUrl, funds, asOf }: SitePageSource, language: Language): unknown {
  return {
    '@context': 'https://schema.org',
    '@type': 'CollectionPage',
    name: wording[language].funds.funds,
    url: `${baseUrl}/${keys[language]}`,
    inLanguage: language,
    dateModified: asOf,
    mainEntity: { '@type': 'ItemList', numberOfItems: funds.length },
  }
}

/** The list of the funds: a page in each language, and the same as data. */

import type { FundEntry, Overdue, Page, SitePageSource } from '../contract/page.ts'
import { feedLink } from '../pages/feed-link.ts'
import { escapeHtml, html, jsonForScript, raw, type Html } from '../pages/html.ts'
import { frontPage, layout, withoutDownloads } from '../pages/layout.ts'
import { linkTo } from '../pages/link.ts'
import { listScriptKey, styleKey } from './assets.ts'
import { dayIn, decimalIn, fixedIn, type Language } from './chart/formats.ts'
import { searchKey } from './chart/search-key.ts'
import { fundPageKeys } from './fund-page-keys.ts'
import { words } from './words.ts'

const keys: Readonly<Record<Language, string>> = { de: 'funds/de.html', en: 'funds/index.html' }
const dataKey = 'funds/index.json'

export function listPages(source: SitePageSource): readonly Page[] {
  const named = source.funds.map((fund) => ({ fund, name: searchKey(fund.name) }))
  // Names that are alike keep the order of their ISINs.
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
  const w = words[language]
  const key = keys[language]
  const count = fixedIn(language, funds.length, 0)
  return layout({
    key,
    language,
    title: w.funds,
    description: w.listLead(funds.length, source.asOf),
    part: 'funds',
    without: withoutDownloads(source),
    translations: keys,
    styles: [styleKey],
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
        <table class="funds" id="funds" data-more="${w.more}">
          <thead>
            <tr>
              ${columns(language).map(({ name, kind, isSorted }) => html`<th scope="col" class="${kind}" ${isSorted === true ? raw(' aria-sort="ascending"') : null}><span>${name}</span></th> `)}
            </tr>
          </thead>
          <tbody>
            ${raw(funds.map((fund) => row(fund, language)).join(''))}
          </tbody>
        </table>
      </div>
      <p class="quiet small">${w.oneYearNote} ${w.past}</p>
      <p><a href="${linkTo(key, dataKey)}">${w.asData}</a></p>`,
  })
}

function overdueLink(funds: readonly FundEntry[], language: Language, key: string): Html | null {
  const count = funds.filter(({ overdue }) => overdue !== null).length
  if (count === 0) return null
  const status = linkTo(key, frontPage('status', language))
  return html` <a href="${status}">${words[language].listOverdue(fixedIn(language, count, 0))}</a>`
}

interface Column {
  readonly name: string
  /** Classes; `number` sorts by number. */
  readonly kind: string
  readonly isSorted?: boolean
}

const columns = (language: Language): readonly Column[] => {
  const w = words[language]
  return [
    { name: w.fund, kind: 'name', isSorted: true },
    { name: 'ISIN', kind: 'wide' },
    { name: 'WKN', kind: 'wide' },
    { name: w.navShort, kind: 'number' },
    { name: w.day, kind: 'number wide' },
    { name: w.change, kind: 'number wide' },
    { name: w.oneYear, kind: 'number' },
  ]
}

/** One of maybe ten thousand: nothing stands in it twice that a script can find out. */
function row(fund: FundEntry, language: Language): string {
  const { isin, wkn, newest, oneYearPercent, overdue } = fund
  const category = language === 'de' ? fund.categoryDe : fund.categoryEn
  const below = category === null ? '' : `<small>${escapeHtml(category)}</small>`
  const page = fundPageKeys(isin)[language].slice('funds/'.length)
  const nav = newest === null ? '' : `${decimalIn(language, newest.nav)} ${escapeHtml(fund.currency)}`
  const day =
    newest === null
      ? '<td class="number wide"></td>'
      : `<td class="number wide" data-value="${newest.date}">${dayIn(language, newest.date)}</td>`
  return (
    `<tr><th scope="row"><a href="${page}">${escapeHtml(fund.name)}</a>${below}</th>` +
    `<td class="wide">${isin}</td><td class="wide">${escapeHtml(wkn ?? '')}</td>` +
    `<td class="number">${nav}${newest === null || overdue === null ? '' : markIn(language, overdue, newest.date)}</td>${day}` +
    `${percentCell(newest?.changePercent ?? null, language, ' wide')}${percentCell(oneYearPercent, language)}</tr>\n`
  )
}

/** Beside its day where there is no column for that. */
const markIn = (language: Language, overdue: Overdue, day: string) =>
  ` <small class="mark ${overdue}">${words[language].overdue[overdue]}<span class="slim">, ${dayIn(language, day)}</span></small>`

function percentCell(decimal: string | null, language: Language, more = ''): string {
  if (decimal === null) return `<td class="number${more}"></td>`
  const value = Number(decimal)
  const [kind, sign] = value > 0 ? [' good', '+'] : value < 0 ? [' bad', ''] : ['', '']
  return `<td class="number${more}${kind}">${sign}${decimalIn(language, decimal)}\u00a0%</td>`
}

/** The list as data, in the order of ISINs. */
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

/** What search engines read. Source: schema.org/CollectionPage. */
function markupOf({ baseUrl, funds, asOf }: SitePageSource, language: Language): unknown {
  return {
    '@context': 'https://schema.org',
    '@type': 'CollectionPage',
    name: words[language].funds,
    url: `${baseUrl}/${keys[language]}`,
    inLanguage: language,
    dateModified: asOf,
    mainEntity: { '@type': 'ItemList', numberOfItems: funds.length },
  }
}

/** The list of the funds: a page in each language, and the same list as JSON. */

import type {
  EntryReturn,
  FundEntry,
  FundLife,
  Publisher,
  SitePageSource,
  SitePages,
} from '../../../core/api/contract/page.ts'
import { inLanguage } from '../../../core/api/contract/fund.ts'
import type { Language } from '../../../core/api/routes/table.ts'
import {
  categoryIn,
  changeCell,
  fundName,
  html,
  type Html,
  type HtmlContent,
  linkedData,
  linkTo,
  noValue,
  raw,
  type Styled,
  table,
  type TableCell,
  tabs,
} from '../../../core/layout/html.ts'
import { addressOf } from '../../../core/layout/head.ts'
import { feedLink, frontPages, fundPageKeys, layout, pageTemplate } from '../../../core/layout/layout.ts'
import { comingIn } from '../../../core/layout/life-wording.ts'
import { overdueKind, statusWords } from '../../../core/layout/status-wording.ts'
import { wording } from '../../../core/layout/wording.ts'
import {
  amountIn,
  dayIn,
  fixedIn,
  millionsIn,
  percentIn,
  sortedByName,
} from '../../../core/layout/formats.ts'
import { chartStyle, chartStyleKey } from './chart/style.ts'
import { fundWords, isForeign } from './wording.ts'

const keys = frontPages.funds
export const fundListKey = 'funds/index.json'
/** Also for pages that search for funds. */
export const listStyles = ['funds/list.css']

export const cataloguePages: SitePages = (source) => {
  const funds = sortedByName(source.funds)
  return [
    { key: keys.en, content: listPage(source, funds, 'en') },
    { key: keys.de, content: listPage(source, funds, 'de') },
    { key: fundListKey, content: JSON.stringify(fundList(source)) },
    { key: chartStyleKey, content: chartStyle() },
    ...['fund.css', 'fund.js', 'list.css', 'list.js'].map((name) => ({
      key: `funds/${name}`,
      content: pageTemplate(`pages/${name}`),
    })),
  ]
}

/** In the page's address. Each shows other columns beside the fund: `list.css`. */
const listViews = ['prices', 'performance', 'facts'] as const

function listPage(source: SitePageSource, funds: readonly FundEntry[], language: Language): string {
  const { shell } = wording[language]
  const w = fundWords[language]
  const key = keys[language]
  const count = (some: readonly unknown[]) => fixedIn(language, some.length, 0)
  const found = count(funds)
  const overdue = funds.flatMap((fund) => fund.overdue ?? [])
  const late = overdue.filter((one) => one === 'late').length
  const which = overdueKind({ late, stale: overdue.length - late })
  // The number stays with its word.
  const verdict = statusWords[language].overdueVerdict(count(overdue), which).replace(' ', '\u00a0')
  const canCompare = funds.filter(({ notComparable }) => notComparable === null).length > 1
  const title = shell.parts.funds
  const hasOthers = funds.some(({ currency }) => isForeign(currency))
  return layout({
    keys,
    language,
    baseUrl: source.baseUrl,
    title,
    description: w.listLead(found, dayIn(language, source.asOf)),
    part: 'funds',
    parts: source.parts,
    publisher: source.publisher,
    styles: listStyles,
    scripts: ['funds/list.js'],
    head: html`${source.parts.includes('changes') && feedLink(key, language)}
    ${linkedData(markupOf(source, language))}`,
    main: html`<h1>${title}</h1>
      <p class="lead">
        ${w.listLead(found, dayIn(language, source.asOf))}${overdue.length > 0 && html` <a href="${linkTo(key, frontPages.status[language])}">${verdict}.</a>`}
      </p>
      <div class="search" role="search">
        <div class="wide-field">
          <label for="search">${w.search}</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false" />
        </div>
        ${filters(funds, language)}
      </div>
      <div class="above">
        ${tabs(
          'view',
          w.views,
          listViews.map((value) => ({ value, label: w.view[value] })),
        )}
        <p>
          ${canCompare && html`<span>${w.selectHint}</span> `}
          <button type="button" id="clear" hidden>${w.clear}</button>
          <span role="status" id="found" data-many="${w.found}" data-one="${w.foundOne}"
            >${funds.length === 1 ? w.foundOne : w.found.replace('{count}', found)}</span
          >
        </p>
      </div>
      <noscript><p class="quiet small">${w.allWithoutScript}</p></noscript>
      ${fundTable(funds, source.publisher, language)}
      <p class="more" id="more" hidden data-many="{count}">
        <span data-many="${w.shown}"></span> <button type="button" data-many="${w.more}"></button>
        <button type="button" data-many="${w.showAll}"></button>
      </p>
      <p
        class="selected"
        id="selected"
        hidden
        data-many="${w.selected}"
        data-one="${w.selectedOne}"
        data-most="${w.selectedMost}"
      >
        <span role="status"></span>
        <a class="button first" href="${linkTo(key, frontPages.compare[language])}">${w.compare}</a>
        <button type="button">${w.deselect}</button>
      </p>
      <div class="of-returns">
        <p class="quiet small">${w.returnsNote} ${yearEnds(funds, language)}</p>
        ${missingNote(funds, language)}
        <p class="quiet small">${w.costs} ${hasOthers && `${w.otherCurrency} `}${w.past}</p>
      </div>
      <p class="quiet small of-facts">${w.factsNote}</p>
      <p class="onward"><a href="${linkTo(key, fundListKey)}">${w.asData}</a></p>`,
  })
}

/** On which days the years end that do not end with the newest price. */
function yearEnds(funds: readonly FundEntry[], language: Language): string | null {
  const w = fundWords[language]
  const days = funds
    .flatMap(({ returns }) => Object.values(returns).map((each) => each?.until ?? null))
    .filter((day) => day !== null)
    .sort()
  const first = days[0]
  const last = days.at(-1)
  if (first === undefined || last === undefined) return null
  return first === last
    ? w.yearEnds(dayIn(language, first))
    : w.yearEndsBetween(dayIn(language, first), dayIn(language, last))
}

/** Why there is a dash in place of a change. */
function missingNote(funds: readonly FundEntry[], language: Language): Html | null {
  const w = fundWords[language]
  const reasons = (['young', 'not_permitted'] as const).filter((reason) =>
    funds.some(({ notComparable }) => notComparable === reason),
  )
  return reasons.length === 0
    ? null
    : html`<p class="quiet small">${reasons.map((reason) => w.dash[reason]).join(' ')}</p>`
}

/** A value is the same in both languages, so that an address means the same in both: of a category, its German name. */
function filters(funds: readonly FundEntry[], language: Language): Html {
  const w = fundWords[language]
  const categories = new Map<string, string>()
  const currencies = new Map<string, string>()
  const incomes = new Map<string, string>()
  const risks = new Map<string, string>()
  for (const { categoryDe, categoryEn, currency, accumulating, srri } of funds) {
    const income = incomeOf(accumulating)
    if (categoryDe !== null) categories.set(categoryDe, inLanguage(language, categoryDe, categoryEn))
    currencies.set(currency, currency)
    if (income !== null) incomes.set(income, w[income])
    if (srri !== null) risks.set(String(srri), String(srri))
  }
  const filter = (id: string, label: string, choices: ReadonlyMap<string, string>) => {
    if (choices.size < 2) return null
    const sorted = sortedByName([...choices].map(([value, name]) => ({ value, name })))
    const options = sorted.map(({ value, name }) => html`<option value="${value}">${name}</option> `)
    return html`<div>
      <label for="${id}">${label}</label>
      <select id="${id}" autocomplete="off">
        <option value="">${w.all}</option>
        ${options}
      </select>
    </div> `
  }
  return html`${filter('category', w.category, categories)}${filter('currency', w.currency, currencies)}${filter('income', w.incomeColumn, incomes)}${filter('risk', w.riskHead, risks)}`
}

/** @returns as an address has it */
const incomeOf = (accumulating: boolean | null) =>
  accumulating === null ? null : accumulating ? 'accumulating' : 'distributing'

/** The longest price, in characters, that has room beside two percentages on a phone. */
const widest = 13

function fundTable(funds: readonly FundEntry[], publisher: Publisher | null, language: Language): Html {
  const w = fundWords[language]
  const hasWkn = funds.some(({ wkn }) => wkn !== null)
  const widths = funds.map(
    ({ newest, currency }) => newest && amountIn(language, newest.nav, currency).length,
  )
  const hasWidePrices = Math.max(0, ...widths.map(Number)) > widest
  /** @param id names the column in the page's address */
  const column = (id: string, name: string, kind: string, attributes = ''): TableCell => ({
    content: html`<span>${name}</span>`,
    kind,
    attributes: raw(` data-id="${id}"${attributes}`),
  })
  return table({
    kind: `funds long sortable${hasWidePrices ? ' wide-prices' : ''}`,
    attributes: html` id="funds" data-none="${w.none}" data-hint="${w.noneHint}"
    data-filtered="${w.noneFiltered}" data-select="${w.select}"`,
    columns: [
      column('name', w.fund, '', ' aria-sort="ascending"'),
      column('isin', 'ISIN', 'whole'),
      ...(hasWkn ? [column('wkn', 'WKN', 'whole')] : []),
      column('nav', w.navColumn, 'number nav'),
      column('date', w.day, 'number date'),
      column('change', w.change, 'number change'),
      column('year', w.oneYear, 'number year'),
      column('years3', w.threeYears, 'number years3'),
      column('years5', w.fiveYears, 'number years5'),
      column('assets', w.assetsColumn, 'number assets'),
      column('income', w.incomeColumn, 'income'),
      column('costs', w.costsHead, 'number costs'),
      column('risk', w.riskHead, 'number risk'),
    ],
    rows: funds.map((fund) => cells(fund, { hasWkn, publisher, language })),
  })
}

interface FundTable {
  readonly hasWkn: boolean
  readonly publisher: Publisher | null
  readonly language: Language
}

/** What a script sorts by: a number as a program reads it. A missing one comes last. */
const sortedBy = (cell: Styled, value: string | null): TableCell =>
  value === null ? cell : { ...cell, attributes: html` data-value="${value}"` }

function returnCell(over: EntryReturn | null, kind: string, language: Language): TableCell {
  const cell = changeCell(language, over?.percent ?? null, `number ${kind}`)
  if (over === null) return cell
  const title = over.until === null ? null : fundWords[language].until(dayIn(language, over.until))
  const content = title === null ? cell.content : html`<span title="${title}">${cell.content}</span>`
  return sortedBy({ ...cell, content }, over.percent)
}

const marked = (state: 'late' | 'stale' | FundLife['kind'] | null, language: Language) =>
  state !== null && html` <small class="mark ${state}">${statusWords[language].marks[state]}</small>`

/** The category, and how things stand with the fund. Without a price its figures are dashes. */
function belowName(fund: FundEntry, language: Language): HtmlContent {
  const { categoryDe, categoryEn, state, noPrice, announced } = fund
  return [
    categoryDe !== null && html` <small>${categoryIn(language, categoryDe, categoryEn)}</small>`,
    marked(state, language),
    noPrice !== null && state === null && html` <small>${statusWords[language].marks[noPrice]}</small>`,
    announced.map((each) => html` <small class="mark">${comingIn(each, language)}</small>`),
  ]
}

/** A row may be one of ten thousand: its heading says what scripts need to know of the fund and no column has. */
function cells(fund: FundEntry, { hasWkn, publisher, language }: FundTable): readonly TableCell[] {
  const { isin, wkn, name, newest, currency, returns, categoryDe } = fund
  const { accumulating, totalExpenseRatio, totalFundAssets, srri } = fund
  const w = fundWords[language]
  const page = fundPageKeys(isin)[language].slice('funds/'.length)
  const missing = noValue(language)
  const change = newest?.changePercent ?? null
  const priceCells = (price: NonNullable<typeof newest>): readonly TableCell[] => {
    const day = dayIn(language, price.date)
    return [
      sortedBy({ content: amountIn(language, price.nav, currency), kind: 'number nav' }, price.nav),
      // The digits of a day are in the order of days.
      sortedBy(
        { content: [day, marked(fund.overdue, language)], kind: 'number date' },
        price.date.replaceAll('-', ''),
      ),
      sortedBy(changeCell(language, change, 'number change'), change),
    ]
  }
  const income = incomeOf(accumulating)
  const facts = [
    html` data-currency="${currency}"`,
    categoryDe !== null && html` data-category="${categoryDe}"`,
    income !== null && html` data-income="${income}"`,
    srri !== null && html` data-risk="${srri}"`,
  ]
  const comparable = fund.notComparable === null && html` data-comparable`
  return [
    {
      content: [html`<a href="${page}">${fundName(publisher, name)}</a>`, belowName(fund, language)],
      kind: '',
      attributes: html`${facts}${comparable}`,
    },
    isin,
    ...(hasWkn ? [wkn ?? missing] : []),
    ...(newest === null ? [missing, missing, missing] : priceCells(newest)),
    returnCell(returns.oneYear, 'year', language),
    returnCell(returns.threeYears, 'years3', language),
    returnCell(returns.fiveYears, 'years5', language),
    totalFundAssets === null
      ? missing
      : sortedBy(
          { content: millionsIn(language, totalFundAssets), kind: 'number assets' },
          totalFundAssets.split(' ')[0] ?? null,
        ),
    income === null ? missing : w[income],
    totalExpenseRatio === null
      ? missing
      : sortedBy(
          { content: percentIn(language, totalExpenseRatio), kind: 'number costs' },
          String(totalExpenseRatio),
        ),
    srri === null ? missing : sortedBy({ content: String(srri), kind: 'number risk' }, String(srri)),
  ]
}

/** The published list, in the order of ISINs. Source: api/contract/lists.ts. */
export function fundList({ asOf, funds }: Pick<SitePageSource, 'asOf' | 'funds'>) {
  const entries = funds.map((fund) => {
    const { isin, wkn, name, currency, categoryDe, categoryEn, newest, overdue } = fund
    const category = categoryDe === null ? null : { de: categoryDe, en: categoryEn ?? categoryDe }
    const { date, nav, changePercent } = newest ?? {}
    const price = newest && { date, net_asset_value: nav, change_percent: changePercent, overdue }
    return {
      isin,
      wkn,
      name,
      currency,
      category,
      price,
      state: fund.state,
      inception_date: fund.inceptionDate,
      end_date: fund.endDate,
      end_reason: fund.endReason,
      successor: fund.successor,
      one_year_percent: fund.returns.oneYear?.percent ?? null,
      three_years_percent: fund.returns.threeYears?.percent ?? null,
      five_years_percent: fund.returns.fiveYears?.percent ?? null,
      accumulating: fund.accumulating,
      total_expense_ratio: fund.totalExpenseRatio,
      total_fund_assets: fund.totalFundAssets,
      srri: fund.srri,
      not_comparable: fund.notComparable,
      page: fundPageKeys(isin),
    }
  })
  return { as_of: asOf, funds: entries }
}

/** For search engines. Source: schema.org/CollectionPage. */
const markupOf = ({ baseUrl, funds, asOf }: SitePageSource, language: Language) => ({
  '@context': 'https://schema.org',
  '@type': 'CollectionPage',
  name: wording[language].shell.parts.funds,
  url: addressOf(baseUrl, keys[language]),
  inLanguage: language,
  dateModified: asOf,
  mainEntity: { '@type': 'ItemList', numberOfItems: funds.length },
})

/** The comparison of funds: a page in each language. A script asks the API for the prices and draws them. */

import { inLanguage } from '../../../core/api/contract/fund.ts'
import type { FundEntry, SitePages, SitePageSource } from '../../../core/api/contract/page.ts'
import { folderKey } from '../../../core/api/routes/keys.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { sortedByName } from '../../../core/layout/formats.ts'
import { drawing, fundName, html, type Html, linkTo } from '../../../core/layout/html.ts'
import { distributionKeys, frontPages, layout, pageTemplate } from '../../../core/layout/layout.ts'
import { mostCompared } from './chart/charts.ts'
import { lifeWords } from '../../../core/layout/life-wording.ts'
import { statusWords } from '../../../core/layout/status-wording.ts'
import { wording } from '../../../core/layout/wording.ts'
import { shortened } from './chart/end-names.ts'
import { chartStyleKey } from './chart/style.ts'
import { compareWording } from './compare-wording.ts'
import { fundListKey, listStyles } from './list.ts'
import { fundPickerField, pickerWords } from './picker-field.ts'
import { rangeButtons } from './sections/performance.ts'
import { fundWords } from './wording.ts'

const keys = frontPages.compare
const scriptKey = 'compare/compare.js'
const styleKey = 'compare/compare.css'

export const comparePages: SitePages = (source) => [
  ...languages.map((language) => ({ key: keys[language], content: comparePage(source, language) })),
  { key: scriptKey, content: pageTemplate('pages/compare.js') },
  { key: styleKey, content: pageTemplate('pages/compare.css') },
]

function comparePage(source: SitePageSource, language: Language): string {
  const w = compareWording[language]
  const key = keys[language]
  const title = wording[language].shell.parts.compare
  return layout({
    keys,
    language,
    title,
    description: w.description,
    part: 'compare',
    parts: source.parts,
    baseUrl: source.baseUrl,
    publisher: source.publisher,
    styles: [...listStyles, chartStyleKey, styleKey],
    scripts: [scriptKey],
    main: html`<h1>${title}</h1>
      <p class="lead">${w.lead}</p>
      <noscript>
        <p>${w.noScript}</p>
        <p>${listLink(language, key)}</p>
      </noscript>
      ${tool(source, language, key)}`,
  })
}

const listLink = (language: Language, key: string): Html =>
  html`<a href="${linkTo(key, frontPages.funds[language])}">${fundWords[language].list}</a>`

/** Texts of the script, by name. */
function wordsIn(language: Language) {
  const { late, stale, suspended, ended } = statusWords[language].marks
  const { ends } = lifeWords[language]
  return {
    ...pickerWords(language),
    ...compareWording[language].says,
    ...fundWords[language].measured,
    again: wording[language].shell.again,
    liquidatedOn: ends.liquidated('{day}'),
    maturedOn: ends.matured('{day}'),
    mergedOn: ends.merged('{day}'),
    endedOn: ends.ended('{day}'),
    merged: fundWords[language].mergedInto('{fund}', '{successor}', '{day}'),
    late,
    stale,
    suspended,
    ended,
  }
}

/** Search, chosen funds, messages, chart and table for the script. Hidden until it runs. */
function tool(source: SitePageSource, language: Language, key: string): Html {
  const w = compareWording[language]
  const funds = fundWords[language]
  const historic = source.table.routes.find(({ series }) => series !== undefined)
  if (historic === undefined) throw new Error('no route has historic prices')
  // The script replaces this by an ISIN.
  const prices = linkTo(key, folderKey(historic, { isin: 'ISIN' }))
  return html`<div
    id="compare"
    hidden
    data-list="${linkTo(key, fundListKey)}"
    data-prices="${prices}"
    data-actions="${linkTo(key, distributionKeys('ISIN').json)}"
    data-mergers="${JSON.stringify(source.mergers)}"
    data-words="${JSON.stringify(wordsIn(language))}"
  >
    <div class="search" role="search">${fundPickerField(w.add)}</div>
    <ul class="chips" aria-label="${w.chosen}"></ul>
    <div role="status" id="messages"></div>
    <figure class="chart" data-busy="${funds.loading}" hidden>
      ${rangeButtons(language)}
      ${drawing({ id: 'index', title: w.chartTitle, height: 360, shapes: '<g class="drawn"></g>' })}
      <figcaption>
        <span
          id="period"
          data-text="${w.period('{first}', '{last}')}"
          data-one="${w.periodOfOne('{first}', '{last}')}"
        ></span>
        <span class="of-script">${funds.chartMeasures}</span>
      </figcaption>
    </figure>
    <div role="status" id="notices"></div>
    ${offers(source, language, key)} ${figuresTable(language)}
    ${
      // Shown with the chart, which would push the notes down.
      html`<div id="notes" hidden>
        <p class="quiet small" data-of="prices">${w.noteReturns}</p>
        <p class="quiet small" data-of="prices">${w.noteMeasures}</p>
        <p class="quiet small">${w.noteFacts}</p>
        <p class="quiet small">${w.noteYoung} ${funds.costs} ${funds.past}</p>
      </div>`
    }
    <p class="onward">${listLink(language, key)}</p>
  </div> `
}

/** More would be a list of funds, which is another page. */
const mostOffers = 9

/** What to begin with while no fund is chosen: categories, or funds where no category has two that can be compared. */
function offers({ funds, publisher }: SitePageSource, language: Language, key: string): Html | null {
  const w = compareWording[language]
  const comparable = sortedByName(
    funds.filter(({ notComparable, state }) => notComparable === null && state === null),
  )
  const categories = Map.groupBy(comparable, ({ categoryDe }) => categoryDe)
  const several = [...categories].flatMap(([german, members]) =>
    german === null || members.length < 2 ? [] : [{ german, members }],
  )
  const largest = several.sort((one, other) => other.members.length - one.members.length).slice(0, mostOffers)
  // What all names begin with says nothing.
  const short = shortened(
    comparable.map(({ name }) => name),
    [],
  )
  const nameOf = (fund: FundEntry) => short[comparable.indexOf(fund)] ?? fund.name
  const names = (members: readonly FundEntry[]) =>
    members.map((fund, place) => html`${place > 0 && ', '}${fundName(publisher, nameOf(fund))}`)
  const ofCategory = ({ german, members }: (typeof several)[number]) => {
    const isins = members.map(({ isin }) => isin).join(',')
    // Of more funds, readers choose in the list.
    const address =
      members.length <= mostCompared
        ? `?isins=${isins}`
        : `${linkTo(key, frontPages.funds[language])}?category=${encodeURIComponent(german)}`
    const title = inLanguage(language, german, members[0]?.categoryEn ?? null)
    const about = members.length <= mostCompared ? names(members) : w.inCategory(String(members.length))
    return html`<li><a href="${address}">${title}</a> <small>${about}</small></li> `
  }
  const ofFund = ({ isin, name, categoryDe, categoryEn }: FundEntry) => {
    const category = categoryDe === null ? isin : inLanguage(language, categoryDe, categoryEn)
    return html`<li>
      <a href="?isins=${isin}">${fundName(publisher, name)}</a> <small>${category}</small>
    </li> `
  }
  if (comparable.length === 0) return null
  return html`<section id="offers">
    <h2>${largest.length > 0 ? w.categories : w.begin}</h2>
    <ul class="offers">
      ${largest.length > 0 ? largest.map(ofCategory) : comparable.slice(0, mostOffers).map(ofFund)}
    </ul>
  </section> `
}

type Figure = keyof (typeof compareWording)[Language]['figures']
interface Group {
  readonly id: Figure
  readonly rows: readonly Figure[]
  /** The script hides what needs prices while there are none. */
  readonly of: 'prices' | 'facts'
}

const groups: readonly Group[] = [
  {
    id: 'period',
    rows: ['performance', 'performance_per_year', 'volatility', 'drawdown', 'from', 'to'],
    of: 'prices',
  },
  { id: 'years', rows: ['1y', '3y', '3y_per_year', '5y', '5y_per_year'], of: 'prices' },
  { id: 'facts', rows: ['costs', 'risk', 'income', 'size', 'currency', 'launched'], of: 'facts' },
]

/** Each figure of all funds is on one line: the script adds a column for each fund. */
function figuresTable(language: Language): Html {
  const w = compareWording[language]
  const withDays: Partial<Record<Figure, string>> = w.withDays
  const nameOf = (id: Figure) => {
    const filled = withDays[id]
    return filled === undefined ? w.figures[id] : html`<span data-text="${filled}">${w.figures[id]}</span>`
  }
  const rowOf = (id: Figure) =>
    html`<tr data-id="${id}">
      <th scope="row">${nameOf(id)}</th>
    </tr> `
  const groupOf = ({ id, rows, of }: Group) =>
    html`<tbody data-of="${of}">
      <tr class="group">
        <th scope="rowgroup">${nameOf(id)}</th>
      </tr>
      ${rows.map(rowOf)}
    </tbody> `
  return html`<table class="compared long" id="compared" hidden>
    <caption class="unseen">
      ${wording[language].shell.parts.compare}
    </caption>
    <thead>
      <tr>
        <td></td>
      </tr>
    </thead>
    ${groups.map(groupOf)}
  </table> `
}

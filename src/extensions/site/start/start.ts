/** The start page, and the page for missing ones. Both link to everything, and find funds. */

import type { FundEntry, Page, SitePageSource } from '../../../core/api/contract/page.ts'
import { inLanguage } from '../../../core/api/contract/fund.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { thinned } from '../funds/chart/charts.ts'
import { smallLine } from '../funds/chart/small-line.ts'
import { amountIn, changeIn, dayIn, fixedIn, sortedByName } from '../../../core/layout/formats.ts'
import { fundListKey, listStyles } from '../funds/list.ts'
import { fundPickerField, pickerWords } from '../funds/picker-field.ts'
import { fundWords } from '../funds/wording.ts'
import { addressOf, organizationOf, startKeys } from '../../../core/layout/head.ts'
import {
  changeOf,
  fundName,
  html,
  type Html,
  linkedData,
  linkTo,
  noValue,
  raw,
  section,
  table,
  type TableCell,
} from '../../../core/layout/html.ts'
import {
  changesKeys,
  frontPages,
  fundPageKeys,
  layout,
  linksOf,
  notFoundKeys,
  pageTemplate,
} from '../../../core/layout/layout.ts'
import { adjusted, daysStoodFor, fundActions, pricesSince } from '../../../core/layout/total-return.ts'
import { wording } from '../../../core/layout/wording.ts'
import { dayNumber } from '../../../core/system/day-number.ts'
import { addDays, addYears } from '../../../core/system/days.ts'
import { statusWords } from '../../../core/layout/status-wording.ts'
import { startWords } from './wording.ts'

const styles = [...listStyles, 'docs/assets/start.css']
const scripts = ['docs/assets/find.js']

export function* startPages(source: SitePageSource): Generator<Page> {
  for (const language of languages) {
    yield { key: startKeys[language], content: startPage(source, language) }
    yield { key: notFoundKeys[language], content: notFoundPage(source, language) }
  }
  yield { key: 'docs/assets/start.css', content: pageTemplate('pages/start.css') }
  yield { key: 'docs/assets/find.js', content: pageTemplate('pages/find.js') }
}

function startPage(source: SitePageSource, language: Language): string {
  const { baseUrl, parts, publisher, asOf, funds } = source
  const { shell } = wording[language]
  const w = startWords[language]
  const key = startKeys[language]
  const link = (to: string) => linkTo(key, to)
  const count = fixedIn(language, funds.length, 0)
  const name = publisher?.name ?? null
  const own = publisher?.start[language]?.split(/\n\s*\n/) ?? []
  const others = (['docs', 'explorer', 'downloads', 'status'] as const).filter((part) => parts.includes(part))
  const title = name === null ? shell.brand : `${shell.brand} · ${name}`
  return layout({
    keys: startKeys,
    language,
    baseUrl,
    title,
    description: w.description(name ?? shell.brand),
    part: null,
    parts,
    publisher,
    styles,
    scripts,
    head: linkedData(catalogueOf(source, language, title)),
    main: html`<div class="hero">
        <div>
          <h1>${shell.brand}</h1>
          ${own.length > 0 && html`<div>${own.map((paragraph) => html`<p>${paragraph}</p> `)}</div> `}
          <p class="${own.length === 0 ? 'lead' : 'quiet'}">
            ${w.lead(count, dayIn(language, asOf), own.length === 0 ? name : null)}
          </p>
        </div>
        <div class="finder">
          ${searchBox(language, link)}
          <p>
            <a class="button first" href="${link(frontPages.funds[language])}">${w.allFunds(count)}</a>
            <a class="button" href="${link(frontPages.compare[language])}">${shell.parts.compare}</a>
          </p>
        </div>
      </div>
      ${movers(source, language)} ${categories(source, language, link)}
      <h2>${w.overview}</h2>
      <ul class="parts">
        ${others.map((part) => entry(link(frontPages[part][language]), shell.parts[part], w.about[part]))}
        ${parts.includes('changes') && entry(link(changesKeys[language]), shell.changes, w.aboutChanges)}
      </ul>`,
  })
}

const entry = (address: string, name: string, about: string): Html =>
  html`<li>
    <a href="${address}">${name}</a>
    <p>${about}</p>
  </li> `

function notFoundPage({ baseUrl, parts, publisher }: SitePageSource, language: Language): string {
  const { shell } = wording[language]
  const w = startWords[language]
  const page = { keys: notFoundKeys, language, baseUrl, isAnywhere: true }
  const link = linksOf(page)
  return layout({
    ...page,
    title: w.missing,
    description: w.aboutMissing,
    part: null,
    parts,
    publisher,
    styles,
    scripts,
    main: html`<h1>${w.missing}</h1>
      <p class="lead">${w.aboutMissing}</p>
      ${
        parts.includes('changes') &&
        html`<p
          class="callout"
          id="gone"
          role="status"
          data-index="${link('changes/index.json')}"
          data-changes="${link(changesKeys[language])}"
          data-words="${JSON.stringify(w.gone)}"
          hidden
        ></p>`
      }
      ${searchBox(language, link)}
      <ul>
        <li><a href="${link(startKeys[language])}">${shell.start}</a></li>
        <li><a href="${link(frontPages.funds[language])}">${fundWords[language].list}</a></li>
        ${parts.includes('docs') && html`<li><a href="${link(frontPages.docs[language])}">${shell.parts.docs}</a></li>`}
        ${parts.includes('changes') && html`<li><a href="${link(changesKeys[language])}">${shell.changes}</a></li>`}
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
    data-words="${JSON.stringify(pickerWords(language))}"
  >
    ${fundPickerField(w.search)}
  </div> `
}

type Mover = FundEntry & { readonly newest: NonNullable<FundEntry['newest']>; readonly change: string }

interface MoverList {
  readonly title: string
  readonly shown: readonly Mover[]
}

const mostMovers = 5
/** With fewer, one of two columns would be nearly empty. */
const fewestMovers = 3

/**
 * The largest gains and the largest losses of the newest day; none of a stale price, or of a fund that is no longer priced. Without
 * any, the first funds and their newest prices. A fund younger than one year has no change (MiFID II), and is in neither: a note says so.
 */
function movers(source: SitePageSource, language: Language): Html | null {
  const { funds } = source
  const w = startWords[language]
  const day = funds.reduce(
    (latest, { newest }) => (newest && newest.date > latest ? newest.date : latest),
    '',
  )
  const priced = sortedByName(funds).flatMap(({ newest, ...fund }): readonly Mover[] => {
    const change = newest?.changePercent ?? null
    return newest !== null && change !== null ? [{ ...fund, newest, change }] : []
  })
  if (priced.length === 0) return null
  const moved = priced
    .filter(({ newest, overdue, state }) => newest.date === day && overdue !== 'stale' && state === null)
    .sort((one, other) => Number(other.change) - Number(one.change))
  const gains = moved.filter(({ change }) => Number(change) > 0)
  const losses = moved.filter(({ change }) => Number(change) < 0).toReversed()
  const isNews = gains.length + losses.length > 0
  const heading = isNews ? w.movers(dayIn(language, day)) : w.newest
  const hasBoth = Math.min(gains.length, losses.length) >= fewestMovers
  const tables = hasBoth
    ? besideEachOther(gains, losses, language)
    : inTwoColumns(isNews ? ofBoth(gains, losses) : priced, titleOf(gains, losses, language))
  const hasYoung = funds.some(({ newest, notComparable }) => newest !== null && notComparable === 'young')
  return html`<h2>${heading}</h2>
    <div class="movers${hasBoth ? '' : ' one-list'}">
      ${tables.map(({ title, shown }, index) => {
        const caption = `${heading}: ${title}${hasBoth ? '' : ` (${index + 1})`}`
        return html`${moverTable(source, caption, shown, { title, isNews, language })} `
      })}
    </div>
    <p class="quiet small">
      ${hasYoung && html`${w.withoutYoung} `}<span class="year">${w.lines}</span> ${fundWords[language].past}
    </p> `
}

/** As many of each: neither column has a hole. */
function besideEachOther(
  gains: readonly Mover[],
  losses: readonly Mover[],
  language: Language,
): readonly MoverList[] {
  const w = startWords[language]
  const rows = Math.min(mostMovers, gains.length, losses.length)
  return [
    { title: w.gains, shown: gains.slice(0, rows) },
    { title: w.losses, shown: losses.slice(0, rows) },
  ]
}

/** Losses follow gains. Where one of them has few, the other has their room. */
function ofBoth(gains: readonly Mover[], losses: readonly Mover[]): readonly Mover[] {
  const room = 2 * mostMovers
  const risen = gains.slice(0, room - Math.min(mostMovers, losses.length))
  return [...risen, ...losses.slice(0, room - risen.length)]
}

/** One list, of which each column has half. */
function inTwoColumns(list: readonly Mover[], title: string): readonly MoverList[] {
  const shown = list.slice(0, 2 * mostMovers)
  const half = Math.ceil(shown.length / 2)
  return [
    { title, shown: shown.slice(0, half) },
    { title, shown: shown.slice(half) },
  ]
}

function titleOf(gains: readonly Mover[], losses: readonly Mover[], language: Language): string {
  const w = startWords[language]
  if (gains.length === 0 && losses.length === 0) return fundWords[language].fund
  if (losses.length === 0) return w.gains
  return gains.length === 0 ? w.losses : w.gainsAndLosses
}

/** More would be a list to search in. */
const mostCategories = 12

/** Ways into the list: the categories with the most funds, by their names. Their filter needs a script. */
function categories(
  { funds }: SitePageSource,
  language: Language,
  link: (to: string) => string,
): Html | null {
  const all = [...Map.groupBy(funds, ({ categoryDe }) => categoryDe)].flatMap(([german, members]) => {
    if (german === null) return []
    const name = inLanguage(language, german, members[0]?.categoryEn ?? null)
    return [{ german, name, count: members.length }]
  })
  if (all.length < 2) return null
  const most = all.sort((one, other) => other.count - one.count).slice(0, mostCategories)
  const items = sortedByName(most).map(({ german, name, count }) => {
    const address = `${link(frontPages.funds[language])}?category=${encodeURIComponent(german)}`
    return html`<li>
      <a href="${address}">${name} <span>${fixedIn(language, count, 0)}</span></a>
    </li> `
  })
  const isPart = most.length < all.length
  return section(
    'categories',
    startWords[language].categories,
    html`<ul class="kinds">
        ${items}
      </ul>
      ${isPart && html`<p><a href="${link(frontPages.funds[language])}">${startWords[language].allCategories(fixedIn(language, all.length, 0))}</a></p> `}`,
  )
}

/** Two of them are about as far apart as the line is thick. */
const mostPoints = 60

/** The year before the newest price as a line, with distributions reinvested; null without two prices. */
function yearLine({ history }: SitePageSource, { isin, newest }: Mover, language: Language): string | null {
  const start = addYears(newest.date, -1)
  const { navs, actions } = history(isin, addDays(start, -daysStoodFor))
  const navFrom = (day: string) => {
    const next = navs.find(({ date }) => date >= day)
    return next === undefined ? null : { day: dayNumber(next.date), nav: next.nav }
  }
  const prices = navs.map(({ date, nav }) => ({ day: dayNumber(date), nav }))
  const year = pricesSince(adjusted(prices, fundActions(actions, navFrom)), dayNumber(start))
  const [first] = year
  const last = year.at(-1)
  if (first === undefined || last === undefined || !(first.worth > 0)) return null
  const percent = changeIn(language, (last.worth / first.worth - 1) * 100)
  const points = thinned(year, mostPoints).map(({ day, worth }) => ({ day, value: worth }))
  return smallLine(points, `${fundWords[language].oneYear}: ${percent}`)
}

function moverTable(
  source: SitePageSource,
  caption: string,
  funds: readonly Mover[],
  {
    title,
    isNews,
    language,
  }: { readonly title: string; readonly isNews: boolean; readonly language: Language },
): Html | null {
  const w = fundWords[language]
  const { publisher } = source
  const pageOf = (isin: string) => linkTo(startKeys[language], fundPageKeys(isin)[language])
  const rowOf = (fund: Mover): readonly TableCell[] => {
    const { isin, name, currency, newest, change } = fund
    const mark = fund.state ?? fund.overdue
    const line = yearLine(source, fund, language)
    const { text, tone } = changeOf(language, change)
    const nav = amountIn(language, newest.nav, currency)
    return [
      [
        html`<a href="${pageOf(isin)}">${fundName(publisher, name)}</a>`,
        mark !== null && html` <small class="mark ${mark}">${statusWords[language].marks[mark]}</small>`,
      ],
      line === null ? noValue(language) : raw(line),
      isNews
        ? html`<span class="${tone}">${text}</span> <small>${nav}</small>`
        : html`${nav} <small>${dayIn(language, newest.date)}</small>`,
    ]
  }
  return funds.length === 0
    ? null
    : table({
        caption,
        columns: [
          title,
          { content: w.oneYear, kind: 'year' },
          isNews
            ? { content: html`${w.change} <small>${w.nav}</small>`, kind: 'number' }
            : { content: html`${w.nav} <small>${w.day}</small>`, kind: 'number' },
        ],
        rows: funds.map(rowOf),
      })
}

/** For search engines. Source: schema.org/DataCatalog. */
function catalogueOf(source: SitePageSource, language: Language, name: string) {
  const { baseUrl, publisher, asOf, parts } = source
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
      url: address((parts.includes('downloads') ? frontPages.downloads : frontPages.funds)[language]),
      dateModified: asOf,
      ...(organization !== null && { creator: organization }),
      ...said,
      distribution: [
        { '@type': 'DataDownload', encodingFormat: 'application/json', contentUrl: address(fundListKey) },
      ],
    },
  }
}

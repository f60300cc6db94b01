/** The status of a snapshot as a page in each language that works without scripts. Pure. */

import type { Page, Publisher } from '../../../core/api/contract/page.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { countsByMark, type FreshnessCounts, type MarkedFund, marks } from '../../../core/guards/assess.ts'
import { maxBusinessDays } from '../../../core/guards/calendar.ts'
import { dayIn, fixedIn, sortedByName, unbroken } from '../../../core/layout/formats.ts'
import {
  figure,
  fundName,
  html,
  type Html,
  linkTo,
  raw,
  table,
  type TableCell,
  noValue,
} from '../../../core/layout/html.ts'
import {
  changesKeys,
  feedKeys,
  feedLink,
  frontPages,
  fundPageKeys,
  layout,
  pageTemplate,
  type PageSite,
  statusPair,
  statusStyle,
  statusStyleKey,
} from '../../../core/layout/layout.ts'
import { wording } from '../../../core/layout/wording.ts'
import { statusKey, type StatusSource, withheldFunds } from '../../../core/snapshot/status-document.ts'
import { overdueKind, statusWords } from '../../../core/layout/status-wording.ts'
import { type BarKind, barKinds, keyBar } from './history.ts'
import { historyWords } from './history-wording.ts'

const scriptKey = 'status/status.js'

export function statusPages(source: StatusSource, site: PageSite): readonly Page[] {
  return [
    ...languages.map((each) => ({
      key: frontPages.status[each],
      content: statusPage(source, each, site),
    })),
    statusStyle(site),
    { key: scriptKey, content: pageTemplate(scriptKey) },
  ]
}

function statusPage(
  source: StatusSource,
  language: Language,
  { baseUrl, publisher, isAlone, parts }: PageSite,
): string {
  const { snapshot, asOf, documents, bytes, assessment } = source
  const { newestPrice, oldestPrice, overdue } = assessment
  const funds = assessment.funds
  const counts = countsByMark((each) => funds.filter(({ mark }) => mark === each).length)
  const withheld = withheldFunds(source)
  const { shell } = wording[language]
  const w = statusWords[language]
  const key = frontPages.status[language]
  const toJson = linkTo(key, statusKey)
  const verdict = (['stale', 'late', 'fresh'] as const).find((mark) => counts[mark] > 0) ?? 'unwatched'
  const count = (number: number) => fixedIn(language, number, 0)
  const names = { publisher, asOf, hasPages: !isAlone }
  const list = (caption: string, some: readonly MarkedFund[]) => {
    const rest = some.slice(mostOpen)
    const said = w.others(rest.length, count(rest.length))
    const others = html`<details class="folded">
      <summary><span>${said}</span></summary>
      ${fundTable(said, rest, language, names)}
    </details> `
    return html`<h2>${caption}</h2>
      ${fundTable(caption, some.slice(0, mostOpen), language, names)} ${rest.length > 0 && others}`
  }
  const folded = foldedMarks.filter((mark) => counts[mark] > 0)
  const figures = [
    [
      figure(w.asOf, dayIn(language, asOf)),
      later('live', w.live, html`class="awaited" data-failed="${w.notLoaded}"`),
      later('staged', w.staged, html`hidden data-failed="${w.notLoaded}"`),
    ],
    figure(w.newest, newestPrice === null ? noValue(language) : dayIn(language, newestPrice)),
    figure(w.oldest, oldestPrice === null ? noValue(language) : dayIn(language, oldestPrice.day)),
    figure(w.funds, count(funds.length)),
    figure(w.documents, count(documents), sizeIn(language, bytes)),
  ]
  return layout({
    keys: frontPages.status,
    language,
    baseUrl,
    title: `${shell.parts.status} ${dayIn(language, asOf)}`,
    description: w.description(dayIn(language, asOf)),
    part: 'status',
    isAlone,
    parts,
    publisher,
    styles: [statusStyleKey],
    scripts: [scriptKey],
    ...(parts.includes('changes') && { head: feedLink(key, language) }),
    main: html`${statusPair(frontPages.status, language, { parts })}
      <h1>${shell.parts.status}</h1>
      <p class="verdict ${verdict}">${verdictIn(language, verdict, counts)}</p>
      <p class="codes">
        <span>${w.snapshot} <code>${snapshot}</code></span>
      </p>
      <dl class="headline">${figures}</dl>
      ${parts.includes('changes') && historyFigure(key, language)}
      <h2>${w.prices}</h2>
      <dl class="headline">
        ${marks.map((mark) => counts[mark] > 0 && figure(markedAs(mark, w.marks[mark]), count(counts[mark])))}
      </dl>
      ${withheld.length > 0 && [list(w.withheld, withheld), html`<p class="quiet small">${w.withheldNote}</p>`]}
      ${overdue.length > 0 && list(w.overdue[overdueKind(counts)], overdue)}
      ${folded.map((mark) => {
        const some = sortedByName(funds.filter((fund) => fund.mark === mark))
        const said = w.folded[mark](count(some.length))
        return html`<details class="folded ${mark}" ${some.length === funds.length && raw(' open')}>
          <summary><span>${said}</span></summary>
          ${some.every(({ newestPrice }) => newestPrice === null) ? fundNames(some, language, names) : fundTable(said, some, language, names)}
        </details> `
      })}
      <p class="quiet small">
        <span class="of-age">${w.notes.age}</span>
        <span class="of-rhythm">${w.notes.rhythm}</span> ${w.notes.next}
        ${funds.some((fund) => isAwaited(fund, asOf)) && html`${w.notes.awaited} `}${w.notes.oldest}
      </p>
      ${
        parts.includes('changes') &&
        html`<section id="notable" hidden>
          <h2>${historyWords[language].notable}</h2>
          <ul></ul>
        </section> `
      }
      <ul class="ways">
        <li><a href="${toJson}">${w.asData}</a></li>
        ${
          parts.includes('changes') &&
          html`<li>
            <a href="${linkTo(key, feedKeys[language])}" type="application/atom+xml">${shell.feed}</a>
          </li>`
        }
      </ul>`,
  })
}

type Verdict = 'stale' | 'late' | 'fresh' | 'unwatched'

function verdictIn(language: Language, verdict: Verdict, { late, stale }: FreshnessCounts): string {
  const w = statusWords[language]
  if (verdict === 'fresh' || verdict === 'unwatched') return w.verdicts[verdict]
  return w.overdueVerdict(fixedIn(language, late + stale, 0), overdueKind({ late, stale }))
}

/** In the order of the page. */
const foldedMarks = ['fresh', 'suspended', 'ended', 'unwatched', 'unpriced', 'withheld'] as const

/** Filled in by status.js. A figure that always comes keeps its place, so that nothing moves. */
const later = (id: string, name: string, state: Html): Html =>
  html`<div id="${id}" ${state}>
    <dt>${name}</dt>
    <dd>${'\u00a0'}</dd>
    <dd class="below">${'\u00a0'}</dd>
  </div>`

/** Filled in by status.js, too: only a publish knows those before it. Without scripts, the page of changes has them. */
function historyFigure(key: string, language: Language): Html {
  const w = historyWords[language]
  const legend = (Object.keys(barKinds) as BarKind[]).map(
    (kind) =>
      html`<li data-kind="${kind}">
        <svg aria-hidden="true">${raw(keyBar(kind))}</svg> <span>${w.keys[kind]}</span>
      </li> `,
  )
  return html`<figure
    id="nights"
    data-index="${linkTo(key, 'changes/index.json')}"
    data-changes="${linkTo(key, changesKeys[language])}"
    data-again="${wording[language].shell.again}"
  >
    <h2 id="nights-title">${w.title}</h2>
    <p class="quiet small" role="status">${w.loading}</p>
    <svg class="nights" role="img" aria-labelledby="nights-title nights-text"></svg>
    <p class="quiet small ends" aria-hidden="true"><span>${'\u00a0'}</span> <span></span></p>
    <ul class="quiet small legend">
      ${legend}
    </ul>
  </figure> `
}

const sizeIn = (language: Language, bytes: number) =>
  bytes < 1e9
    ? `${fixedIn(language, bytes / 1e6, 1)}\u00a0MB`
    : `${fixedIn(language, bytes / 1e9, 2)}\u00a0GB`

/** Rows of a table that is not folded. */
const mostOpen = 20

/** Rows in a table; the JSON has all of them. */
const maxRows = 1000

interface Names {
  readonly publisher: Publisher | null
  /** ISO 8601 */
  readonly asOf: string
  /** Whether funds have pages. */
  readonly hasPages: boolean
}

function fundTable(caption: string, funds: readonly MarkedFund[], language: Language, names: Names) {
  const w = statusWords[language]
  const { columns } = w
  return html`${table({
    kind: 'watched long carded',
    caption,
    columns: [
      columns.fund,
      columns.mark,
      { content: [columns.price, below(columns.next)], kind: 'number price' },
      { content: columns.age, kind: 'number age' },
      { content: columns.rhythm, kind: 'number rhythm' },
      { content: columns.next, kind: 'number next' },
    ],
    rows: funds.slice(0, maxRows).map((fund) => cells(fund, language, names)),
  })}
  ${moreFunds(funds, language)}`
}

/** Funds of which there is nothing but their names. */
const fundNames = (funds: readonly MarkedFund[], language: Language, names: Names) =>
  html`<ul class="funds">
      ${funds.slice(0, maxRows).map((fund) => html`<li>${nameOf(fund, language, names)}</li> `)}
    </ul>
    ${moreFunds(funds, language)}`

function moreFunds(funds: readonly MarkedFund[], language: Language) {
  const left = funds.length - maxRows
  const toJson = linkTo(frontPages.status[language], statusKey)
  return (
    left > 0 && html`<p><a href="${toJson}">${statusWords[language].more(fixedIn(language, left, 0))}</a></p>`
  )
}

function nameOf({ isin, name }: MarkedFund, language: Language, { publisher, hasPages }: Names): Html {
  const page = linkTo(frontPages.status[language], fundPageKeys(isin)[language])
  const said = fundName(publisher, name)
  return html`${hasPages ? html`<a href="${page}">${said}</a>` : said} <small>${isin}</small>`
}

/** Most prices come on the day after their own. */
const isAwaited = ({ nextPrice, ageDays }: MarkedFund, asOf: string) =>
  nextPrice !== null && nextPrice < asOf && (ageDays ?? 0) > 1

function cells(fund: MarkedFund, language: Language, names: Names): readonly TableCell[] {
  const { mark, ageDays, rhythmDays, nextPrice } = fund
  const day = (date: string | null) =>
    date === null ? noValue(language) : html`<time datetime="${date}">${dayIn(language, date)}</time>`
  const w = statusWords[language]
  const count = (days: number | null, say: (count: string) => string) => {
    if (days === null) return noValue(language)
    const least = days === maxBusinessDays ? '≥ ' : ''
    return unbroken(say(least + fixedIn(language, days, 0)))
  }
  const next = html`${isAwaited(fund, names.asOf) && `${w.since}\u00a0`}${day(nextPrice)}`
  return [
    nameOf(fund, language, names),
    markedAs(mark, w.marks[mark]),
    [day(fund.newestPrice), nextPrice !== null && below(next)],
    count(ageDays, w.businessDays),
    count(rhythmDays, w.rhythm),
    next,
  ]
}

const markedAs = (mark: string, word: string) =>
  html`<span class="${`mark ${mark}`.trimEnd()}">${word}</span>`

/** For a narrow screen, in place of a column. */
const below = (next: Html | string): Html => html` <small class="below">${next}</small>`

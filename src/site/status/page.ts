/** The status of a snapshot as a page in each language that works without scripts. Pure. */

import type { Language } from '../../api/routes/table.ts'
import { marks, type FreshnessCounts, type MarkedFund } from '../../freshness/assess.ts'
import { maxBusinessDays } from '../../freshness/calendar.ts'
import { dayIn, fixedIn } from '../funds/chart/formats.ts'
import { html, linkTo, type Html } from '../layout/html.ts'
import { feedKey, feedLink, layout } from '../layout/layout.ts'
import { figure, table, type TableCell } from '../layout/parts.ts'
import { wording, type Wording } from '../wording.ts'
import type { StatusSource } from './document.ts'

export const statusPageKeys: Readonly<Record<Language, string>> = {
  de: 'status/de.html',
  en: 'status/index.html',
}
export const statusDocumentKey = 'status/index.json'
export const statusStyleKey = 'status/status.css'
export const statusScriptKey = 'status/status.js'

/** The snapshot's other pages. */
export interface StatusSite {
  readonly fundPageKeys: (isin: string) => Readonly<Record<Language, string>>
  readonly hasDownloads: boolean
}

/** @param site null for a snapshot without other pages: then this page links to none */
export function statusPage(source: StatusSource, language: Language, site: StatusSite | null): string {
  const { snapshot, asOf, assessment } = source
  const { counts, overdue } = assessment
  const others = assessment.funds.filter(({ mark }) => mark !== 'late' && mark !== 'stale')
  const { status: w, shell } = wording[language]
  const key = statusPageKeys[language]
  const toJson = linkTo(key, statusDocumentKey)
  const verdict = verdictOf(counts)
  const fundLink = (isin: string) => (site === null ? null : linkTo(key, site.fundPageKeys(isin)[language]))
  const list = (caption: string, funds: readonly MarkedFund[]) =>
    html`<h2>${caption}</h2>
      ${fundTable({ caption, funds, language, fundLink, toJson })}`
  return layout({
    key,
    language,
    title: `${w.title} ${asOf}`,
    description: w.description(dayIn(language, asOf)),
    part: 'status',
    isAlone: site === null,
    hasDownloads: site?.hasDownloads ?? true,
    translations: statusPageKeys,
    styles: [statusStyleKey],
    scripts: [statusScriptKey],
    head: feedLink(key, language),
    main: html`<h1>${w.title}</h1>
      <p class="verdict ${verdict}">${w.verdicts[verdict]}</p>
      <p class="codes">
        <span>${w.snapshot} <code>${snapshot}</code></span>
      </p>
      <dl class="headline">${figures(source, language)}</dl>
      <h2>${w.prices}</h2>
      <dl class="headline">
        ${marks.map((mark) => figure(html`<span class="mark ${mark}">${w.marks[mark]}</span>`, fixedIn(language, counts[mark], 0)))}
      </dl>
      ${list(w.overdue, overdue)} ${list(w.others, others)}
      <p class="quiet small note">${w.note}</p>
      <p><a href="${toJson}">${w.asData}</a></p>
      <p id="feed" data-address="${linkTo(key, feedKey)}" hidden>${shell.feed}</p>`,
  })
}

function verdictOf({ fresh, late, stale }: FreshnessCounts): keyof Wording['status']['verdicts'] {
  if (stale > 0) return 'stale'
  if (late > 0) return 'late'
  return fresh > 0 ? 'fresh' : 'unwatched'
}

function figures({ asOf, funds, documents, bytes, assessment }: StatusSource, language: Language): Html {
  const w = wording[language].status
  const count = (number: number) => fixedIn(language, number, 0)
  return html`${figure(w.asOf, dayIn(language, asOf))}
    <div id="live" hidden>
      <dt>${w.live}</dt>
      <dd></dd>
      <dd class="below"></dd>
    </div>
    ${[
      figure(w.newest, dayOrNone(assessment.newestPrice, language)),
      figure(w.oldest, dayOrNone(assessment.oldestPrice?.day ?? null, language)),
      figure(w.funds, count(funds)),
      figure(w.documents, count(documents), sizeIn(language, bytes)),
    ]}`
}

const dayOrNone = (day: string | null, language: Language) => (day === null ? '–' : dayIn(language, day))

const sizeIn = (language: Language, bytes: number) =>
  bytes < 1e9
    ? `${fixedIn(language, bytes / 1e6, 1)}\u00a0MB`
    : `${fixedIn(language, bytes / 1e9, 2)}\u00a0GB`

/** A table has no more rows than this; the JSON has all of them. */
const maxRows = 1000

interface FundTable {
  readonly caption: string
  readonly funds: readonly MarkedFund[]
  readonly language: Language
  /** The address of a fund's own page, or null if it has none. */
  readonly fundLink: (isin: string) => string | null
  readonly toJson: string
}

function fundTable({ caption, funds, language, fundLink, toJson }: FundTable): Html {
  const w = wording[language].status
  if (funds.length === 0) return html`<p class="quiet">${w.none}</p>`
  const { columns } = w
  const left = funds.length - maxRows
  return html`${table({
    kind: 'watched',
    caption,
    columns: [
      columns.fund,
      columns.mark,
      { content: [columns.price, below(columns.next)], kind: 'number price' },
      { content: columns.age, kind: 'number age' },
      { content: columns.rhythm, kind: 'number rhythm' },
      { content: columns.next, kind: 'number next' },
    ],
    rows: funds.slice(0, maxRows).map((fund) => cells(fund, language, fundLink(fund.isin))),
  })}
  ${left > 0 ? html`<p><a href="${toJson}">${w.more(fixedIn(language, left, 0))}</a></p>` : null}`
}

function cells(fund: MarkedFund, language: Language, link: string | null): readonly TableCell[] {
  const { isin, name, mark, newestPrice, ageDays, rhythmDays, nextPrice } = fund
  // A name may be written from right to left, and must not turn its neighbours round.
  const named = html`<bdi>${name}</bdi>`
  const age = ageDays === null ? '–' : fixedIn(language, ageDays, 0)
  return [
    [link === null ? named : html`<a href="${link}">${named}</a>`, html`<small>${isin}</small>`],
    html`<span class="mark ${mark}">${wording[language].status.marks[mark]}</span>`,
    [day(newestPrice, language), nextPrice === null ? null : below(day(nextPrice, language))],
    ageDays === maxBusinessDays ? `≥\u00a0${age}` : age,
    rhythmDays === null ? '–' : fixedIn(language, rhythmDays, 0),
    day(nextPrice, language),
  ]
}

/** A narrow screen shows this in place of a column. */
const below = (next: Html | string): Html => html`<small class="below">${next}</small>`

const day = (date: string | null, language: Language): Html | string =>
  date === null ? '–' : html`<time datetime="${date}">${dayIn(language, date)}</time>`

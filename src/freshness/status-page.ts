/** What `/status/` says of a snapshot, as a page in each language that needs no script. Pure. */

import { dayIn, fixedIn } from '../catalogue/chart/formats.ts'
import { feedKey, feedLink, feedTitle } from '../pages/feed-link.ts'
import { html, type Html } from '../pages/html.ts'
import { layout, withoutDownloads } from '../pages/layout.ts'
import { linkTo } from '../pages/link.ts'
import type { Language } from '../routes/table.ts'
import { marks, type FreshnessCounts } from './assess.ts'
import type { StatusSource } from './status-document.ts'
import { fundTable } from './status-table.ts'
import { statusWords, type StatusWords } from './status-words.ts'

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

/** @param site null for a snapshot without other pages: then the page stands alone, and links to none */
export function statusPage(source: StatusSource, language: Language, site: StatusSite | null): string {
  const { snapshot, asOf, assessment } = source
  const { counts, overdue } = assessment
  const others = assessment.funds.filter(({ mark }) => mark !== 'late' && mark !== 'stale')
  const w = statusWords[language]
  const key = statusPageKeys[language]
  const toJson = linkTo(key, statusDocumentKey)
  const verdict = verdictOf(counts)
  const fundLink = (isin: string) => (site === null ? null : linkTo(key, site.fundPageKeys(isin)[language]))
  const table = (name: string, funds: typeof overdue) =>
    fundTable({ name, funds, language, fundLink, rest: toJson })
  return layout({
    key,
    language,
    title: `${w.title} ${asOf}`,
    description: w.description(dayIn(language, asOf)),
    part: 'status',
    isAlone: site === null,
    without: site === null ? [] : withoutDownloads(site),
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
      <h2>${w.overdue}</h2>
      ${table(w.overdue, overdue)}
      <h2>${w.others}</h2>
      ${table(w.others, others)}
      <p class="quiet small note">${w.note}</p>
      <p><a href="${toJson}">${w.asData}</a></p>
      <p id="feed" data-address="${linkTo(key, feedKey)}" hidden>${feedTitle[language]}</p>`,
  })
}

function verdictOf({ fresh, late, stale }: FreshnessCounts): keyof StatusWords['verdicts'] {
  if (stale > 0) return 'stale'
  if (late > 0) return 'late'
  return fresh > 0 ? 'fresh' : 'unwatched'
}

function figures({ asOf, funds, documents, bytes, assessment }: StatusSource, language: Language): Html {
  const w = statusWords[language]
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

const figure = (name: string | Html, value: string, below?: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${below === undefined ? null : html`<dd class="below">${below}</dd> `}
  </div> `

const dayOrNone = (day: string | null, language: Language) => (day === null ? '–' : dayIn(language, day))

const sizeIn = (language: Language, bytes: number) =>
  bytes < 1e9
    ? `${fixedIn(language, bytes / 1e6, 1)}\u00a0MB`
    : `${fixedIn(language, bytes / 1e9, 2)}\u00a0GB`

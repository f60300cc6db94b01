/**
 * The page of changes, by day and by fund; a script shows a single day. A publish makes the page; a build writes an
 * empty one, for links before the first publish. Pure.
 */

import {
  type ChangedFund,
  type ChangeHistory,
  type HistoryDay,
  type HistoryEntry,
  publishesOf,
} from '../../core/api/contract/changes.ts'
import type { Page } from '../../core/api/contract/page.ts'
import { type Language, languages } from '../../core/api/routes/table.ts'
import { dayIn } from '../../core/layout/formats.ts'
import { html, type Html, linkTo, raw, section } from '../../core/layout/html.ts'
import {
  changesKeys,
  changesScriptKey,
  feedKeys,
  feedLink,
  layout,
  type PageSite,
  statusStyleKey,
} from '../../core/layout/layout.ts'
import { wording } from '../../core/layout/wording.ts'
import { named } from './day.ts'
import { countIn } from './words.ts'
import { changeWords } from './wording.ts'

export const noHistory: ChangeHistory = { format: 1, nights: [] }

/** The address of a day's changes, relative to the API's. @param asOf ISO 8601 @param id of a fund, or of a publish */
export const dayAddress = (asOf: string, language: Language, id: string) =>
  `${changesKeys[language]}?day=${asOf}#${id}`

export const changesPages = (history: ChangeHistory, site: PageSite): readonly Page[] =>
  languages.map((language) => changesPage(history, site, language))

function changesPage({ nights }: ChangeHistory, site: PageSite, language: Language): Page {
  const w = changeWords[language]
  const heading = wording[language].shell.changes
  const key = changesKeys[language]
  const days = html`<ul class="changes">
    ${nights.map((day) => dayItem(day, language))}
  </ul> `
  const content = layout({
    keys: changesKeys,
    language,
    title: heading,
    description: w.description,
    part: 'status',
    isAlone: site.isAlone,
    parts: site.parts,
    baseUrl: site.baseUrl,
    publisher: site.publisher,
    scripts: [changesScriptKey],
    // Without other pages there is no shared style sheet: the status page's includes it.
    ...(site.isAlone && { styles: [statusStyleKey] }),
    head: feedLink(key, language),
    main: html`<div
        id="day"
        hidden
        data-again="${wording[language].shell.again}"
        ${!site.isAlone && site.parts.includes('funds') && raw('data-pages')}
      >
        <div role="status"></div>
        <p>
          <a href="${key.replace('changes/', '')}" hidden>${w.asData}</a> ·
          <a href="${key.replace('changes/', '')}">${heading}</a>
        </p>
      </div>
      <div id="all-days">
        <h1>${heading}</h1>
        <p>${nights.length === 0 ? w.empty : w.intro}</p>
        <p>
          <a href="${linkTo(key, feedKeys[language])}" type="application/atom+xml">${w.feed}</a>
          ${nights.length > 0 && html`· <a href="${linkTo(key, 'changes/index.json')}">${w.asData}</a> `}
        </p>
        ${nights.length > 0 && [section('days', w.byDay, days), section('funds', w.byFund, byFund(nights, language))]}
      </div>`,
  })
  return { key, content }
}

function dayItem(day: HistoryDay, language: Language): Html {
  const titles = publishesOf(day).map((entry) => html` <br />${wordsIn(entry, language).title}`)
  return html`<li>
    <a href="?day=${day.as_of}"><time datetime="${day.as_of}">${dayIn(language, day.as_of)}</time></a
    >${titles}
  </li> `
}

export const wordsIn = (entry: HistoryEntry, language: Language) => (language === 'de' ? entry.de : entry)

function byFund(nights: readonly HistoryDay[], language: Language): Html {
  const w = changeWords[language]
  const all = nights.flatMap((day) =>
    publishesOf(day).flatMap(({ funds = [] }) => funds.map((fund) => ({ fund, asOf: day.as_of }))),
  )
  if (all.length === 0) return html`<p>${w.noFund}</p> `
  const funds = [...Map.groupBy(all, ({ fund }) => fund.isin)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const item = (fund: ChangedFund, asOf: string) =>
    html`<li>
      <a href="?day=${asOf}#${fund.isin}">${dayIn(language, asOf)}</a>: ${changeOfFund(fund, language)}
    </li> `
  return html`<p>${w.byFundLead}</p>
    <ul class="changes">
      ${funds.map(
        ([isin, some]) =>
          html`<li id="${isin}">
            ${named(some[0]?.fund ?? { isin, name: null })}
            <ul>
              ${some.map(({ fund, asOf }) => item(fund, asOf))}
            </ul>
          </li> `,
      )}
    </ul> `
}

function changeOfFund(
  { what, corrected = 0, days_added: daysAdded = 0, days_removed: daysRemoved = 0 }: ChangedFund,
  language: Language,
) {
  const w = changeWords[language]
  const say = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  return [
    ...(corrected > 0 ? [w.correctedOf(say(w.prices, corrected))] : []),
    ...(daysAdded > 0 ? [say(w.daysAdded, daysAdded)] : []),
    ...(daysRemoved > 0 ? [say(w.daysRemoved, daysRemoved)] : []),
    ...(what === undefined ? [] : [w.fund[what]]),
  ].join(', ')
}

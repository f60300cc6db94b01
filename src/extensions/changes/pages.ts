/**
 * The page of changes, by day and by fund; a script shows all of a single day. A publish makes the page; a build makes that of
 * a first publish, for a folder that is served. Pure.
 */

import {
  type ChangedFund,
  type ChangeHistory,
  type HistoryDay,
  type HistoryEntry,
  publishesOf,
} from '../../core/api/contract/changes.ts'
import { priceTitle } from '../../core/api/contract/prices.ts'
import type { Page } from '../../core/api/contract/page.ts'
import { type Language, languages } from '../../core/api/routes/table.ts'
import { dayIn } from '../../core/layout/formats.ts'
import { html, type Html, linkTo, raw, section, table, type TableCell } from '../../core/layout/html.ts'
import {
  changesKeys,
  changesScriptKey,
  feedKeys,
  feedLink,
  frontPages,
  fundPageKeys,
  layout,
  type PageSite,
  statusPair,
  statusStyleKey,
} from '../../core/layout/layout.ts'
import { wording } from '../../core/layout/wording.ts'
import { dataName, dataValues } from './data-words.ts'
import {
  alike,
  chips,
  dayId,
  endOf,
  fundLink,
  type FundNames,
  linesOf,
  publishId,
  sortedByName,
} from './parts.ts'
import { countIn, differenceOf, lifeChangesIn, suspensionIn, valuesIn } from './words.ts'
import { changeWords } from './wording.ts'

export const noHistory: ChangeHistory = { format: 1, nights: [] }

/** The address of a day's changes, relative to the API's. @param asOf ISO 8601 @param id of a fund, or of a publish */
export const dayAddress = (asOf: string, language: Language, id: string) =>
  `${changesKeys[language]}?day=${asOf}#${id}`

/** @param merged funds that are gone, and whose page tells what they became */
export const changesPages = (
  history: ChangeHistory,
  site: PageSite,
  merged: readonly string[],
): readonly Page[] => {
  const gone = goneFunds(history.nights, merged)
  return languages.map((language) => changesPage(history, site, gone, language))
}

function changesPage(
  { nights }: ChangeHistory,
  site: PageSite,
  gone: ReadonlySet<string>,
  language: Language,
): Page {
  const w = changeWords[language]
  const heading = wording[language].shell.changes
  const key = changesKeys[language]
  const hasPages = !site.isAlone && site.parts.includes('funds')
  const pageOf = (isin: string) =>
    hasPages && !gone.has(isin) ? linkTo(key, fundPageKeys(isin)[language]) : null
  const funds = { pageOf, names: site.publisher?.fundNames ?? null }
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
    styles: [statusStyleKey],
    head: feedLink(key, language),
    main: html`${statusPair(changesKeys, language, site)}
      <div
        id="day"
        hidden
        data-again="${wording[language].shell.again}"
        data-gone="${[...gone].join(' ')}"
        ${hasPages && html`data-list="${linkTo(key, frontPages.funds[language])}"`}
        ${site.parts.includes('downloads') && raw('data-downloads')}
      >
        <div role="status"></div>
        <ul class="ways">
          <li hidden><a href="${key.replace('changes/', '')}">${w.asData}</a></li>
          <li><a href="${key.replace('changes/', '')}">${heading}</a></li>
        </ul>
      </div>
      <div id="all-days">
        <h1>${heading}</h1>
        <p>${nights.length === 0 ? w.empty : w.intro}</p>
        <ul class="ways">
          ${nights.some((day) => fundsOf(day).length > 0) && html`<li><a href="#funds">${w.byFund}</a></li>`}
          <li>
            <a href="${linkTo(key, feedKeys[language])}" type="application/atom+xml">${w.feed}</a>
          </li>
          ${nights.length > 0 && html`<li><a href="${linkTo(key, 'changes/index.json')}">${w.asData}</a></li>`}
        </ul>
        ${nights.map((day) => daySection(day, funds, language))}${byFund(nights, funds, language)}
      </div>`,
  })
  return { key, content }
}

/** Funds that were removed and did not come back, and whose pages are gone, too. @param nights the newest first */
function goneFunds(nights: readonly HistoryDay[], merged: readonly string[]): ReadonlySet<string> {
  const gone = new Set<string>()
  for (const { isin, what } of nights.flatMap(fundsOf).reverse()) {
    if (what === 'removed') gone.add(isin)
    if (what === 'added') gone.delete(isin)
  }
  for (const isin of merged) gone.delete(isin)
  return gone
}

/** Of all publishes of a day, the newest first. */
const fundsOf = (day: HistoryDay) => publishesOf(day).flatMap(({ funds = [] }) => funds)

/** Rows of a publish on the page of all days. */
const shownRows = 10

function daySection(day: HistoryDay, funds: FundNames, language: Language): Html {
  const w = changeWords[language]
  const publishes = publishesOf(day)
  const shown = dayIn(language, day.as_of)
  // Without a script, the page of all days comes again, at this place.
  const address = `?day=${day.as_of}#${publishId(day)}`
  return html`<section class="of-day" aria-labelledby="${dayId(day.as_of)}">
    <h2 id="${dayId(day.as_of)}">
      <a href="${address}"><time datetime="${day.as_of}">${shown}</time></a>
    </h2>
    <div>
      ${publishes.map((entry) => [
        publishes.length > 1 && html`<h3>${w.publish(countIn(language, entry.publish))}</h3> `,
        publishPart(entry, funds, language),
      ])}
      ${fundsOf(day).length > 0 && html`<p class="small"><a href="${address}">${w.allOfDay(shown)}</a></p>`}
    </div>
  </section> `
}

function publishPart(entry: HistoryEntry, names: FundNames, language: Language): Html {
  const w = changeWords[language]
  const { funds = [], counts } = entry
  const { title, remarks = [] } = wordsIn(entry, language)
  const rows = alike(byWeight(funds), (fund) => changeOfFund(fund, names, language).markup)
  const left = rows.slice(shownRows).flat().length
  return html`<div id="${publishId(entry)}">
    ${chips(counts, lifeChangesIn(entry), language, null) ?? html`<p>${title}</p> `}
    ${remarks.map((remark) => html`<p class="quiet small">${remark}</p> `)}
    ${rows.length > 0 && changesTable(rows.slice(0, shownRows), names, language)}
    ${left > 0 && html`<p class="quiet small">${w.moreFunds(countIn(language, left))}</p> `}
  </div> `
}

/** Corrections first: readers must act on them. Within a kind, funds are in the order of their names. */
const byWeight = (funds: readonly ChangedFund[]): readonly ChangedFund[] => {
  const weightOf = ({
    corrected,
    days_added: added,
    days_removed: removed,
    what,
    end,
    suspension,
  }: ChangedFund) => {
    const isGone = what === 'removed' ? true : undefined
    const kinds = [corrected, added ?? removed, isGone, end, suspension, what]
    const first = kinds.findIndex((one) => one !== undefined)
    return first === -1 ? Infinity : first
  }
  return sortedByName(funds).toSorted((one, other) => weightOf(one) - weightOf(other) || 0)
}

export const wordsIn = (entry: HistoryEntry, language: Language) => (language === 'de' ? entry.de : entry)

/** @param rows funds with the same change are one */
function changesTable(rows: readonly (readonly ChangedFund[])[], names: FundNames, language: Language): Html {
  const { columns, funds: said } = changeWords[language]
  const fundsOf = (some: readonly ChangedFund[]) => {
    const links = some.map((fund) => fundLink(fund, names))
    if (links.length === 1) return html`${links}`
    return html`<details>
      <summary>${said(links.length, countIn(language, links.length))}</summary>
      ${linesOf(links)}
    </details>`
  }
  return table({
    kind: 'carded changed',
    columns: [columns.fund, columns.what],
    rows: rows.map((some) => [
      fundsOf(some),
      some.slice(0, 1).map((fund) => changeOfFund(fund, names, language)),
    ]),
  })
}

function byFund(nights: readonly HistoryDay[], names: FundNames, language: Language): Html | null {
  const w = changeWords[language]
  const all = nights.flatMap((day) => fundsOf(day).map((fund) => ({ fund, asOf: day.as_of })))
  if (all.length === 0) return null
  const changesOf = Map.groupBy(all, ({ fund }) => fund.isin)
  // The newest name is first.
  const named = [...changesOf].map(([isin, some]) => ({ isin, name: some[0]?.fund.name ?? null, some }))
  const funds = sortedByName(named).map(({ isin, some }) => [isin, some] as const)
  const change = (fund: ChangedFund, asOf: string) =>
    html`<li>
      <a href="?day=${asOf}#${fund.isin}">${dayIn(language, asOf)}</a>: ${changeOfFund(fund, names, language)}
    </li> `
  const saidOf = ([, some]: (typeof funds)[number]) =>
    some.map(({ fund, asOf }) => asOf + changeOfFund(fund, names, language).markup).join('')
  const rows = alike(funds, saidOf).map((row): readonly TableCell[] => [
    linesOf(
      row.map(([isin, some]) => fundLink(some[0]?.fund ?? { isin, name: null }, names, html` id="${isin}"`)),
    ),
    row.slice(0, 1).map(
      ([, some]) =>
        html`<ul>
          ${some.map(({ fund, asOf }) => change(fund, asOf))}
        </ul>`,
    ),
  ])
  const { columns } = w
  const content = table({ kind: 'carded by-fund', columns: [columns.fund, columns.what], rows })
  return section(
    'funds',
    w.byFund,
    // The days above tell the same.
    html`<p>${w.byFundLead}</p>
      <details class="folded">
        <summary><span>${w.funds(funds.length, countIn(language, funds.length))}</span></summary>
        ${content}
      </details>`,
  )
}

/** A line for each change, that of most weight first. */
function changeOfFund(fund: ChangedFund, names: FundNames, language: Language): Html {
  const w = changeWords[language]
  const { corrected = 0, days_added: daysAdded = 0, days_removed: daysRemoved = 0 } = fund
  const { newest_correction: newest, other_data: data } = fund
  const say = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  const left = data === undefined ? 0 : data.values - data.changed.length
  const lines: readonly (Html | string)[] = [
    ...(corrected > 0
      ? [
          html`${w.correctedOf(say(w.prices, corrected))}${newest && html`: ${correctionLine(newest, language)}`}`,
        ]
      : []),
    ...(daysAdded > 0 ? [say(w.daysAdded, daysAdded)] : []),
    ...(daysRemoved > 0 ? [say(w.daysRemoved, daysRemoved)] : []),
    ...lifeOf(fund, names, language),
    ...(data?.changed ?? []).map((row) => {
      const { before, after } = dataValues(row, language)
      return html`${dataName(row, language)}: ${fromTo(before, after)}`
    }),
    ...(left > 0 ? [w.moreData(left, countIn(language, left))] : []),
  ]
  return linesOf(lines)
}

/** The fund itself came, went, got another name, ends, or is suspended. */
function lifeOf(fund: ChangedFund, names: FundNames, language: Language): readonly (Html | string)[] {
  const w = changeWords[language]
  const { what, successor, former_name: former, end, suspension } = fund
  const became = successor && html`, ${w.mergedInto} ${fundLink(successor, names)}`
  return [
    ...(what === undefined ? [] : [html`${w.fund[what]}${became}${former && html`, ${w.formerly(former)}`}`]),
    ...(end === undefined ? [] : [endOf(end, { ...names, language })]),
    ...(suspension === undefined ? [] : [suspensionIn(suspension, language)]),
  ]
}

function correctionLine(correction: NonNullable<ChangedFund['newest_correction']>, language: Language): Html {
  const { before, after } = valuesIn(language, correction)
  const difference = differenceOf(correction, language)
  return html`${priceTitle(correction.item, language)}, ${dayIn(language, correction.date)}:
  ${fromTo(before, after)}${difference !== null && ` (${difference})`}`
}

/** @param before empty if only the change is known */
const fromTo = (before: string, after: string): Html =>
  before === '' ? html`${after}` : html`<span class="before">${before}</span> → <strong>${after}</strong>`

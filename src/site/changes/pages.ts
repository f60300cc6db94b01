/**
 * Pages of what publishes changed: `changes/` over the last days, by day and by fund, and one for each day. A publish makes them;
 * a build puts those of an empty history into the folder, so that links to them lead somewhere before the first publish. Pure.
 */

import {
  type ChangedFund,
  type ChangeHistory,
  type CorrectedValue,
  type DayChanges,
  type HistoryDay,
  type HistoryEntry,
  type NamedFund,
  type PastDay,
  type PublishChanges,
  publishesOf,
} from '../../api/contract/changes.ts'
import type { Page } from '../../api/contract/page.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { dayIn } from '../funds/chart/formats.ts'
import { html, type Html, linkTo, section, type TableCell, wideTable } from '../layout/html.ts'
import type { PageKeys } from '../layout/head.ts'
import {
  changesKeys,
  feedKeys,
  feedLink,
  fundPageKeys,
  layout,
  type PageSite,
  statusStyleKey,
} from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { countIn, describeChanges, maxRows, otherLines, valueIn } from './words.ts'
import { changeWords } from './wording.ts'

export const noHistory: ChangeHistory = { format: 1, nights: [] }

/** The page of a day in each language. @param asOf ISO 8601 */
export const dayPageKeys = (asOf: string): PageKeys => ({
  en: `changes/${asOf}/index.html`,
  de: `changes/${asOf}/de.html`,
})

/** The pages over all days that the index names. */
export const changesPages = (history: ChangeHistory, site: PageSite): readonly Page[] =>
  languages.map((language) => changesPage(history, site, language))

/** The pages of a day. @param day its file @param hasPage whether the snapshot has a page of a fund, by ISIN */
export const dayPages = (
  day: DayChanges,
  site: PageSite,
  hasPage: (isin: string) => boolean,
): readonly Page[] => languages.map((language) => dayPage(day, { site, hasPage, language }))

function changesPage({ nights }: ChangeHistory, site: PageSite, language: Language): Page {
  const w = changeWords[language]
  const heading = wording[language].shell.changes
  const key = changesKeys[language]
  const days = html`<ul class="changes">
    ${nights.map((day) => dayItem(day, language))}
  </ul> `
  const content = page(changesKeys, site, language, {
    title: heading,
    description: w.description,
    main: html`<h1>${heading}</h1>
      <p>${nights.length === 0 ? w.empty : w.intro}</p>
      <p>
        <a href="${linkTo(key, feedKeys[language])}" type="application/atom+xml">${w.feed}</a>
        ${nights.length > 0 && html`· <a href="${linkTo(key, 'changes/index.json')}">${w.asData}</a> `}
      </p>
      ${nights.length > 0 && [section('days', w.byDay, days), section('funds', w.byFund, byFund(nights, language))]}`,
  })
  return { key, content }
}

function dayItem(day: HistoryDay, language: Language): Html {
  const link = linkTo(changesKeys[language], dayPageKeys(day.asOf)[language])
  const titles = publishesOf(day).map((entry) => html`<br />${wordsIn(entry, language).title}`)
  return html`<li>
    <a href="${link}"><time datetime="${day.asOf}">${dayIn(language, day.asOf)}</time></a
    >${titles}
  </li> `
}

/** In the page's language, or in English where an earlier version wrote nothing else. */
export const wordsIn = (entry: HistoryEntry, language: Language) =>
  language === 'de' ? (entry.de ?? entry) : entry

/** Funds with their days, by ISIN. */
function byFund(nights: readonly HistoryDay[], language: Language): Html {
  const w = changeWords[language]
  const all = nights.flatMap((day) =>
    publishesOf(day).flatMap(({ funds = [] }) => funds.map((fund) => ({ fund, asOf: day.asOf }))),
  )
  if (all.length === 0) return html`<p>${w.noFund}</p> `
  const funds = [...Map.groupBy(all, ({ fund }) => fund.isin)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const key = changesKeys[language]
  const item = (fund: ChangedFund, asOf: string) =>
    html`<li>
      <a href="${linkTo(key, `${dayPageKeys(asOf)[language]}#${fund.isin}`)}">${dayIn(language, asOf)}</a>:
      ${changeOfFund(fund, language)}
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
  { what, corrected = 0, daysAdded = 0, daysRemoved = 0 }: ChangedFund,
  language: Language,
) {
  const w = changeWords[language]
  const prices = (count: number) => w.prices(count, countIn(language, count))
  return [
    ...(corrected > 0 ? [w.correctedOf(prices(corrected))] : []),
    ...(daysAdded > 0 ? [w.addedLater(prices(daysAdded))] : []),
    ...(daysRemoved > 0 ? [w.removedLater(prices(daysRemoved))] : []),
    ...(what === undefined ? [] : [w.fund[what]]),
  ].join('; ')
}

/** A name may be written from right to left, and must not turn its neighbours round. */
const named = ({ isin, name }: NamedFund): Html =>
  name === null ? html`${isin}` : html`<bdi>${name}</bdi> <small>${isin}</small>`

function dayPage(day: DayChanges, context: Pick<Place, 'site' | 'hasPage' | 'language'>): Page {
  const { site, language } = context
  const w = changeWords[language]
  const { asOf } = day
  const keys = dayPageKeys(asOf)
  const key = keys[language]
  const shownDay = dayIn(language, asOf)
  const { earlier, ...newest } = day
  const publishes = [newest, ...earlier]
  /** The first place of each fund on the page. */
  const seen = new Set<string>()
  const content = page(keys, site, language, {
    title: w.dayHeading(shownDay),
    description: `${w.dayHeading(shownDay)}. ${describeChanges(newest, language).title}.`,
    main: html`<h1>${w.dayHeading(shownDay)}</h1>
      ${publishes.map((one) => [
        publishes.length > 1 && html`<h2>${w.publish(countIn(language, one.publish))}</h2> `,
        publishChanges(one, { ...context, key, seen, isOnly: publishes.length === 1 }),
      ])}
      <p>
        <a href="${linkTo(key, `changes/${asOf}.json`)}">${w.asData}</a> ·
        <a href="${linkTo(key, changesKeys[language])}">${wording[language].shell.changes}</a>
      </p>`,
  })
  return { key, content }
}

/** A publish on the page of its day. */
export const publishId = ({ publish }: { readonly publish: number }) => `publish-${publish}`

interface Place {
  readonly site: PageSite
  readonly hasPage: (isin: string) => boolean
  readonly language: Language
  readonly key: string
  readonly seen: Set<string>
  /** Whether the page has no other publish: its headings have no heading of the publish above them. */
  readonly isOnly: boolean
}

const headingOf = (text: string, { isOnly }: Place): Html =>
  isOnly ? html`<h2>${text}</h2> ` : html`<h3>${text}</h3> `

function publishChanges(changes: PublishChanges, place: Place): Html {
  const { language } = place
  const w = changeWords[language]
  const { funds, prices } = changes
  const say = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  const table = <Row>(
    heading: string,
    columns: readonly TableCell[],
    rows: readonly Row[],
    cells: (row: Row) => readonly TableCell[],
  ) =>
    rows.length > 0 &&
    html`${headingOf(heading, place)}
    ${wideTable(heading, { columns, rows: rows.slice(0, maxRows).map(cells) })}
    ${rows.length > maxRows && html`<p class="quiet">${w.more(countIn(language, rows.length - maxRows))}</p> `}`
  const { columns, prices: priceCount, funds: fundCount } = w
  const dayCells = (row: PastDay) => [fundCell(row, place), dayIn(language, row.date)]
  const days = (heading: (prices: string) => string, what: 'added' | 'removed') => {
    const count = prices.counts[what]
    return table(heading(say(priceCount, count)), [columns.fund, columns.date], prices[what], dayCells)
  }
  return html`<p id="${publishId(changes)}"><strong>${describeChanges(changes, language).title}</strong></p>
    ${table(
      say(w.correctedValues, prices.counts.corrected),
      [columns.fund, columns.date, ...[columns.before, columns.after].map(asNumber)],
      prices.corrected,
      (row) => correctedCells(row, place),
    )}
    ${days(w.daysAdded, 'added')}${days(w.daysRemoved, 'removed')}
    ${fundList(w.removed(say(fundCount, funds.removed.length)), funds.removed, place)}
    ${fundList(w.added(say(fundCount, funds.added.length)), funds.added, place)}
    ${table(
      w.renamed(say(fundCount, funds.renamed.length)),
      [columns.newName, columns.oldName],
      funds.renamed,
      ({ isin, before, after }) => [fundCell({ isin, name: after }, place), html`<bdi>${before}</bdi>`],
    )}
    ${otherLines(changes, language).map((line) => html`<p class="quiet small">${line}</p> `)}`
}

const asNumber = (content: string) => ({ content, kind: 'number' })

function correctedCells(
  { date, item, before, after, ...fund }: CorrectedValue,
  place: Place,
): readonly TableCell[] {
  const { language } = place
  const day = dayIn(language, date)
  const values = [before, after].map((value) => valueIn(language, value))
  // One column for both: a phone has no room for more.
  const what = html`${day}<br /><small>${changeWords[language].item(item)}</small>`
  return [fundCell(fund, place), what, ...values]
}

const fundList = (heading: string, funds: readonly NamedFund[], place: Place): Html | null =>
  funds.length === 0
    ? null
    : html`${headingOf(heading, place)}
        <ul>
          ${funds.map((fund) => html`<li>${fundCell(fund, place)}</li> `)}
        </ul> `

/** The fund, with a link to its page if there is one, and an id where it comes first. */
function fundCell(fund: NamedFund, { site, hasPage, language, key, seen }: Place): Html {
  const id = seen.has(fund.isin) ? null : html` id="${fund.isin}"`
  seen.add(fund.isin)
  const text = named(fund)
  return site.others !== null && hasPage(fund.isin)
    ? html`<a${id} href="${linkTo(key, fundPageKeys(fund.isin)[language])}">${text}</a>`
    : html`<span${id}>${text}</span>`
}

function page(
  keys: PageKeys,
  site: PageSite,
  language: Language,
  content: { readonly title: string; readonly description: string; readonly main: Html },
): string {
  return layout({
    keys,
    language,
    part: 'status',
    isAlone: site.others === null,
    hasDownloads: site.others?.hasDownloads === true,
    baseUrl: site.baseUrl,
    publisher: site.publisher,
    // Without other pages there is no shared style sheet: that of the status holds it.
    ...(site.others === null && { styles: [statusStyleKey] }),
    head: feedLink(keys[language], language),
    ...content,
  })
}

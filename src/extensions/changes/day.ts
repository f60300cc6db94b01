/** Changes of a day's publishes as HTML, for the page of changes in the browser. Pure, and free of Node. */

import type {
  CorrectedValue,
  DayChanges,
  NamedFund,
  PastDay,
  PublishChanges,
} from '../../core/api/contract/changes.ts'
import { priceTitle } from '../../core/api/contract/prices.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { dayIn } from '../../core/layout/formats.ts'
import { html, type Html, type TableCell, wideTable } from '../../core/layout/html.ts'
import { countIn, describeChanges, headingsOf, maxRows, otherLines, valueIn } from './words.ts'
import { changeWords } from './wording.ts'

interface Place {
  readonly language: Language
  /** The address of a fund's page; null if the snapshot has none. */
  readonly pageOf: ((isin: string) => string) | null
  /** Funds that are on the page already: the first place of each has an id. */
  readonly seen: Set<string>
  /** True if the page has no other publish, so no heading of a publish. */
  readonly isOnly: boolean
}

/** @param day the file of the day */
export function dayMarkup(day: DayChanges, language: Language, pageOf: Place['pageOf']): Html {
  const w = changeWords[language]
  const { earlier, ...newest } = day
  const publishes = [newest, ...earlier]
  const place: Place = { language, pageOf, seen: new Set(), isOnly: publishes.length === 1 }
  return html`<h1>${w.dayHeading(dayIn(language, day.as_of))}</h1>
    ${publishes.map((one) => [
      !place.isOnly && html`<h2>${w.publish(countIn(language, one.publish))}</h2> `,
      publishChanges(one, place),
    ])}`
}

export const publishId = ({ publish }: { readonly publish: number }) => `publish-${publish}`

const headingOf = (text: string, { isOnly }: Place): Html =>
  isOnly ? html`<h2>${text}</h2> ` : html`<h3>${text}</h3> `

function publishChanges(changes: PublishChanges, place: Place): Html {
  const { language } = place
  const w = changeWords[language]
  const { columns } = w
  const { funds, prices } = changes
  const headings = headingsOf(changes, language)
  const table = <Row>(
    heading: string | null,
    columns: readonly TableCell[],
    rows: readonly Row[],
    cells: (row: Row) => readonly TableCell[],
    kind = '',
  ) =>
    heading !== null &&
    rows.length > 0 &&
    html`${headingOf(heading, place)}
    ${wideTable(heading, { kind, columns, rows: rows.slice(0, maxRows).map(cells) })}
    ${rows.length > maxRows && html`<p class="quiet">${w.more(countIn(language, rows.length - maxRows))}</p> `}`
  const days = (heading: string | null, rows: readonly PastDay[]) =>
    table(heading, [columns.fund, columns.date], rows, (row) => [
      fundCell(row, place),
      dayIn(language, row.date),
    ])
  return html`<p id="${publishId(changes)}"><strong>${describeChanges(changes, language).title}</strong></p>
    ${table(
      headings.corrected,
      [columns.fund, columns.date, columns.item, ...[columns.before, columns.after].map(asNumber)],
      prices.corrected,
      (row) => correctedCells(row, place),
      'carded corrected',
    )}
    ${days(headings.daysAdded, prices.added)}${days(headings.daysRemoved, prices.removed)}
    ${fundList(headings.removed, funds.removed, { ...place, pageOf: null })}
    ${fundList(headings.added, funds.added, place)}
    ${table(
      headings.renamed,
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
  const values = [before, after].map((value) => valueIn(language, value))
  return [fundCell(fund, place), dayIn(language, date), priceTitle(item, language), ...values]
}

const fundList = (heading: string | null, funds: readonly NamedFund[], place: Place): Html | null =>
  heading === null
    ? null
    : html`${headingOf(heading, place)}
        <ul>
          ${funds.map((fund) => html`<li>${fundCell(fund, place)}</li> `)}
        </ul> `

function fundCell(fund: NamedFund, { pageOf, seen }: Place): Html {
  const id = seen.has(fund.isin) ? null : html` id="${fund.isin}"`
  seen.add(fund.isin)
  return pageOf === null
    ? html`<span${id}>${named(fund)}</span>`
    : html`<a${id} href="${pageOf(fund.isin)}">${named(fund)}</a>`
}

/** `<bdi>`: a name written from right to left must not turn its neighbours round. */
export const named = ({ isin, name }: NamedFund): Html =>
  name === null ? html`${isin}` : html`<bdi>${name}</bdi> <small>${isin}</small>`

/** Changes of a day's publishes as HTML, for the page of changes in the browser. Pure, and free of Node. */

import type {
  ChangedData,
  CorrectedValue,
  DayChanges,
  NamedFund,
  PastDay,
  PublishChanges,
} from '../../core/api/contract/changes.ts'
import { priceTitle } from '../../core/api/contract/prices.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { dayIn } from '../../core/layout/formats.ts'
import { html, type Html, noValue, type TableCell, table, wideTable } from '../../core/layout/html.ts'
import { dataName, dataValues, toldOnce } from './data-words.ts'
import { alike, chips, endOf, fundLink, type FundNames, linesOf, publishId, sortedByName } from './parts.ts'
import {
  type ChangeKind,
  countIn,
  countsOf,
  describeChanges,
  differenceOf,
  groupedByFund,
  headingsOf,
  maxRows,
  otherLines,
  sentence,
  suspensionIn,
  valuesIn,
} from './words.ts'
import { changeWords } from './wording.ts'

interface Place extends FundNames {
  readonly language: Language
  /** The address of the list of funds; null if the snapshot has none. */
  readonly list: string | null
  /** Funds that are on the page already: the first place of each has an id. */
  readonly seen: Set<string>
  /** True if the page has no other publish, so no heading of a publish. */
  readonly isOnly: boolean
}

/** @param day the file of the day */
export function dayMarkup(
  day: DayChanges,
  language: Language,
  funds: FundNames & { readonly list: string | null },
): Html {
  const w = changeWords[language]
  const { earlier, ...newest } = day
  const publishes = [newest, ...earlier]
  const place: Place = { ...funds, language, seen: new Set(), isOnly: publishes.length === 1 }
  return html`<h1>${w.dayHeading(dayIn(language, day.as_of))}</h1>
    ${publishes.map((one) => [
      !place.isOnly && html`<h2>${w.publish(countIn(language, one.publish))}</h2> `,
      publishChanges(one, place),
    ])}`
}

function publishChanges(changes: PublishChanges, place: Place): Html {
  const { language } = place
  const w = changeWords[language]
  const counts = countsOf(changes)
  const headings = headingsOf(counts, changes.funds, language)
  const idOf = (kind: ChangeKind) => `${publishId(changes)}-${kind}`
  const part = (kind: ChangeKind, content: Html | null) => {
    const heading = headings[kind]
    if (heading === null) return null
    const title = sentence(heading)
    const named = place.isOnly
      ? html`<h2 id="${idOf(kind)}">${title}</h2> `
      : html`<h3 id="${idOf(kind)}">${title}</h3> `
    return html`${named}${content}`
  }
  const { funds, prices, other_data: data } = changes
  return html`<div id="${publishId(changes)}">
      ${chips(counts, changes.funds, language, (kind) => `#${idOf(kind)}`) ?? html`<p><strong>${describeChanges(changes, language).title}</strong></p> `}
    </div>
    ${otherLines(changes, language).map((line) => html`<p class="quiet small">${line}</p> `)}
    ${part('corrected', correctedTable(prices.corrected, place))}
    ${part('daysAdded', daysTable(prices.added, place))}${part('daysRemoved', daysTable(prices.removed, place))}
    ${part(
      'removed',
      fundList(
        funds.removed,
        place,
        ({ successor }) => successor && html`: ${w.mergedInto} ${fundLink(successor, place)}`,
      ),
    )}
    ${part(
      'ending',
      fundList(funds.ending, place, (fund) => html`: ${endOf(fund, place)}`),
    )}
    ${part(
      'suspended',
      fundList(funds.suspended, place, (fund) => html`: ${suspensionIn(fund, language)}`),
    )}
    ${part('added', fundList(funds.added, place))}
    ${part(
      'renamed',
      table({
        kind: 'renamed',
        columns: [w.columns.fund, w.columns.oldName],
        rows: funds.renamed
          .slice(0, maxRows)
          .map(({ isin, before, after }) => [
            firstLink({ isin, name: after }, place),
            html`<bdi>${before}</bdi>`,
          ]),
      }),
    )}
    ${part('data', dataTable(data, place))}
    ${part('newPrices', place.list === null ? null : html`<p><a href="${place.list}">${w.newestPrices}</a></p> `)}`
}

function correctedTable(rows: readonly CorrectedValue[], place: Place): Html | null {
  const { language } = place
  const w = changeWords[language]
  const { columns } = w
  if (rows.length === 0) return null
  const shown = rows.slice(0, maxRows)
  const cells = (row: CorrectedValue, index: number): readonly TableCell[] => {
    const { date, item } = row
    const { before, after } = valuesIn(language, row)
    return [
      fundCell(row, shown[index - 1], place),
      dayIn(language, date),
      priceTitle(item, language),
      before,
      after,
      differenceOf(row, language) ?? noValue(language),
    ]
  }
  const headings = [
    columns.fund,
    columns.date,
    columns.item,
    { content: columns.before, kind: 'number before' },
    { content: columns.after, kind: 'number after' },
    { content: columns.difference, kind: 'number wide' },
  ]
  return html`${wideTable(columns.what, { kind: 'carded corrections', columns: headings, rows: shown.map(cells) })}
  ${rows.length > maxRows && html`<p class="quiet">${w.more(countIn(language, rows.length - maxRows))}</p> `}`
}

function dataTable({ changed, values }: PublishChanges['other_data'], place: Place): Html | null {
  const { language } = place
  const { columns, more } = changeWords[language]
  if (changed.length === 0) return null
  const rows = groupedByFund(changed.slice(0, maxRows)).flatMap((some) => toldOnce(some, language))
  const cells = (row: ChangedData, index: number): readonly TableCell[] => {
    const { before, after } = dataValues(row, language)
    return [
      fundCell(row, rows[index - 1], place),
      dataName(row, language),
      { content: before, kind: 'before' },
      before === '' ? after : { content: after, kind: 'after' },
    ]
  }
  const headings = [columns.fund, columns.item, { content: columns.before, kind: 'before' }, columns.after]
  const left = values - maxRows
  return html`${wideTable(columns.what, { kind: 'carded data', columns: headings, rows: rows.map(cells) })}
  ${left > 0 && html`<p class="quiet">${more(countIn(language, left))}</p> `}`
}

/** The name of a fund stands once, above its rows. */
const fundCell = (row: NamedFund, previous: NamedFund | undefined, place: Place): TableCell =>
  previous?.isin === row.isin
    ? { content: html`<span class="unseen">${row.name ?? row.isin}</span>`, kind: 'again' }
    : firstLink(row, place)

function daysTable(rows: readonly PastDay[], place: Place): Html | null {
  const { language } = place
  const w = changeWords[language]
  if (rows.length === 0) return null
  const daysOf = (some: readonly PastDay[]) => some.map(({ date }) => dayIn(language, date)).join(', ')
  const funds = alike(groupedByFund(rows.slice(0, maxRows)), daysOf)
  const cells = funds.map((group): readonly TableCell[] => [
    linesOf(group.flatMap((some) => some.slice(0, 1).map((fund) => firstLink(fund, place)))),
    group.slice(0, 1).map(daysOf),
  ])
  return html`${table({ kind: 'days', columns: [w.columns.fund, w.columns.date], rows: cells })}
  ${rows.length > maxRows && html`<p class="quiet">${w.more(countIn(language, rows.length - maxRows))}</p> `}`
}

const fundList = <Fund extends NamedFund>(
  funds: readonly Fund[],
  place: Place,
  after: (fund: Fund) => Html | undefined = () => undefined,
): Html | null =>
  funds.length === 0
    ? null
    : html`<ul class="funds">
        ${sortedByName(funds).map((fund) => html`<li>${firstLink(fund, place)}${after(fund)}</li> `)}
      </ul> `

/** The first place of a fund on the page has an id. */
function firstLink(fund: NamedFund, place: Place): Html {
  const id = place.seen.has(fund.isin) ? null : html` id="${fund.isin}"`
  place.seen.add(fund.isin)
  return fundLink(fund, place, id)
}

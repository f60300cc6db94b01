/** A table of funds with their marks. Pure. */

import { dayIn, fixedIn } from '../catalogue/chart/formats.ts'
import { html, type Html } from '../pages/html.ts'
import type { Language } from '../routes/table.ts'
import type { MarkedFund } from './assess.ts'
import { maxBusinessDays } from './business-days.ts'
import { statusWords } from './status-words.ts'

/** So many funds a table has at most; the JSON has all of them. */
const maxRows = 1000

export interface FundTable {
  /** Of what the table shows, for who does not see where it stands. */
  readonly name: string
  readonly funds: readonly MarkedFund[]
  readonly language: Language
  /** The address of a fund's own page, or null where it has none. */
  readonly fundLink: (isin: string) => string | null
  /** Where the rows are that the table leaves out. */
  readonly rest: string
}

export function fundTable({ name, funds, language, fundLink, rest }: FundTable): Html {
  const w = statusWords[language]
  if (funds.length === 0) return html`<p class="quiet">${w.none}</p>`
  const { columns } = w
  const left = funds.length - maxRows
  return html`<table class="watched">
      <caption class="unseen">
        ${name}
      </caption>
      <thead>
        <tr>
          <th scope="col">${columns.fund}</th>
          <th scope="col">${columns.mark}</th>
          <th scope="col" class="number price">${columns.price}${below(columns.next)}</th>
          <th scope="col" class="number age">${columns.age}</th>
          <th scope="col" class="number rhythm">${columns.rhythm}</th>
          <th scope="col" class="number next">${columns.next}</th>
        </tr>
      </thead>
      <tbody>
        ${funds.slice(0, maxRows).map((fund) => row(fund, language, fundLink(fund.isin)))}
      </tbody>
    </table>
    ${left > 0 ? html`<p><a href="${rest}">${w.more(fixedIn(language, left, 0))}</a></p>` : null}`
}

function row(fund: MarkedFund, language: Language, link: string | null): Html {
  const { isin, name, mark, newestPrice, ageDays, rhythmDays, nextPrice } = fund
  // A name may be written from right to left, and must not turn round what stands beside it.
  const named = html`<bdi>${name}</bdi>`
  const age =
    ageDays === maxBusinessDays
      ? `≥\u00a0${fixedIn(language, maxBusinessDays, 0)}`
      : ageDays === null
        ? '–'
        : fixedIn(language, ageDays, 0)
  return html`<tr>
    <th scope="row">${link === null ? named : html`<a href="${link}">${named}</a>`}<small>${isin}</small></th>
    <td><span class="mark ${mark}">${statusWords[language].marks[mark]}</span></td>
    <td class="number price">
      ${day(newestPrice, language)}${nextPrice === null ? null : below(day(nextPrice, language))}
    </td>
    <td class="number age">${age}</td>
    <td class="number rhythm">${rhythmDays === null ? '–' : fixedIn(language, rhythmDays, 0)}</td>
    <td class="number next">${day(nextPrice, language)}</td>
  </tr> `
}

/** What a narrow screen shows of the column that it has no room for. */
const below = (next: Html | string): Html => html`<small class="below">${next}</small>`

const day = (date: string | null, language: Language): Html | string =>
  date === null ? '–' : html`<time datetime="${date}">${dayIn(language, date)}</time>`

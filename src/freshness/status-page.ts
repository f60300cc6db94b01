/** What `/status/` says of a snapshot, as a page in German and English that needs no script and no other host. Pure. */

import { marks, type Mark, type MarkedFund } from './assess.ts'
import { maxBusinessDays } from './business-days.ts'
import { markup, type Html } from './markup.ts'
import type { StatusSource } from './status-document.ts'
import { statusScript, statusStyle } from './status-look.ts'

/** So many funds a table has at most; the JSON has all of them. */
const maxRows = 1000

export function statusPage({ snapshot, asOf, funds, documents, bytes, assessment }: StatusSource): string {
  const { counts, overdue, oldestPrice, newestPrice } = assessment
  const others = assessment.funds.filter(({ mark }) => mark !== 'late' && mark !== 'stale')
  const worst = counts.stale > 0 ? 'stale' : counts.late > 0 ? 'late' : 'fresh'
  const page = markup`<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Status ${asOf}</title>
<style>${statusStyle}</style>
</head>
<body>
<main>
<h1>Status <span class="mark ${worst}">${bilingual(verdicts[worst])}</span></h1>
<dl>
${figure(['Stichtag', 'As of'], markup`<time datetime="${asOf}">${asOf}</time>`)}
${figure(['Stand', 'Snapshot'], markup`<code>${snapshot}</code>`)}
${figure(['Online seit', 'Live since'], markup`<span id="age">–</span>`)}
${figure(['Fonds', 'Funds'], markup`${count(funds)}`)}
${figure(['Dokumente', 'Documents'], markup`${count(documents)}`)}
${figure(['Umfang', 'Size'], markup`${(bytes / 1e6).toFixed(1)} MB`)}
${figure(['Neuester Preis', 'Newest price'], day(newestPrice))}
${figure(['Ältester Preis', 'Oldest price'], day(oldestPrice))}
${marks.map((mark) => figure(names[mark], markup`${count(counts[mark])}`))}
</dl>
<h2>${bilingual(['Überfällige Preise', 'Overdue prices'])}</h2>
${overdue.length === 0 ? none : table(overdue)}
<h2>${bilingual(['Alle anderen Fonds', 'All other funds'])}</h2>
${others.length === 0 ? none : table(others)}
<p>${bilingual(['Alter und Rhythmus in Bankarbeitstagen.', 'Age and rhythm in business days.'])} <a href="index.json">JSON</a></p>
</main>
<script>${statusScript}</script>
</body>
</html>
`
  return page.html
}

type Words = readonly [de: string, en: string]

const names: Readonly<Record<Mark, Words>> = {
  fresh: ['aktuell', 'fresh'],
  late: ['verspätet', 'late'],
  stale: ['veraltet', 'stale'],
  unwatched: ['nicht überwacht', 'not watched'],
  unpriced: ['ohne Preis', 'without a price'],
  withheld: ['nicht freigegeben', 'not given out'],
}

const verdicts: Readonly<Record<'fresh' | 'late' | 'stale', Words>> = {
  fresh: ['alle Preise aktuell', 'all prices fresh'],
  late: ['Preise verspätet', 'prices late'],
  stale: ['Preise veraltet', 'prices stale'],
}

function bilingual([de, en]: Words): Html {
  return en === '' ? markup`${de}` : markup`<span lang="de">${de}</span> · <span lang="en">${en}</span>`
}

const figure = (words: Words, value: Html): Html =>
  markup`<div><dt>${bilingual(words)}</dt><dd>${value}</dd></div>
`

function table(funds: readonly MarkedFund[]): Html {
  return markup`<div class="wide" tabindex="0"><table>
<thead><tr>${columns.map((words) => markup`<th scope="col">${bilingual(words)}</th>`)}</tr></thead>
<tbody>
${funds.slice(0, maxRows).map(row)}</tbody>
</table></div>${funds.length > maxRows ? more(funds.length - maxRows) : ''}`
}

const none = markup`<p>${bilingual(['Keine.', 'None.'])}</p>`

const more = (funds: number): Html =>
  markup`<p>${bilingual(['Weitere', 'More'])}: ${count(funds)}, <a href="index.json">index.json</a></p>`

const columns: readonly Words[] = [
  ['Fonds', 'Fund'],
  ['Status', ''],
  ['Preis vom', 'Price of'],
  ['Alter', 'Age'],
  ['Rhythmus', 'Rhythm'],
  ['Nächster', 'Next'],
  ['ISIN', ''],
]

function row({ isin, name, mark, newestPrice, ageDays, rhythmDays, nextPrice }: MarkedFund): Html {
  const cells = [
    markup`<span class="mark ${mark}">${bilingual(names[mark])}</span>`,
    day(newestPrice),
    markup`${ageDays === maxBusinessDays ? `≥ ${maxBusinessDays}` : (ageDays ?? '–')}`,
    markup`${rhythmDays ?? '–'}`,
    day(nextPrice),
    markup`<code>${isin}</code>`,
  ]
  // A name may be written from right to left, and must not turn round what stands beside it.
  return markup`<tr><th scope="row"><bdi>${name}</bdi></th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>
`
}

const day = (date: string | null): Html =>
  date === null ? markup`–` : markup`<time datetime="${date}">${date}</time>`

/** `101 204`: a thin space is right in both languages. */
const count = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')

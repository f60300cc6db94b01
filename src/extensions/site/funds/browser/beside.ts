/** Charts whose figures stand in a table beside them, which the cursor reads: bars, and stacked areas. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import { dayIn, percentIn } from '../../../../core/layout/formats.ts'
import { exploreChart, nearestDay } from './stage.ts'

/** The table has a row for each bar, the last bar first, and may have more. */
export function exploreBars(figure: HTMLElement): void {
  const count = figure.querySelectorAll('.bars rect').length
  const rows = [...figure.querySelectorAll<HTMLTableRowElement>('tbody tr')].slice(0, count).reverse()
  exploreChart(figure)({
    last: count - 1,
    nearest: (share) => Math.floor(share * count),
    at: (index) => ({
      x: (index + 0.5) / count,
      heading: [...(rows[index]?.cells ?? [])].map((cell) => cell.textContent).join(': '),
      rows: [],
    }),
  })
}

/** The table is the legend, and shows the shares of the day under the cursor. */
export function exploreAreas(figure: HTMLElement, language: Language): void {
  let day = 0
  const days = (figure.dataset['days'] ?? '').split(' ').map((step) => (day += Number(step)))
  const first = days[0] ?? 0
  const last = days.at(-1) ?? 0
  const heading = figure.querySelector('.day')
  const classes = [...figure.querySelectorAll<HTMLElement>('[data-shares]')].map((cell) => ({
    cell,
    asMade: cell.innerHTML,
    name: cell.parentElement?.querySelector('th')?.textContent ?? '',
    shares: (cell.dataset['shares'] ?? '').split(' ').map((share) => percentIn(language, Number(share))),
  }))
  const dayOf = (index: number) => dayIn(language, isoOf(days[index] ?? last))
  exploreChart(figure)({
    last: days.length - 1,
    nearest: (share) => nearestDay(days, first + share * (last - first)),
    at: (index) => ({
      x: ((days[index] ?? last) - first) / (last - first),
      heading: dayOf(index),
      rows: classes.map(({ name, shares }) => ({ name, value: shares[index] ?? '' })),
    }),
    showBeside: (index) => {
      if (heading !== null) heading.textContent = dayOf(index)
      for (const { cell, asMade, shares } of classes)
        cell.innerHTML = index === days.length - 1 ? asMade : (shares[index] ?? '')
    },
  })
}

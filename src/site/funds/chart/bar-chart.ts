/** Bars side by side as the inside of an `<svg>`: one or two for each label, from zero upwards or downwards. */

import type { Language } from '../../../api/routes/table.ts'
import { fixedIn } from './formats.ts'
import { depthOf, toPercent, valueAxis, valueGrid } from './scale.ts'

export interface BarGroup {
  /** Escaped. */
  readonly label: string
  /** A second line below the label of a year that has not ended, escaped; its bar is paler. */
  readonly below: string | null
  /** Percent, one for each series; null if there is none. */
  readonly values: readonly (number | null)[]
}

/** From this number of bars on, the figures at the bars stand too close on a narrow screen (`many`). */
const manyBars = 8

/** @param groups at least one; all have the same number of values */
export function barChart(groups: readonly BarGroup[], language: Language): string {
  const all = groups.flatMap(({ values }) => values.filter((value) => value !== null))
  const axis = valueAxis(Math.min(0, ...all), Math.max(0, ...all), 4)
  const series = groups[0]?.values.length ?? 1
  const slot = 1 / groups.length
  const width = (slot * (series === 1 ? 0.62 : 0.76)) / series
  let markup = valueGrid(axis, language, '\u00a0%')
  markup += groups.length * series >= manyBars ? '<g class="bars many">' : '<g class="bars">'
  for (const [index, { label, below, values }] of groups.entries()) {
    const middle = (index + 0.5) * slot
    for (const [which, value] of values.entries()) {
      if (value === null) continue
      const x = middle + (which - series / 2) * width
      const [top, bottom] = [depthOf(axis, Math.max(0, value)), depthOf(axis, Math.min(0, value))]
      const sign = value < 0 ? 'down' : 'up'
      const kind =
        series === 2 ? (which === 0 ? 'first' : 'second') : below !== null ? `running ${sign}` : sign
      const [y, dy] = value < 0 ? [bottom, '1.2em'] : [top, '-.45em']
      markup +=
        `<rect class="${kind}" x="${toPercent(x)}" y="${toPercent(top)}" width="${toPercent(width * 0.94)}"` +
        ` height="${toPercent(bottom - top)}"/>` +
        `<text class="figure" x="${toPercent(x + width * 0.47)}" y="${toPercent(y)}" dy="${dy}">` +
        `${fixedIn(language, value, 1)}</text>`
    }
    // Counted from the end, so that the newest keeps its label on a narrow screen.
    const odd = (groups.length - index) % 2 === 0 ? ' odd' : ''
    const second = below === null ? '' : `<tspan x="${toPercent(middle)}" dy="1.25em">${below}</tspan>`
    markup += `<text class="label${odd}" x="${toPercent(middle)}" y="100%" dy="20">${label}${second}</text>`
  }
  return `${markup}</g>`
}

/** Bars side by side as the inside of an `<svg>`: one or two for each label, from zero upwards or downwards. */

import { valueAxis } from './axis.ts'
import { fixedIn, type Language } from './formats.ts'
import { percent, valueGrid } from './line-chart.ts'

export interface BarGroup {
  /** Escaped. */
  readonly label: string
  /** A second line below it, escaped. */
  readonly below?: string
  /** Drawn paler: of a time that has not ended. */
  readonly isRunning?: boolean
  /** Percent, one each series; null where there is none. */
  readonly values: readonly (number | null)[]
}

/** From so many bars on, the figures at the bars stand too close on a narrow screen (`many`). */
const manyBars = 8

/** @param groups one at least, each with as many values */
export function barChart(groups: readonly BarGroup[], language: Language): string {
  const all = groups.flatMap(({ values }) => values.filter((value) => value !== null))
  const axis = valueAxis(Math.min(0, ...all), Math.max(0, ...all), 4)
  const height = (value: number) => (axis.max - value) / (axis.max - axis.min)
  const series = groups[0]?.values.length ?? 1
  const slot = 1 / groups.length
  const width = (slot * (series === 1 ? 0.62 : 0.76)) / series
  let markup = valueGrid(axis, language, '\u00a0%')
  markup += groups.length * series >= manyBars ? '<g class="bars many">' : '<g class="bars">'
  for (const [index, { label, below, isRunning = false, values }] of groups.entries()) {
    const middle = (index + 0.5) * slot
    for (const [which, value] of values.entries()) {
      if (value === null) continue
      const x = middle + (which - series / 2) * width
      const [top, bottom] = [height(Math.max(0, value)), height(Math.min(0, value))]
      const sign = value < 0 ? 'down' : 'up'
      const kind = series === 2 ? (which === 0 ? 'first' : 'second') : isRunning ? `running ${sign}` : sign
      const [y, dy] = value < 0 ? [bottom, '1.2em'] : [top, '-.45em']
      markup +=
        `<rect class="${kind}" x="${percent(x)}" y="${percent(top)}" width="${percent(width * 0.94)}"` +
        ` height="${percent(bottom - top)}"/>` +
        `<text class="figure" x="${percent(x + width * 0.47)}" y="${percent(y)}" dy="${dy}">` +
        `${fixedIn(language, value, 1)}</text>`
    }
    // Counted from the end: on a narrow screen the newest keeps its label.
    const odd = (groups.length - index) % 2 === 0 ? ' odd' : ''
    const second = below === undefined ? '' : `<tspan x="${percent(middle)}" dy="1.25em">${below}</tspan>`
    markup += `<text class="label${odd}" x="${percent(middle)}" y="100%" dy="20">${label}${second}</text>`
  }
  return `${markup}</g>`
}

/**
 * Charts as the inside of an `<svg>`: lines over days, stacked areas, bars. The build draws them; the browser draws the
 * price line of a range, and the lines of a comparison.
 * The outer element has no viewBox: positions in it are percents, and text keeps its size on every screen. The shapes
 * over days lie in an `<svg>` of their own. Its x is the number of days since the first one; its y runs from 0, the top
 * of the value axis, to {@link depth}, its bottom.
 */

import type { Language } from '../../../api/routes/table.ts'
import { dayNumber, isoOf } from '../../../system/day-number.ts'
import { fixedIn, monthDayIn, months, percentIn, percentSign } from './formats.ts'

/** Ends at its outermost ticks. */
interface Axis {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
  /** The decimal places that the ticks need. */
  readonly digits: number
}

/** Round values from below the lowest to above the highest, about `wanted` of them. */
function valueAxis(low: number, high: number, wanted = 5): Axis {
  // If all values are equal, the line lies in the middle.
  const room = high > low ? 0 : Math.abs(low) / 20 || 1
  const [from, to] = [low - room, high + room]
  const { step, digits } = roundStep((to - from) / wanted)
  const first = Math.floor(from / step + 1e-9)
  const last = Math.ceil(to / step - 1e-9)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks, digits }
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. Works on text, so that every machine gets the same result. */
function roundStep(rough: number): { readonly step: number; readonly digits: number } {
  const exponent = Number(rough.toExponential().split('e')[1])
  const mantissa = rough / Number(`1e${exponent}`)
  const factor = [1, 2, 2.5, 5].find((candidate) => mantissa <= candidate + 1e-9) ?? 10
  const step = Number(`${factor}e${exponent}`)
  const places = factor === 10 ? -exponent - 1 : factor === 2.5 ? 1 - exponent : -exponent
  return { step, digits: Math.max(0, Math.min(20, places)) }
}

/** The rectangle of days and values. */
interface Plot {
  /** Since 1970-01-01. */
  readonly first: number
  /** At least one. */
  readonly days: number
  readonly axis: Axis
}

const plotOver = (first: number, last: number, axis: Axis): Plot => ({
  first,
  days: Math.max(1, last - first),
  axis,
})

/** Every n-th element and the last one: at most `most`. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  const step = Math.ceil(all.length / (most - 1))
  return all.filter((_, index) => index % step === 0 || index === all.length - 1)
}

/** @param share rounded to a hundredth of a percent */
export const toPercent = (share: number) => `${Math.round(share * 10_000) / 100}%`

/** Distance of a value from the top of the axis, as a share. */
export const depthOf = ({ min, max }: Axis, value: number) => (max - value) / (max - min)

/** Lines across, each with its value on the left. */
function valueGrid(axis: Axis, language: Language, unit = ''): string {
  let markup = '<g class="y">'
  for (const tick of axis.ticks) {
    const y = toPercent(depthOf(axis, tick))
    const kind = tick === 0 ? ' class="zero"' : ''
    markup +=
      `<line${kind} x2="100%" y1="${y}" y2="${y}"/>` +
      `<text x="-8" y="${y}" dy=".32em">${fixedIn(language, tick, axis.digits)}${unit}</text>`
  }
  return `${markup}</g>`
}

/** Days below the chart. A narrow screen leaves out every other one (`odd`). */
function timeGrid({ first, days }: Plot, language: Language): string {
  let [markup, isOdd] = ['<g class="x">', false]
  for (const { day, label } of timeTicks(first, first + days, language)) {
    const x = toPercent((day - first) / days)
    markup +=
      `<line x1="${x}" x2="${x}" y2="100%"/>` +
      `<text${isOdd ? ' class="odd"' : ''} x="${x}" y="100%" dy="20">${label}</text>`
    isOdd = !isOdd
  }
  return `${markup}</g>`
}

const most = 8

/** Beginnings of years, months or weeks between two days, as close as their labels can stand. */
function timeTicks(first: number, last: number, language: Language) {
  const span = last - first
  if (span > 2.5 * 365) return yearTicks(first, last)
  return span > 70 ? monthTicks(first, last, language) : dayTicks(first, last, language)
}

function yearTicks(first: number, last: number) {
  const from = Number(isoOf(first).slice(0, 4)) + 1
  const to = Number(isoOf(last).slice(0, 4))
  const step = [1, 2, 5, 10, 20, 50].find((years) => (to - from + 1) / years <= most) ?? 100
  const ticks: { readonly day: number; readonly label: string }[] = []
  for (let year = Math.ceil(from / step) * step; year <= to; year += step) {
    ticks.push({ day: dayNumber(`${String(year).padStart(4, '0')}-01-01`), label: String(year) })
  }
  return ticks
}

/** The label of January is its year. */
function monthTicks(first: number, last: number, language: Language) {
  const step = [1, 2, 3, 6].find((count) => (last - first) / 30 / count <= most) ?? 12
  const ticks: { readonly day: number; readonly label: string }[] = []
  const [year, month] = isoOf(first).split('-').map(Number)
  for (let index = (year ?? 0) * 12 + (month ?? 1); ; index++) {
    const [ofYear, ofMonth] = [Math.floor(index / 12), index % 12]
    const day = dayNumber(`${String(ofYear).padStart(4, '0')}-${String(ofMonth + 1).padStart(2, '0')}-01`)
    if (day > last) return ticks
    const label = ofMonth === 0 ? String(ofYear) : (months[language][ofMonth] ?? '')
    if (ofMonth % step === 0) ticks.push({ day, label })
  }
}

function dayTicks(first: number, last: number, language: Language) {
  const step = [1, 2, 7].find((days) => (last - first) / days <= most) ?? 14
  const ticks: { readonly day: number; readonly label: string }[] = []
  for (let day = first; day <= last; day += step) {
    const label = monthDayIn(language, isoOf(day).slice(5))
    ticks.push({ day, label })
  }
  return ticks
}

export interface ChartPoint {
  /** Since 1970-01-01. */
  readonly day: number
  readonly value: number
}

const depth = 1000

/** The plot of lines over the same days. @param lines at least one, each with its points ascending */
export function plotOf(...lines: readonly (readonly ChartPoint[])[]): Plot {
  let [low, high] = [Infinity, -Infinity]
  for (const { value } of lines.flat()) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return plotOver(lines[0]?.[0]?.day ?? 0, lines[0]?.at(-1)?.day ?? 0, valueAxis(low, high))
}

/** The line as a path, the same in every language. */
export const linePath = (points: readonly ChartPoint[], plot: Plot): string =>
  pathThrough(points, plot, yOf(plot, points[0]?.value ?? 0))

/** @param paths as `linePath` returns them for the same plot */
export const lineChart = (
  plot: Plot,
  paths: readonly string[],
  language: Language,
  styles: readonly number[] = paths.map((_, index) => index),
): string =>
  valueGrid(plot.axis, language) +
  timeGrid(plot, language) +
  canvas(
    plot,
    paths.map((path, index) => `<path class="${lineStyle(styles[index] ?? 0)}" d="${path}"/>`).join(''),
  )

/** The style sheet has a style for each of these lines. */
export const mostCompared = 5

/** The CSS classes of a line's colour and dashes. @param style from 0, below {@link mostCompared} */
export const lineStyle = (style: number) => (style === 0 ? 'line' : `line l${style + 1}`)

interface Layer {
  readonly colour: string
  /** Percent, one for each day. */
  readonly values: readonly number[]
}

/**
 * Stacks values above zero upwards and values below zero downwards. Areas reach to zero and cover those above, so each
 * needs its outer edge only. @param days since 1970-01-01, at least two @param layers lowest first
 */
export function stackOf(days: readonly number[], layers: readonly Layer[]) {
  const up = cumulated(layers, days.length, (value) => Math.max(0, value))
  const down = cumulated(layers, days.length, (value) => Math.min(0, value))
  const plot = plotOver(days[0] ?? 0, days.at(-1) ?? 0, axisOf(up.at(-1) ?? [], down.at(-1) ?? []))
  const zero = yOf(plot, 0)
  let shapes = ''
  for (const edges of [up, down]) {
    for (const [index, { colour, values }] of [...layers.entries()].reverse()) {
      if (!values.some((value) => (edges === up ? value > 0 : value < 0))) continue
      const edge = days.map((day, which) => ({ day, value: edges[index]?.[which] ?? 0 }))
      shapes += `<path class="${colour}" d="${pathThrough(edge, plot, zero)}V${zero}z"/>`
    }
  }
  const newest = layers.flatMap(({ values }, index) => {
    const percent = values.at(-1) ?? 0
    const middle = ((percent < 0 ? down : up)[index]?.at(-1) ?? 0) - percent / 2
    const isHigh = Math.abs(percent) > (plot.axis.max - plot.axis.min) * 0.08
    return isHigh ? [{ percent, y: toPercent(depthOf(plot.axis, middle)) }] : []
  })
  return { plot, shapes, newest }
}

/** The newest share labels large areas: a reader who cannot tell the colours apart finds it in the legend. */
export function areaChart({ plot, shapes, newest }: ReturnType<typeof stackOf>, language: Language): string {
  const labels = newest.map(
    ({ percent, y }) =>
      `<text class="share" x="99%" y="${y}" dy=".32em">${percentIn(language, percent, 0)}</text>`,
  )
  return (
    canvas(plot, shapes) +
    valueGrid(plot.axis, language, percentSign(language)) +
    timeGrid(plot, language) +
    labels.join('')
  )
}

const canvas = ({ days }: Plot, shapes: string) =>
  `<svg class="plot" viewBox="0 0 ${days} ${depth}" preserveAspectRatio="none">${shapes}</svg>`

const yOf = ({ axis }: Plot, value: number) =>
  Math.round((axis.max - value) * (depth / (axis.max - axis.min)))

/** A path from the first day at `from` through the points, in relative steps. A minus sign separates, too. */
function pathThrough(points: readonly ChartPoint[], plot: Plot, from: number): string {
  let [x, y, path] = [0, from, `M0 ${from}l`]
  for (const [index, { day, value }] of points.entries()) {
    const [nextX, nextY] = [day - plot.first, yOf(plot, value)]
    path += `${index === 0 ? '' : ' '}${nextX - x}${nextY < y ? '' : ' '}${nextY - y}`
    x = nextX
    y = nextY
  }
  return path
}

/** The sums of each layer and those below it, one for each day. */
function cumulated(
  layers: readonly Layer[],
  days: number,
  part: (value: number) => number,
): readonly (readonly number[])[] {
  let sums: readonly number[] = new Array<number>(days).fill(0)
  return layers.map(({ values }) => {
    sums = sums.map((sum, index) => sum + part(values[index] ?? 0))
    return sums
  })
}

/** Ends at a hundred if the shares add up to a hundred, except for rounding. */
function axisOf(highest: readonly number[], lowest: readonly number[]): Axis {
  const high = Math.max(0, ...highest)
  return valueAxis(Math.min(0, ...lowest), high > 100 && high < 101 ? 100 : high)
}

export interface BarGroup {
  /** Escaped. */
  readonly label: string
  /** Escaped second line below a year that has not ended, whose bar is paler. */
  readonly below: string | null
  /** Percent, one for each series; null for no bar. */
  readonly values: readonly (number | null)[]
}

/** From this number of bars on, the figures at the bars stand too close on a narrow screen (`many`). */
const manyBars = 8

/** Of a chart's height: the figure of the lowest bar stands below it, and above the labels. */
const roomBelow = 0.1

/** One or two bars for each label, from zero upwards or downwards. @param groups with the same number of values */
export function barChart(groups: readonly BarGroup[], language: Language): string {
  const all = groups.flatMap(({ values }) => values.filter((value) => value !== null))
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  const axis = valueAxis(low - (low < 0 ? roomBelow * (high - low) : 0), high, 4)
  const series = groups[0]?.values.length ?? 1
  const slot = 1 / groups.length
  const width = (slot * (series === 1 ? 0.62 : 0.76)) / series
  let markup = valueGrid(axis, language, percentSign(language))
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

/**
 * Charts as the inside of an `<svg>`: lines over days, stacked areas, bars. The build draws them; the browser draws the
 * price line of a range, and the lines of a comparison.
 * The outer element has no viewBox: positions in it are percents, and text keeps its size on every screen. The shapes
 * over days lie in an `<svg>` of their own. Its x is the number of days since the first one; its y runs from 0, the top
 * of the value axis, to {@link depth}, its bottom.
 */

import type { Language } from '../../../../core/api/routes/table.ts'
import { dayNumber, isoOf } from '../../../../core/system/day-number.ts'
import { fixedIn, monthDayIn, months, percentSign, shortIn } from '../../../../core/layout/formats.ts'

/** Ends at its outermost ticks. */
interface Axis {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
  /** The decimal places that the ticks need. */
  readonly digits: number
  /** True if an equal distance is an equal ratio. */
  readonly isLog: boolean
}

/** Round values from below the lowest to above the highest, about `wanted` of them. */
function valueAxis(low: number, high: number, wanted = 5): Axis {
  // If all values are equal, the line lies in the middle.
  const room = high > low ? 0 : Math.abs(low) / 20 || 1
  const from = low - room
  const to = high + room
  const { step, digits } = roundStep((to - from) / wanted)
  const first = Math.floor(from / step + 1e-9)
  const last = Math.ceil(to / step - 1e-9)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks, digits, isLog: false }
}

/** Up to this ratio of the ends, even steps have room for their labels on a logarithmic axis. */
const mostRatio = 5

/** Factors of powers of ten: the more, the closer the axis lies around its values. */
const ladders = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1]] as const

/** At most seven round values: even steps, or those of a ladder. */
function logAxis(low: number, high: number): Axis {
  const even = valueAxis(low, high)
  if (even.min > 0 && even.max / even.min <= mostRatio) return { ...even, isLog: true }
  const from = exponentOf(low)
  const to = exponentOf(high)
  const ticksOf = (factors: readonly number[], decades = 1) => {
    const all: number[] = []
    for (let exponent = from; exponent <= to + decades; exponent += decades)
      for (const factor of factors) all.push(Number(`${factor}e${exponent}`))
    return all.filter((_, index) => (all[index + 1] ?? Infinity) > low && (all[index - 1] ?? 0) < high)
  }
  const fitting = ladders.map((factors) => ticksOf(factors)).find(({ length }) => length <= 7)
  const ticks = fitting ?? ticksOf([1], Math.ceil((to - from) / 5))
  const min = ticks[0] ?? low
  const max = ticks.at(-1) ?? high
  // Factors have one decimal place at most.
  return { min, max, ticks, digits: Math.max(0, Math.min(20, 1 - exponentOf(min))), isLog: true }
}

const exponentOf = (value: number) => Number(value.toExponential().split('e')[1])

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. Works on text, so that every machine gets the same result. */
function roundStep(rough: number): { readonly step: number; readonly digits: number } {
  const exponent = exponentOf(rough)
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
export const depthOf = ({ min, max, isLog }: Axis, value: number) =>
  isLog ? Math.log(max / value) / Math.log(max / min) : (max - value) / (max - min)

/** Lines across, each with its value on the left. */
function valueGrid(axis: Axis, language: Language, unit = ''): string {
  let markup = '<g class="y">'
  for (const tick of axis.ticks) {
    const y = toPercent(depthOf(axis, tick))
    const kind = tick === 0 ? ' class="zero"' : ''
    markup +=
      `<line${kind} x2="100%" y1="${y}" y2="${y}"/>` +
      `<text x="-8" y="${y}" dy=".32em">${shortIn(language, tick, axis.digits)}${unit}</text>`
  }
  if (axis.isLog) markup += `<text x="100%" dy="-.3em">${logarithmic[language]}</text>`
  return `${markup}</g>`
}

const logarithmic = { de: 'logarithmische Skala', en: 'logarithmic scale' }

/** A narrow chart has room for so many days below it. Of more it leaves out every other one (`odd`). */
const mostDayLabels = 5
/** A narrow chart has room for so many years below its bars. */
const mostYearLabels = 7

/** Days below the chart. */
function timeGrid({ first, days }: Plot, language: Language): string {
  let markup = '<g class="x">'
  const ticks = timeTicks(first, first + days, language)
  for (const [index, { day, label }] of ticks.entries()) {
    const x = toPercent((day - first) / days)
    const odd = ticks.length > mostDayLabels && index % 2 === 1 ? ' class="odd"' : ''
    markup +=
      `<line x1="${x}" x2="${x}" y2="100%"/>` + `<text${odd} x="${x}" y="100%" dy="20">${label}</text>`
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
    const ofYear = Math.floor(index / 12)
    const ofMonth = index % 12
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

/** From here on, an equal rise looks smaller and smaller on an even scale. */
const longDays = 15 * 365.25
const largeRatio = 10

/**
 * The plot of lines over the same days, with a logarithmic scale for many years or a wide range.
 * @param lines at least one, each with its points ascending
 */
export function plotOf(...lines: readonly (readonly ChartPoint[])[]): Plot {
  let low = Infinity
  let high = -Infinity
  for (const { value } of lines.flat()) {
    if (value < low) low = value
    if (value > high) high = value
  }
  const first = lines[0]?.[0]?.day ?? 0
  const last = lines[0]?.at(-1)?.day ?? 0
  const isLog = low > 0 && (last - first > longDays || high / low > largeRatio)
  return plotOver(first, last, isLog ? logAxis(low, high) : valueAxis(low, high))
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

/** Dots on a line. */
export const pointMarks = (plot: Plot, marks: readonly ChartPoint[]): string =>
  marks
    .map(({ day, value }) => {
      const x = toPercent((day - plot.first) / plot.days)
      return `<circle class="event" cx="${x}" cy="${toPercent(depthOf(plot.axis, value))}" r="3"/>`
    })
    .join('')

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
  const axis = axisOf(up.at(-1) ?? [], down.at(-1) ?? [])
  const plot = plotOver(days[0] ?? 0, days.at(-1) ?? 0, axis)
  const zero = yOf(plot, 0)
  let shapes = ''
  for (const edges of [up, down]) {
    for (const [index, { colour, values }] of [...layers.entries()].reverse()) {
      if (!values.some((value) => (edges === up ? value > 0 : value < 0))) continue
      const edge = days.map((day, which) => ({ day, value: edges[index]?.[which] ?? 0 }))
      shapes += `<path class="${colour}" d="${pathThrough(edge, plot, zero)}V${zero}z"/>`
    }
  }
  return { plot, shapes }
}

/** The legend names the colours, and has the values. */
export const areaChart = ({ plot, shapes }: ReturnType<typeof stackOf>, language: Language): string =>
  valueGrid(plot.axis, language, percentSign(language)) + timeGrid(plot, language) + canvas(plot, shapes)

const canvas = ({ days }: Plot, shapes: string) =>
  `<svg class="plot" viewBox="0 0 ${days} ${depth}" preserveAspectRatio="none">${shapes}</svg>`

const yOf = ({ axis }: Plot, value: number) => Math.round(depthOf(axis, value) * depth)

/** A path from the day of the first point, at `from`, through the points, in relative steps. A minus sign separates, too. */
function pathThrough(points: readonly ChartPoint[], plot: Plot, from: number): string {
  let x = (points[0]?.day ?? plot.first) - plot.first
  let y = from
  let path = `M${x} ${from}l`
  for (const [index, { day, value }] of points.entries()) {
    const nextX = day - plot.first
    const nextY = yOf(plot, value)
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

/**
 * Holds zero, so that areas are as large as the shares. Ends at a hundred if these add up to a hundred, except for rounding.
 * @param lowest below zero
 */
function axisOf(highest: readonly number[], lowest: readonly number[]): Axis {
  const high = Math.max(0, ...highest)
  return valueAxis(Math.min(0, ...lowest), high > 100 && high < 101 ? 100 : high)
}

export interface Bar {
  readonly label: string
  /** Of many bars, a narrow chart has these labels. */
  readonly shortLabel: string
  /** A second line below a year that is not whole, whose bar is paler. */
  readonly below: string | null
  readonly percent: number
}

/** Of a chart's height: the figure of the lowest bar stands below it, and above the labels. */
const roomBelow = 0.1

/** A bar for each label, from zero upwards or downwards. Of many bars, a narrow chart has short labels, and figures in whole percent. */
export function barChart(bars: readonly Bar[], language: Language): string {
  const all = bars.map(({ percent }) => percent)
  const low = Math.min(0, ...all)
  // Figures have one decimal place: smaller values make no scale of their own.
  const high = Math.max(0, ...all, low + 0.1)
  const axis = valueAxis(low - (low < 0 ? roomBelow * (high - low) : 0), high, 4)
  const slot = 1 / bars.length
  const isLong = bars.length > mostYearLabels
  let markup = `${valueGrid(axis, language, percentSign(language))}<g class="bars">`
  for (const [index, { label, shortLabel, below, percent }] of bars.entries()) {
    const middle = toPercent((index + 0.5) * slot)
    const top = depthOf(axis, Math.max(0, percent))
    const bottom = depthOf(axis, Math.min(0, percent))
    const sign = percent < 0 ? 'down' : 'up'
    const [y, dy] = percent < 0 ? [bottom, '1.2em'] : [top, '-.45em']
    const under = (text: string, dy: number, kind = '') =>
      `<text${kind} x="${middle}" y="100%" dy="${dy}">${text}</text>`
    const names = isLong
      ? under(label, 20, ' class="exact"') + under(shortLabel, 20, ' class="rounded"')
      : under(label, 20)
    const figure = (kind: string, digits: number) =>
      `<text class="figure${kind}" x="${middle}" y="${toPercent(y)}" dy="${dy}">` +
      `${fixedIn(language, percent, digits)}</text>`
    const digits = Math.abs(percent) < 100 ? 1 : 0
    markup +=
      `<rect class="${below === null ? sign : `running ${sign}`}" x="${toPercent((index + 0.2) * slot)}"` +
      ` y="${toPercent(top)}" width="${toPercent(slot * 0.6)}" height="${toPercent(bottom - top)}"/>` +
      (isLong ? figure(' exact', digits) + figure(' rounded', 0) : figure('', digits)) +
      names +
      (below === null ? '' : under(below, 35))
  }
  return `${markup}</g>`
}

/** The room that bars of these values need: from the lowest to the highest, with zero. */
export const spanOf = (values: readonly number[]): number => Math.max(0, ...values) - Math.min(0, ...values)

/**
 * Bars of one table. Values below zero extend to the left of a mark.
 * @param span what the whole width is: tables of the same span have the same scale
 * @returns the markup for a value, with a class of its own
 */
export function rowBars(
  values: readonly number[],
  span = spanOf(values),
): (value: number, kind: string) => string {
  const low = Math.min(0, ...values)
  const shareOf = (value: number) => toPercent(value / (span || 1))
  const zero = low < 0 ? `<rect class="at" x="${shareOf(-low)}" width="1"/>` : ''
  return (value, kind) => {
    const from = Math.min(0, value) - low
    return (
      `<svg aria-hidden="true"><rect${kind === '' ? '' : ` class="${kind}"`}` +
      `${from === 0 ? '' : ` x="${shareOf(from)}"`} width="${shareOf(Math.abs(value))}"/>${zero}</svg>`
    )
  }
}

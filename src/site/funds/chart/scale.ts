/** The one scale of all charts: axes, their grids, and which points are worth drawing. Positions are shares of the plot. */

import type { Language } from '../../../api/routes/table.ts'
import { dayNumber, fixedIn, isoOf, months } from './formats.ts'

/** A value axis: it ends at its outermost ticks. */
export interface Axis {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
  /** The decimal places that the ticks need. */
  readonly digits: number
}

/** Round values from below the lowest to above the highest, about `wanted` of them. */
export function valueAxis(low: number, high: number, wanted = 5): Axis {
  // If all values are equal, the line lies in the middle.
  const room = high > low ? 0 : Math.abs(low) / 20 || 1
  const [from, to] = [low - room, high + room]
  const { step, digits } = roundStep((to - from) / wanted)
  const first = Math.floor(from / step + 1e-9)
  const last = Math.ceil(to / step - 1e-9)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks, digits }
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. It works on text, so that every machine gets the same result. */
function roundStep(rough: number): { readonly step: number; readonly digits: number } {
  const exponent = Number(rough.toExponential().split('e')[1])
  const mantissa = rough / Number(`1e${exponent}`)
  const factor = [1, 2, 2.5, 5].find((candidate) => mantissa <= candidate + 1e-9) ?? 10
  const step = Number(`${factor}e${exponent}`)
  const places = factor === 10 ? -exponent - 1 : factor === 2.5 ? 1 - exponent : -exponent
  return { step, digits: Math.max(0, Math.min(20, places)) }
}

/** The rectangle that days and values are drawn into. */
export interface Plot {
  /** Days since 1970-01-01. */
  readonly first: number
  /** At least one. */
  readonly days: number
  readonly axis: Axis
}

export const plotOver = (first: number, last: number, axis: Axis): Plot => ({
  first,
  days: Math.max(1, last - first),
  axis,
})

/** Every n-th element and the last one: `most` at most. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  const step = Math.ceil(all.length / (most - 1))
  return all.filter((_, index) => index % step === 0 || index === all.length - 1)
}

/** A share of the whole, to a hundredth of a percent. */
export const toPercent = (share: number) => `${Math.round(share * 10_000) / 100}%`

/** How far down from the top of the axis a value lies, as a share. */
export const depthOf = ({ min, max }: Axis, value: number) => (max - value) / (max - min)

/** Lines across, each with its value left of it. */
export function valueGrid(axis: Axis, language: Language, unit = ''): string {
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
export function timeGrid({ first, days }: Plot, language: Language): string {
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

interface TimeTick {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly label: string
}

const most = 8

/** Beginnings of years, months or weeks between two days, as close as their labels can stand. */
function timeTicks(first: number, last: number, language: Language): readonly TimeTick[] {
  const span = last - first
  if (span > 2.5 * 365) return yearTicks(first, last)
  return span > 70 ? monthTicks(first, last, language) : dayTicks(first, last, language)
}

function yearTicks(first: number, last: number): readonly TimeTick[] {
  const from = Number(isoOf(first).slice(0, 4)) + 1
  const to = Number(isoOf(last).slice(0, 4))
  const step = [1, 2, 5, 10, 20, 50].find((years) => (to - from + 1) / years <= most) ?? 100
  const ticks: TimeTick[] = []
  for (let year = Math.ceil(from / step) * step; year <= to; year += step) {
    ticks.push({ day: dayNumber(`${String(year).padStart(4, '0')}-01-01`), label: String(year) })
  }
  return ticks
}

/** The label of January is its year. */
function monthTicks(first: number, last: number, language: Language): readonly TimeTick[] {
  const step = [1, 2, 3, 6].find((count) => (last - first) / 30 / count <= most) ?? 12
  const ticks: TimeTick[] = []
  const [year, month] = isoOf(first).split('-').map(Number)
  for (let index = (year ?? 0) * 12 + (month ?? 1); ; index++) {
    const [ofYear, ofMonth] = [Math.floor(index / 12), index % 12]
    const day = dayNumber(`${String(ofYear).padStart(4, '0')}-${String(ofMonth + 1).padStart(2, '0')}-01`)
    if (day > last) return ticks
    const label = ofMonth === 0 ? String(ofYear) : (months[language][ofMonth] ?? '')
    if (ofMonth % step === 0) ticks.push({ day, label })
  }
}

function dayTicks(first: number, last: number, language: Language): readonly TimeTick[] {
  const step = [1, 2, 7].find((days) => (last - first) / days <= most) ?? 14
  const ticks: TimeTick[] = []
  for (let day = first; day <= last; day += step) {
    const [, month = '', ofMonth = ''] = isoOf(day).split('-')
    const label =
      language === 'de' ? `${ofMonth}.${month}.` : `${Number(ofMonth)} ${months.en[Number(month) - 1]}`
    ticks.push({ day, label })
  }
  return ticks
}

/** Axes: which values and days are named beside a chart. */

import { dayNumber, isoOf, months, type Language } from './formats.ts'

/** A value axis: it ends at its outermost ticks. */
export interface Axis {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
  /** Decimal places that tell the ticks apart. */
  readonly digits: number
}

/** Round values from below the lowest to above the highest, about `wanted` of them. */
export function valueAxis(low: number, high: number, wanted = 5): Axis {
  // All the same: a line in the middle.
  const room = high > low ? 0 : Math.abs(low) / 20 || 1
  const [from, to] = [low - room, high + room]
  const { step, digits } = roundStep((to - from) / wanted)
  const first = Math.floor(from / step + 1e-9)
  const last = Math.ceil(to / step - 1e-9)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks, digits }
}

/** The next of 1, 2, 2.5 and 5 times a power of ten. By text: no rounding differs between machines. */
function roundStep(rough: number): { readonly step: number; readonly digits: number } {
  const exponent = Number(rough.toExponential().split('e')[1])
  const mantissa = rough / Number(`1e${exponent}`)
  const factor = [1, 2, 2.5, 5].find((candidate) => mantissa <= candidate + 1e-9) ?? 10
  const step = Number(`${factor}e${exponent}`)
  const places = factor === 10 ? -exponent - 1 : factor === 2.5 ? 1 - exponent : -exponent
  return { step, digits: Math.max(0, Math.min(20, places)) }
}

export interface TimeTick {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly label: string
}

const most = 8

/** Beginnings of years, months or weeks between two days, as close as their labels can stand. */
export function timeTicks(first: number, last: number, language: Language): readonly TimeTick[] {
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

/** January is named by its year. */
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

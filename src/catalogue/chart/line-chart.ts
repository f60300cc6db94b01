/**
 * A line over days as the inside of an `<svg>`, drawn at build time and, for the ranges, again in the browser.
 *
 * The outer element has no viewBox: positions in it are percents and text keeps its size on every screen. The line lies
 * in an `<svg>` of its own, whose x is the number of days since the first one, and whose y runs from 0, the top of the
 * value axis, to {@link depth}, its bottom.
 */

import { timeTicks, valueAxis, type Axis } from './axis.ts'
import { fixedIn, type Language } from './formats.ts'

export interface Point {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly value: number
}

export const depth = 1000

export interface Plot {
  readonly first: number
  /** At least one. */
  readonly days: number
  readonly axis: Axis
}

/** Where the points of a line go. @param points ascending, one at least */
export function plotOf(points: readonly Point[]): Plot {
  let [low, high] = [Infinity, -Infinity]
  for (const { value } of points) {
    if (value < low) low = value
    if (value > high) high = value
  }
  const first = points[0]?.day ?? 0
  return { first, days: Math.max(1, (points.at(-1)?.day ?? 0) - first), axis: valueAxis(low, high) }
}

/** The line as a path, which every language can use: steps from each point to the next. */
export function linePath(points: readonly Point[], { first, axis }: Plot): string {
  const scale = depth / (axis.max - axis.min)
  let [x, y, path] = [0, 0, '']
  for (const { day, value } of points) {
    const nextY = Math.round((axis.max - value) * scale)
    path += path === '' ? `M${day - first} ${nextY}l0 0` : step(day - first - x, nextY - y)
    x = day - first
    y = nextY
  }
  return path
}

/** A minus is separator enough. */
const step = (right: number, down: number) => ` ${right}${down < 0 ? '' : ' '}${down}`

/** @param path as `linePath` gives it for the same plot */
export function lineChart(plot: Plot, path: string, language: Language): string {
  return (
    valueGrid(plot.axis, language) +
    timeGrid(plot, language) +
    `<svg class="plot" viewBox="0 0 ${plot.days} ${depth}" preserveAspectRatio="none">` +
    `<path class="line" d="${path}"/></svg>`
  )
}

/** Lines across, each with its value left of it. */
export function valueGrid({ min, max, ticks, digits }: Axis, language: Language, unit = ''): string {
  let markup = '<g class="y">'
  for (const tick of ticks) {
    const y = percent((max - tick) / (max - min))
    const kind = tick === 0 ? ' class="zero"' : ''
    markup +=
      `<line${kind} x2="100%" y1="${y}" y2="${y}"/>` +
      `<text x="-8" y="${y}" dy=".32em">${fixedIn(language, tick, digits)}${unit}</text>`
  }
  return `${markup}</g>`
}

/** Days below the chart. On a narrow screen every other one is left out (`odd`). */
export function timeGrid({ first, days }: Plot, language: Language): string {
  let [markup, isOdd] = ['<g class="x">', false]
  for (const { day, label } of timeTicks(first, first + days, language)) {
    const x = percent((day - first) / days)
    markup +=
      `<line x1="${x}" x2="${x}" y2="100%"/>` +
      `<text${isOdd ? ' class="odd"' : ''} x="${x}" y="100%" dy="20">${label}</text>`
    isOdd = !isOdd
  }
  return `${markup}</g>`
}

/** A share of the whole, to a hundredth of a percent. */
export const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`

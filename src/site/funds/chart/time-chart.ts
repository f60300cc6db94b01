/**
 * A line over days, or stacked areas, as the inside of an `<svg>`. The build draws them; the browser draws the line again
 * for the ranges.
 *
 * The outer element has no viewBox: positions in it are percents, and text keeps its size on every screen. The shapes lie
 * in an `<svg>` of their own. Its x is the number of days since the first one; its y runs from 0, the top of the value
 * axis, to {@link depth}, its bottom.
 */

import type { Language } from '../../../api/routes/table.ts'
import { plotOver, timeGrid, valueAxis, valueGrid, type Axis, type Plot } from './scale.ts'

export interface ChartPoint {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly value: number
}

const depth = 1000

/** The plot that a line needs. @param points ascending, one at least */
export function plotOf(points: readonly ChartPoint[]): Plot {
  let [low, high] = [Infinity, -Infinity]
  for (const { value } of points) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return plotOver(points[0]?.day ?? 0, points.at(-1)?.day ?? 0, valueAxis(low, high))
}

/** The line as a path, which every language can use. */
export const linePath = (points: readonly ChartPoint[], plot: Plot): string =>
  pathThrough(points, plot, yOf(plot, points[0]?.value ?? 0))

/** @param path as `linePath` gives it for the same plot */
export const lineChart = (plot: Plot, path: string, language: Language): string =>
  valueGrid(plot.axis, language) + timeGrid(plot, language) + canvas(plot, `<path class="line" d="${path}"/>`)

export interface Layer {
  /** CSS classes of its colour. */
  readonly colour: string
  /** Percent, one for each day. */
  readonly values: readonly number[]
}

/** The shapes of a stack, which every language can use. */
export interface Stack {
  readonly plot: Plot
  readonly shapes: string
}

/**
 * Values above zero are stacked upwards, values below zero downwards. Each area reaches to zero, and the areas below it in
 * the stack are painted over it: so each needs its outer edge only.
 * @param days since 1970-01-01, ascending, two at least @param layers the lowest first
 */
export function stackOf(days: readonly number[], layers: readonly Layer[]): Stack {
  const up = cumulated(layers, days.length, (value) => Math.max(0, value))
  const down = cumulated(layers, days.length, (value) => Math.min(0, value))
  const plot = plotOver(days[0] ?? 0, days.at(-1) ?? 0, axisOf(up.at(-1) ?? [], down.at(-1) ?? []))
  const zero = yOf(plot, 0)
  let shapes = ''
  for (const [edges, sign] of [
    [up, 1],
    [down, -1],
  ] as const) {
    for (const [index, { colour, values }] of [...layers.entries()].reverse()) {
      if (!values.some((value) => value * sign > 0)) continue
      const edge = days.map((day, which) => ({ day, value: edges[index]?.[which] ?? 0 }))
      shapes += `<path class="${colour}" d="${pathThrough(edge, plot, zero)}V${zero}z"/>`
    }
  }
  return { plot, shapes }
}

export const areaChart = ({ plot, shapes }: Stack, language: Language): string =>
  canvas(plot, shapes) + valueGrid(plot.axis, language, '\u00a0%') + timeGrid(plot, language)

const canvas = ({ days }: Plot, shapes: string) =>
  `<svg class="plot" viewBox="0 0 ${days} ${depth}" preserveAspectRatio="none">${shapes}</svg>`

const yOf = ({ axis }: Plot, value: number) =>
  Math.round((axis.max - value) * (depth / (axis.max - axis.min)))

/** A path from the first day at `from` through the points, in relative steps. A minus is separator enough. */
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

/** Shares that add up to a hundred, except for rounding, end at a hundred. */
function axisOf(highest: readonly number[], lowest: readonly number[]): Axis {
  const high = Math.max(0, ...highest)
  return valueAxis(Math.min(0, ...lowest), high > 100 && high < 101 ? 100 : high)
}

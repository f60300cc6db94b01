/**
 * Shares over time as stacked areas, the inside of an `<svg>`. What is above zero is stacked upwards, what is below it
 * downwards. Each area reaches down to zero and is painted over by those that lie below it in the stack: so each needs
 * its outer edge only.
 */

import { valueAxis, type Axis } from './axis.ts'
import type { Language } from './formats.ts'
import { depth, timeGrid, valueGrid, type Plot } from './line-chart.ts'

export interface Layer {
  /** CSS classes of its colour. */
  readonly colour: string
  /** Percent, one each day. */
  readonly values: readonly number[]
}

/** The shapes of a stack, which every language can use. */
export interface Stack {
  readonly plot: Plot
  readonly shapes: string
}

/** @param days since 1970-01-01, ascending, two at least @param layers the lowest first */
export function stackOf(days: readonly number[], layers: readonly Layer[]): Stack {
  const up = cumulated(layers, days.length, (value) => Math.max(0, value))
  const down = cumulated(layers, days.length, (value) => Math.min(0, value))
  const axis = axisOf(up.at(-1) ?? [], down.at(-1) ?? [])
  const first = days[0] ?? 0
  const plot = { first, days: Math.max(1, (days.at(-1) ?? 0) - first), axis }
  let shapes = ''
  for (const [edges, isUp] of [
    [up, true],
    [down, false],
  ] as const) {
    for (let index = layers.length - 1; index >= 0; index--) {
      const hasShape = layers[index]?.values.some((value) => (isUp ? value > 0 : value < 0)) ?? false
      if (hasShape) {
        shapes += `<path class="${layers[index]?.colour ?? ''}" d="${area(days, edges[index] ?? [], plot)}"/>`
      }
    }
  }
  return { plot, shapes }
}

export function areaChart({ plot, shapes }: Stack, language: Language): string {
  return (
    `<svg class="plot" viewBox="0 0 ${plot.days} ${depth}" preserveAspectRatio="none">${shapes}</svg>` +
    valueGrid(plot.axis, language, '\u00a0%') +
    timeGrid(plot, language)
  )
}

/** The sums of each layer and those below it, a day each. */
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

/** Shares that add up to a hundred, but for what was rounded, end at a hundred. */
function axisOf(highest: readonly number[], lowest: readonly number[]): Axis {
  const high = Math.max(0, ...highest)
  return valueAxis(Math.min(0, ...lowest), high > 100 && high < 101 ? 100 : high)
}

function area(days: readonly number[], edge: readonly number[], { first, axis }: Plot): string {
  const scale = depth / (axis.max - axis.min)
  const zero = Math.round(axis.max * scale)
  let [x, y, path] = [0, zero, `M0 ${zero}l`]
  for (const [index, day] of days.entries()) {
    const nextY = Math.round((axis.max - (edge[index] ?? 0)) * scale)
    path += `${index === 0 ? '' : ' '}${day - first - x}${nextY < y ? '' : ' '}${nextY - y}`
    x = day - first
    y = nextY
  }
  return `${path}V${zero}z`
}

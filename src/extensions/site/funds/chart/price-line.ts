/** A line of prices: the NAV, and what it would be with distributions reinvested. The build and the browser draw alike. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import {
  adjusted,
  type AdjustedPrice,
  type DayPrice,
  type FundActions,
  reinvestedPrices,
} from '../../../../core/layout/total-return.ts'
import { lineChart, linePath, lineStyle, plotOf, pointMarks } from './charts.ts'
import { changeLine } from '../../../../core/layout/formats.ts'

export type PriceLine = ReturnType<typeof priceLine>

/** @param prices ascending, at least one */
export function priceLine(prices: readonly DayPrice[], actions: FundActions) {
  const navs = adjusted(prices, actions)
  const first = navs[0]?.day ?? 0
  const last = navs.at(-1)?.day ?? 0
  const isWithin = ({ exDay }: { readonly exDay: number }) => exDay > first && exDay <= last
  const distributions = actions.distributions.filter(isWithin)
  const reinvested = distributions.length > 0 ? reinvestedPrices(navs) : null
  const lines = reinvested === null ? [navs] : [navs, reinvested]
  const points = lines.map((line) => line.map(({ day, value }) => ({ day, value })))
  const plot = plotOf(...points)
  const marks = [...distributions, ...actions.splits.filter(isWithin)].map(({ exDay }) => {
    const next = navs.find(({ day }) => day >= exDay)
    return { day: exDay, value: next?.value ?? 0 }
  })
  return { navs, reinvested, plot, paths: points.map((line) => linePath(line, plot)), marks }
}

export const priceLineShapes = ({ plot, paths, marks }: PriceLine, language: Language): string =>
  lineChart(plot, paths, language) + pointMarks(plot, marks)

/** The changes over the period of a line, as markup. @param word for the line of reinvested distributions */
export function priceLineChange(
  { navs, reinvested }: PriceLine,
  language: Language,
  period: string,
  word: string,
): string {
  const ends = (line: readonly AdjustedPrice[]) => [valueOn(line[0]), valueOn(line.at(-1))] as const
  const change = changeLine(language, period, ...ends(navs))
  if (reinvested === null) return change
  return `${lineKeyOf(0)}${change} <br/>${lineKeyOf(1)}${changeLine(language, word, ...ends(reinvested))}`
}

const valueOn = (price: AdjustedPrice | undefined) => ({
  date: isoOf(price?.day ?? 0),
  decimal: String(price?.value ?? ''),
})

/** A short line as in the chart. */
export const lineKeyOf = (style: number) =>
  `<svg class="key" aria-hidden="true"><line class="${lineStyle(style)}" x2="100%" y1="50%" y2="50%"/></svg>`

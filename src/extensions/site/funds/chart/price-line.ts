/** A line of prices: the NAV, and what it would be with distributions reinvested. The build and the browser draw alike. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import {
  adjusted,
  type AdjustedPrice,
  type DayPrice,
  type FundActions,
  percentPerYear,
  reinvestedPrices,
  yearsBetween,
} from '../../../../core/layout/total-return.ts'
import { lineChart, linePath, plotOf, pointMarks } from './charts.ts'
import { lineKeyOf } from './keys.ts'
import { changeIn, dayIn, unbroken } from '../../../../core/layout/formats.ts'

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
  // On the line, which may lack the ex-day itself.
  const marks = [...distributions, ...actions.splits.filter(isWithin)].flatMap(
    ({ exDay }) => navs.find(({ day }) => day >= exDay) ?? [],
  )
  // Until its first distribution, a fund has one line: the second one leaves it there.
  const firstEx = Math.min(...distributions.map(({ exDay }) => exDay))
  const parting = navs.findIndex(({ day }) => day >= firstEx) - 1
  const drawn = points.map((line, index) => (index === 0 ? line : line.slice(parting)))
  return { navs, reinvested, plot, paths: drawn.map((line) => linePath(line, plot)), marks }
}

/** A line of performance from prices, with distributions reinvested: 100 on the first day. @param prices ascending, at least one */
export function indexLine(prices: readonly DayPrice[], actions: FundActions): PriceLine {
  const worths = adjusted(prices, actions)
  const start = worths[0]?.worth ?? NaN
  const navs = worths.map(({ day, worth }) => {
    const value = (worth / start) * 100
    return { day, nav: value.toFixed(2), value, worth: value }
  })
  const plot = plotOf(navs)
  return { navs, reinvested: null, plot, paths: [linePath(navs, plot)], marks: [] }
}

export const priceLineShapes = ({ plot, paths, marks }: PriceLine, language: Language): string =>
  lineChart(plot, paths, language) + pointMarks(plot, marks)

/** Names that the changes of a line have. */
export interface ChangeWords {
  /** Of the chosen period; '' if its days say all. */
  readonly period: string
  readonly nav: string
  readonly reinvested: string
  readonly perYear: string
}

/** The days of a line, and its changes over them, as markup. @param words texts without markup */
export function priceLineChange(
  { navs, reinvested }: PriceLine,
  language: Language,
  words: ChangeWords,
): string {
  const first = navs[0]?.day ?? 0
  const last = navs.at(-1)?.day ?? 0
  const years = yearsBetween(first, last)
  const days = [first, last].map((day) => dayIn(language, isoOf(day))).join(' – ')
  const name = words.period === '' ? '' : `${words.period}: `
  const changeOf = (line: readonly AdjustedPrice[]) =>
    changeMarkup(language, (line.at(-1)?.value ?? NaN) / (line[0]?.value ?? NaN), years, words.perYear)
  const changes =
    reinvested === null
      ? `<span>${words.nav}: ${changeOf(navs)}</span>`
      : `<span>${lineKeyOf(0)}${words.nav}: ${changeOf(navs)}</span> ` +
        `<span>${lineKeyOf(1)}${words.reinvested}: ${changeOf(reinvested)}</span>`
  return `<span class="days">${name}<span>${days}</span></span> ${changes}`
}

function changeMarkup(language: Language, ratio: number, years: number, perYear: string): string {
  if (!Number.isFinite(ratio)) return '–'
  const { text, yearly } = changeTexts(language, ratio, years, perYear)
  const tone = !/[1-9]/.test(text) ? '' : ratio > 1 ? 'good' : 'bad'
  const change = `<b${tone === '' ? '' : ` class="${tone}"`}>${text}</b>`
  return yearly === null ? change : `${change} <small>${yearly}</small>`
}

/** @param ratio of the last value to the first @returns the change, and the one a year, or null if that says nothing more */
export function changeTexts(language: Language, ratio: number, years: number, perYear: string) {
  // For less than a year, it would be a forecast; for one year, the same again.
  const isYearly = years > 1 && ratio > 0
  return {
    text: changeIn(language, (ratio - 1) * 100),
    yearly: isYearly ? unbroken(`${changeIn(language, percentPerYear(ratio, years))} ${perYear}`) : null,
  }
}

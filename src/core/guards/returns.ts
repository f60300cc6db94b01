/** What the prices of a fund say about figures that other tables publish about it. Pure. */

import type { CorporateActionRow, FundRows } from '../api/contract/rows.ts'
import { isDay } from '../api/routes/values.ts'
import { dayNumber } from '../system/day-number.ts'
import type { Contradiction } from './statistics.ts'
import { actionWatch } from './corporate-actions.ts'
import { mostDaysToYearEnd } from './year-end.ts'

/** Rows that say how a fund has done, and those that tell how to compare them. */
export type PublishedReturns = Pick<
  FundRows,
  'corporateActions' | 'performanceYears' | 'legalPeriods' | 'legalPoints' | 'launchPoints'
> & { readonly isAccumulating: boolean }

export type ReturnsTable = Exclude<keyof PublishedReturns, 'isAccumulating' | 'corporateActions'>

/** How far figures were compared, by group of rows. */
export type Judged = Readonly<
  Record<ReturnsTable, { readonly judged: number; readonly contradictions: readonly Contradiction[] }>
>

/** A growth is a factor: 1.05 is 5 %. */
interface Growth {
  readonly least: number
  readonly most: number
}

/** In percent. Prices and figures are rounded, and may be of neighbouring days. */
const tolerance = 1
/** The same as a share of the growth, for long and for wild years. */
const toleranceShare = 0.05
/** In percent: what a fund may have distributed in a year without a row in table corporate_action. */
const mostDistributed = 10
/** In percent: an issue surcharge. */
const mostSurcharge = 10

/** @param prices day (ISO 8601, ascending) and NAV of all prices @param asOf years that end before it are complete */
export function judgeReturns(
  prices: readonly { readonly day: string; readonly nav: number }[],
  published: PublishedReturns,
  asOf: string,
): Judged {
  const growthOf = totalReturns(prices, published.corporateActions)
  const hasDistributions = published.corporateActions.some(({ kind }) => kind === 'distribution')
  const isKnown = published.isAccumulating || hasDistributions
  const judge = (
    figures: readonly {
      readonly column: string
      readonly row: string
      readonly from: string
      readonly to: string
      /** A factor. */
      readonly growth: number
      readonly isNet?: boolean
    }[],
  ) => {
    const found = figures.flatMap(({ column, row, from, to, growth, isNet = false }) => {
      // The checks of values name a text that is no day or no number.
      const own = isDay(from) && isDay(to) ? growthOf(from, to) : null
      if (own === null || !Number.isFinite(growth)) return []
      const slack = tolerance / 100 + toleranceShare * Math.max(Math.abs(own.most - 1), Math.abs(growth - 1))
      const below = isNet ? mostSurcharge / 100 : 0
      const above = isKnown ? 0 : mostDistributed / 100
      const isRight = growth >= own.least - slack - below && growth <= own.most + slack + above
      const expected = `its prices from ${from} to ${to} give ${percentOf((own.least + own.most) / 2)} %`
      return [isRight ? null : { column, row, came: `${percentOf(growth)} %`, expected }]
    })
    return { judged: found.length, contradictions: found.filter((one) => one !== null) }
  }
  const launch = judge(
    pairs(lastOfYears(published.launchPoints)).map(([before, { date, value }]) => ({
      column: 'value',
      row: date.slice(0, 4),
      from: before.date,
      to: date,
      growth: value / before.value,
    })),
  )
  const start = judgeStart(published.launchPoints)
  return {
    performanceYears: judge(
      published.performanceYears
        .filter(({ year }) => `${year}-12-31` < asOf)
        .map(({ year, percent }) => ({
          column: 'percent',
          row: String(year),
          from: `${year - 1}-12-31`,
          to: `${year}-12-31`,
          growth: 1 + percent / 100,
        })),
    ),
    legalPeriods: judge(
      published.legalPeriods.flatMap(({ label, dateRealfrom: from, dateTo: to, gross, net }) => [
        ...(gross === null ? [] : [{ column: 'gross', row: label, from, to, growth: 1 + gross / 100 }]),
        ...(net === null
          ? []
          : [{ column: 'net', row: label, from, to, growth: 1 + net / 100, isNet: true }]),
      ]),
    ),
    legalPoints: judge(
      pairs(published.legalPoints).map(([before, { date, value }]) => ({
        column: 'value',
        row: date,
        from: before.date,
        to: date,
        growth: (100 + value) / (100 + before.value),
        isNet: true,
      })),
    ),
    launchPoints: {
      judged: start.judged + launch.judged,
      contradictions: [...start.contradictions, ...launch.contradictions],
    },
  }
}

/** The start of the line since the launch. Source: the interface, "Performance since launch". */
const startValue = 100

function judgeStart([first]: FundRows['launchPoints']): Judged['launchPoints'] {
  if (first === undefined) return { judged: 0, contradictions: [] }
  const { date, value } = first
  // Half of the last of two decimals.
  const isRight = Math.abs(value - startValue) < 0.005
  const expected = `the line starts at ${startValue}`
  return {
    judged: 1,
    contradictions: isRight ? [] : [{ column: 'value', row: date, came: String(value), expected }],
  }
}

const percentOf = (growth: number) => ((growth - 1) * 100).toFixed(2)

/** The first point, and the last one of each year: points are monthly or daily, and one that is added leaves the others. */
const lastOfYears = (points: FundRows['launchPoints']) =>
  points.filter(({ date }, index) => index === 0 || date.slice(0, 4) !== points[index + 1]?.date.slice(0, 4))

const pairs = <T>(all: readonly T[]) =>
  all.slice(1).flatMap((next, index) => {
    const before = all[index]
    return before === undefined ? [] : [[before, next] as const]
  })

/**
 * Splits are undone. Distributions are reinvested at the NAV of the ex-day, or left out: both figures are published.
 * @returns the growth between two days, by the prices next to them; null without a price within ten days
 */
function totalReturns(
  prices: readonly { readonly day: string; readonly nav: number }[],
  actions: readonly CorporateActionRow[],
) {
  const between = actionWatch(actions)
  const reinvested: number[] = []
  const plain: number[] = []
  let last: number | null = null
  for (const { day, nav } of prices) {
    const { shares, distributed } = between(day)
    const grown = (index: readonly number[], value: number) =>
      last === null ? 1 : ((index.at(-1) ?? 1) * shares * value) / last
    reinvested.push(grown(reinvested, nav + distributed))
    plain.push(grown(plain, nav))
    last = nav
  }
  const pricesAt = (day: string): readonly number[] => {
    const isNear = (price: { readonly day: string } | undefined) =>
      price !== undefined && daysBetween(price.day, day) <= mostDaysToYearEnd
    const until = lastUntil(prices, day)
    // The first price of a fund may come after the day that it is counted from.
    const at = isNear(prices[until]) ? until : until + 1
    return isNear(prices[at]) ? [at - 1, at, at + 1].filter((one) => isNear(prices[one])) : []
  }
  return (from: string, to: string): Growth | null => {
    if (from >= to) return null
    const starts = pricesAt(from)
    const growths = pricesAt(to).flatMap((end) =>
      starts.flatMap((start) =>
        [reinvested, plain].map((index) => (index[end] ?? NaN) / (index[start] ?? NaN)),
      ),
    )
    const isKnown = growths.length > 0 && growths.every((one) => one > 0 && Number.isFinite(one))
    return isKnown ? { least: Math.min(...growths), most: Math.max(...growths) } : null
  }
}

const daysBetween = (one: string, other: string) => Math.abs(dayNumber(one) - dayNumber(other))

/** @returns the index of the last price until a day; -1 without one */
function lastUntil(prices: readonly { readonly day: string }[], day: string): number {
  let [low, high] = [0, prices.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((prices[middle]?.day ?? '') <= day) low = middle + 1
    else high = middle
  }
  return low - 1
}

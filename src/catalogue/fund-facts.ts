/** What a fund's pages show, in no language yet: it is worked out once for all of them. */

import { isYoungerThanOneYear } from '../contract/fund.ts'
import type { FundPageSource, NavPoint, Overdue } from '../contract/page.ts'
import type {
  DecimalText,
  EmtRow,
  FundRow,
  KeyFigureRow,
  LegalPeriodRow,
  PerformanceYearRow,
  PointRow,
  PriceRow,
  ProfileRow,
  StructureItemRow,
} from '../contract/rows.ts'
import { structureTypes } from '../contract/structure-types.ts'
import { allocationOf, type Allocation } from './allocation.ts'
import { answersOf, hasAnswer, type Answer } from './answers.ts'
import { dayNumber } from './chart/formats.ts'
import { linePath, plotOf, type Plot } from './chart/line-chart.ts'
import { thinned } from './chart/thinned.ts'
import { mayPagesShowPerformance, oneYearPercent } from './entry.ts'

export interface FundFacts {
  readonly fund: FundRow
  readonly baseUrl: string
  readonly hasDownloads: boolean
  readonly answers: readonly Answer[]
  /** Null where no price is given out. */
  readonly price: PriceFacts | null
  readonly performance: PerformanceFacts | 'denied' | 'young'
  readonly profile: ProfileRow | null
  readonly emt: EmtRow | null
  readonly keyFigures: readonly KeyFigureRow[]
  /** Only types that have items. */
  readonly structures: readonly { readonly type: string; readonly items: readonly StructureItemRow[] }[]
  readonly allocations: readonly Allocation[]
}

export interface PriceFacts {
  readonly newest: PriceRow
  /** ISO 8601 day of the oldest price. */
  readonly first: string
  /** As in the fund's entry. */
  readonly oneYearPercent: DecimalText | null
  readonly overdue: Overdue | null
  /** Null with one price only, and where performance may not be shown. */
  readonly line: DrawnLine | null
}

export interface PerformanceFacts {
  readonly years: readonly PerformanceYearRow[]
  readonly periods: readonly LegalPeriodRow[]
  readonly legal: Line | null
  readonly launch: Line | null
}

export interface DrawnLine extends Line {
  readonly sample: readonly NavPoint[]
  /** The sample as the page's script reads it. */
  readonly flat: string
}

export interface Line {
  readonly plot: Plot
  readonly path: string
  /** ISO 8601 */
  readonly first: string
  readonly last: string
  readonly low: number
  readonly high: number
}

export function fundFacts(source: FundPageSource): FundFacts {
  const { fund, baseUrl, hasDownloads } = source
  const answers = answersOf(source)
  const showsPerformance = mayPagesShowPerformance(source)
  const items = source.rows('structureItems')
  return {
    fund,
    baseUrl,
    hasDownloads,
    answers,
    price: hasAnswer(answers, 'prices-current') ? priceFacts(source, showsPerformance) : null,
    performance: showsPerformance ? performanceFacts(source) : isYoung(source) ? 'young' : 'denied',
    profile: source.rows('profile')[0] ?? null,
    emt: source.rows('emt')[0] ?? null,
    keyFigures: source.rows('keyFigures'),
    structures: structureTypes
      .map((type) => ({ type, items: items.filter((item) => item.type === type) }))
      .filter((structure) => structure.items.length > 0),
    allocations: [0, 1].flatMap((derivatives) => {
      const allocation = allocationOf(source.rows('assetAllocations'), derivatives)
      return allocation === null ? [] : [allocation]
    }),
  }
}

/** What is said instead of a performance: a permission that was taken away says nothing of the fund's age. */
const isYoung = ({ fund, day }: FundPageSource) =>
  fund.performancePermitted === 1 && isYoungerThanOneYear(fund, day)

function priceFacts(source: FundPageSource, showsPerformance: boolean): PriceFacts | null {
  const newest = source.newestPrice()
  if (newest === null) return null
  const sample = source.navSample()
  const line = showsPerformance ? lineOf(sample.map(({ date, nav }) => ({ date, value: Number(nav) }))) : null
  return {
    newest,
    first: sample[0]?.date ?? newest.date,
    oneYearPercent: oneYearPercent(source, newest),
    overdue: source.overdue,
    line: line === null ? null : { ...line, sample, flat: flat(sample) },
  }
}

/** Days since 1970-01-01, from the second on since the one before, each with its NAV: for the script. */
function flat(sample: readonly NavPoint[]): string {
  let [text, before] = ['', 0]
  for (const { date, nav } of sample) {
    const day = dayNumber(date)
    text += `${text === '' ? '' : ' '}${day - before} ${nav}`
    before = day
  }
  return text
}

const performanceFacts = (source: FundPageSource): PerformanceFacts => ({
  years: source.rows('performanceYears'),
  periods: source.rows('legalPeriods'),
  legal: lineOf(source.rows('legalPoints')),
  launch: lineOf(source.rows('launchPoints')),
})

/** More points than this cannot be told apart. */
const mostPoints = 400

function lineOf(rows: readonly PointRow[]): Line | null {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined || first === last) return null
  const points = thinned(rows, mostPoints).map(({ date, value }) => ({ day: dayNumber(date), value }))
  const plot = plotOf(points)
  let [low, high] = [Infinity, -Infinity]
  for (const { value } of rows) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return { plot, path: linePath(points, plot), first: first.date, last: last.date, low, high }
}

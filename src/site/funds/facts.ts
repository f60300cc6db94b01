/** Computes the content of a fund's pages, once for both languages. */

import { isRefusal, type FundEndpoint, type RowsOf } from '../../api/contract/endpoint.ts'
import { isYoungerThanOneYear } from '../../api/contract/fund.ts'
import type { FundPageSource, NavPoint, Overdue } from '../../api/contract/page.ts'
import type {
  AssetAllocationRow,
  DecimalText,
  EmtRow,
  FundRow,
  Group,
  KeyFigureRow,
  LegalPeriodRow,
  PerformanceYearRow,
  PointRow,
  PriceRow,
  ProfileRow,
  StructureItemRow,
} from '../../api/contract/rows.ts'
import { structureTypes } from '../../api/contract/structure-types.ts'
import { endpoints } from '../../api/endpoints/index.ts'
import { languages, type Route } from '../../api/routes/table.ts'
import { dayNumber } from './chart/formats.ts'
import { thinned, type Plot } from './chart/scale.ts'
import { linePath, plotOf, stackOf, type Stack } from './chart/time-chart.ts'
import { mayPagesShowPerformance, oneYearPercent } from './entry.ts'

export interface FundFacts {
  readonly fund: FundRow
  readonly baseUrl: string
  readonly hasDownloads: boolean
  readonly answers: readonly FundAnswer[]
  /** Null if no price is given out. */
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
  /** Null with one price only, and if performance may not be shown. */
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
  /** The sample in the form that the page's script reads. */
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

export interface Allocation {
  readonly derivatives: number
  /** Null with one day only. */
  readonly stack: Stack | null
  /** ISO 8601 */
  readonly first: string
  readonly last: string
  /** The lowest of the stack first. */
  readonly classes: readonly AssetClass[]
}

interface AssetClass {
  readonly nameDe: string
  readonly nameEn: string
  readonly colour: string
  /** Percent on the last day; null if the class has none on it. */
  readonly newest: number | null
}

/** An answer of the API about the fund that is no refusal. */
export interface FundAnswer {
  readonly endpoint: FundEndpoint
  readonly route: Route
  /** The structure type, or ''. */
  readonly type: string
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
    price: answers.some(({ endpoint }) => endpoint.id === 'prices-current')
      ? priceFacts(source, showsPerformance)
      : null,
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

/** Why a page shows no performance. A withdrawn permission comes first: then the fund's age does not matter. */
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

/** Pairs of day and NAV for the script: the first day since 1970-01-01, each further day since the one before. */
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

/** A reader cannot tell more points apart. */
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

/** Enough for the months of ten years. */
const mostDays = 130

/** @returns null if there is none */
function allocationOf(rows: readonly AssetAllocationRow[], derivatives: number): Allocation | null {
  const found = new Map<string, { readonly row: AssetAllocationRow; readonly byDay: Map<string, number> }>()
  const all = new Set<string>()
  for (const row of rows) {
    if (row.derivatives !== derivatives) continue
    // Its name identifies a class, as in the API.
    const name = JSON.stringify([row.classDe, row.classEn])
    const known = found.get(name) ?? { row, byDay: new Map<string, number>() }
    found.set(name, known)
    known.byDay.set(row.date, row.percent)
    all.add(row.date)
  }
  const days = thinned([...all].sort(), mostDays)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  const classes = [...found.values()].map(({ row, byDay }, index) => ({
    nameDe: row.classDe,
    nameEn: row.classEn ?? row.classDe,
    colour: colourOf(index),
    newest: byDay.get(last) ?? null,
    values: days.map((day) => byDay.get(day) ?? 0),
  }))
  return {
    derivatives,
    stack: days.length < 2 ? null : stackOf(days.map(dayNumber), classes),
    first,
    last,
    classes,
  }
}

/** The style sheet has eight colours; further classes repeat them, paler. */
const colourOf = (index: number) => `s${(index % 8) + 1}${index >= 8 ? ' pale' : ''}`

/**
 * The API's answers about a fund, in the order of the registry and of the structure types. The pages show no more than
 * that: the endpoints decide what is refused, and pages show it neither as text nor as a drawing.
 */
function answersOf(source: FundPageSource): readonly FundAnswer[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope === 'all') return []
    const route = source.table.routes.find(({ id }) => id === endpoint.id)
    if (route === undefined) throw new Error(`endpoint ${endpoint.id} has no route`)
    const rows = rowsOf(endpoint, source)
    return typesOf(route)
      .filter((type) => !isRefusal(ask(endpoint, rows, source.day, type)))
      .map((type): FundAnswer => ({ endpoint, route, type }))
  })
}

const ask = (endpoint: FundEndpoint, rows: RowsOf<Group>, asOf: string, type: string) =>
  endpoint.build(rows, { asOf, language: languages[0], type }) as object

/**
 * Whether there is an answer depends on which rows exist, not on their values: the newest price is enough, and the first
 * row of every other group; structure items all count, because each type has its own answer.
 */
function rowsOf({ reads }: FundEndpoint, source: FundPageSource): RowsOf<Group> {
  const some = (name: Group): readonly unknown[] => {
    if (name === 'prices') return [source.newestPrice()].filter((price) => price !== null)
    const rows = source.rows(name)
    return name === 'structureItems' ? rows : rows.slice(0, 1)
  }
  return {
    fund: source.fund,
    ...Object.fromEntries(reads.map((name) => [name, some(name)])),
  } as unknown as RowsOf<Group>
}

function typesOf({ parameters }: Route): readonly string[] {
  const choice = parameters.find((parameter) => parameter.kind === 'choice')
  return choice?.kind === 'choice' ? choice.choices : ['']
}

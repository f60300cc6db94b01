/** Computes the content of a fund's pages, once for both languages, and its entry in lists of funds. */

import { type FundEndpoint, isRefusal, type RowsOf } from '../../../core/api/contract/endpoint.ts'
import {
  amount,
  isYoungerThanOneYear,
  mayGiveOutPrices,
  mayShowPerformance,
} from '../../../core/api/contract/fund.ts'
import type { FundEntry, FundPageSource } from '../../../core/api/contract/page.ts'
import type {
  AssetAllocationRow,
  Group,
  PointRow,
  PriceRow,
  ProfileRow,
} from '../../../core/api/contract/rows.ts'
import { structureTypes } from '../../../core/api/contract/structure-types.ts'
import { routeOf, typesOf } from '../../../core/api/derive/route-table.ts'
import { endpoints } from '../../../core/api/endpoints/index.ts'
import { languages } from '../../../core/api/routes/table.ts'
import { type FundActions, fundActions, noActions, adjusted } from '../../../core/layout/total-return.ts'
import { dayNumber } from '../../../core/system/day-number.ts'
import { addYears, daysBetween } from '../../../core/system/days.ts'
import { classColour } from './chart/classes.ts'
import { packed } from './chart/actions.ts'
import { thinned, stackOf } from './chart/charts.ts'
import { priceLine } from './chart/price-line.ts'

export type FundFacts = ReturnType<typeof fundFacts>
export type PriceFacts = NonNullable<FundFacts['price']>
export type PerformanceFacts = Exclude<FundFacts['performance'], string>
export type Line = NonNullable<ReturnType<typeof lineOf>>
export type Allocation = FundFacts['allocations'][number]
export type FundAnswer = FundFacts['answers'][number]

/** What {@link fundFacts} reads. */
export const factReads: readonly Group[] = [
  'prices',
  'corporateActions',
  'documents',
  'performanceYears',
  'structureItems',
  'keyFigures',
  'legalPeriods',
  'legalPoints',
  'launchPoints',
  'profile',
  'assetAllocations',
  'emt',
]

const latestPrices = 30

export function fundFacts(source: FundPageSource) {
  const { fund, baseUrl, parts, publisher } = source
  const answers = answersOf(source)
  const actions = actionsOf(source)
  const items = source.rows('structureItems')
  const hasPrice = answers.some(({ endpoint }) => endpoint.id === 'prices-current')
  // A withdrawn permission comes first: then the fund's age does not matter.
  const refused = fund.performancePermitted === 1 ? ('young' as const) : ('denied' as const)
  return {
    fund,
    life: source.life,
    announced: source.announced,
    baseUrl,
    parts,
    publisher,
    answers,
    historic: answers.find(({ route }) => route.series !== undefined),
    /** Null if no price may be published. */
    price: hasPrice ? priceFacts(source, actions) : null,
    /** The prices of the fund's feed, the newest first. More than one would show a performance. */
    latest: hasPrice ? source.latestNavs(mayPagesShowPerformance(source) ? latestPrices : 1) : [],
    performance: mayPagesShowPerformance(source) ? performanceFacts(source) : refused,
    isComparable: hasPrice && mayPagesShowPerformance(source),
    profile: source.rows('profile')[0] ?? null,
    emt: source.rows('emt')[0] ?? null,
    actions,
    documents: source.rows('documents'),
    keyFigures: source.rows('keyFigures'),
    /** Only types that have items. */
    structures: structureTypes
      .map((type) => ({ type, items: items.filter((item) => item.type === type) }))
      .filter((structure) => structure.items.length > 0),
    allocations: [0, 1]
      .map((derivatives) => allocationOf(source.rows('assetAllocations'), derivatives))
      .filter((allocation) => allocation !== null),
  }
}

function priceFacts(source: FundPageSource, actions: FundActions) {
  const newest = source.newestPrice()
  if (newest === null) return null
  const sample = source.navSample().map(({ date, nav }) => ({ date, decimal: nav }))
  return {
    newest,
    first: sample[0]?.date ?? newest.date,
    oneYear: returnOver(source, newest, 1),
    fiveYears: returnOver(source, newest, 5),
    overdue: source.overdue,
    /** Null for fewer than two prices in the year, and if performance may not be shown. */
    year: mayPagesShowPerformance(source) ? yearOf(source, newest.date, actions) : null,
    /** Null with one price only, and if performance may not be shown. */
    line: mayPagesShowPerformance(source) ? lineOf(sample, actions) : null,
    isTotalReturnKnown: isTotalReturnKnown(source, actions),
  }
}

/** The highest and the lowest NAV of the year before the newest price, in shares of today; null for a shorter history. */
function yearOf(source: FundPageSource, newest: string, { splits }: FundActions) {
  const start = addYears(newest, -1)
  const before = source.navAt(start)
  if (before === null || daysBetween(before.date, start) > tolerance) return null
  const prices = source.latestNavs(mostDaysOfYear).filter(({ date }) => date > start)
  const points = adjusted(
    prices.toReversed().map(({ date, nav }) => ({ day: dayNumber(date), nav })),
    { distributions: [], splits },
  )
  const [first, ...others] = points
  if (first === undefined || others.length === 0) return null
  return {
    high: others.reduce((one, other) => (other.value > one.value ? other : one), first),
    low: others.reduce((one, other) => (other.value < one.value ? other : one), first),
  }
}

const mostDaysOfYear = 366

/** None if prices may not be given out. */
function actionsOf({ fund, rows, navFrom }: FundPageSource): FundActions {
  if (!mayGiveOutPrices(fund)) return noActions
  return fundActions(rows('corporateActions'), (day) => {
    const next = navFrom(day)
    return next && { day: dayNumber(next.date), nav: next.nav }
  })
}

function performanceFacts(source: FundPageSource) {
  const asIndex = (rows: readonly PointRow[], start: number) =>
    lineOf(rows.map(({ date, value }) => ({ date, decimal: (start + value).toFixed(2) })))
  return {
    years: source.rows('performanceYears').map((row) => ({ ...row, part: partOfYear(source, row) })),
    // A period before the launch has no figures, and is none of the fund's.
    periods: source
      .rows('legalPeriods')
      .filter(
        ({ gross, net, dateFrom }) => gross !== null || net !== null || dateFrom >= source.fund.inceptionDate,
      ),
    /** An index from 100: since the launch, or else over the time that the law requires. */
    index: asIndex(source.rows('launchPoints'), 0) ?? asIndex(source.rows('legalPoints'), 100),
  }
}

/** The bounds of a year's figure that is not of the whole year: each is null for that of the year, or if it is unknown. */
export interface PartOfYear {
  readonly from: string | null
  readonly until: string | null
}

/**
 * The year of the launch begins with it. The day on which the running year ends is nowhere in the data: it is known if
 * the performance until the newest price is the same. @returns null for a whole year
 */
function partOfYear(source: FundPageSource, { year, percent }: PerformanceYear): PartOfYear | null {
  const { fund } = source
  const label = String(year).padStart(4, '0')
  const launch = fund.inceptionDate
  const from = launch.startsWith(label) && !launch.endsWith('-01-01') ? launch : null
  const price = mayGiveOutPrices(fund) ? source.newestPrice() : null
  const newest = price?.date ?? fund.statusDate
  const isRunning = newest?.startsWith(label) === true && !newest.endsWith('-12-31')
  if (!isRunning) return from === null ? null : { from, until: null }
  const start = from ?? `${String(year - 1).padStart(4, '0')}-12-31`
  const computed = price === null ? null : computedSince(source, price, start, actionsOf(source))
  const isSame = computed !== null && Math.abs(Number(computed) - percent) < lastDigit
  return { from, until: isSame ? newest : null }
}

type PerformanceYear = RowsOf<'performanceYears'>['performanceYears'][number]

/** In percent. Two that are rounded from the same value may differ by it. */
const lastDigit = 0.015

/** More points would look the same. */
const mostPoints = 250

/** @param rows ascending, with decimal text @returns null for fewer than two days */
function lineOf(rows: readonly { readonly date: string; readonly decimal: string }[], actions = noActions) {
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined || first === last) return null
  const prices = thinned(rows, mostPoints).map(({ date, decimal }) => ({
    day: dayNumber(date),
    nav: decimal,
  }))
  // Pairs of day and value for the script.
  const days = daySteps(prices.map(({ day }) => day))
  const flat = prices.map(({ nav }, index) => `${days[index]} ${nav}`).join(' ')
  return { ...priceLine(prices, actions), first: first.date, flat, ...packed(actions) }
}

/** The first day since 1970-01-01, each further day since the one before. */
const daySteps = (days: readonly number[]) => days.map((day, index) => day - (days[index - 1] ?? 0))

/** Enough for the months of ten years. */
const mostDays = 130

/** @returns null without rows */
function allocationOf(rows: readonly AssetAllocationRow[], derivatives: number) {
  const found = new Map<string, { readonly row: AssetAllocationRow; readonly byDay: Map<string, number> }>()
  const all = new Set<string>()
  for (const row of rows) {
    if (row.derivatives !== derivatives) continue
    // Classes are identified by name, as in the API.
    const name = JSON.stringify([row.classDe, row.classEn])
    const known = found.get(name) ?? { row, byDay: new Map<string, number>() }
    found.set(name, known)
    known.byDay.set(row.date, row.percent)
    all.add(row.date)
  }
  const days = thinned([...all].sort(), mostDays)
  const first = days[0]
  const last = days.at(-1)
  if (first === undefined || last === undefined) return null
  const classes = [...found.values()].map(({ row, byDay }) => ({
    nameDe: row.classDe,
    nameEn: row.classEn,
    colour: classColour(row.classDe),
    /** Percent on the last day, or null. */
    newest: byDay.get(last) ?? null,
    values: days.map((day) => byDay.get(day) ?? 0),
  }))
  const numbers = days.map(dayNumber)
  // One day has no areas. The lowest class of the stack comes first.
  const stack = days.length < 2 ? null : stackOf(numbers, classes)
  return { derivatives, stack, days: daySteps(numbers), first, last, classes }
}

/**
 * The API's answers that are no refusals, by registry and structure type. Pages show no more than these: the endpoints
 * decide on refusals, for text and drawings.
 */
function answersOf(source: FundPageSource) {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope === 'all') return []
    const route = routeOf(source.table, endpoint)
    const rows = rowsOf(endpoint, source)
    const ask = { asOf: source.day, language: languages[0] }
    return typesOf(route)
      .filter((type) => !isRefusal(endpoint.build(rows, { ...ask, type }) as object))
      .map((type) => ({ endpoint, route, type }))
  })
}

/** A refusal depends on which rows exist. Structure items all count: each type has its own answer. */
function rowsOf({ reads }: FundEndpoint, source: FundPageSource): RowsOf<Group> {
  const some = (name: Group): readonly unknown[] => {
    if (name === 'prices') return [source.newestPrice()].filter((price) => price !== null)
    const rows = source.rows(name)
    return name === 'structureItems' ? rows : rows.slice(0, 1)
  }
  const groups = Object.fromEntries(reads.map((name) => [name, some(name)]))
  return { fund: source.fund, ...groups } as unknown as RowsOf<Group>
}

/** @returns null if no data of the fund may be published */
export function fundEntry(source: FundPageSource): FundEntry | null {
  const { fund } = source
  if (fund.dataPermitted === 0) return null
  const [profile] = source.rows('profile')
  const price = mayGiveOutPrices(fund) ? source.newestPrice() : null
  const notComparable = whyNotComparable(source, price !== null)
  const over = (years: number) => (price === null ? null : returnOver(source, price, years))
  const end = endOf(source)
  return {
    isin: fund.isin,
    wkn: fund.wkn,
    name: fund.name,
    currency: fund.currency,
    ...ofProfile(fund, profile),
    srri: source.rows('emt')[0]?.srri ?? null,
    notComparable,
    newest: price && {
      date: price.date,
      nav: price.netAssetValue,
      changePercent: notComparable === null ? price.changePercent : null,
    },
    noPrice: price === null ? whyNoPrice(fund) : null,
    returns: { oneYear: over(1), threeYears: over(3), fiveYears: over(5) },
    overdue: price === null ? null : source.overdue,
    state: source.life?.kind ?? null,
    announced: source.announced,
    inceptionDate: fund.inceptionDate,
    endDate: end?.day ?? null,
    endReason: end?.reason ?? null,
    successor: successorOf(source),
  }
}

const whyNoPrice = (fund: FundPageSource['fund']) => (mayGiveOutPrices(fund) ? 'unpriced' : 'withheld')

const endOf = ({ life, announced }: FundPageSource) =>
  [life, ...announced].find((each) => each?.kind === 'ended')

function successorOf({ life }: FundPageSource): string | null {
  const named = life?.kind === 'ended' && life.successor?.name !== null ? life.successor : null
  return named?.isin ?? null
}

const ofProfile = (fund: FundPageSource['fund'], profile: ProfileRow | undefined) => ({
  categoryDe: profile?.categoryDe ?? null,
  categoryEn: profile?.categoryEn ?? null,
  accumulating: profile === undefined ? null : profile.accumulating === 1,
  totalExpenseRatio: profile?.totalExpenseRatio ?? null,
  totalFundAssets:
    profile === undefined
      ? null
      : amount(profile.totalFundAssets, profile.totalFundAssetsCurrency ?? fund.currency),
})

/**
 * A page may show performance with the permission and from the age of one year on. MiFID II (delegated regulation
 * 2017/565, article 44) allows no performance of less than twelve months, and a line of prices would show it, too: the
 * page of a younger fund has its newest price, but neither a change nor a chart.
 */
const mayPagesShowPerformance = ({ fund, day }: FundPageSource) =>
  mayShowPerformance(fund) && !isYoungerThanOneYear(fund, day)

/** A withdrawn permission comes first: then neither prices nor age matter. */
function whyNotComparable(source: FundPageSource, hasPrice: boolean): FundEntry['notComparable'] {
  const { fund } = source
  if (!mayGiveOutPrices(fund) || !mayShowPerformance(fund)) return 'not_permitted'
  if (!hasPrice) return 'no_prices'
  return mayPagesShowPerformance(source) ? null : 'young'
}

/** Days that the price, or the end of a legal period, may lie away from where it belongs. */
const tolerance = 7

/** Performance over some years, and where it is from: the NAVs, reported periods, or the NAVs with distributions reinvested. */
export interface Return {
  readonly percent: string
  readonly from: 'navs' | 'reported' | 'reinvested'
  /** The day it ends on; null if that is the day of the newest price. */
  readonly until: string | null
}

/** Names how the chart of prices deals with distributions: a second line reinvests them, there are none, or some may be missing. */
export function distributionsIn({ price, profile }: FundFacts): 'reinvested' | 'none' | 'unknown' {
  if (price?.line?.reinvested) return 'reinvested'
  return profile?.accumulating === 1 ? 'none' : 'unknown'
}

/** Without any distribution of a fund that may pay some, nobody knows whether some are missing. */
const isTotalReturnKnown = (source: FundPageSource, { distributions }: FundActions): boolean =>
  source.rows('profile')[0]?.accumulating === 1 || distributions.length > 0

/**
 * Performance over the years before the newest price; null if unknown or not to be shown. The NAV of a distributing fund
 * lacks its distributions: reported periods come first there. Without them the distributions are reinvested.
 */
function returnOver(source: FundPageSource, newest: PriceRow, years: number): Return | null {
  if (!mayPagesShowPerformance(source)) return null
  const [profile] = source.rows('profile')
  const actions = actionsOf(source)
  const reported = profile?.accumulating === 1 ? null : reportedOver(source, newest.date, years)
  if (reported !== null) return { ...reported, from: 'reported' }
  if (!isTotalReturnKnown(source, actions)) return null
  const from = profile?.accumulating === 1 ? 'navs' : 'reinvested'
  const percent = computedSince(source, newest, addYears(newest.date, -years), actions)
  return percent === null ? null : { percent, from, until: null }
}

function computedSince(
  source: FundPageSource,
  { date, netAssetValue }: PriceRow,
  start: string,
  actions: FundActions,
): string | null {
  const before = source.navAt(start)
  if (before === null || daysBetween(before.date, start) > tolerance) return null
  const ends = [before, { date, nav: netAssetValue }].map((price) => ({
    ...price,
    day: dayNumber(price.date),
  }))
  const [from = 0, to = 0] = adjusted(ends, actions).map(({ worth }) => worth)
  return from > 0 ? ((to / from - 1) * 100).toFixed(2) : null
}

/** Legal periods of twelve months, one after the other, the last of which ends with the newest price or at most a week before. */
function reportedOver(
  source: FundPageSource,
  newest: string,
  years: number,
): Pick<Return, 'percent' | 'until'> | null {
  let end = newest
  let last: string | null = null
  let factor = 1
  for (let year = 0; year < years; year++) {
    const period = source.rows('legalPeriods').find(({ dateFrom, dateTo }) => {
      const age = daysBetween(dateTo, end)
      return age >= 0 && age <= tolerance && Math.abs(daysBetween(dateFrom, addYears(dateTo, -1))) <= 1
    })
    if (typeof period?.gross !== 'number') return null
    last ??= period.dateTo
    end = period.dateFrom
    factor *= 1 + period.gross / 100
  }
  return { percent: ((factor - 1) * 100).toFixed(2), until: last === newest ? null : last }
}

/**
 * The breakdowns of a fund: some or all of the structure types of its kind, and how its assets were spread over the last
 * three years, a month end each, with and without derivatives.
 */

import type { AssetAllocationRow, StructureItemRow } from '../../core/api/contract/rows.ts'
import { randomFor } from '../../core/system/random.ts'
import { dateAt, monthEnds, type Period } from './calendar.ts'
import type { Instrument } from './funds.ts'
import { currencies, entryNamed, inBoth, nameLists, wholeWithin } from './market.ts'

/** One entry of a breakdown or list, counted in hundredths of a percent so that sums are exact. */
interface Share {
  readonly name: string
  readonly hundredths: number
}
type Shares = readonly Share[]

const wholeHundredths = 10_000

/** Shares proportional to the weights. Rounding their running sum keeps the total exact. */
function sharesBy(names: readonly string[], weights: readonly number[], total = wholeHundredths): Shares {
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0)
  let weight = 0
  let given = 0
  return names.map((name, i) => {
    weight += weights[i] ?? 0
    const hundredths = Math.round((weight / allWeights) * total) - given
    given += hundredths
    return { name, hundredths }
  })
}

/** Adds hundredths to one entry and takes them from the last; either may fall below nothing. */
const shifted = (shares: Shares, to: number, hundredths: number): Shares =>
  shares.map((share, i) => {
    const change = i === to ? hundredths : i === shares.length - 1 ? -hundredths : 0
    return { ...share, hundredths: share.hundredths + change }
  })

/** The percent of a share, never -0. */
const percentOf = ({ hundredths }: Share) => (hundredths || 0) / 100

export interface MonthAllocation {
  /** Last business day of the month. */
  readonly date: string
  /** In the order of the asset classes, the last of which is cash. Both add up to 100 %. */
  readonly withoutDerivatives: Shares
  readonly withDerivatives: Shares
}

/** The class that only the allocation with derivatives has. */
export const derivatives = 'Derivate = Derivatives'

/**
 * The last three years up to the fund's status day, oldest first; the months of a young fund begin with its launch.
 * @throws {RangeError} if no month has ended since the launch
 */
export function monthAllocations(seed: number, fund: Instrument, { calendar, status }: Period) {
  const classes = Object.entries(fund.kind.classes)
  const months = monthEnds(calendar, fund.inception, status)
    .slice(-36)
    .map((day): MonthAllocation => {
      const date = dateAt(calendar, day)
      const month = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
      const levelOf = (topic: string, low: number, high: number) =>
        low + (high - low) * movingLevel(seed, fund.number, topic, month)
      const weights = classes.map(([name, weight]) => weight * levelOf(name, 0.6, 1.4))
      const withoutDerivatives = sharesBy(Object.keys(fund.kind.classes), weights)
      const [low = 0, high = 0] = fund.kind.derivatives
      const cash = withoutDerivatives.length - 1
      const withNone = withoutDerivatives.toSpliced(cash, 0, { name: derivatives, hundredths: 0 })
      // Cash balances derivatives.
      const withDerivatives = shifted(withNone, cash, Math.round(levelOf(derivatives, low, high) * 100))
      return { date, withoutDerivatives, withDerivatives }
    })
  const latest = months.at(-1)
  if (latest === undefined) throw new RangeError('no month has ended since the launch')
  return { months, latest }
}

/** In [0, 1), near its neighbours in time: the mean of half a year of draws, each belonging to its month alone. */
function movingLevel(seed: number, number: number, topic: string, month: number): number {
  const draws = [0, 1, 2, 3, 4, 5].map((ago) => randomFor(seed, number, topic, month - ago).between(0, 1))
  return draws.reduce((sum, draw) => sum + draw, 0) / draws.length
}

/** @param months oldest first; all have the same classes */
export const allocationRows = (months: readonly MonthAllocation[]): AssetAllocationRow[] =>
  months.flatMap(({ date, withoutDerivatives, withDerivatives }) =>
    [withoutDerivatives, withDerivatives].flatMap((shares, withThem) =>
      shares.map((share, position) => ({
        derivatives: withThem === 0 ? 0 : 1,
        position,
        ...inBoth('class', share.name),
        date,
        percent: percentOf(share),
      })),
    ),
  )

/** The structure types that repeat the last month's allocation. */
const fromAssets: Readonly<Record<string, (assets: MonthAllocation) => Shares>> = {
  asset_structure: ({ withoutDerivatives }) => withoutDerivatives,
  asset_structure_derivatives: ({ withDerivatives }) => withDerivatives,
  degree_of_investment: ({ withoutDerivatives }) => {
    const cash = withoutDerivatives.at(-1)?.hundredths ?? 0
    return [
      { name: 'Investitionsgrad = Degree of investment', hundredths: wholeHundredths - cash },
      { name: 'Liquidität = Cash', hundredths: cash },
    ]
  },
}

/** Types in alphabetical order, each with its items at positions from 0. */
export function structureRows(fund: Instrument, assets: MonthAllocation, period: Period): StructureItemRow[] {
  const year = Number(dateAt(period.calendar, period.status).slice(0, 4))
  return Object.keys({ ...fromAssets, ...fund.kind.structures })
    .sort()
    .filter((type) => fund.place.complete === true || fund.randomOf(`structure has ${type}`).chance(0.75))
    .flatMap((type) => {
      const shares = fromAssets[type]?.(assets) ?? sharesOf(type, fund, year)
      return shares.map((share, position) => {
        return { type, position, ...inBoth('name', share.name), percent: percentOf(share) }
      })
    })
}

function sharesOf(type: string, fund: Instrument, year: number): Shares {
  const { names, draw, ratio, total, hedge } = entryNamed(fund.kind.structures, type)
  // By the list, not the type: a structure with derivatives has the same draws as the one without.
  const random = fund.randomOf(`structure ${names}`)
  const all = namesOf(names, fund, year)
  const items = draw === undefined ? all : random.draw(all, draw)
  let level = 1
  const weights = items.map(() =>
    ratio === undefined ? random.between(0.25, 1.6) : (level *= ratio) * random.between(0.7, 1.3),
  )
  const inOrder = sharesBy(items, weights, total)
  const shares = ratio === undefined ? inOrder : inOrder.toSorted((a, b) => b.hundredths - a.hundredths)
  if (hedge === undefined) return shares
  return shifted(shares, 0, (shares.at(-1)?.hundredths ?? 0) + wholeWithin(random, hedge))
}

/** The names of a list or of the fund's region, with years instead of `{4}`. */
function namesOf(list: string, { place, region }: Instrument, year: number): readonly string[] {
  if (list === 'countries') return region.countries
  if (list === 'currencies') {
    const own = entryNamed(currencies, place.currency)
    return [...new Set([...region.currencies.slice(0, 1), own, ...region.currencies])]
  }
  return entryNamed(nameLists, list).map((name) =>
    name.replace(/\{(\d+)\}/g, (_, later: string) => String(year + Number(later))),
  )
}

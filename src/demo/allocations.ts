/** How a fund's assets were spread over the last three years, a month end each, with and without derivatives. */

import { dateAt, monthEnds, type Period } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { FundKind } from './kinds.ts'
import { randomFor } from '../system/random.ts'
import { hundredthsOf, withNames, type Share } from './shares.ts'
import { type DemoRow, type Name, nameColumns, names } from './words.ts'

export interface MonthAllocation {
  /** Last business day of the month. */
  readonly date: string
  /** In the order of the asset classes, the last of which is cash. Both add up to 100 %. */
  readonly withoutDerivatives: readonly Share[]
  readonly withDerivatives: readonly Share[]
}

const months = 36

/** Asset classes with their usual weights. */
const classes: Readonly<Record<FundKind, readonly [names: readonly Name[], weights: readonly number[]]>> = {
  equity: [names('Aktien = Equities; Fonds = Funds; Liquidität = Cash'), [92, 3, 5]],
  bond: [
    names('Anleihen = Bonds; Pfandbriefe & Covered Bonds = Covered bonds; Liquidität = Cash'),
    [78, 16, 6],
  ],
  mixed: [
    names(
      'Aktien = Equities; Anleihen = Bonds; Fonds = Funds; Zertifikate = Certificates; Liquidität = Cash',
    ),
    [44, 34, 8, 5, 9],
  ],
  realEstate: [
    names(`Immobilien = Real estate;
      Beteiligungen an Immobilien-Gesellschaften = Holdings in real estate companies; Liquidität = Cash`),
    [66, 14, 20],
  ],
  moneyMarket: [
    names(`Geldmarktpapiere = Money market instruments; Floater; Termingelder = Time deposits;
      Liquidität = Cash`),
    [52, 24, 18, 6],
  ],
}

/** The class that only the allocation with derivatives has. */
export const derivatives: Name = ['Derivate', 'Derivatives']

/** Percentage points in derivatives. Hedges are negative. */
const derivativesOf: Readonly<Record<FundKind, readonly [low: number, high: number]>> = {
  equity: [-9, -0.5],
  bond: [-6, -0.3],
  mixed: [-5, 4],
  realEstate: [-1.5, -0.1],
  moneyMarket: [-0.2, 0.2],
}

/** Oldest first, up to the fund's status day; the months of a young fund begin with its launch. */
export function monthAllocations(
  seed: number,
  fund: Instrument,
  { calendar, status }: Period,
): readonly MonthAllocation[] {
  const days = monthEnds(calendar, fund.firstPrice, status).slice(-months)
  const [names, weights] = classes[fund.kind]
  const levels = names.map(([german]) => movingLevel(seed, fund.number, german))
  const [low, high] = derivativesOf[fund.kind]
  const hedgeIn = movingLevel(seed, fund.number, derivatives[0])
  return days.map((day) => {
    const date = dateAt(calendar, day)
    const month = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
    const moved = weights.map((weight, at) => weight * (0.6 + 0.8 * (levels[at]?.(month) ?? 0)))
    const withoutDerivatives = withNames(names, hundredthsOf(moved))
    const hedged = Math.round((low + (high - low) * hedgeIn(month)) * 100)
    return { date, withoutDerivatives, withDerivatives: withHedge(withoutDerivatives, hedged) }
  })
}

/** Rows of asset_allocation. @param months oldest first, at least one */
export function allocationRows(
  isin: string,
  months: readonly MonthAllocation[],
  derivatives: 0 | 1,
): DemoRow[] {
  const sharesIn = (month: MonthAllocation) =>
    derivatives === 0 ? month.withoutDerivatives : month.withDerivatives
  return sharesIn(latest(months)).flatMap(({ name }, position) =>
    months.map((month) => {
      const hundredths = sharesIn(month)[position]?.hundredths ?? 0
      return [isin, derivatives, position, ...nameColumns(name), month.date, (hundredths || 0) / 100]
    }),
  )
}

/** @throws {RangeError} without a month */
export function latest(months: readonly MonthAllocation[]): MonthAllocation {
  const month = months.at(-1)
  if (month === undefined) throw new RangeError('no month has ended since the launch')
  return month
}

/** Adds the class of derivatives. Cash, the last class, balances it. */
function withHedge(shares: readonly Share[], hundredths: number): readonly Share[] {
  const cash = shares.length - 1
  return [
    ...shares.slice(0, cash),
    { name: derivatives, hundredths },
    ...shares.slice(cash).map((share) => ({ ...share, hundredths: share.hundredths - hundredths })),
  ]
}

/** In [0, 1), near its neighbours in time: the mean of half a year of draws, each belonging to its month alone. */
function movingLevel(seed: number, number: number, topic: string): (month: number) => number {
  const drawOf = (month: number) => randomFor(seed, number, topic, month).between(0, 1)
  return (month) => [0, 1, 2, 3, 4, 5].reduce((sum, ago) => sum + drawOf(month - ago), 0) / 6
}

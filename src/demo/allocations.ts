/** How a fund's assets were spread over the last three years, a month end each, with and without derivatives. */

import { dateAt, monthEnds, type Period } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { FundKind } from './kinds.ts'
import { randomFor } from '../system/random.ts'
import { nameColumns, type DemoRow } from './rows.ts'
import { hundredthsOf, withNames, type Share } from './shares.ts'
import type { Name } from './words.ts'

export interface MonthAllocation {
  /** Last business day of the month. */
  readonly date: string
  /** In the order of the asset classes, the last of which is cash. Both add up to 100 %. */
  readonly withoutDerivatives: readonly Share[]
  readonly withDerivatives: readonly Share[]
}

const months = 36

const classes: Readonly<Record<FundKind, readonly (readonly [name: Name, weight: number])[]>> = {
  equity: [
    [['Aktien', 'Equities'], 92],
    [['Fonds', 'Funds'], 3],
    [['Liquidität', 'Cash'], 5],
  ],
  bond: [
    [['Anleihen', 'Bonds'], 78],
    [['Pfandbriefe & Covered Bonds', 'Covered bonds'], 16],
    [['Liquidität', 'Cash'], 6],
  ],
  mixed: [
    [['Aktien', 'Equities'], 44],
    [['Anleihen', 'Bonds'], 34],
    [['Fonds', 'Funds'], 8],
    [['Zertifikate', 'Certificates'], 5],
    [['Liquidität', 'Cash'], 9],
  ],
  realEstate: [
    [['Immobilien', 'Real estate'], 66],
    [['Beteiligungen an Immobilien-Gesellschaften', 'Holdings in real estate companies'], 14],
    [['Liquidität', 'Cash'], 20],
  ],
  moneyMarket: [
    [['Geldmarktpapiere', 'Money market instruments'], 52],
    [['Floater'], 24],
    [['Termingelder', 'Time deposits'], 18],
    [['Liquidität', 'Cash'], 6],
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
  const parts = classes[fund.kind].map(([name, weight]) => ({
    name,
    weight,
    levelIn: movingLevel(seed, fund.number, name[0]),
  }))
  const names = parts.map(({ name }) => name)
  const [low, high] = derivativesOf[fund.kind]
  const hedgeIn = movingLevel(seed, fund.number, derivatives[0])
  return days.map((day) => {
    const date = dateAt(calendar, day)
    const month = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
    const weights = parts.map(({ weight, levelIn }) => weight * (0.6 + 0.8 * levelIn(month)))
    const withoutDerivatives = withNames(names, hundredthsOf(weights))
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
  const draws = new Map<number, number>()
  const drawOf = (month: number) => {
    const known = draws.get(month)
    if (known !== undefined) return known
    const drawn = randomFor(seed, number, topic, month).uniform()
    draws.set(month, drawn)
    return drawn
  }
  return (month) => [0, 1, 2, 3, 4, 5].reduce((sum, ago) => sum + drawOf(month - ago), 0) / 6
}

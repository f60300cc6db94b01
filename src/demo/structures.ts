/**
 * The breakdowns of a fund: some or all of the structure types of its kind, each with its own recipe, and how its assets
 * were spread over the last three years, a month end each, with and without derivatives.
 */

import type { AssetAllocationRow, StructureItemRow } from '../api/contract/rows.ts'
import { type Draws, randomFor } from '../system/random.ts'
import { dateAt, monthEnds, type Period } from './calendar.ts'
import type { FundKind, Instrument } from './funds.ts'
import * as words from './words.ts'
import { inBoth, type Name, names } from './words.ts'

/** One entry of a breakdown or list, counted in hundredths of a percent so that sums are exact. */
export interface Share {
  readonly name: Name
  readonly hundredths: number
}

const wholeHundredths = 10_000

/** By the largest remainder: hundredths of a percent proportional to the weights, 100 % in total. */
function hundredthsOf(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (weight / total) * wholeHundredths)
  const missing = wholeHundredths - exact.reduce((sum, value) => sum + Math.floor(value), 0)
  const byRemainder = exact
    .map((value, i) => ({ i, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.i - b.i)
  const rounded = new Set(byRemainder.slice(0, missing).map(({ i }) => i))
  return exact.map((value, i) => Math.floor(value) + (rounded.has(i) ? 1 : 0))
}

const withNames = (names: readonly Name[], hundredths: readonly number[]): readonly Share[] =>
  names.map((name, i) => ({ name, hundredths: hundredths[i] ?? 0 }))

/** All names in their own order (years, sizes), with weights that vary. */
const inOrder = (random: Draws, names: readonly Name[]): readonly Share[] =>
  withNames(names, hundredthsOf(names.map(() => random.between(0.25, 1.6))))

/** The largest first; each weighs about `ratio` of the one before. Earlier names tend to be larger. */
function ranked(random: Draws, names: readonly Name[], ratio: number): readonly Share[] {
  let level = 1
  const weights = names.map(() => (level *= ratio) * random.between(0.7, 1.3))
  return largestFirst(withNames(names, hundredthsOf(weights)))
}

const largestFirst = (shares: readonly Share[]): readonly Share[] =>
  shares.toSorted((a, b) => b.hundredths - a.hundredths)

/** Moves hundredths from one entry to another, as a derivative does; entries may fall below nothing. */
const shifted = (shares: readonly Share[], from: number, to: number, hundredths: number) =>
  shares.map((share, i): Share => {
    const change = i === from ? -hundredths : i === to ? hundredths : 0
    return { ...share, hundredths: share.hundredths + change }
  })

/** The percent of a share, never -0. */
const percentOf = ({ hundredths }: Share) => (hundredths || 0) / 100

export interface MonthAllocation {
  /** Last business day of the month. */
  readonly date: string
  /** In the order of the asset classes, the last of which is cash. Both add up to 100 %. */
  readonly withoutDerivatives: readonly Share[]
  readonly withDerivatives: readonly Share[]
}

/** Asset classes with their usual weights, and percentage points in derivatives. Hedges are negative. */
const classes: Readonly<
  Record<FundKind, readonly [names: string, weights: readonly number[], low: number, high: number]>
> = {
  equity: ['Aktien = Equities; Fonds = Funds; Liquidität = Cash', [92, 3, 5], -9, -0.5],
  bond: [
    'Anleihen = Bonds; Pfandbriefe & Covered Bonds = Covered bonds; Liquidität = Cash',
    [78, 16, 6],
    -6,
    -0.3,
  ],
  mixed: [
    'Aktien = Equities; Anleihen = Bonds; Fonds = Funds; Zertifikate = Certificates; Liquidität = Cash',
    [44, 34, 8, 5, 9],
    -5,
    4,
  ],
  realEstate: [
    'Immobilien = Real estate; Immobilien-Gesellschaften = Real estate companies; Liquidität = Cash',
    [66, 14, 20],
    -1.5,
    -0.1,
  ],
  moneyMarket: [
    'Geldmarktpapiere = Money market instruments; Floater; Termingelder = Time deposits; Liquidität = Cash',
    [52, 24, 18, 6],
    -0.2,
    0.2,
  ],
}

/** The class that only the allocation with derivatives has. */
export const derivatives: Name = ['Derivate', 'Derivatives']

/** The last three years up to the fund's status day, oldest first; the months of a young fund begin with its launch. */
export function monthAllocations(
  seed: number,
  fund: Instrument,
  { calendar, status }: Period,
): readonly MonthAllocation[] {
  const [text, weights, low, high] = classes[fund.kind]
  const classNames = names(text)
  const levels = classNames.map(([german]) => movingLevel(seed, fund.number, german))
  const hedgeIn = movingLevel(seed, fund.number, derivatives[0])
  return monthEnds(calendar, fund.inception, status)
    .slice(-36)
    .map((day) => {
      const date = dateAt(calendar, day)
      const month = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
      const moved = weights.map((weight, at) => weight * (0.6 + 0.8 * (levels[at]?.(month) ?? 0)))
      const withoutDerivatives = withNames(classNames, hundredthsOf(moved))
      const hedged = {
        name: derivatives,
        hundredths: Math.round((low + (high - low) * hedgeIn(month)) * 100),
      }
      const cash = withoutDerivatives.length - 1
      const withHedge = withoutDerivatives.toSpliced(cash, 0, hedged)
      // Cash balances derivatives.
      return {
        date,
        withoutDerivatives,
        withDerivatives: shifted(withHedge, cash + 1, -1, hedged.hundredths),
      }
    })
}

/** In [0, 1), near its neighbours in time: the mean of half a year of draws, each belonging to its month alone. */
function movingLevel(seed: number, number: number, topic: string): (month: number) => number {
  const drawOf = (month: number) => randomFor(seed, number, topic, month).between(0, 1)
  return (month) => [0, 1, 2, 3, 4, 5].reduce((sum, ago) => sum + drawOf(month - ago), 0) / 6
}

/** @param months oldest first, at least one */
export const allocationRows = (months: readonly MonthAllocation[]): AssetAllocationRow[] =>
  ([0, 1] as const).flatMap((derivatives) => {
    const sharesIn = (month: MonthAllocation) =>
      derivatives === 0 ? month.withoutDerivatives : month.withDerivatives
    return sharesIn(latest(months)).flatMap(({ name }, position) =>
      months.flatMap((month) => {
        const share = sharesIn(month)[position]
        const place = { derivatives, position, ...inBoth('class', name), date: month.date }
        return share === undefined ? [] : [{ ...place, percent: percentOf(share) }]
      }),
    )
  })

/** @throws {RangeError} without a month */
export function latest(months: readonly MonthAllocation[]): MonthAllocation {
  const month = months.at(-1)
  if (month === undefined) throw new RangeError('no month has ended since the launch')
  return month
}

interface Source {
  readonly fund: Instrument
  /** The last month's allocation: the asset structures repeat it. */
  readonly assets: MonthAllocation
  /** The year of the data. */
  readonly year: number
  readonly randomOf: (topic: string) => Draws
}

/** @param random a stream of the structure type's own */
type Recipe = (random: Draws, source: Source) => readonly Share[]
type Recipes = Readonly<Record<string, Recipe>>

/** Types in alphabetical order, each with its items at positions from 0. */
export function structureRows(fund: Instrument, assets: MonthAllocation, period: Period): StructureItemRow[] {
  const year = Number(dateAt(period.calendar, period.status).slice(0, 4))
  const randomOf = (topic: string) => fund.randomOf(`structure ${topic}`)
  const recipes = Object.entries({ ...assetRecipes, ...ownRecipes[fund.kind] })
  return recipes.sort().flatMap(([type, recipe]) => {
    const isIncluded = fund.place.complete || randomOf(`has ${type}`).chance(0.75)
    const items = isIncluded ? recipe(randomOf(type), { fund, assets, year, randomOf }) : []
    return items.map((share, position) => {
      return { type, position, ...inBoth('name', share.name), percent: percentOf(share) }
    })
  })
}

const assetRecipes: Recipes = {
  asset_structure: (_, { assets }) => assets.withoutDerivatives,
  asset_structure_derivatives: (_, { assets }) => assets.withDerivatives,
}

const rankedBy =
  (names: readonly Name[], ratio: number): Recipe =>
  (random) =>
    ranked(random, names, ratio)

const countries: Recipe = (random, { fund }) => ranked(random, words.countriesOf[fund.region], 0.72)

const world: Recipes = {
  countries,
  currencies: (_, source) => currencies(source),
  currencies_derivatives: hedgedCurrencies,
}

const ownRecipes: Readonly<Record<FundKind, Recipes>> = {
  equity: {
    ...world,
    industrial_sectors: rankedBy(words.industries, 0.8),
    industrial_sectors_stoxx_sector: rankedBy(words.sectors, 0.78),
    industrial_sectors_stoxx: rankedBy(words.supersectors, 0.75),
    market_capitalization: (random) => inOrder(random, words.companySizes),
    index_structure: rankedBy(words.indices, 0.6),
    degree_of_investment: investedAndCash,
    correlation: correlations,
    top_values: (random) => top(random, random.draw(words.companies, 10), 640),
    top_values_securities: (random) => top(random, random.draw(words.companies, 10), 640),
  },
  bond: {
    ...world,
    terms: (_, { randomOf }) => inOrder(randomOf('terms'), words.terms),
    terms_derivatives: shortenedTerms,
    securities: rankedBy(words.securities, 0.6),
    segments: rankedBy(words.creditSegments, 0.45),
    top_values: (random, { year }) => top(random, bondNames(random, 10, year), 380),
    top_values_bonds: (random, { year }) => top(random, bondNames(random, 10, year), 380),
  },
  mixed: {
    ...world,
    asset_structure_classes: rankedBy(words.assetClasses, 0.7),
    exposure_asset_structure: leveredExposure,
    funds_categories: rankedBy(words.fundCategories, 0.6),
    precious_metals: rankedBy(words.preciousMetals, 0.35),
    degree_of_investment: investedAndCash,
    correlation: correlations,
    ...Object.fromEntries(
      words.individual.map((names, i) => [`individual_asset_structure_${i + 1}`, rankedBy(names, 0.6)]),
    ),
    top_values: (random, { year }) =>
      top(random, [...random.draw(words.companies, 6), ...bondNames(random, 4, year)], 310),
    top_values_certificates: (random) => top(random, random.draw(words.bonusPapers, 4), 160),
    top_values_funds: (random) => top(random, random.draw(words.targetFunds, 5), 210),
  },
  realEstate: {
    countries,
    business_sectors: rankedBy(words.propertyUses, 0.55),
    lease_terms: (random, { year }) => inOrder(random, leaseEnds(year)),
    age_groups: (random) => inOrder(random, words.buildingAges),
  },
  moneyMarket: {
    countries,
    terms: (random) => inOrder(random, words.shortTerms),
    securities: rankedBy(words.securities, 0.5),
    top_values_bonds: (random, { year }) => top(random, bondNames(random, 5, year, 1), 450),
  },
}

/** The currencies of a fund, its own among them. */
function currencies({ fund, randomOf }: Source): readonly Share[] {
  const own = words.currencyName(fund.place.currency)
  const others = words.currenciesOf[fund.region].filter(([german]) => german !== own[0])
  return ranked(randomOf('currencies'), [...others.slice(0, 1), own, ...others.slice(1)], 0.5)
}

/** Forward sales move a part to the largest currency; of the smallest they sell a little more than there is. */
function hedgedCurrencies(random: Draws, source: Source): readonly Share[] {
  const shares = currencies(source)
  const last = shares.length - 1
  return shares.reduce((hedged, { hundredths: held }, from) => {
    if (from === 0) return hedged
    const sold = from === last ? held + random.whole(8, 95) : Math.round(held * random.between(0.1, 0.8))
    return shifted(hedged, from, 0, sold)
  }, shares)
}

/** Sold futures reduce the longest term and increase the shortest. */
function shortenedTerms(random: Draws, { randomOf }: Source): readonly Share[] {
  const shares = inOrder(randomOf('terms'), words.terms)
  const longest = shares.length - 1
  return shifted(shares, longest, 0, (shares[longest]?.hundredths ?? 0) + random.whole(-300, 250))
}

/** Leverage: more is invested than the fund has, so cash, the last entry, is negative. */
function leveredExposure(random: Draws): readonly Share[] {
  const shares = [...ranked(random, words.exposures, 0.6), { name: words.collateral, hundredths: 0 }]
  return shifted(shares, shares.length - 1, 0, random.whole(150, 1_900))
}

function investedAndCash(_: Draws, { assets }: Source): readonly Share[] {
  const cash = assets.withoutDerivatives.at(-1)?.hundredths ?? 0
  return [
    { name: ['Investitionsgrad', 'Degree of investment'], hundredths: wholeHundredths - cash },
    { name: ['Liquidität', 'Cash'], hundredths: cash },
  ]
}

/** Coefficients between -1 and 1, not percents: the interface has no other column for them. */
function correlations(random: Draws): readonly Share[] {
  const of = (i: number) => (i === 0 ? random.whole(62, 97) : random.whole(-35, 45))
  return words.correlated.map((name, i) => ({ name, hundredths: of(i) }))
}

/** The largest holdings; together less than the fund. */
function top(random: Draws, names: readonly Name[], largest: number): readonly Share[] {
  let level = largest
  return largestFirst(
    names.map((name) => ({ name, hundredths: Math.round((level *= 0.92) * random.between(0.85, 1.05)) })),
  )
}

function leaseEnds(year: number): readonly Name[] {
  const years = Array.from({ length: 9 }, (_, i): Name => [String(year + i)])
  return [...years, ['ab ' + String(year + 9), 'from ' + String(year + 9)], ['unbefristet', 'open-ended']]
}

/** @param year the current one: bonds fall due in the years after it, at most `longest` later */
const bondNames = (random: Draws, count: number, year: number, longest = 12): readonly Name[] =>
  random.draw(words.debtors, count).map(([debtor]): Name => {
    const coupon = `${random.whole(0, 4)},${random.pick(['000', '125', '250', '500', '625', '750', '875'])}`
    return [`${coupon} % ${debtor} ${year + random.whole(1, longest)}`]
  })

/** The investment structure of a fund: some or all of the structure types of its kind, each with its own recipe. */

import type { MonthAllocation } from './allocations.ts'
import { dateAt, type Period } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { FundKind } from './kinds.ts'
import type { Draws } from '../system/random.ts'
import { inOrder, largestFirst, ranked, shifted, wholeHundredths, type Share } from './shares.ts'
import * as words from './words.ts'
import { type DemoRow, type Name, nameColumns } from './words.ts'

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

/** Rows of structure_item: types in alphabetical order, each with its items at positions from 0. */
export function structureRows(fund: Instrument, assets: MonthAllocation, period: Period): DemoRow[] {
  const year = Number(dateAt(period.calendar, period.status).slice(0, 4))
  const randomOf = (topic: string) => fund.randomOf(`structure ${topic}`)
  const recipes = Object.entries({ ...assetRecipes, ...ownRecipes[fund.kind] })
  return recipes.sort().flatMap(([type, recipe]) => {
    const isIncluded = fund.place.complete || randomOf(`has ${type}`).chance(0.75)
    const items = isIncluded ? recipe(randomOf(type), { fund, assets, year, randomOf }) : []
    return items.map(({ name, hundredths }, position) => {
      const percent = (hundredths || 0) / 100
      return [fund.isin, type, position, ...nameColumns(name), percent]
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
    terms: (_, source) => termStructure(source),
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
  const [main = own, ...others] = words.currenciesOf[fund.region]
  const hasOwn = [main, ...others].some(([german]) => german === own[0])
  return ranked(randomOf('currencies'), hasOwn ? [main, ...others] : [main, own, ...others], 0.5)
}

/** Forward sales move a part to the fund's own currency; of the smallest currency they sell a little more than there is. */
function hedgedCurrencies(random: Draws, source: Source): readonly Share[] {
  const own = words.currencyName(source.fund.place.currency)[0]
  const shares = currencies(source)
  const to = shares.findIndex(({ name }) => name[0] === own)
  const foreign = shares.map((_, i) => i).filter((i) => i !== to)
  const smallest = foreign.at(-1) ?? 0
  return foreign.reduce((hedged, from) => {
    const held = shares[from]?.hundredths ?? 0
    const sold = from === smallest ? held + random.whole(8, 95) : Math.round(held * random.between(0.1, 0.8))
    return shifted(hedged, from, to, sold)
  }, shares)
}

const termStructure = ({ randomOf }: Source) => inOrder(randomOf('terms'), words.terms)

/** Sold futures reduce the longest term and increase the shortest. */
function shortenedTerms(random: Draws, source: Source): readonly Share[] {
  const shares = termStructure(source)
  const longest = shares.length - 1
  return shifted(shares, longest, 0, (shares[longest]?.hundredths ?? 0) + random.whole(-300, 250))
}

/** Leverage: more is invested than the fund has, so cash is negative. */
function leveredExposure(random: Draws): readonly Share[] {
  const [cash = ['Kasse'], ...invested] = words.exposures
  const [largest, ...others] = ranked(random, invested, 0.6)
  const borrowed = random.whole(150, 1_900)
  const levered = largest === undefined ? [] : [{ ...largest, hundredths: largest.hundredths + borrowed }]
  return [...levered, ...others, { name: cash, hundredths: -borrowed }]
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

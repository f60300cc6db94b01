/** What each structure type of a kind of fund is made of. */

import type { MonthAllocation } from '../allocations.ts'
import type { Instrument } from '../instrument.ts'
import type { Kind } from '../kinds.ts'
import type { Random } from '../random.ts'
import { inOrder, largestFirst, ranked, shifted, wholeHundredths, type Name, type Share } from '../shares.ts'
import { bondNames, certificateNames, fundHoldingNames, shareNames } from './holdings.ts'
import { countriesOf, currenciesOf, currencyName } from './regions.ts'
import * as words from './vocabulary.ts'

export interface StructureSource {
  readonly fund: Instrument
  /** How the assets stand: asset structures are its last month. */
  readonly assets: MonthAllocation
  /** The year of the data. */
  readonly year: number
  readonly randomOf: (topic: string) => Random
}

/** @param random a stream of the structure type's own */
export type Recipe = (random: Random, source: StructureSource) => readonly Share[]

export type Recipes = Readonly<Record<string, Recipe>>

const assets: Recipes = {
  asset_structure: (_, { assets }) => assets.withoutDerivatives,
  asset_structure_derivatives: (_, { assets }) => assets.withDerivatives,
}

const countries: Recipe = (random, { fund }) => ranked(random, countriesOf[fund.region], 0.72)

const world: Recipes = {
  countries,
  currencies: (_, source) => currencies(source),
  currencies_derivatives: hedgedCurrencies,
}

const ownRecipes: Readonly<Record<Kind, Recipes>> = {
  equity: {
    ...world,
    industrial_sectors: (random) => ranked(random, words.industries, 0.8),
    industrial_sectors_stoxx_sector: (random) => ranked(random, words.sectors, 0.78),
    industrial_sectors_stoxx: (random) => ranked(random, words.supersectors, 0.75),
    market_capitalization: (random) => inOrder(random, words.companySizes),
    index_structure: (random) => ranked(random, words.indices, 0.6),
    degree_of_investment: investedAndCash,
    correlation: correlations,
    top_values: (random) => top(random, shareNames(random, 10), 640),
    top_values_securities: (random) => top(random, shareNames(random, 10), 640),
  },
  bond: {
    ...world,
    terms: (_, source) => termStructure(source),
    terms_derivatives: shortenedTerms,
    securities: (random) => ranked(random, words.securities, 0.6),
    segments: (random) => ranked(random, words.creditSegments, 0.45),
    top_values: (random, { year }) => top(random, bondNames(random, 10, year), 380),
    top_values_bonds: (random, { year }) => top(random, bondNames(random, 10, year), 380),
  },
  mixed: {
    ...world,
    asset_structure_classes: (random) => ranked(random, words.assetClasses, 0.7),
    exposure_asset_structure: leveredExposure,
    funds_categories: (random) => ranked(random, words.fundCategories, 0.6),
    precious_metals: (random) => ranked(random, words.preciousMetals, 0.35),
    degree_of_investment: investedAndCash,
    correlation: correlations,
    ...Object.fromEntries(
      words.individual.map((names, i): [string, Recipe] => [
        `individual_asset_structure_${i + 1}`,
        (random) => ranked(random, names, 0.6),
      ]),
    ),
    top_values: (random, { year }) =>
      top(random, [...shareNames(random, 6), ...bondNames(random, 4, year)], 310),
    top_values_certificates: (random) => top(random, certificateNames(random, 4), 160),
    top_values_funds: (random) => top(random, fundHoldingNames(random, 5), 210),
  },
  realEstate: {
    countries,
    business_sectors: (random) => ranked(random, words.propertyUses, 0.55),
    lease_terms: (random, { year }) => inOrder(random, leaseEnds(year)),
    age_groups: (random) => inOrder(random, words.buildingAges),
  },
  moneyMarket: {
    countries,
    terms: (random) => inOrder(random, words.shortTerms),
    securities: (random) => ranked(random, words.securities, 0.5),
    top_values_bonds: (random, { year }) => top(random, bondNames(random, 5, year, 1), 450),
  },
}

/** By structure type. */
export function recipesOf(kind: Kind): Recipes {
  return { ...assets, ...ownRecipes[kind] }
}

/** The fund's own currency is always among them. */
function currencies({ fund, randomOf }: StructureSource): readonly Share[] {
  const own = currencyName(fund.place.currency)
  const [main = own, ...others] = currenciesOf[fund.region]
  const hasOwn = [main, ...others].some(([german]) => german === own[0])
  return ranked(randomOf('currencies'), hasOwn ? [main, ...others] : [main, own, ...others], 0.5)
}

/** Forward sales lead a part back to the fund's own currency, and a little more of the smallest than there is. */
function hedgedCurrencies(random: Random, source: StructureSource): readonly Share[] {
  const own = currencyName(source.fund.place.currency)[0]
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

function termStructure({ randomOf }: StructureSource): readonly Share[] {
  return inOrder(randomOf('terms'), words.terms)
}

/** Futures sold: what falls due last counts less, what falls due soon more. */
function shortenedTerms(random: Random, source: StructureSource): readonly Share[] {
  const shares = termStructure(source)
  const longest = shares.length - 1
  return shifted(shares, longest, 0, (shares[longest]?.hundredths ?? 0) + random.whole(-300, 250))
}

/** More in the markets than there is money for, so that cash is below nothing. */
function leveredExposure(random: Random): readonly Share[] {
  const shares = ranked(random, words.exposures.slice(0, 3), 0.6)
  const cash = words.exposures[3] ?? ['Kasse']
  const borrowed = random.whole(150, 1_900)
  const levered = shares.map((share, i) =>
    i === 0 ? { ...share, hundredths: share.hundredths + borrowed } : share,
  )
  return [...levered, { name: cash, hundredths: -borrowed }]
}

function investedAndCash(_: Random, { assets }: StructureSource): readonly Share[] {
  const cash = assets.withoutDerivatives.at(-1)?.hundredths ?? 0
  return [
    { name: ['Investitionsgrad', 'Degree of investment'], hundredths: wholeHundredths - cash },
    { name: ['Liquidität', 'Cash'], hundredths: cash },
  ]
}

/** Coefficients between -1 and 1, not percents: the interface has no other column for them. */
function correlations(random: Random): readonly Share[] {
  return words.correlated.map((name, i) => ({
    name,
    hundredths: i === 0 ? random.whole(62, 97) : random.whole(-35, 45),
  }))
}

/** The largest holdings; together less than the fund. */
function top(random: Random, names: readonly Name[], largest: number): readonly Share[] {
  let level = largest
  return largestFirst(
    names.map((name) => ({ name, hundredths: Math.round((level *= 0.92) * random.between(0.85, 1.05)) })),
  )
}

function leaseEnds(year: number): readonly Name[] {
  const years = Array.from({ length: 9 }, (_, i): Name => [String(year + i)])
  return [...years, ['ab ' + String(year + 9), 'from ' + String(year + 9)], ['unbefristet', 'open-ended']]
}

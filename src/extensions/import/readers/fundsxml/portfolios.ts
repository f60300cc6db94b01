/**
 * Portfolios and assets, and what becomes of them at the end of the file: structures and asset allocations from breakdowns, else from
 * positions and the assets that they name, the largest values, and key figures from risk codes.
 */

import { shortestOf } from '../../decimals.ts'
import type { RowSink } from '../reader.ts'
import { leftTotal, totalsOf } from '../../totals.ts'
import {
  codeOfNoCountry,
  countryCode,
  countryName,
  currencyCode,
  currencyName,
  type Named,
} from '../code-names.ts'
import { assetType, assetTypeElements, assetTypeName, riskName, securities, topValueTypes } from './names.ts'
import { inPercent, type Portfolio, type Risk, type Spill } from './spill.ts'
import { amounts, amountsOf, day, decimal, leaves, linesOf, type Texts } from './texts.ts'
import { unless } from './unless.ts'
import type { Element, Found } from './xml.ts'

/** The official net assets of a fund or class on a day. */
export interface NetAssets {
  readonly date: string
  /** Each currency in which they are given; null if amounts of the day differ. */
  readonly byCurrency: ReadonlyMap<string, string | null>
}

/** What is known of a portfolio while its fund or class is being read. */
export interface OpenPortfolio extends Portfolio {
  /** Which breakdown each of its structures is from. */
  readonly structures: Map<string, number>
  /** Whether it has positions or breakdowns. */
  hasStructures: boolean
  hasRisks: boolean
}

export interface PortfolioOptions {
  readonly sink: RowSink
  readonly spill: Spill
  /** Of the fund or class whose portfolio is being read, on that day. */
  readonly assetsOn: (date: string) => NetAssets | undefined
  /** The portfolio of that day of the same fund or class. Several of one day, as those of mandates, are parts of one. */
  readonly portfolioOn: (date: string, place: string) => OpenPortfolio
}

/** Positions make all structures that no breakdown does. */
const ofPositions = ''

const noShare =
  'a position without TotalPercentage, and without net assets of its day and currency to compute it from'

/** Programs fill in all codes: an equity fund has a duration of 0. */
const whyNoRisk = ({ texts }: Found): string | undefined =>
  Number(texts['Value']) === 0 ? 'a risk code of 0: what a fund does not have is written so' : undefined

/** The element Portfolio. All of it goes to the spill. */
export function portfolioElement({ sink, spill, assetsOn, portfolioOn }: PortfolioOptions): Element {
  /** Items and risks of all portfolios. */
  let count = 0
  let breakdown = 0

  const dateOf = (portfolio: Found | undefined) => day(portfolio?.texts['NavDate']) ?? ''
  const portfolioOf = (portfolio: Found | undefined) => portfolioOn(dateOf(portfolio), portfolio?.place ?? '')

  const position = ({ texts, outer, place }: Found): void => {
    const percent = percentOf(texts, assetsOn(dateOf(outer)))
    if (percent === undefined) {
      sink.leftOut(noShare, place)
      return
    }
    const { UniqueID: asset = '', Currency: currency = '', element = '' } = texts
    const type = assetTypeElements[element] ?? ''
    const portfolio = portfolioOf(outer)
    portfolio.hasStructures = true
    if (Number.isFinite(percent)) spill.addPosition(portfolio.id, { asset, currency, type, percent })
    else {
      sink.bad(place, ['its share is no number'])
      spill.addBad(portfolio.id, ofPositions, place)
    }
  }

  const whyNoItem = ({ outer }: Found): string | undefined => {
    const { type, why } = structureOf(outer?.texts ?? {})
    // Else the portfolio would be one, though nothing of it is taken.
    if (why !== undefined) return why
    const { structures } = portfolioOf(outer?.outer)
    return (structures.get(type) ?? breakdown) === breakdown
      ? undefined
      : 'a second breakdown by the same dimension'
  }

  const item = ({ texts, outer, place }: Found): void => {
    const { type } = structureOf(outer?.texts ?? {})
    const portfolio = portfolioOf(outer?.outer)
    portfolio.hasStructures = true
    portfolio.structures.set(type, breakdown)
    const percent = Number(decimal(texts['Percentage']) ?? NaN)
    if (Number.isFinite(percent)) spill.addItem(portfolio.id, type, count++, texts['DimValue'] ?? '', percent)
    else {
      sink.bad(place, ['its Percentage is no number'])
      spill.addBad(portfolio.id, type, place)
    }
  }

  const risk = ({ texts, outer }: Found): void => {
    const portfolio = portfolioOf(outer)
    portfolio.hasRisks = true
    const code = texts['ListedCode'] ?? texts['UnlistedCode'] ?? ''
    spill.addRisk(portfolio.id, count++, {
      code,
      value: texts['Value'] ?? '',
      until: day(texts['DateTo']) ?? '',
    })
  }

  const breaks = (): void => {
    breakdown++
  }

  const ofPosition = {
    ...leaves('UniqueID Currency TotalPercentage'),
    TotalValue: amounts('TotalValue'),
    ...Object.fromEntries(Object.keys(assetTypeElements).map((name) => [name, { mark: 'element' }])),
  }
  const ofValue = {
    DimValues: { below: leaves('DimValue') },
    Percentage: { text: 'Percentage' },
    BreakDowns: { out: 'a breakdown within an item of another one' },
  }
  const ofBreakDown = {
    Dimensions: { below: leaves('Dimension') },
    CalculationMethod: { text: 'CalculationMethod' },
    Values: { below: { Value: { below: ofValue, ends: unless(sink, whyNoItem, item) } } },
  }
  return {
    ends: () => undefined,
    below: {
      NavDate: { text: 'NavDate' },
      Positions: { below: { Position: { below: ofPosition, ends: position } } },
      Transactions: { out: 'transactions of a portfolio: no endpoint has them' },
      Earnings: { out: 'earnings of a portfolio: no endpoint has them' },
      PositionsDecomposed: { out: 'positions of target funds (PositionsDecomposed): no endpoint has them' },
      BreakDowns: {
        below: { BreakDown: { begins: breaks, below: ofBreakDown, ends: () => undefined } },
      },
      RiskCodes: {
        below: {
          RiskCode: {
            below: leaves('ListedCode UnlistedCode Value DateTo'),
            ends: unless(sink, whyNoRisk, risk),
          },
        },
      },
    },
  }
}

/** The element AssetMasterData. */
export const assetElement = (spill: Spill): Element => ({
  below: {
    Asset: {
      below: leaves('UniqueID Currency Country Name AssetType'),
      ends: ({ texts }) => {
        const { UniqueID = '', Name = null, Country = null, Currency = null, AssetType = null } = texts
        spill.addAsset(UniqueID, { name: Name, country: Country, currency: Currency, type: AssetType })
      },
    },
  },
})

/** @returns the share of a position in percent; undefined if the file does not tell it, NaN if it is no number */
function percentOf(texts: Texts, assets: NetAssets | undefined): number | undefined {
  const { TotalPercentage } = texts
  if (TotalPercentage !== undefined) return Number(decimal(TotalPercentage))
  for (const [currency, value] of amountsOf(texts, 'TotalValue')) {
    const whole = Number(assets?.byCurrency.get(currency) ?? 0)
    if (whole > 0) return (100 * Number(value)) / whole
  }
  return undefined
}

/** Dimensions are free texts. By their letters: the type of structure, and of one with exposures. */
const dimensions: Readonly<Record<string, readonly [type: string, withExposure?: string]>> = {
  country: ['countries'],
  countries: ['countries'],
  land: ['countries'],
  currency: ['currencies', 'currencies_derivatives'],
  currencies: ['currencies', 'currencies_derivatives'],
  währung: ['currencies', 'currencies_derivatives'],
  assettype: ['asset_structure', 'asset_structure_derivatives'],
  assetclass: ['asset_structure', 'asset_structure_derivatives'],
  anlageklasse: ['asset_structure', 'asset_structure_derivatives'],
  industry: ['industrial_sectors'],
  sector: ['industrial_sectors'],
  industrysector: ['industrial_sectors'],
  branche: ['industrial_sectors'],
  duration: ['terms'],
  marketcapitalization: ['market_capitalization'],
  marketcapitalisation: ['market_capitalization'],
  marketcap: ['market_capitalization'],
}

/** The type of structure of a breakdown, or why there is none. */
function structureOf({ Dimension, CalculationMethod }: Texts): { type: string; why?: string } {
  const names = linesOf(Dimension)
  const [name = ''] = names
  if (names.length > 1)
    return noStructure('a breakdown by several dimensions together: no structure has them')
  const known = dimensions[name.toLowerCase().replace(/[^\p{L}]/gu, '')]
  if (known === undefined) return noStructure(`a breakdown by ${name}: no structure is of this kind`)
  const [type, withExposure] = known
  if (!/exposure|derivat/i.test(CalculationMethod ?? '')) return { type }
  return withExposure === undefined
    ? noStructure(`a breakdown by ${name} with exposures: no structure is of this kind`)
    : { type: withExposure }
}

const noStructure = (why: string) => ({ type: '', why })

/** An item of a structure that is ready to be a row. */
interface Item extends Named {
  readonly percent: number
}

/** A class of an asset allocation. Its place among the others is the same on each day. */
interface ClassItem extends Item {
  readonly position: number
}

/** Gives the rows of all portfolios, once the assets are known. @throws {Error} if the import is to end */
export function emitPortfolios(spill: Spill, sink: RowSink): void {
  for (const portfolio of spill.portfolios()) {
    // To let go of the import between two portfolios.
    sink.bytes(0)
    const owners = spill.ownersOf(portfolio.id)
    if (owners.length === 0) {
      sink.leftOut(
        'a portfolio of no share class: each in the file has one of its own, or none has an ISIN',
        portfolio.place,
      )
      continue
    }
    const { structures, allocations, spoilt } = contentOf(portfolio, spill, sink)
    const risks = newestRisks(spill.risksOf(portfolio.id), portfolio, sink)
    const { date } = portfolio
    for (const { isin, hasStructures, isNewest, isNewestOfRisks } of owners) {
      for (const { type, derivatives, classes } of hasStructures ? allocations : []) {
        emitAllocation(sink, portfolio, { isin, derivatives }, classes)
        const bad = spoilt.get(type)
        if (bad !== undefined) sink.spoilt('asset_allocation', { isin, derivatives, date }, bad)
      }
      for (const [type, items] of isNewest ? structures : []) {
        emitStructure(sink, portfolio, { isin, type }, items)
        const bad = spoilt.get(type)
        if (bad !== undefined) sink.spoilt('structure_item', { isin, type }, bad)
      }
      if (isNewestOfRisks) emitRisks(sink, portfolio, isin, risks)
    }
  }
}

function emitStructure(
  sink: RowSink,
  { place }: Portfolio,
  of: { isin: string; type: string },
  items: readonly Item[],
) {
  sink.gone('structure_item', of, place)
  for (const [index, { de, en, percent }] of items.entries())
    sink.row('structure_item', { ...of, position: index + 1, name_de: de, name_en: en, percent }, place)
}

function emitAllocation(
  sink: RowSink,
  { date, place }: Portfolio,
  of: { isin: string; derivatives: number },
  classes: readonly ClassItem[],
) {
  sink.gone('asset_allocation', { ...of, date }, place)
  for (const { de, en, percent, position } of classes)
    sink.row('asset_allocation', { ...of, position, class_de: de, class_en: en, date, percent }, place)
}

/** A risk code has one value: that of the newest period. Of values that differ all the same, as of one year and of three, none is taken. */
function newestRisks(risks: readonly Risk[], { place }: Portfolio, sink: RowSink): readonly Risk[] {
  return [...Map.groupBy(risks, ({ code }) => code).values()].flatMap((all) => {
    const newest = all
      .map(({ until }) => until)
      .sort()
      .at(-1)
    const own = all.filter(({ until }) => until === newest)
    const values = new Set(own.map(({ value }) => shortestOf(decimal(value) ?? '')))
    const taken = values.size === 1 ? own.slice(0, 1) : []
    const left = all.length - (taken.length === 0 ? 0 : own.length)
    for (let count = 0; count < left; count++)
      sink.leftOut('a risk code that has several values, as of other periods: a key figure has one', place)
    return taken
  })
}

function emitRisks(sink: RowSink, { place }: Portfolio, isin: string, risks: readonly Risk[]) {
  sink.gone('key_figure', { isin }, place)
  for (const [index, { code, value }] of risks.entries()) {
    const { de, en } = riskName(code)
    // The unit of a risk code is nowhere: neither in the file nor in the schema of FundsXML.
    const written = (decimal(value) ?? value).replace('.', ',')
    const position = index + 1
    sink.row('key_figure', { isin, position, name_de: de, name_en: en, value: written, has_value2: 0 }, place)
  }
}

const nameOf: Readonly<Record<string, (text: string) => Named>> = {
  countries: countryName,
  currencies: currencyName,
  currencies_derivatives: currencyName,
  asset_structure: assetTypeName,
  asset_structure_derivatives: assetTypeName,
}

/** Asset allocations by whether they are with derivatives, from the structures that are the same on one day. */
const allocated = [
  ['asset_structure', 0],
  ['asset_structure_derivatives', 1],
] as const

/** The structures of a portfolio. A breakdown counts; what the file does not break down itself is summed from the positions. */
function contentOf(portfolio: Portfolio, spill: Spill, sink: RowSink) {
  const structures = new Map<string, readonly Item[]>()
  const broken = Map.groupBy(spill.itemsOf(portfolio.id), ({ structure }) => structure)
  const codes = new Map<string, readonly string[]>()
  const bad = spill.badOf(portfolio.id)
  /** The place of a bad position or item, by the structures that lack it. */
  const spoilt = new Map([...bad].filter(([type]) => type !== ofPositions))
  const ofPosition = bad.get(ofPositions)
  for (const [type, all] of broken) {
    const totals = totalsOf(all, ({ percent }) => percent, !type.endsWith('derivatives'))
    for (const { name } of totals) sink.leftOut(leftTotal(name), portfolio.place)
    const items = all.filter((item) => !totals.has(item))
    // A total alone says nothing.
    if (items.length === 0) continue
    const name = nameOf[type] ?? ((text: string) => ({ de: text, en: null }))
    structures.set(
      type,
      items.map((item) => ({ ...name(item.name), percent: item.percent })),
    )
    codes.set(
      type,
      items.map((item) => item.name),
    )
  }
  const sums = summed(portfolio, spill, sink)
  for (const [type, entries] of sums) {
    if (structures.has(type) || entries.length === 0) continue
    structures.set(type, entries)
    if (ofPosition !== undefined) spoilt.set(type, ofPosition)
    codes.set(
      type,
      entries.map(({ code }) => code),
    )
  }
  for (const code of codes.get('countries') ?? []) {
    const left = codeOfNoCountry(code)
    if (left !== undefined) sink.leftOut(left, portfolio.place)
  }
  const allocations = allocated.flatMap(([type, derivatives]) => {
    const items = structures.get(type)
    if (items === undefined) return []
    const own = codes.get(type) ?? []
    // Behind the types of FundsXML stand those that have other names, in the order of the file.
    const classes = items.map((item, index) => ({
      ...item,
      position: assetType(own[index] ?? '')?.position ?? 101 + index,
    }))
    return [{ type, derivatives, classes: classes.toSorted((one, other) => one.position - other.position) }]
  })
  return { structures, allocations, spoilt }
}

interface Sum extends Item {
  readonly code: string
}

/** Sums positions by country, currency and asset type, and finds the largest, without holding all of them. */
function summed(portfolio: Portfolio, spill: Spill, sink: RowSink): ReadonlyMap<string, readonly Sum[]> {
  const countries = new Map<string, number>()
  const currencies = new Map<string, number>()
  const types = new Map<string, number>()
  const tops = topLists()
  for (const { id, name, country, currency, type, share } of spill.holdingsOf(portfolio.id)) {
    if (country !== null) add(countries, countryCode(country), share)
    else sink.leftOut('a position in no item of countries, as its asset has none', portfolio.place)
    if (currency !== null) add(currencies, currencyCode(currency), share)
    if (type === null) continue
    add(types, type, share)
    if (!securities.includes(type)) continue
    if (name !== null) tops.add({ id, name, type, share })
    else sink.leftOut('a position in no top values, as AssetMasterData does not name it', portfolio.place)
  }
  return new Map([
    ['countries', sorted(countries, countryName)],
    ['currencies', sorted(currencies, currencyName)],
    ['asset_structure', sorted(types, assetTypeName)],
    ...tops.end(() => sink.leftOut(tooManyValues, portfolio.place)),
  ])
}

const add = (sums: Map<string, number>, code: string, share: number) =>
  sums.set(code, (sums.get(code) ?? 0) + share)

const sorted = (sums: ReadonlyMap<string, number>, nameOf: (code: string) => Named): readonly Sum[] =>
  [...sums]
    .filter(([, share]) => share !== 0)
    .map(([code, share]) => ({ ...nameOf(code), code, percent: inPercent(share) }))
    .sort(bySize)

/** The largest first. Of equal ones, the order is that of their names, so that it is the same each time. */
const bySize = (one: Sum, other: Sum) =>
  other.percent - one.percent || (one.de < other.de ? -1 : one.de > other.de ? 1 : 0)

/** A file may list every position; readers see the largest. */
const mostValues = 10

/** More assets in one portfolio would need more memory. */
const mostAssets = 100_000
const tooManyValues = `top values of a portfolio with more than ${mostAssets.toLocaleString('en')} securities`

/** What a portfolio holds of an asset. */
interface Held {
  readonly name: string
  readonly type: string
  share: number
}

/** The largest values of all types, and of each that has a list of its own. */
function topLists() {
  const held = new Map<string, Held>()
  let isFull = false
  const add = ({ id, name, type, share }: Held & { readonly id: string }): void => {
    const one = held.get(id)
    if (one !== undefined) one.share += share
    else if (held.size < mostAssets) held.set(id, { name, type, share })
    else isFull = true
  }
  const end = (onTooMany: () => void): ReadonlyMap<string, readonly Sum[]> => {
    if (isFull) onTooMany()
    const lists = new Map<string, Sum[]>()
    for (const { name, type, share } of isFull ? [] : held.values()) {
      if (share <= 0) continue
      keepLargest(lists, 'top_values', name, inPercent(share))
      const own = topValueTypes[type]
      if (own !== undefined) keepLargest(lists, own, name, inPercent(share))
    }
    return lists
  }
  return { add, end }
}

function keepLargest(lists: Map<string, Sum[]>, list: string, name: string, percent: number): void {
  const values = lists.get(list) ?? []
  lists.set(list, values)
  const least = values[mostValues - 1]
  if (least !== undefined && percent < least.percent) return
  values.push({ code: name, de: name, en: null, percent })
  values.sort(bySize)
  values.splice(mostValues)
}

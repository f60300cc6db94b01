/**
 * Funds, subfunds and share classes: each class is a fund of the schema. Its row, its prices, its distributions, what goes into its
 * profile, and whose portfolios it has: its own, else those of its subfund or fund.
 */

import { isOpenEnd } from '../../../../core/data/model/limits.ts'
import { quoted } from '../../../../core/data/model/printable.ts'
import { reciprocalOf, shortestOf } from '../../decimals.ts'
import type { Value } from '../../values.ts'
import { noPayment, type RowSink, type SplitFactor } from '../reader.ts'
import { feeColumnOf, isCharge, takeFees, type Fee } from './fees.ts'
import { unless, type WhyNot } from './unless.ts'
import { portfolioElement, type NetAssets, type OpenPortfolio } from './portfolios.ts'
import type { Spill } from './spill.ts'
import { categoryGroups, staticData } from './static-data.ts'
import { amounts, amountsOf, day, decimal, flag, leaves, linesOf, number, present } from './texts.ts'
import type { Element, Elements, Found } from './xml.ts'

export interface FundOptions {
  readonly sink: RowSink
  readonly spill: Spill
  readonly splitFactor: SplitFactor | undefined
  /** The day that the file is of. */
  readonly contentDate: () => string | undefined
  /** Gets the types of fees that are taken. */
  readonly feeTypes: Set<string>
}

/** What is known of the fund, subfund or class that is being read, beside its texts. */
interface Holder {
  readonly outer: Holder | undefined
  readonly portfolios: OpenPortfolio[]
  /** Of the newest day. */
  assets: NetAssets | undefined
  /** Classes with an ISIN, in it. */
  classes: number
  /** Of a class: whether the file takes the price of a day back. */
  readonly days: Map<string, boolean>
  /** Of a class: by the ex-day of its payments, whether they are new (C) or modified (M). */
  readonly payments: Map<string, string | undefined>
  /** Of a class. */
  readonly fees: Fee[]
}

const whyNoAssets: WhyNot = ({ texts }) =>
  texts['TotalAssetNature'] === 'OFFICIAL' ? undefined : 'net assets that are not official'

function whyNoPrice({ texts, outer }: Found): string | undefined {
  const { PriceNature = 'of no nature', PriceCurrency } = texts
  if (outer?.texts['ISIN'] === undefined) return `a price of ${noIsin}`
  if (PriceNature !== 'OFFICIAL') return `a price that is ${PriceNature.toLowerCase()}, not official`
  return PriceCurrency === outer.texts['Currency']
    ? undefined
    : 'a price in another currency than that of its share class'
}

function whyNoDistribution({ texts, outer }: Found): string | undefined {
  if (outer?.texts['ISIN'] === undefined) return `a distribution of ${noIsin}`
  if (texts['DividendStatus'] !== 'OFFICIAL') return 'a distribution that is estimated, not official'
  return flag(texts['DistributionFlag']) === 0
    ? 'a dividend that is not distributed (DistributionFlag)'
    : undefined
}

function whyNoFee({ texts: { Type = 'none' } }: Found): string | undefined {
  return feeColumnOf(Type) === undefined ? `a fee of type ${Type}: the profile has no such fee` : undefined
}

/** @returns new shares for an old one, as the schema counts them; undefined for what is no ratio */
function newForOld(ratio: string, splitFactor: SplitFactor): string | undefined {
  const plain = decimal(ratio) ?? ''
  if (!/^[0-9]+(?:\.[0-9]+)?$/.test(plain)) return undefined
  return splitFactor === 'new-for-old' ? plain : reciprocalOf(plain)
}

const whichShares = (ratio: string) =>
  `SplitFactor is ${quoted(ratio)}, and FundsXML does not say what it counts: choose --split-factor new-for-old ` +
  '(2 is two new shares for an old one) or --split-factor old-for-new (0.5 is two new shares for an old one)'

const noIsin = 'a share class without an ISIN, by which the schema knows funds'

/** The element Funds. */
export function fundsElement({ sink, spill, splitFactor, contentDate, feeTypes }: FundOptions): Element {
  let holder: Holder | undefined
  let portfolios = 0
  const takeUnless = (whyNot: WhyNot, take: (record: Found) => void) => unless(sink, whyNot, take)
  const begins = (): void => {
    holder = {
      outer: holder,
      portfolios: [],
      assets: undefined,
      classes: 0,
      days: new Map(),
      payments: new Map(),
      fees: [],
    }
  }

  const totalAssets = ({ texts, place }: Found): void => {
    const date = day(texts['NavDate']) ?? ''
    const byCurrency = amountsOf(texts, 'TotalNetAssetValue')
    if (holder === undefined || byCurrency.size === 0) return
    const before = holder.assets
    if (before === undefined || before.date < date) holder.assets = { date, byCurrency }
    else if (before.date === date) holder.assets = { date, byCurrency: together(before, byCurrency, place) }
  }

  /** Net assets of one day. Of amounts that differ, none counts. */
  const together = (
    { byCurrency }: NetAssets,
    more: NetAssets['byCurrency'],
    place: string,
  ): NetAssets['byCurrency'] => {
    const all = new Map([...more, ...byCurrency])
    for (const [currency, amount] of more) {
      if (shortestOf(all.get(currency) ?? '') === shortestOf(amount ?? '')) continue
      sink.leftOut('net assets that differ from others of their day, so that none are taken', place)
      all.set(currency, null)
    }
    return all
  }

  const portfolioOn = (date: string, place: string): OpenPortfolio => {
    const found = holder?.portfolios.findLast((one) => one.date === date)
    if (found !== undefined) return found
    const portfolio = {
      id: ++portfolios,
      date,
      place,
      structures: new Map<string, number>(),
      hasStructures: false,
      hasRisks: false,
    }
    holder?.portfolios.push(portfolio)
    spill.addPortfolio(portfolio)
    return portfolio
  }
  const portfolio = portfolioElement({
    sink,
    spill,
    assetsOn: (date) => (holder?.assets?.date === date ? holder.assets : undefined),
    portfolioOn,
  })
  const assetValues: Element = {
    below: {
      TotalAssetValue: {
        below: { ...leaves('NavDate TotalAssetNature'), TotalNetAssetValue: amounts('TotalNetAssetValue') },
        ends: takeUnless(whyNoAssets, totalAssets),
      },
    },
  }
  const dynamic: Element = {
    below: {
      TotalAssetValues: assetValues,
      Portfolios: { below: { Portfolio: portfolio } },
      Benchmarks: { out: 'values and constituents of benchmarks: no endpoint has them' },
    },
  }

  const price = ({ texts, outer, place }: Found): void => {
    const { ISIN: isin, Currency: currency } = outer?.texts ?? {}
    const date = day(texts['NavDate'])
    const isSplit = Number(texts['SplitFactor'] ?? 1) !== 1
    const isTakenBack = texts['ActionCode'] === 'D'
    if ((holder?.days.get(date ?? '') ?? isTakenBack) !== isTakenBack) {
      sink.bad(place, [`the file has the price of ${date ?? 'no day'}, and takes it back (ActionCode D)`])
      return
    }
    holder?.days.set(date ?? '', isTakenBack)
    if (isTakenBack) {
      sink.gone('price', present({ isin, date }), place)
      if (isSplit) sink.gone('corporate_action', present({ isin, ex_date: date, kind: 'split' }), place)
      return
    }
    if (isSplit) split(texts['SplitFactor'] ?? '', present({ isin, ex_date: date, kind: 'split' }), place)
    const values = {
      isin,
      date,
      currency,
      net_asset_value: decimal(texts['NavPrice']) ?? null,
      issue_price: decimal(texts['SubscriptionPrice']),
      repurchase_price: decimal(texts['RedemptionPrice']),
    }
    sink.row('price', present(values), place)
  }

  const split = (ratio: string, key: Record<string, Value>, place: string): void => {
    const factor = splitFactor === undefined ? undefined : newForOld(ratio, splitFactor)
    if (factor !== undefined) sink.row('corporate_action', { ...key, factor }, place)
    else
      sink.bad(place, [
        splitFactor === undefined ? whichShares(ratio) : `SplitFactor ${quoted(ratio)} is no ratio`,
      ])
  }

  const distribution = ({ texts, outer, place }: Found): void => {
    const { ISIN: isin, Currency: currency = '' } = outer?.texts ?? {}
    const exDate = day(texts['ExDate']) ?? ''
    if (texts['ActionCode'] === 'D') {
      sink.gone('corporate_action', present({ isin, ex_date: exDate, kind: 'distribution' }), place)
      return
    }
    const perShare = amountsOf(texts, 'Gross')
    const amount = perShare.get(currency)
    if (amount === undefined) {
      const given = [...perShare.keys()].join(', ')
      const fault = given === '' ? 'no gross amount per share' : `its amount in ${given}, not in ${currency}`
      sink.bad(place, [`the distribution has ${fault}`])
      return
    }
    const action = texts['ActionCode']
    if (Number(amount) === 0) {
      // Modified to nothing, it takes back the one that was there.
      if (action === 'M')
        sink.gone('corporate_action', present({ isin, ex_date: exDate, kind: 'distribution' }), place)
      else sink.leftOut(noPayment, place)
      return
    }
    if (holder?.payments.has(exDate) === true && holder.payments.get(exDate) !== action) {
      sink.bad(place, [
        'one distribution of the day is new (C) and one is modified (M): their sum is not known',
      ])
      return
    }
    holder?.payments.set(exDate, action)
    const key = { isin, ex_date: exDate, kind: 'distribution' }
    // Several payments of a day are for the sink, as those of other files.
    sink.row('corporate_action', present({ ...key, amount, currency }), place)
  }

  const fee = ({ texts, place }: Found): void => {
    const { Type: type = '', Maximum, EndDate, FeeAsPercentageOfTNA } = texts
    const column = feeColumnOf(type) ?? ''
    const days = linesOf(EndDate)
    const newest = days.indexOf(days.toSorted().at(-1) ?? '')
    const percent =
      Maximum ?? linesOf(FeeAsPercentageOfTNA)[newest] ?? (column === 'performance_fee' ? '1' : undefined)
    if (percent !== undefined) holder?.fees.push({ column, type, percent, place })
  }

  const shareClass = (record: Found): void => {
    const own = holder
    holder = own?.outer
    const isin = record.texts['ISIN']
    if (own === undefined || isin === undefined) {
      sink.leftOut(noIsin, record.place)
      return
    }
    for (let above = holder; above !== undefined; above = above.outer) above.classes++
    fundRow(record, isin)
    addOwner(isin, own.portfolios, holder?.portfolios ?? [])
    for (let above: Found | undefined = record.outer; above !== undefined; above = above.outer) {
      for (const name of [above.texts['LEI'], above.texts['ISIN']])
        if (name !== undefined) spill.addClass(name, isin)
    }
    const { percents, open, types } = takeFees(own.fees)
    for (const { column, what, place } of open) {
      sink.leftOut(what, place)
      // At the NAV, an issue price would say that there is no surcharge.
      if (isCharge(column)) sink.spoilt('profile', { isin }, place)
    }
    for (const one of types) feeTypes.add(one)
    spill.addProfile(isin, record.place, profileOf(record, own.assets, percents, holder?.assets))
  }

  /** @param above the portfolios of the subfund or fund: for what the class has none itself */
  const addOwner = (isin: string, own: readonly OpenPortfolio[], above: readonly OpenPortfolio[]): void => {
    const lacksStructures = !own.some(({ hasStructures }) => hasStructures)
    const lacksRisks = !own.some(({ hasRisks }) => hasRisks)
    for (const one of own) spill.addOwner(isin, one, { structures: one.hasStructures, risks: one.hasRisks })
    for (const one of above) {
      const structures = one.hasStructures && lacksStructures
      const risks = one.hasRisks && lacksRisks
      if (structures || risks) spill.addOwner(isin, one, { structures, risks })
    }
  }

  /** @param record of the class; of a fund without classes, its own */
  const fundRow = (record: Found, isin: string): void => {
    const { texts, outer } = record
    const values = {
      isin,
      wkn: texts['GermanWKN'],
      name: texts['OfficialName'] ?? texts['FullName'],
      // An umbrella is older than its subfunds.
      fund_inception_date: day(texts['InceptionDate'] ?? outer?.texts['InceptionDate']),
      status_date: contentDate(),
      currency: texts['Currency'],
      prices_permitted: flag(texts['IsPublicFlag'] ?? inherited(record, 'PricePublishedFlag')),
      ...endOf(record),
    }
    sink.row('fund', present(values), record.place)
  }

  /** @param record of a fund or subfund */
  const fund = (record: Found): void => {
    const own = holder
    holder = own?.outer
    if (own === undefined || own.classes > 0) return
    const { ISIN: isin } = record.texts
    if (isin === undefined) {
      sink.leftOut('a fund that has no ISIN, nor has any class of it', record.place)
      return
    }
    if (holder !== undefined) holder.classes++
    fundRow(record, isin)
    addOwner(isin, own.portfolios, [])
    spill.addClass(isin, isin)
    if (record.texts['LEI'] !== undefined) spill.addClass(record.texts['LEI'], isin)
  }

  const shareClasses: Element = {
    below: {
      ShareClass: {
        begins,
        ends: shareClass,
        below: ofShareClass({
          price: takeUnless(whyNoPrice, price),
          distribution: takeUnless(whyNoDistribution, distribution),
          fee: takeUnless(whyNoFee, fee),
          assetValues,
          portfolio,
        }),
      },
    },
  }
  const segments: Element = { out: 'segments of a fund: no endpoint has them' }
  const ofFund = { ...identity, Currency: { text: 'Currency' } }
  return {
    below: {
      Fund: {
        begins,
        ends: fund,
        below: {
          ...ofFund,
          FundStaticData: { below: staticData({ sink, contentDate }) },
          FundDynamicData: dynamic,
          SingleFund: {
            below: {
              SingleFundStaticData: { below: leaves('PricePublishedFlag') },
              ShareClasses: shareClasses,
              Segments: segments,
            },
          },
          Subfunds: {
            below: {
              Subfund: {
                begins,
                ends: fund,
                below: {
                  ...ofFund,
                  SubfundStaticData: {
                    below: leaves(
                      'InceptionDate MaturityDate LiquidationDate LiquidationReason PricePublishedFlag',
                    ),
                  },
                  SubfundDynamicData: dynamic,
                  ShareClasses: shareClasses,
                  Segments: segments,
                },
              },
            },
          },
          CountrySpecificData: { out: 'data of one country (CountrySpecificData): no endpoint has them' },
        },
      },
    },
  }
}

const identity: Elements = {
  Identifiers: { below: leaves('ISIN GermanWKN LEI') },
  Names: { below: leaves('OfficialName FullName') },
}

interface OfClass {
  readonly price: (record: Found) => void
  readonly distribution: (record: Found) => void
  readonly fee: (record: Found) => void
  readonly assetValues: Element
  readonly portfolio: Element
}

function ofShareClass({ price, distribution, fee, assetValues, portfolio }: OfClass): Elements {
  const ofPrice = {
    ...leaves(
      'ActionCode NavDate PriceCurrency PriceNature NavPrice SubscriptionPrice RedemptionPrice SplitFactor',
    ),
    OtherPrices: { out: 'prices of another kind (OtherPrices): swung, gross or market' },
  }
  const ofDistribution = {
    ...leaves('ActionCode DividendStatus ExDate DistributionFlag'),
    GrossDividendAmount: { below: { PerShare: amounts('Gross') } },
  }
  const ofPeriod = { EndDate: { text: 'EndDate' }, Values: { below: leaves('FeeAsPercentageOfTNA') } }
  const ofFee = { ...leaves('Type Maximum'), DataByPeriods: { below: { DataByPeriod: { below: ofPeriod } } } }
  return {
    ...identity,
    ...leaves('Currency InceptionDate LiquidationDate LiquidationReason IsPublicFlag'),
    ShareClassType: { below: leaves('EarningUse') },
    SubscriptionRestrictions: {
      below: {
        MinSubscriptionAmount: amounts('MinSubscriptionAmount'),
        MinRegularInvestmentAmount: amounts('MinRegularInvestmentAmount'),
      },
    },
    Prices: { below: { Price: { below: ofPrice, ends: price } } },
    TotalAssetValues: assetValues,
    Distributions: { below: { Distribution: { below: ofDistribution, ends: distribution } } },
    Fees: { below: { Fee: { below: ofFee, ends: fee } } },
    Flows: { out: 'subscriptions and redemptions (Flows): no endpoint has them' },
    PerformanceFigures: {
      out: 'performance figures, whose periods and methods are free: they are derived from prices and distributions',
    },
    Portfolios: { below: { Portfolio: portfolio } },
    HighWatermark: { below: leaves('ExistingFlag') },
    Investors: { out: 'investors of a share class: no endpoint has them' },
    InvestorAllocation: { out: 'investors of a share class: no endpoint has them' },
    CountrySpecificData: { out: 'data of one country (CountrySpecificData): no endpoint has them' },
  }
}

/** The text of a class, else of its subfund, else of its fund. */
function inherited({ texts, outer }: Found, name: string): string | undefined {
  return texts[name] ?? (outer === undefined ? undefined : inherited(outer, name))
}

function endOf(record: Found): Record<string, Value | undefined> {
  const isMerger = inherited(record, 'LiquidationReason') === 'MERGER'
  const ends = [
    { end_date: day(inherited(record, 'LiquidationDate')), end_reason: isMerger ? 'merged' : 'liquidated' },
    { end_date: day(inherited(record, 'MaturityDate')), end_reason: 'matured' },
  ].filter(({ end_date: own }) => own !== undefined)
  // An end that is not known says nothing if another one is.
  return ends.find(({ end_date: own }) => !isOpenEnd(own ?? '')) ?? ends[0] ?? {}
}

/** In the currency of the class, else in that of the fund. */
function totalAssetsOf(total: NetAssets | undefined, currency: string): Record<string, Value | undefined> {
  const first = [...(total?.byCurrency ?? [])].find(([, amount]) => amount !== null)
  const own = total?.byCurrency.get(currency) ?? undefined
  if (own !== undefined || first === undefined)
    return { total_fund_assets: own, total_fund_assets_currency: own === undefined ? undefined : null }
  const [other, amount] = first
  return { total_fund_assets: amount, total_fund_assets_currency: other }
}

/** What the file knows of a profile: seldom all of it, so it completes one that is there. */
function profileOf(
  record: Found,
  assets: NetAssets | undefined,
  fees: ReadonlyMap<string, string>,
  total: NetAssets | undefined,
): Record<string, Value> {
  const { texts } = record
  const currency = texts['Currency'] ?? ''
  const structure = inherited(record, 'ListedLegalStructure')
  const minimum = (name: string) => amountsOf(texts, name).get(currency)
  const lumpSum = minimum('MinSubscriptionAmount')
  const savings = minimum('MinRegularInvestmentAmount')
  const hasWatermark = flag(texts['ExistingFlag']) === 1
  const feeOf = (column: string) => number(fees.get(column))
  const performanceFee = fees.has('performance_fee') ? Number(feeOf('performance_fee') !== 0) : undefined
  return present({
    ...categoryOf(record),
    benchmark: inherited(record, 'Benchmark'),
    fund_assets: assets?.byCurrency.get(currency) ?? undefined,
    ...totalAssetsOf(total, currency),
    end_of_fiscal_year: fiscalYearEnd(record),
    // P is both: what pays distributions is no accumulating fund.
    accumulating: { R: 1, D: 0, P: 0 }[texts['EarningUse'] ?? ''],
    conformity: structure === undefined ? undefined : structure.startsWith('UCITS') ? 1 : 0,
    issue_surcharge: feeOf('issue_surcharge'),
    redemption_fee: feeOf('redemption_fee'),
    total_expense_ratio: number(inherited(record, 'OngoingCosts')),
    management_fee: feeOf('management_fee'),
    custodian_bank_fee: feeOf('custodian_bank_fee'),
    performance_fee: hasWatermark ? 1 : performanceFee,
    one_time_investment: lumpSum === undefined ? undefined : 1,
    one_time_investment_minimum: lumpSum,
    savings_plan: savings === undefined ? undefined : 1,
    savings_plan_minimum: savings,
  })
}

function categoryOf(record: Found): Record<string, Value | undefined> {
  for (const group of categoryGroups) {
    const de = inherited(record, `category ${group} de`)
    const en = inherited(record, `category ${group} en`)
    if (de !== undefined || en !== undefined) return { category_de: de ?? en, category_en: en }
  }
  return {}
}

/** @returns MM-DD */
function fiscalYearEnd(record: Found): string | undefined {
  const two = (name: string) =>
    inherited(record, name)
      ?.replace(/[^0-9]/g, '')
      .padStart(2, '0')
  const endDay = two('EndDay')
  const endMonth = two('EndMonth')
  const startDay = two('StartDay')
  const startMonth = two('StartMonth')
  if (endDay !== undefined && endMonth !== undefined) return `${endMonth}-${endDay}`
  if (startDay === undefined || startMonth === undefined) return undefined
  // Of a year that is no leap year: March begins behind 28 February.
  const end = new Date(Date.UTC(2025, Number(startMonth) - 1, Number(startDay) - 1))
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString().slice(5, 10)
}

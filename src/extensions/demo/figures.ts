/** Key figures, profile and EMT data of a fund: the parts that are not prices or breakdowns. */

import type { EmtRow, FundRows, ProfileRow } from '../../core/api/contract/rows.ts'
import { addYears } from '../../core/system/days.ts'
import { dateAt, type Period } from './calendar.ts'
import type { Instrument } from './funds.ts'
import { inBoth, type Way, wholeWithin, within } from './market.ts'
import { riskOver } from './performance.ts'
import { decimalText, type PriceHistory } from './prices.ts'
import { derivatives, type MonthAllocation } from './structures.ts'

/** Without `value2` the figure has one value. Null: it has a second one, which is not known. */
type KeyFigure = readonly [name: string, value: string, value2?: string | null | undefined]

/** Below this volatility the Sharpe ratio means nothing. */
const leastVolatility = 0.01

/** Risk from the fund's prices, then what is usual for its kind. */
export function keyFigureRows(
  fund: Instrument,
  history: PriceHistory,
  assets: MonthAllocation,
  period: Period,
): FundRows['keyFigures'] {
  return [...riskFigures(fund, history, period), ...kindFigures(fund, assets)].map(
    ([name, value, value2], position) => {
      const second = { value2: value2 ?? null, hasValue2: value2 === undefined ? 0 : 1 } as const
      return { position, ...inBoth('name', name), value, ...second }
    },
  )
}

function riskFigures(fund: Instrument, history: PriceHistory, period: Period): KeyFigure[] {
  const oneYear = riskOver(1, fund, history, period)
  if (oneYear === undefined) return []
  const { volatility, averageReturn, maximumDrawdown } = oneYear
  const before = riskOver(3, fund, history, period)?.volatility
  const figures: KeyFigure[] = [
    [
      'Volatilität (1 Jahr / 3 Jahre) = Volatility (1 year / 3 years)',
      percentFigure(volatility),
      before === undefined ? null : percentFigure(before),
    ],
    ['Größter Verlust (1 Jahr) = Maximum drawdown (1 year)', percentFigure(maximumDrawdown)],
  ]
  if (volatility < leastVolatility) return figures
  return [
    ...figures,
    ['Sharpe Ratio (1 Jahr) = Sharpe ratio (1 year)', commaText(averageReturn / volatility)],
  ]
}

function kindFigures({ kind, randomOf }: Instrument, assets: MonthAllocation): KeyFigure[] {
  const random = randomOf('figures')
  const invested = assets.withoutDerivatives[0]?.hundredths ?? 0
  const inDerivatives = assets.withDerivatives.find(({ name }) => name === derivatives)?.hundredths ?? 0
  return kind.figures.map((figure): KeyFigure => {
    const { name, between = [], less, choices = [] } = figure
    if (figure.kind === 'choice') return [name, random.pick(choices)]
    if (figure.kind === 'count') return [name, String(wholeWithin(random, between))]
    if (figure.kind === 'invested')
      return [name, percentFigure(invested / 10_000), percentFigure((invested + inDerivatives) / 10_000)]
    const value = within(random, between)
    if (figure.kind === 'number') return [name, commaText(value)]
    return [name, percentFigure(value), less && percentFigure(value - within(random, less))]
  })
}

/** German figure text: 12.34 as '12,34'. */
const commaText = (value: number): string => decimalText(Math.round(value * 100), 2).replace('.', ',')

/** 0.1234 as '12,34 %'. */
const percentFigure = (fraction: number): string => `${commaText(fraction * 100)} %`

/** Assets are those of the fund's status day: its shares at the day's NAV. */
export function profileRow(fund: Instrument, history: PriceHistory, { status }: Period): ProfileRow {
  const random = fund.randomOf('profile')
  const { kind, place, region } = fund
  const shares = Math.round(within(random, kind.sharesMillions) * 1_000_000)
  const assets = Math.round((shares * (history.navs[status] ?? 0)) / 10 ** (kind.decimals - 2))
  const otherClasses = random.chance(0.4) ? Math.round(assets * random.between(0.1, 2)) : 0
  const hasBenchmark = kind.benchmarks.length > 0 && random.chance(0.85)
  const { management, custodian, total } = feesOf(fund)
  const [regionDe = '', regionEn = ''] = region.name.split(' = ')
  const { categoryDe, categoryEn } = inBoth('category', kind.category)
  return {
    categoryDe: `${categoryDe} ${regionDe}`,
    categoryEn: `${categoryEn}, ${regionEn}`,
    benchmark: hasBenchmark ? random.pick(kind.benchmarks) : null,
    fundAssets: decimalText(assets, 2),
    totalFundAssets: decimalText(assets + otherClasses, 2),
    totalFundAssetsCurrency: null,
    endOfFiscalYear: fund.endOfFiscalYear,
    accumulating: fund.accumulating ? 1 : 0,
    conformity: place.kind === 'realEstate' ? 0 : 1,
    issueSurcharge: fund.surcharge / 100,
    redemptionFee: fund.redemptionFee / 100,
    totalExpenseRatio: total / 100,
    managementFee: management / 100,
    custodianBankFee: custodian / 100,
    performanceFee: place.kind === 'equity' && random.chance(0.35) ? 1 : 0,
    ...waysToBuy(fund),
  }
}

/** The fees of a fund, in hundredths of a percent. Profile and EMT data use the same ones. */
function feesOf(fund: Instrument) {
  const random = fund.randomOf('fees')
  const management = wholeWithin(random, fund.kind.managementFee)
  const custodian = random.whole(1, 9)
  return { management, custodian, total: management + custodian + random.whole(3, 28) }
}

/** A fund without a German number is not sold to savers. */
function waysToBuy({ wkn, kind, randomOf }: Instrument) {
  const random = randomOf('purchases')
  const way = <W extends Way>(name: W) => {
    const purchase = wkn === null ? undefined : kind.purchases[name]
    const possible = purchase === undefined ? null : purchase.possible ? 1 : 0
    const minimum = purchase === undefined ? null : random.pick(purchase.minimums)
    return { [name]: possible, [`${name}Minimum`]: minimum } as Record<W, 0 | 1 | null> &
      Record<`${W}Minimum`, string | null>
  }
  return { ...way('savingsPlan'), ...way('oneTimeInvestment'), ...way('capitalFormingPayments') }
}

/** The upper bounds of the classes 1 to 6 of the synthetic risk and reward indicator: volatility a year. */
const srriBounds = [0.005, 0.02, 0.05, 0.1, 0.15, 0.25]

/** Costs are fractions: 0.0158 is 1.58 %. */
export function emtRow(fund: Instrument, history: PriceHistory, period: Period): EmtRow {
  const random = fund.randomOf('emt')
  const risk = riskOver(1, fund, history, period)
  const statusDate = dateAt(period.calendar, period.status)
  const date = lastEndOfFiscalYear(fund, statusDate)
  // A fund that has not closed a year yet has no costs ex post.
  const closedAYear = date > dateAt(period.calendar, fund.inception)
  const hasIncidental = random.chance(0.35)
  return {
    srri: risk === undefined ? null : srriBounds.filter((bound) => bound <= risk.volatility).length + 1,
    ongoingCostsDate: closedAYear ? date : null,
    ongoingCosts: closedAYear ? fraction(feesOf(fund).total) : null,
    transactionCostsDate: closedAYear ? statusDate : null,
    transactionCosts: closedAYear ? fraction(random.whole(2, 48)) : null,
    incidentalCostsDate: hasIncidental ? statusDate : null,
    incidentalCosts: hasIncidental ? fraction(random.whole(0, 60)) : null,
    entryCosts: fund.surcharge > 0 ? fraction(fund.surcharge) : null,
    governanceprocess: (['A', 'B', 'C', 'D'] as const)[fund.number % 4] ?? 'A',
    compatibleForClientsWithEsgPreferences: random.pick(['N', 'N', 'Y', 'Neutral']),
    otherSpecificInvestmentNeed: random.pick(['N', 'N', 'N', 'I', 'O'] as const),
  }
}

function lastEndOfFiscalYear(fund: Instrument, date: string): string {
  const thisYears = `${date.slice(0, 4)}-${fund.endOfFiscalYear}`
  return thisYears <= date ? thisYears : addYears(thisYears, -1)
}

/** Hundredths of a percent as a fraction. */
const fraction = (hundredths: number): number => hundredths / 10_000

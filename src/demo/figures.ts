/** Key figures, profile and EMT data of a fund: the parts that are not prices or breakdowns. */

import type { EmtRow, FundRows, ProfileRow } from '../api/contract/rows.ts'
import { addYears } from '../system/days.ts'
import type { Draws } from '../system/random.ts'
import { dateAt, type Period } from './calendar.ts'
import type { Instrument, Region } from './funds.ts'
import { riskOver } from './performance.ts'
import { decimalText, type PriceHistory } from './prices.ts'
import { derivatives, type MonthAllocation } from './structures.ts'
import { inBoth, type Name } from './words.ts'

/** Without `value2` the figure has one value. Null: it has a second one, which is not known. */
type KeyFigure = readonly [name: Name, value: string, value2?: string | null]

/** Below this volatility the Sharpe ratio means nothing. */
const leastVolatility = 0.01

/** Risk from the fund's prices, then what is usual for its kind. */
export function keyFigureRows(
  fund: Instrument,
  history: PriceHistory,
  assets: MonthAllocation,
  period: Period,
): FundRows['keyFigures'] {
  const figures = [
    ...riskFigures(fund, history, period),
    ...kindFigures(fund, assets, fund.randomOf('figures')),
  ]
  return figures.map(([name, value, value2], position) => {
    const second = { value2: value2 ?? null, hasValue2: value2 === undefined ? 0 : 1 } as const
    return { position, ...inBoth('name', name), value, ...second }
  })
}

function riskFigures(fund: Instrument, history: PriceHistory, period: Period): KeyFigure[] {
  const oneYear = riskOver(1, fund, history, period)
  if (oneYear === undefined) return []
  const threeYears = riskOver(3, fund, history, period)
  const [volatility, before] = [oneYear.volatility, threeYears?.volatility]
  const volatilities = ['Volatilität (1 Jahr / 3 Jahre)', 'Volatility (1 year / 3 years)'] as const
  const figures: KeyFigure[] = [
    [volatilities, percentFigure(volatility), before === undefined ? null : percentFigure(before)],
    [['Größter Verlust (1 Jahr)', 'Maximum drawdown (1 year)'], percentFigure(oneYear.maximumDrawdown)],
  ]
  if (volatility < leastVolatility) return figures
  const sharpe = commaText(oneYear.averageReturn / volatility)
  return [...figures, [['Sharpe Ratio (1 Jahr)', 'Sharpe ratio (1 year)'], sharpe]]
}

function kindFigures({ kind }: Instrument, assets: MonthAllocation, random: Draws): KeyFigure[] {
  const percent = (low: number, high: number) => percentFigure(random.between(low, high))
  const count = (low: number, high: number) => String(random.whole(low, high))
  switch (kind) {
    case 'equity':
      return [
        [['Anzahl Aktien', 'Number of equities'], count(32, 180)],
        [['Dividendenrendite', 'Dividend yield'], percent(0.009, 0.041)],
        [['Active Share'], percent(0.45, 0.93)],
        [['Beta'], commaText(random.between(0.82, 1.14))],
        investedFigure('Aktienquote', 'Equity ratio', assets),
      ]
    case 'bond':
      return [
        [['Duration in Jahren', 'Duration in years'], commaText(random.between(1.2, 8.4))],
        [['Rendite (vor / nach Absicherung)', 'Yield (before / after hedging)'], ...yields(random)],
        [['Durchschnittsrating', 'Average rating'], random.pick(['AA', 'A+', 'A', 'BBB+', 'BB+'])],
        investedFigure('Anleihenquote', 'Bond ratio', assets),
      ]
    case 'mixed':
      return [
        investedFigure('Aktienquote', 'Equity ratio', assets),
        [['Anzahl Positionen', 'Number of positions'], count(60, 420)],
        [['Value at Risk (99 %, 20 Tage)', 'Value at risk (99 %, 20 days)'], percent(0.02, 0.09)],
      ]
    case 'realEstate':
      return [
        [['Vermietungsquote', 'Occupancy rate'], percent(0.885, 0.985)],
        [['Anzahl Immobilien', 'Number of properties'], count(18, 150)],
        [['Fremdfinanzierungsquote', 'Debt ratio'], percent(0.06, 0.27)],
      ]
    case 'moneyMarket':
      return [
        [['Restlaufzeit in Tagen', 'Days to maturity'], count(21, 160)],
        [['Rendite', 'Yield'], percent(0.011, 0.034)],
      ]
    default:
      return kind satisfies never
  }
}

/** The share of the first asset class, without and with derivatives. */
function investedFigure(german: string, english: string, assets: MonthAllocation): KeyFigure {
  const hundredths = assets.withoutDerivatives[0]?.hundredths ?? 0
  const inDerivatives = assets.withDerivatives.find(({ name }) => name === derivatives)?.hundredths ?? 0
  const name = [`${german} (ohne / mit Derivaten)`, `${english} (without / with derivatives)`] as const
  return [name, percentFigure(hundredths / 10_000), percentFigure((hundredths + inDerivatives) / 10_000)]
}

function yields(random: Draws): [before: string, after: string] {
  const before = random.between(0.014, 0.052)
  return [percentFigure(before), percentFigure(before - random.between(0.001, 0.012))]
}

/** German figure text: 12.34 as '12,34'. */
const commaText = (value: number): string => decimalText(Math.round(value * 100), 2).replace('.', ',')

/** 0.1234 as '12,34 %'. */
const percentFigure = (fraction: number): string => `${commaText(fraction * 100)} %`

/** Assets are those of the fund's status day: its shares at the day's NAV. */
export function profileRow(fund: Instrument, history: PriceHistory, { status }: Period): ProfileRow {
  const random = fund.randomOf('profile')
  const { traits, kind, region } = fund
  const shares = Math.round(random.between(...traits.sharesMillions) * 1_000_000)
  const nav = history.navs[status] ?? 0
  const assets = traits.decimals === 2 ? shares * nav : Math.round((shares * nav) / 100)
  const otherClasses = random.chance(0.4) ? Math.round(assets * random.between(0.1, 2)) : 0
  const benchmark = kind === 'realEstate' || !random.chance(0.85) ? null : random.pick(benchmarks[kind])
  const { management, custodian, total } = feesOf(fund)
  return {
    categoryDe: `${traits.category[0]} ${regions[region][0]}`,
    categoryEn: `${traits.category[1]}, ${regions[region][1]}`,
    benchmark,
    fundAssets: decimalText(assets, 2),
    totalFundAssets: decimalText(assets + otherClasses, 2),
    endOfFiscalYear: fund.endOfFiscalYear,
    accumulating: fund.accumulating ? 1 : 0,
    conformity: kind === 'realEstate' ? 0 : 1,
    issueSurcharge: fund.surcharge / 100,
    redemptionFee: fund.redemptionFee / 100,
    totalExpenseRatio: total / 100,
    managementFee: management / 100,
    custodianBankFee: custodian / 100,
    performanceFee: kind === 'equity' && random.chance(0.35) ? 1 : 0,
    ...purchases(fund, random),
  }
}

/** The fees of a fund, in hundredths of a percent. Profile and EMT data use the same ones. */
function feesOf(fund: Instrument) {
  const random = fund.randomOf('fees')
  const management = random.whole(...fund.traits.fees.management)
  const custodian = random.whole(1, 9)
  return { management, custodian, total: management + custodian + random.whole(3, 28) }
}

const regions: Readonly<Record<Region, readonly [german: string, english: string]>> = {
  germany: ['Deutschland', 'Germany'],
  europe: ['Europa', 'Europe'],
  america: ['Nordamerika', 'North America'],
  asia: ['Asien-Pazifik', 'Asia Pacific'],
  emerging: ['Schwellenländer', 'emerging markets'],
  global: ['weltweit', 'worldwide'],
}

const benchmarks = {
  equity: ['Elbe & Rhein Equity Index (NR)', 'Alster World Equity Index (NR)'],
  bond: ['Elbe Aggregate Bond Index (TR)', 'Alster Corporates 1-10 Index'],
  mixed: ['60 % Alster World Equity Index & 40 % Elbe Aggregate Bond Index'],
  moneyMarket: ['€STR'],
}

/** Whether a way to buy the fund is possible, null if unknown; the minimum as decimal text. */
type Purchase = readonly [possible: 0 | 1 | null, minimum: string | null]

const unknown: Purchase = [null, null]
const impossible: Purchase = [0, null]

/** A fund without a German number is not sold to savers. */
function purchases(fund: Instrument, random: Draws) {
  const [plan, once, capitalForming] = fund.wkn === null ? [unknown, unknown, unknown] : ways(fund, random)
  return {
    savingsPlan: plan[0],
    savingsPlanMinimum: plan[1],
    oneTimeInvestment: once[0],
    oneTimeInvestmentMinimum: once[1],
    capitalFormingPayments: capitalForming[0],
    capitalFormingPaymentsMinimum: capitalForming[1],
  }
}

/** Savings plan, one-time investment, capital-forming payments. */
function ways({ kind }: Instrument, random: Draws): readonly [Purchase, Purchase, Purchase] {
  const once: Purchase = [1, random.pick(['500.00', '1000.00', '2500.00', null])]
  const plan: Purchase = [1, random.pick(['25.00', '50.00'])]
  const byKind = {
    equity: [plan, once, [1, '34.00']],
    mixed: [plan, once, impossible],
    bond: [plan, once, unknown],
    realEstate: [impossible, [1, null], impossible],
    moneyMarket: [unknown, once, unknown],
  } as const
  return byKind[kind]
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

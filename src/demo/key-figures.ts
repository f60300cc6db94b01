/** The key figures of one fund: texts as they are published, with a decimal comma. */

import { derivatives, type MonthAllocation } from './allocations.ts'
import { commaText } from './decimal.ts'
import type { Instrument } from './instrument.ts'
import type { Period } from './period.ts'
import type { PriceHistory } from './price-history.ts'
import type { Random } from './random.ts'
import { riskOver } from './risk.ts'
import type { Name } from './shares.ts'

export interface KeyFigure {
  readonly name: Name
  readonly value: string
  /** Undefined: the figure has one value. Null: it has a second one, which is not known. */
  readonly value2?: string | null
}

/** Below it, a return divided by the volatility says nothing. */
const leastVolatility = 0.01

/** Figures of risk from the fund's prices, then those of its kind. */
export function keyFigures(
  fund: Instrument,
  history: PriceHistory,
  assets: MonthAllocation,
  period: Period,
): readonly KeyFigure[] {
  return [...riskFigures(fund, history, period), ...kindFigures(fund, assets, fund.randomOf('figures'))]
}

function riskFigures(fund: Instrument, history: PriceHistory, period: Period): readonly KeyFigure[] {
  const oneYear = riskOver(1, fund, history, period)
  if (oneYear === undefined) return []
  const threeYears = riskOver(3, fund, history, period)
  const figures: KeyFigure[] = [
    {
      name: ['Volatilität (1 Jahr / 3 Jahre)', 'Volatility (1 year / 3 years)'],
      value: percentText(oneYear.volatility),
      value2: threeYears === undefined ? null : percentText(threeYears.volatility),
    },
    {
      name: ['Größter Verlust (1 Jahr)', 'Maximum drawdown (1 year)'],
      value: percentText(oneYear.maximumDrawdown),
    },
  ]
  if (oneYear.volatility < leastVolatility) return figures
  const sharpe = commaText(oneYear.averageReturn / oneYear.volatility)
  return [...figures, { name: ['Sharpe Ratio (1 Jahr)', 'Sharpe ratio (1 year)'], value: sharpe }]
}

function kindFigures(fund: Instrument, assets: MonthAllocation, random: Random): readonly KeyFigure[] {
  switch (fund.kind) {
    case 'equity':
      return [
        { name: ['Anzahl Aktien', 'Number of equities'], value: String(random.whole(32, 180)) },
        { name: ['Dividendenrendite', 'Dividend yield'], value: drawnPercent(random, 0.009, 0.041) },
        { name: ['Active Share'], value: drawnPercent(random, 0.45, 0.93) },
        { name: ['Beta'], value: commaText(random.between(0.82, 1.14)) },
        investedFigure('Aktienquote', 'Equity ratio', assets),
      ]
    case 'bond':
      return [
        { name: ['Duration in Jahren', 'Duration in years'], value: commaText(random.between(1.2, 8.4)) },
        { name: ['Rendite (vor / nach Absicherung)', 'Yield (before / after hedging)'], ...yields(random) },
        {
          name: ['Durchschnittsrating', 'Average rating'],
          value: random.pick(['AA', 'A+', 'A', 'BBB+', 'BB+']),
        },
        investedFigure('Anleihenquote', 'Bond ratio', assets),
      ]
    case 'mixed':
      return [
        investedFigure('Aktienquote', 'Equity ratio', assets),
        { name: ['Anzahl Positionen', 'Number of positions'], value: String(random.whole(60, 420)) },
        {
          name: ['Value at Risk (99 %, 20 Tage)', 'Value at risk (99 %, 20 days)'],
          value: drawnPercent(random, 0.02, 0.09),
        },
      ]
    case 'realEstate':
      return [
        { name: ['Vermietungsquote', 'Occupancy rate'], value: drawnPercent(random, 0.885, 0.985) },
        { name: ['Anzahl Immobilien', 'Number of properties'], value: String(random.whole(18, 150)) },
        { name: ['Fremdfinanzierungsquote', 'Debt ratio'], value: drawnPercent(random, 0.06, 0.27) },
      ]
    case 'moneyMarket':
      return [
        { name: ['Restlaufzeit in Tagen', 'Days to maturity'], value: String(random.whole(21, 160)) },
        { name: ['Rendite', 'Yield'], value: drawnPercent(random, 0.011, 0.034) },
      ]
    default:
      return fund.kind satisfies never
  }
}

/** The share of the first asset class, and the same with the derivatives on it. */
function investedFigure(german: string, english: string, assets: MonthAllocation): KeyFigure {
  const hundredths = assets.withoutDerivatives[0]?.hundredths ?? 0
  const inDerivatives = assets.withDerivatives.find(({ name }) => name === derivatives)?.hundredths ?? 0
  return {
    name: [`${german} (ohne / mit Derivaten)`, `${english} (without / with derivatives)`],
    value: percentText(hundredths / 10_000),
    value2: percentText((hundredths + inDerivatives) / 10_000),
  }
}

function yields(random: Random): { readonly value: string; readonly value2: string } {
  const before = random.between(0.014, 0.052)
  return { value: percentText(before), value2: percentText(before - random.between(0.001, 0.012)) }
}

function drawnPercent(random: Random, low: number, high: number): string {
  return percentText(random.between(low, high))
}

/** 0.1234 as '12,34 %'. */
function percentText(fraction: number): string {
  return `${commaText(fraction * 100)} %`
}

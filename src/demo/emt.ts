/** The part of a fund's European MiFID Template that the interface gives out. */

import { dateAt, shiftYears } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { Period } from './period.ts'
import type { PriceHistory } from './price-history.ts'
import { feesOf } from './profile.ts'
import { riskOver } from './risk.ts'

/** Costs are fractions: 0.0158 is 1.58 %. */
export interface Emt {
  readonly srri: number | null
  readonly ongoingCosts: DatedCosts
  readonly transactionCosts: DatedCosts
  readonly incidentalCosts: DatedCosts
  readonly entryCosts: number | null
  readonly governanceProcess: string
  readonly esgPreferences: string
  readonly otherInvestmentNeed: string
}

export interface DatedCosts {
  readonly date: string | null
  readonly costs: number | null
}

const unknown: DatedCosts = { date: null, costs: null }

/** The upper bounds of the classes 1 to 6 of the synthetic risk and reward indicator: volatility a year. */
const srriBounds = [0.005, 0.02, 0.05, 0.1, 0.15, 0.25]

export function emt(fund: Instrument, history: PriceHistory, period: Period): Emt {
  const random = fund.randomOf('emt')
  const risk = riskOver(1, fund, history, period)
  const statusDate = dateAt(period.calendar, period.status)
  const date = lastEndOfFiscalYear(fund, statusDate)
  // A fund that has not closed a year yet has no costs ex post.
  const closedAYear = date > dateAt(period.calendar, fund.inception)
  return {
    srri: risk === undefined ? null : srri(risk.volatility),
    ongoingCosts: closedAYear
      ? { date, costs: fraction(Math.round(feesOf(fund).totalExpenseRatio * 100)) }
      : unknown,
    transactionCosts: closedAYear ? { date: statusDate, costs: fraction(random.whole(2, 48)) } : unknown,
    incidentalCosts: random.chance(0.35)
      ? { date: statusDate, costs: fraction(random.whole(0, 60)) }
      : unknown,
    entryCosts: fund.surcharge > 0 ? fraction(fund.surcharge) : null,
    governanceProcess: ['A', 'B', 'C', 'D'][fund.number % 4] ?? 'A',
    esgPreferences: random.pick(['N', 'N', 'Y', 'Neutral']),
    otherInvestmentNeed: random.pick(['N', 'N', 'N', 'I', 'O']),
  }
}

function srri(volatility: number): number {
  const found = srriBounds.findIndex((bound) => volatility < bound)
  return found < 0 ? 7 : found + 1
}

function lastEndOfFiscalYear(fund: Instrument, date: string): string {
  const thisYears = `${date.slice(0, 4)}-${fund.endOfFiscalYear}`
  return thisYears <= date ? thisYears : shiftYears(thisYears, -1)
}

/** Hundredths of a percent as a fraction. */
function fraction(hundredths: number): number {
  return hundredths / 10_000
}

/** How much a fund has moved, from the weekly prices of some years before its status day. */

import { dateAt, indexOnOrBefore, shiftYears, weekEnds } from './calendar.ts'
import type { Instrument } from './instrument.ts'
import type { Period } from './period.ts'
import { returnBetween, type PriceHistory } from './price-history.ts'

export interface Risk {
  /** Fractions; volatility and average return a year, drawdown as a loss below nothing. */
  readonly volatility: number
  readonly averageReturn: number
  readonly maximumDrawdown: number
}

/** Undefined where the fund has no price that is as old. */
export function riskOver(
  years: number,
  fund: Instrument,
  history: PriceHistory,
  { calendar, status }: Period,
): Risk | undefined {
  const start = indexOnOrBefore(calendar, shiftYears(dateAt(calendar, status), -years))
  if (start < fund.firstPrice) return undefined
  const days = weekEnds(calendar, start, status)
  const returns = days.slice(1).map((day, i) => returnBetween(history, days[i] ?? start, day))
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / returns.length
  return {
    volatility: Math.sqrt(variance * 52),
    averageReturn: mean * 52,
    maximumDrawdown: maximumDrawdown(days.map((day) => history.worths[day] ?? 0)),
  }
}

function maximumDrawdown(worths: readonly number[]): number {
  let highest = 0
  let lowest = 0
  for (const worth of worths) {
    highest = Math.max(highest, worth)
    lowest = Math.min(lowest, worth / highest - 1)
  }
  return lowest
}

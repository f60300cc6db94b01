/** The two markets that all funds of a database follow, so that their bad weeks are the same weeks. */

import type { DemoCalendar } from './calendar.ts'
import { randomFor } from '../system/random.ts'

export interface Market {
  /** Returns a business day of the calendar, as fractions. */
  readonly equity: Float64Array
  readonly bond: Float64Array
}

export function marketOver(seed: number, calendar: DemoCalendar): Market {
  return { equity: equityReturns(seed, calendar), bond: bondReturns(seed, calendar) }
}

/** Quiet years, and every three years or so a fall of one to four months with wilder days, then a recovery. */
function equityReturns(seed: number, calendar: DemoCalendar): Float64Array {
  const random = randomFor(seed, 'equity market')
  const returns = new Float64Array(calendar.length)
  let volatility = 1
  let fallDays = 0
  let recoveryDays = 0
  for (let day = 0; day < returns.length; day++) {
    if (fallDays === 0 && recoveryDays === 0 && random.chance(1 / 700)) fallDays = random.whole(20, 80)
    const falling = fallDays > 0
    volatility += 0.06 * ((falling ? 2.4 : 0.9) - volatility)
    const mean = falling ? -0.0032 : recoveryDays > 0 ? 0.0012 : 0.00045
    returns[day] = mean + 0.0082 * volatility * random.gaussian()
    if (falling) {
      fallDays--
      if (fallDays === 0) recoveryDays = random.whole(80, 160)
    } else if (recoveryDays > 0) recoveryDays--
  }
  return returns
}

/** Small movements around nothing, and now and then a year in which yields rise and prices fall. */
function bondReturns(seed: number, calendar: DemoCalendar): Float64Array {
  const random = randomFor(seed, 'bond market')
  const returns = new Float64Array(calendar.length)
  let risingDays = 0
  for (let day = 0; day < returns.length; day++) {
    if (risingDays === 0 && random.chance(1 / 1600)) risingDays = random.whole(150, 260)
    const rising = risingDays > 0
    returns[day] = (rising ? -0.0004 : 0.0001) + (rising ? 0.0028 : 0.0019) * random.gaussian()
    if (rising) risingDays--
  }
  return returns
}

/** Nights of 2,000 share classes, half of them of one portfolio with nearly equal NAVs, as the guards see them. */

import { openCalendar } from '../../../src/core/guards/calendar.ts'
import { type InventedFund, judgeNight, pricesOf, randomNumbers } from '../../guards/invented-company.ts'
import { isinOf } from '../../support/database.ts'
import { heavyTails } from './company.ts'

/** Of a year of nights, beside the three of the crash: the year has 250. */
const usuallyApart = 5
const nightsOfYear = 250
/** Prices that guards look at before a night: a year, and the end of the year before. */
const history = 290
/** Of one portfolio. */
const usualClasses = 4

/** A NAV moves by the common market, by what moves its category alone, and by its own: standard deviations a day. */
const kinds = [
  { category: 'Aktienfonds', beta: 1, sector: 0.001, own: 0.004, surcharge: 5 },
  { category: 'Mischfonds', beta: 0.5, sector: 0.001, own: 0.002, surcharge: 4 },
  { category: 'Rentenfonds', beta: 0.05, sector: 0.0015, own: 0.0006, surcharge: 3 },
  { category: 'Rohstofffonds', beta: 0.3, sector: 0.008, own: 0.004, surcharge: 5 },
  { category: 'Geldmarktfonds', beta: 0, sector: 0, own: 0.00004, surcharge: 0 },
] as const

interface ShareClass {
  readonly isin: string
  readonly category: string
  readonly surcharge: number
  readonly navs: Float64Array
}

export interface NightOfClasses {
  readonly day: string
  readonly isOfCrash: boolean
  readonly said: readonly string[]
}

/** @param count of share classes @param seed of all that is by chance @param nightsApart beside the three of the crash */
export async function judgeClasses(
  count: number,
  seed: number,
  nightsApart = usuallyApart,
): Promise<readonly NightOfClasses[]> {
  const calendar = await openCalendar('DE')
  const days = Array.from({ length: 800 }, (_, index) =>
    new Date(Date.UTC(2023, 8, 1) + index * 86_400_000).toISOString().slice(0, 10),
  )
    .filter((day) => calendar.isBusinessDay(day))
    .slice(0, history + nightsOfYear)
  const crash = history + 70
  const isOfCrash = (index: number) => index >= crash && index < crash + 3
  const classes = inventClasses(days, count, seed, isOfCrash)
  return days.flatMap((day, index): NightOfClasses[] => {
    if (index < history || (index % nightsApart !== 0 && !isOfCrash(index))) return []
    const from = index - history
    const window = days.slice(from, index + 1)
    // The prices of all nights would take gigabytes.
    const company = classes.map(({ isin, category, surcharge, navs }): InventedFund => {
      return { isin, category, prices: pricesOf(window, [...navs.subarray(from, index + 1)], surcharge) }
    })
    return [{ day, isOfCrash: isOfCrash(index), said: judgeNight(company, history, calendar) }]
  })
}

function inventClasses(
  days: readonly string[],
  count: number,
  seed: number,
  isOfCrash: (index: number) => boolean,
): readonly ShareClass[] {
  const random = randomNumbers(seed * 7919 + 3)
  const tail = heavyTails(random)
  const market = days.map((_, index) => (isOfCrash(index) ? Math.log(0.88) / 3 : 0.0003 + 0.009 * tail()))
  const sectors = new Map(kinds.map((kind) => [kind, days.map(() => tail())]))
  let number = 0
  const portfolio = (kind: (typeof kinds)[number], size: number, near: number): readonly ShareClass[] => {
    const ofKind = sectors.get(kind)
    const moves = market.map(
      (move, index) => kind.beta * move + kind.sector * (ofKind?.[index] ?? 0) + kind.own * tail() + 0.00005,
    )
    return Array.from({ length: size }, () => {
      // Classes differ by their fees, and so their NAVs drift apart.
      const fee = random() * 0.00003
      let nav = near === 0 ? 20 + random() * 180 : near * (1 + 0.02 * (random() - 0.5))
      const navs = Float64Array.from(moves, (move) => (nav *= Math.exp(move - fee)))
      return { isin: isinOf(++number), category: kind.category, surcharge: kind.surcharge, navs }
    })
  }
  const half = Math.floor(count / 2)
  const all = [...portfolio(kinds[0], half, 100)]
  for (let turn = 0; all.length < count; turn++) {
    const kind = kinds[turn % kinds.length] ?? kinds[0]
    all.push(...portfolio(kind, Math.min(1 + (turn % usualClasses), count - all.length), 0))
  }
  return all
}

/** Which funds have a new price, of those that were expected to have one. Pure. */

import type { Surprise } from './across.ts'
import { nextPriceDay, usualGap } from './assess.ts'
import { addBusinessDays, businessDaysBetween, type Calendar } from './calendar.ts'
import type { PriceTexts } from './figures.ts'
import { countedFrom, isPriceExpected, isSuspendedBetween, type LifeFacts, lifeOn } from './life.ts'
import { listed } from './loss.ts'
import { addDays } from '../system/days.ts'

/** By what rhythm the prices of a fund come. */
export interface Rhythm {
  /** The day of the next price after the newest one, ISO 8601; null for a fund without a rhythm. */
  readonly next: string | null
  /** The same after the longest time between two prices within a year: a fund may skip a holiday of its own. */
  readonly latest: string | null
  /** Business days within a year on which a daily fund had no price. */
  readonly missed: readonly string[]
}

/** Of a fund that nobody watches, or of which no price is expected. */
export const noRhythm: Rhythm = { next: null, latest: null, missed: [] }

/** JSON, because shards bring theirs to the merge. */
export interface Arrival extends Rhythm {
  readonly isin: string
  readonly newest: string
  /** The newest price is of a later day than the one that is live. */
  readonly hasCome: boolean
}

/** In calendar days: a holiday of last year may be some days later this year. */
const aYear = 380

/** @param prices of a fund, by day, one at least @param asOf ISO 8601 */
export function rhythmOf(
  prices: readonly PriceTexts[],
  calendar: Calendar,
  life: LifeFacts,
  asOf: string,
): Rhythm {
  const newest = prices.at(-1)?.[0] ?? ''
  const yearAgo = addDays(newest, -aYear)
  const first = prices.findLastIndex(([day]) => day < yearAgo) + 1
  const days = prices.slice(first).map(([day]) => day)
  const newestFirst = days.toReversed()
  const usual = usualGap(calendar, newestFirst)
  const since = countedFrom(life, newest, asOf)
  const next = nextPriceDay(calendar, newestFirst, since)
  if (usual === null || next === null) return noRhythm
  if (lifeOn(life, asOf) !== null || !isPriceExpected(life, next)) return noRhythm
  const missed: string[] = []
  let longestGap = usual
  for (const [index, day] of days.entries()) {
    const before = days[index - 1]
    if (before === undefined || isSuspendedBetween(life, before, day)) continue
    const gap = businessDaysBetween(calendar, before, day)
    longestGap = Math.max(longestGap, gap)
    if (usual !== 1 || gap <= 1) continue
    for (let missing = addDays(before, 1); missing < day; missing = addDays(missing, 1))
      if (calendar.isBusinessDay(missing)) missed.push(missing)
  }
  const afterLongest = addBusinessDays(calendar, since, longestGap)
  return { next, latest: afterLongest > next ? afterLongest : next, missed }
}

/** Of the funds with an expected price. */
const mostMissing = 1 / 3
/** One silent fund never stops a company. */
const fewestMissing = 2
/** Funds that had no price on the same day before, of those that have none now. */
const together = 0.8

/**
 * Nothing if no price came at all: then the load is late, which the nightly run tells.
 * @param arrivals of all funds, not only of a shard's
 */
export function missingPrices(
  arrivals: readonly Arrival[],
  { asOf, strictness }: Readonly<{ asOf: string; strictness: number }>,
): readonly Surprise[] {
  const come = arrivals.filter(({ hasCome }) => hasCome)
  if (come.length === 0) return []
  // Some companies publish prices on their day, and some on the next one.
  const newest = come.reduce((latest, one) => (one.newest > latest ? one.newest : latest), '')
  const isOver = (day: string | null) => day !== null && (day < asOf || day <= newest)
  const missing = arrivals.filter(({ hasCome, next }) => !hasCome && isOver(next))
  const of = come.length + missing.length
  const isMany = missing.length >= fewestMissing && missing.length > (of * mostMissing) / strictness + 1e-9
  if (isMany && !wereMissingTogether(missing, come)) {
    const names = listed(missing.map(({ isin, newest }) => `${isin} since ${newest}`))
    const message = `${missing.length} of ${of} funds lack the price that was expected, while ${come.length} have one (${names})`
    return [{ guard: 'missing-prices', subject: null, isin: null, message }]
  }
  return missing.flatMap(({ isin, newest, next, latest }): Surprise[] => {
    if (!isOver(latest)) return []
    const message = `no price since ${newest}, though one was expected on ${next ?? ''}`
    return [{ guard: null, subject: isin, isin, message }]
  })
}

/** On a holiday of their market, for example: nearly all of these had no price on another day, on which others had one. */
function wereMissingTogether(missing: readonly Arrival[], come: readonly Arrival[]): boolean {
  const countOn = (funds: readonly Arrival[]) => {
    const counts = new Map<string, number>()
    for (const { missed } of funds) for (const day of missed) counts.set(day, (counts.get(day) ?? 0) + 1)
    return counts
  }
  const others = countOn(come)
  return [...countOn(missing)].some(
    ([day, count]) =>
      count >= missing.length * together && (others.get(day) ?? 0) <= come.length * (1 - together),
  )
}

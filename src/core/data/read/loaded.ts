/** What a night asks of the load: whether the last one is complete, and of the day that the night needs. */

import { daysOfRhythm } from '../../guards/assess.ts'
import { expectedDay, loadObjections } from '../../guards/load-day.ts'
import type { Objection } from '../../guards/guards.ts'
import type { Rules } from '../../guards/rules.ts'
import { readMark } from './complete.ts'
import { readIsins, readPriceDays } from './fund-reader.ts'
import type { FundDatabase } from './open.ts'

/** @param db in the transaction that renders, or before it @returns what the guard `incomplete` has against the load */
export function objectionsToLoad(db: FundDatabase, rules: Rules, asOf: string, lagDays: number): Objection[] {
  const funds = readPriceDays(db, readIsins(db), daysOfRhythm)
  return loadObjections(readMark(db), expectedDay(funds, rules, asOf, lagDays), asOf)
}

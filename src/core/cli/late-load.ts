/** A load that is late by the clock (`load.expectedBy`): told once for each missing day, and once when it has come. */

import { existsSync } from 'node:fs'
import { fetchHistory, keepStates } from '../bucket/nightly/history.ts'
import { daysOfRhythm } from '../guards/assess.ts'
import { timeInBerlin, todayInBerlin } from '../guards/clock.ts'
import { expectedDay, newestDay } from '../guards/load-day.ts'
import { readMark } from '../data/read/complete.ts'
import { readIsins, readPriceDays } from '../data/read/fund-reader.ts'
import { databaseError, openFunds } from '../data/read/open.ts'
import { addDays } from '../system/days.ts'
import type { Session } from './command.ts'
import type { LoadState } from './ended.ts'
import { tellLoad } from './end.ts'
import { reasonOf } from './failure.ts'
import { freshnessRules, shortPatience, withBucket } from './from-settings.ts'
import type { Settings } from './settings.ts'

/**
 * Looks into the database, if the settings name one that is on this machine, and tells what has changed since the last look. It
 * is told again until a target has taken it. What cannot be read is a warning.
 * @returns why the load is late, or null
 */
export async function watchLoad(
  session: Session,
  command: string,
  isLocking: boolean,
): Promise<string | null> {
  const { settings } = session
  const { db } = settings
  const { expectedBy } = settings.load
  if (expectedBy === null || db === null || !existsSync(db)) return null
  const warn = (what: string) => (error: unknown) => session.stderr.tell(`${what}: ${reasonOf(error)}`)
  const found = await lateness(settings, db, session.now()).catch(
    warn('it is not known whether the load is late'),
  )
  if (found === undefined) return null
  const { missing, newest } = found
  const last = `the last one is of ${newest ?? 'no day'}`
  const says =
    missing === null ? null : `the load of ${missing} is late: it was expected by ${expectedBy}, and ${last}`
  await tellOnce(session, { command, missing, says }, isLocking).catch(
    warn('the notice of the load could not be noted'),
  )
  return says
}

/** Tells it before it is noted: of two machines that look at the same time, both may tell. */
const tellOnce = (session: Session, { missing, ...found }: Omit<LoadState, 'come'>, isLocking: boolean) =>
  withBucket(
    session,
    async (store) => {
      const { load = [] } = (await fetchHistory(store)).states
      const before = load.at(-1) ?? null
      const isNew = missing === null ? before !== null : before === null || before < missing
      if (!isNew) return
      const come = missing === null ? before : null
      const isTold = await tellLoad(session, { ...found, missing, come })
      if (isTold)
        await keepStates(
          store,
          { load: missing === null ? [] : [missing] },
          {
            isLocking,
            onWarning: session.stderr.tell,
          },
        )
    },
    shortPatience,
  )

/** Reads what came last: by the mark of the last load, where nights ask for it; else the newest price of a watched fund. */
async function lateness(settings: Settings, file: string, now: Date) {
  const { expectedBy, lagDays } = settings.load
  const rules = await freshnessRules(settings)
  const today = todayInBerlin(now)
  // From then on, the load of today is expected as in the night that follows.
  const asOf = expectedBy !== null && timeInBerlin(now) >= expectedBy ? addDays(today, 1) : today
  const db = openFunds(file)
  try {
    const funds = readPriceDays(db, readIsins(db), daysOfRhythm)
    const expected = expectedDay(funds, rules, asOf, lagDays)
    const newest = settings.requireComplete ? (readMark(db)?.day ?? null) : newestDay(funds, rules, asOf)
    return { missing: expected !== null && (newest ?? '') < expected ? expected : null, newest }
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

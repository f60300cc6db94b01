/** A nightly run: whether there is anything to do, and then its steps. */

import { findNightlyState, type NightlyState } from '../../bucket/nightly/state.ts'
import { settingsDigest } from '../../build/options.ts'
import { openFile } from '../../data/read/digest.ts'
import { openFunds } from '../../data/read/open.ts'
import { livePointer, withBucket } from '../bucket.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { required } from '../options.ts'
import { buildOptions } from '../tasks/build-options.ts'
import type { NightlyLog } from './log.ts'
import type { DoneRun, OpenRun, SkippedRun } from './report.ts'
import type { NightlySteps } from './steps.ts'

export interface NightlyOptions extends NightlySteps {
  /** --ask: only find out whether there is something to do. */
  readonly isAsking: boolean
  /** --again: run also if the run is done already. */
  readonly isAgain: boolean
}

/** @throws {Error} the reason why a step failed, after the log has its single errors */
export async function runNightly(
  session: Session,
  options: NightlyOptions,
  log: NightlyLog,
): Promise<DoneRun | SkippedRun | OpenRun> {
  const started = session.clock()
  const { asOf } = options
  const db = required(session.settings.db, 'db')
  required(session.settings.bucket.name, 'bucket.name')
  log.begin('night', { asOf, database: db, folder: session.settings.out })
  const state = options.isAgain ? null : await stateOf(session, db, asOf, log)
  if (state !== null && state.kind !== 'open') return skip(state, asOf, log)
  if (options.isAsking) {
    log.end('night', 'done', { asOf, isOpen: true }, `${db} as of ${asOf} is not published yet`)
    return { kind: 'open', asOf }
  }
  log.enter('check')
  // Imported here because a run with nothing to do must start fast: several attempts a night are normal.
  const { buildNightly } = await import('./build.ts')
  const { publishNightly } = await import('./steps.ts')
  const built = await buildNightly(session, options, log)
  // Another file with the same content, such as a repeated delivery.
  if (state?.reverted?.snapshot === built.snapshot) return skip(state.reverted, asOf, log)
  return publishNightly(session, options, log, { built, started })
}

async function stateOf(session: Session, db: string, asOf: string, log: NightlyLog): Promise<NightlyState> {
  // A file that is no database is an error at once.
  openFunds(db).close()
  return withBucket(session, (store) =>
    findNightlyState(store, {
      asOf,
      source: async () => {
        const file = await openFile(db)
        return file.digest().finally(file.close)
      },
      settings: async () => settingsDigest(await buildOptions(session)),
      pointer: () => livePointer(session),
      signal: session.signal,
      onUnknownHistory: (error) => {
        log.warn('night', `the figures of the last runs cannot be read: ${reasonOf(error)}`)
      },
    }),
  )
}

function skip(state: Exclude<NightlyState, { kind: 'open' }>, asOf: string, log: NightlyLog): SkippedRun {
  const { snapshot, slot, liveSince } = state.live
  const reverted = state.kind === 'reverted' ? state.snapshot : null
  if (reverted !== null)
    log.warn(
      'night',
      `a rollback reverted ${reverted} (${liveSince}), and this run would publish it again: ` +
        `${snapshot} stays live; --again publishes it all the same`,
    )
  const text =
    reverted === null
      ? `${snapshot} is already live in ${slot}, made from this very database: nothing to do`
      : `${snapshot} stays live in ${slot}: nothing to do`
  log.end('night', 'skipped', { snapshot, slot, asOf }, text)
  return { kind: 'skipped', snapshot, slot, asOf, reverted }
}

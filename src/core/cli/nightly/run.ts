/** A nightly run from the check whether there is anything to do, over its steps, to its reports. */

import { assertFollowed } from '../../bucket/live/follow.ts'
import { type Live, readLive } from '../../bucket/live/live.ts'
import { describeDamage } from '../../bucket/live/whole.ts'
import { keepListed, type NewEvent } from '../../bucket/nightly/history.ts'
import { findLiveDamage, findNightlyState, type NightlyState } from '../../bucket/nightly/state.ts'
import type { PublishOutcome } from '../../bucket/publish/publish.ts'
import type { FolderStore } from '../../bucket/store/folder.ts'
import type { S3Store } from '../../bucket/store/s3.ts'
import type { ObjectStore } from '../../bucket/store/store.ts'
import { settingsDigest } from '../../snapshot/options.ts'
import { openFile } from '../../data/read/digest.ts'
import { objectionsToLoad } from '../../data/read/loaded.ts'
import { databaseError, openFunds } from '../../data/read/open.ts'
import { judgeClock, todayInBerlin } from '../../guards/clock.ts'
import { describeHold, holdAgainst, liftingOf } from '../../guards/going-back.ts'
import { type Objection, refuseUnlessAllowed } from '../../guards/guards.ts'
import { futureDate } from '../../guards/loss.ts'
import type { Session } from '../command.ts'
import { endNight, factsOfFailure } from '../end.ts'
import { watchLoad } from '../late-load.ts'
import { reasonOf, UsageError } from '../failure.ts'
import {
  buildOptions,
  followingOf,
  freshnessRules,
  overrideOf,
  type OverrideFlags,
  whoIs,
  withBucket,
} from '../from-settings.ts'
import { required } from '../options.ts'
import { eventsOf } from '../events.ts'
import { factsOf, type RunFacts } from '../facts.ts'
import { openLog, type NightlyLog } from './log.ts'
import type { NightlySteps } from './steps.ts'

interface NightlyFlags extends Omit<NightlySteps, 'override' | 'repair'>, OverrideFlags {
  readonly ask?: boolean | undefined
  readonly again?: boolean | undefined
  readonly summary?: string | undefined
}

type Wanted = NightlyFlags & Pick<NightlySteps, 'override'>

/** @throws {Error} of the step that failed, after all reports */
export async function runNightly(session: Session, flags: NightlyFlags): Promise<RunFacts> {
  const log = openLog(session)
  const { asOf, lock: isLocking, summary } = flags
  const end = (facts: RunFacts, events: readonly NewEvent[]) =>
    endNight(session, facts, {
      isLocking,
      events,
      isAsking: flags.ask === true,
      summary,
      warnings: log.warnings,
      seconds: log.seconds(),
      warn: (warning) => log.warn('night', warning),
    })
  const done = await attempt(session, flags, log).catch(async (error: unknown) => {
    const failed = logFailure(session, error, asOf, log)
    const isKept = !session.signal.aborted && !(error instanceof UsageError)
    await end(failed, isKept ? eventsOf(failed) : [])
    throw error
  })
  await end(done, [])
  if (done.outcome === 'open' || done.outcome === 'skipped') await watchLoad(session, 'nightly', isLocking)
  return done
}

function logFailure(session: Session, error: unknown, asOf: string, log: NightlyLog): RunFacts {
  const step = log.step()
  const facts = factsOfFailure(session, error, { command: 'nightly', asOf, step, errors: [...log.errors] })
  const { outcome, reason, objections } = facts
  if (outcome === 'refused') log.refuse(step, reason ?? '', objections)
  // For people, the program itself prints the reason.
  else if (session.isJson) log.fail(step, reason ?? '')
  return facts
}

async function attempt(session: Session, given: NightlyFlags, log: NightlyLog): Promise<RunFacts> {
  const started = session.clock()
  const flags = { ...given, override: overrideOf(session, given) }
  const { asOf } = flags
  const db = required(session.settings.db, 'db')
  required(session.settings.bucket.name, 'bucket.name')
  log.begin('night', { asOf, database: db, folder: session.settings.out })
  refuseUnlessAllowed('the nightly run', futureDate(asOf, session.today), flags.override)
  const { state, live, allowed: before, holds } = await stateOf(session, db, flags, log)
  const isDamaged =
    flags.ask !== true && (await hasDamage(session, listingOf(state, live, flags), flags, log))
  if (state !== null && state.kind !== 'open' && !isDamaged) {
    // The run before may have been killed after its flip.
    const { live } = state
    if (flags.ask !== true && state.kind !== 'staged' && live.restricted !== undefined) {
      const { clearDownloads } = await import('./publish.ts')
      await clearDownloads(session, live, flags.lock, (text) => log.warn('publish', text))
    }
    return skip(session, state, asOf, log)
  }
  // The build asks again, in the transaction that it reads: what is allowed there counts.
  refuseUnlessAllowed('the nightly run', await incompleteLoad(session, db, asOf), flags.override)
  if (flags.ask === true) {
    log.end('night', 'done', { asOf, isOpen: true }, `${db} as of ${asOf} is not published yet`)
    return factsOf({ command: 'nightly', outcome: 'open', asOf, who: flags.override.who })
  }
  log.enter('check')
  // Imported here because a run with nothing to do must start fast: several attempts a night are normal.
  const { buildAndPublish } = await import('./steps.ts')
  const repair = isDamaged || (state?.kind === 'open' && state.isDoubtful)
  const facts = await buildAndPublish(session, { ...flags, repair }, log, { started, allowed: before })
  // The approver of a stage must know that its flip will be refused.
  return { ...facts, warnings: [...holds, ...facts.warnings] }
}

type Listing = Pick<Extract<NightlyState, { kind: 'done' }>, 'live' | 'listedAt'>

/** What is live and may have to be mended; null if another snapshot takes its place, or if this run makes nothing live. */
function listingOf(state: NightlyState | null, live: Live | null, { stage }: Wanted): Listing | null {
  if (state !== null) return state.kind === 'done' ? state : null
  return live === null || stage === true ? null : { live, listedAt: null }
}

/** The first attempt of a day lists the live slot, and each with --again. */
async function hasDamage(
  session: Session,
  listing: Listing | null,
  { lock }: Wanted,
  log: NightlyLog,
): Promise<boolean> {
  if (listing === null) return false
  const { live, listedAt } = listing
  if (listedAt !== null && todayInBerlin(new Date(listedAt)) === session.today) return false
  const damaged = await withBucket(session, async (store) => {
    const found = await findLiveDamage(store, live)
    // Without this note, the next attempt lists the slot again.
    const onError = (error: unknown) =>
      log.warn('verify', `the history does not have this: ${reasonOf(error)}`)
    const onWarning = (warning: string) => log.warn('verify', warning)
    if (found.length === 0)
      await keepListed(store, live.snapshot, { isLocking: lock, onWarning }).catch(onError)
    return found
  })
  if (damaged.length === 0) return false
  log.warn(
    'verify',
    `${live.slot}, which is live, is damaged (${describeDamage(damaged)}): it is published again`,
  )
  return true
}

/** Fails early: the load may be hours late, and the machines of shards would begin in vain. */
async function incompleteLoad({ settings }: Session, file: string, asOf: string): Promise<Objection[]> {
  if (!settings.requireComplete) return []
  const rules = await freshnessRules(settings)
  const db = openFunds(file)
  try {
    return objectionsToLoad(db, rules, asOf, settings.load.lagDays)
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

/** `state` is null with --again. @throws {Refusal} for a wrong clock @throws {Error} if another KeyValueStore follows the bucket */
async function stateOf(session: Session, db: string, flags: Wanted, log: NightlyLog) {
  const { asOf, again, stage, override } = flags
  // Reports a file that is no database at once.
  openFunds(db).close()
  const following = await followingOf(session, flags.forgetKvs)
  const find = (store: ObjectStore, live: Live | null): Promise<NightlyState> =>
    findNightlyState(store, live, {
      asOf,
      source: async () => {
        const file = await openFile(db)
        return file.digest().finally(file.close)
      },
      settings: async () => settingsDigest(await buildOptions(session, true)),
      isAllowing: override.isForced || override.allow.length > 0,
      isStaging: stage === true,
      slots: session.settings.bucket.slots,
      pointer: following.pointer,
      signal: session.signal,
      onUnknownHistory: (error) =>
        log.warn('night', `the figures of the last runs cannot be read: ${reasonOf(error)}`),
    })
  return withBucket(session, async (store) => {
    const { live } = await readLive(store)
    assertFollowed(store, live, following)
    const state = again === true ? null : await find(store, live)
    // The door asks the guard again, when the snapshot is known, and notes what is allowed.
    const isToGoLive = stage !== true && (state === null || state.kind === 'open')
    const held = holdAgainst(null, live)
    refuseUnlessAllowed('the nightly run', isToGoLive ? held : [], override)
    const waiting = stage === true ? held : []
    const holds = waiting.map(({ message }) => `${message}; ${liftingOf('fundpress flip …')}`)
    for (const hold of holds) log.warn('night', hold)
    return {
      state,
      live,
      holds,
      allowed: refuseUnlessAllowed('the nightly run', wrongClock(store, log), override),
    }
  })
}

/** A wrong clock makes the as-of date wrong, and the check of prices in the future. */
function wrongClock(store: S3Store | FolderStore, log: NightlyLog): Objection[] {
  // A folder has the clock of this machine.
  const judged = store.kind === 'folder' ? null : judgeClock(store.behindSeconds())
  if (judged?.level === 'warning') log.warn('night', judged.says)
  return judged?.level === 'problem' ? [{ guard: 'clock', subject: null, message: judged.says }] : []
}

function skip(
  session: Session,
  state: Exclude<NightlyState, { kind: 'open' }>,
  asOf: string,
  log: NightlyLog,
): RunFacts {
  const { snapshot, slot } = state.live
  const isStaged = state.kind === 'staged'
  const hold = isStaged || state.live.hold === undefined ? null : describeHold(state.live, state.live.hold)
  if (hold !== null) log.warn('night', `${hold}; ${liftingOf('fundpress nightly')}`)
  const outcome: PublishOutcome = isStaged ? 'already staged' : 'already live'
  const already = isStaged ? `is staged already in ${slot}` : `is already live in ${slot}`
  log.end(
    'night',
    'skipped',
    { snapshot, slot, asOf, outcome },
    `${snapshot} ${already}, made from this very database: nothing to do`,
  )
  const known = { asOf, who: whoIs(session), snapshot, slot, isStaged, hold }
  return factsOf({ command: 'nightly', outcome: 'skipped', ...known })
}

/** `fundpress nightly`: all steps of a nightly run, for cron, Kubernetes, AWS Batch and GitHub Actions alike. */

import { assertFollowed } from '../../bucket/live/follow.ts'
import { type Live, readLive } from '../../bucket/live/live.ts'
import { describeDamage } from '../../bucket/live/whole.ts'
import { keepListed } from '../../bucket/nightly/history.ts'
import { findLiveDamage, findNightlyState, type NightlyState } from '../../bucket/nightly/state.ts'
import type { FolderStore } from '../../bucket/store/folder.ts'
import type { S3Store } from '../../bucket/store/s3.ts'
import type { ObjectStore } from '../../bucket/store/store.ts'
import { settingsDigest } from '../../build/options.ts'
import { completedAt } from '../../data/import/complete.ts'
import { openFile } from '../../data/read/digest.ts'
import { openFunds } from '../../data/read/open.ts'
import { todayInBerlin } from '../../guards/berlin.ts'
import { judgeClock } from '../../guards/clock.ts'
import { describeHold, holdAgainst, liftingOf } from '../../guards/going-back.ts'
import { type Objection, type Override, refuseUnlessAllowed } from '../../guards/guards.ts'
import { futureDate } from '../../guards/loss.ts'
import { replaceFile } from '../../system/durable.ts'
import { buildOptions, followingOf, overrideOf, whoIs, withBucket } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import { NothingToDo, reasonOf, UsageError } from '../failure.ts'
import { tellOfNight } from '../monitoring/notices.ts'
import { watchRun } from '../monitoring/watch.ts'
import { eventsOf, keepRun, noteUntold } from '../nightly/events.ts'
import { factsOf, factsOfFailure, type RunFacts } from '../nightly/facts.ts'
import { openLog, type NightlyLog } from '../nightly/log.ts'
import { describeReport } from '../nightly/report.ts'
import { writeForWorkflow } from '../nightly/workflow.ts'
import {
  asOfOption,
  bucketSettings,
  option,
  overrideOptions,
  required,
  wholeOption,
  type FlagsOf,
} from '../options.ts'

const options = [
  asOfOption(),
  option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot, or none'),
  option(
    '--shards <folder...>',
    'Merge these shards instead of building; --since is theirs, see `build --merge`',
  ),
  option('--stage', 'Do not make the snapshot live: `flip` does, after somebody has looked at it'),
  option('--ask', 'Only tell whether there is anything to do'),
  option('--exit-code', 'With --ask: exit with 4 if there is nothing to do'),
  wholeOption('--sample <number>', 'How many bodies to read after the publish', [1, 1_000_000], 100),
  wholeOption('--seed <number>', 'See `verify`', [0, 2 ** 32 - 1]),
  ...overrideOptions(),
  option('--no-lock', 'See `publish`'),
  option('--forget-kvs', 'See `publish`'),
  option('--again', 'Run even if the snapshot is live already'),
  option('--summary <file>', 'Write a summary in Markdown to this file, also after a failure'),
] as const

export default defineCommand({
  description:
    'Checks the database while it builds the snapshot, plans, publishes, verifies the live slot by a listing and a ' +
    'sample of bodies, and shows what is live.\n\n' +
    'If the same database is already live, as of the same day and built with the same settings, nightly does nothing: ' +
    'several attempts a night do no harm. The first one of a day lists the live slot, and mends it. After a rollback nothing goes ' +
    'live until --allow hold lifts its hold (exit code 3). If the folder holds a snapshot, only what changed since then is rendered. --since continues from ' +
    'elsewhere, as in build (other: for machines that keep no folder); --since none renders everything.\n\n' +
    'Guards refuse wrong data (exit code 3): implausible prices, losses against what is live, a wrong date or clock, and ' +
    'with requireComplete (config) a database that is not marked as complete. Nothing goes live then.\n\n' +
    'The last lines, the summary and a notice say what is new beside prices: funds that are gone, public or restricted, published prices ' +
    'that changed, and warnings. A warning that stays the same is told once; `check` lists all of them.\n\n' +
    '--stage ends with a staged snapshot: it is uploaded and verified, and what is live stays live. `flip` makes it live, under ' +
    'the same guards. If just this snapshot is staged already, nightly does nothing.\n\n' +
    'nightly removes downloads of days that lie more than downloads.keepDays back (config; 30 days), but none of the days ' +
    'in downloads.keep.\n\n' +
    'Several machines can share the work for very many funds: --ask tells first whether there is anything to do, each ' +
    'machine builds a shard (build --shard), and --shards publishes what they made. If the database or the slot of --since ' +
    'has changed meanwhile, this run warns and renders all of it itself.\n\n' +
    'heartbeat.url (config) is told when a run begins and how it ended, so that somebody hears of a night that did not even ' +
    'begin; --metrics and metrics.otlpUrl get the figures of each run. notify (config) says who is told of what: mail, Slack, Teams ' +
    'or a webhook, see `notify`.',
  settings: [
    ...(['db', 'out', 'jobs', 'docsUrl', 'quickCheck'] as const),
    ...bucketSettings,
    ...(['bucket.maxDeletes', 'edge.keyValueStore', 'metrics.file'] as const),
  ],
  options,
  json: 'Log as JSON, one object per line: time, step, event, figures',
  examples: [
    ['nightly --db funds.sqlite --bucket fund-data --region eu-central-1', 'From cron'],
    ['nightly --db funds.sqlite --bucket file:///srv/fundpress', 'Into a folder of this machine'],
    ['nightly --db funds.sqlite --bucket fund-data --since other', 'In a container that keeps nothing'],
    ['nightly --db funds.sqlite --bucket fund-data --summary night.md', 'With a summary to mail'],
    ['nightly --db funds.sqlite --bucket fund-data --stage', 'With an approval before it goes live'],
    ['nightly --db funds.sqlite --bucket fund-data --ask', 'Before several machines begin'],
    [
      'nightly --db funds.sqlite --bucket fund-data --ask --exit-code',
      'For scripts: 0 to do, 4 nothing to do',
    ],
    ['nightly --db funds.sqlite --bucket fund-data --shards parts/* --since other', 'After they have built'],
  ],
  run: async (session, { asOf = session.today, ...flags }) => {
    if (flags.exitCode === true && flags.ask !== true) throw new UsageError('--exit-code needs --ask')
    const log = openLog(session)
    const isAsking = flags.ask === true
    // The machines that it asks for never begin if it fails, so people must hear of that.
    const end = isAsking
      ? (facts: RunFacts, onUntold: () => Promise<void>) => tellOfNight(session, log, facts, onUntold)
      : await watchRun(session, log)
    const leave = (facts: RunFacts) => leaveReport(session, flags.summary, facts, log)
    let done: RunFacts
    try {
      const override = overrideOf(session, flags)
      done = await runNightly(session, { ...flags, asOf, override }, log)
      leave(done)
    } catch (error) {
      const failed = logFailure(session, error, asOf, log)
      leave(failed)
      const events = eventsOf(failed)
      const isKept = !session.signal.aborted && !(error instanceof UsageError)
      const onWarning = (warning: string) => log.warn('night', warning)
      const history = isKept ? await keepRun(session, { events }, flags.lock, onWarning) : null
      await end({ ...failed, history }, () => noteUntold(session, events, flags.lock, onWarning))
      throw error
    }
    await end(done, () => Promise.resolve())
    if (flags.exitCode === true && done.outcome === 'skipped') throw new NothingToDo()
  },
})

/** Logs that the run has failed or was refused. */
function logFailure(session: Session, error: unknown, asOf: string, log: NightlyLog): RunFacts {
  const step = log.step()
  const facts = factsOfFailure(session, error, { command: 'nightly', asOf, step, errors: [...log.errors] })
  const { outcome, reason, objections } = facts
  if (outcome === 'refused') log.refuse(step, reason ?? '', objections)
  // For people, the program itself ends with the reason.
  else if (session.isJson) log.fail(step, reason ?? '')
  return facts
}

/** Leaves the summary and the outputs. A run does not fail if they cannot be written: it warns. */
function leaveReport(session: Session, summary: string | undefined, facts: RunFacts, log: NightlyLog) {
  const trying = (what: string, write: () => void) => {
    try {
      write()
    } catch (error) {
      log.warn('night', `${what} could not be written: ${reasonOf(error)}`)
    }
  }
  if (summary !== undefined)
    trying('its summary', () => replaceFile(summary, describeReport(facts, log.warnings)))
  trying('its outputs', () => writeForWorkflow(session, facts, log.warnings))
}

type RunFlags = FlagsOf<typeof options> & { readonly asOf: string; readonly override: Override }

/** @throws {Error} the reason why a step failed, after the log has its single errors */
async function runNightly(session: Session, flags: RunFlags, log: NightlyLog): Promise<RunFacts> {
  const started = session.clock()
  const { asOf } = flags
  const db = required(session.settings.db, 'db')
  required(session.settings.bucket.name, 'bucket.name')
  log.begin('night', { asOf, database: db, folder: session.settings.out })
  refuseUnlessAllowed('the nightly run', futureDate(asOf, session.today), flags.override)
  const { state, allowed: before, holds } = await stateOf(session, db, flags, log)
  const isDamaged =
    state?.kind === 'done' && flags.ask !== true && (await hasDamage(session, state, flags, log))
  if (state !== null && state.kind !== 'open' && !isDamaged) {
    // The run before may have been killed after its flip.
    const { live } = state
    if (flags.ask !== true && state.kind !== 'staged' && live.restricted !== undefined) {
      const { clearDownloads } = await import('./publish.ts')
      await clearDownloads(session, live, flags.lock, (text) => log.warn('publish', text))
    }
    return skip(session, state, asOf, log)
  }
  const incomplete = refuseUnlessAllowed('the nightly run', incompleteLoad(session, db), flags.override)
  const allowed = [...before, ...incomplete]
  if (flags.ask === true) {
    log.end('night', 'done', { asOf, isOpen: true }, `${db} as of ${asOf} is not published yet`)
    return factsOf({ command: 'nightly', outcome: 'open', asOf, who: flags.override.who })
  }
  log.enter('check')
  // Imported here because a run with nothing to do must start fast: several attempts a night are normal.
  const { buildAndPublish } = await import('../nightly/steps.ts')
  const repair = isDamaged || (state?.kind === 'open' && state.isDoubtful)
  const facts = await buildAndPublish(session, { ...flags, repair }, log, { started, allowed })
  // Whoever approves a stage must know that its flip will be refused.
  return { ...facts, warnings: [...holds, ...facts.warnings] }
}

/** The first attempt of a day lists the live slot. @returns whether objects of it are missing or other ones */
async function hasDamage(
  session: Session,
  { live, listedAt }: Extract<NightlyState, { kind: 'done' }>,
  { lock }: RunFlags,
  log: NightlyLog,
): Promise<boolean> {
  if (listedAt !== null && todayInBerlin(new Date(listedAt)) === session.today) return false
  const damaged = await withBucket(session, async (store) => {
    const found = await findLiveDamage(store, live)
    // Nothing depends on the history: the next attempt lists the slot again.
    const onError = (error: unknown) =>
      log.warn('verify', `the history does not have this: ${reasonOf(error)}`)
    if (found.length === 0) await keepListed(store, live.snapshot, lock).catch(onError)
    return found
  })
  if (damaged.length === 0) return false
  log.warn(
    'verify',
    `${live.slot}, which is live, is damaged (${describeDamage(damaged)}): it is published again`,
  )
  return true
}

/** What the settings want: a load that is marked as complete. */
function incompleteLoad({ settings }: Session, db: string): Objection[] {
  if (!settings.requireComplete || completedAt(db) !== null) return []
  const advice = '`fundpress import --complete` marks it after the last import'
  return [
    {
      guard: 'incomplete',
      subject: null,
      message: `${db} is not marked as complete since its last change: ${advice}`,
    },
  ]
}

/**
 * @returns `state` null with --again @throws {Refusal} if the clock of this machine is wrong
 * @throws {Error} if a publish would be refused because it does not name the KeyValueStore that follows the bucket
 */
async function stateOf(session: Session, db: string, flags: RunFlags, log: NightlyLog) {
  const { asOf, again, stage, override } = flags
  // A file that is no database is an error at once.
  openFunds(db).close()
  const following = await followingOf(session, flags.forgetKvs)
  const find = (store: ObjectStore, live: Live | null): Promise<NightlyState> =>
    findNightlyState(store, live, {
      asOf,
      source: async () => {
        const file = await openFile(db)
        return file.digest().finally(file.close)
      },
      settings: async () => settingsDigest(await buildOptions(session)),
      isAllowing: override.isForced || override.allow.length > 0,
      isStaging: stage === true,
      pointer: following.pointer,
      signal: session.signal,
      onUnknownHistory: (error) =>
        log.warn('night', `the figures of the last runs cannot be read: ${reasonOf(error)}`),
    })
  return withBucket(session, async (store) => {
    const { live } = await readLive(store)
    assertFollowed(store, live, following)
    const state = again === true ? null : await find(store, live)
    // The guard is asked again at the door, when the snapshot is known: what is allowed is noted there.
    const isToGoLive = stage !== true && (state === null || state.kind === 'open')
    const held = holdAgainst(null, live)
    refuseUnlessAllowed('the nightly run', isToGoLive ? held : [], override)
    const waiting = stage === true ? held : []
    const holds = waiting.map(({ message }) => `${message}; ${liftingOf('fundpress flip …')}`)
    for (const hold of holds) log.warn('night', hold)
    return { state, holds, allowed: refuseUnlessAllowed('the nightly run', wrongClock(store, log), override) }
  })
}

/** An as-of date is today's, and a price of tomorrow would be a mistake: a wrong clock makes both wrong. */
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
  const already = isStaged ? `is staged already in ${slot}` : `is already live in ${slot}`
  const figures = { snapshot, slot, asOf, ...(isStaged ? { isStaged } : {}) }
  log.end('night', 'skipped', figures, `${snapshot} ${already}, made from this very database: nothing to do`)
  const known = { asOf, who: whoIs(session), snapshot, slot, isStaged, hold }
  return factsOf({ command: 'nightly', outcome: 'skipped', ...known })
}

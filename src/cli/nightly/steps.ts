/** The steps of a nightly run: check and build, plan, publish, verify, status. */

import { join } from 'node:path'
import { readLive } from '../../bucket/live/live.ts'
import { returnFrom } from '../../bucket/live/rollback.ts'
import { readStaged } from '../../bucket/live/staged.ts'
import { readStatus } from '../../bucket/live/status.ts'
import { keepInHistory, type NewEvent, type NightlyFigures } from '../../bucket/nightly/history.ts'
import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { costOfRequests } from '../../bucket/publish/preview.ts'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import { NotAtHand } from '../../bucket/publish/upload.ts'
import type { BuildSummary } from '../../build/build.ts'
import { manifestKey, readHeadOf, readSparse } from '../../build/manifest.ts'
import { OutdatedShards } from '../../build/shard.ts'
import { recoverSnapshot } from '../../build/staging.ts'
import { ImplausibleDatabase, RefusedDatabase, type Finding } from '../../data/check/finding.ts'
import type { LiveReader } from '../../data/check/live-prices.ts'
import { printable } from '../../data/model/printable.ts'
import { type AllowedObjection, type Override, Refusal } from '../../guards/guards.ts'
import { buildOptions, mergeOptions, withBucket } from '../from-settings.ts'
import type { Session } from '../command.ts'
import { buildSince } from '../commands/build.ts'
import { mergeSince } from '../commands/merge.ts'
import {
  doorOptions,
  eventsOfStage,
  planFolder,
  publishFolder,
  type PublishFlags,
} from '../commands/publish.ts'
import { assertMatches, describeDifference, describeVerified, Mismatch } from '../commands/verify.ts'
import { sampleOf, verifyBucket } from '../commands/verify.ts'
import { reasonOf } from '../failure.ts'
import { eventsOfAllowed } from './events.ts'
import { withLive } from '../live.ts'
import {
  countErrors,
  countFindings,
  countOf,
  describeOverdueInLine,
  describeWithheld,
  errorsFirst,
} from '../format.ts'
import { describeRemoved, formatBytes, formatCount, formatDollars } from '../format.ts'
import type { NightlyLog } from './log.ts'
import { describeChanged, type DoneRun } from './report.ts'

interface NightlySteps {
  readonly asOf: string
  /** As in `build --since`; `none`: render everything; undefined: continue from the folder, if it holds a snapshot. */
  readonly since?: string | undefined
  /** The folders of the shards to merge; undefined: build. */
  readonly shards?: readonly string[] | undefined
  readonly sample: number
  readonly seed: number | undefined
  readonly override: Override
  /** False with --no-lock. */
  readonly lock: boolean
  readonly forgetKvs?: boolean | undefined
  /** Whether the run ends with a staged snapshot. */
  readonly stage?: boolean | undefined
  /** Whether what is live is damaged: its other slot is made whole and goes live. */
  readonly repair?: boolean | undefined
}

const findingsShown = 100

/** @throws {RefusedDatabase} after the log has the findings */
export async function buildNightly(session: Session, options: NightlySteps, log: NightlyLog) {
  log.begin('check')
  const make = options.shards === undefined ? render : merge
  const making = withLive(session, 'live', (live) => make(session, options, log, live))
  const built = await making.catch((error: unknown) => {
    if (error instanceof RefusedDatabase || error instanceof ImplausibleDatabase)
      logFindings(error.findings, log)
    else log.enter('build')
    throw error
  })
  const { snapshot, funds, documents, rendered, bytes, isSparse, seconds, since, warnings } = built
  logFindings(warnings, log)
  const checked = `0 errors, ${countOf(warnings.length, 'warning')}`
  log.end('check', 'done', { errors: 0, warnings: warnings.length }, checked)
  log.enter('build')
  const { late, stale } = built.freshness
  const figures = { snapshot, funds, documents, rendered, since, isSparse, bytes, seconds, late, stale }
  const text = `${snapshot}: ${formatCount(funds)} funds, ${formatCount(documents)} documents, ${formatCount(rendered)} of them rendered, ${seconds.toFixed(1)} s`
  log.end('build', 'done', figures, text)
  if (late + stale > 0) log.warn('build', describeOverdueInLine(built))
  for (const fund of built.withheld) log.warn('build', describeWithheld(fund))
  for (const file of built.downloads?.leftOut ?? []) log.warn('build', `downloads without ${file}`)
  return built
}

async function render(
  session: Session,
  { asOf, since, override }: NightlySteps,
  log: NightlyLog,
  live: LiveReader | null,
) {
  const { settings, signal } = session
  const options = { ...(await buildOptions(session)), asOf, only: [], override, live }
  const warn = (warning: string) => log.warn('build', warning)
  const from = since === 'none' ? null : (since ?? (await snapshotFolder(settings.out, warn)))
  const stepSession = log.sessionFor('build')
  return buildSince(stepSession, from, options, warn).catch((error: unknown) => {
    const isFinal = error instanceof RefusedDatabase || error instanceof Refusal || signal.aborted
    // Nobody asked to continue from the folder, so its damage must not make every run fail.
    if (since !== undefined || from === null || isFinal) throw error
    warn(`${reasonOf(error)}: everything is rendered`)
    return buildSince(stepSession, null, options, warn)
  })
}

/**
 * The builds of the shards have decided what they continue from. If the database or the bucket has changed since, as by a run
 * before this one that was killed after its flip, this machine renders the night alone.
 */
async function merge(session: Session, steps: NightlySteps, log: NightlyLog, live: LiveReader | null) {
  const { asOf, since = 'none', shards = [] } = steps
  const options = { ...(await mergeOptions(session)), asOf, shards, live }
  const from = since === 'none' ? null : since
  const warn = (warning: string) => log.warn('build', warning)
  return mergeSince(log.sessionFor('build'), from, options, warn, true).catch((error: unknown) => {
    if (!(error instanceof OutdatedShards)) throw error
    warn(`${error.message}: this machine renders instead of merging`)
    return render(session, { ...steps, since }, log, live)
  })
}

/** The folder itself, if it holds a complete snapshot. */
async function snapshotFolder(out: string, warn: (warning: string) => void): Promise<string | null> {
  try {
    recoverSnapshot(out)
    const isComplete = (await readHeadOf(join(out, manifestKey))) !== null && readSparse(out) === null
    return isComplete ? out : null
  } catch (error) {
    warn(`${reasonOf(error)}: everything is rendered`)
    return null
  }
}

function logFindings(findings: readonly Finding[], log: NightlyLog): void {
  for (const { severity, isin, table, message } of errorsFirst(findings).slice(0, findingsShown)) {
    const place = isin === null ? table : `${printable(isin)} ${table}`
    const write = severity === 'error' ? log.fail : log.warn
    write('check', `${place}: ${message}`, { isin, table })
  }
  const rest = findings.length - findingsShown
  if (rest > 0) log.warn('check', `${formatCount(rest)} more, listed by \`fundpress check\``)
  const errors = countErrors(findings)
  if (errors === 0) return
  const counts = { errors, warnings: findings.length - errors }
  log.end('check', 'failed', counts, countFindings(findings))
}

interface Begun {
  /** By the session's clock. */
  readonly started: number
  /** What an operator has allowed before. */
  readonly allowed: readonly AllowedObjection[]
}

export async function buildAndPublish(session: Session, options: NightlySteps, log: NightlyLog, run: Begun) {
  // Only a complete snapshot has what a damaged slot may lack.
  const isSparse = options.repair === true && options.since === 'other'
  const steps = isSparse ? { ...options, since: undefined } : options
  const built = await buildNightly(session, steps, log)
  try {
    return await publishNightly(session, steps, log, { ...run, built })
  } catch (error) {
    if (!(error instanceof NotAtHand)) throw error
    log.warn('publish', `${error.message}: everything is rendered`)
    const whole = { ...steps, since: 'none', shards: undefined }
    return publishNightly(session, whole, log, { ...run, built: await buildNightly(session, whole, log) })
  }
}

async function publishNightly(
  session: Session,
  { asOf, sample, seed, override, lock, forgetKvs, stage, repair }: NightlySteps,
  log: NightlyLog,
  run: Begun & { readonly built: BuildSummary },
): Promise<DoneRun> {
  const { built, started } = run
  const flags = { override, lock, forgetKvs, stage, repair, keepDays: session.settings.downloads.keepDays }
  const { preview, cost } = await planFolder(log.begin('plan'), flags)
  const { slot, put, deleted, bytes } = preview
  const expected = `${formatCount(put)} to put, ${formatCount(deleted)} to delete, ${formatBytes(bytes)}, ${formatDollars(cost.publish)}`
  const isDone = preview.isLive
    ? 'already live, nothing to change'
    : preview.isStaged
      ? 'staged already'
      : null
  const planned = { slot, put, deleted, bytes, cost: cost.publish, costOfMonth: cost.month }
  log.end('plan', 'done', planned, isDone ?? expected)

  const warn = (warning: string) => log.warn('publish', warning)
  const published = await publishFolder(log.begin('publish'), flags, warn)
  logPublished(published, log)
  const { hasFlipped, hasStaged, isStaged } = published
  // What is live or staged already was allowed before.
  const allowed = [...run.allowed, ...(hasFlipped || hasStaged ? published.allowed : [])]
  logAllowed(allowed, log)
  const night = { asOf, snapshot: built.snapshot }
  const events = [...eventsOfAllowed(run.allowed, night), ...eventsOfStage(published, override)]

  const keep = async (isVerified: boolean) => {
    const figures: NightlyFigures = {
      asOf,
      snapshot: built.snapshot,
      edition: published.edition,
      funds: built.funds,
      documents: built.documents,
      changed: published.changed,
      written: published.put + published.deleted,
      bytes: built.bytes,
      cost: costOf(published, session),
      oldestPrice: built.oldestPrice?.day ?? null,
      seconds: (session.clock() - started) / 1000,
      isVerified,
      finishedAt: session.now().toISOString(),
    }
    const { who } = override
    const done = { kind: 'done', asOf, who, reason: null, snapshot: built.snapshot } as const
    const all = isVerified ? [done, ...events] : events
    return { figures, history: await keepInBucket(session, { figures, events: all }, lock, log) }
  }
  const verifying = verifySample(log.begin('verify'), sampleOf(sample, seed), isStaged, log)
  const verified = await verifying.catch(async (error: unknown) => {
    await keep(false)
    throw error instanceof Mismatch && hasFlipped
      ? await goneBack(session, flags, built.snapshot, error, log)
      : error
  })
  const newestPrice = await logStatus(log.begin('status'), isStaged, log)
  const { figures, history } = await keep(true)
  const { documents, written = 0, seconds } = figures
  const text = `done in ${seconds.toFixed(1)} s: ${describeChanged(figures)} documents changed of ${formatCount(documents)}, ${formatCount(written)} files put or deleted, ${formatDollars(figures.cost)}`
  const staged = isStaged ? `; \`fundpress flip ${built.snapshot}\` makes it live` : ''
  log.end('night', 'done', { ...figures, slot: published.slot, ...(isStaged && { isStaged }) }, text + staged)
  const shown = { costOfMonth: cost.month, newestPrice, verified, allowed, history }
  return { kind: 'done', figures, built, published, ...shown }
}

/** The sample of what has just gone live is damaged: what was live before goes live again. @returns the error of the run */
async function goneBack(
  session: Session,
  flags: PublishFlags,
  snapshot: string,
  error: Mismatch,
  log: NightlyLog,
): Promise<Error> {
  const { settings, signal } = session
  const onWarning = (warning: string) => log.warn('verify', warning)
  try {
    const back = await withBucket(session, async (store) =>
      returnFrom(store, snapshot, {
        ...settings.bucket,
        ...(await doorOptions(session, flags)),
        signal,
        onWarning,
      }),
    )
    const what =
      back === null ? 'another snapshot is live by now' : `${back.snapshot} is live again, in ${back.slot}`
    return new Error(`${error.message}; ${what}. The next run uploads all of ${snapshot} again`, {
      cause: error,
    })
  } catch (cause) {
    signal.throwIfAborted()
    return new Error(
      `${error.message}; ${snapshot} stays live: what was live before cannot come back (${reasonOf(cause)})`,
      {
        cause,
      },
    )
  }
}

function logPublished(published: PublishSummary, log: NightlyLog): void {
  const { snapshot, slot, hasFlipped, hasStaged, isStaged, put, deleted, bytes, seconds, requests } =
    published
  const removed = describeRemoved(published.removed)
  const state = isStaged ? 'staged' : 'live'
  const done =
    hasFlipped || hasStaged
      ? `${snapshot} is ${state} in ${slot}: ${formatCount(put)} put, ${formatCount(deleted)} deleted, ${seconds.toFixed(1)} s`
      : `${snapshot} is already ${state} in ${slot}`
  const text = removed === null ? done : `${done}; ${removed}`
  log.end(
    'publish',
    'done',
    { snapshot, slot, hasFlipped, isStaged, put, deleted, bytes, requests, seconds, removed },
    text,
  )
}

/** A step shows at most ten annotations. */
const allowedLogged = 5

function logAllowed(allowed: readonly AllowedObjection[], log: NightlyLog): void {
  for (const { guard, message, who, reason } of allowed.slice(0, allowedLogged))
    log.warn('publish', `${who} has allowed ${guard} ("${reason}"): ${message}`)
  const rest = allowed.length - allowedLogged
  if (rest > 0) log.warn('publish', `${formatCount(rest)} more were allowed: see changes/ and the summary`)
}

function costOf({ requests }: PublishSummary, { settings }: Session): number {
  const { PutObject = 0, GetObject = 0, ListObjectsV2 = 0, DeleteObjects = 0 } = requests
  return costOfRequests({ PutObject, GetObject, ListObjectsV2, DeleteObjects }, settings.prices)
}

const differencesShown = 100

/** @returns what was verified, in words @throws {Error} if the slot that was published does not match its manifest */
async function verifySample(
  session: Session,
  wanted: ReturnType<typeof sampleOf>,
  isStaged: boolean,
  log: NightlyLog,
) {
  let shown = 0
  const show = (difference: ObjectDifference) => {
    if (shown++ < differencesShown) log.fail('verify', describeDifference(difference))
  }
  // The publish has listed the slot, and searched the downloads of earlier days.
  const verified = await verifyBucket(session, wanted, show, { keep: null, isStaged, isListing: false })
  assertMatches(verified)
  const { objects, bodies, differences } = verified.found
  const figures = { objects, bodies, differences, seed: wanted.seed }
  log.end('verify', 'done', figures, describeVerified(verified.found, wanted))
  return `${formatCount(objects)} objects listed, ${formatCount(bodies)} bodies read (seed ${wanted.seed})`
}

/** @returns the newest price of what was published @throws {Error} if nothing is live or staged, contrary to what all steps before did */
async function logStatus(session: Session, isStaged: boolean, log: NightlyLog): Promise<string | null> {
  const { live, staged, other, name } = await withBucket(session, async (store) => {
    try {
      const found = await readStatus(store)
      return { live: found.live.live, staged: found.staged, other: found.other, name: store.name }
    } catch (error) {
      session.signal.throwIfAborted()
      // The live slot is verified, so this run does not fail. The next one would.
      const advice = '`fundpress publish --repair` repairs a damaged slot'
      log.warn('status', `the state of the other slot is unknown: ${reasonOf(error)}; ${advice}`)
      const { live: now } = await readLive(store)
      return { live: now, staged: await readStaged(store, now), other: null, name: store.name }
    }
  })
  if (isStaged) {
    if (staged === null) throw new Error(`${name}: nothing is staged`)
    const { snapshot, slot, liveSince, newestPrice } = staged
    const now = live === null ? 'nothing is live' : `${live.snapshot} stays live in ${live.slot}`
    const figures = { snapshot: live?.snapshot ?? null, staged: snapshot, slot, stagedSince: liveSince }
    log.end('status', 'done', figures, `${snapshot} is staged in ${slot} since ${liveSince}; ${now}`)
    return newestPrice
  }
  if (live === null) throw new Error(`${name}: nothing is live`)
  const { snapshot, slot, liveSince } = live
  const before = other?.head?.snapshot ?? null
  const otherIsWhole = other?.isWhole ?? false
  const again = other?.isReverted === true ? ' --allow hold' : ''
  const back = otherIsWhole ? `; rollback${again} would make ${before ?? ''} live` : ''
  const figures = { snapshot, slot, liveSince, other: before, otherIsWhole }
  log.end('status', 'done', figures, `${snapshot} in ${slot} since ${liveSince}${back}`)
  return live.newestPrice
}

/** Nothing depends on the history: if it cannot be written, the run warns. */
async function keepInBucket(
  session: Session,
  run: { readonly figures: NightlyFigures; readonly events: readonly NewEvent[] },
  isLocking: boolean,
  log: NightlyLog,
) {
  try {
    return await withBucket(session, (store) => keepInHistory(store, run, isLocking))
  } catch (error) {
    log.warn('night', `the figures of this run could not be kept: ${reasonOf(error)}`)
    return { nights: [], events: [], added: [], isRepeated: false }
  }
}

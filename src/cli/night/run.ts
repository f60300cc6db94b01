/** The steps of a night, one after the other: check and build, plan, publish, verify, status. */

import type { Live } from '../../publish/live.ts'
import type { Verified } from '../../publish/verify-slot.ts'
import type { Difference } from '../../publish/verify.ts'
import type { NightFigures } from '../../night/figures.ts'
import type { PublishSummary } from '../../publish/publish.ts'
import { costOfRequests } from '../../publish/cost.ts'
import { withBucket } from '../bucket.ts'
import { planFolder } from '../commands/plan.ts'
import { publishFolder } from '../commands/publish.ts'
import { assertWhole, describeDifference, describeWhole, sampleOf, verifyBucket } from '../commands/verify.ts'
import { reasonOf } from '../failure.ts'
import { required } from '../options.ts'
import type { Session } from '../session.ts'
import { formatBytes, formatCount, formatDollars } from '../summary.ts'
import { buildNight } from './build.ts'
import { describeChanged } from './summary.ts'
import type { NightLog, Step } from './log.ts'
import type { DoneNight, OpenNight, SkippedNight } from './report.ts'
import { findStanding, type NightStanding } from './standing.ts'

export interface NightOptions {
  readonly asOf: string
  /** As of `build --since`; null: everything is rendered; undefined: from the folder, if it holds a snapshot. */
  readonly since: string | null | undefined
  /** The folders of shards that the snapshot is merged from; null: it is built. */
  readonly shards: readonly string[] | null
  /** Whether nothing is done but to find out whether there is something to do. */
  readonly isAsking: boolean
  /** How many bodies are read after the publish. */
  readonly sample: number
  readonly seed: number | undefined
  readonly isForced: boolean
  readonly isLocking: boolean
  /** Whether a night that is done is done once more. */
  readonly isAgain: boolean
}

/** @param onStep told which step begins @throws {Error} what the step failed with, after the log was told its parts */
export async function runNight(
  session: Session,
  options: NightOptions,
  log: NightLog,
  onStep: (step: Step) => void,
): Promise<DoneNight | SkippedNight | OpenNight> {
  const started = session.clock()
  const { asOf } = options
  const db = required(session.settings.db, 'db')
  required(session.settings.bucket.name, 'bucket.name')
  const begin = (step: Step) => {
    onStep(step)
    log.begin(step)
    return log.sessionFor(step)
  }
  log.begin('night', { asOf, database: db, folder: session.settings.out })
  const standing = options.isAgain ? null : await findStanding(session, db, asOf, log)
  if (standing !== null && standing.kind !== 'open') return skip(standing, asOf, log)
  if (options.isAsking) {
    log.end('night', 'done', { asOf, isOpen: true }, `${db} as of ${asOf} is to be published`)
    return { kind: 'open', asOf }
  }

  onStep('check')
  const built = await buildNight(session, options, log, onStep)
  // Another file with the same in it, as a delivery that was made once more.
  if (standing?.back?.snapshot === built.snapshot) return skip(standing.back, asOf, log)

  const flags = { force: options.isForced, lock: options.isLocking }
  const { preview, cost } = await planFolder(begin('plan'), flags)
  const { put, deleted, bytes } = preview
  const expected = `${formatCount(put)} to put, ${formatCount(deleted)} to delete, ${formatBytes(bytes)}, ${formatDollars(cost.publish)}`
  const planned = { slot: preview.slot, put, deleted, bytes, cost: cost.publish, costOfMonth: cost.month }
  log.end('plan', 'done', planned, preview.isLive ? 'live already, nothing to change' : expected)

  const published = await publishFolder(begin('publish'), flags, (warning) => log.warn('publish', warning))
  tellPublished(published, log)

  const figures = {
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
  }
  const keep = async (isVerified: boolean) => {
    const seconds = (session.clock() - started) / 1000
    const night = { ...figures, seconds, isVerified, finishedAt: session.now().toISOString() }
    return { night, history: await keepInBucket(session, night, options.isLocking, log) }
  }
  const verified = await verifySample(begin('verify'), options, log).catch(async (error: unknown) => {
    await keep(false)
    throw error
  })
  const live = await tellStatus(begin('status'), log)
  const { night, history } = await keep(true)
  const report: DoneNight = {
    kind: 'done',
    figures: night,
    slot: published.slot,
    put: published.put,
    deleted: published.deleted,
    costOfMonth: cost.month,
    freshness: built.freshness,
    newestPrice: live.newestPrice,
    oldestIsin: built.oldestPrice?.isin ?? null,
    verified,
    history,
  }
  const text = `done in ${night.seconds.toFixed(1)} s: ${describeChanged(night)} documents changed, ${formatCount(night.documents)} in all, ${formatCount(night.written)} files put or deleted, ${formatDollars(night.cost)}`
  log.end('night', 'done', { ...night, slot: published.slot }, text)
  return report
}

function skip(standing: Exclude<NightStanding, { kind: 'open' }>, asOf: string, log: NightLog): SkippedNight {
  const { snapshot, slot, liveSince } = standing.live
  const takenBack = standing.kind === 'takenBack' ? standing.snapshot : null
  if (takenBack !== null)
    log.warn(
      'night',
      `${takenBack} was taken back by a rollback (${liveSince}), and this night would publish it again: ` +
        `${snapshot} stays live; --again publishes it all the same`,
    )
  const text =
    takenBack === null
      ? `${snapshot} is live in ${slot} already, made of this very database: nothing to do`
      : `${snapshot} stays live in ${slot}: nothing to do`
  log.end('night', 'skipped', { snapshot, slot, asOf }, text)
  return { kind: 'skipped', snapshot, slot, asOf, takenBack }
}

function tellPublished(published: PublishSummary, log: NightLog): void {
  const { snapshot, slot, hasFlipped, put, deleted, bytes, seconds } = published
  const text = hasFlipped
    ? `${snapshot} is live in ${slot}: ${formatCount(put)} put, ${formatCount(deleted)} deleted, ${seconds.toFixed(1)} s`
    : `${snapshot} is live already in ${slot}`
  log.end('publish', 'done', { snapshot, slot, hasFlipped, put, deleted, bytes, seconds }, text)
}

function costOf({ requests }: PublishSummary, { settings }: Session): number {
  const count = (name: string) => requests[name] ?? 0
  const billed = {
    PutObject: count('PutObject'),
    GetObject: count('GetObject'),
    ListObjectsV2: count('ListObjectsV2'),
    DeleteObjects: count('DeleteObjects'),
  }
  return costOfRequests(billed, settings.prices)
}

const differencesTold = 100

/** @returns what was found, in words @throws {Error} if the live slot is not as its manifest says */
async function verifySample(
  session: Session,
  { sample, seed }: NightOptions,
  log: NightLog,
): Promise<string> {
  const wanted = sampleOf(sample, seed)
  const seen = new Set<Difference['what']>()
  let told = 0
  const { name, found }: { name: string; found: Verified } = await verifyBucket(
    session,
    wanted,
    (difference) => {
      seen.add(difference.what)
      if (told++ < differencesTold) log.fail('verify', describeDifference(difference))
    },
  )
  assertWhole(name, found, seen)
  const text = describeWhole(found, wanted)
  const { objects, bodies, differences } = found
  log.end(
    'verify',
    'done',
    { objects, bodies, differences, ...('seed' in wanted ? { seed: wanted.seed } : {}) },
    text,
  )
  return `${formatCount(objects)} objects listed, ${formatCount(bodies)} bodies read${'seed' in wanted ? ` (seed ${wanted.seed})` : ''}`
}

/** @throws {Error} if nothing is live, against all that was done before */
async function tellStatus(session: Session, log: NightLog): Promise<Live> {
  const { readStatus } = await import('../../publish/status.ts')
  const { readLive } = await import('../../publish/live.ts')
  const { live, other, name } = await withBucket(session, async (store) => {
    try {
      const found = await readStatus(store)
      return { live: found.live.live, other: found.other, name: store.name }
    } catch (error) {
      session.signal.throwIfAborted()
      // What is live is verified: it is no reason to fail, but the next night would.
      const advice = '`fundpress publish --repair` puts a slot that is damaged right'
      log.warn('status', `what stands by cannot be told: ${reasonOf(error)}; ${advice}`)
      return { live: (await readLive(store)).live, other: null, name: store.name }
    }
  })
  if (live === null) throw new Error(`${name}: nothing is live`)
  const { snapshot, slot, liveSince } = live
  const before = other?.head?.snapshot ?? null
  const back = other?.isWhole === true ? `; ${before ?? ''} stands by in ${other.slot}` : ''
  const text = `${snapshot} in ${slot} since ${liveSince}${back}`
  log.end(
    'status',
    'done',
    { snapshot, slot, liveSince, other: before, otherIsWhole: other?.isWhole ?? false },
    text,
  )
  return live
}

/** Nothing depends on the history: where it cannot be kept, that is said and no more. */
async function keepInBucket(
  session: Session,
  night: NightFigures,
  isLocking: boolean,
  log: NightLog,
): Promise<readonly NightFigures[]> {
  const { keepNight } = await import('../../night/keep-history.ts')
  try {
    return await withBucket(session, (store) => keepNight(store, night, isLocking))
  } catch (error) {
    log.warn('night', `the figures of this night could not be kept: ${reasonOf(error)}`)
    return []
  }
}

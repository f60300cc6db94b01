/** The steps of a nightly run after the build: plan, publish, verify, status. */

import { readLive, type Live } from '../../bucket/live/live.ts'
import { readStatus } from '../../bucket/live/status.ts'
import { keepFigures, type NightlyFigures } from '../../bucket/nightly/history.ts'
import { costOfRequests } from '../../bucket/publish/preview.ts'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import type { BuildSummary } from '../../build/build.ts'
import { withBucket } from '../bucket.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { formatBytes, formatCount, formatDollars } from '../format.ts'
import { planFolder, publishFolder } from '../commands/publish.ts'
import {
  assertMatches,
  describeDifference,
  describeVerified,
  sampleOf,
  verifyBucket,
} from '../commands/verify.ts'
import type { NightlyLog } from './log.ts'
import { describeChanged, type DoneRun } from './report.ts'

interface NightlySteps {
  readonly asOf: string
  readonly sample: number
  readonly seed: number | undefined
  readonly force: boolean | undefined
  /** False with --no-lock. */
  readonly lock: boolean
}

/** @param started of the run, by the session's clock */
export async function publishNightly(
  session: Session,
  { asOf, sample, seed, force, lock }: NightlySteps,
  log: NightlyLog,
  { built, started }: { readonly built: BuildSummary; readonly started: number },
): Promise<DoneRun> {
  const { preview, cost } = await planFolder(log.begin('plan'), { force, lock })
  const { slot, put, deleted, bytes } = preview
  const expected = `${formatCount(put)} to put, ${formatCount(deleted)} to delete, ${formatBytes(bytes)}, ${formatDollars(cost.publish)}`
  const planned = { slot, put, deleted, bytes, cost: cost.publish, costOfMonth: cost.month }
  log.end('plan', 'done', planned, preview.isLive ? 'already live, nothing to change' : expected)

  const warn = (warning: string) => log.warn('publish', warning)
  const published = await publishFolder(log.begin('publish'), { force, lock }, warn)
  logPublished(published, log)

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
    return { figures, history: await keepInBucket(session, figures, lock, log) }
  }
  const verifying = verifySample(log.begin('verify'), sampleOf(sample, seed), log)
  const verified = await verifying.catch(async (error: unknown) => {
    await keep(false)
    throw error
  })
  const { newestPrice } = await logStatus(log.begin('status'), log)
  const { figures, history } = await keep(true)
  const { documents, written = 0, seconds } = figures
  const text = `done in ${seconds.toFixed(1)} s: ${describeChanged(figures)} documents changed of ${formatCount(documents)}, ${formatCount(written)} files put or deleted, ${formatDollars(figures.cost)}`
  log.end('night', 'done', { ...figures, slot: published.slot }, text)
  return { kind: 'done', figures, built, published, costOfMonth: cost.month, newestPrice, verified, history }
}

function logPublished(published: PublishSummary, log: NightlyLog): void {
  const { snapshot, slot, hasFlipped, put, deleted, bytes, seconds } = published
  const text = hasFlipped
    ? `${snapshot} is live in ${slot}: ${formatCount(put)} put, ${formatCount(deleted)} deleted, ${seconds.toFixed(1)} s`
    : `${snapshot} is already live in ${slot}`
  log.end('publish', 'done', { snapshot, slot, hasFlipped, put, deleted, bytes, seconds }, text)
}

function costOf({ requests }: PublishSummary, { settings }: Session): number {
  const { PutObject = 0, GetObject = 0, ListObjectsV2 = 0, DeleteObjects = 0 } = requests
  return costOfRequests({ PutObject, GetObject, ListObjectsV2, DeleteObjects }, settings.prices)
}

const differencesShown = 100

/** @returns what was verified, in words @throws {Error} if the live slot does not match its manifest */
async function verifySample(
  session: Session,
  wanted: ReturnType<typeof sampleOf>,
  log: NightlyLog,
): Promise<string> {
  let shown = 0
  const verified = await verifyBucket(session, wanted, (difference) => {
    if (shown++ < differencesShown) log.fail('verify', describeDifference(difference))
  })
  assertMatches(verified)
  const { objects, bodies, differences } = verified.found
  const figures = { objects, bodies, differences, seed: wanted.seed }
  log.end('verify', 'done', figures, describeVerified(verified.found, wanted))
  return `${formatCount(objects)} objects listed, ${formatCount(bodies)} bodies read (seed ${wanted.seed})`
}

/** @throws {Error} if nothing is live, contrary to what all steps before did */
async function logStatus(session: Session, log: NightlyLog): Promise<Live> {
  const { live, other, name } = await withBucket(session, async (store) => {
    try {
      const found = await readStatus(store)
      return { live: found.live.live, other: found.other, name: store.name }
    } catch (error) {
      session.signal.throwIfAborted()
      // The live slot is verified, so this run does not fail. The next one would.
      const advice = '`fundpress publish --repair` repairs a damaged slot'
      log.warn('status', `the state of the other slot is unknown: ${reasonOf(error)}; ${advice}`)
      return { live: (await readLive(store)).live, other: null, name: store.name }
    }
  })
  if (live === null) throw new Error(`${name}: nothing is live`)
  const { snapshot, slot, liveSince } = live
  const before = other?.head?.snapshot ?? null
  const otherIsWhole = other?.isWhole ?? false
  const back = otherIsWhole ? `; rollback would make ${before ?? ''} live` : ''
  const figures = { snapshot, slot, liveSince, other: before, otherIsWhole }
  log.end('status', 'done', figures, `${snapshot} in ${slot} since ${liveSince}${back}`)
  return live
}

/** Nothing depends on the history: if it cannot be written, the run warns. */
async function keepInBucket(
  session: Session,
  figures: NightlyFigures,
  isLocking: boolean,
  log: NightlyLog,
): Promise<readonly NightlyFigures[]> {
  try {
    return await withBucket(session, (store) => keepFigures(store, figures, isLocking))
  } catch (error) {
    log.warn('night', `the figures of this run could not be kept: ${reasonOf(error)}`)
    return []
  }
}

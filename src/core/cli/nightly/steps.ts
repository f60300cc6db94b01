/** The steps of a nightly run after its build: plan, publish, verify, status. */

import { isSlotWord } from '../../bucket/manifest/sources.ts'
import { readLive } from '../../bucket/live/live.ts'
import { returnFrom } from '../../bucket/live/rollback.ts'
import { readStaged } from '../../bucket/live/staged.ts'
import { readStatus } from '../../bucket/live/status.ts'
import type { NewEvent, NightlyFigures, Recalled } from '../../bucket/nightly/history.ts'
import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { costOfMonth, costOfRequests, noRequests } from '../../bucket/publish/preview.ts'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import type { Plan } from '../../bucket/publish/snapshot.ts'
import { NotAtHand } from '../../bucket/publish/upload.ts'
import type { BuildSummary } from '../../snapshot/build.ts'
import type { AllowedObjection } from '../../guards/guards.ts'
import { withBucket } from '../from-settings.ts'
import { doorOptions } from '../bucket.ts'
import type { Session } from '../command.ts'
import { publishFolder, type PublishFlags } from './publish.ts'
import { assertMatches, describeDifference, describeVerified, Mismatch } from './verify.ts'
import { sampleOf, verifyBucket } from './verify.ts'
import { tellNews } from '../end.ts'
import { reasonOf } from '../failure.ts'
import { describeChanged, describeRemoved, formatBytes, formatCount, formatDollars } from '../format.ts'
import { buildNightly, type BuildSteps } from './build.ts'
import { everythingRendered } from './build-since.ts'
import { eventOf, eventsOf, eventsOfAllowed, keepRun, recallWarnings } from '../events.ts'
import { factsOfPublish, type RunFacts } from '../facts.ts'
import type { NightlyLog } from './log.ts'
import { linesOfRun } from './news.ts'
import { type NightStates, statesOfNight } from './states.ts'

/** With `repair`, the live slot is damaged: the other one is made whole and goes live. */
export interface NightlySteps extends BuildSteps, Omit<PublishFlags, 'deep' | 'keepDays'> {
  readonly sample: number
  readonly seed?: number | undefined
}

/** The snapshot was live already, and the sample of it is damaged. */
class LiveDamage extends Error {}

interface Begun {
  /** By the session's clock. */
  readonly started: number
  readonly allowed: readonly AllowedObjection[]
}

export async function buildAndPublish(
  session: Session,
  options: NightlySteps,
  log: NightlyLog,
  run: Begun,
): Promise<RunFacts> {
  // Only a complete snapshot has all files that a damaged slot may lack.
  const isSparse = options.repair === true && isSlotWord(options.since ?? '')
  const steps = isSparse ? { ...options, since: undefined } : options
  const recalled = await recallWarnings(session)
  const publishing = async (some: NightlySteps) => {
    const made = await buildNightly(session, some, log, recalled)
    const allowed = [...run.allowed, ...(made.built.night?.allowed ?? [])]
    const states = statesOfNight(recalled.states, made.built.night)
    const { missing } = states
    if (missing !== null) log.note('build', `no price of ${missing} came, though it was expected`)
    return publishNightly(session, some, log, { ...run, ...made, allowed, recalled, states })
  }
  return publishing(steps).catch((error: unknown) => {
    if (error instanceof LiveDamage) {
      log.warn('verify', `what is live is damaged (${error.message}): it is published again`)
      // The files are those of the build above, unless it made only those that a slot lacked.
      const complete = isSlotWord(steps.since ?? '') ? { since: undefined, shards: undefined } : {}
      return publishing({ ...steps, ...complete, repair: true })
    }
    if (!(error instanceof NotAtHand)) throw error
    log.warn('publish', everythingRendered(error.found))
    return publishing({ ...steps, since: 'none', shards: undefined })
  })
}

interface Made extends Begun {
  readonly built: BuildSummary
  readonly warnings: readonly string[]
  /** Warnings that earlier runs have reported. */
  readonly toldBefore: readonly string[]
  readonly recalled: Recalled
  readonly states: NightStates
}

/** A run after its build: what each of its steps needs. */
interface Night {
  readonly session: Session
  readonly options: NightlySteps
  readonly flags: PublishFlags
  readonly log: NightlyLog
  readonly made: Made
}

async function publishNightly(
  session: Session,
  options: NightlySteps,
  log: NightlyLog,
  made: Made,
): Promise<RunFacts> {
  const { override, lock, forgetKvs, stage, repair } = options
  const flags = { override, lock, forgetKvs, stage, repair, keepDays: session.settings.downloads.keepDays }
  const night: Night = { session, options, flags, log, made }
  const published = await publish(night)
  const verified = await verify(night, published)
  const newestPrice = await logStatus(log.begin('status'), published.facts.isStaged, log)
  const { figures, history } = await keep(night, published, true)
  logDone(night, published, figures)
  const { built, toldBefore, states } = made
  const facts = {
    built,
    published: published.summary,
    costOfMonth: monthOf(night, published.summary),
    newestPrice,
    verified,
    toldBefore,
    states,
  }
  return { ...published.facts, figures, night: facts, history }
}

interface Published {
  readonly summary: PublishSummary
  /** Of the run so far. */
  readonly facts: RunFacts
  /** Events of the publish: that of a stage, and what was allowed for it. */
  readonly events: readonly NewEvent[]
}

async function publish({ session, options, flags, log, made }: Night): Promise<Published> {
  const warnings = [...made.warnings]
  const summary = await publishFolder(log.begin('publish'), flags, {
    onWarning: (warning) => {
      log.warn('publish', warning)
      if (made.recalled.isNew(warning)) warnings.push(warning)
    },
    onPlan: (plan) => logPlan(plan, log),
  })
  logPublished(summary, costOf(summary, session), log)
  const facts = factsOfPublish('nightly', summary, options.override)
  const allowed = [...made.allowed, ...facts.allowed]
  logAllowed(allowed, log)
  return { summary, facts: { ...facts, asOf: options.asOf, allowed, warnings }, events: eventsOf(facts) }
}

/**
 * Verifies a sample of bodies. If the snapshot has just gone live and is damaged, the one before comes back.
 * @returns the result in words @throws {LiveDamage} if the snapshot was live before
 */
async function verify(night: Night, published: Published): Promise<string> {
  const { session, options, flags, log, made } = night
  const { outcome } = published.summary
  const sample = sampleOf(options.sample, options.seed)
  try {
    return await verifySample(log.begin('verify'), sample, published.facts.isStaged, log)
  } catch (error) {
    await keep(night, published, false)
    const isDamaged = error instanceof Mismatch
    if (isDamaged && outcome === 'already live' && options.repair !== true)
      throw new LiveDamage(error.message, { cause: error })
    const end =
      isDamaged && outcome === 'flipped'
        ? await goneBack(session, flags, made.built.snapshot, error, log)
        : { isBack: false, failure: error }
    // The next attempt finds the snapshot live or staged, and knows nothing of its news.
    if (!end.isBack) await tellNews(session, published.facts, warnOf(night))
    throw end.failure
  }
}

/** Keeps the figures and the events of the run in the history. */
async function keep(night: Night, { summary, events }: Published, isVerified: boolean) {
  const { session, options, made } = night
  const figures = figuresOf(night, summary, isVerified)
  const { asOf, snapshot } = figures
  const done = eventOf({ kind: 'done', asOf, snapshot, who: options.override.who, reason: null })
  const all = [...eventsOfAllowed(made.allowed, { asOf, snapshot }), ...events]
  const told = { told: made.recalled.seen(), states: made.states.now }
  const kept = isVerified ? { events: [done, ...all], ...told } : { events: all }
  return { figures, history: await keepRun(session, { figures, ...kept }, options.lock, warnOf(night)) }
}

const warnOf =
  ({ log }: Night) =>
  (warning: string) =>
    log.warn('night', warning)

function figuresOf({ session, made }: Night, published: PublishSummary, isVerified: boolean): NightlyFigures {
  const { asOf, snapshot, funds, documents, bytes, oldestPrice } = made.built
  return {
    asOf,
    snapshot,
    edition: published.edition,
    funds,
    documents,
    changed: published.changed,
    bytes,
    isVerified,
    written: published.put + published.deleted,
    cost: costOf(published, session),
    oldestPrice: oldestPrice?.day ?? null,
    seconds: (session.clock() - made.started) / 1000,
    finishedAt: session.now().toISOString(),
  }
}

function logDone({ log, made }: Night, { summary, facts }: Published, figures: NightlyFigures): void {
  for (const line of linesOfRun(facts)) log.note('night', line)
  const { slot, isStaged, news } = facts
  const text = `done in ${figures.seconds.toFixed(1)} s: ${describeChanged(figures)} documents changed of ${formatCount(made.built.documents)}, ${formatCount(figures.written)} files put or deleted, ${formatDollars(figures.cost)}`
  const staged = isStaged ? `; \`fundpress flip ${made.built.snapshot}\` makes it live` : ''
  log.end('night', 'done', { ...figures, slot, outcome: summary.outcome, news }, text + staged)
}

/** Makes the snapshot before live again, because the sample of the new one is damaged. @returns the error of the run, too */
async function goneBack(
  session: Session,
  flags: PublishFlags,
  snapshot: string,
  error: Mismatch,
  log: NightlyLog,
) {
  const onWarning = (warning: string) => log.warn('verify', warning)
  const end = (isBack: boolean, what: string, cause: unknown = error) => {
    return { isBack, failure: new Error(`${error.message}; ${what}`, { cause }) }
  }
  try {
    const back = await withBucket(session, async (store) =>
      returnFrom(store, snapshot, { ...(await doorOptions(session, flags)), onWarning }),
    )
    if (back === null) return end(false, 'nothing was live before it, or another one is live by now')
    const now = `${back.snapshot} is live again, in ${back.slot}`
    return end(true, `${now}. The next run uploads all of ${snapshot} again`)
  } catch (cause) {
    session.signal.throwIfAborted()
    const why = `what was live before cannot come back (${reasonOf(cause)})`
    return end(false, `${snapshot} stays live: ${why}`, cause)
  }
}

function logPlan({ slot, state, put, deleted, bytes }: Plan, log: NightlyLog): void {
  const texts = {
    new: `${formatCount(put)} to put, ${formatCount(deleted)} to delete, ${formatBytes(bytes)}`,
    live: 'already live, nothing to change',
    staged: 'staged already',
  }
  log.end('plan', 'done', { slot, put, deleted, bytes }, texts[state])
}

function logPublished(published: PublishSummary, cost: number, log: NightlyLog): void {
  const { snapshot, slot, outcome, put, deleted, bytes, seconds, requests } = published
  const removed = describeRemoved(published.removed)
  const isNew = outcome === 'flipped' || outcome === 'staged'
  const state = outcome === 'flipped' ? 'live' : outcome
  const work = `: ${formatCount(put)} put, ${formatCount(deleted)} deleted, ${seconds.toFixed(1)} s`
  const done = `${snapshot} is ${state} in ${slot}${isNew ? work : ''}`
  const text = removed === null ? done : `${done}; ${removed}`
  const figures = { snapshot, slot, outcome, put, deleted, bytes, requests, cost, seconds, removed }
  log.end('publish', 'done', figures, text)
}

/** Few, because a step shows at most ten annotations. */
const allowedLogged = 5

function logAllowed(allowed: readonly AllowedObjection[], log: NightlyLog): void {
  for (const { guard, message, who, reason } of allowed.slice(0, allowedLogged))
    log.warn('publish', `${who} has allowed ${guard} ("${reason}"): ${message}`)
  const rest = allowed.length - allowedLogged
  if (rest > 0) log.warn('publish', `${formatCount(rest)} more were allowed: see changes/ and the summary`)
}

/** In dollars. */
const costOf = ({ requests }: PublishSummary, { settings }: Session): number =>
  costOfRequests({ ...noRequests, ...requests }, settings.storePrices)

/** Thirty such publishes, and the storage, in dollars. */
function monthOf({ session, made }: Night, { requests }: PublishSummary): number {
  const { storePrices, bucket } = session.settings
  return costOfMonth({ ...noRequests, ...requests }, bucket.slots * made.built.bytes, storePrices)
}

const differencesShown = 100

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
  // The publish has listed the slot, and checked the downloads of earlier days.
  const verified = await verifyBucket(session, wanted, show, { keep: null, isStaged, isListing: false })
  assertMatches(verified)
  const { objects, bodies, differences } = verified.found
  const figures = { objects, bodies, differences, seed: wanted.seed }
  log.end('verify', 'done', figures, describeVerified(verified.found, wanted))
  return `${formatCount(objects)} objects listed, ${formatCount(bodies)} bodies read (seed ${wanted.seed})`
}

/** @returns the day of the newest published price @throws {Error} if nothing is live or staged, contrary to all steps before */
async function logStatus(session: Session, isStaged: boolean, log: NightlyLog): Promise<string | null> {
  const { live, staged, other, name } = await withBucket(session, async (store) => {
    try {
      const found = await readStatus(store, session.settings.bucket.slots)
      return { live: found.live.live, staged: found.staged, other: found.other, name: store.name }
    } catch (error) {
      session.signal.throwIfAborted()
      // The live slot is verified, so this run does not fail. The next run would.
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

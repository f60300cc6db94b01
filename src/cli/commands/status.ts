/** `fundpress status`: what is live, whether it is up to date, and what the other slot holds. */

import { resolve } from 'node:path'
import { heldMessage, isHeldByOther } from '../../bucket/live/journal.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import type { Hold, LiveSnapshot } from '../../bucket/live/live.ts'
import { fetchHistory, type NightlyEvent } from '../../bucket/nightly/history.ts'
import type { Staged } from '../../bucket/live/staged.ts'
import { contradictions, type DownloadsState, readStatus, type Status } from '../../bucket/live/status.ts'
import { escapeInvisible, printable } from '../../data/model/printable.ts'
import { describeStale, staleShare } from '../../guards/assess.ts'
import { businessDaysBetween, type Calendar, dayAfter, openCalendar } from '../../guards/calendar.ts'
import { describeHold, liftingOf } from '../../guards/going-back.ts'
import { readPublishedStaged, readPublishedStatus } from '../../site/status/document.ts'
import { withBucket, wrongSettings } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import { todayInBerlin } from '../../guards/berlin.ts'
import { reasonOf, UsageError } from '../failure.ts'
import { describeSummary, formatBytes, formatCount, formatDuration, describeFreshness } from '../format.ts'
import { type LiveFigures, writeStatusMetrics } from '../monitoring/metrics.ts'
import type { NoticeFacts } from '../monitoring/notice.ts'
import { factsOfStale, tell, tellFailure } from '../monitoring/notices.ts'
import { describeEvent } from '../nightly/events.ts'
import { baseOption, bucketSettings, parsedOption, schemaOption } from '../options.ts'
import { path } from '../settings.ts'

function inSeconds(duration: string): number | undefined {
  const [, number, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(duration) ?? []
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit]
  return seconds === undefined ? undefined : Number(number) * seconds
}

export default defineCommand({
  description:
    'Shows which slot of the bucket is live, what the other one holds (the snapshot that was live before, the one ' +
    'that a rollback has reverted, or the one that is staged), and what was refused, allowed or rolled back last; with --base what a deployment reports ' +
    'about itself, which needs no credentials. The exit code is 1 if nothing is live, or if documents or downloads ' +
    'do not belong to the live snapshot. With --max-age it is 1 also if the snapshot went live longer ago, if its ' +
    'as-of date ended longer ago (on business days), or if too many funds have stale prices; with --max-wait if a staged ' +
    'snapshot has waited longer for its flip (not on a day off). stderr has a line for each reason.\n\n' +
    'With --metrics it leaves the age of the live snapshot, and its funds by the age of their prices, for Prometheus: also ' +
    'in a week in which no nightly run succeeds.',
  settings: [...bucketSettings, 'freshness.maxStaleShare'],
  options: [
    baseOption('Ask a deployment over HTTP instead of the bucket'),
    parsedOption(
      '--max-age <duration>',
      'Fail if the live snapshot is older: 90m, 36h, 2d',
      'a whole number with a unit: 90m, 36h, 2d',
      inSeconds,
    ),
    parsedOption(
      '--max-wait <duration>',
      'Fail if a staged snapshot has waited longer for its approval: 6h',
      'a whole number with a unit: 90m, 6h, 2d',
      inSeconds,
    ),
    schemaOption(
      '--metrics <file>',
      "Write figures for node_exporter's textfile collector to this file, which is not that of nightly",
      path,
    ),
  ],
  json: 'Print the status as JSON',
  examples: [
    ['status --bucket fund-data --region eu-central-1', 'What is live, and the previous snapshot'],
    ['status --bucket fund-data --json', 'The same for machines'],
    ['status --base https://api.example.com --max-age 36h --quiet', 'For a monitor, from outside'],
    ['status --bucket fund-data --metrics /var/lib/node_exporter/fundpress-status.prom', 'For Prometheus'],
  ],
  run: async (session, { base, maxAge, maxWait, metrics }) => {
    const { file } = session.settings.metrics
    if (metrics !== undefined && file !== null && resolve(metrics) === resolve(file))
      throw new UsageError(`--metrics names the file of nightly (metrics.file): give another one`)
    const leave: Leave = async (found) => {
      if (metrics === undefined) return []
      const writing = writeStatusMetrics(session, metrics, { ...found, base })
      return writing.then(
        () => [],
        (error: unknown) => [`${metrics} could not be written: ${reasonOf(error)}`],
      )
    }
    const limits = { maxAge, maxWait }
    if (base === undefined) return statusOfBucket(session, limits, leave)
    if (session.hasFlag('bucket.name'))
      throw new UsageError('--base and --bucket exclude each other: ask one of them')
    return statusOfDeployment(session, base, limits, leave)
  },
})

/** What a bucket or a deployment says of the snapshot that is live. */
interface LiveFacts extends Omit<LiveSnapshot, 'slot' | 'docsUrl' | 'downloads'> {
  readonly hold?: Hold | undefined
  /** By the store's clock, or this machine's. */
  readonly now: Date
  /** Only a deployment says it. */
  readonly oldestPrice?: string | null
}

/** In seconds; undefined: none. */
interface Limits {
  readonly maxAge: number | undefined
  readonly maxWait: number | undefined
}

/** Leaves the metrics, if there is a file for them. @returns one more alarm if they cannot be written */
type Leave = (found: LiveFigures) => Promise<readonly string[]>

async function statusOfBucket(session: Session, limits: Limits, leave: Leave): Promise<void> {
  const { maxAge } = limits
  const { isJson, stdout, print } = session
  const reading = withBucket(session, async (store) => {
    const status = await readStatus(store)
    const isHeld = isHeldByOther(status.journal, thisHolder(), isAlive)
    const heldBy = isHeld ? heldMessage(store, status.journal) : null
    // Nothing depends on the history. Failures of last night say little of what is live.
    const { events } = await fetchHistory(store).catch(() => ({ events: [] }))
    const shown = events.filter(({ kind }) => kind !== 'failed').slice(-eventsShown)
    return { name: store.name, found: status, heldBy, events: shown }
  })
  const { name, found, heldBy, events } = await orTell(session, maxAge, reading)
  const { consistency, other, staged } = found
  const { live, now } = found.live
  if (live === null) {
    for (const alarm of await leave({ live, now, alarms: 1 })) session.stderr.tell(`${name}: ${alarm}`)
    if (isJson) stdout.data(`${JSON.stringify({ ...report(found, heldBy), alarms: [], events })}\n`)
    const next = staged === null ? heldBy : `staged is ${describeStaged(staged)}`
    const reason = `nothing is live${next === null ? '' : ` yet; ${next}`}`
    if (maxAge !== undefined) await tellOfAge(session, { late: [reason], stale: [] }, {})
    throw new Error(`${name}: ${reason}`)
  }
  const wrong = consistency === null ? [] : contradictions(live, consistency)
  const alarms = wrong.map((what) => `${what}: \`fundpress publish --repair\` repairs it`)
  const ages = await findAlarms(session, { ...live, now }, limits, staged?.liveSince)
  alarms.push(...ages.late, ...ages.stale)
  alarms.push(...(await leave({ live, now, alarms: alarms.length })))
  print({ ...report(found, heldBy), alarms, events }, () => {
    const state = downloadsStates[consistency?.downloads ?? 'none']
    const { files, bytes } = live.downloads ?? { files: 0, bytes: 0 }
    const text = `${formatCount(files)} files, ${formatBytes(bytes)}, ${state}`
    const downloads = live.downloads === undefined ? null : text
    const follower = live.keyValueStore === undefined ? null : `CloudFront, by ${live.keyValueStore}`
    const others = staged === null ? describeOther(other) : `${staged.slot} holds what is staged`
    const more = {
      hold:
        live.hold === undefined
          ? null
          : `${escapeInvisible(describeHold(live, live.hold))}; ${liftingOf('fundpress nightly')}`,
      'followed by': follower,
      downloads,
      staged: staged && describeStaged(staged),
      other: others,
      publishing: heldBy,
    }
    const place = `in ${live.slot}${live.broughtBy === 'rollback' ? ' (by a rollback)' : ''}`
    return describe({ ...live, now }, place, more) + describeEvents(events)
  })
  if (maxAge !== undefined && wrong.length > 0) await tellWrong(session, new Error(wrong.join('; ')))
  await tellOfAge(session, ages, live)
  raise(session, name, alarms)
}

async function statusOfDeployment(
  session: Session,
  base: string,
  limits: Limits,
  leave: Leave,
): Promise<void> {
  const { maxAge } = limits
  const reading = readPublishedStatus(base, session.signal)
  const { url, document, liveSince } = await orTell(session, maxAge, reading)
  const { as_of: asOf, newest_price: newestPrice, oldest_price: oldestPrice, documents: objects } = document
  const since = liveSince.toISOString()
  // By this machine's clock: a cache that has stopped would report the time that it stopped at.
  const facts = { ...document, asOf, newestPrice, oldestPrice, objects, liveSince: since, now: session.now() }
  const staged = await readPublishedStaged(base, session.signal)
  const ages = await findAlarms(session, facts, limits, staged?.staged_since)
  const alarms = [...ages.late, ...ages.stale]
  alarms.push(...(await leave({ live: facts, now: facts.now, alarms: alarms.length })))
  // The prices are long, and available at that address.
  const live = { ...document, prices: undefined }
  const result = { base, live, liveSince: since, ageSeconds: Math.round(ageOf(facts)), staged, alarms }
  const more = { staged: staged && `${staged.snapshot}, since ${staged.staged_since}` }
  session.print(result, () => describe(facts, `at ${url}`, more))
  await tellOfAge(session, ages, { ...facts, place: base })
  raise(session, base, alarms)
}

interface Ages {
  readonly late: readonly string[]
  readonly stale: readonly string[]
}

/**
 * One sentence per reason for an alarm; none if all is well, or if nothing is limited.
 * @param stagedSince when a snapshot was staged, if one is
 */
async function findAlarms(
  { settings }: Session,
  live: LiveFacts,
  { maxAge, maxWait }: Limits,
  stagedSince: string | undefined,
): Promise<Ages> {
  if (maxAge === undefined && maxWait === undefined) return { late: [], stale: [] }
  const { calendar: name, yearEndOpen: isYearEndOpen, maxStaleShare } = settings.freshness
  const calendar = await openCalendar(name, isYearEndOpen).catch(wrongSettings)
  const late = [...tooOld(live, calendar, maxAge), ...unapproved(live, calendar, maxWait, stagedSince)]
  const { freshness } = live
  const isStale = maxAge !== undefined && freshness !== undefined && staleShare(freshness) > maxStaleShare
  return { late, stale: isStale ? [describeStale(freshness, maxStaleShare)] : [] }
}

function tooOld(live: LiveFacts, calendar: Calendar, maxAge = Infinity): string[] {
  const { snapshot, asOf, now } = live
  const asOfAgeSeconds = secondsSinceDay(calendar, asOf, now)
  const limit = formatDuration(maxAge)
  const late: string[] =
    live.hold === undefined ? [] : [`${escapeInvisible(describeHold(live, live.hold))} (--allow hold)`]
  if (ageOf(live) > maxAge)
    late.push(`${snapshot} went live ${formatDuration(ageOf(live))} ago, more than ${limit}`)
  // After a rollback an old snapshot has just gone live.
  const ended = `ended ${formatDuration(asOfAgeSeconds)} of business days ago`
  if (asOfAgeSeconds > maxAge)
    late.push(`the as-of date of ${snapshot}, ${asOf}, ${ended}, more than ${limit}`)
  return late
}

/** Nobody has to approve a night on a day off. */
function unapproved({ now }: LiveFacts, calendar: Calendar, maxWait = Infinity, since?: string): string[] {
  const waited = since === undefined ? 0 : ageOf({ liveSince: since, now })
  if (waited <= maxWait || !calendar.isBusinessDay(todayInBerlin(now))) return []
  return [
    `a staged snapshot has waited ${formatDuration(waited)} for its flip, more than ${formatDuration(maxWait)}`,
  ]
}

/** Tells that a monitor cannot say how old the live snapshot is. */
const tellWrong = (session: Session, error: unknown) => tellFailure(session, error, { command: 'status' })

/** @throws what reading throws, after a monitor has told it */
const orTell = <T>(session: Session, maxAge: number | undefined, reading: Promise<T>): Promise<T> =>
  reading.catch(async (error: unknown) => {
    if (maxAge !== undefined) await tellWrong(session, error)
    throw error
  })

/** Tells what `--max-age` has found. */
async function tellOfAge(
  session: Session,
  { late, stale }: Ages,
  { asOf, snapshot, place, freshness }: Partial<LiveFacts> & { readonly place?: string },
): Promise<void> {
  const night = { command: 'status', asOf: asOf ?? null, snapshot: snapshot ?? null, place: place ?? null }
  const facts: NoticeFacts[] = []
  if (late.length > 0) facts.push({ ...night, event: 'late', what: 'late', reason: late.join('; ') })
  if (stale.length > 0)
    facts.push({ ...factsOfStale(freshness?.stale ?? 0, night), reason: stale.join('; ') })
  await tell(session, facts, session.stderr.tell)
}

/** How long ago a day of Berlin ended, on business days: some companies run no nightly between Friday's and Monday's. */
function secondsSinceDay(calendar: Calendar, asOf: string, now: Date): number {
  const today = todayInBerlin(now)
  const whole = businessDaysBetween(calendar, asOf, dayAfter(today, -1)) * 86_400
  if (asOf >= today || !calendar.isBusinessDay(today)) return whole
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'medium' })
  const [hours = 0, minutes = 0, seconds = 0] = time.format(now).split(':').map(Number)
  return whole + hours * 3600 + minutes * 60 + seconds
}

/** Writes one line per alarm to stderr. @throws {Error} with the last one, if there is one */
function raise({ stderr }: Session, place: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${place}: ${alarm}`)
  if (last !== undefined) throw new Error(`${place}: ${last}`)
}

/** In seconds. */
const ageOf = ({ liveSince, now }: Pick<LiveFacts, 'liveSince' | 'now'>) =>
  (now.getTime() - Date.parse(liveSince)) / 1000

const noOther = { slot: null, head: null, isWhole: false, isReverted: false }

function report({ live: { live, now }, consistency, other, staged }: Status, heldBy: string | null) {
  const ageSeconds = live === null ? null : Math.round(ageOf({ ...live, now }))
  const { slot, head, isWhole, isReverted } = other ?? noOther
  const others = { slot, snapshot: head?.snapshot ?? null, asOf: head?.asOf ?? null, isWhole, isReverted }
  return { live, ageSeconds, consistency, other: slot === null ? null : others, staged, heldBy }
}

const downloadsStates: Readonly<Record<DownloadsState, string>> = {
  whole: 'of this snapshot',
  missing: 'missing',
  other: 'not of this snapshot',
  none: '',
}

function describe(live: LiveFacts, place: string, more: Readonly<Record<string, string | null>> = {}) {
  const { newestPrice, oldestPrice, freshness } = live
  return describeSummary({
    live: `${live.snapshot} ${place}`,
    since: `${live.liveSince} (${formatDuration(ageOf(live))})`,
    'as of': live.asOf,
    funds: formatCount(live.funds),
    'newest price': printable(newestPrice ?? 'none'),
    'oldest price': oldestPrice === undefined ? null : printable(oldestPrice ?? 'none'),
    prices: freshness === undefined ? null : describeFreshness(freshness),
    objects: formatCount(live.objects),
    bytes: formatBytes(live.bytes),
    ...more,
  })
}

const describeStaged = ({ snapshot, slot, liveSince }: Staged) =>
  `${snapshot} in ${slot} since ${liveSince}: \`fundpress flip ${snapshot}\` makes it live`

function describeOther(other: Status['other']): string {
  if (other === null) return 'none'
  const { slot, head, isWhole, isReverted, wasLive } = other
  if (head === null) return `${slot} holds no snapshot`
  if (isWhole && isReverted)
    return `${head.snapshot} in ${slot}, reverted by a rollback: \`fundpress rollback --allow hold --reason "…"\` makes it live again`
  if (isWhole && !wasLive)
    return `${head.snapshot} in ${slot}, complete, not live before: \`fundpress rollback --to ${head.snapshot}\` makes it live`
  if (isWhole)
    return `${head.snapshot} in ${slot}, complete, live before: \`fundpress rollback\` makes it live`
  return `${slot} is torn: a publish is writing to it, or was stopped; the next one repairs it`
}

const eventsShown = 5

/** The newest last, a line each; nothing if there are none. */
function describeEvents(events: readonly NightlyEvent[]): string {
  const lines = events.map((event) => {
    const { what, why } = describeEvent(event)
    const reason = why === '' ? '' : ` ("${why}")`
    return `  ${escapeInvisible(`${event.at}  ${event.asOf} ${what}, by ${event.who}${reason}`)}\n`
  })
  return lines.length === 0 ? '' : `\nLast events:\n${lines.join('')}`
}

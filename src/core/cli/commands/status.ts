/** `fundpress status`: describes the live snapshot, its age, and the other slot. */

import { type Ages, judgeAges, type Limits, noAges, secondsLive, type LiveFacts } from '../ages.ts'
import { defineCommand, type Session } from '../command.ts'
import { openFigures, tellAges, tellFailure } from '../end.ts'
import type { Measured } from '../ended.ts'
import { UsageError } from '../failure.ts'
import { baseOption, bucketSettings, parsedOption, schemaOption } from '../options.ts'
import { path } from '../setting-fields.ts'
import { heldMessage, isHeldByOther } from '../../bucket/live/journal.ts'
import { contradictions, type DownloadsState, readStatus, type Status } from '../../bucket/live/status.ts'
import { fetchHistory, type NightlyEvent } from '../../bucket/nightly/history.ts'
import { escapeInvisible, printable } from '../../data/model/printable.ts'
import { describeHold, liftingOf } from '../../guards/going-back.ts'
import { readPublishedStaged, readPublishedStatus } from '../../snapshot/status-document.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import { describeFreshness, describeSummary, formatBytes, formatCount, formatDuration } from '../format.ts'
import { trustedKeys, withBucket } from '../from-settings.ts'
import { describeEvent } from '../nightly/events.ts'

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
  run: async (session, { base, metrics, ...limits }) => {
    if (base !== undefined && session.hasFlag('bucket.name'))
      throw new UsageError('--base and --bucket exclude each other: ask one of them')
    const leaveFigures = metrics === undefined ? null : await openFigures(session, metrics)
    const found = await read(session, base, limits)
    const judged = await judge(session, found, limits)
    const unwritten = leaveFigures?.(measuredOf(session, judged)) ?? []
    const alarms = [...judged.alarms, ...unwritten]
    session.print({ ...found.json, alarms }, found.describe)
    await tellAlarms(session, judged, limits)
    raise(session, found.name, alarms)
  },
})

/** With --max-age, `status` is a monitor: it tells what it cannot read, and what is wrong. */
const isMonitor = ({ maxAge }: Limits) => maxAge !== undefined

async function read(session: Session, base: string | undefined, limits: Limits): Promise<FoundStatus> {
  try {
    return await (base === undefined ? statusOfBucket(session) : statusOfDeployment(session, base))
  } catch (error) {
    if (isMonitor(limits)) await tellFailure(session, error, { command: 'status' })
    throw error
  }
}

interface JudgedStatus extends FoundStatus {
  readonly ages: Ages
  readonly alarms: readonly string[]
}

async function judge(session: Session, found: FoundStatus, limits: Limits): Promise<JudgedStatus> {
  const { live, wrong, stagedSince } = found
  const { freshness } = session.settings
  const ages = live === null ? noAges : await judgeAges(freshness, live, limits, stagedSince)
  return { ...found, ages, alarms: [...wrong, ...ages.late, ...ages.stale] }
}

const measuredOf = (session: Session, { base, live, alarms }: JudgedStatus): Measured => ({
  live,
  now: live?.now ?? session.now(),
  alarms: alarms.length,
  base,
})

async function tellAlarms(
  session: Session,
  { base, live, wrong, ages }: JudgedStatus,
  limits: Limits,
): Promise<void> {
  const told = isMonitor(limits) ? wrong : []
  // Contradictions of a live snapshot are a failure of the bucket. An empty bucket is only late.
  const [failed, late] = live === null ? [[], told] : [told, ages.late]
  if (failed.length > 0) await tellFailure(session, new Error(failed.join('; ')), { command: 'status' })
  await tellAges(session, { live, place: base ?? null, late, stale: ages.stale })
}

/** Writes all alarms but the last one to stderr. @throws {Error} with the last alarm */
function raise({ stderr }: Session, name: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${name}: ${alarm}`)
  if (last !== undefined) throw new Error(`${name}: ${last}`)
}

interface FoundStatus {
  readonly name: string
  /** The address of a deployment; undefined: the bucket of the settings. */
  readonly base: string | undefined
  readonly live: LiveFacts | null
  /** Undefined: nothing is staged. */
  readonly stagedSince: string | undefined
  /** Failures without a limit: nothing is live, or objects contradict `live.json`. */
  readonly wrong: readonly string[]
  readonly json: object
  readonly describe: () => string
}

async function statusOfBucket(session: Session): Promise<FoundStatus> {
  const { name, status, heldBy, events } = await withBucket(session, async (store) => {
    const status = await readStatus(store, session.settings.bucket.slots, trustedKeys(session))
    const isHeld = isHeldByOther(status.journal, thisHolder(), isAlive)
    const heldBy = isHeld ? heldMessage(store, status.journal) : null
    // An unreadable history is no failure. Failed nights are no events of the live snapshot.
    const { events } = await fetchHistory(store).catch(() => ({ events: [] }))
    const shown = events.filter(({ kind }) => kind !== 'failed').slice(-eventsShown)
    return { name: store.name, status, heldBy, events: shown }
  })
  const { consistency, staged } = status
  const { live: named, now } = status.live
  const live = named === null ? null : { ...named, now }
  const next = staged === null ? heldBy : `staged is ${describeStaged(staged)}`
  const wrong = named === null || consistency === null ? [] : contradictions(named, consistency)
  const nothing = `nothing is live${next === null ? '' : ` yet; ${next}`}`
  return {
    name,
    base: undefined,
    live,
    stagedSince: staged?.liveSince,
    wrong:
      named === null ? [nothing] : wrong.map((what) => `${what}: \`fundpress publish --repair\` repairs it`),
    json: { ...jsonOf(status, live), heldBy, events },
    describe: () =>
      live === null
        ? ''
        : describeBucket(status, live, heldBy) + describeOlder(status.older) + describeEvents(events),
  }
}

async function statusOfDeployment(session: Session, base: string): Promise<FoundStatus> {
  const { url, document, liveSince } = await readPublishedStatus(base, session.signal)
  const { as_of: asOf, newest_price: newestPrice, oldest_price: oldestPrice, documents: objects } = document
  const since = liveSince.toISOString()
  // Uses this machine's clock: a cache that has stopped would report the time of its stop.
  const live = { ...document, asOf, newestPrice, oldestPrice, objects, liveSince: since, now: session.now() }
  const staged = await readPublishedStaged(base, session.signal)
  const more = { staged: staged && `${staged.snapshot}, since ${staged.staged_since}` }
  // The list of prices is long, and published at `url`.
  const shown = { ...document, prices: undefined }
  return {
    name: base,
    base,
    live,
    stagedSince: staged?.staged_since,
    wrong: [],
    json: { base, live: shown, liveSince: since, ageSeconds: Math.round(secondsLive(live)), staged },
    describe: () => describeLive(live, `at ${url}`, more),
  }
}

const noOther = { slot: null, head: null, isWhole: false, isReverted: false }

function jsonOf({ live: { live }, consistency, other, older, staged }: Status, facts: LiveFacts | null) {
  const ageSeconds = facts === null ? null : Math.round(secondsLive(facts))
  const { slot, head, isWhole, isReverted } = other ?? noOther
  const others = { slot, snapshot: head?.snapshot ?? null, asOf: head?.asOf ?? null, isWhole, isReverted }
  return { live, ageSeconds, consistency, other: slot === null ? null : others, older, staged }
}

const downloadsStates: Readonly<Record<DownloadsState, string>> = {
  whole: 'of this snapshot',
  missing: 'missing',
  other: 'not of this snapshot',
  none: '',
}

type Live = LiveFacts & NonNullable<Status['live']['live']>

function describeBucket({ consistency, other, staged }: Status, live: Live, heldBy: string | null): string {
  const { hold, downloads, keyValueStore } = live
  const { files, bytes } = downloads ?? { files: 0, bytes: 0 }
  const state = downloadsStates[consistency?.downloads ?? 'none']
  const held = hold && `${escapeInvisible(describeHold(live, hold))}; ${liftingOf('fundpress nightly')}`
  return describeLive(live, `in ${live.slot}${live.broughtBy === 'rollback' ? ' (by a rollback)' : ''}`, {
    hold: held ?? null,
    'followed by': keyValueStore === undefined ? null : `CloudFront, by ${keyValueStore}`,
    downloads:
      downloads === undefined ? null : `${formatCount(files)} files, ${formatBytes(bytes)}, ${state}`,
    staged: staged && describeStaged(staged),
    other:
      staged !== null && staged.slot === other?.slot
        ? `${staged.slot} holds what is staged`
        : describeOther(other),
    publishing: heldBy,
  })
}

function describeLive(live: LiveFacts, place: string, more: Readonly<Record<string, string | null>>) {
  const { newestPrice, oldestPrice, freshness } = live
  return describeSummary({
    live: `${live.snapshot} ${place}`,
    since: `${live.liveSince} (${formatDuration(secondsLive(live))})`,
    'as of': live.asOf,
    funds: formatCount(live.funds),
    'newest price': printable(newestPrice ?? 'none'),
    'oldest price': oldestPrice === undefined ? null : printable(oldestPrice ?? 'none'),
    prices: describeFreshness(freshness),
    objects: formatCount(live.objects),
    bytes: formatBytes(live.bytes),
    ...more,
  })
}

const describeStaged = ({ snapshot, slot, liveSince }: NonNullable<Status['staged']>) =>
  `${snapshot} in ${slot} since ${liveSince}: \`fundpress flip ${snapshot}\` makes it live`

function describeOther(other: Status['other']): string {
  if (other === null) return 'none'
  const { slot, head, isWhole, isReverted, wasLive } = other
  if (head === null) return `${slot} holds no snapshot`
  if (!isWhole) return `${slot} is torn: a publish is writing to it, or was stopped; the next one repairs it`
  const place = `${head.snapshot} in ${slot}`
  if (isReverted)
    return `${place}, reverted by a rollback: \`fundpress rollback --allow hold --reason "…"\` makes it live again`
  return wasLive
    ? `${place}, complete, live before: \`fundpress rollback\` makes it live`
    : `${place}, complete, not live before: \`fundpress rollback --to ${head.snapshot}\` makes it live`
}

function describeOlder(older: Status['older']): string {
  const lines = older.map(({ slot, snapshot, isWhole }) => {
    const state = isWhole
      ? `complete: \`fundpress rollback --to ${snapshot}\` makes it live`
      : 'not there any more: a publish is writing to its slot, or was stopped in it'
    return `  ${snapshot} in ${slot}, ${state}\n`
  })
  return lines.length === 0 ? '' : `\nLive before that:\n${lines.join('')}`
}

const eventsShown = 5

function describeEvents(events: readonly NightlyEvent[]): string {
  const lines = events.map((event) => {
    const { what, why } = describeEvent(event)
    const reason = why === '' ? '' : ` ("${why}")`
    return `  ${escapeInvisible(`${event.at}  ${event.asOf} ${what}, by ${event.who}${reason}`)}\n`
  })
  return lines.length === 0 ? '' : `\nLast events:\n${lines.join('')}`
}

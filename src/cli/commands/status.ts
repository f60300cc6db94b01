/** `fundpress status`: what is live, whether it is up to date, and what the other slot holds. */

import { isAlive, thisHolder } from '../../bucket/live/holder.ts'
import { heldMessage, isHeldByOther } from '../../bucket/live/journal.ts'
import type { Live } from '../../bucket/live/live.ts'
import { contradictions, type DownloadsState, readStatus, type Status } from '../../bucket/live/status.ts'
import { withBucket } from '../bucket.ts'
import { defineCommand, type Session } from '../command.ts'
import { formatDuration } from '../dates.ts'
import { UsageError } from '../failure.ts'
import { describeSummary, formatBytes, formatCount } from '../format.ts'
import { describeFreshness, findAlarms, type LiveAge } from '../freshness.ts'
import { baseOption, bucketSettings, durationOption, jsonOption } from '../options.ts'
import { printable } from '../../data/model/printable.ts'
import { type PublishedStatus, readPublishedStatus } from '../../site/status/document.ts'

interface Flags {
  /** Set if the command line has it; the settings have the value. */
  readonly bucket?: string
  readonly base?: string
  /** In seconds. */
  readonly maxAge?: number
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Shows which slot of the bucket is live, and what the other one holds; with --base what a deployment reports ' +
    'about itself, which needs no credentials. The exit code is 1 if nothing is live, or if documents or downloads ' +
    'do not belong to the live snapshot. With --max-age it is 1 also if the snapshot went live longer ago, if its ' +
    'as-of date ended longer ago (on business days), or if too many funds have stale prices. stderr has a line for ' +
    'each reason.',
  settings: [...bucketSettings, 'freshness.maxStaleShare'],
  options: [
    baseOption('Ask a deployment over HTTP instead of the bucket'),
    durationOption('--max-age <duration>', 'Fail if the live snapshot is older: 90m, 36h, 2d'),
    jsonOption('Print the status as JSON'),
  ],
  examples: [
    [
      'status --bucket fund-data --region eu-central-1',
      'What is live, since when, and the previous snapshot',
    ],
    ['status --bucket fund-data --json', 'The same for machines'],
    ['status --base https://api.example.com --max-age 36h --quiet', 'For a monitor, from outside'],
  ],
  run: async (session, flags) => {
    if (flags.base === undefined) return statusOfBucket(session, flags)
    if (flags.bucket !== undefined)
      throw new UsageError('--base and --bucket exclude each other: ask one of them')
    return statusOfDeployment(session, flags.base, flags)
  },
})

async function statusOfBucket(session: Session, { json = false, maxAge }: Flags): Promise<void> {
  const { isQuiet, stdout } = session
  const { name, found, heldBy } = await withBucket(session, async (store) => {
    const status = await readStatus(store)
    const isHeld = isHeldByOther(status.journal, thisHolder(), isAlive)
    return { name: store.name, found: status, heldBy: isHeld ? heldMessage(store, status.journal) : null }
  })
  const { live } = found.live
  const { consistency } = found
  const wrong = live === null || consistency === null ? [] : contradictions(live, consistency)
  const alarms = wrong.map((what) => `${what}: \`fundpress publish --repair\` repairs it`)
  if (live !== null) {
    const { now } = found.live
    const { snapshot, asOf, freshness } = live
    const ageSeconds = ageOf(live, found.live)
    alarms.push(...(await alarmsOf(session, { snapshot, asOf, freshness, now, ageSeconds }, maxAge)))
  }
  if (json) stdout.data(`${JSON.stringify({ ...report(found, heldBy), alarms })}\n`)
  else if (live !== null && !isQuiet) stdout.write(describe(live, found, heldBy))
  if (live === null) throw new Error(`${name}: nothing is live${heldBy === null ? '' : ` yet; ${heldBy}`}`)
  raise(session, name, alarms)
}

async function statusOfDeployment(
  session: Session,
  base: string,
  { json = false, maxAge }: Flags,
): Promise<void> {
  const { isQuiet, stdout, signal } = session
  const published = await readPublishedStatus(base, signal)
  const { document, liveSince } = published
  // By this machine's clock: a cache that has stopped would report the time that it stopped at.
  const now = session.now()
  const ageSeconds = (now.getTime() - liveSince.getTime()) / 1000
  const { snapshot, as_of: asOf, freshness } = document
  const alarms = await alarmsOf(session, { snapshot, ageSeconds, asOf, now, freshness }, maxAge)
  if (json) {
    // The prices are long, and available at that address.
    const live = { ...document, prices: undefined }
    const times = { liveSince: liveSince.toISOString(), ageSeconds: Math.round(ageSeconds) }
    stdout.data(`${JSON.stringify({ base, live, ...times, alarms })}\n`)
  } else if (!isQuiet) stdout.write(describePublished(published, ageSeconds))
  raise(session, base, alarms)
}

const alarmsOf = ({ settings }: Session, live: LiveAge, maxAgeSeconds: number | undefined) =>
  maxAgeSeconds === undefined ? [] : findAlarms(live, settings.freshness, maxAgeSeconds)

/** Writes one line per alarm to stderr. @throws {Error} with the last one, if there is one */
function raise({ stderr }: Session, place: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${place}: ${alarm}`)
  if (last !== undefined) throw new Error(`${place}: ${last}`)
}

/** In seconds, by the store's clock if it has sent its time. */
const ageOf = ({ liveSince }: Live, { now }: Status['live']) => (now.getTime() - Date.parse(liveSince)) / 1000

function report({ live, consistency, other }: Status, heldBy: string | null) {
  const ageSeconds = live.live === null ? null : Math.round(ageOf(live.live, live))
  const { slot, head, isWhole } = other ?? { slot: null, head: null, isWhole: false }
  return {
    live: live.live,
    ageSeconds,
    consistency,
    other:
      slot === null ? null : { slot, snapshot: head?.snapshot ?? null, asOf: head?.asOf ?? null, isWhole },
    heldBy,
  }
}

const downloadsStates: Readonly<Record<DownloadsState, string>> = {
  whole: 'of this snapshot',
  missing: 'missing',
  other: 'not of this snapshot',
  none: '',
}

function describe(live: Live, found: Status, heldBy: string | null): string {
  const { downloads, freshness } = live
  const state = downloadsStates[found.consistency?.downloads ?? 'none']
  return describeSummary({
    live: `${live.snapshot} in ${live.slot}`,
    since: `${live.liveSince} (${formatDuration(ageOf(live, found.live))})`,
    'as of': live.asOf,
    funds: formatCount(live.funds),
    'newest price': live.newestPrice ?? 'none',
    prices: freshness === undefined ? null : describeFreshness(freshness),
    objects: formatCount(live.objects),
    bytes: formatBytes(live.bytes),
    downloads:
      downloads === undefined
        ? null
        : `${formatCount(downloads.files)} files, ${formatBytes(downloads.bytes)}, ${state}`,
    other: describeOther(found.other),
    publishing: heldBy,
  })
}

function describePublished({ url, document, liveSince }: PublishedStatus, ageSeconds: number): string {
  return describeSummary({
    live: `${document.snapshot} at ${url}`,
    since: `${liveSince.toISOString()} (${formatDuration(ageSeconds)})`,
    'as of': document.as_of,
    funds: formatCount(document.funds),
    'newest price': printable(document.newest_price ?? 'none'),
    'oldest price': printable(document.oldest_price ?? 'none'),
    prices: describeFreshness(document.freshness),
    objects: formatCount(document.documents),
    bytes: formatBytes(document.bytes),
  })
}

function describeOther(other: Status['other']): string {
  if (other === null) return 'none'
  const { slot, head, isWhole } = other
  if (head === null) return `${slot} holds no snapshot`
  if (isWhole) return `${head.snapshot} in ${slot}, complete: \`fundpress rollback\` makes it live`
  return `${slot} is torn: a publish is writing to it, or was stopped; the next one repairs it`
}

/** `fundpress status`: what is live, whether it is as new as it should be, and what could be live instead. */

import { Command } from 'commander'
import type { DownloadsState } from '../../publish/downloads-state.ts'
import type { Live } from '../../publish/live.ts'
import type { Status } from '../../publish/status.ts'
import { printable } from '../../source/printable.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { describeDuration, durationOption } from '../duration.ts'
import { UsageError } from '../failure.ts'
import { describeFreshness, generalCalendar } from '../freshness.ts'
import { baseOption, examples, withSettings } from '../options.ts'
import { readPublishedStatus, type PublishedStatus } from '../published-status.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'
import { findAlarms, secondsSinceDay, type Watched } from '../watch.ts'

interface Flags {
  /** Given on the command line; the settings say what holds. */
  readonly bucket?: string
  readonly base?: string
  /** In seconds. */
  readonly maxAge?: number
  readonly json?: boolean
}

export function statusCommand(start: Start): Command {
  return withSettings(new Command('status'), ...bucketFlags, 'freshness.maxStaleShare')
    .summary('show what is live, and whether it is as new as it should be')
    .description(
      'Shows which slot of the bucket is live, and what the other one holds; with --base what a deployment says of ' +
        'itself, which needs no credentials. Exit code 1 as long as nothing is live, or if documents or downloads are not ' +
        'those of the live snapshot; with --max-age also when the ' +
        'snapshot went live longer ago, when its as-of day has been over for longer (on business days), or when too ' +
        'many funds have stale prices: a line on stderr for each reason.',
    )
    .addOption(baseOption('Ask a deployment over HTTP instead of the bucket'))
    .addOption(durationOption('--max-age <duration>', 'Fail when what is live is older: 90m, 36h, 2d'))
    .option('--json', 'Print the status as JSON')
    .addHelpText(
      'after',
      examples(
        [
          'status --bucket fund-data --region eu-central-1',
          'What is live, since when, and what stood before',
        ],
        ['status --bucket fund-data --json', 'The same for machines'],
        ['status --base https://api.example.com --max-age 36h --quiet', 'For a monitor, from outside'],
      ),
    )
    .action(start(status))
}

async function status(session: Session, flags: Flags): Promise<void> {
  if (flags.base === undefined) return statusOfBucket(session, flags)
  if (flags.bucket !== undefined)
    throw new UsageError('--base and --bucket exclude each other: ask one of them')
  return statusOfDeployment(session, flags.base, flags)
}

async function statusOfBucket(session: Session, { json = false, maxAge }: Flags): Promise<void> {
  const { isQuiet, stdout } = session
  const { name, found, heldBy } = await withBucket(session, async (store) => {
    const { readStatus } = await import('../../publish/status.ts')
    const { heldMessage, isHeldByOther } = await import('../../publish/journal.ts')
    const { thisHolder, isAlive } = await import('../../publish/holder.ts')
    const found = await readStatus(store)
    const isHeld = isHeldByOther(found.journal, thisHolder(), isAlive)
    return { name: store.name, found, heldBy: isHeld ? heldMessage(store, found.journal) : null }
  })
  const { live } = found.live
  const { contradictions } = await import('../../publish/status.ts')
  const { consistency } = found
  const wrong = live === null || consistency === null ? [] : contradictions(live, consistency)
  const late = live === null ? [] : await alarmsOf(session, watched(live, found.live), maxAge)
  const alarms = [...wrong.map((what) => `${what}: \`fundpress publish --repair\` puts it right`), ...late]
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
  const { isQuiet, stdout, signal, now } = session
  const published = await readPublishedStatus(base, signal)
  const { document, liveSince } = published
  // By this machine's clock: a cache that has stopped would tell the time that it stopped at.
  const ageSeconds = (now().getTime() - liveSince.getTime()) / 1000
  const { snapshot, as_of: asOf, freshness } = document
  const alarms = await alarmsOf(session, { snapshot, ageSeconds, asOf, now: now(), freshness }, maxAge)
  // Long, and to be had at that address.
  const brief = { ...document, prices: undefined }
  const asked = { base, live: brief, liveSince: liveSince.toISOString(), ageSeconds: Math.round(ageSeconds) }
  if (json) stdout.data(`${JSON.stringify({ ...asked, alarms })}\n`)
  else if (!isQuiet) stdout.write(describePublished(published, ageSeconds))
  raise(session, base, alarms)
}

/** At a moment: by the store's clock, or this machine's. */
type Seen = Omit<Watched, 'asOfAgeSeconds'> & { readonly now: Date }

const watched = (live: Live, standing: Status['live']): Seen => ({
  snapshot: live.snapshot,
  ageSeconds: ageOf(live, standing),
  asOf: live.asOf,
  now: standing.now(),
  freshness: live.freshness,
})

async function alarmsOf(
  { settings }: Session,
  { now, ...live }: Seen,
  maxAgeSeconds: number | undefined,
): Promise<string[]> {
  if (maxAgeSeconds === undefined) return []
  const asOfAgeSeconds = secondsSinceDay(await generalCalendar(settings), live.asOf, now)
  const { maxStaleShare } = settings.freshness
  return findAlarms({ ...live, asOfAgeSeconds }, { maxAgeSeconds, maxStaleShare })
}

/** A line each on stderr. @throws {Error} with the last one, if there is one */
function raise({ stderr }: Session, place: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${place}: ${alarm}`)
  if (last !== undefined) throw new Error(`${place}: ${last}`)
}

/** In seconds, by the store's clock where it has told it. */
const ageOf = ({ liveSince }: Live, { now }: Status['live']) =>
  (now().getTime() - Date.parse(liveSince)) / 1000

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

function describe(live: Live, { live: standing, consistency, other }: Status, heldBy: string | null): string {
  return describeSummary({
    live: `${live.snapshot} in ${live.slot}`,
    since: `${live.liveSince} (${describeDuration(ageOf(live, standing))})`,
    'as of': live.asOf,
    funds: formatCount(live.funds),
    'newest price': live.newestPrice ?? 'none',
    ...(live.freshness === undefined ? {} : { prices: describeFreshness(live.freshness) }),
    objects: formatCount(live.objects),
    bytes: formatBytes(live.bytes),
    ...describeDownloads(live, consistency?.downloads),
    other: describeOther(other),
    ...(heldBy === null ? {} : { publishing: heldBy }),
  })
}

const downloadsStates: Readonly<Record<DownloadsState, string>> = {
  whole: 'of this snapshot',
  missing: 'missing',
  other: 'not those of this snapshot',
  none: '',
}

function describeDownloads({ downloads }: Live, state: DownloadsState = 'none') {
  if (downloads === undefined) return {}
  const { files, bytes } = downloads
  return { downloads: `${formatCount(files)} files, ${formatBytes(bytes)}, ${downloadsStates[state]}` }
}

function describePublished({ url, document, liveSince }: PublishedStatus, ageSeconds: number): string {
  return describeSummary({
    live: `${document.snapshot} at ${url}`,
    since: `${liveSince.toISOString()} (${describeDuration(ageSeconds)})`,
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
  if (isWhole) return `${head.snapshot} in ${slot}, whole: \`fundpress rollback\` makes it live`
  return `${slot} is not whole: a publish is changing it, or was stopped in it; the next one puts it right`
}

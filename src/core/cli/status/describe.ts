/** Words for what `fundpress status` has found. */

import type { DownloadsState, Status } from '../../bucket/live/status.ts'
import type { NightlyEvent } from '../../bucket/nightly/history.ts'
import { escapeInvisible, printable } from '../../data/model/printable.ts'
import { describeHold, liftingOf } from '../../guards/going-back.ts'
import { type LiveFacts, secondsLive } from '../ages.ts'
import { describeFreshness, describeSummary, formatBytes, formatCount, formatDuration } from '../format.ts'
import { describeEvent } from '../events.ts'
import type { Found, LiveInBucket } from './found.ts'

/** @returns '' if nothing is live */
export function describeFound(found: Found): string {
  if (found.kind === 'deployment') {
    const { live, url, staged } = found
    return describeLive(live, `at ${url}`, {
      staged: staged && `${staged.snapshot}, since ${staged.staged_since}`,
    })
  }
  const { live, status, heldBy, events } = found
  if (live === null) return ''
  return describeBucket(status, live, heldBy) + describeOlder(status.older) + describeEvents(events)
}

const downloadsStates: Readonly<Record<DownloadsState, string>> = {
  whole: 'of this snapshot',
  missing: 'missing',
  other: 'not of this snapshot',
  none: '',
}

function describeBucket(
  { consistency, other, staged }: Status,
  live: LiveInBucket,
  heldBy: string | null,
): string {
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

export const describeStaged = ({ snapshot, slot, liveSince }: NonNullable<Status['staged']>) =>
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

function describeEvents(events: readonly NightlyEvent[]): string {
  const lines = events.map((event) => {
    const { what, why } = describeEvent(event)
    const reason = why === '' ? '' : ` ("${why}")`
    return `  ${escapeInvisible(`${event.at}  ${event.asOf} ${what}, by ${event.who}${reason}`)}\n`
  })
  return lines.length === 0 ? '' : `\nLast events:\n${lines.join('')}`
}

/** `fundpress status`: what is live in the bucket, and what could be. */

import { Command } from 'commander'
import type { Live } from '../../publish/live.ts'
import type { Status } from '../../publish/status.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly json?: boolean
}

export function statusCommand(start: Start): Command {
  return withSettings(new Command('status'), ...bucketFlags)
    .summary('show what is live in the bucket')
    .description(
      'Shows which slot is live, and what the other one holds. Exit code 1 as long as nothing is live.',
    )
    .option('--json', 'Print the status as JSON')
    .addHelpText(
      'after',
      examples(
        [
          'status --bucket fund-data --region eu-central-1',
          'What is live, since when, and what stood before',
        ],
        ['status --bucket fund-data --json', 'The same for machines'],
      ),
    )
    .action(start(status))
}

async function status(session: Session, { json = false }: Flags): Promise<void> {
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
  if (json) stdout.write(`${JSON.stringify(report(found, heldBy))}\n`)
  else if (live !== null && !isQuiet) stdout.write(describe(live, found, heldBy))
  if (live === null) throw new Error(`${name}: nothing is live${heldBy === null ? '' : ` yet; ${heldBy}`}`)
}

/** In seconds, by the store's clock where it has told it. */
const ageOf = ({ liveSince }: Live, { now }: Status['live']) =>
  (now().getTime() - Date.parse(liveSince)) / 1000

function report({ live, other }: Status, heldBy: string | null) {
  const ageSeconds = live.live === null ? null : Math.round(ageOf(live.live, live))
  const { slot, head, isWhole } = other ?? { slot: null, head: null, isWhole: false }
  return {
    live: live.live,
    ageSeconds,
    other:
      slot === null ? null : { slot, snapshot: head?.snapshot ?? null, asOf: head?.asOf ?? null, isWhole },
    heldBy,
  }
}

function describe(live: Live, { live: standing, other }: Status, heldBy: string | null): string {
  return describeSummary({
    live: `${live.snapshot} in ${live.slot}`,
    since: `${live.liveSince} (${describeAge(ageOf(live, standing))})`,
    'as of': live.asOf,
    funds: formatCount(live.funds),
    'newest price': live.newestPrice ?? 'none',
    objects: formatCount(live.objects),
    bytes: formatBytes(live.bytes),
    other: describeOther(other),
    ...(heldBy === null ? {} : { publishing: heldBy }),
  })
}

function describeOther(other: Status['other']): string {
  if (other === null) return 'none'
  const { slot, head, isWhole } = other
  if (head === null) return `${slot} holds no snapshot`
  if (isWhole) return `${head.snapshot} in ${slot}, whole: \`fundpress rollback\` makes it live`
  return `${slot} is not whole: a publish is changing it, or was stopped in it; the next one puts it right`
}

/** `3 days 4 h`, `2 h 10 min`, `40 s`. */
function describeAge(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit))
  if (days !== undefined && days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${(hours ?? 0) % 24} h`
  if (hours !== undefined && hours > 0) return `${hours} h ${(minutes ?? 0) % 60} min`
  return minutes !== undefined && minutes > 0 ? `${minutes} min` : `${whole} s`
}

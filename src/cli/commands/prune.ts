/** `fundpress prune`: removes from the bucket what is of no use any more. */

import { Command } from 'commander'
import type { Garbage } from '../../publish/prune.ts'
import { escapeInvisible } from '../../source/printable.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { examples, optionalWholeOption, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import { formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly yes?: boolean
  readonly keepDownloads?: number
  /** False with --no-lock. */
  readonly lock: boolean
  readonly json?: boolean
}

export function pruneCommand(start: Start): Command {
  return withSettings(new Command('prune'), ...bucketFlags, 'bucket.leaseSeconds')
    .summary('remove from the bucket what is of no use')
    .description(
      'Lists what is of no use any more: objects in the slots that no manifest knows, lists of publishes that are ' +
        'over, uploads never finished, expired downloads. With --yes it is removed; no publish can begin meanwhile.',
    )
    .option('--yes', 'Remove it')
    .addOption(
      optionalWholeOption(
        '--keep-downloads <days>',
        'Downloads older than this are expired (default: none are)',
        [0, 36_500],
      ),
    )
    .option('--no-lock', 'Do without conditional writes: nothing protects against a publish then')
    .option('--json', 'Print { removed, count, bytes, objects, notes } as JSON, with every key')
    .addHelpText(
      'after',
      examples(
        ['prune --bucket fund-data --region eu-central-1', 'What would go'],
        [
          'prune --bucket fund-data --yes --keep-downloads 90',
          'Remove it, and downloads of 91 days and more',
        ],
      ),
    )
    .action(start(pruneBucket))
}

const meanings: Readonly<Record<Garbage['kind'], string>> = {
  unknown: 'in a slot, and in no manifest',
  changes: 'lists of publishes that are over',
  scratch: 'left by a doctor that was stopped',
  upload: 'uploads that were never finished',
  download: 'expired downloads',
}

const keysShown = 5

async function pruneBucket(
  session: Session,
  { yes = false, keepDownloads, lock, json = false }: Flags,
): Promise<void> {
  const { settings, today, now, signal, isQuiet, stdout } = session
  const objects: Garbage[] = []
  const notes: string[] = []
  const totals = new Map<Garbage['kind'], { count: number; bytes: number; keys: string[] }>()
  await withBucket(session, async (store) => {
    const { prune } = await import('../../publish/prune.ts')
    const { thisHolder, isAlive } = await import('../../publish/holder.ts')
    await prune(store, {
      isReal: yes,
      isLocking: lock,
      keepDownloadDays: keepDownloads ?? null,
      seconds: settings.bucket.leaseSeconds,
      me: thisHolder(),
      isAlive,
      today,
      now,
      signal,
      onFound: (garbage) => {
        const { kind, key, bytes } = garbage
        const total = totals.get(kind) ?? { count: 0, bytes: 0, keys: [] }
        totals.set(kind, total)
        total.count++
        total.bytes += bytes
        if (total.keys.length < keysShown) total.keys.push(key)
        if (json) objects.push(garbage)
      },
      onNote: (note) => notes.push(note),
    })
  })
  const sums = [...totals.values()]
  const count = sums.reduce((sum, total) => sum + total.count, 0)
  const bytes = sums.reduce((sum, total) => sum + total.bytes, 0)
  if (json)
    stdout.write(`${escapeInvisible(JSON.stringify({ removed: yes, count, bytes, objects, notes }))}\n`)
  else if (!isQuiet) {
    for (const [kind, total] of totals) stdout.write(describe(kind, total))
    for (const note of notes) stdout.write(`${escapeInvisible(note)}\n`)
    const fate = yes ? 'removed' : 'would go'
    const advice = yes || count === 0 ? '' : ': `fundpress prune --yes` removes them'
    stdout.write(
      count === 0 ? 'nothing to remove\n' : `${formatCount(count)} ${fate}, ${formatBytes(bytes)}${advice}\n`,
    )
  }
}

function describe(
  kind: Garbage['kind'],
  total: { count: number; bytes: number; keys: readonly string[] },
): string {
  const { count, bytes, keys } = total
  const shown = keys.map((key) => `  ${escapeInvisible(key)}\n`).join('')
  const more = count > keys.length ? `  and ${formatCount(count - keys.length)} more\n` : ''
  const size = kind === 'upload' ? '' : `, ${formatBytes(bytes)}`
  return `${formatCount(count)} ${meanings[kind]}${size}\n${shown}${more}`
}

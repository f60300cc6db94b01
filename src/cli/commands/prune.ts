/** `fundpress prune`: removes from the bucket what is of no use any more. */

import { Command } from 'commander'
import type { Slot } from '../../publish/layout.ts'
import type { Garbage } from '../../publish/prune.ts'
import { escapeInvisible } from '../../source/printable.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { withJsonList, type JsonList } from '../json-list.ts'
import { examples, optionalWholeOption, withSettings } from '../options.ts'
import { showProgress, type Progress } from '../progress.ts'
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
  replaced: 'downloads that were never live, or were replaced',
}

const keysShown = 5

async function pruneBucket(session: Session, flags: Flags): Promise<void> {
  const { isQuiet, stdout } = session
  const removed = flags.yes ?? false
  if (flags.json === true) {
    await withJsonList(async (list: JsonList<Garbage>) => {
      const { notes, ...found } = await findGarbage(session, flags, list.add)
      const { count, bytes } = sum(found.totals)
      await list.write(stdout, { before: { removed, count, bytes }, name: 'objects', after: { notes } })
    })
    return
  }
  const { notes, totals } = await findGarbage(session, flags, () => undefined)
  if (isQuiet) return
  for (const [kind, total] of totals) stdout.write(describe(kind, total))
  for (const note of notes) stdout.write(`${escapeInvisible(note)}\n`)
  const { count, bytes } = sum(totals)
  const fate = removed ? 'removed' : 'would go'
  const advice = removed || count === 0 ? '' : ': `fundpress prune --yes` removes them'
  stdout.write(
    count === 0 ? 'nothing to remove\n' : `${formatCount(count)} ${fate}, ${formatBytes(bytes)}${advice}\n`,
  )
}

interface Total {
  count: number
  bytes: number
  /** The first few. */
  readonly keys: string[]
}
type Totals = ReadonlyMap<Garbage['kind'], Total>

const sum = (totals: Totals) => {
  const all = [...totals.values()]
  return {
    count: all.reduce((count, total) => count + total.count, 0),
    bytes: all.reduce((bytes, total) => bytes + total.bytes, 0),
  }
}

/** @param onFound a promise that it returns is waited for */
async function findGarbage(
  session: Session,
  { yes = false, keepDownloads, lock }: Flags,
  onFound: (garbage: Garbage) => unknown,
): Promise<{ readonly totals: Totals; readonly notes: readonly string[] }> {
  const { settings, today, now, signal } = session
  const notes: string[] = []
  const totals = new Map<Garbage['kind'], Total>()
  const { showListed, endListed } = slotProgress(session)
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
        return onFound(garbage)
      },
      onListed: showListed,
      onNote: (note) => notes.push(note),
    }).finally(endListed)
  })
  return { totals, notes }
}

/** A slot after the other, each from its own beginning. */
function slotProgress(session: Session) {
  let current: { readonly slot: Slot; readonly progress: Progress } | undefined
  const endListed = () => current?.progress.end()
  const showListed = (slot: Slot, done: number, of: number) => {
    if (current?.slot !== slot) {
      endListed()
      current = { slot, progress: showProgress(session, `objects of ${slot} listed`) }
    }
    current.progress.update(done, of)
  }
  return { showListed, endListed }
}

function describe(kind: Garbage['kind'], { count, bytes, keys }: Total): string {
  const shown = keys.map((key) => `  ${escapeInvisible(key)}\n`).join('')
  const more = count > keys.length ? `  and ${formatCount(count - keys.length)} more\n` : ''
  const size = kind === 'upload' ? '' : `, ${formatBytes(bytes)}`
  return `${formatCount(count)} ${meanings[kind]}${size}\n${shown}${more}`
}

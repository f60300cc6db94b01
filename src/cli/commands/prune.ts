/** `fundpress prune`: removes unused objects from the bucket. */

import { Option } from 'commander'
import { isAlive, thisHolder } from '../../bucket/live/journal.ts'
import type { Slot } from '../../bucket/live/layout.ts'
import type { Garbage } from '../../bucket/prune/garbage.ts'
import { prune } from '../../bucket/prune/prune.ts'
import { withBucket } from '../bucket.ts'
import { defineCommand, type Session } from '../command.ts'
import { formatBytes, formatCount } from '../format.ts'
import { withJsonList } from '../../bucket/manifest/ndjson.ts'
import { bucketSettings, jsonOption, noLockOption, wholeOption } from '../options.ts'
import { type Progress, showProgress } from '../progress.ts'
import { escapeInvisible } from '../../data/model/printable.ts'

interface Flags {
  readonly yes?: boolean
  readonly keepDownloads?: number
  /** False with --no-lock. */
  readonly lock: boolean
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Lists unused objects: objects in the slots that are in no manifest, lists of finished publishes, unfinished ' +
    'uploads, expired downloads. --yes removes them; no publish can begin meanwhile.',
  settings: [...bucketSettings, 'bucket.leaseSeconds'],
  options: [
    new Option('--yes', 'Remove the objects'),
    wholeOption('--keep-downloads <days>', 'Older downloads are expired (default: none are)', [0, 36_500]),
    noLockOption(),
    jsonOption('Print { removed, count, bytes, objects, notes } as JSON, with every key'),
  ],
  examples: [
    ['prune --bucket fund-data --region eu-central-1', 'List the objects'],
    ['prune --bucket fund-data --yes --keep-downloads 90', 'Remove them, and downloads older than 90 days'],
  ],
  run: async (session, flags) => {
    const { isQuiet, stdout } = session
    const removed = flags.yes ?? false
    if (flags.json === true) {
      await withJsonList<Garbage>(async (list) => {
        const { notes, totals } = await findGarbage(session, flags, list.add)
        await list.write(stdout.data, {
          before: { removed, ...sum(totals) },
          name: 'objects',
          after: { notes },
        })
      })
      return
    }
    const { notes, totals } = await findGarbage(session, flags, () => undefined)
    if (isQuiet) return
    for (const [kind, total] of totals) stdout.write(describe(kind, total))
    for (const note of notes) stdout.write(`${escapeInvisible(note)}\n`)
    const { count, bytes } = sum(totals)
    const size = `${formatCount(count)} ${removed ? 'removed' : 'to remove'}, ${formatBytes(bytes)}`
    const advice = removed ? '' : ': run `fundpress prune --yes`'
    stdout.write(count === 0 ? 'nothing to remove\n' : `${size}${advice}\n`)
  },
})

const meanings: Readonly<Record<Garbage['kind'], string>> = {
  unknown: 'in a slot, but in no manifest',
  changes: 'lists of finished publishes',
  scratch: 'left by a doctor that was stopped',
  upload: 'unfinished uploads',
  download: 'expired downloads',
  replaced: 'downloads that were never live, or were replaced',
}

const keysShown = 5

interface Total {
  count: number
  bytes: number
  /** The first few. */
  readonly keys: string[]
}
type Totals = ReadonlyMap<Garbage['kind'], Total>

function sum(totals: Totals): { readonly count: number; readonly bytes: number } {
  const add = (of: 'count' | 'bytes') => [...totals.values()].reduce((all, total) => all + total[of], 0)
  return { count: add('count'), bytes: add('bytes') }
}

/** @param onFound may return a promise, to slow the listing down */
async function findGarbage(
  session: Session,
  { yes = false, keepDownloads, lock }: Flags,
  onFound: (garbage: Garbage) => unknown,
): Promise<{ readonly totals: Totals; readonly notes: readonly string[] }> {
  const { settings, today, now, signal } = session
  const notes: string[] = []
  const totals = new Map<Garbage['kind'], Total>()
  const { onListed, endListed } = slotProgress(session)
  await withBucket(session, (store) =>
    prune(store, {
      ...{ today, now, signal, onListed, isAlive },
      isReal: yes,
      isLocking: lock,
      keepDownloadDays: keepDownloads ?? null,
      leaseSeconds: settings.bucket.leaseSeconds,
      me: thisHolder(),
      onFound: (garbage) => {
        const { kind, key, bytes } = garbage
        const total = totals.get(kind) ?? { count: 0, bytes: 0, keys: [] }
        totals.set(kind, total)
        total.count++
        total.bytes += bytes
        if (total.keys.length < keysShown) total.keys.push(key)
        return onFound(garbage)
      },
      onNote: (note) => notes.push(note),
    }).finally(endListed),
  )
  return { totals, notes }
}

/** One slot after the other, each from its own beginning. */
function slotProgress(session: Session) {
  let current: { readonly slot: Slot; readonly progress: Progress } | undefined
  const endListed = () => current?.progress.end()
  const onListed = (slot: Slot, done: number, of: number) => {
    if (current?.slot !== slot) {
      endListed()
      current = { slot, progress: showProgress(session, `objects of ${slot} listed`) }
    }
    current.progress.update(done, of)
  }
  return { onListed, endListed }
}

function describe(kind: Garbage['kind'], { count, bytes, keys }: Total): string {
  const shown = keys.map((key) => `  ${escapeInvisible(key)}\n`).join('')
  const more = count > keys.length ? `  and ${formatCount(count - keys.length)} more\n` : ''
  const size = kind === 'upload' ? '' : `, ${formatBytes(bytes)}`
  return `${formatCount(count)} ${meanings[kind]}${size}\n${shown}${more}`
}

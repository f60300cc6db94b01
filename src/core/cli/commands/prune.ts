/** `fundpress prune`: removes unused objects from the bucket. */

import { isAlive, thisHolder } from '../../system/holder.ts'
import type { Slot } from '../../bucket/live/layout.ts'
import { type Garbage, prune } from '../../bucket/prune/prune.ts'
import { withBucket } from '../from-settings.ts'
import { defineCommand, printList, type Session } from '../command.ts'
import { formatBytes, formatCount } from '../format.ts'
import { bucketSettings, noLockOption, option, wholeOption } from '../options.ts'
import { type Progress, showProgress } from '../progress.ts'
import { escapeInvisible } from '../../data/model/printable.ts'

export default defineCommand({
  description:
    'Lists unused objects: objects in the slots that are in no manifest, slots beyond bucket.slots, lists of finished publishes, unfinished ' +
    'uploads, expired downloads. --yes removes them; no publish can begin meanwhile.',
  settings: bucketSettings,
  options: [
    option('--yes', 'Remove the objects'),
    wholeOption(
      '--keep-downloads <days>',
      'Older downloads are expired, except those of the days in downloads.keep (default: none are)',
      [0, 36_500],
    ),
    noLockOption(),
  ],
  json: 'Print { removed, count, bytes, objects, notes } as JSON, with every key',
  examples: [
    ['prune --bucket fund-data --region eu-central-1', 'List the objects'],
    ['prune --bucket fund-data --yes --keep-downloads 90', 'Remove them, and downloads older than 90 days'],
  ],
  run: async (session, { yes: isReal = false, keepDownloads = null, lock: isLocking }) => {
    const { settings, today, now, signal, isJson, isQuiet, stdout } = session
    const notes: string[] = []
    const all = newTotal()
    const totals = new Map<Garbage['kind'], Total>()
    const { onListed, endListed } = slotProgress(session)
    const find = (add: (garbage: Garbage) => unknown) =>
      withBucket(session, (store) =>
        prune(store, {
          today,
          now,
          signal,
          isReal,
          isLocking,
          retention: { ...settings.downloads, keepDays: keepDownloads },
          slots: settings.bucket.slots,
          leaseSeconds: settings.bucket.leaseSeconds,
          me: thisHolder(),
          isAlive,
          onListed,
          onFound: (garbage) => {
            const total = totals.get(garbage.kind) ?? newTotal()
            totals.set(garbage.kind, total)
            for (const one of [all, total]) count(one, garbage)
            return add(garbage)
          },
          onNote: (note) => notes.push(note),
        }).finally(endListed),
      )
    await printList(session, find, {
      name: 'objects',
      fields: () => ({ before: { removed: isReal, count: all.count, bytes: all.bytes }, after: { notes } }),
    })
    if (isJson || isQuiet) return
    for (const [kind, total] of totals) stdout.write(describe(kind, total))
    for (const note of notes) stdout.write(`${escapeInvisible(note)}\n`)
    const size = `${formatCount(all.count)} ${isReal ? 'removed' : 'to remove'}, ${formatBytes(all.bytes)}`
    const advice = isReal ? '' : ': run `fundpress prune --yes`'
    stdout.write(all.count === 0 ? 'nothing to remove\n' : `${size}${advice}\n`)
  },
})

const meanings: Readonly<Record<Garbage['kind'], string>> = {
  unknown: 'in a slot, but in no manifest',
  unused: 'in slots that are not used any more (bucket.slots)',
  changes: 'lists of finished publishes',
  scratch: 'left by a doctor that was stopped',
  upload: 'unfinished uploads',
  download: 'expired downloads',
  replaced: 'downloads that were never live, or were replaced',
}

const keysShown = 5

type Total = ReturnType<typeof newTotal>
const newTotal = () => ({ count: 0, bytes: 0, keys: new Array<string>() })

function count(total: Total, { key, bytes }: Garbage): void {
  total.count++
  total.bytes += bytes
  if (total.keys.length < keysShown) total.keys.push(key)
}

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

function describe(kind: Garbage['kind'], { count: found, bytes, keys }: Total): string {
  const shown = keys.map((key) => `  ${escapeInvisible(key)}\n`).join('')
  const more = found > keys.length ? `  and ${formatCount(found - keys.length)} more\n` : ''
  const size = kind === 'upload' ? '' : `, ${formatBytes(bytes)}`
  return `${formatCount(found)} ${meanings[kind]}${size}\n${shown}${more}`
}

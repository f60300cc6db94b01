/** `fundpress prune`: what is in the bucket and of no use to anybody any more. Finds it, and removes it if told to. */

import { randomUUID } from 'node:crypto'
import { isHeldByOther, readJournal } from './journal.ts'
import { takeLease, type LeaseOptions } from './lease.ts'
import { readLive, tornSlots } from './live.ts'
import { journalGarbage } from './prune-beside.ts'
import { downloadGarbage } from './prune-downloads.ts'
import { slotGarbage } from './prune-slot.ts'
import { abortUpload, oldUploads } from './prune-uploads.ts'
import { slots, type Slot } from './layout.ts'
import type { S3Store } from './s3-store.ts'
import { withFolder } from './status.ts'

/**
 * - `unknown`: in a slot, and no manifest knows it. `changes`: the list of a publish, and no journal names it.
 * - `scratch`: what a doctor that was killed left. `upload`: in parts, begun long ago, never finished.
 * - `download`: of a day that is past its time. `replaced`: a download that was never live, or that another one of the
 *   same day replaced.
 */
export interface Garbage {
  readonly kind: 'unknown' | 'changes' | 'scratch' | 'upload' | 'download' | 'replaced'
  readonly key: string
  /** 0 where the store does not say. */
  readonly bytes: number
  /** Only of an upload. */
  readonly uploadId?: string
}

export interface PruneOptions extends Omit<LeaseOptions, 'id'> {
  /** False: nothing is removed. */
  readonly isReal: boolean
  /** Downloads older than so many days are expired; null: none is. */
  readonly keepDownloadDays: number | null
  /** Today's day, ISO 8601. */
  readonly today: string
  readonly now: () => Date
  readonly signal: AbortSignal
  /** A promise that it returns is waited for. */
  readonly onFound: (garbage: Garbage) => unknown
  /** Told how far the listing of a slot is; how many there are is not always known. */
  readonly onListed: (slot: Slot, done: number, of: number) => void
  /** Told what was left alone, and why. */
  readonly onNote: (note: string) => void
}

const keysPerDelete = 1000

/**
 * Takes the lease for as long as it removes: no publish and no rollback can begin meanwhile.
 * @throws {Error} if a publish is under way and something would be removed
 */
export async function prune(store: S3Store, options: PruneOptions): Promise<void> {
  const { isReal, me, isAlive, signal } = options
  if (!isReal) {
    const isHeld = isHeldByOther(await readJournal(store), me, isAlive)
    await walk(store, options, { isHeld, isUnsettled: false }, () => Promise.resolve())
    return
  }
  const lease = await takeLease(store, { ...options, id: randomUUID() })
  const mayGoOn = {
    signal: AbortSignal.any([signal, lease.lost]),
    assertFresh: () => {
      signal.throwIfAborted()
      lease.assertFresh()
    },
  }
  try {
    await walk(store, options, { isHeld: false, isUnsettled: lease.isUnsettled }, async (batch) => {
      const uploads = batch.filter(({ kind }) => kind === 'upload')
      const objects = batch.filter(({ kind }) => kind !== 'upload')
      mayGoOn.assertFresh()
      await store.delete(
        objects.map(({ key }) => key),
        mayGoOn,
      )
      for (const upload of uploads) {
        mayGoOn.assertFresh()
        await abortUpload(store, upload, mayGoOn)
      }
    })
  } finally {
    // The lease ends by itself too, a little later.
    await lease.release().catch(() => undefined)
  }
}

/** What others may still do to the bucket. */
interface Others {
  /** Whether a publish is under way. */
  readonly isHeld: boolean
  /** Whether requests of one that was killed may still be carried out. */
  readonly isUnsettled: boolean
}

/** Finds everything, and hands it on a thousand at a time. */
async function walk(
  store: S3Store,
  options: PruneOptions,
  others: Others,
  remove: (batch: readonly Garbage[]) => Promise<void>,
): Promise<void> {
  let batch: Garbage[] = []
  const flush = async () => {
    const full = batch
    batch = []
    await remove(full)
  }
  await withFolder(async (folder) => {
    for await (const garbage of findGarbage(store, options, others, folder)) {
      options.signal.throwIfAborted()
      await options.onFound(garbage)
      batch.push(garbage)
      if (batch.length === keysPerDelete) await flush()
    }
  })
  if (batch.length > 0) await flush()
}

async function* findGarbage(
  store: S3Store,
  { keepDownloadDays, today, now, signal, onListed, onNote }: PruneOptions,
  { isHeld, isUnsettled }: Others,
  folder: string,
): AsyncGenerator<Garbage> {
  const { live } = await readLive(store)
  const { journal } = await readJournal(store)
  const changing = tornSlots(journal, live)
  if (live === null) onNote('nothing is live: the slots are left alone')
  else {
    for (const slot of slots) {
      if (isHeld && slot !== live.slot) onNote(`${slot} is left alone: a publish is under way in it`)
      else {
        const report = (done: number, of: number) => onListed(slot, done, of)
        yield* slotGarbage(store, slot, { live, changing, folder, onListed: report, onNote })
      }
    }
  }
  if (isHeld) onNote('lists of changes are left alone: a publish is under way')
  yield* journalGarbage(store, journal, isHeld, now())
  yield* downloadGarbage(store, {
    live,
    keepDays: keepDownloadDays,
    today,
    now: now(),
    mayChange: isHeld || isUnsettled,
  })
  yield* oldUploads(store, now(), signal, onNote)
}

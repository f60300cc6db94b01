/** What lies beside the slots and is of no use any more: lists of publishes, keys of the doctor, old downloads. */

import { isDay } from '../routes/values.ts'
import type { Journal } from './journal.ts'
import { isScratchKey } from './layout.ts'
import type { Garbage } from './prune.ts'
import type { ObjectStore } from './store.ts'

const day = 24 * 3600 * 1000

/** A doctor is done in a moment: what is older than this belongs to one that was killed. */
const scratchMs = 3600 * 1000

/**
 * Lists of changes that the journal does not name, and what a doctor left.
 * @param isHeld a publish is under way: its list may be there before the journal names it
 */
export async function* journalGarbage(
  store: ObjectStore,
  journal: Journal | null,
  isHeld: boolean,
  now: Date,
): AsyncGenerator<Garbage> {
  for await (const { key, bytes, lastModified } of store.list('journal/')) {
    if (isScratchKey(key)) {
      if (now.getTime() - lastModified.getTime() > scratchMs) yield { kind: 'scratch', key, bytes }
    } else if (
      key.endsWith('.changes.ndjson.gz') &&
      !Object.values(journal?.changing ?? {}).includes(key) &&
      !isHeld
    ) {
      yield { kind: 'changes', key, bytes }
    }
  }
}

export interface Expiry {
  readonly keepDays: number
  /** ISO 8601 */
  readonly today: string
  /** Nights whose downloads stay however old they are: those that are live or can be live again. */
  readonly kept: readonly string[]
}

/** `downloads/<as-of>/…`; what is named otherwise is not ours. */
export async function* expiredDownloads(
  store: ObjectStore,
  { keepDays, today, kept }: Expiry,
): AsyncGenerator<Garbage> {
  const oldest = new Date(Date.parse(today) - keepDays * day).toISOString().slice(0, 10)
  for await (const { key, bytes } of store.list('downloads/')) {
    const [, asOf = '', file] = key.split('/')
    if (file !== undefined && isDay(asOf) && asOf < oldest && !kept.includes(asOf))
      yield { kind: 'download', key, bytes }
  }
}

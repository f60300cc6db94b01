/** What lies beside the slots and is of no use any more: lists of publishes, keys of the doctor. */

import type { Journal } from './journal.ts'
import { isScratchKey } from './layout.ts'
import type { Garbage } from './prune.ts'
import type { ObjectStore } from './store.ts'

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

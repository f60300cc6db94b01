/** What a publish tells of its changes: to operators as news, and to readers by the hook `compared`. */

import type { AllowedChange, SnapshotChanges } from '../../api/contract/changes.ts'
import type { AllowedObjection } from '../../guards/guards.ts'
import type { Comparison } from '../live/options.ts'
import type { Publish } from '../publish/snapshot.ts'
import { type ReadChanges, readMoves } from './compare.ts'
import { type News, newsOf } from './news.ts'

interface Announced {
  /** SHA-256 of what the hook `compared` has written, by name. */
  readonly written: ReadonlyMap<string, string>
  /** Number of changed documents; null if unknown. */
  readonly changed: number | null
  /** Null if nothing is live, or nothing is new. */
  readonly news: News | null
}

/** Call after the upload. */
export async function announce(
  publish: Publish,
  compared: Comparison,
  { announced }: ReadChanges,
  allowed: readonly AllowedObjection[],
): Promise<Announced> {
  const { store, base, snapshot, onWarning } = publish
  const { head } = snapshot.manifest
  const { live } = base.live
  const write = async (changes: SnapshotChanges | null) =>
    (await publish.compared?.write(publish, changes)) ?? new Map<string, string>()
  if (announced === null) return { written: await write(null), changed: 0, news: null }
  const changes = allowed.length === 0 ? announced : { ...announced, allowed: allowed.map(allowedInPublic) }
  if (live === null) return { written: await write(changes), changed: head.objects, news: null }
  const moves = await readMoves(publish, live.slot, compared.documents)
  const { not_compared: notCompared, documents } = changes
  const warn = (warning: string) => onWarning(`${store.name}: ${warning}`)
  const [example] = notCompared
  if (compared.documents === null)
    warn(`${live.slot} has no manifest of ${live.snapshot}, so it is not known what changed`)
  else if (example !== undefined)
    warn(
      `${notCompared.length} documents could not be compared with those that are live, ${example} is one of them`,
    )
  const written = await write(changes)
  const isKnown = compared.documents !== null
  return {
    written,
    changed: isKnown ? documents.added + documents.removed + documents.changed : null,
    news: newsOf(compared, head, isKnown ? changes : null, moves),
  }
}

/** Keeps check and reason of an exception. Names, and the guard's words, which may name a file or a host, are not for readers. */
const allowedInPublic = ({ guard, subject, reason }: AllowedChange): AllowedChange => ({
  guard,
  subject,
  reason,
})

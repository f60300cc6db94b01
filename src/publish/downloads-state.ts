/** Whether the files for analysts that `live.json` names are those of the live snapshot: one small read. */

import { createHash } from 'node:crypto'
import { checksumsName } from './downloads.ts'
import type { LiveSnapshot } from './live.ts'
import { prefixOf } from './live-downloads.ts'
import { readSmall } from './manifest-reader.ts'
import type { ObjectStore } from './store.ts'

/**
 * - `whole`: `SHA256SUMS` is the one that the publish uploaded last. What becomes of the other files later is for
 *   `verify` to say.
 * - `missing`: it is not there. `other`: it has other bytes, or the folder is that of another snapshot.
 * - `none`: `live.json` names none: the snapshot was published without, or by an earlier version.
 */
export type DownloadsState = 'whole' | 'missing' | 'other' | 'none'

export async function downloadsState(store: ObjectStore, live: LiveSnapshot): Promise<DownloadsState> {
  const { snapshot, downloads } = live
  if (downloads === undefined) return 'none'
  if (!downloads.folder.startsWith(snapshot)) return 'other'
  const sums = await readSmall(store, `${prefixOf(live)}${checksumsName}`)
  if (sums === null) return 'missing'
  return digestOfText(sums.text) === downloads.sums ? 'whole' : 'other'
}

/** SHA-256 in hex. */
export const digestOfText = (text: string): string => createHash('sha256').update(text).digest('hex')

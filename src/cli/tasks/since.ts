/** What `--since` names: a folder, a manifest, or a slot of the bucket. */

import { statSync } from 'node:fs'
import { withFolder } from '../../bucket/store/files.ts'
import { fetchSlotManifest, isSlotWord } from '../../bucket/manifest/sources.ts'
import { slotZip } from '../../bucket/publish/slot-zip.ts'
import { Damaged } from '../../bucket/store/store.ts'
import type { Since } from '../../build/options.ts'
import { withBucket } from '../bucket.ts'
import type { Session } from '../command.ts'

/** Called when a slot lacks its snapshot, or only the documents.zip of that. */
export type OnMissing = (what: 'snapshot' | 'documents', reason: string) => void

/** Null if the slot holds no snapshot. A file that it has fetched exists until the work is done. */
export type FindSince = () => Promise<Since | null>

export async function withSince<T>(
  session: Session,
  word: string,
  onMissing: OnMissing,
  work: (find: FindSince) => Promise<T>,
): Promise<T> {
  if (!isSlotWord(word)) {
    const kind = statSync(word, { throwIfNoEntry: false })?.isFile() === true ? 'manifest' : 'folder'
    return work(() => Promise.resolve({ kind, path: word }))
  }
  return withFolder((folder) =>
    withBucket(session, (store) =>
      work(async () => {
        const found = await fetchSlotManifest(store, word, folder).catch((error: unknown) => {
          if (!(error instanceof Damaged)) throw error
          throw new Error(`${error.message}: build without --since`, { cause: error })
        })
        if (found.kind === 'none') {
          onMissing('snapshot', found.reason)
          return null
        }
        const zip = slotZip(store, found, session.signal, (reason) => {
          onMissing('documents', reason)
        })
        return { kind: 'manifest', path: found.manifest.file, zip }
      }),
    ),
  )
}

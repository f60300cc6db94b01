/** What `--since` names: a folder, a manifest, or a slot of the bucket. */

import { statSync } from 'node:fs'
import { withFolder } from '../../bucket/live/status.ts'
import { fetchSlotManifest, isSlotWord, type SlotManifest } from '../../bucket/manifest/sources.ts'
import { fetchSlotZip, findSlotZip } from '../../bucket/publish/slot-zip.ts'
import type { ObjectStore } from '../../bucket/store/store.ts'
import type { RemoteZip, Since } from '../../build/options.ts'
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
        const found = await fetchSlotManifest(store, word, folder)
        if (found.kind === 'fetched')
          return { kind: 'manifest', path: found.file, zip: zipOf(store, found, session.signal, onMissing) }
        onMissing('snapshot', found.reason)
        return null
      }),
    ),
  )
}

function zipOf(
  store: ObjectStore,
  { file: manifest, slot, live }: Extract<SlotManifest, { readonly kind: 'fetched' }>,
  signal: AbortSignal,
  onMissing: OnMissing,
): RemoteZip {
  const from = { manifest, slot, live, signal }
  return {
    fetch: async (file, made) => {
      const zip = await fetchSlotZip(store, { ...from, ...made }, file)
      if (zip.kind === 'found') return zip.sha256
      onMissing('documents', zip.reason)
      return null
    },
    isThere: async (made) => {
      const zip = await findSlotZip(store, { ...from, ...made })
      if (zip.kind === 'none') onMissing('documents', zip.reason)
      return zip.kind === 'found'
    },
  }
}

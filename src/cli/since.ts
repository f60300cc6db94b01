/** What `--since` names: a folder, a manifest, or a slot of the bucket. */

import { statSync } from 'node:fs'
import type { SlotManifest } from '../publish/slot-manifest.ts'
import type { ObjectStore } from '../publish/store.ts'
import type { RemoteZip, Since } from '../snapshot/since.ts'
import { withBucket } from './bucket.ts'
import type { Session } from './session.ts'

/** Told what of a slot there is not to go on from, the snapshot itself or its documents.zip alone, and why. */
export type OnNone = (what: 'snapshot' | 'documents', reason: string) => void

/** Null where the slot holds no snapshot to go on from. What it has fetched is there until the work is done. */
export type FindSince = () => Promise<Since | null>

export async function withSince<T>(
  session: Session,
  word: string,
  onNone: OnNone,
  work: (find: FindSince) => Promise<T>,
): Promise<T> {
  const { isSlotWord } = await import('../publish/diff-source.ts')
  if (!isSlotWord(word)) {
    const kind = statSync(word, { throwIfNoEntry: false })?.isFile() === true ? 'manifest' : 'folder'
    return work(() => Promise.resolve({ kind, path: word }))
  }
  const { fetchSlotManifest } = await import('../publish/slot-manifest.ts')
  const { withFolder } = await import('../publish/status.ts')
  const inBucket = (store: ObjectStore, folder: string) => {
    const find: FindSince = async () => {
      const found = await fetchSlotManifest(store, word, folder)
      if (found.kind === 'fetched')
        return { kind: 'manifest', path: found.file, zip: zipOf(store, found, session.signal, onNone) }
      onNone('snapshot', found.reason)
      return null
    }
    return work(find)
  }
  return withFolder((folder) => withBucket(session, (store) => inBucket(store, folder)))
}

type FoundManifest = Extract<SlotManifest, { readonly kind: 'fetched' }>

function zipOf(store: ObjectStore, found: FoundManifest, signal: AbortSignal, onNone: OnNone): RemoteZip {
  const { file: manifest, slot, live } = found
  const from = { manifest, slot, live, signal }
  return {
    fetch: async (file, made) => {
      const { fetchSlotZip } = await import('../publish/slot-zip.ts')
      const zip = await fetchSlotZip(store, { ...from, ...made }, file)
      if (zip.kind === 'fetched') return zip.sha256
      onNone('documents', zip.reason)
      return null
    },
    isThere: async (made) => {
      const { findSlotZip } = await import('../publish/slot-zip.ts')
      const zip = await findSlotZip(store, { ...from, ...made })
      if (zip.kind === 'none') onNone('documents', zip.reason)
      return zip.kind === 'found'
    },
  }
}

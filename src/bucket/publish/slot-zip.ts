/**
 * `documents.zip` of the snapshot in a slot, for a build that continues from its manifest. It lies beside the slots:
 * `live.json` names its folder, and its edition tells whether the checksums there belong to the snapshot. In buckets of
 * earlier versions another snapshot of the same day may have replaced it.
 */

import { rm } from 'node:fs/promises'
import { documentsName } from '../../api/routes/pages.ts'
import type { MadeWith, RemoteZip } from '../../build/options.ts'
import { messageOf } from '../../system/message.ts'
import { prefixOf } from '../live/download-folders.ts'
import { checksumsName } from '../live/layout.ts'
import { findStaged } from '../live/staged.ts'
import type { SlotManifest } from '../manifest/sources.ts'
import { digestOfFile, maxPutBytes } from '../store/files.ts'
import { download, readSmall } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { sumsIn } from './downloads.ts'
import { editionWith } from './snapshot.ts'

/**
 * Three gets each. Whatever is wrong with the ZIP or the store, there is none to use.
 * @param onMissing called with the reason then; if the signal has aborted, its reason is thrown instead
 */
export function slotZip(
  store: ObjectStore,
  { manifest: { head }, slot, live }: Extract<SlotManifest, { readonly kind: 'fetched' }>,
  signal: AbortSignal,
  onMissing: (reason: string) => void,
): RemoteZip {
  const failure = (what: string) => new Error(`${store.name}${what}`)
  const missing = (key: string) => failure(`: there is no ${key}`)

  /** @returns its key and digest, and the key of the checksums that name it @throws {Error} if there is none to rely on */
  const find = async ({ settings, baseUrl }: MadeWith) => {
    // Entries are copied as they are packed.
    if (head.settings !== settings)
      throw failure(`/${slot} was made by another version of fundpress, or with other settings`)
    const { asOf, snapshot } = head
    const { staged } = await findStaged(store, live)
    const published = [live, live.previous, staged].find(
      (one) => one?.slot === slot && one.snapshot === snapshot,
    )
    const folder = prefixOf(published ?? { asOf })
    const sums = `${folder}${checksumsName}`
    const object = await readSmall(store, sums, { signal })
    if (object === null) throw missing(sums)
    if (published?.edition !== editionWith(head, object.text, baseUrl))
      throw failure(
        `: ${folder} does not hold the files of ${snapshot}, which is in ${slot}, but those of another publish`,
      )
    const key = `${folder}${documentsName}`
    const sha256 = sumsIn(object.text).get(documentsName)
    if (sha256 === undefined) throw missing(key)
    return { key, sums, sha256 }
  }
  /** @param look throws if the ZIP is not there, or not the right one @returns its digest, or null */
  const digestIf = async (made: MadeWith, look: (zip: Awaited<ReturnType<typeof find>>) => Promise<void>) => {
    try {
      const zip = await find(made)
      await look(zip)
      return zip.sha256
    } catch (error) {
      signal.throwIfAborted()
      onMissing(messageOf(error))
      return null
    }
  }

  return {
    fetch: async (file, made) => {
      const found = await digestIf(made, async ({ key, sums, sha256 }) => {
        if ((await download(store, key, file, { signal, maxBytes: maxPutBytes })) === null) throw missing(key)
        if ((await digestOfFile(file, signal)) === sha256) return
        throw failure(`: ${key} is not what ${sums} says: somebody has changed it, nobody should use it`)
      })
      if (found === null) await rm(file, { force: true })
      return found
    },
    // Nobody looks at its content.
    isThere: async (made) => {
      const found = await digestIf(made, async ({ key }) => {
        const object = await store.get(key, { signal })
        object?.cancel()
        if (object === null) throw missing(key)
      })
      return found !== null
    },
  }
}

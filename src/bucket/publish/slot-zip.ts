/**
 * `documents.zip` of the snapshot in a slot, for a build that continues from its manifest. It lies beside the slots:
 * `live.json` names its folder, and its edition tells whether the checksums there belong to the snapshot. In buckets of
 * earlier versions another snapshot of the same day may have replaced it.
 */

import { rm } from 'node:fs/promises'
import { documentsName } from '../../api/routes/pages.ts'
import { readHeadOf } from '../../build/manifest.ts'
import { messageOf } from '../../system/message.ts'
import { prefixOf } from '../live/download-folders.ts'
import { checksumsName, type Slot } from '../live/layout.ts'
import type { Live } from '../live/live.ts'
import { digestOfFile } from '../store/files.ts'
import { download, readSmall } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { sumsIn } from './downloads.ts'
import { editionWith } from './snapshot.ts'

/** The most that one put can hold, in bytes. */
const maxZipBytes = 5 * 2 ** 30

export interface SlotZipOptions {
  readonly slot: Slot
  /** The file of the slot's manifest. */
  readonly manifest: string
  readonly live: Live
  /** What the build is made with: `settings` of its manifest. */
  readonly settings: string
  /** The address that the API is published at. */
  readonly baseUrl: string
  readonly signal: AbortSignal
}

/** `none`: there is none to rely on, for this reason. */
export type SlotZip =
  { readonly kind: 'found'; readonly sha256: string } | { readonly kind: 'none'; readonly reason: string }

/** Two gets. @param file a new one; it does not exist afterwards if nothing was fetched @throws {Error} if it is aborted */
export async function fetchSlotZip(
  store: ObjectStore,
  options: SlotZipOptions,
  file: string,
): Promise<SlotZip> {
  const { signal } = options
  const zip = await orReason(signal, async () => {
    const { key, sums, sha256 } = await findZip(store, options)
    if ((await download(store, key, file, { signal, maxBytes: maxZipBytes })) === null)
      throw missing(store, key)
    if ((await digestOfFile(file, signal)) === sha256) return sha256
    throw new Error(
      `${store.name}: ${key} is not what ${sums} says: somebody has changed it, nobody should use it`,
    )
  })
  if (zip.kind === 'none') await rm(file, { force: true })
  return zip
}

/** The same without fetching it: nobody looks at its content. */
export function findSlotZip(store: ObjectStore, options: SlotZipOptions): Promise<SlotZip> {
  const { signal } = options
  return orReason(signal, async () => {
    const { key, sha256 } = await findZip(store, options)
    const object = await store.get(key, { signal })
    object?.cancel()
    if (object === null) throw missing(store, key)
    return sha256
  })
}

/** Whatever is wrong with the ZIP or the store, there is none. @param work gives its SHA-256 */
async function orReason(signal: AbortSignal, work: () => Promise<string>): Promise<SlotZip> {
  try {
    return { kind: 'found', sha256: await work() }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'none', reason: messageOf(error) }
  }
}

const missing = (store: ObjectStore, key: string) => new Error(`${store.name}: there is no ${key}`)

/** @returns its key and digest, and the key of the checksums that name it @throws {Error} if there is none to rely on */
async function findZip(
  store: ObjectStore,
  { slot, manifest, live, settings, baseUrl, signal }: SlotZipOptions,
) {
  const head = await readHeadOf(manifest)
  // Entries are copied as they are packed.
  if (head?.settings !== settings)
    throw new Error(`${store.name}/${slot} was made by another version of fundpress, or with other settings`)
  const { asOf, snapshot } = head
  const published = [live, live.previous].find((one) => one?.slot === slot && one.snapshot === snapshot)
  const folder = prefixOf(published ?? { asOf })
  const sums = `${folder}${checksumsName}`
  const object = await readSmall(store, sums, { signal })
  if (object === null) throw missing(store, sums)
  if (published?.edition !== editionWith(head, object.text, baseUrl))
    throw new Error(
      `${store.name}: ${folder} does not hold the files of ${snapshot}, which is in ${slot}, but those of another publish`,
    )
  const key = `${folder}${documentsName}`
  const sha256 = sumsIn(object.text).get(documentsName)
  if (sha256 === undefined) throw missing(store, key)
  return { key, sums, sha256 }
}

/**
 * `documents.zip` of the snapshot in a slot, for a build that goes on from its manifest. It lies beside the slots, where
 * another snapshot of the same day may have replaced it: `live.json` knows by its edition which checksums were published
 * with the snapshot, and these know the ZIP.
 */

import { rm } from 'node:fs/promises'
import { documentsName } from '../routes/pages.ts'
import { readHeadOf } from '../snapshot/manifest.ts'
import { downloadsFolder, downloadSumsKey, sumsIn } from './downloads.ts'
import { editionWith } from './edition.ts'
import type { Slot } from './layout.ts'
import type { Live } from './live.ts'
import { download, readSmall } from './manifest-reader.ts'
import { digestOfFile } from './s3-put-file.ts'
import type { ObjectStore } from './store.ts'

export type SlotZip =
  | { readonly kind: 'fetched'; readonly sha256: string }
  /** There is none to rely on; `reason` says why. */
  | { readonly kind: 'none'; readonly reason: string }

export interface SlotZipOptions {
  readonly slot: Slot
  /** The slot's manifest. */
  readonly manifest: string
  readonly live: Live
  /** What the build is made with: `settings` of its manifest. */
  readonly settings: string
  /** The address that the API is published at. */
  readonly baseUrl: string
  readonly signal: AbortSignal
}

/** Two gets. @param file a new one; it is not there where none was fetched @throws {Error} if it is aborted */
export async function fetchSlotZip(
  store: ObjectStore,
  options: SlotZipOptions,
  file: string,
): Promise<SlotZip> {
  const zip = await fetchZip(store, options, file).catch((error: unknown): SlotZip => {
    return { kind: 'none', reason: error instanceof Error ? error.message : String(error) }
  })
  if (zip.kind === 'none') await rm(file, { force: true })
  options.signal.throwIfAborted()
  return zip
}

async function fetchZip(
  store: ObjectStore,
  { slot, manifest, live, settings, baseUrl, signal }: SlotZipOptions,
  file: string,
): Promise<SlotZip> {
  const none = (reason: string): SlotZip => ({ kind: 'none', reason: `${store.name}${reason}` })
  const head = await readHeadOf(manifest)
  // Entries are copied as they are packed.
  if (head?.settings !== settings)
    return none(`/${slot} was made by another version of fundpress, or with other settings`)
  const { asOf, snapshot } = head
  const folder = downloadsFolder(asOf)
  const sums = await readSmall(store, downloadSumsKey(asOf), { signal })
  if (sums === null) return none(`: there is no ${downloadSumsKey(asOf)}`)
  const published = [live, live.previous].find((one) => one?.slot === slot && one.snapshot === snapshot)
  if (published?.edition !== editionWith(head, sums.text, baseUrl))
    return none(
      `: ${folder} does not hold the files of ${snapshot}, which is in ${slot}, but those of another publish`,
    )
  const key = `${folder}${documentsName}`
  const sha256 = sumsIn(sums.text).get(documentsName)
  if (sha256 === undefined || !(await download(store, key, file, { signal })))
    return none(`: there is no ${key}`)
  if ((await digestOfFile(file, signal)) === sha256) return { kind: 'fetched', sha256 }
  return none(
    `: ${key} is not what ${downloadSumsKey(asOf)} says: somebody has changed it, nobody should use it`,
  )
}

/**
 * `documents.zip` of the snapshot in a slot, for a build that goes on from its manifest. It lies beside the slots:
 * `live.json` knows its folder, and by its edition which checksums were published with the snapshot; these know the ZIP.
 * In buckets of earlier versions another snapshot of the same day may have replaced it.
 */

import { rm } from 'node:fs/promises'
import { documentsName } from '../routes/pages.ts'
import { readHeadOf } from '../snapshot/manifest.ts'
import { checksumsName, sumsIn } from './downloads.ts'
import { editionWith } from './edition.ts'
import type { Slot } from './layout.ts'
import type { Live } from './live.ts'
import { prefixOf } from './live-downloads.ts'
import { download, readSmall } from './manifest-reader.ts'
import { digestOfFile } from './s3-put-file.ts'
import type { ObjectStore } from './store.ts'

/** What one put can hold, in bytes. */
const maxZipBytes = 5 * 2 ** 30

export type SlotZip = { readonly kind: 'fetched'; readonly sha256: string } | NoZip

/** There is none to rely on; `reason` says why. */
interface NoZip {
  readonly kind: 'none'
  readonly reason: string
}

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
  const { signal } = options
  const zip = await orReason(options, async () => {
    const found = await findZip(store, options)
    if (found.kind === 'none') return found
    const { key, sums, sha256 } = found
    if ((await download(store, key, file, { signal, maxBytes: maxZipBytes })) === null)
      return noZip(store, key)
    if ((await digestOfFile(file, signal)) === sha256) return { kind: 'fetched', sha256 }
    return none(store, `: ${key} is not what ${sums} says: somebody has changed it, nobody should use it`)
  })
  if (zip.kind === 'none') await rm(file, { force: true })
  return zip
}

/** The same without fetching it: what it holds is not looked at. */
export async function findSlotZip(
  store: ObjectStore,
  options: SlotZipOptions,
): Promise<{ readonly kind: 'found' } | NoZip> {
  const { signal } = options
  return orReason(options, async () => {
    const found = await findZip(store, options)
    if (found.kind === 'none') return found
    const object = await store.get(found.key, { signal })
    object?.cancel()
    return object === null ? noZip(store, found.key) : { kind: 'found' }
  })
}

/** Whatever is wrong with the ZIP or the store, there is none. @throws {Error} if it is aborted */
async function orReason<T>({ signal }: SlotZipOptions, work: () => Promise<T | NoZip>): Promise<T | NoZip> {
  const done = await work().catch((error: unknown): NoZip => {
    return { kind: 'none', reason: error instanceof Error ? error.message : String(error) }
  })
  signal.throwIfAborted()
  return done
}

const none = (store: ObjectStore, reason: string): NoZip => ({
  kind: 'none',
  reason: `${store.name}${reason}`,
})

const noZip = (store: ObjectStore, key: string) => none(store, `: there is no ${key}`)

interface FoundZip {
  readonly kind: 'found'
  readonly key: string
  /** The key of the checksums that know it. */
  readonly sums: string
  /** In hex. */
  readonly sha256: string
}

async function findZip(
  store: ObjectStore,
  { slot, manifest, live, settings, baseUrl, signal }: SlotZipOptions,
): Promise<FoundZip | NoZip> {
  const head = await readHeadOf(manifest)
  // Entries are copied as they are packed.
  if (head?.settings !== settings)
    return none(store, `/${slot} was made by another version of fundpress, or with other settings`)
  const { asOf, snapshot } = head
  const published = [live, live.previous].find((one) => one?.slot === slot && one.snapshot === snapshot)
  const folder = prefixOf(published ?? { asOf })
  const sumsKey = `${folder}${checksumsName}`
  const sums = await readSmall(store, sumsKey, { signal })
  if (sums === null) return noZip(store, sumsKey)
  if (published?.edition !== editionWith(head, sums.text, baseUrl))
    return none(
      store,
      `: ${folder} does not hold the files of ${snapshot}, which is in ${slot}, but those of another publish`,
    )
  const key = `${folder}${documentsName}`
  const sha256 = sumsIn(sums.text).get(documentsName)
  if (sha256 === undefined) return noZip(store, key)
  return { kind: 'found', key, sums: sumsKey, sha256 }
}

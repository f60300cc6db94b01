/** The files for analysts of a slot's snapshot against their checksums. */

import { join } from 'node:path'
import { Readable } from 'node:stream'
import { checksumsName, sumsIn, type DownloadLine } from './downloads.ts'
import { digestOfText } from './downloads-state.ts'
import { inParallel } from './in-parallel.ts'
import { downloadEtagsKey } from './layout.ts'
import type { LiveSnapshot } from './live.ts'
import { prefixOf } from './live-downloads.ts'
import { digestOf, fetchList, readSmall } from './manifest-reader.ts'
import { isBefore } from './sorted.ts'
import type { ListedObject, ObjectStore } from './store.ts'
import type { Difference } from './verify.ts'

export interface VerifyDownloadsOptions {
  /** Whether all bodies are read and hashed. */
  readonly isDeep: boolean
  readonly concurrency: number
  /** Where lists are kept. */
  readonly folder: string
  readonly signal: AbortSignal
  /** A promise that it returns is waited for. */
  readonly onDifference: (difference: Difference) => unknown
}

/** What a file should be, as far as it is known. */
interface Expected {
  readonly sha256?: string | undefined
  readonly line?: DownloadLine | undefined
}

/** A file that a listing shows as it should be. */
interface Alike {
  readonly key: string
  /** In hex. */
  readonly sha256: string
}

/**
 * By listing: names as in `SHA256SUMS`, sizes and ETags as the publish noted them; then by bodies if that is asked for.
 * Nothing is known of downloads that an earlier version published.
 * @returns how many files there should be; null: `live.json` names none
 */
export async function verifyDownloads(
  store: ObjectStore,
  live: LiveSnapshot,
  { isDeep, concurrency, folder, signal, onDifference }: VerifyDownloadsOptions,
): Promise<number | null> {
  const { downloads, slot } = live
  if (downloads === undefined) return null
  const prefix = prefixOf(live)
  const sumsKey = prefix + checksumsName
  const sums = await readSmall(store, sumsKey, { signal })
  const isRight = sums !== null && digestOfText(sums.text) === downloads.sums
  if (sums !== null && !isRight) await onDifference({ key: sumsKey, what: 'body' })

  const expected = new Map<string, Expected>([[sumsKey, {}]])
  for (const [name, sha256] of isRight ? sumsIn(sums.text) : []) expected.set(prefix + name, { sha256 })
  const etagsFile = join(folder, 'downloads.ndjson.gz')
  const lines = await fetchList<DownloadLine>(store, downloadEtagsKey(slot), etagsFile, { signal })
  if (lines !== null) {
    for await (const line of lines())
      // The list of a publish that died is of another folder.
      if (line.key.startsWith(prefix)) expected.set(line.key, { ...expected.get(line.key), line })
  }

  const there = new Map<string, ListedObject>()
  for await (const object of store.list(prefix, { signal })) there.set(object.key, object)
  const keys = [...new Set([...expected.keys(), ...there.keys()])].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const alike: Alike[] = []
  for (const key of keys) {
    const wanted = expected.get(key)
    const what = differenceOf(there.get(key), wanted)
    if (what !== null) await onDifference({ key, what })
    else if (wanted?.sha256 !== undefined) alike.push({ key, sha256: wanted.sha256 })
  }
  if (isDeep) {
    await inParallel(Readable.from(alike) as AsyncIterable<Alike>, concurrency, async ({ key, sha256 }) => {
      signal.throwIfAborted()
      if ((await digestOf(store, key, { signal })) !== sha256) await onDifference({ key, what: 'body' })
    })
  }
  return downloads.files
}

function differenceOf(
  object: ListedObject | undefined,
  wanted: Expected | undefined,
): Difference['what'] | null {
  if (wanted === undefined) return 'extra'
  if (object === undefined) return 'missing'
  const { line } = wanted
  if (line === undefined) return null
  if (line.bytes !== object.bytes) return 'size'
  return bare(line.etag) === bare(object.etag) ? null : 'etag'
}

const bare = (etag: string) => etag.replaceAll('"', '')

/** Manifests and other lists of objects, from a folder or from the bucket, as streams. */

import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { manifestFormat, type ManifestHead, type ManifestLine } from '../../build/manifest.ts'
import { messageOf } from '../../system/message.ts'
import { etagsKey, manifestIn, type Slot } from '../live/layout.ts'
import { download } from '../store/read.ts'
import { readWhole } from '../store/retry.ts'
import { Damaged, type CallOptions, type ObjectStore } from '../store/store.ts'
import { mergeSorted } from './compare.ts'
import { lineWriter, parsedLines, readNdjson, readSorted, type ListSource } from './ndjson.ts'

export interface Manifest {
  readonly head: ManifestHead
  /** All files of the snapshot, those of its first line among the objects; a new stream at each call. */
  readonly lines: () => AsyncIterable<ManifestLine>
  /** The objects alone. */
  readonly objects: () => AsyncIterable<ManifestLine>
}

/** @throws {Damaged} if the file is no manifest, or one of another format; if a line is damaged, when that is reached */
export async function openManifest(
  file: string,
  { label = file, signal }: ListSource = {},
): Promise<Manifest> {
  const source = { label, signal }
  const lines = readNdjson(file, source)
  const first = await lines.next()
  await lines.return(undefined)
  const head = first.value as Partial<ManifestHead> | null | undefined
  if (head?.format !== manifestFormat) {
    const other = typeof head?.format === 'number' ? `, but of ${head.format}` : ''
    throw new Damaged(`${label} is not a manifest of format ${manifestFormat}${other}`)
  }
  const objects = () => readSorted<ManifestLine>(file, source, 1)
  const { files = [] } = head
  return { head: head as ManifestHead, lines: () => withFiles(objects(), files), objects }
}

/** @param files sorted by key, none of which is among the lines */
async function* withFiles(
  lines: AsyncIterable<ManifestLine>,
  files: readonly ManifestLine[],
): AsyncGenerator<ManifestLine> {
  let next = 0
  for await (const line of lines) {
    for (let file = files[next]; file !== undefined && file.key < line.key; file = files[++next]) yield file
    yield line
  }
  yield* files.slice(next)
}

/**
 * Fetches the manifest of a slot.
 * @param folder where it is kept @param doesWithout whether a damaged manifest counts as none
 * @returns null if there is none @throws {Damaged} if it is damaged
 */
export async function fetchManifest(
  store: ObjectStore,
  slot: Slot,
  folder: string,
  doesWithout = false,
): Promise<Manifest | null> {
  const file = join(folder, `${slot}-manifest.ndjson.gz`)
  const key = manifestIn(slot)
  const downloaded = await download(store, key, file)
  if (downloaded === null) return null
  try {
    const manifest = await openManifest(file, { label: `${store.name}/${key}`, ...downloaded })
    return (await isIntact(manifest.lines(), doesWithout)) ? manifest : null
  } catch (error) {
    if (doesWithout && error instanceof Damaged) return null
    throw error
  }
}

/** The first line of a manifest in the bucket, or null if there is none. Reads no more of it than that takes. */
export function fetchHead(
  store: ObjectStore,
  key: string,
  options?: CallOptions,
): Promise<ManifestHead | null> {
  return readWhole(store, key, options, async (object) => {
    const unzipped = createGunzip()
    const piped = pipeline(Readable.from(object.body), unzipped)
    piped.catch(() => undefined)
    try {
      for await (const line of parsedLines(unzipped, object.signal)) return line as ManifestHead
      await piped
      throw new Error('it is empty')
    } catch (error) {
      throw new Damaged(`${store.name}/${key} is damaged: ${messageOf(error)}`, { cause: error })
    } finally {
      unzipped.destroy()
      object.cancel()
    }
  })
}

/**
 * Fetches a list that is sorted by key.
 * @param file where it is kept @returns its lines, from the first one on at each call, or null if there is none
 */
export async function fetchList<T extends { readonly key: string }>(
  store: ObjectStore,
  key: string,
  file: string,
  options?: CallOptions,
): Promise<(() => AsyncIterable<T>) | null> {
  const downloaded = await download(store, key, file, options)
  if (downloaded === null) return null
  return () => readSorted<T>(file, { label: `${store.name}/${key}`, ...downloaded })
}

/** Whether a list can be read to its end. @throws {Damaged} if not, unless one can do without */
export async function isIntact(lines: AsyncIterable<unknown>, doesWithout: boolean): Promise<boolean> {
  const iterator = lines[Symbol.asyncIterator]()
  try {
    while ((await iterator.next()).done !== true);
    return true
  } catch (error) {
    if (doesWithout && error instanceof Damaged) return false
    throw error
  }
}

/** The ETag that the store gave for an object: whatever the store makes it of, a listing shows the same. */
export interface EtagLine {
  readonly key: string
  readonly etag: string
}

/** The ETags of a slot's objects, or null without such a list. @param doesWithout as above */
export async function fetchEtags(
  store: ObjectStore,
  slot: Slot,
  folder: string,
  doesWithout = false,
): Promise<(() => AsyncIterable<EtagLine>) | null> {
  const lines = await fetchList<EtagLine>(store, etagsKey(slot), join(folder, `${slot}-etags.ndjson.gz`))
  // Damage is found here, not when half of the slot has been written.
  return lines === null || (await isIntact(lines(), doesWithout)) ? lines : null
}

/** Notes ETags in the order of keys, in a file. */
export function etagWriter(file: string) {
  const { add, end, read } = lineWriter<EtagLine>(file)
  return { add: (key: string, etag: string) => add({ key, etag }), end, read }
}

/** The ETags after a publish: for each object in the manifest the new one, else the one that is known. */
export async function* etagLines(
  next: AsyncIterable<ManifestLine>,
  known: AsyncIterable<EtagLine>,
  fresh: AsyncIterable<EtagLine>,
): AsyncGenerator<EtagLine> {
  const rows = mergeSorted<readonly [ManifestLine, EtagLine, EtagLine]>(next, known, fresh)
  for await (const { key, values } of rows) {
    const [line, old, put] = values
    const etag = put?.etag ?? old?.etag
    if (line !== undefined && etag !== undefined) yield { key, etag }
  }
}

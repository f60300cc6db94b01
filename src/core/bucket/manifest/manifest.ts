import { join } from 'node:path'
import { z } from 'zod'
import * as form from '../../snapshot/forms.ts'
import { type ManifestHead, type ManifestLine, parseHead, parseLine } from '../../snapshot/manifest.ts'
import { manifestIn, type Slot } from '../live/layout.ts'
import { download } from '../store/read.ts'
import { readWhole } from '../store/retry.ts'
import { Damaged, type ObjectStore } from '../store/store.ts'
import type { KeyedLine } from './compare.ts'
import { readNdjson, sortedList, type ListSource } from './ndjson.ts'

export interface Manifest {
  readonly file: string
  readonly head: ManifestHead
  /** All files of the snapshot, including the `files` of its first line, sorted; a new stream at each call. */
  readonly lines: () => AsyncIterable<ManifestLine>
  readonly objects: () => AsyncIterable<ManifestLine>
}

/** @throws {Damaged} if the file is no manifest, or one of another format; for a damaged line, when it is reached */
export async function openManifest(file: string, source: ListSource = {}): Promise<Manifest> {
  const head = await firstHead(readNdjson(file, headOf, source), source.label ?? file)
  const objects = sortedList(file, (line, index) => (index === 0 ? null : parseLine(line)), source)
  return { file, head, lines: () => withFiles(objects(), head.files), objects }
}

/** The first line; the others are not read for it. */
const headOf = (line: string, index: number) => (index === 0 ? parseHead(line) : null)

async function firstHead(heads: AsyncIterable<ManifestHead | null>, label: string): Promise<ManifestHead> {
  for await (const head of heads) if (head !== null) return head
  throw new Damaged(`${label} is damaged: it is empty`)
}

async function* withFiles(lines: AsyncIterable<ManifestLine>, files: readonly ManifestLine[] = []) {
  let next = 0
  for await (const line of lines) {
    for (let file = files[next]; file !== undefined && file.key < line.key; file = files[++next]) yield file
    yield line
  }
  yield* files.slice(next)
}

/**
 * Fetches a manifest, whose lines are checked as they are read.
 * @param doesWithout takes a damaged manifest for none, so it is read to its end at once
 * @returns null if there is none @throws {Damaged} if its first line is damaged; for a later one, when it is reached
 */
export const fetchManifest = (store: ObjectStore, slot: Slot, folder: string, doesWithout = false) =>
  fetchIntact(store, manifestIn(slot), folder, doesWithout, openManifest)

/**
 * Fetches a list that is sorted by key. Parameters and errors as for {@link fetchManifest}.
 * @param lineForm of its lines @returns its lines, a new stream at each call
 */
export const fetchList = <T extends KeyedLine>(
  store: ObjectStore,
  key: string,
  lineForm: z.ZodType<T>,
  folder: string,
  doesWithout = false,
) => {
  const parse = (line: string) => form.parseStrictly(lineForm, line)
  return fetchIntact(store, key, folder, doesWithout, (file, source) => {
    return { lines: sortedList(file, parse, source) }
  }).then((list) => list?.lines ?? null)
}

/** Limit of a packed list: that of a million objects takes a hundred MB. */
const maxListBytes = 2 * 2 ** 30

async function fetchIntact<T extends { readonly lines: () => AsyncIterable<KeyedLine> }>(
  store: ObjectStore,
  key: string,
  folder: string,
  doesWithout: boolean,
  open: (file: string, source: ListSource) => T | Promise<T>,
): Promise<T | null> {
  // A damaged journal may name a list with a key that is too long for a file.
  const file = join(folder, key.replaceAll('/', '-').slice(-100))
  const downloaded = await download(store, key, file, { maxBytes: maxListBytes })
  if (downloaded === null) return null
  try {
    const list = await open(file, { label: `${store.name}/${key}`, ...downloaded })
    if (doesWithout) await readThrough(list.lines)
    return list
  } catch (error) {
    if (doesWithout && error instanceof Damaged) return null
    throw error
  }
}

/** Reads a list to its end, for those who write before they would come to it. @throws {Damaged} */
export async function readThrough(lines: () => AsyncIterable<KeyedLine>): Promise<void> {
  const reading = lines()[Symbol.asyncIterator]()
  while ((await reading.next()).done !== true);
}

export function adviseRepair(error: unknown): never {
  if (!(error instanceof Damaged)) throw error
  throw new Error(`${error.message}: publish with --repair`, { cause: error })
}

/** The first line of a manifest in the bucket, or null if there is none. Reads no further. */
export const fetchHead = (store: ObjectStore, key: string): Promise<ManifestHead | null> =>
  readWhole(store, key, {}, async ({ body, signal, cancel }) => {
    try {
      const label = `${store.name}/${key}`
      return await firstHead(readNdjson(body, headOf, { label, signal }), label)
    } finally {
      cancel()
    }
  })

/** A line of `journal/<slot>.etags.ndjson.gz`: the store's ETag of an object, whatever it is made from: a listing shows the same. */
export const etagLine = z.object({ key: form.objectKey, etag: form.aText }, 'a line of ETags')
export type EtagLine = Readonly<z.infer<typeof etagLine>>

/** A line of a list of changes. A repair names foreign objects, too. */
export const keyLine = z.object({ key: form.anyKey }, 'a line of keys')

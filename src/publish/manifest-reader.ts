/** Manifests, out of a folder or out of a slot, as streams. */

import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { manifestFormat, type ManifestHead, type ManifestLine } from '../snapshot/manifest.ts'
import { Damaged, parsedLines, readNdjson, readSorted, unwritable, type ListSource } from './ndjson.ts'
import { pause } from './pause.ts'
import {
  bytesOf,
  textOf,
  TooLarge,
  type CallOptions,
  type FetchedObject,
  type GetOptions,
  type ObjectStore,
} from './store.ts'

export interface Manifest {
  readonly head: ManifestHead
  /** All files of the snapshot, those that its first line names among the objects; anew each time it is called. */
  readonly lines: () => AsyncIterable<ManifestLine>
  /** The objects alone. */
  readonly objects: () => AsyncIterable<ManifestLine>
}

/**
 * @throws {Damaged} if the file is no manifest, or one of another format; if a line is damaged, when that is reached
 */
export async function openManifest(
  file: string,
  { label = file, signal }: ListSource = {},
): Promise<Manifest> {
  const source = { label, signal }
  const lines = readNdjson(file, source)
  const first = await lines.next()
  await lines.return(undefined)
  const head = first.value as Partial<ManifestHead> | null | undefined
  if (typeof head?.format !== 'number')
    throw new Damaged(`${label} is not a manifest of format ${manifestFormat}`)
  if (head.format !== manifestFormat)
    throw new Damaged(`${label} is not a manifest of format ${manifestFormat}, but of ${head.format}`)
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

const maxAttempts = 5

/** A list, packed, in bytes: that of a million objects takes a hundred MB. */
const maxListBytes = 2 * 2 ** 30

/** What `download` fetched. */
export interface Downloaded {
  /** What ends the command: whoever reads the file has to stop, too. */
  readonly signal: AbortSignal | undefined
}

/**
 * Fetches a whole object into a file.
 * @param maxBytes of the object
 * @returns null if there is none
 * @throws {Damaged} if it is larger @throws {Error} if it keeps breaking off, or if the file cannot be written
 */
export async function download(
  store: ObjectStore,
  key: string,
  file: string,
  { maxBytes = maxListBytes, ...options }: CallOptions & { readonly maxBytes?: number } = {},
): Promise<Downloaded | null> {
  try {
    const done = await wholeObject(store, key, options, async ({ body, signal }) => {
      await pipeline(Readable.from(upTo(body, maxBytes)), createWriteStream(file))
      return { signal }
    })
    if (done === null) await rm(file, { force: true })
    return done
  } catch (error) {
    throw unwritable(file, error)
  }
}

async function* upTo(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > maxBytes) throw new TooLarge(`it has more than ${maxBytes} bytes`)
    yield chunk
  }
}

/**
 * Fetches a list that is sorted by key.
 * @param file where it is kept @returns its lines, from the first one on each time, or null if there is none
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

/** A small object's text with its ETag and age, or null. @throws {Error} if it keeps breaking off, or is not small */
export function readSmall(
  store: ObjectStore,
  key: string,
  options?: CallOptions,
): Promise<(Omit<FetchedObject, 'body'> & { text: string }) | null> {
  return wholeObject(store, key, options, async (object) => ({ ...object, text: await textOf(object) }))
}

/** A document, or a page, in bytes: ten years of a fund take 2 MB. */
const maxObjectBytes = 512 * 2 ** 20

/** An object with its body in memory, or null. @throws {Error} if it keeps breaking off, or is larger than any of ours */
export function readObject(
  store: ObjectStore,
  key: string,
  options?: CallOptions,
): Promise<{ readonly body: Buffer; readonly etag: string; readonly lastModified: Date } | null> {
  return wholeObject(store, key, options, async ({ etag, lastModified, ...object }) => {
    return { body: await bytesOf(object, maxObjectBytes), etag, lastModified }
  })
}

/** The first line of a manifest in the bucket, or null if there is none. Reads no more of it than that takes. */
export async function fetchHead(
  store: ObjectStore,
  key: string,
  options?: CallOptions,
): Promise<ManifestHead | null> {
  return wholeObject(store, key, options, async (object) => {
    const unzipped = createGunzip()
    const piped = pipeline(Readable.from(object.body), unzipped)
    piped.catch(() => undefined)
    try {
      for await (const line of parsedLines(unzipped, object.signal)) return line as ManifestHead
      await piped
      throw new Error('it is empty')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Damaged(`${store.name}/${key} is damaged: ${reason}`, { cause: error })
    } finally {
      unzipped.destroy()
      object.cancel()
    }
  })
}

/** The SHA-256 of an object's body, in hex, or null. @throws {Error} if it keeps breaking off */
export function digestOf(store: ObjectStore, key: string, options?: CallOptions): Promise<string | null> {
  return wholeObject(store, key, options, async ({ body }) => {
    const sha256 = createHash('sha256')
    for await (const chunk of body) sha256.update(chunk)
    return sha256.digest('hex')
  })
}

/** A body can break off after the answer has begun: then the request is made again, unless it was stopped. */
export async function wholeObject<T>(
  store: ObjectStore,
  key: string,
  options: GetOptions | undefined,
  read: (object: FetchedObject) => Promise<T>,
): Promise<T | null> {
  for (let attempt = 1; ; attempt++) {
    const object = await store.get(key, options)
    if (object === null) return null
    const { body, hasBrokenOff } = counted(object)
    try {
      return await read({ ...object, body })
    } catch (error) {
      object.cancel()
      object.signal?.throwIfAborted()
      if (error instanceof TooLarge)
        throw new Damaged(`${store.name}/${key} is damaged: ${error.message}`, { cause: error })
      // Whoever reads has failed: a file that cannot be written.
      if (!hasBrokenOff()) throw error
      if (attempt === maxAttempts)
        throw new Error(`${store.name}: ${key} keeps breaking off`, { cause: error })
      await pause(100 * 2 ** attempt, object.signal)
    }
  }
}

/** An object's body, whose end before its time is an error, and whether it failed. */
function counted({ body, bytes }: FetchedObject) {
  let isBroken = false
  async function* whole() {
    let read = 0
    try {
      for await (const chunk of body) {
        read += chunk.length
        yield chunk
      }
      if (bytes !== null && read !== bytes) throw new Error(`${read} of ${bytes} bytes`)
    } catch (error) {
      isBroken = true
      throw error
    }
  }
  return { body: whole(), hasBrokenOff: () => isBroken }
}

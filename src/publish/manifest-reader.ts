/** Manifests, out of a folder or out of a slot, as streams. */

import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { manifestFormat, type ManifestHead, type ManifestLine } from '../snapshot/manifest.ts'
import { readNdjson } from './ndjson.ts'
import { textOf, type FetchedObject, type ObjectStore } from './store.ts'

export interface Manifest {
  readonly head: ManifestHead
  /** From the first line on, each time it is called. */
  readonly lines: () => AsyncIterable<ManifestLine>
}

/** @throws {Error} if the file is no manifest or one of another format */
export async function openManifest(file: string): Promise<Manifest> {
  const lines = readNdjson(file)
  const first = await lines.next()
  await lines.return(undefined)
  const head = first.value as ManifestHead | undefined
  if (head?.format !== manifestFormat)
    throw new Error(`${file} is not a manifest of format ${manifestFormat}`)
  return {
    head,
    async *lines() {
      let isHead = true
      for await (const line of readNdjson(file)) {
        if (!isHead) yield line as ManifestLine
        isHead = false
      }
    },
  }
}

const maxAttempts = 5

/** Fetches a whole object into a file. @returns false if there is none @throws {Error} if it keeps breaking off */
export async function download(store: ObjectStore, key: string, file: string): Promise<boolean> {
  const done = await wholeObject(store, key, async (object) => {
    await pipeline(Readable.from(object.body), createWriteStream(file))
    return true
  })
  if (done === null) await rm(file, { force: true })
  return done ?? false
}

/** A small object's text with its ETag and age, or null. @throws {Error} if it keeps breaking off */
export function readSmall(
  store: ObjectStore,
  key: string,
): Promise<(Omit<FetchedObject, 'body'> & { text: string }) | null> {
  return wholeObject(store, key, async (object) => ({ ...object, text: await textOf(object) }))
}

/** An object with its body in memory, or null. @throws {Error} if it keeps breaking off */
export function readObject(
  store: ObjectStore,
  key: string,
): Promise<{ readonly body: Buffer; readonly etag: string; readonly lastModified: Date } | null> {
  return wholeObject(store, key, async ({ body, etag, lastModified }) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return { body: Buffer.concat(chunks), etag, lastModified }
  })
}

/** The SHA-256 of an object's body, in hex, or null. @throws {Error} if it keeps breaking off */
export function digestOf(store: ObjectStore, key: string): Promise<string | null> {
  return wholeObject(store, key, async ({ body }) => {
    const sha256 = createHash('sha256')
    for await (const chunk of body) sha256.update(chunk)
    return sha256.digest('hex')
  })
}

/** A body can break off after the answer has begun: then the request is made again. */
async function wholeObject<T>(
  store: ObjectStore,
  key: string,
  read: (object: FetchedObject) => Promise<T>,
): Promise<T | null> {
  for (let attempt = 1; ; attempt++) {
    const object = await store.get(key)
    if (object === null) return null
    let bytes = 0
    async function* counted(body: AsyncIterable<Uint8Array>) {
      for await (const chunk of body) {
        bytes += chunk.length
        yield chunk
      }
    }
    try {
      const result = await read({ ...object, body: counted(object.body) })
      if (bytes !== object.bytes) throw new Error(`${bytes} of ${object.bytes} bytes`)
      return result
    } catch (error) {
      object.cancel()
      if (attempt === maxAttempts)
        throw new Error(`${store.name}: ${key} keeps breaking off`, { cause: error })
      await setTimeout(100 * 2 ** attempt)
    }
  }
}

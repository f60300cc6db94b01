/** Reads objects as a whole, into memory or into a file, within limits. `retry.ts` repeats broken reads. */

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { privateFile } from '../../system/private.ts'
import { unwritable } from './files.ts'
import { readWhole } from './retry.ts'
import type { CallOptions, Condition, FetchedObject, GetOptions, ObjectStore } from './store.ts'

/** Limits in bytes, against foreign objects. Ours stay far below. */
const limits = {
  json: 16 * 2 ** 20,
  /** A document or a page: ten years of a fund take 2 MB. */
  object: 512 * 2 ** 20,
}

type Reads = Pick<ObjectStore, 'name' | 'get'>

export const readSmall = (store: Reads, key: string, options?: CallOptions) =>
  readWhole(store, key, { ...options, maxBytes: limits.json }, async (object) => ({
    ...object,
    text: (await bodyOf(object)).toString('utf8'),
  }))

/** For a replacement. `condition`: of the next write; `ageMs`: infinite without an object; `now`: the store's clock. */
export async function readReplaceable(store: Reads, key: string) {
  const object = await readSmall(store, key)
  const condition: Condition = object === null ? { ifAbsent: true } : { ifMatch: object.etag }
  if (object === null) return { text: null, condition, ageMs: Infinity, now: new Date() }
  const { text, now, lastModified } = object
  return { text, condition, ageMs: now.getTime() - lastModified.getTime(), now }
}

export const readObject = (store: Reads, key: string, options?: CallOptions) =>
  readWhole(store, key, { ...options, maxBytes: limits.object }, async (object) => ({
    ...object,
    body: await bodyOf(object),
  }))

/** An object, with its body up to `most` bytes; null if there is none. */
export const readUpTo = (store: Reads, key: string, most: number) =>
  readWhole(store, key, {}, async (object) => {
    const { bytes, etag, lastModified } = object
    const isShort = bytes === null || bytes <= most
    if (!isShort) object.cancel()
    const body = isShort ? await bodyOf(object) : null
    return { length: body?.length ?? bytes ?? 0, body, etag, lastModified }
  })

/** A part, in pieces. @param etag null: any @throws {Error} if the object is gone or another one, or keeps breaking off */
export async function readPart(
  store: Reads,
  key: string,
  part: NonNullable<GetOptions['part']>,
  etag: string | null,
): Promise<Uint8Array[]> {
  const options = etag === null ? { part } : { part, ifMatch: etag }
  const pieces = await readWhole(store, key, options, (object) =>
    etag === null || object.etag === etag ? piecesOf(object) : Promise.resolve([]),
  )
  const length = pieces?.reduce((sum, piece) => sum + piece.length, 0)
  if (pieces !== null && length === part.last - part.first + 1) return pieces
  throw new Error(`${store.name}: ${key} was changed while it was read`)
}

export async function hasAny(store: Pick<ObjectStore, 'list'>, prefix: string): Promise<boolean> {
  for await (const _ of store.list(prefix)) return true
  return false
}

export const digestOf = (store: Reads, key: string, options?: CallOptions): Promise<string | null> =>
  readWhole(store, key, options ?? {}, async ({ body }) => {
    const sha256 = createHash('sha256')
    for await (const chunk of body) sha256.update(chunk)
    return sha256.digest('hex')
  })

/**
 * Only its owner may read the file. @returns null if there is no such object; else the signal that ends the command: a reader of the file has to stop, too
 * @throws {Damaged} above `maxBytes` @throws {Error} if it keeps breaking off, or if the file cannot be written
 */
export async function download(
  store: Reads,
  key: string,
  file: string,
  options?: CallOptions & { readonly maxBytes?: number },
): Promise<{ readonly signal: AbortSignal | undefined } | null> {
  try {
    const done = await readWhole(store, key, options ?? {}, async (object) => {
      await pipeline(Readable.from(object.body), createWriteStream(file, { mode: privateFile }))
      return { signal: object.signal }
    })
    if (done === null) await rm(file, { force: true })
    return done
  } catch (error) {
    throw unwritable(file, error)
  }
}

const bodyOf = async (object: Pick<FetchedObject, 'body'>): Promise<Buffer> =>
  Buffer.concat(await piecesOf(object))

async function piecesOf({ body }: Pick<FetchedObject, 'body'>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

/** One snapshot's objects for one request, from the data centre's cache or from R2. */

import { placeOf } from '../../../core/api/routes/pages.ts'
import type { ByteRange } from '../../../core/edge/core/finish.ts'
import { idOf, lastModifiedOf, longestReadMs, noAnswer } from '../../../core/edge/core/live.ts'
import type { LiveSlot } from '../../../core/edge/core/live-file.ts'
// The used part of Cloudflare's API. Source: the Workers runtime APIs.

interface R2Object {
  readonly size: number
  /** With its quotation marks. */
  readonly httpEtag: string
  readonly uploaded: Date
}

interface R2ObjectBody extends R2Object {
  readonly body: ReadableStream<Uint8Array>
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

interface R2Range {
  readonly range: { readonly offset: number; readonly length: number }
}

/** A bucket as it is bound to a Worker. All calls reject where R2 fails. */
export interface R2Bucket {
  readonly head: (key: string) => Promise<R2Object | null>
  readonly get: (key: string, options?: R2Range) => Promise<R2ObjectBody | null>
}

/** @throws {Error} named NoAnswer if R2 fails, or takes too long */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(noAnswer(`R2 has not answered for ${longestReadMs / 1000} s`)),
      longestReadMs,
    )
  })
  const found = work.catch((error: unknown) => {
    throw noAnswer(`R2 fails: ${(error as Error).message}`)
  })
  try {
    return await Promise.race([found, late])
  } finally {
    clearTimeout(timer)
  }
}

export interface DataCentreCache {
  readonly match: (key: string) => Promise<Response | undefined>
  /** Stores nothing but a 200 to a GET. */
  readonly put: (key: string, response: Response) => Promise<void>
}

/** An object's body before it is read. A request reads it in one way only. */
export interface WorkerBody extends Readable {
  readonly size: number
  readonly part: (range: ByteRange) => Promise<ReadableStream<Uint8Array>>
}

interface Readable {
  readonly stream: () => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>
  readonly bytes: () => Promise<Bytes>
}

type Bytes = Uint8Array<ArrayBuffer>

interface WorkerStoreOptions {
  readonly bucket: R2Bucket
  /** With a slash at its end, or empty. */
  readonly prefix: string
  readonly live: LiveSlot
  readonly cache: DataCentreCache
  /** The Worker's address without a path. Keys of the cache begin with it. */
  readonly origin: string
  /** Asks for the head first: the request may not need the body. */
  readonly isHeadFirst: boolean
  /** True if reads surely belong to this snapshot; null for a preview: the cache is not used. */
  readonly mayKeep: (() => boolean) | null
  /** Allows requests to R2, and confirms that an answer belongs to this snapshot; null for a preview. */
  readonly guard: {
    readonly isCutOff: () => boolean
    readonly assertReachable: () => void
    readonly confirm: () => Promise<void>
  } | null
  readonly defer: (work: Promise<unknown>) => void
}

/** Calls of a request in the free plan. Source: Workers limits, subrequests. */
const callsOfRequest = 50
/** Cache, R2, put into the cache. */
const callsOfRead = 3
/** In bytes. Memory would hold longer ones if the client reads more slowly than the cache. */
const longestCached = 8 * 1024 * 1024

export type WorkerStore = ReturnType<typeof workerStore>

/** `callsLeft`: besides a read of `live.json` and its put into the cache. */
interface Reading extends WorkerStoreOptions {
  callsLeft: number
  isCaching: boolean
}

export function workerStore(options: WorkerStoreOptions) {
  const { live, prefix, origin, guard, mayKeep } = options
  const reading: Reading = { ...options, callsLeft: callsOfRequest - 3, isCaching: mayKeep !== null }

  const read = async (key: string, slice: ByteRange | null) => {
    const placed = placeOf(live, key)
    if (placed === null) return null
    const place = prefix + placed
    // Downloads lie beside the slots. They are long, and clients ask for parts of them.
    const isInSlot = placed.startsWith(`${live.slot}/`)
    const name = slice === null ? key : `${key}?bytes=${slice.first}-${slice.last}`
    const cacheKey = `${origin}/.snapshots/${encodeURIComponent(idOf(live))}/${name}`
    const cut = slice === null ? undefined : { range: rangeOf(slice) }
    const found = await find(reading, place, reading.isCaching && isInSlot ? cacheKey : null, cut)
    if (found === null) return null
    const { size, httpEtag: etag, uploaded } = found.head
    const part: WorkerBody['part'] = async (range) => {
      const object = await ask(reading, (bucket) => bucket.get(place, { range: rangeOf(range) }))
      if (object?.httpEtag !== etag) throw new Error(`${place} changed while it was read`)
      return object.body
    }
    const lastModified = lastModifiedOf(uploaded.getTime(), Date.parse(live.liveSince))
    return { etag, lastModified, body: { ...found.body, size, part } }
  }

  return {
    get: (key: string) => read(key, null),
    slice: async (key: string, first: number, last: number) => {
      const object = await read(key, { first, last })
      if (object === null) throw new Error(`no document: ${key}`)
      return object.body
    },
    text: async (body: WorkerBody) => textOf(await body.bytes()),
    /** Announces reads of the request. They bypass the cache if that would take too many calls. */
    expect: (reads: number) => {
      if (guard?.isCutOff() !== true && reads * callsOfRead > reading.callsLeft) reading.isCaching = false
    },
  }
}

async function ask<T>({ bucket, guard }: Reading, call: (bucket: R2Bucket) => Promise<T>): Promise<T> {
  guard?.assertReachable()
  const found = await inTime(call(bucket))
  await guard?.confirm()
  return found
}

interface Found {
  readonly head: R2Object
  readonly body: Readable
}

async function find(
  reading: Reading,
  place: string,
  cacheKey: string | null,
  part?: R2Range,
): Promise<Found | null> {
  if (cacheKey !== null) {
    reading.callsLeft -= 1
    // A failing cache counts as empty.
    const cached = await reading.cache.match(cacheKey).catch(() => undefined)
    if (cached !== undefined) return foundInCache(cached)
  }
  reading.callsLeft -= 1
  if (!reading.isHeadFirst || part !== undefined) return readR2(reading, place, cacheKey, part)
  const head = await ask(reading, (bucket) => bucket.head(place))
  if (head === null) return null
  const read = async () => {
    const found = await readR2(reading, place, cacheKey)
    if (found?.head.httpEtag !== head.httpEtag) throw new Error(`${place} changed while it was read`)
    return found.body
  }
  return {
    head,
    body: { stream: async () => (await read()).stream(), bytes: async () => (await read()).bytes() },
  }
}

async function readR2(
  reading: Reading,
  place: string,
  cacheKey: string | null,
  part?: R2Range,
): Promise<Found | null> {
  const { cache, mayKeep, defer } = reading
  const head = await ask(reading, (bucket) => bucket.get(place, part))
  if (head === null) return null
  // The cache would keep an object of an overwritten slot under the wrong snapshot.
  const isKept = () => cacheKey !== null && mayKeep?.() === true && head.size <= longestCached
  const keep = (body: ReadableStream | Bytes) => {
    reading.callsLeft -= 1
    const headers = {
      'Cache-Control': 'public, max-age=31536000, immutable',
      // The cache may change headers that it knows.
      'X-Size': String(head.size),
      'X-ETag': head.httpEtag,
      'X-Uploaded': head.uploaded.toISOString(),
    }
    defer(cache.put(cacheKey ?? '', new Response(body, { headers })).catch(() => undefined))
  }
  const body: Readable = {
    stream: () => {
      if (!isKept()) return head.body
      const [given, kept] = head.body.tee()
      keep(kept)
      return given
    },
    bytes: async () => {
      const bytes = new Uint8Array(await inTime(head.arrayBuffer()))
      if (isKept()) keep(bytes)
      return bytes
    },
  }
  return { head, body }
}

const rangeOf = ({ first, last }: ByteRange) => ({ offset: first, length: last - first + 1 })

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Keeps a byte order mark: `Response.text` and R2's `text` drop it. */
export const textOf = (bytes: ArrayBuffer | Bytes): string => decoder.decode(bytes)

function foundInCache(cached: Response) {
  const header = (name: string) => cached.headers.get(name) ?? ''
  return {
    head: {
      size: Number(header('X-Size')),
      httpEtag: header('X-ETag'),
      uploaded: new Date(header('X-Uploaded')),
    },
    body: {
      stream: () => cached.body as ReadableStream<Uint8Array>,
      bytes: async () => new Uint8Array(await cached.arrayBuffer()),
    },
  }
}

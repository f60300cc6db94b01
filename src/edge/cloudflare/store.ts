/** One snapshot's objects for one request, from the data centre's cache or from R2. */

import { placeOf } from '../../api/routes/pages.ts'
import type { Store } from '../core/answer.ts'
import type { ByteRange } from '../core/finish.ts'
import { idOf, lastModifiedOf, type LiveSlot } from '../core/live.ts'
import type { DataCentreCache, R2Bucket, R2Object } from './platform.ts'

/** An object's body before it is read. A request reads it in one way only, except a refusal's text. */
export interface WorkerBody {
  /** In bytes. */
  readonly size: number
  readonly stream: () => Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>>
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>
  readonly part: (range: ByteRange) => Promise<ReadableStream<Uint8Array>>
}

export interface WorkerStore extends Store<WorkerBody> {
  /** Announces how many objects the request will read. They bypass the cache if that would take too many calls. */
  readonly expect: (reads: number) => void
  /** Sizes of the objects in a folder, in bytes, by key; `folder` ends with a slash. */
  readonly sizes: (folder: string) => Promise<ReadonlyMap<string, number>>
}

export interface WorkerStoreOptions {
  readonly bucket: R2Bucket
  /** A folder of the bucket, with a slash at its end, or empty. */
  readonly prefix: string
  readonly live: LiveSlot
  readonly cache: DataCentreCache
  /** The Worker's address without a path. Keys of the cache begin with it. */
  readonly origin: string
  /** Whether the request may not need the body. Then the store asks for the head first. */
  readonly isHeadFirst: boolean
  /** Whether what was read belongs to this snapshot for sure. */
  readonly mayKeep: () => boolean
  /** Continues work after the answer. */
  readonly defer: (work: Promise<unknown>) => void
}

/** How many calls a request has in the free plan. Source: Workers limits, subrequests. */
const callsOfRequest = 50

/** A read takes up to three calls: cache, R2, put into the cache. */
const callsOfRead = 3

/** In bytes. Memory would hold longer ones if the client reads more slowly than the cache. */
const longestCached = 8 * 1024 * 1024

/** An object without its body. */
interface Head {
  readonly size: number
  readonly etag: string
  readonly uploaded: Date
}

export function workerStore(options: WorkerStoreOptions): WorkerStore {
  const { bucket, prefix, live, cache, origin, isHeadFirst, mayKeep, defer } = options
  let callsLeft = callsOfRequest - 2
  let isCaching = true

  const keep = (
    key: string,
    { size, etag, uploaded }: Head,
    body: ReadableStream | Uint8Array<ArrayBuffer>,
  ) => {
    // The cache would keep an object of an overwritten slot under the wrong snapshot.
    if (!mayKeep() || size > longestCached) return false
    callsLeft -= 1
    const headers = {
      'Cache-Control': 'public, max-age=31536000, immutable',
      // The cache may change headers that it knows.
      'X-Size': String(size),
      'X-ETag': etag,
      'X-Uploaded': uploaded.toISOString(),
    }
    defer(cache.put(key, new Response(body, { headers })).catch(() => undefined))
    return true
  }

  const readR2 = async (place: string, cacheKey: string | null, seen: Head | null): Promise<Found | null> => {
    const object = await bucket.get(place)
    if (object === null) return null
    const head = headOf(object)
    if (seen !== null && seen.etag !== head.etag) throw new Error(`${place} changed while it was read`)
    return {
      head,
      stream: () => {
        if (cacheKey === null || !mayKeep() || head.size > longestCached) return object.body
        const [given, kept] = object.body.tee()
        keep(cacheKey, head, kept)
        return given
      },
      bytes: async () => {
        const bytes = new Uint8Array(await object.arrayBuffer())
        if (cacheKey !== null) keep(cacheKey, head, bytes)
        return bytes
      },
    }
  }

  const find = async (place: string, cacheKey: string | null): Promise<Found | null> => {
    if (cacheKey !== null) {
      callsLeft -= 1
      // A failing cache counts as empty.
      const cached = await cache.match(cacheKey).catch(() => undefined)
      if (cached !== undefined) return foundInCache(cached)
    }
    callsLeft -= 1
    if (!isHeadFirst) return readR2(place, cacheKey, null)
    const object = await bucket.head(place)
    if (object === null) return null
    const head = headOf(object)
    const read = async () => {
      const found = await readR2(place, cacheKey, head)
      if (found === null) throw new Error(`${place} is gone`)
      return found
    }
    return {
      head,
      stream: async () => (await read()).stream(),
      bytes: async () => (await read()).bytes(),
    }
  }

  return {
    expect: (reads) => {
      if (reads * callsOfRead > callsLeft) isCaching = false
    },
    sizes: async (folder) => {
      callsLeft -= 1
      const root = `${prefix}${live.slot}/`
      const { objects, truncated } = await bucket.list({ prefix: root + folder })
      if (truncated) throw new Error(`too many objects: ${folder}`)
      return new Map(objects.map(({ key, size }) => [key.slice(root.length), size]))
    },
    get: async (key) => {
      const placed = placeOf(live, key)
      if (placed === null) return null
      const place = prefix + placed
      // Downloads lie beside the slots. They are long, and clients ask for parts of them.
      const isInSlot = place.startsWith(`${prefix}${live.slot}/`)
      const cacheKey = `${origin}/.snapshots/${encodeURIComponent(idOf(live))}/${key}`
      const found = await find(place, isCaching && isInSlot ? cacheKey : null)
      if (found === null) return null
      const { head } = found
      const lastModified = lastModifiedOf(head.uploaded.getTime(), Date.parse(live.liveSince))
      return { etag: head.etag, lastModified, body: bodyOf(found, bucket, place) }
    },
    text: async (body) => decoder.decode(await body.bytes()),
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** An object that exists. Its body is read at most once. */
interface Found {
  readonly head: Head
  readonly stream: () => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>
}

const headOf = ({ size, httpEtag, uploaded }: R2Object): Head => ({ size, etag: httpEtag, uploaded })

function foundInCache(cached: Response): Found {
  const header = (name: string) => cached.headers.get(name) ?? ''
  return {
    head: {
      size: Number(header('X-Size')),
      etag: header('X-ETag'),
      uploaded: new Date(header('X-Uploaded')),
    },
    stream: () => cached.body as ReadableStream<Uint8Array>,
    bytes: async () => new Uint8Array(await cached.arrayBuffer()),
  }
}

function bodyOf({ head, stream, bytes }: Found, bucket: R2Bucket, place: string): WorkerBody {
  let read: Promise<Uint8Array<ArrayBuffer>> | undefined
  return {
    size: head.size,
    // A refusal's text was read for its status.
    stream: async () => read ?? stream(),
    bytes: () => (read ??= bytes()),
    part: async ({ first, last }) => {
      const object = await bucket.get(place, { range: { offset: first, length: last - first + 1 } })
      if (object?.httpEtag !== head.etag) throw new Error(`${place} changed while it was read`)
      return object.body
    },
  }
}

/** Objects on Node: small ones stay in memory, large ones are read in parts. */

import { LRUCache } from 'lru-cache'
import type { WindowList } from '../../api/routes/keys.ts'
import type { StoredObject } from '../core/answer.ts'
import type { ByteRange } from '../core/finish.ts'
import { isNoAnswer } from '../core/live.ts'

/** Bytes. A longer object is never in memory as a whole, and a connection holds no more of an answer, beyond windows in work. */
export const mostInMemory = 256 * 1024

/** For all connections: other requests are answered in between. A part from a bucket takes 2 ms of work. */
export const largeReadsAtATime = 4

export interface LargeBody {
  /** Bytes. */
  readonly length: number
  /** Each chunk is valid until the next one. Throws if the object is gone, or was replaced. End early with `return`. */
  readonly read: (part: ByteRange) => AsyncGenerator<Uint8Array, void>
}

export type NodeBody = Buffer | LargeBody

export async function wholeOf(body: NodeBody): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body
  const whole = Buffer.allocUnsafe(body.length)
  let length = 0
  for await (const chunk of body.read({ first: 0, last: body.length - 1 })) {
    whole.set(chunk, length)
    length += chunk.length
  }
  return whole.subarray(0, length)
}

const textOf = async (body: NodeBody): Promise<string> => (await wholeOf(body)).toString()

/** Does work for each body once, as long as the body is in memory; again if the work fails. */
export function oncePerBody<T>(work: (body: Buffer) => Promise<T>): (body: Buffer) => Promise<T> {
  const done = new WeakMap<Buffer, Promise<T>>()
  return (body) => {
    const known = done.get(body)
    if (known !== undefined) return known
    const begun = work(body)
    done.set(body, begun)
    begun.catch(() => done.delete(body))
    return begun
  }
}

const parsedList = oncePerBody(async (body) => JSON.parse(await textOf(body)) as WindowList)

export const reading = { text: textOf, list: async (body: NodeBody) => parsedList(await wholeOf(body)) }

type Read = () => Promise<StoredObject<NodeBody> | null>

const maxBytes = 16 * 1024 * 1024
/** Bytes of an entry beyond its object. */
const entryBytes = 500
/** An object's derived forms (compressed, parsed) are kept with it, and have up to half its size. */
const withWhatIsMade = 1.5

/** Keys without an object are kept apart, so that they push no objects out of memory. Times in milliseconds. */
export const missing = { max: 10_000, ttl: 5000 }

/** The last used small objects of one snapshot, which never change. @param sizeOf bytes of a body in memory */
export function objectCache(sizeOf: (body: NodeBody) => number) {
  const objects = new LRUCache<string, StoredObject<NodeBody>, Read>({
    maxSize: maxBytes,
    maxEntrySize: mostInMemory * withWhatIsMade + entryBytes,
    sizeCalculation: ({ body }) => Math.ceil(sizeOf(body) * withWhatIsMade) + entryBytes,
    // An entry that leaves the cache during its read still goes to the requests that wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _known, { context: read }) => {
      const object = await read().catch((error: unknown) => {
        // If the store does not answer, a missing object counts as still missing.
        if (isNoAnswer(error) && absent.peek(key, { allowStale: true }) === true) return null
        throw error
      })
      if (object === null) absent.set(key, true)
      return object ?? undefined
    },
  })
  const absent = new LRUCache<string, true>(missing)
  return {
    /** Reads the object at most once at a time. A missing one is noted for some seconds. */
    get: async (key: string, read: Read) =>
      objects.get(key) ?? (absent.has(key) ? null : ((await objects.fetch(key, { context: read })) ?? null)),
    known: (key: string) => objects.get(key),
    forget: (key: string) => objects.delete(key),
  }
}

/** A store over another one: reads go through, writes stay in memory, and each request is counted as the store would bill it. */

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isBefore, mergeSorted } from '../manifest/compare.ts'
import { readSmall } from './read.ts'
import { putConditionally } from './retry.ts'
import type { FetchedObject, GetOptions, ListedObject, ObjectStore, PutObject } from './store.ts'

const keysPerList = 1000

/** Something that was put: its bytes in memory, or the file that has them. */
interface Written extends ListedObject {
  readonly content: Buffer | string
}

export interface OverlayStore extends ObjectStore {
  /** By key what was put, or null if it was deleted. */
  readonly written: ReadonlyMap<string, Written | null>
}

/** @param base is read, and never written to */
export function overlayStore(base: ObjectStore): OverlayStore {
  const written = new Map<string, Written | null>()
  const counts: Record<string, number> = {}
  const count = (operation: string) => {
    counts[operation] = (counts[operation] ?? 0) + 1
  }
  const keep = (object: Written): PutObject => {
    written.set(object.key, object)
    return object
  }

  const get: ObjectStore['get'] = (key, options) => {
    count('GetObject')
    const own = written.get(key)
    if (own === undefined) return base.get(key, options)
    return Promise.resolve(own === null ? null : fetched(own, options))
  }

  const etagBelow = async (key: string) => {
    const object = await base.get(key)
    object?.cancel()
    return object?.etag
  }

  const put: ObjectStore['put'] = (object, condition, options) => {
    const { key, body, sha256 } = object
    const once = async (): Promise<PutObject> => {
      options?.assertFresh?.()
      count('PutObject')
      if (condition !== undefined) {
        const below = written.has(key) ? undefined : await etagBelow(key)
        // From here on no other put comes between.
        const etag = written.has(key) ? written.get(key)?.etag : below
        if (etag !== ('ifAbsent' in condition ? undefined : condition.ifMatch))
          throw Object.assign(new Error('PreconditionFailed'), { $metadata: { httpStatusCode: 412 } })
      }
      return keep({ key, bytes: body.length, etag: `"${sha256}"`, lastModified: new Date(), content: body })
    }
    if (condition === undefined) return once()
    return putConditionally(object, condition, once, () => readSmall({ name: base.name, get }, key))
  }

  return {
    name: base.name,
    written,
    get,
    put,
    putFile: async (file, { key, sha256 }, options) => {
      options?.assertFresh?.()
      const { size } = await stat(file)
      count('PutObject')
      const etag = `"${sha256 ?? `${file} ${size}`}"`
      return keep({ key, bytes: size, etag, lastModified: new Date(), content: file })
    },
    async *list(prefix, options) {
      count('ListObjectsV2')
      let listed = 0
      const own = [...written]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (isBefore(a, b) ? -1 : 1))
      const ours = Readable.from(own.map(([key, object]) => ({ key, object }))) as AsyncIterable<OwnKey>
      for await (const { values } of mergeSorted<readonly [ListedObject, OwnKey]>(
        base.list(prefix, options),
        ours,
      )) {
        const [theirs, mine] = values
        const object = mine === undefined ? theirs : mine.object
        if (object === undefined || object === null) continue
        if (listed > 0 && listed % keysPerList === 0) count('ListObjectsV2')
        listed++
        yield object
      }
    },
    delete: (keys, options) => {
      if (keys.length === 0) return Promise.resolve()
      options?.assertFresh?.()
      count('DeleteObjects')
      for (const key of keys) written.set(key, null)
      return Promise.resolve()
    },
    requests: () => ({ ...counts }),
    unanswered: () => 0,
  }
}

interface OwnKey {
  readonly key: string
  readonly object: Written | null
}

function fetched({ etag, bytes, lastModified, content }: Written, { part }: GetOptions = {}): FetchedObject {
  const { first, last } = { first: part?.first ?? 0, last: Math.min(part?.last ?? Infinity, bytes - 1) }
  const body =
    typeof content === 'string'
      ? createReadStream(content, { start: first, end: last })
      : Readable.from([content.subarray(first, last + 1)])
  const now = new Date()
  return { etag, bytes: last - first + 1, lastModified, now, body, cancel: () => body.destroy() }
}

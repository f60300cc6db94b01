/** A store over another one: reads go through, writes stay in memory, and requests are counted as the store would bill them. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { isBefore, mergeSorted } from '../manifest/compare.ts'
import { countRequests } from './calls.ts'
import { sizeOf } from './files.ts'
import { readSmall } from './read.ts'
import { putConditionally } from './retry.ts'
import type { FetchedObject, GetOptions, ListedObject, ObjectStore, PutObject } from './store.ts'

const keysPerList = 1000

/** `content`: bytes in memory, or the path of the file that has them. */
interface Written extends ListedObject {
  readonly content: Buffer | string
}

export interface OverlayStore extends ObjectStore {
  /** By key; null for a deleted object. */
  readonly written: ReadonlyMap<string, Written | null>
}

export function overlayStore(base: ObjectStore): OverlayStore {
  const { name } = base
  const written = new Map<string, Written | null>()
  const { count, requests } = countRequests()
  const keep = (key: string, bytes: number, etag: string, content: Written['content']): PutObject => {
    written.set(key, { key, bytes, etag, lastModified: new Date(), content })
    return { etag }
  }

  const get: ObjectStore['get'] = (key, options) => {
    count('GetObject')
    const own = written.get(key)
    if (own === undefined) return base.get(key, options)
    return Promise.resolve(own === null ? null : fetched(own, options))
  }

  const put: ObjectStore['put'] = (object, condition, options) => {
    const { key, body, sha256 } = object
    const once = async (): Promise<PutObject> => {
      options?.assertFresh?.()
      count('PutObject')
      if (condition !== undefined) {
        const below = written.has(key) ? null : await base.get(key)
        below?.cancel()
        // No other put comes between from here on.
        const own = written.get(key)
        const etag = own === undefined ? below?.etag : own?.etag
        if (etag !== ('ifAbsent' in condition ? undefined : condition.ifMatch))
          throw Object.assign(new Error('PreconditionFailed'), { $metadata: { httpStatusCode: 412 } })
      }
      return keep(key, body.length, `"${sha256}"`, body)
    }
    if (condition === undefined) return once()
    return putConditionally(object, condition, once, () => readSmall({ name, get }, key))
  }

  return {
    name,
    areEtagsDigests: base.areEtagsDigests,
    written,
    get,
    put,
    putFile: async (file, { key, sha256 }, options) => {
      options?.assertFresh?.()
      const bytes = await sizeOf(file)
      count('PutObject')
      return keep(key, bytes, `"${sha256 ?? `${file} ${bytes}`}"`, file)
    },
    // The put that follows costs the same.
    ...(base.copy && { copy: () => Promise.resolve(null) }),
    list: (prefix, options) => listBoth(base.list(prefix, options), written, prefix, count),
    folders: async (prefix, options) => {
      count('ListObjectsV2')
      const below = await base.folders(prefix, options)
      return [...new Set([...below, ...writtenFolders(written, prefix)])].sort()
    },
    delete: (keys, options) => {
      if (keys.length === 0) return Promise.resolve()
      options?.assertFresh?.()
      count('DeleteObjects')
      for (const key of keys) written.set(key, null)
      return Promise.resolve()
    },
    requests,
    unanswered: () => 0,
  }
}

const writtenFolders = (written: OverlayStore['written'], prefix: string) =>
  [...written]
    .filter(([key, object]) => key.startsWith(prefix) && object !== null)
    .flatMap(([key]) => /^[^/]+(?=\/)/.exec(key.slice(prefix.length)) ?? [])

function fetched({ etag, bytes, lastModified, content }: Written, { part }: GetOptions = {}): FetchedObject {
  const first = part?.first ?? 0
  const last = Math.min(part?.last ?? Infinity, bytes - 1)
  const body =
    typeof content === 'string' && bytes > 0
      ? createReadStream(content, { start: first, end: last })
      : Readable.from(typeof content === 'string' ? [] : [content.subarray(first, last + 1)])
  return { etag, bytes: last - first + 1, lastModified, now: new Date(), body, cancel: () => body.destroy() }
}

async function* listBoth(
  base: AsyncIterable<ListedObject>,
  written: OverlayStore['written'],
  prefix: string,
  count: (operation: string) => void,
) {
  const ours = [...written].flatMap(([key, object]) => (key.startsWith(prefix) ? { key, object } : []))
  ours.sort(({ key: one }, { key: other }) => (isBefore(one, other) ? -1 : 1))
  count('ListObjectsV2')
  let listed = 0
  for await (const { values } of mergeSorted(base, Readable.from(ours) as AsyncIterable<(typeof ours)[0]>)) {
    const [below, above] = values
    const object = above === undefined ? below : above.object
    if (object === undefined || object === null) continue
    if (listed > 0 && listed % keysPerList === 0) count('ListObjectsV2')
    listed++
    yield object
  }
}

/** A store over another one: reads go through, writes are kept here, and requests are counted as the store would bill them. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import { mergeSorted } from '../manifest/compare.ts'
import { countRequests } from './calls.ts'
import { sizeOf } from './files.ts'
import { readSmall } from './read.ts'
import { putConditionally } from './retry.ts'
import type { FetchedObject, GetOptions, ListedObject, ObjectStore, PutObject } from './store.ts'

const keysPerList = 1000

/** An object that was put, with its bytes or the path of the file that has them; null: it was deleted. */
interface Written {
  readonly key: string
  readonly object: (ListedObject & { readonly content: Buffer | string }) | null
}

export interface OverlayStore extends ObjectStore {
  /** What was put or deleted, in the byte order of keys. @param prefix of the keys */
  readonly written: (prefix: string) => Iterable<Written>
  readonly close: () => void
}

/** Writes are rows of a temporary file: the plan of a first publish has millions. Bodies stay in memory: they are few and small. */
function writtenRows() {
  const bodies = new Map<string, Buffer>()
  const db = new Database('')
  db.pragma('journal_mode = OFF')
  db.exec(`
    CREATE TABLE written (key TEXT PRIMARY KEY, bytes INTEGER, etag TEXT, modified INTEGER, file TEXT) WITHOUT ROWID;
    BEGIN`)
  const insert = db.prepare('INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)')
  const one = db.prepare<[string], Row>('SELECT * FROM written WHERE key = ?')
  const from = db.prepare<[string], Row>('SELECT * FROM written WHERE key >= ? ORDER BY key LIMIT 1000')
  const after = db.prepare<[string], Row>('SELECT * FROM written WHERE key > ? ORDER BY key LIMIT 1000')
  // Page by page: the connection can do nothing else while it is in the middle of a query.
  function* below(prefix: string): Generator<Written> {
    for (let page = from.all(prefix); page.length > 0; page = after.all(page.at(-1)?.key ?? ''))
      for (const row of page) {
        if (!row.key.startsWith(prefix)) return
        yield writtenOf(row)
      }
  }
  const writtenOf = ({ key, bytes, etag, modified, file }: Row): Written => {
    const content = file ?? bodies.get(key) ?? Buffer.alloc(0)
    return {
      key,
      object: etag === null ? null : { key, bytes, etag, lastModified: new Date(modified), content },
    }
  }
  return {
    below,
    put: (key: string, bytes: number, etag: string, content: Buffer | string) => {
      const isFile = typeof content === 'string'
      if (!isFile) bodies.set(key, content)
      insert.run(key, bytes, etag, Date.now(), isFile ? content : null)
    },
    remove: (key: string) => insert.run(key, null, null, null, null),
    get: (key: string): Written | undefined => {
      const row = one.get(key)
      return row && writtenOf(row)
    },
    close: () => db.close(),
  }
}

interface Row {
  readonly key: string
  readonly bytes: number
  /** Null for a deleted object. */
  readonly etag: string | null
  readonly modified: number
  /** The path of the file that has the bytes; null if they are in memory. */
  readonly file: string | null
}

export function overlayStore(base: ObjectStore): OverlayStore {
  const { name } = base
  const written = writtenRows()
  const { count, requests } = countRequests()
  const keep = (key: string, bytes: number, etag: string, content: Buffer | string): PutObject => {
    written.put(key, bytes, etag, content)
    return { etag }
  }

  const get: ObjectStore['get'] = (key, options) => {
    count('GetObject')
    const own = written.get(key)
    if (own === undefined) return base.get(key, options)
    return Promise.resolve(own.object === null ? null : fetched(own.object, options))
  }

  const put: ObjectStore['put'] = (object, condition, options) => {
    const { key, body, sha256 } = object
    const once = async (): Promise<PutObject> => {
      options?.assertFresh?.()
      count('PutObject')
      if (condition !== undefined) {
        const below = written.get(key) === undefined ? await base.get(key) : null
        below?.cancel()
        // No other put comes between from here on.
        const own = written.get(key)
        const etag = own === undefined ? below?.etag : own.object?.etag
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
    ...(base.lacks && { lacks: base.lacks }),
    written: written.below,
    close: written.close,
    get,
    put,
    putFile: (file, { key, sha256 }, options) =>
      // Whatever it throws is a rejection.
      new Promise((resolve) => {
        options?.assertFresh?.()
        const bytes = sizeOf(file)
        count('PutObject')
        resolve(keep(key, bytes, `"${sha256 ?? `${file} ${bytes}`}"`, file))
      }),
    // The put that follows costs the same.
    ...(base.copy && { copy: () => Promise.resolve(null) }),
    list: (prefix, options) =>
      listBoth(base.list(prefix, options), written.below(prefix), options?.pageKeys ?? keysPerList, count),
    folders: async (prefix, options) => {
      count('ListObjectsV2')
      const below = await base.folders(prefix, options)
      return [...new Set([...below, ...foldersOf(written.below(prefix), prefix)])].sort()
    },
    delete: (keys, options) => {
      if (keys.length === 0) return Promise.resolve()
      options?.assertFresh?.()
      count('DeleteObjects')
      for (const key of keys) written.remove(key)
      return Promise.resolve()
    },
    requests,
    unanswered: () => 0,
  }
}

const foldersOf = (written: Iterable<Written>, prefix: string) =>
  [...written].flatMap(({ key, object }) =>
    object === null ? [] : (/^[^/]+(?=\/)/.exec(key.slice(prefix.length)) ?? []),
  )

function fetched(
  { etag, bytes, lastModified, content }: NonNullable<Written['object']>,
  { part }: GetOptions = {},
): FetchedObject {
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
  written: Iterable<Written>,
  pageKeys: number,
  count: (operation: string) => void,
) {
  count('ListObjectsV2')
  let listed = 0
  for await (const { values } of mergeSorted(base, Readable.from(written) as AsyncIterable<Written>)) {
    const [below, above] = values
    const object = above === undefined ? below : above.object
    if (object === undefined || object === null) continue
    if (listed > 0 && listed % pageKeys === 0) count('ListObjectsV2')
    listed++
    yield object
  }
}

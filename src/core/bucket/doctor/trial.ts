/**
 * Tries on two scratch keys, which are always removed, what nights ask of a store: to put, read a part, put again, copy, list and delete.
 * The first publish into a bucket and `fundpress check --bucket` do it, so that no later night meets a call for the first time.
 */

import { hash, randomUUID } from 'node:crypto'
import { noCache, scratchKey } from '../live/layout.ts'
import { insteadOf, type Lack } from '../store/lacks.ts'
import { readPart } from '../store/read.ts'
import type { NewObject, ObjectStore } from '../store/store.ts'
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts'

/** Looks, and turns what is thrown into a finding, or throws it. */
type Ask = (what: string, look: () => Promise<Diagnosis>) => Promise<Diagnosis>

interface TrialOptions {
  readonly uuid: string
  readonly ask: Ask
  /** Further trials of the first key, while it is there. @param etag of the object, whose text is `second` */
  readonly also?: (key: string, etag: string) => AsyncIterable<Diagnosis>
}

/** @throws {Error} only what `ask` throws */
export async function* tryStore(store: ObjectStore, options: TrialOptions): AsyncGenerator<Diagnosis> {
  const { uuid, ask } = options
  const prefix = scratchKey(uuid)
  // In the order of bytes, a capital letter comes before all others.
  const keys = { first: `${prefix}-a`, copy: `${prefix}-B` }
  const remove = () => store.delete([keys.copy, keys.first])
  let hasEnded = false
  try {
    yield* tryReads(store, prefix, keys, options)
    hasEnded = true
  } finally {
    if (!hasEnded) await remove().catch(() => undefined)
  }
  // The store may have carried out a put that it answered with an error.
  yield await ask('right to delete', async () => {
    await remove()
    return unlessLacking(store, 'deletes', ok('right to delete', 's3:DeleteObject'))
  })
}

interface Keys {
  readonly first: string
  readonly copy: string
}

async function* tryReads(store: ObjectStore, prefix: string, keys: Keys, { ask, also }: TrialOptions) {
  const first = { key: keys.first, etag: '' }
  yield await ask('right to put', async () => {
    first.etag = (await store.put(scratch(keys.first, 'first'))).etag
    return unlessLacking(store, 'checksums', ok('right to put', `s3:PutObject, tried on ${keys.first}`))
  })
  if (first.etag === '') return
  yield await ask('right to get', () => readBack(store, first))
  yield await ask('second put', async () => {
    first.etag = (await store.put(scratch(keys.first, 'second'))).etag
    return ok('second put', 'a key can be written again')
  })
  yield await ask('copy', async () => {
    const object = scratch(keys.copy, 'second')
    const copied = await store.copy?.(first, object)
    if (copied === null || copied === undefined) await store.put(object)
    return unlessLacking(store, 'copies', ok('copy', 'CopyObject'))
  })
  yield await ask('right to list', () => list(store, prefix, [keys.copy, keys.first], first.etag))
  if (also !== undefined) yield* also(keys.first, first.etag)
}

const unlessLacking = ({ lacks }: ObjectStore, lack: Lack, well: Diagnosis): Diagnosis =>
  lacks?.has(lack) === true ? warning(well.what, insteadOf[lack]) : well

/**
 * Before the first publish into a bucket. @param onWarning gets what the store lacks, and what is done instead
 * @throws {Error} what is wrong with the store
 */
export async function assertUsable(store: ObjectStore, onWarning: (warning: string) => void): Promise<void> {
  // Nothing can be lacking.
  if (store.lacks === undefined) return
  const uuid = randomUUID()
  for await (const { what, level, says } of tryStore(store, { uuid, ask: (_, look) => look() })) {
    if (level === 'problem') throw new Error(`${store.name}: ${what}: ${says}. Nothing was published`)
    if (level === 'warning') onWarning(`${store.name}: ${says}`)
  }
}

export function scratch(key: string, text: string): NewObject {
  const body = Buffer.from(`fundpress check: ${text}\n`)
  return { key, body, type: 'text/plain; charset=utf-8', cacheControl: noCache, sha256: hash('sha256', body) }
}

const notShown = 'the store does not show its own writes'

async function readBack(
  store: ObjectStore,
  { key, etag }: { readonly key: string; readonly etag: string },
): Promise<Diagnosis> {
  const what = 'right to get'
  const part = { first: 3, last: 11 }
  const wanted = scratch(key, 'first').body.subarray(part.first, part.last + 1)
  const found = Buffer.concat(await readPart(store, key, part, etag))
  if (!found.equals(wanted)) return problem(what, `${key} is not what was put: ${notShown}`)
  return unlessLacking(store, 'ranges', ok(what, 's3:GetObject, a part of an object'))
}

async function list(
  store: ObjectStore,
  prefix: string,
  keys: readonly string[],
  etag: string,
): Promise<Diagnosis> {
  const what = 'right to list'
  const etags = new Set<string>()
  let missing: readonly string[] = []
  // In one page, for the order of keys; then page by page.
  for (const pageKeys of [undefined, 1]) {
    const found: string[] = []
    for await (const object of store.list(prefix, { pageKeys })) {
      found.push(object.key)
      if (object.key === keys.at(-1)) etags.add(object.etag)
    }
    missing = [...missing, ...keys.filter((key) => !found.includes(key))]
  }
  if (missing.length > 0) return problem(what, `${missing.join(' and ')} not in the listing: ${notShown}`)
  const others = 'every object would count as that of another writer'
  if (!etags.has(etag)) return problem(what, `the listing gives another ETag than the put did: ${others}`)
  return ok(what, 's3:ListBucket, in the order of keys, page by page')
}

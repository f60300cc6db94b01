/** The upload of changes to a store that the test controls. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { applyChanges, type ApplyOptions } from '../../src/core/bucket/publish/upload.ts'
import type { NewFileObject, ObjectStore, WriteOptions } from '../../src/core/bucket/store/store.ts'
import { tempFolder } from '../support/folders.ts'
import type { Change } from '../../src/core/bucket/manifest/compare.ts'

const body = Buffer.from('{}')
const sha256 = createHash('sha256').update(body).digest('hex')
const type = 'application/json; charset=utf-8'
const folder = tempFolder()

const name = (number: number) => `key-${String(number).padStart(6, '0')}`
const put = (key: string, bytes = body.length): Change => ({ kind: 'put', key, sha256, bytes, type })

beforeAll(() => {
  mkdirSync(folder.file('out'))
  for (let number = 0; number < 3000; number++) writeFileSync(folder.file(`out/${name(number)}`), body)
})

/** @param work what a write does, by the first key it is about */
function fake(work: (key: string, options: WriteOptions) => unknown) {
  const log: string[] = []
  const write = async (line: string, key: string, options: WriteOptions = {}) => {
    options.assertFresh?.()
    log.push(line)
    await work(key, options)
    log.push(`${line} done`)
    return { etag: `"${key}"` }
  }
  const store = {
    putFile: async (file: string, { key }: NewFileObject, options?: WriteOptions) => {
      await access(file)
      return write(`put ${key}`, key, options)
    },
    delete: async (keys: readonly string[], options?: WriteOptions) => {
      await write(`delete ${keys.length}`, keys[0] ?? '', options)
    },
  } as ObjectStore
  const begun = () => log.filter((line) => !line.endsWith('done'))
  const done = () => log.filter((line) => line.endsWith('done'))
  return { store, log, begun, done }
}

type Given = Partial<ApplyOptions & WriteOptions & { concurrency: number; maxRate: number }>

const apply = (
  store: ObjectStore,
  changes: Iterable<Change> | AsyncIterable<Change>,
  { signal = new AbortController().signal, assertFresh, concurrency = 4, maxRate, ...options }: Given = {},
) => {
  async function* stream() {
    yield* changes
  }
  const lease = { writing: { signal, assertFresh: () => assertFresh?.() } }
  const uploading = { store, cacheControl: 'max-age=60', concurrency, maxRate: maxRate ?? null, lease }
  return applyChanges(uploading, stream(), {
    prefix: 'blue/',
    fileOf: (key) => folder.file(`out/${key}`),
    onEtag: () => undefined,
    ...options,
  })
}

const puts = (count: number) => Array.from({ length: count }, (_, number) => put(name(number)))

it('emits ETags in the order of keys, in whichever order the puts end', async () => {
  const { store } = fake(() => setTimeout(Math.random() * 5))
  const etags: { readonly key: string; readonly etag: string }[] = []
  await apply(store, puts(300), { onEtag: (key, etag) => etags.push({ key, etag }) })
  expect(etags).toEqual(puts(300).map(({ key }) => ({ key, etag: `"blue/${key}"` })))
})

it('does not run far ahead of a put that is slow', async () => {
  const slow = Promise.withResolvers<undefined>()
  const { store, begun } = fake((key) => (key === `blue/${name(0)}` ? slow.promise : setImmediate()))
  let emitted = 0
  const applying = apply(store, puts(3000), { onEtag: () => emitted++ })
  // 64 puts for each of the four that are under way.
  await expect.poll(() => begun().length).toBe(256)
  await setTimeout(100)
  expect(begun()).toHaveLength(256)
  expect(emitted).toBe(0)
  slow.resolve(undefined)
  await applying
  expect(emitted).toBe(3000)
})

it('throws the first failure when all requests that are under way have ended, and begins no more', async () => {
  const failed = Promise.withResolvers<undefined>()
  const { store, begun, done } = fake(async (key) => {
    if (key.endsWith('5')) {
      failed.resolve(undefined)
      throw new Error(`cannot put ${key}`)
    }
    // The first two make room for it.
    if (/[01]$/.test(key)) return
    await failed.promise
    await setTimeout(50)
  })
  await expect(apply(store, puts(100))).rejects.toThrow(`cannot put blue/${name(5)}`)
  expect(begun().length).toBeLessThan(10)
  expect(done()).toHaveLength(begun().length - 1)
})

it('ends what is under way when it is stopped, with the reason', async () => {
  const stop = new AbortController()
  const { store, log } = fake(async (_key, { signal }) => {
    await once(signal as EventTarget, 'abort')
    throw new Error('Request aborted')
  })
  const applying = apply(store, puts(100), { signal: stop.signal })
  await expect.poll(() => log.length).toBe(4)
  stop.abort(new Error('stopped by SIGINT'))
  await expect(applying).rejects.toThrow(/^stopped by SIGINT$/)
  expect(log).toHaveLength(4)
})

it('does not wait for a low rate when it is stopped', async () => {
  const { store } = fake(() => setImmediate())
  const signal = AbortSignal.timeout(50)
  // The second would come in a quarter of an hour.
  await expect(apply(store, puts(10), { maxRate: 0.001, signal })).rejects.toThrow(/timeout/)
})

it('names a missing file', async () => {
  const { store, log } = fake(() => setImmediate())
  await expect(apply(store, [put('gone')])).rejects.toThrow(
    `${folder.file('out/gone')} is in the manifest but cannot be read (ENOENT): build the snapshot again`,
  )
  expect(log).toEqual([])
})

/** One suite for every store behind the port: S3 (our own server, and radosgw if it is there), a folder, and the overlay. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { overlayStore } from '../../src/core/bucket/store/overlay.ts'
import { digestOf, readObject, readPart, readSmall, readUpTo } from '../../src/core/bucket/store/read.ts'
import { openFolder } from '../../src/core/bucket/store/folder.ts'
import { openS3 } from '../../src/core/bucket/store/s3.ts'
import { ConditionFailed, type NewObject, type ObjectStore } from '../../src/core/bucket/store/store.ts'
import { tempFolder } from '../support/folders.ts'
import { forEachStore } from '../support/s3/stores.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
const hex = (body: Buffer) => createHash('sha256').update(body).digest('hex')
const about = { type: 'text/plain; charset=utf-8', cacheControl: 'no-cache' }
function object(key: string, text: string): NewObject {
  const body = Buffer.from(text)
  return { key, body, ...about, sha256: hex(body) }
}

type Opened = ObjectStore & { readonly close: () => void }

const folder = tempFolder()

forEachStore((real) => {
  suite((prefix) => {
    const { bucket, endpoint, region, accessKeyId, secretAccessKey } = real
    const credentials = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    Object.assign(process.env, credentials, { AWS_CONFIG_FILE: '/dev/null' })
    return openS3({ bucket, prefix, endpoint, region, pathStyle: true, concurrency: 4 })
  })
})

describe('in a folder', () => {
  // A path cannot be both a file and a folder, and has no empty names.
  const isPath = (key: string) => key !== 'o/a' && key !== 'o//slash'
  suite((prefix) => openFolder({ bucket: `file://${folder.file('bucket')}`, prefix }), isPath)
})

/** @param open a new client of the same bucket @param isPossible whether the store can have such a key */
function suite(open: (prefix: string) => Opened, isPossible: (key: string) => boolean = () => true): void {
  describe.each([
    ['without a prefix', () => open('')],
    ['below a prefix', () => open('some/prefix')],
    ['under an overlay', () => overlayStore(open('overlaid'))],
  ] as const)('a store %s', (name, make) => {
    let store: ObjectStore
    const at = (key: string) => `${name.replaceAll(' ', '-')}/${key}`
    const put = (key: string, text: string) => store.put(object(at(key), text))
    const text = async (key: string) => (await readSmall(store, at(key)))?.text
    const list = async (prefix: string) => (await all(store.list(at(prefix)))).map(({ key }) => key)

    beforeAll(() => {
      store = make()
    })

    it('returns what was put, with its ETag, length and time', async () => {
      const { etag } = await put('a', 'hällo')
      const got = await readSmall(store, at('a'))
      expect(got).toMatchObject({ text: 'hällo', etag, bytes: 6 })
      expect(Math.abs((got?.now.getTime() ?? 0) - (got?.lastModified.getTime() ?? 0))).toBeLessThan(10_000)
      expect(await digestOf(store, at('a'))).toBe(hex(Buffer.from('hällo')))
      expect(await readObject(store, at('a'))).toMatchObject({ body: Buffer.from('hällo'), etag })
      expect(await readUpTo(store, at('a'), 5)).toMatchObject({ length: 6, body: null, etag })
      expect(await readUpTo(store, at('a'), 6)).toMatchObject({ length: 6, body: Buffer.from('hällo') })
      const part = await readPart(store, at('a'), { first: 3, last: 4 }, etag)
      expect(Buffer.concat(part).toString()).toBe('ll')
      await expect(readPart(store, at('a'), { first: 3, last: 9 }, etag)).rejects.toThrow('was changed')
    })

    it('returns null for a key that was never put, or was deleted', async () => {
      expect(await store.get(at('nothing'))).toBeNull()
      await put('gone', 'x')
      await store.delete([at('gone'), at('never-was')])
      await store.delete([])
      expect(await store.get(at('gone'))).toBeNull()
      expect(await list('gone')).toEqual([])
    })

    it('deletes more keys than a request of S3 takes', async () => {
      await put('last-of-many', 'x')
      const many = Array.from({ length: 1000 }, (_, nth) => at(`many/${nth}`))
      await store.delete([...many, at('last-of-many')])
      expect(await list('last-of-many')).toEqual([])
    })

    it('puts only if the condition holds', async () => {
      const putIf = (condition: Parameters<ObjectStore['put']>[1], body: string) =>
        store.put(object(at('if'), body), condition)
      const { etag } = await putIf({ ifAbsent: true }, '1')
      await expect(putIf({ ifAbsent: true }, '2')).rejects.toBeInstanceOf(ConditionFailed)
      const next = await putIf({ ifMatch: etag }, '3')
      await expect(putIf({ ifMatch: etag }, '4')).rejects.toBeInstanceOf(ConditionFailed)
      expect(await text('if')).toBe('3')
      // A put whose answer got lost is sent again, and counts as done.
      expect(await putIf({ ifMatch: etag }, '3')).toEqual({ etag: next.etag })
      const none = { ifMatch: '"00000000000000000000000000000000"' }
      await expect(store.put(object(at('none'), 'x'), none)).rejects.toBeInstanceOf(ConditionFailed)
      expect(await store.get(at('none'))).toBeNull()
    })

    it('lets one of twenty conditional puts win', async () => {
      const tries = Array.from({ length: 20 }, (_, index) =>
        store.put(object(at('race'), `writer ${index}`), { ifAbsent: true }),
      )
      const results = await Promise.allSettled(tries)
      const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
      expect(await text('race')).toBe(`writer ${winners.join()}`)
    })

    it('puts a file, also an empty and a big one, and reads it', async () => {
      for (const count of [0, 1, 9 * 1024 * 1024 + 1]) {
        const file = folder.file('file')
        const key = at(`file-${count}`)
        const body = Buffer.alloc(count, 'fundpress')
        writeFileSync(file, body)
        await store.putFile(file, { key, ...about })
        expect(await digestOf(store, key)).toBe(hex(body))
        expect(await all(store.list(key))).toMatchObject([{ key, bytes: count }])
      }
      await expect(store.putFile(folder.file('none'), { key: at('x'), ...about })).rejects.toThrow('ENOENT')
    })

    it('copies an object, or says that it is not what it was, where the store makes copies', async () => {
      expect(store.copy === undefined).toBe(store.name.startsWith('file:'))
      if (store.copy === undefined) return
      const key = at('copied from é&+')
      const { etag } = await store.put(object(key, 'to copy'))
      const { body, ...to } = object(at('copied'), 'to copy')
      expect(await store.copy({ key, etag: '"00000000000000000000000000000000"' }, to)).toBeNull()
      expect(await store.copy({ key: at('never'), etag }, to)).toBeNull()
      // An overlay leaves it to the put.
      const isOverlay = name === 'under an overlay'
      expect(await store.copy({ key, etag }, to)).toEqual(isOverlay ? null : { etag })
      expect(await text('copied')).toBe(isOverlay ? undefined : String(body))
    })

    it('lists below a prefix, in the byte order of keys', async () => {
      const names = `A _ a a- a/b a0 é ﷲ 🂡 <'&"> q+c&d=e 100%25 /slash ~(x)!`.split(' ')
      const odd = ['q b', ...names].map((name) => `o/${name}`).filter(isPossible)
      await Promise.all(odd.map((key) => put(key, key)))
      const inBytes = odd.map(at).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(await list('o/')).toEqual(inBytes)
      for (const key of odd) expect(await text(key)).toBe(key)
      await store.delete([at('o/a')])
      expect(await list('o/a')).toEqual(['o/a-', 'o/a/b', 'o/a0'].map(at))
      expect(await list('nothing/')).toEqual([])
    })

    it('names the folders below a prefix', async () => {
      const keys = ['f/b/1', 'f/b/2/3', 'f/a-/1', 'f/a/1', 'f/file', 'fa/c/1']
      await Promise.all(keys.map((key) => put(key, key)))
      expect([...(await store.folders(at('f/')))].sort()).toEqual(['a', 'a-', 'b'])
      expect(await store.folders(at('none/'))).toEqual([])
    })

    it('counts requests, and pages of a listing', async () => {
      const before = store.requests()
      const since = (operation: string) => (store.requests()[operation] ?? 0) - (before[operation] ?? 0)
      await put('counted', 'x')
      await text('counted')
      await list('counted')
      await store.delete([at('counted')])
      const operations = ['PutObject', 'GetObject', 'ListObjectsV2', 'DeleteObjects']
      expect(operations.map(since)).toEqual([1, 1, 1, 1])
      expect(store.unanswered()).toBe(0)
    })
  })

  it('refuses a file that has another digest', async () => {
    const file = folder.file('other')
    // Large enough to be sent as a stream: radosgw verifies the digest of those alone.
    writeFileSync(file, Buffer.alloc(9 * 1024 * 1024))
    const wrong = { key: 'wrong', ...about, sha256: hex(Buffer.from('x')) }
    await expect(open('').putFile(file, wrong)).rejects.toThrow(/build the snapshot again/)
    expect(await open('').get('wrong')).toBeNull()
  })

  it('an overlay shows its base, and does not change it', async () => {
    const base = open('below')
    for (const key of ['kept', 'replaced', 'deleted']) await base.put(object(key, 'below'))
    const above = overlayStore(base)
    for (const key of ['replaced', 'added']) await above.put(object(key, 'above'))
    await above.delete(['deleted'])
    const texts = async (store: ObjectStore) =>
      Promise.all(
        (await all(store.list(''))).map(async ({ key }) => ({
          key,
          text: (await readSmall(store, key))?.text,
        })),
      )
    const kept = { key: 'kept', text: 'below' }
    expect(await texts(above)).toEqual([
      { key: 'added', text: 'above' },
      kept,
      { key: 'replaced', text: 'above' },
    ])
    expect(await texts(base)).toEqual([
      { key: 'deleted', text: 'below' },
      kept,
      { key: 'replaced', text: 'below' },
    ])
    expect([...above.written('')].map(({ key }) => key)).toEqual(['added', 'deleted', 'replaced'])
    await base.put(object('f/below/1', 'x'))
    await above.put(object('f/above/1', 'x'))
    expect(await above.folders('f/')).toEqual(['above', 'below'])
    base.close()
  })
}

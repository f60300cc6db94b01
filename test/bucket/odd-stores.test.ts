/** Stores that are not quite S3, and answers that do not end, at the port: `quirks.test.ts` has whole nights. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readPart, readSmall } from '../../src/core/bucket/store/read.ts'
import { openS3, type S3Store } from '../../src/core/bucket/store/s3.ts'
import { tempFolder } from '../support/folders.ts'
import { credentials } from '../support/publishing.ts'
import { listen } from '../support/request.ts'
import { quirkOf } from '../support/s3/quirks.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const bucket = 'funds'
const stored = { key: 'blue/big', type: 'text/plain; charset=utf-8', cacheControl: 'no-cache' }
const body = Buffer.from('x')
const object = { ...stored, body, sha256: createHash('sha256').update(body).digest('hex') }
const mega = 1024 * 1024

const folder = tempFolder()
let server: S3Server
let store: S3Store

/** Closed when the test has ended. */
function open(endpoint: string, { bodyMs = 5000 } = {}): S3Store {
  const settings = { bucket, prefix: '', endpoint, region: 'us-east-1', pathStyle: true, concurrency: 4 }
  const opened = openS3(settings, undefined, { attempts: 2, connectMs: 2000, silenceMs: 5000, bodyMs })
  onTestFinished(() => opened.close())
  return opened
}

/** A server that is no S3. @returns its address */
async function serve(answer: RequestListener): Promise<string> {
  const { base, stop } = await listen(createServer(answer))
  onTestFinished(stop)
  return base
}

async function all<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of list) found.push(one)
  return found
}

beforeAll(() => {
  Object.assign(process.env, credentials, { AWS_CONFIG_FILE: '/dev/null', AWS_REGION: 'us-east-1' })
})
beforeEach(async () => {
  server = await startS3({ buckets: [bucket] })
  store = open(server.endpoint)
})
afterEach(() => server.stop())

describe('an answer ends', () => {
  const drip = (type: string) =>
    serve((_, response) => {
      response.writeHead(200, { 'content-type': type, etag: '"x"' })
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => {
        clearInterval(timer)
      })
    })

  it('though the store gives its body byte by byte', async () => {
    const slow = open(await drip('application/json'), { bodyMs: 300 })
    await expect(readSmall(slow, 'live.json')).rejects.toThrow(
      /^s3:\/\/funds\/live\.json came too slowly, \d+ bytes in 0 s: the store, or what answers in its place/,
    )
    expect(slow.requests()).toEqual({ GetObject: 1 })
  })

  it('though it gives its listing byte by byte', async () => {
    const slow = open(await drip('application/xml'), { bodyMs: 300 })
    await expect(all(slow.list('blue/'))).rejects.toThrow('the answer to ListObjectsV2 came too slowly')
    expect(slow.requests()).toEqual({ ListObjectsV2: 1 })
  })

  it('but a large body may take the time of its size', async () => {
    const body = Buffer.alloc(64 * 1024, 'x')
    const slow = open(
      await serve((_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length, etag: '"x"' })
        let sent = 0
        const timer = setInterval(() => {
          response.write(body.subarray(sent, (sent += 4096)))
          if (sent < body.length) return
          clearInterval(timer)
          response.end()
        }, 40)
      }),
      { bodyMs: 1 },
    )
    expect((await readSmall(slow, 'a'))?.text.length).toBe(body.length)
  })
})

describe('a store that is not quite S3', () => {
  const read = async (part: { readonly first: number; readonly last: number }, etag: string) =>
    Buffer.concat(await readPart(store, 'blue/big', part, etag)).toString()

  it('and ignores ranges gives parts, cut out of the first 64 MiB of the whole', async () => {
    server.settings.quirk = quirkOf('no ranges')
    server.put(bucket, 'blue/big', 'abcdefghij')
    const etag = server.objects(bucket).get('blue/big')?.etag ?? ''
    expect(await read({ first: 2, last: 4 }, etag)).toBe('cde')
    expect(await read({ first: 0, last: 9 }, etag)).toBe('abcdefghij')
    await expect(read({ first: 64 * mega - 1, last: 64 * mega }, etag)).rejects.toThrow(
      'could not read a part of blue/big: the store ignores Range and sends whole objects',
    )
  })

  it('and answers another part than the one that was asked for is refused', async () => {
    server.settings.quirk = {
      becomes: (answered) => ({
        ...answered,
        headers: { ...answered.headers, 'content-range': 'bytes 0-2/10' },
      }),
    }
    server.put(bucket, 'blue/big', 'abcdefghij')
    const etag = server.objects(bucket).get('blue/big')?.etag ?? ''
    await expect(read({ first: 2, last: 4 }, etag)).rejects.toThrow(
      's3://funds: asked for bytes=2-4 of blue/big, the store answered bytes 0-2/10',
    )
  })

  it.each(['no ETag with quotes', 'weak ETags of gets', 'ETags of listings without quotes'] as const)(
    'and has %s gives one ETag of an object everywhere, in quotes',
    async (quirk) => {
      server.settings.quirk = quirkOf(quirk)
      const { etag } = await store.put(object)
      const listed: string[] = []
      for await (const found of store.list('blue/')) listed.push(found.etag)
      const copied = await store.copy?.({ key: 'blue/big', etag }, { ...object, key: 'blue/copy' })
      const found = await readSmall(store, 'blue/big')
      const wanted = '"9dd4e461268c8034f5c8564e155c67a6"'
      expect({ put: etag, listed, copied: copied?.etag, read: found?.etag }).toEqual({
        put: wanted,
        listed: [wanted],
        copied: wanted,
        read: wanted,
      })
      expect(await read({ first: 0, last: 0 }, etag)).toBe('x')
    },
  )

  it('and takes no checksum but Content-MD5 gets no body with another SHA-256', async () => {
    server.settings.quirk = quirkOf('no checksum headers')
    await store.put(object)
    expect(server.objects(bucket).get('blue/big')?.checksums).toEqual({})
    server.reset()
    const wrong = { ...object, body: Buffer.from('y') }
    await expect(store.put(wrong)).rejects.toThrow(/digest of the manifest.*build it again/)
    await expect(store.put(wrong, { ifAbsent: true })).rejects.toThrow(/digest of the manifest/)
    const file = folder.file('other')
    writeFileSync(file, Buffer.alloc(9 * mega))
    await expect(store.putFile(file, { ...stored, sha256: object.sha256 })).rejects.toThrow(/digest/)
    expect(server.counts()).toEqual({})
  })

  it('and lists keys that were not asked for is refused', async () => {
    server.settings.quirk = {
      becomes: (answered) => ({
        ...answered,
        body: Buffer.from(answered.body.toString().replace('<Key>blue/', '<Key>green/')),
      }),
    }
    server.put(bucket, 'blue/x', 'x')
    await expect(all(store.list('blue/'))).rejects.toThrow('has "green/x", which was not asked for')
  })

  it('and has no DeleteObjects is asked for them once in a run, and names the key that it keeps', async () => {
    server.settings.quirk = quirkOf('no DeleteObjects, 501')
    const keys = ['blue/a', 'blue/b', 'blue/c']
    for (const key of keys) server.put(bucket, key, 'x')
    await store.delete(keys)
    for (const key of keys) server.put(bucket, key, 'x')
    await store.delete([...keys, 'blue/not-there'])
    expect(server.counts()).toEqual({ DeleteObjects: 1, DeleteObject: 7 })
    expect(store.requests()).toEqual({ DeleteObjects: 8 })
    for (const key of keys) server.put(bucket, key, 'x')
    server.settings.deny = [{ operation: /^DeleteObject$/, key: /b$/ }]
    await expect(store.delete(keys)).rejects.toThrow(
      'could not delete blue/b: access denied: the credentials need s3:DeleteObject on s3://funds',
    )
  })

  it('and limits the rate of requests is named so, with the status that it answered', async () => {
    const code = 'ServiceUnavailable'
    server.faults([{ kind: 'status', status: 429, code, operation: 'PutObject' }])
    await expect(store.put(object)).rejects.toThrow(
      'could not write blue/big: the store kept answering 429, it limits the rate of requests',
    )
    server.faults([{ kind: 'status', status: 503, code, operation: 'PutObject' }])
    await expect(store.put(object)).rejects.toThrow('the store kept answering 503: try again later')
  })
})

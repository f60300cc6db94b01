/** What the S3 server of the tests does wrong when it is told to, and the proxy that does so to any server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'node:http'
import {
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy, type Mishap } from '../support/s3/fault-proxy.ts'
import { seededRandom } from '../support/s3/random.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'
import { makeSettings } from '../support/s3/settings.ts'
import { signUrl } from '../support/s3/sign-url.ts'
import { forEachStore } from '../support/s3/stores.ts'

const Bucket = 'faults'
let server: S3Server
let client: S3Client

const connectTo = (endpoint: string, sessionToken?: string): S3Client => {
  const { accessKeyId, secretAccessKey } = server.settings
  const credentials = {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })
}
const put = (Key: string, Body = 'body', through = client) =>
  through.send(new PutObjectCommand({ Bucket, Key, Body }))
const get = async (Key: string, through = client): Promise<string | undefined> => {
  const { Body } = await through.send(new GetObjectCommand({ Bucket, Key }))
  return Body?.transformToString()
}
const has = (key: string): boolean => server.objects(Bucket).has(key)

beforeAll(async () => {
  server = await startS3({ buckets: [Bucket] })
  client = connectTo(server.endpoint)
})
afterAll(() => server.stop())
beforeEach(() => {
  server.reset()
  server.empty(Bucket)
  Object.assign(server.settings, makeSettings({}))
})

describe('the server', () => {
  it('answers with an error, carried out or not', async () => {
    server.faults([
      { kind: 'status', status: 503, keyMatches: /not/ },
      { kind: 'status-after', status: 409, keyMatches: /done/ },
    ])
    await expect(put('not')).rejects.toMatchObject({ name: 'SlowDown', $metadata: { httpStatusCode: 503 } })
    await expect(put('done')).rejects.toMatchObject({ name: 'ConditionalRequestConflict' })
    expect([has('not'), has('done')]).toEqual([false, true])
  })

  it('goes back to an earlier state, and carries nothing out that was on its way', async () => {
    await put('old')
    const saved = server.snapshot().get(Bucket) ?? new Map()
    const arrived = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<undefined>()
    const run = () => {
      arrived.resolve(undefined)
      return held.promise
    }
    server.faults([{ kind: 'call', when: 'before', keyMatches: /late/, run }])
    const late = put('late')
    await arrived.promise
    server.remove(Bucket, 'old')
    server.reset()
    server.restore(Bucket, saved)
    held.resolve(undefined)
    await expect(late).rejects.toThrow()
    expect([has('old'), has('late')]).toEqual([true, false])
    expect(server.objects(Bucket).get('old')).toEqual(saved.get('old'))
    expect(server.log).toEqual([])
  })

  it('cuts the connection before it is done or after', async () => {
    server.faults([
      { kind: 'cut-before', keyMatches: /not/ },
      { kind: 'cut-after', keyMatches: /done/ },
    ])
    await expect(put('not')).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect(put('done')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect([has('not'), has('done')]).toEqual([false, true])
    expect(server.log.map(({ status, faults }) => [status, ...faults])).toEqual([
      [0, 'cut-before'],
      [0, 'cut-after'],
    ])
  })

  it('ends a request in the middle of its body, with an answer or without', async () => {
    server.faults([
      { kind: 'status-early', status: 503, keyMatches: /refused/, times: 1 },
      { kind: 'cut-early', keyMatches: /cut/, times: 1 },
    ])
    // The answer may come before the connection ends, or be lost with it.
    await expect(put('refused', 'x'.repeat(2 ** 24))).rejects.toMatchObject({
      name: expect.stringMatching(/^(SlowDown|TimeoutError)$/) as string,
    })
    await expect(put('cut', 'x'.repeat(2 ** 24))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(server.log.map(({ status, bytes }) => [status, bytes])).toEqual([
      [503, 0],
      [0, 0],
    ])
    expect([has('refused'), has('cut')]).toEqual([false, false])
  })

  it('says nothing of the length of an answer in chunks', async () => {
    server.put(Bucket, 'key', 'abcdefgh')
    server.faults([{ kind: 'chunked', method: 'GET' }])
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'key' }))
    expect(got.ContentLength).toBeUndefined()
    expect(await got.Body?.transformToString()).toBe('abcdefgh')
  })

  it('denies to read what is not there to whoever may not list', async () => {
    server.put(Bucket, 'key', 'abcdefgh')
    server.settings.deny = [{ operation: /^ListObjectsV2$/ }]
    expect(await get('key')).toBe('abcdefgh')
    await expect(get('absent')).rejects.toMatchObject({ name: 'AccessDenied' })
    server.settings.deny = []
    await expect(get('absent')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('truncates and corrupts what it answers', async () => {
    server.put(Bucket, 'key', 'abcdefgh')
    server.faults([
      { kind: 'truncate', method: 'GET', nth: 1 },
      { kind: 'corrupt', method: 'GET', times: 1 },
    ])
    await expect(get('key')).rejects.toThrow('aborted')
    expect(await get('key')).toBe('abcddfgh')
    expect(await get('key')).toBe('abcdefgh')
  })

  it('waits, and lets the test do something first', async () => {
    const seen: boolean[] = []
    server.faults([
      { kind: 'call', when: 'before', run: () => seen.push(has('key')) },
      { kind: 'call', when: 'after', run: () => seen.push(has('key')) },
      { kind: 'delay', ms: 50 },
    ])
    const start = performance.now()
    await put('key')
    expect(performance.now() - start).toBeGreaterThan(45)
    expect(seen).toEqual([false, true])
  })

  it('fails by chance, the same from the same seed', async () => {
    const run = async (): Promise<number[]> => {
      server.reset()
      server.faults([{ kind: 'status', status: 500, probability: 0.3 }], 7)
      for (let turn = 0; turn < 20; turn++) await put('key').catch(() => undefined)
      return server.log.map(({ status }) => status)
    }
    const statuses = await run()
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(await run()).toEqual(statuses)
  })

  it('fails for single keys of DeleteObjects', async () => {
    for (const key of ['a', 'b', 'c']) server.put(Bucket, key, 'x')
    server.faults([{ kind: 'delete-error', keyMatches: /b/ }])
    server.settings.deny = [{ operation: /^DeleteObject$/, key: /c/ }]
    const Objects = ['a', 'b', 'c'].map((Key) => ({ Key }))
    const { Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(Errors).toMatchObject([
      { Key: 'b', Code: 'InternalError' },
      { Key: 'c', Code: 'AccessDenied' },
    ])
    expect(['a', 'b', 'c'].filter(has)).toEqual(['b', 'c'])
  })

  it('denies what it is told to, counts and logs', async () => {
    server.settings.deny = [{ operation: /^Put/, key: /^closed\// }]
    await put('open')
    await expect(put('closed/1')).rejects.toMatchObject({ name: 'AccessDenied' })
    await get('open')
    expect(server.counts()).toEqual({ PutObject: 2, GetObject: 1 })
    expect(server.log.map(({ method, key, status }) => `${method} ${key} ${status}`)).toEqual([
      'PUT open 200',
      'PUT closed/1 403',
      'GET open 200',
    ])
  })

  it.each([
    ['ignored', 'written'],
    ['refused', 'NotImplemented'],
    ['unquoted', 'PreconditionFailed'],
  ] as const)('has conditions %s, as other stores have', async (conditions, expected) => {
    server.settings.conditions = conditions
    await put('key')
    const { ETag } = await put('key', 'same')
    const input = { Bucket, Key: 'key', Body: 'next', IfMatch: ETag ?? '' }
    const result = await client.send(new PutObjectCommand(input)).then(
      () => 'written',
      (error: unknown) => (error as Error).name,
    )
    expect(result).toBe(expected)
  })

  it('knows expired tokens, other regions and other clocks', async () => {
    server.settings.expiredTokens = ['old']
    await expect(put('key', 'x', connectTo(server.endpoint, 'old'))).rejects.toMatchObject({
      name: 'ExpiredToken',
    })
    await expect(put('key', 'x', connectTo(server.endpoint, 'any'))).rejects.toMatchObject({
      name: 'InvalidToken',
    })
    Object.assign(server.settings, { region: 'eu-central-1', regionCheck: 'redirect' })
    await expect(put('key')).rejects.toMatchObject({ name: 'PermanentRedirect' })
    server.settings.region = 'us-east-1'
    server.settings.clockSkewMs = -3_600_000
    // The SDK learns the server's time from this: not to be taken further.
    const learner = connectTo(server.endpoint)
    await expect(put('key', 'x', learner)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' })
    await put('key', 'x', learner)
  })

  it('tells where a bucket is, its versioning and its rules', async () => {
    const rules = {
      lifecycleRules: [{ id: 'old', prefix: 'logs/', expirationDays: 30 }],
      region: 'eu-west-1',
    }
    Object.assign(server.settings, rules, { versioning: 'Enabled', regionCheck: 'none' })
    expect(await client.send(new GetBucketLocationCommand({ Bucket }))).toMatchObject({
      LocationConstraint: 'eu-west-1',
    })
    expect(await client.send(new GetBucketVersioningCommand({ Bucket }))).toMatchObject({ Status: 'Enabled' })
    expect(await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).toMatchObject({
      Rules: [{ ID: 'old', Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 }, Status: 'Enabled' }],
    })
  })

  it('takes the bucket from the host as well', async () => {
    server.put(Bucket, 'folder/key', 'from the host')
    const { port } = new URL(server.endpoint)
    const host = `${Bucket}.localhost:${port}`
    // Signed as if the folder were the bucket: on the wire that is the same path.
    const target = {
      endpoint: `http://${host}`,
      bucket: 'folder',
      key: 'key',
      method: 'GET',
      expiresSeconds: 60,
    }
    const { pathname, search } = new URL(signUrl({ ...server.settings, ...target }))
    const body = await new Promise<string>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path: pathname + search, headers: { host } },
        (response) => {
          response.setEncoding('utf8').on('data', resolve)
        },
      )
      sent.on('error', reject).end()
    })
    expect(body).toBe('from the host')
  })

  it('finds its objects again in a folder', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'fundpress-s3-'))
    const first = await startS3({ dir, buckets: [Bucket] })
    await put('a/b', 'one', connectTo(first.endpoint))
    await first.stop()
    const second = await startS3({ dir, buckets: [Bucket] })
    expect(await get('a/b', connectTo(second.endpoint))).toBe('one')
    await second.stop()
    rmSync(dir, { recursive: true })
  })
})

describe('the proxy', () => {
  let proxy: FaultProxy
  let through: S3Client
  beforeAll(async () => {
    proxy = await startFaultProxy({ target: server.endpoint, seed: 1 })
    through = connectTo(proxy.endpoint)
  })
  afterAll(() => proxy.stop())

  it('lets signed requests through as they are', async () => {
    proxy.set({})
    await put('é (1)', 'body', through)
    expect(await get('é (1)', through)).toBe('body')
  })

  // What reached the server, and whether the put was carried out.
  it.each<[Mishap, number, boolean]>([
    ['status', 0, false],
    ['cutBefore', 0, false],
    ['cutRequest', 1, false],
    ['cutAfter', 1, true],
  ])('spoils a put by %s', async (mishap, requests, isDone) => {
    proxy.set({ [mishap]: 1 })
    await expect(put('key', 'body', through)).rejects.toThrow()
    await expect.poll(() => server.log.length).toBe(requests)
    expect(has('key')).toBe(isDone)
  })

  it.each<Mishap>(['cutAnswer', 'truncate'])('spoils a get by %s', async (mishap) => {
    server.put(Bucket, 'key', 'x'.repeat(5000))
    proxy.set({ [mishap]: 1, requests: /^GET / })
    await put('other', 'body', through)
    await expect(get('key', through)).rejects.toThrow()
  })

  it('leaves as many alone as the odds say', async () => {
    const before = proxy.counts().through
    proxy.set({ status: 0.1, cutBefore: 0.1, cutAfter: 0.1, delay: 0.2, maxDelayMs: 5 })
    for (let turn = 0; turn < 200; turn++) await put('key', 'body', through).catch(() => undefined)
    expect(proxy.counts().through - before).toBeGreaterThan(110)
    expect(proxy.counts().through - before).toBeLessThan(170)
    expect(proxy.counts().delay).toBeGreaterThan(20)
  })
})

describe('a put with If-None-Match has one winner', () => {
  forEachStore((store) => {
    it('of twenty', async () => {
      const { endpoint, region, accessKeyId, secretAccessKey } = store
      const credentials = { accessKeyId, secretAccessKey }
      const sender = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 })
      const tries = Array.from({ length: 20 }, (_, index) => {
        const input = { Bucket: store.bucket, Key: 'race', Body: `writer ${index}`, IfNoneMatch: '*' }
        return sender.send(new PutObjectCommand(input))
      })
      const results = await Promise.allSettled(tries)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
  })
})

it('random numbers are spread evenly, whatever the seed', () => {
  const sums = Array.from({ length: 100 }, (_, seed) => {
    const random = seededRandom(seed)
    return Array.from({ length: 100 }, random).reduce((sum, value) => sum + value, 0)
  })
  expect(new Set(sums).size).toBe(100)
  for (const sum of sums) expect(Math.abs(sum - 50)).toBeLessThan(15)
})

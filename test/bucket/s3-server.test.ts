/**
 * The S3 server of the tests, held against what AWS does, and the proxy that brings faults to any server. `store.test.ts`
 * compares the server with a real store; `store-faults.test.ts` shows its faults.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy, type Mishap } from '../support/s3/fault-proxy.ts'
import { Bucket, startProbe } from '../support/s3/probe.ts'

const body = randomBytes(5000)
const etagOf = (bytes: Buffer | string) => `"${createHash('md5').update(bytes).digest('hex')}"`
const refusal = (httpStatusCode: number, name: string) => ({ name, $metadata: { httpStatusCode } })
const accessKeyId = 'TESTKEY'
const probe = startProbe()
const { put, get, has } = probe

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
function presigned(key: string, expiresSeconds: number, at: Date): string {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), 'us-east-1', 's3', 'aws4_request']
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent([accessKeyId, ...scope].join('/'))}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${expiresSeconds}`,
    'X-Amz-SignedHeaders=host',
  ].join('&')
  const path = `/${Bucket}/${key}`
  const { host } = new URL(probe.server.endpoint)
  const canonical = `GET\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const hmac = (under: Buffer | string, text: string) => createHmac('sha256', under).update(text).digest()
  const signingKey = scope.reduce<Buffer | string>(hmac, `AWS4${probe.server.settings.secretAccessKey}`)
  const signature = hmac(signingKey, `AWS4-HMAC-SHA256\n${time}\n${scope.join('/')}\n${digest}`)
  return `${probe.server.endpoint}${path}?${query}&X-Amz-Signature=${signature.toString('hex')}`
}

describe('a signature', () => {
  const key = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'x' })
  const refused = (config: S3ClientConfig, status: number, code: string) =>
    expect(put('bad', 'x', {}, probe.connect(config))).rejects.toMatchObject(refusal(status, code))

  it.each<[string, S3ClientConfig, number, string]>([
    ['by another secret', { credentials: key(accessKeyId) }, 403, 'SignatureDoesNotMatch'],
    ['by an unknown key', { credentials: key('WHO') }, 403, 'InvalidAccessKeyId'],
    ['by a clock that is an hour off', { systemClockOffset: 3_600_000 }, 403, 'RequestTimeTooSkewed'],
    ['for another region', { region: 'eu-west-1' }, 400, 'AuthorizationHeaderMalformed'],
  ])('%s is refused', (_, config, status, code) => refused(config, status, code))

  it('is needed', async () => {
    for (const init of [{ method: 'PUT', body: 'x' }, {}])
      expect((await fetch(`${probe.server.endpoint}/${Bucket}/one.json`, init)).status).toBe(403)
  })

  it.each([
    ['body', 400, 'XAmzContentSHA256Mismatch', () => ({ body: Buffer.from('HELLO') })],
    ['path', 403, 'SignatureDoesNotMatch', () => ({ path: `/${Bucket}/other` })],
    ['query', 403, 'SignatureDoesNotMatch', () => ({ query: { 'x-id': 'PutObject', more: '1' } })],
    ['headers', 403, 'AccessDenied', (given: object) => ({ headers: { ...given, 'x-amz-meta-more': '1' } })],
  ])('covers the %s', async (_, status, code, changed) => {
    const altered = probe.connect({ requestChecksumCalculation: 'WHEN_REQUIRED' })
    altered.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { headers: object }
        Object.assign(request, changed(request.headers))
        return next(args)
      },
      { step: 'finalizeRequest', priority: 'low' },
    )
    await expect(put('bad', 'hello', {}, altered)).rejects.toMatchObject(refusal(status, code))
    expect(probe.server.objects(Bucket).size).toBe(0)
  })

  it('in a URL opens an object until it expires, unless somebody changes the URL', async () => {
    probe.server.put(Bucket, 'key', body)
    const url = (seconds: number, at = new Date()) => presigned('key', seconds, at)
    expect(Buffer.from(await (await fetch(url(60))).arrayBuffer())).toEqual(body)
    for (const wrong of [
      url(60).replace(/Signature=..../, 'Signature=0000'),
      url(60).replace('/key?', '/other?'),
      url(60).replace('Expires=60', 'Expires=61'),
      url(1, new Date(Date.now() - 3_600_000)),
    ])
      expect((await fetch(wrong)).status).toBe(403)
  })

  it('needs the token of its session', async () => {
    const { secretAccessKey } = probe.server.settings
    const withToken = (sessionToken: string) => ({
      credentials: { accessKeyId, secretAccessKey, sessionToken },
    })
    probe.server.settings.sessionToken = 'token'
    await put('key', 'x', {}, probe.connect(withToken('token')))
    probe.server.settings.expiredTokens = ['old']
    await refused(withToken('old'), 400, 'ExpiredToken')
    await refused(withToken('any'), 400, 'InvalidToken')
    await refused({}, 403, 'InvalidAccessKeyId')
  })

  it('is checked against the clock of the server, which the SDK learns', async () => {
    probe.server.settings.clockSkewMs = -3_600_000
    const learner = probe.connect()
    await expect(put('key', 'x', {}, learner)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' })
    await put('key', 'x', {}, learner)
  })
})

describe('an object', () => {
  it('is read and described as it was put', async () => {
    const about = { ContentType: 'application/json', CacheControl: 'max-age=60', ContentEncoding: 'gzip' }
    await put('one.json', body, { ...about, Metadata: { sha256: 'abc', foo: 'Bar baz' } })
    expect(await get('one.json')).toEqual(body)
    const head = await probe.client.send(new HeadObjectCommand({ Bucket, Key: 'one.json' }))
    const Metadata = { sha256: 'abc', foo: 'Bar baz' }
    expect(head).toMatchObject({ ...about, Metadata, ContentLength: 5000, ETag: etagOf(body) })
  })

  it.each<[string, number, string, () => Promise<unknown>]>([
    ['a key of more than 1024 bytes', 400, 'KeyTooLongError', () => put('é'.repeat(513))],
    ['a wrong CRC32', 400, 'BadDigest', () => put('bad', 'x', { ChecksumCRC32: 'AAAAAA==' })],
    ['a wrong SHA-256', 400, 'BadDigest', () => put('bad', 'x', { ChecksumSHA256: `${'A'.repeat(43)}=` })],
    ['a wrong MD5', 400, 'BadDigest', () => put('bad', 'x', { ContentMD5: `${'A'.repeat(22)}==` })],
    ['an MD5 that is none', 400, 'InvalidDigest', () => put('bad', 'x', { ContentMD5: 'nonsense' })],
    ['a key that is not there', 404, 'NoSuchKey', () => get('nothing')],
  ])('is refused with %s', async (_, status, code, work) => {
    await expect(work()).rejects.toMatchObject(refusal(status, code))
    expect(probe.server.objects(Bucket).size).toBe(0)
  })

  it.each([
    ['bytes=10-19', 'bytes 10-19/5000', 10, 20],
    ['bytes=-7', 'bytes 4993-4999/5000', 4993, 5000],
    ['bytes=4990-9999', 'bytes 4990-4999/5000', 4990, 5000],
  ])('is read in part with %s', async (Range, ContentRange, from, to) => {
    probe.server.put(Bucket, 'key', body)
    const got = await probe.client.send(new GetObjectCommand({ Bucket, Key: 'key', Range }))
    expect(got).toMatchObject({ ContentRange, $metadata: { httpStatusCode: 206 } })
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(body.subarray(from, to))
  })

  it.each([
    [{ Range: 'bytes=9000-9999' }, 416],
    [{ IfNoneMatch: etagOf(body) }, 304],
    [{ IfModifiedSince: new Date(Date.now() + 10_000) }, 304],
    [{ IfMatch: etagOf('') }, 412],
  ])('is not read with %o', async (condition, httpStatusCode) => {
    probe.server.put(Bucket, 'key', body)
    const sent = probe.client.send(new GetObjectCommand({ Bucket, Key: 'key', ...condition }))
    await expect(sent).rejects.toMatchObject({ $metadata: { httpStatusCode } })
  })
})

it('a listing comes in pages, with ETags and sizes', async () => {
  const numbered = Array.from({ length: 25 }, (_, index) => `l/${String(index).padStart(3, '0')}`)
  for (const key of [...numbered, 'k/x', 'm/x']) probe.server.put(Bucket, key, body)
  const pages: (readonly (string | undefined)[])[] = []
  let token: string | undefined
  do {
    const more = token === undefined ? {} : { ContinuationToken: token }
    const page = new ListObjectsV2Command({ Bucket, Prefix: 'l/', MaxKeys: 10, ...more })
    const { Contents = [], NextContinuationToken } = await probe.client.send(page)
    expect(Contents[0]).toMatchObject({ ETag: etagOf(body), Size: 5000 })
    pages.push(Contents.map(({ Key }) => Key))
    // A key that goes between two pages does not stop the listing.
    probe.server.remove(Bucket, 'l/009')
    token = NextContinuationToken
  } while (token !== undefined)
  expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
  expect(pages.flat()).toEqual(numbered)
})

describe('DeleteObjects', () => {
  const remove = (keys: readonly string[], Quiet = true) =>
    probe.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Quiet, Objects: keys.map((Key) => ({ Key })) } }),
    )

  it('deletes up to a thousand keys, also keys that do not exist', async () => {
    const keys = ['d/1', "d/é<&'>", 'd/3', ...Array.from({ length: 998 }, (_, index) => `q${index}`)]
    for (const key of keys) probe.server.put(Bucket, key, 'x')
    await expect(remove(keys)).rejects.toMatchObject(refusal(400, 'MalformedXML'))
    expect((await remove(keys.slice(0, 1000))).Errors).toBeUndefined()
    const { Deleted } = await remove(['q997', 'never-was'], false)
    expect(Deleted).toEqual([{ Key: 'q997' }, { Key: 'never-was' }])
    expect(probe.server.objects(Bucket).size).toBe(0)
  })

  it('answers with an error for each key that fails', async () => {
    for (const key of ['a', 'b', 'c']) probe.server.put(Bucket, key, 'x')
    probe.server.faults([{ kind: 'delete-error', keyMatches: /b/ }])
    probe.server.settings.deny = [{ operation: /^DeleteObject$/, key: /c/ }]
    expect((await remove(['a', 'b', 'c'])).Errors).toMatchObject([
      { Key: 'b', Code: 'InternalError' },
      { Key: 'c', Code: 'AccessDenied' },
    ])
    expect([...probe.server.objects(Bucket).keys()]).toEqual(['b', 'c'])
  })
})

it('makes a bucket, and lists its versioning, rules and unfinished uploads', async () => {
  const of = { Bucket: 'another' }
  await expect(probe.client.send(new ListObjectsV2Command(of))).rejects.toMatchObject(
    refusal(404, 'NoSuchBucket'),
  )
  await probe.client.send(new CreateBucketCommand(of))
  probe.server.settings.lifecycleRules = [{ id: 'old', prefix: 'logs/', expirationDays: 30 }]
  probe.server.settings.versioning = 'Enabled'
  expect(await probe.client.send(new GetBucketVersioningCommand(of))).toMatchObject({ Status: 'Enabled' })
  expect(await probe.client.send(new GetBucketLifecycleConfigurationCommand(of))).toMatchObject({
    Rules: [{ ID: 'old', Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 }, Status: 'Enabled' }],
  })
  const initiated = Date.parse('2026-11-01T00:00:00Z')
  probe.server.uploads('another').set('1', { id: '1', key: 'a', initiated })
  expect((await probe.client.send(new ListMultipartUploadsCommand(of))).Uploads).toMatchObject([
    { Key: 'a', UploadId: '1', Initiated: new Date(initiated) },
  ])
  const abort = () => probe.client.send(new AbortMultipartUploadCommand({ ...of, Key: 'a', UploadId: '1' }))
  await abort()
  await expect(abort()).rejects.toMatchObject(refusal(404, 'NoSuchUpload'))
})

describe('the server', () => {
  it('restores an earlier state, and carries out no request that was on its way', async () => {
    await put('old')
    const saved = probe.server.snapshot().get(Bucket) ?? new Map()
    const arrived = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<undefined>()
    const run = () => {
      arrived.resolve(undefined)
      return held.promise
    }
    probe.server.faults([{ kind: 'call', when: 'before', keyMatches: /late/, run }])
    const late = put('late')
    await arrived.promise
    probe.server.remove(Bucket, 'old')
    probe.server.reset()
    probe.server.restore(Bucket, saved)
    held.resolve(undefined)
    await expect(late).rejects.toThrow()
    expect([...probe.server.objects(Bucket)]).toEqual([...saved])
    expect(probe.server.log).toEqual([])
  })

  it('fails at random, in the same way for the same seed', async () => {
    const run = async (): Promise<number[]> => {
      probe.server.reset()
      probe.server.faults([{ kind: 'status', status: 500, probability: 0.3 }], 7)
      for (let turn = 0; turn < 20; turn++) await put('key').catch(() => undefined)
      return probe.server.log.map(({ status }) => status)
    }
    const statuses = await run()
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(await run()).toEqual(statuses)
  })

  it('denies what the settings say, and does not say which key is missing to a reader without the right to list', async () => {
    probe.server.settings.deny = [{ operation: /^Put/, key: /^closed\// }, { operation: /^ListObjectsV2$/ }]
    await put('open')
    await expect(put('closed/1')).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(get('absent')).rejects.toMatchObject({ name: 'AccessDenied' })
    expect(probe.server.log.map(({ method, key, status }) => `${method} ${key} ${status}`)).toEqual([
      'PUT open 200',
      'PUT closed/1 403',
      'GET absent 403',
    ])
  })
})

describe('the proxy', () => {
  let proxy: FaultProxy
  let through: S3Client
  beforeAll(async () => {
    proxy = await startFaultProxy(probe.server.endpoint, 1)
    through = probe.connect({ endpoint: proxy.endpoint })
  })
  afterAll(() => proxy.stop())

  it('lets signed requests through as they are', async () => {
    proxy.set({})
    await put('é (1)', 'body', {}, through)
    expect(String(await get('é (1)', through))).toBe('body')
  })

  // What reached the server, and whether the put was carried out.
  it.each<[Mishap, number, boolean]>([
    ['status', 0, false],
    ['cutBefore', 0, false],
    ['cutRequest', 1, false],
    ['cutAfter', 1, true],
  ])('spoils a put by %s', async (mishap, requests, isDone) => {
    proxy.set({ [mishap]: 1 })
    await expect(put('key', 'body', {}, through)).rejects.toThrow()
    await expect.poll(() => probe.server.log.length).toBe(requests)
    expect(has('key')).toBe(isDone)
  })

  it.each<Mishap>(['cutAnswer', 'truncate'])('spoils a get by %s', async (mishap) => {
    probe.server.put(Bucket, 'key', 'x'.repeat(5000))
    proxy.set({ [mishap]: 1 })
    await expect(get('key', through)).rejects.toThrow()
  })

  it('spoils as many requests as the odds say', async () => {
    const before = proxy.counts.through
    proxy.set({ status: 0.1, cutBefore: 0.1, cutAfter: 0.1, delay: 0.01 })
    for (let turn = 0; turn < 100; turn++) await put('key', 'body', {}, through).catch(() => undefined)
    expect(proxy.counts.through - before).toBeGreaterThan(50)
    expect(proxy.counts.through - before).toBeLessThan(90)
  })
})

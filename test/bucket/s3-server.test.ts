/**
 * The S3 server of the tests, where it is as strict as AWS, and the proxy that brings faults to any server. `store.test.ts`
 * compares the server with a real store; `store-faults.test.ts` and `doctor.test.ts` show its faults and settings.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { DeleteObjectsCommand, GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
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
function presigned(key: string, expiresSeconds: number, at = new Date()): string {
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
    const url = presigned('key', 60)
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(body)
    for (const wrong of [
      url.replace(/Signature=..../, 'Signature=0000'),
      url.replace('/key?', '/other?'),
      url.replace('Expires=60', 'Expires=61'),
      presigned('key', 1, new Date(Date.now() - 3_600_000)),
    ])
      expect((await fetch(wrong)).status).toBe(403)
  })
})

describe('an object', () => {
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

describe('the server', () => {
  it('deletes up to a thousand keys in a request, also keys that do not exist', async () => {
    const remove = (keys: readonly string[], Quiet = true) => {
      const Delete = { Quiet, Objects: keys.map((Key) => ({ Key })) }
      return probe.client.send(new DeleteObjectsCommand({ Bucket, Delete }))
    }
    const keys = ['d/1', "d/é<&'>", 'd/3', ...Array.from({ length: 998 }, (_, index) => `q${index}`)]
    for (const key of keys) probe.server.put(Bucket, key, 'x')
    await expect(remove(keys)).rejects.toMatchObject(refusal(400, 'MalformedXML'))
    expect((await remove(keys.slice(0, 1000))).Errors).toBeUndefined()
    const { Deleted } = await remove(['q997', 'never-was'], false)
    expect(Deleted).toEqual([{ Key: 'q997' }, { Key: 'never-was' }])
    expect(probe.server.objects(Bucket).size).toBe(0)
  })

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
})

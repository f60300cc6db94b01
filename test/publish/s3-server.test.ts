/** The S3 server of the tests, held against what AWS does: without this, every other test of publishing proves little. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type PutObjectCommandInput,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startS3, type S3Server } from '../support/s3/server.ts'
import { signUrl, type UrlToSign } from '../support/s3/sign-url.ts'

const Bucket = 'probe'
const body = randomBytes(5000)
const md5 = (bytes: Buffer | string): string => createHash('md5').update(bytes).digest('hex')
const etagOf = (bytes: Buffer | string): string => `"${md5(bytes)}"`

let server: S3Server
let client: S3Client
/** As the product has it: bodies go out as they are, without a checksum in a trailer. */
let plain: S3Client

const connectWith = (config: S3ClientConfig): S3Client => {
  const { accessKeyId, secretAccessKey } = server.settings
  const credentials = { accessKeyId, secretAccessKey }
  return new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
    ...config,
  })
}
const put = async (Key: string, Body: Buffer | string, input: Partial<PutObjectCommandInput> = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...input }))
const get = async (Key: string): Promise<Buffer> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}
const refusal = (httpStatusCode: number, name: string) => ({ name, $metadata: { httpStatusCode } })
const keysOf = async (input: { Prefix?: string; StartAfter?: string }): Promise<(string | undefined)[]> => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, ...input }))
  return Contents.map(({ Key }) => Key)
}

beforeAll(async () => {
  server = await startS3({ buckets: [Bucket] })
  client = connectWith({})
  plain = connectWith({
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  await put('one.json', body, {
    ContentType: 'application/json',
    CacheControl: 'max-age=60',
    Metadata: { sha256: 'abc123', foo: 'Bar baz' },
  })
})
afterAll(() => server.stop())

describe('a put', () => {
  it('makes an object that is read back with its type, its cache control and its metadata', async () => {
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'one.json' }))
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(body)
    expect(got).toMatchObject({
      ContentType: 'application/json',
      CacheControl: 'max-age=60',
      Metadata: { sha256: 'abc123', foo: 'Bar baz' },
    })
  })

  it('needs no checksum', async () => {
    await plain.send(new PutObjectCommand({ Bucket, Key: 'plain', Body: body }))
    expect(await get('plain')).toEqual(body)
  })

  it.each(['the checksum in a trailer', 'no checksum'])('takes a streamed body with %s', async (kind) => {
    const input = {
      Bucket,
      Key: 'streamed',
      Body: Readable.from([body.subarray(0, 999), body.subarray(999)]),
    }
    const sender = kind === 'no checksum' ? plain : client
    await sender.send(new PutObjectCommand({ ...input, ContentLength: body.length }))
    expect(await get('streamed')).toEqual(body)
    // The framing of the body is no encoding of the object.
    expect(server.objects(Bucket).get('streamed')?.headers['content-encoding']).toBeUndefined()
  })

  it('keeps the content encoding', async () => {
    await put('gzip', body, { ContentEncoding: 'gzip' })
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: 'gzip' }))).toMatchObject({
      ContentEncoding: 'gzip',
    })
  })

  it.each([
    'odd/a b+c&d=e.json',
    'odd/é ü 漢字.json',
    'odd/100%25.json',
    `odd/quote'"<>.json`,
    'odd/double//slash.json',
    'odd/tilde~(x)!.json',
    `long/${'k'.repeat(990)}`,
  ])('takes the key %s and lists it', async (key) => {
    await put(key, key)
    expect((await get(key)).toString()).toBe(key)
    expect(await keysOf({ Prefix: key })).toEqual([key])
  })

  it('refuses a key of more than 1024 bytes', async () => {
    await expect(put('é'.repeat(513), 'x')).rejects.toMatchObject(refusal(400, 'KeyTooLongError'))
  })

  it('lets a key be the beginning of another', async () => {
    await put('co/x', '1')
    await put('co/x/y', '2')
    expect([String(await get('co/x')), String(await get('co/x/y'))]).toEqual(['1', '2'])
  })

  it.each([
    ['ChecksumCRC32', 'AAAAAA==', 'BadDigest'],
    ['ChecksumSHA256', Buffer.alloc(32).toString('base64'), 'BadDigest'],
    ['ContentMD5', Buffer.alloc(16).toString('base64'), 'BadDigest'],
    ['ContentMD5', 'nonsense', 'InvalidDigest'],
  ])('refuses a wrong %s %s', async (name, value, code) => {
    await expect(put('bad', 'hello', { [name]: value })).rejects.toMatchObject(refusal(400, code))
    expect(server.objects(Bucket).has('bad')).toBe(false)
  })

  it('leaves nothing of a body that breaks off', async () => {
    const { pathname, search, port, host } = new URL(presign({ method: 'PUT', key: 'broken' }))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5000\r\n\r\n`)
    socket.write(body.subarray(0, 2500))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
    await once(socket, 'close')
    await expect
      .poll(() => server.log.at(-1))
      .toMatchObject({ operation: 'PutObject', key: 'broken', status: 0 })
    expect(server.objects(Bucket).has('broken')).toBe(false)
  })
})

describe('a get', () => {
  const ask = (input: object) => client.send(new GetObjectCommand({ Bucket, Key: 'one.json', ...input }))

  it.each([
    ['bytes=10-19', 'bytes 10-19/5000', 10, 20],
    ['bytes=-7', 'bytes 4993-4999/5000', 4993, 5000],
    ['bytes=4990-9999', 'bytes 4990-4999/5000', 4990, 5000],
  ])('answers 206 to %s', async (Range, contentRange, from, to) => {
    const got = await ask({ Range })
    expect(got).toMatchObject({ ContentRange: contentRange, $metadata: { httpStatusCode: 206 } })
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(body.subarray(from, to))
  })

  it('answers 416 to a range behind the end', () =>
    expect(ask({ Range: 'bytes=9000-9999' })).rejects.toMatchObject(refusal(416, 'InvalidRange')))

  it('answers 304 to an ETag that is still right', () =>
    expect(ask({ IfNoneMatch: etagOf(body) })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } }))

  it('answers 412 to an ETag that has to be right and is not', () =>
    expect(ask({ IfMatch: etagOf('') })).rejects.toMatchObject(refusal(412, 'PreconditionFailed')))

  it('answers 404 where nothing is', () =>
    expect(get('nothing')).rejects.toMatchObject(refusal(404, 'NoSuchKey')))
})

describe('a head', () => {
  const ask = (input: object) => client.send(new HeadObjectCommand({ Bucket, Key: 'one.json', ...input }))

  it('tells the size, the type, the metadata, and the MD5 as ETag', async () => {
    expect(await ask({})).toMatchObject({
      ContentLength: 5000,
      ContentType: 'application/json',
      ETag: etagOf(body),
      Metadata: { sha256: 'abc123' },
    })
  })

  it('tells the checksum that came with the put, if it is asked', async () => {
    await put('hello', 'hello')
    // 0x3610a686
    expect(await ask({ Key: 'hello', ChecksumMode: 'ENABLED' })).toMatchObject({ ChecksumCRC32: 'NhCmhg==' })
    expect((await ask({ Key: 'hello' })).ChecksumCRC32).toBeUndefined()
  })

  it('answers 404 where nothing is', () =>
    expect(ask({ Key: 'nothing' })).rejects.toMatchObject(refusal(404, 'NotFound')))
})

describe('a conditional write', () => {
  it('with If-None-Match: * succeeds once', async () => {
    await put('new', '1', { IfNoneMatch: '*' })
    await expect(put('new', '2', { IfNoneMatch: '*' })).rejects.toMatchObject(
      refusal(412, 'PreconditionFailed'),
    )
    expect(String(await get('new'))).toBe('1')
  })

  it('with If-Match succeeds with the right ETag only', async () => {
    await put('match', 'v1')
    await put('match', 'v2', { IfMatch: etagOf('v1') })
    await expect(put('match', 'v3', { IfMatch: etagOf('v1') })).rejects.toMatchObject(
      refusal(412, 'PreconditionFailed'),
    )
    expect(String(await get('match'))).toBe('v2')
  })

  it('with If-Match finds nothing where nothing is', () =>
    expect(put('nothing', 'x', { IfMatch: etagOf('') })).rejects.toMatchObject(refusal(404, 'NoSuchKey')))

  it.each([
    ['If-None-Match', { IfNoneMatch: '*' }],
    ['If-Match', { IfMatch: etagOf('first') }],
  ])('with %s has one winner of thirty', async (name, condition) => {
    if (name === 'If-Match') await put(name, 'first')
    const tries = Array.from({ length: 30 }, (_, index) => put(name, `writer ${index}`, condition))
    const results = await Promise.allSettled(tries)
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(String(await get(name))).toBe(`writer ${winner}`)
  })

  it('deletes with the right ETag only', async () => {
    await put('goes', '1')
    const remove = (IfMatch: string) => client.send(new DeleteObjectCommand({ Bucket, Key: 'goes', IfMatch }))
    await expect(remove(etagOf('2'))).rejects.toMatchObject(refusal(412, 'PreconditionFailed'))
    await remove(etagOf('1'))
    expect(server.objects(Bucket).has('goes')).toBe(false)
  })
})

describe('a listing', () => {
  const numbered = Array.from({ length: 25 }, (_, index) => `l/${String(index).padStart(3, '0')}`)
  beforeAll(() => {
    for (const key of numbered) server.put(Bucket, key, 'x')
  })

  it('comes in pages', async () => {
    const pages: (string | undefined)[][] = []
    for (let token: string | undefined; ;) {
      const page = {
        Bucket,
        Prefix: 'l/',
        MaxKeys: 10,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }
      const { Contents = [], NextContinuationToken } = await client.send(new ListObjectsV2Command(page))
      pages.push(Contents.map(({ Key }) => Key))
      token = NextContinuationToken
      if (token === undefined) break
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(pages.flat()).toEqual(numbered)
  })

  it('is in the order of the UTF-8 bytes', async () => {
    // 🂡 is of four bytes in UTF-8, ﷲ of three; by their UTF-16 units they would come the other way round.
    const keys = ['o/A', 'o/Z', 'o/_', 'o/a', 'o/a-', 'o/a/b', 'o/a0', 'o/~', 'o/é', 'o/ﷲ', 'o/🂡']
    for (const key of [...keys].reverse()) server.put(Bucket, key, 'x')
    expect(await keysOf({ Prefix: 'o/' })).toEqual(keys)
  })

  it('sums keys up to a delimiter', async () => {
    const { CommonPrefixes = [] } = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }))
    expect(CommonPrefixes).toContainEqual({ Prefix: 'l/' })
  })

  it('starts after a key', async () => {
    expect(await keysOf({ Prefix: 'l/', StartAfter: 'l/019' })).toEqual(numbered.slice(20))
  })

  it('tells ETag and size', async () => {
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'one.' }))
    expect(Contents).toMatchObject([{ Key: 'one.json', ETag: etagOf(body), Size: 5000 }])
  })

  it('is told url-encoded if it is asked to', async () => {
    server.put(Bucket, 'enc/a b\u0001', 'x')
    const { Contents } = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'enc/', EncodingType: 'url' }),
    )
    expect(Contents).toMatchObject([{ Key: 'enc/a%20b%01' }])
  })
})

describe('DeleteObjects', () => {
  const remove = (keys: readonly string[], Quiet = true) =>
    client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Quiet, Objects: keys.map((Key) => ({ Key })) } }),
    )

  it('deletes what is there and does not mind the rest', async () => {
    const keys = ['d/1', "d/é<&'>", 'd/3']
    for (const key of keys) server.put(Bucket, key, 'x')
    expect((await remove([...keys, 'never-was'])).Errors).toBeUndefined()
    expect(await keysOf({ Prefix: 'd/' })).toEqual([])
  })

  it('names what it deleted unless it shall be quiet', async () => {
    expect((await remove(['d/1'], false)).Deleted).toEqual([{ Key: 'd/1' }])
  })

  it('takes a thousand keys and no more', async () => {
    const keys = Array.from({ length: 1001 }, (_, index) => `q${index}`)
    await expect(remove(keys)).rejects.toMatchObject(refusal(400, 'MalformedXML'))
    await remove(keys.slice(1))
  })
})

it('copies an object with other metadata', async () => {
  const replaced = { MetadataDirective: 'REPLACE', Metadata: { z: '1' }, ContentType: 'text/plain' } as const
  await client.send(
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/one.json`, ...replaced }),
  )
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))
  expect(head).toMatchObject({ Metadata: { z: '1' }, ContentType: 'text/plain', ContentLength: 5000 })
  expect(head.Metadata).toEqual({ z: '1' })
})

it('puts an upload in parts together', async () => {
  const at = { Bucket, Key: 'parts' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  const parts = [Buffer.alloc(5 * 1024 * 1024, 1), Buffer.from('tail')]
  const Parts = []
  for (const [index, Body] of parts.entries()) {
    const part = { PartNumber: index + 1 }
    const { ETag, ChecksumCRC32 } = await client.send(
      new UploadPartCommand({ ...at, ...part, UploadId, Body }),
    )
    Parts.push({ ...part, ETag, ChecksumCRC32 })
  }
  await client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }))
  const digest = md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), 'hex'))))
  const head = await client.send(new HeadObjectCommand(at))
  expect(head).toMatchObject({ ContentLength: 5 * 1024 * 1024 + 4, ETag: `"${digest}-2"` })
})

it('makes a bucket and says which are missing', async () => {
  await client.send(new CreateBucketCommand({ Bucket: 'another' }))
  await client.send(new HeadBucketCommand({ Bucket: 'another' }))
  const missing = client.send(new GetObjectCommand({ Bucket: 'missing', Key: 'x' }))
  await expect(missing).rejects.toMatchObject(refusal(404, 'NoSuchBucket'))
})

const presign = (request: Partial<UrlToSign>): string =>
  signUrl({
    ...server.settings,
    ...server,
    bucket: Bucket,
    method: 'GET',
    key: 'one.json',
    expiresSeconds: 60,
    ...request,
  })

describe('a signature', () => {
  const statusOf = async (url: string, init?: RequestInit): Promise<number> => {
    const response = await fetch(url, init)
    await response.arrayBuffer()
    return response.status
  }
  const refused = (config: S3ClientConfig, status: number, code: string) =>
    expect(
      connectWith(config).send(new PutObjectCommand({ Bucket, Key: 'bad', Body: 'x' })),
    ).rejects.toMatchObject(refusal(status, code))
  const accessKeyId = 'TESTKEY'

  it('in a URL opens an object', async () => {
    const response = await fetch(presign({}))
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body)
  })

  it('in a URL that was tampered with does not', async () => {
    expect(await statusOf(presign({}).replace(/Signature=..../, 'Signature=0000'))).toBe(403)
    expect(await statusOf(presign({}).replace('one.json', 'hello'))).toBe(403)
  })

  it('in a URL runs out', async () => {
    expect(await statusOf(presign({ expiresSeconds: 1, date: new Date(Date.now() - 3_600_000) }))).toBe(403)
  })

  it('by another secret is refused', () =>
    refused({ credentials: { accessKeyId, secretAccessKey: 'wrong' } }, 403, 'SignatureDoesNotMatch'))

  it('by a key that nobody knows is refused', () =>
    refused({ credentials: { accessKeyId: 'WHO', secretAccessKey: 'x' } }, 403, 'InvalidAccessKeyId'))

  it('by a clock that is an hour off is refused', () =>
    refused({ systemClockOffset: 3_600_000 }, 403, 'RequestTimeTooSkewed'))

  it('for another region is refused', () =>
    refused({ region: 'eu-west-1' }, 400, 'AuthorizationHeaderMalformed'))

  it('is needed', async () => {
    expect(await statusOf(`${server.endpoint}/${Bucket}/bad`, { method: 'PUT', body: 'x' })).toBe(403)
    expect(await statusOf(`${server.endpoint}/${Bucket}/one.json`)).toBe(403)
  })

  it('covers the body', async () => {
    const altered = connectWith({ requestChecksumCalculation: 'WHEN_REQUIRED' })
    altered.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: Buffer.from('HELLO') })
        return next(args)
      },
      { step: 'finalizeRequest', priority: 'low' },
    )
    const sent = altered.send(new PutObjectCommand({ Bucket, Key: 'bad', Body: 'hello' }))
    await expect(sent).rejects.toMatchObject(refusal(400, 'XAmzContentSHA256Mismatch'))
    expect(server.objects(Bucket).has('bad')).toBe(false)
  })
})

/** The S3 server of the tests, held against what AWS does: without this, every other test of publishing proves little. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bucket, body, etagOf, md5, openProbe, refusal, type Probe } from '../support/s3/probe.ts'

let probe: Probe
beforeAll(async () => {
  probe = await openProbe()
})
afterAll(() => probe.server.stop())

describe('a put', () => {
  it('makes an object that is read back with its type, its cache control and its metadata', async () => {
    const got = await probe.client.send(new GetObjectCommand({ Bucket, Key: 'one.json' }))
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(body)
    expect(got).toMatchObject({
      ContentType: 'application/json',
      CacheControl: 'max-age=60',
      Metadata: { sha256: 'abc123', foo: 'Bar baz' },
    })
  })

  it('needs no checksum', async () => {
    await probe.plain.send(new PutObjectCommand({ Bucket, Key: 'plain', Body: body }))
    expect(await probe.get('plain')).toEqual(body)
  })

  it.each(['the checksum in a trailer', 'no checksum'])('takes a streamed body with %s', async (kind) => {
    const input = {
      Bucket,
      Key: 'streamed',
      Body: Readable.from([body.subarray(0, 999), body.subarray(999)]),
    }
    const sender = kind === 'no checksum' ? probe.plain : probe.client
    await sender.send(new PutObjectCommand({ ...input, ContentLength: body.length }))
    expect(await probe.get('streamed')).toEqual(body)
    // The framing of the body is no encoding of the object.
    expect(probe.server.objects(Bucket).get('streamed')?.headers['content-encoding']).toBeUndefined()
  })

  it('keeps the content encoding', async () => {
    await probe.put('gzip', body, { ContentEncoding: 'gzip' })
    expect(await probe.client.send(new HeadObjectCommand({ Bucket, Key: 'gzip' }))).toMatchObject({
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
    await probe.put(key, key)
    expect((await probe.get(key)).toString()).toBe(key)
    expect(await probe.keysOf({ Prefix: key })).toEqual([key])
  })

  it('refuses a key of more than 1024 bytes', async () => {
    await expect(probe.put('é'.repeat(513), 'x')).rejects.toMatchObject(refusal(400, 'KeyTooLongError'))
  })

  it('lets a key be the beginning of another', async () => {
    await probe.put('co/x', '1')
    await probe.put('co/x/y', '2')
    expect([String(await probe.get('co/x')), String(await probe.get('co/x/y'))]).toEqual(['1', '2'])
  })

  it.each([
    ['ChecksumCRC32', 'AAAAAA==', 'BadDigest'],
    ['ChecksumSHA256', Buffer.alloc(32).toString('base64'), 'BadDigest'],
    ['ContentMD5', Buffer.alloc(16).toString('base64'), 'BadDigest'],
    ['ContentMD5', 'nonsense', 'InvalidDigest'],
  ])('refuses a wrong %s %s', async (name, value, code) => {
    await expect(probe.put('bad', 'hello', { [name]: value })).rejects.toMatchObject(refusal(400, code))
    expect(probe.server.objects(Bucket).has('bad')).toBe(false)
  })

  it('leaves nothing of a body that breaks off', async () => {
    const { pathname, search, port, host } = new URL(probe.presign({ method: 'PUT', key: 'broken' }))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5000\r\n\r\n`)
    socket.write(body.subarray(0, 2500))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
    await once(socket, 'close')
    await expect
      .poll(() => probe.server.log.at(-1))
      .toMatchObject({ operation: 'PutObject', key: 'broken', status: 0 })
    expect(probe.server.objects(Bucket).has('broken')).toBe(false)
  })
})

describe('a get', () => {
  const ask = (input: object) =>
    probe.client.send(new GetObjectCommand({ Bucket, Key: 'one.json', ...input }))

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
    expect(probe.get('nothing')).rejects.toMatchObject(refusal(404, 'NoSuchKey')))
})

describe('a head', () => {
  const ask = (input: object) =>
    probe.client.send(new HeadObjectCommand({ Bucket, Key: 'one.json', ...input }))

  it('tells the size, the type, the metadata, and the MD5 as ETag', async () => {
    expect(await ask({})).toMatchObject({
      ContentLength: 5000,
      ContentType: 'application/json',
      ETag: etagOf(body),
      Metadata: { sha256: 'abc123' },
    })
  })

  it('tells the checksum that came with the put, if it is asked', async () => {
    await probe.put('hello', 'hello')
    // 0x3610a686
    expect(await ask({ Key: 'hello', ChecksumMode: 'ENABLED' })).toMatchObject({ ChecksumCRC32: 'NhCmhg==' })
    expect((await ask({ Key: 'hello' })).ChecksumCRC32).toBeUndefined()
  })

  it('answers 404 where nothing is', () =>
    expect(ask({ Key: 'nothing' })).rejects.toMatchObject(refusal(404, 'NotFound')))
})

it('copies an object with other metadata', async () => {
  const replaced = { MetadataDirective: 'REPLACE', Metadata: { z: '1' }, ContentType: 'text/plain' } as const
  await probe.client.send(
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/one.json`, ...replaced }),
  )
  const head = await probe.client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))
  expect(head).toMatchObject({ Metadata: { z: '1' }, ContentType: 'text/plain', ContentLength: 5000 })
  expect(head.Metadata).toEqual({ z: '1' })
})

it('puts an upload in parts together', async () => {
  const at = { Bucket, Key: 'parts' }
  const { UploadId } = await probe.client.send(new CreateMultipartUploadCommand(at))
  const parts = [Buffer.alloc(5 * 1024 * 1024, 1), Buffer.from('tail')]
  const Parts = []
  for (const [index, Body] of parts.entries()) {
    const part = { PartNumber: index + 1 }
    const { ETag, ChecksumCRC32 } = await probe.client.send(
      new UploadPartCommand({ ...at, ...part, UploadId, Body }),
    )
    Parts.push({ ...part, ETag, ChecksumCRC32 })
  }
  await probe.client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }))
  const digest = md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), 'hex'))))
  const head = await probe.client.send(new HeadObjectCommand(at))
  expect(head).toMatchObject({ ContentLength: 5 * 1024 * 1024 + 4, ETag: `"${digest}-2"` })
})

it('makes a bucket and says which are missing', async () => {
  await probe.client.send(new CreateBucketCommand({ Bucket: 'another' }))
  await probe.client.send(new HeadBucketCommand({ Bucket: 'another' }))
  const missing = probe.client.send(new GetObjectCommand({ Bucket: 'missing', Key: 'x' }))
  await expect(missing).rejects.toMatchObject(refusal(404, 'NoSuchBucket'))
})

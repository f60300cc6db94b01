/** Listings and mass deletes of the S3 server of the tests, page by page as at AWS. */
import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bucket, body, etagOf, openProbe, refusal, type Probe } from '../support/s3/probe.ts'

let probe: Probe
beforeAll(async () => {
  probe = await openProbe()
})
afterAll(() => probe.server.stop())

describe('a listing', () => {
  const numbered = Array.from({ length: 25 }, (_, index) => `l/${String(index).padStart(3, '0')}`)
  beforeAll(() => {
    for (const key of numbered) probe.server.put(Bucket, key, 'x')
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
      const { Contents = [], NextContinuationToken } = await probe.client.send(new ListObjectsV2Command(page))
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
    for (const key of [...keys].reverse()) probe.server.put(Bucket, key, 'x')
    expect(await probe.keysOf({ Prefix: 'o/' })).toEqual(keys)
  })

  it('sums keys up to a delimiter', async () => {
    const { CommonPrefixes = [] } = await probe.client.send(
      new ListObjectsV2Command({ Bucket, Delimiter: '/' }),
    )
    expect(CommonPrefixes).toContainEqual({ Prefix: 'l/' })
  })

  it('starts after a key', async () => {
    expect(await probe.keysOf({ Prefix: 'l/', StartAfter: 'l/019' })).toEqual(numbered.slice(20))
  })

  it('tells ETag and size', async () => {
    const { Contents } = await probe.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'one.' }))
    expect(Contents).toMatchObject([{ Key: 'one.json', ETag: etagOf(body), Size: 5000 }])
  })

  it('is told url-encoded if it is asked to', async () => {
    probe.server.put(Bucket, 'enc/a b\u0001', 'x')
    const { Contents } = await probe.client.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'enc/', EncodingType: 'url' }),
    )
    expect(Contents).toMatchObject([{ Key: 'enc/a%20b%01' }])
  })
})

describe('DeleteObjects', () => {
  const remove = (keys: readonly string[], Quiet = true) =>
    probe.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Quiet, Objects: keys.map((Key) => ({ Key })) } }),
    )

  it('deletes what is there and does not mind the rest', async () => {
    const keys = ['d/1', "d/é<&'>", 'd/3']
    for (const key of keys) probe.server.put(Bucket, key, 'x')
    expect((await remove([...keys, 'never-was'])).Errors).toBeUndefined()
    expect(await probe.keysOf({ Prefix: 'd/' })).toEqual([])
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

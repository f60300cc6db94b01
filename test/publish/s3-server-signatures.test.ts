/** Which requests the S3 server of the tests lets through, and which it refuses as AWS does. */
import { PutObjectCommand, type S3ClientConfig } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bucket, body, openProbe, refusal, type Probe } from '../support/s3/probe.ts'

let probe: Probe
beforeAll(async () => {
  probe = await openProbe()
})
afterAll(() => probe.server.stop())

describe('a signature', () => {
  const statusOf = async (url: string, init?: RequestInit): Promise<number> => {
    const response = await fetch(url, init)
    await response.arrayBuffer()
    return response.status
  }
  const refused = (config: S3ClientConfig, status: number, code: string) =>
    expect(
      probe.connectWith(config).send(new PutObjectCommand({ Bucket, Key: 'bad', Body: 'x' })),
    ).rejects.toMatchObject(refusal(status, code))
  const accessKeyId = 'TESTKEY'

  it('in a URL opens an object', async () => {
    const response = await fetch(probe.presign({}))
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body)
  })

  it('in a URL that was tampered with does not', async () => {
    expect(await statusOf(probe.presign({}).replace(/Signature=..../, 'Signature=0000'))).toBe(403)
    expect(await statusOf(probe.presign({}).replace('one.json', 'hello'))).toBe(403)
  })

  it('in a URL runs out', async () => {
    expect(await statusOf(probe.presign({ expiresSeconds: 1, date: new Date(Date.now() - 3_600_000) }))).toBe(
      403,
    )
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
    expect(await statusOf(`${probe.server.endpoint}/${Bucket}/bad`, { method: 'PUT', body: 'x' })).toBe(403)
    expect(await statusOf(`${probe.server.endpoint}/${Bucket}/one.json`)).toBe(403)
  })

  it('covers the body', async () => {
    const altered = probe.connectWith({ requestChecksumCalculation: 'WHEN_REQUIRED' })
    altered.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: Buffer.from('HELLO') })
        return next(args)
      },
      { step: 'finalizeRequest', priority: 'low' },
    )
    const sent = altered.send(new PutObjectCommand({ Bucket, Key: 'bad', Body: 'hello' }))
    await expect(sent).rejects.toMatchObject(refusal(400, 'XAmzContentSHA256Mismatch'))
    expect(probe.server.objects(Bucket).has('bad')).toBe(false)
  })
})

/** Conditional writes of the S3 server of the tests: one winner, as at AWS. */
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bucket, etagOf, openProbe, refusal, type Probe } from '../support/s3/probe.ts'

let probe: Probe
beforeAll(async () => {
  probe = await openProbe()
})
afterAll(() => probe.server.stop())

describe('a conditional write', () => {
  it('with If-None-Match: * succeeds once', async () => {
    await probe.put('new', '1', { IfNoneMatch: '*' })
    await expect(probe.put('new', '2', { IfNoneMatch: '*' })).rejects.toMatchObject(
      refusal(412, 'PreconditionFailed'),
    )
    expect(String(await probe.get('new'))).toBe('1')
  })

  it('with If-Match succeeds with the right ETag only', async () => {
    await probe.put('match', 'v1')
    await probe.put('match', 'v2', { IfMatch: etagOf('v1') })
    await expect(probe.put('match', 'v3', { IfMatch: etagOf('v1') })).rejects.toMatchObject(
      refusal(412, 'PreconditionFailed'),
    )
    expect(String(await probe.get('match'))).toBe('v2')
  })

  it('with If-Match finds nothing where nothing is', () =>
    expect(probe.put('nothing', 'x', { IfMatch: etagOf('') })).rejects.toMatchObject(
      refusal(404, 'NoSuchKey'),
    ))

  it.each([
    ['If-None-Match', { IfNoneMatch: '*' }],
    ['If-Match', { IfMatch: etagOf('first') }],
  ])('with %s has one winner of thirty', async (name, condition) => {
    if (name === 'If-Match') await probe.put(name, 'first')
    const tries = Array.from({ length: 30 }, (_, index) => probe.put(name, `writer ${index}`, condition))
    const results = await Promise.allSettled(tries)
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(String(await probe.get(name))).toBe(`writer ${winner}`)
  })

  it('deletes with the right ETag only', async () => {
    await probe.put('goes', '1')
    const remove = (IfMatch: string) =>
      probe.client.send(new DeleteObjectCommand({ Bucket, Key: 'goes', IfMatch }))
    await expect(remove(etagOf('2'))).rejects.toMatchObject(refusal(412, 'PreconditionFailed'))
    await remove(etagOf('1'))
    expect(probe.server.objects(Bucket).has('goes')).toBe(false)
  })
})

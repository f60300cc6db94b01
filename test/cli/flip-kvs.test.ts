/** `--flip-kvs`: the KeyValueStore says what live.json says, after a publish and after a rollback. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import { withLocalNames } from '../support/local-names.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { runFundpress, type Run } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const bucket = 'fund-data'
let nights: Nights
let s3: S3Server
let store: KeyValueStoreServer

beforeAll(async () => {
  nights = await buildNights(2, 1)
  s3 = await startS3({ buckets: [bucket] })
  store = await startKeyValueStore()
})
afterAll(async () => {
  await store.stop()
  await s3.stop()
  nights.remove()
})

const run = (args: readonly string[]): Promise<Run> =>
  runFundpress([...args, '--flip-kvs', store.arn], {
    env: { ...credentials, ...withLocalNames, AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint },
  })
const publish = (night: number) => run(publishArgs(s3.endpoint, bucket, nights.outs[night - 1] ?? ''))
const rollback = () => run(['rollback', ...bucketArgs(s3.endpoint, bucket), '--json'])

/** What both say, which has to be the same. */
function said(): string {
  const { slot, snapshot, liveSince, docsUrl } = JSON.parse(
    s3.objects(bucket).get('live.json')?.body.toString() ?? '{}',
  ) as Record<string, string>
  expect(JSON.parse(store.keys.get('live') ?? '{}')).toEqual({ slot, snapshot, liveSince, docsUrl })
  return `${slot ?? ''} ${snapshot?.slice(0, 10) ?? ''}`
}

it('is told by each publish and by a rollback, with the values of live.json', async () => {
  expect(await publish(1)).toMatchObject({ code: 0, stderr: '' })
  expect(said()).toBe('blue 2026-11-11')
  expect(await publish(2)).toMatchObject({ code: 0, stderr: '' })
  expect(said()).toBe('green 2026-11-12')
  expect(await rollback()).toMatchObject({ code: 0, stderr: '' })
  expect(said()).toBe('blue 2026-11-11')
})

it('is put right by a publish of what is live', async () => {
  store.put('live', '{"slot":"green","snapshot":"x"}')
  expect(await publish(1)).toMatchObject({ code: 0, stderr: '' })
  expect(said()).toBe('blue 2026-11-11')
})

it('refuses what is no ARN of a store, as wrong usage', async () => {
  const args = [
    ...publishArgs(s3.endpoint, bucket, nights.outs[0] ?? ''),
    '--flip-kvs',
    'arn:aws:s3:::fund-data',
  ]
  const { code, stderr } = await runFundpress(args, { env: credentials })
  expect(code).toBe(2)
  expect(stderr).toContain('the ARN of a KeyValueStore')
})

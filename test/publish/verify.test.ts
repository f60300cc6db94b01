import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openS3 } from '../../src/publish/s3-store.ts'
import { verifyLive } from '../../src/publish/verify-slot.ts'
import { liveOf } from '../support/bucket.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { runFundpress } from '../support/product.ts'
import { bucketArgs, credentials, publish } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const bucket = 'funds'
let nights: Nights
let server: S3Server

beforeAll(async () => {
  nights = await buildNights(1, 1)
  server = await startS3({ buckets: [bucket] })
})
afterAll(async () => {
  await server.stop()
  nights.remove()
})
beforeEach(async () => {
  server.reset()
  server.empty(bucket)
  expect(await publish(server.endpoint, bucket, nights.outs[0] ?? '')).toMatchObject({ code: 0 })
  server.reset()
})

const verify = (...args: string[]) =>
  runFundpress(['verify', ...bucketArgs(server.endpoint, bucket), ...args], { env: credentials })
/** Of the manifest. */
const objects = () => [...server.objects(bucket).keys()].filter((key) => key.startsWith('blue/')).length - 2
const snapshot = () => liveOf(server, bucket)?.snapshot

it('prints its JSON as one document, whole or not', async () => {
  const found = { slot: 'blue', snapshot: snapshot(), objects: objects() }
  const whole = await verify('--json', '--deep')
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  expect(whole.stdout).toBe(`${JSON.stringify({ ...found, bodies: objects(), differences: [] })}\n`)

  const [changed = ''] = [...server.objects(bucket).keys()].filter((key) => key.startsWith('blue/api'))
  server.put(bucket, changed, 'x')
  server.put(bucket, 'blue/zzz', 'x')
  const { code, stdout, stderr } = await verify('--json')
  const differences = [
    { key: changed.slice('blue/'.length), what: 'size' },
    { key: 'zzz', what: 'extra' },
  ]
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: `${JSON.stringify({ ...found, bodies: 0, differences })}\n`,
  })
  expect(stderr).toMatch(/^fundpress: s3:\/\/funds: 2 objects differ from the manifest of /)
})

it('shows no key as it is that would play with the terminal', async () => {
  server.put(bucket, 'blue/zzz\u001b[2J\u202e', 'x')
  expect((await verify()).stdout).toBe('zzz\\u001b[2J\\u202e is in no manifest\n')
})

it('says which list in the bucket is damaged, and what to do', async () => {
  const list = 'journal/blue.etags.ndjson.gz'
  const body = server.objects(bucket).get(list)?.body ?? Buffer.alloc(0)
  server.put(bucket, list, body.subarray(0, body.length >>> 1))
  expect(await verify('--json')).toEqual({
    code: 1,
    stdout: '',
    stderr: `fundpress: s3://funds/${list} is damaged: unexpected end of file: publish with --repair\n`,
  })
  server.put(bucket, list, gzipSync('{"key":"b","etag":"x"}\n{"key":"a","etag":"x"}\n'))
  expect((await verify()).stderr).toContain(`s3://funds/${list} is damaged: not sorted, a after b`)
})

it('tells how far the listing is, and then the bodies', async () => {
  Object.assign(process.env, credentials)
  const settings = { bucket, prefix: '', endpoint: server.endpoint, region: 'us-east-1', pathStyle: true }
  const store = openS3({ ...settings, concurrency: 4 })
  const seen: string[] = []
  await verifyLive(store, {
    bodies: 3,
    concurrency: 1,
    signal: new AbortController().signal,
    random: Math.random,
    onDifference: () => undefined,
    onListed: (done, of) => seen.push(`listed ${done} of ${of}`),
    onBody: (done, of) => seen.push(`read ${done} of ${of}`),
  })
  store.close()
  const listed = objects() + 2
  expect(seen.slice(0, 2)).toEqual([`listed 1 of ${objects()}`, `listed 2 of ${objects()}`])
  expect(seen.slice(-4)).toEqual([
    `listed ${listed} of ${objects()}`,
    'read 1 of 3',
    'read 2 of 3',
    'read 3 of 3',
  ])
})

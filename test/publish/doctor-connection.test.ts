/** What keeps from reaching a bucket at all: address, region, credentials, name. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { doctor, troublesOf } from '../support/doctor.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { bucketArgs } from '../support/publishing.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 1))
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

const at = (endpoint: string, bucket = press.bucket.name) => ({ args: bucketArgs(endpoint, bucket) })

it('says within ten seconds that nobody answers', async () => {
  const mute = createServer(() => undefined)
  mute.listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const started = performance.now()
  expect(await troublesOf(press, at(`http://127.0.0.1:${port}`))).toEqual([
    expect.stringMatching(/^problem bucket: .*does not answer/),
  ])
  expect(performance.now() - started).toBeLessThan(12_000)
  mute.close()
  expect(await troublesOf(press, at(`http://127.0.0.1:${port}`))).toEqual([
    expect.stringMatching(/^problem bucket: .*nothing listens there, check --endpoint/),
  ])
})

it.each([
  ['no bucket', {}, 'nix', /^problem bucket: .*there is no bucket nix/],
  ['a wrong key', { AWS_SECRET_ACCESS_KEY: 'wrong' }, undefined, /^problem bucket: .*secret key is wrong/],
  [
    'no credentials',
    { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
    undefined,
    /^problem credentials: none were found: set AWS_ACCESS_KEY_ID/,
  ],
  [
    'an expired token',
    { AWS_SESSION_TOKEN: 'old-token' },
    undefined,
    /^problem bucket: .*credentials have expired/,
  ],
] as const)('stops at %s, with one problem', async (_, env, bucket, message) => {
  press.server.settings.expiredTokens = ['old-token']
  const found = await troublesOf(press, { env, ...at(press.server.endpoint, bucket) })
  expect(found).toEqual([expect.stringMatching(message)])
})

it('names the right region', async () => {
  const args = [...bucketArgs(press.server.endpoint, press.bucket.name), '--region', 'eu-central-1']
  expect(await troublesOf(press, { args })).toEqual([
    expect.stringMatching(/^problem bucket: .*another region, us-east-1: set --region/),
  ])
})

it('wants a region for AWS, and a bucket', async () => {
  const address =
    /^warning baseUrl: baseUrl is http:\/\/localhost:8080: .*set "baseUrl" \(FUNDPRESS_BASE_URL\)/
  const region = /^problem region: .*no region: set --region or AWS_REGION/
  expect(await troublesOf(press, { args: ['--bucket', press.bucket.name] })).toEqual([
    expect.stringMatching(address),
    expect.stringMatching(region),
  ])
  const env = { FUNDPRESS_BASE_URL: 'https://api.example.com' }
  expect(await troublesOf(press, { env, args: ['--bucket', press.bucket.name] })).toEqual([
    expect.stringMatching(region),
  ])
  expect(await doctor(press, { args: [] })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--bucket <name> is missing/),
  })
})

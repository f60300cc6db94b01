/** `--flip-kvs`: the KeyValueStore says what live.json says, after a publish and after a rollback. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import { withLocalNames } from '../support/local-names.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { expectFailure } from './outcome.ts'

let press: Press
let store: KeyValueStoreServer

beforeAll(async () => {
  press = await openPress(await buildNights(2, 1))
  store = await startKeyValueStore()
})
afterAll(async () => {
  await store.stop()
  await press.stop()
})

const run = (line: string) =>
  press.fundpress(`${line} --flip-kvs ${store.arn}`, {
    ...withLocalNames,
    AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint,
  })

/** What both say, which has to be the same. */
function said(): string {
  const live = JSON.parse(press.bucket.body('live.json').toString()) as Record<string, string>
  const { slot, snapshot, liveSince, docsUrl } = live
  expect(JSON.parse(store.keys.get('live') ?? '{}')).toEqual({ slot, snapshot, liveSince, docsUrl })
  return `${slot ?? ''} ${snapshot?.slice(0, 10) ?? ''}`
}

it('each publish and each rollback writes the values of live.json', async () => {
  for (const [line, expected] of [
    ['publish --out night-1', 'blue 2026-11-11'],
    ['publish --out night-2', 'green 2026-11-12'],
    ['rollback', 'blue 2026-11-11'],
  ] as const) {
    expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
    expect(said()).toBe(expected)
  }
})

it('a publish of the live snapshot repairs a wrong value', async () => {
  store.put('live', '{"slot":"green","snapshot":"x"}')
  expect(await run('publish --out night-1')).toMatchObject({ code: 0, stderr: '' })
  expect(said()).toBe('blue 2026-11-11')
})

it('the ARN of something else is wrong usage', async () => {
  const done = press.publish('night-1', '--flip-kvs', 'arn:aws:s3:::fund-data')
  await expectFailure(done, 'the ARN of a KeyValueStore', 2)
})

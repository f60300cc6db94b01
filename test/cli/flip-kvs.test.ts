/** `--flip-kvs`: the KeyValueStore says what live.json says, after a publish and after a rollback. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import { withLocalNames } from '../support/local-names.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

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
const publish = (night: number) => run(`publish --out night-${night} --json`)
const rollback = () => run('rollback --json')

/** What both say, which has to be the same. */
function said(): string {
  const { slot, snapshot, liveSince, docsUrl } = JSON.parse(
    press.bucket.body('live.json').toString(),
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
  const { code, stderr } = await press.publish('night-1', '--flip-kvs', 'arn:aws:s3:::fund-data')
  expect(code).toBe(2)
  expect(stderr).toContain('the ARN of a KeyValueStore')
})

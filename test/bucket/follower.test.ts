/** `live.json` names the KeyValueStore that follows it: no command flips without that store by mistake. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import { withLocalNames } from '../support/local-names.ts'
import { holdBack } from '../support/two-nights.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

let press: Press
let store: KeyValueStoreServer
let restore: () => void
beforeAll(async () => {
  press = await openPress(await buildNights(2, 1, { years: 1, isSmall: true }))
  store = await startKeyValueStore()
  for (const night of ['night-1', 'night-2']) await expectSuccess(following(`publish --out ${night}`))
  restore = press.bucket.save()
})
afterAll(async () => {
  await store.stop()
  await press.stop()
})
beforeEach(() => {
  press.server.reset()
  restore()
})

const env = () => ({ ...withLocalNames, AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint })
const following = (line: string) => press.fundpress(`${line} --flip-kvs ${store.arn}`, env())
const live = () => JSON.parse(String(press.bucket.body('live.json'))) as Readonly<Record<string, unknown>>
/** What the bucket holds, without the notes of runs that refused or failed. */
const held = () =>
  new Map([...press.server.objects(press.bucket.name)].filter(([key]) => key !== 'nightly/history.json'))

it('a publish and a rollback with the setting write its ARN into live.json', async () => {
  expect(live()).toMatchObject({ slot: 'green', keyValueStore: store.arn })
  await expectSuccess(following('rollback'))
  expect(live()).toMatchObject({ slot: 'blue', keyValueStore: store.arn })
  expect(live()['previous']).not.toHaveProperty('keyValueStore')
  expect(await expectSuccess(press.fundpress('status'))).toContain(`CloudFront, by ${store.arn}\n`)
})

const other = 'arn:aws:cloudfront::123456789012:key-value-store/00000000-0000-4000-8000-000000000000'
it.each([
  ['publish --out night-1', ''],
  ['rollback', ''],
  ['plan --out night-1', ''],
  ['nightly --db funds.sqlite --as-of 2026-11-13', ''],
  ['rollback', ` --flip-kvs ${other}`],
])('%s%s is refused before anything is written', async (line, flags) => {
  const before = held()
  const done = await press.fundpress(line + flags, env())
  const given = flags === '' ? 'edge.keyValueStore is not set' : `edge.keyValueStore is ${other}`
  expect(done.code).toBe(1)
  expect(done.stderr).toContain(
    `CloudFront shows what the KeyValueStore ${store.arn} names (live.json), and ${given}.`,
  )
  const why =
    flags === '' ? 'if CloudFront does not serve this bucket any more' : 'beside it if CloudFront reads'
  expect(done.stderr).toContain(
    `Set edge.keyValueStore (--flip-kvs ${store.arn}), or give --forget-kvs ${why}`,
  )
  expect(done.stdout).not.toContain('check')
  expect(held()).toEqual(before)
})

it('--forget-kvs goes on without it, and so does every later command', async () => {
  expect(await press.fundpress('publish --out night-1 --force --reason x --forget-kvs')).toMatchObject({
    code: 0,
  })
  expect(live()).not.toHaveProperty('keyValueStore')
  await expectSuccess(press.fundpress('rollback --allow hold --reason again'))
})

it('a publish of what is live adds it to a live.json without it, and flips nothing', async () => {
  const before = { ...live(), keyValueStore: undefined }
  press.bucket.put('live.json', JSON.stringify(before))
  const said = await expectSuccess(following('publish --out night-2'))
  expect(said).toContain('is already live in green, nothing to do')
  expect(live()).toEqual({ ...before, keyValueStore: store.arn, fence: expect.any(String) })
  const asked = press.server.log.length
  await expectSuccess(following('publish --out night-2'))
  const written = press.server.log.slice(asked).filter(({ method }) => method === 'PUT')
  expect(written.filter(({ key }) => key !== 'nightly/history.json')).toEqual([])
})

it('a staged snapshot goes live with the KeyValueStore that it was staged with, also if live.json names none', async () => {
  press.bucket.put('live.json', JSON.stringify({ ...live(), keyValueStore: undefined }))
  const asked = store.log.length
  await expectSuccess(following('publish --out night-1 --stage --force --reason x'))
  // The role that stages may only read there.
  expect(store.log.slice(asked).filter((request) => !request.startsWith('GET'))).toEqual([])
  const { snapshot } = JSON.parse(String(press.bucket.body('staged.json'))) as { readonly snapshot: string }
  const before = held()
  for (const line of [`flip ${snapshot}`, 'publish --out night-1 --force --reason x']) {
    const why = `CloudFront shows what the KeyValueStore ${store.arn} names (staged.json), and edge.keyValueStore is not set`
    await expectFailure(press.fundpress(line, env()), why)
    expect(live()).toMatchObject({ slot: 'green' })
  }
  expect([...held().keys()]).toEqual([...before.keys()])
  await expectSuccess(following(`flip ${snapshot}`))
  expect(live()).toMatchObject({ slot: 'blue', keyValueStore: store.arn })
})

it('a stage that another one has just done leaves CloudFront on what is live', async () => {
  const stage = 'publish --out night-1 --stage --force --reason x --json'
  await expectSuccess(following(stage))
  const staged = press.bucket.body('staged.json')
  const shown = () => JSON.parse(store.keys.get('live') ?? '') as object
  const before = shown()
  press.bucket.remove('staged.json')
  // The other one ends between the look without the lease and the lease.
  press.server.faults([holdBack(/^journal\.json$/, () => press.bucket.put('staged.json', staged))])
  const said = JSON.parse(await expectSuccess(following(stage))) as object
  expect(said).toMatchObject({ slot: 'blue', outcome: 'already staged', put: 0 })
  expect(shown()).toEqual(before)
})

it('the fence after a publish that was killed keeps the ARN', async () => {
  const publish = ['publish', '--out', 'night-1', '--force', '--reason', 'x', '--flip-kvs', store.arn]
  const { child, end } = press.begin(publish, env())
  press.server.faults([holdBack(/^blue\//, () => child.kill('SIGKILL'))])
  await end
  const fences: unknown[] = []
  press.server.faults([holdBack(/^live\.json$/, () => fences.push(live()), { when: 'after' })])
  await expectSuccess(following('publish --out night-1 --force --reason x'))
  expect(fences).toEqual([
    expect.objectContaining({ slot: 'green', fence: expect.any(String), keyValueStore: store.arn }),
  ])
})

it('check --bucket finds settings that name another KeyValueStore than live.json', async () => {
  const found = (flags: string) => press.fundpress(`check --out night-1 ${flags}`.trim(), env())
  expect(await expectSuccess(found(`--flip-kvs ${store.arn}`))).toContain(
    `ok       KeyValueStore    ${store.arn}\n`,
  )
  expect((await found('')).stdout).toMatch(/problem {2}KeyValueStore .*edge\.keyValueStore is not set/)
  const before = { ...live(), keyValueStore: undefined }
  press.bucket.put('live.json', JSON.stringify(before))
  expect(await expectSuccess(found(`--flip-kvs ${store.arn}`))).toContain('after the next publish')
  expect(await expectSuccess(found(''))).not.toContain('KeyValueStore')
})

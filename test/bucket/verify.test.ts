import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { press, useNights } from './nightly/nightly.ts'

let restoreNight: () => void

useNights(1)
beforeAll(async () => {
  expect(await press.publish('night-1')).toMatchObject({ code: 0 })
  restoreNight = press.bucket.save()
})
beforeEach(() => {
  restoreNight()
})

const verify = (...args: string[]) => press.fundpress(['verify', ...args])
/** The number of objects in the manifest; its first line names the files of the status. */
const objects = () =>
  press.bucket.keys('blue/').filter((key) => /^blue\/(api|errors|status)\//.test(key)).length

it('prints its JSON as one document, whole or not', async () => {
  const found = { slot: 'blue', snapshot: press.bucket.live()?.snapshot, objects: objects() }
  const whole = await expectSuccess(verify('--json', '--deep'))
  expect(whole).toBe(`${JSON.stringify({ ...found, bodies: objects(), differences: [] })}\n`)

  const [changed = ''] = press.bucket.keys('blue/api')
  press.bucket.put(changed, 'x')
  press.bucket.put('blue/zzz', 'x')
  const differs = await verify('--json')
  const size = { key: changed.slice('blue/'.length), what: 'size' }
  const differences = [size, { key: 'zzz', what: 'extra' }]
  const stdout = `${JSON.stringify({ ...found, bodies: 0, differences })}\n`
  expect(differs).toMatchObject({ code: 1, stdout })
  expect(differs.stderr).toMatch(/^fundpress: s3:\/\/funds: 2 objects differ from the manifest of /)
})

it('accepts what a publish writes beside the snapshot, and checks the files of the status', async () => {
  for (const key of ['changes/feed.xml', 'status/index.json']) press.bucket.put(`blue/${key}`, 'x')
  for (const key of ['changes', 'statuses/index.json']) press.bucket.put(`blue/${key}`, 'x')
  expect((await verify()).stdout).toBe(
    'changes is in no manifest\nstatus/index.json has another size\nstatuses/index.json is in no manifest\n',
  )
})

it('names a damaged list in the bucket, with advice', async () => {
  const list = 'journal/blue.etags.ndjson.gz'
  const body = press.bucket.body(list)
  press.bucket.put(list, body.subarray(0, body.length >>> 1))
  const stderr = `fundpress: s3://funds/${list} is damaged: unexpected end of file: publish with --repair\n`
  expect(await verify('--json')).toEqual({ code: 1, stdout: '', stderr })
  press.bucket.put(list, gzipSync('{"key":"b","etag":"x"}\n{"key":"a","etag":"x"}\n'))
  expect((await verify()).stderr).toContain(`s3://funds/${list} is damaged: not sorted, a after b`)
})

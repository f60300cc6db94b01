/** Hostile objects in the bucket: they are refused early, by name, and cost little. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { press, three, useTwoNights } from '../support/two-nights.ts'

useTwoNights(3)

const mega = 2 ** 20
const endlessLine = () => gzipSync(Buffer.alloc(8 * mega, '{"key":"'))
const tooManyLines = () => gzipSync(Buffer.alloc(64 * mega, '{"key":"a"}\n'))

it.each([
  ['manifest', 'blue/manifest.ndjson.gz', tooManyLines],
  ['manifest', 'blue/manifest.ndjson.gz', endlessLine],
  ['list of ETags', 'journal/blue.etags.ndjson.gz', tooManyLines],
])('names a hostile %s (%s), and a repair does not need it', async (_, key, pack) => {
  press.bucket.put(key, pack())
  const { code, stderr } = await press.publish(three)
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^fundpress: s3://funds/${key} is (damaged|not a manifest)`))
  expect(stderr).toMatch(/: publish with --repair\n$/)
  expect(await press.publish(three, '--repair')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
})

it.each(['live.json', 'journal.json'])('reads no %s that is larger than any of ours', async (key) => {
  press.bucket.put(key, Buffer.alloc(20 * mega, ' '))
  for (const command of ['status', 'rollback', `publish --out ${three}`]) {
    const { code, stderr } = await press.fundpress(command)
    expect({ command, code }).toEqual({ command, code: 1 })
    expect(stderr).toContain(`fundpress: s3://funds/${key} is damaged: it has more than 16777216 bytes`)
  }
})

describe('live.json', () => {
  it.each([
    ['slot', 'red', 'slot is "red", not blue or green'],
    ['snapshot', '../../etc/passwd', 'snapshot is "../../etc/passwd", not a snapshot id'],
    ['asOf', '2026-02-30', 'asOf is "2026-02-30", not a day'],
    ['liveSince', '2026-11-31T00:00:00.000Z', 'liveSince is "2026-11-31T00:00:00.000Z", not a time in UTC'],
    ['liveSince', 'tomorrow', 'liveSince is "tomorrow", not a time in UTC'],
    ['liveSince', undefined, 'liveSince is missing, not a time in UTC'],
    ['docsUrl', 'javascript:alert(1)', 'docsUrl is "javascript:alert(1)", not an http(s) address or a path'],
    ['objects', -1, 'objects is -1, not a count'],
    ['newestPrice', 7, 'newestPrice is 7, not a day or null'],
    ['previous', 'none', 'previous is "none", not an object or null'],
    ['previous', { slot: 'blue' }, 'previous.snapshot is missing, not a snapshot id'],
  ])('is damaged if its %s is %j', async (field, value, what) => {
    const live = JSON.parse(press.bucket.body('live.json').toString()) as object
    press.bucket.put('live.json', JSON.stringify({ ...live, [field]: value }))
    for (const command of ['status', 'rollback']) {
      expect(await press.fundpress(command)).toMatchObject({
        code: 1,
        stderr:
          `fundpress: s3://funds: live.json is damaged: ${what}. Restore its last version, if the bucket keeps ` +
          'versions; else remove it, and run `fundpress publish --repair`: nothing is served in between\n',
      })
    }
  })

  it('may name documentation on the same host', async () => {
    const live = JSON.parse(press.bucket.body('live.json').toString()) as object
    press.bucket.put('live.json', JSON.stringify({ ...live, docsUrl: '/docs' }))
    expect((await press.fundpress('status')).code).toBe(0)
  })

  it('is written anew by a repair after it was removed', async () => {
    press.bucket.remove('live.json')
    expect(await press.publish(three, '--repair')).toMatchObject({ code: 0, stderr: '' })
    expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  })
})

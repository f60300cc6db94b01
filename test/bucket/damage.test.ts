/** Damaged, lost and hostile objects in the bucket: they are refused early, by name, cost little, and a repair mends them. */
import { forced } from '../support/product.ts'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { sample } from '../support/rounds.ts'
import { beginPublish, four, killAt, press, three, useTwoNights } from '../support/two-nights.ts'

useTwoNights(4)

const killPublish = (out: string, nth: number, ...flags: readonly string[]) =>
  killAt(beginPublish(out, { FUNDPRESS_BUCKET_CONCURRENCY: '2' }, ...flags), /^blue\/api/, { nth })

const expectWholeLive = () => expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
const journal = () => JSON.parse(press.bucket.body('journal.json').toString()) as Record<string, unknown>

describe('after a publish of a third snapshot was killed in blue, a journal', () => {
  let tear: () => void
  beforeAll(async () => {
    await killPublish(three, 10)
    tear = press.bucket.save()
  })
  beforeEach(() => {
    press.server.reset()
    tear()
  })

  const losses: readonly (readonly [string, () => void])[] = [
    ['is cut off', () => press.bucket.put('journal.json', '{"format":1,"id"')],
    ['is of another format', () => press.bucket.put('journal.json', '{"format":2}')],
    [
      'names no slot',
      () => press.bucket.put('journal.json', JSON.stringify({ ...journal(), changing: { red: 'x' } })),
    ],
    ['was removed', () => press.bucket.remove('journal.json')],
  ]
  describe.each(sample(losses, { least: 2, turn: 1 }))('that %s', (_, lose) => {
    beforeEach(lose)

    it('is named, with advice, and nothing is written', async () => {
      const writes = () => press.server.log.filter(({ method }) => method !== 'GET')
      const said =
        /^fundpress: s3:\/\/funds: journal\.json is (damaged|missing), so nobody knows what the slots hold: run `fundpress publish --repair`/
      for (const command of [`publish --out ${four}`, 'rollback', 'prune --yes'])
        await expectFailure(press.fundpress(command), said)
      expect(writes()).toEqual([])
    })

    it('is rewritten by a repair, which completes the slots', async () => {
      await expectSuccess(press.publish(four, '--repair'))
      expect(press.bucket.live()).toMatchObject({ slot: 'blue' })
      expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
      expect(press.bucket.writesIntoLive('green')).toEqual([])
      expect(journal()).toMatchObject({ isHeld: false, changing: {} })
      // Both slots are trusted again.
      await expectSuccess(press.fundpress('rollback'))
      await expectSuccess(press.publish(three, ...forced))
      expectWholeLive()
      await expectSuccess(press.fundpress('verify --deep'))
    })
  })

  it('that was removed makes a repair wait until the lease and the requests of an unknown holder have expired', async () => {
    press.bucket.remove('journal.json')
    const { child, end } = press.begin(['publish', '--out', four, '--repair'], {
      FUNDPRESS_BUCKET_LEASE_SECONDS: '100',
      FUNDPRESS_BUCKET_LATE_SECONDS: '50',
    })
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      child.kill('SIGINT')
    })
    await end
    expect(said).toMatch(/waiting 15[01] s, until none of its requests can arrive any more/)
    expect(
      press.server.log.filter(({ method, key }) => method !== 'GET' && /^(blue|green|live)/.test(key)),
    ).toEqual([])
  })

  const firstKilled = () => {
    press.bucket.empty()
    press.bucket.put('blue/api/v1/profile/DE0000000000/index.de.json', '{}')
  }
  const bothLost = () => {
    press.bucket.remove('journal.json')
    press.bucket.remove('live.json')
  }
  it.each([
    ['of a first publish that was killed was removed: the bucket does not count as new', firstKilled],
    ['was removed together with live.json: no slot is trusted', bothLost],
  ])('that %s, and a repair makes the bucket whole', async (_, lose) => {
    lose()
    await expectFailure(press.publish(four), /journal\.json is missing/)
    await expectSuccess(press.publish(four, '--repair'))
    expectWholeLive()
  })
})

const mega = 2 ** 20
const endlessLine = () => gzipSync(Buffer.alloc(8 * mega, '{"key":"'))
const tooManyLines = () => gzipSync(Buffer.alloc(64 * mega, '{"key":"a"}\n'))

it.each([
  ['manifest', 'blue/manifest.ndjson.gz', tooManyLines],
  ['manifest', 'blue/manifest.ndjson.gz', endlessLine],
  ['list of ETags', 'journal/blue.etags.ndjson.gz', tooManyLines],
])('names a hostile %s (%s), and a repair does not need it', async (_, key, pack) => {
  press.bucket.put(key, pack())
  const said = `^fundpress: s3://funds/${key} is (damaged|not a manifest).*: publish with --repair\n$`
  await expectFailure(press.publish(three), new RegExp(said))
  await expectSuccess(press.publish(three, '--repair'))
  expectWholeLive()
})

it.each(['live.json', 'journal.json'])('reads no %s that is larger than any of ours', async (key) => {
  press.bucket.put(key, Buffer.alloc(20 * mega, ' '))
  const said = new RegExp(`^fundpress: s3://funds/${key} is damaged: it has more than 16777216 bytes`)
  for (const command of ['status', 'rollback', `publish --out ${three}`])
    await expectFailure(press.fundpress(command), said)
})

describe('live.json', () => {
  const wrong: readonly (readonly [string, unknown, string])[] = [
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
  ]
  it.each(sample(wrong, { least: 4 }))('is damaged if its %s is %j', async (field, value, what) => {
    press.bucket.put('live.json', JSON.stringify({ ...press.bucket.live(), [field]: value }))
    const said =
      `fundpress: s3://funds: live.json is damaged: ${what}. Restore its last version, if the bucket keeps ` +
      'versions; else run `fundpress publish --repair`, which replaces it. Do not remove it: edges go on with the last good one\n'
    for (const command of ['status', 'rollback'])
      expect(await press.fundpress(command)).toMatchObject({ code: 1, stderr: said })
  })

  it.each([
    ['that names its slot', '{"slot":"green","snapshot":7}'],
    ['that says nothing', 'nothing'],
  ])(
    '%s and is damaged is replaced by a repair, which leaves the slot that edges show alone',
    async (_, text) => {
      const { slot = 'blue' } = press.bucket.live() ?? {}
      press.bucket.put('live.json', text.replace('green', slot))
      press.server.reset()
      await expectSuccess(press.publish(three, '--repair'))
      expectWholeLive()
      expect(press.bucket.live()?.slot).not.toBe(slot)
      expect(press.bucket.writesIntoLive(slot)).toEqual([])
    },
  )
})

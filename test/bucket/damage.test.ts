/** Damaged, lost and hostile objects in the bucket: they are refused early, by name, cost little, and a repair mends them. */
import { forced } from '../support/product.ts'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { beginPublish, four, killAt, press, puts, three, useTwoNights } from '../support/two-nights.ts'

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

  describe.each([
    ['is cut off', () => press.bucket.put('journal.json', '{"format":1,"id"')],
    ['was removed', () => press.bucket.remove('journal.json')],
  ])('that %s', (_, lose) => {
    beforeEach(lose)

    it('is named, with advice, and nothing is written', async () => {
      const writes = () => press.server.log.filter(({ method }) => method !== 'GET')
      const said =
        /^fundpress: s3:\/\/funds: journal\.json is (damaged \(it is not JSON\)|missing), so nobody knows what the slots hold: run `fundpress publish --repair`/
      for (const command of [`publish --out ${four}`, 'rollback'])
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

  // Exceptions are published with the changes: requests of a publish with others bring other bytes.
  it.each([
    ['does not wait', [], false],
    ['waits with other exceptions', forced, true],
  ] as const)('lets the same snapshot go on: it %s', async (_, flags, waits) => {
    const { child, end } = press.begin(['publish', '--out', three, ...flags], {
      FUNDPRESS_BUCKET_LATE_SECONDS: '50',
    })
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('waiting')) child.kill('SIGINT')
    })
    await end
    expect(/waiting 5[01] s, until none of its requests can arrive any more/.test(said)).toBe(waits)
    expect(press.bucket.live()?.slot).toBe(waits ? 'green' : 'blue')
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

  it('that was removed together with live.json is written by a repair, which makes the bucket whole', async () => {
    press.bucket.remove('journal.json')
    press.bucket.remove('live.json')
    await expectFailure(press.publish(four), /journal\.json is missing/)
    await expectSuccess(press.publish(four, '--repair'))
    expectWholeLive()
  })
})

const mega = 2 ** 20
it.each([
  ['manifest', 'blue/manifest.ndjson.gz'],
  ['list of ETags', 'journal/blue.etags.ndjson.gz'],
])('names a hostile %s, and a repair does not need it', async (_, key) => {
  press.bucket.put(key, gzipSync(Buffer.alloc(64 * mega, '{"key":"a"}\n')))
  const said = `^fundpress: s3://funds/${key} is (damaged|not a manifest).*: publish with --repair\n$`
  await expectFailure(press.publish(three), new RegExp(said))
  await expectSuccess(press.publish(three, '--repair'))
  expectWholeLive()
})

/** Damages the last line of a list: it is found when all others have been read. */
function damageLastLine(key: string): void {
  const text = gunzipSync(press.bucket.body(key)).toString().trimEnd()
  press.bucket.put(key, gzipSync(`${text.slice(0, -1)}\n`))
}

describe('a list with a last line that is damaged is named before a slot changes, with advice', () => {
  const advice = 'publish with --repair'
  const folder = 'publish the folder of that snapshot instead: `fundpress publish --repair '
  const repairNow = 'publish with --repair instead: `fundpress publish --repair '
  const stage = async () => {
    await expectSuccess(press.publish(three, '--stage'))
    return (JSON.parse(press.bucket.body('staged.json').toString()) as { snapshot: string }).snapshot
  }
  it.each([
    ['publish', 'blue/manifest.ndjson.gz', () => `publish --out ${three}`, advice],
    ['publish', 'journal/blue.etags.ndjson.gz', () => `publish --out ${three}`, advice],
    ['verify', 'green/manifest.ndjson.gz', () => 'verify', advice],
    ['verify', 'journal/green.etags.ndjson.gz', () => 'verify', advice],
    ['rollback', 'blue/manifest.ndjson.gz', () => 'rollback', folder],
    ['flip', 'blue/manifest.ndjson.gz', (staged: string) => `flip ${staged}`, repairNow],
  ])('by %s: %s', async (name, key, command, advised) => {
    const staged = name === 'flip' ? await stage() : ''
    damageLastLine(key)
    press.server.reset()
    const said = `s3://funds/${key} is damaged: line \\d+: it is not JSON.*: ${advised}`
    await expectFailure(press.fundpress(command(staged)), new RegExp(said))
    expect(puts(/^(blue|green|live)/)).toEqual([])
  })
})

it('reads no live.json that is larger than any of ours', async () => {
  press.bucket.put('live.json', Buffer.alloc(20 * mega, ' '))
  const said = /^fundpress: s3:\/\/funds\/live.json is damaged: it has more than 16777216 bytes/
  await expectFailure(press.fundpress('rollback'), said)
})

describe('live.json', () => {
  it('that was removed by hand leaves edges the slot that was live: a publish writes to the other one', async () => {
    await expectSuccess(press.publish(three))
    expect(press.bucket.live()?.slot).toBe('blue')
    press.bucket.remove('live.json')
    press.server.reset()
    await expectSuccess(press.publish(four))
    expect(press.bucket.live()?.slot).toBe('green')
    expect(puts(/^blue\//)).toEqual([])
    expectWholeLive()
  })

  it.each([
    ['slot', 'red', 'slot is "red", not a slot'],
    ['snapshot', '../../etc/passwd', 'snapshot is "../../etc/passwd", not a snapshot id'],
    ['liveSince', '2026-11-31T00:00:00.000Z', 'liveSince is "2026-11-31T00:00:00.000Z", not a time in UTC'],
    ['docsUrl', 'javascript:alert(1)', 'docsUrl is "javascript:alert(1)", not an http(s) address or a path'],
    ['previous', { slot: 'blue' }, 'previous.snapshot is missing, not a snapshot id'],
  ])('is damaged if its %s is %j', async (field, value, what) => {
    press.bucket.put('live.json', JSON.stringify({ ...press.bucket.live(), [field]: value }))
    const said =
      `fundpress: s3://funds: live.json is damaged: ${what}. Restore its last version, if the bucket keeps ` +
      'versions; else run `fundpress publish --repair`, which replaces it. Do not remove it: edges go on with the last good one\n'
    expect(await press.fundpress('status')).toMatchObject({ code: 1, stderr: said })
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

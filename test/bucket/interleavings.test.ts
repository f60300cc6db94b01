/**
 * Two commands that change one bucket, one that was stopped for too long, requests that arrive late, answers that are lost:
 * readers never get a slot that is written to, and only whole snapshots go live.
 */
import { forced } from '../support/product.ts'
import { cpSync, renameSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import type { Run } from '../support/product.ts'
import { sample } from '../support/rounds.ts'
import { beginPublish, flip, four, holdBack, killAt, killWithPutOnItsWay } from '../support/two-nights.ts'
import { one, press, puts, slowPuts, three, two, until, useTwoNights } from '../support/two-nights.ts'

useTwoNights(4)
const atOnce = (requests: number) => ({ FUNDPRESS_BUCKET_CONCURRENCY: String(requests) })
const shortLease = { FUNDPRESS_BUCKET_LEASE_SECONDS: '10' }
const slotOfLive = () => press.bucket.live()?.slot

const isUnknown =
  /^fundpress: .*nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\n$/
/** What must hold in every case. */
async function expectSoundBucket(liveAtStart: string): Promise<void> {
  expect(press.bucket.writesIntoLive(liveAtStart)).toEqual([])
  expect(press.bucket.faultsOf(slotOfLive())).toEqual([])
  press.server.faults([])
  await expectSuccess(press.publish(four, '--allow', 'hold', '--reason', 'mended'))
  expect(press.bucket.faultsOf(slotOfLive())).toEqual([])
  await expectSuccess(press.fundpress('verify --deep'))
}

it('puts the lists of one snapshot, even if a build replaces the folder meanwhile', async () => {
  const folder = press.nights.folder.file
  cpSync(folder(three), folder('out'), { recursive: true })
  cpSync(folder(four), folder('new'), { recursive: true })
  const replace = () => {
    renameSync(folder('out'), folder('old'))
    renameSync(folder('new'), folder('out'))
  }
  press.server.faults([holdBack(/^journal\/blue\.etags/, replace)])
  await expectSuccess(press.publish('out'))
  expect(press.bucket.differencesFrom(three, 'blue')).toEqual([])
  press.server.faults([])
  // What the next one trusts is what is there.
  await press.publish(one, ...forced)
  await expectSuccess(press.publish('out'))
  expect(press.bucket.differencesFrom(four, slotOfLive())).toEqual([])
})

it('rejects the late flip of a killed publish while the next publish writes', async () => {
  const late = await killWithPutOnItsWay(beginPublish(one, {}, ...forced), flip)
  await expectSuccess(press.fundpress('prune --yes'))
  press.server.faults([slowPuts(100)])
  const next = beginPublish(three, atOnce(4))
  await until(() => puts(/^blue\/api/).length > 4)
  late.release()
  await expectSuccess(next.end)
  expect(puts(flip).map(({ status }) => status)).toContain(412)
  await expectSoundBucket('green')
})

it('notices a put of a killed publish that arrives after its own, and the next publish repairs it', async () => {
  const late = await killWithPutOnItsWay(beginPublish(three, atOnce(4)), /^blue\/api.*profile/)
  press.server.faults([
    holdBack(/^journal\/blue\.etags/, async () => {
      late.release()
      await setTimeout(300)
    }),
  ])
  const said =
    /blue\/api[^ ]*profile[^ ]* is another one after this publish has put it: somebody else writes to it, or .*; nothing was flipped, publish again\n$/
  await expectFailure(press.publish(four), said)
  expect(slotOfLive()).toBe('green')
  await expectSuccess(press.publish(four))
  expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
})

it('a rollback succeeds if it was carried out and not answered', async () => {
  press.server.faults([{ kind: 'status-after', status: 400, code: 'Weird', method: 'PUT', keyMatches: flip }])
  await expectSuccess(press.fundpress('rollback'))
  expect(slotOfLive()).toBe('blue')
})

it('says that the state is unknown when it is stopped during the flip', async () => {
  const { child, end } = beginPublish(three)
  const stop = async () => {
    child.kill('SIGINT')
    await end
  }
  press.server.faults([holdBack(flip, stop)])
  const [unknown, ...rest] = (await end).stderr.split(/(?<=\n)/)
  expect([unknown, rest]).toEqual([expect.stringMatching(isUnknown), ['fundpress: stopped by SIGINT\n']])
})

it('a deep repair reads bodies, and replaces damaged ones with an old ETag', async () => {
  // The same in both slots.
  const [key = ''] = press.bucket.keys('green/errors')
  expect(press.bucket.body(key)).toEqual(press.bucket.body(key.replace('green', 'blue')))
  const object = press.server.objects('funds').get(key) ?? { body: Buffer.alloc(0) }
  const { body } = object
  // Later tests get the same object again.
  onTestFinished(() => void Object.assign(object, { body }))
  Object.assign(object, { body: Buffer.concat([body.subarray(0, -1), Buffer.from('x')]) })
  const stderr = expect.stringMatching(/1 object differs.*`fundpress publish --repair --deep`/) as string
  expect(await press.fundpress('verify --deep')).toMatchObject({ code: 1, stderr })
  await press.publish(two, '--repair', '--deep')
  expect(slotOfLive()).toBe('blue')
  await press.publish(three)
  expect(press.bucket.differencesFrom(three, 'green')).toEqual([])
})

it.each(
  sample(
    [
      [{ kind: 'delay', ms: 30_000 }, 'the store has not answered'],
      [{ kind: 'status', status: 503, code: 'SlowDown' }, 'the store answered 503 (SlowDown)'],
    ] as const,
    { least: 1, turn: 1 },
  ),
)(
  'gives up when its lease cannot be renewed (%j), says why, and leaves the live slot',
  async (fault, why) => {
    // Slow enough for the publish to outlast its lease on a fast machine, too.
    const slow = slowPuts(1000)
    const refuse = () =>
      press.server.faults([slow, { ...fault, method: 'PUT', keyMatches: /^journal\.json$/ }])
    press.server.faults([holdBack(/^blue\/api/, refuse)])
    const { code, stderr } = await beginPublish(three, { ...shortLease, ...atOnce(1) }).end
    expect(code).toBe(1)
    expect(stderr.replace(/\d+ s/, 'N s')).toBe(
      `fundpress: s3://funds: the lease could not be renewed for N s: ${why}; nothing went live, publish again\n`,
    )
    expect(slotOfLive()).toBe('green')
    await expectSoundBucket('green')
  },
)

it.each([
  ['rollback', `publish --out ${three}`, flip],
  [`publish --out ${three} --quiet`, 'rollback', /^blue\/api/],
])('during a `%s`, `%s` is refused', async (command, other, key) => {
  let during: Run | undefined
  press.server.faults([holdBack(key, async () => (during = await press.fundpress(other)))])
  await expectSuccess(press.fundpress(command))
  const said = /another publish is under way \(process \d+ on .+\); if it is dead, its lease ends in/
  expect(during).toMatchObject({ code: 1, stderr: expect.stringMatching(said) as string })
  expect(slotOfLive()).toBe('blue')
  await expectSoundBucket('green')
})

it('gives up, before the first change, if another tool has changed live.json', async () => {
  // A rollback of another tool, which does not ask for the lease.
  const rollBack = () => {
    const live = press.bucket.live()
    press.bucket.put('live.json', JSON.stringify({ ...live, ...live?.previous, previous: null }))
  }
  press.server.faults([holdBack(/^journal\/.*changes/, rollBack, { when: 'after' })])
  const said = /somebody else changed live\.json meanwhile; nothing was flipped, publish again\n$/
  await expectFailure(press.publish(three), said)
  expect(slotOfLive()).toBe('blue')
  expect(puts(/^blue\/api/)).toEqual([])
  await expectSoundBucket('blue')
})

it('remembers damage in the slot that was live, if it is killed right after the flip', async () => {
  const [damaged = ''] = press.bucket.keys('green/errors')
  press.bucket.put(damaged, '{}')
  await killAt(beginPublish(two, {}, '--repair'), flip, { when: 'after' })
  expect(slotOfLive()).toBe('blue')
  expect(await press.json('status')).toMatchObject({ other: { slot: 'green', isWhole: false } })
  await expectFailure(press.fundpress('rollback'), /green is not whole/)
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.faultsOf('green')).toEqual([])
})

describe('a journal that cannot be written after the flip', () => {
  beforeEach(() => {
    const deny = () => {
      press.server.faults([{ kind: 'status', status: 403, code: 'AccessDenied', keyMatches: /^journal/ }])
    }
    press.server.faults([holdBack(flip, deny, { when: 'after' })])
  })

  it('lets a publish succeed, with a warning', async () => {
    // A process that lives on would still hold the lease.
    const { code, stdout, stderr } = await beginPublish(three, {}, '--json').end
    expect([code, slotOfLive(), JSON.parse(stdout)]).toMatchObject([0, 'blue', { hasFlipped: true }])
    expect(stderr).toMatch(
      /^fundpress: .*is live, but the notes of this publish are not tidied up: [^\n]*\n$/,
    )
    await expectSoundBucket('green')
  })
})

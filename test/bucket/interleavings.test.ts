/**
 * Two commands that change one bucket, one that was stopped for too long, requests that arrive late, answers that are lost:
 * readers never get a slot that is written to, and only whole snapshots go live.
 */
import { forced } from '../support/product.ts'
import { cpSync, renameSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isComplete, sample } from '../support/rounds.ts'
import {
  beginPublish,
  flip,
  four,
  holdBack,
  killAt,
  killWithPutOnItsWay,
  one,
  press,
  puts,
  slowPuts,
  three,
  two,
  until,
  useTwoNights,
} from '../support/two-nights.ts'

useTwoNights(4)

const changing = () =>
  (JSON.parse(press.bucket.body('journal.json').toString()) as { changing: Record<string, string> }).changing
const slotOfLive = () => press.bucket.live()?.slot

/** What must hold in every case. */
async function expectSoundBucket(liveAtStart: string): Promise<void> {
  expect(press.bucket.writesIntoLive(liveAtStart)).toEqual([])
  expect(press.bucket.faultsOf(slotOfLive())).toEqual([])
  press.server.faults([])
  expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.faultsOf(slotOfLive())).toEqual([])
  expect((await press.fundpress('verify --deep')).code).toBe(0)
}

it('puts the lists of one snapshot, even if a build replaces the folder meanwhile', async () => {
  const folder = press.nights.folder.file
  cpSync(folder(three), folder('out'), { recursive: true })
  cpSync(folder(four), folder('new'), { recursive: true })
  press.server.faults([
    holdBack(/^journal\/blue\.etags/, () => {
      renameSync(folder('out'), folder('old'))
      renameSync(folder('new'), folder('out'))
    }),
  ])
  expect(await press.publish('out')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(three, 'blue')).toEqual([])
  press.server.faults([])
  // What the next one trusts is what is there.
  expect((await press.publish(one, ...forced)).code).toBe(0)
  expect(await press.publish('out')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(four, slotOfLive())).toEqual([])
})

it.each(
  sample(
    [
      [`publish --out ${one} --force --reason test`, 'a publish that is refused', 'publish --out night-1', 3],
      ['rollback', 'nothing', '', 0],
      [`publish --out ${one} --force --reason test`, 'a prune', 'prune --yes', 0],
      ['rollback --no-check', 'nothing', '', 0],
      [`publish --out ${one} --force --reason test`, 'nothing', '', 0],
    ] as const,
    { least: 3 },
  ),
)(
  'rejects the late flip of a killed `%s` that arrives while the next publish writes, after %s',
  async (...given) => {
    const [command, , between, code] = given
    const late = await killWithPutOnItsWay(press.begin(command), flip)
    press.server.faults([slowPuts(60)])
    if (between !== '') expect((await press.fundpress(between)).code).toBe(code)
    const next = beginPublish(three, '--concurrency', '4')
    await until(() => puts(/^blue\/api/).length > 20)
    late.release()
    expect(await next.end).toMatchObject({ code: 0, stderr: '' })
    expect(puts(flip).map(({ status }) => status)).toContain(412)
    await expectSoundBucket('green')
  },
)

it('notices a put of a killed publish that arrives after its own, and the next publish repairs it', async () => {
  const late = await killWithPutOnItsWay(beginPublish(three, '--concurrency', '4'), /^blue\/api.*profile/)
  press.server.faults([
    holdBack(/^journal\/blue\.etags/, async () => {
      late.release()
      await setTimeout(300)
    }),
  ])
  const { code, stderr } = await press.publish(four)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /somebody else wrote to blue\/api[^ ]*profile[^ ]* meanwhile; nothing was flipped, publish again\n$/,
  )
  expect(slotOfLive()).toBe('green')
  expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
})

it('waits until no request of a killed publish can arrive, and says so', async () => {
  const late = await killWithPutOnItsWay(beginPublish(three, '--concurrency', '4'), /^blue\/api.*profile/)
  press.server.reset()
  const next = press.begin(['publish', '--out', four, '--quiet'], { FUNDPRESS_BUCKET_LATE_SECONDS: '4' })
  let said = ''
  next.child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    // The late put arrives while the next publish waits.
    late.release()
  })
  expect((await next.end).code).toBe(0)
  expect(said).toMatch(
    /^fundpress: s3:\/\/funds: the publish before was killed or not answered: waiting [1-5] s, until none of its requests can arrive any more\n$/,
  )
  expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
})

it.runIf(isComplete)('a publish that is stopped in the grace period leaves the slot whole', async () => {
  const { child, end } = beginPublish(three, '--grace', '3600')
  await until(() => changing()['blue'] !== undefined)
  child.kill('SIGINT')
  await end
  expect(puts(/^blue/)).toEqual([])
  expect(changing()).toEqual({})
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')
})

it.runIf(isComplete)('a slot is whole if its publish was killed right after the flip', async () => {
  await killAt(beginPublish(three), flip, { when: 'after' })
  expect(changing()['blue']).toBeDefined()
  expect((await press.publish(four)).code).toBe(0)
  expect(slotOfLive()).toBe('green')
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(three, slotOfLive())).toEqual([])
})

it('a rollback succeeds if it was carried out and not answered', async () => {
  press.server.faults([
    { kind: 'status-after', status: 400, code: 'Weird', method: 'PUT', keyMatches: /^live\.json$/ },
  ])
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')
})

it('says that the state is unknown when it is stopped during the flip', async () => {
  const { child, end } = beginPublish(three)
  press.server.faults([
    holdBack(flip, async () => {
      child.kill('SIGINT')
      await setTimeout(1000)
    }),
  ])
  const { stderr } = await end
  expect(stderr).toMatch(
    /^fundpress: nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\nfundpress: stopped by SIGINT\n$/,
  )
})

it('a deep repair reads bodies, and replaces damaged ones with an old ETag', async () => {
  const same = press.bucket
    .keys('green/api')
    .find((key) => press.bucket.body(key).equals(press.bucket.body(key.replace('green', 'blue'))))
  const object = press.server.objects('funds').get(same ?? '') ?? { body: Buffer.alloc(0) }
  const { body } = object
  // Later tests get the same object again.
  onTestFinished(() => void Object.assign(object, { body }))
  Object.assign(object, { body: Buffer.concat([body.subarray(0, -1), Buffer.from('x')]) })
  const { code, stderr } = await press.fundpress('verify --deep')
  expect(code).toBe(1)
  expect(stderr).toContain('1 object differs')
  expect(stderr).toContain('`fundpress publish --repair --deep`')
  expect((await press.publish(two, '--repair', '--deep')).code).toBe(0)
  expect(slotOfLive()).toBe('blue')
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.differencesFrom(three, 'green')).toEqual([])
})

it('verify and prune handle keys that sort differently in UTF-16 and UTF-8', async () => {
  press.bucket.put('green/\uff21', 'x')
  press.bucket.put('green/\u{1f600}', 'x')
  const { code, stdout } = await press.fundpress('verify')
  expect(code).toBe(1)
  expect(stdout).toBe('\uff21 is in no manifest\n\u{1f600} is in no manifest\n')
  expect(await press.fundpress('prune --yes')).toMatchObject({ code: 0, stderr: '' })
  expect(await press.fundpress('verify')).toMatchObject({ code: 0, stderr: '' })
})

it('sends nothing after it was stopped for longer than its lease', async () => {
  press.server.faults([slowPuts(60)])
  const { child, end } = beginPublish(three, '--lease', '10', '--concurrency', '2')
  await until(() => puts(/^blue\/api/).length > 10)
  // Stopped while the store has both requests: a request that is being sent belongs to the network.
  const answered = Promise.withResolvers<undefined>()
  let held = 0
  const hold = () => {
    held++
    return answered.promise
  }
  press.server.faults([{ ...holdBack(/^(blue|green)\/api/, hold), times: 2 }])
  await until(() => held === 2)
  child.kill('SIGSTOP')
  answered.resolve(undefined)
  // It may just have been renewed, and the store tells the time in whole seconds.
  await setTimeout(12_500)
  press.server.faults([])
  expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
  const before = press.server.log.length
  child.kill('SIGCONT')
  const stderr = expect.stringMatching(
    /(^|\n)fundpress: .*the lease was lost to another publish; nothing went live, publish again\n$/,
  ) as string
  expect(await end).toMatchObject({ code: 1, stderr })
  const late = press.server.log.slice(before).filter(({ method }) => method !== 'GET')
  expect(late.map(({ key }) => key).filter((key) => /^(blue|green)\//.test(key))).toEqual([])
  await expectSoundBucket('green')
})

it('gives up when its lease cannot be renewed, and leaves the live slot', async () => {
  press.server.faults([
    // Slow enough for the publish to outlast its lease on a fast machine, too.
    slowPuts(120),
    { kind: 'delay', ms: 30_000, method: 'PUT', keyMatches: /^journal\.json$/, nth: 4 },
  ])
  const stderr = expect.stringMatching(/the lease was lost/) as string
  expect(await beginPublish(three, '--lease', '10', '--concurrency', '1').end).toMatchObject({
    code: 1,
    stderr,
  })
  expect(slotOfLive()).toBe('green')
  await expectSoundBucket('green')
})

it('a rollback blocks a publish, and a publish blocks a rollback', async () => {
  const held = Promise.withResolvers<undefined>()
  const onItsWay = Promise.withResolvers<undefined>()
  const hold = () => {
    onItsWay.resolve(undefined)
    return held.promise
  }
  press.server.faults([holdBack(flip, hold)])
  const back = press.fundpress('rollback')
  await onItsWay.promise
  const refused = await press.publish(three)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /another publish is under way \(process \d+ on .+\); if it is dead, its lease ends in/,
  )
  held.resolve(undefined)
  expect(await back).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')

  press.server.faults([slowPuts(60)])
  const next = press.publish(three, '--concurrency', '2')
  await until(() => puts(/^green\/api/).length > 3)
  expect((await press.fundpress('rollback')).stderr).toMatch(/another publish is under way/)
  expect((await next).code).toBe(0)
  await expectSoundBucket('blue')
})

it('a rollback does not wait for a publish that was killed on this machine, but refuses its torn slot', async () => {
  await killAt(beginPublish(three, '--concurrency', '2'), /^blue\/api/, { nth: 5 })
  const torn = await press.fundpress('rollback', { FUNDPRESS_BUCKET_LATE_SECONDS: '600' })
  const stderr =
    'fundpress: s3://funds: blue is not whole (a publish was stopped in it): publish again instead\n'
  expect(torn).toMatchObject({ code: 1, stderr })
  await expectSoundBucket('green')
})

it('gives up, before the first change, if another tool has changed live.json', async () => {
  // A rollback of another tool, which does not ask for the lease.
  const rollBack = () => {
    const live = press.bucket.live()
    press.bucket.put('live.json', JSON.stringify({ ...live, ...live?.previous, previous: null }))
  }
  press.server.faults([holdBack(/^journal\/.*changes/, rollBack, { when: 'after' })])
  const { code, stderr } = await press.publish(three)
  expect([code, slotOfLive()]).toEqual([1, 'blue'])
  expect(stderr).toMatch(/somebody else changed live\.json meanwhile; nothing was flipped, publish again\n$/)
  expect(puts(/^blue\/api/)).toEqual([])
  await expectSoundBucket('blue')
})

it('remembers damage in the slot that was live, if it is killed right after the flip', async () => {
  const [damaged = ''] = press.bucket.keys('green/api')
  press.bucket.put(damaged, '{}')
  await killAt(beginPublish(two, '--repair'), flip, { when: 'after' })
  expect(slotOfLive()).toBe('blue')
  expect(await press.json('status')).toMatchObject({ other: { slot: 'green', isWhole: false } })
  expect((await press.fundpress('rollback')).stderr).toMatch(/green is not whole/)
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.faultsOf('green')).toEqual([])
})

it('a publish writes live.json once, last except for the journal', async () => {
  expect((await press.publish(three)).code).toBe(0)
  const written = puts(/./).map(({ key }) => key)
  const after = written.slice(written.indexOf('live.json') + 1)
  expect(new Set(after)).toEqual(new Set(['journal.json']))
})

it('says that the state is unknown if the flip is not answered, and the next publish repairs it', async () => {
  press.server.faults([{ kind: 'status', status: 500, method: 'PUT', keyMatches: /^live\.json$/ }])
  const { code, stderr } = await press.publish(three)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\n$/,
  )
  expect(slotOfLive()).toBe('green')
  press.server.faults([])
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

describe('a journal that cannot be written after the flip', () => {
  beforeEach(() => {
    const deny = () => {
      press.server.faults([{ kind: 'status', status: 403, code: 'AccessDenied', keyMatches: /^journal/ }])
    }
    press.server.faults([holdBack(flip, deny, { when: 'after' })])
  })

  it('lets a rollback succeed', async () => {
    expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
    expect(slotOfLive()).toBe('blue')
  })

  it('lets a publish succeed, with a warning', async () => {
    // A process that lives on would still hold the lease.
    const { code, stdout, stderr } = await beginPublish(three, '--json').end
    expect([code, slotOfLive(), JSON.parse(stdout)]).toMatchObject([0, 'blue', { hasFlipped: true }])
    expect(stderr).toMatch(
      /^fundpress: .*is live, but the notes of this publish are not tidied up: [^\n]*\n$/,
    )
    await expectSoundBucket('green')
  })
})

it.each(sample([1, 2, 3, 4, 5, 6]))('one of two publishes wins, and the other says so (try %d)', async () => {
  // Slow enough for both to be under way at once.
  press.server.faults([{ kind: 'delay', ms: 15, method: 'PUT' }])
  const runs = await Promise.all([press.publish(three), press.publish(four)])
  press.server.faults([])
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 1])
  expect(runs.find(({ code }) => code === 1)?.stderr).toMatch(
    /^[^\n]*another publish is under way \(process \d+ on [^\n]+\)[^\n]*\n$/,
  )
  expect(slotOfLive()).toBe('blue')
  expect(press.bucket.faultsOf('blue')).toEqual([])
  expect(press.bucket.writesIntoLive('green')).toEqual([])
})

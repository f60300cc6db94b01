/** Two commands that change one bucket, or one that was stopped for too long: readers never get a slot that is written to. */
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sample } from '../support/rounds.ts'
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

/** What must hold in every case. */
async function expectSoundBucket(liveAtStart: string): Promise<void> {
  expect(press.bucket.writesIntoLive(liveAtStart)).toEqual([])
  const live = press.bucket.live()
  expect(press.bucket.faultsOf(live?.slot)).toEqual([])
  press.server.faults([])
  expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  expect((await press.fundpress('verify --deep')).code).toBe(0)
}

it.each([`publish --out ${one} --force`, 'rollback', 'rollback --no-check'])(
  'rejects the flip of a killed `%s` that arrives while the next publish writes',
  async (command) => {
    const late = await killWithPutOnItsWay(press.begin(command), flip)
    press.server.faults([slowPuts(60)])
    const next = beginPublish(three, '--concurrency', '4')
    await until(() => puts(/^blue\/api/).length > 30)
    late.release()
    expect(await next.end).toMatchObject({ code: 0, stderr: '' })
    expect(puts(flip).map(({ status }) => status)).toContain(412)
    await expectSoundBucket('green')
  },
)

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
  const { code, stderr } = await end
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /(^|\n)fundpress: .*the lease was lost to another publish; nothing went live, publish again\n$/,
  )
  const late = press.server.log
    .slice(before)
    .filter(({ method, key }) => method !== 'GET' && /^(blue|green)\//.test(key))
  expect(late.map(({ key }) => key)).toEqual([])
  await expectSoundBucket('green')
})

it('gives up when its lease cannot be renewed, and leaves the live slot', async () => {
  press.server.faults([
    // Slow enough for the publish to outlast its lease on a fast machine, too.
    slowPuts(120),
    { kind: 'delay', ms: 30_000, method: 'PUT', keyMatches: /^journal\.json$/, nth: 4 },
  ])
  const { code, stderr } = await beginPublish(three, '--lease', '10', '--concurrency', '1').end
  expect(code).toBe(1)
  expect(stderr).toMatch(/the lease was lost/)
  expect(press.bucket.live()).toMatchObject({ slot: 'green' })
  await expectSoundBucket('green')
})

it('a rollback blocks a publish, and a publish blocks a rollback', async () => {
  const held = Promise.withResolvers<undefined>()
  let isOnItsWay = false
  const hold = () => {
    isOnItsWay = true
    return held.promise
  }
  press.server.faults([holdBack(flip, hold)])
  const back = press.begin('rollback')
  await until(() => isOnItsWay)
  const refused = await press.publish(three)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /another publish is under way \(process \d+ on .+\); if it is dead, its lease ends in/,
  )
  held.resolve(undefined)
  expect(await back.end).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.live()).toMatchObject({ slot: 'blue' })

  press.server.faults([slowPuts(60)])
  const next = beginPublish(three, '--concurrency', '2')
  await until(() => puts(/^green\/api/).length > 3)
  expect(await press.fundpress('rollback')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/another publish is under way/) as string,
  })
  expect((await next.end).code).toBe(0)
  await expectSoundBucket('blue')
})

it('a rollback does not wait for a publish that was killed on this machine, but refuses its torn slot', async () => {
  await killAt(beginPublish(three, '--concurrency', '2'), /^blue\/api/, { nth: 5 })
  const torn = await press.fundpress('rollback', { FUNDPRESS_BUCKET_LATE_SECONDS: '600' })
  expect(torn).toMatchObject({
    code: 1,
    stderr: 'fundpress: s3://funds: blue is not whole (a publish was stopped in it): publish again instead\n',
  })
  await expectSoundBucket('green')
})

it('gives up, before the first change, if another tool has changed live.json', async () => {
  let isBack = false
  // A rollback of another tool, which does not ask for the lease.
  const rollBack = () => {
    const live = JSON.parse(press.bucket.body('live.json').toString()) as { previous: object }
    press.bucket.put('live.json', JSON.stringify({ ...live, ...live.previous, previous: null }))
    isBack = true
  }
  press.server.faults([holdBack(/^journal\/.*changes/, rollBack, { when: 'after' })])
  const { code, stderr } = await press.publish(three)
  expect({ code, isBack }).toEqual({ code: 1, isBack: true })
  expect(stderr).toMatch(/somebody else changed live\.json meanwhile; nothing was flipped, publish again\n$/)
  expect(puts(/^blue\/api/)).toEqual([])
  await expectSoundBucket('blue')
})

it('remembers damage in the slot that was live, if it is killed right after the flip', async () => {
  const [damaged = ''] = press.bucket.keys('green/api')
  press.bucket.put(damaged, '{}')
  await killAt(beginPublish(two, '--repair'), flip, { when: 'after' })
  expect(press.bucket.live()).toMatchObject({ slot: 'blue' })
  const status = JSON.parse((await press.fundpress('status --json')).stdout) as { other: object }
  expect(status.other).toMatchObject({ slot: 'green', isWhole: false })
  expect((await press.fundpress('rollback')).stderr).toMatch(/green is not whole/)
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.faultsOf('green')).toEqual([])
})

it('rollback refuses a damaged slot', async () => {
  const keys = press.bucket.keys('blue/api')
  press.bucket.remove(keys[3] ?? '')
  const { code, stderr } = await press.fundpress('rollback')
  expect(code).toBe(1)
  expect(stderr).toBe(
    `fundpress: s3://funds: blue is not whole (${(keys[3] ?? '').slice(5)} is missing): publish again instead\n`,
  )
  expect(press.bucket.live()).toMatchObject({ slot: 'green' })
  expect(puts(/^(live|blue|green)/)).toEqual([])
})

it('rollback is one write, under the lease', async () => {
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  const written = press.server.log.filter(({ method, status }) => method !== 'GET' && status < 300)
  expect(written.map(({ method, key }) => `${method} ${key}`)).toEqual([
    'PUT journal.json',
    'PUT live.json',
    'PUT journal.json',
  ])
  expect(press.bucket.live()).toMatchObject({ slot: 'blue' })
})

it('a publish writes live.json once, last except for the journal', async () => {
  expect((await press.publish(three)).code).toBe(0)
  const written = press.server.log
    .filter(({ method, status }) => method === 'PUT' && status < 300)
    .map(({ key }) => key)
  expect(written.filter((key) => key === 'live.json')).toHaveLength(1)
  expect(written.slice(written.indexOf('live.json') + 1).filter((key) => key !== 'journal.json')).toEqual([])
})

it('says that the state is unknown if the flip is not answered, and the next publish repairs it', async () => {
  press.server.faults([{ kind: 'status', status: 500, method: 'PUT', keyMatches: /^live\.json$/ }])
  const { code, stderr } = await press.publish(three)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\n$/,
  )
  expect(press.bucket.live()).toMatchObject({ slot: 'green' })
  press.server.faults([])
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

it('succeeds when the snapshot is live, even if the journal cannot be written', async () => {
  const denyNotes = () => {
    press.server.faults([{ kind: 'status', status: 403, code: 'AccessDenied', keyMatches: /^journal/ }])
  }
  press.server.faults([holdBack(flip, denyNotes, { when: 'after' })])
  const { code, stdout, stderr } = await beginPublish(three, '--json').end
  expect({ code, live: press.bucket.live()?.slot }).toEqual({ code: 0, live: 'blue' })
  expect(JSON.parse(stdout)).toMatchObject({ hasFlipped: true })
  expect(stderr).toMatch(/^fundpress: .*is live, but the notes of this publish are not tidied up: [^\n]*\n$/)
  await expectSoundBucket('green')
})

it.each(sample([1, 2, 3, 4, 5, 6]))('one of two publishes wins, and the other says so (try %d)', async () => {
  // Slow enough for both to be under way at once.
  press.server.faults([{ kind: 'delay', ms: 15, method: 'PUT' }])
  const runs = await Promise.all([press.publish(three), press.publish(four)])
  press.server.faults([])
  const losers = runs.filter(({ code }) => code !== 0)
  expect(losers).toHaveLength(1)
  expect(losers[0]).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^[^\n]*another publish is under way \(process \d+ on [^\n]+\)[^\n]*\n$/,
    ) as string,
  })
  expect(press.bucket.live()).toMatchObject({ slot: 'blue' })
  expect(press.bucket.faultsOf('blue')).toEqual([])
  expect(press.bucket.writesIntoLive('green')).toEqual([])
})

/** Requests that arrive late, folders that are replaced meanwhile, answers that are lost: only whole snapshots go live. */
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { isComplete } from '../support/rounds.ts'
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

it('puts the lists of one snapshot, even if a build replaces the folder meanwhile', async () => {
  const { path } = press.nights.folder
  const folder = (name: string) => join(path, name)
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
  expect((await press.publish(one, '--force')).code).toBe(0)
  expect(await press.publish('out')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(four, slotOfLive())).toEqual([])
})

it.each([
  ['a publish that is refused', 'publish --out night-1', 1],
  ['a prune', 'prune --yes', 0],
])('rejects a late flip also if %s had the lease in between', async (_, between, code) => {
  const late = await killWithPutOnItsWay(beginPublish(one, '--force'), flip)
  press.server.faults([slowPuts(100)])
  expect((await press.fundpress(between)).code).toBe(code)
  const next = beginPublish(three, '--concurrency', '4')
  await until(() => puts(/^blue\/api/).length > 20)
  late.release()
  const { code: published, stderr } = await next.end
  expect({ published, stderr }).toEqual({ published: 0, stderr: '' })
  expect(press.bucket.writesIntoLive('green')).toEqual([])
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

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

it('a rollback succeeds even if the lease cannot be released', async () => {
  const denyLease = () => {
    press.server.faults([{ kind: 'status', status: 403, keyMatches: /^journal\.json$/ }])
  }
  press.server.faults([holdBack(flip, denyLease, { when: 'after' })])
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
  const object = press.server.objects('funds').get(same ?? '')
  const body = Buffer.from(object?.body ?? '')
  body[5] = (body[5] ?? 0) ^ 1
  Object.assign(object ?? {}, { body })
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

/** Publishes that others disturb, through the command line. `schedules.test.ts` has the kills, late requests and second commands. */
import { cpSync, renameSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { beginPublish, flip, four, holdBack, killWithPutOnItsWay } from '../support/two-nights.ts'
import { press, puts, three, two, useTwoNights } from '../support/two-nights.ts'

useTwoNights(4)
const slotOfLive = () => press.bucket.live()?.slot

const isUnknown =
  /^fundpress: .*nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\n$/

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
})

it('notices a put of a killed publish that arrives after its own, and the next publish repairs it', async () => {
  const late = await killWithPutOnItsWay(beginPublish(three), /^blue\/api.*profile/)
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
  expect({ unknown, rest }).toEqual({
    unknown: expect.stringMatching(isUnknown),
    rest: ['fundpress: stopped by SIGINT\n'],
  })
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
})

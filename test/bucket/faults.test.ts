/** Publishes to a store that has a bad day, over a real socket: what is live stays whole, and the next publish goes on. */
import { expect, it } from 'vitest'
import { expectSuccess, oneLine } from '../cli/outcome.ts'
import { sample } from '../support/rounds.ts'
import type { FaultRule } from '../support/s3/faults.ts'
import { press, three, useTwoNights } from '../support/two-nights.ts'

useTwoNights(3)

const badDay: readonly FaultRule[] = [
  { kind: 'delay', ms: 20, probability: 0.25 },
  { kind: 'status', status: 503, code: 'SlowDown', probability: 0.06 },
  { kind: 'status', status: 409, keyMatches: /^(live|journal)\.json$/, probability: 0.2 },
  { kind: 'status-after', status: 500, probability: 0.1 },
  { kind: 'cut-before', probability: 0.06 },
  { kind: 'cut-after', probability: 0.06 },
  { kind: 'truncate', method: 'GET', probability: 0.25 },
]

it.each(sample([1, 2, 3, 4, 5, 6, 7, 8], { least: 2 }))(
  'the whole new snapshot is live, or the old one (seed %d)',
  async (seed) => {
    const before = press.bucket.live()
    press.server.faults(badDay, seed)
    const run = await press.publish(three)
    press.server.faults([])
    const live = press.bucket.live()
    expect(press.bucket.faultsOf(live?.slot)).toEqual([])
    expect(press.bucket.writesIntoLive(before?.slot)).toEqual([])
    if (run.code === 0) expect(live?.snapshot).not.toBe(before?.snapshot)
    else expect(run.stderr).toMatch(oneLine)
    await expectSuccess(press.publish(three))
    expect(press.bucket.differencesFrom(three, press.bucket.live()?.slot)).toEqual([])
  },
)

it('a publish waits for a store that restarts, and goes on', async () => {
  let isBack: Promise<unknown> | undefined
  // Not waited for: this request ends, too.
  const restart = () => void (isBack = press.server.restart(3000))
  const keyMatches = /^blue\/api/
  press.server.faults([{ kind: 'call', when: 'before', method: 'PUT', keyMatches, times: 1, run: restart }])
  await expectSuccess(press.publish(three))
  await isBack
  const { slot } = press.bucket.live() ?? {}
  expect([slot, press.bucket.differencesFrom(three, slot)]).toEqual(['blue', []])
})

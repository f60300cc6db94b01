import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

const kills = 100
let press: Press

beforeAll(async () => {
  press = await openPress(await buildNights(3, 1))
})

afterAll(() => press.stop())

it(
  `is killed at ${kills} random moments: what is live stays whole, and the next publish puts all right`,
  { timeout: 600_000 },
  async () => {
    // From the third night on there is something to change in both slots, but not everything.
    for (const out of press.nights.outs) {
      press.server.reset()
      expect(await press.publish(out)).toMatchObject({ code: 0, stderr: '' })
    }
    const requests = press.requests()
    const moments = fc.sample(
      fc.tuple(fc.integer({ min: 1, max: requests }), fc.constantFrom('before', 'after')),
      {
        // Some publishes are done before their moment comes: those do not count.
        numRuns: kills * 2,
        seed: 20261121,
      },
    )
    let killed = 0
    for (const [index, [nth, when]] of moments.entries()) {
      if (killed === kills) break
      // Three snapshots take turns in two slots: each publish has something to change. Going back needs force.
      const out = press.nights.outs[index % 3] ?? ''
      const liveBefore = press.bucket.live()
      press.server.reset()
      if (await press.publishUntilRequest(out, nth, when)) killed++

      const standing = press.bucket.live()
      expect(press.bucket.faultsOf(standing?.slot)).toEqual([])

      const again = await press.publish(out, '--force')
      expect(again).toMatchObject({ code: 0, stderr: '' })
      const live = press.bucket.live()
      expect(press.bucket.differencesFrom(out, live?.slot)).toEqual([])
      expect(press.bucket.writesIntoLive(liveBefore?.slot)).toEqual([])
    }
    expect(killed).toBe(kills)
  },
)

/** Publishes that are killed at random moments: what is live stays whole, and the next publish goes on. */
import { forced } from '../support/product.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, newBenchmark, type Nights } from '../support/nights.ts'
import { openPress } from '../support/press.ts'
import { isComplete, rounds } from '../support/rounds.ts'

/** Buckets whose publishes are killed at the same time, and how often each: 16 kills in CI. */
const buckets = Math.min(4, rounds)
const kills = isComplete ? 4 : 3
let nights: Nights
/** Any two of them differ in some objects and lack others, so that each kind of request is a large part of a publish. */
let outs: readonly string[]

const newPrice = (profit: string) =>
  `UPDATE price SET share_profit = '${profit}' WHERE date = (SELECT max(date) FROM price)`

beforeAll(async () => {
  nights = await buildNights(1, 1, { years: 1, isSmall: true })
  outs = [
    ...nights.outs,
    await nights.change('changed', `${newBenchmark(1)}; ${newPrice('1.00')}`),
    await nights.change('fewer', `${newPrice('2.00')}; DELETE FROM emt; DELETE FROM asset_allocation`),
  ]
})

afterAll(() => {
  nights.remove()
})

it.concurrent.each([...Array(buckets).keys()])(
  `what is live stays whole after ${kills} kills at random moments, and the next publish repairs the rest (bucket %i)`,
  { timeout: 600_000 },
  async (bucket) => {
    // The nights are shared, and removed at the end.
    const press = await openPress({ ...nights, remove: () => undefined })
    try {
      // From the third publish on there is something to change in both slots, but not everything.
      for (const out of outs) {
        press.server.reset()
        expect(await press.publish(out, ...forced)).toMatchObject({ code: 0, stderr: '' })
      }
      const requests = press.requests()
      const moments = fc.sample(
        fc.tuple(fc.integer({ min: 1, max: requests }), fc.constantFrom('before', 'after')),
        {
          // Some publishes are done before their moment comes: those do not count.
          numRuns: kills * 3,
          seed: 20261121 + bucket,
        },
      )
      let killed = 0
      for (const [index, [nth, when]] of moments.entries()) {
        if (killed === kills) break
        // Three snapshots take turns in two slots: each publish has something to change. Going back needs force.
        const out = outs[index % 3] ?? ''
        const liveBefore = press.bucket.live()
        press.server.reset()
        if (await press.publishUntilRequest(out, nth, when)) killed++

        expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])

        const again = await press.publish(out, ...forced)
        expect(again).toMatchObject({ code: 0, stderr: '' })
        const live = press.bucket.live()
        expect(press.bucket.differencesFrom(out, live?.slot)).toEqual([])
        expect(press.bucket.writesIntoLive(liveBefore?.slot)).toEqual([])
      }
      expect(killed).toBe(kills)
    } finally {
      await press.stop()
    }
  },
)

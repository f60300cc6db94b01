import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { differencesFrom, faultsOfSlot, liveOf, writesIntoLive } from '../support/bucket.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { publish, publishUntilRequest } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const kills = 100
const bucket = 'funds'
let nights: Nights
let server: S3Server

beforeAll(async () => {
  nights = await buildNights(3, 1)
  server = await startS3({ buckets: [bucket] })
})

afterAll(async () => {
  await server.stop()
  nights.remove()
})

it(
  `is killed at ${kills} random moments: what is live stays whole, and the next publish puts all right`,
  { timeout: 600_000 },
  async () => {
    // From the third night on there is something to change in both slots, but not everything.
    for (const out of nights.outs) {
      server.reset()
      expect(await publish(server.endpoint, bucket, out)).toMatchObject({ code: 0, stderr: '' })
    }
    const requests = Object.values(server.counts()).reduce((sum, count) => sum + count, 0)
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
      const out = nights.outs[index % 3] ?? ''
      const liveBefore = liveOf(server, bucket)
      server.reset()
      if (await publishUntilRequest(server, bucket, out, nth, when)) killed++

      const standing = liveOf(server, bucket)
      expect(faultsOfSlot(server, bucket, standing?.slot ?? '')).toEqual([])

      const again = await publish(server.endpoint, bucket, out, '--force')
      expect(again).toMatchObject({ code: 0, stderr: '' })
      const live = liveOf(server, bucket)
      expect(differencesFrom(out, server, bucket, live?.slot ?? '')).toEqual([])
      expect(writesIntoLive(server, liveBefore?.slot)).toEqual([])
    }
    expect(killed).toBe(kills)
  },
)

import { afterAll, beforeAll, expect, it } from 'vitest'
import { faultsOfSlot, liveOf, writesIntoLive } from '../support/bucket.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { publish } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

let nights: Nights
let server: S3Server
const buckets = Array.from({ length: 6 }, (_, index) => `funds-${index}`)

beforeAll(async () => {
  nights = await buildNights(3, 2)
  server = await startS3({ buckets })
})

afterAll(async () => {
  await server.stop()
  nights.remove()
})

it.each(buckets)('lets one of two publishes win, and the other say so (%s)', async (bucket) => {
  const [one = '', two = '', three = ''] = nights.outs
  expect((await publish(server.endpoint, bucket, one)).code).toBe(0)
  const before = liveOf(server, bucket)
  server.reset()
  // Slow enough for both to be under way at once.
  server.faults([{ kind: 'delay', ms: 15, method: 'PUT' }])
  const runs = await Promise.all([
    publish(server.endpoint, bucket, two),
    publish(server.endpoint, bucket, three),
  ])
  server.faults([])

  const losers = runs.filter(({ code }) => code !== 0)
  expect(losers).toHaveLength(1)
  expect(losers[0]).toMatchObject({ code: 1 })
  expect(losers[0]?.stderr).toMatch(/another publish is under way \(process \d+ on .+\)/)
  expect(losers[0]?.stderr.trim().split('\n')).toHaveLength(1)

  const live = liveOf(server, bucket)
  expect(live?.slot).not.toBe(before?.slot)
  expect(faultsOfSlot(server, bucket, live?.slot ?? '')).toEqual([])
  expect(writesIntoLive(server, before?.slot)).toEqual([])
})

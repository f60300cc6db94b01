import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

let press: Press
let restoreFirstNight: () => void

beforeAll(async () => {
  press = await openPress(await buildNights(3, 2))
  expect((await press.publish(press.nights.outs[0] ?? '')).code).toBe(0)
  restoreFirstNight = press.bucket.save()
})

afterAll(() => press.stop())

it.each([1, 2, 3, 4, 5, 6])('lets one of two publishes win, and the other say so (try %d)', async () => {
  press.reset()
  restoreFirstNight()
  const [, two = '', three = ''] = press.nights.outs
  const before = press.bucket.live()
  // Slow enough for both to be under way at once.
  press.server.faults([{ kind: 'delay', ms: 15, method: 'PUT' }])
  const runs = await Promise.all([press.publish(two), press.publish(three)])
  press.server.faults([])

  const losers = runs.filter(({ code }) => code !== 0)
  expect(losers).toHaveLength(1)
  expect(losers[0]).toMatchObject({ code: 1 })
  expect(losers[0]?.stderr).toMatch(/another publish is under way \(process \d+ on .+\)/)
  expect(losers[0]?.stderr.trim().split('\n')).toHaveLength(1)

  const live = press.bucket.live()
  expect(live?.slot).not.toBe(before?.slot)
  expect(press.bucket.faultsOf(live?.slot)).toEqual([])
  expect(press.bucket.writesIntoLive(before?.slot)).toEqual([])
})

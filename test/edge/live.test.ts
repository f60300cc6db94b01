/** How an isolate follows `live.json`, with a clock of the test and a time to live of 10 ms. */
import { beforeEach, expect, it } from 'vitest'
import { followLive, parseLiveSlot, type LiveSlot } from '../../src/edge/core/live.ts'

let now: number
let reads: number
let follower: ReturnType<typeof followLive>
const follow = (ttlMs: number) => followLive({ ttlMs, clock: () => now, onDamaged: () => undefined })
const slotOf = (slot: string): LiveSlot => ({
  slot,
  snapshot: `2026-11-20-${slot}`,
  docsUrl: 'https://docs.example.org',
  liveSince: '2026-11-20T01:00:00.000Z',
})
const read = (slot: string) => () => {
  reads += 1
  return Promise.resolve(slotOf(slot))
}
const failing = () => {
  reads += 1
  return Promise.reject(new Error('no R2'))
}
const slotNow = async (look: () => Promise<LiveSlot>) => (await follower.current(look)).live.slot

beforeEach(() => {
  now = 1000
  reads = 0
  follower = follow(10)
})

it('looks once in the time to live', async () => {
  expect(await slotNow(read('blue'))).toBe('blue')
  now += 9
  expect(await slotNow(read('green'))).toBe('blue')
  expect(reads).toBe(1)
  now += 1
  expect(await slotNow(read('green'))).toBe('green')
  expect(reads).toBe(2)
})

/** A look that ends when `arrive` is called. */
function slowLook() {
  const { promise, resolve: arrive } = Promise.withResolvers<LiveSlot>()
  return { look: slotNow(() => promise), arrive }
}

it('looks for each request if there is no time to live', async () => {
  follower = follow(0)
  expect(await slotNow(read('blue'))).toBe('blue')
  expect(await slotNow(read('green'))).toBe('green')
})

it('lets one request look, and no other waits for it', async () => {
  await slotNow(read('blue'))
  now += 12
  const slow = slowLook()
  expect(await slotNow(read('green'))).toBe('blue')
  expect(reads).toBe(1)
  slow.arrive(slotOf('green'))
  expect(await slow.look).toBe('green')
  expect(await slotNow(failing)).toBe('green')
})

it('looks again if a look never ends and the last one is too old', async () => {
  await slotNow(read('blue'))
  now += 12
  slowLook()
  expect(await slotNow(read('green'))).toBe('blue')
  now += 3
  expect(await slotNow(read('green'))).toBe('green')
  now += 10
  expect(await slotNow(read('blue'))).toBe('blue')
})

it('keeps the last look for half a time to live more if a look fails, and then fails', async () => {
  await expect(follower.current(failing)).rejects.toThrow('no R2')
  await slotNow(read('blue'))
  now += 14
  expect(await slotNow(failing)).toBe('blue')
  now += 1
  await expect(follower.current(failing)).rejects.toThrow('no R2')
})

it('keeps the look that began last if two end in the other order', async () => {
  const early = slowLook()
  now += 1
  expect(await slotNow(read('green'))).toBe('green')
  early.arrive(slotOf('blue'))
  expect(await early.look).toBe('blue')
  expect(await slotNow(failing)).toBe('green')
})

it('looks again before an answer that took twice the time to live goes out', async () => {
  const look = await follower.current(read('blue'))
  now += 19
  expect([follower.isSafe(look), await follower.isStillLive(look, failing)]).toEqual([true, true])
  expect(reads).toBe(1)
  now += 1
  expect(follower.isSafe(look)).toBe(false)
  expect(await follower.isStillLive(look, read('blue'))).toBe(true)
  now += 20
  expect(await follower.isStillLive(look, read('green'))).toBe(false)
  const later = { ...slotOf('blue'), liveSince: '2026-11-21T01:00:00.000Z' }
  expect(await follower.isStillLive(look, () => Promise.resolve(later))).toBe(false)
})

it('keeps the last look while live.json is damaged, if it has looked in time', async () => {
  const damaged = () => Promise.resolve().then(() => parseLiveSlot('{"format":1,"slot":"green"}'))
  await expect(follower.current(damaged)).rejects.toThrow('not one of this fundpress')
  await slotNow(read('blue'))
  for (let look = 0; look < 10; look++) {
    now += 19
    expect(await slotNow(damaged)).toBe('blue')
  }
  now += 20
  await expect(follower.current(damaged)).rejects.toThrow('not one of this fundpress')
  expect(await slotNow(read('green'))).toBe('green')
})

it.each([
  ['no JSON', null],
  ['an address that is none', { docsUrl: 'javascript:alert(1)' }],
  ['a snapshot that is none', { snapshot: '../x' }],
  ['another format', { format: 2 }],
  ['another slot', { slot: 'red' }],
  ['no time', { liveSince: 'now' }],
])('refuses a live.json with %s', (_, changes) => {
  const text = changes === null ? '<html>' : JSON.stringify({ format: 1, ...slotOf('blue'), ...changes })
  expect(() => parseLiveSlot(text)).toThrow('not one of this fundpress')
})

it('keeps the folders of downloads', () => {
  const downloads = { folder: '2026-11-20-3f9c2ab4d1e0' }
  const earlierDownloads = { '2026-11': '19-aaaaaaaaaaaa' }
  const live = { format: 1, ...slotOf('blue'), downloads, earlierDownloads }
  expect(parseLiveSlot(JSON.stringify(live))).toMatchObject({ downloads, earlierDownloads })
})

/** How an isolate follows `live.json`, by a clock of its own: in the tests' seconds, with a time to live of ten. */
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

it('looks for each request without a time to live', async () => {
  follower = follow(0)
  expect(await slotNow(read('blue'))).toBe('blue')
  expect(await slotNow(read('green'))).toBe('green')
})

it('has one request look while the others go on, and lets none of them wait for it', async () => {
  await slotNow(read('blue'))
  now += 12
  let arrive: (live: LiveSlot) => void = () => undefined
  const slow = slotNow(() => new Promise((resolve) => (arrive = resolve)))
  expect(await slotNow(read('green'))).toBe('blue')
  expect(reads).toBe(1)
  arrive(slotOf('green'))
  expect(await slow).toBe('green')
  expect(await slotNow(failing)).toBe('green')
})

it('does without the one that never comes back, once what was seen is too old', async () => {
  await slotNow(read('blue'))
  now += 12
  void slotNow(() => new Promise(() => undefined))
  expect(await slotNow(read('green'))).toBe('blue')
  now += 3
  expect(await slotNow(read('green'))).toBe('green')
  now += 10
  expect(await slotNow(read('blue'))).toBe('blue')
})

it('answers from what it saw for half a time to live longer where a look fails, and then no more', async () => {
  await expect(follower.current(failing)).rejects.toThrow('no R2')
  await slotNow(read('blue'))
  now += 14
  expect(await slotNow(failing)).toBe('blue')
  now += 1
  await expect(follower.current(failing)).rejects.toThrow('no R2')
})

it('keeps the look that began last where two arrive in the other order', async () => {
  let arrive: (live: LiveSlot) => void = () => undefined
  const early = slotNow(() => new Promise((resolve) => (arrive = resolve)))
  now += 1
  expect(await slotNow(read('green'))).toBe('green')
  arrive(slotOf('blue'))
  expect(await early).toBe('blue')
  expect(await slotNow(failing)).toBe('green')
})

it('asks again before an answer that took twice the time to live is given out', async () => {
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

it('goes on with what it saw while live.json is damaged, as long as it has looked in time', async () => {
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
  ['no JSON', '<html>', 'not one of this fundpress'],
  [
    'an address that is none',
    JSON.stringify({ format: 1, ...slotOf('blue'), docsUrl: 'javascript:alert(1)' }),
    'not one of',
  ],
  [
    'a snapshot that is none',
    JSON.stringify({ format: 1, ...slotOf('blue'), snapshot: '../x' }),
    'not one of',
  ],
  ['another format', JSON.stringify({ format: 2, ...slotOf('blue') }), 'not one of this fundpress'],
  ['another slot', JSON.stringify({ format: 1, ...slotOf('red') }), 'not one of this fundpress'],
  [
    'no time',
    JSON.stringify({ format: 1, ...slotOf('blue'), liveSince: 'now' }),
    'not one of this fundpress',
  ],
])('refuses a live.json with %s', (_, text, message) => {
  expect(() => parseLiveSlot(text)).toThrow(message)
})

it('knows which folders have downloads', () => {
  const downloads = { folder: '2026-11-20-3f9c2ab4d1e0' }
  const earlierDownloads = { '2026-11': '19-aaaaaaaaaaaa' }
  const live = { format: 1, ...slotOf('blue'), downloads, earlierDownloads }
  expect(parseLiveSlot(JSON.stringify(live))).toMatchObject({ downloads, earlierDownloads })
})

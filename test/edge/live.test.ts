/** How an isolate follows `live.json`, with a clock of the test and a time to live of 10 ms. */
import { beforeEach, describe, expect, it } from 'vitest'
import { followLive, noAnswer } from '../../src/core/edge/core/live.ts'
import { readLiveOrLast, type LiveSlot } from '../../src/core/edge/core/live-file.ts'

let now: number
let reads: number
let follower: ReturnType<typeof followLive>
const follow = (ttlMs: number) => followLive({ ttlMs, clock: () => now })
const slotOf = (slot: LiveSlot['slot']): LiveSlot => ({
  slot,
  snapshot: '2026-11-20-3f9c2ab4d1e0',
  docsUrl: 'https://docs.example.org',
  liveSince: '2026-11-20T01:00:00.000Z',
})
const read = (slot: LiveSlot['slot']) => () => {
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

/** A store that does not answer. */
const silent = () => {
  reads += 1
  return Promise.reject(noAnswer('no R2'))
}

describe('while the store does not answer', () => {
  beforeEach(async () => {
    await slotNow(read('blue'))
    now += 15
    expect(await slotNow(silent)).toBe('blue')
    reads = 0
  })

  it('keeps the last look, reads nothing, and takes what is in the cache for what is live', async () => {
    expect(follower.isCutOff()).toBe(true)
    expect(() => follower.assertReachable()).toThrow('the store does not answer')
    now += 500
    const look = await follower.current(silent)
    expect(look.live.slot).toBe('blue')
    expect(await follower.isStillLive(look, silent)).toBe(true)
    expect(reads).toBe(0)
  })

  it('looks once a second in the background, and no request waits for it', async () => {
    const { promise, resolve } = Promise.withResolvers<LiveSlot>()
    now += 1000
    const deferred: unknown[] = []
    expect(
      (
        await follower.current(
          () => promise,
          (work) => deferred.push(work),
        )
      ).live.slot,
    ).toBe('blue')
    expect(deferred).toHaveLength(1)
    expect(await slotNow(read('green'))).toBe('blue')
    expect(reads).toBe(0)
    resolve(slotOf('green'))
    await deferred[0]
    expect(await slotNow(failing)).toBe('green')
    expect(follower.isCutOff()).toBe(false)
  })

  it('looks at once after a pause, and keeps the last look for a day', async () => {
    now += 60_000
    expect(await slotNow(silent)).toBe('blue')
    expect(reads).toBe(1)
    now += 60_000
    expect(await slotNow(read('green'))).toBe('green')
    now += 86_400_000 - 1
    expect(await slotNow(silent)).toBe('green')
    now += 1
    await expect(follower.current(silent)).rejects.toThrow('no R2')
  })

  it('keeps nothing that was read when the slot was no longer protected', async () => {
    const blue = { live: slotOf('blue') }
    now += 4
    await follower.confirm(blue, silent)
    now += 1
    await expect(follower.confirm(blue, silent)).rejects.toThrow('the store does not answer')
    now += 20_000
    await follower.confirm(blue, read('blue'))
    now += 20
    await expect(follower.confirm(blue, read('green'))).rejects.toThrow('another snapshot is live now')
  })

  it('takes an answer for an answer: what is denied, or not there, does not count', async () => {
    now += 20_000
    await expect(follower.current(failing)).rejects.toThrow('no R2')
    expect(follower.isCutOff()).toBe(false)
  })
})

it('goes on with a look that was made elsewhere if it cannot look itself', async () => {
  await expect(follower.current(silent)).rejects.toThrow('no R2')
  follower.adopt({ live: slotOf('blue'), at: now - 5000 })
  expect(await slotNow(failing)).toBe('blue')
  expect(follower.isCutOff()).toBe(true)
  follower.adopt({ live: slotOf('green'), at: now - 6000 })
  expect(await slotNow(failing)).toBe('blue')
})

it('looks again before an answer that took twice the time to live goes out', async () => {
  const look = await follower.current(read('blue'))
  now += 19
  expect(follower.isSafe(look)).toBe(true)
  expect(await follower.isStillLive(look, failing)).toBe(true)
  expect(reads).toBe(1)
  now += 1
  expect(follower.isSafe(look)).toBe(false)
  expect(await follower.isStillLive(look, read('blue'))).toBe(true)
  now += 20
  expect(await follower.isStillLive(look, read('green'))).toBe(false)
  const later = { ...slotOf('blue'), liveSince: '2026-11-21T01:00:00.000Z' }
  expect(await follower.isStillLive(look, () => Promise.resolve(later))).toBe(false)
})

describe('while live.json is damaged or gone', () => {
  const status = JSON.stringify({ snapshot: slotOf('blue').snapshot })
  const journal = '{"format":1,"changing":{"green":"journal/1.changes.ndjson.gz"}}'
  const inBucket = (files: Readonly<Record<string, string>>) => (last: LiveSlot | undefined) =>
    readLiveOrLast((key) => Promise.resolve(files[key] ?? null), last).then(({ live }) => live)
  const whole = { 'blue/status/index.json': status, 'journal.json': journal }
  const texts = ['{', '', '<html>login</html>', '{"format":2,"slot":"blue"}', '{"format":1,"slot":"green"}']
  const look = (files: Readonly<Record<string, string>>) => follower.current(inBucket(files))

  it.each([...texts.map((text) => ({ ...whole, 'live.json': text })), whole])(
    'goes on with the last good one, however long that is ago: %j',
    async (files) => {
      await expect(look(files)).rejects.toThrow(/^live\.json (is missing|was not written by this version)/)
      await follower.current(read('blue'))
      for (const pause of [10, 50, 1e9, 19]) {
        now += pause
        expect((await look(files)).live).toEqual(slotOf('blue'))
        expect(follower.isCutOff()).toBe(false)
      }
      now += 20
      expect(await slotNow(read('green'))).toBe('green')
    },
  )

  it.each([
    [
      'the slot holds another snapshot',
      { ...whole, 'blue/status/index.json': '{"snapshot":"2026-11-21-000000000000"}' },
    ],
    ['the slot holds nothing', { 'journal.json': journal }],
    [
      'a publish has begun to change the slot',
      { ...whole, 'journal.json': '{"format":1,"changing":{"blue":"x"}}' },
    ],
    ['the journal is gone', { 'blue/status/index.json': status }],
    ['the journal is damaged', { ...whole, 'journal.json': '{"format":1,' }],
    ['the journal is of another version', { ...whole, 'journal.json': '{"format":2,"changing":{}}' }],
  ])('reads nothing more, and answers from the cache, if %s', async (_, files) => {
    await follower.current(read('blue'))
    now += 30
    expect((await look({ ...files, 'live.json': '{' })).live).toEqual(slotOf('blue'))
    expect(follower.isCutOff()).toBe(true)
    expect(() => follower.assertReachable()).toThrow('the store does not answer')
    // The store answers, so the next request is told at once.
    expect(await slotNow(read('green'))).toBe('green')
    expect(follower.isCutOff()).toBe(false)
  })
})

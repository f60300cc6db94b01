/** Publishes to a store that fails now and then, and to one that is down for good. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import type { FaultRule } from '../support/s3/faults.ts'
import type { StoredObject } from '../support/s3/storage.ts'
import { sample } from '../support/rounds.ts'

let nights: Nights
let one = ''
let two = ''
/** All that lies in a bucket in which the first night is live. */
let published: ReadonlyMap<string, StoredObject>

beforeAll(async () => {
  nights = await buildNights(2, 1, { years: 1 })
  ;[one = '', two = ''] = nights.outs
  const press = await openPress({ ...nights, remove: () => undefined })
  expect(await press.publish(one)).toMatchObject({ code: 0, stderr: '' })
  published = press.server.snapshot().get(press.bucket.name) ?? new Map()
  await press.stop()
})

afterAll(() => {
  nights.remove()
})

/** Each test has its own bucket, in which the first night is live: the faults of one test do not reach the others. */
async function withPress(test: (press: Press) => Promise<void>): Promise<void> {
  // The nights are shared, and removed at the end.
  const press = await openPress({ ...nights, remove: () => undefined })
  try {
    press.server.restore(press.bucket.name, published)
    await test(press)
  } finally {
    await press.stop()
  }
}

const weather: Readonly<Record<string, readonly FaultRule[]>> = {
  'answers 503 SlowDown now and then': [{ kind: 'status', status: 503, code: 'SlowDown', probability: 0.05 }],
  'answers 500 now and then': [{ kind: 'status', status: 500, probability: 0.1 }],
  'carries requests out and answers 500 all the same': [
    { kind: 'status-after', status: 500, probability: 0.1 },
  ],
  'cuts connections before it carries requests out': [{ kind: 'cut-before', probability: 0.1 }],
  'cuts connections after it has carried requests out': [{ kind: 'cut-after', probability: 0.1 }],
  'breaks answers off in the middle': [{ kind: 'truncate', method: 'GET', probability: 0.3 }],
  'is slow': [{ kind: 'delay', ms: 100, probability: 0.2 }],
  'asks to try conditional writes again': [
    {
      kind: 'status',
      status: 409,
      code: 'ConditionalRequestConflict',
      keyMatches: /^(live|journal)\.json$/,
      probability: 0.4,
    },
  ],
  'has a bad day altogether': [
    { kind: 'delay', ms: 20, probability: 0.1 },
    { kind: 'status', status: 503, code: 'SlowDown', probability: 0.03 },
    { kind: 'status-after', status: 500, probability: 0.03 },
    { kind: 'cut-before', probability: 0.03 },
    { kind: 'cut-after', probability: 0.03 },
    { kind: 'truncate', method: 'GET', probability: 0.1 },
  ],
}

describe.concurrent.each(Object.entries(weather))('a store that %s', (_, rules) => {
  // A store that says SlowDown is taken at its word: those publishes last.
  const seeds = JSON.stringify(rules).includes('SlowDown') ? [1, 2] : [1, 2, 3, 4]
  it.each(sample(seeds))('has the whole new snapshot, or keeps the old one live (seed %d)', (seed) =>
    withPress(async (press) => {
      const before = press.bucket.live()
      press.server.faults(rules, seed)
      const run = await press.publish(two)
      press.server.faults([])

      const live = press.bucket.live()
      expect(press.bucket.faultsOf(live?.slot)).toEqual([])
      expect(press.bucket.writesIntoLive(before?.slot)).toEqual([])
      if (run.code === 0) expect(live?.snapshot).not.toBe(before?.snapshot)
      else {
        expect(run.stderr.trim().split('\n')).toHaveLength(1)
        expect(run.stderr).toMatch(/^fundpress: .+/)
      }
      expect(await press.publish(two)).toMatchObject({ code: 0, stderr: '' })
      expect(press.bucket.differencesFrom(two, press.bucket.live()?.slot)).toEqual([])
    }),
  )
})

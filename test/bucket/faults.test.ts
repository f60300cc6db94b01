/** Publishes to a store that fails now and then, and to each store through a network that fails. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectSuccess, oneLine } from '../cli/outcome.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { openPress } from '../support/press.ts'
import { runFundpress, forced } from '../support/product.ts'
import { bucketArgs, publishArgs } from '../support/publishing.ts'
import { isComplete, sample } from '../support/rounds.ts'
import { startFaultProxy } from '../support/s3/fault-proxy.ts'
import type { FaultRule } from '../support/s3/faults.ts'
import type { StoredObject } from '../support/s3/storage.ts'
import { forEachStore } from '../support/s3/stores.ts'

let nights: Nights
/** All that lies in a bucket in which the first snapshot is live. */
let published: ReadonlyMap<string, StoredObject>
/** The snapshots are shared, and removed at the end. */
const open = () => openPress({ ...nights, remove: () => undefined })

beforeAll(async () => {
  nights = await buildNights(3, 1, { years: 1, isSmall: true })
  const press = await open()
  await expectSuccess(press.publish('night-1'))
  published = press.server.snapshot().get(press.bucket.name) ?? new Map()
  await press.stop()
})

afterAll(() => {
  nights.remove()
})

const weather: Readonly<Record<string, readonly FaultRule[]>> = {
  'answers 503 SlowDown now and then': [{ kind: 'status', status: 503, code: 'SlowDown', probability: 0.15 }],
  'answers 500 now and then': [{ kind: 'status', status: 500, probability: 0.25 }],
  'carries requests out and answers 500 all the same': [
    { kind: 'status-after', status: 500, probability: 0.25 },
  ],
  'cuts connections before it carries requests out': [{ kind: 'cut-before', probability: 0.25 }],
  'cuts connections after it has carried requests out': [{ kind: 'cut-after', probability: 0.25 }],
  'breaks answers off in the middle': [{ kind: 'truncate', method: 'GET', probability: 0.3 }],
  'is slow': [{ kind: 'delay', ms: 100, probability: 0.2 }],
  'asks to try conditional writes again': [
    { kind: 'status', status: 409, keyMatches: /^(live|journal)\.json$/, probability: 0.4 },
  ],
  'has a bad day altogether': [
    { kind: 'delay', ms: 20, probability: 0.25 },
    { kind: 'status', status: 503, code: 'SlowDown', probability: 0.06 },
    { kind: 'status-after', status: 500, probability: 0.06 },
    { kind: 'cut-before', probability: 0.06 },
    { kind: 'cut-after', probability: 0.06 },
    { kind: 'truncate', method: 'GET', probability: 0.25 },
  ],
}

const cases = Object.entries(weather).flatMap(([what, rules]) => {
  const seeds = what.includes('bad day') ? [1, 2] : [1, 2, 3]
  return sample(seeds).map((seed) => [what, seed, rules] as const)
})
it.concurrent.each(cases)(
  'a store that %s has the whole new snapshot, or keeps the old one live (seed %d)',
  async (_, seed, rules) => {
    // A bucket of its own: the faults of one test do not reach the others.
    const press = await open()
    try {
      press.server.restore(press.bucket.name, published)
      const before = press.bucket.live()
      press.server.faults(rules, seed)
      const run = await press.publish('night-2')
      press.server.faults([])

      const live = press.bucket.live()
      expect(press.bucket.faultsOf(live?.slot)).toEqual([])
      expect(press.bucket.writesIntoLive(before?.slot)).toEqual([])
      if (run.code === 0) expect(live?.snapshot).not.toBe(before?.snapshot)
      else expect(run.stderr).toMatch(oneLine)
      await expectSuccess(press.publish('night-2'))
      expect(press.bucket.differencesFrom('night-2', press.bucket.live()?.slot)).toEqual([])
    } finally {
      await press.stop()
    }
  },
)

it.concurrent.each([
  ['while it uploads', /^green\/api/],
  ['at its flip', /^live\.json$/],
])('a publish waits for a store that restarts %s, and goes on', async (_, keyMatches) => {
  const press = await open()
  try {
    press.server.restore(press.bucket.name, published)
    let isBack: Promise<unknown> | undefined
    // Not waited for: this request ends, too.
    const restart = () => void (isBack = press.server.restart(3000))
    press.server.faults([{ kind: 'call', when: 'before', method: 'PUT', keyMatches, times: 1, run: restart }])
    await expectSuccess(press.publish('night-2'))
    await isBack
    const { slot } = press.bucket.live() ?? {}
    expect([slot, press.bucket.differencesFrom('night-2', slot)]).toEqual(['green', []])
  } finally {
    await press.stop()
  }
})

forEachStore((store) => {
  const env = () => ({
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    // Nothing is later than the proxy makes it.
    FUNDPRESS_BUCKET_LATE_SECONDS: '1',
  })
  const run = (command: string, ...flags: readonly string[]) =>
    runFundpress([command, ...bucketArgs(store.endpoint, store.bucket), ...flags], { env: env() })
  const expectWhole = async () => expect(await run('verify', '--deep', '--json')).toMatchObject({ code: 0 })
  const liveNow = async () =>
    (JSON.parse((await run('status', '--json')).stdout) as { live: { snapshot: string } | null }).live
      ?.snapshot
  const publish = (endpoint: string, night: number) =>
    runFundpress(publishArgs(endpoint, store.bucket, nights.outs[night] ?? '', ...forced), { env: env() })

  // In `npm test`, store.test.ts shows that radosgw answers as our own does.
  const test = it.runIf(isComplete || store.name === 'our own')
  test(`publishes whole snapshots to ${store.name} through a network that fails, or says what failed`, async () => {
    await expectSuccess(publish(store.endpoint, 0))
    for (const [index, seed] of sample([11, 12]).entries()) {
      const proxy = await startFaultProxy(store.endpoint, seed)
      const cuts = { cutBefore: 0.04, cutRequest: 0.04, cutAfter: 0.04, cutAnswer: 0.04, truncate: 0.04 }
      proxy.set({ ...cuts, status: 0.06, delay: 0.05 })
      const before = await liveNow()
      const published = await publish(proxy.endpoint, index + 1)
      await proxy.stop()
      if (published.code === 0) expect(await liveNow()).not.toBe(before)
      else expect(published.stderr).toMatch(oneLine)
      await expectWhole()
      await expectSuccess(publish(store.endpoint, index + 1))
      await expectWhole()
    }
  })

  test(`rolls back and forth on ${store.name}`, async () => {
    const live = await liveNow()
    await expectSuccess(run('rollback'))
    expect(await liveNow()).not.toBe(live)
    await expectWhole()
    await expectSuccess(run('rollback', '--allow', 'hold', '--reason', 'again'))
    expect(await liveNow()).toBe(live)
  })
})

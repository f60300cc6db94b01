/** `publish` and `plan`: what goes live, what it costs, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import { withLocalNames } from '../support/local-names.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

type Summary = Readonly<Record<'snapshot' | 'slot', string> & Record<'put' | 'deleted' | 'bytes', number>> & {
  readonly requests: Readonly<Record<string, number>>
}

const bucket = 'fund-data'
let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 4, { years: 1, until: '2026-11-18' }), { bucket })
  await press.nights.change('b', newBenchmark(1))
  await press.nights.change('c', newBenchmark(2))
})
afterAll(() => press.stop())

/** What plan says that publish will ask for. */
const nonzero = (requests: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(requests).filter(([, count]) => count > 0))

/** Plans and publishes, and holds the one against the other. */
async function publishAsPlanned(flags: string): Promise<Summary> {
  press.server.reset()
  const planned = await press.json<Summary>(`plan ${flags}`)
  const written = Object.keys(press.server.counts()).filter((operation) => /Put|Delete/.test(operation))
  expect(written).toEqual([])
  press.server.reset()
  const done = await press.json<Summary>(`publish ${flags}`)
  expect(nonzero(press.server.counts())).toEqual(nonzero(done.requests))
  const { snapshot, slot, put, deleted, bytes } = done
  expect(planned).toMatchObject({ snapshot, slot, put, deleted, bytes })
  expect(nonzero(planned.requests)).toEqual(nonzero(done.requests))
  return done
}

describe('one snapshot after the other', () => {
  it('the first publish puts every object, as planned', async () => {
    const done = await publishAsPlanned('--out night-1')
    expect(done).toMatchObject({ slot: 'blue', put: press.nights.sums('night-1').size, deleted: 0 })
    expect(press.bucket.differencesFrom('night-1', 'blue')).toEqual([])
    const live = JSON.parse(String(press.bucket.body('live.json')))
    expect(live).toMatchObject({ slot: 'blue', snapshot: done.snapshot, previous: null })
  })

  it('a publish gives each object its type, caching and digest', () => {
    const [key, digest] = [...press.nights.sums('night-1')].find(([one]) => one.endsWith('.xml')) ?? ['', '']
    const object = press.server.objects(bucket).get(`blue/${key}`)
    expect(object?.headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
      'x-amz-meta-sha256': digest,
    })
  })

  it('a publish of the live snapshot makes one request and changes nothing', async () => {
    const before = press.server.snapshot()
    press.server.reset()
    await expectSuccess(press.fundpress('publish --out night-1'))
    expect(press.server.counts()).toEqual({ GetObject: 1 })
    expect(press.server.snapshot()).toEqual(before)
  })

  it('the next publish fills the other slot', async () => {
    const done = await publishAsPlanned('--out b')
    expect(done).toMatchObject({ slot: 'green', put: press.nights.sums('b').size })
    expect(press.bucket.differencesFrom('b', 'green')).toEqual([])
    expect(press.bucket.differencesFrom('night-1', 'blue')).toEqual([])
  })

  it('a publish costs one put for each changed object, four for statistics and status, and a constant', async () => {
    const before = press.nights.sums('night-1')
    const sums = [...press.nights.sums('c')]
    const changed = sums.filter(([key, sum]) => before.get(key) !== sum).map(([key]) => key)
    expect(changed.filter((key) => key.startsWith('api/'))).toHaveLength(4)
    expect(changed.slice(4)).toEqual([
      'statistics.ndjson',
      'status/de.html',
      'status/index.html',
      'status/index.json',
    ])
    const done = await publishAsPlanned('--out c')
    expect(done).toMatchObject({ slot: 'blue', put: changed.length, deleted: 0 })
    const puts = press.server.log.filter(({ operation }) => operation === 'PutObject').map(({ key }) => key)
    const ofObjects = puts.filter((key) => /^blue\/(api\/|status\/|statistics)/.test(key)).sort()
    expect(ofObjects).toEqual(changed.map((key) => `blue/${key}`))
    // Eighteen are puts. Eight of these tell what changed, and none can stay as it was: the day's file and its two pages, two
    // pages and two feeds over all days, the index. One get reads what the day changed before: it was published already.
    expect(press.requests() - changed.length).toBeLessThanOrEqual(34)
    expect(press.bucket.differencesFrom('c', 'blue')).toEqual([])
  })

  it('a publish leaves only the released journal and the ETags beside the slots', () => {
    const keys = press.bucket.keys().filter((key) => !/^(blue|green)\//.test(key))
    const etags = ['journal/blue.etags.ndjson.gz', 'journal/green.etags.ndjson.gz']
    expect(keys.sort()).toEqual(['journal.json', ...etags, 'live.json'])
    const journal = JSON.parse(String(press.bucket.body('journal.json')))
    expect(journal).toMatchObject({ isHeld: false, changing: {} })
  })

  it('a publish deletes objects that the snapshot lacks', async () => {
    const first =
      'SELECT isin, min(type) FROM structure_item WHERE isin = (SELECT min(isin) FROM structure_item)'
    await press.nights.change('less', `DELETE FROM structure_item WHERE (isin, type) IN (${first})`)
    const done = await publishAsPlanned('--out less')
    expect(done.deleted).toBeGreaterThan(0)
    expect(press.bucket.differencesFrom('less', 'green')).toEqual([])
    expect(await press.json('publish --out c')).toMatchObject({ slot: 'blue', put: 0, deleted: 0 })
  })
})

it('rollback writes live.json once under the lease, and --to accepts only the other snapshot', async () => {
  type Live = Readonly<Record<'snapshot' | 'slot', string>> & { previous: { snapshot: string } }
  const live = async () => (await press.json<{ live: Live }>('status')).live
  const before = await live()
  const to = before.previous.snapshot
  press.server.reset()
  const stdout = await expectSuccess(press.fundpress(`rollback --no-hold --to ${to}`))
  expect(stdout).toBe(`${to} is live again, in green\n`)
  const written = press.server.log.filter(({ operation }) => operation === 'PutObject').map(({ key }) => key)
  // The lease: acquired, tried, released.
  const lease = ['journal.json', 'journal.json', 'live.json']
  expect(written).toEqual([...lease, 'nightly/history.json', 'journal.json'])
  expect(await live()).toMatchObject({ slot: 'green', previous: { snapshot: before.snapshot } })
  await expectFailure(press.fundpress(`rollback --to ${to}`), `s3://${bucket}: ${to} is live already\n`)
  const { slot, snapshot } = before
  expect(await press.json('rollback --no-hold --allow hold --reason again')).toMatchObject({ slot, snapshot })
})

it('plan computes the cost with the prices of the settings', async () => {
  interface Costs {
    readonly requests: Readonly<Record<'PutObject' | 'GetObject' | 'ListObjectsV2', number>>
    readonly slotBytes: number
    readonly cost: Readonly<Record<'publish' | 'month', number>>
  }
  await press.nights.change('planned', newBenchmark(3))
  const { requests, slotBytes, cost } = await press.json<Costs>('plan --out planned')
  const dearOnes = requests.PutObject + requests.ListObjectsV2
  const one = (dearOnes * 0.005) / 1000 + (requests.GetObject * 0.0004) / 1000
  expect(cost.publish).toBeCloseTo(one, 12)
  expect(cost.month).toBeCloseTo(30 * one + ((2 * slotBytes) / 1e9) * 0.023, 12)
  const dear = {
    FUNDPRESS_STORE_PRICES_PER_MILLION_PUTS: '1000000',
    FUNDPRESS_STORE_PRICES_PER_MILLION_GETS: '0',
  }
  const { stdout } = await press.fundpress('plan --out planned --json', dear)
  expect((JSON.parse(stdout) as Costs).cost.publish).toBe(dearOnes)
})

describe('--flip-kvs', () => {
  let store: KeyValueStoreServer
  beforeAll(async () => {
    store = await startKeyValueStore()
    return store.stop
  })
  const flip = (line: string, env: Readonly<Record<string, string>> = {}) => {
    const endpoint = { AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint }
    return expectSuccess(
      press.fundpress(`${line} --flip-kvs ${store.arn}`, { ...withLocalNames, ...endpoint, ...env }),
    )
  }
  /** What live.json and the KeyValueStore say, which has to be the same. */
  const said = () => {
    const { slot, snapshot, liveSince, docsUrl } = JSON.parse(String(press.bucket.body('live.json')))
    expect(JSON.parse(store.keys.get('live') ?? '{}')).toEqual({ slot, snapshot, liveSince, docsUrl })
    return `${slot} ${snapshot}`
  }

  it('each publish and each rollback writes the values of live.json, and a publish repairs a wrong one', async () => {
    await flip('publish --out b --force --reason test')
    const published = said()
    store.put('live', '{"slot":"green","snapshot":"x"}')
    await flip('publish --out b')
    expect(said()).toBe(published)
    await flip('rollback')
    expect(said()).not.toBe(published)
  })

  it('with a preview token a stage names its snapshot beside the live one, until a flip or another publish', async () => {
    const token = 'preview-token-of-a-test'
    const env = { FUNDPRESS_EDGE_PREVIEW_TOKEN: token }
    await flip('publish --out b --force --reason test', env)
    await flip('publish --out night-1 --stage --force --reason test', env)
    const { slot, snapshot } = JSON.parse(String(press.bucket.body('staged.json')))
    const preview = () => JSON.parse(store.keys.get(`preview-${token}`) ?? 'null') as unknown
    expect(preview()).toMatchObject({ slot, snapshot })
    expect(said()).not.toBe(`${slot} ${snapshot}`)
    await flip(`flip ${snapshot}`, env)
    expect(said()).toBe(`${slot} ${snapshot}`)
    expect(preview()).toBe(null)
    await flip('publish --out b --stage --force --reason test', env)
    await flip('publish --out b --repair --force --reason test', env)
    expect(preview()).toBe(null)
  })
})

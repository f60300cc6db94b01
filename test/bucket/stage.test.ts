/** Staged snapshots: a stage uploads one completely, readers see it after its `flip`, and the guards are the same. */
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import type { LiveJson } from '../support/bucket.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

let press: Press
/** Snapshot ids by their folders. */
const ids: Record<string, string> = {}
/** The bucket with `night-1` live and `night-2` staged. */
let stagedBucket: () => void
let publishedBucket: () => void

beforeAll(async () => {
  const nights = await buildNights(2, 1, { years: 1, isSmall: true })
  press = await openPress(nights)
  await nights.change('changed', newBenchmark(1))
  await nights.change('fewer', 'DELETE FROM price WHERE date = (SELECT min(date) FROM price)')
  await nights.change('no-emt', 'DELETE FROM emt')
  for (const name of ['night-2', 'changed', 'fewer', 'no-emt', 'night-1']) {
    const { snapshot } = await press.json<{ snapshot: string }>(`plan --out ${name}`)
    ids[name] = snapshot
  }
  await expectSuccess(press.publish('night-1'))
  publishedBucket = press.bucket.save()
  await expectSuccess(stage('night-2'))
  stagedBucket = press.bucket.save()
})
afterAll(() => press.stop())
beforeEach(() => {
  press.server.reset()
  stagedBucket()
})

const id = (name: string) => ids[name] ?? ''
const stage = (out: string, ...flags: readonly string[]) => press.publish(out, '--stage', ...flags)
const flip = (name: string, ...flags: readonly string[]) => press.fundpress(['flip', id(name), ...flags])
const live = () => press.bucket.live()?.snapshot
const staged = () => {
  const text = press.bucket.body('staged.json').toString()
  return text === '' ? null : (JSON.parse(text) as LiveJson)
}
const events = () =>
  (
    JSON.parse(press.bucket.body('nightly/history.json').toString()) as {
      readonly events: readonly Readonly<Record<string, unknown>>[]
    }
  ).events
const puts = () => press.server.log.filter(({ operation }) => operation === 'PutObject').map(({ key }) => key)
/** What is live is whole, and so is what is staged. */
const expectWhole = () => {
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  if (staged() !== null) expect(press.bucket.faultsOf(staged()?.slot)).toEqual([])
}

it('publish --stage uploads a snapshot and names it in staged.json; live.json stays as it was', async () => {
  publishedBucket()
  const before = press.bucket.body('live.json')
  await expectSuccess(stage('night-2'))
  expect(press.bucket.body('live.json')).toEqual(before)
  expect(press.bucket.differencesFrom('night-2', 'green')).toEqual([])
  // All that the flip will write but its own time.
  const told = { ...staged(), liveSince: expect.any(String) as string }
  await expectSuccess(flip('night-2'))
  expect(press.bucket.live()).toMatchObject(told)
})

it('staging the same snapshot again, or the live one, does nothing', async () => {
  press.server.reset()
  await expectSuccess(stage('night-2'))
  await expectSuccess(stage('night-1'))
  expect(puts()).toEqual([])
  expect(await press.json('status')).toMatchObject({
    live: { snapshot: id('night-1') },
    staged: { snapshot: id('night-2'), slot: 'green' },
  })
})

it('flip makes it live with one write, and keeps in the history who has done so', async () => {
  press.server.reset()
  await expectSuccess(flip('night-2', '--reason', 'looks right'))
  const lease = ['journal.json', 'journal.json']
  expect(puts()).toEqual([...lease, 'live.json', 'nightly/history.json', 'journal.json'])
  expect(live()).toBe(id('night-2'))
  expect(staged()).toBeNull()
  expect(press.bucket.keys('journal/').filter((key) => key.includes('changes'))).toEqual([])
  expect(events().slice(-2)).toMatchObject([
    { kind: 'staged', snapshot: id('night-2'), reason: null },
    { kind: 'flipped', snapshot: id('night-2'), reason: 'looks right' },
  ])
  expectWhole()
})

it('flip refuses a snapshot whose downloads are gone', async () => {
  const before = press.bucket.body('live.json')
  const downloads = { folder: id('night-2'), files: 1, bytes: 1, sums: '0'.repeat(64) }
  press.bucket.put('staged.json', JSON.stringify({ ...staged(), downloads }))
  const why = `downloads/${id('night-2')}/ does not hold its downloads`
  await expectFailure(flip('night-2'), `green is not whole (${why}): publish with --repair instead`)
  expect(press.bucket.body('live.json')).toEqual(before)
  await expectSuccess(stage('night-2', '--repair'))
  await expectSuccess(flip('night-2'))
})

it('what was allowed when a snapshot was staged stays allowed at its flip', async () => {
  expect((await stage('no-emt')).code).toBe(3)
  expect(staged()?.snapshot).toBe(id('night-2'))
  await expectSuccess(stage('no-emt', '--force', '--reason', 'no EMT any more'))
  await expectSuccess(flip('no-emt'))
  expect(live()).toBe(id('no-emt'))
  const told = press.bucket.body(`green/changes/${id('no-emt').slice(0, 10)}.json`).toString()
  expect(told).toContain('no EMT any more')
})

it('another publish is not stopped by a damaged staged.json', async () => {
  press.bucket.put('staged.json', '{')
  await expectFailure(
    flip('night-2'),
    /staged.json is damaged: .* Stage again \(`fundpress publish --stage`\)\n$/,
  )
  const changes = 'live.json'
  press.bucket.put('staged.json', JSON.stringify({ ...press.bucket.live(), slot: 'green', changes }))
  await expectFailure(flip('night-2'), `changes is "${changes}", not the key of a list of changes`)
  await expectSuccess(press.publish('changed'))
  expect(staged()).toBe(null)
})

it('prune keeps what is staged, and its downloads', async () => {
  const downloads = { folder: id('night-2'), files: 1, bytes: 1, sums: '0'.repeat(64) }
  press.bucket.put('staged.json', JSON.stringify({ ...staged(), downloads }))
  press.bucket.put(`downloads/${id('night-2')}/prices.csv`, 'x')
  press.bucket.put('downloads/2025-11-01-000000000000/prices.csv', 'x')
  const kept = () => press.bucket.keys().filter((key) => /^(green|downloads)\//.test(key))
  const before = kept()
  await expectSuccess(press.fundpress('prune --yes --keep-downloads 0'))
  expect(kept()).toEqual(before.filter((key) => !key.startsWith('downloads/2025-11-01')))
})

describe('serve --snapshot', () => {
  it('serves the slot that holds the snapshot, and answers 503 once another one takes its place', async () => {
    const { child } = press.begin(`serve --port 0 --snapshot ${id('night-2')}`)
    try {
      const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
      const [base = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString()) ?? []
      expect(said.toString()).toContain(`serving ${id('night-2')} from`)
      const target = `${base}/api/v1/prices-current-all/`
      const before = await fetch(target)
      expect(before.status).toBe(200)
      expect(await before.text()).toContain('night 2')
      await expectSuccess(flip('night-2'))
      await expectSuccess(press.publish('changed'))
      expect((await fetch(target)).status).toBe(200)
      const warned = once(child.stderr ?? child, 'data') as Promise<[Buffer]>
      await expectSuccess(stage('night-1', '--force', '--reason', 'a test'))
      expect((await fetch(target)).status).toBe(503)
      expect(String((await warned)[0])).toContain(
        `no slot holds ${id('night-2')}, but ${id('changed')} and ${id('night-1')}`,
      )
    } finally {
      child.kill()
    }
  })

  it('serves what is staged if another edition of the same snapshot is live', async () => {
    const env = { FUNDPRESS_BASE_URL: 'https://new.example.org' }
    await expectSuccess(press.fundpress('publish --out night-1 --stage --quiet', env))
    const { child } = press.begin(`serve --port 0 --snapshot ${id('night-1')}`)
    try {
      const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
      const [base = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString()) ?? []
      expect(await (await fetch(`${base}/changes/feed.xml`)).text()).toContain(env.FUNDPRESS_BASE_URL)
    } finally {
      child.kill()
    }
  })
})

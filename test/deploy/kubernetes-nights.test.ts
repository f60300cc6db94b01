/** Nights of templates/kubernetes: pods as processes, in the order and with the accidents that a cluster can have. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Ended } from '../cli/run.ts'
import { editDatabase } from '../support/database.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl, mustRun, tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { credentials } from '../support/publishing.ts'
import { snapshotId } from '../support/tree.ts'
import { kustomize, makeCluster } from '../support/kubernetes.ts'

const folder = tempFolder()
const simple = makeCluster(kustomize('nightly', folder), folder, secret)
const sharded = makeCluster(kustomize('sharded', folder), folder, secret)
const nightly = 'fundpress-nightly'
const database = join(simple.claim('fundpress-database'), 'funds.sqlite')
const shared = sharded.claim('fundpress-shared')
let press: Press
/** Brings back the bucket after the nights of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

function secret() {
  return {
    ...credentials,
    FUNDPRESS_PAGES: 'false',
    FUNDPRESS_DOCS_URL: docsUrl,
    FUNDPRESS_BUCKET_ENDPOINT: press.server.endpoint,
    FUNDPRESS_BUCKET_REGION: 'us-east-1',
    FUNDPRESS_BUCKET_PATH_STYLE: 'true',
    FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
    FUNDPRESS_BUCKET_LATE_SECONDS: '0',
  }
}

const on = (day: number, ...more: readonly string[]) => ({ args: ['--as-of', `2026-11-${day}`, ...more] })
/** A pod of the sharded night of the 13th. */
const pod = (index: number, more: readonly string[] = []) => ({ index, ...on(13, ...more) })
/** @returns what the pod has printed */
async function mustEnd(end: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await end
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** A load: it changes the database, and says that all of it has succeeded. @param day of the load, unless its prices tell it */
async function load(sql: string, ...day: readonly string[]): Promise<void> {
  editDatabase(database, sql)
  await mustRun(['import', '--complete', ...day, '--db', database])
}

beforeAll(async () => {
  // Fewer funds than shards.
  press = await openPress(await buildNights(1, 3, { years: 1 }), { bucket: 'fund-data' })
  mkdirSync(simple.claim('fundpress-database'), { recursive: true })
  copyFileSync(press.nights.folder.file('funds.sqlite'), database)
  await load('', '2026-11-11')
  for (const day of [11, 12]) await mustEnd(simple.run(nightly, on(day)))
  restore = press.bucket.save()
  await load(newBenchmark(13), '2026-11-12')
  copyFileSync(database, folder.file('of-13.sqlite'))
  const env = { FUNDPRESS_BASE_URL: 'https://api.example.com', FUNDPRESS_DOWNLOADS: 'true' }
  await mustRun(['build', '--db', database, '--out', folder.file('whole'), ...on(13).args, '--quiet'], {
    env,
  })
})
afterAll(() => press.stop())
beforeEach(() => {
  restore()
  press.server.reset()
  press.server.faults([])
  copyFileSync(folder.file('of-13.sqlite'), database)
})

function expectPublished() {
  const { snapshot, slot } = press.bucket.live() ?? {}
  expect({ snapshot, slot }).toEqual({ snapshot: snapshotId(folder.file('whole')), slot: 'blue' })
  const differences = press.bucket.differencesFrom(folder.file('whole'), slot)
  expect(differences.filter((key) => !key.startsWith('downloads'))).toEqual([])
  expect(press.bucket.faultsOf(slot)).toEqual([])
  const name = 'prices.parquet'
  const made = readFileSync(folder.file(`whole/downloads/2026-11-13/${name}`))
  expect(press.bucket.body(`${press.bucket.downloads()}${name}`).equals(made)).toBe(true)
}

/** Each test goes on with the shards of the first. */
describe.skipIf(lacks('kubectl'))('the sharded night', () => {
  it('publishes what one machine would: the merge begins first, a pod is killed, an index has two pods', async () => {
    const first = sharded.start(nightly, pod(0))
    await expect.poll(() => tars()).toEqual(['0.tar'])
    const victim = sharded.start(nightly, pod(3))
    press.server.faults([{ kind: 'call', when: 'before', keyMatches: /manifest/, nth: 1, run: victim.kill }])
    expect(await victim.end).toMatchObject({ signal: 'SIGKILL' })
    // Such a pod can also die while it writes.
    writeFileSync(join(shared, `${nightly}-1`, 'killed.part'), 'half')
    press.server.faults([])
    const others = [1, 2, 3, 4, 5, 5, 6, 7].map((index) => sharded.run(nightly, pod(index)))
    for (const other of others) await mustEnd(other)
    await mustEnd(first.end)
    expectPublished()
  })

  it('ends with 3 if a guard refuses a shard, and goes on with --allow', async () => {
    const isin = `(SELECT max(isin) FROM fund)`
    const newest = `(SELECT max(date) FROM price WHERE isin = ${isin})`
    await load(
      `UPDATE price SET net_asset_value = '1000000' WHERE isin = ${isin} AND date = ${newest}`,
      '2026-11-12',
    )
    const job = 'jump'
    const refused = await sharded.run(nightly, { job, ...pod(7) })
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--allow price-jump:') as string,
    })
    const [, guard = ''] = /--allow (price-jump:\w+)/.exec(refused.stderr) ?? []
    const allowed = ['--allow', guard, '--reason', 'a split: 1 for 9']
    await mustEnd(sharded.run(nightly, { job, ...pod(7, allowed) }))
  })

  it('ends if another night publishes meanwhile, does nothing in the next attempt, and removes what nights have left after a day', async () => {
    const job = 'meanwhile'
    const waiting = sharded.start(nightly, { job, ...pod(0) })
    await expect.poll(() => tars(job)).toEqual(['0.tar'])
    await mustEnd(simple.run(nightly, on(13)))
    expect(await mustEnd(sharded.run(nightly, { job, ...pod(3) }))).toContain('nothing to do')
    expect(await mustEnd(waiting.end)).toContain('nothing to do')
    const old = join(shared, 'old')
    mkdirSync(old)
    utimesSync(old, new Date('2026-01-01'), new Date('2026-01-01'))
    press.server.reset()
    for (const index of [7, 0])
      expect(await mustEnd(sharded.run(nightly, { job: 'second', ...pod(index) }))).toContain('nothing to do')
    expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
    expect(readdirSync(shared)).toEqual([`${nightly}-1`, 'jump', job, 'second'])
  })
})
const tars = (job = `${nightly}-1`) => readdirSync(join(shared, job)).filter((file) => file.endsWith('.tar'))

describe.skipIf(lacks('kubectl'))('the simple night', () => {
  it('publishes as of today, and the watch is content until nothing has gone live for 36 hours', async () => {
    press.reset()
    await mustRun(['init', '--demo', '--db', database, '--funds', '1', '--years', '1', '--seed', '3'])
    expect(await simple.run('fundpress-watch')).toMatchObject({ code: 1 })
    expect(await simple.run(nightly)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('none was ever marked as complete') as string,
    })
    await load('')
    await mustEnd(simple.run(nightly))
    await mustEnd(simple.run('fundpress-watch'))
    expect(await mustEnd(simple.run('fundpress-verify'))).toContain('bodies read')
    restore()
    const guarded = await simple.run('fundpress-watch')
    expect(guarded).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('more than 1 day 12 h') as string,
    })
  })
})

/** `fundpress nightly`: its steps, what it renders, and what it refuses. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import {
  asOf,
  buildOf,
  db,
  eventsOf,
  fileOf,
  history,
  inWorkflow,
  lastOf,
  nightly,
  nightlyOf,
  press,
  stepsOf,
  useNights,
  wholeNight,
} from './nightly.ts'
import { isComplete } from '../../support/rounds.ts'

useNights()

it('runs all steps, prints one JSON object a line, and publishes what it built', async () => {
  const run = await nightly('--json --seed 7')
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(stepsOf(run)).toEqual(wholeNight)
  for (const { time } of eventsOf(run)) expect(new Date(time).toISOString()).toBe(time)
  const { slot = '', snapshot } = press.bucket.live() ?? {}
  expect([press.bucket.faultsOf(slot), press.bucket.differencesFrom('out', slot)]).toEqual([[], []])

  const manifest = gunzipSync(press.bucket.body(`${slot}/manifest.ndjson.gz`)).toString()
  const [, ...objects] = manifest.trimEnd().split('\n')
  const bytes = objects.reduce((sum, line) => sum + (JSON.parse(line) as { bytes: number }).bytes, 0)
  // Every object was put, and what lies beside them; the manifest and the checksums do not count.
  const written = lastOf(run)?.['written']
  expect(written).toBeGreaterThanOrEqual(objects.length)
  expect(written).toBeLessThanOrEqual(press.bucket.keys('blue/').length - 2)
  expect(lastOf(run)?.['changed']).toBe(objects.length)
  expect(lastOf(run)).toMatchObject({ snapshot, slot, asOf, funds: 2, documents: objects.length, bytes })
  expect(lastOf(run)).toMatchObject({ oldestPrice: '2026-11-10', isVerified: true })
  const verified = { step: 'verify', event: 'done', bodies: 100, differences: 0, seed: 7 }
  expect(eventsOf(run)).toContainEqual(expect.objectContaining(verified))
  expect(history()).toMatchObject([{ asOf, snapshot, documents: objects.length, isVerified: true }])
})

it('renders only what changed since the snapshot in the folder', async () => {
  await nightly()
  editDatabase(db(), newBenchmark(1))
  const built = buildOf(await nightly('--json'))
  expect(built).toMatchObject({ rendered: 4, isSparse: false })
  const whole = eventsOf(await nightly('--json --again --since none')).find(({ step }) => step === 'build')
  expect(whole).toMatchObject({ since: null, snapshot: built?.['snapshot'] })
  expect(whole?.['rendered']).toBe(whole?.['documents'])
})

it('continues from the other slot without a folder, and renders everything without either', async () => {
  const first = await nightly('--json --since other')
  expect(first.code).toBe(0)
  expect(stepsOf(first)).toContain('build warning')
  for (const benchmark of [1, 2]) {
    rmSync(fileOf('out'), { recursive: true, force: true })
    editDatabase(db(), newBenchmark(benchmark))
    expect(await nightly('--json --since other')).toMatchObject({ code: 0, stderr: '' })
  }
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  // What is left is sparse: the next night does not go on from it unasked.
  editDatabase(db(), `UPDATE profile SET benchmark = 'w'`)
  const next = await nightly('--json')
  expect([next.code, stepsOf(next)]).toEqual([0, wholeNight])
})

it.runIf(isComplete)('renders everything if the snapshot in the folder is damaged, and warns', async () => {
  await nightly()
  editDatabase(db(), `UPDATE profile SET benchmark = 'x'`)
  const manifest = fileOf('out/manifest.ndjson.gz')
  const bytes = readFileSync(manifest)
  writeFileSync(manifest, bytes.subarray(0, bytes.length - 200))
  const run = await nightly()
  expect(run.code).toBe(0)
  expect(run.stderr).toMatch(
    /^warning {2}build: .*manifest\.ndjson\.gz cannot be read: .*: everything is rendered\n$/,
  )
  expect(press.bucket.differencesFrom('out', press.bucket.live()?.slot)).toEqual([])
})

it('refuses what publish refuses, and forces what it forces', async () => {
  await nightlyOf('2026-11-12')
  const refused = await nightly()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /^fundpress: refused: the snapshot is of 2026-11-11, older than the live one/,
  )
  expect((await nightly('--force')).code).toBe(0)
})

it('requires a database and a bucket, and says which of them is wrong', async () => {
  const withoutDb = await press.fundpress('nightly')
  expect([withoutDb.code, withoutDb.stderr]).toEqual([2, expect.stringMatching(/^fundpress: --db/)])
  const withoutBucket = await press.bare('nightly --db funds.sqlite')
  expect(withoutBucket).toMatchObject({ code: 2, stderr: expect.stringMatching(/^fundpress: --bucket/) })
  writeFileSync(fileOf('text.sqlite'), 'no database')
  const run = await press.fundpress('nightly --db text.sqlite')
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('it is not a SQLite database')])
  expect(existsSync(fileOf('out'))).toBe(false)
})

it('--ask says whether there is anything to do, and does nothing', async () => {
  const env = inWorkflow()
  const stdout = `night    funds.sqlite as of ${asOf} is not published yet\n`
  expect(await nightly('--ask', env)).toEqual({ code: 0, stdout, stderr: '' })
  expect(readFileSync(fileOf('outputs'), 'utf8')).toMatch(/^skipped=false$/m)
  expect([press.bucket.keys(''), existsSync(fileOf('out'))]).toEqual([[], false])
  expect(lastOf(await nightly('--ask --json'))).toMatchObject({ step: 'night', event: 'done', isOpen: true })
  await nightly()
  press.server.reset()
  rmSync(fileOf('outputs'))
  const done = await nightly('--ask', env)
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('is already live in blue')])
  expect(readFileSync(fileOf('outputs'), 'utf8')).toMatch(/^skipped=true$/m)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
  expect(stepsOf(await nightly('--ask --again --json'))).toEqual(['night begun', 'night done'])
})

it('refuses shards of another day', async () => {
  const shard = '--out part-1 --shard 1/1'
  const built = await press.bare(`build --db funds.sqlite --as-of ${asOf} --quiet ${shard}`)
  expect(built).toMatchObject({ code: 0 })
  const { code, stderr } = await nightlyOf('2026-11-12', '--shards part-1')
  expect([code, press.bucket.keys('')]).toEqual([1, []])
  expect(stderr).toBe(
    `fundpress: the shards are as of ${asOf}, the merge is of 2026-11-12: give both the same --as-of\n`,
  )
})

/** `fundpress nightly`: its steps, what it renders and refuses; a complete run is not repeated, an incomplete one is no success. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import { parseManifest } from '../../support/tree.ts'
import { holdBack } from '../../support/two-nights.ts'
import {
  asOf,
  buildOf,
  db,
  editHistory,
  eventsOf,
  fileOf,
  history,
  inWorkflow,
  lastOf,
  nightly,
  nightlyOf,
  nothingToDo,
  press,
  stepsOf,
  useNights,
  wholeNight,
} from './nightly.ts'

useNights(1)

it('runs all steps, prints one JSON object a line, and publishes what it built', async () => {
  const run = await press.fundpress(`nightly --db funds.sqlite --as-of ${asOf} --json --seed 7`)
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
  expect(stepsOf(run)).toEqual(wholeNight)
  for (const { time } of eventsOf(run)) expect(new Date(time).toISOString()).toBe(time)
  const { slot = '', snapshot } = press.bucket.live() ?? {}
  expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(press.bucket.differencesFrom('out', slot)).toEqual([])

  const { documents: objects } = parseManifest(press.bucket.body(`${slot}/manifest.ndjson.gz`))
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0)
  const last = lastOf(run)
  // Every object was put, and what lies beside them; the manifest and the checksums do not count.
  expect(last?.['written']).toBeGreaterThanOrEqual(objects.length)
  expect(last?.['written']).toBeLessThanOrEqual(press.bucket.keys('blue/').length - 2)
  expect(last).toMatchObject({ snapshot, slot, asOf, funds: 1, documents: objects.length, bytes })
  expect(last).toMatchObject({ changed: objects.length, oldestPrice: '2026-11-10', isVerified: true })
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
  expect(next.code, next.stderr).toBe(0)
  expect(stepsOf(next)).toEqual(wholeNight)
})

it('--ask says whether there is anything to do, and does nothing', async () => {
  const env = inWorkflow()
  const stdout = `night    funds.sqlite as of ${asOf} is not published yet\n`
  expect(await nightly('--ask', env)).toEqual({ code: 0, stdout, stderr: '' })
  expect(readFileSync(fileOf('outputs'), 'utf8')).toMatch(/^skipped=false$/m)
  expect(press.bucket.keys('')).toEqual([])
  expect(existsSync(fileOf('out'))).toBe(false)
  expect(lastOf(await nightly('--ask --json'))).toMatchObject({ step: 'night', event: 'done', isOpen: true })
  await nightly()
  press.server.reset()
  rmSync(fileOf('outputs'))
  const done = await nightly('--ask', env)
  expect({ code: done.code, stdout: done.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('is already live in blue'),
  })
  expect(readFileSync(fileOf('outputs'), 'utf8')).toMatch(/^skipped=true$/m)
  // live.json, the first line of its manifest, and the history.
  expect(press.server.counts()).toEqual({ GetObject: 3 })
  expect(stepsOf(await nightly('--ask --again --json'))).toEqual(['night begun', 'night done'])
})

it('runs again for --again, another day, another database and other settings', async () => {
  await nightly()
  const steps = async (env = {}, flags = '--json', day = asOf) =>
    stepsOf(await nightlyOf(day, flags, env)).filter((step) => step !== 'publish warning')
  expect(await steps({}, '--json --again')).toEqual(wholeNight)
  const allowing = '--json --allow settings --reason test'
  expect(await steps({ FUNDPRESS_DOCS_URL: 'https://other.example' }, allowing)).toEqual(wholeNight)
  // Neither makes another snapshot here, without pages: but what is published is another.
  const others = { FUNDPRESS_BASE_URL: 'https://api.example', FUNDPRESS_FRESHNESS_WARN_DAYS: '1' }
  expect(await steps(others, allowing)).toEqual(wholeNight)
  expect(await steps(others)).toEqual(nothingToDo)
  expect(await steps({ ...others, FUNDPRESS_FRESHNESS_WARN_DAYS: '' })).toEqual(wholeNight)
  expect(await steps({}, allowing, '2026-11-12')).toEqual(wholeNight)
  expect(history().map((night) => night['asOf'])).toEqual(['2026-11-11', '2026-11-12'])
})

it('verifies in the next attempt a snapshot whose run was killed after the flip', async () => {
  await nightlyOf('2026-11-10')
  const { child, end } = press.begin(`nightly --db funds.sqlite --as-of ${asOf}`)
  press.server.faults([holdBack(/^live\.json$/, () => child.kill('SIGKILL'), { when: 'after' })])
  expect((await end).signal).toBe('SIGKILL')
  press.server.faults([])
  const next = await nightly('--json')
  expect(next.code, next.stderr).toBe(0)
  expect(stepsOf(next)).toContain('verify done')
  expect(history().at(-1)).toMatchObject({ asOf, isVerified: true })
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
})

it('does not need its history: it may be missing, damaged, or denied', async () => {
  await nightly()
  press.bucket.put('nightly/history.json', '{')
  const steps = stepsOf(await nightly('--json --again'))
  expect(steps.filter((step) => step !== 'verify warning')).toEqual(wholeNight)
  // The file that it replaces is named once.
  expect(steps.length - wholeNight.length).toBe(1)
  expect(history()).toHaveLength(1)
  press.bucket.remove('nightly/history.json')
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
  press.server.settings.deny = [{ operation: /^PutObject$/, key: /^nightly\// }]
  const denied = await nightly('--again')
  expect(denied.code).toBe(0)
  expect(denied.stderr).toMatch(/^warning {2}night: the history does not have this: /m)
})

it('keeps the figures of sixty runs', async () => {
  await nightly()
  const [night = {}] = history()
  const dayOf = (index: number) => new Date(Date.UTC(2026, 7, 1 + index)).toISOString().slice(0, 10)
  const nights = Array.from({ length: 75 }, (_, index) => ({ ...night, asOf: dayOf(index) }))
  press.bucket.put('nightly/history.json', JSON.stringify({ format: 1, nights }))
  await nightly('--again')
  expect(history()).toHaveLength(60)
  expect(history()[0]).toMatchObject({ asOf: '2026-08-17' })
})

it('a repair of what a rollback holds keeps the hold', async () => {
  await nightlyOf('2026-11-10')
  expect(await nightly()).toMatchObject({ code: 0 })
  expect(await press.fundpress(['rollback', '--reason', 'wrong NAV'])).toMatchObject({ code: 0 })
  const { snapshot } = press.bucket.live() ?? {}
  const [key = ''] = press.bucket.keys('blue/api/')
  press.bucket.remove(key)
  editHistory({ finishedAt: '2026-01-01T00:00:00.000Z' })
  expect(await nightlyOf('2026-11-10', '--out again')).toMatchObject({ code: 0 })
  const live = press.bucket.live()
  expect(live).toMatchObject({ snapshot, hold: { reason: 'wrong NAV' } })
  expect(press.bucket.faultsOf(live?.slot)).toEqual([])
})

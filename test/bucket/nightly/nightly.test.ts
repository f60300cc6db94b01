/** `fundpress nightly`: its steps, what it renders and refuses; a complete run is not repeated, an incomplete one is no success. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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
  read,
  stepsOf,
  useNights,
  wholeNight,
} from './nightly.ts'

useNights(1)

it('runs all steps, prints one JSON object a line, and publishes what it built', async () => {
  const run = await press.fundpress(`nightly --db funds.sqlite --as-of ${asOf} --json --seed 7`)
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(stepsOf(run)).toEqual(wholeNight)
  for (const { time } of eventsOf(run)) expect(new Date(time).toISOString()).toBe(time)
  const { slot = '', snapshot } = press.bucket.live() ?? {}
  expect([press.bucket.faultsOf(slot), press.bucket.differencesFrom('out', slot)]).toEqual([[], []])

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
  expect([next.code, stepsOf(next)]).toEqual([0, wholeNight])
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
  // live.json, the first line of its manifest, and the history.
  expect(press.server.counts()).toEqual({ GetObject: 3 })
  expect(stepsOf(await nightly('--ask --again --json'))).toEqual(['night begun', 'night done'])
})

it('--ask --exit-code lets a shell script branch: 0 to do, 4 nothing to do, and no other code for either', async () => {
  const ask = (flags = '') => nightly(`--ask --exit-code ${flags}`.trim())
  expect(await ask()).toMatchObject({ code: 0, stderr: '' })
  expect(await nightly('--exit-code')).toMatchObject({
    code: 2,
    stderr: 'fundpress: --exit-code needs --ask\n',
  })
  await nightly()
  expect(await ask('--quiet')).toEqual({ code: 4, stderr: '', stdout: '' })
  expect((await press.fundpress('nightly --db none.sqlite --ask --exit-code')).code).toBe(1)
})

it('refuses shards of another day', async () => {
  const build = `build --db funds.sqlite --as-of ${asOf} --quiet --out part-1 --shard 1/1`
  expect(await press.bare(build)).toMatchObject({ code: 0 })
  const stderr = `fundpress: the shards are as of ${asOf}, the merge is of 2026-11-12: give both the same --as-of\n`
  expect(await nightlyOf('2026-11-12', '--shards part-1')).toMatchObject({ code: 1, stderr })
  expect(press.bucket.keys('')).toEqual(['nightly/history.json'])
})

it('runs again for --again, another day, another database and other settings', async () => {
  await nightly()
  const steps = async (env = {}, flags = '--json', day = asOf) => stepsOf(await nightlyOf(day, flags, env))
  expect(await steps({}, '--json --again')).toEqual(wholeNight)
  expect(await steps({ FUNDPRESS_DOCS_URL: 'https://other.example' })).toEqual(wholeNight)
  // Neither makes another snapshot here, without pages: but what is published is another.
  const others = { FUNDPRESS_BASE_URL: 'https://api.example', FUNDPRESS_FRESHNESS_WARN_DAYS: '1' }
  expect(await steps(others)).toEqual(wholeNight)
  expect(await steps(others)).toEqual(nothingToDo)
  expect(await steps({ ...others, FUNDPRESS_FRESHNESS_WARN_DAYS: '' })).toEqual(wholeNight)
  expect(await steps({}, '--json', '2026-11-12')).toEqual(wholeNight)
  expect(history().map((night) => night['asOf'])).toEqual(['2026-11-11', '2026-11-12'])
})

it('verifies in the next attempt a snapshot whose run was killed after the flip', async () => {
  await nightlyOf('2026-11-10')
  const { child, end } = press.begin(`nightly --db funds.sqlite --as-of ${asOf}`)
  press.server.faults([holdBack(/^live\.json$/, () => child.kill('SIGKILL'), { when: 'after' })])
  expect((await end).signal).toBe('SIGKILL')
  press.server.faults([])
  const next = await nightly('--json')
  expect([next.code, stepsOf(next)]).toEqual([0, expect.arrayContaining(['verify done'])])
  expect(history().at(-1)).toMatchObject({ asOf, isVerified: true })
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
})

it('does not need its history: it may be missing, damaged, or denied', async () => {
  await nightly()
  press.bucket.put('nightly/history.json', '{')
  expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
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
  expect([history().length, history()[0]?.['asOf']]).toEqual([60, '2026-08-17'])
})

describe('after a rollback', () => {
  const liveNow = () => press.bucket.live()
  const lifting = '--allow hold --reason mended'
  const held = ['night begun', 'night refused']

  /** @returns the snapshot that was taken back */
  async function takeBack(...flags: readonly string[]): Promise<string> {
    await nightlyOf('2026-11-10')
    expect(await nightly()).toMatchObject({ code: 0 })
    const bad = liveNow()?.snapshot ?? ''
    expect(await press.fundpress(['rollback', '--reason', 'wrong NAV', ...flags])).toMatchObject({ code: 0 })
    return bad
  }

  it('nothing else goes live, on any day and from any database, until an operator lifts the hold', async () => {
    const bad = await takeBack()
    const liveBefore = liveNow()
    const next = await nightly('--summary night.md')
    const why = `the rollback of ${liveBefore?.liveSince ?? ''} holds ${liveBefore?.snapshot ?? ''} ("wrong NAV"): nothing else goes live`
    expect([next.code, next.stderr]).toEqual([3, expect.stringContaining(why) as string])
    expect(read('night.md')).toContain(why)
    editDatabase(db(), newBenchmark(1))
    expect(stepsOf(await nightlyOf('2026-11-12', '--json'))).toEqual(held)
    expect((await nightly('--ask')).code).toBe(3)
    expect(liveNow()).toEqual(liveBefore)

    const status = await press.fundpress('status --max-age 9999d')
    expect([status.code, status.stderr]).toEqual([
      1,
      expect.stringContaining('nothing else goes live') as string,
    ])
    expect(status.stdout).toMatch(
      /^hold +the rollback of .* \("wrong NAV"\).*`fundpress nightly --allow hold/m,
    )
    expect(stepsOf(await nightly(`--json ${lifting}`))).toContain('publish done')
    expect([liveNow()?.snapshot === bad, liveNow()?.hold]).toEqual([false, undefined])
  })

  it('a stage may wait behind the hold, and its flip lifts it', async () => {
    await takeBack()
    editDatabase(db(), newBenchmark(1))
    const staging = await nightly('--stage --summary night.md')
    expect(staging.code).toBe(0)
    const waits =
      /the rollback of .* \("wrong NAV"\): nothing else goes live .*`fundpress flip … --allow hold/
    expect(staging.stderr).toMatch(waits)
    const { snapshot } = JSON.parse(press.bucket.body('staged.json').toString()) as { snapshot: string }
    expect((await press.fundpress(['flip', snapshot, '--allow', 'hold', '--reason', 'seen'])).code).toBe(0)
    expect([liveNow()?.snapshot, liveNow()?.hold]).toEqual([snapshot, undefined])
  })

  it('a repair of what is held keeps the hold', async () => {
    await takeBack()
    const { snapshot } = liveNow() ?? {}
    const [key = ''] = press.bucket.keys('blue/api/')
    press.bucket.remove(key)
    editHistory({ finishedAt: '2026-01-01T00:00:00.000Z' })
    expect(await nightlyOf('2026-11-10', '--out again')).toMatchObject({ code: 0 })
    expect(liveNow()).toMatchObject({ snapshot, hold: { reason: 'wrong NAV' } })
    expect(press.bucket.faultsOf(liveNow()?.slot)).toEqual([])
  })

  it('with --no-hold only what was reverted stays away', async () => {
    const bad = await takeBack('--no-hold')
    const same = await nightly()
    expect([same.code, same.stderr]).toEqual([3, expect.stringContaining(`has reverted ${bad}`) as string])
    editDatabase(db(), newBenchmark(1))
    expect(stepsOf(await nightly('--json'))).toEqual(wholeNight)
  })
})

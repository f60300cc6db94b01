/** Attempts of one night: what is done is not done again, and nothing half-done passes for a success. */
import { describe, expect, it } from 'vitest'
import { readHistory } from '../../../src/bucket/nightly/history.ts'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import {
  asOf,
  db,
  fileOf,
  historyOf,
  lastOf,
  nightly,
  nothingToDo,
  read,
  stepsOf,
  theBucket,
  thePress,
  useNights,
  wholeNight,
} from './nightly.ts'
import { isComplete } from '../../support/rounds.ts'

useNights(1)

it('does nothing where the night is done: it only reads, and says so', async () => {
  await nightly()
  thePress().server.reset()
  const again = await nightly('--summary night.md')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  const { snapshot = '' } = theBucket().live() ?? {}
  expect(again.stdout).toBe(
    `night    ${snapshot} is already live in blue, made from this very database: nothing to do\n`,
  )
  expect(read('night.md')).toMatch(/^## fundpress 2026-11-11: nothing to do\n/)
  expect(Object.keys(thePress().server.counts())).toEqual(['GetObject'])
  const told = await nightly('--json')
  expect([stepsOf(told), lastOf(told)?.['snapshot']]).toEqual([nothingToDo, snapshot])
})

it('does the night once more for --again, another day, another database and other settings', async () => {
  await nightly()
  expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
  expect(stepsOf(await nightly('--json', { FUNDPRESS_DOCS_URL: 'https://other.example' }))).toEqual(
    wholeNight,
  )
  // Neither makes another snapshot here, without pages: but what is published is another.
  const others = { FUNDPRESS_BASE_URL: 'https://api.example', FUNDPRESS_FRESHNESS_WARN_DAYS: '1' }
  expect(stepsOf(await nightly('--json', others))).toEqual(wholeNight)
  expect(stepsOf(await nightly('--json', others))).toEqual(nothingToDo)
  expect(stepsOf(await nightly('--json', { ...others, FUNDPRESS_FRESHNESS_WARN_DAYS: '' }))).toEqual(
    wholeNight,
  )
  expect(stepsOf(await thePress().fundpress(`nightly --db funds.sqlite --as-of 2026-11-12 --json`))).toEqual(
    wholeNight,
  )
  expect(historyOf().nights.map((night) => night['asOf'])).toEqual(['2026-11-11', '2026-11-12'])
})

it('fails where the live slot is damaged, and the next attempt does not pass for a success', async () => {
  thePress().server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      times: 1,
      run: () => theBucket().remove(theBucket().keys('blue/api')[0] ?? ''),
    },
  ])
  const run = await nightly('--json')
  expect([run.code, lastOf(run)?.step]).toEqual([1, 'verify'])
  expect(run.stderr).toMatch(/1 object differs from the manifest of .*: run `fundpress publish --repair`\n$/)
  expect(historyOf().nights).toMatchObject([{ isVerified: false }])
  expect((await nightly()).code).toBe(1)
  expect((await thePress().publish('out', '--repair')).code).toBe(0)
  expect((await nightly('--json')).code).toBe(0)
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
})

it('verifies in the next attempt what a night that was killed after its flip had not verified', async () => {
  await thePress().fundpress('nightly --db funds.sqlite --as-of 2026-11-10')
  const { child, end } = thePress().begin(`nightly --db funds.sqlite --as-of ${asOf}`)
  const kill = () => child.kill('SIGKILL')
  thePress().server.faults([
    { kind: 'call', when: 'after', method: 'PUT', keyMatches: /^live\.json$/, times: 1, run: kill },
  ])
  expect((await end).signal).toBe('SIGKILL')
  thePress().server.faults([])
  const next = await nightly('--json')
  expect([next.code, stepsOf(next)]).toEqual([0, expect.arrayContaining(['verify done'])])
  expect(historyOf().nights.at(-1)).toMatchObject({ asOf, isVerified: true })
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
})

it('does without its history: lost, damaged, of somebody else, or not to be written', async () => {
  await nightly()
  theBucket().put('nightly/history.json', '{')
  expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
  expect(historyOf().nights).toHaveLength(1)
  theBucket().remove('nightly/history.json')
  expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
  thePress().server.settings.deny = [{ operation: /^GetObject$/, key: /^nightly\// }]
  const unreadable = await nightly()
  expect([unreadable.code, unreadable.stdout]).toEqual([0, expect.stringContaining('nothing to do')])
  expect(unreadable.stderr).toMatch(/^warning {2}night: the figures of the last runs cannot be read: /)
  thePress().server.settings.deny = [{ operation: /^PutObject$/, key: /^nightly\// }]
  const denied = await nightly('--again')
  expect(denied.code).toBe(0)
  expect(denied.stderr).toMatch(/^warning {2}night: the figures of this run could not be kept: /)
})

it('takes what is no history for none, and what is no night for no night', () => {
  const night = {
    asOf,
    finishedAt: 'x',
    snapshot: 'x',
    funds: 1,
    documents: 1,
    changed: 1,
    bytes: 1,
    cost: 0,
  }
  const whole = { ...night, seconds: 1, oldestPrice: null, isVerified: true }
  const read = (...nights: readonly unknown[]) => readHistory(JSON.stringify({ format: 1, nights }))
  for (const text of ['', '{', 'null', '[]', '{"format":2,"nights":[]}', '{"format":1,"nights":{}}'])
    expect(readHistory(text)).toEqual([])
  expect(read(null, 3, night, { ...whole, asOf: '"]<b>' }, { ...whole, bytes: '1' }, whole)).toEqual([whole])
})

it.runIf(isComplete)('does not fail for the slot that stands by: what is live is whole', async () => {
  await nightly()
  const { slot = '' } = theBucket().live() ?? {}
  theBucket().put(`${slot}/manifest.ndjson.gz`, 'no manifest')
  const next = await thePress().fundpress('nightly --db funds.sqlite --as-of 2026-11-12')
  expect([next.code, theBucket().live()?.slot]).toEqual([0, slot === 'blue' ? 'green' : 'blue'])
  expect(next.stderr).toMatch(/^warning {2}status: .*manifest\.ndjson\.gz/m)
  expect(historyOf().nights.at(-1)).toMatchObject({ asOf: '2026-11-12', isVerified: true })
})

it('keeps sixty nights', async () => {
  await nightly()
  const [night = {}] = historyOf().nights
  const nights = Array.from({ length: 75 }, (_, index) => {
    const day = new Date(Date.parse('2026-08-01') + index * 86_400_000).toISOString().slice(0, 10)
    return { ...night, asOf: day }
  })
  theBucket().put('nightly/history.json', JSON.stringify({ format: 1, nights }))
  await nightly('--again --summary night.md')
  const kept = historyOf().nights.map((one) => one['asOf'])
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([60, '2026-08-17', asOf])
  expect(read('night.md')).toContain('the last 30 runs')
})

describe('a night that a rollback has taken back', () => {
  const before = '2026-11-10'
  const nightOf = (day: string, flags = '') =>
    thePress().fundpress(`nightly --db funds.sqlite --as-of ${day} ${flags}`.trim())
  const liveNow = () => theBucket().live()

  /** @returns the snapshot that was taken back */
  async function takeBack(): Promise<string> {
    await nightOf(before)
    expect(await nightly()).toMatchObject({ code: 0 })
    const bad = liveNow()?.snapshot ?? ''
    expect(await thePress().fundpress('rollback')).toMatchObject({ code: 0 })
    return bad
  }

  it('is left alone by the next attempt, which warns, and published all the same with --again', async () => {
    const bad = await takeBack()
    const liveBefore = liveNow()
    thePress().server.reset()
    const next = await nightly('--summary night.md', {
      GITHUB_ACTIONS: 'true',
      GITHUB_OUTPUT: fileOf('outputs'),
    })
    expect([next.code, liveNow()]).toEqual([0, liveBefore])
    expect(next.stdout).toBe(`night    ${liveBefore?.snapshot ?? ''} stays live in blue: nothing to do\n`)
    expect(next.stderr).toMatch(
      new RegExp(`^warning {2}night: a rollback reverted ${bad} .*; --again publishes it`),
    )
    expect(next.stderr).toMatch(/^::warning title=fundpress nightly%3A night::a rollback reverted/m)
    expect(Object.keys(thePress().server.counts())).toEqual(['GetObject'])
    expect(read('night.md')).toMatch(/: nothing to do\n\nA rollback reverted `2026-11-11-\w{12}`/)
    expect(read('outputs')).toContain(`skipped=true\nsnapshot=${liveBefore?.snapshot ?? ''}\n`)
    const told = await nightly('--json')
    expect(stepsOf(told)).toEqual(['night begun', 'night warning', 'night skipped'])

    expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
    expect(liveNow()?.snapshot).toBe(bad)
    expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
  })

  it.runIf(isComplete)(
    'is published as ever of a mended database, with other settings and on another day',
    async () => {
      const bad = await takeBack()
      const otherPlace = { FUNDPRESS_BASE_URL: 'https://api.example' }
      expect(stepsOf(await nightly('--json', otherPlace))).toEqual(wholeNight)
      await thePress().fundpress('rollback')
      editDatabase(db(), newBenchmark(1))
      expect(stepsOf(await nightly('--json'))).toEqual(wholeNight)
      expect(liveNow()?.snapshot).not.toBe(bad)
      await thePress().fundpress('rollback')
      expect(stepsOf(await nightOf('2026-11-12', '--json'))).toEqual(wholeNight)
      expect(liveNow()?.snapshot).toMatch(/^2026-11-12/)
    },
  )

  it('stays taken back where the database was written anew with just the same in it', async () => {
    await takeBack()
    const liveBefore = liveNow()
    editDatabase(db(), 'VACUUM')
    const next = await nightly('--json --summary night.md')
    expect([next.code, liveNow()]).toEqual([0, liveBefore])
    expect(stepsOf(next)).toEqual([
      ...['night begun', 'check begun', 'check done', 'build done', 'night warning', 'night skipped'],
    ])
    expect(read('night.md')).toMatch(/: nothing to do\n\nA rollback reverted `2026-11-11-\w{12}`/)
    // Whoever wants it all the same has to say so.
    expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
    expect(liveNow()).not.toEqual(liveBefore)
  })

  it.runIf(isComplete)('is live again after a second rollback, which takes back the first', async () => {
    const bad = await takeBack()
    await thePress().fundpress('rollback')
    expect(liveNow()?.snapshot).toBe(bad)
    expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
  })

  it('is not known to be taken back where its manifest is damaged: the night fails, and says what helps', async () => {
    await takeBack()
    const liveBefore = liveNow()
    theBucket().put('green/manifest.ndjson.gz', 'no manifest')
    const next = await nightly('--json')
    expect([next.code, lastOf(next)?.step, liveNow()]).toEqual([1, 'plan', liveBefore])
    expect(lastOf(next)?.['message']).toMatch(/publish with --repair/)
  })

  it.runIf(isComplete)(
    'stays taken back where the day was published before, and that is live again',
    async () => {
      await nightly()
      const good = liveNow()?.snapshot
      editDatabase(db(), newBenchmark(2))
      await nightly()
      await thePress().fundpress('rollback')
      expect(stepsOf(await nightly('--json'))).toEqual(['night begun', 'night warning', 'night skipped'])
      expect(liveNow()?.snapshot).toBe(good)
    },
  )
})

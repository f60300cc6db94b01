/** What was refused, failed, allowed and rolled back: in the history of the bucket, the summary, the log and `status`. */
import { expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import {
  asOf,
  db,
  eventsOf,
  history,
  inWorkflow,
  keptEvents,
  lastOf,
  nightly,
  nightlyOf,
  press,
  read,
  stepsOf,
  useNights,
  wholeNight,
} from './nightly.ts'

useNights(1)

const liveFile = () => press.bucket.body('live.json').toString()
const words = (...flags: readonly string[]) => flags
/** A newer day is live: each run of {@link asOf} is refused, as `older`. */
const publishLater = () => nightlyOf('2026-11-12')
const older = {
  guard: 'older',
  subject: null,
  message: 'it is of 2026-11-11, older than the live one of 2026-11-12',
}

it('reports a refusal with its objections and what allows them, and leaves live.json as it was', async () => {
  await publishLater()
  const before = liveFile()
  const run = await nightly('--json', { ...inWorkflow(), GITHUB_ACTOR: 'alice' })
  expect(run.code, run.stderr).toBe(3)
  expect(liveFile()).toEqual(before)
  expect(lastOf(run)).toMatchObject({
    step: 'publish',
    event: 'refused',
    objections: [{ ...older, figures: { before: '2026-11-12' } }],
  })
  expect(keptEvents()).toEqual([
    {
      kind: 'refused',
      asOf,
      who: 'alice',
      snapshot: null,
      step: 'publish',
      reason: null,
      objections: [older],
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    },
  ])
  // A new attempt is refused in the same way: one event, which counts.
  await nightly('', { GITHUB_ACTOR: 'alice' })
  expect(keptEvents()).toMatchObject([{ kind: 'refused', times: 2 }])
  expect(history()).toHaveLength(1)
})

it('says who has allowed what and why: in the log, the summary, the history and status', async () => {
  await publishLater()
  expect((await nightly()).code).toBe(3)
  const env = { ...inWorkflow(), GITHUB_ACTOR: 'bob' }
  const allow = words('--allow', 'older', '--reason', 'a | late `delivery`')
  const run = await press.fundpress(
    ['nightly', '--db', 'funds.sqlite', '--as-of', asOf, '--summary', 'night.md', '--json', ...allow],
    env,
  )
  expect(run.code).toBe(0)
  expect(eventsOf(run).filter(({ event }) => event === 'warning')).toMatchObject([
    { step: 'publish', message: `bob has allowed older ("a | late \`delivery\`"): ${older.message}` },
  ])
  const { snapshot = '' } = press.bucket.live() ?? {}
  const reason = 'a | late `delivery`'
  expect(keptEvents()).toMatchObject([
    { kind: 'refused', step: 'publish' },
    { kind: 'allowed', asOf, who: 'bob', reason, snapshot, objections: [older] },
    { kind: 'done', asOf, who: 'bob', reason: null, snapshot, times: 1 },
  ])
  // Nothing is allowed a second time if there is nothing to do.
  expect((await nightly('--again --allow older --reason test')).code).toBe(0)
  expect(keptEvents()).toHaveLength(3)
})

it('is refused by the build as by the publish, once: what is implausible is not rendered a second time', async () => {
  await nightlyOf('2026-11-10')
  const before = liveFile()
  editDatabase(
    db(),
    `UPDATE price SET net_asset_value = '9' || net_asset_value, issue_price = '9' || issue_price,
     repurchase_price = '9' || repurchase_price WHERE date = '2026-11-10'`,
  )
  const run = await nightly('--json --summary night.md')
  expect(run.code, run.stderr).toBe(3)
  expect(liveFile()).toEqual(before)
  expect(stepsOf(run)).not.toContain('build warning')
  expect(lastOf(run)).toMatchObject({ event: 'refused' })
  const [, guard = ''] = /--allow (\S+) --reason/.exec(read('night.md')) ?? []
  expect(guard).toMatch(/price-jump:[A-Z]{2}\w{10}/)
  const allowed = await nightly(`--allow ${guard} --reason test --json`)
  expect(allowed.code, allowed.stderr).toBe(0)
  expect(keptEvents().map(({ kind }) => kind)).toEqual(['refused', 'allowed', 'done'])
  expect(keptEvents().at(-2)).toMatchObject({
    objections: expect.arrayContaining([expect.objectContaining({ guard: 'price-jump' })]) as unknown,
  })
})

it('counts failures of a night that fail alike apart from numbers', async () => {
  const failing = (db: string, day = asOf) =>
    press.fundpress(`nightly --db ${db} --as-of ${day}`, { GITHUB_ACTOR: 'carol' })
  for (const name of ['no-1', 'no-2', 'none']) expect((await failing(name)).code).toBe(1)
  await failing('no-3', '2026-11-12')
  expect(keptEvents()).toMatchObject([
    {
      kind: 'failed',
      asOf,
      who: 'carol',
      step: 'night',
      times: 2,
      reason: expect.stringMatching(/^.*no-2/) as string,
    },
    { kind: 'failed', asOf },
    { kind: 'failed', asOf: '2026-11-12' },
  ])
  // What is wrong with the flags is no failed night.
  expect((await nightly('--force')).code).toBe(2)
  expect(keptEvents()).toHaveLength(3)
})

it('publish keeps what it was refused and what it was allowed, without secrets; plan keeps nothing', async () => {
  const env = { GITHUB_ACTOR: 'dora' }
  await publishLater()
  expect((await press.bare(`build --db funds.sqlite --as-of ${asOf} --quiet --out out`)).code).toBe(0)
  expect((await press.fundpress('plan --out out', env)).stderr).not.toContain('history')
  const requests = press.server.counts()['PutObject']
  await press.fundpress('plan --out out', env)
  expect(press.server.counts()['PutObject']).toBe(requests)
  expect((await press.fundpress('publish --out out', env)).code).toBe(3)
  const { snapshot } = await press.json<{ snapshot: string }>(
    'publish --out out --force --reason see:https://u:secret@host/7',
  )
  expect(keptEvents()).toMatchObject([
    { kind: 'refused', asOf, who: 'dora', snapshot, objections: [older] },
    { kind: 'allowed', asOf, reason: 'see:https://***@host/7', snapshot, objections: [older] },
  ])
})

it('rollback keeps who took back what and why', async () => {
  await nightlyOf('2026-11-10')
  const good = press.bucket.live()?.snapshot
  await nightly()
  const bad = press.bucket.live()?.snapshot
  const back = words('rollback', '--json', '--reason', 'wrong NAV')
  const rolledBack = await press.fundpress(back, { GITHUB_ACTOR: 'erin' })
  expect(JSON.parse(rolledBack.stdout)).toMatchObject({ snapshot: good, reverted: bad, warnings: [] })
  const event = { kind: 'rolled back', who: 'erin', reason: 'wrong NAV', reverted: bad, snapshot: good }
  expect(keptEvents()).toMatchObject([{ ...event, asOf: '2026-11-10' }])

  const { other } = await press.json<{ other: object }>('status')
  expect(other).toMatchObject({ snapshot: bad, isWhole: true, isReverted: true })

  const again = words('rollback', '--json', '--allow', 'hold', '--reason', 'it was right')
  expect(JSON.parse((await press.fundpress(again)).stdout)).toMatchObject({ snapshot: bad, reverted: good })
  // Now it is the other one that was reverted last.
  expect((await press.fundpress('rollback')).stderr).toContain(`has reverted ${good}`)
})

it('keeps figures and events, leaves out and names those of another form, and keeps 200', async () => {
  await nightly()
  const [night] = history()
  const one = {
    kind: 'rolled back',
    at: '2026-11-01T01:02:03.456Z',
    asOf,
    who: 'x',
    reason: null,
    snapshot: 'y',
  }
  const faults = [{ kind: 'other' }, { at: '|' }, { objections: [{}] }, { times: -1 }, { times: 1e308 }]
  const wrong = [null, 'x', ...faults.map((fault) => ({ ...one, ...fault }))]
  const many = Array.from({ length: 210 }, (_, index) => ({ ...one, who: String(index) }))
  for (const file of [{ nights: [night] }, { nights: [night], events: [...many, ...wrong] }]) {
    press.bucket.put('nightly/history.json', JSON.stringify({ format: 1, ...file }))
    const { code, stderr } = await press.fundpress('nightly --db nowhere')
    expect(code).toBe(1)
    const leftOut =
      'entries of nightly/history.json that are damaged, or of another version are left out: 7\n'
    expect(stderr.includes(leftOut)).toBe('events' in file)
    expect(history()).toEqual([night])
  }
  expect((await press.fundpress('nightly --db nowhere')).stderr).not.toContain('left out')
  expect(keptEvents()).toHaveLength(200)
  expect(keptEvents()[0]).toMatchObject({ who: '11' })
  expect(keptEvents().at(-1)).toMatchObject({ kind: 'failed' })
})

it('refuses a machine whose clock is more than 15 minutes from that of the store, and warns before', async () => {
  press.server.settings.clockSkewMs = 14 * 60_000
  const warned = await nightly('--json')
  const message = "this machine's clock is 14 minutes behind the store's: set it (NTP)"
  expect(stepsOf(warned).filter((step) => step !== 'night warning')).toEqual(wholeNight)
  expect(eventsOf(warned)).toContainEqual(expect.objectContaining({ event: 'warning', message }))
  press.server.settings.clockSkewMs = -16 * 60_000
  const before = liveFile()
  for (const flags of ['', '--ask']) {
    const run = await nightlyOf('2026-11-12', flags)
    expect(run.code, run.stderr).toBe(3)
    expect(liveFile()).toEqual(before)
    expect(run.stderr).toContain(
      "this machine's clock is 16 minutes ahead of the store's, more than 15 minutes",
    )
  }
  expect(keptEvents()).toMatchObject([
    { kind: 'refused', step: 'night', objections: [{ guard: 'clock' }], times: 2 },
  ])
  expect((await nightly('--again --allow clock --reason test')).code).toBe(0)
})

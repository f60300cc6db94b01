/** Notices of nightly runs, publishes, flips, rollbacks, shards and monitors, through the front door. */
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  asOf,
  db,
  fileOf,
  keptEvents,
  nightly,
  nightlyOf,
  press,
  useNights,
} from '../../bucket/nightly/nightly.ts'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import type { Run } from '../../support/product.ts'
import { openReceiver, useReceiver } from '../../support/receiver.ts'

useNights(1)

const receiver = useReceiver()
const events = ['done', 'refused', 'failed', 'late', 'stale', 'rollback', 'forced', 'warned']
const configure = (config: object) => writeFileSync(fileOf('fundpress.config.json'), JSON.stringify(config))

beforeEach(() => {
  configure({ notify: [{ type: 'webhook', url: receiver.url('/all'), events }] })
})

const liveNow = () => press.bucket.live()?.snapshot
const alice = { GITHUB_ACTOR: 'alice' }
/** A newer day is live: each run of {@link asOf} is refused, as `older`. */
const publishLater = async () => {
  await nightlyOf('2026-11-12')
  receiver.take()
}
const older = {
  guard: 'older',
  subject: null,
  message: 'it is of 2026-11-11, older than the live one of 2026-11-12',
}

describe('a nightly run', () => {
  it('sends its figures to targets of `done` when it went live, and no notice when it has nothing to do', async () => {
    const onlyDefault = { type: 'webhook', url: receiver.url('/default') }
    configure({ notify: [{ type: 'webhook', url: receiver.url('/done'), events: ['done'] }, onlyDefault] })
    const github = {
      GITHUB_SERVER_URL: 'https://github.example.com',
      GITHUB_REPOSITORY: 'muster/funds',
      GITHUB_RUN_ID: '12',
    }
    expect(await nightly('', github)).toMatchObject({ code: 0, stderr: '' })
    const snapshot = liveNow()
    expect(receiver.received.map(({ path, method }) => `${method} ${path}`)).toEqual(['POST /done'])
    expect(receiver.take()).toEqual([
      {
        format: 1,
        event: 'done',
        state: null,
        title: 'fundpress 2026-11-11: live',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        command: 'nightly',
        place: 'funds',
        asOf,
        snapshot,
        reverted: null,
        slot: 'blue',
        step: null,
        reason: null,
        news: [],
        details: [],
        objections: [],
        moreObjections: 0,
        allow: null,
        who: null,
        failures: 0,
        figures: {
          funds: 1,
          documents: expect.any(Number) as number,
          changed: expect.any(Number) as number,
          written: expect.any(Number) as number,
          bytes: expect.any(Number) as number,
          cost: expect.any(Number) as number,
          seconds: expect.any(Number) as number,
          prices: {
            fresh: 1,
            late: 0,
            stale: 0,
            suspended: 0,
            ended: 0,
            unwatched: 0,
            unpriced: 0,
            withheld: 0,
          },
        },
        host: hostname(),
        run: 'https://github.example.com/muster/funds/actions/runs/12',
        text: expect.stringMatching(
          /^fundpress 2026-11-11: live\nSnapshot: .* in blue\nFigures: 1 fund, /,
        ) as string,
      },
    ])
    configure({ notify: [{ type: 'webhook', url: receiver.url('/all'), events }] })
    for (const flags of ['', '--ask', '--ask --exit-code']) await nightly(flags)
    expect(receiver.take()).toEqual([])
  })

  it('sends a refusal once, with the flags that allow it, and then the permission', async () => {
    await publishLater()
    expect((await nightly('', alice)).code).toBe(3)
    expect(receiver.take()).toMatchObject([
      {
        event: 'refused',
        title: 'fundpress 2026-11-11: refused in publish',
        step: 'publish',
        objections: [older],
        moreObjections: 0,
        allow: '--allow older --reason "…"',
        who: 'alice',
      },
    ])
    expect((await nightly('', alice)).code).toBe(3)
    expect(receiver.take()).toEqual([])
    expect(keptEvents().at(-1)).toMatchObject({ kind: 'refused', times: 2 })

    const line = `nightly --db funds.sqlite --as-of ${asOf} --sample 9 --allow older --reason`.split(' ')
    expect((await press.fundpress([...line, 'back to <Wednesday>'], alice)).code).toBe(0)
    const told = receiver.take()
    expect(told.map(({ event }) => event).sort()).toEqual(['done', 'forced'])
    expect(told.find(({ event }) => event === 'forced')).toMatchObject({
      title: 'fundpress 2026-11-11: allowed what guards refuse',
      objections: [older],
      allow: null,
      who: 'alice',
      reason: 'back to <Wednesday>',
    })
  })

  it('sends a failure once with its errors: again only after a success, for another reason, or on another day', async () => {
    const onlyDefault = { type: 'webhook', url: receiver.url('/default') }
    configure({ notify: [onlyDefault, { type: 'webhook', url: receiver.url('/late'), events: ['late'] }] })
    const failed = async (run: Promise<Run>) => {
      expect((await run).code).toBe(1)
      expect(receiver.received.every(({ path }) => path === '/default')).toBe(true)
      return receiver.take().map(({ event, title }) => `${String(event)}: ${String(title)}`)
    }
    const inCheck = [`failed: fundpress ${asOf}: failed in check`]
    const right = readFileSync(db())
    const breakData = () =>
      editDatabase(
        db(),
        "UPDATE price SET net_asset_value = 'nonsense' WHERE date = (SELECT max(date) FROM price)",
      )
    breakData()
    expect((await nightly()).code).toBe(1)
    expect(receiver.take()).toMatchObject([
      {
        event: 'failed',
        step: 'check',
        reason: expect.stringContaining('error') as string,
        details: [expect.stringContaining('nonsense') as string],
      },
    ])
    expect(await failed(nightly())).toEqual([])
    expect(await failed(nightlyOf('2026-11-12'))).toEqual(['failed: fundpress 2026-11-12: failed in check'])
    const missing = () => press.fundpress(`nightly --db nowhere.sqlite --as-of ${asOf}`)
    expect(await failed(missing())).toEqual([`failed: fundpress ${asOf}: failed in night`])
    expect(await failed(missing())).toEqual([])

    writeFileSync(db(), right)
    const done = await nightly('--summary night.md')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/default'])
    expect(receiver.take()).toMatchObject([
      { event: 'done', title: `fundpress ${asOf}: live after 4 failures`, failures: 4 },
    ])
    expect(readFileSync(fileOf('night.md'), 'utf8')).toContain('`done after 4 failures`')

    breakData()
    expect(await failed(nightly())).toEqual(inCheck)
    writeFileSync(db(), right)
    editDatabase(db(), newBenchmark(1))
    expect((await nightly()).code).toBe(0)
    expect(receiver.take()).toMatchObject([{ title: `fundpress ${asOf}: live after 1 failure` }])
    // Nothing has failed since.
    editDatabase(db(), newBenchmark(2))
    expect((await nightly()).code).toBe(0)
    expect(receiver.take()).toEqual([])
  })

  it('sends a failure again in the next attempt if no target took it; one target is enough', async () => {
    const wrong = { type: 'webhook', url: receiver.url('/wrong') }
    const both = [wrong, { type: 'webhook', url: receiver.url('/right') }]
    receiver.answerWith((response, { path }) => response.writeHead(path === '/wrong' ? 404 : 200).end())
    for (const notify of [[wrong], [wrong], both, both]) {
      configure({ notify })
      expect((await press.fundpress(`nightly --db nowhere.sqlite --as-of ${asOf}`)).code).toBe(1)
    }
    const paths = receiver.received.map(({ path }) => path)
    expect(paths.sort()).toEqual(['/right', '/wrong', '/wrong', '/wrong'])
    expect(keptEvents()).toMatchObject([{ times: 4 }])
  })

  it('sends a failure each time if the bucket does not keep the history', async () => {
    press.server.settings.deny = [{ operation: /^PutObject$/, key: /^nightly\// }]
    for (let attempt = 0; attempt < 2; attempt++)
      await press.fundpress(`nightly --db nowhere.sqlite --as-of ${asOf}`)
    expect(receiver.take().map(({ event }) => event)).toEqual(['failed', 'failed'])
  })

  it('sends a failure for a missing setting or a wrong flag, too', async () => {
    expect((await press.bare(`nightly --db funds.sqlite --as-of ${asOf}`)).code).toBe(2)
    expect((await nightly('--allow lost-funds')).code).toBe(2)
    expect(receiver.take()).toMatchObject([
      {
        event: 'failed',
        place: null,
        reason: expect.stringContaining('--bucket <name> is missing') as string,
      },
      { event: 'failed', reason: expect.stringContaining('--reason') as string },
    ])
  })
})

describe('a command by hand', () => {
  it('sends a stage, a flip, a rollback and a refusal, with the person and the reason', async () => {
    await nightly()
    const before = liveNow()
    editDatabase(db(), newBenchmark(1))
    await press.bare(`build --db funds.sqlite --as-of ${asOf} --quiet`)
    receiver.take()
    expect((await press.fundpress('publish --stage', alice)).code).toBe(0)
    const [staged] = receiver.take()
    expect(staged).toMatchObject({ event: 'done', title: 'fundpress 2026-11-11: staged', command: 'publish' })
    const snapshot = staged?.['snapshot'] as string

    expect((await press.fundpress(['flip', snapshot, '--reason', 'seen by Ms Weber'], alice)).code).toBe(0)
    expect(receiver.take()).toMatchObject([
      {
        event: 'done',
        title: 'fundpress 2026-11-11: live',
        command: 'flip',
        snapshot,
        who: 'alice',
        reason: 'seen by Ms Weber',
      },
    ])

    expect((await press.fundpress(['rollback', '--reason', 'wrong NAV'], alice)).code).toBe(0)
    expect(receiver.take()).toMatchObject([
      {
        event: 'rollback',
        title: 'fundpress 2026-11-11: rolled back',
        snapshot: before,
        reverted: snapshot,
        who: 'alice',
        reason: 'wrong NAV',
      },
    ])
    expect((await press.fundpress('rollback')).code).toBe(3)
    expect(receiver.take()).toMatchObject([
      {
        event: 'refused',
        title: expect.stringMatching(/^fundpress \d{4}-\d\d-\d\d: rollback refused$/) as string,
        objections: [{ guard: 'hold' }],
      },
    ])

    expect((await press.fundpress('flip 2026-11-20-3f9c2ab4d1e0')).code).toBe(1)
    expect(receiver.take()).toMatchObject([{ event: 'failed', title: 'fundpress 2026-11-20: flip failed' }])
  })

  it('sends the failure of a shard, and of no other build', async () => {
    const line = `build --db nowhere.sqlite --as-of ${asOf}`
    expect((await press.bare(`${line} --shard auto/8`, { JOB_COMPLETION_INDEX: '2' })).code).toBe(1)
    expect((await press.bare(line)).code).toBe(1)
    expect(receiver.take()).toMatchObject([
      { event: 'failed', title: 'fundpress 2026-11-11: shard 3/8 failed', command: 'build' },
    ])
  })
})

describe('a monitor, which looks with `status --max-age` and `verify`,', () => {
  it('sends that nothing is live, that the live snapshot is late, and that too many prices are stale', async () => {
    await press.fundpress('status')
    expect(receiver.take()).toEqual([])
    expect((await press.fundpress('status --max-age 1d')).code).toBe(1)
    expect(receiver.take()).toMatchObject([
      {
        event: 'late',
        title: 'fundpress: late',
        place: 'funds',
        reason: expect.stringContaining('nothing is live') as string,
      },
    ])
    await nightlyOf('2026-11-20', '', { FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1' })
    receiver.take()
    expect((await press.fundpress('status')).code).toBe(0)
    expect(receiver.take()).toEqual([])
    expect((await press.fundpress('status --max-age 0s')).code).toBe(1)
    const told = receiver.take()
    expect(told.map(({ title }) => title).sort()).toEqual([
      'fundpress 2026-11-20: 1 fund with stale prices',
      'fundpress 2026-11-20: late',
    ])
    expect(told.find(({ event }) => event === 'late')?.['reason']).toMatch(/ ago, more than 0 s/)
  })

  it('sends that the live snapshot contradicts itself, or cannot be read', async () => {
    await nightlyOf('2026-11-20', '', { FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1' })
    receiver.take()
    const failure = async (line: string, reason: string) => {
      const status = line.includes('--base') ? press.bare : press.fundpress
      expect((await status(line, { FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1' })).code).toBe(1)
      expect(receiver.take()).toMatchObject([
        {
          event: 'failed',
          title: `fundpress: ${line.split(' ')[0] ?? ''} failed`,
          reason: expect.stringContaining(reason) as string,
        },
      ])
    }
    press.bucket.remove(press.bucket.keys('blue/api/')[0] ?? '')
    await failure('verify --deep', '1 object differs from the manifest')
    press.bucket.remove(`${press.bucket.live()?.slot ?? ''}/manifest.ndjson.gz`)
    await failure('status --max-age 9999d', 'holds no manifest that can be read')
    await failure('status --max-age 9999d --base http://127.0.0.1:1', 'http://127.0.0.1:1')
    press.bucket.put('live.json', 'x')
    await failure('status --max-age 9999d', 'live.json')
  })
})

it('a target that fails is a warning, and changes neither the exit code nor the notices of others', async () => {
  const refusing = await openReceiver((response) => response.writeHead(404).end('key S3CRET is wrong'))
  configure({
    notify: [
      { type: 'webhook', url: `${refusing.url}/S3CRET`, events },
      // A missing variable is a warning, whatever the events are.
      { type: 'webhook', url: 'env:NOT_SET', events: ['late'] },
      { type: 'command', command: 'echo "$FUNDPRESS_EVENT cannot be told"; exit 1', events },
      { type: 'command', command: ['tee', 'command.json'], events },
      { type: 'webhook', url: receiver.url('/all'), events },
    ],
  })
  const warnings = [
    'warning  night: notify: webhook is off: the environment variable NOT_SET is not set\n',
    `warning  night: notify: webhook (${refusing.host}) was not told: its answer has the status 404\n`,
    'warning  night: notify: command (echo) was not told: it ended with exit code 1: done cannot be told\n',
  ].join('')
  expect(await nightlyOf('2026-11-12')).toMatchObject({ code: 0, stderr: warnings })
  const [told, ...more] = receiver.take()
  expect(more).toEqual([])
  expect(told).toMatchObject({ event: 'done', title: 'fundpress 2026-11-12: live' })
  expect(JSON.parse(readFileSync(fileOf('command.json'), 'utf8'))).toEqual(told)
  await refusing.close()
})

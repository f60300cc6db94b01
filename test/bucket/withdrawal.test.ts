/** What may no longer be given out leaves the downloads of earlier days. Expired downloads go, too. */
import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { expectSuccess } from '../cli/outcome.ts'
import { withoutFund } from './nightly/nightly.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { expectList } from '../support/lists.ts'
import { startServing } from '../support/product.ts'
import { isComplete } from '../support/rounds.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { flip, holdBack } from '../support/two-nights.ts'

const first = '2026-11-11'
const second = '2026-11-12'
const third = '2026-11-13'
const fourth = '2026-11-14'
const withDownloads = { FUNDPRESS_DOWNLOADS: 'true' }

let press: Press
let isin = ''
/** Brings back a bucket with {@link publishTwoDays}. */
let restore: (() => void) | undefined
const db = () => press.nights.folder.file('funds.sqlite')

async function build(out: string, asOf: string, sql: string): Promise<void> {
  editDatabase(db(), sql)
  const line = `build --db funds.sqlite --out ${out} --as-of ${asOf} --quiet`
  expect(await press.bare(line, withDownloads)).toMatchObject({ code: 0 })
}

beforeAll(async () => {
  press = await openPress(await buildNights(0, 2, { years: 1 }))
  isin =
    new Database(db(), { readonly: true }).prepare<[], string>('SELECT max(isin) FROM fund').pluck().get() ??
    ''
  await build('first', first, newBenchmark(1))
  await build('second', second, newBenchmark(2))
  const whole = readFileSync(db())
  await build('no-prices', third, `UPDATE fund SET prices_permitted = 0 WHERE isin = '${isin}'`)
  await build('fourth', fourth, '')
  writeFileSync(db(), whole)
  await build('without', first, withoutFund(`'${isin}'`))
  await build('without-later', second, '')
  writeFileSync(db(), whole)
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
  configure({})
})

const configure = (downloads: object) =>
  writeFileSync(press.nights.folder.file('fundpress.config.json'), JSON.stringify({ downloads }))

async function publish(out: string, ...flags: readonly string[]) {
  const run = await press.publish(out, '--force', '--reason', 'test', ...flags)
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(run.stdout) as {
    readonly outcome: string
    readonly requests: object
    readonly removed: readonly object[]
  }
}

/** The names below `downloads/`. */
const folders = () =>
  [...new Set(press.bucket.keys('downloads/').map((key) => key.split('/')[1] ?? ''))].sort()
const folderOf = (day: string) => press.bucket.downloads(day).split('/')[1] ?? ''
const verify = async () => {
  const { code, stdout } = await press.fundpress('verify')
  return { code, differences: stdout.split('\n').filter((line) => line.startsWith('downloads/')) }
}
const noDifferences = { code: 0, differences: [] }

const edgeEnv = { FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '0' }
const serve = (args: string[]) => startServing(args, { env: { ...credentials, ...edgeEnv } })

type Status = (day: string) => Promise<number>
interface ListedDays {
  readonly days: readonly string[]
  readonly withdrawn: readonly string[]
}
type ListDays = () => Promise<ListedDays>

/** @param work is given the status of a day's prices.csv at an edge that follows each flip at once, and the days that it lists */
async function withEdge(work: (status: Status, days: ListDays) => Promise<void>): Promise<void> {
  const edge = await serve(bucketArgs(press.server.endpoint, press.bucket.name))
  const days = async () => {
    const list = (await (await fetch(`${edge.base}/downloads/index.json`)).json()) as ListedDays
    expectList('download-days', list)
    return { days: list.days, withdrawn: list.withdrawn }
  }
  try {
    await work(async (day) => (await fetch(`${edge.base}/downloads/${day}/prices.csv`)).status, days)
  } finally {
    await edge.stop()
  }
}

/** Two days that may give out everything. @returns their folders */
async function publishTwoDays(): Promise<readonly string[]> {
  if (restore === undefined) {
    for (const out of ['first', 'second']) expect(await publish(out)).toMatchObject({ removed: [] })
    restore = press.bucket.save()
  } else restore()
  return [folderOf(first), folderOf(second)]
}

it('a publish in which the prices of a fund may no longer be given out removes earlier downloads', async () => {
  const earlier = await publishTwoDays()
  const withdrawn = earlier.map((folder) => ({ folder, why: 'withdrawn', isins: [isin], isHeld: false }))
  await withEdge(async (status, days) => {
    expect([await status(first), await status(second)]).toEqual([200, 200])
    expect(await days()).toEqual({ days: [second, first], withdrawn: [] })
    expect(await publish('no-prices')).toMatchObject({ removed: withdrawn })
    expect(await days()).toEqual({ days: [third], withdrawn: [second, first] })
    for (const day of [first, second]) expect(await status(day), day).toBe(404)
    for (const day of [third, 'latest']) expect(await status(day), day).toBe(200)
  })
  expect(folders()).toEqual([folderOf(third)])
  expect(await verify()).toEqual(noDifferences)
})

it('a fund that is new, or no longer in the database, is not withdrawn', async () => {
  await publish('without')
  expect(await publish('no-prices')).toMatchObject({ removed: [] })
  expect(folders()).toHaveLength(2)
  press.reset()
  await publish('first')
  expect(await publish('without-later')).toMatchObject({ removed: [] })
  expect(folders()).toHaveLength(2)
})

it('waits for late readers of the latest files before it deletes those of the snapshot before', async () => {
  await publishTwoDays()
  const times = { flip: 0, last: 0 }
  const at = (name: keyof typeof times) => () => (times[name] = performance.now())
  press.server.faults([
    { kind: 'call', when: 'before', method: 'PUT', keyMatches: /^live\.json$/, run: at('flip') },
    { kind: 'call', when: 'before', operation: 'DeleteObjects', run: at('last') },
  ])
  const env = { FUNDPRESS_BUCKET_GRACE_SECONDS: '1' }
  const run = await press.fundpress('publish --out no-prices --force --reason test --quiet', env)
  expect(run.code, run.stderr).toBe(0)
  expect(folders()).toEqual([folderOf(third)])
  expect(times.last - times.flip).toBeGreaterThan(990)
})

it('plan says what would be removed, and counts the same requests', async () => {
  const earlier = await publishTwoDays()
  const flags = '--out no-prices --force --reason test'
  const planned = await press.json<{ removed: object[]; requests: object }>(`plan ${flags}`)
  expect(planned.removed).toMatchObject(earlier.map((folder) => ({ folder })))
  expect((await press.fundpress(`plan ${flags}`)).stdout).toMatch(
    /^earlier days +downloads of .* to be removed:/m,
  )
  expect((await publish('no-prices')).requests).toEqual(planned.requests)
})

describe('a publish that is killed after its flip', () => {
  const killAfterFlip = async (out: string) => {
    const { child, end } = press.begin(['publish', '--out', out, '--force', '--reason', 'test'])
    press.server.faults([holdBack(flip, () => child.kill('SIGKILL'), { when: 'after' })])
    expect(await end).toMatchObject({ signal: 'SIGKILL' })
    press.server.faults([])
    expect(press.bucket.live()).toMatchObject({ asOf: third })
  }

  it('serves nothing that is withdrawn; verify names it; the same publish completes it', async () => {
    const earlier = await publishTwoDays()
    await killAfterFlip('no-prices')
    expect(folders()).toEqual([...earlier, folderOf(third)])
    await withEdge(async (status) => {
      for (const day of [first, second]) expect(await status(day), day).toBe(404)
      expect(await status('latest')).toBe(200)
    })
    const said = earlier.map((folder) => `downloads/${folder}/ holds what may no longer be given out`)
    expect(await verify()).toEqual({ code: 1, differences: said })
    expect(await publish('no-prices')).toMatchObject({ outcome: 'already live', removed: [{}, {}] })
    expect(folders()).toEqual([folderOf(third)])
    expect(await verify()).toEqual(noDifferences)
  })

  it('is completed by a nightly run that has nothing to do', async () => {
    await publishTwoDays()
    await build('same', third, `UPDATE fund SET data_permitted = 0 WHERE isin = '${isin}'`)
    await killAfterFlip('same')
    const nightly = `nightly --db funds.sqlite --as-of ${third}`
    const { code, stdout, stderr } = await press.fundpress(nightly, withDownloads)
    editDatabase(db(), `UPDATE fund SET data_permitted = 1`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('nothing to do') })
    expect(stderr).toContain(`removed: ${isin} may no longer be given out`)
    expect(folders()).toEqual([folderOf(third)])
  })
})

it.runIf(isComplete)(
  'says that it is live if the removal fails, and the next publish repeats it',
  async () => {
    const earlier = await publishTwoDays()
    press.server.faults([{ kind: 'delete-error', keyMatches: /downloads/, code: 'AccessDenied' }])
    const { code, stderr } = await press.publish('no-prices', '--force', '--reason', 'test')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/is live, but earlier downloads .* publish again$/m),
    })
    expect(folders()).toEqual([...earlier, folderOf(third)])
    press.server.faults([])
    expect(await publish('no-prices')).toMatchObject({ removed: [{}, {}] })
    expect(folders()).toEqual([folderOf(third)])
  },
)

describe('a staged snapshot', () => {
  const stage = (out: string) => publish(out, '--stage')
  const id = () => (JSON.parse(press.bucket.body('staged.json').toString()) as { snapshot: string }).snapshot

  it('removes what it withdraws only at its flip', async () => {
    const before = await publishTwoDays()
    expect(await stage('no-prices')).toMatchObject({ removed: [] })
    const staged = id()
    expect(folders()).toEqual([...before, staged])
    expect(await verify()).toEqual(noDifferences)
    const { removed } = await press.json<{ removed: readonly object[] }>(`flip ${staged}`)
    expect(removed).toMatchObject(before.map((folder) => ({ folder, why: 'withdrawn' })))
    expect(folders()).toEqual([staged])
    expect(await verify()).toEqual(noDifferences)
  })

  it('keeps its downloads if it gives out again what the live one withholds, until another one takes its place', async () => {
    await publishTwoDays()
    await publish('no-prices')
    const [live] = folders()
    await stage('second')
    const staged = id()
    // A publish and a nightly run with nothing to do look for what is withdrawn.
    expect(await publish('no-prices')).toMatchObject({ outcome: 'already live', removed: [] })
    expect((await press.fundpress('prune --yes --keep-downloads 0')).code).toBe(0)
    expect(folders()).toEqual([staged, live])
    expect(await verify()).toEqual(noDifferences)
    expect(await publish('fourth')).toMatchObject({ removed: [{ folder: staged, why: 'withdrawn' }] })
    expect(folders()).not.toContain(staged)
    expect(await verify()).toEqual(noDifferences)
  })
})

it('a repair removes withdrawn downloads that were put back', async () => {
  await publishTwoDays()
  const [back = ''] = folders()
  const bodies = press.bucket.keys(`downloads/${back}/`).map((key) => [key, press.bucket.body(key)] as const)
  await publish('no-prices')
  for (const [key, body] of bodies) press.bucket.put(key, body)
  expect(await verify()).toEqual({
    code: 1,
    differences: [`downloads/${back}/ holds what may no longer be given out`],
  })
  expect(await publish('no-prices', '--repair')).toMatchObject({ removed: [{ folder: back }] })
  expect(await verify()).toEqual(noDifferences)
})

it('a rollback to what has been withdrawn since is refused', async () => {
  const [, before = ''] = await publishTwoDays()
  await publish('no-prices')
  const live = press.bucket.body('live.json')
  const refused = await press.fundpress('rollback')
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining(`${before} gives out prices of ${isin} again, withdrawn since`) as string,
  })
  expect(refused.stderr).toContain(`--allow withdrawn-again:${isin} --reason "…"`)
  expect(press.bucket.body('live.json')).toEqual(live)
})

it('a legal hold keeps the files, which no edge serves and verify does not report, until it ends', async () => {
  const [kept = ''] = await publishTwoDays()
  configure({ keep: [first] })
  await withEdge(async (status) => {
    const { removed } = await publish('no-prices')
    expect(removed).toMatchObject([{ folder: kept, isHeld: true }, { isHeld: false }])
    expect(folders()).toEqual([kept, folderOf(third)])
    expect(await verify()).toEqual(noDifferences)
    expect(await status(first)).toBe(404)
    expect(await status(third)).toBe(200)
    await expectSuccess(press.fundpress('prune --yes --keep-downloads 0'))
    expect((await publish('fourth')).removed).toMatchObject([{ folder: kept, isHeld: true }])
    configure({})
    expect(await verify()).toEqual({
      code: 1,
      differences: [`downloads/${kept}/ holds what may no longer be given out`],
    })
    expect((await publish('fourth')).removed).toMatchObject([{ folder: kept, isHeld: false }])
    expect(folders()).not.toContain(kept)
  })
})

describe('downloads.keepDays', () => {
  const nightly = async (day: string) => {
    const run = await press.fundpress(`nightly --db funds.sqlite --as-of ${day} --json`, withDownloads)
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    return events.find(({ step, event }) => `${String(step)} ${String(event)}` === 'publish done')?.[
      'removed'
    ]
  }

  it('is applied by nightly, but not to the snapshot before, nor to days of a legal hold', async () => {
    const old = ['2026-10-01-3f9c2ab4d1e0', '2026-10-02-3f9c2ab4d1e0', '2026-10-03-3f9c2ab4d1e0']
    for (const folder of [...old, 'readme']) press.bucket.put(`downloads/${folder}/prices.csv`, 'x')
    configure({ keep: ['2026-10-02'] })
    expect(await nightly(first)).toBe(
      'downloads of 2026-10-01 to 2026-10-03 removed: expired (downloads.keepDays)',
    )
    expect(folders()).toEqual(['2026-10-02-3f9c2ab4d1e0', folderOf(first), 'readme'])
    configure({ keepDays: 0, keep: ['2026-10-02'] })
    await nightly(second)
    expect(folders()).toEqual(['2026-10-02-3f9c2ab4d1e0', folderOf(first), folderOf(second), 'readme'])
  })

  it('leaves the last day of each month with downloads.keepMonthEnds', async () => {
    const days = ['2026-08-31', '2026-09-29', '2026-09-30', '2026-10-29']
    for (const day of days) press.bucket.put(`downloads/${day}-3f9c2ab4d1e0/prices.csv`, 'x')
    configure({ keepDays: 10, keepMonthEnds: true })
    await nightly(first)
    const kept = ['2026-08-31', '2026-09-30', '2026-10-29'].map((day) => `${day}-3f9c2ab4d1e0`)
    expect(folders()).toEqual([...kept, folderOf(first)])
  })

  it('keeps the last day of a month that was live, although a killed publish has left a later one', async () => {
    configure({ keepDays: 0, keepMonthEnds: true })
    await nightly(first)
    press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'x')
    for (const day of ['2126-12-01', '2126-12-02']) {
      const allow = ['--allow', 'future-date,stale-prices', '--reason', 'a test']
      const line = ['nightly', '--db', 'funds.sqlite', '--as-of', day, ...allow]
      expect(await press.fundpress(line, withDownloads)).toMatchObject({ code: 0 })
    }
    expect(folders()).toContain(folderOf(first))
  })

  it('counts from today if the as-of date lies in the future', async () => {
    const today = new Date().toISOString().slice(0, 10)
    press.bucket.put('downloads/2020-01-01-3f9c2ab4d1e0/prices.csv', 'x')
    press.bucket.put(`downloads/${today}-3f9c2ab4d1e0/prices.csv`, 'x')
    const day = `${Number(today.slice(0, 4)) + 1}${today.slice(4, 8)}15`
    const allow = ['--allow', 'future-date,stale-prices', '--reason', 'a test']
    const line = ['nightly', '--db', 'funds.sqlite', '--as-of', day, ...allow]
    expect(await press.fundpress(line, withDownloads)).toMatchObject({ code: 0 })
    expect(folders()).toEqual([`${today}-3f9c2ab4d1e0`, folderOf(day)])
  })
})

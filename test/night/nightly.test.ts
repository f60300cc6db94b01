/** `fundpress nightly`: the steps, attempts that find nothing to do, and nights that fail. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { annotationLines } from '../../src/cli/night/annotations.ts'
import { readHistory } from '../../src/night/history.ts'
import { editDatabase } from '../support/database.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import type { Run } from '../support/product.ts'

let press: Press
let db: string
let original: Buffer
beforeAll(async () => {
  press = await openPress(await buildNights(1, 2, { years: 1 }))
  db = press.nights.folder.file('funds.sqlite')
  original = readFileSync(db)
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
  writeFileSync(db, original)
  for (const name of ['out', 'night.md', 'outputs']) rmSync(fileOf(name), { recursive: true, force: true })
})

const fileOf = (name: string) => press.nights.folder.file(name)
const read = (name: string) => readFileSync(fileOf(name), 'utf8')
const asOf = '2026-11-11'
const nightly = (flags = '', env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  press.fundpress(`nightly --db funds.sqlite --as-of ${asOf} ${flags}`.trim(), env)

interface Event {
  readonly time: string
  readonly step: string
  readonly event: string
  readonly [figure: string]: unknown
}
const eventsOf = ({ stdout }: Run) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event)
const lastOf = (run: Run) => eventsOf(run).at(-1)
const stepsOf = (run: Run) => eventsOf(run).map(({ step, event }) => `${step} ${event}`)
const historyOf = () =>
  JSON.parse(press.bucket.body('nightly/history.json').toString()) as {
    nights: readonly Readonly<Record<string, unknown>>[]
  }
const wholeNight = [
  ...['night begun', 'check begun', 'check done', 'build done', 'plan begun', 'plan done', 'publish begun'],
  ...['publish done', 'verify begun', 'verify done', 'status begun', 'status done', 'night done'],
]

it('does all steps of a night, one JSON object a line, and what is live is what was built', async () => {
  const run = await nightly('--json --seed 7')
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(stepsOf(run)).toEqual(wholeNight)
  for (const { time } of eventsOf(run)) expect(new Date(time).toISOString()).toBe(time)
  const { slot = '', snapshot } = press.bucket.live() ?? {}
  expect([press.bucket.faultsOf(slot), press.bucket.differencesFrom('out', slot)]).toEqual([[], []])

  const objects = gunzipSync(press.bucket.body(`${slot}/manifest.ndjson.gz`))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
  const bytes = objects.reduce((sum, line) => sum + (JSON.parse(line) as { bytes: number }).bytes, 0)
  // Every object was put, and what lies beside them; the manifest and the checksums do not count.
  const changed = lastOf(run)?.['changed']
  expect(changed).toBeGreaterThanOrEqual(objects.length)
  expect(changed).toBeLessThanOrEqual(press.bucket.keys('blue/').length - 2)
  expect(lastOf(run)).toMatchObject({ snapshot, slot, asOf, funds: 2, documents: objects.length, bytes })
  expect(lastOf(run)).toMatchObject({ oldestPrice: '2026-11-10', isVerified: true })
  expect(eventsOf(run).find(({ step, event }) => `${step} ${event}` === 'verify done')).toMatchObject({
    bodies: 100,
    differences: 0,
    seed: 7,
  })
  expect(historyOf().nights).toMatchObject([{ asOf, snapshot, documents: objects.length, isVerified: true }])
})

it('does nothing where the night is done: it only reads, and says so', async () => {
  await nightly()
  press.server.reset()
  const again = await nightly('--summary night.md')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  const { snapshot = '' } = press.bucket.live() ?? {}
  expect(again.stdout).toBe(
    `night    ${snapshot} is live in blue already, made of this very database: nothing to do\n`,
  )
  expect(read('night.md')).toMatch(/^## fundpress 2026-11-11: nothing to do\n/)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
  const told = await nightly('--json')
  expect([stepsOf(told), lastOf(told)?.['snapshot']]).toEqual([['night begun', 'night skipped'], snapshot])
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
  expect(stepsOf(await nightly('--json', others))).toEqual(['night begun', 'night skipped'])
  expect(stepsOf(await nightly('--json', { ...others, FUNDPRESS_FRESHNESS_WARN_DAYS: '' }))).toEqual(
    wholeNight,
  )
  expect(stepsOf(await press.fundpress(`nightly --db funds.sqlite --as-of 2026-11-12 --json`))).toEqual(
    wholeNight,
  )
  expect(historyOf().nights.map((night) => night['asOf'])).toEqual(['2026-11-11', '2026-11-12'])
})

it('renders only what changed since the snapshot in the folder', async () => {
  await nightly()
  editDatabase(db, `UPDATE profile SET benchmark = 'x' WHERE isin = (SELECT min(isin) FROM profile)`)
  const built = eventsOf(await nightly('--json')).find(
    ({ step, event }) => `${step} ${event}` === 'build done',
  )
  expect(built).toMatchObject({ rendered: 4, isSparse: false })
  const whole = eventsOf(await nightly('--json --again --since none')).find(({ step }) => step === 'build')
  expect(whole).toMatchObject({ since: null, snapshot: built?.['snapshot'] })
  expect(whole?.['rendered']).toBe(whole?.['documents'])
})

it('goes on from the other slot where no folder is kept, and renders everything where nothing is there', async () => {
  const first = await nightly('--json --since other')
  expect(first.code).toBe(0)
  expect(stepsOf(first)).toContain('build warning')
  for (const benchmark of ['x', 'y']) {
    rmSync(fileOf('out'), { recursive: true, force: true })
    editDatabase(
      db,
      `UPDATE profile SET benchmark = '${benchmark}' WHERE isin = (SELECT min(isin) FROM profile)`,
    )
    expect(await nightly('--json --since other')).toMatchObject({ code: 0, stderr: '' })
  }
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  // What is left is sparse: the next night does not go on from it unasked.
  editDatabase(db, `UPDATE profile SET benchmark = 'w'`)
  const next = await nightly('--json')
  expect([next.code, stepsOf(next)]).toEqual([0, wholeNight])
})

it('renders everything where the folder holds a damaged snapshot, and warns', async () => {
  await nightly()
  editDatabase(db, `UPDATE profile SET benchmark = 'x'`)
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

it('sums the night up in Markdown, with the cost of its requests and charts of the last nights', async () => {
  const run = await nightly('--summary night.md --json')
  const night = lastOf(run)
  const { snapshot = '' } = press.bucket.live() ?? {}
  const rows = new Map(
    [...read('night.md').matchAll(/^\| ([a-z ]+) \| (.*) \|$/gm)].map(([, label = '', figure = '']) => [
      label,
      figure,
    ]),
  )
  expect(rows.get('snapshot')).toBe(`\`${snapshot}\` in blue`)
  expect(rows.get('documents')).toBe(String(night?.['documents']))
  const changed = String(night?.['changed'])
  expect(rows.get('changed')).toBe(`${changed} (${changed} put, 0 deleted)`)
  expect(rows.get('newest price')).toBe('2026-11-10')
  const oldest = new Database(db, { readonly: true })
  const isin = oldest.prepare('SELECT min(isin) FROM fund').pluck().get()
  oldest.close()
  expect(rows.get('oldest price')).toBe(`2026-11-10 (${String(isin)})`)
  // A put costs five millionths, a get 0.4 of one: the publish's own, so without the plan before and the checks after.
  expect(Number(night?.['cost'])).toBeCloseTo((Number(night?.['documents']) + 12) * 5e-6, 4)
  expect(read('night.md')).not.toContain('mermaid')

  await press.fundpress('nightly --db funds.sqlite --as-of 2026-11-12 --summary night.md')
  const [first, second] = historyOf().nights.map((one) => Number(one['changed']))
  expect(read('night.md')).toContain(
    [
      '```mermaid',
      'xychart-beta',
      '  title "Documents changed, the last 2 nights"',
      '  x-axis ["11-11", "11-12"]',
      `  y-axis "documents" 0 --> ${String(Math.max(first ?? 0, second ?? 0))}`,
      `  bar [${String(first)}, ${String(second)}]`,
      '```',
    ].join('\n'),
  )
})

it('names the fund whose newest price is oldest, and counts those without; refused funds count for nothing', async () => {
  editDatabase(
    db,
    `UPDATE fund SET name = '=cmd|'' /C calc''!A1' WHERE isin = (SELECT max(isin) FROM fund);
     DELETE FROM price WHERE date > '2026-03-31' AND isin = (SELECT max(isin) FROM fund);`,
  )
  const [isin, day] = new Database(db, { readonly: true })
    .prepare<[], [string, string]>(
      'SELECT isin, max(date) FROM price GROUP BY isin ORDER BY isin DESC LIMIT 1',
    )
    .raw()
    .get() ?? ['', '']
  await nightly('--summary night.md --force')
  expect(read('night.md')).toContain(`| oldest price | ${day} (${isin}) |`)
  editDatabase(db, `UPDATE fund SET data_permitted = 0 WHERE isin = '${isin}'`)
  await nightly('--summary night.md --force')
  expect(read('night.md')).toContain('| oldest price | 2026-11-10 (')
  editDatabase(db, `UPDATE fund SET data_permitted = 1; DELETE FROM price WHERE isin = '${isin}'`)
  await nightly('--summary night.md --force')
  expect(read('night.md')).toContain('| prices | 1 fresh, 0 late, 0 stale, 1 without a price |')
})

it('warns of funds whose prices are late, by the thresholds of the settings', async () => {
  editDatabase(db, `DELETE FROM price WHERE date > '2026-11-05' AND isin = (SELECT max(isin) FROM fund)`)
  const run = await nightly('--summary night.md')
  expect([run.code, run.stderr]).toEqual([
    0,
    expect.stringMatching(
      /^warning {2}build: prices: 1 fresh, 1 late, 0 stale: [A-Z]{2}\w{10} is late, of 2026-11-05\n$/,
    ),
  ])
  expect(read('night.md')).toContain('| prices | 1 fresh, 1 late, 0 stale |')
})

it('changes nothing in the bucket for a bad database, and names every error', async () => {
  await nightly()
  const before = press.bucket.live()
  press.server.reset()
  editDatabase(db, `UPDATE fund SET currency = '</script>' || char(10) || '::error::%0A\`\`\`\`'`)
  const run = await nightly('--json --summary night.md', {
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: fileOf('outputs'),
  })
  expect(run.code).toBe(1)
  expect(eventsOf(run).filter(({ event }) => event === 'error')).toHaveLength(3)
  expect(lastOf(run)).toMatchObject({ step: 'check', event: 'error' })
  expect(String(lastOf(run)?.['message'])).toMatch(/^funds\.sqlite has 2 errors: mend it/)
  expect(Object.keys(press.server.counts()).filter((name) => name !== 'GetObject')).toEqual([])
  expect(press.bucket.live()).toEqual(before)
  expect(read('night.md')).toMatch(
    /^## fundpress 2026-11-11: failed in check\n\n`{5}text\nfunds\.sqlite has 2 errors/,
  )
  expect(
    read('night.md')
      .split('\n')
      .filter((line) => /^`+$/.test(line)),
  ).toEqual(['`````'])
  expect(read('outputs')).toMatch(
    /^skipped=false\nfailed-step=check\nreason=funds\.sqlite has 2 errors: .*\n$/,
  )
  expect(run.stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
    expect.stringMatching(/^::error title=fundpress nightly%3A check::funds\.sqlite has 2 errors: /),
  ])
})

it('annotates warnings where GitHub Actions runs it', async () => {
  editDatabase(db, `UPDATE fund SET fund_inception_date = '2026-11-10'`)
  const warned = eventsOf(await nightly('--json')).filter(({ event }) => event === 'warning')
  const run = await nightly('--json --again', { GITHUB_ACTIONS: 'true' })
  const lines = run.stderr.split('\n').filter((line) => line.startsWith('::warning'))
  expect(warned.length).toBeGreaterThan(0)
  expect(lines).toEqual(
    warned.map(({ message }) => `::warning title=fundpress nightly%3A check::${String(message)}`),
  )
})

it('shows nine warnings and a count, and no text leaves its annotation', () => {
  const warnings = Array.from({ length: 12 }, (_, index) => ({
    title: 'a:b,c',
    message: `${index}%\r\n::error::x`,
  }))
  const lines = annotationLines(warnings, 'all').trimEnd().split('\n')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('::warning title=a%3Ab%2Cc::0%25%0D%0A::error::x')
  expect(lines[9]).toBe('::warning title=all::3 more warnings: see the log')
})

it('fails where the live slot is damaged, and the next attempt does not pass for a success', async () => {
  press.server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      times: 1,
      run: () => press.bucket.remove(press.bucket.keys('blue/api')[0] ?? ''),
    },
  ])
  const run = await nightly('--json')
  expect([run.code, lastOf(run)?.step]).toEqual([1, 'verify'])
  expect(run.stderr).toMatch(/1 object differs from the manifest of .*: `fundpress publish --repair`\n$/)
  expect(historyOf().nights).toMatchObject([{ isVerified: false }])
  expect((await nightly()).code).toBe(1)
  expect((await press.publish('out', '--repair')).code).toBe(0)
  expect((await nightly('--json')).code).toBe(0)
  expect(stepsOf(await nightly('--json'))).toEqual(['night begun', 'night skipped'])
})

it('verifies in the next attempt what a night that was killed after its flip had not verified', async () => {
  await press.fundpress('nightly --db funds.sqlite --as-of 2026-11-10')
  const { child, end } = press.begin(`nightly --db funds.sqlite --as-of ${asOf}`)
  const kill = () => child.kill('SIGKILL')
  press.server.faults([
    { kind: 'call', when: 'after', method: 'PUT', keyMatches: /^live\.json$/, times: 1, run: kill },
  ])
  expect((await end).signal).toBe('SIGKILL')
  press.server.faults([])
  const next = await nightly('--json')
  expect([next.code, stepsOf(next)]).toEqual([0, expect.arrayContaining(['verify done'])])
  expect(historyOf().nights.at(-1)).toMatchObject({ asOf, isVerified: true })
  expect(stepsOf(await nightly('--json'))).toEqual(['night begun', 'night skipped'])
})

it('does without its history: lost, damaged, of somebody else, or not to be written', async () => {
  await nightly()
  press.bucket.put('nightly/history.json', '{')
  expect(stepsOf(await nightly('--json --again'))).toEqual(wholeNight)
  expect(historyOf().nights).toHaveLength(1)
  press.bucket.remove('nightly/history.json')
  expect(stepsOf(await nightly('--json'))).toEqual(['night begun', 'night skipped'])
  press.server.settings.deny = [{ operation: /^GetObject$/, key: /^nightly\// }]
  const unreadable = await nightly()
  expect([unreadable.code, unreadable.stdout]).toEqual([0, expect.stringContaining('nothing to do')])
  expect(unreadable.stderr).toMatch(/^warning {2}night: the figures of the last nights cannot be read: /)
  press.server.settings.deny = [{ operation: /^PutObject$/, key: /^nightly\// }]
  const denied = await nightly('--again')
  expect(denied.code).toBe(0)
  expect(denied.stderr).toMatch(/^warning {2}night: the figures of this night could not be kept: /)
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

it('does not fail for the slot that stands by: what is live is whole', async () => {
  await nightly()
  const { slot = '' } = press.bucket.live() ?? {}
  press.bucket.put(`${slot}/manifest.ndjson.gz`, 'no manifest')
  const next = await press.fundpress('nightly --db funds.sqlite --as-of 2026-11-12')
  expect([next.code, press.bucket.live()?.slot]).toEqual([0, slot === 'blue' ? 'green' : 'blue'])
  expect(next.stderr).toMatch(/^warning {2}status: .*manifest\.ndjson\.gz/m)
  expect(historyOf().nights.at(-1)).toMatchObject({ asOf: '2026-11-12', isVerified: true })
})

it('gives a workflow its outputs where the summary cannot be written', async () => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: fileOf('outputs') }
  const run = await nightly('--summary no/such/folder/night.md', env)
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('its summary could not be written')])
  expect(read('outputs')).toContain(`snapshot=${press.bucket.live()?.snapshot ?? ''}\n`)
})

it('keeps sixty nights', async () => {
  await nightly()
  const [night = {}] = historyOf().nights
  const nights = Array.from({ length: 75 }, (_, index) => {
    const day = new Date(Date.parse('2026-08-01') + index * 86_400_000).toISOString().slice(0, 10)
    return { ...night, asOf: day }
  })
  press.bucket.put('nightly/history.json', JSON.stringify({ format: 1, nights }))
  await nightly('--again --summary night.md')
  const kept = historyOf().nights.map((one) => one['asOf'])
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([60, '2026-08-17', asOf])
  expect(read('night.md')).toContain('the last 30 nights')
})

it('refuses what publish refuses, and forces what it forces', async () => {
  await press.fundpress('nightly --db funds.sqlite --as-of 2026-11-12')
  const refused = await nightly()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /^fundpress: refused: the snapshot is of 2026-11-11, older than the live one/,
  )
  expect((await nightly('--force')).code).toBe(0)
})

it('wants a database and a bucket, and says which of them is wrong', async () => {
  expect(await press.fundpress('nightly')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^fundpress: --db/),
  })
  expect(await press.bare('nightly --db funds.sqlite')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^fundpress: --bucket/),
  })
  writeFileSync(fileOf('text.sqlite'), 'no database')
  const run = await press.fundpress('nightly --db text.sqlite')
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('it is not a SQLite database')])
  expect(existsSync(fileOf('out'))).toBe(false)
})

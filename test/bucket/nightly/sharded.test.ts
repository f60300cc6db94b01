/** The sharded night: its workflow as a whole, two machines and one that merges, against a bucket of the tests. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { startApi, type FakeApi } from '../../support/github/api.ts'
import { readWorkflow } from '../../support/github/files.ts'
import { openRunner, type RanJob, type Runner } from '../../support/github/runner.ts'
import { buildNights, newBenchmark } from '../../support/nights.ts'
import { openPress, type Press } from '../../support/press.ts'
import { credentials } from '../../support/publishing.ts'
import { hashesOf } from '../../support/tree.ts'
import { isComplete } from '../../support/rounds.ts'

const workflow = 'nightly-sharded.yml'
/** As the workflow has them; commands of the tests make neither unless told. */
const settings = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
let press: Press
let runner: Runner
let api: FakeApi
let db: string
/** As after the nights of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

beforeAll(async () => {
  press = await openPress(await buildNights(1, 3, { years: 1 }))
  db = press.nights.folder.file('funds.sqlite')
  for (const day of [11, 12])
    expect(await press.fundpress(`nightly --db funds.sqlite --as-of 2026-11-${day}`, settings)).toMatchObject(
      { code: 0 },
    )
  restore = press.bucket.save()
  runner = openRunner()
  const file = runner.checkout.file(`.github/workflows/${workflow}`)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('shard: [1, 2, 3, 4]')
  writeFileSync(file, text.replace('shard: [1, 2, 3, 4]', 'shard: [1, 2]'))
  const action = runner.checkout.file('.github/actions/fundpress/action.yml')
  writeFileSync(action, readFileSync(action, 'utf8').replace("default: '60'", "default: '0'"))
  api = await startApi()
  for (const [id, { permissions }] of Object.entries(readWorkflow(file).jobs)) {
    const scopes = Object.entries(permissions).flatMap(([scope, right]) => (right === 'write' ? scope : []))
    api.mayWrite.set(`token-of-${id}`, scopes)
  }
  for (const name of [workflow, 'guard.yml']) api.workflows.set(name, { state: 'active', enabled: 0 })
})
afterAll(async () => {
  await api.stop()
  runner.remove()
  await press.stop()
})
beforeEach(() => {
  restore()
  press.server.reset()
  api.issues.length = 0
})

/** Machines keep nothing. */
async function night(database = db, inputs: Readonly<Record<string, string | boolean>> = {}) {
  for (const name of ['artifacts', 'shards', 'fundpress-out'])
    rmSync(runner.checkout.file(name), { recursive: true, force: true })
  return runner.run(workflow, {
    api: api.base,
    vars: {
      FUNDPRESS_DATABASE: database,
      FUNDPRESS_BUCKET: 'funds',
      FUNDPRESS_REGION: 'us-east-1',
      FUNDPRESS_ENDPOINT: press.server.endpoint,
      FUNDPRESS_PATH_STYLE: 'true',
      FUNDPRESS_ROLE: 'arn:aws:iam::123456789012:role/fundpress',
    },
    inputs: { 'as-of': '2026-11-13', ...inputs },
    credentials,
  })
}
const results = (jobs: Readonly<Record<string, RanJob>>) =>
  Object.fromEntries(Object.entries(jobs).map(([id, { result }]) => [id, result]))
const allWell = {
  ...{ ask: 'success', render: 'success', publish: 'success' },
  ...{ report: 'success', keep: 'success' },
}
const nothingToDo = { ...allWell, render: 'skipped', publish: 'skipped' }
const logOf = (jobs: Readonly<Record<string, RanJob>>) =>
  Object.values(jobs)
    .map(({ log }) => log)
    .join('')

it('publishes what one machine would, all downloads included, then leaves it alone, taken back too', async () => {
  const first = await night()
  expect(results(first), logOf(first)).toEqual(allWell)
  const live = press.bucket.live()
  expect([live?.snapshot.slice(0, 10), live?.slot]).toEqual(['2026-11-13', 'blue'])
  expect(press.bucket.faultsOf('blue')).toEqual([])
  // It has gone on from the slot that it overwrites, and nobody was told of anything that is missing.
  expect(hashesOf(runner.checkout.file('fundpress-out'))['sparse.json']).toBeDefined()
  expect(logOf(first)).not.toMatch(/^::warning (?!.*late)/m)
  const built = await press.bare('build --db funds.sqlite --out full --as-of 2026-11-13 --quiet', settings)
  expect(built).toMatchObject({ code: 0 })
  const full = hashesOf(press.nights.folder.file('full'))
  const asOf = 'downloads/2026-11-13/'
  const names = Object.keys(full)
    .filter((name) => name.startsWith(asOf))
    .map((name) => name.slice(asOf.length))
  expect(names).toContain('documents.zip')
  const prefix = `downloads/${live?.snapshot ?? ''}/`
  expect(press.bucket.keys(prefix).toSorted()).toEqual(names.map((name) => prefix + name).toSorted())
  for (const name of names) {
    const file = readFileSync(press.nights.folder.file(`full/${asOf}${name}`))
    expect(press.bucket.body(prefix + name).equals(file)).toBe(true)
  }
  expect(first['publish']?.summary).toContain('## fundpress 2026-11-13: live\n')
  expect([...api.workflows.values()].map(({ enabled }) => enabled)).toEqual([1, 1])

  press.server.reset()
  const second = await night()
  expect(results(second)).toEqual(nothingToDo)
  expect(second['ask']?.log).toContain(`${live?.snapshot ?? ''} is already live in blue`)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])

  expect(await press.fundpress('rollback')).toMatchObject({ code: 0 })
  const back = press.bucket.live()
  const third = await night()
  expect([results(third), press.bucket.live()]).toEqual([nothingToDo, back])
  expect(third['ask']?.log).toMatch(/^::warning title=fundpress nightly%3A night::a rollback reverted/m)
  expect(results(await night(db, { again: true }))).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toBe(live?.snapshot)
})

it.runIf(isComplete)('fails as a whole where one machine does, tells why, and is well again', async () => {
  const bad = press.nights.folder.file('bad.sqlite')
  copyFileSync(db, bad)
  editDatabase(bad, `UPDATE fund SET currency = '@somebody' WHERE isin = (SELECT max(isin) FROM fund)`)
  const before = press.bucket.live()
  expect(results(await night(bad))).toEqual({ ...allWell, render: 'failure', publish: 'skipped' })
  expect(press.bucket.live()).toEqual(before)
  expect(api.issues).toMatchObject([{ title: 'The nightly run failed', state: 'open' }])
  expect(api.issues[0]?.body).toMatch(/```text\n.*bad\.sqlite has 1 error: .*@somebody/)
  editDatabase(bad, `UPDATE fund SET currency = 'EUR'; ${newBenchmark(7)}`)
  expect(results(await night(bad))).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-13/)
  expect(api.issues[0]?.state).toBe('closed')
})

it('says in words that there is no database, before any machine is started', async () => {
  const jobs = await night('nowhere.sqlite')
  expect(results(jobs)).toEqual({ ...nothingToDo, ask: 'failure' })
  expect(api.issues[0]?.body).toContain('nowhere.sqlite does not exist')
})

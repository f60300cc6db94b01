/** The sharded night: its workflow as a whole, two machines and one that merges, against a bucket of the tests. */
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { isComplete } from '../support/rounds.ts'
import { filesIn } from '../support/tree.ts'
import { db, nightlyOf, press } from '../bucket/nightly/nightly.ts'
import { api, logOf, replaceIn, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

const workflow = 'nightly-sharded.yml'
/** As the workflow has them; commands of the tests make neither unless told. */
const settings = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
/** Brings back the bucket after the runs of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

useRunner([workflow, 'watch.yml'], 2)
beforeAll(async () => {
  for (const day of [11, 12])
    expect(await nightlyOf(`2026-11-${day}`, '', settings)).toMatchObject({ code: 0 })
  restore = press.bucket.save()
  replaceIn(`.github/workflows/${workflow}`, 'shard: [1, 2, 3, 4]', 'shard: [1, 2]')
})
beforeEach(() => {
  restore()
  api.issues.length = 0
})

/** Machines keep nothing. */
function night(database = db(), inputs: Readonly<Record<string, string | boolean>> = {}) {
  for (const name of ['artifacts', 'shards', 'fundpress-out'])
    rmSync(runner.checkout.file(name), { recursive: true, force: true })
  const { vars, ...others } = surroundings({ inputs: { 'as-of': '2026-11-13', ...inputs } })
  return runner.run(workflow, { ...others, vars: { ...vars, FUNDPRESS_DATABASE: database } })
}
const allWell = { ask: 'success', render: 'success', publish: 'success', report: 'success', keep: 'success' }
const nothingToDo = { ...allWell, render: 'skipped', publish: 'skipped' }

it('publishes what one machine would, with all downloads; does nothing again, and is held by a rollback', async () => {
  const first = await night()
  expect(resultsOf(first), logOf(first)).toEqual(allWell)
  const live = press.bucket.live()
  expect([live?.snapshot.slice(0, 10), live?.slot]).toEqual(['2026-11-13', 'blue'])
  expect(press.bucket.faultsOf('blue')).toEqual([])
  // It has gone on from the slot that it overwrites, and nobody was told of anything that is missing.
  expect(filesIn(runner.checkout.file('fundpress-out'))).toContain('sparse.json')
  expect(logOf(first)).not.toMatch(/^::warning (?!.*late)/m)
  await press.bare('build --db funds.sqlite --out full --as-of 2026-11-13 --quiet', settings)
  const full = press.nights.folder.file('full/downloads/2026-11-13')
  const names = filesIn(full)
  expect(names).toContain('prices.parquet')
  const prefix = `downloads/${live?.snapshot ?? ''}/`
  expect(press.bucket.keys(prefix).toSorted()).toEqual(names.map((name) => prefix + name).toSorted())
  for (const name of names)
    expect(press.bucket.body(prefix + name).equals(readFileSync(`${full}/${name}`))).toBe(true)
  expect(first['publish']?.summary).toContain('## fundpress 2026-11-13: live\n')
  expect([...api.workflows.values()].map(({ enabled }) => enabled)).toEqual([1, 1])

  press.server.reset()
  const second = await night()
  expect(resultsOf(second)).toEqual(nothingToDo)
  expect(second['ask']?.log).toContain(`${live?.snapshot ?? ''} is already live in blue`)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])

  expect(await press.fundpress('rollback')).toMatchObject({ code: 0 })
  const back = press.bucket.live()
  const third = await night()
  const refused = { ...allWell, ask: 'failure', render: 'skipped', publish: 'skipped' }
  expect([resultsOf(third), press.bucket.live()]).toEqual([refused, back])
  expect(logOf(third)).toContain('nothing else goes live until somebody lifts it')
  const lifted = await night(db(), { allow: 'hold', reason: 'mended' })
  expect(resultsOf(lifted), logOf(lifted)).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toBe(live?.snapshot)
})

it.runIf(isComplete)(
  'reports what a shard refuses as one machine does: with a table, and how to allow it',
  async () => {
    const jump = press.nights.folder.file('jump.sqlite')
    copyFileSync(db(), jump)
    editDatabase(
      jump,
      `UPDATE price SET net_asset_value = '1000000' WHERE isin = (SELECT max(isin) FROM fund) AND date = (SELECT max(date) FROM price)`,
    )
    expect(resultsOf(await night(jump))).toEqual({ ...allWell, render: 'failure', publish: 'skipped' })
    expect(api.issues).toMatchObject([{ title: 'A guard has refused the nightly run', comments: [] }])
    const { body = '' } = api.issues[0] ?? {}
    expect(body).toMatch(/\| `price-jump` \| `[A-Z0-9]{12}` \|/)
    const inputs = { allow: /`allow` is `(.*?)`/.exec(body)?.[1] ?? '', reason: 'a split' }
    expect(resultsOf(await night(jump, inputs))).toEqual(allWell)
  },
)

it('says that there is no database, before any machine is started', async () => {
  const jobs = await night('nowhere.sqlite')
  expect(resultsOf(jobs)).toEqual({ ...nothingToDo, ask: 'failure' })
  expect(api.issues[0]?.body).toContain('nowhere.sqlite does not exist')
})

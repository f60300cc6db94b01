/** The sharded night: its workflow as a whole, two machines and one that merges, against a bucket of the tests. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { filesIn } from '../support/tree.ts'
import { nightlyOf, press } from '../bucket/nightly/nightly.ts'
import { api, logOf, replaceIn, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

const workflow = 'nightly-sharded.yml'
/** As the workflow has them; commands of the tests make neither by default. */
const settings = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }

useRunner([workflow, 'watch.yml'], 2)
beforeAll(() => replaceIn(`.github/workflows/${workflow}`, 'shard: [1, 2, 3, 4]', 'shard: [1, 2]'))

const night = (inputs: Readonly<Record<string, string>> = {}) =>
  runner.run(workflow, surroundings({ inputs: { 'as-of': '2026-11-13', ...inputs } }))
const allWell = { ask: 'success', render: 'success', publish: 'success', report: 'success', keep: 'success' }
const nothingToDo = { ...allWell, render: 'skipped', publish: 'skipped' }

it('publishes what one machine would, with all downloads; does nothing again, and is held by a rollback', async () => {
  // The night of the 11th is in blue; that of the 12th is live in green.
  for (const day of [11, 12])
    expect(await nightlyOf(`2026-11-${day}`, '', settings)).toMatchObject({ code: 0 })
  const first = await night()
  expect(resultsOf(first), logOf(first)).toEqual(allWell)
  const live = press.bucket.live()
  expect([live?.snapshot.slice(0, 10), live?.slot]).toEqual(['2026-11-13', 'blue'])
  expect(press.bucket.faultsOf('blue')).toEqual([])
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
  expect(api.issues[0]?.body).toContain('nothing else goes live until somebody lifts it')
  const lifted = await night({ allow: 'hold', reason: 'corrected' })
  expect(resultsOf(lifted), logOf(lifted)).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toBe(live?.snapshot)
})

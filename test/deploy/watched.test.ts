/** The workflows tell people and monitors: with the addresses of secrets, which nobody sees, and from the jobs that should. */
import { writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { useReceiver } from '../support/receiver.ts'
import { api, logOf, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

useRunner(['nightly.yml', 'nightly-sharded.yml', 'watch.yml'], 2)

const receiver = useReceiver()
/** What has arrived since the last time: the path, for a notice with its event. */
const arrived = () =>
  receiver.received
    .splice(0)
    .map(({ path, body }) => [path, ...(/"event":"(\w+)"/.exec(body)?.slice(1) ?? [])].join(' '))
const secrets = () => ({
  FUNDPRESS_HEARTBEAT_URL: receiver.url('/ping/secret'),
  FUNDPRESS_NOTIFY_URL: receiver.url('/hook/secret'),
})
beforeEach(() => {
  api.issues.length = 0
  const target = { type: 'webhook', url: 'env:FUNDPRESS_NOTIFY_URL', events: ['done', 'failed', 'late'] }
  const config = { pages: false, downloads: false, notify: [target] }
  writeFileSync(runner.checkout.file('fundpress.config.json'), JSON.stringify(config))
})

const role = 'arn:aws:iam::123456789012:role/fundpress-watch'
const night = async (
  inputs = {},
  given: Readonly<Record<string, string>> = secrets(),
  workflow = 'nightly.yml',
  guard = role,
) => {
  const jobs = await runner.run(workflow, {
    ...surroundings(),
    vars: { ...surroundings().vars, FUNDPRESS_WATCH_ROLE: guard },
    secrets: given,
    inputs: { 'as-of': '2026-11-11', ...inputs },
  })
  const seen = [logOf(jobs), JSON.stringify(jobs), JSON.stringify(api.issues)]
  for (const text of seen) expect(text).not.toContain('secret')
  return jobs
}
const beats = ['/ping/secret/start', '/ping/secret']

it('a nightly run has a heartbeat and a notice, and nobody sees their addresses', async () => {
  expect(resultsOf(await night())).toMatchObject({ night: 'success' })
  expect(arrived()).toEqual([beats[0], '/hook/secret done', beats[1]])
  // Nothing to do is well, too.
  await night()
  expect(arrived()).toEqual(beats)
})

it('a run that fails tells so, and the watch tells what is late or that it cannot look', async () => {
  expect(resultsOf(await night({ database: 'nowhere.sqlite' }))).toMatchObject({ night: 'failure' })
  expect(arrived().slice(0, 3)).toEqual([beats[0], '/hook/secret failed', '/ping/secret/fail'])
  const { age } = await night({}, secrets(), 'watch.yml')
  expect([age?.result, arrived()]).toEqual(['failure', ['/hook/secret late']])
  await night({}, secrets(), 'watch.yml', '')
  expect(arrived()).toEqual(['/hook/secret failed'])
})

it('without secrets nobody is told, and the run goes on with a warning', async () => {
  const jobs = await night({ again: true }, {})
  expect([resultsOf(jobs)['night'], arrived()]).toEqual(['success', []])
  expect(logOf(jobs)).toContain('the environment variable FUNDPRESS_NOTIFY_URL is not set')
})

it('a night in shards whose first job fails tells so', async () => {
  const jobs = await night({ force: true }, secrets(), 'nightly-sharded.yml')
  expect([resultsOf(jobs)['ask'], arrived()]).toEqual(['failure', ['/hook/secret failed']])
})

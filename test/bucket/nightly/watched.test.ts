/** The workflows tell people and monitors: with the addresses of secrets, which nobody sees, and from the jobs that should. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isComplete } from '../../support/rounds.ts'
import { api, logOf, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

useRunner(['nightly.yml', 'nightly-sharded.yml', 'guard.yml'], 2)

/** What arrived: the path, for a notice with its event. */
const received: string[] = []
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    const event = /"event":"(\w+)"/.exec(body)?.[1]
    received.push([request.url?.replace(/\?.*/, ''), ...(event === undefined ? [] : [event])].join(' '))
    response.end('OK')
  })
})
let secrets: Readonly<Record<string, string>>
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  secrets = { FUNDPRESS_HEARTBEAT_URL: `${base}/ping/secret`, FUNDPRESS_NOTIFY_URL: `${base}/hook/secret` }
})
afterAll(() => receiver.close())
beforeEach(() => {
  received.length = 0
  api.issues.length = 0
  const target = { type: 'webhook', url: 'env:FUNDPRESS_NOTIFY_URL', events: ['done', 'failed', 'late'] }
  const config = { pages: false, downloads: false, notify: [target] }
  writeFileSync(runner.checkout.file('fundpress.config.json'), JSON.stringify(config))
})

const role = 'arn:aws:iam::123456789012:role/fundpress-guard'
const night = async (inputs = {}, given = secrets, workflow = 'nightly.yml', guard = role) => {
  const jobs = await runner.run(workflow, {
    ...surroundings(),
    vars: { ...surroundings().vars, FUNDPRESS_GUARD_ROLE: guard },
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
  expect(received).toEqual([beats[0], '/hook/secret done', beats[1]])
  received.length = 0
  // Nothing to do is well, too.
  await night()
  expect(received).toEqual(beats)
})

it('a run that fails tells so, and the guard tells what is late or that it cannot look', async () => {
  expect(resultsOf(await night({ database: 'nowhere.sqlite' }))).toMatchObject({ night: 'failure' })
  expect(received.slice(-3)).toEqual([beats[0], '/hook/secret failed', '/ping/secret/fail'])
  received.length = 0
  const { age } = await night({}, secrets, 'guard.yml')
  expect([age?.result, received]).toEqual(['failure', ['/hook/secret late']])
  received.length = 0
  await night({}, secrets, 'guard.yml', '')
  expect(received).toEqual(['/hook/secret failed'])
})

it('without secrets nobody is told, and the run goes on with a warning', async () => {
  const jobs = await night({ again: true }, {})
  expect([resultsOf(jobs)['night'], received]).toEqual(['success', []])
  expect(logOf(jobs)).toContain('the environment variable FUNDPRESS_NOTIFY_URL is not set')
})

it.runIf(isComplete)('of a night in shards only the job that publishes has a heartbeat', async () => {
  const jobs = await night({ again: true }, secrets, 'nightly-sharded.yml')
  expect(resultsOf(jobs)).toMatchObject({ publish: 'success' })
  expect(received).toEqual([beats[0], '/hook/secret done', beats[1]])
})

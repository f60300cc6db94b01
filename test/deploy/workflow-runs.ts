/** Runs of our workflows against a bucket and an API of the tests. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { startApi, type FakeApi } from '../support/github/api.ts'
import { readWorkflow } from '../support/github/files.ts'
import { openRunner, type RanJob, type Runner, type Surroundings } from '../support/github/runner.ts'
import { credentials } from '../support/publishing.ts'
import { db, press, useNights } from '../bucket/nightly/nightly.ts'

export let runner: Runner
export let api: FakeApi

/** Sets up the runs of a test file. @param files workflows whose jobs get a token each, and which are enabled */
export function useRunner(files: readonly string[], funds: number): void {
  useNights(funds)
  beforeAll(async () => {
    runner = openRunner()
    api = await startApi()
    // Retries of the tests do not wait.
    replaceIn('.github/actions/fundpress/action.yml', "default: '60'", "default: '0'")
    for (const file of files) {
      api.workflows.set(file, { state: 'active', enabled: 0 })
      for (const [id, { permissions }] of Object.entries(readWorkflow(`.github/workflows/${file}`).jobs))
        api.permissions.set(`${file}/${id}`, permissions)
    }
  })
  afterAll(async () => {
    await api.stop()
    runner.remove()
  })
}

/** Changes a file of the checkout. */
export function replaceIn(name: string, before: string, after: string): void {
  const file = runner.checkout.file(name)
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(before, after)
  if (changed === text) throw new Error(`${name} has no ${before}`)
  writeFileSync(file, changed)
}

export const surroundings = (changes: Partial<Surroundings> = {}): Surroundings => ({
  api: api.base,
  vars: {
    FUNDPRESS_DATABASE: db(),
    FUNDPRESS_BUCKET: 'funds',
    FUNDPRESS_REGION: 'us-east-1',
    FUNDPRESS_ENDPOINT: press.server.endpoint,
    FUNDPRESS_PATH_STYLE: 'true',
    FUNDPRESS_ROLE: 'arn:aws:iam::123456789012:role/fundpress',
    FUNDPRESS_FLIP_ROLE: 'arn:aws:iam::123456789012:role/fundpress-flip',
  },
  inputs: { 'as-of': '2026-11-11' },
  credentials,
  ...changes,
})

type Jobs = Readonly<Record<string, RanJob>>
export const resultsOf = (jobs: Jobs) =>
  Object.fromEntries(Object.entries(jobs).map(([id, { result }]) => [id, result]))
export const logOf = (jobs: Jobs) =>
  Object.values(jobs)
    .map(({ log }) => log)
    .join('')

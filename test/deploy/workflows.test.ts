/** The workflows, run step by step against a bucket and an API of the tests. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import type { Artifact } from '../support/github/api.ts'
import { readWorkflow } from '../support/github/files.ts'
import { openRunner, type Surroundings } from '../support/github/runner.ts'
import { bucketOf } from '../support/bucket.ts'
import { credentials } from '../support/publishing.ts'
import { isComplete } from '../support/rounds.ts'
import { startS3 } from '../support/s3/server.ts'
import { db, nightlyOf as runNightly, press } from '../bucket/nightly/nightly.ts'
import { api, logOf, replaceIn, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

useRunner(['nightly.yml', 'watch.yml'], 1)
beforeEach(() => {
  api.issues.length = 0
  api.artifacts.length = 0
  api.labels.clear()
  api.failures = 0
  api.hasIssues = true
  for (const workflow of api.workflows.values()) Object.assign(workflow, { state: 'active', enabled: 0 })
  rmSync(runner.checkout.file('fundpress-out'), { recursive: true, force: true })
  // Most runs have no pages and no downloads: they take half as long.
  writeFileSync(config(), JSON.stringify({ pages: false, downloads: false }))
})
const config = () => runner.checkout.file('fundpress.config.json')

/** Without the job that keeps the schedules enabled, unless the changes say otherwise. */
const nightly = (changes?: Partial<Surroundings>) =>
  runner.run('nightly.yml', { without: ['keep'], ...surroundings(changes) })
const allJobs = { without: [] }
/** A nightly run of a database that is in another place. */
const nightlyOf = (database: string, more?: Partial<Surroundings>) =>
  nightly({ inputs: { 'as-of': '2026-11-11', database }, ...more })
const allWell = { night: 'success', report: 'success' }

it('publishes in the first attempt, does nothing in the second, and keeps the schedules enabled', async () => {
  const enabled = () => [...api.workflows.values()].map((workflow) => workflow.enabled)
  const first = await nightly(allJobs)
  expect(resultsOf(first)).toEqual({ ...allWell, keep: 'success' })
  const { snapshot = '', slot } = press.bucket.live() ?? {}
  expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(first['night']?.summary).toContain(`| snapshot | \`${snapshot}\` in blue |`)
  expect(runner.npmCalls()).toEqual([`${runner.checkout.path}: npm ci --omit=dev --no-audit --no-fund`])
  expect(enabled()).toEqual([1, 1])
  press.server.reset()
  api.workflows.set('watch.yml', { state: 'disabled_manually', enabled: 0 })
  const second = await nightly(allJobs)
  expect(resultsOf(second)).toEqual({ ...allWell, keep: 'success' })
  expect(second['night']?.log).toContain(`${snapshot} is already live in blue`)
  expect(second['night']?.summary).toMatch(/^## fundpress 2026-11-11: nothing to do\n/)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
  expect(enabled()).toEqual([2, 0])
  expect(second['keep']?.log).toBe('watch.yml was disabled by hand and stays disabled\n')
  expect(api.issues).toEqual([])
})

it('opens one issue for runs that fail, comments on it, and closes it when a run succeeds', async () => {
  const bad = press.nights.folder.file('bad.sqlite')
  copyFileSync(db(), bad)
  editDatabase(bad, `UPDATE fund SET currency = '@somebody'`)
  const failing = () => nightlyOf(bad)
  const failed = await nightlyOf(bad, allJobs)
  expect(resultsOf(failed)).toEqual({ night: 'failure', report: 'success', keep: 'success' })
  expect(failed['night']?.log.match(/^::error title=fundpress nightly%3A check::/gm)).toHaveLength(1)
  // What waiting does not mend is not tried again.
  expect(failed['night']?.log).not.toContain('Attempt')
  expect(failed['night']?.summary).toMatch(/^## fundpress 2026-11-11: failed in check\n/)
  expect(api.issues).toMatchObject([
    { title: 'The nightly run failed', state: 'open', labels: ['fundpress-night'], comments: [] },
  ])
  expect(api.issues[0]?.body).toMatch(
    /^\[Nightly 4711\]\(https:\/\/github\.example\/owner\/funds\/actions\/runs\/4711\) failed\.\n\n```text\n.*bad\.sqlite has 1 error: fund [A-Z]{2}\w{10}: currency .*@somebody.* \(table fund\); fix it.*\n```\n/,
  )
  await failing()
  expect(api.issues).toHaveLength(1)
  expect(api.issues[0]?.comments).toEqual([api.issues[0]?.body])
  expect(resultsOf(await nightly())).toEqual(allWell)
  expect(api.issues[0]).toMatchObject({ state: 'closed' })
  expect(api.issues[0]?.comments).toHaveLength(2)
  expect(api.issues[0]?.comments[1]).toMatch(/ succeeded\.$/)
  await failing()
  expect(api.issues.map(({ state }) => state)).toEqual(['closed', 'open'])
})

it('tries once what a guard refuses, opens one issue that says how to allow it, and takes just that as inputs', async () => {
  await runNightly('2026-11-12')
  const before = press.bucket.body('live.json')
  const refused = await nightly()
  expect(resultsOf(refused)).toEqual({ night: 'failure', report: 'success' })
  expect(refused['night']?.log).not.toContain('Attempt')
  expect(refused['night']?.summary).toMatch(/^## fundpress 2026-11-11: refused in publish\n/)
  expect(press.bucket.body('live.json')).toEqual(before)
  expect(api.issues).toMatchObject([
    { title: 'A guard has refused the nightly run', state: 'open', comments: [] },
  ])
  const issue = api.issues[0]?.body ?? ''
  expect(issue).toMatch(
    /^\[Nightly 4711\]\(.*\) was refused\.\n\n\| guard \| subject \| live \| new \| limit \| what \|\n/,
  )
  expect(issue).toContain(
    '\n| `older-date` |  | `2026-11-12` | `2026-11-11` | `from 2026-11-12` | `it is of 2026-11-11, older than the live one of 2026-11-12` |\n',
  )
  expect(issue).toContain('```text\nfundpress nightly … --allow older-date --reason "…"\n```\n')
  // A later attempt of the same night has nothing new to say; the next night has.
  await nightly()
  expect(api.issues).toMatchObject([{ comments: [] }])
  Object.assign(api.issues[0] ?? {}, { created_at: new Date(Date.now() - 86_400_000).toISOString() })
  for (let attempt = 1; attempt <= 2; attempt++) await nightly()
  expect(api.issues).toMatchObject([{ comments: [issue] }])
  // Neither runs without a reason; that is a failure like others.
  const inputs = { 'as-of': '2026-11-11', allow: /`allow` is `(.*?)`/.exec(issue)?.[1] ?? '' }
  const unreasoned = await nightly({ inputs })
  expect(unreasoned['night']?.outputs['reason']).toContain('--allow and --force need --reason')
  expect(api.issues[0]?.comments[1]).toContain('--allow and --force need --reason')
  expect(resultsOf(await nightly({ inputs: { ...inputs, reason: 'a late delivery' } }))).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-11/)
  expect(api.issues).toMatchObject([{ state: 'closed' }])
  await nightly()
  expect(
    resultsOf(await nightly({ inputs: { 'as-of': '2026-11-10', force: true, reason: 'test' } })),
  ).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-10/)
})

it.runIf(isComplete)('leaves other issues and pull requests alone, and retries if GitHub fails', async () => {
  const other = { title: 'x', body: '', comments: [], state: 'open' as const }
  api.issues.push(
    { ...other, number: 1, labels: ['bug'] },
    { ...other, number: 2, labels: ['fundpress-night'], isPullRequest: true },
  )
  api.failures = 2
  const failed = await nightlyOf('nowhere.sqlite')
  expect(failed['night']?.log).toContain('Attempt 2 of 3 failed. The next one begins in 0 s.')
  expect(failed['report']?.result).toBe('success')
  expect(api.issues.map(({ state }) => state)).toEqual(['open', 'open', 'open'])
  expect(api.issues[2]).toMatchObject({ labels: ['fundpress-night'] })
  expect(api.issues[2]?.body).toContain('nowhere.sqlite does not exist')
  await nightly()
  expect(api.issues.map(({ state }) => state)).toEqual(['open', 'open', 'closed'])
})

it.runIf(isComplete)('says what to enable in a repository without issues', async () => {
  api.hasIssues = false
  const { night, report } = await nightlyOf('nowhere.sqlite')
  expect([night?.result, report?.result]).toEqual(['failure', 'failure'])
  expect(report?.log).toContain(
    '::error title=fundpress::the issue cannot be opened: issues are disabled in this repository, as in each new ' +
      'fork: enable them (Settings, General, Features), or failures stay unnoticed\n',
  )
})

it('publishes with the key of secrets, which nobody sees, and never with a role beside it', async () => {
  const secrets = {
    FUNDPRESS_ACCESS_KEY_ID: credentials.AWS_ACCESS_KEY_ID,
    FUNDPRESS_SECRET_ACCESS_KEY: credentials.AWS_SECRET_ACCESS_KEY,
  }
  const vars = { ...surroundings().vars, FUNDPRESS_ROLE: '' }
  press.bucket.put('in/funds.sqlite', readFileSync(db()))
  // No role gives credentials here.
  const withKey = { ...surroundings(), secrets, credentials: {}, inputs: {} }
  const inputs = { 'as-of': '2026-11-11', database: 's3://funds/in/funds.sqlite' }
  const jobs = await runner.run('nightly.yml', { ...withKey, vars, inputs, without: ['keep'] })
  expect(resultsOf(jobs), logOf(jobs)).toEqual(allWell)
  expect(logOf(jobs)).not.toContain(credentials.AWS_SECRET_ACCESS_KEY)
  expect(JSON.stringify(Object.values(jobs).map(({ outputs }) => outputs))).not.toContain(
    credentials.AWS_SECRET_ACCESS_KEY,
  )
  const guard = await runner.run('watch.yml', { ...withKey, vars })
  expect(guard['age']?.outputs['reason']).toContain('more than 1 day 12 h')

  api.issues.length = 0
  const wrong: readonly (readonly [Partial<Surroundings>, string])[] = [
    [{ secrets }, 'role and access-key-id exclude each other: unset the variable FUNDPRESS_ROLE, or remove'],
    [
      { vars, secrets: { FUNDPRESS_ACCESS_KEY_ID: 'x' } },
      'access-key-id and secret-access-key belong together',
    ],
    [{ vars: { ...vars, FUNDPRESS_DATABASE: '' } }, 'there is no database: set the input database'],
  ]
  for (const [changes, reason] of wrong) {
    const failed = await nightly(changes)
    expect(failed['night']?.outputs['reason']).toContain(reason)
    expect(JSON.stringify(api.issues.at(-1))).toContain(reason)
  }
})

it('fetches the database from another store than that of the bucket, with its key', async () => {
  const key = { accessKeyId: 'OTHER', secretAccessKey: 'other', region: 'eu-west-1' }
  const other = await startS3({ buckets: ['deliveries'], ...key })
  try {
    bucketOf(other, 'deliveries', '.').put('funds.sqlite', readFileSync(db()))
    const jobs = await nightly({
      vars: {
        ...surroundings().vars,
        FUNDPRESS_DATABASE: 's3://deliveries/funds.sqlite',
        FUNDPRESS_DATABASE_ENDPOINT: other.endpoint,
        FUNDPRESS_DATABASE_REGION: 'eu-west-1',
        FUNDPRESS_DATABASE_PATH_STYLE: 'true',
      },
      secrets: { FUNDPRESS_DATABASE_ACCESS_KEY_ID: 'OTHER', FUNDPRESS_DATABASE_SECRET_ACCESS_KEY: 'other' },
    })
    expect(resultsOf(jobs), logOf(jobs)).toEqual(allWell)
    expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-11/)
  } finally {
    await other.stop()
  }
})

it('an input overrules the limit of a guard, and without one a variable of the workflow stays', async () => {
  const workflow = '.github/workflows/nightly.yml'
  const reasonWith = async (before: string, added: string) => {
    replaceIn(workflow, before, `${added}${before}`)
    const { night } = await nightly()
    replaceIn(workflow, added, '')
    return night?.outputs['reason']
  }
  const said = "FUNDPRESS_GUARDS_LOST_PRICES is '7': it must be a number from 0 to 1"
  expect(await reasonWith('          role: ', "          lost-prices: '7'\n")).toContain(said)
  const variable = '      - run: echo FUNDPRESS_GUARDS_LOST_PRICES=7 >> "$GITHUB_ENV"\n'
  expect(await reasonWith('      - id: night\n', variable)).toContain(said)
})

it('fetches the database from a bucket, or from an artifact of a named run', async () => {
  press.bucket.put('in/funds.sqlite', readFileSync(db()))
  const fromBucket = await nightlyOf('s3://funds/in/funds.sqlite')
  expect(resultsOf(fromBucket)).toEqual(allWell)
  const fromArtifact = await nightly({
    artifacts: { '815/fund-database': db() },
    vars: { ...surroundings().vars, FUNDPRESS_ARTIFACT_RUN_ID: '815' },
    inputs: { 'as-of': '2026-11-11', database: 'artifact:fund-database' },
  })
  expect(resultsOf(fromArtifact)).toEqual(allWell)
  expect(fromArtifact['night']?.log).toContain('already live in blue, made from this very database')
  const missing = await nightlyOf('s3://funds/in/other.sqlite')
  expect(missing['night']?.result).toBe('failure')
  expect(missing['night']?.log).toContain(
    '::error title=fundpress::fundpress: s3://funds/in/other.sqlite does not exist',
  )
  expect(api.issues).toHaveLength(1)
  expect(api.issues[0]?.body).toContain('```text\nfundpress: s3://funds/in/other.sqlite does not exist\n```')
})

describe('an artifact without a named run', () => {
  const run = { id: 0, repository_id: 1, head_repository_id: 1, head_branch: 'main' }
  const uploaded = (id: number, day: number, changes: Partial<Artifact> = {}): Artifact => ({
    name: 'fund-database',
    expired: false,
    created_at: `2026-11-${day}T03:00:00Z`,
    workflow_run: { ...run, id },
    ...changes,
  })
  const artifactNight = (artifacts: Readonly<Record<string, string>> = {}) =>
    nightly({ artifacts, inputs: { 'as-of': '2026-11-11', database: 'artifact:fund-database' } })

  it('is the newest that has not expired and that the main branch of the repository uploaded', async () => {
    api.artifacts.push(
      // More than a page of what others have uploaded.
      ...Array.from({ length: 120 }, (_, index) =>
        uploaded(1000 + index, 20, { workflow_run: { ...run, id: 1000 + index, head_repository_id: 7 } }),
      ),
      uploaded(1, 19, { workflow_run: { ...run, id: 1, head_branch: 'feature' } }),
      uploaded(2, 18, { workflow_run: null }),
      uploaded(3, 17, { expired: true }),
      uploaded(4, 15),
      uploaded(5, 16),
      uploaded(6, 21, { name: 'other' }),
    )
    expect(await runNightly('2026-11-11')).toMatchObject({ code: 0 })
    const { night } = await artifactNight({ '5/fund-database': db() })
    expect(night?.log).toContain('already live in blue, made from this very database')
  })

  it('fails with a reason if there is none, if the list is denied, and if the download fails', async () => {
    const reasonOfNight = async () => {
      const { night } = await artifactNight()
      expect(night?.result).toBe('failure')
      const said = night?.outputs['reason'] ?? ''
      expect(night?.log).toContain(`::error title=fundpress::${said}\n`)
      expect([api.issues[0]?.body, ...(api.issues[0]?.comments ?? [])].at(-1)).toContain(`\n${said}\n`)
      return said
    }
    expect(await reasonOfNight()).toBe(
      'no run of main has uploaded an artifact fund-database: a workflow must upload it, or ' +
        'FUNDPRESS_ARTIFACT_RUN_ID must name the run',
    )
    api.artifacts.push(uploaded(3, 17, { expired: true }))
    expect(await reasonOfNight()).toContain(': all of them have expired')
    api.artifacts.push(uploaded(4, 15))
    expect(await reasonOfNight()).toMatch(/^artifact fund-database of run 4 cannot be downloaded: /)
    const permissions = api.permissions.get('token-of-night') ?? {}
    api.permissions.set('token-of-night', { contents: 'read' })
    expect(await reasonOfNight()).toContain('403')
    api.permissions.set('token-of-night', permissions)
  })
})

it('run.sh outputs the last line of a command that fails as the reason, and keeps its exit code', () => {
  const outputs = press.nights.folder.file('outputs')
  const runFundpress = (...args: readonly string[]) => {
    writeFileSync(outputs, '')
    const env = { ...process.env, GITHUB_OUTPUT: outputs }
    const run = spawnSync('bash', ['.github/actions/fundpress/run.sh', ...args], { env, encoding: 'utf8' })
    return { ...run, outputs: readFileSync(outputs, 'utf8') }
  }
  const failed = runFundpress('check', '--db', 'nowhere.sqlite')
  expect(failed.status).toBe(1)
  expect(failed.outputs).toBe(`reason=${failed.stderr.trimEnd().split('\n').at(-1) ?? ''}\n`)
  expect(failed.outputs).toContain('nowhere.sqlite does not exist')
  expect(runFundpress('--version')).toMatchObject({
    status: 0,
    outputs: '',
    stdout: expect.stringMatching(/^\d/) as string,
  })
})

it('does nothing in a fork without settings', async () => {
  for (const workflow of ['nightly.yml', 'watch.yml']) {
    const results = resultsOf(await runner.run(workflow, surroundings({ vars: {} })))
    expect(new Set(Object.values(results))).toEqual(new Set(['skipped']))
  }
  expect(press.requests()).toBe(0)
})

it('the watch asks for the age by its variables, once a week reads all that is live, and opens an issue with the reason', async () => {
  // The program itself is asked elsewhere; here, what the workflow makes of its answers.
  const other = openRunner()
  try {
    const answer = async (code: number, said: string) => {
      writeFileSync(
        other.checkout.file('src/cli/fundpress.mjs'),
        `process.stdout.write('old\\n')\nprocess.stderr.write(${JSON.stringify(said)} + process.argv.slice(2).join(' ') + process.env.FUNDPRESS_BUCKET_NAME + '\\n')\nprocess.exitCode = ${code}\n`,
      )
      return other.run('watch.yml', surroundings({ inputs: {} }))
    }
    const daily = { verify: 'skipped', report: 'skipped' }
    expect(resultsOf(await answer(0, 'fresh '))).toEqual({ age: 'success', ...daily })
    expect(resultsOf(await answer(1, 'too old: '))).toEqual({ age: 'failure', ...daily, report: 'success' })
    expect(api.issues).toMatchObject([{ title: 'Nothing has gone live for too long', state: 'open' }])
    expect(api.issues[0]?.body).toContain('```text\ntoo old: status --max-age 36h --max-wait 6hfunds\n```')
    api.issues.length = 0
    // Only the command that verifies fails.
    writeFileSync(
      other.checkout.file('src/cli/fundpress.mjs'),
      `process.stderr.write(process.argv.slice(2).join(' ') + ' says no\\n')\nprocess.exitCode = process.argv[2] === 'verify' ? 1 : 0\n`,
    )
    const [, , weekly] = readWorkflow('.github/workflows/watch.yml').on.schedule ?? []
    const onSunday = await other.run('watch.yml', surroundings({ inputs: {}, schedule: weekly?.cron ?? '' }))
    expect(resultsOf(onSunday)).toEqual({ age: 'success', verify: 'failure', report: 'success' })
    expect(api.issues).toMatchObject([{ title: 'What is live is damaged', state: 'open' }])
    expect(api.issues[0]?.body).toContain('```text\nverify --deep says no\n```')
    const byHand = await other.run('watch.yml', surroundings({ inputs: { verify: true } }))
    expect(resultsOf(byHand)['verify']).toBe('failure')
  } finally {
    other.remove()
  }
})

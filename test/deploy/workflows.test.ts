/** The workflows, run step by step against a bucket and an API of the tests. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { bucketOf } from '../support/bucket.ts'
import { editDatabase } from '../support/database.ts'
import type { Artifact } from '../support/github/api.ts'
import { holds } from '../support/github/expressions.ts'
import { readWorkflow } from '../support/github/files.ts'
import type { RanJob, Surroundings } from '../support/github/runner.ts'
import { credentials } from '../support/publishing.ts'
import { useReceiver } from '../support/receiver.ts'
import { startS3 } from '../support/s3/server.ts'
import { db, nightlyOf as runNightly, press } from '../bucket/nightly/nightly.ts'
import { api, logOf, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

useRunner(['nightly.yml', 'nightly-approved.yml', 'watch.yml'], 1)
const receiver = useReceiver()
const program = () => runner.checkout.file('src/cli/fundpress.mjs')
let ownProgram: string | undefined

beforeEach(() => {
  api.issues.length = 0
  api.artifacts.length = 0
  api.hasIssues = true
  for (const workflow of api.workflows.values()) Object.assign(workflow, { state: 'active', enabled: 0 })
  ownProgram ??= readFileSync(program(), 'utf8')
  writeFileSync(program(), ownProgram)
  const target = { type: 'webhook', url: 'env:FUNDPRESS_NOTIFY_URL', events: ['done', 'failed', 'late'] }
  // Runs without pages and downloads take half as long.
  const config = { pages: false, downloads: false, notify: [target] }
  writeFileSync(runner.checkout.file('fundpress.config.json'), JSON.stringify(config))
})

/** Leaves out the job that keeps the schedules enabled, unless the changes say otherwise. */
const nightly = (changes?: Partial<Surroundings>) =>
  runner.run('nightly.yml', { without: ['keep'], ...surroundings(changes) })
const allJobs = { without: [] }
const nightlyOf = (database: string, more?: Partial<Surroundings>) =>
  nightly({ inputs: { 'as-of': '2026-11-11', database }, ...more })
const allWell = { night: 'success', report: 'success' }
const approved = (inputs = {}) =>
  runner.run('nightly-approved.yml', surroundings({ inputs: { 'as-of': '2026-11-11', ...inputs } }))
const allApproved = { stage: 'success', flip: 'success', report: 'success', keep: 'success' }

/** Lets another program stand for fundpress: it writes its arguments, and ends as given for the command. */
function answer(commands: Readonly<Record<string, { outputs?: object; code?: number; said?: string }>>) {
  writeFileSync(
    program(),
    `import { appendFileSync } from 'node:fs'
const args = process.argv.slice(2)
const { outputs = {}, code = 0, said = '' } = ${JSON.stringify(commands)}[args[0]] ?? {}
process.stdout.write(\`ran \${args.filter((arg) => !arg.includes('/')).join(' ')}\\n\`)
process.stderr.write(said)
for (const [name, value] of Object.entries(outputs)) appendFileSync(process.env.GITHUB_OUTPUT, \`\${name}=\${value}\\n\`)
process.exitCode = code
`,
  )
}
const ran = (job: RanJob | undefined) => (job?.log.match(/^ran .*/gm) ?? []).map((line) => line.slice(4))

it('publishes in the first attempt, does nothing in the second, keeps the schedules enabled, and shows no secret', async () => {
  const enabled = () => [...api.workflows.values()].map((workflow) => workflow.enabled)
  const secrets = {
    FUNDPRESS_HEARTBEAT_URL: receiver.url('/ping/secret'),
    FUNDPRESS_NOTIFY_URL: receiver.url('/hook/secret'),
  }
  const first = await nightly({ ...allJobs, secrets })
  expect(resultsOf(first), logOf(first)).toEqual({ ...allWell, keep: 'success' })
  const { snapshot = '', slot } = press.bucket.live() ?? {}
  expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(first['night']?.summary).toContain(`| snapshot | \`${snapshot}\` in blue |`)
  expect(enabled()).toEqual([1, 0, 1])
  const paths = ['/ping/secret/start', '/hook/secret', '/ping/secret']
  expect(receiver.received.map(({ path }) => path)).toEqual(paths)
  expect(logOf(first) + JSON.stringify(first)).not.toContain('/secret')
  press.server.reset()
  api.workflows.set('watch.yml', { state: 'disabled_manually', enabled: 0 })
  const second = await nightly(allJobs)
  expect(resultsOf(second)).toEqual({ ...allWell, keep: 'success' })
  expect(second['night']?.log).toContain(`${snapshot} is already live in blue`)
  expect(second['night']?.summary).toMatch(/^## fundpress 2026-11-11: nothing to do\n/)
  expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
  expect(enabled()).toEqual([2, 0, 0])
  expect(api.issues).toEqual([])
})

it('opens one issue for runs that fail, comments on it, closes it when a run succeeds, and leaves others alone', async () => {
  const other = { title: 'x', body: '', comments: [], state: 'open' as const }
  api.issues.push(
    { ...other, number: 1, labels: ['bug'] },
    { ...other, number: 2, labels: ['fundpress-night'], pull_request: {} },
  )
  const bad = press.nights.folder.file('bad.sqlite')
  copyFileSync(db(), bad)
  editDatabase(bad, `UPDATE fund SET currency = '@somebody'`)
  api.failures = 1
  const failed = await nightlyOf(bad)
  expect(resultsOf(failed)).toEqual({ night: 'failure', report: 'success' })
  expect(failed['night']?.log.match(/^::error title=fundpress nightly%3A check::/gm)).toHaveLength(1)
  // Waiting does not correct data: there is one attempt.
  expect(failed['night']?.log).not.toContain('Attempt')
  const ours = () => api.issues.slice(2)
  expect(ours()).toMatchObject([
    { title: 'The nightly run failed', state: 'open', labels: ['fundpress-night'], comments: [] },
  ])
  expect(ours()[0]?.body).toMatch(
    /^\[Nightly 4711\]\(https:\/\/github\.example\/owner\/funds\/actions\/runs\/4711\) failed\.\n\n```text\n.*bad\.sqlite has 1 error: fund [A-Z]{2}\w{10}: currency .*@somebody.* \(table fund\); fix it.*\n```\n/,
  )
  const missing = await nightlyOf('nowhere.sqlite')
  expect(missing['night']?.log).toContain('Attempt 2 of 3 failed. The next one begins in 0 s.')
  expect(ours()).toMatchObject([{ comments: [expect.stringContaining('nowhere.sqlite does not exist')] }])
  expect(resultsOf(await nightly())).toEqual(allWell)
  expect(ours()[0]?.comments.slice(1)).toEqual([expect.stringMatching(/ succeeded\.$/)])
  expect(api.issues.map(({ state }) => state)).toEqual(['open', 'open', 'closed'])
  api.hasIssues = false
  const { report } = await nightlyOf('nowhere.sqlite')
  expect(report).toMatchObject({
    result: 'failure',
    log: expect.stringContaining(
      '::error title=fundpress::the issue cannot be opened: issues are disabled in this repository, as in each new ' +
        'fork: enable them (Settings, General, Features), or failures stay unnoticed\n',
    ) as string,
  })
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
  await nightly()
  expect(api.issues).toMatchObject([{ comments: [issue] }])
  const inputs = { 'as-of': '2026-11-11', allow: /`allow` is `(.*?)`/.exec(issue)?.[1] ?? '' }
  expect(resultsOf(await nightly({ inputs: { ...inputs, reason: 'a late delivery' } }))).toEqual(allWell)
  expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-11/)
  expect(api.issues).toMatchObject([{ state: 'closed' }])
})

it('publishes with the key of secrets, which appears nowhere, and never with a role beside it', async () => {
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

it('fetches the newest artifact that has not expired and that the main branch of the repository uploaded', async () => {
  api.artifacts.push(
    // More than a page of artifacts of other repositories.
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
  expect(resultsOf(await artifactNight({ '5/fund-database': db() }))).toEqual(allWell)
})

it('fails with a reason if there is no artifact, if the list is denied, and if the download fails', async () => {
  const reasonOfNight = async () => {
    const { night } = await artifactNight()
    const said = night?.outputs['reason'] ?? ''
    expect([night?.result, night?.log]).toEqual([
      'failure',
      expect.stringContaining(`::error title=fundpress::${said}\n`),
    ])
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
})

it('does nothing in a fork without settings', async () => {
  for (const workflow of ['nightly.yml', 'watch.yml']) {
    const results = resultsOf(await runner.run(workflow, surroundings({ vars: {} })))
    expect(new Set(Object.values(results))).toEqual(new Set(['skipped']))
  }
  expect(press.requests()).toBe(0)
})

it('the watch asks for the age, once a week reads all that is live, and opens an issue with the reason', async () => {
  const daily = { verify: 'skipped', report: 'skipped' }
  const watch = (changes = {}) => runner.run('watch.yml', surroundings({ inputs: {}, ...changes }))
  answer({})
  expect(resultsOf(await watch())).toEqual({ age: 'success', ...daily })
  answer({ status: { code: 1, said: 'too old\n' } })
  const old = await watch()
  expect(resultsOf(old)).toEqual({ age: 'failure', ...daily, report: 'success' })
  expect(ran(old['age'])).toEqual(['status --max-age 36h --max-wait 6h'])
  expect(api.issues).toMatchObject([{ title: 'Nothing has gone live for too long', state: 'open' }])
  expect(api.issues[0]?.body).toContain('```text\ntoo old\n```')
  api.issues.length = 0
  answer({ verify: { code: 1, said: 'no\n' } })
  const [, , weekly] = readWorkflow('.github/workflows/watch.yml').on.schedule ?? []
  const onSunday = await watch({ schedule: weekly?.cron ?? '' })
  expect(resultsOf(onSunday)).toEqual({ age: 'success', verify: 'failure', report: 'success' })
  expect(ran(onSunday['verify'])).toEqual(['verify --deep'])
  expect(api.issues).toMatchObject([{ title: 'What is live is damaged', state: 'open' }])
  expect(resultsOf(await watch({ inputs: { verify: true } }))['verify']).toBe('failure')
})

it('with an approval stages in the first job, makes just that live in the second, and then has nothing to do', async () => {
  const first = await approved()
  expect(resultsOf(first), logOf(first)).toEqual(allApproved)
  expect(first['stage']?.outputs).toMatchObject({ staged: 'true', snapshot: press.bucket.live()?.snapshot })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  expect(resultsOf(await approved())).toEqual({ ...allApproved, flip: 'skipped' })
  expect(api.issues).toEqual([])
})

it('flips the snapshot that it has staged with what was allowed, verifies it, and closes the issue; a refused flip is tried once', async () => {
  const staged = { outputs: { staged: true, skipped: false, snapshot: '2026-11-11-abc' } }
  answer({ nightly: { code: 1, said: 'fundpress: no answer\n' } })
  expect(resultsOf(await approved())).toEqual({ ...allApproved, stage: 'failure', flip: 'skipped' })
  expect(api.issues).toMatchObject([{ state: 'open', body: expect.stringContaining('no answer') as string }])
  // A night that is staged already says nothing.
  answer({ nightly: { outputs: { ...staged.outputs, skipped: true } } })
  expect(resultsOf(await approved())).toEqual({ ...allApproved, flip: 'skipped', report: 'skipped' })
  answer({ nightly: staged })
  const jobs = await approved({ allow: 'lost-funds', reason: 'merged' })
  expect(resultsOf(jobs)).toEqual(allApproved)
  const given = '--allow lost-funds --reason merged'
  expect(ran(jobs['stage'])[0]).toMatch(new RegExp(`^nightly .* --stage --as-of 2026-11-11 .*${given}`))
  expect(ran(jobs['flip'])).toEqual([`flip 2026-11-11-abc ${given}`, 'verify --sample 100'])
  expect(api.issues).toMatchObject([{ state: 'closed' }])
  const refusal = JSON.stringify('| guard |\n')
  answer({ nightly: staged, flip: { code: 3, outputs: { refusal, refused: true } } })
  expect(ran((await approved())['flip'])).toHaveLength(1)
  expect(api.issues[1]?.body).toContain('was refused.\n\n| guard |\n')
})

it.each([
  ['cancelled', {}, 'skipped', false],
  ['cancelled', { began: 'true' }, 'skipped', true],
  ['success', { began: 'true', staged: 'true' }, 'skipped', false],
  ['success', { began: 'true', staged: 'true' }, 'cancelled', true],
])(
  'reports about a stage that was %s with %j, and a flip that was %s: %s',
  (result, outputs, flip, reports) => {
    const { report } = readWorkflow('.github/workflows/nightly-approved.yml').jobs
    const needs = { stage: { result, outputs }, flip: { result: flip, outputs: {} } }
    expect(holds(report?.if, { needs }, result !== 'success')).toBe(reports)
  },
)

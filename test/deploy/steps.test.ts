/** The scripts of our actions, each alone, against a bucket and an API of the tests. Expressions are GitHub's affair. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { db, nightlyOf, press, useNights } from '../bucket/nightly/nightly.ts'
import { bucketOf } from '../support/bucket.ts'
import { editDatabase } from '../support/database.ts'
import { startApi, type Artifact, type FakeApi } from '../support/github/api.ts'
import { makeCheckout, type Checkout } from '../support/github/steps.ts'
import { needs } from '../support/programs.ts'
import { credentials } from '../support/publishing.ts'
import { useReceiver } from '../support/receiver.ts'
import { startS3 } from '../support/s3/server.ts'

type Texts = Readonly<Record<string, string>>

useNights(1)
const receiver = useReceiver()
let checkout: Checkout
let api: FakeApi
let ownProgram: string
needs('bash', 'grep')

beforeAll(async () => {
  checkout = makeCheckout()
  api = await startApi()
  ownProgram = readFileSync(program(), 'utf8')
})
afterAll(async () => {
  await api.stop()
  checkout.remove()
})
beforeEach(() => {
  api.issues.length = 0
  api.artifacts.length = 0
  api.hasIssues = true
  writeFileSync(program(), ownProgram)
})

const program = () => checkout.file('src/fundpress.mjs')
/** What a job has around its steps. A role gives credentials to all of them. */
const surroundings = (role: Texts = credentials): Texts => ({
  ...role,
  GITHUB_API_URL: api.base,
  // Nothing of the machine's own has a say, and no slot is left alone for long.
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
})
const bucket = (): Texts => ({
  FUNDPRESS_BUCKET_NAME: 'funds',
  FUNDPRESS_BUCKET_REGION: 'us-east-1',
  FUNDPRESS_BUCKET_ENDPOINT: press.server.endpoint,
  FUNDPRESS_BUCKET_PATH_STYLE: 'true',
})
/** Runs without pages and downloads take half as long. */
const config = () => {
  const file = press.nights.folder.file('steps.config.json')
  const target = { type: 'webhook', url: 'env:FUNDPRESS_NOTIFY_URL', events: ['done', 'failed', 'late'] }
  writeFileSync(file, JSON.stringify({ pages: false, downloads: false, notify: [target] }))
  return file
}
const defaults = { OUT: 'out', SINCE: 'other', SAMPLE: '9', ATTEMPTS: '3', RETRY_SECONDS: '0' }
const night = (given: Texts = {}, role?: Texts) =>
  checkout.runOf(
    'fundpress',
    'Run fundpress',
    { ...bucket(), ...defaults, CONFIG: config(), DATABASE: db(), AS_OF: '2026-11-11', ...given },
    surroundings(role),
  )
const issue = (given: Texts) => {
  const usual = { LABEL: 'fundpress-night', TITLE: 'The nightly run failed', GITHUB_TOKEN: 'token' }
  return checkout.runOf('fundpress-issue', 'Update the issue', { ...usual, ...given }, surroundings())
}
const success = { code: 0 }

/** Lets another program stand for fundpress: it says its arguments, and ends with the code. @returns a reader of the arguments */
function answer(code: number, said: string) {
  writeFileSync(
    program(),
    `process.stdout.write(\`ran \${process.argv.slice(2).filter((arg) => !arg.includes('/')).join(' ')}\\n\`)
process.stderr.write('${said}')
process.exitCode = ${code}
`,
  )
  return ({ log }: { readonly log: string }) => (log.match(/^ran .*/gm) ?? []).map((line) => line.slice(4))
}

describe('a night', () => {
  it('publishes in the first attempt, and shows no secret', async () => {
    const first = await night({ FUNDPRESS_NOTIFY_URL: receiver.url('/hook/secret') })
    expect(first, first.log).toMatchObject(success)
    const { snapshot = '', slot } = press.bucket.live() ?? {}
    expect(press.bucket.faultsOf(slot)).toEqual([])
    expect(first.summary).toContain(`| snapshot | \`${snapshot}\` in blue |`)
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/secret'])
    expect(JSON.stringify(first)).not.toContain('/secret')
  })

  it('does nothing in the second attempt', async () => {
    await night()
    press.server.reset()
    const second = await night()
    expect(second).toMatchObject(success)
    expect(second.outputs).toMatchObject({ skipped: 'true', staged: 'false' })
    expect(second.log).toContain('is already live in blue')
    expect(second.summary).toMatch(/^## fundpress 2026-11-11: nothing to do\n/)
    expect(Object.keys(press.server.counts())).toEqual(['GetObject'])
  })

  it('publishes with the key of secrets, which appears nowhere', async () => {
    const key = { KEY_ID: credentials.AWS_ACCESS_KEY_ID, SECRET_KEY: credentials.AWS_SECRET_ACCESS_KEY }
    const ran = await night(key, {})
    expect(ran, ran.log).toMatchObject(success)
    expect(JSON.stringify(ran)).not.toContain(credentials.AWS_SECRET_ACCESS_KEY)
    expect(await night({ ATTEMPTS: '1' }, {})).toMatchObject({ code: 1 })
  })

  it('stages, and what was staged goes live by its id and is verified', async () => {
    const staged = await night({ STAGE: 'true' })
    expect(staged.outputs, staged.log).toMatchObject({ staged: 'true', skipped: 'false' })
    expect(press.bucket.live()).toBeUndefined()
    const { snapshot = '' } = staged.outputs
    const flipped = await night({ FLIP: snapshot, DATABASE: '', AS_OF: '' })
    expect(flipped, flipped.log).toMatchObject(success)
    expect(press.bucket.live()?.snapshot).toBe(snapshot)
    const ran = answer(0, '')
    const allowed = { ALLOW: 'lost-funds', REASON: 'merged', CONFIG: '' }
    expect(ran(await night({ ...allowed, STAGE: 'true', FORCE: 'false', AGAIN: 'true' }))).toEqual([
      'nightly --db --out out --since other --sample 9 --summary --again --stage --as-of 2026-11-11 --allow lost-funds --reason merged',
    ])
    expect(ran(await night({ ...allowed, FLIP: snapshot, FORCE: 'true' }))).toEqual([
      `flip ${snapshot} --allow lost-funds --force --reason merged`,
      'verify --sample 9',
    ])
  })

  it('tries three times, but what the checks refuse only once, and gives the reason', async () => {
    const bad = press.nights.folder.file('bad.sqlite')
    copyFileSync(db(), bad)
    editDatabase(bad, `UPDATE fund SET currency = '@somebody'`)
    const failed = await night({ DATABASE: bad })
    expect(failed).toMatchObject({ code: 1 })
    expect(failed.log.match(/^::error title=fundpress nightly%3A check::/gm)).toHaveLength(1)
    expect(failed.log).not.toContain('Attempt')
    expect(failed.outputs['reason']).toMatch(/bad\.sqlite has 1 error: .*@somebody.* \(table fund\); fix it/)
    const missing = await night({ DATABASE: 'nowhere.sqlite' })
    expect(missing.log).toContain('Attempt 2 of 3 failed. The next one begins in 0 s.')
    expect(missing.outputs['reason']).toContain('nowhere.sqlite does not exist')
  })

  it('takes the last line of a program that gives no reason, and tries what a guard refuses once', async () => {
    const ran = answer(3, 'first\\nno 5% here\\n')
    const refused = await night()
    expect(ran(refused)).toHaveLength(1)
    expect(refused).toMatchObject({ code: 3, outputs: { reason: 'no 5% here' } })
    expect(refused.log).toContain('::error title=fundpress::no 5%25 here\n')
  })
})

describe('a refusal', () => {
  it('opens one issue that says how to allow it, and just that allows it', async () => {
    await nightlyOf('2026-11-12')
    const before = press.bucket.body('live.json')
    const refused = await night()
    expect(refused).toMatchObject({ code: 3, outputs: { refused: 'true' } })
    expect(refused.log).not.toContain('Attempt')
    expect(refused.summary).toMatch(/^## fundpress 2026-11-11: refused in publish\n/)
    expect(press.bucket.body('live.json')).toEqual(before)
    const told = { OUTCOME: 'failure', REFUSAL: refused.outputs['refusal'] ?? '' }
    expect(await issue(told)).toMatchObject(success)
    expect(api.issues).toMatchObject([
      { title: 'A guard has refused the nightly run', state: 'open', comments: [] },
    ])
    const body = api.issues[0]?.body ?? ''
    expect(body).toMatch(/^\[Nightly 4711\]\(.*\) was refused\.\n\n\| guard \| subject \| live \| new \|/)
    expect(body).toContain('\n| `older` |  | `2026-11-12` | `2026-11-11` | `from 2026-11-12` | ')
    expect(body).toContain('```text\nfundpress nightly … --allow older --reason "…"\n```\n')
    // A later attempt of the same night has nothing new to say; the next night has.
    await issue(told)
    expect(api.issues).toMatchObject([{ comments: [] }])
    Object.assign(api.issues[0] ?? {}, { created_at: new Date(Date.now() - 86_400_000).toISOString() })
    await issue(told)
    expect(api.issues).toMatchObject([{ comments: [body] }])
    const allow = /`allow` is `(.*?)`/.exec(body)?.[1] ?? ''
    expect(allow).toBe(refused.outputs['allow'])
    expect(await night({ ALLOW: allow, REASON: 'a late delivery' })).toMatchObject(success)
    expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-11/)
  })
})

describe('the issue', () => {
  it('is opened by the first failure, gets comments of others, is closed by a success; other issues stay', async () => {
    const other = { title: 'x', body: '', comments: [], state: 'open' as const }
    api.issues.push(
      { ...other, number: 1, labels: ['bug'] },
      { ...other, number: 2, labels: ['fundpress-night'], pull_request: {} },
    )
    api.failures = 1
    await issue({ OUTCOME: 'failure', REASON: 'a `name` of @somebody' })
    await issue({ OUTCOME: 'cancelled' })
    const ours = () => api.issues.slice(2)
    const link = '[Nightly 4711](https://github.example/owner/funds/actions/runs/4711)'
    const ending = 'The live snapshot did not change. The next successful run closes this issue.'
    expect(ours()).toMatchObject([
      {
        title: 'The nightly run failed',
        state: 'open',
        labels: ['fundpress-night'],
        body: `${link} failed.\n\n\`\`\`text\na \`name\` of @somebody\n\`\`\`\n\n${ending}`,
        comments: [`${link} was cancelled or took too long.\n\n${ending}`],
      },
    ])
    await issue({ OUTCOME: 'success' })
    expect(ours()[0]?.comments.slice(1)).toEqual([`${link} succeeded.`])
    expect(api.issues.map(({ state }) => state)).toEqual(['open', 'open', 'closed'])
  })

  it('fails the job, and says why, where issues are disabled', async () => {
    api.hasIssues = false
    const ran = await issue({ OUTCOME: 'failure' })
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.log).toContain(
      '::error title=fundpress::the issue cannot be opened: issues are disabled in this repository, as in each new ' +
        'fork: enable them (Settings, General, Features), or failures stay unnoticed\n',
    )
  })
})

describe('the inputs', () => {
  const check = (action: string, given: Texts) =>
    checkout.runOf(action, 'Check the inputs', given, surroundings())
  const role = { ROLE: 'true', KEY: 'false', SECRET: 'false' }
  const alone = { ...role, DATABASE_KEY: 'false', DATABASE_SECRET: 'false', DATABASE: 'x' }

  it.each<[string, Texts, string]>([
    [
      'a role beside a key',
      { KEY: 'true', SECRET: 'true' },
      'role and access-key-id exclude each other: unset',
    ],
    [
      'a key without its secret',
      { ROLE: 'false', KEY: 'true' },
      'access-key-id and secret-access-key belong',
    ],
    [
      'a key of the database without its secret',
      { DATABASE_KEY: 'true' },
      'database-secret-access-key belong',
    ],
    ['no database', { DATABASE: '' }, 'there is no database: set the input database'],
  ])('are refused with %s', async (_, changes, reason) => {
    const ran = await check('fundpress', { ...alone, ...changes })
    expect(ran).toMatchObject({ code: 2, outputs: { reason: expect.stringContaining(reason) as string } })
    expect(ran.log).toBe(`::error title=fundpress::${ran.outputs['reason'] ?? ''}\n`)
  })

  it('are taken with a role or a key, for a flip without a database, and are the same for the watch', async () => {
    const key = { ROLE: 'false', KEY: 'true', SECRET: 'true' }
    for (const given of [alone, { ...alone, ...key }, { ...alone, DATABASE: '', FLIP: 'x' }])
      expect(await check('fundpress', given)).toMatchObject(success)
    expect(await check('fundpress-watch', role)).toMatchObject(success)
    expect(await check('fundpress-watch', { ...key, ROLE: 'true' })).toMatchObject({ code: 2 })
  })
})

describe('the database', () => {
  const get = (given: Texts, role?: Texts) =>
    checkout.runOf('fundpress', 'Get the database', given, surroundings(role))

  it('is a path, or comes from a store of its own with its own key', async () => {
    expect(await get({ DATABASE: 'a/funds.sqlite' })).toMatchObject({ outputs: { file: 'a/funds.sqlite' } })
    const key = { accessKeyId: 'OTHER', secretAccessKey: 'other', region: 'eu-west-1' }
    const store = await startS3({ buckets: ['deliveries'], ...key })
    try {
      bucketOf(store, 'deliveries', '.').put('funds.sqlite', readFileSync(db()))
      const place = {
        DATABASE: 's3://deliveries/funds.sqlite',
        FUNDPRESS_BUCKET_REGION: 'eu-west-1',
        FUNDPRESS_BUCKET_ENDPOINT: store.endpoint,
        FUNDPRESS_BUCKET_PATH_STYLE: 'true',
      }
      const ran = await get({ ...place, KEY_ID: 'OTHER', SECRET_KEY: 'other' })
      expect(ran, ran.log).toMatchObject(success)
      expect(readFileSync(ran.outputs['file'] ?? '').equals(readFileSync(db()))).toBe(true)
      const denied = await get(place)
      expect(denied).toMatchObject({ code: 1, outputs: { reason: expect.stringMatching(/./) as string } })
    } finally {
      await store.stop()
    }
  })

  it('is the only file of an artifact', async () => {
    const folder = join(checkout.temp, 'fundpress-database')
    mkdirSync(folder, { recursive: true })
    const from = () => get({ DATABASE: 'artifact:funds' })
    const wrong = (count: number) => ({
      code: 1,
      outputs: { reason: `the artifact must hold one file, the database; it holds ${count}` },
    })
    expect(await from()).toMatchObject(wrong(0))
    writeFileSync(join(folder, 'funds.sqlite'), '')
    expect(await from()).toMatchObject({ code: 0, outputs: { file: join(folder, 'funds.sqlite') } })
    writeFileSync(join(folder, 'other'), '')
    expect(await from()).toMatchObject(wrong(2))
  })

  const run = { id: 0, repository_id: 1, head_repository_id: 1, head_branch: 'main' }
  const uploaded = (id: number, day: number, changes: Partial<Artifact> = {}): Artifact => ({
    name: 'fund-database',
    expired: false,
    created_at: `2026-11-${day}T03:00:00Z`,
    workflow_run: { ...run, id },
    ...changes,
  })
  const find = (given: Texts = {}) => {
    const usual = { DATABASE: 'artifact:fund-database', GITHUB_TOKEN: 'token' }
    return checkout.runOf('fundpress', 'Find the artifact', { ...usual, ...given }, surroundings())
  }

  it('is in the newest artifact that has not expired and that main of this repository has uploaded', async () => {
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
    expect((await find()).outputs).toEqual({ name: 'fund-database', 'run-id': '5' })
    expect((await find({ RUN_ID: '815' })).outputs).toEqual({ name: 'fund-database', 'run-id': '815' })
  })

  it('is told to be missing if there is no such artifact, if all have expired, if the list is denied', async () => {
    const failure = (reason: string) => ({
      code: 1,
      outputs: { reason: expect.stringContaining(reason) as string },
      log: expect.stringMatching(/^::error title=fundpress::/) as string,
    })
    expect(await find()).toMatchObject(
      failure('no run of main has uploaded an artifact fund-database: a workflow must upload it, or '),
    )
    api.artifacts.push(uploaded(3, 17, { expired: true }))
    expect(await find()).toMatchObject(failure(': all of them have expired'))
    expect(await find({ GITHUB_TOKEN: 'other' })).toMatchObject(failure('403'))
    const name = 'Report that the artifact cannot be downloaded'
    const found = { NAME: 'fund-database', RUN_ID: '4' }
    expect(await checkout.runOf('fundpress', name, found, surroundings())).toMatchObject({
      outputs: { reason: expect.stringMatching(/^artifact fund-database of run 4 cannot be down/) as string },
    })
  })
})

it('the watch asks for the age, or reads all that is live, and gives the reason', async () => {
  const look = (given: Texts) =>
    checkout.runOf(
      'fundpress-watch',
      'Look at what is live',
      { ...bucket(), MAX_AGE: '36h', MAX_WAIT: '6h', CONFIG: config(), ...given },
      surroundings(),
    )
  await night()
  const old = await look({})
  expect(old).toMatchObject({ code: 1 })
  expect(old.outputs['reason']).toContain('more than 1 day 12 h')
  expect(await look({ VERIFY: 'true' })).toMatchObject(success)
  const ran = answer(1, 'too old\\n')
  expect(ran(await look({ CONFIG: '' }))).toEqual(['status --max-age 36h --max-wait 6h'])
  expect(ran(await look({ VERIFY: 'true' }))).toEqual(['--config verify --deep'])
})

it('schedules stay enabled, except those that somebody has disabled, and a missing workflow fails the job', async () => {
  const keep = (WORKFLOWS: string) => {
    const given = { WORKFLOWS, GITHUB_TOKEN: 'token' }
    return checkout.runOf('fundpress-schedules', 'Keep the schedules alive', given, surroundings())
  }
  api.workflows.set('nightly.yml', { state: 'active', enabled: 0 })
  api.workflows.set('watch.yml', { state: 'disabled_manually', enabled: 0 })
  expect(await keep('nightly.yml watch.yml')).toMatchObject(success)
  const enabled = [...api.workflows].map(([name, workflow]) => [name, workflow.enabled])
  expect(Object.fromEntries(enabled)).toEqual({ 'nightly.yml': 1, 'watch.yml': 0 })
  expect(await keep('other.yml')).toMatchObject({ code: 1 })
})

/** `fundpress check --bucket`: what it finds in the machine, on the way to a bucket, in its settings, and in what it holds. */
import { truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { holdBack } from '../support/two-nights.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { listen } from '../support/request.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(4, 1, { years: 1, isSmall: true }))
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

const place = (bucket = press.bucket.name) => bucketArgs(press.server.endpoint, bucket)

interface DoctorOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The snapshot's folder. */
  readonly out?: string
  /** In place of those that name the bucket. */
  readonly args?: readonly string[]
}

const doctor = ({ env, out = 'night-1', args = place() }: DoctorOptions = {}) =>
  press.bare(['check', '--out', out, ...args], env)

/** What is no `ok`, as `level what: says`, but for notices, of which there are none; the exit code has to fit it. */
async function troublesOf({ args = place(), ...options }: DoctorOptions = {}): Promise<readonly string[]> {
  const { code, stdout } = await doctor({ ...options, args: [...args, '--json'] })
  const { problems, findings } = JSON.parse(stdout) as {
    problems: number
    findings: Record<'what' | 'level' | 'says', string>[]
  }
  expect(code).toBe(problems > 0 ? 1 : 0)
  return findings
    .filter(({ level, what }) => level !== 'ok' && what !== 'notices')
    .map(({ what, level, says }) => `${level} ${what}: ${says}`)
}

it('reports ok for each check, and leaves nothing in the bucket', async () => {
  const file = press.nights.folder.file('tells.json')
  const notify = [{ type: 'webhook', url: 'https://hooks.example.com/secret' }]
  writeFileSync(file, JSON.stringify({ notify }))
  const stdout = await expectSuccess(doctor({ args: ['--config', file, ...place()] }))
  expect(stdout).not.toContain('secret')
  const lines = stdout.trimEnd().split('\n')
  const checks =
    'node,disk for out,disk for temp,snapshot,baseUrl,credentials,bucket,right to put,right to get,second put,copy,' +
    'right to list,clock,conditional put,checksums,right to delete,versioning,lifecycle,live,journal,notices'
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual(
    checks.split(',').map((check) => `ok ${check}`),
  )
  expect(stdout).toMatch(/ snapshot +2026-11-11-[0-9a-f]{12} in .+, \d+ objects\n/)
  expect(press.bucket.keys()).toEqual([])
  for (const secret of Object.values(credentials)) expect(stdout).not.toContain(secret)
})

it('warns if no target hears of a night that fails, and names a target that is not set here', async () => {
  const lastLine = async (config: object) => {
    const file = press.nights.folder.file('told.json')
    writeFileSync(file, JSON.stringify(config))
    const { code, stdout } = await doctor({ args: ['--config', file, ...place()] })
    return { code, line: stdout.trimEnd().split('\n').at(-1)?.replace(/ {2,}/, ' ') }
  }
  const nobody =
    'warning notices          nobody is told of a night that fails: set `notify` in the config, unless your scheduler tells'
  expect(await lastLine({})).toEqual({ code: 0, line: nobody })
  expect(await lastLine({ notify: [{ type: 'webhook', url: 'env:CHAT' }] })).toEqual({
    code: 0,
    line: expect.stringContaining('not here: webhook (the environment variable CHAT is not set)') as string,
  })
})

it('changes nothing in a bucket that is in use', async () => {
  await press.publish('night-1')
  const before = [...press.server.objects(press.bucket.name).values()]
  expect(await troublesOf()).toEqual([])
  expect([...press.server.objects(press.bucket.name).values()]).toEqual(before)
  expect(await doctor({ args: ['--quiet', ...place()] })).toMatchObject({ stdout: '' })
})

it('accepts a missing snapshot, and refuses a damaged one', async () => {
  const out = press.nights.folder.file('nothing')
  expect(await troublesOf({ out })).toEqual([])
  expect((await doctor({ out })).stdout).toMatch(/ok +snapshot +none in .+nothing yet/)
  truncateSync(press.nights.folder.file('night-4/manifest.ndjson.gz'), 100)
  expect(await troublesOf({ out: 'night-4' })).toEqual([
    expect.stringMatching(/^problem snapshot: .*manifest\.ndjson\.gz cannot be read/),
  ])
})

it('says soon that the store does not answer', async () => {
  const { base, stop } = await listen(createServer(() => undefined))
  const args = bucketArgs(base, press.bucket.name)
  // It waits for ten seconds. A publish, which is more patient, would wait for longer than a test may take.
  expect(await troublesOf({ args })).toEqual([expect.stringMatching(/^problem bucket: .*does not answer/)])
  await stop()
})

const noKey = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }
it.each([
  ['no bucket', {}, '--bucket nix', /^problem bucket: .*there is no bucket nix/],
  ['no credentials', noKey, '', /^problem credentials: none were found: set AWS_ACCESS_KEY_ID/],
] as const)('stops at %s, with one problem', async (_, env, flags, message) => {
  const found = await troublesOf({ env, args: [...place(), ...flags.split(' ').filter(Boolean)] })
  expect(found).toEqual([expect.stringMatching(message)])
})

it('requires a region for AWS, and a bucket', async () => {
  const address =
    /^warning baseUrl: baseUrl is http:\/\/localhost:8080: .*set "baseUrl" \(FUNDPRESS_BASE_URL\)/
  const noRegion = expect.stringMatching(/^problem region: .*no region: set --region or AWS_REGION/)
  const args = ['--bucket', press.bucket.name]
  expect(await troublesOf({ args })).toEqual([expect.stringMatching(address), noRegion])
  const env = { FUNDPRESS_BASE_URL: 'https://api.example.com' }
  expect(await troublesOf({ env, args })).toEqual([noRegion])
  await expectFailure(doctor({ args: ['--bucket'] }), /--bucket <name> is missing/, 2)
})

const scratchKeys = () => press.bucket.keys().filter((key) => key.includes('doctor'))

it.each([
  ['put', /^PutObject$/, /^problem right to put: .*s3:PutObject/],
  [
    'delete',
    /^DeleteObject$/,
    /^problem right to delete: .*the credentials need s3:DeleteObject on .*AccessDenied/,
  ],
])('names the missing right to %s, and tries the others', async (_, operation, message) => {
  press.server.settings.deny = [{ operation }]
  const found = (await troublesOf()).filter((line) => line.includes('right to'))
  expect(found).toEqual([expect.stringMatching(message)])
  const isLeft = operation.test('DeleteObject')
  expect(scratchKeys()).toHaveLength(isLeft ? 2 : 0)
})

describe('what the store can do', () => {
  it('warns of conditions that are ignored', async () => {
    press.server.settings.conditions = 'ignored'
    const message =
      /^problem conditional put: the store ignores the conditions of puts: publish with --no-lock/
    expect(await troublesOf()).toEqual([expect.stringMatching(message)])
    expect(scratchKeys()).toEqual([])
  })

  it('names a clock that is ten minutes off', async () => {
    press.server.settings.clockSkewMs = -600_000
    const message = /^warning clock: this machine's clock is 10 minutes ahead of the store's: set it/
    expect(await troublesOf()).toEqual([expect.stringMatching(message)])
  })
})

describe('the bucket', () => {
  it('warns of the cost of versioning, unless a rule expires old versions', async () => {
    press.server.settings.versioning = 'Enabled'
    expect(await troublesOf()).toEqual([
      expect.stringMatching(/^warning versioning: enabled: .*NoncurrentVersionExpiration/),
    ])
    const all = { id: 'all', prefix: '', noncurrentDays: 3, abortUploadsAfterDays: 1 }
    press.server.settings.lifecycleRules = [all]
    expect(await troublesOf()).toEqual([])
  })

  it.each([
    [1, 'green/api/v1/'],
    [0, 'downloads/'],
  ])('finds %d problems in a rule that deletes under %s', async (problems, prefix) => {
    const problem = /^problem lifecycle: rule "old" deletes objects after 30 days under /
    press.server.settings.lifecycleRules = [{ id: 'old', prefix, expirationDays: 30 }]
    expect(await troublesOf()).toEqual(Array(problems).fill(expect.stringMatching(problem)))
  })

  it('names a damaged live.json and journal', async () => {
    press.bucket.put('live.json', '{}')
    press.bucket.put('journal.json', 'null')
    expect(await troublesOf()).toEqual([
      expect.stringMatching(/^problem live: .*live\.json is damaged/),
      expect.stringMatching(/^problem journal: .*journal\.json is damaged/),
    ])
  })

  it('warns of a publish that is under way, and of one that was killed', async () => {
    await press.publish('night-1')
    let during: Promise<readonly string[]> | undefined
    press.server.faults([holdBack(/^green\/api/, () => (during = troublesOf()), { nth: 3 })])
    await press.publish('night-2')
    expect(await during).toEqual([expect.stringMatching(/^warning journal: .*another publish is under way/)])
    press.server.reset()
    expect(await press.publishUntilRequest('night-3', 20, 'before')).toBe(true)
    expect(await troublesOf()).toEqual([expect.stringMatching(/^warning journal: blue is torn/)])
  })
})

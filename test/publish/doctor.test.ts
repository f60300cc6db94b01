import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../support/nights.ts'
import { runFundpress } from '../support/product.ts'
import { bucketArgs, credentials, publish, publishUntilRequest } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const bucket = 'funds'
let nights: Nights
let server: S3Server
const initial = {
  clockSkewMs: 0,
  conditions: 'honoured',
  deny: [],
  expiredTokens: [],
  lifecycleRules: [],
  versioning: undefined,
} as const

beforeAll(async () => {
  nights = await buildNights(3, 1)
  server = await startS3({ buckets: [bucket] })
})
afterAll(async () => {
  await server.stop()
  nights.remove()
})
beforeEach(() => {
  server.reset()
  server.empty(bucket)
  Object.assign(server.settings, initial)
})

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly out?: string
  readonly args?: readonly string[]
}

const doctor = ({ env = credentials, out = nights.outs[0] ?? '', args }: Options = {}) =>
  runFundpress(['doctor', '--out', out, ...(args ?? bucketArgs(server.endpoint, bucket))], {
    // Whatever the developer's machine has must not help.
    env: {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      ...env,
    },
  })

/** What is no `ok`, as `level what: says`. */
async function troubles(options: Options = {}): Promise<readonly string[]> {
  const { args = bucketArgs(server.endpoint, bucket) } = options
  const { code, stdout } = await doctor({ ...options, args: [...args, '--json'] })
  const { problems, findings } = JSON.parse(stdout) as {
    readonly problems: number
    readonly findings: readonly { readonly what: string; readonly level: string; readonly says: string }[]
  }
  expect(code).toBe(problems > 0 ? 1 : 0)
  return findings
    .filter(({ level }) => level !== 'ok')
    .map(({ what, level, says }) => `${level} ${what}: ${says}`)
}

const scratchKeys = () => [...server.objects(bucket).keys()].filter((key) => key.includes('doctor'))

it('finds all well, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await doctor()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
    'ok node',
    'ok disk for out',
    'ok disk for temp',
    'ok snapshot',
    'ok credentials',
    'ok bucket',
    'ok right to put',
    'ok right to get',
    'ok clock',
    'ok right to list',
    'ok conditional put',
    'ok checksums',
    'ok right to delete',
    'ok versioning',
    'ok lifecycle',
    'ok live',
    'ok journal',
  ])
  expect(stdout).toMatch(/ snapshot +2026-11-11-[0-9a-f]{12} in .+, \d+ objects\n/)
  expect(server.objects(bucket).size).toBe(0)
  for (const secret of Object.values(credentials)) expect(stdout).not.toContain(secret)
})

it('changes nothing in a bucket that is in use', async () => {
  await publish(server.endpoint, bucket, nights.outs[0] ?? '')
  const before = [...server.objects(bucket).values()]
  expect(await troubles()).toEqual([])
  expect([...server.objects(bucket).values()]).toEqual(before)
  expect(await doctor({ args: ['--quiet', ...bucketArgs(server.endpoint, bucket)] })).toMatchObject({
    stdout: '',
  })
})

describe('rights', () => {
  it.each([
    ['put', /^PutObject$/, [/^problem right to put: .*s3:PutObject/]],
    ['get', /^GetObject$/, [/^problem right to get: .*s3:GetObject/]],
    ['list', /^ListObjectsV2$/, [/^problem right to list: .*s3:ListBucket/]],
    ['delete', /^DeleteObject$/, [/^problem right to delete: .*AccessDenied.*s3:DeleteObject/]],
  ])('names the right to %s when it is missing, and tries the others', async (_, operation, expected) => {
    server.settings.deny = [{ operation }]
    const found = await troubles()
    for (const message of expected) expect(found).toContainEqual(expect.stringMatching(message))
    expect(found.filter((line) => line.includes('right to'))).toHaveLength(1)
    const isLeft = operation.test('DeleteObject')
    expect(scratchKeys()).toHaveLength(isLeft ? 1 : 0)
  })

  it('takes a missing right to ask for versioning and lifecycle for a word', async () => {
    server.settings.deny = [{ operation: /^GetBucket/ }]
    expect(await troubles()).toEqual([])
    expect((await doctor()).stdout).toMatch(
      /ok +versioning +not known: no right to ask \(s3:GetBucketVersioning\)\nok +lifecycle +not known: no right/,
    )
  })
})

describe('what the store can do', () => {
  it.each([
    ['ignored', /^problem conditional put: the store ignores the conditions of puts: publish with --no-lock/],
    ['refused', /^problem conditional put: the store knows no conditional puts: publish with --no-lock/],
  ] as const)('warns of conditions that are %s', async (conditions, message) => {
    server.settings.conditions = conditions
    expect(await troubles()).toEqual([expect.stringMatching(message)])
    expect(scratchKeys()).toEqual([])
  })

  it('is content with Ceph, which wants ETags without quotation marks', async () => {
    server.settings.conditions = 'unquoted'
    expect(await troubles()).toEqual([])
  })

  it.each([
    [-60, /^warning clock: this machine's clock is (59|60|61) s ahead of the store's: set it/],
    [60, /^warning clock: this machine's clock is (59|60|61) s behind the store's: set it/],
    [-3600, /clock is (3599|3600|3601) s ahead of|clock is wrong: set it/],
  ])('tells a clock that is %i s off', async (seconds, message) => {
    server.settings.clockSkewMs = seconds * 1000
    expect(await troubles()).toEqual([expect.stringMatching(message)])
  })
})

describe('the bucket', () => {
  it('tells what versioning costs, unless a rule ends old versions', async () => {
    server.settings.versioning = 'Enabled'
    expect(await troubles()).toEqual([
      expect.stringMatching(/^warning versioning: enabled: .*NoncurrentVersionExpiration/),
    ])
    server.settings.lifecycleRules = [{ id: 'green', prefix: 'green/', noncurrentDays: 3 }]
    expect(await troubles()).toHaveLength(1)
    server.settings.lifecycleRules = [{ id: 'all', prefix: '', noncurrentDays: 3, abortUploadsAfterDays: 1 }]
    expect(await troubles()).toEqual([])
  })

  it.each([
    ['', true],
    ['gre', true],
    ['green/api/v1/', true],
    ['live.json', true],
    ['journal/', true],
    ['downloads/', false],
    ['logs/', false],
  ])('judges a rule that deletes under %j', async (prefix, isProblem) => {
    server.settings.lifecycleRules = [{ id: 'old', prefix, expirationDays: 30 }]
    expect(await troubles()).toEqual(
      isProblem
        ? [expect.stringMatching(/^problem lifecycle: rule "old" deletes objects after 30 days under /)]
        : [],
    )
  })

  it('looks at rules with the eyes of a prefix', async () => {
    const args = [...bucketArgs(server.endpoint, bucket), '--prefix', 'prod']
    server.settings.lifecycleRules = [{ id: 'old', prefix: 'green/', expirationDays: 30 }]
    expect(await troubles({ args })).toEqual([])
    server.settings.lifecycleRules = [{ id: 'old', prefix: 'prod/', expirationDays: 30 }]
    expect(await troubles({ args })).toHaveLength(1)
  })

  it('names live.json and a journal that cannot be read', async () => {
    server.put(bucket, 'live.json', '{}')
    server.put(bucket, 'journal.json', 'null')
    expect(await troubles()).toEqual([
      expect.stringMatching(/^problem live: .*live\.json is not one of this fundpress/),
      expect.stringMatching(/^problem journal: .*journal\.json is not one of this fundpress/),
    ])
  })

  it('tells of a publish that is under way, and of one that was killed', async () => {
    const [one = '', two = '', three = ''] = nights.outs
    await publish(server.endpoint, bucket, one)
    let during: Promise<readonly string[]> | undefined
    server.faults([
      {
        kind: 'call',
        when: 'before',
        method: 'PUT',
        keyMatches: /^green\/api/,
        nth: 3,
        run: () => (during = troubles()),
      },
    ])
    await publish(server.endpoint, bucket, two)
    expect(await during).toEqual([expect.stringMatching(/^warning journal: .*another publish is under way/)])
    server.reset()
    expect(await publishUntilRequest(server, bucket, three, 40, 'before')).toBe(true)
    expect(await troubles()).toEqual([expect.stringMatching(/^warning journal: blue is not whole/)])
  })
})

describe('before the bucket', () => {
  it('says within ten seconds that nobody answers', async () => {
    const mute = createServer(() => undefined)
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    const started = performance.now()
    expect(await troubles({ args: bucketArgs(`http://127.0.0.1:${port}`, bucket) })).toEqual([
      expect.stringMatching(/^problem bucket: .*does not answer/),
    ])
    expect(performance.now() - started).toBeLessThan(12_000)
    mute.close()
    expect(await troubles({ args: bucketArgs(`http://127.0.0.1:${port}`, bucket) })).toEqual([
      expect.stringMatching(/^problem bucket: .*nothing listens there, check --endpoint/),
    ])
  })

  it.each([
    ['no bucket', { args: ['nix'] }, /^problem bucket: .*there is no bucket nix/],
    [
      'a wrong key',
      { env: { ...credentials, AWS_SECRET_ACCESS_KEY: 'wrong' } },
      /^problem bucket: .*secret key is wrong/,
    ],
    [
      'no credentials',
      { env: { AWS_ACCESS_KEY_ID: '', AWS_PROFILE: '' } },
      /^problem credentials: none were found: set AWS_ACCESS_KEY_ID/,
    ],
    [
      'an expired token',
      { env: { ...credentials, AWS_SESSION_TOKEN: 'old-token' } },
      /^problem bucket: .*credentials have expired/,
    ],
  ])('stops at %s, with one problem', async (_, { env = credentials, args }: Options, message) => {
    server.settings.expiredTokens = ['old-token']
    const found = await troubles({ env, args: bucketArgs(server.endpoint, args?.[0] ?? bucket) })
    expect(found).toEqual([expect.stringMatching(message)])
  })

  it('names the right region', async () => {
    const args = [
      '--bucket',
      bucket,
      '--endpoint',
      server.endpoint,
      '--path-style',
      '--region',
      'eu-central-1',
    ]
    expect(await troubles({ args })).toEqual([
      expect.stringMatching(/^problem bucket: .*another region, us-east-1: set --region/),
    ])
  })

  it('wants a region for AWS, and a bucket', async () => {
    const region = /^problem region: .*no region: set --region or AWS_REGION/
    expect(await troubles({ args: ['--bucket', bucket] })).toEqual([expect.stringMatching(region)])
    expect(await doctor({ args: [] })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--bucket <name> is missing/),
    })
  })
})

describe('the snapshot', () => {
  it('may be missing', async () => {
    expect(await troubles({ out: nights.folder.file('nothing') })).toEqual([])
    expect((await doctor({ out: nights.folder.file('nothing') })).stdout).toMatch(
      /ok +snapshot +none in .+nothing yet/,
    )
  })

  it('may not be damaged', async () => {
    truncateSync(`${nights.outs[1]}/manifest.ndjson.gz`, 100)
    const found = await troubles({ out: nights.outs[1] ?? '' })
    expect(found).toEqual([expect.stringMatching(/^problem snapshot: .*manifest\.ndjson\.gz cannot be read/)])
  })
})

/** What is wrong with rights, with the abilities and the clock of a store, and with what is in a bucket. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { doctor, troublesOf } from '../support/doctor.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { bucketArgs } from '../support/publishing.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(3, 1))
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

const scratchKeys = () => press.bucket.keys().filter((key) => key.includes('doctor'))

describe('rights', () => {
  it.each([
    ['put', /^PutObject$/, [/^problem right to put: .*s3:PutObject/]],
    ['get', /^GetObject$/, [/^problem right to get: .*s3:GetObject/]],
    ['list', /^ListObjectsV2$/, [/^problem right to list: .*s3:ListBucket/]],
    ['delete', /^DeleteObject$/, [/^problem right to delete: .*AccessDenied.*s3:DeleteObject/]],
  ])('names the right to %s when it is missing, and tries the others', async (_, operation, expected) => {
    press.server.settings.deny = [{ operation }]
    const found = await troublesOf(press)
    for (const message of expected) expect(found).toContainEqual(expect.stringMatching(message))
    expect(found.filter((line) => line.includes('right to'))).toHaveLength(1)
    const isLeft = operation.test('DeleteObject')
    expect(scratchKeys()).toHaveLength(isLeft ? 1 : 0)
  })

  it('takes a missing right to ask for versioning and lifecycle for a word', async () => {
    press.server.settings.deny = [{ operation: /^GetBucket/ }]
    expect(await troublesOf(press)).toEqual([])
    expect((await doctor(press)).stdout).toMatch(
      /ok +versioning +not known: no right to ask \(s3:GetBucketVersioning\)\nok +lifecycle +not known: no right/,
    )
  })
})

describe('what the store can do', () => {
  it.each([
    ['ignored', /^problem conditional put: the store ignores the conditions of puts: publish with --no-lock/],
    ['refused', /^problem conditional put: the store knows no conditional puts: publish with --no-lock/],
  ] as const)('warns of conditions that are %s', async (conditions, message) => {
    press.server.settings.conditions = conditions
    expect(await troublesOf(press)).toEqual([expect.stringMatching(message)])
    expect(scratchKeys()).toEqual([])
  })

  it('is content with Ceph, which wants ETags without quotation marks', async () => {
    press.server.settings.conditions = 'unquoted'
    expect(await troublesOf(press)).toEqual([])
  })

  it.each([
    [-60, /^warning clock: this machine's clock is (59|60|61) s ahead of the store's: set it/],
    [60, /^warning clock: this machine's clock is (59|60|61) s behind the store's: set it/],
    [-3600, /clock is (3599|3600|3601) s ahead of|clock is wrong: set it/],
  ])('tells a clock that is %i s off', async (seconds, message) => {
    press.server.settings.clockSkewMs = seconds * 1000
    expect(await troublesOf(press)).toEqual([expect.stringMatching(message)])
  })
})

describe('the bucket', () => {
  it('tells what versioning costs, unless a rule ends old versions', async () => {
    press.server.settings.versioning = 'Enabled'
    expect(await troublesOf(press)).toEqual([
      expect.stringMatching(/^warning versioning: enabled: .*NoncurrentVersionExpiration/),
    ])
    press.server.settings.lifecycleRules = [{ id: 'green', prefix: 'green/', noncurrentDays: 3 }]
    expect(await troublesOf(press)).toHaveLength(1)
    press.server.settings.lifecycleRules = [
      { id: 'all', prefix: '', noncurrentDays: 3, abortUploadsAfterDays: 1 },
    ]
    expect(await troublesOf(press)).toEqual([])
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
    press.server.settings.lifecycleRules = [{ id: 'old', prefix, expirationDays: 30 }]
    expect(await troublesOf(press)).toEqual(
      isProblem
        ? [expect.stringMatching(/^problem lifecycle: rule "old" deletes objects after 30 days under /)]
        : [],
    )
  })

  it('looks at rules with the eyes of a prefix', async () => {
    const args = [...bucketArgs(press.server.endpoint, press.bucket.name), '--prefix', 'prod']
    press.server.settings.lifecycleRules = [{ id: 'old', prefix: 'green/', expirationDays: 30 }]
    expect(await troublesOf(press, { args })).toEqual([])
    press.server.settings.lifecycleRules = [{ id: 'old', prefix: 'prod/', expirationDays: 30 }]
    expect(await troublesOf(press, { args })).toHaveLength(1)
  })

  it('names live.json and a journal that cannot be read', async () => {
    press.bucket.put('live.json', '{}')
    press.bucket.put('journal.json', 'null')
    expect(await troublesOf(press)).toEqual([
      expect.stringMatching(/^problem live: .*live\.json is damaged/),
      expect.stringMatching(/^problem journal: .*journal\.json is damaged/),
    ])
  })

  it('tells of a publish that is under way, and of one that was killed', async () => {
    const [one = '', two = '', three = ''] = press.nights.outs
    await press.publish(one)
    let during: Promise<readonly string[]> | undefined
    press.server.faults([
      {
        kind: 'call',
        when: 'before',
        method: 'PUT',
        keyMatches: /^green\/api/,
        nth: 3,
        run: () => (during = troublesOf(press)),
      },
    ])
    await press.publish(two)
    expect(await during).toEqual([expect.stringMatching(/^warning journal: .*another publish is under way/)])
    press.server.reset()
    expect(await press.publishUntilRequest(three, 40, 'before')).toBe(true)
    expect(await troublesOf(press)).toEqual([expect.stringMatching(/^warning journal: blue is not whole/)])
  })
})

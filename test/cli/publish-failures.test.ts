/** What can go wrong between the command line and the store: one line that says what to do, and no secret in it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { credentials } from '../support/publishing.ts'

const bucket = 'fund-data'
let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 1, { years: 1, until: '2026-11-18' }), { bucket })
})
afterAll(() => press.stop())

beforeEach(() => {
  press.reset()
})

const token = 'FwoGZXIvYXdzEXAMPLETOKEN'
const secrets = [credentials.AWS_SECRET_ACCESS_KEY, 'other/secret', token, 'Signature=']

async function failing(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const run = (more: Readonly<Record<string, string>>) => press.fundpress(line, { ...env, ...more })
  const debugging = { FUNDPRESS_DEBUG: '1' }
  // Two publishes at the same time would get into each other's way.
  const [{ code, stdout, stderr }, debugged] = line.startsWith('publish')
    ? [await run({}), await run(debugging)]
    : await Promise.all([run({}), run(debugging)])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^fundpress: [^\n]+\n$/)
  for (const secret of secrets) expect(stderr + debugged.stderr).not.toContain(secret)
  return stderr
}

describe('one line says what to do', () => {
  it.each([
    [
      'a wrong secret',
      { AWS_SECRET_ACCESS_KEY: 'other/secret' },
      'the secret key is wrong: check the credentials',
    ],
    [
      'an unknown key',
      { AWS_ACCESS_KEY_ID: 'NOBODY' },
      'the access key is not known there: check the credentials',
    ],
    [
      'no credentials',
      { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
      'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role',
    ],
    ['an invalid token', { AWS_SESSION_TOKEN: token }, 'the session token is not valid: get new credentials'],
  ])('%s', async (_what, env, advice) => {
    expect(await failing('publish --out night-1', env)).toContain(`could not read live.json: ${advice}`)
    expect(await failing('status', env)).toContain(advice)
  })

  it('a token that has expired', async () => {
    Object.assign(press.server.settings, { expiredTokens: [token] })
    const stderr = await failing('publish --out night-1', { AWS_SESSION_TOKEN: token })
    expect(stderr).toContain('the credentials have expired: get new ones and publish again')
  })

  it('a bucket that is not there', async () => {
    expect(await failing('plan --out night-1 --bucket other-data')).toContain(
      `there is no bucket other-data at ${press.server.endpoint}: create it, or check its name and region`,
    )
  })

  it('another region', async () => {
    expect(await failing('publish --out night-1 --region eu-west-1')).toContain(
      'the bucket is in another region, us-east-1: set --region',
    )
  })

  it('nothing that listens, and no such host', async () => {
    const [mute, nowhere] = await Promise.all([
      failing('status --endpoint http://127.0.0.1:1'),
      failing('status --endpoint http://nowhere.invalid'),
    ])
    expect(mute).toContain('nothing listens there, check --endpoint')
    expect(nowhere).toMatch(/its name is not known, check --endpoint|no name service/)
  })

  it('rights that are missing', async () => {
    Object.assign(press.server.settings, { deny: [{ operation: /^PutObject$/, key: /^(blue|green)\/api/ }] })
    expect(await failing('publish --out night-1')).toMatch(
      /could not write blue\/api\/[^ ]+: access denied: the credentials need s3:PutObject on s3:\/\/fund-data/,
    )
    expect(press.bucket.keys().includes('live.json')).toBe(false)
  })

  it('a store that is overloaded for good', async () => {
    press.server.faults([{ kind: 'status', status: 500, keyMatches: /^live\.json$/ }])
    expect(await failing('plan --out night-1')).toContain('the store kept answering 500: try again later')
  })

  it('a folder without a snapshot, and no bucket at all', async () => {
    expect(await failing('publish --out nothing')).toContain('nothing holds no snapshot: make one with')
    const { code, stderr } = await press.bare('publish --endpoint http://127.0.0.1:1')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'fundpress: --bucket <name> is missing (or FUNDPRESS_BUCKET_NAME, or "bucket.name" in fundpress.config.json)\n',
    })
  })
})

it("bears with a machine whose clock is wrong by an hour, and tells ages by the store's", async () => {
  Object.assign(press.server.settings, { clockSkewMs: 3_600_000 })
  expect(await press.json('publish --out night-1')).toMatchObject({ slot: 'blue', hasFlipped: true })
  const { ageSeconds } = await press.json<{ ageSeconds: number }>('status')
  expect(ageSeconds).toBeLessThan(60)
})

describe('a store without conditional writes', () => {
  it.each(['ignored', 'if-match-ignored', 'refused'] as const)(
    'is told of, and needs --no-lock: %s',
    async (conditions) => {
      Object.assign(press.server.settings, { conditions })
      const stderr = await failing('publish --out night-1')
      expect(stderr).toContain(
        'this store does not support conditional writes. --no-lock publishes without them, but then nothing prevents ' +
          'two publishes at the same time',
      )
      expect(press.bucket.keys().includes('live.json')).toBe(false)
      const put = press.nights.sums('night-1').size
      const planned = await press.json<{ requests: object }>('plan --out night-1 --no-lock')
      const done = await press.json<{ requests: object }>('publish --out night-1 --no-lock')
      expect(done).toMatchObject({ slot: 'blue', put })
      expect({ DeleteObjects: 0, ListObjectsV2: 0, ...done.requests }).toEqual(planned.requests)
    },
  )
})

describe('two publishes', () => {
  it('the second one is told who is there, and plan and status say so, too', async () => {
    press.server.faults([{ kind: 'delay', ms: 300, operation: 'PutObject', keyMatches: /^blue\/api/ }])
    const { child: first, end } = press.begin('publish --out night-1 --concurrency 4 --quiet')
    while ((press.server.counts()['PutObject'] ?? 0) < 6)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const { code, stderr } = await press.fundpress('publish --out night-1')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      new RegExp(
        `^fundpress: s3://fund-data: another publish is under way \\(process ${first.pid} on [^ ]+\\); if it is dead, its lease ends in \\d+ s\n$`,
      ),
    )
    expect((await press.fundpress('plan --out night-1')).stdout).toContain('another publish is under way')
    expect((await press.fundpress('status')).stderr).toContain('nothing is live yet; ')

    // Ctrl-C: the lease is given back at once.
    first.kill('SIGINT')
    expect(await end).toEqual({
      code: null,
      signal: 'SIGINT',
      stdout: '',
      stderr: 'fundpress: stopped by SIGINT\n',
    })
    press.server.reset()
    const journal = JSON.parse(String(press.bucket.body('journal.json')))
    expect(journal).toMatchObject({
      isHeld: false,
      changing: { blue: expect.stringMatching(/^journal\//) as string },
    })
    expect(await press.json('publish --out night-1')).toMatchObject({
      put: press.nights.sums('night-1').size,
    })
    expect(await press.json('verify --deep')).toMatchObject({ differences: [] })
  })

  it('one that was killed on this machine need not be waited for', async () => {
    press.server.faults([{ kind: 'delay', ms: 300, operation: 'PutObject', keyMatches: /^blue\/api/ }])
    const { child: first, end } = press.begin('publish --out night-1 --concurrency 4 --quiet')
    while ((press.server.counts()['PutObject'] ?? 0) < 6)
      await new Promise((resolve) => setTimeout(resolve, 20))
    first.kill('SIGKILL')
    await end
    press.server.reset()
    expect(await press.json('publish --out night-1')).toMatchObject({
      put: press.nights.sums('night-1').size,
    })
  })
})

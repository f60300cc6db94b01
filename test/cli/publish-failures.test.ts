/** What can go wrong between the command line and the store: one line says what to do, and shows no secret. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { credentials } from '../support/publishing.ts'
import { expectFailure } from './outcome.ts'

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

/** The line on stderr of a command that must fail; also with a stack trace it shows no secret. */
async function failing(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const plain = press.fundpress(line, env)
  // Publishes exclude each other; others need not wait until the first has tried often enough.
  if (line.startsWith('publish')) await plain
  const debugged = await press.fundpress(line, { ...env, FUNDPRESS_DEBUG: '1' })
  const { code, stdout, stderr } = await plain
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^fundpress: .+\n$/)
  for (const secret of secrets) expect(stderr + debugged.stderr).not.toContain(secret)
  return stderr
}

describe('one line says what to do about', () => {
  it.each([
    [{ AWS_SECRET_ACCESS_KEY: 'other/secret' }, 'the secret key is wrong: check the credentials'],
    [{ AWS_ACCESS_KEY_ID: 'NOBODY' }, 'the access key is not known there: check the credentials'],
    [
      { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
      'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role',
    ],
    [{ AWS_SESSION_TOKEN: token }, 'the session token is not valid: get new credentials'],
  ])('%j', async (env, advice) => {
    expect(await failing('publish --out night-1', env)).toContain(`could not read live.json: ${advice}`)
  })

  it('an expired token', async () => {
    Object.assign(press.server.settings, { expiredTokens: [token] })
    const stderr = await failing('publish --out night-1', { AWS_SESSION_TOKEN: token })
    expect(stderr).toContain('the credentials have expired: get new ones and publish again')
  })

  it.each([
    ['plan --out night-1 --bucket other', /there is no bucket other at http[^ ]+: create it, or check/],
    ['publish --out night-1 --region eu-west-1', /the bucket is in another region, us-east-1: set --region/],
    ['publish --out nothing', /nothing holds no snapshot: make one with/],
  ])('`%s`', async (line, reason) => {
    expect(await failing(line)).toMatch(reason)
  })

  // They wait between their attempts.
  it.concurrent.each([
    ['status --endpoint http://127.0.0.1:1', /nothing listens there \(tried for 10 s\), check --endpoint/],
    ['status --endpoint http://nowhere.invalid', /its name is not known, check --endpoint|no name service/],
  ])('`%s`', async (line, reason) => {
    expect(await failing(line)).toMatch(reason)
  })

  it('a right that the credentials lack', async () => {
    Object.assign(press.server.settings, { deny: [{ operation: /^PutObject$/, key: /^(blue|green)\/api/ }] })
    const reason =
      /could not write blue\/api\/[^ ]+: access denied: the credentials need s3:PutObject on s3:\/\/fund/
    expect(await failing('publish --out night-1')).toMatch(reason)
    expect(press.bucket.keys()).not.toContain('live.json')
  })

  it('a store that stays overloaded', async () => {
    press.server.faults([{ kind: 'status', status: 500, keyMatches: /^live\.json$/ }])
    expect(await failing('plan --out night-1')).toContain('the store kept answering 500: try again later')
  })
})

it("works on a machine whose clock is wrong by an hour, and counts ages by the store's clock", async () => {
  Object.assign(press.server.settings, { clockSkewMs: 3_600_000 })
  expect(await press.json('publish --out night-1')).toMatchObject({ slot: 'blue', outcome: 'flipped' })
  const { ageSeconds } = await press.json<{ ageSeconds: number }>('status')
  expect(ageSeconds).toBeLessThan(1800)
})

const wrongConditions = ['ignored', 'if-match-ignored', 'refused'] as const
it.each(wrongConditions)('a store without conditional writes needs --no-lock: %s', async (conditions) => {
  Object.assign(press.server.settings, { conditions })
  const reason =
    'this store does not support conditional writes. --no-lock publishes without them, but then nothing prevents two ' +
    'publishes at the same time'
  expect(await failing('publish --out night-1')).toContain(reason)
  expect(press.bucket.keys()).not.toContain('live.json')
  const put = press.nights.sums('night-1').size
  const planned = await press.json<{ requests: object }>('plan --out night-1 --no-lock')
  const done = await press.json<{ requests: object }>('publish --out night-1 --no-lock')
  expect(done).toMatchObject({ slot: 'blue', put })
  expect({ DeleteObjects: 0, ListObjectsV2: 0, ...done.requests }).toEqual(planned.requests)
})

/** Begins a publish, and waits until it uploads. */
const beginUpload = async () => {
  const released = Promise.withResolvers<undefined>()
  onTestFinished(() => released.resolve(undefined))
  let puts = 0
  const hold = () => (++puts > 2 ? released.promise : undefined)
  press.server.faults([
    { kind: 'call', when: 'before', operation: 'PutObject', keyMatches: /^blue\/api/, run: hold },
  ])
  const begun = press.begin('publish --out night-1 --quiet', { FUNDPRESS_BUCKET_CONCURRENCY: '4' })
  await expect.poll(() => puts).toBe(6)
  return begun
}

it('while another publish runs, publish, plan and status name its process; Ctrl-C releases its lease at once', async () => {
  const { child, end } = await beginUpload()
  const held = `another publish is under way \\(process ${child.pid} on [^ ]+\\)`
  const reason = `^fundpress: s3://fund-data: ${held}; if it is dead, its lease ends in \\d+ s\n$`
  await expectFailure(press.fundpress('publish --out night-1'), new RegExp(reason))
  expect((await press.fundpress('plan --out night-1')).stdout).toContain('another publish is under way')
  expect((await press.fundpress('status')).stderr).toContain('nothing is live yet; ')

  child.kill('SIGINT')
  const stopped = { code: null, signal: 'SIGINT', stdout: '', stderr: 'fundpress: stopped by SIGINT\n' }
  expect(await end).toEqual(stopped)
  const journal = JSON.parse(String(press.bucket.body('journal.json'))) as object
  const blue = expect.stringMatching(/^journal\//) as string
  expect(journal).toMatchObject({ isHeld: false, changing: { blue } })
  press.server.reset()
  const put = press.nights.sums('night-1').size
  expect(await press.json('publish --out night-1')).toMatchObject({ put })
  expect(await press.json('verify --deep')).toMatchObject({ differences: [] })
})

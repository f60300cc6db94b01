/** A journal that was damaged or removed: nothing is trusted that it would have called torn, and a repair mends it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { isComplete } from '../support/rounds.ts'
import { beginPublish, four, killAt, one, press, three, useTwoNights } from '../support/two-nights.ts'

useTwoNights(4)

const killPublish = (out: string, nth: number, ...flags: readonly string[]) =>
  killAt(beginPublish(out, '--concurrency', '2', ...flags), /^blue\/api/, { nth })

/** A third night was killed in blue. */
beforeEach(async () => {
  await killPublish(three, 10)
  press.server.reset()
})

const journal = () => JSON.parse(press.bucket.body('journal.json').toString()) as Record<string, unknown>

describe.each([
  ['is cut off', () => press.bucket.put('journal.json', '{"format":1,"id"')],
  ['is of another format', () => press.bucket.put('journal.json', '{"format":2}')],
  [
    'names no slot',
    () => {
      press.bucket.put('journal.json', JSON.stringify({ ...journal(), changing: { red: 'x' } }))
    },
  ],
  ['was removed', () => press.bucket.remove('journal.json')],
])('a journal that %s', (_, lose) => {
  beforeEach(lose)

  it('is named, with advice, and nothing is written', async () => {
    const writes = () => press.server.log.filter(({ method }) => method !== 'GET')
    for (const command of [`publish --out ${four}`, 'rollback', 'rollback --no-check', 'prune --yes']) {
      const { code, stderr } = await press.fundpress(command)
      expect({ command, code }).toEqual({ command, code: 1 })
      expect(stderr).toMatch(
        /^fundpress: s3:\/\/funds: journal\.json is (damaged|missing), so nobody knows what the slots hold: run `fundpress publish --repair`/,
      )
    }
    expect(writes()).toEqual([])
  })

  it('is rewritten by a repair, which completes the slots', async () => {
    expect(await press.publish(four, '--repair')).toMatchObject({ code: 0, stderr: '' })
    expect(press.bucket.live()).toMatchObject({ slot: 'blue' })
    expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
    expect(press.bucket.writesIntoLive('green')).toEqual([])
    expect(journal()).toMatchObject({ isHeld: false, changing: {} })
    // Both slots are trusted again.
    expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.publish(three, '--force')).toMatchObject({ code: 0, stderr: '' })
    expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
    expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
  })

  it.runIf(isComplete)('stays lost if the repair is killed, until the next repair', async () => {
    await killPublish(four, 3, '--repair')
    expect((await press.fundpress('rollback')).stderr).toMatch(/blue is not whole/)
    expect((await press.publish(three, '--repair')).code).toBe(0)
    expect(press.bucket.differencesFrom(three, 'blue')).toEqual([])
    expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
    expect(press.bucket.differencesFrom(four, 'green')).toEqual([])
  })
})

it('waits for an unknown holder until its lease and its requests have expired', async () => {
  press.bucket.remove('journal.json')
  const { child, end } = press.begin(['publish', '--out', four, '--repair', '--lease', '100'], {
    FUNDPRESS_BUCKET_LATE_SECONDS: '50',
  })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    child.kill('SIGINT')
  })
  await end
  expect(said).toMatch(/waiting 15[01] s, until none of its requests can arrive any more/)
  expect(
    press.server.log.filter(({ method, key }) => method !== 'GET' && /^(blue|green|live)/.test(key)),
  ).toEqual([])
})

it('counts an empty bucket as new', async () => {
  press.bucket.empty()
  expect(await press.publish(one)).toMatchObject({ code: 0, stderr: '' })
  expect(journal()).toMatchObject({ isHeld: false, changing: {}, isUnsettled: false })
})

it('does not count a bucket as new if the journal of its first, killed publish was removed', async () => {
  press.bucket.empty()
  press.bucket.put('blue/api/v1/profile/DE0000000000/index.de.json', '{}')
  expect((await press.publish(one)).stderr).toMatch(/journal\.json is missing/)
  expect(await press.publish(one, '--repair')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

it('trusts no slot if live.json was removed together with the journal', async () => {
  press.bucket.remove('journal.json')
  press.bucket.remove('live.json')
  expect((await press.publish(four)).stderr).toMatch(/journal\.json is missing/)
  expect(await press.publish(four, '--repair')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
})

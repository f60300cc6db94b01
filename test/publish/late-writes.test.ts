/** What arrives late, is exchanged meanwhile, or is not answered: nothing wrong goes live, and nothing whole is given up. */
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import type { FaultRule } from '../support/s3/faults.ts'

let press: Press
let restoreTwoNights: () => void
const [one, two, three, four] = ['night-1', 'night-2', 'night-3', 'night-4']

beforeAll(async () => {
  press = await openPress(await buildNights(4, 1))
  for (const out of [one, two]) expect((await press.publish(out)).code).toBe(0)
  restoreTwoNights = press.bucket.save()
})

afterAll(() => press.stop())

/** Two nights are there: the second one live, in green. */
beforeEach(() => {
  press.server.reset()
  restoreTwoNights()
})

const slowPuts: FaultRule = {
  kind: 'delay',
  ms: 100,
  operation: 'PutObject',
  keyMatches: /^(blue|green)\/api/,
}

/** Holds the first put of such a key back, and does something then. */
const holdBack = (keyMatches: RegExp, run: () => unknown): FaultRule => ({
  kind: 'call',
  when: 'before',
  method: 'PUT',
  keyMatches,
  times: 1,
  run,
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(10)
}

const puts = (key: RegExp) =>
  press.server.log.filter((entry) => entry.method === 'PUT' && key.test(entry.key))
const beginPublish = (out: string, ...flags: readonly string[]) =>
  // On a slow machine it would say how far it is.
  press.begin(['publish', '--out', out, '--quiet', ...flags])
const changing = () =>
  (JSON.parse(press.bucket.body('journal.json').toString()) as { changing: Record<string, string> }).changing
const slotOfLive = () => press.bucket.live()?.slot

it('puts the lists of one snapshot, whatever a build does to the folder meanwhile', async () => {
  const { path } = press.nights.folder
  const folder = (name: string) => join(path, name)
  cpSync(folder(three), folder('out'), { recursive: true })
  cpSync(folder(four), folder('new'), { recursive: true })
  press.server.faults([
    holdBack(/^journal\/blue\.etags/, () => {
      renameSync(folder('out'), folder('old'))
      renameSync(folder('new'), folder('out'))
    }),
  ])
  expect(await press.publish('out')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(three, 'blue')).toEqual([])
  press.server.faults([])
  // What the next one trusts is what is there.
  expect((await press.publish(one, '--force')).code).toBe(0)
  expect(await press.publish('out')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(four, slotOfLive())).toEqual([])
})

it.each([
  ['a publish that is refused', 'publish --out night-1', 1],
  ['a prune', 'prune --yes', 0],
])('stops a late flip also when %s had the lease in between', async (_, between, code) => {
  const held = Promise.withResolvers<undefined>()
  const dead = beginPublish(one, '--force')
  press.server.faults([
    holdBack(/^live\.json$/, () => {
      dead.child.kill('SIGKILL')
      return held.promise
    }),
    slowPuts,
  ])
  await dead.end
  expect((await press.fundpress(between)).code).toBe(code)
  const next = beginPublish(three, '--concurrency', '4')
  await until(() => puts(/^blue\/api/).length > 20)
  held.resolve(undefined)
  const { code: published, stderr } = await next.end
  expect({ published, stderr }).toEqual({ published: 0, stderr: '' })
  expect(press.bucket.writesIntoLive('green')).toEqual([])
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

it('notices a put of a dead publish that arrives after its own, and puts it right the next time', async () => {
  const held = Promise.withResolvers<undefined>()
  const dead = beginPublish(three, '--concurrency', '4')
  press.server.faults([
    holdBack(/^blue\/api.*profile/, () => {
      dead.child.kill('SIGKILL')
      return held.promise
    }),
  ])
  await dead.end
  press.server.faults([
    holdBack(/^journal\/blue\.etags/, async () => {
      held.resolve(undefined)
      await setTimeout(300)
    }),
  ])
  const { code, stderr } = await press.publish(four)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /somebody else wrote to blue\/api[^ ]*profile[^ ]* meanwhile; nothing was flipped, publish again\n$/,
  )
  expect(slotOfLive()).toBe('green')
  expect(await press.publish(four)).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
})

it('waits until no request of a publish that was killed can arrive, and says so', async () => {
  const held = Promise.withResolvers<undefined>()
  const dead = beginPublish(three, '--concurrency', '4')
  press.server.faults([
    holdBack(/^blue\/api.*profile/, () => {
      dead.child.kill('SIGKILL')
      return held.promise
    }),
  ])
  await dead.end
  press.server.reset()
  const next = press.begin(['publish', '--out', four, '--quiet'], { FUNDPRESS_BUCKET_LATE_SECONDS: '4' })
  let said = ''
  next.child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    // The late put arrives while the next publish waits.
    held.resolve(undefined)
  })
  expect((await next.end).code).toBe(0)
  expect(said).toMatch(
    /^fundpress: s3:\/\/funds: the publish before was killed or not answered: waiting [1-5] s, until none of its requests can arrive any more\n$/,
  )
  expect(press.bucket.differencesFrom(four, 'blue')).toEqual([])
})

it('leaves a slot whole that it has not written to: stopped while it waited for readers', async () => {
  const { child, end } = beginPublish(three, '--grace', '3600')
  await until(() => changing()['blue'] !== undefined)
  child.kill('SIGINT')
  await end
  expect(puts(/^blue/)).toEqual([])
  expect(changing()).toEqual({})
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')
})

it('knows a slot to be whole whose publish was killed right after its flip', async () => {
  const { child, end } = beginPublish(three)
  press.server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      times: 1,
      run: () => child.kill('SIGKILL'),
    },
  ])
  await end
  press.server.faults([])
  expect(changing()['blue']).toBeDefined()
  expect((await press.publish(four)).code).toBe(0)
  expect(slotOfLive()).toBe('green')
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(press.bucket.differencesFrom(three, slotOfLive())).toEqual([])
})

it('takes a rollback for done that was carried out and not answered', async () => {
  press.server.faults([
    { kind: 'status-after', status: 400, code: 'Weird', method: 'PUT', keyMatches: /^live\.json$/ },
  ])
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')
})

it('is done when the rollback is live, whatever becomes of its lease', async () => {
  press.server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      run: () => {
        press.server.faults([{ kind: 'status', status: 403, keyMatches: /^journal\.json$/ }])
      },
    },
  ])
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(slotOfLive()).toBe('blue')
})

it('says that nobody knows what is live when it is stopped during the flip', async () => {
  const { child, end } = beginPublish(three)
  press.server.faults([
    holdBack(/^live\.json$/, async () => {
      child.kill('SIGINT')
      await setTimeout(1000)
    }),
  ])
  const { stderr } = await end
  expect(stderr).toMatch(
    /^fundpress: nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\nfundpress: stopped by SIGINT\n$/,
  )
})

it('reads bodies in a deep repair, and puts right what has rotted under its old ETag', async () => {
  const same = press.bucket
    .keys('green/api')
    .find((key) => press.bucket.body(key).equals(press.bucket.body(key.replace('green', 'blue'))))
  const object = press.server.objects('funds').get(same ?? '')
  const body = Buffer.from(object?.body ?? '')
  body[5] = (body[5] ?? 0) ^ 1
  Object.assign(object ?? {}, { body })
  const { code, stderr } = await press.fundpress('verify --deep')
  expect(code).toBe(1)
  expect(stderr).toContain('1 object differs')
  expect(stderr).toContain('`fundpress publish --repair --deep`')
  expect((await press.publish(two, '--repair', '--deep')).code).toBe(0)
  expect(slotOfLive()).toBe('blue')
  expect((await press.publish(three)).code).toBe(0)
  expect(press.bucket.differencesFrom(three, 'green')).toEqual([])
})

it('bears with strangers in a slot whose names sort otherwise in UTF-16 than in UTF-8', async () => {
  press.bucket.put('green/\uff21', 'x')
  press.bucket.put('green/\u{1f600}', 'x')
  const { code, stdout } = await press.fundpress('verify')
  expect(code).toBe(1)
  expect(stdout).toBe('\uff21 is in no manifest\n\u{1f600} is in no manifest\n')
  expect(await press.fundpress('prune --yes')).toMatchObject({ code: 0, stderr: '' })
  expect(await press.fundpress('verify')).toMatchObject({ code: 0, stderr: '' })
})

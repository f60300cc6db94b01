/** Two who change the same bucket, or one who was away for too long: readers never get a slot that is written to. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { faultsOfSlot, liveOf, writesIntoLive } from '../support/bucket.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { repository, runFundpress } from '../support/product.ts'
import { bucketArgs, credentials, publish, publishArgs } from '../support/publishing.ts'
import type { FaultRule } from '../support/s3/faults.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

let nights: Nights
let server: S3Server
let one = ''
let two = ''
let three = ''
let four = ''
const bucket = 'funds'

beforeAll(async () => {
  nights = await buildNights(4, 1)
  ;[one = '', two = '', three = '', four = ''] = nights.outs
  server = await startS3({ buckets: [bucket] })
})

afterAll(async () => {
  await server.stop()
  nights.remove()
})

/** Two nights are there: the second one live, in green. */
beforeEach(async () => {
  server.reset()
  server.empty(bucket)
  for (const out of [one, two]) expect((await publish(server.endpoint, bucket, out)).code).toBe(0)
  server.reset()
})

const slowPuts: FaultRule = {
  kind: 'delay',
  ms: 60,
  operation: 'PutObject',
  keyMatches: /^(blue|green)\/api/,
}

function begin(args: readonly string[]): {
  child: ChildProcess
  end: Promise<{ code: number | null; stderr: string }>
} {
  const child = spawn(process.execPath, ['src/cli/fundpress.mjs', ...args], {
    cwd: repository,
    env: { ...process.env, ...credentials },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }))
  return { child, end }
}

const run = (...args: string[]) =>
  runFundpress([...args, ...bucketArgs(server.endpoint, bucket)], { env: credentials })

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(10)
}

const puts = (key: RegExp) => server.log.filter((entry) => entry.method === 'PUT' && key.test(entry.key))

/** What has to hold in every case. */
async function expectSoundBucket(liveAtStart: string): Promise<void> {
  expect(writesIntoLive(server, liveAtStart)).toEqual([])
  const live = liveOf(server, bucket)
  expect(faultsOfSlot(server, bucket, live?.slot ?? '')).toEqual([])
  server.faults([])
  expect(await publish(server.endpoint, bucket, four)).toMatchObject({ code: 0, stderr: '' })
  expect(faultsOfSlot(server, bucket, liveOf(server, bucket)?.slot ?? '')).toEqual([])
  expect((await run('verify', '--deep')).code).toBe(0)
}

it('stops a flip that was sent by a publish that died, and that arrives while the next one writes', async () => {
  const held = Promise.withResolvers<undefined>()
  const { child, end } = begin(publishArgs(server.endpoint, bucket, one, '--force'))
  server.faults([
    {
      kind: 'call',
      when: 'before',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      times: 1,
      run: () => {
        child.kill('SIGKILL')
        return held.promise
      },
    },
    slowPuts,
  ])
  await end
  // The flip of the dead one is on its way; another publish takes up what it left.
  const next = begin(publishArgs(server.endpoint, bucket, three, '--concurrency', '4'))
  await until(() => puts(/^blue\/api/).length > 30)
  held.resolve(undefined)
  expect(await next.end).toEqual({ code: 0, stderr: '' })
  expect(puts(/^live\.json$/).map(({ status }) => status)).toContain(412)
  await expectSoundBucket('green')
})

it('sends nothing any more when it was stopped for longer than its lease', async () => {
  server.faults([slowPuts])
  const { child, end } = begin(
    publishArgs(server.endpoint, bucket, three, '--lease', '10', '--concurrency', '2'),
  )
  await until(() => puts(/^blue\/api/).length > 10)
  child.kill('SIGSTOP')
  await setTimeout(10_500)
  server.faults([])
  expect(await publish(server.endpoint, bucket, four)).toMatchObject({ code: 0, stderr: '' })
  const before = server.log.length
  child.kill('SIGCONT')
  const { code, stderr } = await end
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /(^|\n)fundpress: .*the lease was lost to another publish; nothing went live, publish again\n$/,
  )
  const late = server.log
    .slice(before)
    .filter(({ method, key }) => method !== 'GET' && /^(blue|green)\//.test(key))
  expect(late.map(({ key }) => key)).toEqual([])
  await expectSoundBucket('green')
})

it('gives up when its lease cannot be renewed, and leaves live what was live', async () => {
  server.faults([
    slowPuts,
    { kind: 'delay', ms: 30_000, method: 'PUT', keyMatches: /^journal\.json$/, nth: 4 },
  ])
  const { code, stderr } = await publish(
    server.endpoint,
    bucket,
    three,
    '--lease',
    '10',
    '--concurrency',
    '1',
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/the lease was lost/)
  expect(liveOf(server, bucket)).toMatchObject({ slot: 'green' })
  await expectSoundBucket('green')
})

it('takes a rollback back that arrives when a publish has begun to write to its slot', async () => {
  let released = false
  server.faults([
    {
      kind: 'call',
      when: 'before',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      times: 1,
      run: () => until(() => released),
    },
    slowPuts,
  ])
  const back = begin(['rollback', ...bucketArgs(server.endpoint, bucket)])
  await until(() => server.counts()['ListObjectsV2'] === 1)
  await setTimeout(300)
  const next = begin(publishArgs(server.endpoint, bucket, three, '--concurrency', '2'))
  await until(() => puts(/^blue\/api/).length > 3)
  released = true
  const { code, stderr } = await back.end
  expect(code).toBe(1)
  expect(stderr).toMatch(/nothing was taken back\n$/)
  const { code: published, stderr: said } = await next.end
  if (published !== 0)
    expect(said).toMatch(/somebody else changed live\.json meanwhile; nothing was flipped, publish again/)
  const live = liveOf(server, bucket)
  expect(faultsOfSlot(server, bucket, live?.slot ?? '')).toEqual([])
  expect((await publish(server.endpoint, bucket, three)).code).toBe(0)
  expect((await run('verify', '--deep')).code).toBe(0)
})

it('gives up, before the first change, when a rollback has changed what is live', async () => {
  let isBack = false
  server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^journal\/.*changes/,
      times: 1,
      run: async () => {
        // A rollback of another tool, that asks nobody.
        const object = server.objects(bucket).get('live.json')?.body.toString() ?? ''
        const live = JSON.parse(object) as { previous: object }
        server.put(bucket, 'live.json', JSON.stringify({ ...live, ...live.previous, previous: null }))
        isBack = true
        await setTimeout(1)
      },
    },
  ])
  const { code, stderr } = await publish(server.endpoint, bucket, three)
  expect({ code, isBack }).toEqual({ code: 1, isBack: true })
  expect(stderr).toMatch(/somebody else changed live\.json meanwhile; nothing was flipped, publish again\n$/)
  expect(puts(/^blue\/api/)).toEqual([])
  await expectSoundBucket('blue')
})

it('remembers what is damaged in the slot that was live, killed right after the flip', async () => {
  const [damaged = ''] = [...server.objects(bucket).keys()].filter((key) => key.startsWith('green/api'))
  server.put(bucket, damaged, '{}')
  const { child, end } = begin(publishArgs(server.endpoint, bucket, two, '--repair'))
  server.faults([
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
  server.faults([])
  expect(liveOf(server, bucket)).toMatchObject({ slot: 'blue' })
  const status = JSON.parse((await run('status', '--json')).stdout) as { other: object }
  expect(status.other).toMatchObject({ slot: 'green', isWhole: false })
  expect((await run('rollback')).stderr).toMatch(/green is not whole/)
  expect((await publish(server.endpoint, bucket, three)).code).toBe(0)
  expect(faultsOfSlot(server, bucket, 'green')).toEqual([])
})

it('goes back to no slot that somebody has damaged', async () => {
  const keys = [...server.objects(bucket).keys()].filter((key) => key.startsWith('blue/api'))
  server.remove(bucket, keys[3] ?? '')
  const { code, stderr } = await run('rollback')
  expect(code).toBe(1)
  expect(stderr).toBe(
    `fundpress: s3://funds: blue is not whole (${(keys[3] ?? '').slice(5)} is missing): publish again instead\n`,
  )
  expect(liveOf(server, bucket)).toMatchObject({ slot: 'green' })
  expect(puts(/./)).toEqual([])
})

it('takes a night back in one write', async () => {
  expect(await run('rollback')).toMatchObject({ code: 0, stderr: '' })
  expect(
    server.log.filter(({ method }) => method !== 'GET').map(({ method, key }) => `${method} ${key}`),
  ).toEqual(['PUT live.json'])
  expect(liveOf(server, bucket)).toMatchObject({ slot: 'blue' })
})

it('writes live.json once a night, last but for its own notes', async () => {
  expect((await publish(server.endpoint, bucket, three)).code).toBe(0)
  const written = server.log
    .filter(({ method, status }) => method === 'PUT' && status < 300)
    .map(({ key }) => key)
  expect(written.filter((key) => key === 'live.json')).toHaveLength(1)
  expect(written.slice(written.indexOf('live.json') + 1).filter((key) => key !== 'journal.json')).toEqual([])
})

it('says that nobody knows, where the flip is not answered, and the next publish finds out', async () => {
  server.faults([{ kind: 'status', status: 500, method: 'PUT', keyMatches: /^live\.json$/ }])
  const { code, stderr } = await publish(server.endpoint, bucket, three)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /nobody knows whether [^ ]+ went live: look at `fundpress status`, and publish again\n$/,
  )
  expect(liveOf(server, bucket)).toMatchObject({ slot: 'green' })
  server.faults([])
  expect((await publish(server.endpoint, bucket, three)).code).toBe(0)
  expect(faultsOfSlot(server, bucket, 'blue')).toEqual([])
})

it('is done when the snapshot is live, whatever becomes of its own notes', async () => {
  server.faults([
    {
      kind: 'call',
      when: 'after',
      method: 'PUT',
      keyMatches: /^live\.json$/,
      run: () => {
        server.faults([{ kind: 'status', status: 403, code: 'AccessDenied', keyMatches: /^journal/ }])
      },
    },
  ])
  const { code, stdout, stderr } = await publish(server.endpoint, bucket, three)
  expect({ code, live: liveOf(server, bucket)?.slot }).toEqual({ code: 0, live: 'blue' })
  expect(JSON.parse(stdout)).toMatchObject({ hasFlipped: true })
  expect(stderr).toMatch(/^fundpress: .*is live all the same; the next publish tidies up\n$/)
  await expectSoundBucket('green')
})

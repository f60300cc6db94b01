/** Nights through the command line on a bucket that is a folder: the same commands and guards as on an object store. */
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ended, run, start } from '../cli/run.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { startServing, liveTtl } from '../support/product.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { canRun, isMissing } from '../support/programs.ts'
import { isComplete } from '../support/rounds.ts'
import { hashesOf } from '../support/tree.ts'

let nights: Nights
let bucket: string
let name: string

beforeAll(async () => {
  nights = await buildNights(3, 3, { years: 1, isSmall: true })
  bucket = nights.folder.file('bucket')
  name = `file://${bucket}`
})
afterAll(() => nights.remove())
beforeEach(() => {
  rmSync(bucket, { recursive: true, force: true })
})

// The settings of late requests stay as they are: a folder hardly has any.
const env = {
  FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
  FUNDPRESS_BASE_URL: 'https://funds.example.org',
  // Each night gives every fund another name.
  FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1',
}
const fundpress = (line: string, bucketName = name) => {
  const [command = '', ...flags] = line.split(' ')
  return run([command, '--bucket', bucketName, ...flags], { cwd: nights.folder.path, env })
}
const must = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await fundpress(line)
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) as unknown })
  return stdout
}
const json = async <T = Readonly<Record<string, unknown>>>(line: string) =>
  JSON.parse(await must(`${line} --json`)) as T
const live = () =>
  JSON.parse(readFileSync(join(bucket, 'live.json'), 'utf8')) as Readonly<Record<string, string>>
/** What readers can get: all but the journal, the history and the lock. */
const published = () => {
  const isPublic = ([key]: [string, string]) => /^(blue|green|downloads|live\.json)/.test(key)
  return Object.fromEntries(Object.entries(hashesOf(bucket)).filter(isPublic))
}

it('goes back on a full disk, again and again, by a reserve that no command counts as an object', async ({
  skip,
}) => {
  const full = nights.folder.file('full')
  mkdirSync(full)
  const isMounted = canRun('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', full)
  if (isMissing(isMounted)) skip('this machine lets nobody mount a small disk')
  const inFull = async (line: string) => {
    const { code, stdout, stderr } = await fundpress(line, `file://${full}`)
    expect({ line, code, stderr }).toMatchObject({ line, code: 0 })
    return stdout
  }
  const liveOf = () =>
    (JSON.parse(readFileSync(join(full, 'live.json'), 'utf8')) as { snapshot: string }).snapshot
  const fill = () => {
    // The largest pieces first, so that the last block is taken, too.
    for (const bytes of [2 ** 20, 4096])
      for (let piece = 0; existsSync(full); piece++) {
        try {
          writeFileSync(join(full, `filler-${bytes}-${piece}`), Buffer.alloc(bytes), { flag: 'wx' })
        } catch {
          break
        }
      }
    expect(statfsSync(full).bavail).toBe(0)
  }
  try {
    await inFull('publish --out night-1 --quiet')
    const first = liveOf()
    await inFull('publish --out night-2 --quiet')
    const second = liveOf()
    expect(existsSync(join(full, '.fundpress/reserve'))).toBe(true)
    fill()
    await inFull('rollback --reason "wrong-prices"')
    expect(liveOf()).toBe(first)
    expect(existsSync(join(full, '.fundpress/reserve'))).toBe(true)
    await inFull('rollback --allow hold --reason right')
    expect(liveOf()).toBe(second)
    for (const line of ['status', 'verify --deep', 'prune'])
      expect(await inFull(line)).not.toContain('reserve')
  } finally {
    canRun('umount', '--lazy', full)
  }
})

it('puts no download again that is there, unless its bytes differ', async () => {
  await must('publish --out night-1 --quiet')
  const { snapshot } = await json('plan --out night-2')
  const source = nights.folder.file(`night-2/downloads/${String(snapshot).slice(0, 10)}`)
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'funds.csv'), 'isin\n')
  for (const out of ['night-2', 'night-3']) await must(`publish --out ${out} --stage --quiet`)
  const again = await fundpress('publish --out night-2 --stage --json')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  const counts = { put: 0, replaced: 0, deleted: 0 }
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'staged', downloads: counts })

  const file = join(bucket, `downloads/${String(snapshot)}/funds.csv`)
  writeFileSync(file, 'isim\n')
  expect(await json('publish --out night-2 --stage --repair')).toMatchObject({ downloads: { replaced: 1 } })
  expect(readFileSync(file, 'utf8')).toBe('isin\n')
  rmSync(source, { recursive: true })
})

it('plans for free, finds nothing wrong, and serves what is live, below a prefix, too', async () => {
  await must('publish --out night-1 --quiet --prefix some/nights')
  expect(readdirSync(bucket)).toEqual(['some'])
  const plan = await json<{ readonly puts: number }>('plan --out night-2 --prefix some/nights')
  expect(plan).toMatchObject({ cost: { publish: 0, month: 0 } })
  const doctor = await json<{ readonly findings: readonly { readonly what: string }[] }>(
    'check --out night-1 --prefix some/nights',
  )
  expect(doctor).toMatchObject({ problems: 0 })
  expect(doctor.findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['right to write', 'clock', 'conditional put', 'file system', 'disk for bucket']),
  )
  const server = await startServing(['--bucket', name, '--prefix', 'some/nights'], { env: liveTtl(0) })
  try {
    const ask = async () => (await fetch(`${server.base}/api/v1/profile/${isin}/?language=de`)).text()
    const isin = readdirSync(join(bucket, 'some/nights/blue/api/v1/profile'))[0] ?? ''
    expect(await ask()).toContain('night 1')
    await must('publish --out night-2 --quiet --prefix some/nights')
    expect(await ask()).toContain('night 2')
    // The bytes alone say it: a client that has them from the other slot need not get them again.
    const plain = await rawRequest(server.base, { target: `/api/v1/profile/${isin}/?language=de` })
    expect(headerOf(plain, 'etag')).toBe(`"${createHash('md5').update(plain.body).digest('hex')}"`)
  } finally {
    await server.stop()
  }
})

/** Begins a publish that takes its time, and waits until it writes to the other slot. */
async function beginPublish(out: string, slot: string, more = {}) {
  const line = `publish --out ${out} --bucket ${name} --quiet`
  const slow = { FUNDPRESS_BUCKET_MAX_RATE: '25', ...more }
  const child = start(line, { cwd: nights.folder.path, env: { ...env, ...slow } })
  const end = ended(child)
  const isWriting = () => {
    const place = join(bucket, slot)
    return existsSync(place) && readdirSync(place, { recursive: true }).length > 10
  }
  await expect.poll(isWriting, { interval: 5 }).toBe(true)
  return { child, end }
}

it('goes on within two seconds after a publish was killed, and what was live stays live', async () => {
  await must('publish --out night-1 --quiet')
  const before = live()
  const { child, end } = await beginPublish('night-2', 'green')
  child.kill('SIGKILL')
  await end
  expect(live()).toEqual(before)
  await must('verify --deep')
  const rollback = await fundpress('rollback')
  expect(rollback.code).toBe(1)
  // Another snapshot than the one that was killed.
  const { code, stderr } = await fundpress('publish --out night-3 --quiet')
  expect(code).toBe(0)
  expect(stderr).toMatch(/^(.*: waiting [12] s, .*\n)?$/)
  expect(live()).toMatchObject({ slot: 'green' })
  await must('verify --deep')
})

/** Whoever is stopped while it has the folder's lock keeps all others out, however old its lease. */
async function stopWithoutLock(child: ChildProcess): Promise<void> {
  const lock = new Database(join(bucket, '.fundpress/lock'), { timeout: 0 })
  const isFree = () => {
    try {
      lock.exec('BEGIN EXCLUSIVE; ROLLBACK')
      return true
    } catch {
      return false
    }
  }
  for (;;) {
    child.kill('SIGSTOP')
    await expect.poll(() => stateOf(child)).toBe('T')
    if (isFree()) break
    child.kill('SIGCONT')
    await setTimeout(5)
  }
  lock.close()
}

const stateOf = ({ pid }: ChildProcess) => / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]

it.runIf(isComplete)(
  'lets a publish that was stopped for longer than its lease write nothing when it goes on',
  async () => {
    await must('publish --out night-1 --quiet')
    const { child, end } = await beginPublish('night-2', 'green', { FUNDPRESS_BUCKET_LEASE_SECONDS: '10' })
    await stopWithoutLock(child)
    await setTimeout(11_000)
    await must('publish --out night-3 --quiet')
    const after = published()
    child.kill('SIGCONT')
    const { code, stderr } = await end
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the lease could not be renewed for 1') as unknown,
    })
    expect(published()).toEqual(after)
    await must('verify --deep')
  },
)

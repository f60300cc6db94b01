import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { prune as pruneStore } from '../../src/core/bucket/prune/prune.ts'
import { openS3 } from '../../src/core/bucket/store/s3.ts'
import { expectSuccess } from '../cli/outcome.ts'
import { credentials } from '../support/publishing.ts'
import { holdBack, press, useTwoNights } from '../support/two-nights.ts'
import { makeSettings } from '../support/s3/settings.ts'

useTwoNights(3)
beforeEach(() => {
  Object.assign(press.server.settings, makeSettings())
})

const prune = (...args: readonly string[]) => press.fundpress(['prune', ...args])
const reportOf = (...args: readonly string[]) =>
  press.json<{ objects: { key: string }[]; notes: string[] }>(['prune', ...args])
type Report = Awaited<ReturnType<typeof reportOf>>
const keys = () => press.bucket.keys().sort()
const keysOf = (report: Report | undefined) => (report?.objects ?? []).map(({ key }) => key)

const garbage = [
  'blue/api/v1/old/index.json',
  'blue/zzz',
  'green/SHA256SUMS.bak',
  'journal/dead.changes.ndjson.gz',
]
function addGarbage(): void {
  for (const key of garbage) press.bucket.put(key, 'garbage')
}

const journal = () =>
  JSON.parse(String(press.bucket.body('journal.json'))) as { isHeld: boolean; changing: { blue: string } }
const changesOfBlue = () => journal().changing.blue

const uploads = () => press.server.uploads(press.bucket.name)
function addUpload(key: string, ageHours: number): void {
  const id = `upload-${key}`
  uploads().set(id, { id, key, initiated: Date.now() - ageHours * 3_600_000 })
}

it('lists garbage as text or as one JSON document and writes nothing; --yes removes exactly that', async () => {
  const before = keys()
  addGarbage()
  for (const key of ['somebody/else.txt', 'blueprint.txt']) press.bucket.put(key, 'not ours')
  press.server.reset()
  const { stdout } = await prune('--json')
  const kindOf = (key: string) => (key.startsWith('journal/') ? 'changes' : 'unknown')
  const objects = garbage.map((key) => ({ kind: kindOf(key), key, bytes: 7 }))
  expect(stdout).toBe(`${JSON.stringify({ removed: false, count: 4, bytes: 28, objects, notes: [] })}\n`)
  const reads = ['GetObject', 'ListMultipartUploads', 'ListObjectsV2']
  expect(Object.keys(press.server.counts()).sort()).toEqual(reads)
  expect((await prune()).stdout).toMatch(
    /^3 in a slot, but in no manifest, 21 \(0\.0 MB\)\n  blue\/api\/v1\/old\/index\.json\n[^]*\n4 to remove, 28 \(0\.0 MB\): run `fundpress prune --yes`\n$/,
  )

  const removed = await prune('--yes', '--json')
  expect(removed.stdout).toBe(stdout.replace('"removed":false', '"removed":true'))
  expect(keys()).toEqual([...before, 'blueprint.txt', 'somebody/else.txt'].sort())
  for (const slot of ['blue', 'green']) expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(await press.publish('night-3')).toMatchObject({ code: 0 })
})

it('works below a prefix only', async () => {
  const prefix = ['--prefix', 'a/b']
  expect(await press.publish('night-1', ...prefix)).toMatchObject({ code: 0 })
  addGarbage()
  press.bucket.put('a/b/blue/zzz', 'garbage')
  const objects = [{ kind: 'unknown', key: 'blue/zzz', bytes: 7 }]
  expect(await reportOf('--yes', ...prefix)).toMatchObject({ objects, notes: [] })
  press.bucket.put('a/b/green/zzz', 'whose is this?')
  const { notes } = await reportOf('--yes', ...prefix)
  expect(notes).toEqual(['green is left alone: it has no manifest, and nothing was live in it'])
  expect(keys()).toEqual(expect.arrayContaining(['a/b/green/zzz', 'blue/zzz']))
  expect(keys()).not.toContain('a/b/blue/zzz')
})

it('leaves the objects of a killed publish alone, and the next publish completes the slot', async () => {
  // Killed with some of its puts done, its list written.
  const before = keys()
  expect(await press.publishUntilRequest('night-3', 20, 'after')).toBe(true)
  addGarbage()
  press.bucket.put('blue/api/v1/prices-current/XS0000000000/index.json', 'garbage')
  // Among its puts is one that the manifest in the slot does not know.
  const list = changesOfBlue()
  const lines = gunzipSync(press.bucket.body(list)).toString()
  press.bucket.put(list, gzipSync(`${lines}{"kind":"put","key":"zzz"}\n`))
  const report = await reportOf('--yes')
  expect(journal()).toMatchObject({ isHeld: false, changing: { blue: list } })
  expect(keysOf(report)).toHaveLength(4)
  expect(keysOf(report)).not.toContain(list)
  expect(keys()).toEqual(expect.arrayContaining([...before, list, 'blue/zzz']))
  press.bucket.remove('blue/zzz')
  await expectSuccess(press.publish('night-3'))
  expect(press.bucket.live()?.slot).toBe('blue')
  expect(press.bucket.faultsOf('blue')).toEqual([])
})

it('leaves a slot alone if its list of changes is missing, or its last line is damaged', async () => {
  expect(await press.publishUntilRequest('night-3', 20, 'after')).toBe(true)
  addGarbage()
  const leavesBlue = async (why: RegExp) => {
    const { objects, notes } = await reportOf()
    expect(objects.filter(({ key }) => key.startsWith('blue/'))).toEqual([])
    expect(notes).toEqual([expect.stringMatching(why)])
  }
  const list = changesOfBlue()
  const text = gunzipSync(press.bucket.body(list)).toString().trimEnd()
  press.bucket.put(list, gzipSync(text.slice(0, -1)))
  await leavesBlue(/^blue is left alone: a publish was stopped in it, and .* is damaged: line \d+/)
  press.bucket.remove(list)
  await leavesBlue(/^blue is left alone: .* is gone/)
})

it('refuses during a publish, whose slot a dry run leaves alone', async () => {
  addGarbage()
  let during: ReturnType<typeof pruneMeanwhile> | undefined
  const pruneMeanwhile = () => Promise.all([prune('--yes'), reportOf()])
  press.server.faults([holdBack(/^blue\/api/, () => (during = pruneMeanwhile()), { nth: 5 })])
  expect(await press.publish('night-3')).toMatchObject({ code: 0 })
  const [real, dry] = (await during) ?? []
  const stderr = expect.stringMatching(
    /^fundpress: s3:\/\/funds: another publish is under way \(process \d+ on /,
  )
  expect(real).toEqual({ code: 1, stdout: '', stderr })
  expect(keysOf(dry)).toEqual(['green/SHA256SUMS.bak'])
  const notes = [
    'blue is left alone: a publish is under way in it',
    'lists of changes are left alone: a publish is under way',
  ]
  expect(dry?.notes).toEqual(notes)
})

it('leaves a slot alone unless its manifest matches what was live in it', async () => {
  addGarbage()
  const otherManifest = press.bucket.body('blue/manifest.ndjson.gz')
  press.bucket.put('green/manifest.ndjson.gz', otherManifest)
  press.bucket.put('blue/manifest.ndjson.gz', otherManifest.subarray(0, 900))
  const notSure = await reportOf()
  expect(keysOf(notSure).filter((key) => /^(blue|green)\//.test(key))).toEqual([])
  expect(notSure.notes).toEqual([
    expect.stringMatching(/^blue is left alone: its manifest cannot be read/),
    expect.stringMatching(/^green is left alone: its manifest is that of 2026-11-11-/),
  ])
  press.bucket.remove('live.json')
  expect((await reportOf()).notes).toEqual(['nothing is live: the slots are left alone'])
})

it('empties a slot whose manifest is gone: no command can ever go back to it', async () => {
  press.bucket.remove('blue/manifest.ndjson.gz')
  await prune('--yes')
  expect(keys().filter((key) => key.startsWith('blue/'))).toEqual([])
  expect(press.bucket.faultsOf('green')).toEqual([])
})

it('aborts our uploads that are older than a day, and says if the store does not list uploads', async () => {
  addUpload('blue/old', 30)
  addUpload('blue/new', 20)
  addUpload('other/old', 30)
  const old = { kind: 'upload', key: 'blue/old', bytes: 0, uploadId: 'upload-blue/old' }
  expect(await reportOf('--yes')).toMatchObject({ objects: [old] })
  expect([...uploads().keys()]).toEqual(['upload-blue/new', 'upload-other/old'])

  const unknown = { kind: 'status', status: 501, code: 'NotImplemented' } as const
  press.server.faults([{ ...unknown, operation: 'ListMultipartUploads' }])
  const said =
    'unfinished uploads are not known: the store does not list them, NotImplemented\nnothing to remove\n'
  expect((await prune()).stdout).toBe(said)
})

it('aborts more than one page of uploads', async () => {
  press.server.settings.maxKeys = 10
  for (let i = 10; i < 35; i++) addUpload(`blue/${i}`, 48)
  expect(await reportOf('--yes')).toMatchObject({ count: 25 })
  expect(uploads().size).toBe(0)
})

afterEach(() => {
  vi.useRealTimers()
})

/** In this process, so that the test has its clock. */
async function pruneHere(): Promise<void> {
  Object.assign(process.env, credentials)
  const { server, bucket } = press
  const place = { bucket: bucket.name, prefix: '', endpoint: server.endpoint, region: 'us-east-1' }
  const store = openS3({ ...place, pathStyle: true, concurrency: 4 })
  const ignore = () => undefined
  await pruneStore(store, {
    isReal: true,
    isLocking: true,
    leaseSeconds: 60,
    slots: 2,
    today: '2026-11-12',
    retention: { keepDays: null, keep: [], keepMonthEnds: false },
    me: { host: 'here', pid: 1, world: 'here' },
    isAlive: () => true,
    now: () => new Date(),
    signal: new AbortController().signal,
    onFound: ignore,
    onListed: ignore,
    onNote: ignore,
  }).finally(() => {
    store.close()
  })
}

it.each([
  ['DeleteObjects', 'ListMultipartUploads'],
  ['AbortMultipartUpload', 'DeleteObjects'],
] as const)('sends no %s after the lease has expired', async (operation, before) => {
  addGarbage()
  addUpload('blue/old', 48)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const sleep = () => vi.setSystemTime(Date.now() + 50_000)
  press.server.faults([{ kind: 'call', when: 'after', operation: before, nth: 1, run: sleep }])
  await expect(pruneHere()).rejects.toThrow(/the lease could not be renewed for 50 s/)
  expect(Object.keys(press.server.counts())).not.toContain(operation)
})

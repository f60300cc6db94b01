/** `fundpress nightly` where a slot is damaged: the live one, the other one, or the new one after the flip. */
import { describe, expect, it } from 'vitest'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../cli/run.ts'
import { filesIn } from '../../support/tree.ts'
import { flip, holdBack } from '../../support/two-nights.ts'
import {
  asOf,
  editHistory,
  fileOf,
  nightly,
  nightlyOf,
  nothingToDo,
  press,
  stepsOf,
  useNights,
} from './nightly.ts'

useNights(1)

/** Does something just after the flip. */
const afterFlip = (run: () => void) => holdBack(flip, run, { when: 'after' })

describe('damage of the live slot', () => {
  const liveNow = () => press.bucket.live()
  const yesterday = () => editHistory({ finishedAt: '2026-01-01T00:00:00.000Z', listedAt: undefined })
  const listings = () => press.server.counts()['ListObjectsV2'] ?? 0

  it('is looked for by the first attempt of a day, with one listing, and not by the others', async () => {
    await nightly()
    press.server.reset()
    expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
    expect(listings()).toBe(0)
    yesterday()
    press.server.reset()
    expect(stepsOf(await nightly('--json'))).toEqual(nothingToDo)
    expect(listings()).toBe(Math.ceil(press.bucket.keys(`${liveNow()?.slot ?? ''}/`).length / 1000))
    press.server.reset()
    await nightly()
    expect(listings()).toBe(0)
  })

  it.each([
    ['from the folder', ''],
    ['by rendering it again', '--out elsewhere'],
  ])('is mended %s', async (_, flags) => {
    await nightly()
    yesterday()
    const before = liveNow()
    for (const key of press.bucket.keys(`${before?.slot ?? ''}/api/`).filter((_, at) => at % 2 === 0))
      press.bucket.remove(key)
    const mending = await nightly(flags)
    expect({ code: mending.code, stderr: mending.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/is damaged \(api\/.* is missing, .* and \d+ more\)/) as string,
    })
    expect(liveNow()?.snapshot).toBe(before?.snapshot)
    expect(press.bucket.faultsOf(liveNow()?.slot)).toEqual([])
  })
})

describe('damage of the live slot on a later run of the day', () => {
  const liveSlot = () => press.bucket.live()?.slot ?? ''
  const someOf = (slot: string) => press.bucket.keys(`${slot}/api/`).filter((_, at) => at % 2 === 0)

  it.each([
    ['missing objects', (key: string) => press.bucket.remove(key)],
    ['objects that are cut off', (key: string) => press.bucket.put(key, press.bucket.body(key).subarray(1))],
    ['other objects', (key: string) => press.bucket.put(key, Buffer.alloc(press.bucket.body(key).length))],
  ])('is mended with --again: %s', async (_, spoil) => {
    await nightly()
    const before = press.bucket.live()
    for (const key of someOf(liveSlot())) spoil(key)
    const mending = await nightly('--again')
    expect({ code: mending.code, stderr: mending.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /, which is live, is damaged \(api\/.*\): it is published again/,
      ) as string,
    })
    expect(press.bucket.live()?.snapshot).toBe(before?.snapshot)
    expect(press.bucket.faultsOf(liveSlot())).toEqual([])
  })

  it('is mended with --again: no manifest', async () => {
    await nightly()
    const before = press.bucket.live()
    press.bucket.remove(`${liveSlot()}/manifest.ndjson.gz`)
    expect(await nightly('--again')).toMatchObject({ code: 0 })
    expect(press.bucket.live()?.snapshot).toBe(before?.snapshot)
    expect(press.bucket.faultsOf(liveSlot())).toEqual([])
  })

  it('is mended with --again: bodies that only their reading shows', async () => {
    const folder = fileOf('folder-bucket')
    const inFolder = (line: string) =>
      run(`${line} --bucket file://${folder}`, {
        cwd: press.nights.folder.path,
        env: { FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_BASE_URL: 'https://funds.example.org' },
      })
    const night = `nightly --db funds.sqlite --as-of ${asOf} --sample 9`
    const live = () => JSON.parse(readFileSync(join(folder, 'live.json'), 'utf8')) as Live
    expect(await inFolder(night)).toMatchObject({ code: 0 })
    const { slot, snapshot } = live()
    const spoilt = filesIn(join(folder, slot)).filter((file) => file.startsWith('api/'))
    for (const file of spoilt) spoilInPlace(join(folder, slot, file))
    const mending = await inFolder(`${night} --again`)
    expect({ code: mending.code, stderr: mending.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/what is live is damaged \(.*\): it is published again/) as string,
    })
    expect(live().snapshot).toBe(snapshot)
    expect(await inFolder('verify --deep')).toMatchObject({ code: 0 })
  })
})

interface Live {
  readonly slot: string
  readonly snapshot: string
}

/** Other bytes under the same size and time, as a failing disk leaves them. */
function spoilInPlace(file: string): void {
  const times = `${file}.times`
  execFileSync('cp', ['--preserve=timestamps', file, times])
  writeFileSync(file, Buffer.alloc(readFileSync(file).length, 'x'))
  execFileSync('touch', ['--reference', times, file])
  rmSync(times)
}

it('renders everything again if the slot that it continues from is damaged', async () => {
  await nightlyOf('2026-11-10')
  await nightly()
  const [key = ''] = press.bucket.keys('blue/errors/')
  press.bucket.remove(key)
  const run = await nightlyOf('2026-11-12', '--since other --out elsewhere')
  expect({ code: run.code, stderr: run.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/everything is rendered: .*blue is not whole \(errors\//) as string,
  })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
})

describe('a sample of bodies that is damaged after the flip', () => {
  it('brings back what was live before, and the next run uploads everything again', async () => {
    await nightlyOf('2026-11-10')
    const good = press.bucket.live()?.snapshot ?? ''
    const keys = () => press.bucket.keys('green/api/')
    const spoil = () => {
      for (const key of keys()) press.bucket.put(key, Buffer.alloc(press.bucket.body(key).length))
    }
    press.server.faults([afterFlip(spoil)])
    const bad = await nightly()
    press.server.faults([])
    expect({ code: bad.code, stderr: bad.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${good} is live again, in blue`) as string,
    })
    expect(press.bucket.live()).toMatchObject({ snapshot: good, broughtBy: 'return' })
    expect(press.bucket.live()?.hold).toBeUndefined()
    expect((await nightly()).code).toBe(0)
    expect(press.bucket.live()?.snapshot).toMatch(/^2026-11-11/)
    expect(press.bucket.faultsOf('green')).toEqual([])
  })

  it('leaves it live, and puts all of it again with the next run, if nothing can come back', async () => {
    const keys = () => press.bucket.keys('green/api/')
    await nightlyOf('2026-11-10')
    const spoil = () => {
      for (const key of keys()) press.bucket.put(key, Buffer.alloc(press.bucket.body(key).length))
      press.bucket.remove(press.bucket.keys('blue/api/')[0] ?? '')
    }
    press.server.faults([afterFlip(spoil)])
    const bad = await nightly()
    press.server.faults([])
    expect({ code: bad.code, stderr: bad.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('stays live: what was live before cannot come back') as string,
    })
    expect(press.bucket.live()?.slot).toBe('green')
    expect((await nightly()).code).toBe(0)
    expect(press.bucket.live()?.slot).toBe('blue')
    expect(press.bucket.faultsOf('blue')).toEqual([])
  })
})

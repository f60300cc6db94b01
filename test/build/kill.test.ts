/** Builds that are killed at any moment: the snapshot stays whole, and the next build cleans up. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, renameSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { markOf, thisHolder } from '../../src/core/system/holder.ts'
import { ended, run, start } from '../cli/run.ts'
import { repository, startServer, tempFolder } from '../support/product.ts'
import { hashesOf, wholeSnapshot } from '../support/tree.ts'
import { isComplete, sample, times } from '../support/rounds.ts'

const folder = tempFolder()

/** How often a build is killed in each of two lanes, and a merge. */
const kills = times(13)
const merges = times(6)

type Place = ReturnType<typeof makePlace>

/** A folder that snapshots are built in. */
function makePlace(name: string) {
  const path = folder.file(name)
  mkdirSync(path)
  const file = (named: string) => join(path, named)
  const out = file('out')
  /** What lies beside the snapshot. */
  const beside = (): string[] => readdirSync(path).filter((found) => found !== 'out')
  const args = (seed: number) =>
    `build --db ../${seed}.sqlite --out out --as-of 2026-11-20 --jobs 1 --quiet`.split(' ')
  return {
    path,
    file,
    out,
    beside,
    args,
    build: (seed: number) => start(args(seed), { cwd: path }),
    wholeSnapshot: () => wholeSnapshot(path),
  }
}

const isStaging = (place: Place): boolean => place.beside().some((name) => name.startsWith('.out.build-'))

/** How long a build works, from its first sign on the disk to its last. */
let workMs = 0
/** Of the two databases. */
const ids: string[] = []
/** A finished snapshot of the second. */
const kept = folder.file('kept/out')

beforeAll(async () => {
  const place = makePlace('kept')
  for (const seed of [1, 2]) {
    const demo = `init --demo --db ${seed}.sqlite --funds 4 --years 1 --until 2026-11-19 --seed ${seed} --quiet`
    await run(demo.split(' '), { cwd: folder.path })
    const child = place.build(seed)
    const end = ended(child)
    while (!isStaging(place) && child.exitCode === null) await setTimeout(2)
    const begun = performance.now()
    while (isStaging(place)) await setTimeout(2)
    workMs = performance.now() - begun
    expect(await end).toMatchObject({ code: 0, stderr: '' })
    ids.push(place.wholeSnapshot())
  }
})

/** Starts a build and sends it a signal, a while after it has begun to write. */
async function stopBuild(place: Place, seed: number, signal: NodeJS.Signals, afterMs: number) {
  const before = new Set(place.beside())
  const child = place.build(seed)
  const end = ended(child)
  const hasBegun = (): boolean => place.beside().some((name) => !before.has(name))
  while (!hasBegun() && child.exitCode === null) await setTimeout(2)
  await setTimeout(afterMs)
  child.kill(signal)
  return end
}

async function mustBuild(place: Place, seed: number, beside: readonly string[] = []): Promise<void> {
  expect(await run(place.args(seed), { cwd: place.path })).toMatchObject({ code: 0, stderr: '' })
  expect({ beside: place.beside(), id: place.wholeSnapshot() }).toEqual({ beside, id: ids[seed - 1] })
}

describe('a build that is killed', () => {
  it(`leaves a whole snapshot, ${kills * 2} times, and the next build removes what it left`, async () => {
    // As many at a time as there are cores to expect.
    const lanes = [0, 1].map(async (lane) => {
      const place = makePlace(`lane-${lane}`)
      cpSync(kept, place.out, { recursive: true })
      for (let kill = 0; kill < kills; kill++) {
        // Spread over the whole of a build, swap and removal of the old snapshot included.
        const moment = (workMs * 1.2 * (kill + Math.random())) / kills
        await stopBuild(place, (kill % 2) + 1, 'SIGKILL', moment)
        expect(ids).toContain(place.wholeSnapshot())
        // The one before it was cleaned up.
        expect(place.beside().filter((name) => name.startsWith('.out.build-')).length).toBeLessThanOrEqual(1)
        if (kill % 6 === 5) await mustBuild(place, 1)
      }
      await mustBuild(place, 2)
    })
    await Promise.all(lanes)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('removes its staging folder on %s', async (signal) => {
    const place = makePlace(signal)
    cpSync(kept, place.out, { recursive: true })
    for (const share of sample([0.4, 0, 0.8])) {
      const { code, stdout, stderr } = await stopBuild(place, 1, signal, workMs * share)
      // One that was ready before the signal came has ended well.
      expect([`fundpress: stopped by ${signal}\n`, '']).toContain(stderr)
      expect({ stdout, beside: place.beside() }).toEqual({ stdout: '', beside: [] })
      expect(ids).toContain(place.wholeSnapshot())
      if (code === 0) expect(place.wholeSnapshot()).toBe(ids[0])
    }
  })
})

describe('a merge that is killed', () => {
  it('leaves the shards and the snapshot whole, and the next merge removes what it left', async () => {
    const place = makePlace('merge')
    cpSync(kept, place.out, { recursive: true })
    for (const number of [1, 2]) {
      const shard = `build --db ../1.sqlite --out ../shard-${number} --as-of 2026-11-20 --shard ${number}/2 --quiet`
      expect(await run(shard.split(' '), { cwd: place.path })).toMatchObject({ code: 0, stderr: '' })
    }
    const shards = [1, 2].map((number) => folder.file(`shard-${number}`))
    const before = shards.map(hashesOf)
    const begin = () =>
      start(['build', '--merge', ...shards, '--db', '../1.sqlite', '--quiet'], { cwd: place.path })
    for (let kill = 0; kill < merges; kill++) {
      const child = begin()
      const end = ended(child)
      while (!isStaging(place) && child.exitCode === null) await setTimeout(2)
      await setTimeout((workMs * kill) / merges)
      child.kill('SIGKILL')
      await end
      expect(ids).toContain(place.wholeSnapshot())
    }
    expect(await ended(begin())).toMatchObject({ code: 0, stderr: '' })
    expect({ beside: place.beside(), id: place.wholeSnapshot() }).toEqual({ beside: [], id: ids[0] })
    expect(shards.map(hashesOf)).toEqual(before)
  })
})

it('leaves a build in another container alone, whose process has the same number, until it is a day old', async () => {
  const place = makePlace('container')
  const theirs = place.file(`.out.build-0123456789ab-${process.pid}-1`)
  mkdirSync(theirs)
  await mustBuild(place, 1, [basename(theirs)])
  const before = Date.now() / 1000 - 25 * 3600
  utimesSync(theirs, before, before)
  await mustBuild(place, 1)
})

describe('a snapshot of a build that was killed between its two renames', () => {
  const marked = (pid: number) => markOf({ ...thisHolder(), pid, startedAt: '1' })
  const dead = marked(spawnSync('true').pid)
  const old = `.out.old-${dead}`
  const half = `.out.build-${dead}`
  let place: Place

  beforeEach(({ task }) => {
    place = makePlace(task.id)
    cpSync(kept, place.file(old), { recursive: true })
    mkdirSync(place.file(half))
  })

  it('is replaced by the next build', async () => {
    await mustBuild(place, 1)
  })

  const writers = [
    ['whose process number is in use again', marked(process.pid)],
    ['of a process that is no more', dead],
  ] as const
  it.each(sample(writers))('is renamed back by a server that starts: an old snapshot %s', async (_, mark) => {
    renameSync(place.file(old), place.file(`.out.old-${mark}`))
    const server = await startServer(place.out)
    await server.stop()
    expect({ beside: place.beside(), id: place.wholeSnapshot() }).toEqual({ beside: [half], id: ids[1] })
  })
})

describe('two builds into one folder at the same time', () => {
  it('succeed or say why they failed, and leave a whole snapshot', async () => {
    const place = makePlace('two')
    for (let round = 0; round < times(4); round++) {
      const both = await Promise.all([1, 2].map((seed) => ended(place.build(seed))))
      for (const { code, stderr } of both) {
        expect(code === 0 ? stderr === '' : /^fundpress: [^\n]+\n$/.test(stderr)).toBe(true)
      }
      expect(both.some(({ code }) => code === 0)).toBe(true)
      expect(ids).toContain(place.wholeSnapshot())
      expect(place.beside()).toEqual([])
    }
  })

  it.runIf(isComplete)('never lose the snapshot, however often they exchange it', async () => {
    const script = `
      import { writeFileSync } from 'node:fs'
      import { makeStaging } from './src/core/snapshot/staging.ts'
      for (let round = 0; round < 600; round++) {
        const staging = makeStaging(process.argv[1])
        writeFileSync(staging.folder + '/manifest.ndjson.gz', '')
        staging.swapIn()
      }`
    const args = ['--input-type=module', '-e', script, folder.file('shared')]
    const children = [1, 2].map(() => ended(spawn(process.execPath, args, { cwd: repository })))
    for (const result of await Promise.all(children)) expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder.file('shared'))).toEqual(['manifest.ndjson.gz'])
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.shared'))).toEqual([])
  })
})

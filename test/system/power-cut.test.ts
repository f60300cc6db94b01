/** Power cuts: what a command has reported as done is on the disk, and before that the old files are. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, run, start } from '../cli/run.ts'
import { canWatch } from './disk-calls.ts'
import { loopDisk, withDiskAfterPowerCut, type LoopDisk } from './loop-disk.ts'
import { forced, tempFolder } from '../support/product.ts'
import { isComplete, sample } from '../support/rounds.ts'
import { hashesOf, snapshotId, sumsOf, wholeSnapshot } from '../support/tree.ts'

const folder = tempFolder()
let disk: LoopDisk | null = null
const ids: string[] = []

const buildLine = (seed: number, out: string) =>
  `build --db ${folder.file(`${seed}.sqlite`)} --out ${out} --as-of 2026-11-20 --jobs 2 --quiet`.split(' ')

async function must(line: readonly string[]): Promise<void> {
  expect(await run(line, { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
}

beforeAll(async () => {
  for (const seed of [1, 2]) {
    const demo = `init --demo --db ${seed}.sqlite --funds 2 --years 1 --until 2026-11-19 --seed ${seed} --quiet`
    await must(demo.split(' '))
    await must(buildLine(seed, folder.file(`expected-${seed}`)))
    ids.push(snapshotId(folder.file(`expected-${seed}`)))
  }
  disk = loopDisk(folder.path, 32)
})
afterAll(() => {
  disk?.remove()
})

/** The disk, in tests that are not skipped for want of one. */
function on(): LoopDisk {
  if (disk === null) throw new Error('there is no disk')
  return disk
}

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

let images = 0

/** The power is cut while a command runs, which must end well, and after its success. @returns images of the disk */
async function cutPower(line: readonly string[]) {
  const cut = () => on().cutPower(`${++images}.img`)
  const during: string[] = []
  const after: string[] = []
  const child = start(line, { cwd: folder.path })
  const end = ended(child)
  while (child.exitCode === null) {
    during.push(cut())
    // A slow machine needs no more of them.
    await setTimeout(30 * 1.2 ** during.length)
  }
  expect(await end).toMatchObject({ code: 0, stderr: '' })
  // Until the system has written names and what else it likes.
  for (const ms of [0, 300, 900]) {
    await setTimeout(ms)
    after.push(cut())
  }
  return { during, after }
}

/** What is found must be the old or the new after a cut during the command, and the new after later ones. */
async function expectSafe<T>(line: readonly string[], find: (path: string) => T, old: T, now: T) {
  const { during, after } = await cutPower(line)
  for (const image of after) expect(withDiskAfterPowerCut(image, find)).toEqual(now)
  for (const image of during) expect([old, now]).toContainEqual(withDiskAfterPowerCut(image, find))
  return during.length
}

describe('on a disk whose power is cut', { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => {
    if (disk === null) skip('this machine lets nobody mount a disk')
  })

  it('a build leaves the old snapshot or the new one, and the new one after it ends', async () => {
    const out = `${on().path}/out`
    await must(buildLine(1, out))
    expect(await expectSafe(buildLine(2, out), wholeSnapshot, ids[0], ids[1])).toBeGreaterThan(5)
  })

  it.runIf(isComplete)(
    'a build --since the folder that it replaces leaves one of the two snapshots',
    async () => {
      const out = `${on().path}/out`
      await must(buildLine(1, out))
      await expectSafe([...buildLine(2, out), '--since', out], wholeSnapshot, ids[0], ids[1])
    },
  )

  it.runIf(isComplete)(
    'demo leaves the old database or the new one, and the new one after it ends',
    async () => {
      const file = `${on().path}/demo.sqlite`
      const line = (seed: number) =>
        `init --demo --db ${file} --funds 2 --years 1 --until 2026-11-19 --seed ${seed} --quiet`.split(' ')
      const [old, now] = ['1.sqlite', '2.sqlite'].map((name) => digestOf(folder.file(name)))
      await must(line(1))
      await expectSafe(line(2), (path) => digestOf(`${path}/demo.sqlite`), old, now)
    },
  )

  it.each(sample(['DELETE', 'WAL']))('an import is on the disk after it ends, in mode %s', async (mode) => {
    const name = `${mode}.sqlite`
    const file = `${on().path}/${name}`
    copyFileSync(folder.file('1.sqlite'), file)
    const db = new Database(file)
    db.pragma(`journal_mode = ${mode}`)
    const isins = db.prepare<[], string>('SELECT isin FROM fund').pluck().all()
    const cells = isins.flatMap((isin) =>
      Array.from({ length: 200 }, (_, index) => `${isin};${1000 + index};Neu;7\n`),
    )
    writeFileSync(folder.file('figures.csv'), ['isin;position;name_de;value\n', ...cells].join(''))
    db.close()
    // The database itself is on the disk, whatever becomes of the import.
    spawnSync('sync', ['-f', file])
    const line = `import key_figure ${folder.file('figures.csv')} --db ${file} --quiet`
    const countNew = (path: string) => {
      const after = new Database(`${path}/${name}`)
      try {
        expect(after.pragma('integrity_check', { simple: true })).toBe('ok')
        return after.prepare('SELECT count(*) FROM key_figure WHERE position >= 1000').pluck().get()
      } finally {
        after.close()
      }
    }
    await expectSafe(line.split(' '), countNew, 0, cells.length)
  })

  it.runIf(isComplete)(
    'a publish into a folder leaves the old snapshot or the new one live and whole, and the new one after it ends',
    async () => {
      const bucket = { name: `file://${on().path}/bucket` }
      writeFileSync(folder.file('press.json'), JSON.stringify({ baseUrl: 'https://a.example', bucket }))
      const line = (seed: number) =>
        `publish --out ${folder.file(`expected-${seed}`)} --config ${folder.file('press.json')} --quiet`.split(
          ' ',
        )
      const liveSnapshot = (path: string) => {
        const { slot, snapshot } = JSON.parse(readFileSync(`${path}/bucket/live.json`, 'utf8')) as {
          readonly slot: string
          readonly snapshot: string
        }
        const place = `${path}/bucket/${slot}`
        for (const [key, sha256] of sumsOf(place))
          expect([key, digestOf(`${place}/${key}`)]).toEqual([key, sha256])
        return snapshot
      }
      await must(line(1))
      await expectSafe([...line(2), ...forced], liveSnapshot, ids[0], ids[1])
    },
  )

  it.runIf(isComplete)('edge leaves each file as it was or as it is new', async () => {
    const { path } = on()
    const out = folder.file('expected-1')
    const line = (dest: string, docs: string) =>
      `edge nginx --out ${out} --dest ${dest} --port ${docs === 'one' ? 8081 : 8082} --quiet`.split(' ')
    for (const docs of ['one', 'two']) await must(line(folder.file(docs), docs))
    await must(line(`${path}/edge`, 'one'))
    const expected = ['one', 'two'].map((docs) => hashesOf(folder.file(docs)))
    const { during, after } = await cutPower(line(`${path}/edge`, 'two'))
    const found = (at: string) => hashesOf(`${at}/edge`)
    for (const image of after) expect(withDiskAfterPowerCut(image, found)).toEqual(expected[1])
    for (const image of during)
      for (const [name, hash] of Object.entries(withDiskAfterPowerCut(image, found)))
        if (!name.endsWith('.tmp')) expect(expected.map((files) => files[name])).toContain(hash)
  })
})

it('CI can cut the power of a disk, or watch the calls to it', ({ skip }) => {
  if (process.env.CI !== 'true') skip('this is not CI')
  expect(disk !== null || canWatch()).toBe(true)
})

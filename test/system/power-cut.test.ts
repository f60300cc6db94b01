/** Power cuts: what a command has reported as done is on the disk, and before that the old files are. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, run, start } from '../cli/run.ts'
import { canWatch } from '../support/disk-calls.ts'
import { loopDisk, withDiskAfterPowerCut, type LoopDisk } from '../support/loop-disk.ts'
import { makeTempFolder } from '../support/product.ts'
import { faultsOf, hashesOf, snapshotId } from '../support/tree.ts'

const folder = makeTempFolder()
let disk: LoopDisk | null = null
const ids: string[] = []

const buildLine = (seed: number, out: string) =>
  `build --db ${folder.file(`${seed}.sqlite`)} --out ${out} --as-of 2026-11-20 --jobs 2 --quiet`.split(' ')

async function must(line: readonly string[]): Promise<void> {
  expect(await run(line, { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
}

beforeAll(async () => {
  for (const seed of [1, 2]) {
    const demo = `demo --db ${seed}.sqlite --funds 2 --years 1 --until 2026-11-19 --seed ${seed} --quiet`
    await must(demo.split(' '))
    await must(buildLine(seed, folder.file(`expected-${seed}`)))
    ids.push(snapshotId(folder.file(`expected-${seed}`)))
  }
  disk = loopDisk(folder.path, 32)
})
afterAll(() => {
  disk?.remove()
  folder.remove()
})

/** The disk, in tests that are not skipped for want of one. */
function on(): LoopDisk {
  if (disk === null) throw new Error('there is no disk')
  return disk
}

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** The snapshot that is there, or that the next build or server brings back; throws where it is not whole. */
function wholeSnapshot(path: string): string {
  const old = readdirSync(path).find((name) => name.startsWith('.out.old-'))
  const place = existsSync(`${path}/out`) || old === undefined ? 'out' : old
  expect(faultsOf(`${path}/${place}`)).toEqual([])
  return snapshotId(`${path}/${place}`)
}

/** From a command's success on, until the system has written names and what else it likes. */
async function cutsAfter(on: LoopDisk, name: string): Promise<string[]> {
  const cuts: string[] = []
  for (const [number, ms] of [0, 300, 900].entries()) {
    await setTimeout(ms)
    cuts.push(on.cutPower(`${name}-${number}.img`))
  }
  return cuts
}

/** Power cuts while a command runs, which must end well. */
async function cutsDuring(on: LoopDisk, name: string, line: readonly string[]): Promise<string[]> {
  const child = start(line, { cwd: folder.path })
  const end = ended(child)
  const cuts: string[] = []
  while (child.exitCode === null) {
    cuts.push(on.cutPower(`${name}-${cuts.length}.img`))
    // A slow machine needs no more of them.
    await setTimeout(30 * 1.2 ** cuts.length)
  }
  expect(await end).toMatchObject({ code: 0, stderr: '' })
  return cuts
}

describe('on a disk whose power is cut', { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => {
    if (disk === null) skip('this machine lets nobody mount a disk')
  })

  it('a build leaves the old snapshot or the new one, and the new one after it ends', async () => {
    const { path } = on()
    await must(buildLine(1, `${path}/out`))
    const during = await cutsDuring(on(), 'build', buildLine(2, `${path}/out`))
    for (const image of await cutsAfter(on(), 'built'))
      expect(withDiskAfterPowerCut(image, wholeSnapshot)).toBe(ids[1])
    expect(during.length).toBeGreaterThan(5)
    for (const image of during) expect(ids).toContain(withDiskAfterPowerCut(image, wholeSnapshot))
  })

  it('a build --since the folder that it replaces leaves the old snapshot or the new one', async () => {
    const { path } = on()
    await must(buildLine(1, `${path}/out`))
    const line = [...buildLine(2, `${path}/out`), '--since', `${path}/out`]
    const during = await cutsDuring(on(), 'since', line)
    for (const image of await cutsAfter(on(), 'gone-on'))
      expect(withDiskAfterPowerCut(image, wholeSnapshot)).toBe(ids[1])
    for (const image of during) expect(ids).toContain(withDiskAfterPowerCut(image, wholeSnapshot))
  })

  it('demo leaves the old database or the new one, and the new one after it ends', async () => {
    const file = `${on().path}/demo.sqlite`
    const line = (seed: number) =>
      `demo --db ${file} --funds 2 --years 1 --until 2026-11-19 --seed ${seed} --quiet`.split(' ')
    const digests = [1, 2].map((seed) => digestOf(folder.file(`${seed}.sqlite`)))
    await must(line(1))
    const during = await cutsDuring(on(), 'demo', line(2))
    const found = (path: string) => digestOf(`${path}/demo.sqlite`)
    for (const image of await cutsAfter(on(), 'made'))
      expect(withDiskAfterPowerCut(image, found)).toBe(digests[1])
    for (const image of during) expect(digests).toContain(withDiskAfterPowerCut(image, found))
  })

  it.each(['DELETE', 'WAL'])('an import is on the disk after it ends, with journal mode %s', async (mode) => {
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
    const during = await cutsDuring(on(), mode, line.split(' '))
    const countNew = (path: string) => {
      const after = new Database(`${path}/${name}`)
      try {
        expect(after.pragma('integrity_check', { simple: true })).toBe('ok')
        return after.prepare('SELECT count(*) FROM key_figure WHERE position >= 1000').pluck().get()
      } finally {
        after.close()
      }
    }
    for (const image of await cutsAfter(on(), `${mode}-done`))
      expect(withDiskAfterPowerCut(image, countNew)).toBe(cells.length)
    for (const image of during) expect([0, cells.length]).toContain(withDiskAfterPowerCut(image, countNew))
  })

  it('edge leaves each file as it was or as it is new', async () => {
    const { path } = on()
    const out = folder.file('expected-1')
    const line = (dest: string, docs: string) =>
      `edge nginx --out ${out} --dest ${dest} --docs-url https://${docs}.example --quiet`.split(' ')
    for (const docs of ['one', 'two']) await must(line(folder.file(docs), docs))
    await must(line(`${path}/edge`, 'one'))
    const expected = ['one', 'two'].map((docs) => hashesOf(folder.file(docs)))
    const during = await cutsDuring(on(), 'edge', line(`${path}/edge`, 'two'))
    const found = (at: string) => hashesOf(`${at}/edge`)
    for (const image of await cutsAfter(on(), 'deployed'))
      expect(withDiskAfterPowerCut(image, found)).toEqual(expected[1])
    for (const image of during)
      for (const [name, hash] of Object.entries(withDiskAfterPowerCut(image, found)))
        if (!name.endsWith('.tmp')) expect(expected.map((files) => files[name])).toContain(hash)
  })
})

it('CI can cut the power of a disk, or watch the calls to it', ({ skip }) => {
  if (process.env.CI !== 'true') skip('this is not CI')
  expect(disk !== null || canWatch()).toBe(true)
})

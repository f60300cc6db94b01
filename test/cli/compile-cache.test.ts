/** Compiled code is kept in a folder that only its user can write to, or not at all. The program starts in any case. */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../support/product.ts'
import { sample } from '../support/rounds.ts'
import { run, runAlone, type ProcessOptions } from './run.ts'

const folder = tempFolder()
const isRoot = process.getuid?.() === 0
let homes = 0

beforeAll(async () => {
  chmodSync(folder.path, 0o755)
  await run('init --demo --db demo.sqlite --funds 1 --years 1 --until 2026-11-19 --quiet', {
    cwd: folder.path,
  })
})

type Home = ReturnType<typeof newHome>

/** `temporary` is a folder for temporary files of its own. */
function newHome() {
  const path = folder.file(`home-${++homes}`)
  mkdirSync(`${path}/tmp`, { recursive: true })
  // Whatever files are made with here.
  chmodSync(path, 0o755)
  return { path, cache: `${path}/.cache/fundpress`, temporary: `${path}/tmp` }
}

const nowhereElse = { XDG_CACHE_HOME: undefined, NODE_COMPILE_CACHE: undefined }
const homeOf = ({ path, temporary }: Home) => ({ HOME: path, TMPDIR: temporary, ...nowhereElse })

const start = (home: Home, env: ProcessOptions['env'] = {}, user: Partial<ProcessOptions> = {}) =>
  runAlone('--version', { cwd: folder.path, env: { ...homeOf(home), ...env }, ...user })

const mustStart = async (...what: Parameters<typeof start>) => {
  expect(await start(...what)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d/) })
}

const keptIn = (place: string) => (existsSync(place) ? readdirSync(place).length : 0)

describe('compiled code', () => {
  it('is kept in the home folder, closed to others', async () => {
    const home = newHome()
    await mustStart(home)
    expect(lstatSync(home.cache).mode & 0o777).toBe(0o700)
    expect(keptIn(home.cache)).toBe(1)
    expect(readdirSync(home.temporary)).toEqual([])
  })

  it('is not kept in another place by the threads of a build', async () => {
    const home = newHome()
    const env = { ...homeOf(home), FUNDPRESS_DOWNLOADS: 'true' }
    const line = 'build --db demo.sqlite --out out --as-of 2026-11-20 --jobs 2 --quiet'
    expect(await runAlone(line, { cwd: folder.path, env })).toMatchObject({ code: 0 })
    expect(keptIn(home.cache)).toBe(1)
    expect(readdirSync(home.temporary)).toEqual([])
  })

  it('is taken by all commands, however many threads they have', async () => {
    const env = { ...homeOf(newHome()), FUNDPRESS_DOWNLOADS: 'true', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const lines = [2, 1, 2].map(
      (jobs) => `build --db demo.sqlite --out jobs-${jobs} --as-of 2026-11-20 --jobs ${jobs} --quiet`,
    )
    const rejected: string[] = []
    for (const line of [...lines, 'check --db demo.sqlite', 'plan --out jobs-2 --bucket file:bucket']) {
      const { stdout, stderr } = await runAlone(line, { cwd: folder.path, env })
      expect(stdout + stderr).toContain('[compile cache]')
      rejected.push(...(stdout + stderr).split('\n').filter((text) => text.includes('was rejected')))
    }
    expect(rejected).toEqual([])
  })
})

describe('the program starts and keeps nothing', () => {
  type Case = [string, (cache: string) => void]
  const ofOthers: Case[] = [
    ['in a folder of another user', (cache) => chownSync(cache, 65534, 65534)],
    ['below a folder of another user', (cache) => chownSync(dirname(cache), 65534, 65534)],
  ]
  const cases: Case[] = [
    ['in a folder that others may read', (cache) => chmodSync(cache, 0o755)],
    ['in a folder that others may write to', (cache) => chmodSync(cache, 0o777)],
    ['below a folder that others may write to', (cache) => chmodSync(dirname(cache), 0o777)],
    ...(isRoot ? ofOthers : []),
  ]
  it.each(sample(cases, { least: 3 }))('%s', async (_, open) => {
    const home = newHome()
    mkdirSync(home.cache, { recursive: true, mode: 0o700 })
    open(home.cache)
    await mustStart(home)
    expect(keptIn(home.cache)).toBe(0)
    expect(readdirSync(home.temporary)).toEqual([])
  })

  it('if a link leads to another folder', async () => {
    const home = newHome()
    mkdirSync(`${home.path}/.cache`)
    mkdirSync(`${home.path}/planted`, { mode: 0o700 })
    symlinkSync(`${home.path}/planted`, home.cache)
    await mustStart(home)
    expect(keptIn(`${home.path}/planted`)).toBe(0)
  })

  it('without a home folder', async () => {
    const home = newHome()
    for (const HOME of sample(['', '/nowhere/at/all', '/dev/null'], { least: 2 }))
      await mustStart(home, { HOME })
    expect(readdirSync(home.temporary)).toEqual([])
  })
})

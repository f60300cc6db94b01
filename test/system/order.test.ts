/** The order in which commands write to the disk: new data is flushed before it gets its name, and before old data is removed. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { canWatch, watchDisk, type DiskCall } from './disk-calls.ts'
import { tempFolder } from '../support/product.ts'
import { isMissing } from '../support/programs.ts'
import { filesIn, hashesOf } from '../support/tree.ts'

const folder = tempFolder()
const out = folder.file('out')

beforeAll(async () => {
  for (const seed of [1, 2]) {
    const demo = `init --demo --db ${seed}.sqlite --funds 1 --years 1 --until 2026-11-19 --seed ${seed} --quiet`
    await run(demo.split(' '), { cwd: folder.path })
  }
})

async function watch(line: string, path = process.env.PATH ?? '') {
  const log = folder.file('strace.log')
  const watched = await watchDisk(line.split(' '), { cwd: folder.path, log, path })
  expect(watched).toMatchObject({ code: 0, stderr: '' })
  return watched.calls
}

const buildLine = (seed: number, ...more: string[]) =>
  [`build --db ${seed}.sqlite --out out --as-of 2026-11-20 --jobs 1 --quiet`, ...more].join(' ')
/** Without strace, which makes a command several times slower. */
const prepare = async (line: string) =>
  expect(await run(line.split(' '), { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })

/** Where the first such call is, from a place on. */
function placeOf(calls: readonly DiskCall[], isWanted: (call: DiskCall) => boolean, from = 0): number {
  const place = calls.findIndex((call, index) => index >= from && isWanted(call))
  expect(place, JSON.stringify(calls.slice(from, from + 20))).not.toBe(-1)
  return place
}

/** The exchange of a snapshot's folder: flushed, renamed, its name flushed, and only then the old one is removed. */
function expectExchange(calls: readonly DiskCall[], flush: 'flush' | 'flushAll'): void {
  const isStaging = (path = '') => /^\.out\.build-[\da-f-]+$/.test(basename(path))
  const flushed = placeOf(calls, ({ call, paths: [path] }) => call === flush && isStaging(path))
  const isNew = ({ call, paths: [from, to] }: DiskCall) => call === 'rename' && isStaging(from) && to === out
  const renamed = placeOf(calls, isNew, flushed)
  const isName = ({ call, paths: [path] }: DiskCall) => call === 'flush' && path === folder.path
  const named = placeOf(calls, isName, renamed)
  const isOld = ({ call, paths: [path = ''] }: DiskCall) =>
    call === 'remove' && /\/\.out\.(build|old)-[\da-f-]+(\/|$)/.test(path)
  placeOf(calls, isOld, named)
  expect(calls.slice(flushed, named).filter(isOld)).toEqual([])
}

/** A file that gets its name when it is whole: flushed under another one, renamed, the folder flushed. */
function expectReplaced(calls: readonly DiskCall[], file: string): void {
  const isRename = ({ call, paths: [, to] }: DiskCall) => call === 'rename' && to === file
  const renamed = placeOf(calls, isRename)
  const [temporary] = calls[renamed]?.paths ?? []
  const flushed = placeOf(calls, ({ call, paths: [path] }) => call === 'flush' && path === temporary)
  expect(flushed).toBeLessThan(renamed)
  placeOf(calls, ({ call, paths: [path] }) => call === 'flush' && path === dirname(file), renamed)
}

describe.skipIf(isMissing(canWatch()))('strace sees that', () => {
  it('a build flushes the new snapshot, then its name, before it removes the old one', async () => {
    await prepare(buildLine(1))
    expectExchange(await watch(buildLine(2).replace('--jobs 1', '--jobs 2')), 'flushAll')
    expectExchange(await watch(buildLine(1, '--since out')), 'flushAll')
  })

  it('a merge flushes the new snapshot, then its name, before it removes the old one', async () => {
    await prepare(buildLine(2))
    for (const number of [1, 2])
      await prepare(`${buildLine(1).replace('out out', `out part-${number}`)} --shard ${number}/2`)
    expectExchange(await watch('build --merge part-1 part-2 --db 1.sqlite --out out --quiet'), 'flushAll')
  })

  it('a build flushes each folder that it makes for the snapshot', async () => {
    const calls = await watch(buildLine(1).replace('--out out', '--out far/away/out'))
    const isFlushed = (wanted: string) =>
      calls.some(({ call, paths: [path] }) => call === 'flush' && path === wanted)
    const here = folder.path
    const far = folder.file('far')
    const away = folder.file('far/away')
    expect([here, far, away].map(isFlushed)).toEqual([true, true, true])
  })

  it('a build flushes each file if there is no `sync -f`', async () => {
    await prepare(buildLine(1))
    const calls = await watch(buildLine(2), folder.file('empty'))
    expectExchange(calls, 'flush')
    const flushed = calls.filter(({ call }) => call === 'flush').flatMap(({ paths }) => paths)
    const inStaging = flushed.flatMap((path) => /\/\.out\.build-[\da-f-]+\/(.+)$/.exec(path)?.[1] ?? [])
    expect(inStaging).toEqual(expect.arrayContaining(filesIn(out)))
    expect(inStaging).toEqual(expect.arrayContaining(['api', 'api/v1', 'api/v1/prices-current-all']))
  })

  it.each(['init --db new.sqlite', 'init --demo --db demo.sqlite --funds 1 --years 1 --until 2026-11-19'])(
    '%s flushes the database before its name',
    async (line) => {
      const file = folder.file(/[a-z]+\.sqlite/.exec(line)?.[0] ?? '')
      expectReplaced(await watch(`${line} --quiet`), file)
    },
  )

  it.each(['DELETE', 'WAL'])(
    'an import is flushed before it ends, with a journal in mode %s',
    async (mode) => {
      const file = folder.file(`${mode}.sqlite`)
      copyFileSync(folder.file('1.sqlite'), file)
      const db = new Database(file)
      db.pragma(`journal_mode = ${mode}`)
      const isin = db.prepare<[], string>('SELECT min(isin) FROM fund').pluck().get() ?? ''
      db.close()
      writeFileSync(folder.file('figures.csv'), `isin;position;name_de;value\n${isin};1000;Neu;7\n`)
      const calls = await watch(`import key_figure figures.csv --db ${mode}.sqlite --no-backup --quiet`)
      const committed = mode === 'WAL' ? `${file}-wal` : file
      placeOf(calls, ({ call, paths: [path] }) => call === 'flush' && path === committed)
    },
  )

  it('a publish into a folder marks the slot as torn before it changes it, and flushes it before the flip', async () => {
    await prepare(buildLine(1))
    const bucket = folder.file('bucket')
    const settings = { baseUrl: 'https://funds.example.org', bucket: { name: `file://${bucket}` } }
    writeFileSync(folder.file('press.json'), JSON.stringify(settings))
    const calls = await watch('publish --out out --config press.json --quiet')
    const isPut =
      (place: RegExp) =>
      ({ call, paths: [, to = ''] }: DiskCall) =>
        call === 'rename' && place.test(to.slice(bucket.length + 1))
    const isFlush =
      (kind: DiskCall['call'], path = bucket) =>
      (call: DiskCall) =>
        call.call === kind && call.paths[0] === path
    const inSlot = isPut(/^blue\//)
    const list = placeOf(calls, isPut(/^journal\/.*changes/))
    const firstInSlot = placeOf(calls, inSlot)
    // The journal names the list, which is on the disk before it.
    const marked = calls.findLastIndex((call, index) => index < firstInSlot && isPut(/^journal\.json$/)(call))
    expect(placeOf(calls, isFlush('flushAll'), list)).toBeLessThan(marked)
    expect(placeOf(calls, isFlush('flush'), marked)).toBeLessThan(firstInSlot)

    const flip = placeOf(calls, isPut(/^live\.json$/))
    const lastWritten = calls.findLastIndex(
      (call, index) => index < flip && isPut(/^(blue|downloads|journal)\//)(call),
    )
    const flushed = placeOf(calls, isFlush('flushAll'), lastWritten)
    const own = placeOf(calls, isFlush('flush', calls[flip]?.paths[0]), flushed)
    expect(own).toBeLessThan(flip)
    const named = placeOf(calls, isFlush('flush'), flip)
    const next = calls.findIndex((call, index) => index > flip && isPut(/./)(call))
    expect(named).toBeLessThan(next)
  })

  it('edge flushes what it replaces', async () => {
    const line = 'edge nginx --out out --port 8081 --dest edge --quiet'
    await prepare(buildLine(1))
    await prepare(line)
    expectReplaced(await watch(line), folder.file('edge/conf.d/fundpress.conf'))
  })
})

describe('a build', () => {
  const withSync = (name: string, script: string) => {
    mkdirSync(folder.file(name))
    writeFileSync(folder.file(`${name}/sync`), `#!/bin/sh\n${script}\n`)
    chmodSync(folder.file(`${name}/sync`), 0o755)
    return { PATH: folder.file(name) }
  }

  it('builds if sync has no -f', async () => {
    const script = `echo "sync: invalid option -- 'f'" >&2; exit 1`
    const env = withSync('small', script)
    const end = await run(buildLine(2).split(' '), { cwd: folder.path, env })
    expect(end).toMatchObject({ code: 0, stderr: '' })
  })

  it('keeps the old snapshot if the disk fails, and says so', async () => {
    await run(buildLine(1).split(' '), { cwd: folder.path })
    const before = hashesOf(out)
    const env = withSync('broken', `echo "sync: error syncing '$2': Input/output error" >&2; exit 1`)
    const { code, stderr } = await run(buildLine(2).split(' '), { cwd: folder.path, env })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^fundpress: out: the disk did not take what was written: sync: error syncing '[^']*': Input\/output error; out is as it was\n$/,
    )
    expect(hashesOf(out)).toEqual(before)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.out'))).toEqual([])
  })
})

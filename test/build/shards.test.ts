/** Shards, built apart and merged: the snapshot of one build, whatever the database and however many shards. */
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultFreshness } from '../../src/core/guards/rules.ts'
import type { BuildOptions, BuildSummary } from '../../src/core/snapshot/build.ts'
import { mergeShards, type MergeOptions } from '../../src/core/snapshot/merge.ts'
import { insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { startKept } from '../support/kept-threads.ts'
import { tempFolder } from '../support/folders.ts'
import { faultsOf, filesIn, hashesOf } from '../support/tree.ts'
import * as builds from './builds.ts'
import { edit } from './edits.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()

const { changedCopy, editAll, folderOf, manifestOf, outcomeOf } = builds
const build = (db: string, out: string, more: Partial<BuildOptions> = {}) =>
  builds.build(db, out, { hasPages: true, ...more })
const merge = (db: string, out: string, shards: readonly string[], more: Partial<MergeOptions> = {}) => {
  const { code, extensions, jobs, signal } = builds.settings
  const own = { code, extensions, jobs, signal, startThread: startKept }
  return mergeShards({ db, out, shards, ...own, ...more })
}
const shardOf = (number: number, of: number) => ({ part: { kind: 'shard', number, of } }) as const
async function buildShards(db: string, out: string, of: number, more: Partial<BuildOptions> = {}) {
  const folders = Array.from({ length: of }, (_, index) => `${out}-${index + 1}-of-${of}`)
  for (const [index, one] of folders.entries()) await build(db, one, { ...shardOf(index + 1, of), ...more })
  return folders
}
const resultOf = (summary: BuildSummary) => ({ ...builds.resultOf(summary), rendered: summary.rendered })

it('gives the bytes of a build without shards, in any number of shards, pages included', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        funds: fc.nat({ max: 5 }),
        edits: fc.array(edit, { maxLength: 12 }),
        of: fc.integer({ min: 1, max: 7 }),
        hasPages: fc.constantFrom(true, true, false),
        order: fc.boolean(),
      }),
      async ({ funds, edits, of, hasPages, order }) => {
        const place = folder.file(`run-${runs++}`)
        const db = `${place}.sqlite`
        makeDatabase(db, (insert) => {
          for (let number = 0; number < funds; number++) insertGood(insert, isinOf(number))
        })
        editAll(db, edits)
        const whole = await outcomeOf(db, `${place}-whole`, { hasPages })
        // A database that is refused is refused in a shard, or by the guards across funds when shards are merged.
        if (whole.kind === 'refused') {
          const folders = Array.from({ length: of }, (_, index) => `${place}-${index}`)
          const shards = folders.map((out, index) =>
            outcomeOf(db, out, { hasPages, ...shardOf(index + 1, of) }),
          )
          const isBuilt = (await Promise.all(shards)).every(({ kind }) => kind === 'built')
          const last = isBuilt ? [await builds.outcome(merge(db, `${place}-merged`, folders))] : []
          const found = [...(await Promise.all(shards)), ...last].flatMap((one) =>
            one.kind === 'refused' ? one.findings.map((finding) => JSON.stringify(finding)) : [],
          )
          const errors = whole.findings.filter(({ severity }) => severity === 'error')
          const missing = errors.filter((error) => !found.includes(JSON.stringify(error)))
          // A merge that is not tried has not compared the columns.
          expect(missing.filter(({ guard }) => isBuilt || guard === undefined)).toEqual([])
          expect(found).not.toEqual([])
          return
        }
        const shards = await buildShards(db, place, of, { hasPages })
        const merged = await merge(db, `${place}-merged`, order ? shards : shards.toReversed())
        expect(resultOf(merged)).toEqual(resultOf(whole.summary))
        expect(hashesOf(`${place}-merged`)).toEqual(hashesOf(`${place}-whole`))
        expect(faultsOf(`${place}-merged`)).toEqual([])
      },
    ),
    { numRuns: times(6), endOnFailure: true },
  )
})

describe('shards of five funds', () => {
  const db = folder.file('funds.sqlite')
  const whole = folder.file('whole')
  let halves: readonly string[] = []
  beforeAll(async () => {
    makeDatabase(db, (insert) => {
      for (const number of [0, 1, 2, 3, 4]) insertGood(insert, isinOf(number))
    })
    await build(db, whole)
    halves = await buildShards(db, folder.file('half'), 2)
  })
  const copyOf = (name: string) =>
    halves.map((half, index) => {
      const copy = folder.file(`${name}-${index + 1}`)
      cpSync(half, copy, { recursive: true })
      return copy
    })

  it('replace an older snapshot, share their files with the merged one, and stay as they are', async () => {
    const before = halves.map(hashesOf)
    const out = folder.file('older')
    await build(db, out, { only: [isinOf(0)] })
    await merge(db, out, halves)
    expect(hashesOf(out)).toEqual(hashesOf(whole))
    expect(halves.map(hashesOf)).toEqual(before)
    const key = `api/v1/prices-current/${isinOf(4)}/index.json`
    expect(statSync(join(out, key)).ino).toBe(statSync(join(halves[1] ?? '', key)).ino)
  })

  it('can continue from their own earlier folders, or from the manifest of the whole snapshot', async () => {
    const newBenchmark = `UPDATE profile SET benchmark = 'New' WHERE isin = '${isinOf(3)}'`
    const next = changedCopy(db, folder.file('next.sqlite'), newBenchmark)
    await build(next, folder.file('next-whole'))
    const linked = halves.map((_, index) => folder.file(`next-linked-${index}`))
    const sparse = halves.map((_, index) => folder.file(`next-sparse-${index}`))
    for (const [index, half] of halves.entries()) {
      const shard = shardOf(index + 1, 2)
      await build(next, linked[index] ?? '', { ...shard, since: folderOf(half) })
      await build(next, sparse[index] ?? '', { ...shard, since: manifestOf(whole) })
    }
    await merge(next, folder.file('next-linked'), linked)
    expect(hashesOf(folder.file('next-linked'))).toEqual(hashesOf(folder.file('next-whole')))

    const { isSparse, since } = await merge(next, folder.file('next-sparse'), sparse)
    const { 'sparse.json': mark, ...files } = hashesOf(folder.file('next-sparse'))
    const all = hashesOf(folder.file('next-whole'))
    expect(isSparse).toBe(true)
    expect(since).not.toBeNull()
    expect(mark).toBeDefined()
    expect(files).toEqual(Object.fromEntries(Object.keys(files).map((file) => [file, all[file]])))
    // What changed is there; of the funds nothing else is.
    const before = hashesOf(whole)
    const changed = Object.keys(all).filter((file) => all[file] !== before[file])
    expect(changed.filter((file) => files[file] === undefined)).toEqual([])
    const ofFunds = (some: readonly string[]) =>
      some.filter((file) => /^(api|funds)\/.*XF\d{10}\//.test(file))
    expect(ofFunds(Object.keys(files))).toEqual(ofFunds(changed))

    const other = folder.file('next-other')
    await build(next, other, { ...shardOf(2, 2), since: manifestOf(folder.file('next-whole')) })
    await expect(merge(next, folder.file('mixed'), [sparse[0] ?? '', other])).rejects.toThrow(
      'shards of different --since',
    )
  })

  it('are not merged unless all are there, each once', async () => {
    const [one = '', two = ''] = halves
    const [copy = ''] = copyOf('copy')
    const thirds = await buildShards(db, folder.file('third'), 3)
    const out = folder.file('refused')
    await expect(merge(db, out, [one])).rejects.toThrow('of 2 shards 2 is missing')
    await expect(merge(db, out, [thirds[1] ?? ''])).rejects.toThrow('of 3 shards 1, 3 are missing')
    const twice = `shard 1 of 2 is there more than once: ${one}, ${copy}`
    await expect(merge(db, out, [one, two, copy])).rejects.toThrow(twice)
    const numbers = `shards of different numbers of shards: ${one} has 2, ${thirds[1] ?? ''} has 3`
    await expect(merge(db, out, thirds.with(0, one))).rejects.toThrow(numbers)
    await expect(merge(db, out, [one, whole])).rejects.toThrow(`${whole} is no shard`)
    await expect(merge(db, one, halves)).rejects.toThrow(`${one} is one of the shards`)
    expect(filesIn(folder.path).filter((file) => /(^|\.)refused/.test(file))).toEqual([])
  })

  it.each<[string, Partial<BuildOptions>]>([
    ['as-of dates', { asOf: '2024-05-04' }],
    ['baseUrl', { baseUrl: 'https://other.example' }],
    ['freshness', { freshness: { ...defaultFreshness, warnDays: 1 } }],
    ['versions of fundpress', { code: 'other' }],
  ])('are not merged with others of different %s', async (name, more) => {
    const other = folder.file(`other ${name}`)
    await build(db, other, { ...shardOf(2, 2), ...more })
    await expect(merge(db, folder.file('refused'), [halves[0] ?? '', other])).rejects.toThrow(
      `shards of different ${name}: ${halves[0] ?? ''} has `,
    )
  })

  it('are not merged by other thresholds than those that their pages mark prices by', async () => {
    const freshness = { ...defaultFreshness, errorDays: 9 }
    const merged = merge(db, folder.file('refused'), halves, { freshness })
    await expect(merged).rejects.toThrow('with other freshness settings')
  })

  it('leave nothing if the merge fails while their files are being linked', async () => {
    // Without pages no shard asks for a calendar: a merge is the first that learns that there is none.
    const parts = await buildShards(db, folder.file('part'), 2, { hasPages: false })
    const out = folder.file('no-calendar')
    const freshness = { ...defaultFreshness, calendar: 'XX' }
    const merged = merge(db, out, parts, { freshness })
    await expect(merged).rejects.toThrow('freshness.calendar is XX')
    const left = () => filesIn(folder.path).filter((file) => file.includes('no-calendar'))
    expect(left()).toEqual([])
    await setTimeout(300)
    expect(left()).toEqual([])
  })

  it('are not merged with those of another database, by another version, or beside another database', async () => {
    const next = changedCopy(db, folder.file('other.sqlite'), `UPDATE fund SET name = 'x'`)
    const other = folder.file('other database')
    await build(next, other, shardOf(2, 2))
    const out = folder.file('refused')
    await expect(merge(db, out, [halves[0] ?? '', other])).rejects.toThrow('shards of different databases')
    await expect(merge(next, out, halves)).rejects.toThrow(
      `${next} is not the database that the shards were built from`,
    )
    const byNewer = merge(db, out, halves, { code: 'newer' })
    await expect(byNewer).rejects.toThrow('was built by another version of fundpress')
  })

  const figures = `api/v1/figures/${isinOf(4)}/index.de.xml`
  const cut = (endOf: (content: Buffer) => number) => (file: string) =>
    writeFileSync(file, readFileSync(file).subarray(0, endOf(readFileSync(file))))
  const cutEnd = cut((content) => content.length - 20)
  const cutLastLine = cut((content) => content.lastIndexOf('\n', -2) + 1)
  const nameOutside = (file: string) => {
    const lines = gunzipSync(readFileSync(file)).toString()
    writeFileSync(file, gzipSync(lines.replace('"key":"api/v1/', '"key":"../v1/')))
  }
  const incomplete = 'half-broken-2 is incomplete: api/v1/figures/'
  it.each<[string, string, file: string, damage: (file: string) => void]>([
    ['a file is cut short', incomplete, figures, (file) => truncateSync(file, 3)],
    ['its manifest is cut short', 'unexpected end of file', 'manifest.ndjson.gz', cutEnd],
    ['its manifest names a file outside', 'its manifest is damaged', 'manifest.ndjson.gz', nameOutside],
    ['its list of funds is cut short', 'do not hold every fund once', 'shard.ndjson', cutLastLine],
  ])('leave the old snapshot as it is if %s', async (_, message, file, damage) => {
    const copies = copyOf(`half-broken`)
    damage(join(copies[1] ?? '', file))
    const out = folder.file('stays')
    await build(db, out)
    await expect(merge(db, out, copies)).rejects.toThrow(message)
    expect(hashesOf(out)).toEqual(hashesOf(whole))
    expect(filesIn(folder.path).filter((file) => file.includes('.stays.'))).toEqual([])
    for (const copy of copies) rmSync(copy, { recursive: true })
  })
})

/** Builds in parts, on the command line: `build --since` from a folder, a manifest and a slot; `build --shard` and `build --merge`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BuildSummary } from '../../src/core/snapshot/build.ts'
import { buildNights, newBenchmark, type Nights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl, type Run } from '../support/product.ts'
import { filesIn, hashesOf, snapshotId } from '../support/tree.ts'

let nights: Nights
let press: Press
/** Complete builds; the bucket holds the first two, the second is live. */
const outs = ['night-1', 'b', 'c'] as const
beforeAll(async () => {
  nights = await buildNights(1, 2)
  press = await openPress(nights)
  for (const [index, out] of outs.entries()) {
    if (index > 0) await nights.change(out, newBenchmark(index))
    if (out !== 'c') await press.fundpress(['publish', '--out', out])
  }
})
afterAll(() => press.stop())

const folderOf = (out: string) => nights.folder.file(out)
const env = { FUNDPRESS_DOCS_URL: docsUrl }
const flags = (out: string) => `--db ${folderOf('funds.sqlite')} --out ${out} --json`
const build = (out: string, more = '', index: Readonly<Record<string, string>> = {}) =>
  press.fundpress(`build ${flags(out)} --as-of 2026-11-11${more}`, { ...env, ...index })
function summaryOf({ code, stdout, stderr }: Run, warning = '') {
  expect({ code, stderr }).toEqual({ code: 0, stderr: warning })
  return JSON.parse(stdout) as BuildSummary
}

describe('build --since', () => {
  it('renders everything and warns if there is no snapshot', async () => {
    const built = await build('from-nowhere', ' --since nowhere')
    const summary = summaryOf(built, 'fundpress: everything is rendered: nowhere holds no snapshot\n')
    expect(summary).toMatchObject({ since: null, isSparse: false })
    expect(hashesOf(folderOf('from-nowhere'))).toEqual(hashesOf(folderOf('c')))
  })

  it('gives a sparse snapshot from a slot, which goes live only in that slot', async () => {
    const restore = press.bucket.save()
    const { since, isSparse, snapshot } = summaryOf(await build('sparse', ' --since other'))
    expect({ since, isSparse }).toEqual({ since: snapshotId(folderOf('night-1')), isSparse: true })
    expect(snapshot).toBe(snapshotId(folderOf('c')))
    expect(filesIn(folderOf('sparse')).length).toBeLessThan(filesIn(folderOf('c')).length / 5)
    expect((await press.fundpress('publish --out sparse')).code).toBe(0)
    const { slot, snapshot: live } = press.bucket.live() ?? {}
    expect(live).toBe(snapshot)
    expect(press.bucket.differencesFrom('c', slot)).toEqual([])
    expect(press.bucket.faultsOf(slot)).toEqual([])
    restore()
  })

  it('gives a sparse snapshot from a manifest', async () => {
    await build('sparse', ' --since b/manifest.ndjson.gz')
    const { 'sparse.json': mark, ...files } = hashesOf(folderOf('sparse'))
    expect(mark).toBeDefined()
    expect(Object.keys(files).length).toBeGreaterThan(2)
    expect(hashesOf(folderOf('c'))).toMatchObject(files)
  })

  it('renders everything if a publish was stopped in the slot', async () => {
    const restore = press.bucket.save()
    const isKilled = await press.publishUntilRequest('c', 13, 'after')
    const built = await build('after-a-kill', ' --since other')
    restore()
    expect(isKilled).toBe(true)
    expect(built.stderr).toMatch(/everything is rendered: .* is torn, a publish was stopped in it\n$/)
    expect(summaryOf(built, built.stderr).isSparse).toBe(false)
  })
})

describe('build --shard and --merge', () => {
  beforeAll(async () => {
    for (const [index, out] of ['one', 'two'].entries())
      summaryOf(await build(out, ` --shard ${index + 1}/2`))
  })

  it('take the part of the index, from 0, that Kubernetes gives the machine', async () => {
    for (const [index, part] of ['one', 'two'].entries()) {
      summaryOf(await build('auto', ' --shard auto/2', { JOB_COMPLETION_INDEX: String(index) }))
      expect(hashesOf(folderOf('auto'))).toEqual(hashesOf(folderOf(part)))
    }
    // A part that is given wins.
    summaryOf(await build('auto', ' --shard 1/2', { JOB_COMPLETION_INDEX: '1' }))
    expect(hashesOf(folderOf('auto'))).toEqual(hashesOf(folderOf('one')))
  })
})

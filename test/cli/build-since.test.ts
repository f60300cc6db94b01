/** `build --since` with a folder, a manifest and a slot of the bucket, and what the others make of a sparse snapshot. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, newBenchmark, type Nights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl, type Run } from '../support/product.ts'
import { filesIn, hashesOf, snapshotId } from '../support/tree.ts'

let nights: Nights
let press: Press
/** Full builds of three nights; the bucket holds the first two, the second is live. */
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
const build = (out: string, since: string): Promise<Run> =>
  press.fundpress(
    [
      'build',
      '--db',
      folderOf('funds.sqlite'),
      '--out',
      out,
      '--as-of',
      '2026-11-11',
      '--json',
      '--since',
      since,
    ],
    { FUNDPRESS_DOCS_URL: docsUrl },
  )
interface Summary {
  readonly snapshot: string
  readonly since: string | null
  readonly isSparse: boolean
  readonly rendered: number
  readonly documents: number
}
const summaryOf = ({ stdout }: Run) => JSON.parse(stdout) as Summary

it('goes on from a folder: the new one is whole', async () => {
  const built = await build('whole', 'b')
  expect([built.code, built.stderr]).toEqual([0, ''])
  const { since, isSparse, rendered, documents } = summaryOf(built)
  expect([since, isSparse]).toEqual([snapshotId(folderOf('b')), false])
  expect([rendered > 0, rendered < documents / 10]).toEqual([true, true])
  expect(hashesOf(folderOf('whole'))).toEqual(hashesOf(folderOf('c')))
})

it('renders everything where there is no snapshot, and says so', async () => {
  const built = await build('from-nowhere', 'nowhere')
  expect([built.code, built.stderr]).toEqual([
    0,
    'fundpress: nowhere holds no snapshot: everything is rendered\n',
  ])
  expect(summaryOf(built)).toMatchObject({ since: null, isSparse: false })
  expect(hashesOf(folderOf('from-nowhere'))).toEqual(hashesOf(folderOf('c')))
})

it('publishes a sparse snapshot into the slot that it goes on from, and refuses it for another', async () => {
  const restore = press.bucket.save()
  const built = await build('sparse', 'other')
  expect([built.code, built.stderr]).toEqual([0, ''])
  const { snapshot } = summaryOf(built)
  expect(summaryOf(built)).toMatchObject({ since: snapshotId(folderOf('night-1')), isSparse: true })
  expect(snapshot).toBe(snapshotId(folderOf('c')))
  expect(filesIn(folderOf('sparse')).length).toBeLessThan(filesIn(folderOf('c')).length / 5)
  expect((await press.fundpress(['publish', '--out', 'sparse'])).code).toBe(0)
  const { slot, snapshot: live } = press.bucket.live() ?? {}
  expect([live, press.bucket.differencesFrom('c', slot)]).toEqual([snapshot, []])
  expect(press.bucket.faultsOf(slot)).toEqual([])

  // An empty bucket needs all files.
  press.bucket.empty()
  const refused = await press.fundpress(['publish', '--out', 'sparse'])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/ is sparse, .* but blue holds no snapshot and needs /),
  ])
  expect(press.bucket.keys('blue/')).toEqual([])
  restore()
})

it('takes a manifest as a file: what the folder lacks is the same', async () => {
  await build('from-manifest', 'b/manifest.ndjson.gz')
  const { 'sparse.json': mark, ...files } = hashesOf(folderOf('from-manifest'))
  const whole = hashesOf(folderOf('c'))
  expect([mark === undefined, Object.keys(files).length > 2]).toEqual([false, true])
  expect(files).toEqual(Object.fromEntries(Object.keys(files).map((file) => [file, whole[file]])))
})

it('renders everything for a slot in which a publish was stopped', async () => {
  const restore = press.bucket.save()
  const isKilled = await press.publishUntilRequest('c', 12, 'after')
  const built = await build('after-a-kill', 'other')
  restore()
  expect([isKilled, built.code]).toEqual([true, 0])
  expect(built.stderr).toMatch(/ is torn, a publish was stopped in it: everything is rendered\n$/)
  expect(summaryOf(built).isSparse).toBe(false)
})

it('does not serve a sparse snapshot, and does not go on from it', async () => {
  await build('not-served', 'b/manifest.ndjson.gz')
  const served = await press.bare(['serve', '--out', 'not-served', '--port', '0'])
  expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('not-served is sparse')])
  const built = await build('from-sparse', 'not-served')
  expect([built.code, built.stderr]).toEqual([1, expect.stringContaining('not-served is sparse')])
  expect(existsSync(folderOf('from-sparse'))).toBe(false)
})

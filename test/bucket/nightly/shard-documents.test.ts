/** Shards that go on from a snapshot: their merge has the downloads of a night of one machine, `documents.zip` too. */
import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashesOf } from '../../support/tree.ts'
import {
  changeSettings,
  db,
  edit,
  env,
  fileOf,
  fullBuild,
  keyOf,
  newPrices,
  onZip,
  press,
  sumsKey,
  twoFunds,
  undated,
  useDocumentNights,
  zipKey,
} from './documents-nights.ts'
import { isComplete, sample } from '../../support/rounds.ts'

useDocumentNights()

const replaceZip = async () => {
  await Promise.resolve()
  press.bucket.put(keyOf('documents.zip'), 'x')
}
const emptyBucket = async () => {
  await Promise.resolve()
  press.bucket.empty()
}

describe('shards that continue from a snapshot', () => {
  const day = '--as-of 2026-11-13'
  const halves = ['half-1', 'half-2']
  const build = (words: string) => press.fundpress(`build --db funds.sqlite ${day} --quiet ${words}`, env)
  /** @returns what was said on stderr, of each */
  async function buildHalves(since: string): Promise<readonly string[]> {
    const said: string[] = []
    for (const [index, half] of halves.entries()) {
      const run = await build(`--out ${half} --shard ${index + 1}/2 --since ${since}`)
      expect(run, run.stderr).toMatchObject({ code: 0 })
      said.push(run.stderr)
    }
    return said
  }
  interface Merged {
    readonly isSparse: boolean
    readonly downloads: { readonly leftOut: readonly string[] }
  }
  const merge = async (flags = '') => {
    const words = `merge ${halves.join(' ')} --db funds.sqlite --json ${flags}`
    const run = await press.fundpress(words.trim(), env)
    expect(run, run.stderr).toMatchObject({ code: 0 })
    return { said: run.stderr, summary: JSON.parse(run.stdout) as Merged }
  }
  const inAll = async () => {
    const full = await fullBuild('2026-11-13')
    const files = hashesOf(fileOf('out'))
    const ofDay = Object.keys(full).filter((file) => file.startsWith('downloads'))
    expect(Object.keys(files).filter((file) => file.startsWith('downloads'))).toEqual(ofDay)
    for (const file of ofDay) expect([file, files[file]]).toEqual([file, full[file]])
  }
  beforeEach(() => {
    for (const name of [...halves, 'single']) rmSync(fileOf(name), { recursive: true, force: true })
    edit(newPrices)
  })

  it.each(sample(['other', 'live', 'base', 'base/manifest.ndjson.gz'], { least: 2 }))(
    'continue from %s, and merge to the bytes that one machine builds',
    async (since) => {
      if (since.startsWith('base')) {
        writeFileSync(db(), twoFunds)
        expect(await build('--out base')).toMatchObject({ code: 0 })
        edit(newPrices)
      }
      // Of a folder, a merge takes the manifest.
      const manifest = since === 'base' ? 'base/manifest.ndjson.gz' : since
      expect(await build(`--out single --since ${manifest}`)).toMatchObject({ code: 0, stderr: '' })
      expect(await buildHalves(manifest)).toEqual(['', ''])
      press.server.reset()
      const { said, summary } = await merge(`--since ${since}`)
      expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', true, []])
      expect(hashesOf(fileOf('out'))).toEqual(hashesOf(fileOf('single')))
      await inAll()
    },
  )

  it('merge without documents.zip unless `merge` gets --since, and the merge says so', async () => {
    await buildHalves('other')
    const { said, summary } = await merge()
    expect([said, summary.isSparse]).toEqual(['', true])
    expect(summary.downloads.leftOut).toEqual([
      expect.stringMatching(
        /^documents\.zip: .*: give `merge` the --since of its shards, or build these without$/,
      ),
    ])
    const again = await press.fundpress(`merge ${halves.join(' ')} --db funds.sqlite`, env)
    expect(again.stdout).toMatch(/^downloads .*, without documents\.zip: .* give `merge` the --since/m)
  })

  it.each([
    ['it was replaced', replaceZip, `${zipKey} is not what ${sumsKey} says`],
    ['its slot is another one', () => press.fundpress('rollback'), 'the shards continue from 2026-11-11-'],
    ['nothing is live any more', emptyBucket, 'nothing is live yet'],
  ])('merge without documents.zip if, since they were built, %s', async (_, change, says) => {
    await buildHalves('other')
    await change()
    const { said, summary } = await merge('--since other')
    expect(said).toMatch(/^fundpress: .*: documents\.zip is left out\n$/)
    expect([undated(said), summary.isSparse]).toEqual([expect.stringContaining(says), true])
    expect(summary.downloads.leftOut).toHaveLength(1)
    const ofDay = (files: object) => Object.keys(files).filter((file) => file.startsWith('downloads'))
    const zip = 'downloads/2026-11-13/documents.zip'
    expect(ofDay(hashesOf(fileOf('out')))).toEqual(
      ofDay(await fullBuild('2026-11-13')).filter((file) => file !== zip),
    )
  })

  it.each([
    ['the ZIP', () => press.bucket.remove(keyOf('documents.zip')), `there is no ${zipKey}`],
    ['its checksums', () => press.bucket.remove(keyOf('SHA256SUMS')), `there is no ${sumsKey}`],
    ['the version', changeSettings, 'blue was made by another version of fundpress'],
  ])('render everything if the slot lacks %s: the merge has all downloads', async (_, damage, says) => {
    damage()
    for (const said of await buildHalves('other')) {
      expect(undated(said)).toContain(says)
      expect(said).toMatch(/: everything is rendered to make documents\.zip complete\n$/)
    }
    const { said, summary } = await merge('--since other')
    expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', false, []])
    expect(hashesOf(fileOf('out'))).toEqual(await fullBuild('2026-11-13'))
  })

  it.runIf(isComplete)('merge to all downloads if the store failed one machine only', async () => {
    const half = (number: number) =>
      build(`--out ${halves[number - 1] ?? ''} --shard ${number}/2 --since other`)
    expect(await half(1)).toMatchObject({ code: 0, stderr: '' })
    onZip({ kind: 'status', status: 403 })
    const failed = await half(2)
    expect([failed.code, failed.stderr]).toEqual([0, expect.stringContaining('everything is rendered')])
    press.server.faults([])
    const { said, summary } = await merge('--since other')
    expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', true, []])
    await inAll()
    expect(await press.fundpress('publish --out out', env)).toMatchObject({ code: 0 })
    expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  })

  it('need no bucket without downloads', async () => {
    const none = { ...env, FUNDPRESS_DOWNLOADS: 'false' }
    for (const [index, half] of halves.entries())
      await press.fundpress(
        `build --db funds.sqlite ${day} --quiet --out ${half} --shard ${index + 1}/2 --since other`,
        none,
      )
    press.bucket.empty()
    const { code, stderr, stdout } = await press.fundpress(
      `merge ${halves.join(' ')} --db funds.sqlite --since other --json`,
      none,
    )
    expect([code, stderr, (JSON.parse(stdout) as { downloads: unknown }).downloads]).toEqual([0, '', null])
  })
})

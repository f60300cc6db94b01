/** Folders that a power cut or a bad disk has damaged, and builds that go on from them. */
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { tempFolder } from '../support/product.ts'
import { filesIn, hashesOf } from '../support/tree.ts'

const folder = tempFolder()
const out = folder.file('out')
const fundpress = (line: string) =>
  run(line.split(' '), { cwd: folder.path, env: { FUNDPRESS_DOWNLOADS: 'true' } })
const build = (more: string) => fundpress(`build --db d.sqlite --as-of 2026-11-20 --quiet ${more}`)

beforeAll(async () => {
  await fundpress('init --demo --db d.sqlite --funds 2 --years 1 --until 2026-11-19 --quiet')
  expect(await build('--out good')).toMatchObject({ code: 0, stderr: '' })
})
beforeEach(() => {
  rmSync(out, { recursive: true, force: true })
  cpSync(folder.file('good'), out, { recursive: true })
})

const manifest = join(out, 'manifest.ndjson.gz')
const size = () => readFileSync(manifest).length

describe('build --since of a folder', () => {
  it.each([
    ['empty', () => truncateSync(manifest, 0)],
    ['cut off later', () => truncateSync(manifest, size() - 20)],
  ])('says what to do about a manifest that is %s, and that helps', async (_, damage) => {
    damage()
    const before = hashesOf(out)
    const { code, stderr } = await build('--out out --since out')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^fundpress: out\/manifest\.ndjson\.gz cannot be read: [^\n]+: build without --since, or remove out\n$/,
    )
    expect(hashesOf(out)).toEqual(before)
    expect(await build('--out out')).toMatchObject({ code: 0, stderr: '' })
    expect(hashesOf(out)).toEqual(hashesOf(folder.file('good')))
  })
})

it.each([
  ['api/', (file: string) => truncateSync(file, 0)],
  ['', (file: string) => rmSync(file)],
])('makes files of the folder "%s" anew that are empty or missing', async (place, damage) => {
  for (const name of filesIn(out))
    if (name.startsWith(place) && name !== 'manifest.ndjson.gz') damage(join(out, name))
  expect(await build('--out out --since out')).toMatchObject({ code: 0, stderr: '' })
  expect(hashesOf(out)).toEqual(hashesOf(folder.file('good')))
})

it('says what to do about an empty sparse.json', async () => {
  writeFileSync(join(out, 'sparse.json'), '')
  const { code, stderr } = await build('--out out --since out')
  const advice = expect.stringContaining(
    'out/sparse.json is damaged: remove out and build it again',
  ) as string
  expect({ code, stderr }).toEqual({ code: 1, stderr: advice })
})

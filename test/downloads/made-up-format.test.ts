/** A format that only a test knows is in the files, in `datapackage.json` and on the page, and is reused, like every other one. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { build as buildIt, folderOf } from '../build/builds.ts'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/folders.ts'

const folder = tempFolder()

const db = folder.file('funds.sqlite')
const formats = new URL('./made-up-formats.ts', import.meta.url).href

const build = async (out: string, since: string | null) => {
  const downloads = { licence: null, formats }
  await buildIt(db, out, { downloads, since: since === null ? null : folderOf(since) })
  return join(out, 'downloads', asOf)
}
let built = ''
const read = (name: string) => readFileSync(join(built, name), 'utf8')

beforeAll(async () => {
  makeDatabase(db, (insert) => {
    for (const isin of [0, 1].map(isinOf)) insertGood(insert, isin)
  })
  built = await build(folder.file('out'), null)
})

it('is among the files, in their checksums, on the pages, and in the data package', () => {
  const names = read('names.txt')
  expect(names).toBe(`${String(goodRows['fund']?.['name'])}\n`.repeat(2))
  expect(read('SHA256SUMS')).toMatch(/^[0-9a-f]{64} {2}names\.txt$/m)
  const [en, de] = ['Names, a line each', 'Namen, je eine Zeile']
  for (const [page, text] of [['index.html', en] as const, ['de.html', de] as const]) {
    expect(read(page)).toContain('<a href="names.txt">names.txt</a>')
    expect(read(page)).toContain(text)
  }
  const { resources } = JSON.parse(read('datapackage.json')) as { resources: { path: string }[] }
  const about = { description: `${en} (text)`, format: 'text', mediatype: 'text/plain', bytes: names.length }
  expect(resources.find(({ path }) => path === 'names.txt')).toMatchObject({ ...about, encoding: 'utf-8' })
})

it('is reused if its rows did not change', async () => {
  const next = await build(folder.file('next'), folder.file('out'))
  expect(statSync(join(next, 'names.txt')).ino).toBe(statSync(join(built, 'names.txt')).ino)
})

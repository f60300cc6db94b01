/** Downloads of a build that continues from an earlier folder: whatever changed meanwhile, they are those of a full build. */
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { editAll, folderOf, makeFunds, manifestOf, outcomeOf } from '../build/builds.ts'
import { dayAfter, edit } from '../build/edits.ts'
import { editDatabase, isinOf } from '../support/database.ts'
import { tempFolder } from '../support/folders.ts'
import { filesIn, hashesOf } from '../support/tree.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()

const asOf = '2024-05-03'
const next = '2024-05-04'

/** @returns whether the database was good enough */
const build = async (
  db: string,
  out: string,
  more: { readonly asOf: string; readonly code?: string },
  since: ReturnType<typeof folderOf> | null = null,
) => (await outcomeOf(db, out, { ...more, since, downloads: { licence: null } })).kind === 'built'

it('gives the files of a full build, byte for byte, after any edits', async () => {
  const nights = fc.array(
    fc.record({
      edits: fc.array(edit, { maxLength: 5 }),
      days: fc.integer({ min: 0, max: 2 }),
      code: fc.constantFrom('code', 'code', 'code', 'other code'),
    }),
    { minLength: 2, maxLength: 3 },
  )
  let runs = 0
  await fc.assert(
    fc.asyncProperty(nights, async (some) => {
      const run = runs++
      const place = (name: string) => folder.file(`run-${run}-${name}`)
      const db = place('funds.sqlite')
      makeFunds(db)
      await build(db, place('0'), { asOf })
      let earlier = place('0')
      for (const [index, { edits, days, code }] of some.entries()) {
        copyFileSync(db, place('before.sqlite'))
        editAll(db, edits)
        const full = place(`${index + 1}`)
        const linked = place(`${index + 1}-linked`)
        const before = hashesOf(earlier)
        const settings = { asOf: dayAfter(asOf, days), code }
        const isBuilt = await build(db, full, settings)
        expect(await build(db, linked, settings, folderOf(earlier))).toBe(isBuilt)
        expect(hashesOf(earlier)).toEqual(before)
        if (!isBuilt) {
          copyFileSync(place('before.sqlite'), db)
          continue
        }
        expect(hashesOf(linked)).toEqual(hashesOf(full))
        // A sparse snapshot has only the documents that changed, and all downloads.
        const sparse = place(`${index + 1}-sparse`)
        await build(db, sparse, settings, manifestOf(earlier))
        const [made, wanted] = [sparse, full].map((one) => hashesOf(join(one, 'downloads', settings.asOf)))
        expect(made).toEqual(wanted)
        // The next one continues from one that has reused files itself.
        earlier = linked
      }
    }),
    { numRuns: times(3), endOnFailure: true },
  )
})

interface Listed {
  readonly path: string
  readonly sha256: string
  readonly parts?: readonly { readonly from: string; readonly at: number; readonly bytes: number }[]
}

const listOf = (snapshot: string): readonly Listed[] => {
  const [, ...lines] = readFileSync(join(snapshot, 'downloads.ndjson'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Listed)
}

/** A byte that no part begins with. */
const mark = 0x7f

/** Changes the first byte of each part of a file. @returns the digest of the file now */
function markParts(snapshot: string, { path, parts = [] }: Listed): string {
  const place = join(snapshot, 'downloads', asOf, path)
  const content = readFileSync(place)
  for (const { at, bytes } of parts) if (bytes > 0) content[at] = mark
  rmSync(place)
  writeFileSync(place, content)
  return createHash('sha256').update(content).digest('hex')
}

describe('after a day with new prices of one fund', () => {
  const db = folder.file('funds.sqlite')
  const out = folder.file('out')
  const full = folder.file('full')
  beforeAll(async () => {
    makeFunds(db)
    await build(db, out, { asOf })
    editDatabase(
      db,
      `INSERT INTO price SELECT isin, '${next}', issue_price, repurchase_price, '101.00', change, change_percent,
        performance, NULL, NULL, NULL, NULL FROM price WHERE date = '2024-01-02' AND isin = '${isinOf(1)}'`,
    )
    await build(db, full, { asOf: next })
  })

  /** The files that are those of the earlier snapshot. */
  const unchanged = (built: string, earlier = out) => {
    const earlierFiles = join(earlier, 'downloads', asOf)
    const inode = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino
    return filesIn(join(built, 'downloads', next)).filter(
      (file) => inode(join(built, 'downloads', next, file)) === inode(join(earlierFiles, file)),
    )
  }
  const ofFund = (fund: number) =>
    ['nav.txt', 'prices.csv', 'prices.json', `${isinOf(fund)}-prices.json`].map(
      (name) => `${isinOf(fund)}/${name}`,
    )

  // Parquet files name the day and the snapshot: there is none of another day.
  it('makes the files with new prices, and those that a fund appears in since it turned one year old', async () => {
    const built = folder.file('linked')
    await build(db, built, { asOf: next }, folderOf(out))
    const tables = ['allocations', 'distributions', 'documents', 'emt', 'funds'].concat([
      'key_figures',
      'profiles',
      'structures',
    ])
    const csvNames = tables.map((name) => (name === 'emt' ? 'emt_data.csv' : `${name}.csv`))
    const wanted = [
      ...csvNames.flatMap((name) => [name, `csv-excel/${name.replace('.csv', '-excel.csv')}`]),
      'csv-excel/prices_2021-excel.csv',
      'csv-excel/prices_2022-excel.csv',
      ...[0, 2, 3].flatMap(ofFund),
    ]
    expect(unchanged(built)).toEqual(wanted.sort())
    expect(hashesOf(built)).toEqual(hashesOf(full))
  })

  it('reuses the files of the folder that a sparse snapshot replaces', async () => {
    const built = folder.file('sparse')
    const place = join(built, 'downloads', next)
    const inodes = () => filesIn(place).map((file) => [file, statSync(join(place, file)).ino] as const)
    await build(db, built, { asOf: next }, manifestOf(out))
    const before = new Map(inodes())
    const content = hashesOf(built)
    await build(db, built, { asOf: next }, manifestOf(out))
    const anew = inodes().flatMap(([file, inode]) => (before.get(file) === inode ? [] : file))
    const always = [
      'SHA256SUMS',
      'datapackage.json',
      'days.js',
      'de.html',
      'downloads.css',
      'fund-data.sqlite',
    ]
    expect(anew).toEqual([...always, 'index.html'])
    expect(hashesOf(built)).toEqual(content)
    expect(hashesOf(place)).toEqual(hashesOf(join(full, 'downloads', next)))
  })

  it('makes everything after a change of the code', async () => {
    const built = folder.file('other-code')
    await build(db, built, { asOf: next, code: 'other' }, folderOf(out))
    expect(unchanged(built)).toEqual([])
  })

  const grown = ['prices.csv', 'prices.parquet', 'prices-exact.parquet', ...ofFund(1).slice(3)]

  it('copies the prices of earlier years into the files that the new price is added to', async () => {
    const earlier = folder.file('marked')
    cpSync(out, earlier, { recursive: true })
    const before = listOf(earlier)
    const marked = new Map(before.map((file) => [file, markParts(earlier, file)] as const))
    const [head] = readFileSync(join(out, 'downloads.ndjson'), 'utf8').split('\n')
    const lines = before.map((file) => ({ ...file, sha256: marked.get(file) ?? file.sha256 }))
    const list = [head, ...lines.map((line) => JSON.stringify(line)), ''].join('\n')
    writeFileSync(join(earlier, 'downloads.ndjson'), list)
    const built = folder.file('from marked')
    await build(db, built, { asOf: next }, folderOf(earlier))
    for (const name of grown) {
      const known = before.find(({ path }) => path === name)?.parts?.map(({ from }) => from)
      const now = listOf(built).find(({ path }) => path === name)?.parts ?? []
      const content = readFileSync(join(built, 'downloads', next, name))
      const copied = now.filter(({ from }) => known?.includes(from) === true)
      expect(copied.length, name).toBeGreaterThan(0)
      for (const { from, at } of now)
        expect({ name, isMarked: content[at] === mark }).toEqual({ name, isMarked: known?.includes(from) })
    }
  })

  it('makes the files anew if those with the earlier prices are damaged', async () => {
    const earlier = folder.file('damaged')
    cpSync(out, earlier, { recursive: true })
    for (const file of listOf(earlier)) markParts(earlier, file)
    const built = folder.file('from damaged')
    await build(db, built, { asOf: next }, folderOf(earlier))
    for (const name of grown) {
      const [some, others] = [built, full].map((place) => readFileSync(join(place, 'downloads', next, name)))
      expect({ name, isSame: some?.equals(others ?? Buffer.alloc(0)) }).toEqual({ name, isSame: true })
    }
  })

  const all = (list: string, from: RegExp, to: string) => list.replaceAll(from, to)
  it.each<[string, (list: string) => string | null]>([
    ['missing', () => null],
    ['of another version', (list) => list.replace('{"format":3,', '{"format":99,')],
    ['no list at all', () => 'x'],
    ['one that leads out of the folder', (list) => list.replace('{"path":"', '{"path":"../')],
    ['one of another folder', (list) => list.replace(/"asOf":"[^"]*"/, `"asOf":"../downloads/${asOf}"`)],
    ['one with parts behind the end of a file', (list) => all(list, /"at":(\d+)/g, '"at":9$1')],
    ['one with parts before a file', (list) => all(list, /"at":/g, '"at":-')],
    ['one with parts that are none', (list) => all(list, /"parts":\[.*\]/g, '"parts":null')],
  ])('makes everything if the list of the earlier files is %s', async (what, damage) => {
    const earlier = folder.file(`list ${what}`)
    cpSync(out, earlier, { recursive: true })
    const place = join(earlier, 'downloads.ndjson')
    const list = damage(readFileSync(place, 'utf8'))
    expect(list).not.toBe(readFileSync(place, 'utf8'))
    rmSync(place)
    if (list !== null) writeFileSync(place, list)
    const built = folder.file(`from list ${what}`)
    await build(db, built, { asOf: next }, folderOf(earlier))
    expect(unchanged(built, earlier)).toEqual([])
    expect(hashesOf(built)).toEqual(hashesOf(full))
  })
})

/** Downloads of a night that goes on from an earlier folder: whatever changed meanwhile, they are those of a full build. */
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSnapshot } from '../../src/build/build.ts'
import { RefusedDatabase } from '../../src/data/check/finding.ts'
import { apply, dayAfter, edit, openToEdit } from '../build/edits.ts'
import { editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { keptThreads } from '../support/kept-threads.ts'
import { makeTempFolder } from '../support/product.ts'
import { filesIn, hashesOf } from '../support/tree.ts'
import { times } from '../support/rounds.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

const asOf = '2024-05-03'
const next = '2024-05-04'

/** Four funds, with prices of three years; the last turns one year old on 4 May 2024. */
function makeFunds(db: string): void {
  makeDatabase(db, (insert) => {
    for (const isin of [0, 1, 2, 3].map(isinOf)) {
      insertGood(insert, isin, {
        fund: { fund_inception_date: isin === isinOf(3) ? '2023-05-04' : '2010-01-04' },
      })
      for (const date of ['2021-12-30', '2022-01-03', '2022-12-30', '2024-01-02'])
        insert('price', { ...goodRows['price'], isin, date })
    }
  })
}

interface Settings {
  readonly asOf: string
  readonly code?: string
}

/** @param since a folder, or a manifest @returns whether the database was good enough */
async function build(db: string, out: string, { asOf, code = 'code' }: Settings, since?: string) {
  const addresses = { docsUrl: 'https://docs.example', baseUrl: 'https://api.example' }
  const what = { code, pages: null, downloads: { licence: null }, jobs: 1, only: [] }
  const kind = since?.endsWith('.gz') === true ? 'manifest' : 'folder'
  const from = since === undefined ? null : ({ kind, path: since } as const)
  try {
    const { signal } = new AbortController()
    await buildSnapshot({
      db,
      out,
      asOf,
      ...addresses,
      ...what,
      threads: keptThreads(1),
      since: from,
      signal,
    })
    return true
  } catch (error) {
    if (error instanceof RefusedDatabase) return false
    throw error
  }
}

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
      let earlierCode = 'code'
      for (const [index, { edits, days, code }] of some.entries()) {
        copyFileSync(db, place('before.sqlite'))
        const connection = openToEdit(db)
        for (const one of edits) apply(connection, one)
        connection.close()
        const [full, linked] = [place(`${index + 1}`), place(`${index + 1}-linked`)]
        const before = hashesOf(earlier)
        const settings = { asOf: dayAfter(asOf, days), code }
        const isBuilt = await build(db, full, settings)
        expect(await build(db, linked, settings, earlier)).toBe(isBuilt)
        expect(hashesOf(earlier)).toEqual(before)
        if (!isBuilt) {
          copyFileSync(place('before.sqlite'), db)
          continue
        }
        expect(hashesOf(linked)).toEqual(hashesOf(full))
        // Of its documents a sparse one has what changed only, and packs all of them.
        const sparse = place(`${index + 1}-sparse`)
        await build(db, sparse, settings, join(earlier, 'manifest.ndjson.gz'))
        const { 'documents.zip': zip, ...others } = hashesOf(join(full, 'downloads', settings.asOf))
        const wanted =
          code === earlierCode
            ? { ...others, 'documents.zip': zip }
            : expect.not.objectContaining({ 'documents.zip': zip })
        expect(hashesOf(join(sparse, 'downloads', settings.asOf))).toEqual(wanted)
        // The next one goes on from what stood itself.
        earlier = linked
        earlierCode = code
      }
    }),
    { numRuns: times(3), endOnFailure: true },
  )
}, 600_000)

describe('after a night of a few funds', () => {
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

  /** The files of the new night that are those of the night before. */
  const unchanged = (built: string, earlier = out) => {
    const earlierFiles = join(earlier, 'downloads', asOf)
    const inode = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino
    return filesIn(join(built, 'downloads', next)).filter(
      (file) => inode(join(built, 'downloads', next, file)) === inode(join(earlierFiles, file)),
    )
  }
  const ofFund = (fund: number) =>
    ['nav.txt', 'prices.csv', 'prices.json'].map((name) => `${isinOf(fund)}/${name}`)

  it('makes what has new prices, and what a fund that turned one year old is new in', async () => {
    const built = folder.file('linked')
    await build(db, built, { asOf: next }, out)
    const tables = ['allocations', 'emt', 'funds', 'key_figures', 'profiles', 'structures']
    const csvNames = tables.map((name) => (name === 'emt' ? 'emt_data.csv' : `${name}.csv`))
    expect(unchanged(built)).toEqual(
      [
        ...csvNames.flatMap((name) => [name, `csv-excel/${name}`]),
        ...tables.map((name) => `${name}.parquet`),
        ...['csv-excel/prices_2021.csv', 'csv-excel/prices_2022.csv', 'emt.csv'],
        ...[0, 2, 3].flatMap(ofFund),
      ].sort(),
    )
    expect(hashesOf(built)).toEqual(hashesOf(full))
  })

  it('takes them from the folder that a sparse snapshot comes into', async () => {
    const built = folder.file('sparse')
    const manifest = join(out, 'manifest.ndjson.gz')
    const place = join(built, 'downloads', next)
    const inodes = () => filesIn(place).map((file) => [file, statSync(join(place, file)).ino] as const)
    await build(db, built, { asOf: next }, manifest)
    const [before, content] = [new Map(inodes()), hashesOf(built)]
    await build(db, built, { asOf: next }, manifest)
    const anew = inodes().flatMap(([file, inode]) => (before.get(file) === inode ? [] : file))
    expect(anew).toEqual([
      ...['SHA256SUMS', 'datapackage.json', 'de.html', 'documents.zip', 'fundpress.sqlite', 'index.html'],
    ])
    expect(hashesOf(built)).toEqual(content)
    expect(hashesOf(place)).toEqual(hashesOf(join(full, 'downloads', next)))
  })

  it('makes everything after a change of the code', async () => {
    const built = folder.file('other-code')
    await build(db, built, { asOf: next, code: 'other' }, out)
    expect(unchanged(built)).toEqual([])
  })

  it('makes what the earlier folder lacks, or has cut short', async () => {
    const damaged = folder.file('damaged')
    cpSync(out, damaged, { recursive: true })
    const file = (name: string) => join(damaged, 'downloads', asOf, name)
    rmSync(file('csv-excel/funds.csv'))
    writeFileSync(file('emt.csv'), '')
    const built = folder.file('from-damaged')
    await build(db, built, { asOf: next }, damaged)
    expect(hashesOf(built)).toEqual(hashesOf(full))
    expect(unchanged(built, damaged)).toContain('structures.csv')
  })

  it.each([
    ['damaged', (content: Buffer) => content.fill(0, 100, 2000)],
    ['cut short', (content: Buffer) => content.subarray(0, 1000)],
  ])('packs the documents anew where the earlier ZIP is %s', async (what, damage) => {
    const earlier = folder.file(`zip ${what}`)
    // Its documents have to be the same files, or nothing would be copied anyhow.
    await build(db, earlier, { asOf: next }, out)
    const zip = join(earlier, 'downloads', next, 'documents.zip')
    const content = damage(readFileSync(zip))
    rmSync(zip)
    writeFileSync(zip, content)
    const built = folder.file(`from zip ${what}`)
    await build(db, built, { asOf: next }, earlier)
    expect(hashesOf(built)).toEqual(hashesOf(full))
  })

  it.each([
    ['missing', null],
    ['of another version', '{"format":99,"asOf":"2024-05-03"}\n{"format":99}\n'],
    ['no list at all', 'x'],
    ['one that leads out of the folder', '{"format":1,"asOf":"2024-05-03"}\n{"path":"../x","bytes":1}\n'],
  ])('makes everything where the list of the earlier files is %s', async (what, list) => {
    const earlier = folder.file(`list ${what}`)
    cpSync(out, earlier, { recursive: true })
    rmSync(join(earlier, 'downloads.ndjson'))
    if (list !== null) writeFileSync(join(earlier, 'downloads.ndjson'), list)
    const built = folder.file(`from list ${what}`)
    await build(db, built, { asOf: next }, earlier)
    expect([unchanged(built, earlier), hashesOf(built)]).toEqual([[], hashesOf(full)])
  })
})

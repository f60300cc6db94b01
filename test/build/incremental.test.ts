/** Builds that go on from an earlier snapshot: whatever changed meanwhile, they give what a full build gives. */
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BuildOptions, BuildSummary } from '../../src/core/snapshot/build.ts'
import { checkDatabase } from '../../src/core/data/check/check.ts'
import { RefusedDatabase } from '../../src/core/data/check/finding.ts'
import type { RenderRequest } from '../../src/core/snapshot/render-worker.ts'
import type { StartThread } from '../../src/core/system/start-thread.ts'
import { editDatabase, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { makeTempFolder, tempFolder } from '../support/folders.ts'
import { startKept } from '../support/kept-threads.ts'
import { faultsOf, filesIn, hashesOf, sumsOf } from '../support/tree.ts'
import * as builds from './builds.ts'
import { dayAfter, edit } from './edits.ts'
import { times } from '../support/rounds.ts'

const { build, folderOf, makeFunds, manifestOf, outcomeOf, settings: first, young } = builds
const folder = tempFolder()

const comparable = (outcome: builds.Outcome) =>
  outcome.kind === 'refused' ? outcome : builds.resultOf(outcome.summary)

const night = fc.record({
  edits: fc.array(edit, { maxLength: 6 }),
  asOf: fc.integer({ min: -1, max: 2 }).map((days) => dayAfter(first.asOf, days)),
  docsUrl: fc.constantFrom(first.docsUrl, first.docsUrl, 'https://other.example'),
  baseUrl: fc.constantFrom(first.baseUrl, first.baseUrl, first.baseUrl, 'https://other.example'),
  code: fc.constantFrom(first.code, first.code, first.code, 'other code'),
  hasPages: fc.constantFrom(true, true, true, false),
  /** Which of the earlier snapshots it goes on from. */
  back: fc.integer({ min: 1, max: 2 }),
})

it('gives the snapshot of a full build, byte for byte, and refuses what that refuses', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 5 }), async (nights) => {
      const run = runs++
      const place = (name: string) => folder.file(`run-${run}-${name}`)
      const db = place('funds.sqlite')
      makeFunds(db)
      await build(db, place('0'), { hasPages: true })
      const earlier = [place('0')]
      for (const [index, { edits, back, ...settings }] of nights.entries()) {
        copyFileSync(db, place('before.sqlite'))
        builds.editAll(db, edits)
        const since = earlier.at(-back) ?? place('0')
        const full = place(`${index + 1}`)
        if (!(await compare(db, since, full, settings))) copyFileSync(place('before.sqlite'), db)
        else earlier.push(full)
      }
    }),
    { numRuns: times(5), endOnFailure: true },
  )
})

/** In every snapshot, sparse ones included: they name it. */
const alwaysThere =
  'SHA256SUMS corporate-actions.json manifest.ndjson.gz statistics.ndjson status/changes.js status/de.html status/index.html status/index.json status/status.css status/status.js'.split(
    ' ',
  )

/** Builds the database in every way. @returns false if it is refused */
async function compare(db: string, since: string, full: string, settings: Partial<BuildOptions>) {
  const linked = `${full}-linked`
  const sparse = `${full}-sparse`
  const before = hashesOf(since)
  const expected = await outcomeOf(db, full, settings)
  for (const [out, from] of [[linked, folderOf(since)] as const, [sparse, manifestOf(since)] as const])
    expect(comparable(await outcomeOf(db, out, { ...settings, since: from }))).toEqual(comparable(expected))
  expect(hashesOf(since)).toEqual(before)
  if (expected.kind === 'refused') return false

  expect(faultsOf(full)).toEqual([])
  const whole = hashesOf(full)
  expect(hashesOf(linked)).toEqual(whole)
  // The type follows from the key: what has the same bytes is the same object.
  const earlier = sumsOf(since)
  const missing = Object.keys(whole).filter(
    (key) => !alwaysThere.includes(key) && earlier.get(key) !== whole[key],
  )
  const names = [...alwaysThere, ...missing]
  const { 'sparse.json': mark, ...files } = hashesOf(sparse)
  expect(mark).toBeDefined()
  expect(files).toEqual(Object.fromEntries(names.map((name) => [name, whole[name]])))
  return true
}

describe('a build of four funds that continues from a snapshot', () => {
  const db = folder.file('funds.sqlite')
  const out = folder.file('out')
  let whole: BuildSummary
  beforeAll(async () => {
    makeFunds(db)
    whole = await build(db, out)
  })

  const changed = (name: string, sql: string) => builds.changedCopy(db, folder.file(`${name}.sqlite`), sql)
  const documentsIn = (next: string) => filesIn(next).filter((file) => /^(api|errors)\//.test(file))
  const newPrice = `INSERT INTO price SELECT isin, '2024-05-03', issue_price, repurchase_price, '101.00', change,
    change_percent, performance, NULL, NULL, NULL, NULL FROM price WHERE date = '2024-05-02'`

  it('renders the current price, the window of the year and the list of a fund with a new price', async () => {
    const file = changed('new-price', `${newPrice} AND isin = '${isinOf(1)}'`)
    const next = folder.file('next-price')
    const { rendered, isSparse, since } = await build(file, next, { since: manifestOf(out) })
    const current = ['prices-current-all', `prices-current/${isinOf(1)}`].flatMap((endpoint) =>
      ['csv', 'json', 'xml'].map((format) => `api/v1/${endpoint}/index.${format}`),
    )
    const historic = ['2024.csv', '2024.json', '2024.xml', 'index.json'].map(
      (name) => `api/v1/prices-historic/${isinOf(1)}/${name}`,
    )
    expect(documentsIn(next)).toEqual([...current, ...historic])
    expect({ rendered, isSparse, since }).toEqual({ rendered: 10, isSparse: true, since: whole.snapshot })
  })

  it('adds the documents that the snapshot before lacks, and renders no other', async () => {
    const earlier = folder.file('without-csv')
    cpSync(out, earlier, { recursive: true })
    const tables = documentsIn(earlier).filter((key) => key.endsWith('.csv'))
    expect(tables.length).toBeGreaterThan(4)
    for (const key of tables) rmSync(join(earlier, key))
    const manifest = join(earlier, 'manifest.ndjson.gz')
    const lines = gunzipSync(readFileSync(manifest))
      .toString()
      .split(/(?<=\n)/)
    writeFileSync(manifest, gzipSync(lines.filter((line) => !line.includes('.csv"')).join('')))
    const next = folder.file('next-with-csv')
    await build(db, next, { since: folderOf(earlier) })
    expect(hashesOf(next)).toEqual(hashesOf(out))
    const sparse = folder.file('next-sparse-with-csv')
    await build(db, sparse, { since: manifestOf(earlier) })
    // Nothing else differs: the other documents are rendered with the same bytes.
    expect(documentsIn(sparse)).toEqual(tables)
  })

  it('renders the documents of endpoints that are new in the registry', async () => {
    const endpoints = new URL('made-up-endpoints.ts', import.meta.url).href
    const next = folder.file('next-endpoint')
    await build(db, next, { endpoints, since: folderOf(out) })
    const read = (key: string) => readFileSync(join(next, `api/v3/${key}`), 'utf8')
    expect(read(`carbon/${isinOf(1)}/index.json`)).toBe('{"tonnes":12.5}')
    expect(read('carbon-all/index.xml').match(/<tonnes>12\.5<\/tonnes>/g)).toHaveLength(4)
    expect(faultsOf(next)).toEqual([])
  })

  it('renders a fund that turns one year old', async () => {
    const next = folder.file('next-birthday')
    await build(db, next, { asOf: '2024-05-04', since: manifestOf(out) })
    const folders = documentsIn(next).map((file) => file.slice(0, file.lastIndexOf('/')))
    expect([...new Set(folders)]).toEqual([
      `api/v1/performance-launch/${young}`,
      `api/v1/performance-legal/${young}`,
      'api/v1/performance-years-all',
      `api/v1/performance-years/${young}`,
    ])
  })

  it.each([
    ['price', "net_asset_value = 'x'"],
    ['legal_point', 'value = 9e999'],
  ])('names the errors of changed rows of %s, as a check does', async (table, set) => {
    const change = `UPDATE ${table} SET ${set} WHERE isin = '${isinOf(2)}'`
    const file = changed(`bad-${table}`, `PRAGMA ignore_check_constraints = ON; ${change}`)
    const outcome = await outcomeOf(file, folder.file(`next-${table}`), { since: folderOf(out) })
    const findings = await checkDatabase({ db: file, asOf: first.asOf })
    expect(findings.map((finding) => finding.table)).toContain(table)
    expect(outcome).toEqual({ kind: 'refused', findings })
  })

  it('warns of rows that did not change, too', async () => {
    const isin = isinOf(1)
    const file = changed(
      'warned',
      `UPDATE emt SET ongoing_costs_date = '2031-12-31' WHERE isin = '${isin}';
       UPDATE key_figure SET name_de = 'VermÃ¶gen' WHERE isin = '${isin}'`,
    )
    const full = folder.file('warned full')
    const { warnings } = await build(file, full)
    expect(warnings.filter((one) => one.isin === isin).map(({ message }) => message)).toEqual([
      'ongoing_costs_date 2031-12-31 lies after the as-of date, 2024-05-03',
      'position 4: name_de looks like UTF-8 that was read in another encoding, "VermÃ¶gen"',
    ])
    const next = await build(file, folder.file('warned next'), { since: manifestOf(full) })
    expect({ rendered: next.rendered, warnings: next.warnings }).toEqual({ rendered: 0, warnings })
  })

  it('refuses prices that lie after an earlier as-of date', async () => {
    const earlier = { asOf: '2024-05-01', since: folderOf(out) }
    await expect(build(db, folder.file('next-earlier'), earlier)).rejects.toThrow(RefusedDatabase)
  })

  it('copies them from another file system', async ({ skip }) => {
    const elsewhere = makeTempFolder(tmpdir())
    try {
      cpSync(out, elsewhere.file('out'), { recursive: true })
      if (statSync(elsewhere.path).dev === statSync(folder.path).dev) skip('there is only one file system')
      const next = folder.file('next-copied')
      const { rendered } = await build(db, next, { since: folderOf(elsewhere.file('out')) })
      expect({ rendered, hashes: hashesOf(next) }).toEqual({ rendered: 0, hashes: hashesOf(out) })
    } finally {
      elsewhere.remove()
    }
  })

  it('links the files that did not change, and can replace the folder that it continues from', async () => {
    const file = changed('linked', newPrice)
    const next = folder.file('next-linked')
    const inPlace = folder.file('in-place')
    cpSync(out, inPlace, { recursive: true })
    await build(file, next, { since: folderOf(out) })
    const inode = (of: string, key: string) => statSync(join(of, key)).ino
    const shared = documentsIn(next).filter((key) => inode(next, key) === inode(out, key))
    expect(documentsIn(next)).toHaveLength(shared.length + 4 * 7 + 3)
    expect(faultsOf(next)).toEqual([])
    expect(hashesOf(inPlace)).toEqual(hashesOf(out))
    await build(file, inPlace, { since: folderOf(inPlace) })
    expect(hashesOf(inPlace)).toEqual(hashesOf(next))
  })
})

it('reads no line of the earlier snapshot for nothing, once a fund has refused the new one', async () => {
  const db = folder.file('many.sqlite')
  const isins = Array.from({ length: 16 }, (_, index) => isinOf(index + 1))
  makeDatabase(db, (insert) => {
    for (const isin of isins) insertGood(insert, isin)
  })
  await build(db, folder.file('many'))
  editDatabase(db, `UPDATE price SET change = '1e5' WHERE isin = '${isinOf(1)}'`)
  const asked: { readonly isRefused: boolean; readonly previous: readonly unknown[] }[] = []
  const startThread: StartThread = (module, name) => {
    const thread = startKept(module, name)
    const ask = (request: never) => {
      const { kind, isRefused, previous } = request as RenderRequest & (typeof asked)[number]
      if (kind === 'render') asked.push({ isRefused, previous })
      return thread.ask(request)
    }
    return { ...thread, ask } as never
  }
  const since = folderOf(folder.file('many'))
  expect(await outcomeOf(db, folder.file('many-2'), { since, startThread })).toMatchObject({
    kind: 'refused',
  })
  expect(asked.map(({ isRefused }) => isRefused)).toContain(true)
  expect(asked.map(({ isRefused, previous }) => isRefused === (previous.length === 0))).not.toContain(false)
})

import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { forced } from '../support/product.ts'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { bucketArgs } from '../support/publishing.ts'
import { withoutFund } from './nightly/nightly.ts'

let press: Press
let [before, after, renamed, gone, refused, older, same] = ['', '', '', '', '', '', '']

/** Tonight: one fund renamed, one gone, one refused, one with prices of another year. */
beforeAll(async () => {
  const nights = await buildNights(0, 5)
  before = await nights.change('before', '', '--as-of', '2026-11-11')
  const isins = readdirSync(join(before, 'api/v1/prices-current')).sort()
  ;[renamed = '', gone = '', refused = '', older = '', same = ''] = isins
  const changes = `UPDATE fund SET name = name || ' II' WHERE isin = '${renamed}'; ${withoutFund(`'${gone}'`)}
    UPDATE fund SET performance_permitted = 0 WHERE isin = '${refused}';
    DELETE FROM price WHERE isin = '${older}' AND date < '2025-01-01'`
  after = await nights.change('after', changes, '--as-of', '2026-11-11')
  press = await openPress(nights)
  expect(await press.publish(before)).toMatchObject({ code: 0 })
  expect(await press.publish(after, ...forced)).toMatchObject({ code: 0 })
})

afterAll(() => press.stop())

type Counts = Readonly<Record<'added' | 'removed' | 'changed', number>>
interface Report {
  readonly from: { readonly objects: number }
  readonly to: { readonly objects: number }
  readonly funds: Readonly<Record<'added' | 'removed', readonly string[]>>
  readonly documents: Counts
  readonly groups: readonly { isin: string | null; endpoint: string; documents: Counts; parts: object[] }[]
}
const reportOf = (stdout: string) => JSON.parse(stdout) as Report

const inBucket = (name = press.bucket.name) => bucketArgs(press.server.endpoint, name)
const diff = (...args: readonly string[]) => press.bare(['plan', ...args])

it('names the funds, endpoints and parts that differ', async () => {
  const report = reportOf(await expectSuccess(diff(before, after, '--json')))
  expect(report.funds).toEqual({ added: [], removed: [gone] })
  const of = (isin: string | null, endpoint: string) =>
    report.groups.find((group) => group.isin === isin && group.endpoint === endpoint)
  expect(of(null, 'prices-current-all')).toMatchObject({
    documents: { added: 0, removed: 0, changed: 3 },
    parts: [{ name: 'document', what: 'changed' }],
  })
  expect(of(renamed, 'prices-current')?.documents).toEqual({ added: 0, removed: 0, changed: 2 })
  expect(of(refused, 'performance-years')).toMatchObject({
    documents: { added: 2, removed: 2, changed: 0 },
    parts: [{ name: 'document', what: 'refused' }],
  })
  expect(of(older, 'prices-historic')?.parts).toEqual([
    { name: '2024', what: 'removed' },
    { name: 'window list', what: 'changed' },
  ])
  expect(of(gone, 'investment_structure')).toMatchObject({
    documents: { added: 0, changed: 0 },
    parts: expect.arrayContaining([{ name: 'countries', what: 'removed' }]) as object,
  })
  expect(report.groups.filter(({ isin }) => isin === same)).toEqual([])
  const total = report.groups.reduce((sum, group) => sum + group.documents.removed, 0)
  expect(report.documents.removed).toBe(total)
  expect(report.from.objects - report.documents.removed + report.documents.added).toBe(report.to.objects)
})

it('calls a part changed that has one more format than in the snapshot before', async () => {
  const earlier = join(before, '..', 'without-csv.ndjson.gz')
  const lines = gunzipSync(readFileSync(join(before, 'manifest.ndjson.gz')))
    .toString()
    .split(/(?<=\n)/)
  writeFileSync(earlier, gzipSync(lines.filter((line) => !line.includes('.csv"')).join('')))
  const { groups, documents } = reportOf(await expectSuccess(diff(earlier, before, '--json')))
  expect(new Set(groups.map(({ endpoint }) => endpoint))).toEqual(
    new Set(['prices-current', 'prices-current-all', 'prices-historic']),
  )
  expect(
    groups.flatMap(({ parts }) => parts).filter((part) => !('what' in part && part.what === 'changed')),
  ).toEqual([])
  expect(documents).toMatchObject({ removed: 0, changed: 0 })
})

it('prints a table of endpoints and a list of funds', async () => {
  const { stdout } = await diff(before, after)
  expect(stdout).toMatch(
    /^from {7}2026-11-11-[0-9a-f]{12} \(.+before\)\nto {9}2026-11-11-[0-9a-f]{12} \(.+after\)\n/,
  )
  expect(stdout).toMatch(
    /\nfunds {6}3 changed, 1 removed\ndocuments {2}\d+ changed, \d+ added, \d+ removed\n/,
  )
  expect(stdout).toContain(`\n${gone}  fund removed, `)
  expect(stdout).toMatch(/\n {2}performance-years +2 added, 2 removed: document refused\n/)
  expect(stdout).toMatch(/\n {2}prices-historic .+: 2024 removed; window list changed\n/)
})

it('reads folders, manifests, and slots of the bucket', async () => {
  const folders = await diff(before, after, '--json')
  const bucket = inBucket()
  const sources: readonly (readonly string[])[] = [
    [join(before, 'manifest.ndjson.gz'), join(after, 'manifest.ndjson.gz')],
    ['blue', 'green', ...bucket],
    ['other', 'live', ...bucket],
    [before, 'live', ...bucket],
  ]
  for (const source of sources)
    expect(await diff(...source, '--json')).toEqual({ code: 0, stdout: folders.stdout, stderr: '' })
})

it('warns of a torn slot', async () => {
  const journal = press.bucket.body('journal.json')
  const changing = { blue: 'journal/x.changes.ndjson.gz' }
  press.bucket.put('journal.json', JSON.stringify({ ...JSON.parse(String(journal)), changing }))
  const { code, stderr } = await diff('other', 'live', ...inBucket())
  expect(code).toBe(0)
  expect(stderr).toMatch(/^fundpress: s3:\/\/funds\/blue is torn[^\n]*\n$/)
  press.bucket.put('journal.json', journal)
})

describe('what is no snapshot', () => {
  it('is named in one line', async () => {
    const damaged = press.nights.folder.file('damaged.ndjson.gz')
    writeFileSync(damaged, readFileSync(join(after, 'manifest.ndjson.gz')).subarray(0, 3000))
    const cases: readonly (readonly [RegExp, readonly string[]])[] = [
      [/nowhere: there is no such folder or manifest/, [press.nights.folder.file('nowhere'), after]],
      [/damaged\.ndjson\.gz is damaged/, [damaged, after]],
      [/there is no bucket nix/, [after, 'live', ...inBucket('nix')]],
    ]
    for (const [message, args] of cases) {
      const { code, stdout, stderr } = await diff(...args)
      expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1])
      expect(stderr).toMatch(message)
    }
  })

  it('is not a slot if a folder has that name', async () => {
    const blue = press.nights.folder.file('blue')
    renameSync(before, blue)
    expect(await diff(blue, after, '--json')).toMatchObject({ code: 0 })
    renameSync(blue, before)
  })
})

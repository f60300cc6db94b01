/**
 * Nights with downloads for the tests of this folder: hooks that put the bucket and the database back before each test, and
 * full builds as the measure.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { buildNights } from '../../support/nights.ts'
import { openPress, type Press } from '../../support/press.ts'
import type { Run } from '../../support/product.ts'
import type { Fault } from '../../support/s3/faults.ts'
import { hashesOf } from '../../support/tree.ts'

export const env = {
  FUNDPRESS_DOWNLOADS: 'true',
  FUNDPRESS_BASE_URL: 'https://api.example',
}
const tables = 'price performance_year structure_item key_figure legal_period legal_point launch_point'
  .split(' ')
  .concat('profile', 'asset_allocation', 'emt', 'fund')

export let press: Press
/** ISINs, ascending; the last one is in no night before the one that is tested. */
let isins: readonly string[]
export let allFunds: Buffer
export let twoFunds: Buffer
/** As after the nights of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

export const fileOf = (name: string) => press.nights.folder.file(name)
export const db = () => fileOf('funds.sqlite')
export const edit = (sql: string) => {
  editDatabase(db(), sql)
}
export const without = (isin: string) =>
  tables.map((table) => `DELETE FROM ${table} WHERE isin = '${isin}';`).join('')
export const nightly = (day: number, flags = '', more: Readonly<Record<string, string>> = {}): Promise<Run> =>
  press.fundpress(`nightly --db funds.sqlite --as-of 2026-11-${day} --since other --json ${flags}`.trim(), {
    ...env,
    ...more,
  })
export const isinAt = (index: number) => isins[index] ?? ''

/** To be called once in a file of tests. */
export function useDocumentNights(): void {
  beforeAll(async () => {
    press = await openPress(await buildNights(1, 4, { years: 1 }))
    allFunds = readFileSync(db())
    isins = Object.keys(hashesOf(fileOf('night-1/api/v1/prices-current')))
      .map((file) => file.slice(0, 12))
      .filter((isin, index, all) => all.indexOf(isin) === index && isin !== 'index.json')
    edit(`UPDATE fund SET name = '</script><b>"&' WHERE isin = '${isinAt(0)}'; ${without(isinAt(3))}`)
    expect(await nightly(11)).toMatchObject({ code: 0 })
    edit(`UPDATE profile SET benchmark = 'x' WHERE isin = '${isinAt(0)}'`)
    expect(await nightly(12)).toMatchObject({ code: 0 })
    twoFunds = readFileSync(db())
    restore = press.bucket.save()
  })
  afterAll(() => press.stop())
  beforeEach(() => {
    restore()
    press.server.reset()
    rmSync(fileOf('out'), { recursive: true, force: true })
    writeFileSync(db(), twoFunds)
  })
}

export const bodyOf = (key: string) => press.bucket.body(key)
export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** Full builds, by database and day: many nights are of the same. */
const built = new Map<string, Readonly<Record<string, string>>>()
export async function fullBuild(asOf: string): Promise<Readonly<Record<string, string>>> {
  const key = `${asOf} ${sha256(readFileSync(db()))}`
  const known = built.get(key)
  if (known !== undefined) return known
  rmSync(fileOf('full'), { recursive: true, force: true })
  const run = await press.bare(`build --db funds.sqlite --out full --as-of ${asOf} --quiet`, env)
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const files = hashesOf(fileOf('full'))
  expect(Object.keys(files)).toContain(`downloads/${asOf}/documents.zip`)
  built.set(key, files)
  return files
}

export const newPrices = `INSERT INTO price SELECT isin, '2026-11-12', issue_price, repurchase_price, '101.00', change,
  change_percent, performance, NULL, NULL, NULL, NULL FROM price WHERE date = '2026-11-10'`

/** In the folder of the 11th. */
export const keyOf = (name: string) => `${press.bucket.downloads('2026-11-11')}${name}`
/** The same as `undated` shows them. */
export const zipKey = 'downloads/2026-11-11/documents.zip'
export const sumsKey = 'downloads/2026-11-11/SHA256SUMS'
/** Without the digests in the names of folders. */
export const undated = (text: string) => text.replaceAll(/(downloads\/2026-11-\d\d)-[0-9a-f]{12}\b/g, '$1')
/** On each get of the ZIP, or on so many. */
export const onZip = (fault: Fault, times = Infinity) => {
  press.server.faults([{ ...fault, times, operation: 'GetObject', keyMatches: /documents\.zip$/ }])
}
/** As a fundpress of another version would have left it. */
export const changeSettings = () => {
  const key = 'blue/manifest.ndjson.gz'
  const text = gunzipSync(bodyOf(key)).toString()
  press.bucket.put(key, gzipSync(text.replace(/"settings":"[^"]*"/, '"settings":"other"')))
}

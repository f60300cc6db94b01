/** A nightly run with implausible prices: refused for good, or their funds keep the prices that are live. */
import { writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { parseManifest } from '../../support/tree.ts'
import { db, fileOf, lastOf, nightlyOf, nothingToDo, press, read, stepsOf, useNights } from './nightly.ts'

useNights(2)

const first = '2026-11-11'
const second = '2026-11-12'
const wrong = `UPDATE price SET net_asset_value = net_asset_value * 100, issue_price = issue_price * 100
  WHERE isin = (SELECT min(isin) FROM price) AND date = '2026-11-10'`
const nightly = (flags = '') => nightlyOf(second, `--json ${flags}`.trim())
const configure = (expectations: object) =>
  writeFileSync(fileOf('fundpress.config.json'), JSON.stringify({ expectations }))
const withheldIn = (slot: string) =>
  (parseManifest(press.bucket.body(`${slot}/manifest.ndjson.gz`)).head as { withheld?: readonly object[] })
    .withheld

beforeEach(async () => {
  configure({})
  expect(await nightlyOf(first)).toMatchObject({ code: 0 })
})

it('withholds, is not repeated with the same database, and runs again if an operator allows the price', async () => {
  const prices = () =>
    press.bucket.body(`${press.bucket.live()?.slot ?? ''}/api/v1/prices-current-all/index.json`)
  const before = prices()
  configure({ onImplausible: 'withhold' })
  editDatabase(db(), wrong)
  const done = await nightly('--summary night.md --since other')
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(prices().equals(before)).toBe(true)
  expect(withheldIn('green')).toHaveLength(1)
  expect(read('night.md')).toMatch(
    /fund \w{12}: its prices stay as they are live: NAV .* is \d{4}\.\d+ % above/,
  )
  expect(stepsOf(await nightly())).toEqual(nothingToDo)

  const allowed = await nightly('--allow price-jump --reason split')
  expect([allowed.code, lastOf(allowed)?.['event']]).toEqual([0, 'done'])
  expect(prices().equals(before)).toBe(false)
  expect(withheldIn('blue')).toBeUndefined()
})

/** What a folder of downloads holds, found by its files. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { RestrictedFunds } from '../../src/core/api/contract/fund.ts'
import { overlayStore } from '../../src/core/bucket/store/overlay.ts'
import { findWithdrawn } from '../../src/core/bucket/live/removal.ts'
import { lateStore } from '../support/late-store.ts'
import { randomFor } from '../../src/core/system/random.ts'
import { isinOf } from '../support/database.ts'

const draws = randomFor('withdrawn', 1)
const later = lateStore({
  lifetimeSeconds: 1,
  random: () => draws.between(0, 1),
  knowsConditions: true,
  onWrite: () => undefined,
})
// It gives parts of objects, which the store below does not.
const store = overlayStore(later.begin(null, () => Promise.resolve()).store)
const header = 'isin,date,net_asset_value\r\n'
/** A long file is not read as a whole: twelve million bytes, of every other fund. */
const funds = Array.from({ length: 300 }, (_, index) => isinOf(index)).sort()
const held = funds.filter((_, index) => index % 2 === 1)
const rowsOf = (isin: string) => `${isin},2026-11-11,1.23\r\n`
const long = header + held.map((isin, index) => rowsOf(isin).repeat(index % 7 === 0 ? 1 : 3000)).join('')

async function put(key: string, text: string) {
  const body = Buffer.from(text)
  const sha256 = createHash('sha256').update(body).digest('hex')
  await store.put({ key: `downloads/${key}`, body, sha256, type: 'text/csv', cacheControl: 'no-cache' })
}

const search = async (restricted: RestrictedFunds, folder = 'long') =>
  (await findWithdrawn(store, restricted, [folder], {})).get(folder) ?? []

it('finds the funds of a long file by bisection, the first and the last among them', async () => {
  await put('long/prices.csv', long)
  expect(long.length).toBeGreaterThan(2 ** 23)
  expect(await search({ prices: funds })).toEqual(held)
})

it('finds the funds of short files, each kind in its own', async () => {
  const [one = '', two = '', three = ''] = funds
  const files = ['funds', 'prices', 'performance_years', 'performance_periods', 'performance_line']
  for (const name of files) await put(`short/${name}.csv`, header)
  await put('short/funds.csv', `${header}${rowsOf(one)}`)
  await put('short/performance_launch.csv', `${header}${rowsOf(two)}`)
  expect(await search({ data: funds }, 'short')).toEqual([one])
  expect(await search({ prices: funds }, 'short')).toEqual([])
  expect(await search({ performance: [one, two, three] }, 'short')).toEqual([two])
})

it('counts a folder that lacks a file as holding what the file would tell', async () => {
  expect(await search({ data: funds.slice(0, 2) })).toEqual(funds.slice(0, 2))
  expect(await search({}, 'nothing')).toEqual([])
})

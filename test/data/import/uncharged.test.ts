/** Prices of a fund whose charges are in doubt: those that no row explains are found. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { derivableColumns } from '../../../src/core/data/derive/figures.ts'
import { schemaTables } from '../../../src/core/data/model/schema.ts'
import { bitsOf, chargeColumns, openStaging } from '../../../src/extensions/import/take/staging.ts'
import { isinOf } from '../../support/database.ts'

const isin = isinOf(0)
const table = schemaTables.prices
const own = ['isin', 'date', 'net_asset_value']
const offers = ['issue_price', 'repurchase_price'] as const

const dayOf = (number: number) => new Date(Date.UTC(1990, 0, 1 + number)).toISOString().slice(0, 10)

interface Charges {
  readonly surcharge?: number
  readonly fee?: number
}

/** @param charges that a file names, day by day */
function stagedPrices(charges: readonly Charges[]) {
  const staging = openStaging(new Database(':memory:'))
  const insert = staging.inserter(table, [...own, ...chargeColumns, ...derivableColumns])
  const derived = derivableColumns.map(() => '0')
  for (const [number, { surcharge = null, fee = null }] of charges.entries()) {
    const values = [isin, dayOf(number), '100', surcharge, fee, ...derived]
    expect(insert.row({ file: 0, place: number }, bitsOf(table, own), values)).toEqual({ kind: 'added' })
  }
  return staging
}

it('finds the prices before the first day whose row names each charge', () => {
  const charges = [{}, { surcharge: 5 }, {}, { fee: 1, surcharge: 3 }, {}]
  const staging = stagedPrices(charges)
  const placesOf = (...asked: Parameters<typeof staging.uncharged>) =>
    staging.uncharged(...asked).map(({ place }) => place)
  expect(placesOf(isin, ['issue_price'], false)).toEqual([0])
  expect(placesOf(isin, ['repurchase_price'], false)).toEqual([0, 1, 2])
  expect(placesOf(isin, offers, false)).toEqual([0, 1, 2])
  expect(placesOf(isin, offers, true)).toEqual([0, 1, 2, 3, 4])
  expect(placesOf(isin, [], false)).toEqual([])
  expect(placesOf(isinOf(1), offers, false)).toEqual([])
})

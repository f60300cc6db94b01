/** The queries of a fund's rows: they give every column of the schema, under the name that the endpoints know. */
import { afterAll, expect, it } from 'vitest'
import { fundReader, tableOf } from '../../src/source/fund-reader.ts'
import { openFunds } from '../../src/source/open.ts'
import { goodRows, insertGood, isinOf, makeDatabase, type Row } from '../support/database.ts'
import { makeTempFolder } from '../support/product.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

const isin = isinOf(1)
makeDatabase(folder.file('good.sqlite'), (insert) => {
  insertGood(insert, isin)
  insertGood(insert, isinOf(2))
})

it('reads every column of every table, and the rows of one fund only', () => {
  const db = openFunds(folder.file('good.sqlite'))
  const fund = fundReader(db).read(isin)
  db.close()
  const { fund_inception_date, ...basics } = goodRows['fund'] ?? {}
  expect(fund?.fund).toEqual({ isin, inceptionDate: fund_inception_date, ...inCamelCase(basics) })
  const groups = Object.entries(tableOf).map(([group, table]) => [
    group,
    [inCamelCase(goodRows[table] ?? {})],
  ])
  expect({ ...fund, fund: undefined }).toEqual({ ...Object.fromEntries(groups), fund: undefined })
})

it('knows no fund that there is not', () => {
  const db = openFunds(folder.file('good.sqlite'))
  expect(fundReader(db).read(isinOf(3))).toBe(undefined)
  db.close()
})

function inCamelCase(row: Row): Row {
  const named = Object.entries(row).map(([column, value]) => {
    return [column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value] as const
  })
  return Object.fromEntries(named)
}

/** The tables of the model: their queries give every column of schema.sql, under the name that the endpoints know. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { sqlTypeOf } from '../../src/core/data/model/columns.ts'
import { schemaTables } from '../../src/core/data/model/schema.ts'
import { createStatement, schemaSql } from '../../src/core/data/model/new-database.ts'
import { fundReader } from '../../src/core/data/read/fund-reader.ts'
import { openFunds } from '../../src/core/data/read/open.ts'
import { insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/folders.ts'

const folder = tempFolder()

const isin = isinOf(1)
makeDatabase(folder.file('good.sqlite'), (insert) => {
  insertGood(insert, isin)
  insertGood(insert, isinOf(2))
})

it('the reader gives undefined for an unknown ISIN', () => {
  const db = openFunds(folder.file('good.sqlite'))
  expect(fundReader(db).read(isinOf(3))).toBe(undefined)
  db.close()
})

it('the model says of each decimal of a price that it is an amount, a percentage or a tax figure', () => {
  const decimals = schemaTables.prices.columns.filter(({ kind }) => kind === 'decimal')
  const kinds = decimals.map(({ name, money, unit }) => `${name}: ${money ?? unit ?? 'unknown'}`)
  expect(kinds).toEqual([
    'issue_price: amount',
    'repurchase_price: amount',
    'net_asset_value: amount',
    'change: amount',
    'change_percent: percent',
    'performance: percent',
    'intercompany_profit: taxFigure',
    'share_profit: taxFigure',
    'real_estate_profits: taxFigure',
    'share_profit2: taxFigure',
  ])
})

it('the model has the columns of schema.sql: order, types, keys, defaults and constraints', () => {
  const db = new Database(':memory:')
  db.exec(schemaSql())
  interface Column {
    name: string
    type: string
    isNotNull: number
    pk: number
    fallback: unknown
  }
  const columns = db.prepare<[string], Column>(
    'SELECT name, type, "notnull" AS isNotNull, pk, dflt_value AS fallback FROM pragma_table_info(?)',
  )
  for (const table of Object.values(schemaTables)) {
    const found = columns.all(table.name)
    expect(found.map(({ name }) => name)).toEqual(table.columns.map(({ name }) => name))
    const key = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    expect(key.map(({ name }) => name)).toEqual(table.key)
    for (const [
      index,
      { name, kind, isNullable, hasDefault = false, allowed = null },
    ] of table.columns.entries()) {
      const { type, isNotNull, fallback } = found[index] ?? {}
      expect({ name, type, isNullable: isNotNull === 0, hasDefault: fallback !== null }).toEqual({
        name,
        type: sqlTypeOf(kind),
        isNullable,
        hasDefault,
      })
      const check = new RegExp(`CHECK \\(${name} (?:IN \\((.*?)\\)|BETWEEN (\\d) AND (\\d))\\)`)
      const listed = check.exec(createStatement(table))
      const values =
        listed?.[1]?.replaceAll("'", '').split(', ') ?? (listed === null ? null : [listed[2], listed[3]])
      const ends = listed?.[1] === undefined ? [allowed?.[0], allowed?.at(-1)] : allowed
      expect(values).toEqual(allowed === null ? null : ends?.map(String))
    }
  }
  db.close()
})

/** Digests of a fund's rows: rows that differ anywhere have another one. */
import { describe, expect, it } from 'vitest'
import { fundDigests, wholeGroups } from '../../src/core/data/read/fund-digests.ts'
import { schemaTables } from '../../src/core/data/model/schema.ts'
import { openFunds } from '../../src/core/data/read/open.ts'
import { goodRows, insertGood, isinOf, makeDatabase, type Row } from '../support/database.ts'
import { tempFolder } from '../support/folders.ts'

const folder = tempFolder()

const isin = isinOf(1)
let files = 0

/** All digests of one fund, whose good rows are changed. */
function digestsOf(
  changed: Readonly<Record<string, Row>>,
  more: Readonly<Record<string, readonly Row[]>> = {},
) {
  const file = folder.file(`${++files}.sqlite`)
  makeDatabase(file, (insert) => {
    insertGood(insert, isin, changed)
    for (const [table, rows] of Object.entries(more))
      for (const row of rows) insert(table, { ...goodRows[table], isin, ...row })
  })
  const db = openFunds(file)
  const digests = fundDigests(db)
  const ofGroups = wholeGroups.map((group) => [schemaTables[group].name, digests.group(group, isin)] as const)
  const found = {
    fund: digests.fund(isin),
    newest: digests.newestPrice(isin),
    years: digests.years(isin),
    tables: Object.fromEntries(ofGroups.map(([table, { digest }]) => [table, digest])),
    doubtful: ofGroups.filter(([, { isDoubtful }]) => isDoubtful).map(([table]) => table),
  }
  db.close()
  return found
}

const good = digestsOf({})
const columns = Object.entries(goodRows).flatMap(([table, row]) =>
  Object.keys(row).map((column) => [table, column] as const),
)

it('digests are the same for the same rows', () => {
  expect(digestsOf({})).toEqual(good)
  expect(good.doubtful).toEqual([])
})

it.each(columns)('one digest differs if %s.%s does', (table, column) => {
  const value = goodRows[table]?.[column]
  const other =
    typeof value === 'number' ? (value === 1 ? 0 : 1) : column === 'date' ? '2024-05-01' : `${value}1`
  const { tables, ...rest } = digestsOf({ [table]: { [column]: other } })
  const changed = Object.keys(tables).filter((name) => tables[name] !== good.tables[name])
  expect({
    changed,
    fund: rest.fund !== good.fund,
    newest: rest.newest !== good.newest,
    years: rest.years?.[0]?.digest !== good.years?.[0]?.digest,
  }).toEqual({
    changed: ['fund', 'price'].includes(table) ? [] : [table],
    fund: table === 'fund',
    newest: table === 'price',
    years: table === 'price',
  })
})

describe('digests tell apart', () => {
  it.each<readonly [string, string, Row, Row]>([
    ['NULL from an empty text', 'key_figure', { name_en: null }, { name_en: '' }],
    ['NULL from its name', 'key_figure', { name_en: null }, { name_en: 'null' }],
    ['texts from marks', 'key_figure', { name_de: 'a', name_en: 'b' }, { name_de: 'a","b', name_en: '' }],
    ['a backslash from an escape', 'key_figure', { name_de: 'a\\' }, { name_de: 'a' }],
    ['a text from what follows its NUL', 'key_figure', { name_de: 'a\u0000b' }, { name_de: 'a\u0000c' }],
    ['numbers that share 16 digits', 'legal_point', { value: 0.3 }, { value: 0.30000000000000004 }],
    ['large numbers that share 16 digits', 'launch_point', { value: 2 ** 53 }, { value: 2 ** 53 + 2 }],
    ['infinities', 'legal_period', { gross: Infinity }, { gross: -Infinity }],
    ['no number from zero', 'legal_period', { gross: null }, { gross: 0 }],
  ])('%s', (_, table, one, other) => {
    expect(digestsOf({ [table]: one }).tables[table]).not.toBe(digestsOf({ [table]: other }).tables[table])
  })

  it('two rows from one', () => {
    const two = digestsOf({}, { key_figure: [{ position: 5 }] })
    expect(two.tables['key_figure']).not.toBe(good.tables['key_figure'])
  })
})

it('digests name the tables with texts that the checks warn of', () => {
  const changed = { profile: { benchmark: 'M\ufffdnchen' }, emt: { governanceprocess: 'A' } }
  expect(digestsOf(changed).doubtful).toEqual(['profile'])
})

describe('digests of years', () => {
  it('hold every price once', () => {
    const dates = ['2021-12-31', '2022-01-01', '2022-12-31', '2024-01-01']
    const years = digestsOf({}, { price: dates.map((date) => ({ date })) }).years
    expect(years?.map(({ year, first, last, records }) => ({ year, first, last, records }))).toEqual([
      { year: '2021', first: '2021-12-31', last: '2021-12-31', records: 1 },
      { year: '2022', first: '2022-01-01', last: '2022-12-31', records: 2 },
      { year: '2024', first: '2024-01-01', last: '2024-05-02', records: 2 },
    ])
  })

  it.each(['', '2022', '2022-13-01', '2025~', 'x', '\u{10ffff}'])(
    'are unknown with the first date %j',
    (date) => {
      expect(digestsOf({}, { price: [{ date }] }).years).toBe(null)
    },
  )
})

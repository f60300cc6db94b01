/** Rows with one key: what is taken, and how many are bad or repeat others, does not depend on their order. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { schemaTables } from '../../../src/core/data/model/schema.ts'
import { joinRows, type SaidRow } from '../../../src/extensions/import/take/join-rows.ts'

type Cells = Readonly<Record<string, string | undefined>>

/** @param rows columns that a row lacks are absent or undefined */
const asRows = (rows: readonly { readonly file: number; readonly cells: Cells }[]): readonly SaidRow[] =>
  rows
    .map(({ file, cells }, place) => ({
      origin: { file, place },
      says: new Map(
        Object.entries(cells).flatMap(([column, value]) =>
          value === undefined ? [] : [[column, value] as const],
        ),
      ),
    }))
    .sort((one, other) => one.origin.file - other.origin.file)

const maybe = (...values: readonly string[]) => fc.constantFrom(undefined, ...values)
const twoOrders = <T>(row: fc.Arbitrary<T>) =>
  fc
    .array(row, { minLength: 1, maxLength: 6 })
    .chain((all) =>
      fc.record({ all: fc.constant(all), other: fc.shuffledSubarray(all, { minLength: all.length }) }),
    )

/** What people are told of rows, and what the database gets. */
function outcomeOf(table: Parameters<typeof joinRows>[0], rows: Parameters<typeof asRows>[0]) {
  const { taken, contradicted, repeated, completing, summed } = joinRows(table, asRows(rows), () => undefined)
  return {
    taken: taken === undefined ? undefined : Object.fromEntries([...taken.says].sort()),
    bad: contradicted.length,
    repeated: repeated.length,
    completing: completing.length,
    summed: summed.length,
  }
}

const price = fc.record({
  file: fc.constantFrom(0, 1),
  cells: fc.record({
    net_asset_value: fc.constantFrom('1', '1.0', '2'),
    issue_price: maybe('5', '5.00', '6'),
    repurchase_price: maybe('4', '3'),
  }),
})

it('prices of a day are one if no two contradict each other, and else all bad but those that repeat others', () => {
  fc.assert(
    fc.property(twoOrders(price), ({ all, other }) => {
      const outcome = outcomeOf(schemaTables.prices, all)
      expect(outcomeOf(schemaTables.prices, other)).toEqual(outcome)
      const columns = ['net_asset_value', 'issue_price', 'repurchase_price'] as const
      const numbers = all.map(({ cells }) =>
        columns.map((column) => cells[column]).map((cell) => cell && Number(cell)),
      )
      const different = new Set(numbers.map((row) => JSON.stringify(row))).size
      const isSplit = columns.some((_, at) => new Set(numbers.map((row) => row[at]).filter(Boolean)).size > 1)
      expect(outcome.repeated).toBe(all.length - different)
      expect(outcome.bad).toBe(isSplit ? different : 0)
      expect(outcome.completing).toBe(isSplit ? 0 : different - 1)
    }),
    { numRuns: 500, seed: 46 },
  )
})

const payment = fc.record({
  file: fc.constantFrom(0, 1),
  cells: fc.record({
    amount: fc.constantFrom('1.25', '0.5', '0.50', '1.75'),
    currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  }),
})

it('payments of a day are summed by file, and those of two files have to say the same', () => {
  fc.assert(
    fc.property(twoOrders(payment), ({ all, other }) => {
      const outcome = outcomeOf(schemaTables.corporateActions, all)
      expect(outcomeOf(schemaTables.corporateActions, other)).toEqual(outcome)
      const sums = [0, 1]
        .map((file) => all.filter((row) => row.file === file))
        .filter((own) => own.length > 0)
        .map((own) =>
          [...new Set(own.map(({ cells }) => Number(cells.amount)))].reduce((sum, amount) => sum + amount, 0),
        )
      const isOne = new Set(sums).size === 1 && new Set(all.map(({ cells }) => cells.currency)).size === 1
      expect(outcome.taken === undefined).toBe(!isOne)
      expect(Number(outcome.taken?.['amount'] ?? sums[0])).toBe(sums[0])
    }),
    { numRuns: 500, seed: 46 },
  )
})

it('a row with a fault of its own is bad, and contradicts none', () => {
  const rows = asRows([
    { file: 0, cells: { fund_currency: 'USD', net_asset_value: '68.01' } },
    { file: 0, cells: { fund_currency: 'EUR', net_asset_value: '61.83' } },
  ])
  const { taken, faulty, contradicted } = joinRows(schemaTables.prices, rows, (says) =>
    says.get('fund_currency') === 'EUR' ? undefined : 'is in another currency',
  )
  expect(faulty).toEqual([{ origin: { file: 0, place: 0 }, fault: 'is in another currency' }])
  expect(contradicted).toEqual([])
  expect(taken?.says.get('net_asset_value')).toBe('61.83')
})

it('counts any number of rows that repeat another one', () => {
  const rows = ['1', ...Array.from({ length: 200_000 }, () => '2')].map((net_asset_value) => ({
    file: 0,
    cells: { net_asset_value },
  }))
  expect(outcomeOf(schemaTables.prices, rows)).toMatchObject({ bad: 2, repeated: 199_999 })
})

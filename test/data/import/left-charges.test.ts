/** Charges that several rows of a fund name: which of them contradict each other does not depend on their order. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openLeftCharges } from '../../../src/extensions/import/take/left-charges.ts'
import { chargeColumns } from '../../../src/extensions/import/take/staging.ts'

interface Row {
  readonly line: number
  readonly surcharge: number | null
  readonly fee: number | null
}

/** @returns the lines that are bad, and what is known then */
function judge(rows: readonly Row[]) {
  const charges = openLeftCharges()
  for (const { line, surcharge, fee } of rows)
    charges.keep('DE', chargeColumns, [surcharge, fee], { file: 0, place: line })
  const bad = charges.contradicted().map(({ origin }) => Number(origin.place))
  return {
    bad: bad.sort((one, other) => one - other),
    known: charges.of('DE'),
    isDoubtful: charges.doubtful().includes('DE'),
  }
}

const percent = fc.constantFrom(null, 0, 3, 5)
const rows = fc
  .array(fc.record({ surcharge: percent, fee: percent }), { maxLength: 6 })
  .map((all) => all.map((row, line) => ({ ...row, line })))
const twoOrders = rows.chain((all) =>
  fc.record({ all: fc.constant(all), other: fc.shuffledSubarray(all, { minLength: all.length }) }),
)

it('are judged alike in any order: a row is bad if another one names another charge', () => {
  fc.assert(
    fc.property(twoOrders, ({ all, other }) => {
      const judged = judge(all)
      expect(judge(other)).toEqual(judged)
      const contradicts = (one: number | null, two: number | null) =>
        one !== null && two !== null && one !== two
      const bad = all.filter((row) =>
        all.some((two) => contradicts(row.surcharge, two.surcharge) || contradicts(row.fee, two.fee)),
      )
      expect(judged.bad).toEqual(bad.map(({ line }) => line))
      expect(judged.isDoubtful).toBe(bad.length > 0)
    }),
    { seed: 46 },
  )
})

it('name what good rows say, and nothing that a bad one says', () => {
  const rows = [
    { line: 1, surcharge: 5, fee: 1 },
    { line: 2, surcharge: 3, fee: null },
    { line: 3, surcharge: null, fee: 1 },
  ]
  expect(judge(rows)).toEqual({ bad: [1, 2], known: { redemptionFee: '1' }, isDoubtful: true })
  expect(judge([{ line: 1, surcharge: 0, fee: null }])).toEqual({
    bad: [],
    known: { issueSurcharge: null },
    isDoubtful: false,
  })
})

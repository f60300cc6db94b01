/** Every row of the error table, and all that is asked for wrongly. */

import type { Check, Context } from '../check.ts'
import { errorRows, findErrors, type RequestsByRow } from '../error-rows.ts'
import type { Oracle } from '../oracle/oracle.ts'
import { missingParameters, outsideTheList, wrongParameters, wrongQueries } from '../requests.ts'

/** Finding them takes a moment, and each row needs them. */
const known = new WeakMap<Oracle, RequestsByRow>()

function errorsOf({ oracle, isins }: Context): RequestsByRow {
  const found = known.get(oracle) ?? findErrors(oracle, isins)
  known.set(oracle, found)
  return found
}

const ofRows = errorRows.map((row): Check => ({
  group: 'refusals',
  name: `refuses with ${row}`,
  run: async (context) => {
    const requests = context.random.sample(errorsOf(context).get(row) ?? [], 12)
    const inFormats = requests.flatMap((request) => [
      { ...request, accept: 'application/json' },
      { ...request, accept: 'application/xml', acceptLanguage: 'en' },
    ])
    await context.each(inFormats, context.compare)
  },
}))

const lists = [
  ['answers 400 where a parameter of the path is missing', missingParameters],
  ['looks at days and types before it looks for the fund', wrongParameters],
  ['answers 404 to every path outside the list', outsideTheList],
  ['takes the first of two values, ignores what it does not know, and refuses other values', wrongQueries],
] as const

export const refusalChecks: readonly Check[] = [
  ...ofRows,
  ...lists.map(([name, targetsOf]): Check => ({
    group: 'refusals',
    name,
    run: async ({ isins, each, compare }) => {
      const targets = isins.slice(0, 2).flatMap(targetsOf)
      await each(
        targets.flatMap((target) => [{ target }, { target, accept: 'text/xml', acceptLanguage: 'en' }]),
        compare,
      )
    },
  })),
]

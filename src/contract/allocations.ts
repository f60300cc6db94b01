/** Asset allocations over time: the body that endpoints 11 and 12 share. Source: the interface. */

import { fail, type Asked, type RowsOf } from './endpoint.ts'
import { basicFund, fundWithStatus, inLanguage } from './fund.ts'
import { keyed, number, record } from './shape.ts'

export const allocationsBody = record({
  fund: basicFund,
  allocations: keyed(
    'asset class',
    keyed('day, about the end of a month', number('Percent of the fund in that class on that day')),
  ),
})

/** Classes in the order of their positions, days ascending; a class is its name in the language asked for. */
export function buildAllocations(
  { fund, assetAllocations }: RowsOf<'assetAllocations'>,
  { language }: Asked,
  derivatives: 0 | 1,
) {
  if (fund.dataPermitted === 0) return fail('denied')
  const allocations = new Map<string, Map<string, number>>()
  for (const row of assetAllocations) {
    if (row.derivatives !== derivatives) continue
    const name = inLanguage(language, row.classDe, row.classEn)
    const byDay = allocations.get(name) ?? new Map<string, number>()
    allocations.set(name, byDay.set(row.date, row.percent))
  }
  // A class that stands at two positions: its days come in two runs.
  for (const [name, byDay] of allocations) allocations.set(name, ascending(byDay))
  return { fund: fundWithStatus(fund), allocations }
}

function ascending(byDay: Map<string, number>): Map<string, number> {
  const days = [...byDay.keys()]
  const isSorted = days.every((day, index) => index === 0 || day > (days[index - 1] ?? ''))
  return isSorted ? byDay : new Map([...byDay].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The rows of a fund that the checks have to see: all but those that documents which stand were made of. */

import type { FundRows } from '../contract/rows.ts'
import { groupsWithWarnings } from '../source/check-fund.ts'
import { wholeGroups, type WholeGroup, type YearDigest } from '../source/fund-digests.ts'
import type { FundRowsRead } from './fund-rows.ts'
import type { FundInputs } from './inputs.ts'
import type { Plan } from './plans.ts'
import type { Standing } from './standing.ts'

/**
 * A snapshot is only made of rows without errors, so those are not looked at again. Rows that warn are, in every night:
 * those with doubtful texts, those of groups with warnings of their own, and the first and the last price, whose days are
 * compared with others.
 * @param standing a plan each @param years of all the fund's prices
 */
export function uncheckedRows(
  plans: readonly Plan[],
  standing: readonly Standing[],
  rows: FundRowsRead,
  inputs: FundInputs,
  years: readonly YearDigest[],
): FundRows {
  const whole = plans.filter((_, index) => standing[index]?.isWhole === true)
  const isChecked = (group: WholeGroup) =>
    whole.some(({ endpoint }) => endpoint.reads.includes(group)) &&
    !inputs.group(group).isDoubtful &&
    !groupsWithWarnings.includes(group)
  const others = wholeGroups.map((group) => [group, isChecked(group) ? [] : rows.group(group)])

  const areChecked = whole.some(({ windows }) => windows !== null)
  const isYearChecked = ({ year }: YearDigest) =>
    areChecked || standing.some(({ windows }) => windows.has(year))
  const [oldest, newest] = [years.at(0), years.at(-1)]
  const prices = [
    ...(oldest !== undefined && isYearChecked(oldest) ? rows.day(oldest.first) : []),
    ...years.filter((year) => !isYearChecked(year)).flatMap(({ year }) => rows.year(year)),
    ...(newest !== undefined && isYearChecked(newest) ? rows.day(newest.last) : []),
  ]
  return { ...(Object.fromEntries(others) as unknown as Omit<FundRows, 'prices'>), prices }
}

/**
 * What of a fund's documents is unchanged: documents of the previous snapshot that were made from the same rows by the same code.
 * Their rows need no second check.
 */

import type { FundRows } from '../api/contract/rows.ts'
import { formats } from '../api/routes/table.ts'
import { groupsWithWarnings } from '../data/check/fund.ts'
import { wholeGroups, type WholeGroup, type YearDigest } from '../data/read/fund-digests.ts'
import type { WindowDigests } from './fund-documents.ts'
import type { FundInputs, FundRowsRead } from './inputs.ts'
import { linesByName, type ParsedLine } from './lines.ts'
import type { Plan } from './plans.ts'

/** What is unchanged of one plan and fund. */
export type Unchanged = ReturnType<typeof noneUnchanged>

/**
 * For documents that are listed, but whose files are missing.
 * @param lines the previous manifest's, by the name of the file
 */
export const noneUnchanged = (lines: ReadonlyMap<string, ParsedLine>) => ({
  lines,
  /** Those that are reused as they are. */
  reused: [] as readonly ParsedLine[],
  /** Whether that is all: nothing has to be rendered. */
  isWhole: false,
  /** The windows among them, by year. */
  windows: new Map<string, WindowDigests>(),
})

/** @param previous the plan's lines of the previous manifest, of this fund @param years of all the fund's prices */
export function unchangedOf(
  { folder, endpoint, names, windows: hasWindows }: Plan,
  isin: string,
  previous: string,
  inputs: FundInputs,
  years: readonly YearDigest[],
): Unchanged {
  const lines = linesByName(previous, `${folder}${isin}/`)
  if (lines.size === 0) return noneUnchanged(lines)
  const { answer, window, refusal } = names
  const from = inputs.of(endpoint)
  const areFrom = (files: readonly string[], input: string) =>
    files.every((name) => lines.get(name)?.from === input)
  const windows =
    hasWindows === null ? [] : years.filter((year) => areFrom(window(year.year), inputs.ofYear(year)))
  const isAnswer =
    (hasWindows === null || windows.length === years.length) &&
    lines.size === answer.length + windows.length * formats.length &&
    areFrom(answer, from)
  if (isAnswer || (lines.size === refusal.length && areFrom(refusal, from)))
    return { lines, reused: [...lines.values()], isWhole: true, windows: new Map() }
  const byYear = windows.map(
    ({ year }) => [year, window(year).flatMap((name) => lines.get(name) ?? [])] as const,
  )
  return {
    lines,
    reused: byYear.flatMap(([, files]) => files),
    isWhole: false,
    windows: new Map(
      byYear.map(([year, [json, xml]]) => [year, { json: json?.sha256 ?? '', xml: xml?.sha256 ?? '' }]),
    ),
  }
}

/**
 * The rows of a fund that the checks have to see. A snapshot is only made from rows without errors: rows of unchanged
 * documents are not checked again. Rows that warn are checked in every build: those with doubtful texts, those of groups
 * with warnings of their own, and the first and the last price, whose days are compared with others.
 * @param unchanged a plan each @param years of all the fund's prices
 */
export function rowsToCheck(
  plans: readonly Plan[],
  unchanged: readonly Unchanged[],
  rows: FundRowsRead,
  inputs: FundInputs,
  years: readonly YearDigest[],
): FundRows {
  const whole = plans.filter((_, index) => unchanged[index]?.isWhole === true)
  const isChecked = (group: WholeGroup) =>
    whole.some(({ endpoint }) => endpoint.reads.includes(group)) &&
    !inputs.group(group).isDoubtful &&
    !groupsWithWarnings.includes(group)
  const others = wholeGroups.map((group) => [group, isChecked(group) ? [] : rows.group(group)])

  const areChecked = whole.some(({ windows }) => windows !== null)
  const isYearChecked = ({ year }: YearDigest) =>
    areChecked || unchanged.some(({ windows }) => windows.has(year))
  const [oldest, newest] = [years.at(0), years.at(-1)]
  const prices = [
    ...(oldest !== undefined && isYearChecked(oldest) ? rows.day(oldest.first) : []),
    ...years.filter((year) => !isYearChecked(year)).flatMap(({ year }) => rows.year(year)),
    ...(newest !== undefined && isYearChecked(newest) ? rows.day(newest.last) : []),
  ]
  return { ...(Object.fromEntries(others) as unknown as Omit<FundRows, 'prices'>), prices }
}

/** What stands of a fund's documents: those of the previous snapshot that were made of the same by the same code. */

import { formats } from '../routes/table.ts'
import type { YearDigest } from '../source/fund-digests.ts'
import type { FundInputs } from './inputs.ts'
import type { Plan } from './plans.ts'
import { standingLines, type StandingLine } from './standing-lines.ts'
import type { WindowDigests } from './window-documents.ts'

/** Of one plan and fund. */
export interface Standing {
  /** The previous manifest's lines, by the name of the file. */
  readonly lines: ReadonlyMap<string, StandingLine>
  /** Those that are taken over as they are. */
  readonly kept: readonly StandingLine[]
  /** Whether that is all: nothing is left to be rendered. */
  readonly isWhole: boolean
  /** The windows among them, by year. */
  readonly windows: ReadonlyMap<string, WindowDigests>
}

/** @param previous the plan's lines of the previous manifest, of this fund @param years of all the fund's prices */
export function standingOf(
  plan: Plan,
  isin: string,
  previous: string,
  inputs: FundInputs,
  years: readonly YearDigest[],
): Standing {
  const lines = new Map(standingLines(previous, `${plan.folder}${isin}/`).map((line) => [line.name, line]))
  if (lines.size === 0) return nothing(lines)
  const { answer, window, refusal } = plan.names
  const from = inputs.of(plan.endpoint)
  const isMade = (names: readonly string[]) => names.every((name) => lines.get(name)?.from === from)
  const windows = plan.windows === null ? [] : years.filter(isWindow)
  function isWindow(year: YearDigest): boolean {
    const fromYear = inputs.ofYear(year)
    return window(year.year).every((name) => lines.get(name)?.from === fromYear)
  }
  const isAnswer =
    (plan.windows === null || windows.length === years.length) &&
    lines.size === answer.length + windows.length * formats.length &&
    isMade(answer)
  if (isAnswer || (lines.size === refusal.length && isMade(refusal))) {
    return { lines, kept: [...lines.values()], isWhole: true, windows: new Map() }
  }
  const names = windows.map(({ year }) => [year, window(year)] as const)
  const digestOf = (name = '') => lines.get(name)?.sha256 ?? ''
  return {
    lines,
    kept: names.flatMap(([, files]) => files.flatMap((name) => lines.get(name) ?? [])),
    isWhole: false,
    windows: new Map(
      names.map(([year, [json, xml]]) => [year, { json: digestOf(json), xml: digestOf(xml) }]),
    ),
  }
}

/** For documents that are listed, but cannot be had. */
export const nothing = (lines: Standing['lines']): Standing => ({
  lines,
  kept: [],
  isWhole: false,
  windows: new Map(),
})

/** The columns of all tables, by themselves and compared with what is live. */

import type { ExpectationSettings } from '../../guards/plausibility.ts'
import { type ColumnDoubt, compareColumns } from '../../guards/columns.ts'
import { parseStatistics, parseTable, type Statistics, statisticsKey } from '../../guards/statistics.ts'
import { messageOf } from '../../system/message.ts'
import { maxNumber } from '../model/limits.ts'
import { escapeInvisible, printableNumber } from '../model/printable.ts'
import { schemaTables } from '../model/schema.ts'
import { generalWarning, type Finding } from './finding.ts'
import type { LiveReader } from './live-prices.ts'

/**
 * Columns that have changed as they never do, and costs that are most likely in the wrong unit.
 * @param read null if nothing is live, or it is unknown @param parts of the file of all funds, as `gatherStatistics` returns them
 * @returns no comparison if a version without statistics has made what is live
 * @throws {Error} if what is live cannot be reached
 */
export async function findingsOfColumns(
  read: LiveReader | null,
  parts: readonly Buffer[],
  { strictness }: Pick<ExpectationSettings, 'strictness'>,
): Promise<readonly Finding[]> {
  const after = ownStatistics(parts)
  if (after === null) return []
  const live = (await read?.(statisticsKey)) ?? null
  // Where nothing is live, the figures of a fund still say something of each other.
  if (read === null)
    return [...compareColumns(noFunds, after, strictness).map(findingOf), ...highCosts(after, noFunds)]
  if (live === null) return highCosts(after, after)
  try {
    const before = parseStatistics([live])
    // A version that compares other things has made it: what an update finds is nothing that a night has brought.
    if (before === null) return highCosts(after, after)
    return [...compareColumns(before, after, strictness).map(findingOf), ...highCosts(after, before)]
  } catch (error) {
    const message = `${statisticsKey}, which is live, is damaged: ${messageOf(error)}: its tables are not compared`
    return [generalWarning(message, 'database'), ...highCosts(after, noFunds)]
  }
}

const noFunds: Statistics = { columns: {}, passing: new Set(), funds: new Map() }

/** @returns null with an ISIN that is none: the checks of values name it */
function ownStatistics(parts: readonly Buffer[]) {
  try {
    return parseStatistics(parts)
  } catch {
    return null
  }
}

/** Costs are of tables with one row, so their summaries hold the values. @param before what is live: other values are new */
function highCosts(after: Statistics, before: Statistics): Finding[] {
  const costs = Object.values(schemaTables)
    .map(({ name: table, columns }) => ({ table, columns: columns.filter(({ high }) => high !== undefined) }))
    .filter(({ columns }) => columns.length > 0)
  return [...after.funds.keys()].flatMap((isin) =>
    costs.flatMap(({ table, columns }): Finding[] => {
      const now = valuesOf(after, isin, table)
      const was = valuesOf(before, isin, table)
      return columns.flatMap(({ name, unit, high = Infinity }): Finding[] => {
        const text = now.get(name)
        const value = Number(text)
        // Others are an error of their own.
        if (text === undefined || !(value >= high && value < maxNumber)) return []
        const percent = Number((value * 100).toFixed(2))
        const shown = printableNumber(value)
        const message =
          unit === 'fraction'
            ? `${name} is ${shown}, that is ${percent} %: costs are fractions, 0.0158 is 1.58 %`
            : `${name} is ${shown} %: fees are percentages, 1.58 is 1.58 %`
        return was.get(name) === text
          ? [{ severity: 'warning', isin, table, message }]
          : [{ severity: 'error', isin, table, message, guard: 'high-costs' }]
      })
    }),
  )
}

/** The values of a row that is the only one of its table, by column; without those that are not known. */
function valuesOf({ columns, funds }: Statistics, isin: string, table: string): ReadonlyMap<string, string> {
  const { summaries = [] } = parseTable(funds.get(isin)?.lineOf(table))?.slices[0] ?? {}
  const values = (columns[table] ?? []).flatMap((name, at) => {
    const [, value] = /\|~([^|]*)$/.exec(summaries[at] ?? '') ?? []
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Map(values)
}

function findingOf({ guard, subject, isin, table, message }: ColumnDoubt): Finding {
  const found = { isin, table, message: escapeInvisible(message) }
  if (guard === null) return { ...found, severity: 'warning' }
  return { ...found, severity: 'error', guard, ...(subject !== null && { subject }) }
}

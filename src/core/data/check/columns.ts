/** The columns of all tables, compared with what is live. */

import type { ExpectationSettings } from '../../guards/plausibility.ts'
import { type ColumnDoubt, compareColumns, statisticsKey } from '../../guards/columns.ts'
import { messageOf } from '../../system/message.ts'
import { escapeInvisible } from '../model/printable.ts'
import { parseStatistics } from '../read/statistics.ts'
import { generalWarning, type Finding } from './finding.ts'
import type { LiveReader } from './live-prices.ts'

/**
 * @param read null if nothing is live, or it is unknown @param text of all funds, as `statisticsText` returns it
 * @returns nothing if a version without statistics has made what is live
 * @throws {Error} if what is live cannot be reached
 */
export async function findingsOfColumns(
  read: LiveReader | null,
  text: string,
  { strictness }: Pick<ExpectationSettings, 'strictness'>,
): Promise<readonly Finding[]> {
  const live = (await read?.(statisticsKey))?.toString() ?? null
  if (live === null || live === text) return []
  const after = parseStatistics(text)
  try {
    const before = parseStatistics(live)
    return before === null || after === null ? [] : compareColumns(before, after, strictness).map(findingOf)
  } catch (error) {
    const message = `${statisticsKey}, which is live, is damaged: ${messageOf(error)}: its tables are not compared`
    return [generalWarning(message, 'database')]
  }
}

function findingOf({ guard, subject, isin, table, message }: ColumnDoubt): Finding {
  const found = { isin, table, message: escapeInvisible(message) }
  if (guard === null) return { ...found, severity: 'warning' }
  return { ...found, severity: 'error', guard, ...(subject !== null && { subject }) }
}

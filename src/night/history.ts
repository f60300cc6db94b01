/** The last nights, for the charts of a summary: `nightly/history.json`. Pure. */

import type { NightFigures } from './figures.ts'

export const historyKey = 'nightly/history.json'

const nightsKept = 60

interface HistoryFile {
  readonly format: 1
  readonly nights: readonly NightFigures[]
}

/** The history as it is written: one night a day, ascending; a night that is done once more takes its own place. */
export function withNight(nights: readonly NightFigures[], night: NightFigures): HistoryFile {
  const others = nights.filter(({ asOf }) => asOf !== night.asOf)
  const all = [...others, night].sort((one, other) => (one.asOf < other.asOf ? -1 : 1))
  return { format: 1, nights: all.slice(-nightsKept) }
}

/** Nothing depends on the history: what is no history, or of another version, is as good as none. */
export function readHistory(text: string): readonly NightFigures[] {
  try {
    const file = JSON.parse(text) as Partial<HistoryFile> | null
    if (file?.format !== 1 || !Array.isArray(file.nights)) return []
    return (file.nights as readonly unknown[]).filter(isNight)
  } catch {
    return []
  }
}

const numbers = ['funds', 'documents', 'bytes', 'cost', 'seconds'] as const
const texts = ['asOf', 'finishedAt', 'snapshot'] as const

function isNight(value: unknown): value is NightFigures {
  if (typeof value !== 'object' || value === null) return false
  const night = value as Readonly<Record<string, unknown>>
  return (
    numbers.every((field) => Number.isFinite(night[field])) &&
    (night['changed'] === null || Number.isFinite(night['changed'])) &&
    texts.every((field) => typeof night[field] === 'string') &&
    /^\d{4}-\d\d-\d\d$/.test(String(night['asOf'])) &&
    typeof night['isVerified'] === 'boolean'
  )
}

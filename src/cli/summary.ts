/** The figures that a command ends with. */

import type { DownloadCounts } from '../publish/downloads.ts'
import { escapeInvisible } from '../source/printable.ts'

/** One line a figure, the labels in a column. */
export function describeSummary(figures: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(figures).map((label) => label.length))
  return Object.entries(figures)
    .map(([label, figure]) => `${label.padEnd(width)}  ${escapeInvisible(figure)}\n`)
    .join('')
}

/** The analysts' files of a night; nothing where none changed. */
export function describeDownloads({ put, replaced, deleted, bytes }: DownloadCounts): { downloads?: string } {
  if (put + deleted === 0) return {}
  const ofThem = replaced === 0 ? '' : ` (${formatCount(replaced)} in the place of others)`
  const gone = deleted === 0 ? '' : `, ${formatCount(deleted)} deleted`
  return { downloads: `${formatCount(put)} put${ofThem}${gone}, ${formatBytes(bytes)}` }
}

/** A count as people read it: `101,204`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `712,345,678 (712.3 MB)`. */
export function formatBytes(bytes: number): string {
  return `${formatCount(bytes)} (${(bytes / 1e6).toFixed(1)} MB)`
}

/** `$0.0123`, `$12.50`. */
export function formatDollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return 'under $0.0001'
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`
}

/** Figures, durations, tables, findings and the age of prices as text for people. */

import { dayOf, type RemovedFolder } from '../bucket/live/download-folders.ts'
import type { NightlyFigures } from '../bucket/nightly/history.ts'
import type { DownloadCounts } from '../bucket/publish/downloads.ts'
import type { BuildSummary } from '../snapshot/build.ts'
import type { Finding } from '../data/check/finding.ts'
import type { ProposedGroup } from '../data/check/propose-groups.ts'
import type { Replay } from '../data/check/replay.ts'
import { escapeInvisible, printable } from '../data/model/printable.ts'
import { type FreshnessCounts, marks } from '../guards/assess.ts'
import type { Objection } from '../guards/guards.ts'
import { listed } from '../guards/loss.ts'
import { statusWords } from '../layout/status-wording.ts'
import type { Paint } from './terminal.ts'

/** `101,204` */
export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** `1 fund`, `1,204 funds` */
export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** `712,345,678 (712.3 MB)` */
export const formatBytes = (bytes: number): string => `${formatCount(bytes)} (${(bytes / 1e6).toFixed(1)} MB)`

/** `$0.0123`, `$12.50` */
export function formatDollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return 'under $0.0001'
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`
}

/** `3 days 4 h`, `2 h 10 min`, `3 min 5 s`, `40 s` */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days = 0, hours = 0, minutes = 0] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit))
  if (days > 0) return `${countOf(days, 'day')} ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}

export function shorten(text: string, width: number): string {
  const letters = Array.from(text)
  return letters.length > width ? `${letters.slice(0, width - 1).join('')}…` : text
}

/** One line per figure, the labels in a column. Figures that are null are left out. */
export function describeSummary(figures: Readonly<Record<string, string | null>>): string {
  const shown = Object.entries(figures).filter(([, figure]) => figure !== null)
  const width = Math.max(...shown.map(([label]) => label.length))
  return shown.map(([label, figure]) => `${label.padEnd(width)}  ${escapeInvisible(figure ?? '')}\n`).join('')
}

/** The first column is aligned to the left, the others to the right. No line ends in blanks. */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** A table with a line for each objection that has figures; empty without any. */
export function describeObjections(objections: readonly Objection[]): string {
  const rows = objections.flatMap(({ guard, subject, figures }) => {
    if (figures === undefined) return []
    const cells = [figures.before, figures.after, figures.limit]
    const shown = cells.map((cell) => (typeof cell === 'number' ? formatCount(cell) : escapeInvisible(cell)))
    return [[subject === null ? guard : `${guard}:${subject}`, ...shown]]
  })
  if (rows.length === 0) return ''
  return alignedTable([['refused', 'live', 'new', 'limit'], ...rows]).join('\n') + '\n'
}

/** `12 (10 puts, 2 gets)` */
export function describeRequests(counts: Readonly<Record<string, number>>): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  const byOperation = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`)
  return `${formatCount(sum)} (${byOperation.join(', ')})`
}

/** Null if a publish changes no downloads. */
export function describeDownloads({ put, replaced, deleted, bytes }: DownloadCounts): string | null {
  if (put + deleted === 0) return null
  const replacing = replaced === 0 ? '' : ` (${formatCount(replaced)} of them replace others)`
  const gone = deleted === 0 ? '' : `, ${formatCount(deleted)} deleted`
  return `${formatCount(put)} put${replacing}${gone}, ${formatBytes(bytes)}`
}

/** Documents that differ from the live ones before: `1,204`. */
export const describeChanged = ({ changed }: Pick<NightlyFigures, 'changed'>): string =>
  changed === null ? 'not known' : formatCount(changed)

/** By reason: `downloads of 2026-11-02 to 2026-11-20 removed: DE000… may no longer be given out`; null for none. */
export function describeRemoved(removed: readonly RemovedFolder[], verb = 'removed'): string | null {
  const groups = Map.groupBy(removed, ({ why, isins, isHeld }) => `${why} ${isHeld} ${isins.join(', ')}`)
  const sentences = [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { why, isins, isHeld } = first
    const [from, to] = [first, others.at(-1) ?? first].map(({ folder }) => dayOf(folder))
    const days = `downloads of ${from}${from === to ? '' : ` to ${to}`}`
    const done = isHeld ? 'kept for a legal hold, and not served' : verb
    const withdrawn = `${listed(isins, maxNamed)} may no longer be given out`
    return `${days} ${done}: ${why === 'expired' ? 'expired (downloads.keepDays)' : withdrawn}`
  })
  return sentences.length === 0 ? null : sentences.join('; ')
}

const maxNamed = 10

/** One block per fund. Funds with errors come first, and errors first in each. */
export function describeFindings(findings: readonly Finding[], paint: Paint): string {
  const groups = Map.groupBy(errorsFirst(findings), ({ isin }) => isin)
  return [...groups]
    .map(([isin, found]) => {
      const heading = paint('bold', isin === null ? 'The database' : printable(isin))
      const lines = found.map(({ severity, table, message }) => {
        const word = paint(severity === 'error' ? 'red' : 'yellow', severity.padEnd(7))
        return `  ${word}  ${table}: ${message}\n`
      })
      return `${heading}\n${lines.join('')}`
    })
    .join('')
}

export function describeReplay({ nights, guards: counts }: Replay): string {
  const refused = nights.filter(({ objections }) => objections.length > 0)
  const lines = refused.flatMap(({ day, objections }) => {
    const more = objections.length - maxNamed
    const shown = objections.slice(0, maxNamed).map(({ guard, message }) => `${day}  ${guard}: ${message}\n`)
    return more > 0 ? [...shown, `${day}  and ${formatCount(more)} more\n`] : shown
  })
  const rows = counts.map(({ guard, nights: count, fundNights }) => [
    guard,
    formatCount(count),
    formatCount(fundNights),
  ])
  const table = rows.length === 0 ? [] : alignedTable([['refused by', 'nights', 'prices'], ...rows])
  const prices = nights.reduce((sum, { funds }) => sum + funds, 0)
  const first = nights[0]?.day ?? ''
  const last = nights.at(-1)?.day ?? ''
  const period =
    nights.length === 0 ? 'no day with prices' : `${countOf(nights.length, 'night')}, ${first} to ${last}`
  const sum = `${period}, ${countOf(prices, 'new price')}: ${countOf(refused.length, 'night')} would have been refused\n`
  return [...lines, ...table.map((row) => `${row}\n`), sum].join('')
}

/** The setting that would have let the nights pass, to be pasted; or ''. */
export const describeProposal = (groups: readonly ProposedGroup[]): string =>
  groups.length === 0
    ? ''
    : `If these prices are right, this setting lets them pass: "expectations": {"groups": ${JSON.stringify(groups)}}\n`

/** `2 errors, 1 warning` */
export function countFindings(findings: readonly Finding[]): string {
  const errors = countErrors(findings)
  return `${countOf(errors, 'error')}, ${countOf(findings.length - errors, 'warning')}`
}

export const countErrors = (findings: readonly Finding[]): number =>
  findings.filter(({ severity }) => severity === 'error').length

/** Sorting is stable: errors and warnings each keep the order of the checks. */
export const errorsFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))

/** `498 up to date, 1 late, 0 stale, 1 not published` */
export function describeFreshness(counts: FreshnessCounts): string {
  return marks
    .filter((mark, index) => index < 3 || counts[mark] > 0)
    .map((mark) => `${formatCount(counts[mark])} ${statusWords.en.marks[mark]}`)
    .join(', ')
}

export const describeWithheld = ({ isin, message }: BuildSummary['withheld'][number]) =>
  `fund ${isin}: its prices stay as they are live: ${message}`

/** `overdue` often has only some of the late and stale funds. */
type Overdue = Pick<BuildSummary, 'freshness' | 'overdue'>

/** One line per fund, followed by an empty line; empty if no fund is late. */
export function describeOverdue({ freshness, overdue }: Overdue): string {
  if (overdue.length === 0) return ''
  const others = freshness.late + freshness.stale - overdue.length
  const more = others > 0 ? `and ${formatCount(others)} more, in status/index.json\n` : ''
  const funds = overdue.map(({ isin, name, mark, newestPrice, nextPrice }) => {
    const next = nextPrice === null ? '' : `, the next was expected on ${nextPrice}`
    return `${mark.padEnd(5)}  ${isin}  ${printable(name)}: newest price ${newestPrice ?? 'none'}${next}\n`
  })
  return `${funds.join('')}${more}\n`
}

/** One line, because a nightly run with hundreds of late funds gives one warning. */
export function describeOverdueInLine({ freshness, overdue }: Overdue): string {
  const parts = overdue.map(
    ({ isin, mark, newestPrice }) => `${isin} is ${mark} (newest price ${newestPrice ?? 'none'})`,
  )
  const others = freshness.late + freshness.stale - overdue.length
  if (others > 0) parts.push(`${formatCount(others)} more in status/index.json`)
  return `prices: ${describeFreshness(freshness)}: ${parts.join('; ')}`
}

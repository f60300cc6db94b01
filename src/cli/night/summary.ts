/** The Markdown summary of a night: what a workflow shows of it, and what can be mailed. */

import type { NightFigures } from '../../night/figures.ts'
import { describeFreshness } from '../freshness.ts'
import { formatBytes, formatCount, formatDollars } from '../summary.ts'
import { describeNights } from './chart.ts'
import { escapeInvisible } from '../../source/printable.ts'
import { safeLines } from '../safe-text.ts'
import type { Warning } from './log.ts'
import type { DoneNight, NightReport, SkippedNight } from './report.ts'

const linesShown = 100

export function describeNight(report: NightReport, warnings: readonly Warning[]): string {
  return describeOutcome(report) + describeWarnings(warnings)
}

function describeOutcome(report: NightReport): string {
  switch (report.kind) {
    case 'done':
      return describeDone(report)
    case 'open':
      return `## fundpress ${report.asOf}: not done yet\n`
    case 'skipped':
      return `## fundpress ${report.asOf}: nothing to do\n\n${describeSkipped(report)}\n`
    case 'failed':
      return `## fundpress ${report.asOf}: failed in ${report.step}\n\n${fenced([report.reason, ...shorten(report.errors)].join('\n'))}`
  }
}

const describeSkipped = ({ snapshot, slot, takenBack }: SkippedNight) =>
  takenBack === null
    ? `${code(snapshot)} is live in ${slot} already, made of this very database.`
    : `${code(takenBack)} was taken back by a rollback: ${code(snapshot)} stays live in ${slot}. \`--again\` publishes it all the same.`

function describeDone(night: DoneNight): string {
  const { figures, slot, put, deleted, oldestIsin } = night
  const oldest =
    figures.oldestPrice === null
      ? 'none'
      : `${figures.oldestPrice}${oldestIsin === null ? '' : ` (${oldestIsin})`}`
  const rows: readonly (readonly [string, string])[] = [
    ['snapshot', `${code(figures.snapshot)} in ${slot}`],
    ['funds', formatCount(figures.funds)],
    ['documents', formatCount(figures.documents)],
    ['changed', describeChanged(figures)],
    ['written', `${formatCount(put + deleted)} (${formatCount(put)} put, ${formatCount(deleted)} deleted)`],
    ['bytes', formatBytes(figures.bytes)],
    ['cost', `${formatDollars(figures.cost)} (${formatDollars(night.costOfMonth)} a month of such nights)`],
    ['duration', describeDuration(figures.seconds)],
    ['prices', describeFreshness(night.freshness)],
    ['newest price', night.newestPrice ?? 'none'],
    ['oldest price', oldest],
    ['verified', night.verified],
  ]
  const table = rows.map(([label, figure]) => `| ${label} | ${figure} |\n`).join('')
  return `## fundpress ${figures.asOf}: live\n\n| | |\n|---|---|\n${table}${describeNights(night.history)}`
}

/** How many documents. */
export const describeChanged = ({ changed }: Pick<NightFigures, 'changed'>) =>
  changed === null ? 'not known' : formatCount(changed)

function describeWarnings(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return ''
  const lines = shorten(warnings.map(({ step, message }) => `${step}: ${message}`))
  const count = warnings.length === 1 ? '1 warning' : `${formatCount(warnings.length)} warnings`
  return `\n<details><summary>${count}</summary>\n\n${fenced(lines.join('\n'))}\n</details>\n`
}

function shorten(lines: readonly string[]): readonly string[] {
  const rest = lines.length - linesShown
  return rest > 0 ? [...lines.slice(0, linesShown), `and ${formatCount(rest)} more`] : lines
}

/** A word of a bucket, which cannot break out of it. */
const code = (word: string) => `\`${escapeInvisible(word).replaceAll('`', '')}\``

/** Text as it is: no fund's name can break out of it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${safeLines(text)}\n${fence}\n`
}

/** `42 s`, `3 min 5 s`. */
function describeDuration(seconds: number): string {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

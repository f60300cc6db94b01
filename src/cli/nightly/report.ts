/** The result of a nightly run, and its Markdown summary: what a workflow shows of it, and what can be mailed. */

import type {
  KeptHistory,
  NightlyEvent,
  NightlyFigures,
  NightlyHistory,
} from '../../bucket/nightly/history.ts'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import type { BuildSummary } from '../../build/build.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import {
  type AllowedObjection,
  allowanceFor,
  flagsThatAllow,
  type Objection,
  remedyFor,
} from '../../guards/guards.ts'
import { countOf, describeFreshness, describeRemoved, formatBytes, formatCount } from '../format.ts'
import { formatDollars, formatDuration } from '../format.ts'
import { cut, safeLines, withoutSecrets } from '../safe-text.ts'
import { describeEvent } from './events.ts'
import type { NightlyWarning, Step } from './log.ts'

export interface DoneRun {
  readonly kind: 'done'
  readonly figures: NightlyFigures
  readonly built: BuildSummary
  readonly published: PublishSummary
  /** In dollars: thirty such runs, and the storage of two slots. */
  readonly costOfMonth: number
  readonly newestPrice: string | null
  /** What was verified, in words. */
  readonly verified: string
  /** What guards had against the data, and operators have allowed. */
  readonly allowed: readonly AllowedObjection[]
  /** The last runs, this one included. */
  readonly history: KeptHistory
}

/** `asOf` is the as-of date of the run. */
export type NightlyReport = DoneRun | ({ readonly asOf: string } & OtherRun)

type OtherRun =
  /** `snapshot` is live or staged, as the run would make it. `hold`: a sentence about the rollback that holds it, or null. */
  | { readonly kind: 'skipped'; snapshot: string; slot: string; hold: string | null; isStaged: boolean }
  /** `reason` has one line; `errors` are those that led to it, one line each, empty if the reason says it all. */
  | { readonly kind: 'failed'; step: Step; reason: string; errors: readonly string[] }
  /** A guard has refused the data: `reason` has one line. */
  | { readonly kind: 'refused'; step: Step; reason: string; objections: readonly Objection[] }
  /** With --ask: there is something to do. */
  | { readonly kind: 'open' }

/** How a nightly run ended. */
export interface EndedRun {
  readonly report: NightlyReport
  /** All that is known then; null if the bucket does not say it. */
  readonly history: KeptHistory | null
  /** Notes in the history that nobody could be told of a failure. */
  readonly onUntold?: () => Promise<void>
}

const linesShown = 100

export function describeReport(report: NightlyReport, warnings: readonly NightlyWarning[]): string {
  return describeOutcome(report) + describeWarnings(warnings)
}

function describeOutcome(report: NightlyReport): string {
  const heading = `## fundpress ${report.kind === 'done' ? report.figures.asOf : report.asOf}`
  switch (report.kind) {
    case 'done':
      return report.published.isStaged
        ? `${heading}: staged\n\n${describeStaged(report.figures.snapshot)}\n${describeDone(report)}`
        : `${heading}: live\n\n${describeDone(report)}`
    case 'open':
      return `${heading}: not done yet\n`
    case 'skipped': {
      const { snapshot, slot, hold, isStaged } = report
      if (isStaged) {
        const already = `${code(snapshot)} is staged already in ${slot}. It was made from this very database.`
        return `${heading}: nothing to do\n\n${already}\n\n${describeStaged(snapshot)}`
      }
      const why = `${code(snapshot)} is already live in ${slot}. It was made from this very database.`
      return `${heading}: nothing to do\n\n${why}\n${hold === null ? '' : `\n${fenced([hold])}`}`
    }
    case 'failed':
      return `${heading}: failed in ${report.step}\n\n${fenced([report.reason, ...firstOf(report.errors)])}`
    case 'refused':
      return `${heading}: refused in ${report.step}\n\n${describeRefusal(report.objections)}`
  }
}

/** How to look at a staged snapshot, and how to make it live. */
const describeStaged = (snapshot: string) =>
  [
    'It is staged: readers do not see it yet. Look at it, then make it live:\n',
    fenced([`fundpress serve --bucket … --snapshot ${snapshot}`, `fundpress flip ${snapshot} --bucket …`]),
    'With `edge.previewToken` in the config, each edge shows it to requests with the header `X-Fundpress-Preview: <token>`.\n',
  ].join('\n')

function describeDone(run: DoneRun): string {
  const { figures, built } = run
  const { slot, put, deleted } = run.published
  const isin = built.oldestPrice === null ? '' : ` (${built.oldestPrice.isin})`
  const rows = {
    snapshot: `${code(figures.snapshot)} in ${slot}`,
    funds: formatCount(figures.funds),
    documents: formatCount(figures.documents),
    changed: describeChanged(figures),
    written: `${formatCount(put + deleted)} (${formatCount(put)} put, ${formatCount(deleted)} deleted)`,
    bytes: formatBytes(figures.bytes),
    cost: `${formatDollars(figures.cost)} (${formatDollars(run.costOfMonth)} a month for one such run a day)`,
    duration: formatDuration(figures.seconds),
    prices: describeFreshness(built.freshness),
    'newest price': run.newestPrice ?? 'none',
    'oldest price': figures.oldestPrice === null ? 'none' : figures.oldestPrice + isin,
    verified: run.verified,
  }
  const removed = describeRemoved(run.published.removed)
  const all = removed === null ? rows : { ...rows, 'earlier days': removed }
  const figuresTable = table(['', ''], Object.entries(all))
  return figuresTable + describeAllowed(run.allowed) + charts(run.history.nights) + lastEvents(run.history)
}

/** More rows than an issue of GitHub can hold are of no use. */
const objectionsShown = 50

/** What was refused, and the exact command that allows it. It is the text of GitHub's issue, too. */
export function describeRefusal(objections: readonly Objection[]): string {
  const rows = objections.slice(0, objectionsShown).map(({ guard, subject, message, figures }) => {
    const { before = '', after = '', limit = '' } = figures ?? {}
    return [guard, subject ?? '', before, after, limit, message].map(cell)
  })
  const rest = objections.length - rows.length
  if (rest > 0) rows.push(['', '', '', '', '', `and ${formatCount(rest)} more`])
  const allow = allowanceFor(objections)
  return [
    table(['guard', 'subject', 'live', 'new', 'limit', 'what'], rows),
    `The live snapshot did not change. ${remedyFor(objections)}Correct the data; or, if it is right, allow it:\n`,
    fenced([`fundpress nightly … ${flagsThatAllow(objections)}`]),
    `On GitHub, run the workflow by hand with these inputs: \`allow\` is ${code(allow)}, \`reason\` says why it is right.\n`,
  ].join('\n')
}

function describeAllowed(allowed: readonly AllowedObjection[]): string {
  if (allowed.length === 0) return ''
  const rows = allowed
    .slice(0, linesShown)
    .map(({ guard, message, who, reason }) => [guard, message, who, reason].map(cell))
  return `\n### Allowed\n\n${table(['guard', 'what', 'who', 'why'], rows)}`
}

const eventsShown = 10

function lastEvents({ events }: NightlyHistory): string {
  if (events.length === 0) return ''
  const rowOf = (event: NightlyEvent) => {
    const { what, why } = describeEvent(event)
    return [event.at, event.asOf, ...[what, event.who, why].map(cell)]
  }
  const rows = events.slice(-eventsShown).map(rowOf).reverse()
  return `\n### Last events\n\n${table(['when', 'as of', 'what', 'who', 'why'], rows)}`
}

/** Rows in Markdown. Cells are safe already. */
const table = (heading: readonly string[], rows: readonly (readonly string[])[]) =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')

/** In bytes: an issue of GitHub has at most 65,536 characters. */
const maxCell = 600

/** A text of the data or the bucket. It cannot break out of its cell, and mentions nobody. */
function cell(value: string | number): string {
  const text = typeof value === 'number' ? formatCount(value) : cut(withoutSecrets(value), maxCell)
  return text === '' ? '' : code(text).replaceAll('|', '\\|')
}

export const describeChanged = ({ changed }: Pick<NightlyFigures, 'changed'>) =>
  changed === null ? 'not known' : formatCount(changed)

function describeWarnings(warnings: readonly NightlyWarning[]): string {
  if (warnings.length === 0) return ''
  const lines = firstOf(warnings.map(({ step, message }) => `${step}: ${message}`))
  const summary = countOf(warnings.length, 'warning')
  return `\n<details><summary>${summary}</summary>\n\n${fenced(lines)}\n</details>\n`
}

function firstOf(lines: readonly string[]): readonly string[] {
  const rest = lines.length - linesShown
  return rest > 0 ? [...lines.slice(0, linesShown), `and ${formatCount(rest)} more`] : lines
}

/** A word from the bucket. It cannot break out of the code. */
const code = (word: string) => `\`${escapeInvisible(word).replaceAll('`', '')}\``

/** Lines of text. No name of a fund can break out of the fence. */
function fenced(lines: readonly string[]): string {
  const text = lines.join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${safeLines(text)}\n${fence}\n`
}

/** A page is too narrow for more bars. */
const barsShown = 30

/** Charts of the last runs in Mermaid, which GitHub draws; none if there is only one run. */
function charts(history: readonly NightlyFigures[]): string {
  // Earlier versions did not write `written`, and have another figure in `changed`.
  const changes = history.flatMap(({ asOf, changed, written }): Bar[] =>
    changed === null || written === undefined ? [] : [[asOf, changed]],
  )
  const durations = history.map(({ asOf, seconds }): Bar => [asOf, Math.round(seconds)])
  return chart(changes, 'Documents changed', 'documents') + chart(durations, 'Duration', 'seconds')
}

type Bar = readonly [asOf: string, figure: number]

function chart(bars: readonly Bar[], title: string, unit: string): string {
  const shown = bars.slice(-barsShown)
  if (shown.length < 2) return ''
  const values = shown.map(([, figure]) => figure)
  const days = shown.map(([asOf]) => `"${asOf.slice(5)}"`)
  return [
    '',
    '```mermaid',
    'xychart-beta',
    `  title "${title}, the last ${shown.length} runs"`,
    `  x-axis [${days.join(', ')}]`,
    // An axis from zero to zero cannot be drawn.
    `  y-axis "${unit}" 0 --> ${Math.max(1, ...values)}`,
    `  bar [${values.join(', ')}]`,
    '```',
    '',
  ].join('\n')
}

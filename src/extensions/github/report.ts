/** The summary of a nightly run in Markdown, for a workflow (also before an approval) or a mail. */

import type { NightlyEvent } from '../../core/bucket/nightly/history.ts'
import { escapeInvisible } from '../../core/data/model/printable.ts'
import {
  type AllowedObjection,
  allowanceFor,
  flagsThatAllow,
  type Objection,
  remedyFor,
} from '../../core/guards/guards.ts'
import {
  countOf,
  describeChanged,
  describeFreshness,
  describeRemoved,
  formatBytes,
  formatCount,
} from '../../core/cli/format.ts'
import { formatDollars, formatDuration } from '../../core/cli/format.ts'
import { cut, safeLines, withoutSecrets } from '../../core/cli/safe-text.ts'
import { describeEvent } from '../../core/cli/events.ts'
import { type NightlyWarning, outcomeOf, type RunFacts } from '../../core/cli/facts.ts'
import { firstOf, linesOfRun, tableOfCorrected, tableOfMoves } from '../../core/cli/nightly/news.ts'

const linesShown = 100

export function describeReport(facts: RunFacts, warnings: readonly NightlyWarning[]): string {
  const heading = `## fundpress ${facts.asOf ?? ''}: ${outcomeOf(facts)}\n`
  return [heading, ...bodyOf(facts), describeWarnings(facts, warnings)]
    .filter((part) => part !== '')
    .join('\n')
}

/** Each part ends with a line feed, or is empty. */
function bodyOf(facts: RunFacts): readonly string[] {
  const { outcome, snapshot, slot, hold, isStaged, reason } = facts
  const id = code(snapshot ?? '')
  switch (outcome) {
    case 'done':
      return [isStaged ? describeStaged(snapshot ?? '') : '', ...describeNews(facts), ...describeDone(facts)]
    case 'open':
      return []
    case 'skipped': {
      const place = `${isStaged ? 'staged already' : 'already live'} in ${slot ?? ''}`
      const already = `${id} is ${place}. It was made from this very database.\n`
      return [already, isStaged ? describeStaged(snapshot ?? '') : '', hold === null ? '' : fenced([hold])]
    }
    case 'failed':
      return [fenced([reason ?? '', ...firstOf(facts.errors, linesShown)])]
    case 'refused':
      return [describeRefusal(facts.objections)]
  }
}

const describeStaged = (snapshot: string) =>
  [
    'It is staged: readers do not see it yet. Look at it, then make it live:\n',
    fenced([`fundpress serve --bucket … --snapshot ${snapshot}`, `fundpress flip ${snapshot} --bucket …`]),
    'With `edge.previewToken` in the config, each edge shows it to requests with the header `X-Fundpress-Preview: <token>`.\n',
  ].join('\n')

function describeNews(facts: RunFacts): readonly string[] {
  const { news } = facts
  const lines = linesOfRun(facts)
  const titled = (title: string, [heading = [], ...rows]: readonly (readonly string[])[]) => {
    const cells = rows.map((row) => row.map(cell))
    return rows.length === 0 ? '' : `### ${title}\n\n${table(heading, cells)}`
  }
  return [
    lines.length === 0 ? '' : `### News\n\n${fenced(lines)}`,
    titled('Largest moves', tableOfMoves(news?.moves ?? [])),
    news === null ? '' : titled('Corrected prices', tableOfCorrected(news.prices)),
  ]
}

function describeDone({ figures, night, slot, allowed, history }: RunFacts): readonly string[] {
  if (night === null) return []
  const { built, published } = night
  const { put, deleted } = published
  const { funds = 0, documents = 0, bytes = 0, cost = 0, seconds = 0 } = figures
  const { oldestPrice: oldest } = built
  const removed = describeRemoved(published.removed)
  const rows = {
    snapshot: `${code(published.snapshot)} in ${slot ?? ''}`,
    funds: formatCount(funds),
    documents: formatCount(documents),
    changed: describeChanged(published),
    written: `${formatCount(put + deleted)} (${formatCount(put)} put, ${formatCount(deleted)} deleted)`,
    bytes: formatBytes(bytes),
    cost: `${formatDollars(cost)} (${formatDollars(night.costOfMonth)} a month for one such run a day)`,
    duration: formatDuration(seconds),
    prices: describeFreshness(built.freshness),
    'newest price': night.newestPrice ?? 'none',
    'oldest price': oldest === null ? 'none' : `${oldest.day} (${oldest.isin})`,
    verified: night.verified,
    ...(removed === null ? {} : { 'earlier days': removed }),
  }
  return [table(['', ''], Object.entries(rows)), describeAllowed(allowed), lastEvents(history?.events ?? [])]
}

/** An issue of GitHub cannot hold more rows. */
const objectionsShown = 50

/** The text of GitHub's issue, too. */
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
  return `### Allowed\n\n${table(['guard', 'what', 'who', 'why'], rows)}`
}

const eventsShown = 10

function lastEvents(events: readonly NightlyEvent[]): string {
  if (events.length === 0) return ''
  const rowOf = (event: NightlyEvent) => {
    const { what, why } = describeEvent(event)
    return [event.at, event.asOf, ...[what, event.who, why].map(cell)]
  }
  const rows = events.slice(-eventsShown).map(rowOf).reverse()
  return `### Last events\n\n${table(['when', 'as of', 'what', 'who', 'why'], rows)}`
}

/** Rows in Markdown. Cells are safe already. */
const table = (heading: readonly string[], rows: readonly (readonly string[])[]) =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')

/** In bytes: an issue of GitHub has at most 65,536 characters. */
const maxCell = 600

/** Makes a text safe: it cannot break out of its cell, and mentions no user of GitHub. */
function cell(value: string | number): string {
  const text = typeof value === 'number' ? formatCount(value) : cut(withoutSecrets(value), maxCell)
  return text === '' ? '' : code(text).replaceAll('|', '\\|')
}

/** The approver of a night needs the warnings of earlier nights, too. */
function describeWarnings({ isStaged, night }: RunFacts, warnings: readonly NightlyWarning[]): string {
  const lines = warnings.map(({ step, message }) => `${step}: ${message}`)
  const before = isStaged ? (night?.toldBefore ?? []) : []
  const all = [...lines, ...before.map((warning) => `${warning} (told before)`)]
  if (all.length === 0) return ''
  const shown = fenced(firstOf(all, linesShown))
  const summary = countOf(all.length, 'warning')
  if (isStaged) return `### ${summary}\n\n${shown}`
  return `<details><summary>${summary}</summary>\n\n${shown}\n</details>\n`
}

/** A word from the bucket cannot break out of the code. */
const code = (word: string) => `\`${escapeInvisible(word).replaceAll('`', '')}\``

/** No name of a fund can break out of the fence. */
function fenced(lines: readonly string[]): string {
  const text = lines.join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${safeLines(text)}\n${fence}\n`
}

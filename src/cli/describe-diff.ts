/** The differences between two snapshots as tables to read. */

import type { Counts, DiffGroup, PartDifference, SnapshotDiff } from '../publish/diff.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { printable } from '../source/printable.ts'
import { describeSummary, formatCount } from './summary.ts'
import type { Terminal } from './terminal.ts'

/** More parts than this are counted: the line is to be read. */
const partsShown = 8

/** @param names of both, for people */
export function describeDiff(
  { from, to, funds, documents, groups }: SnapshotDiff,
  [fromName, toName]: readonly [string, string],
  paint: Terminal['paint'],
): string {
  const touched = new Set(groups.flatMap(({ isin }) => isin ?? []))
  const changed = touched.size - funds.added.length - funds.removed.length
  const head = describeSummary({
    from: describeHead(from, fromName),
    to: describeHead(to, toName),
    funds: describeCounts({ added: funds.added.length, removed: funds.removed.length, changed }),
    documents: describeCounts(documents),
  })
  if (groups.length === 0) return `${head}both hold the same documents\n`
  return `${head}\n${byEndpoint(groups, paint)}\n${byFund(groups, funds, paint)}`
}

const describeHead = ({ snapshot }: ManifestHead, name: string) => `${printable(snapshot)} (${name})`

function describeCounts(counts: Counts): string {
  const words = (['changed', 'added', 'removed'] as const)
    .filter((change) => counts[change] > 0)
    .map((change) => `${formatCount(counts[change])} ${change}`)
  return words.length === 0 ? 'none changed' : words.join(', ')
}

function byEndpoint(groups: readonly DiffGroup[], paint: Terminal['paint']): string {
  const endpoints = Map.groupBy(groups, ({ endpoint }) => endpoint)
  const rows = [...endpoints].sort().map(([endpoint, some]) => {
    const sum = (change: keyof Counts) => some.reduce((total, { documents }) => total + documents[change], 0)
    const counts = [sum('changed'), sum('added'), sum('removed')]
    return [endpoint, ...counts.map(formatCount)]
  })
  const width = Math.max(...rows.map(([endpoint = '']) => endpoint.length))
  const line = ([endpoint = '', ...counts]: readonly string[]) =>
    `${endpoint.padEnd(width)}${counts.map((count) => count.padStart(10)).join('')}\n`
  return paint('bold', line(['endpoint', 'changed', 'added', 'removed'])) + rows.map(line).join('')
}

function byFund(
  groups: readonly DiffGroup[],
  funds: SnapshotDiff['funds'],
  paint: Terminal['paint'],
): string {
  const [added, removed] = [new Set(funds.added), new Set(funds.removed)]
  const width = Math.max(...groups.map(({ endpoint }) => endpoint.length))
  return [...Map.groupBy(groups, ({ isin }) => isin)]
    .map(([isin, some]) => {
      const heading = isin ?? 'All funds'
      // Each document of such a fund is in the list: one line says it.
      if (isin !== null && (added.has(isin) || removed.has(isin))) {
        const word = added.has(isin) ? paint('green', 'new fund') : paint('red', 'fund is gone')
        const count = some.reduce((sum, { documents }) => sum + documents.added + documents.removed, 0)
        return `${paint('bold', heading)}  ${word}, ${formatCount(count)} documents\n`
      }
      const lines = some.map(({ endpoint, documents, parts }) => {
        const counts = describeCounts(documents)
        return `  ${endpoint.padEnd(width)}  ${counts}${describeParts(parts)}\n`
      })
      return `${paint('bold', heading)}\n${lines.join('')}`
    })
    .join('')
}

/** `: 2025 added; countries, currencies changed`. Nothing where the counts have said it all. */
function describeParts(parts: readonly PartDifference[]): string {
  const isPlain = parts.every(({ name, what }) => name === 'document' && what === 'changed')
  if (isPlain) return ''
  const shown = [...Map.groupBy(parts, ({ what }) => what)].map(([what, some]) => {
    const names = some.slice(0, partsShown).map(({ name }) => printable(name))
    const more = some.length > partsShown ? ` and ${some.length - partsShown} more` : ''
    return `${names.join(', ')}${more} ${what}`
  })
  return `: ${shown.join('; ')}`
}

/** Differences of two snapshots, by fund and endpoint: `fundpress plan A B`. */

import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { withFolder } from '../bucket/store/files.ts'
import type { Counts } from '../bucket/manifest/compare.ts'
import {
  compareDocuments,
  type DiffGroup,
  type DocumentComparison,
  type PartDifference,
} from '../bucket/manifest/documents.ts'
import { isSlotWord, openPath, openSlot, type Source } from '../bucket/manifest/sources.ts'
import type { ManifestHead } from '../build/manifest.ts'
import { printable } from '../data/model/printable.ts'
import { listed } from '../guards/loss.ts'
import type { Session } from './command.ts'
import { alignedTable, describeSummary, formatCount } from './format.ts'
import { withBucket } from './from-settings.ts'
import type { Paint } from './terminal.ts'

/** Prints the differences of two snapshots: each is a folder, a manifest, or the word of a slot. */
export async function showDiff(session: Session, before: string, after: string): Promise<void> {
  const { settings, stdout, stderr, print } = session
  await withFolder(async (folder) => {
    const open = (word: string): Promise<Source> =>
      isSlotWord(word)
        ? withBucket(session, (store) => openSlot(store, word, { slots: settings.bucket.slots, folder }))
        : openPath(word)
    const [from, to] = [await open(before), await open(after)]
    const table = routeTable(endpoints, settings.docsUrl)
    const compared = await compareDocuments(from.manifest.objects(), to.manifest.objects(), table)
    const { funds, documents, groups } = compared
    const found = { from: from.manifest.head, to: to.manifest.head, funds, documents, groups }
    for (const { warning } of [from, to]) if (warning !== null) stderr.tell(warning)
    print(found, () => describeDiff(found, [from.name, to.name], stdout.paint))
  })
}

const partsShown = 8

type SnapshotDiff = Pick<DocumentComparison, 'funds' | 'documents' | 'groups'> &
  Record<'from' | 'to', ManifestHead>

function describeDiff(
  { from, to, funds, documents, groups }: SnapshotDiff,
  [fromName, toName]: readonly [string, string],
  paint: Paint,
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

function byEndpoint(groups: readonly DiffGroup[], paint: Paint): string {
  const endpointGroups = Map.groupBy(groups, ({ endpoint }) => endpoint)
  const rows = [...endpointGroups].sort().map(([endpoint, some]) => {
    const sum = (change: keyof Counts) => some.reduce((total, { documents }) => total + documents[change], 0)
    return [endpoint, ...[sum('changed'), sum('added'), sum('removed')].map(formatCount)]
  })
  const [heading = '', ...lines] = alignedTable([['endpoint', 'changed', 'added', 'removed'], ...rows])
  return [paint('bold', heading), ...lines].map((line) => `${line}\n`).join('')
}

function byFund(groups: readonly DiffGroup[], funds: SnapshotDiff['funds'], paint: Paint): string {
  const [added, removed] = [new Set(funds.added), new Set(funds.removed)]
  const width = Math.max(...groups.map(({ endpoint }) => endpoint.length))
  return [...Map.groupBy(groups, ({ isin }) => isin)]
    .map(([isin, some]) => {
      const heading = isin ?? 'All funds'
      // One line stands for all documents of a new or a removed fund.
      if (isin !== null && (added.has(isin) || removed.has(isin))) {
        const word = added.has(isin) ? paint('green', 'new fund') : paint('red', 'fund removed')
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

/** `: 2025 added; countries, currencies changed`; empty if the counts are enough. */
function describeParts(parts: readonly PartDifference[]): string {
  const isPlain = parts.every(({ name, what }) => name === 'document' && what === 'changed')
  if (isPlain) return ''
  const shown = [...Map.groupBy(parts, ({ what }) => what)].map(([what, some]) => {
    const names = some.map(({ name }) => printable(name))
    return `${listed(names, partsShown)} ${what}`
  })
  return `: ${shown.join('; ')}`
}

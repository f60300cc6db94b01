/** `fundpress plan`: changes, requests and cost of a publish; or the differences of two snapshots. Writes nothing. */

import { Argument } from '@commander-js/extra-typings'
import type { EndpointWork, Preview } from '../../bucket/publish/preview.ts'
import { flagsThatAllow } from '../../guards/guards.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  alignedTable,
  describeDownloads,
  describeObjections,
  describeRemoved,
  describeRequests,
  describeSummary,
  formatBytes,
  formatCount,
  formatDollars,
} from '../format.ts'
import { describeNews } from '../nightly/news.ts'
import { bucketSettings, option, overrideOptions } from '../options.ts'
import { overrideOf, withBucket } from '../from-settings.ts'
import { planFolder } from '../nightly/publish.ts'
import { routeTable } from '../../api/derive/route-table.ts'
import { endpoints } from '../../api/endpoints/index.ts'
import { withFolder } from '../../bucket/store/files.ts'
import type { Counts } from '../../bucket/manifest/compare.ts'
import {
  compareDocuments,
  type DiffGroup,
  type DocumentComparison,
  type PartDifference,
} from '../../bucket/manifest/documents.ts'
import { isSlotWord, openPath, openSlot, type Source } from '../../bucket/manifest/sources.ts'
import type { ManifestHead } from '../../build/manifest.ts'
import { printable } from '../../data/model/printable.ts'
import { listed } from '../../guards/loss.ts'
import type { Paint } from '../terminal.ts'

export default defineCommand({
  description:
    'Shows what a publish would put and delete, its requests, their cost (requests and storage, without traffic; ' +
    'the prices are settings), and what is new: funds that are gone, new, public or restricted, published prices that changed, and the largest moves. It writes nothing. If a publish would refuse, the plan says why; the exit code is 0.\n\n' +
    'With two snapshots it shows what changed from A to B, by fund and endpoint, and nothing else. Each is a folder, a ' +
    'manifest (manifest.ndjson.gz), or a slot of the bucket: live, other (what is staged, or what was live before), or a ' +
    'name such as blue.',
  arguments: [new Argument('[A]', 'The snapshot before'), new Argument('[B]', 'The snapshot after')],
  settings: ['out', ...bucketSettings, 'bucket.maxDeletes', 'freshness.maxStaleShare', 'edge.keyValueStore'],
  options: [
    ...overrideOptions(),
    option('--repair', 'See `publish`'),
    option('--no-lock', 'See `publish`'),
    option('--forget-kvs', 'See `publish`'),
  ],
  json: 'Print the plan as JSON; of two snapshots { from, to, funds, documents, groups }',
  examples: [
    ['plan --out out --bucket fund-data --region eu-central-1', 'A table by endpoint, and the cost'],
    ['plan --bucket fund-data --json', 'The same for machines'],
    ['plan live out --bucket fund-data', 'What a publish of out would change for readers'],
    ['plan live other --bucket fund-data', 'What a flip of the staged snapshot would change'],
    ['plan out-yesterday out', 'Two folders'],
  ],
  run: async (session, flags, before: string | undefined, after: string | undefined) => {
    if (before !== undefined && after !== undefined) return showDiff(session, before, after)
    if (before !== undefined)
      throw new UsageError('plan takes two snapshots to compare, or none: name the second one, too')
    const { preview, cost } = await planFolder(session, { ...flags, override: overrideOf(session, flags) })
    session.print({ ...preview, cost }, () => describe(preview, cost))
  },
})

function describe(preview: Preview, cost: Awaited<ReturnType<typeof planFolder>>['cost']): string {
  const { snapshot, slot, isLive, isStaged, put, deleted, bytes, endpoints, requests, refusals, objections } =
    preview
  const { PutObject: puts, GetObject: gets, ListObjectsV2: lists, DeleteObjects: deletes } = requests
  const changes = `${formatCount(put)} to put, ${formatCount(deleted)} to delete`
  const figures = describeSummary({
    snapshot: isLive
      ? `${snapshot}, already live`
      : isStaged
        ? `${snapshot}, staged: a publish only flips`
        : snapshot,
    slot,
    changes: puts > 0 ? changes : 'none: there is nothing to do',
    bytes: formatBytes(bytes),
    downloads: describeDownloads(preview.downloads),
    'earlier days': describeRemoved(preview.removed, 'to be removed'),
    requests: describeRequests({ puts, gets, lists, deletes }),
    cost: `${formatDollars(cost.publish)} for this publish, ${formatDollars(cost.month)} a month for one such publish a day and ${cost.slots} slots`,
    'held up': preview.heldBy,
    refused: refusals.length === 0 ? null : refusals.join('; '),
    'allow it': refusals.length === 0 ? null : flagsThatAllow(objections),
  })
  const refused = describeObjections(objections)
  return (
    describeEndpoints(endpoints) +
    figures +
    (refused === '' ? '' : `\n${refused}`) +
    describeNews(preview.news)
  )
}

function describeEndpoints(endpoints: readonly EndpointWork[]): string {
  if (endpoints.length === 0) return ''
  const rows = endpoints.map((one) => [one.endpoint, ...[one.put, one.deleted, one.bytes].map(formatCount)])
  return `${alignedTable([['endpoint', 'put', 'delete', 'bytes'], ...rows]).join('\n')}\n\n`
}

/** Prints the differences of two snapshots: each is a folder, a manifest, or the word of a slot. */
async function showDiff(session: Session, before: string, after: string): Promise<void> {
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

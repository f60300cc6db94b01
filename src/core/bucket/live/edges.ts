/** Known edges: nothing goes live that one of them cannot read. Why: .github/RELEASES.md, Edges first. */

import type { Objection } from '../../guards/guards.ts'
import { type Slot, slots } from './layout.ts'
import type { Live } from './live.ts'

/** The highest format of `live.json`, and how many slots. */
export interface Readable {
  readonly format: number
  readonly slots: number
}

/** `unknown`: why nobody knows what the edge reads. */
export type KnownEdge = { readonly address: string } & (
  { readonly reads: Readable } | { readonly unknown: string }
)

const format: Live['format'] = 1

/** What an edge of a bucket with this many slots has to read. */
export const neededFor = (count: number): Readable => ({ format, slots: count })

/** Edges of all versions read this. */
export const readByAll: Readable = { format: 1, slots: 2 }

const isWithin = (needed: Readable, reads: Readable) =>
  needed.format <= reads.format && needed.slots <= reads.slots

/** Asks no edge if edges of all versions read the slot. @param isUploaded true if the snapshot lies in the slot already */
export async function edgeObjections(
  askEdges: () => Promise<readonly KnownEdge[]>,
  slot: Slot,
  isUploaded: boolean,
): Promise<readonly Objection[]> {
  const needed = neededFor(slots.indexOf(slot) + 1)
  if (isWithin(needed, readByAll)) return []
  const edges = await askEdges()
  return edges.flatMap((edge) => {
    const lack = lackOf(edge, needed)
    if (lack === null) return []
    const others = isUploaded ? '' : `, or set bucket.slots to ${slotsReadBy(edges)}`
    const message = `${lack}; this would make ${slot} live, which takes an edge that reads ${describeReadable(needed)}: ${adviceFor(edge)} first${others}`
    return [{ guard: 'old-edge', subject: null, message }]
  })
}

/** @returns what keeps the edge from reading this, as the beginning of a sentence, or null */
export function lackOf(edge: KnownEdge, needed: Readable): string | null {
  if ('unknown' in edge) return `${edge.address} does not say what it reads (${edge.unknown})`
  return isWithin(needed, edge.reads) ? null : `${edge.address} reads only ${describeReadable(edge.reads)}`
}

export const adviceFor = (edge: KnownEdge): string =>
  'unknown' in edge ? 'let it answer at /status/health' : 'update that edge'

export const describeReadable = (reads: Readable): string =>
  `${reads.slots} slots and format ${reads.format} of live.json`

/** The largest `bucket.slots` that all of these edges read. */
export const slotsReadBy = (edges: readonly KnownEdge[]): number =>
  Math.max(
    readByAll.slots,
    Math.min(...edges.map((edge) => ('reads' in edge ? edge.reads.slots : readByAll.slots))),
  )

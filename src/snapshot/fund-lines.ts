/** What one fund has of one kind (an endpoint's documents, its pages), as lines of the manifest. */

import { manifestLine, type RenderedLine } from './manifest.ts'

export interface FundLines {
  /** Null where they are those of the previous manifest. */
  readonly text: string | null
  readonly objects: number
  readonly bytes: number
  /** How many of the objects were taken over. */
  readonly kept: number
}

export const noLines: FundLines = { text: '', objects: 0, bytes: 0, kept: 0 }

/** @param lines in the order of keys @param kept how many of them were taken over */
export function linesOf(lines: readonly RenderedLine[], kept: number): FundLines {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  // Lines that all stand are taken from where they stand: it spares sending them from thread to thread.
  const isKept = kept > 0 && kept === lines.length
  return { text: isKept ? null : lines.map(manifestLine).join(''), objects: lines.length, bytes, kept }
}

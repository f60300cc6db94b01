/** Whether there is anything left to do in a night. Pure. */

import type { Live } from '../publish/live.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import type { NightFigures } from './figures.ts'

/** What the night is to be made of. */
export interface Wanted {
  readonly asOf: string
  readonly docsUrl: string
}

/** Whether the rest has to be asked for at all: a manifest to be fetched, a database to be hashed. */
export const mayBeDone = (live: Live | null, { asOf, docsUrl }: Wanted): live is Live =>
  live !== null && live.asOf === asOf && live.docsUrl === docsUrl

/**
 * Whether this very database is live as of this very day. A night whose slot was found damaged, or that was killed before
 * anybody looked, is not done, so that the next attempt does not pass for a success. A history that is lost tells nothing.
 * @param head of the live slot's manifest @param source SHA-256 of the database, in hex
 */
export function isDone(
  live: Live,
  head: ManifestHead | null,
  source: string,
  history: readonly NightFigures[],
): boolean {
  const isSeenWhole = history.some(({ snapshot, isVerified }) => snapshot === live.snapshot && isVerified)
  const isTrusted = history.length === 0 || isSeenWhole
  return head !== null && head.snapshot === live.snapshot && head.source === source && isTrusted
}

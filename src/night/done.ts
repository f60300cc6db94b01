/** Whether there is anything left to do in a night. Pure. */

import type { Live } from '../publish/live.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import type { NightFigures } from './figures.ts'

/** What the night is to be made of. */
export interface Wanted {
  /** SHA-256 of the database, in hex. */
  readonly source: string
  /** Digest of the settings that decide the bytes of a snapshot (`settingsDigest`). */
  readonly settings: string
}

/** Whether the rest has to be asked for at all: a manifest to be fetched, a database to be hashed. */
export const mayBeDone = (live: Live | null, asOf: string): live is Live => live?.asOf === asOf

/**
 * Whether this very database is live as of this very day, made with these settings by this version. A night whose slot
 * was found damaged, or that was killed before anybody looked, is not done, so that the next attempt does not pass for a
 * success. A history that is lost tells nothing.
 * @param head of the live slot's manifest
 */
export function isDone(
  live: Live,
  head: ManifestHead | null,
  wanted: Wanted,
  history: readonly NightFigures[],
): boolean {
  const isSeenWhole = history.some(
    ({ snapshot, edition, isVerified }) =>
      snapshot === live.snapshot && (edition ?? null) === (live.edition ?? null) && isVerified,
  )
  const isTrusted = history.length === 0 || isSeenWhole
  const isWanted = head?.source === wanted.source && head.settings === wanted.settings
  return head?.snapshot === live.snapshot && isWanted && isTrusted
}

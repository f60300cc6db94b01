/** Whether there is anything left to do in a night. Pure. */

import type { Live, LiveSnapshot } from '../publish/live.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import type { NightFigures } from './figures.ts'

/** What the night is to be made of. */
export interface Wanted {
  /** SHA-256 of the database, in hex. */
  readonly source: string
  /** Digest of the settings that decide the bytes of a snapshot (`settingsDigest`). */
  readonly settings: string
}

/** The heads of both slots' manifests, as far as they can be read. */
export interface Heads {
  readonly live: ManifestHead | null
  readonly other: ManifestHead | null
}

/** `takenBack`: a rollback has taken back just what this night would publish again. */
export type Standing = 'open' | 'done' | 'takenBack'

/** Whether the rest has to be asked for at all: manifests to be fetched, a database to be hashed. */
export const mayBeDone = (live: Live | null, asOf: string): live is Live =>
  live?.asOf === asOf || takenBack(live)?.asOf === asOf

/** What stood before a rollback, or null where what is live came by a publish. */
export const takenBack = (live: Live | null): LiveSnapshot | null =>
  live?.broughtBy === 'rollback' ? live.previous : null

/**
 * A night is done if this very database is live as of this very day, made with these settings by this version. A night
 * whose slot was found damaged, or that was killed before anybody looked, is not done, so that the next attempt does not
 * pass for a success. A history that is lost tells nothing.
 */
export function standingOf(
  live: Live,
  heads: Heads,
  wanted: Wanted & { readonly asOf: string },
  history: readonly NightFigures[],
): Standing {
  if (isMadeOf(live, heads.live, wanted)) return isTrusted(live, history) ? 'done' : 'open'
  const before = takenBack(live)
  return before !== null && isMadeOf(before, heads.other, wanted) ? 'takenBack' : 'open'
}

const isMadeOf = (
  { snapshot, asOf }: LiveSnapshot,
  head: ManifestHead | null,
  wanted: Wanted & { readonly asOf: string },
) =>
  asOf === wanted.asOf &&
  head?.snapshot === snapshot &&
  head.source === wanted.source &&
  head.settings === wanted.settings

function isTrusted(live: Live, history: readonly NightFigures[]): boolean {
  const isSeenWhole = history.some(
    ({ snapshot, edition, isVerified }) =>
      snapshot === live.snapshot && (edition ?? null) === (live.edition ?? null) && isVerified,
  )
  return history.length === 0 || isSeenWhole
}

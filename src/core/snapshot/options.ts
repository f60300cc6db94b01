/** Options of a build, and digests of the settings that determine the bytes of a snapshot. */

import { versions } from 'node:process'
import type { AnswerCaching, Licence, Publisher } from '../api/contract/page.ts'
import type { LiveReader } from '../data/check/live-prices.ts'
import { type DeriveModes, nothingDerived } from '../data/derive/modes.ts'
import type { Override } from '../guards/guards.ts'
import { defaultExpectations, type ExpectationSettings } from '../guards/plausibility.ts'
import { defaultFreshness, type FreshnessSettings } from '../guards/rules.ts'
import { codeDigest } from './code-digest.ts'
import { digestOfPublisher, fromOf } from './inputs.ts'
import type { RenderThread } from './render-threads.ts'
import type { Signing } from '../system/ssh-signature.ts'
import type { StartThread } from '../system/start-thread.ts'
import type { ReadShard, Shard } from './shard.ts'

export interface BuildOptions {
  readonly db: string
  readonly out: string
  /** ISO 8601. */
  readonly asOf: string
  /** SQLite checks the pages of the database while it is rendered; true unless given. */
  readonly hasQuickCheck?: boolean
  readonly jobs: number
  /** ISINs in upper case; empty means all funds. */
  readonly only: readonly string[]
  /** Absolute, without a closing slash. */
  readonly docsUrl: string
  /** The address of the API, without a closing slash: pages name it. */
  readonly baseUrl: string
  readonly publisher?: Publisher | null
  /** For the documentation; null if it is not known. */
  readonly caching?: AnswerCaching | null
  /** The address of the registry of endpoints (`allEndpoints`, unless given). */
  readonly endpoints?: string
  /** Address of the list of extensions, `src/extensions.ts`. */
  readonly extensions: string
  /** True unless given. */
  readonly hasPages?: boolean
  /** The files for analysts; null for a snapshot without them. */
  readonly downloads?: {
    readonly licence: Licence | null
    readonly isRawCsv?: boolean
  } | null
  /** Signs the checksums of snapshot and downloads; null: nobody does. */
  readonly signing?: Signing | null
  /** Set if this build does not render all funds of a snapshot. Excludes `only`. */
  readonly part?: BuildPart | null
  /** The snapshot to continue from, or null to render everything. The result is the same. */
  readonly since?: Since | null
  readonly freshness?: FreshnessSettings
  readonly expectations?: ExpectationSettings
  /** Reads the live snapshot, to compare prices with it; null if nothing is live, or it is unknown. */
  readonly live?: LiveReader | null
  /** Figures that are derived before the build; nothing is unless given. */
  readonly derive?: DeriveModes
  /** What a night asks of the load; null for a build that is not for a night. */
  readonly load?: { readonly isRequired: boolean; readonly lagDays: number } | null
  /** Objections of guards that the operator allows; none unless given. */
  readonly override?: Override
  /** Threads that are started already, at most `jobs`: the build stops them in any case. */
  readonly threads?: readonly RenderThread[]
  readonly startThread?: StartThread | undefined
  /** Digest of the code that renders (`codeDigest`, unless given): files of other code are made anew. */
  readonly code?: string
  readonly onProgress?: (progress: {
    readonly funds: number
    readonly of: number
    readonly documents: number
  }) => void
  readonly signal: AbortSignal
}

/** `shard`: only these funds, for a merge. `shards`: a merge of funds that were rendered elsewhere. */
type BuildPart =
  ({ readonly kind: 'shard' } & Shard) | { readonly kind: 'shards'; readonly shards: readonly ReadShard[] }

/** The value of `--since`. `folder`: a snapshot with all its files. `manifest`: one whose files are somewhere else. */
export interface Since {
  readonly kind: 'folder' | 'manifest'
  readonly path: string
}

type Deciding = Pick<
  BuildOptions,
  | 'docsUrl'
  | 'baseUrl'
  | 'publisher'
  | 'caching'
  | 'hasPages'
  | 'downloads'
  | 'freshness'
  | 'expectations'
  | 'code'
  | 'derive'
>

/** With the same digest, a build makes the same files from the same database and day, but for signatures. */
export function settingsDigest(options: Deciding): string {
  const { docsUrl, baseUrl, publisher = null, caching = null, hasPages = true, downloads = null } = options
  const { expectations = defaultExpectations } = options
  // Another zlib packs the pages of Parquet to other bytes.
  const packer = downloads === null ? [] : [versions.zlib]
  // Refused prices make no snapshot: limits change its content only if prices are withheld.
  const limits = expectations.onImplausible === 'withhold' ? [expectations] : []
  const named = publisher === null ? [] : [digestOfPublisher(publisher)]
  const others = [
    baseUrl,
    hasPages,
    downloads,
    options.freshness ?? defaultFreshness,
    ...packer,
    ...limits,
    ...named,
    caching,
    options.derive ?? nothingDerived,
  ]
  return fromOf('settings', options.code ?? codeDigest(), docsUrl, JSON.stringify(others))
}

/** Digest of the settings that decide which prices are marked as late or stale. */
export const freshnessDigest = (options: Pick<BuildOptions, 'freshness'>): string =>
  fromOf('freshness', JSON.stringify(options.freshness ?? defaultFreshness))

/** For shards, whose pages must name the same publisher. */
export const publisherDigest = ({ publisher = null }: Pick<BuildOptions, 'publisher'>): string =>
  digestOfPublisher(publisher)

/** For shards: what each of them derives belongs to one snapshot. */
export const deriveDigest = ({ derive = nothingDerived }: Pick<BuildOptions, 'derive'>): string =>
  fromOf('derive', JSON.stringify(derive))

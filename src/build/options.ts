/** What a build is asked to do, and the settings among it that decide the bytes of a snapshot, as digests. */

import { versions } from 'node:process'
import type { Publisher } from '../api/contract/page.ts'
import type { LiveReader } from '../data/check/live-prices.ts'
import type { Licence } from '../downloads/index.ts'
import type { Override } from '../guards/guards.ts'
import { defaultPlausibility, type PlausibilitySettings } from '../guards/plausibility.ts'
import { defaultFreshness, type FreshnessSettings } from '../guards/rules.ts'
import { codeDigest } from './code-digest.ts'
import { digestOfPublisher, fromOf } from './inputs.ts'
import type { RenderThread } from './render-threads.ts'
import type { StartThread } from '../system/start-thread.ts'
import type { ReadShard, Shard } from './shard.ts'

export interface BuildOptions {
  /** The database file. */
  readonly db: string
  /** The folder of the snapshot. */
  readonly out: string
  /** The snapshot's date, ISO 8601. */
  readonly asOf: string
  /** Whether SQLite checks the pages of the database while it is rendered; true unless given. */
  readonly hasQuickCheck?: boolean
  /** Number of rendering threads. */
  readonly jobs: number
  /** ISINs in upper case; none means all funds. */
  readonly only: readonly string[]
  /** Absolute, without a closing slash. */
  readonly docsUrl: string
  /** The address that the API is published at, without a closing slash: pages name it. */
  readonly baseUrl: string
  /** Who publishes, as the pages name it; nobody unless given. */
  readonly publisher?: Publisher | null
  /** The address of the registry of endpoints (`allEndpoints`, unless given). */
  readonly endpoints?: string
  /** The address of the module with the makers of pages (`allPageMakers`, unless given), or null for a snapshot without pages. */
  readonly pages?: string | null
  /** The files for analysts: licence, form and formats; null for a snapshot without them. */
  readonly downloads?: {
    readonly licence: Licence | null
    readonly isRawCsv?: boolean
    readonly formats?: string
  } | null
  /** Set if this build does not render all funds of a snapshot. Not together with `only`. */
  readonly part?: BuildPart | null
  /** The snapshot to continue from, or null to render everything. The result is the same. `openBase` decides. */
  readonly since?: Since | null
  /** How new each fund's newest price should be; the defaults unless given. */
  readonly freshness?: FreshnessSettings
  /** Which prices are implausible, and what happens to them; the defaults unless given. */
  readonly plausibility?: PlausibilitySettings
  /** Reads what is live, to compare prices with it: null if nothing is, or nobody knows. */
  readonly live?: LiveReader | null
  /** What an operator allows of what the guards refuse; nothing unless given. */
  readonly override?: Override
  /** Threads that are started already, at most `jobs`: the build stops them in any case. */
  readonly threads?: readonly RenderThread[]
  /** How further threads are started (`startThread`, unless given). */
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

/** `shard`: only these funds, to be merged with others. `shards`: the funds come from these, rendered elsewhere. */
export type BuildPart =
  ({ readonly kind: 'shard' } & Shard) | { readonly kind: 'shards'; readonly shards: readonly ReadShard[] }

/** What `--since` names. `folder`: a snapshot with all its files. `manifest`: one whose files are somewhere else. */
export interface Since {
  readonly kind: 'folder' | 'manifest'
  readonly path: string
}

type Deciding = Pick<
  BuildOptions,
  'docsUrl' | 'baseUrl' | 'publisher' | 'pages' | 'downloads' | 'freshness' | 'plausibility' | 'code'
>

/** With the same digest, a build makes the same files from the same database and day, downloads included. */
export function settingsDigest(options: Deciding): string {
  const { docsUrl, baseUrl, publisher = null, pages, downloads = null } = options
  const { plausibility = defaultPlausibility } = options
  // Another zlib packs the pages of Parquet to other bytes.
  const packer = downloads === null ? [] : [versions.zlib]
  // Prices that are refused make no snapshot: only if they are withheld, limits decide what is in it.
  const limits = plausibility.onImplausible === 'withhold' ? [plausibility] : []
  const named = publisher === null ? [] : [digestOfPublisher(publisher)]
  const others = [baseUrl, pages !== null, downloads, decisive(options), ...packer, ...limits, ...named]
  return fromOf('settings', options.code ?? codeDigest(), docsUrl, JSON.stringify(others))
}

/** The settings that decide which prices are marked as late or stale. */
export const freshnessDigest = (options: Pick<BuildOptions, 'freshness'>): string =>
  fromOf('freshness', JSON.stringify(decisive(options)))

/** Who publishes, for shards: their pages must name the same. */
export const publisherDigest = ({ publisher = null }: Pick<BuildOptions, 'publisher'>): string =>
  digestOfPublisher(publisher)

/** `maxStaleShare` is for a publish, and changes no file. */
const decisive = ({ freshness = defaultFreshness }: Pick<BuildOptions, 'freshness'>) => ({
  ...freshness,
  maxStaleShare: null,
})

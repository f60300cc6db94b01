/** `fundpress build`: renders a night into a folder, all of it or nothing. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeDownloads, type DownloadsSummary, type Licence, type Packed } from '../downloads/index.ts'
import type { FreshnessCounts, MarkedFund, OldestPrice } from '../freshness/assess.ts'
import type { FreshnessSettings } from '../freshness/rules.ts'
import { checkStructure } from '../source/check-schema.ts'
import { openFile } from '../source/digest.ts'
import { identityOf } from '../source/identity.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import { openFunds, readable } from '../source/open.ts'
import { withAdvice } from './disk-advice.ts'
import { lackedBy } from './check-shards.ts'
import { takeOver } from './document-files.ts'
import type { FundNews } from './funds.ts'
import { manifestKey } from './manifest.ts'
import { nightOf, renderNight, type Night } from './render-night.ts'
import { openPrevious, sameFolder, type Previous, type Since } from './since.ts'
import { writeSparse } from './sparse.ts'
import { startRenderThreads, type RenderThread } from './render-threads.ts'
import type { ReadShard, Shard } from './shard.ts'
import { findStandingZip } from './standing-zip.ts'
import { makeStaging, type Staging } from './staging.ts'

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
  /** The module with the makers of pages (`allPageMakers`, unless given), or null for a snapshot without pages. */
  readonly pages?: string | null
  /** What the files for analysts say of their licence, or null for a snapshot without such files. */
  readonly downloads?: { readonly licence: Licence | null; readonly isRawCsv?: boolean } | null
  /** Not all of a snapshot is rendered here, or null. Not together with `only`. */
  readonly part?: Part | null
  /** The snapshot to go on from, or null to render everything. The result is the same. */
  readonly since?: Since | null
  /** How new each fund's newest price should be; the defaults unless given. */
  readonly freshness?: FreshnessSettings
  /** Threads that were started already, as many as `jobs` or fewer: the build stops them in any case. */
  readonly threads?: readonly RenderThread[]
  /** Digest of the code that renders (`codeDigest`, unless given): what other code made is made anew. */
  readonly code?: string
  readonly onProgress?: (progress: {
    readonly funds: number
    readonly of: number
    readonly documents: number
  }) => void
  readonly signal: AbortSignal
}

/** `shard`: only these funds, to be merged with others. `shards`: the funds come from these, rendered elsewhere. */
export type Part =
  ({ readonly kind: 'shard' } & Shard) | { readonly kind: 'shards'; readonly shards: readonly ReadShard[] }

export interface BuildSummary {
  readonly snapshot: string
  readonly asOf: string
  readonly funds: number
  readonly documents: number
  readonly bytes: number
  /** How many of the documents were rendered; the others stood in the snapshot that this one goes on from. */
  readonly rendered: number
  /** The id of the snapshot that this one goes on from, or null. */
  readonly since: string | null
  /** Whether the folder lacks the files that stood. */
  readonly isSparse: boolean
  /** Funds by how new their newest price is. */
  readonly freshness: FreshnessCounts
  /** The watched fund whose newest price is the oldest, or null without any price. */
  readonly oldestPrice: OldestPrice | null
  /** Stale funds, then late ones, those with the oldest price first; ten at most. */
  readonly overdue: readonly MarkedFund[]
  /** The files for analysts, or null without them. */
  readonly downloads: DownloadsSummary | null
  readonly seconds: number
  readonly warnings: readonly Finding[]
}

const namedFunds = 10

/**
 * Builds the snapshot beside `out` and swaps it in at the end. Funds are checked as they are read; after the first
 * error the rest is only checked, so that all errors are named and nothing is replaced.
 * @throws {RefusedDatabase} if the checks find errors
 * @throws {DamagedDatabase} if SQLite finds damage
 * @throws {Error} if the database cannot be read, the disk is full, or the signal aborts: `out` is as it was
 */
export async function buildSnapshot(options: BuildOptions): Promise<BuildSummary> {
  const threads = [...(options.threads ?? [])]
  try {
    return await buildWith(options, threads)
  } finally {
    await Promise.all(threads.map(({ stop }) => stop()))
  }
}

/** @param threads those that are there; others that are started are added */
async function buildWith(options: BuildOptions, threads: RenderThread[]): Promise<BuildSummary> {
  const started = performance.now()
  options.signal.throwIfAborted()
  const identity = identityOf(options.db)
  const db = openFunds(options.db)
  const file = await openFile(options.db, identity)
  let staging: Staging | undefined
  let previous: Previous | null = null
  try {
    const structureFindings = checkStructure(db)
    if (structureFindings.length > 0) throw new RefusedDatabase(options.db, structureFindings)
    staging = makeStaging(options.out)
    const unpacked = join(staging.folder, '.previous')
    const zip = join(staging.folder, '.previous.zip')
    const packed = await findStandingZip(options, zip)
    const since = packed === null ? null : (options.since ?? null)
    previous = since === null ? null : await openPrevious(since, unpacked)
    const jobs = Math.max(1, Math.min(options.jobs, readIsins(db).length))
    // They load their code while this one does.
    threads.push(...startRenderThreads(jobs - threads.length))
    const night = await nightOf(options, db, file, staging.folder, previous)
    const rendered = await renderNight(night, threads.slice(0, jobs))
    const { head, kept, assessment, warnings, each } = rendered
    await previous?.close()
    rmSync(unpacked, { force: true })
    const lacking = lackingFrom(options, previous)
    if (lacking !== null) writeSparse(staging.folder, { since: lacking })
    const downloads = await downloadsOf(
      night,
      head.snapshot,
      each,
      lacking === null ? null : (packed ?? nowhere),
    )
    rmSync(zip, { force: true })
    options.signal.throwIfAborted()
    await staging.flush(options.signal)
    previous?.assertSame()
    await rendered.assertUntouched()
    staging.swapIn()
    const { snapshot, asOf, funds, objects: documents, bytes } = head
    return {
      ...{ snapshot, asOf, funds, documents, bytes, rendered: documents - kept },
      since: previous?.snapshot ?? lacking,
      isSparse: lacking !== null,
      freshness: assessment.counts,
      oldestPrice: assessment.oldestPrice,
      overdue: assessment.overdue.slice(0, namedFunds),
      downloads,
      seconds: (performance.now() - started) / 1000,
      warnings,
    }
  } catch (error) {
    await previous?.close()
    staging?.discard()
    throw options.signal.aborted
      ? options.signal.reason
      : withAdvice(readable(options.db, error), options.out)
  } finally {
    db.close()
    await file.close()
  }
}

/** Of sparse shards that are there already, not everything can be rendered where the ZIP is not to be had. */
const nowhere: Packed = { kind: 'nowhere' }

/** Writes the files for analysts, unless there are to be none. */
async function downloadsOf(
  night: Night,
  snapshot: string,
  each: readonly FundNews[],
  packed: Packed | null,
): Promise<DownloadsSummary | null> {
  const { options, settings, db } = night
  const { asOf, jobs, signal, downloads = null, part = null } = options
  // Of shards the merge makes them.
  if (downloads === null || part?.kind === 'shard') return null
  const { root, pages, reuse } = settings
  // What a sparse snapshot goes on from has no downloads; those of the night before are where this one comes.
  const folder = reuse?.kind === 'linked' ? reuse.folder : reuse === null ? null : options.out
  const assertSame = folder === null ? () => undefined : sameFolder(folder)
  const written = await writeDownloads({
    isRawCsv: false,
    ...downloads,
    db,
    root,
    manifest: join(root, manifestKey),
    snapshot,
    asOf,
    funds: each,
    code: settings.renderer,
    earlier: folder === null ? null : { root: folder, takeOver },
    hasPages: pages !== null,
    packed,
    advice: part === null ? 'build without --since' : adviceToMerge,
    jobs,
    signal,
  })
  assertSame()
  return written
}

const adviceToMerge = 'give `merge` the --since of its shards, or build these without'

/** The snapshot that has the files that the new folder lacks, or null where it lacks none. */
function lackingFrom({ part = null }: BuildOptions, previous: Previous | null): string | null {
  if (part?.kind === 'shards') return lackedBy(part.shards)
  return previous?.reuse.kind === 'sparse' ? previous.snapshot : null
}

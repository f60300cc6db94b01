/** `fundpress build`: renders a night into a folder, all of it or nothing. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { routeTable } from '../derive/route-table.ts'
import { writeDownloads, type DownloadsSummary, type Licence } from '../downloads/index.ts'
import { endpoints } from '../endpoints/index.ts'
import type { RouteTable } from '../routes/table.ts'
import { checkSchema } from '../source/check-schema.ts'
import { checkTables } from '../source/check.ts'
import { openFile, type OpenedFile } from '../source/digest.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import { openFunds, readable, type FundDatabase } from '../source/open.ts'
import { codeDigest } from './code-digest.ts'
import { withAdvice } from './disk-advice.ts'
import { folderOf } from './document-files.ts'
import { rendererOf } from './inputs.ts'
import { manifestFormat, manifestLine, snapshotId, type ManifestHead } from './manifest.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import { fundPlans, type Plan } from './plans.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { RenderedFund } from './render-fund.ts'
import type { RenderReply, RenderSettings } from './render-worker.ts'
import { putSharedDocuments } from './shared-documents.ts'
import { openPrevious, type Previous, type Since } from './since.ts'
import { writeSparse } from './sparse.ts'
import { makeStaging, type Staging } from './staging.ts'

export interface BuildOptions {
  /** The database file. */
  readonly db: string
  /** The folder of the snapshot. */
  readonly out: string
  /** The snapshot's date, ISO 8601. */
  readonly asOf: string
  /** Number of rendering threads. */
  readonly jobs: number
  /** ISINs in upper case; none means all funds. */
  readonly only: readonly string[]
  /** Absolute, without a closing slash. */
  readonly docsUrl: string
  /** The snapshot to go on from, or null to render everything. The result is the same. */
  readonly since?: Since | null
  /** Digest of the code that renders (`codeDigest`, unless given): what other code made is made anew. */
  readonly code?: string
  /** What the analysts' files are made with, or null for none. */
  readonly downloads?: { readonly licence: Licence | null } | null
  readonly onProgress?: (progress: {
    readonly funds: number
    readonly of: number
    readonly documents: number
  }) => void
  readonly signal: AbortSignal
}

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
  /** The analysts' files, or null without them. */
  readonly downloads: DownloadsSummary | null
  readonly seconds: number
  readonly warnings: readonly Finding[]
}

/**
 * Builds the snapshot beside `out` and swaps it in at the end. Funds are checked as they are read; after the first
 * error the rest is only checked, so that all errors are named and nothing is replaced.
 * @throws {RefusedDatabase} if the checks find errors
 * @throws {Error} if the database cannot be read, the disk is full, or the signal aborts: `out` is as it was
 */
export async function buildSnapshot(options: BuildOptions): Promise<BuildSummary> {
  const started = performance.now()
  options.signal.throwIfAborted()
  const db = openFunds(options.db)
  const file = await openFile(options.db)
  let staging: Staging | undefined
  let previous: Previous | null = null
  try {
    const schemaFindings = checkSchema(db)
    if (schemaFindings.length > 0) throw new RefusedDatabase(options.db, schemaFindings)
    staging = makeStaging(options.out)
    const unpacked = join(staging.folder, '.previous')
    const { since = null } = options
    previous = since === null ? null : await openPrevious(since, unpacked)
    const night = nightOf(options, db, file, staging.folder, previous)
    const { head, kept, warnings } = await renderNight(night)
    await previous?.close()
    rmSync(unpacked, { force: true })
    const isSparse = previous?.reuse.kind === 'sparse'
    if (previous !== null && isSparse) writeSparse(staging.folder, { since: previous.snapshot })
    const downloads = await downloadsOf(night, isSparse)
    options.signal.throwIfAborted()
    previous?.assertSame()
    staging.swapIn()
    const { snapshot, asOf, funds, objects: documents, bytes } = head
    const seconds = (performance.now() - started) / 1000
    const sinceSnapshot = previous?.snapshot ?? null
    const rendered = documents - kept
    return {
      snapshot,
      asOf,
      funds,
      documents,
      bytes,
      rendered,
      since: sinceSnapshot,
      isSparse,
      downloads,
      seconds,
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

/** A build under way. */
interface Night {
  readonly options: BuildOptions
  readonly settings: RenderSettings
  /** In the same read transaction as the rendering threads, until the end. */
  readonly db: FundDatabase
  readonly file: OpenedFile
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly previous: Previous | null
  readonly lines: ObjectLines
}

function nightOf(
  options: BuildOptions,
  db: FundDatabase,
  file: OpenedFile,
  root: string,
  previous: Previous | null,
): Night {
  const { asOf, docsUrl, code = codeDigest() } = options
  const table = routeTable(endpoints, docsUrl)
  const settings: RenderSettings = {
    db: options.db,
    root,
    asOf,
    docsUrl,
    renderer: rendererOf(code, docsUrl),
    reuse: previous?.reuse ?? null,
  }
  const plans = fundPlans(endpoints, table)
  return { options, settings, db, file, table, plans, previous, lines: objectLines(root) }
}

/** Renders everything that does not stand. @throws {RefusedDatabase} */
async function renderNight(
  night: Night,
): Promise<{ head: ManifestHead; kept: number; warnings: readonly Finding[] }> {
  const { options, settings, db, file } = night
  const jobs = Math.max(1, Math.min(options.jobs, readIsins(db).length))
  const pool = await openRenderPool(settings, jobs, db, options.signal)
  const stop = () => void pool.close()
  options.signal.addEventListener('abort', stop)
  try {
    // It may have been aborted while the threads started.
    options.signal.throwIfAborted()
    const isins = isinsToRender(night)
    const source = file.digest()
    // It is waited for at the end.
    source.catch(() => undefined)
    const { warnings, kept, ...counts } = await renderFunds(night, isins, pool)
    await pool.close()
    const head = await finish(night, { funds: isins.length, ...counts, source: await source })
    return { head, kept, warnings }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
  }
}

/** Writes the analysts' files, unless there are to be none. */
async function downloadsOf(night: Night, isSparse: boolean): Promise<DownloadsSummary | null> {
  const { options, settings, db } = night
  const { asOf, jobs, signal, downloads = null } = options
  if (downloads === null) return null
  return writeDownloads({
    db,
    root: settings.root,
    asOf,
    isins: isinsToRender(night),
    isSparse,
    licence: downloads.licence,
    jobs,
    signal,
  })
}

function isinsToRender({ options: { db: file, only }, db }: Night): readonly string[] {
  const isins = readIsins(db)
  if (only.length === 0) return isins
  const missing = only.filter((isin) => !isins.includes(isin))
  if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
  return isins.filter((isin) => only.includes(isin))
}

interface Rendering {
  readonly objects: number
  readonly bytes: number
  /** How many objects were taken over. */
  readonly kept: number
  readonly newestPrice: string | null
  readonly warnings: readonly Finding[]
}

/** Renders all funds and the documents over all funds. @throws {RefusedDatabase} */
async function renderFunds(night: Night, isins: readonly string[], pool: RenderPool): Promise<Rendering> {
  const { options, settings, db, table, plans, lines } = night
  const previous = (await night.previous?.manifest) ?? null
  const findings = checkTables(db)
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  const from = new Map<string, string[]>()
  /** The previous manifest's lines of funds that are being rendered, a text a plan. */
  const waiting = new Map<string, readonly string[]>()
  let done = 0
  let objects = 0
  let bytes = 0
  let kept = 0
  let newestPrice: string | null = null
  const ofEndpoint = (id: string) => {
    const digests = from.get(id) ?? []
    from.set(id, digests)
    return digests
  }
  const takeFund = (fund: RenderedFund, isin: string) => {
    const standing = waiting.get(isin)
    waiting.delete(isin)
    for (const [index, { folder }] of plans.entries()) {
      lines.add(folder, fund.lines.get(index) ?? standing?.[index] ?? '')
    }
    for (const [id, digest] of Object.entries(fund.from)) ofEndpoint(id).push(digest)
    objects += fund.documents
    bytes += fund.bytes
    kept += fund.kept
    newestPrice = laterDay(newestPrice, fund.newestPrice)
  }
  const take = (reply: RenderReply, some: readonly string[]) => {
    if (reply.kind !== 'rendered') return
    for (const finding of reply.findings) findings.push(finding)
    for (const [index, fund] of reply.funds.entries()) takeFund(fund, some[index] ?? '')
    done += some.length
    options.onProgress?.({ funds: done, of: isins.length, documents: objects })
  }
  const linesOf = (isin: string) => {
    const standing = plans.map(({ folder }) => previous?.linesOf(folder, `${folder}${isin}/`) ?? '')
    waiting.set(isin, standing)
    return standing
  }
  // With an error the snapshot is refused: what is still to be found are the other errors.
  const request = (some: readonly string[]) =>
    hasErrors()
      ? { kind: 'check' as const, isins: some }
      : { kind: 'render' as const, isins: some, previous: previous === null ? [] : some.map(linesOf) }
  await pool.ask(isins, request, take)
  if (hasErrors()) throw new RefusedDatabase(options.db, findings)

  const shared = await putSharedDocuments({ settings, table, plans, previous, pool, isins, from })
  for (const { line } of shared) lines.add(folderOf(line.key), manifestLine(line))
  return {
    objects: objects + shared.length,
    bytes: shared.reduce((sum, { line }) => sum + line.bytes, bytes),
    kept: kept + shared.filter(({ isKept }) => isKept).length,
    newestPrice,
    warnings: findings,
  }
}

/** The later of two days; null is none. */
const laterDay = (one: string | null, other: string | null) =>
  one === null || (other !== null && other > one) ? other : one

/** Writes the manifest and the checksums. */
async function finish(
  { options, lines }: Night,
  counts: Omit<ManifestHead, 'format' | 'snapshot' | 'asOf' | 'docsUrl'>,
): Promise<ManifestHead> {
  const head: ManifestHead = {
    format: manifestFormat,
    snapshot: snapshotId(options.asOf, await lines.digest()),
    asOf: options.asOf,
    ...counts,
    docsUrl: options.docsUrl,
  }
  await lines.write(head)
  return head
}

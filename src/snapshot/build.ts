/** `fundpress build`: renders a night into a folder, all of it or nothing. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import type { RouteTable } from '../routes/table.ts'
import { checkSchema } from '../source/check-schema.ts'
import { checkTables } from '../source/check.ts'
import { openFile, type OpenedFile } from '../source/digest.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import { openFunds, readable, type FundDatabase } from '../source/open.ts'
import { fundPlans, type Plan } from './fund-documents.ts'
import { manifestFormat, manifestLine, snapshotId, type ManifestHead } from './manifest.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { Rendered } from './render-worker.ts'
import { allFundsDocuments, writeSharedErrors } from './shared-documents.ts'
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
  try {
    const schemaFindings = checkSchema(db)
    if (schemaFindings.length > 0) throw new RefusedDatabase(options.db, schemaFindings)
    staging = makeStaging(options.out)
    const { folder: root } = staging
    const table = routeTable(endpoints, options.docsUrl)
    const plans = fundPlans(endpoints, table)
    for (const { folder } of plans) mkdirSync(join(root, folder), { recursive: true })
    const night: Night = { options, db, file, root, table, plans, lines: objectLines(root) }
    const { head, warnings } = await renderNight(night)
    options.signal.throwIfAborted()
    staging.swapIn()
    return {
      snapshot: head.snapshot,
      asOf: head.asOf,
      funds: head.funds,
      documents: head.objects,
      bytes: head.bytes,
      seconds: (performance.now() - started) / 1000,
      warnings,
    }
  } catch (error) {
    staging?.discard()
    throw options.signal.aborted ? options.signal.reason : withAdvice(readable(options.db, error), options)
  } finally {
    db.close()
    await file.close()
  }
}

/** A build under way. */
interface Night {
  readonly options: BuildOptions
  /** In the same read transaction as the rendering threads, until the end. */
  readonly db: FundDatabase
  readonly file: OpenedFile
  /** The folder that the snapshot is built in. */
  readonly root: string
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly lines: ObjectLines
}

/** Renders everything. @throws {RefusedDatabase} */
async function renderNight(night: Night): Promise<{ head: ManifestHead; warnings: readonly Finding[] }> {
  const { options, db, file, root } = night
  const jobs = Math.max(1, Math.min(options.jobs, readIsins(db).length))
  const settings = { db: options.db, root, asOf: options.asOf, docsUrl: options.docsUrl }
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
    const { warnings, ...counts } = await renderFunds(night, isins, pool)
    await pool.close()
    return { head: await finish(night, { funds: isins.length, ...counts, source: await source }), warnings }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
  }
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
  readonly newestPrice: string | null
  readonly warnings: readonly Finding[]
}

/** Renders all funds and the documents over all funds. @throws {RefusedDatabase} */
async function renderFunds(night: Night, isins: readonly string[], pool: RenderPool): Promise<Rendering> {
  const { options, db, root, table, plans, lines } = night
  const all = allFundsDocuments(endpoints, table, root)
  const findings = checkTables(db)
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  let objects = 0
  let bytes = 0
  let newestPrice: string | null = null
  const take = (rendered: Rendered, funds: number): boolean => {
    plans.forEach(({ folder }, index) => {
      lines.add(folder, rendered.lines[index] ?? '')
    })
    for (const { endpointId, format, add } of all) add(rendered.members[endpointId]?.[format] ?? [])
    for (const finding of rendered.findings) findings.push(finding)
    objects += rendered.documents
    bytes += rendered.bytes
    newestPrice = laterDay(newestPrice, rendered.newestPrice)
    options.onProgress?.({ funds, of: isins.length, documents: objects })
    return !hasErrors()
  }
  await pool.render(isins, take)
  if (hasErrors()) throw new RefusedDatabase(options.db, findings)

  const shared = [...all.map((document) => document.end()), ...writeSharedErrors(table, root)]
  for (const line of shared.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    lines.add(line.key.slice(0, line.key.lastIndexOf('/') + 1), manifestLine(line))
  }
  return {
    objects: objects + shared.length,
    bytes: shared.reduce((sum, line) => sum + line.bytes, bytes),
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

/** A disk that is full or may not be written to: which one, and what to do. */
function withAdvice(error: unknown, { out }: BuildOptions): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full: free some space, or choose another --out',
    EDQUOT: 'the quota is used up: free some space, or choose another --out',
    EFBIG: 'a file grew beyond the limit for files (ulimit -f)',
    EACCES: 'no right to write there',
    EPERM: 'no right to write there',
    EBUSY: 'it cannot be replaced, as a mount point for example: choose a folder in it',
    EROFS: 'the file system is read-only',
    EMFILE: 'too many open files (ulimit -n)',
  }
  const known = code === undefined ? undefined : advice[code]
  return known === undefined
    ? error
    : new Error(`${path ?? out}: ${known}; ${out} is as it was`, { cause: error })
}

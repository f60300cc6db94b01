/** `fundpress build`: renders a night into a folder, all of it or nothing. */

import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import type { RouteTable } from '../routes/table.ts'
import { checkTables } from '../source/check.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import { openFunds, readable } from '../source/open.ts'
import { fundPlans, type Plan } from './fund-documents.ts'
import { manifestFormat, manifestLine, snapshotId, type ManifestHead } from './manifest.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import { openRenderPool } from './render-pool.ts'
import type { Rendered } from './render-worker.ts'
import { allFundsDocuments, writeSharedErrors } from './shared-documents.ts'
import { makeStaging, swapIn } from './staging.ts'

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
  const { isins, findings } = readFunds(options)
  const staging = makeStaging(options.out)
  try {
    const table = routeTable(endpoints, options.docsUrl)
    const plans = fundPlans(endpoints, table)
    for (const { folder } of plans) mkdirSync(join(staging, folder), { recursive: true })
    const night: Night = { options, staging, isins, table, plans, findings, lines: objectLines(staging) }
    const [counts, source] = await Promise.all([renderFunds(night), digestOf(options.db)])
    const head = await finish(night, counts, source)
    options.signal.throwIfAborted()
    swapIn(staging, options.out)
    return {
      snapshot: head.snapshot,
      asOf: head.asOf,
      funds: head.funds,
      documents: head.objects,
      bytes: head.bytes,
      seconds: (performance.now() - started) / 1000,
      warnings: findings,
    }
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw options.signal.aborted ? options.signal.reason : withAdvice(error, options)
  }
}

/** A build under way. */
interface Night {
  readonly options: BuildOptions
  readonly staging: string
  readonly isins: readonly string[]
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  /** Grows with the funds. */
  readonly findings: Finding[]
  readonly lines: ObjectLines
}

interface Counts {
  readonly objects: number
  readonly bytes: number
}

/** The funds to render, and what is wrong with the database as a whole. */
function readFunds({ db: file, only }: BuildOptions): { isins: readonly string[]; findings: Finding[] } {
  const db = openFunds(file)
  try {
    const isins = readIsins(db)
    const missing = only.filter((isin) => !isins.includes(isin))
    if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
    return {
      isins: only.length > 0 ? isins.filter((isin) => only.includes(isin)) : isins,
      findings: checkTables(db),
    }
  } catch (error) {
    throw readable(file, error)
  } finally {
    db.close()
  }
}

/** Renders all funds and the documents over all funds. @throws {RefusedDatabase} */
async function renderFunds({
  options,
  staging,
  isins,
  table,
  plans,
  findings,
  lines,
}: Night): Promise<Counts> {
  const all = allFundsDocuments(endpoints, table, staging)
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  let objects = 0
  let bytes = 0
  const take = (rendered: Rendered, funds: number): boolean => {
    plans.forEach(({ folder }, index) => {
      lines.add(folder, rendered.lines[index] ?? '')
    })
    for (const { endpointId, format, add } of all) add(rendered.members[endpointId]?.[format] ?? [])
    findings.push(...rendered.findings)
    objects += rendered.documents
    bytes += rendered.bytes
    options.onProgress?.({ funds, of: isins.length, documents: objects })
    return !hasErrors()
  }

  const jobs = Math.max(1, Math.min(options.jobs, isins.length))
  const settings = { db: options.db, root: staging, asOf: options.asOf, docsUrl: options.docsUrl }
  const pool = await openRenderPool(settings, jobs)
  const stop = () => void pool.close()
  options.signal.addEventListener('abort', stop)
  try {
    // It may have been aborted while the threads started.
    options.signal.throwIfAborted()
    await pool.render(isins, take)
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
  }
  if (hasErrors()) throw new RefusedDatabase(options.db, findings)

  const shared = [...all.map((document) => document.end()), ...writeSharedErrors(table, staging)]
  for (const line of shared.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    lines.add(line.key.slice(0, line.key.lastIndexOf('/') + 1), manifestLine(line))
  }
  return {
    objects: objects + shared.length,
    bytes: shared.reduce((sum, line) => sum + line.bytes, bytes),
  }
}

/** Writes the manifest and the checksums. */
async function finish(
  { options, isins, lines }: Night,
  counts: Counts,
  source: string,
): Promise<ManifestHead> {
  const head: ManifestHead = {
    format: manifestFormat,
    snapshot: snapshotId(options.asOf, await lines.digest()),
    asOf: options.asOf,
    funds: isins.length,
    ...counts,
    source,
    docsUrl: options.docsUrl,
  }
  await lines.write(head)
  return head
}

/** SHA-256 of a file, in hex. */
async function digestOf(file: string): Promise<string> {
  const sha256 = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) sha256.update(chunk)
  return sha256.digest('hex')
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
    EROFS: 'the file system is read-only',
    EMFILE: 'too many open files (ulimit -n)',
  }
  const known = code === undefined ? undefined : advice[code]
  return known === undefined
    ? error
    : new Error(`${path ?? out}: ${known}; ${out} is as it was`, { cause: error })
}

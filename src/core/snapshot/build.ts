/** `fundpress build`: renders a snapshot into a folder. If anything fails, the folder stays as it was. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteParts } from '../api/contract/page.ts'
import { RefusedDatabase } from '../data/check/finding.ts'
import { identityOf, openFile, type OpenedFile } from '../data/read/digest.ts'
import { readIsins } from '../data/read/fund-reader.ts'
import { databaseError, openFunds, refuseDamage, type FundDatabase } from '../data/read/open.ts'
import { UnflushedError } from '../system/durable.ts'
import { askLoad } from './ask-load.ts'
import { openBase, sameFolder } from './base.ts'
import { deriveFigures } from './derive.ts'
import { linkOrCopy } from './document-files.ts'
import { writeSparse } from './manifest.ts'
import { loadPageMakers, noPageMakers, onlyHook, readHooks, type WriteBeside } from './hooks.ts'
import type { BuildOptions } from './options.ts'
import { objectLines } from './object-lines.ts'
import { openRendering } from './plans.ts'
import { type Build, isinsToRender, type PreparedDatabase, settingsOf } from './prepare.ts'
import { renderPool } from './render-pool.ts'
import { renderSnapshot, type Rendered } from './render.ts'
import { startRenderThreads, type RenderThread } from './render-threads.ts'
import { factsText } from './signed-facts.ts'
import { makeStaging } from './staging.ts'
import { withholdPrices } from './withhold.ts'

export type { BuildOptions } from './options.ts'

export type BuildSummary = Awaited<ReturnType<typeof buildSnapshot>>

const namedFunds = 10

/**
 * Builds the snapshot beside `out` and swaps it in at the end. Funds are checked as they are read; after the first
 * error the rest is only checked, so that the message names all errors.
 * @throws {RefusedDatabase} if the checks find errors, {@link ImplausibleDatabase} if only guards refuse prices
 * @throws {DamagedDatabase} if SQLite finds damage
 * @throws {Error} if the database cannot be read, the disk is full, or the signal aborts: `out` is as it was
 */
export async function buildSnapshot(options: BuildOptions) {
  const { signal } = options
  const threads = [...(options.threads ?? [])]
  const stop = async () => {
    await Promise.all(threads.map((thread) => thread.stop()))
  }
  const onAbort = () => void stop()
  signal.addEventListener('abort', onAbort)
  try {
    return await buildWith(options, threads)
  } finally {
    signal.removeEventListener('abort', onAbort)
    await stop()
  }
}

async function buildWith(options: BuildOptions, threads: RenderThread[]) {
  const started = performance.now()
  options.signal.throwIfAborted()
  const identity = identityOf(options.db)
  const db = openFunds(options.db)
  const file = await openFile(options.db, identity)
  try {
    await checkFile(options, threads)
    const made = await stageSnapshot(options, { db, file }, threads)
    return summaryOf(made, (performance.now() - started) / 1000)
  } catch (error) {
    throw options.signal.aborted
      ? options.signal.reason
      : explained(databaseError(options.db, error), options.out)
  } finally {
    db.close()
    await file.close()
  }
}

interface Source {
  readonly db: FundDatabase
  readonly file: OpenedFile
}

/** Makes the snapshot in a staging folder, and swaps it in. */
async function stageSnapshot(options: BuildOptions, source: Source, threads: RenderThread[]) {
  const staging = makeStaging(options.out)
  try {
    const made = await fillFolder(options, staging.folder, source, threads)
    options.signal.throwIfAborted()
    await staging.flush(options.signal)
    await made.assertUntouched()
    staging.swapIn()
    return made
  } catch (error) {
    staging.discard()
    throw error
  }
}

async function fillFolder(
  options: BuildOptions,
  folder: string,
  { db, file }: Source,
  threads: RenderThread[],
) {
  const jobs = Math.max(1, Math.min(options.jobs, readIsins(db).length))
  // Threads load their code while this one does.
  threads.push(...startRenderThreads(jobs - threads.length, options.startThread))
  const base = await openBase(options, folder)
  const { from } = base
  const { makers, writeBeside, ...has } = await loadHooks(options)
  const settings = settingsOf(options, folder, base, has)
  const pool = renderPool(threads.slice(0, jobs), settings, options.signal)
  try {
    const rendering = await openRendering(settings, makers)
    await pool.read(db)
    file.assertSame()
    const assertSameContent = await file.watch(db)
    const digest = file.digest(options.signal)
    // Awaited later: a failure until then ends the build first.
    digest.catch(() => undefined)
    const load = await askLoad(db, rendering.rules, options)
    const isins = isinsToRender(options, db)
    const make = async (prepared: PreparedDatabase) => {
      const lines = objectLines(folder, rendering.table)
      const build: Build = { ...rendering, ...prepared, options, isins, base, lines }
      const rendered = await renderSnapshot(build, pool, digest)
      await base.close()
      rmSync(join(folder, '.previous'), { force: true })
      if (from.kind === 'sparse') writeSparse(folder, { since: from.snapshot })
      return { rendered, downloads: await downloadsOf(build, rendered, writeBeside) }
    }
    const made = await deriveFigures(options, db, { pool, folder }, (derived) =>
      withholdPrices(options, isins, { db: derived, pool, folder }, make),
    )
    const assertUntouched = async () => {
      base.assertSame()
      await assertSameContent()
    }
    return { ...made, from, load, assertUntouched }
  } finally {
    await pool.close()
    await base.close()
  }
}

/** Loads what the options ask for, and extensions make. */
async function loadHooks({ extensions, hasPages = true, downloads = null }: BuildOptions) {
  const hooks = await readHooks(extensions)
  const all = await loadPageMakers(hooks)
  const makers = hasPages ? all : { ...noPageMakers, namedParts: all.namedParts, namedPages: all.namedPages }
  const beside = downloads === null ? undefined : onlyHook(hooks, 'beside')
  const { writeBeside } = beside === undefined ? { writeBeside: null } : await beside()
  const isThere = [makers.fundPages, makers.sitePages].some((some) => some.length > 0)
  const downloadsPart = writeBeside === null ? [] : (['downloads'] as const)
  const parts: SiteParts = [...makers.parts, ...makers.namedParts, ...downloadsPart]
  return { makers, writeBeside, hasPages: isThere, parts }
}

/** Looks at the whole file in a thread: this one hears a signal meanwhile. The builds of shards have looked for damage. */
async function checkFile(options: BuildOptions, threads: RenderThread[]): Promise<void> {
  const { db: file, part = null, hasQuickCheck = true, startThread } = options
  if (threads.length === 0) threads.push(...startRenderThreads(1, startThread))
  const [thread] = threads
  if (thread === undefined) throw new Error('no thread was started')
  const hasDamageCheck = part?.kind !== 'shards' && hasQuickCheck
  const { damage, findings } = await thread.ask({ kind: 'structure', file, hasDamageCheck })
  refuseDamage(file, damage)
  if (findings.length > 0) throw new RefusedDatabase(file, findings)
}

function summaryOf(
  {
    rendered: { head, reused, assessment, warnings },
    from,
    downloads,
    load,
  }: Awaited<ReturnType<typeof fillFolder>>,
  seconds: number,
) {
  const { snapshot, asOf, funds, objects: documents, bytes, allowed = [], withheld = [] } = head
  return {
    snapshot,
    asOf,
    funds,
    documents,
    bytes,
    rendered: documents - reused,
    since: from.kind === 'nothing' ? null : from.snapshot,
    isSparse: from.kind === 'sparse',
    freshness: assessment.counts,
    /** The watched fund with the oldest newest price, or null without any price. */
    oldestPrice: assessment.oldestPrice,
    /** Stale funds, then late ones, each by age of the newest price, oldest first. */
    overdue: assessment.overdue.slice(0, namedFunds),
    /** Null for a build that is not for a night. */
    night: load && { ...load, funds: assessment.funds },
    downloads,
    seconds,
    warnings,
    allowed,
    withheld,
  }
}

/** For shards, the merge writes the files for analysts. */
async function downloadsOf(
  { options, settings, db, base: { from } }: Build,
  { head, each: funds }: Rendered,
  writeBeside: WriteBeside | null,
) {
  const { asOf, baseUrl, jobs, startThread, signal, out, downloads = null } = options
  const { part = null, signing = null } = options
  if (downloads === null || writeBeside === null || part?.kind === 'shard') return null
  const { root, hasPages, parts, publisher, renderer: code } = settings
  // A sparse build has no downloads beside its manifest; the folder to be replaced has those of the last build.
  const folder = from.kind === 'folder' ? from.folder : from.kind === 'sparse' ? out : null
  const assertSame = folder === null ? () => undefined : sameFolder(folder)
  const written = await writeBeside({
    isRawCsv: false,
    ...downloads,
    db,
    root,
    snapshot: head.snapshot,
    asOf,
    funds,
    jobs,
    startThread,
    signal,
    code,
    earlier: folder === null ? null : { root: folder, reuse: linkOrCopy },
    hasPages,
    parts,
    publisher,
    baseUrl,
    signed: signing && { signing, facts: factsText(head) },
  })
  assertSame()
  return written
}

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

/** Adds path and advice to an error of the disk. @param out the folder that was to be replaced */
function explained(error: unknown, out: string): unknown {
  if (error instanceof UnflushedError)
    return new Error(`${out}: ${error.message}; ${out} is as it was`, { cause: error })
  const { code = '', path = out } = error as NodeJS.ErrnoException
  const known = advice[code]
  return known === undefined ? error : new Error(`${path}: ${known}; ${out} is as it was`, { cause: error })
}

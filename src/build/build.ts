/** `fundpress build`: renders a snapshot into a folder. If anything fails, the folder stays as it was. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { RefusedDatabase } from '../data/check/finding.ts'
import { identityOf, openFile } from '../data/read/digest.ts'
import { readIsins } from '../data/read/fund-reader.ts'
import { databaseError, openFunds, refuseDamage, type FundDatabase } from '../data/read/open.ts'
import { writeDownloads } from '../downloads/index.ts'
import { UnflushedError } from '../system/durable.ts'
import { openBase, sameFolder, type Base } from './base.ts'
import { linkOrCopy } from './document-files.ts'
import type { WithheldFund } from '../guards/plausibility.ts'
import { type ManifestHead, writeSparse } from './manifest.ts'
import type { BuildOptions } from './options.ts'
import { prepareBuild, type Build } from './prepare.ts'
import { renderSnapshot, type Rendered } from './render.ts'
import { startRenderThreads, type RenderThread } from './render-threads.ts'
import type { FundNews } from './shard.ts'
import { factsText } from './signed-facts.ts'
import { makeStaging, type StagedSnapshot } from './staging.ts'
import { copyWithLivePrices, readShards, WithholdPrices } from './withhold.ts'

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
  let staging: StagedSnapshot | undefined
  let base: Base | undefined
  let copy: FundDatabase | undefined
  try {
    await checkFile(options, threads)
    staging = makeStaging(options.out)
    const { folder } = staging
    base = await openBase(options, folder)
    const { from } = base
    const jobs = Math.max(1, Math.min(options.jobs, readIsins(db).length))
    // Threads load their code while this one does.
    threads.push(...startRenderThreads(jobs - threads.length, options.startThread))
    const { part = null, live = null } = options
    const shards = part?.kind === 'shards' ? part.shards : []
    const copyFile = join(folder, '.withheld.sqlite')
    /** @param withheld funds whose prices stay as they are live */
    const render = async (
      withheld: readonly WithheldFund[],
      before: Base,
    ): Promise<Rendered & { readonly build: Build }> => {
      copy?.close()
      const read = readShards(shards, live)
      copy = withheld.length === 0 ? undefined : await copyWithLivePrices(copyFile, db, withheld, read)
      // No other program writes to the copy.
      const watched = copy === undefined ? file : { ...file, watch: () => file.watch(db) }
      const build = await prepareBuild(options, copy ?? db, watched, folder, before, withheld)
      threads.push(...startRenderThreads(jobs - threads.length, options.startThread))
      try {
        return { build, ...(await renderSnapshot(build, threads.splice(0, jobs))) }
      } catch (error) {
        if (error instanceof WithholdPrices) return render(error.funds, before)
        throw error
      }
    }
    const withheld = shards.flatMap(({ head }) => head.withheld ?? [])
    const rendered = await render(withheld, base)
    const { build, head, each, assertUntouched } = rendered
    await base.close()
    rmSync(join(folder, '.previous'), { force: true })
    if (from.kind === 'sparse') writeSparse(folder, { since: from.snapshot })
    const downloads = await downloadsOf(build, head, each)
    copy?.close()
    rmSync(copyFile, { force: true })
    options.signal.throwIfAborted()
    await staging.flush(options.signal)
    base.assertSame()
    await assertUntouched()
    staging.swapIn()
    return summaryOf(rendered, from, downloads, (performance.now() - started) / 1000)
  } catch (error) {
    await base?.close()
    staging?.discard()
    throw options.signal.aborted
      ? options.signal.reason
      : explained(databaseError(options.db, error), options.out)
  } finally {
    copy?.close()
    db.close()
    await file.close()
  }
}

/** Looks at the whole file in a thread: this one hears a signal meanwhile. The builds of shards have looked for damage. */
async function checkFile(options: BuildOptions, threads: RenderThread[]): Promise<void> {
  const { db: file, part = null, hasQuickCheck = true, startThread } = options
  const [thread, ...started] = threads.length > 0 ? threads : startRenderThreads(1, startThread)
  if (thread === undefined) throw new Error('no thread was started')
  threads.splice(0, threads.length, thread, ...started)
  const hasDamageCheck = part?.kind !== 'shards' && hasQuickCheck
  const { damage, findings } = await thread.ask({ kind: 'structure', file, hasDamageCheck })
  refuseDamage(file, damage)
  if (findings.length > 0) throw new RefusedDatabase(file, findings)
}

function summaryOf(
  { head, reused, assessment, warnings }: Rendered,
  from: Base['from'],
  downloads: Awaited<ReturnType<typeof downloadsOf>>,
  seconds: number,
) {
  const { snapshot, asOf, funds, objects: documents, bytes, allowed = [], withheld = [] } = head
  return {
    ...{ snapshot, asOf, funds, documents, bytes },
    rendered: documents - reused,
    since: from.kind === 'nothing' ? null : from.snapshot,
    isSparse: from.kind === 'sparse',
    freshness: assessment.counts,
    /** The watched fund with the oldest newest price, or null without any price. */
    oldestPrice: assessment.oldestPrice,
    /** Stale funds, then late ones, each by age of the newest price, oldest first. */
    overdue: assessment.overdue.slice(0, namedFunds),
    ...{ downloads, seconds, warnings, allowed, withheld },
  }
}

/** For shards, the merge writes the files for analysts. */
async function downloadsOf(
  { options, settings, db, base: { from } }: Build,
  head: ManifestHead,
  funds: readonly FundNews[],
) {
  const { asOf, baseUrl, jobs, startThread, signal, out, downloads = null } = options
  const { part = null, signing = null } = options
  if (downloads === null || part?.kind === 'shard') return null
  const { root, pages, publisher, renderer: code } = settings
  // A sparse build has no downloads beside its manifest; the folder to be replaced has those of the last build.
  const folder = from.kind === 'folder' ? from.folder : from.kind === 'sparse' ? out : null
  const assertSame = folder === null ? () => undefined : sameFolder(folder)
  const written = await writeDownloads({
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
    hasPages: pages !== null,
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

/** Renders a snapshot: every document and page that changed, then the manifest and the status. */

import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SitePageSource } from '../api/contract/page.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import { type Finding, settingsWarning } from '../data/check/finding.ts'
import { readIsins, readPriceDays } from '../data/read/fund-reader.ts'
import { refuseDamage } from '../data/read/open.ts'
import { writeFile } from '../downloads/file-sink.ts'
import { assessFunds, type Assessment, daysOfRhythm } from '../freshness/assess.ts'
import { defaultFreshness, unmetGroups } from '../freshness/rules.ts'
import { statusPages } from '../site/status/page.ts'
import { codeDigest } from './code-digest.ts'
import { documentFiles, type DocumentFiles } from './document-files.ts'
import { folderOf, manifestFormat, type ManifestHead, manifestLine, snapshotId } from './manifest.ts'
import { freshnessDigest, settingsDigest } from './options.ts'
import { putSitePages } from './pages.ts'
import { noPageMakers } from './plans.ts'
import { type Build, isinsToRender } from './prepare.ts'
import { fundRenderer } from './render-fund.ts'
import { renderFunds, type RenderedFunds, takeShards } from './render-funds.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { RenderThread } from './render-threads.ts'
import { exampleIsinOf, type FundNews, type Shard, shardFormat, type ShardHead, writeShard } from './shard.ts'
import { putSharedDocuments } from './shared-documents.ts'

/** Renders everything that changed. @param threads new ones, stopped in any case @throws {RefusedDatabase} */
export async function renderSnapshot(build: Build, threads: readonly RenderThread[]) {
  const { options, settings, db, file } = build
  const pool = await openRenderPool(settings, threads, db, options.signal)
  const stop = () => void pool.close()
  let rendering: Promise<RenderedFunds> | undefined
  options.signal.addEventListener('abort', stop)
  try {
    // The signal may have been aborted while the threads started.
    options.signal.throwIfAborted()
    file.assertSame()
    const assertUntouched = await file.watch(db)
    const isins = isinsToRender(build)
    const source = file.digest()
    // It is awaited at the end.
    source.catch(() => undefined)
    const { part = null } = options
    // The machines that built the shards have checked this very database.
    const isSound = (async () => {
      if (part?.kind !== 'shards' && (options.hasQuickCheck ?? true))
        refuseDamage(options.db, await pool.damage())
    })()
    isSound.catch(stop)
    rendering =
      part?.kind === 'shards'
        ? takeShards(part.shards, build, isins, await source)
        : renderFunds(build, isins, pool)
    // It is awaited below, too: until then the threads are busy, and this one is not.
    rendering.catch(() => undefined)
    await setImmediate()
    // Meanwhile this thread works on the holidays, which take a while.
    const assessment = assessFunds(readPriceDays(db, isins, daysOfRhythm), await build.rules, options.asOf)
    const funds = await rendering.catch(async (error: unknown) => {
      // If the database is damaged, the damage explains the error.
      await isSound
      throw error
    })
    await isSound
    const whole = part?.kind === 'shard' ? funds : await addShared(build, isins, funds, pool)
    await pool.close()
    const { objects, bytes, newestPrice } = whole
    const counts = { funds: isins.length, objects, bytes, newestPrice, source: await source }
    const head = await finish(build, assessment, counts)
    if (part?.kind === 'shard') writeShard(settings.root, shardHead(build, part, head, funds), funds.each)
    const warnings = [...settingsWarnings(build), ...whole.warnings]
    // `assertUntouched` rejects if the database was overwritten since the build began to read it.
    return { head, assessment, reused: whole.reused, warnings, each: funds.each, assertUntouched }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
    // Until then it writes into the folder, which is about to be removed.
    await rendering?.catch(() => undefined)
  }
}

/** Warnings about settings: reported once for a snapshot, by the merge and not by its shards. */
function settingsWarnings({ options: { freshness = defaultFreshness, part = null }, db }: Build): Finding[] {
  if (freshness.groups.length === 0 || part?.kind === 'shard') return []
  return unmetGroups(freshness.groups, readPriceDays(db, readIsins(db), 0)).map(settingsWarning)
}

/** Adds the documents over all funds, the errors, and the pages over the whole snapshot. */
async function addShared(
  build: Build,
  isins: readonly string[],
  funds: RenderedFunds,
  pool: RenderPool,
): Promise<Omit<RenderedFunds, 'each'>> {
  const { settings, makers, lines } = build
  const previous = await build.base.manifest
  const files = documentFiles(settings.root, settings.reuse)
  const fromsOf = (id: string) => funds.each.map((fund) => fund.from[id] ?? '')
  const shared = await putSharedDocuments(build, isins, fromsOf, previous, files, pool)
  if (makers.sitePages.length > 0)
    shared.push(...putSitePages(makers, sitePageSource(build, funds.each), previous, files))
  // Each folder is a run of its own: pages of funds, for example, come between the pages over all funds.
  for (const { line } of shared) lines.add(`shared ${folderOf(line.key)}`, manifestLine(line))
  return {
    objects: funds.objects + shared.length,
    bytes: shared.reduce((sum, { line }) => sum + line.bytes, funds.bytes),
    reused: funds.reused + shared.filter(({ isReused }) => isReused).length,
    newestPrice: funds.newestPrice,
    warnings: funds.warnings,
  }
}

function sitePageSource(build: Build, each: readonly FundNews[]): SitePageSource {
  const { asOf, baseUrl, hasDownloads } = build.settings
  const exampleIsin = exampleIsinOf(each)
  const examples = exampleIsin === null ? new Map<string, string>() : exampleDocuments(build, exampleIsin)
  const funds = each.flatMap(({ entry }) => entry ?? [])
  return { table: build.table, baseUrl, hasDownloads, asOf, funds, exampleIsin, examples }
}

/**
 * The documents of the fund that the documentation takes its examples from, by key, in byte order. They are rendered anew: a
 * sparse snapshot may lack their files.
 */
function exampleDocuments(build: Build, isin: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const files: DocumentFiles = {
    put: ({ key, content }, from) => {
      found.set(key, String(content))
      const [sha256, bytes] = [hash('sha256', content, 'hex'), Buffer.byteLength(content)]
      return { key, sha256, bytes, type: contentTypeOf(key), from }
    },
    reuse: () => true,
  }
  fundRenderer(build.db, { ...build, makers: noPageMakers }, files).render(isin, [], null)
  return found
}

function shardHead(
  { options, settings, base: { from } }: Build,
  { number, of }: Shard,
  { snapshot, source, objects, bytes, newestPrice }: ManifestHead,
  { reused, warnings }: RenderedFunds,
): ShardHead {
  const { asOf, docsUrl, baseUrl, hasDownloads, pages } = settings
  return {
    format: shardFormat,
    number,
    of,
    snapshot,
    source,
    asOf,
    docsUrl,
    baseUrl,
    freshness: pages === null ? null : freshnessDigest(options),
    hasPages: pages !== null,
    hasDownloads,
    since: from.kind === 'sparse' ? from.snapshot : null,
    objects,
    bytes,
    kept: reused,
    newestPrice,
    warnings,
    code: options.code ?? codeDigest(),
  }
}

/** Writes what needs the snapshot's id: the status, the manifest and the checksums. */
async function finish(
  build: Build,
  assessment: Assessment,
  counts: Pick<ManifestHead, 'funds' | 'objects' | 'bytes' | 'newestPrice' | 'source'>,
): Promise<ManifestHead> {
  const { asOf, docsUrl } = build.options
  const snapshot = snapshotId(asOf, await build.lines.digest())
  const said = { format: manifestFormat, snapshot, asOf, ...counts, docsUrl }
  const { counts: marks, overdue } = assessment
  const stale = overdue.filter(({ mark }) => mark === 'stale').slice(0, namedStale)
  const stalest = stale.map(({ isin, newestPrice }) => ({ isin, newestPrice }))
  const files = writeStatusFiles(build, assessment, said)
  const head = { ...said, settings: settingsDigest(build.options), freshness: { ...marks, stalest }, files }
  await build.lines.write(head)
  return head
}

/** How many stale funds a publish names when it refuses a snapshot. */
const namedStale = 10

/**
 * Writes the files of `/status/`. They name the snapshot, whose id is made from its objects: so they are not objects, but the
 * manifest's first line has their digests.
 */
function writeStatusFiles(
  { settings: { root, pages, hasDownloads } }: Build,
  assessment: Assessment,
  { snapshot, asOf, funds, objects: documents, bytes }: Omit<ManifestHead, 'files'>,
) {
  const source = { snapshot, asOf, funds, documents, bytes, assessment }
  const files = statusPages(source, pages === null ? null : { hasDownloads })
  return files.map(({ key, content }) => {
    const { sha256, bytes } = writeFile(root, key, content)
    return { key, sha256, bytes, type: contentTypeOf(key) }
  })
}

/** Renders a snapshot: every document and page that changed, then the manifest and the status. */

import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { SitePageSource } from '../api/contract/page.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import { codeDigest } from './code-digest.ts'
import { documentFiles, type DocumentFiles } from './document-files.ts'
import {
  folderOf,
  manifestFormat,
  type ManifestHead,
  manifestLine,
  type ManifestLine,
  snapshotId,
} from './manifest.ts'
import { type BuildOptions, freshnessDigest, settingsDigest } from './options.ts'
import { putSitePages } from './pages.ts'
import type { Plan } from './plans.ts'
import { type Build, isinsToRender } from './prepare.ts'
import { fundRenderer, type FundSettings } from './render-fund.ts'
import { renderFunds, takeShards } from './render-funds.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { RenderThread } from './render-threads.ts'
import {
  exampleIsinOf,
  type FundNews,
  type RenderedFunds,
  type Shard,
  shardFormat,
  type ShardHead,
  writeShard,
} from './shard.ts'
import { putSharedDocuments } from './shared-documents.ts'
import { type Finding, settingsWarning } from '../data/check/finding.ts'
import { readIsins, readPriceDays } from '../data/read/fund-reader.ts'
import { type FundDatabase, refuseDamage } from '../data/read/open.ts'
import { assessFunds, type Assessment, daysOfRhythm } from '../freshness/assess.ts'
import { defaultFreshness, unmetGroups } from '../freshness/rules.ts'
import { statusPages } from '../site/status/page.ts'

/** What was rendered. */
export interface Rendered {
  readonly head: ManifestHead
  readonly assessment: Assessment
  /** How many of the objects are unchanged. */
  readonly reused: number
  readonly warnings: readonly Finding[]
  readonly each: readonly FundNews[]
  /** Rejects if the database was overwritten since the build began to read it. */
  readonly assertUntouched: () => Promise<void>
}

/** Renders everything that changed. @param threads new ones, stopped in any case @throws {RefusedDatabase} */
export async function renderSnapshot(build: Build, threads: readonly RenderThread[]): Promise<Rendered> {
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
    const isSound = part?.kind === 'shards' ? Promise.resolve() : assertSound(options, pool)
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
    return { head, assessment, reused: whole.reused, warnings, each: funds.each, assertUntouched }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
    // Until then it writes into the folder, which is about to be removed.
    await rendering?.catch(() => undefined)
  }
}

/** @throws {DamagedDatabase} */
async function assertSound({ db, hasQuickCheck = true }: BuildOptions, pool: RenderPool): Promise<void> {
  if (hasQuickCheck) refuseDamage(db, await pool.damage())
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
  const { settings, table, plans, makers, lines } = build
  const previous = await build.base.manifest
  const from = (id: string) => funds.each.map((fund) => fund.from[id] ?? '')
  const shared = [...(await putSharedDocuments({ settings, table, plans, previous, pool, isins, from }))]
  if (makers.sitePages.length > 0) {
    const source = sitePageSource(build, funds.each)
    shared.push(...putSitePages(makers, source, previous, documentFiles(settings.root, settings.reuse)))
  }
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

function sitePageSource({ settings, db, table, plans }: Build, each: readonly FundNews[]): SitePageSource {
  const { asOf, baseUrl, hasDownloads } = settings
  const exampleIsin = exampleIsinOf(each)
  const examples =
    exampleIsin === null
      ? new Map<string, string>()
      : exampleDocuments(exampleIsin, db, plans, { ...settings, table })
  const funds = each.flatMap(({ entry }) => entry ?? [])
  return { table, baseUrl, hasDownloads, asOf, funds, exampleIsin, examples }
}

function shardHead(
  { options, settings, base: { from } }: Build,
  { number, of }: Shard,
  { snapshot, source, objects, bytes, newestPrice }: ManifestHead,
  { reused, warnings }: RenderedFunds,
): ShardHead {
  const { asOf, docsUrl, baseUrl, hasDownloads, pages } = settings
  return {
    ...{ format: shardFormat, number, of, snapshot, source, asOf, docsUrl, baseUrl },
    ...{
      freshness: pages === null ? null : freshnessDigest(options),
      hasPages: pages !== null,
      hasDownloads,
      since: from.kind === 'sparse' ? from.snapshot : null,
      objects,
      bytes,
      kept: reused,
      newestPrice,
      warnings,
    },
    code: options.code ?? codeDigest(),
  }
}

/** Writes what needs the snapshot's id: the status, the manifest and the checksums. */
async function finish(
  build: Build,
  assessment: Assessment,
  counts: Pick<ManifestHead, 'funds' | 'objects' | 'bytes' | 'newestPrice' | 'source'>,
): Promise<ManifestHead> {
  const { options, settings, lines } = build
  const snapshot = snapshotId(options.asOf, await lines.digest())
  const said = { format: manifestFormat, snapshot, asOf: options.asOf, ...counts, docsUrl: options.docsUrl }
  const { root, hasDownloads } = settings
  const hasPages = settings.pages !== null
  const status = writeStatusFiles({ root, assessment, hasPages, hasDownloads, head: said })
  const head = { ...said, settings: settingsDigest(options), ...status }
  await lines.write(head)
  return head
}

/**
 * The documents of the fund that the documentation takes its examples from, by key, in byte order. They are rendered anew: a
 * sparse snapshot may lack their files.
 */
function exampleDocuments(
  isin: string,
  db: FundDatabase,
  plans: readonly Plan[],
  settings: FundSettings,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const files: DocumentFiles = {
    put: ({ key, content }, from) => {
      found.set(key, String(content))
      const [sha256, bytes] = [hash('sha256', content, 'hex'), Buffer.byteLength(content)]
      return { key, sha256, bytes, type: contentTypeOf(key), from }
    },
    reuse: () => true,
  }
  fundRenderer(db, plans, [], files, settings).render(isin, [], null)
  return found
}

interface StatusOptions {
  /** The snapshot's folder. */
  readonly root: string
  readonly assessment: Assessment
  /** Whether the snapshot has other pages. */
  readonly hasPages: boolean
  readonly hasDownloads: boolean
  readonly head: Pick<ManifestHead, 'snapshot' | 'asOf' | 'funds' | 'objects' | 'bytes'>
}

/** How many stale funds a publish names when it refuses a snapshot. */
const namedStale = 10

/**
 * Writes the files of `/status/`. They name the snapshot, whose id is made from its objects: so they are not objects, but the
 * manifest's first line has their digests.
 * @returns what the manifest's first line says of the funds and the files
 */
function writeStatusFiles(options: StatusOptions): Required<Pick<ManifestHead, 'freshness' | 'files'>> {
  const { root, assessment, hasPages, hasDownloads, head } = options
  const { snapshot, asOf, funds, objects: documents, bytes } = head
  const source = { snapshot, asOf, funds, documents, bytes, assessment }
  const { counts, overdue } = assessment
  const stale = overdue.filter(({ mark }) => mark === 'stale').slice(0, namedStale)
  const pages = statusPages(source, hasPages ? { hasDownloads } : null)
  const files = pages.map(({ key, content }) => write(root, key, content))
  const stalest = stale.map(({ isin, newestPrice }) => ({ isin, newestPrice }))
  return { freshness: { ...counts, stalest }, files }
}

function write(root: string, key: string, text: string): ManifestLine {
  const place = join(root, key)
  const content = Buffer.from(text)
  mkdirSync(dirname(place), { recursive: true })
  // `wx`: a file that exists could be a hard link to the previous snapshot's.
  writeFileSync(place, content, { flag: 'wx' })
  return { key, sha256: hash('sha256', content, 'hex'), bytes: content.length, type: contentTypeOf(key) }
}

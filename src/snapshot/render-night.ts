/** A night: every document and page, rendered or taken over, then the manifest. */

import { setImmediate } from 'node:timers/promises'
import type { SitePageSource } from '../contract/page.ts'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import { assessFunds, type Assessment } from '../freshness/assess.ts'
import { daysOfRhythm } from '../freshness/rhythm.ts'
import { defaultFreshness, openRules, type Rules } from '../freshness/rules.ts'
import { unmetGroups } from '../freshness/unmet-groups.ts'
import type { RouteTable } from '../routes/table.ts'
import { refuseDamage } from '../source/damage.ts'
import type { OpenedFile } from '../source/digest.ts'
import { settingsWarning, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import type { FundDatabase } from '../source/open.ts'
import { readPriceDays } from '../source/price-days.ts'
import type { BuildOptions } from './build.ts'
import { codeDigest } from './code-digest.ts'
import { documentFiles } from './document-files.ts'
import { exampleDocuments } from './example-fund.ts'
import { exampleOf, type FundNews, type Funds } from './funds.ts'
import { rendererOf } from './inputs.ts'
import { allPageMakers, loadPageMakers, type PageMakers } from './load-page-makers.ts'
import { folderOf, manifestFormat, manifestLine, snapshotId, type ManifestHead } from './manifest.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import { fundPlans, type Plan } from './plans.ts'
import { renderFunds } from './render-funds.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { RenderThread } from './render-threads.ts'
import type { RenderSettings } from './render-worker.ts'
import { isinsOfShard, shardFormat, writeShard, type Shard, type ShardHead } from './shard.ts'
import { freshnessDigest, settingsDigest } from './settings-digest.ts'
import { putSharedDocuments } from './shared-documents.ts'
import type { Previous } from './since.ts'
import { putSitePages } from './site-pages.ts'
import { writeStatusFiles } from './status-files.ts'
import { takeShards } from './take-shards.ts'

/** A build under way. */
export interface Night {
  readonly options: BuildOptions
  readonly settings: RenderSettings
  /** In the same read transaction as the rendering threads, until the end. */
  readonly db: FundDatabase
  readonly file: OpenedFile
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly makers: PageMakers
  /** How new prices should be; its calendars are loaded meanwhile. */
  readonly rules: Promise<Rules>
  readonly previous: Previous | null
  readonly lines: ObjectLines
}

export async function nightOf(
  options: BuildOptions,
  db: FundDatabase,
  file: OpenedFile,
  root: string,
  previous: Previous | null,
): Promise<Night> {
  const { asOf, docsUrl, baseUrl, code = codeDigest(), pages = allPageMakers, downloads = null } = options
  const table = routeTable(endpoints, docsUrl)
  const settings: RenderSettings = {
    db: options.db,
    root,
    asOf,
    docsUrl,
    baseUrl,
    hasDownloads: downloads !== null,
    pages,
    renderer: rendererOf(code, docsUrl),
    reuse: previous?.reuse ?? null,
  }
  const plans = fundPlans(endpoints, table)
  const makers = await loadPageMakers(pages)
  const rules = openRules(options.freshness ?? defaultFreshness)
  // Whoever waits for it is told.
  rules.catch(() => undefined)
  return { options, settings, db, file, table, plans, makers, rules, previous, lines: objectLines(root) }
}

/** What a night came to. */
export interface NightResult {
  readonly head: ManifestHead
  readonly assessment: Assessment
  /** How many of the objects were taken over. */
  readonly kept: number
  readonly warnings: readonly Finding[]
  readonly each: readonly FundNews[]
  /** Rejects if the database was overwritten since the night began to read it. */
  readonly assertUntouched: () => Promise<void>
}

/** Renders everything that does not stand. @param threads new ones, stopped in any case @throws {RefusedDatabase} */
export async function renderNight(night: Night, threads: readonly RenderThread[]): Promise<NightResult> {
  const { options, settings, db, file } = night
  const pool = await openRenderPool(settings, threads, db, options.signal)
  const stop = () => void pool.close()
  let rendering: Promise<Funds> | undefined
  options.signal.addEventListener('abort', stop)
  try {
    // It may have been aborted while the threads started.
    options.signal.throwIfAborted()
    file.assertSame()
    const assertUntouched = await file.watch(db)
    const isins = isinsToRender(night)
    const source = file.digest()
    // It is waited for at the end.
    source.catch(() => undefined)
    const { part = null } = options
    // The machines that built the shards have checked this very database.
    const isSound = part?.kind === 'shards' ? Promise.resolve() : assertSound(options, pool)
    isSound.catch(stop)
    rendering =
      part?.kind === 'shards'
        ? takeShards(part.shards, { ...night, isins, source: await source })
        : renderFunds(night, isins, pool)
    // It is waited for, too: until then the threads are busy, and this one is not.
    rendering.catch(() => undefined)
    await setImmediate()
    // So is this: its holidays take a while.
    const assessment = assessFunds(readPriceDays(db, isins, daysOfRhythm), await night.rules, options.asOf)
    const funds = await rendering.catch(async (error: unknown) => {
      // What rendering a damaged database leads to is no news beside the damage.
      await isSound
      throw error
    })
    await isSound
    const whole = part?.kind === 'shard' ? funds : await addShared(night, isins, funds, pool)
    await pool.close()
    const { objects, bytes, newestPrice } = whole
    const counts = { funds: isins.length, objects, bytes, newestPrice, source: await source }
    const head = await finish(night, assessment, counts)
    if (part?.kind === 'shard') writeShard(settings.root, shardHead(night, part, head, funds), funds.each)
    const warnings = [...settingsWarnings(night), ...whole.warnings]
    return { head, assessment, kept: whole.kept, warnings, each: funds.each, assertUntouched }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
    // Until then it writes into a folder that is about to be discarded.
    await rendering?.catch(() => undefined)
  }
}

/** @throws {DamagedDatabase} */
async function assertSound({ db, hasQuickCheck = true }: BuildOptions, pool: RenderPool): Promise<void> {
  if (hasQuickCheck) refuseDamage(db, await pool.damage())
}

/** Told once of a snapshot: by the merge, not by its shards. They are for whoever builds, and in no file. */
function settingsWarnings({ options: { freshness = defaultFreshness, part = null }, db }: Night): Finding[] {
  if (freshness.groups.length === 0 || part?.kind === 'shard') return []
  return unmetGroups(freshness.groups, readPriceDays(db, readIsins(db), 0)).map(settingsWarning)
}

export function isinsToRender({ options: { db: file, only, part = null }, db }: Night): readonly string[] {
  const isins = readIsins(db)
  if (part?.kind === 'shard') return isinsOfShard(isins, part)
  if (only.length === 0) return isins
  const missing = only.filter((isin) => !isins.includes(isin))
  if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
  return isins.filter((isin) => only.includes(isin))
}

/** Adds the documents over all funds, the errors, and the pages over the whole snapshot. */
async function addShared(
  night: Night,
  isins: readonly string[],
  funds: Funds,
  pool: RenderPool,
): Promise<Omit<Funds, 'each'>> {
  const { settings, table, plans, makers, lines } = night
  const previous = (await night.previous?.manifest) ?? null
  const from = (id: string) => funds.each.map((fund) => fund.from[id] ?? '')
  const shared = [...(await putSharedDocuments({ settings, table, plans, previous, pool, isins, from }))]
  if (makers.sitePages.length > 0) {
    const source = sitePageSource(night, funds.each)
    shared.push(...putSitePages(makers, source, previous, documentFiles(settings.root, settings.reuse)))
  }
  // Runs of their own: pages of funds, for example, come between the pages of all funds.
  for (const { line } of shared) lines.add(`shared ${folderOf(line.key)}`, manifestLine(line))
  return {
    objects: funds.objects + shared.length,
    bytes: shared.reduce((sum, { line }) => sum + line.bytes, funds.bytes),
    kept: funds.kept + shared.filter(({ isKept }) => isKept).length,
    newestPrice: funds.newestPrice,
    warnings: funds.warnings,
  }
}

function sitePageSource({ settings, db, table, plans }: Night, each: readonly FundNews[]): SitePageSource {
  const { asOf, baseUrl, hasDownloads } = settings
  const exampleIsin = exampleOf(each)
  const examples =
    exampleIsin === null
      ? new Map<string, string>()
      : exampleDocuments(exampleIsin, db, plans, { ...settings, table })
  const funds = each.flatMap(({ entry }) => entry ?? [])
  return { table, baseUrl, hasDownloads, asOf, funds, exampleIsin, examples }
}

function shardHead(
  { options, settings, previous }: Night,
  { number, of }: Shard,
  { snapshot, source, objects, bytes, newestPrice }: ManifestHead,
  { kept, warnings }: Funds,
): ShardHead {
  const { asOf, docsUrl, baseUrl, hasDownloads, pages } = settings
  const since = previous?.reuse.kind === 'sparse' ? previous.snapshot : null
  return {
    ...{ format: shardFormat, number, of, snapshot, source, asOf, docsUrl, baseUrl },
    ...{
      freshness: pages === null ? null : freshnessDigest(options),
      hasPages: pages !== null,
      hasDownloads,
      since,
      objects,
      bytes,
      kept,
      newestPrice,
      warnings,
    },
    code: options.code ?? codeDigest(),
  }
}

/** Writes what needs the snapshot's id: the status, the manifest and the checksums. */
async function finish(
  night: Night,
  assessment: Assessment,
  counts: Pick<ManifestHead, 'funds' | 'objects' | 'bytes' | 'newestPrice' | 'source'>,
): Promise<ManifestHead> {
  const { options, settings, lines } = night
  const snapshot = snapshotId(options.asOf, await lines.digest())
  const said = { format: manifestFormat, snapshot, asOf: options.asOf, ...counts, docsUrl: options.docsUrl }
  const { root, hasDownloads } = settings
  const hasPages = settings.pages !== null
  const status = writeStatusFiles({ root, assessment, hasPages, hasDownloads, head: said })
  const head = { ...said, settings: settingsDigest(options), ...status }
  await lines.write(head)
  return head
}

/** Renders a snapshot: the funds, in threads or out of shards, documents over all funds, manifest and status. */

import { actionsJson, actionsKey } from '../data/check/live-actions.ts'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isRefusal } from '../api/contract/endpoint.ts'
import { restrictedFunds } from '../api/contract/fund.ts'
import type { FundEntry, Page, Picture, Publisher, SitePageSource } from '../api/contract/page.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import { type Finding, generalWarning, refusalOf } from '../data/check/finding.ts'
import {
  type countTables,
  fundReader,
  mergedFunds,
  successorFunds,
  readIsins,
  readPriceDays,
} from '../data/read/fund-reader.ts'
import { statisticsKey } from '../guards/statistics.ts'
import { writeFile } from './file-sink.ts'
import { assessFunds, type Assessment, daysOfRhythm } from '../guards/assess.ts'
import { doubtfulSettings } from '../guards/rules.ts'
import type { PageSite } from '../layout/layout.ts'
import type { PublishedSettings } from '../guards/settings.ts'
import { allowedSigners, fingerprintOf, sha512OfFile } from '../system/ssh-signature.ts'
import { codeDigest } from './code-digest.ts'
import { documentFiles } from './document-files.ts'
import { dayThatCounts, fundRows } from './inputs.ts'
import { byKey, checksumsKey, folderOf, manifestFormat, type ManifestHead, manifestLine } from './manifest.ts'
import { factsKey, factsText } from './signed-facts.ts'
import { type ManifestLine, signatureKey, signingKeyKey, snapshotId } from './manifest.ts'
import {
  type BuildOptions,
  deriveDigest,
  freshnessDigest,
  publisherDigest,
  settingsDigest,
} from './options.ts'
import { putSitePages } from './pages.ts'
import type { Build } from './prepare.ts'
import { laterDay, type RenderedFund, sum } from './render-fund.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { RenderPool } from './render-pool.ts'
import { exampleIsinOf } from './examples.ts'
import { type FundNews, type Shard, shardFormat, type ShardHead, writeShard } from './shard.ts'
import { putSharedDocuments } from './shared-documents.ts'
import { statusJson, statusKey } from './status-document.ts'
import { takeShards } from './take-shards.ts'

export type Rendered = Awaited<ReturnType<typeof renderSnapshot>>

/**
 * Renders everything that changed. @param pool reads the database of the build; closed when it is no longer needed
 * @param source SHA-256 of the database file, in hex
 * @throws {RefusedDatabase} {@link ImplausibleDatabase} for errors
 */
export async function renderSnapshot(build: Build, pool: RenderPool, source: Promise<string>) {
  const { options, settings, db, isins } = build
  const { part = null } = options
  const [funds, { assessment, tables }] = await together(pool, [
    part?.kind === 'shards' ? takeShards(part.shards, build, source) : renderFunds(build, pool),
    assess(build, pool),
  ])
  const whole = part?.kind === 'shard' ? funds : await addShared(build, funds, pool)
  await pool.close()
  const { objects, bytes, newestPrice } = whole
  const { fund } = fundReader(db)
  const restricted = restrictedFunds(isins.flatMap((isin) => fund(isin) ?? []))
  const counts = { funds: isins.length, objects, bytes, newestPrice, source: await source, restricted }
  const head = await finish(build, assessment, counts, { allowed: whole.allowed, tables })
  if (part?.kind === 'shard') writeShard(settings.root, shardHead(build, part, head, funds), funds.each)
  const warnings = byFund([...settingsWarnings(build), ...whole.warnings])
  return { head, assessment, reused: whole.reused, warnings, each: funds.each }
}

/** Orders warnings so that neither threads nor shards show. Shards share the warnings about no fund. */
function byFund(warnings: readonly Finding[]): Finding[] {
  const general = warnings.filter(({ isin }) => isin === null)
  const once = new Map(general.map((warning) => [warning.message, warning]))
  const isinOf = ({ isin }: Finding) => isin ?? ''
  const ofFunds = warnings.filter(({ isin }) => isin !== null)
  ofFunds.sort((one, other) => (isinOf(one) < isinOf(other) ? -1 : isinOf(one) > isinOf(other) ? 1 : 0))
  return [...once.values(), ...ofFunds]
}

/**
 * Waits for parallel tasks, one after the other: the failure of an earlier one explains those of later ones.
 * @throws {Error} the first failure in the order of the list, after the pool is closed and the other tasks have ended
 */
async function together<T extends readonly unknown[]>(
  pool: RenderPool,
  tasks: { readonly [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const ended = Promise.allSettled(tasks)
  try {
    for (const task of tasks) await task
  } catch (error) {
    await pool.close()
    await ended
    throw error
  }
  return Promise.all(tasks)
}

async function assess({ options, db, rules, isins }: Build, pool: RenderPool) {
  const [tables, assessment] = await Promise.all([
    options.part?.kind === 'shard' ? null : pool.countTables(),
    // Threads get their work first.
    setImmediate().then(() => assessFunds(readPriceDays(db, isins, daysOfRhythm), rules, options.asOf)),
  ])
  return { assessment, tables }
}

type RenderedFunds = Awaited<ReturnType<typeof renderFunds>>

/** @throws {RefusedDatabase} if a check finds an error; nothing is rendered after the first one */
async function renderFunds(build: Build, pool: RenderPool) {
  const { options, isins, judgement } = build
  const ours = new Set(isins)
  const ofTables: Finding[] = []
  const ofFunds: Finding[] = []
  const findings = () => [...judgement.findings, ...ofTables, ...ofFunds]
  const hasErrors = () =>
    [judgement.findings, ofTables, ofFunds].some((some) => some.some(({ severity }) => severity === 'error'))
  const checked = pool.checkTables(options.asOf).then((found) => {
    for (const finding of found) {
      const { severity, isin } = finding
      // An error refuses every shard. Warnings go to the shard that has the fund.
      if (severity === 'error' || isin === null || ours.has(isin)) ofTables.push(finding)
    }
  })
  // Awaited below: until then, another failure may stop the threads.
  checked.catch(() => undefined)
  const { previousOf, take, taken } = fundTaker(build, await build.base.manifest)
  let done = 0
  const asked = pool.ask(
    isins,
    (some) => {
      const isRefused = hasErrors()
      // Nothing is rendered any more: lines that nobody takes would stay in memory.
      return { kind: 'render', isins: some, previous: isRefused ? [] : some.map(previousOf), isRefused }
    },
    (reply, some) => {
      for (const finding of reply.findings) ofFunds.push(finding)
      for (const fund of reply.funds) take(fund)
      done += some.length
      options.onProgress?.({ funds: done, of: isins.length, documents: taken().objects })
    },
  )
  // If both fail, the first failure is told.
  await Promise.all([checked, asked])
  if (hasErrors()) throw refusalOf(options.db, findings())
  return { ...taken(), allowed: judgement.allowed, warnings: findings() }
}

/** Takes rendered funds, in the order of their ISINs: puts their lines into the manifest, and adds up their numbers. */
function fundTaker({ plans, makers, lines }: Build, previous: PreviousManifest) {
  const folders = [...plans, ...makers.fundPages].map(({ folder }) => folder)
  /** Lines of the previous manifest for funds that are being rendered, a text for each folder. */
  const waiting = new Map<string, readonly string[]>()
  const each: FundNews[] = []
  const total = { objects: 0, bytes: 0, reused: 0, newestPrice: null as string | null }
  return {
    previousOf: (isin: string) => {
      const texts = folders.map((folder) => previous.linesOf(folder, `${folder}${isin}/`))
      waiting.set(isin, texts)
      return texts
    },
    take: (fund: RenderedFund) => {
      const { isin } = fund.news
      const unchanged = waiting.get(isin)
      waiting.delete(isin)
      for (const [index, folder] of folders.entries())
        lines.add(folder, fund.lines.get(index) ?? unchanged?.[index] ?? '')
      each.push(fund.news)
      total.objects += fund.objects
      total.bytes += fund.bytes
      total.reused += fund.reused
      total.newestPrice = laterDay(total.newestPrice, fund.newestPrice)
    },
    taken: () => ({ each: each as readonly FundNews[], ...total }),
  }
}

/** Warnings about settings: reported once for a snapshot, by the merge and not by its shards. */
function settingsWarnings({ options, settings, db }: Build): Finding[] {
  const { freshness, expectations } = settings
  const { part = null } = options
  if (part?.kind === 'shard') return []
  const missing = (wanted: boolean, has: boolean, what: string, setting: string) =>
    wanted && !has ? [`${setting} is true, but this fundpress makes no ${what}: it lacks the extension`] : []
  const lacking = [
    ...missing(options.hasPages ?? true, settings.hasPages, 'pages', 'pages'),
    ...missing(
      (options.downloads ?? null) !== null,
      settings.parts.includes('downloads'),
      'downloads',
      'downloads.enabled',
    ),
  ]
  const hasGroups = freshness.groups.length + expectations.groups.length > 0
  const funds = hasGroups ? readPriceDays(db, readIsins(db), 0) : []
  const doubtful = doubtfulSettings({ freshness, expectations }, funds, options.asOf)
  return [...lacking, ...doubtful].map((message) => generalWarning(message, 'settings'))
}

async function addShared(build: Build, funds: RenderedFunds, pool: RenderPool): Promise<RenderedFunds> {
  const { settings, makers, lines, isins } = build
  const previous = await build.base.manifest
  const files = documentFiles(settings.root, settings.reuse)
  const fromsOf = (id: string) => funds.each.map((fund) => fund.from[id] ?? '')
  const shared = await putSharedDocuments(build, isins, fromsOf, previous, files, pool)
  if (settings.hasPages)
    shared.push(...putSitePages(makers, sitePageSource(build, funds.each), previous, files))
  // A run for each folder: the keys of pages of funds, for example, lie between those of pages over all funds.
  for (const { line } of shared) lines.add(`shared ${folderOf(line.key)}`, manifestLine(line))
  return {
    ...funds,
    objects: funds.objects + shared.length,
    bytes: funds.bytes + sum(shared, ({ line }) => line.bytes),
    reused: funds.reused + shared.filter(({ isReused }) => isReused).length,
  }
}

/** After every price. */
const lastDay = '9999-12-31'

function sitePageSource(build: Build, each: readonly FundNews[]): SitePageSource {
  const { asOf, baseUrl, parts, publisher } = build.settings
  const exampleIsin = exampleIsinOf(each)
  const exampleAnswer = exampleIsin === null ? () => null : exampleAnswers(build, exampleIsin)
  const funds = each.flatMap(({ entry }) => entry ?? [])
  const mergers = mergedFunds(build.db, asOf)
  const { table, options } = build
  const { caching = null } = options
  const reader = fundReader(build.db)
  return {
    table,
    baseUrl,
    parts,
    publisher,
    caching,
    asOf,
    funds,
    history: (isin, first) => ({
      navs: reader
        .prices(isin, first, lastDay)
        .map(({ date, netAssetValue }) => ({ date, nav: netAssetValue })),
      actions: reader.rows('corporateActions', isin).filter(({ exDate }) => exDate >= first),
    }),
    mergers,
    exampleIsin,
    exampleAnswer,
    listExamples: exampleLists(build, funds, exampleIsin),
  }
}

function exampleLists(
  { makers, settings: { asOf } }: Build,
  funds: readonly FundEntry[],
  exampleIsin: string | null,
): SitePageSource['listExamples'] {
  const fund = funds.find(({ isin }) => isin === exampleIsin)
  if (fund === undefined) return new Map()
  const source = { asOf, snapshot: `${asOf}-3f9c2ab4d1e0`, funds, fund }
  return new Map(makers.listExamples.flatMap((make) => Object.entries(make(source))))
}

/** Answers of the fund in the documentation's examples. */
function exampleAnswers({ db, settings }: Build, isin: string): SitePageSource['exampleAnswer'] {
  const reader = fundReader(db)
  const fund = reader.fund(isin)
  if (fund === undefined) throw new Error(`there is no fund ${isin}`)
  const rows = fundRows(reader, fund)
  const asOf = dayThatCounts(fund, settings.asOf)
  const newestYear = rows.newestPrice()?.date.slice(0, 4) ?? null
  return (endpoint, type, language) => {
    const read = endpoint.series === undefined ? rows.of(endpoint) : rows.ofYear(newestYear)
    const answer = endpoint.build(read, { asOf, language, type }) as object
    return isRefusal(answer) ? null : answer
  }
}

function shardHead(
  { options, settings, base: { from }, judgement: { ofNight }, withheld }: Build,
  { number, of }: Shard,
  { snapshot, source, objects, bytes, newestPrice }: ManifestHead,
  { reused, warnings, allowed }: RenderedFunds,
): ShardHead {
  const { asOf, docsUrl, baseUrl, parts, hasPages } = settings
  return {
    format: shardFormat,
    number,
    of,
    snapshot,
    source,
    asOf,
    docsUrl,
    baseUrl,
    freshness: hasPages ? freshnessDigest(options) : null,
    publisher: hasPages ? publisherDigest(options) : null,
    derive: deriveDigest(options),
    hasPages,
    hasDownloads: parts.includes('downloads'),
    since: from.kind === 'sparse' ? from.snapshot : null,
    objects,
    bytes,
    kept: reused,
    newestPrice,
    warnings,
    allowed,
    withheld,
    ofNight,
    code: options.code ?? codeDigest(),
  }
}

/** Writes the files that need the snapshot's id: the status, the manifest and the checksums. */
async function finish(
  build: Build,
  assessment: Assessment,
  counts: Pick<ManifestHead, 'funds' | 'objects' | 'bytes' | 'newestPrice' | 'source' | 'restricted'>,
  {
    tables,
    allowed,
  }: Pick<RenderedFunds, 'allowed'> & {
    readonly tables: ReturnType<typeof countTables> | null
  },
): Promise<ManifestHead> {
  const { withheld } = build
  const { asOf, docsUrl } = build.options
  const merged = mergedFunds(build.db, asOf).map(({ isin, successorIsin }) => [isin, successorIsin])
  const successors = successorFunds(build.db)
  const { sha256: linesDigest, documents } = await build.lines.digest()
  const snapshot = snapshotId(asOf, linesDigest)
  const said = { format: manifestFormat, snapshot, asOf, ...counts, docsUrl }
  const { counts: marks, overdue } = assessment
  const stale = overdue.filter(({ mark }) => mark === 'stale').slice(0, namedStale)
  const stalest = stale.map(({ isin, newestPrice }) => ({ isin, newestPrice }))
  const { root, hasPages, parts, publisher, baseUrl } = build.settings
  const source = {
    snapshot,
    asOf,
    documents: counts.objects,
    bytes: counts.bytes,
    assessment,
    withheld,
  }
  // These files name the snapshot, whose id comes from its objects: the first line of the manifest has their digests.
  const site: PageSite = { baseUrl, publisher, isAlone: !hasPages, parts }
  const named = build.makers.namedPages.map((make) => make(source, site))
  for (const { key, content } of named.flatMap(({ unlisted = [] }) => unlisted)) writeFile(root, key, content)
  const put = (key: string, content: string | Uint8Array): ManifestLine => {
    const { sha256, bytes } = writeFile(root, key, content)
    return { key, sha256, bytes, type: contentTypeOf(key) }
  }
  const { signing = null, part = null } = build.options
  const signer = part?.kind === 'shard' ? null : signing
  const keys = signer === null ? [] : [put(signingKeyKey, allowedSigners(signer.publicKeys))]
  const facts = signer === null ? [] : [put(factsKey, factsText({ ...said, freshness: marks }))]
  const actions = unlessShard(build, () => put(actionsKey, actionsJson(build.db)))
  const json = { key: statusKey, content: statusJson(source) }
  const status = inOrder([json, ...named.flatMap(({ listed: pages = [] }) => pages)])
  const statistics = put(statisticsKey, Buffer.concat(build.judgement.statistics))
  const pages = status.map(({ key, content }) => put(key, content))
  const listed = [...actions, ...keys, ...facts, statistics, ...pages]
  build.lines.list(listed)
  const signature =
    signer === null ? [] : [put(signatureKey, signer.sign(await sha512OfFile(join(root, checksumsKey))))]
  const head: ManifestHead = {
    ...said,
    settings: settingsDigest(build.options),
    published: publishedSettings(build.options),
    freshness: { ...marks, stalest },
    ...(allowed.length > 0 && { allowed }),
    ...(withheld.length > 0 && { withheld }),
    ...(merged.length > 0 && { merged: Object.fromEntries(merged) as Record<string, string> }),
    ...(successors.length > 0 && { successors }),
    counts: tables === null ? undefined : { documents, ...tables },
    site: hasPages ? { publisher: withoutPictureBytes(publisher), parts } : null,
    files: [...signature, ...listed],
  }
  await build.lines.write(head)
  return head
}

const unlessShard = <T>({ options: { part } }: Build, make: () => T): T[] =>
  part?.kind === 'shard' ? [] : [make()]

function publishedSettings({ baseUrl, docsUrl, publisher, signing }: BuildOptions): PublishedSettings {
  const { name = null, licence = null } = publisher ?? {}
  return {
    baseUrl,
    docsUrl,
    siteName: name,
    licence: licence?.name ?? null,
    publicKeys: signing ? signing.publicKeys.map(fingerprintOf).sort().join(' ') : null,
  }
}

/** In the order of keys. Two makers may make the same file. @throws {Error} if two pages have one key */
function inOrder(pages: readonly Page[]): readonly Page[] {
  const byKeys = new Map<string, Page>()
  for (const page of pages) {
    const { content } = byKeys.get(page.key) ?? page
    if (String(content) !== String(page.content)) throw new Error(`page ${page.key} is there twice`)
    byKeys.set(page.key, page)
  }
  return [...byKeys.values()].sort(byKey)
}

/** Number of stale funds that a publish names when it refuses a snapshot. */
const namedStale = 10

/** For the manifest: pages name the files of the pictures. */
function withoutPictureBytes(publisher: Publisher | null): Publisher | null {
  if (publisher === null) return null
  const named = (picture: Picture | null) => (picture === null ? null : { ...picture, content: '' })
  const { logo, icon, preview } = publisher
  return { ...publisher, logo: named(logo), icon: named(icon), preview: named(preview) }
}

/** A night: every document and page, rendered or taken over, then the manifest. */

import type { FundEntry } from '../contract/page.ts'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import type { Assessment } from '../freshness/assess.ts'
import { defaultFreshness, openRules } from '../freshness/rules.ts'
import type { RouteTable } from '../routes/table.ts'
import { checkTables } from '../source/check.ts'
import type { OpenedFile } from '../source/digest.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readIsins } from '../source/fund-reader.ts'
import type { FundDatabase } from '../source/open.ts'
import type { BuildOptions } from './build.ts'
import { codeDigest } from './code-digest.ts'
import { documentFiles } from './document-files.ts'
import { betterExample, exampleDocuments, type ExampleFund } from './example-fund.ts'
import { rendererOf } from './inputs.ts'
import { allPageMakers, loadPageMakers, type PageMakers } from './load-page-makers.ts'
import { folderOf, manifestFormat, manifestLine, snapshotId, type ManifestHead } from './manifest.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import { fundPlans, type Plan } from './plans.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { RenderedFund } from './render-fund.ts'
import { openRenderPool, type RenderPool } from './render-pool.ts'
import type { RenderReply, RenderSettings } from './render-worker.ts'
import { putSharedDocuments, type SharedObject } from './shared-documents.ts'
import type { Previous } from './since.ts'
import { putSitePages } from './site-pages.ts'
import { writeStatusFiles } from './status-files.ts'

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
  const { asOf, docsUrl, baseUrl, code = codeDigest(), pages = allPageMakers } = options
  const table = routeTable(endpoints, docsUrl)
  const settings: RenderSettings = {
    db: options.db,
    root,
    asOf,
    docsUrl,
    baseUrl,
    pages,
    renderer: rendererOf(code, docsUrl),
    reuse: previous?.reuse ?? null,
  }
  const plans = fundPlans(endpoints, table)
  const makers = await loadPageMakers(pages)
  return { options, settings, db, file, table, plans, makers, previous, lines: objectLines(root) }
}

/** Renders everything that does not stand. @throws {RefusedDatabase} */
export async function renderNight(
  night: Night,
): Promise<Finished & { readonly kept: number; readonly warnings: readonly Finding[] }> {
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
    const finished = await finish(night, isins, { funds: isins.length, ...counts, source: await source })
    return { ...finished, kept, warnings }
  } finally {
    options.signal.removeEventListener('abort', stop)
    await pool.close()
  }
}

export function isinsToRender({ options: { db: file, only }, db }: Night): readonly string[] {
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

/** Renders all funds, the documents over all funds, and the pages. @throws {RefusedDatabase} */
async function renderFunds(night: Night, isins: readonly string[], pool: RenderPool): Promise<Rendering> {
  const { options, settings, db, table, plans, makers, lines } = night
  const folders = [...plans, ...makers.fundPages].map(({ folder }) => folder)
  const entries: FundEntry[] = []
  let example: ExampleFund | null = null
  const previous = (await night.previous?.manifest) ?? null
  const findings = checkTables(db)
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  const from = new Map<string, string[]>()
  /** The previous manifest's lines of funds that are being rendered, a text a folder. */
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
    for (const [index, folder] of folders.entries()) {
      lines.add(folder, fund.lines.get(index) ?? standing?.[index] ?? '')
    }
    for (const [id, digest] of Object.entries(fund.from)) ofEndpoint(id).push(digest)
    if (fund.entry !== null) entries.push(fund.entry)
    example = betterExample(example, { isin, answers: fund.answers })
    objects += fund.objects
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
    const standing = folders.map((folder) => previous?.linesOf(folder, `${folder}${isin}/`) ?? '')
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

  const exampleIsin = (example as ExampleFund | null)?.isin ?? null
  const shared = [
    ...(await putSharedDocuments({ settings, table, plans, previous, pool, isins, from })),
    ...putPages(night, previous, entries, exampleIsin),
  ]
  // Runs of their own: pages of funds, for example, come between the pages of all funds.
  for (const { line } of shared) lines.add(`shared ${folderOf(line.key)}`, manifestLine(line))
  return {
    objects: objects + shared.length,
    bytes: shared.reduce((sum, { line }) => sum + line.bytes, bytes),
    kept: kept + shared.filter(({ isKept }) => isKept).length,
    newestPrice,
    warnings: findings,
  }
}

function putPages(
  { settings, db, table, plans, makers }: Night,
  previous: PreviousManifest | null,
  funds: readonly FundEntry[],
  exampleIsin: string | null,
): readonly SharedObject[] {
  if (makers.sitePages.length === 0) return []
  const { asOf, baseUrl, root, reuse } = settings
  const examples =
    exampleIsin === null
      ? new Map<string, string>()
      : exampleDocuments(exampleIsin, db, plans, { ...settings, table })
  const source = { table, baseUrl, asOf, funds, exampleIsin, examples }
  return putSitePages(makers, source, previous, documentFiles(root, reuse))
}

/** The later of two days; null is none. */
const laterDay = (one: string | null, other: string | null) =>
  one === null || (other !== null && other > one) ? other : one

interface Finished {
  readonly head: ManifestHead
  readonly assessment: Assessment
}

/** Writes what needs the snapshot's id: the status, the manifest and the checksums. */
async function finish(
  { options, settings, db, lines }: Night,
  isins: readonly string[],
  counts: Pick<ManifestHead, 'funds' | 'objects' | 'bytes' | 'newestPrice' | 'source'>,
): Promise<Finished> {
  const snapshot = snapshotId(options.asOf, await lines.digest())
  const said = { format: manifestFormat, snapshot, asOf: options.asOf, ...counts, docsUrl: options.docsUrl }
  const rules = options.freshness ?? (await openRules(defaultFreshness))
  const status = writeStatusFiles({ root: settings.root, db, isins, rules, head: said })
  const head = { ...said, ...status.said }
  await lines.write(head)
  return { head, assessment: status.assessment }
}

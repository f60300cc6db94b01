/** A worker thread that renders funds: reads the database, checks each fund, writes its documents. */

import { parentPort } from 'node:worker_threads'
import type { Format } from '../api/routes/table.ts'
import type { Finding } from '../data/check/finding.ts'
import { priceJudge, priceReader, type JudgedPrices } from '../data/check/prices.ts'
import { checkStructure } from '../data/check/structure.ts'
import { checkTables } from '../data/check/tables.ts'
import { countTables } from '../data/read/fund-reader.ts'
import { statisticsReader } from '../data/read/statistics.ts'
import { beginReading, damageIn, databaseError, openFunds } from '../data/read/open.ts'
import { documentFiles } from './document-files.ts'
import { loadPageMakers, noPageMakers, readHooks } from './hooks.ts'
import { openRendering, type Plan, type RenderSettings } from './plans.ts'
import { fundRenderer, type FundRenderer, type RenderedFund } from './render-fund.ts'

/**
 * `structure` needs nothing before it. For all others `open` comes first: it closes what was open. `begin` starts a
 * transaction, or a new one. Statements that read whole tables are here too: the main thread hears a signal only while it
 * runs none.
 */
export type RenderRequest =
  | { readonly kind: 'structure'; readonly file: string; readonly hasDamageCheck: boolean }
  | { readonly kind: 'open'; readonly file: string; readonly settings: RenderSettings }
  | { readonly kind: 'close' }
  | { readonly kind: 'begin' | 'countTables' }
  | { readonly kind: 'checkTables'; readonly asOf: string }
  | RenderFunds
  | { readonly kind: 'judge'; readonly isins: readonly string[] }
  | { readonly kind: 'members'; readonly isins: readonly string[]; readonly folders: readonly string[] }

interface RenderFunds {
  readonly kind: 'render'
  /** Ascending, also from one request to the next. */
  readonly isins: readonly string[]
  /** Each fund's lines of the previous manifest: a text for each plan, then for each kind of pages. */
  readonly previous: readonly (readonly string[])[]
  /** True after an error: the snapshot is refused, and the threads only check, to find the other errors. */
  readonly isRefused: boolean
}

export interface RenderReplies {
  /** `damage` as of `damageIn`; after any, nothing else is looked at. */
  readonly structure: { readonly damage: readonly string[]; readonly findings: readonly Finding[] }
  readonly open: undefined
  readonly close: undefined
  /** False if the transaction has to begin again. */
  readonly begin: boolean
  readonly countTables: ReturnType<typeof countTables>
  readonly checkTables: readonly Finding[]
  /** Funds in the order of the ISINs, up to the first with an error. */
  readonly render: { readonly findings: readonly Finding[]; readonly funds: readonly RenderedFund[] }
  /** `statistics`: a line for each fund. */
  readonly judge: { readonly prices: readonly JudgedPrices[]; readonly statistics: readonly string[] }
  /** By requested folder and format: parts of documents over all funds; funds without a part are left out. */
  readonly members: readonly ReadonlyMap<Format, readonly string[]>[]
}

type Opened = Awaited<ReturnType<typeof open>>

let opened: Opened | null = null

// An error ends the thread: the main thread gets it as the error of its request.
parentPort?.on(
  'message',
  (request: RenderRequest) => void answer(request).then((reply) => parentPort?.postMessage(reply)),
)

async function answer(request: RenderRequest): Promise<RenderReplies[RenderRequest['kind']]> {
  if (request.kind === 'structure') return structureOf(request)
  if (request.kind === 'open') {
    opened?.db.close()
    opened = await open(request.file, request.settings)
    return undefined
  }
  if (request.kind === 'close') {
    opened?.db.close()
    opened = null
    return undefined
  }
  if (opened === null) throw new Error(`the thread was not opened for ${request.kind}`)
  try {
    return replyTo(request, opened)
  } catch (error) {
    throw databaseError(opened.file, error)
  }
}

/** The pages first: in a damaged file a statement that reads all of them may never end. */
function structureOf({ file, hasDamageCheck }: Extract<RenderRequest, { readonly kind: 'structure' }>) {
  const db = openFunds(file)
  try {
    const damage = hasDamageCheck ? damageIn(db) : []
    return { damage, findings: damage.length > 0 ? [] : checkStructure(db) }
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

async function open(file: string, settings: RenderSettings) {
  const { extensions, hasPages } = settings
  const makers = hasPages ? await loadPageMakers(await readHooks(extensions)) : noPageMakers
  const rendering = await openRendering(settings, makers)
  const db = openFunds(file)
  const renderer = fundRenderer(db, rendering, documentFiles(settings.root, settings.reuse))
  const pricesOf = priceReader(db)
  const judgePrices = priceJudge(
    db,
    { expectations: settings.expectations, rules: rendering.rules },
    settings.asOf,
    pricesOf,
  )
  const statisticsOf = statisticsReader(db, settings.asOf, pricesOf)
  const judge = (isins: readonly string[]): RenderReplies['judge'] => {
    const judged = isins.map((isin) => ({ prices: judgePrices([isin]), statistics: statisticsOf(isin) }))
    return {
      prices: judged.flatMap(({ prices }) => prices),
      statistics: judged.map(({ statistics }) => statistics),
    }
  }
  return { file, db, allFunds: rendering.allFunds, renderer, judge }
}

function replyTo(
  request: Exclude<RenderRequest, { readonly kind: 'structure' | 'open' | 'close' }>,
  { db, allFunds, renderer, judge }: Opened,
) {
  switch (request.kind) {
    case 'begin':
      return beginReading(db)
    case 'countTables':
      return countTables(db)
    case 'checkTables':
      return checkTables(db, request.asOf)
    case 'judge':
      return judge(request.isins)
    case 'render':
      return render(renderer, request)
    case 'members':
      return allFunds
        .filter(({ of }) => request.folders.includes(of.folder))
        .map(({ of }) => members(renderer, of, request.isins))
    default:
      return request satisfies never
  }
}

function render(renderer: FundRenderer, { isins, previous, ...request }: RenderFunds) {
  const findings: Finding[] = []
  const funds: RenderedFund[] = []
  let { isRefused } = request
  for (const [index, isin] of isins.entries()) {
    const done = isRefused
      ? { findings: renderer.check(isin), rendered: null }
      : renderer.render(isin, previous[index] ?? [])
    findings.push(...done.findings)
    if (done.rendered === null) isRefused = true
    else funds.push(done.rendered)
  }
  return { findings, funds }
}

function members(renderer: FundRenderer, plan: Plan, isins: readonly string[]) {
  const parts = isins.flatMap((isin) => renderer.members(isin, plan) ?? [])
  return new Map(
    [...plan.encoders.keys()].map((format) => [format, parts.map((part) => part.get(format) ?? '')] as const),
  )
}

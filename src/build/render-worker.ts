/** A worker thread that renders funds: reads the database, checks each fund, writes its documents. */

import { parentPort } from 'node:worker_threads'
import type { Overdue } from '../api/contract/page.ts'
import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { formats, type Format } from '../api/routes/table.ts'
import type { Finding } from '../data/check/finding.ts'
import { beginReading, damageIn, databaseError, openFunds, type FundDatabase } from '../data/read/open.ts'
import { documentFiles, type Reuse } from './document-files.ts'
import { loadPageMakers } from './pages.ts'
import { fundPlans, type Plan } from './plans.ts'
import { fundRenderer, type FundRenderer, type RenderedFund } from './render-fund.ts'

export interface RenderSettings {
  readonly db: string
  /** The folder that the snapshot is written to. */
  readonly root: string
  readonly asOf: string
  readonly docsUrl: string
  readonly baseUrl: string
  readonly hasDownloads: boolean
  /** The module with the makers of pages, or null for none. */
  readonly pages: string | null
  /** As `rendererOf` gives it. */
  readonly renderer: string
  readonly reuse: Reuse
}

export interface RenderedChunk {
  readonly findings: readonly Finding[]
  /** In the order of the ISINs. */
  readonly funds: readonly RenderedFund[]
}

/** Funds' parts of documents over all funds: for each requested plan, in the order of the ISINs. */
export type Members = readonly Readonly<Record<Format, readonly string[]>>[]

/**
 * `open`: comes first, answered once the database is open. `begin`: start a read transaction (anew). Funds come in order.
 * `damage`: what SQLite finds wrong with the pages of the database.
 * `close`: the database is closed, and the thread as good as new.
 */
export type RenderRequest =
  | { readonly kind: 'open'; readonly settings: RenderSettings }
  | { readonly kind: 'close' }
  | { readonly kind: 'begin' }
  | { readonly kind: 'damage' }
  | { readonly kind: 'check'; readonly isins: readonly string[] }
  | {
      readonly kind: 'render'
      readonly isins: readonly string[]
      /** Each fund's lines of the previous manifest: a text for each plan, then for each kind of pages. */
      readonly previous: readonly (readonly string[])[]
      /** For the pages of each fund. */
      readonly overdue: readonly (Overdue | null)[]
    }
  | { readonly kind: 'members'; readonly isins: readonly string[]; readonly folders: readonly string[] }

export type RenderReply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'begun'; readonly hasBegun: boolean }
  | { readonly kind: 'damage'; readonly damage: readonly string[] }
  | ({ readonly kind: 'rendered' } & RenderedChunk)
  | { readonly kind: 'members'; readonly members: Members }

const port = parentPort
if (port === null) throw new Error('render-worker runs as a worker thread')

interface Opened {
  readonly settings: RenderSettings
  readonly db: FundDatabase
  readonly plans: readonly Plan[]
  readonly renderer: FundRenderer
}

let opened: Opened | null = null

port.on('message', (request: RenderRequest) => {
  if (request.kind === 'open') void open(request.settings)
  else if (request.kind === 'close') close()
  else if (opened === null) throw new Error(`the thread was not opened for ${request.kind}`)
  else answer(request, opened)
})

async function open(settings: RenderSettings): Promise<void> {
  const db = openFunds(settings.db)
  const table = routeTable(endpoints, settings.docsUrl)
  const plans = fundPlans(endpoints, table)
  const files = documentFiles(settings.root, settings.reuse)
  const { fundPages } = await loadPageMakers(settings.pages)
  const renderer = fundRenderer(db, plans, fundPages, files, { ...settings, table })
  opened = { settings, db, plans, renderer }
  send({ kind: 'opened' })
}

function close(): void {
  opened?.db.close()
  opened = null
  send({ kind: 'closed' })
}

type OpenedRequest = Exclude<RenderRequest, { readonly kind: 'open' | 'close' }>

function answer(request: OpenedRequest, of: Opened): void {
  try {
    send(replyTo(request, of))
  } catch (error) {
    throw databaseError(of.settings.db, error)
  }
}

function send(reply: RenderReply): void {
  port?.postMessage(reply)
}

function replyTo(request: OpenedRequest, { db, plans, renderer }: Opened): RenderReply {
  switch (request.kind) {
    case 'begin':
      return { kind: 'begun', hasBegun: beginReading(db) }
    case 'damage':
      return { kind: 'damage', damage: damageIn(db) }
    case 'check':
      return { kind: 'rendered', findings: request.isins.flatMap(renderer.check), funds: [] }
    case 'render':
      return { kind: 'rendered', ...render(renderer, request) }
    case 'members':
      return {
        kind: 'members',
        members: request.folders.map((folder) => members(renderer, planOf(plans, folder), request.isins)),
      }
    default:
      return request satisfies never
  }
}

function render(
  renderer: FundRenderer,
  { isins, previous, overdue }: Extract<RenderRequest, { readonly kind: 'render' }>,
): RenderedChunk {
  const findings: Finding[] = []
  const funds: RenderedFund[] = []
  let isRefused = false
  for (const [index, isin] of isins.entries()) {
    // With an error the snapshot is refused: what is still to be found are the other errors.
    const done = isRefused
      ? { findings: renderer.check(isin), rendered: null }
      : renderer.render(isin, previous[index] ?? [], overdue[index] ?? null)
    findings.push(...done.findings)
    if (done.rendered === null) isRefused = true
    else funds.push(done.rendered)
  }
  return { findings, funds }
}

function planOf(plans: readonly Plan[], folder: string): Plan {
  const plan = plans.find((candidate) => candidate.folder === folder)
  if (plan === undefined) throw new Error(`there is no plan for ${folder}`)
  return plan
}

function members(renderer: FundRenderer, plan: Plan, isins: readonly string[]): Record<Format, string[]> {
  const parts: Record<Format, string[]> = { json: [], xml: [] }
  for (const isin of isins) {
    const texts = renderer.members(isin, plan)
    if (texts !== null) for (const format of formats) parts[format].push(texts[format])
  }
  return parts
}

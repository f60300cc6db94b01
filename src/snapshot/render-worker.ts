/** A worker thread that renders funds: reads the database, checks each fund, writes its documents. */

import { parentPort, workerData } from 'node:worker_threads'
import type { Overdue } from '../contract/page.ts'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import { formats, type Format } from '../routes/table.ts'
import type { Finding } from '../source/finding.ts'
import { beginReading, openFunds, readable } from '../source/open.ts'
import { documentFiles, type Reuse } from './document-files.ts'
import { loadPageMakers } from './load-page-makers.ts'
import { fundPlans } from './plans.ts'
import { fundRenderer, type RenderedFund } from './render-fund.ts'

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
  readonly reuse: Reuse | null
}

export interface RenderedChunk {
  readonly findings: readonly Finding[]
  /** In the order of the ISINs. */
  readonly funds: readonly RenderedFund[]
}

/** Funds' parts of documents over all funds: of each plan that was asked for, in the order of the ISINs. */
export type Members = readonly Readonly<Record<Format, readonly string[]>>[]

/** `open`: answered once the database is open. `begin`: start a read transaction (anew). Funds come in order. */
export type RenderRequest =
  | { readonly kind: 'open' }
  | { readonly kind: 'begin' }
  | { readonly kind: 'check'; readonly isins: readonly string[] }
  | {
      readonly kind: 'render'
      readonly isins: readonly string[]
      /** Of each fund its lines of the previous manifest, a text a plan, then pages. */
      readonly previous: readonly (readonly string[])[]
      /** Of each fund: for its pages. */
      readonly overdue: readonly (Overdue | null)[]
    }
  | { readonly kind: 'members'; readonly isins: readonly string[]; readonly folders: readonly string[] }

export type RenderReply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'begun'; readonly hasBegun: boolean }
  | ({ readonly kind: 'rendered' } & RenderedChunk)
  | { readonly kind: 'members'; readonly members: Members }

const port = parentPort
const settings = workerData as RenderSettings
if (port === null) throw new Error('render-worker runs as a worker thread')

const db = openFunds(settings.db)
const table = routeTable(endpoints, settings.docsUrl)
const plans = fundPlans(endpoints, table)
const files = documentFiles(settings.root, settings.reuse)
const { fundPages } = await loadPageMakers(settings.pages)
const renderer = fundRenderer(db, plans, fundPages, files, { ...settings, table })

port.on('message', (request: RenderRequest) => {
  try {
    port.postMessage(reply(request))
  } catch (error) {
    throw readable(settings.db, error)
  }
})

function reply(request: RenderRequest): RenderReply {
  switch (request.kind) {
    case 'open':
      return { kind: 'opened' }
    case 'begin':
      return { kind: 'begun', hasBegun: beginReading(db) }
    case 'check':
      return { kind: 'rendered', findings: request.isins.flatMap(renderer.check), funds: [] }
    case 'render':
      return { kind: 'rendered', ...render(request) }
    case 'members':
      return { kind: 'members', members: request.folders.map((folder) => members(folder, request.isins)) }
    default:
      return request satisfies never
  }
}

function render({
  isins,
  previous,
  overdue,
}: Extract<RenderRequest, { readonly kind: 'render' }>): RenderedChunk {
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

function members(folder: string, isins: readonly string[]): Record<Format, string[]> {
  const plan = plans.find((candidate) => candidate.folder === folder)
  if (plan === undefined) throw new Error(`there is no plan for ${folder}`)
  const parts: Record<Format, string[]> = { json: [], xml: [] }
  for (const isin of isins) {
    const texts = renderer.members(isin, plan)
    if (texts !== null) for (const format of formats) parts[format].push(texts[format])
  }
  return parts
}

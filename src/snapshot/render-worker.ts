/** A worker thread that renders funds: reads the database, checks each fund, writes its documents. */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { mayGiveOutPrices } from '../contract/fund.ts'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import type { Format } from '../routes/table.ts'
import { checkFund } from '../source/check-fund.ts'
import type { Finding } from '../source/finding.ts'
import { fundReader } from '../source/fund-reader.ts'
import { beginReading, openFunds, readable } from '../source/open.ts'
import { fundPlans, putDocuments, type FundDocument } from './fund-documents.ts'
import { contentTypes, manifestLine } from './manifest.ts'

export interface RenderSettings {
  readonly db: string
  /** The folder that the snapshot is written to; the folders of all plans are there. */
  readonly root: string
  readonly asOf: string
  readonly docsUrl: string
}

/** `open`: answered once the database is open. `begin`: start a read transaction (anew). `render`: these funds, in this order. */
export type RenderRequest =
  | { readonly kind: 'open' }
  | { readonly kind: 'begin' }
  | {
      readonly kind: 'render'
      readonly chunk: number
      readonly isins: readonly string[]
      readonly checkOnly: boolean
    }

export type RenderReply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'begun'; readonly hasBegun: boolean }
  | { readonly kind: 'rendered'; readonly chunk: number; readonly rendered: Rendered }

export interface Rendered {
  readonly documents: number
  readonly bytes: number
  /** ISO 8601 day of the newest price of these funds that is given out, or null. */
  readonly newestPrice: string | null
  readonly findings: readonly Finding[]
  /** Manifest lines of each plan, in the plans' order. */
  readonly lines: readonly string[]
  /** Parts of the documents over all funds, by endpoint and format. */
  readonly members: Readonly<Record<string, Readonly<Record<Format, readonly string[]>>>>
}

const settings = workerData as RenderSettings
const port = parentPort
if (port === null) throw new Error('render-worker runs as a worker thread')

const db = openFunds(settings.db)
const reader = fundReader(db)
const table = routeTable(endpoints, settings.docsUrl)
const plans = fundPlans(endpoints, table)

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
    case 'render':
      return { kind: 'rendered', chunk: request.chunk, rendered: render(request.isins, request.checkOnly) }
    default:
      return request satisfies never
  }
}

function render(isins: readonly string[], checkOnly: boolean): Rendered {
  const lines: string[] = plans.map(() => '')
  const members: Record<string, Record<Format, string[]>> = {}
  const findings: Finding[] = []
  let documents = 0
  let bytes = 0
  let newestPrice: string | null = null
  for (const isin of isins) {
    const fund = reader.read(isin)
    if (fund === undefined) continue
    findings.push(...checkFund(fund, settings.asOf))
    // With an error the snapshot is refused: what is still to be found are the other errors.
    if (checkOnly || findings.some(({ severity }) => severity === 'error')) continue
    const newest = mayGiveOutPrices(fund.fund) ? fund.prices.at(-1)?.date : undefined
    if (newest !== undefined && (newestPrice === null || newest > newestPrice)) newestPrice = newest
    for (const [index, plan] of plans.entries()) {
      mkdirSync(`${settings.root}/${plan.folder}${isin}`)
      const put = (document: FundDocument) => {
        const written = writeDocument(document)
        documents++
        bytes += written.bytes
        lines[index] += manifestLine(written)
        return written.sha256
      }
      putDocuments(plan, fund, { asOf: settings.asOf, table }, put, (id, format, member) => {
        const parts = (members[id] ??= { json: [], xml: [] })
        parts[format].push(member)
      })
    }
  }
  return { documents, bytes, newestPrice, findings, lines, members }
}

/** One buffer for all documents: it grows to the largest. */
let buffer = Buffer.allocUnsafeSlow(1 << 20)

function writeDocument({ key, format, content }: FundDocument) {
  // Three bytes at most for each UTF-16 unit.
  if (content.length * 3 > buffer.length) buffer = Buffer.allocUnsafeSlow(content.length * 3)
  const length = buffer.write(content)
  const encoded = buffer.subarray(0, length)
  const file = openSync(`${settings.root}/${key}`, 'w')
  try {
    for (let done = 0; done < length;) done += writeSync(file, encoded, done, length - done)
  } finally {
    closeSync(file)
  }
  return { key, sha256: hash('sha256', encoded, 'hex'), bytes: length, type: contentTypes[format] }
}

/** Plans of a build, compiled once from the registry of endpoints, so that rendering a fund is joining text. */

import type { Endpoint, FundEndpoint } from '../api/contract/endpoint.ts'
import type { Publisher, SiteParts } from '../api/contract/page.ts'
import { routeOf, routeTable, typesOf } from '../api/derive/route-table.ts'
import { type Encode, jsonEncoder } from '../api/encode/json.ts'
import { csvEncoder } from '../api/encode/csv.ts'
import {
  type ByIsinText,
  jsonByIsin,
  jsonSeries,
  type SeriesEncoder,
  xmlByIsin,
  xmlSeries,
} from '../api/encode/series.ts'
import { xmlContent, xmlElement, xmlEncoder } from '../api/encode/xml.ts'
import { documentKey, errorKey, folderKey, windowKey, windowListKey } from '../api/routes/keys.ts'
import {
  type Format,
  formats,
  formatsOf,
  languages,
  type Route,
  type RouteTable,
  type Series,
} from '../api/routes/table.ts'
import type { ExpectationSettings } from '../guards/plausibility.ts'
import { type FreshnessSettings, openRules } from '../guards/rules.ts'
import { moduleBeside } from '../system/start-thread.ts'
import type { Reuse } from './document-files.ts'
import type { PageMakers } from './hooks.ts'

export interface RenderSettings {
  readonly root: string
  readonly asOf: string
  readonly docsUrl: string
  readonly baseUrl: string
  readonly parts: SiteParts
  readonly publisher: Publisher | null
  /** Address of the registry of endpoints. Threads load it, because functions cannot be sent to them. */
  readonly endpoints: string
  /** Address of the list of extensions. */
  readonly extensions: string
  readonly hasPages: boolean
  readonly freshness: FreshnessSettings
  readonly expectations: ExpectationSettings
  /** As `rendererOf` returns it. */
  readonly renderer: string
  readonly reuse: Reuse
}

export const allEndpoints = moduleBeside(import.meta.url, '../api/endpoints/index')

export type Rendering = Awaited<ReturnType<typeof openRendering>>

/** @throws {Error} as `openRules` does */
export async function openRendering(settings: RenderSettings, makers: Required<PageMakers>) {
  const { endpoints } = (await import(settings.endpoints)) as { readonly endpoints: readonly Endpoint[] }
  const table = routeTable(endpoints, settings.docsUrl)
  const plans = fundPlans(endpoints, table)
  const rules = await openRules(settings.freshness)
  return { settings, table, plans, allFunds: allFundsPlans(endpoints, table, plans), makers, rules }
}

/** One endpoint with all parameters but the ISIN. Documents lie below `folder`. Source: src/core/bucket/keys.md. */
export type Plan = ReturnType<typeof fundPlans>[number]

export type WindowPlan = ReturnType<typeof windowPlan>

/** The plans of all endpoints about one fund, in the byte order of their folders. */
function fundPlans(endpoints: readonly Endpoint[], table: RouteTable) {
  return endpoints
    .filter((endpoint): endpoint is FundEndpoint => endpoint.scope !== 'all')
    .flatMap((endpoint) => {
      const route = routeOf(table, endpoint)
      const encoders = encodersOf(endpoint)
      const windows = route.series === undefined ? null : windowPlan(endpoint, route.series)
      if (windows !== null && endpoint.reads.join(' ') !== 'prices')
        throw new Error(`endpoint ${endpoint.id}: windows are cut from prices and nothing else`)
      const names = fileNames(route, windows !== null)
      return typesOf(route).map((type) => {
        // folderKey returns `…/<isin>/`: without the ISIN that is the folder of all funds and a second slash.
        const folder = folderKey(route, { type, isin: '' }).slice(0, -1)
        return { folder, endpoint, route, type, encoders, windows, names }
      })
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

function fileNames(route: Route, hasWindows: boolean) {
  const documents = (route.hasLanguages ? languages : [languages[0]]).flatMap((language) =>
    formatsOf(route).map((format) => nameOf(documentKey(route, {}, language, format))),
  )
  const endings = formatsOf(route).map((format) => nameOf(windowKey(route, {}, '', format)))
  return {
    /** The answer's files; for an endpoint with windows, the window list's. */
    answer: hasWindows ? [nameOf(windowListKey(route, {}))] : documents,
    /** The files of a year's window, in the order of `formatsOf`. */
    window: (year: string) => endings.map((ending) => year + ending),
    refusal: formats.map((format) => nameOf(errorKey(route, {}, format))),
  }
}

/** A key's part after its last slash. */
export const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)

interface DocumentEncoder {
  readonly document: Encode
  /** A fund's part of the document over all funds; `byIsin` is the text around the parts. */
  readonly member: (isin: string, body: unknown) => string
  readonly byIsin: ByIsinText
}

type Encoders = ReadonlyMap<Format, DocumentEncoder>

/** In the byte order of the formats, which is that of the keys. */
function encodersOf({ body, csv }: FundEndpoint): Encoders {
  const json = jsonEncoder(body)
  const xml = xmlContent(body)
  const encoders: [Format, DocumentEncoder][] = [
    ['json', { document: json, member: (isin, value) => `"${isin}":${json(value)}`, byIsin: jsonByIsin }],
    [
      'xml',
      {
        document: xmlEncoder(body),
        member: (isin, value) => xmlElement(isin, xml(value)),
        byIsin: xmlByIsin,
      },
    ],
  ]
  if (csv !== undefined) encoders.unshift(['csv', csvEncoder(body, csv)])
  return new Map(encoders)
}

function windowPlan({ id, body, csv }: FundEndpoint, cut: Series) {
  const { list, date } = cut
  if (csv !== undefined && csv.records !== list)
    throw new Error(`endpoint ${id}: its CSV and its windows have different records`)
  const series: [Format, SeriesEncoder][] = [
    ['json', jsonSeries(body, list, date)],
    ['xml', xmlSeries(body, list, date)],
  ]
  if (csv !== undefined) series.unshift(['csv', csvEncoder(body, csv).series])
  return { cut, series: new Map(series) }
}

/** The endpoints over all funds, each with the plan of the endpoint whose bodies it has. */
function allFundsPlans(endpoints: readonly Endpoint[], table: RouteTable, plans: readonly Plan[]) {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope !== 'all') return []
    const of = plans.find((plan) => plan.endpoint === endpoint.of)
    if (of === undefined) throw new Error(`endpoint ${endpoint.id} is of an endpoint that is not registered`)
    const route = routeOf(table, endpoint)
    return [{ of, keyAs: (format: Format) => documentKey(route, {}, languages[0], format) }]
  })
}

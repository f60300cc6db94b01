/** Every endpoint about one fund, compiled once into a plan: rendering a fund is then joining text. */

import type { Endpoint, FundEndpoint } from '../api/contract/endpoint.ts'
import type { RecordOf } from '../api/contract/shape.ts'
import { jsonEncoder, type Encode } from '../api/encode/json.ts'
import { jsonSeries, xmlSeries, type SeriesEncoder } from '../api/encode/series.ts'
import { xmlContent } from '../api/encode/xml.ts'
import { documentKey, errorKey, folderKey, windowKey, windowListKey } from '../api/routes/keys.ts'
import { formats, languages, type Format, type Route, type RouteTable } from '../api/routes/table.ts'

/**
 * One endpoint with its enumerated parameters but the ISIN filled in: the documents of all funds lie below `folder`.
 * Source of the keys: src/bucket/keys.md.
 */
export interface Plan {
  /** Ends with a slash: `api/v1/investment_structure-countries/`. */
  readonly folder: string
  readonly endpoint: FundEndpoint
  readonly route: Route
  /** The structure type, or ''. */
  readonly type: string
  readonly encode: Readonly<Record<Format, Encode>>
  readonly windows: WindowPlan | null
  /** The names of a fund's files, without their folder. */
  readonly names: FileNames
}

export interface FileNames {
  /** The answer's files; for an endpoint with windows, the window list's. */
  readonly answer: readonly string[]
  /** The files of a year's window, JSON first. */
  readonly window: (year: string) => readonly string[]
  readonly refusal: readonly string[]
}

/** How the documents of a year's window are encoded. */
export interface WindowPlan {
  readonly list: string
  readonly date: string
  readonly series: Readonly<Record<Format, SeriesEncoder>>
}

/** The plans of all endpoints about one fund, in the byte order of their folders. */
export function fundPlans(endpoints: readonly Endpoint[], table: RouteTable): Plan[] {
  return endpoints
    .flatMap((endpoint) => {
      if (endpoint.scope === 'all') return []
      const route = table.routes.find(({ id }) => id === endpoint.id)
      if (route === undefined) throw new Error(`endpoint ${endpoint.id} has no route`)
      const encode = bodyEncoders(endpoint.body)
      const windows = endpoint.series === undefined ? null : windowPlan(endpoint.body, endpoint.series)
      if (windows !== null && endpoint.reads.join(' ') !== 'prices')
        throw new Error(`endpoint ${endpoint.id}: windows are cut from prices and nothing else`)
      const names = fileNames(route, windows !== null)
      return typesOf(route).map((type): Plan => {
        // folderKey gives `…/<isin>/`: without the ISIN that is the folder of all funds and a slash too many.
        const folder = folderKey(route, { type, isin: '' }).slice(0, -1)
        return { folder, endpoint, route, type, encode, windows, names }
      })
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

/** JSON text of a body, and the content of an XML root element (documents over all funds need it bare). */
const bodyEncoders = (body: RecordOf) => ({ json: jsonEncoder(body), xml: xmlContent(body) })

function typesOf(route: Route): readonly string[] {
  const choice = route.parameters.find((parameter) => parameter.kind === 'choice')
  return choice?.kind === 'choice' ? choice.choices : ['']
}

function fileNames(route: Route, hasWindows: boolean): FileNames {
  const documents = (route.hasLanguages ? languages : [languages[0]]).flatMap((language) =>
    formats.map((format) => nameOf(documentKey(route, {}, language, format))),
  )
  const endings = formats.map((format) => nameOf(windowKey(route, {}, '', format)))
  return {
    answer: hasWindows ? [nameOf(windowListKey(route, {}))] : documents,
    window: (year) => endings.map((ending) => year + ending),
    refusal: formats.map((format) => nameOf(errorKey(route, {}, format))),
  }
}

/** A key's part after its last slash. */
export const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)

function windowPlan(body: RecordOf, { list, date }: { list: string; date: string }): WindowPlan {
  return { list, date, series: { json: jsonSeries(body, list, date), xml: xmlSeries(body, list, date) } }
}

/** An endpoint over all funds. */
export interface AllFundsPlan {
  readonly keys: Readonly<Record<Format, string>>
  /** The endpoint that it has the bodies of. */
  readonly of: Plan
}

export function allFundsPlans(
  endpoints: readonly Endpoint[],
  table: RouteTable,
  plans: readonly Plan[],
): AllFundsPlan[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope !== 'all') return []
    const route = table.routes.find(({ id }) => id === endpoint.id)
    const of = plans.find((plan) => plan.endpoint === endpoint.of)
    if (route === undefined || of === undefined) throw new Error(`endpoint ${endpoint.id} has no route`)
    const keyAs = (format: Format) => documentKey(route, {}, languages[0], format)
    const keys = { json: keyAs('json'), xml: keyAs('xml') }
    return [{ keys, of }]
  })
}

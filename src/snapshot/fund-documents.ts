/**
 * All documents of one fund: every endpoint, structure type, language and format, refusals included. Endpoints are
 * compiled once into a plan; rendering a fund is then joining text.
 */

import { isRefusal, type Endpoint, type FundEndpoint, type RowsOf } from '../contract/endpoint.ts'
import type { Group } from '../contract/rows.ts'
import type { RecordOf } from '../contract/shape.ts'
import { jsonEncoder, type Encode } from '../encode/json.ts'
import { xmlContent, xmlDeclaration, xmlElement } from '../encode/xml.ts'
import { documentKey, errorKey, folderKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import {
  formats,
  languages,
  type Format,
  type Language,
  type Problem,
  type Route,
  type RouteTable,
} from '../routes/table.ts'
import { windowDocuments, windowPlan, type WindowPlan } from './window-documents.ts'

export interface FundDocument {
  readonly key: string
  readonly format: Format
  readonly content: string
}

/** Writes a document down and gives back its SHA-256 in hex. */
export type Put = (document: FundDocument) => string

/** Takes a fund's part of a document over all funds. */
export type PutMember = (endpointId: string, format: Format, member: string) => void

/**
 * One endpoint with its enumerated parameters but the ISIN filled in: the documents of all funds lie below `folder`.
 * Source of the keys: keys.md.
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
  /** The ids of the endpoints over all funds that take this one's bodies. */
  readonly memberOf: readonly string[]
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
      const memberOf = endpoints.flatMap((all) =>
        all.scope === 'all' && all.of === endpoint ? [all.id] : [],
      )
      return typesOf(route).map((type): Plan => {
        // folderKey gives `…/<isin>/`: without the ISIN that is the folder of all funds and a slash too many.
        const folder = folderKey(route, { type, isin: '' }).slice(0, -1)
        return { folder, endpoint, route, type, encode, windows, memberOf }
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

/** Renders one plan for one fund. Documents are put in the byte order of their keys. */
export function putDocuments(
  plan: Plan,
  fund: RowsOf<Group>,
  context: { readonly asOf: string; readonly table: RouteTable },
  put: Put,
  putMember: PutMember,
): void {
  const { endpoint, route, type } = plan
  const values = { isin: fund.fund.isin, type }
  const answerIn = (language: Language) => endpoint.build(fund, { asOf: context.asOf, language, type })
  const first = answerIn(languages[0]) as object
  if (isRefusal(first)) {
    const problem = problemOf(endpoint, first.refused)
    for (const format of formats) {
      const content = problemDocument(context.table.docsUrl, problem, values, format)
      put({ key: errorKey(route, values, format), format, content })
    }
    return
  }
  if (plan.windows !== null) {
    windowDocuments(plan.windows, route, values, first, put)
    return
  }
  for (const language of route.hasLanguages ? languages : [languages[0]]) {
    const body = language === languages[0] ? first : answerIn(language)
    for (const format of formats) {
      const text = plan.encode[format](body)
      const content = format === 'json' ? text : xmlDeclaration + xmlElement('root', text)
      put({ key: documentKey(route, values, language, format), format, content })
      for (const id of plan.memberOf) {
        putMember(id, format, format === 'json' ? `"${values.isin}":${text}` : xmlElement(values.isin, text))
      }
    }
  }
}

function problemOf(endpoint: FundEndpoint, error: string): Problem {
  const row = endpoint.errors[error]
  if (row === undefined)
    throw new Error(`endpoint ${endpoint.id} refused with ${error}, which it does not declare`)
  return { group: endpoint.group, ...row }
}

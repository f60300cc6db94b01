/** The documents of one endpoint about one fund, refusals included: in every language and format. */

import { isRefusal, type Refusal, type RowsOf } from '../contract/endpoint.ts'
import type { Group } from '../contract/rows.ts'
import { xmlDeclaration, xmlElement } from '../encode/xml.ts'
import { documentKey, errorKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, languages, type Format, type Language } from '../routes/table.ts'
import type { RouteTable, Values } from '../routes/table.ts'
import type { Content } from './document-files.ts'
import type { Plan } from './plans.ts'

/** Writes a document down and gives back its SHA-256 in hex. */
export type Put = (document: Content) => string

/** What an answer depends on beside the fund's rows. */
export interface Context {
  /** As `dayThatCounts` gives it. */
  readonly day: string
  readonly table: RouteTable
}

export type Rows = RowsOf<Group>

/** Renders one plan without windows for one fund. Documents are put in the byte order of their keys. */
export function putDocuments(plan: Plan, rows: Rows, context: Context, put: Put): void {
  const { route } = plan
  const values = valuesOf(plan, rows)
  const first = answerOf(plan, rows, context)
  if (isRefusal(first)) {
    putRefusal(plan, first, values, context, put)
    return
  }
  for (const language of route.hasLanguages ? languages : [languages[0]]) {
    const body = language === languages[0] ? first : answerOf(plan, rows, context, language)
    for (const format of formats) {
      const text = plan.encode[format](body)
      const content = format === 'json' ? text : xmlDeclaration + xmlElement('root', text)
      put({ key: documentKey(route, values, language, format), content })
    }
  }
}

/** A fund's part of the document over all funds, in each format; null if it has none. */
export function membersOf(plan: Plan, rows: Rows, context: Context): Readonly<Record<Format, string>> | null {
  const body = answerOf(plan, rows, context)
  if (isRefusal(body)) return null
  const { isin } = rows.fund
  return { json: `"${isin}":${plan.encode.json(body)}`, xml: xmlElement(isin, plan.encode.xml(body)) }
}

export const valuesOf = ({ type }: Plan, { fund }: Rows) => ({ isin: fund.isin, type })

export const answerOf = (
  { endpoint, type }: Plan,
  rows: Rows,
  { day }: Context,
  language: Language = languages[0],
) => endpoint.build(rows, { asOf: day, language, type }) as object

export function putRefusal(
  plan: Plan,
  { refused }: Refusal,
  values: Values,
  { table }: Context,
  put: Put,
): void {
  const { endpoint, route } = plan
  const row = endpoint.errors[refused]
  if (row === undefined)
    throw new Error(`endpoint ${endpoint.id} refused with ${refused}, which it does not declare`)
  for (const format of formats) {
    const content = problemDocument(table.docsUrl, { group: endpoint.group, ...row }, values, format)
    put({ key: errorKey(route, values, format), content })
  }
}

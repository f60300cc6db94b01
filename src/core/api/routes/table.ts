/**
 * The route table: facts about the API for its readers, as plain JSON data, from `derive/routeTable`. This folder
 * imports nothing, and its code runs in every edge runtime (no Node, no web globals, no classes, ES5 library calls
 * only).
 */

/** The formats of every document, refusals included, in the order of preference. Source: the interface, `format`. */
export const formats = ['json', 'xml'] as const
export type DocumentFormat = (typeof formats)[number]

/** Routes with {@link Route.hasCsv} have CSV, too. Source: src/core/api/decisions.md, Requests. */
export type Format = DocumentFormat | 'csv'

const formatsWithCsv: readonly Format[] = (formats as readonly Format[]).concat('csv')

/** In the order of preference. */
export const formatsOf = ({ hasCsv }: Pick<Route, 'hasCsv'>): readonly Format[] =>
  hasCsv ? formatsWithCsv : formats

/** The languages of a document (the first is the default). Source: the interface, `language`; src/core/api/decisions.md. */
export const languages = ['de', 'en'] as const
export type Language = (typeof languages)[number]

/** One row of the error table. `title` holds `{isin}`, `{type}`, … if the text depends on the request. */
export interface Problem {
  readonly group: string
  readonly status: number
  readonly slug: string
  readonly title: string
}

/** A parameter of a path and its possible problems, as positions in {@link RouteTable.problems}. */
export type Parameter = { readonly name: string } & (
  | { readonly kind: 'isin'; readonly missing: number; readonly unknown: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly invalid: number }
  | { readonly kind: 'date'; readonly invalid: number }
)

/** Cuts of a date range: the field that holds the records, their date field, and the field after the records. */
export interface Series {
  readonly list: string
  readonly date: string
  readonly next: string
}

/** `path` is a template: `/api/v1/investment_structure-{type}/{isin}/`. */
export interface Route {
  readonly id: string
  readonly path: string
  readonly hasLanguages: boolean
  /** Answers are also available as CSV; a refusal is JSON then. */
  readonly hasCsv?: boolean
  readonly parameters: readonly Parameter[]
  /** Only if yearly windows are put together for an answer. */
  readonly series?: Series
}

export interface RouteTable {
  /** Absolute address of the documentation, without a closing slash: the base of each error's `type`. */
  readonly docsUrl: string
  readonly problems: readonly Problem[]
  readonly routes: readonly Route[]
  /** First segments of the paths of pages and files, which the edge serves as they are. */
  readonly pages: readonly string[]
  /** Positions of the problems that belong to no endpoint. */
  readonly general: Readonly<Record<'wrongMethod' | 'noEndpoint' | 'wrongFormat' | 'wrongLanguage', number>>
}

/** Parameter values by name, percent-decoded. */
export type Values = Readonly<Record<string, string>>

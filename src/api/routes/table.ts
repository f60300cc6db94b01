/**
 * The route table: all that a reader of the API has to know of it, as plain JSON data. The registry of endpoints is
 * where it comes from (`derive/routeTable`); the edge, the renderer and the documentation share it. This folder is the
 * floor that writer and reader stand on: it imports nothing, and its code runs in every edge runtime (no Node, no web
 * globals, no classes, ES5 library calls only).
 */

/**
 * The formats that every document has, refusals included, in the order of preference (the first is the default). Source: the
 * interface, `format`.
 */
export const formats = ['json', 'xml'] as const
export type DocumentFormat = (typeof formats)[number]

/** The formats of a route: routes with {@link Route.hasCsv} have one more. Source: src/api/decisions.md, Requests. */
export type Format = DocumentFormat | 'csv'

const formatsWithCsv: readonly Format[] = (formats as readonly Format[]).concat('csv')

/** The formats of a route's answers, in the order of preference. */
export const formatsOf = ({ hasCsv }: Pick<Route, 'hasCsv'>): readonly Format[] =>
  hasCsv ? formatsWithCsv : formats

/** The languages of a document (the first is the default). Source: the interface, `language`; src/api/decisions.md. */
export const languages = ['de', 'en'] as const
export type Language = (typeof languages)[number]

/** One row of the error table. `title` holds `{isin}`, `{type}`, … where the text depends on the request. */
export interface Problem {
  readonly group: string
  readonly status: number
  readonly slug: string
  readonly title: string
}

/** A parameter of a path and the problems that it can have, as positions in {@link RouteTable.problems}. */
export type Parameter = { readonly name: string } & (
  | { readonly kind: 'isin'; readonly missing: number; readonly unknown: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly invalid: number }
  | { readonly kind: 'date'; readonly invalid: number }
)

/** How the answers of a date range are cut: the field that holds the records, their date field, and what follows. */
export interface Series {
  readonly list: string
  readonly date: string
  readonly next: string
}

/** One endpoint as the reader sees it. `path` is a template: `/api/v1/investment_structure-{type}/{isin}/`. */
export interface Route {
  readonly id: string
  readonly path: string
  readonly hasLanguages: boolean
  /** Whether its answers are there as CSV, too; a refusal is JSON then. */
  readonly hasCsv?: boolean
  readonly parameters: readonly Parameter[]
  /** Only where the answer is put together from yearly windows. */
  readonly series?: Series
}

export interface RouteTable {
  /** Absolute address of the documentation, without a closing slash: the base of each error's `type`. */
  readonly docsUrl: string
  readonly problems: readonly Problem[]
  readonly routes: readonly Route[]
  /** First segments of the paths of pages and files, which are given out as they lie there. */
  readonly pages: readonly string[]
  /** Positions of the problems that belong to no endpoint. */
  readonly general: Readonly<Record<'wrongMethod' | 'noEndpoint' | 'wrongFormat' | 'wrongLanguage', number>>
}

/** Parameter values by name, percent-decoded. */
export type Values = Readonly<Record<string, string>>

/**
 * Pages: what a snapshot has for people beside the API. They are declared here, made by docs and catalogue, and put into
 * the snapshot by src/build, with manifest lines like all other objects.
 */

import type { Language, RouteTable } from '../routes/table.ts'
import type { FundEndpoint } from './endpoint.ts'
import type { DecimalText, FundRow, FundRows, Group, PriceRow } from './rows.ts'

/** Spreadsheets allow 32,767 characters in a cell, and in what their web functions read: a fund's own files stay below. */
export const maxCharacters = 32_766

/** One file. The same inputs give the same bytes. */
export interface Page {
  /** Relative to the snapshot: `docs/index.html`. */
  readonly key: string
  readonly content: string | Uint8Array
}

/** Who publishes, and what may be done with the data. Each is null if the settings do not say it. */
export interface Publisher {
  readonly name: string | null
  /** By when new data are usually live, with a time zone: `05:30 Europe/Berlin`. */
  readonly publishedBy: string | null
  /** Addresses of pages elsewhere. */
  readonly imprint: string | null
  readonly privacy: string | null
  readonly terms: string | null
  readonly homePage: string | null
  /** A mail address. */
  readonly contact: string | null
  readonly licence: { readonly name: string; readonly url: string | null } | null
  readonly logo: Logo | null
  /** The colour of links, as `#rrggbb`, for each theme. */
  readonly accent: { readonly light: string | null; readonly dark: string | null }
  /** Text for the start page. Empty lines separate paragraphs. */
  readonly start: Readonly<Record<Language, string | null>>
}

/** An image that every page shows in its header. */
export interface Logo {
  /** Relative to the snapshot. Its ending is `.svg` or `.png`. */
  readonly key: string
  /** Its size in CSS pixels. */
  readonly width: number
  readonly height: number
  /** Its bytes in Base64: digests of a publisher cover them. */
  readonly content: string
}

/** What a fund's pages are made of. Rows are read when they are asked for. */
export interface FundPageSource {
  readonly fund: FundRow
  readonly rows: <G extends Exclude<Group, 'prices'>>(group: G) => FundRows[G]
  readonly newestPrice: () => PriceRow | null
  /** The NAV over the whole history at so many days that a chart needs no more; ascending, the first and last day included. */
  readonly navSample: () => readonly NavPoint[]
  /** The NAV of the last price at or before a day, or null. */
  readonly navAt: (day: string) => NavPoint | null
  /** So many of the last prices, the newest first. */
  readonly latestNavs: (count: number) => readonly NavPoint[]
  /** A day on which the fund has the age that it has on the as-of date (`dayThatCounts`): nothing else of that date. */
  readonly day: string
  readonly table: RouteTable
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** Whether there are files for analysts beside the pages: they lead to them. */
  readonly hasDownloads: boolean
  readonly publisher: Publisher | null
  /** The one thing that a fund's pages know of the as-of date: they change when it does, and not every day. */
  readonly overdue: Overdue | null
}

/** A newest price that is older than it should be, by the thresholds of src/guards; null: it is not, or nobody watches. */
export type Overdue = 'late' | 'stale'

export interface NavPoint {
  /** ISO 8601 */
  readonly date: string
  readonly nav: DecimalText
}

/**
 * The pages of each fund, in `<folder><isin>/`. Nothing of them but `overdue` may depend on the as-of date, so that the
 * pages of a fund without news are unchanged from day to day; what depends on the day belongs to pages over all funds.
 */
export interface FundPages {
  /** Ends with a slash. No other folder of pages begins with it. */
  readonly folder: string
  /** The names of the files, in byte order: every fund that has pages has all of them. */
  readonly names: readonly string[]
  /** Besides the fund's own row; with `prices` all of them count. */
  readonly reads: readonly Group[]
  readonly isFor: (fund: FundRow) => boolean
  /** @returns a page a name, in their order */
  readonly render: (source: FundPageSource) => readonly Page[]
  /** The fund's entry in lists of funds, or null where it has none. Cheap: every build makes it for every fund. */
  readonly entry: (source: FundPageSource) => FundEntry | null
}

/** A fund in a list of funds. */
export interface FundEntry {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly currency: string
  readonly categoryDe: string | null
  readonly categoryEn: string | null
  /** Whether income stays in the fund, so that its prices show its whole performance; null if that is not known. */
  readonly accumulating: boolean | null
  /** Whether its prices and its performance may be shown, so that it may be compared with others. */
  readonly isComparable: boolean
  /** Null where no price is given out. */
  readonly newest: {
    readonly date: string
    readonly nav: DecimalText
    /** Against the previous day; null where performance may not be shown. */
    readonly changePercent: DecimalText | null
  } | null
  /** Percent since a year ago, two decimals, or null where it may not be shown or there is none. */
  readonly oneYearPercent: DecimalText | null
  /** Whether the newest price is late. */
  readonly overdue: Overdue | null
}

/** What pages over the whole snapshot are made of. */
export interface SitePageSource {
  readonly table: RouteTable
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** Whether there are files for analysts beside the pages: they lead to them. */
  readonly hasDownloads: boolean
  readonly publisher: Publisher | null
  /** ISO 8601 */
  readonly asOf: string
  /** Funds that have pages, in the order of their ISINs. */
  readonly funds: readonly FundEntry[]
  /** A fund with answers from as many endpoints as any, or null where nothing may be given out. */
  readonly exampleIsin: string | null
  /** That fund's answer, for a date range with the prices of its newest year; null for a refusal. */
  readonly exampleAnswer: (endpoint: FundEndpoint, type: string, language: Language) => object | null
}

/**
 * Pages over the whole snapshot: none in a folder of {@link FundPages} but directly in it.
 * @param before keys of the pages that the makers before this one have made
 */
export type SitePages = (source: SitePageSource, before: readonly string[]) => Iterable<Page>

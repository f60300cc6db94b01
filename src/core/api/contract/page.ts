/** Pages of a snapshot: `site` makes them, and `build` puts them into the snapshot, with manifest lines. */

import type { Language, RouteTable } from '../routes/table.ts'
import type { FundEndpoint } from './endpoint.ts'
import type { DecimalText, FundRow, FundRows, Group, PriceRow } from './rows.ts'

/** Spreadsheets allow 32,767 characters in a cell, and in answers to their web functions. */
export const maxCharacters = 32_766

/** One file. The same inputs give the same bytes. */
export interface Page {
  /** Relative to the snapshot: `docs/index.html`. */
  readonly key: string
  readonly content: string | Uint8Array
}

export const siteParts = [
  'start',
  'funds',
  'compare',
  'docs',
  'explorer',
  'downloads',
  'status',
  'changes',
] as const
export type SitePart = (typeof siteParts)[number]

/** Parts that the snapshot has: pages link to no other. */
export type SiteParts = readonly SitePart[]

/** The company that publishes, and its terms. Each is null if the settings leave it out, but for `credit`. */
export interface Publisher {
  readonly name: string | null
  /** ISO 3166-1. */
  readonly country: string | null
  /** Time by which new data are usually live, with a time zone: `05:30 Europe/Berlin`. */
  readonly publishedBy: string | null
  /** Addresses of pages elsewhere. */
  readonly imprint: string | null
  readonly privacy: string | null
  readonly terms: string | null
  readonly homePage: string | null
  /** A mail address. */
  readonly contact: string | null
  /** The language of the funds' names, which pages of both languages show. */
  readonly fundNames: Language | null
  /** A mail address or an `https` address for reports of vulnerabilities. */
  readonly security: string | null
  readonly licence: Licence | null
  readonly logo: Picture | null
  /** A square PNG for tabs of browsers, bookmarks and home screens. */
  readonly icon: Picture | null
  /** A PNG for previews of links. */
  readonly preview: Picture | null
  /** The colour of links, as `#rrggbb`, for each theme. */
  readonly accent: { readonly light: string | null; readonly dark: string | null }
  /** Whether each page ends with the line that names fundpress. */
  readonly credit: boolean
  /** Text for the start page. Empty lines separate paragraphs. */
  readonly start: Readonly<Record<Language, string | null>>
}

export interface Licence {
  readonly name: string
  readonly url: string | null
}

export interface Picture {
  /** Relative to the snapshot. Ends with `.svg` or `.png`. */
  readonly key: string
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
  /** Base64, so that digests of a publisher cover it; empty in a manifest. */
  readonly content: string
}

/** Source of a fund's pages. Rows are read on demand. */
export interface FundPageSource {
  readonly fund: FundRow
  readonly rows: <G extends Exclude<Group, 'prices'>>(group: G) => FundRows[G]
  readonly newestPrice: () => PriceRow | null
  /** The NAV over the whole history at enough days for a chart; ascending, the first and last day included. */
  readonly navSample: () => readonly NavPoint[]
  /** The NAV of the last price at or before a day, or null. */
  readonly navAt: (day: string) => NavPoint | null
  /** The NAV of the first price at or after a day, or null. */
  readonly navFrom: (day: string) => NavPoint | null
  /** The newest first. */
  readonly latestNavs: (count: number) => readonly NavPoint[]
  /** A day with the fund's age on the as-of date (`dayThatCounts`): pages depend on nothing else of that date. */
  readonly day: string
  readonly table: RouteTable
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly parts: SiteParts
  readonly publisher: Publisher | null
  /** This, `life` and `announced` are the only facts of the as-of date on a fund's pages: they change with it, and not every day. */
  readonly overdue: Overdue | null
  readonly life: FundLife | null
  /** A suspension that has not begun on the as-of date, and an end until its last day: the earliest first. */
  readonly announced: readonly FundLife[]
}

/** Why no price is expected of a fund on the as-of date; null of a fund that is open. Days are ISO 8601. */
export type FundLife =
  | {
      readonly kind: 'ended'
      /** The last day of its life. */
      readonly day: string
      readonly reason: FundRow['endReason']
      /** The name is null unless the successor has pages, too. */
      readonly successor: { readonly isin: string; readonly name: string | null } | null
      /** True on that day itself: it is announced, and has come. */
      readonly isLastDay: boolean
    }
  | {
      readonly kind: 'suspended'
      readonly from: string
      /** The last day; null until further notice. */
      readonly to: string | null
    }

/** A newest price that is older than the thresholds of src/core/guards allow; null if it is not, or is not watched. */
type Overdue = 'late' | 'stale'

export interface NavPoint {
  /** ISO 8601 */
  readonly date: string
  readonly nav: DecimalText
}

/** In `<folder><isin>/`. Only `overdue`, `life` and `announced` may depend on the as-of date: a fund without news keeps its pages. */
export interface FundPages {
  /** Ends with a slash. No other folder of pages begins with it. */
  readonly folder: string
  /** Names of the files, in byte order: every fund with pages has all of them. */
  readonly names: readonly string[]
  /** Beside the fund's own row; all prices with `prices`. */
  readonly reads: readonly Group[]
  readonly isFor: (source: Pick<FundPageSource, 'fund' | 'publisher'>) => boolean
  /** @returns a page for each name, in their order */
  readonly render: (source: FundPageSource) => readonly Page[]
  /** The fund's entry in lists, or null. Cheap: every build makes one for every fund. */
  readonly entry: (source: FundPageSource) => FundEntry | null
}

export interface FundEntry {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly currency: string
  readonly categoryDe: string | null
  readonly categoryEn: string | null
  /** True if income stays in the fund, so that prices show its whole performance; null if unknown. */
  readonly accumulating: boolean | null
  /** In percent a year. */
  readonly totalExpenseRatio: number | null
  /** Of all share classes: decimal text, a space, and the currency. */
  readonly totalFundAssets: string | null
  /** Risk and reward indicator, 1 to 7. */
  readonly srri: number | null
  /** Why its performance cannot be shown beside that of others; null if it can. */
  readonly notComparable: 'young' | 'no_prices' | 'not_permitted' | null
  /** Null if no price may be published. */
  readonly newest: {
    readonly date: string
    readonly nav: DecimalText
    /** Against the previous day; null if performance may not be shown. */
    readonly changePercent: DecimalText | null
  } | null
  /** Why there is no newest price: none is there, or none may be published; null if there is one. */
  readonly noPrice: 'unpriced' | 'withheld' | null
  /** Each is null if it is unknown or not to be shown. */
  readonly returns: {
    readonly oneYear: EntryReturn | null
    readonly threeYears: EntryReturn | null
    readonly fiveYears: EntryReturn | null
  }
  readonly overdue: Overdue | null
  readonly state: FundLife['kind'] | null
  /** What will come, the earliest first. */
  readonly announced: readonly FundLife[]
  /** ISO 8601 */
  readonly inceptionDate: string
  /** The last day of its life, also if it is to come; null if no end is known. */
  readonly endDate: string | null
  /** Null if no end is known, or no reason. */
  readonly endReason: FundRow['endReason']
  /** ISIN of the fund that an ended one merged into; null unless that has pages. */
  readonly successor: string | null
}

/** Performance over some years. */
export interface EntryReturn {
  /** Two decimals. */
  readonly percent: DecimalText
  /** The day on which it ends; null if that is the day of the newest price. */
  readonly until: string | null
}

export interface SitePageSource {
  readonly table: RouteTable
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly parts: SiteParts
  readonly publisher: Publisher | null
  /** Null if it is not known how the answers are cached. */
  readonly caching: AnswerCaching | null
  /** ISO 8601 */
  readonly asOf: string
  /** Funds that have pages, in the order of their ISINs. */
  readonly funds: readonly FundEntry[]
  /** For a few funds: each reads the database. @param first a day */
  readonly history: (isin: string, first: string) => FundHistory
  /** Funds that are gone since they merged within the last year, by ISIN. */
  readonly mergers: readonly Merger[]
  /** A fund with answers from as many endpoints as any, or null if no fund has one. */
  readonly exampleIsin: string | null
  /** That fund's answer, for a date range with the prices of its newest year; null for a refusal. */
  readonly exampleAnswer: (endpoint: FundEndpoint, type: string, language: Language) => object | null
  /** Examples of lists, by the id of the list; none if no fund has an entry. */
  readonly listExamples: ReadonlyMap<string, unknown>
}

export interface FundHistory {
  /** Since the day, ascending. */
  readonly navs: readonly NavPoint[]
  /** Since the day, too. */
  readonly actions: FundRows['corporateActions']
}

/** Source of examples of lists. */
export interface ExampleSource extends Pick<SitePageSource, 'asOf' | 'funds'> {
  /** A made-up id. */
  readonly snapshot: string
  /** One of the funds. */
  readonly fund: FundEntry
}

/**
 * Examples of the lists that a maker's extension writes, by the id of the list. What is written after a build has the form, the dates
 * and a fund of the snapshot, but made-up figures.
 */
export type ListExamples = (source: ExampleSource) => Readonly<Record<string, unknown>>

/** The settings that decide how old an answer may be. */
export interface AnswerCaching {
  /** Cache-Control of answers, and of errors and `/status/`. */
  readonly cacheControl: string
  readonly errorCacheControl: string
  /** For so long an edge may go on answering from the snapshot before. */
  readonly liveTtlSeconds: number
}

export interface Merger {
  readonly isin: string
  /** The day on which the fund ended. */
  readonly exDate: string
  readonly successorIsin: string
}

/** A folder of {@link FundPages} may hold these; a folder below only if its fund has merged. */
export type SitePages = (source: SitePageSource) => Iterable<Page>

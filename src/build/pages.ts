/**
 * The pages of a snapshot: those of each fund, which are reused if nothing changed, and those over the whole snapshot, which are
 * made anew in each build.
 */

import { hash } from 'node:crypto'
import type {
  FundEntry,
  FundPageSource,
  FundPages,
  Overdue,
  Page,
  SitePageSource,
  SitePages,
} from '../api/contract/page.ts'
import type { FundRow, Group } from '../api/contract/rows.ts'
import { matchPage } from '../api/routes/pages.ts'
import type { RouteTable } from '../api/routes/table.ts'
import type { DocumentFiles } from './document-files.ts'
import { dayThatCounts, fromOf, type FundInputs, type FundRowsRead } from './inputs.ts'
import {
  type FundLines,
  linesOf,
  noLines,
  parseFolder,
  type PreviousManifest,
  type SharedObject,
} from './lines.ts'
import { noneUnchanged, type Unchanged } from './unchanged.ts'
import type { NavReader } from '../data/read/nav.ts'
import { moduleBeside } from '../system/start-thread.ts'

export interface PageMakers {
  readonly fundPages: readonly FundPages[]
  readonly sitePages: readonly SitePages[]
}

/** The address of the module with all of them. */
export const allPageMakers = moduleBeside(import.meta.url, './page-makers')

/** @param module its address, or null for a snapshot without pages */
export async function loadPageMakers(module: string | null): Promise<PageMakers> {
  if (module === null) return { fundPages: [], sitePages: [] }
  return ((await import(module)) as { readonly makers: PageMakers }).makers
}

export interface PageSettings {
  readonly asOf: string
  readonly table: RouteTable
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly hasDownloads: boolean
}

export function fundPageSource(
  rows: FundRowsRead,
  navs: NavReader,
  { asOf, table, baseUrl, hasDownloads }: PageSettings,
  overdue: Overdue | null,
): FundPageSource {
  const { fund } = rows
  return {
    fund,
    day: dayThatCounts(fund, asOf),
    table,
    baseUrl,
    hasDownloads,
    overdue,
    rows: rows.group,
    newestPrice: rows.newestPrice,
    navSample: () => navs.sample(fund.isin),
    navAt: (day) => navs.at(fund.isin, day),
  }
}

/** @param previous the lines of the previous manifest in the folder of the fund's pages @returns the lines of all */
export function putFundPages(
  pages: FundPages,
  previous: string,
  source: FundPageSource,
  inputs: FundInputs,
  files: DocumentFiles,
): FundLines {
  const { fund } = source
  if (!pages.isFor(fund)) return noLines
  const from = inputs.ofPages(pages, source)
  const { isWhole, reused, lines } = unchangedPages(pages, fund, previous, from)
  if (isWhole && files.reuse(reused)) return linesOf(reused, reused.length)
  const made = pages.render(onlyWhatIsRead(pages, source))
  const folder = `${pages.folder}${fund.isin}/`
  const keys = made.map(({ key }) => key)
  if (keys.join(' ') !== pages.names.map((name) => folder + name).join(' '))
    throw new Error(
      `fund ${fund.isin}: its pages are ${keys.join(', ')}, not ${pages.names.join(', ')} in ${folder}`,
    )
  return linesOf(
    made.map((page, index) => files.put(page, from, lines.get(pages.names[index] ?? ''))),
    0,
  )
}

/** Refuses rows that a maker does not declare: they are not in `from`, so the pages would not be made anew when they change. */
function onlyWhatIsRead({ folder, reads }: FundPages, source: FundPageSource): FundPageSource {
  const mustRead = (group: Group) => {
    if (!reads.includes(group)) throw new Error(`the pages in ${folder} do not say that they read ${group}`)
  }
  const asPrices = <A extends readonly unknown[], R>(read: (...asked: A) => R) => {
    return (...asked: A): R => {
      mustRead('prices')
      return read(...asked)
    }
  }
  return {
    ...source,
    rows: (group) => {
      mustRead(group)
      return source.rows(group)
    },
    newestPrice: asPrices(source.newestPrice),
    navSample: asPrices(source.navSample),
    navAt: asPrices(source.navAt),
  }
}

/** The fund's entry in lists: that of the first pages that have one, or null. */
export function entryOf(makers: readonly FundPages[], source: FundPageSource): FundEntry | null {
  for (const { isFor, entry } of makers) {
    const found = isFor(source.fund) ? entry(source) : null
    if (found !== null) return found
  }
  return null
}

function unchangedPages(
  { folder, names }: FundPages,
  { isin }: FundRow,
  previous: string,
  from: string,
): Unchanged {
  const found = parseFolder(previous, `${folder}${isin}/`)
  const lines = new Map(found.map((line) => [line.name, line]))
  const isWhole = found.length === names.length && names.every((name) => lines.get(name)?.from === from)
  return isWhole ? { lines, reused: found, isWhole, windows: new Map() } : noneUnchanged(lines)
}

/**
 * @returns them in the order of their keys
 * @throws {Error} if the edge cannot give a key out, or it is among the pages of funds, or comes twice
 */
export function putSitePages(
  { sitePages, fundPages }: PageMakers,
  source: SitePageSource,
  previous: PreviousManifest,
  files: DocumentFiles,
): SharedObject[] {
  const done = new Map<string, SharedObject>()
  for (const make of sitePages) {
    for (const page of make(source)) {
      if (done.has(page.key)) throw new Error(`page ${page.key} is there twice`)
      checkPlace(page, source.table, fundPages)
      done.set(page.key, putPage(page, previous, files))
    }
  }
  return [...done.values()].sort((one, other) => (one.line.key < other.line.key ? -1 : 1))
}

/** Its `from` is the digest of its content: it is made from the whole snapshot, which is always new. */
function putPage(page: Page, previous: PreviousManifest, files: DocumentFiles): SharedObject {
  const from = fromOf('page', hash('sha256', page.content, 'hex'))
  const line = previous.line(page.key)
  if (line?.from === from && files.reuse([line])) return { line, isReused: true }
  return { line: files.put(page, from, line), isReused: false }
}

function checkPlace({ key }: Page, table: RouteTable, fundPages: readonly FundPages[]): void {
  const match = matchPage(table, `/${key}`)
  if (match.kind !== 'page' || match.key !== key)
    throw new Error(`page ${key}: the edge gives out no such path`)
  const folder = fundPages.find(
    (pages) => key.startsWith(pages.folder) && key.includes('/', pages.folder.length),
  )
  if (folder !== undefined) throw new Error(`page ${key} lies among the pages of funds in ${folder.folder}`)
}

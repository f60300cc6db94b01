/** The pages of one fund: those that stand are taken over, the others rendered; and its entry in lists of funds. */

import type { FundEntry, FundPages, FundPageSource, Overdue } from '../contract/page.ts'
import type { FundRow, Group } from '../contract/rows.ts'
import type { RouteTable } from '../routes/table.ts'
import type { NavReader } from '../source/nav-sample.ts'
import type { DocumentFiles } from './document-files.ts'
import { linesOf, noLines, type FundLines } from './fund-lines.ts'
import type { FundRowsRead } from './fund-rows.ts'
import { dayThatCounts, type FundInputs } from './inputs.ts'
import { nothing, type Standing } from './standing.ts'
import { standingLines } from './standing-lines.ts'

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
  const standing = standingPages(pages, fund, previous, from)
  if (standing.isWhole && files.keep(standing.kept)) return linesOf(standing.kept, standing.kept.length)
  const made = pages.render(onlyWhatIsRead(pages, source))
  const folder = `${pages.folder}${fund.isin}/`
  const keys = made.map(({ key }) => key)
  if (keys.join(' ') !== pages.names.map((name) => folder + name).join(' '))
    throw new Error(
      `fund ${fund.isin}: its pages are ${keys.join(', ')}, not ${pages.names.join(', ')} in ${folder}`,
    )
  return linesOf(
    made.map((page, index) => files.put(page, from, standing.lines.get(pages.names[index] ?? ''))),
    0,
  )
}

/** What a maker reads without saying so would not be missed by `from`: the pages would stand when it changes. */
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

function standingPages(
  { folder, names }: FundPages,
  { isin }: FundRow,
  previous: string,
  from: string,
): Standing {
  const found = standingLines(previous, `${folder}${isin}/`)
  const lines = new Map(found.map((line) => [line.name, line]))
  const isWhole = found.length === names.length && names.every((name) => lines.get(name)?.from === from)
  return isWhole ? { lines, kept: found, isWhole, windows: new Map() } : nothing(lines)
}

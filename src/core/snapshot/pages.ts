/** Pages of a snapshot: those of each fund, reused if unchanged, and those over all funds, made in each build. */

import { hash } from 'node:crypto'
import type { FundEntry, FundPageSource, FundPages, Page, SitePageSource } from '../api/contract/page.ts'
import type { Group } from '../api/contract/rows.ts'
import { matchPage } from '../api/routes/pages.ts'
import { type DocumentFiles, putShared, type SharedObject } from './document-files.ts'
import type { PageMakers } from './hooks.ts'
import { fromOf, type FundInputs } from './inputs.ts'
import { byKey, linesByName, linesOf } from './manifest.ts'
import type { PreviousManifest } from './previous-manifest.ts'

/** @param previous the lines of the previous manifest in the folder of the fund's pages @returns the lines of all */
export function putFundPages(
  pages: FundPages,
  previous: string,
  source: FundPageSource,
  inputs: FundInputs,
  files: DocumentFiles,
) {
  const { isin } = source.fund
  if (!pages.isFor(source)) return linesOf([], 0)
  const { names } = pages
  const folder = `${pages.folder}${isin}/`
  const from = inputs.ofPages(pages, source)
  const lines = linesByName(previous, folder)
  const all = [...lines.values()]
  const isUnchanged = all.length === names.length && names.every((name) => lines.get(name)?.from === from)
  if (isUnchanged && files.reuse(all)) return linesOf(all, all.length)
  const made = pages.render(onlyWhatIsRead(pages, source))
  const keys = made.map(({ key }) => key)
  if (keys.join(' ') !== names.map((name) => folder + name).join(' '))
    throw new Error(`fund ${isin}: its pages are ${keys.join(', ')}, not ${names.join(', ')} in ${folder}`)
  const rendered = made.map((page, index) => files.put(page, from, lines.get(names[index] ?? '')))
  return linesOf(rendered, 0)
}

/** Refuses rows that a maker does not declare: `from` does not cover them, so changes of them would not show. */
function onlyWhatIsRead({ folder, reads }: FundPages, source: FundPageSource): FundPageSource {
  const reading = (group: Group) => {
    if (reads.includes(group)) return source
    throw new Error(`the pages in ${folder} do not say that they read ${group}`)
  }
  return {
    ...source,
    rows: (group) => reading(group).rows(group),
    newestPrice: () => reading('prices').newestPrice(),
    navSample: () => reading('prices').navSample(),
    navAt: (day) => reading('prices').navAt(day),
    navFrom: (day) => reading('prices').navFrom(day),
    latestNavs: (count) => reading('prices').latestNavs(count),
  }
}

/** The fund's entry in lists, from the first maker that has one, or null. */
export function entryOf(makers: readonly FundPages[], source: FundPageSource): FundEntry | null {
  for (const { isFor, entry } of makers) {
    const found = isFor(source) ? entry(source) : null
    if (found !== null) return found
  }
  return null
}

/**
 * Two makers may make the same file: a style sheet that pages of both have.
 * @returns pages in the order of keys @throws {Error} if two pages have one key, or where the edge serves no page
 */
export function putSitePages(
  { sitePages, closingPages, fundPages }: Required<PageMakers>,
  source: SitePageSource,
  previous: PreviousManifest,
  files: DocumentFiles,
): SharedObject[] {
  const done = new Map<string, SharedObject>()
  const put = (page: Page) => {
    // Inputs are the whole snapshot, which is always new: `from` is the digest of the content.
    const from = fromOf('page', hash('sha256', page.content, 'hex'))
    const other = done.get(page.key)
    if (other?.line.from === from) return
    if (other !== undefined) throw new Error(`page ${page.key} is there twice`)
    checkPlace(page, source, fundPages)
    done.set(page.key, putShared(page, from, previous, files))
  }
  for (const make of sitePages) for (const page of make(source)) put(page)
  for (const make of closingPages) for (const page of make(source, [...done.keys()])) put(page)
  return [...done.values()].sort((one, other) => byKey(one.line, other.line))
}

function checkPlace(
  { key }: Page,
  { table, mergers }: SitePageSource,
  fundPages: readonly FundPages[],
): void {
  const match = matchPage(table, `/${key}`)
  if (match.kind !== 'page' || match.key !== key)
    throw new Error(`page ${key}: the edge gives out no such path`)
  const isOfFund = ({ folder }: FundPages) =>
    key.startsWith(folder) &&
    key.includes('/', folder.length) &&
    !mergers.some(({ isin }) => key.startsWith(`${folder}${isin}/`))
  const pages = fundPages.find(isOfFund)
  if (pages !== undefined) throw new Error(`page ${key} lies among the pages of funds in ${pages.folder}`)
}

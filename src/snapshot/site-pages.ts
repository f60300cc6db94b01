/** Puts the pages over the whole snapshot: the documentation, lists of funds. They are made anew in each night. */

import { hash } from 'node:crypto'
import type { FundPages, Page, SitePageSource } from '../contract/page.ts'
import { matchPage } from '../routes/pages.ts'
import type { RouteTable } from '../routes/table.ts'
import type { DocumentFiles } from './document-files.ts'
import { fromOf } from './inputs.ts'
import type { PageMakers } from './load-page-makers.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { SharedObject } from './shared-documents.ts'

/**
 * @returns them in the order of their keys
 * @throws {Error} if a key is none that the edge can give out, or lies among the pages of funds, or comes twice
 */
export function putSitePages(
  { sitePages, fundPages }: PageMakers,
  source: SitePageSource,
  previous: PreviousManifest | null,
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

/** What it is made from is its content: what that is made from, the whole night, says nothing that is of use. */
function putPage(page: Page, previous: PreviousManifest | null, files: DocumentFiles): SharedObject {
  const from = fromOf('page', hash('sha256', page.content, 'hex'))
  const standing = previous?.line(page.key)
  if (standing?.from === from && files.keep([standing])) return { line: standing, isKept: true }
  return { line: files.put(page, from, standing), isKept: false }
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

import { sharedPages } from '../../core/layout/layout.ts'
import type { PageMakers } from '../../core/snapshot/hooks.ts'
import { comparePages } from './funds/compare.ts'
import { cataloguePages } from './funds/list.ts'
import { exampleLists } from './funds/list-examples.ts'
import { mergedFundPages } from './funds/merged.ts'
import { catalogueFundPages } from './funds/page.ts'
import { securityPage } from './start/security.ts'
import { sitemapPages } from './start/sitemap.ts'
import { startPages } from './start/start.ts'
import { statusPages } from './status/page.ts'

export const makers: PageMakers = {
  parts: ['start', 'funds', 'compare'],
  namedParts: ['status'],
  fundPages: [catalogueFundPages],
  sitePages: [({ publisher }) => sharedPages(publisher), startPages, cataloguePages, comparePages],
  // The sitemap does not list the pages of merged funds.
  closingPages: [sitemapPages, mergedFundPages, securityPage],
  listExamples: [exampleLists],
  namedPages: [(source, site) => ({ listed: statusPages(source, site) })],
}

/** A page maker depends on nothing but its source: no clock, no `Intl` (its texts change with Node's version). */

import { comparePages } from '../site/funds/compare.ts'
import { cataloguePages } from '../site/funds/list.ts'
import { mergedFundPages } from '../site/funds/merged.ts'
import { catalogueFundPages } from '../site/funds/page.ts'
import { docsPages } from '../site/docs/index.ts'
import { sitemapPages } from '../site/start/sitemap.ts'
import { securityPage } from '../site/start/security.ts'
import { startPages } from '../site/start/start.ts'
import type { PageMakers } from './plans.ts'

/**
 * `fundPages` run in the rendering threads, `sitePages` after the funds, the sitemap after the pages that it lists: not those
 * of merged funds.
 */
export const makers: PageMakers = {
  fundPages: [catalogueFundPages],
  sitePages: [
    startPages,
    cataloguePages,
    comparePages,
    (source) => docsPages(source),
    sitemapPages,
    mergedFundPages,
    securityPage,
  ],
}

/** A page maker depends on nothing but its source: no clock, no `Intl` (its texts change with Node's version). */

import { comparePages } from '../../extensions/site/funds/compare.ts'
import { cataloguePages } from '../../extensions/site/funds/list.ts'
import { mergedFundPages } from '../../extensions/site/funds/merged.ts'
import { catalogueFundPages } from '../../extensions/site/funds/page.ts'
import { docsPages } from '../../extensions/describe/index.ts'
import { sitemapPages } from '../../extensions/site/start/sitemap.ts'
import { securityPage } from '../../extensions/site/start/security.ts'
import { startPages } from '../../extensions/site/start/start.ts'
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

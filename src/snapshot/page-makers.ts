/**
 * The makers of pages: what a snapshot has for people beside the API. A new one is a line here. What it writes must not
 * depend on anything but its source: no clock, no `Intl` (its texts change with Node's version), no order of a folder.
 */

import { cataloguePages, fundPages as catalogueFundPages } from '../catalogue/index.ts'
import type { FundPages, SitePages } from '../contract/page.ts'
import { docsPages } from '../docs/index.ts'

/** About one fund each; made in the rendering threads. */
export const fundPages: readonly FundPages[] = [catalogueFundPages]

/** Over the whole snapshot; made after the funds. */
export const sitePages: readonly SitePages[] = [cataloguePages, docsPages]

/** Loads the makers of pages. Threads load them on their own: functions cannot be sent to them. */

import type { FundPages, SitePages } from '../contract/page.ts'

export interface PageMakers {
  readonly fundPages: readonly FundPages[]
  readonly sitePages: readonly SitePages[]
}

/** The address of the module with all of them. The same ending that this file has: .ts in a checkout, .js in the package. */
export const allPageMakers: string = new URL(
  import.meta.url.endsWith('.ts') ? './page-makers.ts' : './page-makers.js',
  import.meta.url,
).href

/** @param module its address, or null for a snapshot without pages */
export async function loadPageMakers(module: string | null): Promise<PageMakers> {
  if (module === null) return { fundPages: [], sitePages: [] }
  return (await import(module)) as PageMakers
}

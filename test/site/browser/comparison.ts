/** The comparison of 24 demo funds in a real browser: `compare.test.ts`, and `compare-faults.test.ts` for what fails. */
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { openBrowser, visit, type Look } from '../../support/browser.ts'
import { buildSite } from '../../support/site.ts'
import { fillDemo } from '../../support/snapshots.ts'

export const asOf = '2026-11-20'

export type Comparison = Awaited<ReturnType<typeof openComparison>>

export async function openComparison() {
  const site = await buildSite('comparison', asOf, fillDemo(24, 3, asOf), { FUNDPRESS_SITE_FUND_NAMES: 'de' })
  const browser = await openBrowser()
  const db = new Database(site.db, { readonly: true })
  const may = (condition: string) =>
    db
      .prepare<[], string>(
        `SELECT isin FROM fund JOIN profile USING (isin) WHERE data_permitted AND prices_permitted
          AND performance_permitted AND ${condition} AND isin IN (SELECT isin FROM price) ORDER BY isin`,
      )
      .pluck()
      .all()
  const old = "fund_inception_date < '2015-01-01'"
  const isins = [
    ...may(`${old} AND accumulating = 1 AND currency = 'EUR'`).slice(0, 2),
    ...may(`${old} AND accumulating = 0 AND currency = 'EUR'`).slice(0, 1),
    ...may(`${old} AND currency = 'USD'`).slice(0, 1),
    ...may(`${old} AND accumulating = 0 AND currency = 'EUR'`).slice(1, 3),
  ]
  const value = <T>(sql: string, ...values: readonly string[]) =>
    db
      .prepare(sql)
      .pluck()
      .get(...values) as T
  return {
    site,
    browser,
    db,
    /** Funds that may be compared, six, the first two accumulating, the fourth in US dollars. */
    isins: isins as readonly string[],
    young: may("fund_inception_date > '2025-12-01'")[0] ?? '',
    value,
    nameOf: (isin: string) => value<string>('SELECT name FROM fund WHERE isin = ?', isin),
    asked: (count: number) => isins.slice(0, count).join(','),
    withPage: async <T>(path: string, look: Look, run: (page: Page) => Promise<T>): Promise<T> => {
      const { page, end } = await visit(browser, `${site.base}/compare/${path}`, look)
      try {
        return await run(page)
      } finally {
        await end()
      }
    },
    close: async () => {
      await browser.close()
      site.server.close()
      db.close()
    },
  }
}

export const messagesOn = async (page: Page) =>
  (await page.locator(':is(#messages, #notices) p').allTextContents()).map((text) => text.trim())

export const ready = (page: Page) =>
  page.locator('figure:not([aria-busy]) .drawn path').first().waitFor({ state: 'attached' })

/** Every kind of page, with funds of every kind, published twice and served: for what has to hold on all pages. */
import type { Browser } from 'playwright-core'
import { beforeAll } from 'vitest'
import type { Language } from '../../../src/core/api/routes/table.ts'
import { openBrowser } from '../../support/browser.ts'
import { editDatabase, isinOf } from '../../support/database.ts'
import { forced, makeTempFolder, mustRun, startServing } from '../../support/product.ts'
import { fillDemo } from '../../support/snapshots.ts'

/** A fund of the demo that is gone after the second night. */
export const removedIsin = 'DE000FPC4UN5'

/** Funds of the demo that become what no demo has. */
export const isins = {
  /** Pays distributions, and was split. */
  whole: 'DE000FPU30T7',
  accumulating: 'DE000FP1DYD1',
  /** Without a line since its launch, so the buttons of ranges come first in their section. */
  withoutIndex: 'DE000FPRGCV3',
  onePrice: 'LU9901894840',
  twoPrices: 'LU9905797205',
  withoutPrices: 'DE000FPKFS88',
  young: 'DE000FPSSPU0',
  /** In table `fund` still, and no longer. */
  merged: 'DE000FPLS373',
  gone: isinOf(7),
  pricesDenied: 'DE000FPDF5M9',
  performanceDenied: 'AT000FP64816',
} as const

const changes = `
  DELETE FROM launch_point WHERE isin = '${isins.withoutIndex}';
  DELETE FROM legal_point WHERE isin = '${isins.withoutIndex}';
  DELETE FROM price WHERE isin = '${isins.onePrice}' AND date < '2026-11-20';
  DELETE FROM price WHERE isin = '${isins.twoPrices}' AND date < '2026-11-19';
  UPDATE fund SET performance_permitted = 0 WHERE isin = '${isins.performanceDenied}';
  INSERT INTO corporate_action (isin, ex_date, kind, factor) VALUES ('${isins.whole}', '2025-03-03', 'split', '2');
  UPDATE price SET ${['net_asset_value', 'issue_price', 'repurchase_price'].map((column) => `${column} = printf('%.2f', 2 * ${column})`).join()}
    WHERE isin = '${isins.whole}' AND date < '2025-03-03';
  INSERT INTO corporate_action (isin, ex_date, kind, successor_isin) VALUES
    ('${isins.merged}', '2026-11-02', 'merger', '${isins.whole}'),
    ('${isins.gone}', '2026-10-01', 'merger', '${isins.whole}');
`

/** For a day of changes: a price corrected, a fund renamed, a fund gone; costs, a document and the end of a fund. */
const secondNight = `
  UPDATE profile SET total_expense_ratio = 1.99, benchmark = 'MSCI World Climate Paris Aligned Net Total Return EUR'
    WHERE isin = '${isins.accumulating}';
  INSERT INTO document (isin, kind, language, date, title, url)
    VALUES ('${isins.accumulating}', 'kid', 'de', '2026-11-21', 'Basisinformationsblatt', 'https://fonds.example/neu.pdf');
  UPDATE fund SET end_date = '2026-12-31', end_reason = 'liquidated' WHERE isin = '${isins.young}';
  UPDATE price SET net_asset_value = '573.85' WHERE isin = '${isins.accumulating}' AND date = '2026-11-18';
  UPDATE fund SET name = name || ' II' WHERE isin = '${isins.merged}';
  UPDATE fund SET data_permitted = 0 WHERE isin = '${removedIsin}';
`

export async function servePageKinds() {
  const folder = makeTempFolder()
  const db = folder.file('funds.sqlite')
  const bucket = ['--bucket', `file://${folder.file('bucket')}`]
  const env = {
    FUNDPRESS_PAGES: 'true',
    FUNDPRESS_DOWNLOADS: 'true',
    // One of the funds has no index: none is derived for it.
    FUNDPRESS_DERIVE_LAUNCH_POINT: 'delivered',
    FUNDPRESS_DERIVE_LEGAL_POINT: 'delivered',
  }
  await fillDemo(14, 3, '2026-11-20')(db)
  for (const [asOf, sql] of [
    ['2026-11-20', changes],
    ['2026-11-21', secondNight],
  ] as const) {
    editDatabase(db, sql)
    const out = folder.file(asOf)
    // The demo knows nothing of the split and the corrected price.
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet', ...forced], { env })
    await mustRun(['publish', '--out', out, ...bucket, ...forced])
  }
  return startServing(bucket)
}

/** Serves them for the tests of a `describe`, and opens a browser. @returns both, which are there once its tests run */
export function usePageKinds(): { readonly base: () => string; readonly browser: () => Browser } {
  let site: Awaited<ReturnType<typeof servePageKinds>>
  let browser: Browser
  beforeAll(async () => {
    site = await servePageKinds()
    browser = await openBrowser()
    return async () => {
      await browser.close()
      await site.stop()
    }
  })
  return { base: () => site.base, browser: () => browser }
}

const compared = [isins.whole, isins.accumulating, isins.withoutIndex, isins.young].join(',')

const inBothLanguages: readonly (readonly [kind: string, en: string, de: string])[] = [
  ['the start page', '', 'de.html'],
  ['the page in place of missing ones', 'not-found/', 'not-found/de.html'],
  ['the list', 'funds/', 'funds/de.html'],
  ['a comparison', `compare/?isins=${compared}`, `compare/de.html?isins=${compared}`],
  ['the status page', 'status/', 'status/de.html'],
  ['the changes', 'changes/', 'changes/de.html'],
  ['a day of changes', 'changes/?day=2026-11-21', 'changes/de.html?day=2026-11-21'],
  ['a day without changes', 'changes/?day=2001-02-03', 'changes/de.html?day=2001-02-03'],
  ['a comparison without funds', 'compare/', 'compare/de.html'],
  ['a search without funds', 'funds/?q=no+such+fund', 'funds/de.html?q=no+such+fund'],
  ['the downloads', 'downloads/latest/', 'downloads/latest/de.html'],
  ['the explorer', 'docs/explorer/', 'docs/de/explorer/'],
  ...['', 'conventions/', 'recipes/', 'clients/', 'lists/', 'terms/', 'v1/endpoints/prices/'].map(
    (part) => [`documentation: ${part}`, `docs/${part}`, `docs/de/${part}`] as const,
  ),
  ...Object.entries(isins).map(
    ([kind, isin]) => [`a fund: ${kind}`, `funds/${isin}/`, `funds/${isin}/de.html`] as const,
  ),
]

/** Each kind of page in both languages. */
export const pageKinds: readonly (readonly [kind: string, language: Language, path: string])[] =
  inBothLanguages.flatMap(([kind, en, de]) => [
    [kind, 'en', en],
    [kind, 'de', de],
  ])

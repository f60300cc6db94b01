/** Snapshots with downloads, built once a process: one of the demo, and one of funds that no demo has. */
import { join } from 'node:path'
import { editDatabase, makeDatabase } from '../support/database.ts'
import { insertOddFunds, oddFunds } from '../support/odd-funds.ts'
import { once } from '../support/once.ts'
import { makeTempFolder, mustRun } from '../support/product.ts'

export interface Night {
  readonly db: string
  readonly out: string
  readonly asOf: string
  /** `downloads/<as-of>` of the snapshot. */
  readonly folder: string
}

/** Downloads are switched off for all other tests. */
export const withDownloads = { env: { FUNDPRESS_DOWNLOADS: 'true' } } as const

export async function buildNight(db: string, out: string, asOf: string, ...flags: string[]): Promise<Night> {
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet', ...flags], withDownloads)
  return { db, out, asOf, folder: join(out, 'downloads', asOf) }
}

export const demoDay = '2026-11-20'

export const demoNight = (): Promise<Night> =>
  once('demo night', async () => {
    const folder = makeTempFolder()
    const db = folder.file('demo.sqlite')
    await mustRun(['init', '--demo', '--db', db, '--until', demoDay, '--years', '9'])
    return buildNight(db, folder.file('demo'), demoDay)
  })

/** A text that a spreadsheet runs, and one that ends a script. */
export const hostileNames = { formula: `=cmd|' /C calc'!A1`, markup: '</script><b>"&' } as const

/** What must not be given out stands in the database as a word of its own. */
export const secret = 'Geheimnis'

export const oddNight = (): Promise<Night> => once('odd night', makeOddNight)

async function makeOddNight(): Promise<Night> {
  const folder = makeTempFolder()
  const db = folder.file('odd.sqlite')
  makeDatabase(db, () => undefined)
  insertOddFunds(db)
  const { leapling, gap, denied, pricesDenied, performanceDenied, young, awkward } = oddFunds
  const denials = [performanceDenied, young].map((isin) => `'${isin}'`).join(', ')
  editDatabase(
    db,
    `UPDATE fund SET fund_inception_date = '1868-03-19' WHERE isin = '${oddFunds.gap}';
    UPDATE fund SET name = '${sql(hostileNames.formula)}', wkn = '＝1＋1' WHERE isin = '${leapling}';
     UPDATE fund SET name = '${hostileNames.markup}' WHERE isin = '${gap}';
     UPDATE fund SET name = '${secret}', url = 'https://${secret}' WHERE isin = '${denied}';
     UPDATE structure_item SET name_de = '${secret}' WHERE isin = '${denied}';
     UPDATE key_figure SET value = char(48, 44, 53, 160, 37), value2 = '1.000', has_value2 = 1 WHERE isin = '${gap}' AND position = 0;
     UPDATE key_figure SET name_de = '${secret}', value = '${secret}' WHERE isin = '${denied}';
     UPDATE asset_allocation SET class_de = '${secret}' WHERE isin = '${denied}';
     UPDATE profile SET category_de = '${secret}', benchmark = '${secret}' WHERE isin = '${denied}';
     UPDATE price SET net_asset_value = '777.123' WHERE isin IN ('${denied}', '${pricesDenied}');
     INSERT INTO legal_period SELECT isin, '${secret}', '2024-01-01', '2024-01-01', '2024-12-31', 1, 1 FROM fund
       WHERE isin IN ('${denied}', ${denials});
     UPDATE launch_point SET value = 777.123 WHERE isin IN ('${denied}', ${denials});
     UPDATE key_figure SET value2 = '${secret}', has_value2 = 0 WHERE isin = '${awkward}' AND position = 0;
     UPDATE profile SET savings_plan = NULL, savings_plan_minimum = '777.123' WHERE isin = '${awkward}';`,
  )
  return buildNight(db, folder.file('odd'), oddFunds.asOf)
}

const sql = (text: string) => text.replaceAll("'", "''")

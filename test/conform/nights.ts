/** Two nights of one small fund family that has every case; nothing that holds a fund's data is as in the other. */
import { copyFileSync } from 'node:fs'
import type { Night } from '../edge/runtime/deployments.ts'
import { editDatabase } from '../support/database.ts'
import { insertOddFunds, oddFunds } from '../support/odd-funds.ts'
import { docsUrl, makeTempFolder, mustRun, type TempFolder } from '../support/product.ts'

export interface Nights {
  readonly first: Night
  readonly second: Night
  /** To be called once for each call of `conformNights`: the last one removes the files. */
  readonly release: () => void
}

let made: Promise<{ folder: TempFolder; nights: Omit<Nights, 'release'> }> | undefined
let users = 0

/** Built once a test process. */
export async function conformNights(): Promise<Nights> {
  users++
  made ??= make()
  const { folder, nights } = await made
  const release = (): void => {
    if (--users > 0) return
    made = undefined
    folder.remove()
  }
  return { ...nights, release }
}

async function make(): Promise<{ folder: TempFolder; nights: Omit<Nights, 'release'> }> {
  const folder = makeTempFolder()
  const db = folder.file('first.sqlite')
  const family = ['--funds', '3', '--years', '9', '--until', '2025-02-27', '--seed', '11']
  await mustRun(['demo', '--db', db, ...family])
  insertOddFunds(db)
  const laterDb = folder.file('second.sqlite')
  copyFileSync(db, laterDb)
  editDatabase(laterDb, everythingChanges)
  const first = { out: folder.file('first'), db, asOf: oddFunds.asOf, docsUrl }
  // The day after, on which a fund turns a year old.
  const second = { out: folder.file('second'), db: laterDb, asOf: '2025-03-01', docsUrl }
  for (const night of [first, second]) await build(night)
  return { folder, nights: { first, second } }
}

/** Texts of another length, so that nothing cut at the wrong place passes. */
const everythingChanges = `
  UPDATE fund SET name = name || ' (second night)';
  UPDATE price SET net_asset_value = '12345.678', change = '-0.00001';
  UPDATE performance_year SET percent = percent + 1;
  UPDATE structure_item SET percent = percent + 1;
  UPDATE key_figure SET value = value || ' (second night)';
  UPDATE legal_point SET value = value + 1;
  UPDATE launch_point SET value = value + 1;
  UPDATE asset_allocation SET percent = percent + 1;
  UPDATE profile SET fund_assets = '1.00';
  UPDATE emt SET entry_costs = 0.25;
`

async function build({ out, db, asOf }: Night): Promise<void> {
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet'])
}

/** Two snapshots of one small fund family that has every case; nothing that holds a fund's data is the same in both. */
import { copyFileSync } from 'node:fs'
import type { Night } from '../edge/runtime/deployments.ts'
import { editDatabase } from '../support/database.ts'
import { insertOddFunds, oddFunds } from '../support/odd-funds.ts'
import { docsUrl, makeTempFolder, mustRun } from '../support/product.ts'
import { isComplete } from '../support/rounds.ts'

export type Nights = Awaited<ReturnType<typeof conformNights>>

/** Texts of another length, so that nothing cut at the wrong place passes. */
const everythingChanges = `
  UPDATE fund SET name = name || ' (second snapshot)';
  UPDATE price SET net_asset_value = '12345.678', change = '-0.00001';
  UPDATE performance_year SET percent = percent + 1;
  UPDATE structure_item SET percent = percent + 1;
  UPDATE key_figure SET value = value || ' (second snapshot)';
  UPDATE legal_point SET value = value + 1;
  UPDATE launch_point SET value = value + 1;
  UPDATE asset_allocation SET percent = percent + 1;
  UPDATE profile SET fund_assets = '1.00';
  UPDATE emt SET entry_costs = 0.25;
`

export async function conformNights() {
  const folder = makeTempFolder()
  const nightOf = (name: string, asOf: string): Night => {
    return { out: folder.file(name), db: folder.file(`${name}.sqlite`), asOf, docsUrl }
  }
  // The second is of the day after, on which a fund turns a year old.
  const [first, second] = [nightOf('first', oddFunds.asOf), nightOf('second', '2025-03-01')]
  const size = isComplete ? '--funds 3 --years 9' : '--funds 1 --years 4'
  const family = `${size} --until 2025-02-27 --seed 11`
  await mustRun(['demo', '--db', first.db, ...family.split(' ')])
  insertOddFunds(first.db)
  copyFileSync(first.db, second.db)
  editDatabase(second.db, everythingChanges)
  for (const { out, db, asOf } of [first, second])
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet'])
  return { first, second, release: folder.remove }
}

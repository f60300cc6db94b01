/** What the downloads give of the EMT data can be imported again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { mustRun, repository, tempFolder } from '../support/product.ts'
import { demoNight } from './night.ts'

const folder = tempFolder()

it('import emt reads emt.csv back, and every value is as it was', async () => {
  const night = await demoNight()
  const copy = folder.file('emt.sqlite')
  const db = new Database(copy)
  db.exec(readFileSync(join(repository, 'templates/schema.sql'), 'utf8'))
  db.prepare('ATTACH ? AS source').run(night.db)
  db.exec('INSERT INTO fund SELECT * FROM source.fund')
  await mustRun(['import', 'emt', join(night.folder, 'emt.csv')], { env: { FUNDPRESS_DB: copy } })
  const rows = (schema: string) =>
    db
      .prepare(
        `SELECT isin, srri, ongoing_costs_date, ongoing_costs, transaction_costs, incidental_costs, entry_costs,
          governanceprocess, compatible_for_clients_with_esg_preferences, other_specific_investment_need
          FROM ${schema}.emt WHERE isin IN (SELECT isin FROM fund WHERE data_permitted = 1) ORDER BY isin`,
      )
      .all()
  expect(rows('main')).toEqual(rows('source'))
  expect(rows('main').length).toBeGreaterThan(3)
  db.close()
})

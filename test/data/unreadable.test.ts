/** Databases that cannot be read at all, or not by everybody: the reason in one line, from `check` and `build` alike. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { run, runAlone } from '../cli/run.ts'
import { asOf, editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { userWithoutRights } from '../support/other-user.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()
const pageSize = 4096

/** A database of a few hundred pages. */
const good = folder.file('good.sqlite')
beforeAll(() => {
  chmodSync(folder.path, 0o777)
  makeDatabase(good, (insert) => {
    for (let fund = 0; fund < 20; fund++) {
      // Guards refuse funds whose NAV stays.
      insertGood(insert, isinOf(fund), { price: { change: '-0.50', change_percent: '-0.50' } })
      for (let day = 1; day <= 200; day++) {
        const date = new Date(Date.UTC(2024, 4, 2 - day)).toISOString().slice(0, 10)
        insert('price', { isin: isinOf(fund), ...goodRows['price'], net_asset_value: '100.50', date })
      }
    }
  })
})
afterAll(() => {
  for (const name of readdirSync(folder.path)) chmodSync(folder.file(name), 0o777)
})

const inFolder = { cwd: folder.path }
const check = (db: string, flags = '') => run(`check --db ${db} --as-of ${asOf}${flags}`, inFolder)
const build = (db: string, out: string) =>
  run(`build --db ${db} --out ${out} --as-of ${asOf} --jobs 2 --quiet`, inFolder)

const otherVersion = (version: number) =>
  new RegExp(
    ` has schema version ${version}, this fundpress reads version 1: make a new one .* and fill it again$`,
  )

describe.concurrent('check and build say in one line what is wrong with', () => {
  const damaged = /: it is damaged: restore it from a backup, or save what is left with `sqlite3 .* \.recover/
  const text = 'isin;name\n'.repeat(1000)
  const upgrade = (file: string) => {
    copyFileSync(good, file)
    editDatabase(file, 'PRAGMA user_version = 2')
  }
  const foreign = (file: string) => new Database(file).exec('CREATE TABLE fund (isin TEXT)').close()
  const cutShort = (file: string) => writeFileSync(file, readFileSync(good).subarray(0, 20 * pageSize))
  const cases: readonly (readonly [what: string, make: (file: string) => unknown, reason: RegExp])[] = [
    ['a file that does not exist', () => undefined, / does not exist: make a database with /],
    ['a folder', (file) => mkdirSync(file), / is a folder: name a file$/],
    ['an empty file', (file) => writeFileSync(file, ''), / has no tables, /],
    ['a file that is not SQLite', (file) => writeFileSync(file, text), /: it is not a SQLite database /],
    ['a database that was not copied to its end', cutShort, damaged],
    ['a schema of another version', upgrade, otherVersion(2)],
    ['a database of something else', foreign, otherVersion(0)],
  ]

  it.for(cases)('%s', async ([what, make, reason], { expect }) => {
    const db = `${what.replaceAll(' ', '-')}.sqlite`
    make(folder.file(db))
    for (const { code, stdout, stderr } of [await check(db, ' --json'), await build(db, `out-${db}`)]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^fundpress: [^\n]*\n$/)
      expect(stderr.trimEnd()).toMatch(reason)
      expect(stderr).toContain(db)
    }
    expect(readdirSync(folder.path).filter((name) => name.includes(`out-${db}`))).toEqual([])
  })
})

it('check and build name every table and column that is missing or different', async ({ expect }) => {
  makeDatabase(folder.file('schema.sqlite'), (_, db) => {
    db.exec(`
      ALTER TABLE fund DROP COLUMN wkn;
      ALTER TABLE emt DROP COLUMN entry_costs;
      ALTER TABLE emt DROP COLUMN ongoing_costs;
      ALTER TABLE emt ADD COLUMN ongoing_costs TEXT;
      ALTER TABLE emt ADD COLUMN beside TEXT;
      ALTER TABLE structure_item DROP COLUMN name_en;
      DROP TABLE profile;
      DROP TABLE key_figure;
      DROP TABLE legal_point; CREATE VIEW legal_point AS SELECT * FROM launch_point;
      DROP TABLE performance_year;
      CREATE TABLE performance_year (isin TEXT, year INTEGER NOT NULL, percent REAL NOT NULL,
        PRIMARY KEY (isin, year));
      DROP TABLE launch_point;
      CREATE TABLE launch_point (isin TEXT NOT NULL, date TEXT NOT NULL, value REAL, PRIMARY KEY (isin)) STRICT;
      CREATE TABLE beside (isin TEXT)`)
  })
  const { code, stdout, stderr } = await check('schema.sqlite')
  expect(stdout).toBe(
    `The database
  error    fund: column wkn is missing: ALTER TABLE fund ADD COLUMN wkn TEXT
  error    performance_year: it is not STRICT: its values may be of any type
  error    performance_year: column isin may be NULL
  error    legal_point: it is a view, not a table
  error    launch_point: column value may be NULL
  error    launch_point: its primary key is (isin), not (isin, date)
  error    structure_item: column name_en is missing: ALTER TABLE structure_item ADD COLUMN name_en TEXT
  error    key_figure: the table is missing
  error    profile: the table is missing
  error    emt: column ongoing_costs is of type TEXT, not REAL
  error    emt: column entry_costs is missing: ALTER TABLE emt ADD COLUMN entry_costs REAL
11 errors, 0 warnings
`,
  )
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('11 errors') })
  const refused = await build('schema.sqlite', 'out-schema')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(stdout.slice(0, stdout.indexOf('11 errors')))
  expect(readdirSync(folder.path).filter((name) => name.includes('out-'))).toEqual([])
})

it('check reads what is committed from a database in WAL mode with a writer at work', async ({ expect }) => {
  copyFileSync(good, folder.file('wal.sqlite'))
  const writer = new Database(folder.file('wal.sqlite'))
  writer.pragma('journal_mode = WAL')
  writer.pragma('wal_autocheckpoint = 0')
  writer.pragma('foreign_keys = OFF')
  writer.exec("INSERT INTO performance_year VALUES ('XF0000000992', 2020, 1)")
  writer.exec("BEGIN; INSERT INTO performance_year VALUES ('XF0000000993', 2020, 1)")
  const { stdout } = await check('wal.sqlite')
  writer.close()
  expect(stdout).toContain('XF0000000992\n  error    performance_year: orphan rows')
  expect(stdout).toContain('1 error, ')
})

describe('a user without rights', () => {
  beforeEach(({ skip }) => {
    if (userWithoutRights === undefined) skip('only root can read this checkout')
  })
  const asUser = { ...inFolder, ...userWithoutRights }

  it('checks a database in a folder that may not be written to', async ({ expect }) => {
    mkdirSync(folder.file('locked'))
    copyFileSync(good, folder.file('locked/funds.sqlite'))
    chmodSync(folder.file('locked'), 0o555)
    const args = ['check', '--db', 'locked/funds.sqlite', '--as-of', asOf]
    expect(await runAlone(args, asUser)).toMatchObject({ code: 0, stderr: '' })
    const inWal = new Database(folder.file('locked/funds.sqlite'))
    inWal.pragma('journal_mode = WAL')
    inWal.close()
    chmodSync(folder.file('locked'), 0o555)
    const { code, stderr } = await runAlone(args, asUser)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^fundpress: locked\/funds\.sqlite: it is in WAL mode, [^\n]*, and user \d+ may not write there \(owner \d+, mode 555\): [^\n]*\n$/,
    )
  })

  it('is told who may write to the file, or to its folder', async ({ expect }) => {
    mkdirSync(folder.file('kept'))
    copyFileSync(good, folder.file('kept/funds.sqlite'))
    chmodSync(folder.file('kept/funds.sqlite'), 0o444)
    const complete = () => runAlone('import --complete --db kept/funds.sqlite --wait 0', asUser)
    const ofFile = await complete()
    expect(ofFile.code).toBe(1)
    expect(ofFile.stderr).toMatch(
      /^fundpress: kept\/funds\.sqlite: user \d+ may not write to it \(owner \d+, mode 444\): run this as its owner[^\n]*\n$/,
    )
    chmodSync(folder.file('kept/funds.sqlite'), 0o666)
    chmodSync(folder.file('kept'), 0o555)
    const ofFolder = await complete()
    expect(ofFolder.stderr).toMatch(
      /^fundpress: kept\/funds\.sqlite: user \d+ may not write to its folder \(owner \d+, mode 555\), where SQLite [^\n]*\n$/,
    )
  })

  it('is told that the file, or its folder, may not be read', async ({ expect }) => {
    copyFileSync(good, folder.file('read-only.sqlite'))
    chmodSync(folder.file('read-only.sqlite'), 0o000)
    mkdirSync(folder.file('closed'), { mode: 0o000 })
    const args = (db: string) => ['check', '--db', db, '--as-of', asOf]
    const file = await runAlone(args('read-only.sqlite'), asUser)
    expect(file).toMatchObject({ code: 1, stdout: '' })
    const closed = /^fundpress: read-only\.sqlite: user \d+ may not read it \(owner \d+, mode 0\): [^\n]*\n$/
    expect(file.stderr).toMatch(closed)
    const inside = await runAlone(args('closed/funds.sqlite'), asUser)
    expect(inside).toMatchObject({ code: 1, stdout: '' })
    expect(inside.stderr).toMatch(/^fundpress: closed\/funds\.sqlite cannot be reached: [^\n]*\n$/)
  })
})

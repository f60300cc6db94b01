/** The mark of a complete load, and nightly runs that want it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import {
  db,
  fileOf,
  keptEvents,
  nightly,
  nothingToDo,
  press,
  stepsOf,
  useNights,
} from '../../bucket/nightly/nightly.ts'
import { lacks } from '../../support/programs.ts'

useNights(1)
const lacksSqlite = lacks('sqlite3')

const wanted = { FUNDPRESS_REQUIRE_COMPLETE: 'true' }
const night = (flags = '') => nightly(flags, wanted)
const complete = () => press.bare('import --complete --db funds.sqlite')
const refused = expect.stringContaining(
  'funds.sqlite is not marked as complete since its last change: `fundpress import --complete` marks it',
)

/** What an edit with the program sqlite3 does, as another program would. */
function sqlite(sql: string, mode: string): void {
  const { status, stderr } = spawnSync('sqlite3', [db(), `PRAGMA journal_mode = ${mode}; ${sql}`], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}

const edits = {
  'changes a value': "UPDATE profile SET benchmark = 'x'",
  'adds a row': 'INSERT INTO performance_year SELECT isin, 1999, 1 FROM fund',
  'removes a row': 'DELETE FROM launch_point WHERE date = (SELECT max(date) FROM launch_point)',
  'empties a table': 'DELETE FROM emt',
  'replaces rows': 'REPLACE INTO emt SELECT * FROM emt',
  'makes a table anew':
    'ALTER TABLE emt RENAME TO old; CREATE TABLE emt AS SELECT * FROM old; DROP TABLE old',
  'drops the triggers': 'DROP TRIGGER fundpress_complete_emt_delete; DELETE FROM emt',
}

describe.skipIf(lacksSqlite).each(['DELETE', 'WAL'])(
  'nightly with requireComplete, journal mode %s',
  (mode) => {
    it('refuses a database without a mark before it builds, and takes one with a mark', async () => {
      sqlite('', mode)
      const live = press.bucket.live()
      const run = await night('--json')
      expect(run).toMatchObject({ code: 3, stderr: refused })
      expect(stepsOf(run)).not.toContain('check begun')
      expect(press.bucket.live()).toEqual(live)
      expect(await complete()).toMatchObject({ code: 0, stdout: 'funds.sqlite is marked as complete\n' })
      expect(await night()).toMatchObject({ code: 0 })
      expect(stepsOf(await night('--json'))).toEqual(nothingToDo)
      // An import is a change like others.
      writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;5\n`)
      const load = 'import launch_point points.csv --db funds.sqlite --no-backup'
      expect((await press.bare(load)).code).toBe(0)
      expect(await night()).toMatchObject({ code: 3, stderr: refused })
      writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;6\n`)
      expect((await press.bare(`${load} --complete --dry-run`)).code).toBe(0)
      expect(await night('--ask')).toMatchObject({ code: 3, stderr: refused })
      expect((await press.bare(`${load} --complete`)).code).toBe(0)
      expect(await night('--ask')).toMatchObject({ code: 0 })
      // Lines that are the same change nothing.
      expect((await press.bare(load)).code).toBe(0)
      expect(await night()).toMatchObject({ code: 0 })
    })

    it('takes a database that --undo has put back if it was complete before the load', async () => {
      sqlite('', mode)
      const undo = () => press.bare('import --undo --db funds.sqlite')
      const load = async (value: number) => {
        writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;${value}\n`)
        expect((await press.bare('import launch_point points.csv --db funds.sqlite')).code).toBe(0)
        expect(await night('--ask')).toMatchObject({ code: 3, stderr: refused })
      }
      await load(7)
      expect((await undo()).code).toBe(0)
      expect(await night('--ask')).toMatchObject({ code: 3, stderr: refused })
      for (const value of [8, 9]) {
        await complete()
        await load(value)
        expect((await undo()).code).toBe(0)
        expect(await night('--ask')).toMatchObject({ code: 0 })
      }
    })
  },
)

// Triggers know no journal modes.
it.skipIf(lacksSqlite).each(Object.entries(edits))(
  'nightly with requireComplete refuses a database after another program %s',
  async (_, sql) => {
    sqlite('', 'WAL')
    await complete()
    expect(await night('--ask')).toMatchObject({ code: 0 })
    sqlite(sql, 'WAL')
    expect(await night('--ask')).toMatchObject({ code: 3, stderr: refused })
  },
)

const isin = () => spawnSync('sqlite3', [db(), 'SELECT isin FROM fund'], { encoding: 'utf8' }).stdout.trim()

it.skipIf(lacksSqlite)(
  'a mark is in copies of the file, and not taken away by reading, checking or another journal mode',
  async () => {
    await complete()
    sqlite('SELECT count(*) FROM price', 'WAL')
    sqlite("UPDATE price SET change = change WHERE isin = 'no such fund'", 'DELETE')
    copyFileSync(db(), fileOf('copy.sqlite'))
    expect(await press.bare('check --db copy.sqlite --as-of 2026-11-11')).toMatchObject({ code: 0 })
    expect(await night()).toMatchObject({ code: 0 })
  },
)

it('nightly allows a database without a mark by name, and keeps who and why', async () => {
  const run = await night('--allow incomplete --reason urgent')
  expect(run.code).toBe(0)
  const event = {
    kind: 'allowed',
    reason: 'urgent',
    objections: [expect.objectContaining({ guard: 'incomplete' })],
  }
  expect(keptEvents()).toContainEqual(expect.objectContaining(event))
})

it('a mark changes no byte of a snapshot', async () => {
  await press.bare('build --db funds.sqlite --as-of 2026-11-11 --out plain --quiet')
  await complete()
  await press.bare('build --db funds.sqlite --as-of 2026-11-11 --out marked --quiet')
  const sums = (out: string) => readFileSync(fileOf(`${out}/SHA256SUMS`), 'utf8')
  expect(sums('marked')).toBe(sums('plain'))
})

it('import --complete does not mark a load with bad lines', async () => {
  editDatabase(db(), 'DELETE FROM emt')
  writeFileSync(fileOf('bad.csv'), 'isin;date;value\nx;2020-01-01;5\n')
  const bad = await press.bare('import launch_point bad.csv --db funds.sqlite --complete')
  expect(bad.code).toBe(1)
  expect(await night('--ask')).toMatchObject({ code: 3 })
})

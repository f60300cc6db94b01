/** The mark of a complete load, and nightly runs that want it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { repository } from '../../support/folders.ts'
import {
  db,
  fileOf,
  keptEvents,
  nightly,
  nightlyOf,
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
const unmarked = expect.stringContaining(
  'the load of 2026-11-10 is missing, and none was ever marked as complete: load the prices, then mark the load: ' +
    '`fundpress import --complete`',
)
const changed = expect.stringMatching(
  /the last complete load is of 2026-11-10 \(.*marked 20\d\d-.*Z\), and the database has changed since: a load is under way, or has failed: end it with `fundpress import --complete`/,
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
  'drops the triggers': 'DROP TRIGGER load_emt_delete; DELETE FROM emt',
  'makes a column anew':
    'ALTER TABLE emt DROP COLUMN entry_costs; ALTER TABLE emt ADD COLUMN entry_costs REAL',
}

describe.skipIf(lacksSqlite).each(['DELETE', 'WAL'])(
  'nightly with requireComplete, journal mode %s',
  (mode) => {
    it('refuses a database without a mark before it builds, and takes one with a mark', async () => {
      sqlite('', mode)
      const live = press.bucket.live()
      const run = await night('--json')
      expect(run).toMatchObject({ code: 3, stderr: unmarked })
      expect(stepsOf(run)).not.toContain('check begun')
      expect(press.bucket.live()).toEqual(live)
      expect(await complete()).toMatchObject({
        code: 0,
        stdout: 'funds.sqlite has the complete load of 2026-11-10\n',
      })
      expect(await night()).toMatchObject({ code: 0 })
      expect(stepsOf(await night('--json'))).toEqual(nothingToDo)
      // An import is a change like others.
      writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;5\n`)
      const load = 'import launch_point points.csv --db funds.sqlite --no-backup'
      expect((await press.bare(load)).code).toBe(0)
      expect(await night()).toMatchObject({ code: 3, stderr: changed })
      writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;6\n`)
      expect((await press.bare(`${load} --complete --dry-run`)).code).toBe(0)
      expect(await night('--ask')).toMatchObject({ code: 3, stderr: changed })
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
      }
      await load(7)
      expect(await night('--ask')).toMatchObject({ code: 3, stderr: unmarked })
      expect((await undo()).code).toBe(0)
      expect(await night('--ask')).toMatchObject({ code: 3, stderr: unmarked })
      for (const value of [8, 9]) {
        await complete()
        await load(value)
        expect(await night('--ask')).toMatchObject({ code: 3, stderr: changed })
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
    expect(await night('--ask')).toMatchObject({ code: 3, stderr: changed })
  },
)

const isin = () => String(readDatabase(db(), 'SELECT isin FROM fund')[0]?.['isin'])

it.skipIf(lacksSqlite)(
  'a mark is in copies of the file, and not taken away by reading, checking, VACUUM or another journal mode',
  async () => {
    await complete()
    sqlite('SELECT count(*) FROM price', 'WAL')
    sqlite("UPDATE price SET change = change WHERE isin = 'no such fund'", 'DELETE')
    sqlite('VACUUM; ANALYZE', 'DELETE')
    copyFileSync(db(), fileOf('copy.sqlite'))
    expect(await press.bare('check --db copy.sqlite --as-of 2026-11-11')).toMatchObject({ code: 0 })
    expect(await night()).toMatchObject({ code: 0 })
  },
)

it('nightly allows a database without a mark by name, and keeps who and why, once', async () => {
  const run = await night('--allow incomplete --reason urgent')
  expect(run.code).toBe(0)
  expect(keptEvents()).toHaveLength(1)
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

describe('the day of a load', () => {
  const mark = (sql: string) => editDatabase(db(), sql)
  /** One plain statement, as `templates/schema.sql` documents it. */
  const statement = /^-- {3}(INSERT INTO complete_load .*;)$/m.exec(
    readFileSync(join(repository, 'templates/schema.sql'), 'utf8'),
  )?.[1]
  const ofDay = (day: string) => (statement ?? '').replace('2026-11-24', day)
  const askAsOf = (day: string) => press.fundpress(`nightly --db funds.sqlite --as-of ${day} --ask`, wanted)

  it('a loader of its own marks it by the documented statement, after any number of loads', async () => {
    for (const day of ['2026-11-09', '2026-11-10']) mark(ofDay(day))
    expect(await night('--ask')).toMatchObject({ code: 0 })
    mark("UPDATE profile SET benchmark = 'x'")
    expect(await night('--ask')).toMatchObject({ code: 3, stderr: changed })
    mark(`UPDATE profile SET benchmark = 'y'; ${ofDay('2026-11-10')}`)
    expect(await night()).toMatchObject({ code: 0 })
  })

  it('a later night refuses the load of a day before, and names both days', async () => {
    await complete()
    const run = await askAsOf('2026-11-12')
    expect(run).toMatchObject({ code: 3 })
    expect(run.stderr).toMatch(
      /the load of 2026-11-11 is missing: the last complete load is of 2026-11-10 \(marked .*\): load the prices, then mark the load: .*set freshness\.calendar; if prices always come later, load\.lagDays/,
    )
    // A load of the as-of date itself, and of the day that the operator names.
    mark(ofDay('2026-11-12'))
    expect(await askAsOf('2026-11-12')).toMatchObject({ code: 0 })
    expect(await press.bare('import --complete 2026-11-11 --db funds.sqlite')).toMatchObject({
      code: 0,
      stdout: 'funds.sqlite has the complete load of 2026-11-11\n',
    })
    expect(await askAsOf('2026-11-12')).toMatchObject({ code: 0 })
    // From Friday to Monday, Friday's load is expected.
    for (const day of ['2026-11-14', '2026-11-16'])
      expect((await askAsOf(day)).stderr).toContain('the load of 2026-11-13 is missing')
    expect(
      await press.fundpress('nightly --db funds.sqlite --as-of 2026-11-13 --ask', {
        ...wanted,
        FUNDPRESS_LOAD_LAG_DAYS: '1',
      }),
    ).toMatchObject({ code: 0 })
  })

  it.each([
    ['2026-11-31', 'which is no day'],
    ['2062-11-10', 'after 2026-11-11'],
  ])('the mark of day %s is refused: it is %s', async (day, why) => {
    mark(ofDay(day))
    expect(await night('--ask')).toMatchObject({ code: 3, stderr: expect.stringContaining(why) as string })
  })

  it('a database without the table gets it by import --complete, with what lists the loaded tables', async () => {
    mark('DROP TABLE complete_load; DROP TRIGGER load_emt_insert')
    editDatabase(
      db(),
      readDatabase(db(), "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .map(({ name }) => `DROP TRIGGER ${name ?? ''};`)
        .join(''),
    )
    writeFileSync(fileOf('points.csv'), `isin;date;value\n${isin()};2020-01-01;5\n`)
    writeFileSync(fileOf('years.csv'), `isin;year;percent\n${isin()};1999;5\n`)
    for (const [table, file] of [
      ['launch_point', 'points'],
      ['performance_year', 'years'],
    ])
      expect((await press.bare(`import ${table ?? ''} ${file ?? ''}.csv --db funds.sqlite`)).code).toBe(0)
    await complete()
    expect(await night('--ask')).toMatchObject({ code: 0 })
    mark("UPDATE profile SET benchmark = 'x'")
    const run = await night('--ask')
    expect(run.stderr).toContain('(launch_point, performance_year; marked ')
  })

  it('refuses a load that begins between the first look and the transaction that renders', async () => {
    await nightlyOf('2026-11-10')
    const live = press.bucket.live()
    await complete()
    // The first request after the first look.
    press.server.faults([
      {
        kind: 'call',
        when: 'before',
        operation: 'GetObject',
        keyMatches: /^nightly\/history\.json$/,
        run: () => editDatabase(db(), "UPDATE profile SET benchmark = 'half a load'"),
      },
    ])
    const run = await night('--json')
    press.server.faults([])
    expect(stepsOf(run)).toContain('check begun')
    expect(run).toMatchObject({ code: 3, stderr: changed })
    expect(press.bucket.live()).toEqual(live)
  })

  it('shards and their merge ask, too; a build on its own does not', async () => {
    const build = (flags: string) =>
      press.bare(`build --db funds.sqlite --as-of 2026-11-11 --quiet ${flags}`, wanted)
    expect(await build('--out one')).toMatchObject({ code: 0 })
    expect(await build('--out part --shard 1/1')).toMatchObject({ code: 3, stderr: unmarked })
    await complete()
    expect(await build('--out part --shard 1/1')).toMatchObject({ code: 0 })
    const shards = '--shards part --since none'
    expect(await night(shards)).toMatchObject({ code: 0 })
  })
})

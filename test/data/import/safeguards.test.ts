/** What an import may remove, the copies that it keeps of the database, and the way back. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { ended, run, runAlone, says, start } from '../../cli/run.ts'
import { editDatabase, isinOf } from '../../support/database.ts'
import { userWithoutRights } from '../../support/other-user.ts'
import { times } from '../../support/rounds.ts'
import { importFolder, isins } from './database.ts'
import { dump, dumpAll, writeCsv } from './dialects.ts'

const folder = importFolder()
const [first, second] = isins

const header = ['isin', 'date', 'value']
const points = (count: number, value = '1.5') =>
  Array.from({ length: count }, (_, day) => [
    first,
    new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
    value,
  ])
const launchPoints = (db: string) => dump(folder.file(db), 'launch_point').rows

/** A database with 20 points of the first fund and none of others. */
function databaseOf20(): string {
  const db = folder.database()
  const rows = points(20).map((row) => `('${row.join("', '")}')`)
  editDatabase(folder.file(db), `DELETE FROM launch_point; INSERT INTO launch_point VALUES ${rows.join()}`)
  return db
}

const copiesIn = (path: string, db: string) =>
  readdirSync(path).filter((name) => name.startsWith(db) && name.endsWith('.backup'))
const copiesOf = (db: string) => copiesIn(folder.path, db)
const fundpress = (...args: readonly string[]) => run(['import', ...args], { cwd: folder.path })

describe('import that removes rows', () => {
  it.each(['--replace', '--replace-all'])('passes with a tenth of a table: %s', async (flag) => {
    const db = databaseOf20()
    const { code, stdout } = await folder.importLines(db, 'launch_point', [header, ...points(18)], [flag])
    expect([code, stdout]).toEqual([0, expect.stringContaining('18 unchanged, 2 removed')])
  })

  it.each(['--replace', '--replace-all'])('is refused with more than a tenth: %s', async (flag) => {
    const db = databaseOf20()
    const before = readFileSync(folder.file(db))
    const lines = [header, ...points(17)]
    const { code, stdout, stderr } = await folder.importLines(db, 'launch_point', lines, [flag])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(
      '\nfundpress: the import is refused: it would remove 3 of 20 rows of table launch_point, more than 2. ' +
        'If that is right, allow it: --allow removed-rows:launch_point --reason "…"\n',
    )
    expect(readFileSync(folder.file(db)).equals(before)).toBe(true)
    expect(copiesOf(db)).toEqual([])

    const dry = await folder.importLines(db, 'launch_point', lines, [flag, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('it needs --allow removed-rows:launch_point --reason "…"')

    const other = ['--allow', 'removed-rows:price', '--reason', 'r']
    expect((await folder.importLines(db, 'launch_point', lines, [flag, ...other])).code).toBe(3)
    const allow = ['--allow', 'removed-rows:launch_point', '--reason', 'corrected']
    const taken = await folder.importLines(db, 'launch_point', lines, [flag, ...allow])
    expect(taken).toMatchObject({ code: 0, stderr: '' })
    expect(taken.stdout).toContain('allowed  it would remove 3 of 20 rows')
    expect(launchPoints(db)).toHaveLength(17)
  })

  it('is refused with a single fund, and with the rows of other tables that go with it', async () => {
    const db = folder.database()
    const others = Array.from(
      { length: 40 },
      (_, index) => `('${isinOf(100 + index)}', 'n', '2020-01-01', 'u', 'EUR')`,
    )
    const columns = '(isin, name, fund_inception_date, url, currency)'
    editDatabase(folder.file(db), `INSERT INTO fund ${columns} VALUES ${others.join()}`)
    const funds = dump(folder.file(db), 'fund')
    const kept = funds.rows.filter(([isin]) => isin !== first)
    const lines = [funds.columns, ...kept.map((row) => row.map((value) => String(value ?? '')))]
    const refused = await folder.importLines(db, 'fund', lines, ['--replace-all'])
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('it would remove 1 of 43 rows of table fund, more than 0')
    expect(refused.stderr).toContain('it would remove 1 of 2 rows of table emt, more than 0')
    expect(dump(folder.file(db), 'fund')).toEqual(funds)
    const allowed = ['--replace-all', '--allow', 'removed-rows', '--reason', 'closed']
    expect((await folder.importLines(db, 'fund', lines, allowed)).code).toBe(0)
    expect(dump(folder.file(db), 'price').rows.map(([isin]) => isin)).toEqual([second])
  })

  it.each([[[]], [['--reason', '…']]])('needs a reason, and not that of a message: %j', async (flags) => {
    const allowed = ['--allow', 'removed-rows', ...flags]
    const ended = await folder.importLines(databaseOf20(), 'launch_point', [header], allowed)
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('need --reason') })
  })
})

describe.each(['DELETE', 'WAL'])('copies of a database in mode %s', (mode) => {
  const database = () => {
    const db = databaseOf20()
    editDatabase(folder.file(db), `PRAGMA journal_mode = ${mode}`)
    return db
  }
  const importValue = (db: string, value: string, ...flags: readonly string[]) =>
    folder.importLines(db, 'launch_point', [header, ...points(1, value)], flags)
  const value = (db: string) => launchPoints(db)[0]?.[2]

  it('are the last seven and the first of the day, also in the same second, and --undo goes back one by one', async () => {
    const db = database()
    const whole = dumpAll(folder.file(db))
    for (let index = 0; index < 9; index++) expect((await importValue(db, String(index))).code).toBe(0)
    const [dawn = '', ...copies] = copiesOf(db)
    expect(copies).toHaveLength(7)
    expect(copies.every((name) => /\.2\d{3}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup$/.test(name))).toBe(true)
    for (let index = 7; index >= 1; index--) {
      const undone = await fundpress('--undo', '--db', db, '--json')
      expect(undone).toMatchObject({ code: 0, stderr: '' })
      const { restored, copy } = JSON.parse(undone.stdout) as Record<string, string>
      expect([restored, copy]).toEqual([db, folder.file(copies[index - 1] ?? '')])
      expect(value(db)).toBe(index)
      expect(copiesOf(db)).toHaveLength(index)
    }
    expect(await fundpress('--undo', '--db', db)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(dawn),
    })
    expect([value(db), copiesOf(db)]).toEqual([1.5, []])
    const { code, stderr } = await fundpress('--undo', '--db', db)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`has no copy of ${db}`)])
    const others = Object.entries(whole).filter(([table]) => table !== 'launch_point')
    expect(dumpAll(folder.file(db))).toMatchObject(Object.fromEntries(others))
    const opened = new Database(folder.file(db))
    expect(opened.pragma('journal_mode', { simple: true })).toBe(mode.toLowerCase())
    opened.close()
  })

  it('are kept for seven days with an import, and --undo goes back to the first of a day', async () => {
    const db = database()
    // Two imports on each of eight days: names tell the time of a copy. 23:30 UTC is the next day in Berlin.
    const days = Array.from({ length: 8 }, (_, index) => index + 11)
    for (const day of days)
      for (const [index, time] of [`${day - 1}T23-30-00`, `${day}T20-00-00`].entries()) {
        await importValue(db, String(day + index / 2))
        const newest = copiesOf(db).at(-1) ?? ''
        const name = `${db}.2026-11-${time}.000Z.backup`
        renameSync(folder.file(newest), folder.file(name))
      }
    await importValue(db, '99')
    const firsts = days.slice(2).map((day) => `${db}.2026-11-${day - 1}T23-30-00.000Z.backup`)
    const copies = copiesOf(db)
    expect(copies).toEqual(expect.arrayContaining(firsts))
    // Of the last seven imports, and of three days before those.
    expect(copies).toHaveLength(10)

    const unknown = await fundpress('--undo', '2026-11-12', '--db', db)
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain(
      `has no copy of ${db} from 2026-11-12: there are copies from 2026-11-13, `,
    )
    const undone = await fundpress('--undo', '2026-11-14', '--db', db, '--json')
    expect(undone).toMatchObject({ code: 0, stderr: '' })
    const { copy, time, kept } = JSON.parse(undone.stdout) as Record<string, string>
    expect([copy, time]).toEqual([folder.file(firsts[1] ?? ''), '2026-11-13T23:30:00.000Z'])
    expect(value(db)).toBe(13.5)
    expect(copiesOf(db)).toEqual(expect.arrayContaining([...firsts, basename(kept ?? '')]))
    // It can be taken back as an import can.
    expect((await fundpress('--undo', '--db', db)).code).toBe(0)
    expect(value(db)).toBe(99)
    expect((await fundpress('--undo', '2026-11-13', '--db', db, '--no-backup', '--json')).stdout).toContain(
      '"kept":null',
    )
    expect(value(db)).toBe(12.5)
  })

  it('are not left by an import that fails or changes nothing, nor with --no-backup', async () => {
    const db = database()
    await importValue(db, '1.5')
    await importValue(db, 'x')
    await importValue(db, '2', '--dry-run')
    await importValue(db, '3', '--no-backup')
    expect([copiesOf(db), value(db)]).toEqual([[], 3])
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('have what is in the log only, and --undo leaves no log beside the restored file', async () => {
    const db = database()
    const writer = new Database(folder.file(db))
    writer.pragma('wal_autocheckpoint = 0')
    writer.exec("UPDATE launch_point SET value = 7 WHERE date = '2020-01-01'")
    expect((await importValue(db, '8')).code).toBe(0)
    if (mode === 'WAL') {
      const open = await fundpress('--undo', '--db', db, '--wait', '0')
      expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('other programs kept it busy') })
      expect(value(db)).toBe(8)
    }
    writer.close()
    expect((await fundpress('--undo', '--db', db)).code).toBe(0)
    expect(value(db)).toBe(7)
  })

  it('--undo that is killed at any moment leaves the database of before or of after', async () => {
    const db = database()
    for (const each of Array.from({ length: times(8, 3) }, (_, index) => index)) {
      await importValue(db, '8', '--backup', 'elsewhere')
      const child = start(['import', '--undo', '--db', db, '--backup', 'elsewhere'], { cwd: folder.path })
      const end = ended(child)
      await setTimeout(100 + each * 60)
      child.kill('SIGKILL')
      await end
      const opened = new Database(folder.file(db))
      expect(opened.pragma('integrity_check', { simple: true })).toBe('ok')
      opened.close()
      expect([1.5, 8]).toContain(value(db))
      expect((await importValue(db, '8', '--backup', 'elsewhere')).code).toBe(0)
      await fundpress('--undo', '--db', db, '--backup', 'elsewhere')
      expect(value(db)).toBe(1.5)
    }
  })
})

it('copies in another folder are of databases by their whole path, and their owner alone may read them', async () => {
  mkdirSync(folder.file('other'))
  const db = databaseOf20()
  const twin = `other/${db}`
  writeFileSync(folder.file(twin), readFileSync(folder.file(db)))
  chmodSync(folder.file(db), 0o640)
  const flags = ['--backup', 'copies']
  await folder.importLines(db, 'launch_point', [header, ...points(1, '2')], flags)
  await folder.importLines(twin, 'launch_point', [header, ...points(1, '3')], flags)
  const copies = copiesIn(folder.file('copies'), db)
  expect(copies).toHaveLength(2)
  const digest = createHash('sha256').update(folder.file(db)).digest('hex').slice(0, 8)
  const own = copies.find((name) => name.startsWith(`${db}.${digest}.`)) ?? ''
  expect(statSync(folder.file(`copies/${own}`)).mode & 0o777).toBe(0o600)
  expect((await fundpress('--undo', '--db', db, ...flags)).code).toBe(0)
  expect([launchPoints(db)[0]?.[2], launchPoints(twin)[0]?.[2]]).toEqual([1.5, 3])
  expect(statSync(folder.file(db)).mode & 0o777).toBe(0o640)
  expect(existsSync(folder.file(`copies/${own}`))).toBe(false)
})

it('a copy has what another program commits before the import can begin', async () => {
  const db = databaseOf20()
  const writer = new Database(folder.file(db))
  writer.pragma('journal_mode = WAL')
  writer.exec("BEGIN IMMEDIATE; UPDATE fund SET name = 'later'")
  writeCsv(folder.file('held.csv'), [header, ...points(1, '8')])
  const child = start(['import', 'launch_point', 'held.csv', '--db', db], { cwd: folder.path })
  const end = ended(child)
  // It has made a copy by now.
  await says(child, 'waiting for other users')
  expect(readdirSync(folder.path).some((name) => name.startsWith(`.${db}`))).toBe(true)
  writer.exec('COMMIT')
  writer.close()
  expect((await end).code).toBe(0)
  expect((await fundpress('--undo', '--db', db)).code).toBe(0)
  expect(launchPoints(db)[0]?.[2]).toBe(1.5)
  expect(dump(folder.file(db), 'fund', 'DISTINCT name').rows).toEqual([['later']])
})

it('a folder of copies that is a file is an error that names the flags', async () => {
  const db = databaseOf20()
  writeFileSync(folder.file('file'), '')
  const refused = await folder.importLines(
    db,
    'launch_point',
    [header, ...points(1, '2')],
    ['--backup', 'file'],
  )
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/no copy of \S+ could be made, .*--backup.*--no-backup/)
})

it('--undo changes nothing if the folder of copies may not be written to', async ({ skip }) => {
  if (userWithoutRights === undefined) skip('only root can read this checkout')
  const db = databaseOf20()
  const flags = ['--backup', 'locked']
  await folder.importLines(db, 'launch_point', [header, ...points(1, '2')], flags)
  chmodSync(folder.path, 0o777)
  chmodSync(folder.file(db), 0o666)
  chmodSync(folder.file('locked'), 0o555)
  const args = ['import', '--undo', '--db', db, ...flags]
  const refused = await runAlone(args, { cwd: folder.path, ...userWithoutRights })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('permission denied') })
  expect([launchPoints(db)[0]?.[2], readdirSync(folder.file('locked'))]).toEqual([2, [expect.any(String)]])
  chmodSync(folder.file('locked'), 0o755)
})

it('import without table and file needs --undo or --complete', async () => {
  const missing = (what: string) => `missing required argument '${what}' (see fundpress import --help)`
  for (const [args, what] of [
    [[], missing('table')],
    [['price'], missing('file')],
    [['--undo', '--complete'], missing('table')],
    [['price', 'a.csv', '--undo'], '--undo takes no file'],
    [
      ['--undo', '2026-11-31'],
      "option '--undo [day]' argument '2026-11-31' is invalid. It must be a day that exists, as YYYY-MM-DD (see fundpress import --help)",
    ],
  ] as const)
    expect(await fundpress(...args, '--db', 'x')).toMatchObject({ code: 2, stderr: `fundpress: ${what}\n` })
})

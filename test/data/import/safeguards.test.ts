/** What an import may remove, the copy of the database before a load, and the way back. */
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { readMark } from '../../../src/core/data/read/complete.ts'
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

/** Without the log of a database in WAL mode, which readers leave. */
const filesBeside = (db: string) =>
  readdirSync(folder.path).filter(
    (name) => name !== db && name.replace(/^\./, '').startsWith(`${db}.`) && !/-(wal|shm)$/.test(name),
  )
const copiesOf = (db: string) => filesBeside(db).filter((name) => name.endsWith('.backup'))
const fundpress = (...args: readonly string[]) => run(['import', ...args], { cwd: folder.path })

describe('import that removes rows', () => {
  it.each(['--replace', '--replace-all'])('passes with a tenth of a table: %s', async (flag) => {
    const db = databaseOf20()
    const { code, stdout } = await folder.importLines(db, 'launch_point', [header, ...points(18)], [flag])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('18 unchanged, 2 removed') })
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
    const dry = await folder.importLines(db, 'fund', lines, ['--replace-all', '--dry-run'])
    const refused = await folder.importLines(db, 'fund', lines, ['--replace-all'])
    expect(refused.code).toBe(3)
    expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 3, stderr: refused.stderr })
    const reasons = ['--force', '--reason', 'test']
    expect(
      await folder.importLines(db, 'fund', lines, ['--replace-all', '--dry-run', ...reasons]),
    ).toMatchObject({ code: 0 })
    expect(refused.stderr).toContain('it would remove 1 of 43 rows of table fund, more than 0')
    expect(refused.stderr).toContain('it would remove 1 of 2 rows of table emt, more than 0')
    expect(dump(folder.file(db), 'fund')).toEqual(funds)
    const allowed = ['--replace-all', '--allow', 'removed-rows', '--reason', 'closed']
    expect((await folder.importLines(db, 'fund', lines, allowed)).code).toBe(0)
    expect(dump(folder.file(db), 'price').rows.map(([isin]) => isin)).toEqual([second])
  })
})

describe.each(['DELETE', 'WAL'])('the copy of a database in mode %s', (mode) => {
  const database = () => {
    const db = databaseOf20()
    editDatabase(folder.file(db), `PRAGMA journal_mode = ${mode}`)
    return db
  }
  const importValue = (db: string, value: string, ...flags: readonly string[]) =>
    folder.importLines(db, 'launch_point', [header, ...points(1, value)], flags)
  const value = (db: string) => launchPoints(db)[0]?.[2]
  const undo = (db: string, ...flags: readonly string[]) => fundpress('--undo', '--db', db, ...flags)
  const markOf = (db: string) => {
    const opened = new Database(folder.file(db))
    const mark = readMark(opened)
    opened.close()
    return mark?.isWhole === true ? mark.markedAt : null
  }

  it('is made by the first import of a load, and --undo puts it back once', async () => {
    const db = database()
    const whole = dumpAll(folder.file(db))
    expect(await importValue(db, '2')).toMatchObject({ code: 0, stderr: '' })
    const [copy = '', ...others] = copiesOf(db)
    expect(copy).toMatch(/^\d+\.sqlite\.2\d{3}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup$/)
    expect(others).toEqual([])
    const second = await importValue(db, '3')
    expect(second.stdout).toContain(folder.file(copy))
    expect(copiesOf(db)).toEqual([copy])

    const undone = await undo(db, '--json')
    expect(undone).toMatchObject({ code: 0, stderr: '' })
    const time = copy.slice(db.length + 1, -'.backup'.length).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')
    expect(JSON.parse(undone.stdout)).toEqual({ restored: db, time })
    expect(dumpAll(folder.file(db))).toEqual(whole)
    expect(filesBeside(db)).toEqual([])
    const opened = new Database(folder.file(db))
    expect(opened.pragma('journal_mode', { simple: true })).toBe(mode.toLowerCase())
    opened.close()

    expect(await undo(db)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `fundpress: ${db}: there is nothing to put back: no load has changed it since it was made or put back\n`,
    })
    expect(dumpAll(folder.file(db))).toEqual(whole)
  })

  it('is replaced by the first import after --complete, and has the mark of completeness', async () => {
    const db = database()
    await importValue(db, '2')
    const [before = ''] = copiesOf(db)
    await importValue(db, '3', '--complete')
    const mark = markOf(db)
    expect(mark).not.toBeNull()
    expect(copiesOf(db)).toEqual([before])
    await importValue(db, '4')
    await importValue(db, '5')
    const copies = copiesOf(db)
    expect(copies).toHaveLength(1)
    expect(copies).not.toEqual([before])
    expect(markOf(db)).toBeNull()

    expect(await undo(db)).toMatchObject({ code: 0, stderr: '' })
    expect({ value: value(db), mark: markOf(db) }).toEqual({ value: 3, mark })
    expect((await undo(db)).stderr).toContain('there is nothing to put back')
    // The next import begins a load again.
    await importValue(db, '6')
    expect(copiesOf(db)).toHaveLength(1)
    await undo(db)
    expect({ value: value(db), mark: markOf(db) }).toEqual({ value: 3, mark })
  })

  it('is there until the next load: --undo takes a complete load back, and what other programs did since', async () => {
    const db = database()
    await fundpress('--complete', '--db', db)
    const mark = markOf(db)
    await importValue(db, '2', '--complete')
    editDatabase(folder.file(db), 'DELETE FROM launch_point')
    expect((await undo(db)).code).toBe(0)
    expect({ value: value(db), mark: markOf(db) }).toEqual({ value: 1.5, mark })
  })

  it('has no mark if the database had lost it', async () => {
    const db = database()
    await fundpress('--complete', '--db', db)
    editDatabase(folder.file(db), 'DROP TRIGGER load_emt_delete')
    expect(markOf(db)).toBeNull()
    await importValue(db, '2')
    await undo(db)
    expect({ value: value(db), mark: markOf(db) }).toEqual({ value: 1.5, mark: null })
  })

  it('is not left by an import that fails or changes nothing, nor with --no-backup', async () => {
    const db = database()
    await importValue(db, '1.5')
    await importValue(db, 'x')
    await importValue(db, '2', '--dry-run')
    expect({ value: value(db), files: filesBeside(db) }).toEqual({ value: 1.5, files: [] })
    await importValue(db, '2', '--complete')
    expect(copiesOf(db)).toHaveLength(1)
    // Of the load before: it must not be put back over this one.
    await importValue(db, '3', '--no-backup')
    await importValue(db, '4')
    expect(filesBeside(db)).toEqual([])
    expect(await undo(db)).toMatchObject({
      code: 1,
      stderr: `fundpress: ${db}: there is nothing to put back: its last load began with --no-backup\n`,
    })
    expect(value(db)).toBe(4)
  })

  it('has what is in the log only, and programs that have the database open see it put back', async () => {
    const db = database()
    const other = new Database(folder.file(db))
    other.pragma('wal_autocheckpoint = 0')
    other.exec("UPDATE launch_point SET value = 7 WHERE date = '2020-01-01'")
    expect((await importValue(db, '8')).code).toBe(0)
    const read = () => other.prepare('SELECT max(value) FROM launch_point').pluck().get()
    other.exec('BEGIN')
    expect(read()).toBe(8)
    if (mode === 'DELETE') {
      const busy = await undo(db, '--wait', '0')
      expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining('other programs kept it busy') })
      other.exec('COMMIT')
      expect(await undo(db)).toMatchObject({ code: 0 })
    } else {
      expect(await undo(db)).toMatchObject({ code: 0 })
      // The transaction still sees what it saw before.
      expect(read()).toBe(8)
      other.exec('COMMIT')
    }
    expect(read()).toBe(7)
    other.exec("UPDATE launch_point SET value = 9 WHERE date = '2020-01-01'")
    expect(other.pragma('integrity_check', { simple: true })).toBe('ok')
    other.close()
    expect(value(db)).toBe(9)
  })

  it('waits for a writer before it is put back', async () => {
    const db = database()
    await importValue(db, '8')
    const writer = new Database(folder.file(db))
    writer.exec("BEGIN IMMEDIATE; UPDATE fund SET name = 'later'")
    const child = start(['import', '--undo', '--db', db], { cwd: folder.path })
    const end = ended(child)
    await says(child, 'waiting for other users')
    writer.exec('COMMIT')
    writer.close()
    expect(await end).toMatchObject({ code: 0 })
    expect(value(db)).toBe(1.5)
  })

  it.each(['import launch_point killed.csv', 'import --undo'])(
    '%s that is killed at any moment leaves the database of before or of after',
    async (line) => {
      const db = database()
      writeCsv(folder.file('killed.csv'), [header, ...points(1, '8')])
      const words = [...line.split(' '), '--db', db]
      const isUndo = line.endsWith('--undo')
      if (isUndo) await importValue(db, '8')
      const begun = performance.now()
      await runAlone(words, { cwd: folder.path })
      const whole = performance.now() - begun
      if (!isUndo) await undo(db)
      const rounds = times(8, 4)
      for (const round of Array.from({ length: rounds }, (_, index) => index)) {
        if (isUndo) await importValue(db, '8')
        const child = start(words, { cwd: folder.path })
        const end = ended(child)
        // The program spends half of its time to start.
        await setTimeout(whole * (0.5 + round / rounds / 2))
        child.kill('SIGKILL')
        await end
        const opened = new Database(folder.file(db))
        expect(opened.pragma('integrity_check', { simple: true })).toBe('ok')
        opened.close()
        const isLoaded = value(db) === 8
        expect([1.5, 8]).toContain(value(db))
        const undone = await undo(db)
        expect(undone.code).toBe(isLoaded ? 0 : 1)
        if (!isLoaded) expect(undone.stderr).toContain('there is nothing to put back')
        expect(value(db)).toBe(1.5)
        // What the killed one has left goes with the next load.
        await importValue(db, '9')
        expect(filesBeside(db)).toHaveLength(1)
        await undo(db)
      }
    },
  )
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

it('--undo does not put back a copy that is gone, or that of another database', async () => {
  const db = databaseOf20()
  await folder.importLines(db, 'launch_point', [header, ...points(1, '2')])
  const [copy = ''] = copiesOf(db)
  const kept = readFileSync(folder.file(copy))
  rmSync(folder.file(copy))
  const gone = await fundpress('--undo', '--db', db)
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining(`${folder.file(copy)} is gone`) })
  writeFileSync(folder.file(copy), kept)
  // Another database in the place of the one that was copied.
  copyFileSync(folder.file(folder.database()), folder.file(db))
  const other = await fundpress('--undo', '--db', db)
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to put back') })
})

it('a copy that cannot be made is an error that names the flag', async ({ skip }) => {
  if (userWithoutRights === undefined) skip('only root can read this checkout')
  const db = databaseOf20()
  // The log is there, so that the database can be written to in a folder that cannot.
  const open = new Database(folder.file(db))
  open.pragma('journal_mode = WAL')
  open.exec("UPDATE fund SET name = 'open'")
  for (const suffix of ['', '-wal', '-shm']) chmodSync(folder.file(db + suffix), 0o666)
  chmodSync(folder.path, 0o755)
  writeCsv(folder.file('denied.csv'), [header, ...points(1, '2')])
  const args = ['import', 'launch_point', 'denied.csv', '--db', db]
  const refused = await runAlone(args, { cwd: folder.path, ...userWithoutRights })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/no copy of \S+ could be made, .*--no-backup.*permission denied/)
  const taken = await runAlone([...args, '--no-backup'], { cwd: folder.path, ...userWithoutRights })
  expect(taken).toMatchObject({ code: 0, stderr: '' })
  open.close()
})

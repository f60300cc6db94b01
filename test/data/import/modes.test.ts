/** What an import leaves as it is, what it replaces, and what it says of it. */
import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { editDatabase, goodRows } from '../../support/database.ts'
import { importFolder, isins, type ImportFolder } from './database.ts'
import { dump, dumpAll, tableNames } from './dialects.ts'

const folder: ImportFolder = importFolder()
afterAll(folder.remove)
const [first, second, third] = isins

const header = ['isin', 'position', 'name_de', 'value']
const figures = (db: string) =>
  dump(folder.file(db), 'key_figure', 'isin, position, name_de, name_en, value, value2').rows

/** Both funds have the figure 4, with all columns. */
const figureOf = (isin: string) => [isin, 4, 'Volatilität', 'Volatility', '1,5 %', '2']

describe('without a flag', () => {
  it('a row that is there keeps what the file does not have', async () => {
    const db = folder.database()
    const lines = [header, [first, '4', 'Neu', '7'], [first, '5', 'Fünf', '5']]
    const { code, stdout } = await folder.importLines(db, 'key_figure', lines)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^table {2}key_figure\nfile {3}\d+\.csv\nform {3}UTF-8, delimiter ;\nnotes {2}not in the file: name_en, value2, has_value2\nlines {2}2\nrows {3}1 new, 1 changed, 0 unchanged, 0 removed\n$/,
      ),
    })
    expect(figures(db)).toEqual([
      [first, 4, 'Neu', 'Volatility', '7', '2'],
      [first, 5, 'Fünf', null, '5', null],
      figureOf(second),
    ])
  })

  it('an empty cell is NULL', async () => {
    const db = folder.database()
    await folder.importLines(db, 'key_figure', [
      [...header, 'name_en'],
      [first, '4', 'Neu', '7', ''],
    ])
    expect(figures(db)[0]).toEqual([first, 4, 'Neu', null, '7', '2'])
  })

  it('a fund is changed, and its rows stay', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const fund = { isin: first, ...goodRows['fund'], name: 'Renamed' }
    const lines = [Object.keys(fund), Object.values(fund).map(String)]
    expect(await folder.importLines(db, 'fund', lines)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 new, 1 changed, 0 unchanged, 0 removed'),
    })
    const after = dumpAll(folder.file(db))
    expect(after['fund']?.rows.map(([, , name]) => name)).toEqual(['Renamed', 'Good Fund', 'Empty Fund'])
    expect({ ...after, fund: before['fund'] }).toEqual(before)
  })
})

describe('with --replace', () => {
  it('what the file does not have goes, of the funds that it names', async () => {
    const db = folder.database()
    const lines = [header, [first, '5', 'Fünf', '5'], [first, '6', 'Sechs', '6']]
    const { stdout } = await folder.importLines(db, 'key_figure', lines, ['--replace'])
    expect(stdout).toContain('2 new, 0 changed, 0 unchanged, 1 removed')
    expect(figures(db)).toEqual([
      [first, 5, 'Fünf', null, '5', null],
      [first, 6, 'Sechs', null, '6', null],
      figureOf(second),
    ])
  })

  it('so do the values of columns that it does not have', async () => {
    const db = folder.database()
    await folder.importLines(db, 'key_figure', [header, [first, '4', 'Volatilität', '1,5 %']], ['--replace'])
    expect(figures(db)).toEqual([[first, 4, 'Volatilität', null, '1,5 %', null], figureOf(second)])
  })

  it('a fund that the file does not name stays, with its rows', async () => {
    const db = folder.database()
    const fund = { isin: first, ...goodRows['fund'] }
    const lines = [Object.keys(fund), Object.values(fund).map(String)]
    const before = dumpAll(folder.file(db))
    const { stdout } = await folder.importLines(db, 'fund', lines, ['--replace'])
    expect(stdout).toContain('0 new, 0 changed, 1 unchanged, 0 removed')
    expect(dumpAll(folder.file(db))).toEqual(before)
  })
})

describe('with --replace-all', () => {
  it('the rows of all other funds go', async () => {
    const db = folder.database()
    const lines = [header, [third, '1', 'Eins', '1']]
    const { stdout } = await folder.importLines(db, 'key_figure', lines, ['--replace-all'])
    expect(stdout).toContain('1 new, 0 changed, 0 unchanged, 2 removed')
    expect(figures(db)).toEqual([[third, 1, 'Eins', null, '1', null]])
  })

  it('funds that the file does not have go, with their rows in every table', async () => {
    const db = folder.database()
    const fund = { isin: first, ...goodRows['fund'] }
    const lines = [Object.keys(fund), Object.values(fund).map(String)]
    const before = dumpAll(folder.file(db))
    const { code, stdout } = await folder.importLines(db, 'fund', lines, ['--replace-all'])
    // Two funds, and a row in each of the ten other tables.
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('0 new, 0 changed, 1 unchanged, 12 removed'),
    })
    for (const table of tableNames) {
      expect(dump(folder.file(db), table).rows).toEqual(
        before[table]?.rows.filter(([isin]) => isin === first),
      )
    }
  })
})

describe('a file without a line after its header', () => {
  const headers = { fund: Object.keys({ isin: first, ...goodRows['fund'] }), key_figure: header }
  const ways = (['fund', 'key_figure'] as const).flatMap((table) =>
    ['', '--replace', '--replace-all', '--replace-all --dry-run', '--replace-all --skip-bad'].map(
      (flags) => [table, flags] as const,
    ),
  )

  it.each(ways)('is refused, and nothing goes: table %s %s', async (table, flags) => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const words = flags.split(' ').filter((word) => word !== '')
    // The second line has delimiters and nothing else.
    const lines = [headers[table], headers[table].map(() => '')]
    const { code, stdout, stderr } = await folder.importLines(db, table, lines, words)
    const text = String.raw`^fundpress: \d+\.csv has no line after its header: nothing was imported; check that the export is complete`
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(text)),
    })
    expect(dumpAll(folder.file(db))).toEqual(before)
    // The message says how to empty the table.
    const emptied = `If table ${table} is to be empty: `
    if (!flags.includes('--replace-all')) expect(stderr).not.toContain(emptied)
    else expect(stderr).toContain(emptied)
  })

  it.each(['plain.sqlite', "fonds d'or $(exit 3).sqlite"])(
    'is no way to empty a table; the one that the message names is, for a shell, too: %s',
    async (db) => {
      renameSync(folder.file(folder.database()), folder.file(db))
      const { stderr } = await folder.importLines(db, 'key_figure', [header], ['--replace-all'])
      const [, line = ''] = /to be empty: (sqlite3 [^\n]+)\n$/.exec(stderr) ?? []
      const script = `sqlite3() { printf '%s\\n' "$@"; }; ${line}`
      const words = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\n')
      expect(words).toEqual([db, expect.stringMatching(/^DELETE /), ''])
      editDatabase(folder.file(db), words[1] ?? '')
      expect(figures(db)).toEqual([])
      expect(await run(['check', '--db', db, '--as-of', '2026-11-20'], { cwd: folder.path })).toMatchObject({
        code: 0,
      })
    },
  )
})

it.each([[], ['--replace'], ['--replace-all']])(
  'a dry run %s says the same and changes nothing',
  async (...flags) => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const lines = [header, [first, '4', 'Neu', '7'], [first, '5', 'Fünf', '5']]
    const rows = (stdout: string) => /rows {3}([^\n(]*)/.exec(stdout)?.[1]?.trim()
    const dry = await folder.importLines(db, 'key_figure', lines, [...flags, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('(dry run: nothing was changed)')
    expect(dumpAll(folder.file(db))).toEqual(before)
    const real = await folder.importLines(db, 'key_figure', lines, flags)
    expect(rows(dry.stdout)).toBe(rows(real.stdout))
  },
)

it('--json says all of it', async () => {
  const lines = [header, [first, '4', 'Neu', '7']]
  const { stdout } = await folder.importLines(folder.database(), 'key_figure', lines, ['--json', '--dry-run'])
  expect(JSON.parse(stdout)).toEqual({
    table: 'key_figure',
    file: expect.any(String),
    dryRun: true,
    form: ['UTF-8, delimiter ;'],
    notes: ['not in the file: name_en, value2, has_value2'],
    lines: 1,
    changes: { added: 0, changed: 1, unchanged: 0, removed: 0 },
    badCount: 0,
    bad: [],
  })
})

it('--quiet says nothing but what is bad', async () => {
  const good = [header, [first, '4', 'Neu', '7']]
  expect(await folder.importLines(folder.database(), 'key_figure', good, ['--quiet'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  })
  const bad = await folder.importLines(
    folder.database(),
    'key_figure',
    [header, [first, 'x', 'N', '7']],
    ['--quiet'],
  )
  expect(bad.stdout).toBe('line 2: position "x" is not a whole number\n')
})

it('what is the same is not written again', async () => {
  const db = folder.database()
  const lines = [header, [first, '4', 'Neu', '7'], [second, '4', 'Neu', '7']]
  await folder.importLines(db, 'key_figure', lines)
  const watch = new Database(folder.file(db))
  const version = () => Number(watch.pragma('data_version', { simple: true }))
  const counter = () => dump(folder.file(db), 'pragma_freelist_count').rows
  const [before, pages] = [version(), counter()]
  const { stdout } = await folder.importLines(db, 'key_figure', lines)
  expect(stdout).toContain('0 new, 0 changed, 2 unchanged, 0 removed')
  expect([version(), counter()]).toEqual([before, pages])
  watch.close()
})

/** What an import leaves as it is, what it replaces, and what it says of it. */
import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { editDatabase, goodRows, readDatabase, type Row } from '../../support/database.ts'
import { forced } from '../../support/product.ts'
import { importFolder, isins } from './database.ts'
import { dump, dumpAll, tableNames } from './dialects.ts'

const folder = importFolder()
const [first, second, third] = isins

const header = ['isin', 'position', 'name_de', 'value']
const figures = (db: string) =>
  readDatabase(folder.file(db), 'SELECT isin, position, name_de, name_en, value, value2 FROM key_figure')

const fundLines = (changed: Row) => {
  const fund = { isin: first, ...goodRows['fund'], ...changed }
  return [Object.keys(fund), Object.values(fund).map(String)]
}

/** Both funds have the figure 4, with all columns. */
const figureOf = (isin: string) => ({
  isin,
  position: 4,
  name_de: 'Volatilität',
  name_en: 'Volatility',
  value: '1,5 %',
  value2: '2',
})

describe('import without a flag', () => {
  it('changes a fund and keeps its rows in other tables', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const { stdout } = await folder.importLines(db, 'fund', fundLines({ name: 'Renamed' }))
    expect(stdout).toContain('0 new, 1 changed, 0 unchanged, 0 removed')
    const after = dumpAll(folder.file(db))
    expect(after['fund']?.rows.map(([, , name]) => name)).toEqual(['Renamed', 'Good Fund', 'Empty Fund'])
    expect({ ...after, fund: before['fund'] }).toEqual(before)
  })
})

describe('import --replace', () => {
  it('deletes rows that the file lacks, of the funds in the file', async () => {
    const db = folder.database()
    const lines = [header, [first, '5', 'Fünf', '5'], [first, '6', 'Sechs', '6']]
    const { stdout } = await folder.importLines(db, 'key_figure', lines, ['--replace', ...forced])
    expect(stdout).toContain('2 new, 0 changed, 0 unchanged, 1 removed')
    expect(figures(db)).toEqual([
      { isin: first, position: 5, name_de: 'Fünf', name_en: null, value: '5', value2: null },
      { isin: first, position: 6, name_de: 'Sechs', name_en: null, value: '6', value2: null },
      figureOf(second),
    ])
  })

  it('keeps funds that the file does not name', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const { stdout } = await folder.importLines(db, 'fund', fundLines({}), ['--replace'])
    expect(stdout).toContain('0 new, 0 changed, 1 unchanged, 0 removed')
    expect(dumpAll(folder.file(db))).toEqual(before)
  })
})

describe('import --replace-all', () => {
  it('deletes the rows of funds that the file lacks', async () => {
    const db = folder.database()
    const lines = [header, [third, '1', 'Eins', '1']]
    const { stdout } = await folder.importLines(db, 'key_figure', lines, ['--replace-all', ...forced])
    expect(stdout).toContain('1 new, 0 changed, 0 unchanged, 2 removed')
    expect(figures(db)).toEqual([
      { isin: third, position: 1, name_de: 'Eins', name_en: null, value: '1', value2: null },
    ])
  })

  it('deletes funds that the file lacks, with their rows in every table', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const { code, stdout } = await folder.importLines(db, 'fund', fundLines({}), ['--replace-all', ...forced])
    // Two funds, and a row in each of the twelve other tables.
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('0 new, 0 changed, 1 unchanged, 14 removed'),
    })
    for (const table of tableNames) {
      const rows = before[table]?.rows.filter(([isin]) => isin === first)
      expect(dump(folder.file(db), table).rows).toEqual(rows)
    }
  })
})

it.each(['--replace', '--replace-all'])(
  'takes nothing with --skip-bad and %s if a line is bad: its row would be removed',
  async (flag) => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const lines = [header, [first, '4', '', '5'], [second, '4', 'Vier', '7']]
    const ended = await folder.importLines(db, 'key_figure', lines, ['--skip-bad', flag, ...forced])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('line 2: name_de is empty')
    expect(ended.stderr).toContain(
      `${flag} removes rows that the files do not have, so also those of bad lines: nothing was taken; ` +
        `correct the lines, or import without ${flag}`,
    )
    expect(dumpAll(folder.file(db))).toEqual(before)
    // Nor is the other flag named as a way.
    const { stderr } = await folder.importLines(db, 'key_figure', lines, [flag])
    expect(stderr).toMatch(/has 1 bad row: nothing was taken\n$/)
  },
)

describe('import of a file without a line after its header', () => {
  const headers = { fund: Object.keys({ isin: first, ...goodRows['fund'] }), key_figure: header }
  const flags = ['', '--replace', '--replace-all', '--replace-all --dry-run', '--replace-all --skip-bad']
  const ways = flags.flatMap((each) => [['fund', each] as const, ['key_figure', each] as const])

  it.each(ways)('is refused and deletes nothing: table %s %s', async (table, flags) => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const words = flags.split(' ').filter((word) => word !== '')
    // The second line has delimiters and nothing else.
    const lines = [headers[table], headers[table].map(() => '')]
    const { code, stdout, stderr } = await folder.importLines(db, table, lines, words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^fundpress: \d+\.csv has no line after its header: nothing was imported; check that the export is complete/,
    )
    expect(dumpAll(folder.file(db))).toEqual(before)
    // The message says how to empty the table.
    const saysHow = stderr.includes(`If table ${table} is to be empty: `)
    expect(saysHow).toBe(flags.includes('--replace-all'))
  })

  const names = ['plain.sqlite', "fonds d'or $(exit 3).sqlite"]
  it.each(names)('names a shell command that empties the table of %s', async (db) => {
    renameSync(folder.file(folder.database()), folder.file(db))
    const { stderr } = await folder.importLines(db, 'key_figure', [header], ['--replace-all'])
    const [, line = ''] = /to be empty: (sqlite3 [^\n]+)\n$/.exec(stderr) ?? []
    const script = `sqlite3() { printf '%s\\n' "$@"; }; ${line}`
    const words = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\n')
    expect(words).toEqual([db, expect.stringMatching(/^DELETE /), ''])
    editDatabase(folder.file(db), words[1] ?? '')
    expect(figures(db)).toEqual([])
    const checked = await run(['check', '--db', db, '--as-of', '2026-11-20'], { cwd: folder.path })
    expect(checked.code).toBe(0)
  })
})

it('import --dry-run shows the same counts and changes nothing', async () => {
  const lines = [header, [first, '4', 'Neu', '7'], [first, '5', 'Fünf', '5']]
  const rows = (stdout: string) => /key_figure {2}([^\n(]*)/.exec(stdout)?.[1]?.trim()
  for (const flags of [[], ['--replace'], ['--replace-all']]) {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const dry = await folder.importLines(db, 'key_figure', lines, [...flags, ...forced, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('(dry run: nothing was changed)')
    expect(dumpAll(folder.file(db))).toEqual(before)
    const real = await folder.importLines(db, 'key_figure', lines, [...flags, ...forced])
    expect(rows(dry.stdout)).toBe(rows(real.stdout))
  }
})

it('import --json prints the whole summary', async () => {
  const lines = [header, [first, '4', 'Neu', '7']]
  const { stdout } = await folder.importLines(folder.database(), 'key_figure', lines, ['--json', '--dry-run'])
  expect(JSON.parse(stdout)).toEqual({
    files: [
      {
        file: expect.any(String),
        format: 'table',
        table: 'key_figure',
        form: ['UTF-8, delimiter ;'],
        notes: ['not in the file: name_en, value2, has_value2'],
        warnings: [],
        leftOut: [],
        rows: 1,
        gone: 0,
        repeated: 0,
        completing: 0,
        hundredths: 0,
        summed: 0,
        badCount: 0,
      },
    ],
    dryRun: true,
    rows: 1,
    tables: { key_figure: { added: 0, changed: 1, unchanged: 0, removed: 0 } },
    notes: [],
    objections: [],
    allowed: [],
    copy: null,
    badCount: 0,
    bad: [],
  })
})

/** Lists without a position: the lines are numbered in their order, and the list replaces the one before. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [first, second] = isins

const header = ['isin', 'type', 'name_de', 'percent']
const item = (isin: string, type: string, name: string) => [isin, type, name, '10']
const query = `SELECT type || ' ' || position || ' ' || name_de AS item FROM structure_item
  WHERE isin = '${first}' AND type IN ('top_values', 'countries') ORDER BY type, position`

describe('import of lists without a position', () => {
  it('numbers the lines of each, and replaces what was there', async () => {
    const db = folder.database()
    const items = () => readDatabase(folder.file(db), query).map((row) => row['item'])
    const take = async (...lines: readonly (readonly string[])[]) => {
      const ended = await folder.importLines(
        db,
        'structure_item',
        [header, ...lines],
        ['--allow', 'removed-rows', '--reason', 'a shorter list'],
      )
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      return ended.stdout
    }
    const said = await take(
      item(first, 'top_values', 'Elbe'),
      item(second, 'top_values', 'Oder'),
      item(first, 'countries', 'Polen'),
      item(first, 'top_values', 'Weser'),
      item(first, 'top_values', 'Rhein'),
    )
    expect(said).toContain('numbered by the order of the lines: position')
    const whole = ['countries 1 Polen', 'top_values 1 Elbe', 'top_values 2 Weser', 'top_values 3 Rhein']
    expect(items()).toEqual(whole)
    await take(item(first, 'top_values', 'Rhein'), item(first, 'top_values', 'Elbe'))
    expect(items()).toEqual(['countries 1 Polen', 'top_values 1 Rhein', 'top_values 2 Elbe'])
  })

  it('finds the table of such a list by its columns', async () => {
    const db = folder.database()
    writeFileSync(
      folder.file('list.csv'),
      `${header.join(';')}\n${item(first, 'countries', 'Polen').join(';')}\n`,
    )
    const { code, stdout } = await folder.import(
      'list.csv',
      '--db',
      db,
      '--allow',
      'removed-rows',
      '--reason',
      'test',
    )
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('table structure_item\n') as string,
    })
    expect(readDatabase(folder.file(db), query)).toContainEqual({ item: 'countries 1 Polen' })
  })

  it.each([
    ['whose value is bad', [first, 'top_values', 'Oder', 'x'], ['Weser']],
    ['whose share cannot be', [first, 'top_values', 'Oder', '1e40'], ['Weser']],
    ['whose name is missing', [first, 'top_values', '', '10'], ['Weser']],
    ['of the wrong width', [first, 'top_values'], ['Weser']],
    ['whose fund is misspelt below its list', [first.replace('0', 'O'), 'top_values', 'Oder', '10'], []],
  ])('keep what the database has, where one has a line %s, and the report says so', async (_, bad, below) => {
    const db = folder.database()
    await folder.importLines(db, 'structure_item', [
      header,
      ...['Elbe', 'Oder', 'Weser'].map((name) => item(first, 'top_values', name)),
    ])
    const before = readDatabase(folder.file(db), query)
    const lines = [
      header,
      item(second, 'countries', 'Polen'),
      item(second, 'countries', 'Chile'),
      item(first, 'top_values', 'Rhein'),
      bad,
      ...below.map((name) => item(first, 'top_values', name)),
      item(second, 'currencies', 'Euro'),
    ]
    const { stdout } = await folder.importLines(db, 'structure_item', lines, ['--skip-bad'])
    expect(readDatabase(folder.file(db), query)).toEqual(before)
    expect(stdout).toMatch(/a list with a bad row: the database keeps its own \([12], the first: line 5\)/)
    expect(
      readDatabase(
        folder.file(db),
        `SELECT name_de AS name FROM structure_item WHERE isin = '${second}' AND type = 'countries' ORDER BY position`,
      ),
    ).toEqual([{ name: 'Polen' }, { name: 'Chile' }])
  })

  it('counts the lines of the file, not the lists that they replace', async () => {
    const db = folder.database()
    const types = ['top_values', 'countries', 'currencies', 'market_capitalization']
    const lines = types.flatMap((type) => ['Elbe', 'Oder', 'Weser'].map((name) => item(first, type, name)))
    const good = lines.slice(2)
    const bad = [first, 'top_values', 'Rhein', 'x']
    const take = (...flags: readonly string[]) =>
      folder.importLines(db, 'structure_item', [header, ...good, bad, bad], flags)
    const refused = await take()
    expect(refused.stdout).toMatch(/\nrows +12, 2 of them bad\n/)
    expect(refused.stderr).toContain('2 bad rows: nothing was taken (--skip-bad takes the other 10)')
    // A sixth is more than a tenth.
    const skipped = await take('--skip-bad', '--json')
    expect(skipped).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 bad rows of 12, a share that is not below'),
    })
    expect(JSON.parse(skipped.stdout)).toMatchObject({
      rows: 12,
      badCount: 2,
      files: [{ rows: 12, gone: 4 }],
    })
  })
})

/** Flags about lines together: they act on the lines of the file, in one order, in tables, in the EMT and in openfunds. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { workbook, workbookParts, zip } from './workbook.ts'

const folder = importFolder()
const [first, second, third] = isins

let files = 0
/** Imports a file into a database whose table is empty. */
async function importFile(table: string, content: readonly string[] | Buffer, ...flags: readonly string[]) {
  const isNamed = ['structure_item', 'price'].includes(table)
  const db = folder.database()
  editDatabase(folder.file(db), `DELETE FROM ${table}`)
  const file = `asked-${files++}.dat`
  writeFileSync(folder.file(file), Buffer.isBuffer(content) ? content : content.join('\n'))
  const ended = await folder.import(...(isNamed ? [table] : []), file, '--db', db, ...flags)
  const rowsOf = (sql: string) =>
    readDatabase(folder.file(db), sql).map((row) => Object.values(row).join(' '))
  return { ...ended, rowsOf, bad: ended.stdout.match(/^line \d+: .*$/gm) ?? [] }
}

const importItems = async (content: readonly string[] | Buffer, ...flags: readonly string[]) => {
  const ended = await importFile('structure_item', content, '--decimal', 'point', ...flags)
  return {
    ...ended,
    rows: ended.rowsOf('SELECT isin, name_de, percent FROM structure_item ORDER BY isin, position'),
  }
}
const importPrices = async (content: readonly string[] | Buffer, ...flags: readonly string[]) => {
  const ended = await importFile('price', content, '--decimal', 'point', '--derive', ...flags)
  return { ...ended, rows: ended.rowsOf('SELECT isin, date, net_asset_value FROM price').sort() }
}
const cellsOf = (lines: readonly string[]) => lines.map((line) => line.split(';').map((cell) => cell || null))
const header = 'isin;type;name_de;percent'
const filling = ['--fill-down', 'isin', '--fill-down', 'type']

/** @param rows from 1, hidden @param columns from 1, hidden */
function hiding(lines: readonly string[], rows: readonly number[], columns: readonly number[] = []): Buffer {
  const parts = workbookParts({ name: 'A', rows: cellsOf(lines) })
  const sheet = 'xl/worksheets/sheet1.xml'
  const cols = columns.map((at) => `<col min="${at}" max="${at}" hidden="1"/>`).join('')
  let xml = parts[sheet] ?? ''
  for (const row of rows) xml = xml.replace(`<row r="${row}">`, `<row r="${row}" hidden="1">`)
  if (cols !== '') xml = xml.replace('<sheetData>', `<cols>${cols}</cols><sheetData>`)
  return zip({ ...parts, [sheet]: xml })
}

describe('--fill-down', () => {
  it('takes the value of merged cells from a hidden row', async () => {
    const lines = [header, `${first};countries;Japan;100`, `${second};countries;Chile;60`, ';;Peru;40']
    const { code, rows } = await importItems(hiding(lines, [3]), ...filling, '--skip-hidden')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 100`, `${second} Peru 40`] })
  })

  it.each([
    ['a heading', ['', 'European Growth LU0048578792;;;', '']],
    ['an empty line', ['']],
    ['a line of delimiters', [';;;']],
    ['a line that is too wide', [`${second};countries;Chile;60;x`]],
    ['a line that is too wide and has no value of its own', [`;;${second};countries;Chile;60`]],
    ['a line that is bad', [`;;${second};Chile`]],
  ])('fills nothing below %s, and no message asks for it', async (_, between) => {
    const lines = [header, `${first};countries;Japan;60`, ...between, ';;Schweiz;50']
    const line = lines.length
    for (const flags of [filling, []]) {
      const { code, bad } = await importItems(lines, ...flags)
      expect(code).toBe(1)
      expect(bad.at(-1)).toContain(`line ${line}: isin is empty; type is empty`)
      expect(bad.at(-1)).not.toContain('--fill-down')
    }
    const taken = await importItems(lines, ...filling, '--skip-bad')
    // A list with a bad line beside it keeps what is live.
    expect(taken.rows).toEqual([])
  })

  it('goes on below a line that --skip leaves out', async () => {
    const lines = [header, `${first};countries;Japan;60`, ';;Summe;100', ';;Chile;40']
    const { code, rows } = await importItems(lines, ...filling, '--skip', 'name_de=Summe')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 60`, `${first} Chile 40`] })
  })
})

describe('--skip-hidden with a column before the others', () => {
  it('leaves the column out, and the others keep their numbers', async () => {
    const lines = ['isin;note;type;name_de;percent', `${first};x;countries;Japan;100`]
    const { code, stdout, rows } = await importItems(hiding(lines, [], [2]), '--skip-hidden')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 100`] })
    expect(stdout).toContain('hidden, and left out, as --skip-hidden says: column B')
    const unnamed = hiding(['isin;note;type;;name_de;percent', `${first};x;countries;y;Japan;100`], [], [2])
    const asked = await importItems(unnamed, '--skip-hidden')
    expect(asked.stderr).toContain('column 4 has no name')
    const proposed = await importItems(hiding(lines, [], [2]), '--skip-hidden', '--explain')
    expect(proposed.code).toBe(0)
  })

  it('does so in a file with a column for each fund', async () => {
    const book = hiding([`date;${first};note;${second}`, '2026-11-25;1.5;x;2.5'], [], [3])
    const { code, rows } = await importPrices(book, '--skip-hidden', '--map', '*=net_asset_value')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} 2026-11-25 1.5`, `${second} 2026-11-25 2.5`] })
  })

  it('compares hidden currencies of funds all the same', async () => {
    const book = hiding([`date;${first};${second}`, ';USD;EUR', '2026-11-25;1.5;2.5'], [2])
    const { code, stdout } = await importPrices(book, '--skip-hidden', '--map', '*=net_asset_value')
    expect(code).toBe(1)
    expect(stdout).toMatch(/line 3: currency is "USD", but fund/)
  })
})

describe('--skip-last', () => {
  const wide = [`date;${first};${second};${third}`, '2026-11-25;1.5;2.5;3.5', '2026-11-26;1.6;2.6;3.6']
  const all = [first, second, third].flatMap((isin, at) => [
    `${isin} 2026-11-25 ${at + 1}.5`,
    `${isin} 2026-11-26 ${at + 1}.6`,
  ])

  it.each([
    ['CSV', [...wide, 'EOF;;;']],
    ['CSV without delimiters', [...wide, 'EOF']],
    ['a workbook', workbook({ name: 'A', rows: cellsOf([...wide, 'EOF;;;']) })],
  ] as const)('counts lines, not prices: %s', async (_, content) => {
    const { code, stdout, rows } = await importPrices(
      content,
      '--map',
      '*=net_asset_value',
      '--skip-last',
      '1',
    )
    expect({ code, rows }).toEqual({ code: 0, rows: [...all].sort() })
    expect(stdout).toContain('lines at the end, as --skip-last says (1, the first: line 4)')
  })

  it('is named for lines, and bad rows are counted', async () => {
    const { bad, stdout } = await importPrices([...wide, 'EOF;1;2;3'], '--map', '*=net_asset_value')
    expect(bad).toEqual([expect.stringMatching(/^line 4: date "EOF" is not a day .* \(3 rows\)$/)])
    expect(stdout).toContain('9, 3 of them bad')
    const skipped = await importPrices(
      [...wide, ';1;2;3', ';4;5;6'],
      '--map',
      '*=net_asset_value',
      '--skip',
      'date=',
    )
    expect(skipped.stdout).toContain('lines without date, as --skip says (2, the first: line 4)')
  })

  it.each([
    ['a table', ['isin;date;net_asset_value', `${first};2026-11-25;1.5`, `${first};2026-11-26;1.6`], [], ''],
    ['a file with a column for each fund', wide, ['--map', '*=net_asset_value'], ' (3 rows)'],
  ])('makes a bad line of a row of %s', async (_, lines, flags, count) => {
    const { code, bad } = await importPrices(lines, ...flags, '--skip-last', '1')
    expect(code).toBe(1)
    expect(bad).toEqual([
      `line 3: it is a row like the others, and --skip-last leaves it out: the file may be incomplete; if it has no line to leave out, --skip-last 0 takes all${count}`,
    ])
  })

  it.each([
    ['a total', `${first};countries;Summe;100`],
    ['a total below merged cells', ';;Summe;100'],
    ['a count', 'TRL;2'],
  ])('leaves out %s', async (_, last) => {
    const lines = [header, `${first};countries;Japan;60`, `${first};countries;Chile;40`, last]
    const { code, rows } = await importItems(lines, ...filling, '--skip-last', '1')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 60`, `${first} Chile 40`] })
  })
})

describe('--skip-last with --fill-down', () => {
  const merged = [header, `${first};countries;Japan;60`, ';;Chile;40']
  const all = [`${first} Japan 60`, `${first} Chile 40`]

  it('loses no row of merged cells if the trailer is missing today', async () => {
    const { code, bad, rows } = await importItems(merged, ...filling, '--skip-last', '1')
    expect({ code, rows }).toEqual({ code: 1, rows: [] })
    expect(bad).toEqual([expect.stringContaining('line 3: it is a row like the others')])
    const { rows: taken } = await importItems(merged, ...filling, '--skip-last', '0')
    expect(taken).toEqual(all)
  })

  it('fills no trailer behind an empty line, though it may look like a row', async () => {
    const lines = [...merged, '', ';;Bestand;30']
    const { code, rows } = await importItems(lines, ...filling, '--skip-last', '1')
    expect({ code, rows }).toEqual({ code: 0, rows: all })
  })
})

describe('flags about lines in openfunds', () => {
  const flat = (...lines: readonly string[]) => [
    'OFST020000;OFST020540;OFST020520',
    `${first};EUR;2010-01-04`,
    ...lines,
  ]

  it('are honoured: --skip-last, --skip and --fill-down', async () => {
    const trailer = flat('EOF;;')
    expect((await importFile('corporate_action', trailer)).bad).toHaveLength(1)
    for (const flags of [
      ['--skip-last', '1'],
      ['--skip', 'OFST020000=EOF'],
    ])
      expect(await importFile('corporate_action', trailer, ...flags)).toMatchObject({ code: 0, bad: [] })
    const merged = flat(';EUR;')
    expect(await importFile('corporate_action', merged, '--fill-down', 'OFST020000')).toMatchObject({
      bad: [],
    })
  })

  it('make a bad line of a share class that --skip-last leaves out', async () => {
    const { code, bad } = await importFile(
      'corporate_action',
      flat(`${second};EUR;2010-01-04`),
      '--skip-last',
      '1',
    )
    expect({ code, bad }).toEqual({ code: 1, bad: [expect.stringContaining('line 3: it is a row like')] })
  })

  it('are refused for a column that the file does not have', async () => {
    const { code, stderr } = await importFile('corporate_action', flat(), '--skip', 'Name=x')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('a column "name", which the command line names') as string,
    })
  })
})

describe('flags about lines in the EMT', () => {
  const lines = ['00001_EMT_Version;00010_ISIN;00020_Type', `V4.2;${first};1`, 'EOF;;']

  it('are honoured: --skip-last and --skip', async () => {
    expect(await importFile('emt', lines)).toMatchObject({ code: 1 })
    for (const flags of [
      ['--skip-last', '1'],
      ['--skip', '00001_EMT_Version=EOF'],
    ])
      expect((await importFile('emt', lines, ...flags)).bad).toEqual([])
  })
})

describe('the config', () => {
  const configured = (settings: object): readonly string[] => {
    const file = `lines-${files++}.json`
    writeFileSync(folder.file(file), JSON.stringify({ import: settings }))
    return ['--config', file]
  }
  const share = ['OFST020000;OFST020540;OFST020560', `${first};EUR;2010-01-04 18:30`]
  const template = [
    '00001_EMT_Version;00010_ISIN;00020_Type;08030_Financial_Instrument_Ongoing_costs_ex_post',
  ]
  const formats: readonly (readonly [
    name: string,
    table: string,
    lines: readonly string[],
    settings: object,
  ])[] = [
    ['openfunds', 'corporate_action', [...share, 'EOF;;'], { skipLast: 1, dropTimes: true }],
    ['openfunds', 'corporate_action', [...share, 'x;EUR;'], { skip: { OFST020000: ['x'] }, dropTimes: true }],
    ['emt', 'emt', [...template, `V4.2;${first};1;0,01`, 'EOF;;;'], { skipLast: 1, decimal: 'comma' }],
  ]

  it.each(formats)(
    'says how lines of %s are read, into table %s: %j, %j',
    async (name, table, lines, own) => {
      expect((await importFile(table, lines)).code).toBe(1)
      const flags = configured({ [name]: own })
      expect(await importFile(table, lines, ...flags)).toMatchObject({ code: 0, bad: [], stderr: '' })
      const explained = await importFile(table, lines, ...flags, '--explain')
      expect(explained.stdout).toContain('The next import needs no part in the config.\n')
    },
  )

  it('is proposed for openfunds by --explain, as for tables', async () => {
    const lines = [...share, 'EOF;;']
    const { stdout } = await importFile(
      'corporate_action',
      lines,
      '--skip-last',
      '1',
      '--drop-times',
      '--explain',
    )
    const part = JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as { readonly import: object }
    expect(part).toEqual({ import: { openfunds: { skipLast: 1, dropTimes: true } } })
    expect(await importFile('corporate_action', lines, ...configured(part.import))).toMatchObject({ code: 0 })
  })

  it.each([
    [
      { openfunds: { columns: { Name: 'name' } } },
      'config import.openfunds.columns: only files of plain tables have that',
    ],
    [
      { openfunds: { derive: false } },
      'config import.openfunds.derive: only files of plain tables have that',
    ],
    [{ fundsxml: { skipLast: 1 } }, 'config import.fundsxml: there is no such table or format'],
  ])('is refused where it says what a format does not have: %j', async (settings, message) => {
    const { code, stderr } = await importFile('corporate_action', share, ...configured(settings))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string })
  })
})

describe('--skip that fits no line', () => {
  it('is told', async () => {
    const lines = [header, `${first};countries;Japan;100`]
    const { stdout } = await importItems(lines, '--skip', 'name_de=Sume')
    expect(stdout).toContain("--skip 'name_de=Sume' left out no line")
    const met = await importItems([...lines, `${first};countries;Summe;100`], '--skip', 'name_de=Summe')
    expect(met.code).toBe(0)
    expect(met.stdout).not.toContain('left out no line')
  })
})

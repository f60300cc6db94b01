/** Lines that flags leave out, cells that they fill, and the lines that ask for these flags: totals and merged cells. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { workbook, workbookParts, zip, type SheetCell } from './workbook.ts'

const folder = importFolder()
const [first, second] = isins

let files = 0
/** Imports lines into an empty table structure_item. */
async function importItems(content: readonly string[] | Buffer, ...flags: readonly string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM structure_item')
  const file = `items-${files++}.dat`
  writeFileSync(folder.file(file), Buffer.isBuffer(content) ? content : content.join('\n'))
  const all = ['structure_item', file, '--db', db, '--set', 'type=countries', ...flags]
  const ended = await folder.import(...all, ...(Buffer.isBuffer(content) ? [] : ['--decimal', 'point']))
  const rows = readDatabase(
    folder.file(db),
    'SELECT isin, name_de AS name, percent FROM structure_item ORDER BY isin, position',
  )
  return { ...ended, rows: rows.map(({ isin, name, percent }) => [isin, name, percent].join(' ')) }
}

const header = 'ISIN;Name;percent'
const named = ['--map', 'Name=name_de']

/** @param items name and share */
const items = (isin: string, ...list: readonly (readonly [string, string])[]) =>
  list.map(([name, percent]) => `${isin};${name};${percent}`)

describe('a line that is the total of others', () => {
  const ofFirst = items(first, ['Japan', '40'], ['Chile', '35'], ['Peru', '25'])
  const ofSecond = items(second, ['Japan', '60.04'], ['Chile', '39.93'])

  it.each([
    'Summe',
    'SUMME:',
    'Summe Länder',
    'Gesamt',
    'Gesamtsumme',
    'Zwischensumme',
    'Insgesamt',
    'Sum',
    'Total Portfolio',
    'Fonds gesamt',
  ])('is bad by its name %s, with the flag that leaves it out of each list', async (name) => {
    const lines = [header, ...ofFirst, `${first};${name};100`, ...ofSecond, `${second};${name};99.97`]
    const { code, stdout, rows } = await importItems(lines, ...named)
    expect({ code, rows }).toEqual({ code: 1, rows: [] })
    for (const line of [5, 8])
      expect(stdout).toContain(
        `line ${line}: Name (name_de) is "${name}": it looks like a total of other lines, which is no item; --skip 'Name=${name}' leaves it out, --keep 'Name=${name}' takes it as an item\n`,
      )
    const skipped = await importItems(lines, ...named, '--skip', `Name=${name}`)
    expect(skipped.code).toBe(0)
    expect(skipped.stdout).toContain(`lines with Name "${name}", as --skip says (2, the first: line 5)`)
    expect(skipped.rows).toHaveLength(5)
  })

  it.each([
    [
      'Total',
      '100',
      'of a list that is cut',
      [
        ['Japan', '9'],
        ['Chile', '8'],
      ],
    ],
    [
      'Total',
      '17',
      'of the largest',
      [
        ['Japan', '9'],
        ['Chile', '8'],
      ],
    ],
    [
      'Portfolio',
      '100.00',
      'under a name of its own',
      [
        ['Japan', '60.02'],
        ['Chile', '39.96'],
      ],
    ],
  ] as const)('is found as %s with %s: %s', async (name, percent, _, list) => {
    const { code, stdout } = await importItems([header, ...items(first, ...list, [name, percent])], ...named)
    expect(code).toBe(1)
    expect(stdout).toContain(`line 4: Name (name_de) is "${name}": it looks like a total`)
  })

  it.each([
    [
      'the company Total, the largest of a list',
      [
        ['Total', '9.1'],
        ['Airbus', '8.2'],
        ['LVMH', '7.3'],
      ],
    ],
    [
      'what is left, as much as all others',
      [
        ['Japan', '30'],
        ['Chile', '20'],
        ['Others', '50'],
      ],
    ],
    [
      'two exposures of 100 %',
      [
        ['Bonds', '100'],
        ['Futures', '100'],
      ],
    ],
    ['a single item', [['Japan', '100']]],
    [
      'a company whose name is a word for all',
      [
        ['All', '5'],
        ['Sum', '3'],
        ['Total Energies', '8'],
      ],
    ],
    [
      'an item that only has such a name',
      [
        ['Bonds', '40'],
        ['Equities total', '60'],
      ],
    ],
    [
      'names that begin with these words',
      [
        ['Sumitomo', '50'],
        ['Totality', '30'],
        ['Gesamtwerk', '20'],
      ],
    ],
  ] as const)('is not %s', async (_, list) => {
    const { code, stdout, rows } = await importItems([header, ...items(first, ...list)], ...named)
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
    expect(rows).toHaveLength(list.length)
  })

  it('is bad below a part of the list, and in a list of fractions', async () => {
    const parts = items(
      first,
      ['Germany', '35'],
      ['France', '25'],
      ['Equities total', '60'],
      ['Bonds', '30'],
      ['Cash', '10'],
      ['Total portfolio', '100'],
    )
    const fractions = items(second, ['Japan', '0.6'], ['Chile', '0.4'], ['Total portfolio', '1'])
    const { code, stdout } = await importItems([header, ...parts, ...fractions], ...named)
    expect(code).toBe(1)
    expect(stdout.match(/^line \d+: Name \(name_de\) is "[^"]+": it looks like a total/gm)).toEqual([
      'line 4: Name (name_de) is "Equities total": it looks like a total',
      'line 7: Name (name_de) is "Total portfolio": it looks like a total',
      'line 10: Name (name_de) is "Total portfolio": it looks like a total',
    ])
  })

  it('is not an exposure of 100 % in a structure with derivatives', async () => {
    const db = folder.database()
    const lines = ['Renten;100', 'Zinsfutures;70', 'Aktienfutures;30'].map((item) => [
      first,
      'asset_structure_derivatives',
      ...item.split(';'),
    ])
    const header = ['isin', 'type', 'name_de', 'percent']
    const { code, stdout } = await folder.importLines(db, 'structure_item', [header, ...lines])
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('is bad in an asset allocation, for its own day', async () => {
    const lines = [
      ['isin', 'derivatives', 'class_de', 'date', 'percent'],
      [second, '0', 'Aktien', '2024-05-02', '70'],
      [second, '0', 'Anleihen', '2024-05-02', '30'],
      [second, '0', 'Alles', '2024-05-02', '100'],
      [second, '1', 'Aktien', '2024-05-02', '100'],
    ]
    const { stdout } = await folder.importLines(folder.database(), 'asset_allocation', lines)
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([
      "line 4: class_de is \"Alles\": it looks like a total of other lines, which is no item; --skip 'class_de=Alles' leaves it out, --keep 'class_de=Alles' takes it as an item",
    ])
  })
})

describe('import with --keep', () => {
  const lines = [header, ...items(first, ['Japan', '60'], ['Summe AG', '30'], ['Peru', '10'])]
  const rows = [`${first} Japan 60`, `${first} Summe AG 30`, `${first} Peru 10`]

  it('takes an item that looks like a total, by its name, in any case', async () => {
    expect((await importItems(lines, ...named)).code).toBe(1)
    const { code, rows: taken } = await importItems(lines, ...named, '--keep', 'name=summe ag')
    expect({ code, taken }).toEqual({ code: 0, taken: rows })
  })

  it('does so by the config, which --explain proposes', async () => {
    const { stdout } = await importItems(lines, ...named, '--keep', 'Name=Summe AG', '--explain')
    expect(stdout).toContain('"keep": {\n        "Name": [\n          "Summe AG"\n        ]\n      }')
    const part = { keep: { Name: ['Summe AG'] }, columns: { Name: 'name_de' } }
    writeFileSync(folder.file('keep.json'), JSON.stringify({ import: { structure_item: part } }))
    const { code, rows: taken } = await importItems(lines, '--config', 'keep.json')
    expect({ code, taken }).toEqual({ code: 0, taken: rows })
  })

  it('leaves other totals bad, and says if it is of no line', async () => {
    const total = [...lines, `${first};Summe;100`]
    const { code, stdout } = await importItems(total, ...named, '--keep', 'Name=Summe AG')
    expect(code).toBe(1)
    expect(stdout.match(/^line \d+: /gm)).toEqual(['line 5: '])
    const wrong = await importItems(lines, ...named, '--keep', 'Name=Sume', '--skip', 'Name=Summe AG')
    expect(wrong.stdout).toContain("--keep 'Name=Sume' is of no line")
    const lacking = await importItems(lines, ...named, '--keep', 'Typ=x')
    expect(lacking.stderr).toContain('the file has no column "typ"')
  })
})

describe('import with --skip', () => {
  const lines = [header, `${first};Japan;60`, 'TRL;;2', ';Footer;3']

  it('leaves out lines by texts of several columns, whatever their case, and those without a text', async () => {
    const flags = ['--skip', 'isin=trl', '--skip', 'ISIN=']
    const { code, stdout, rows } = await importItems(lines, ...named, ...flags)
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 60`] })
    expect(stdout).toContain('lines with ISIN "trl", as --skip says (1, the first: line 3)')
    expect(stdout).toContain('lines without ISIN, as --skip says (1, the first: line 4)')
  })

  it('does so by the config', async () => {
    const config = {
      import: { structure_item: { skip: { ISIN: ['TRL', ''] }, columns: { Name: 'name_de' } } },
    }
    writeFileSync(folder.file('skip.json'), JSON.stringify(config))
    const { code, rows } = await importItems(lines, '--config', 'skip.json')
    expect({ code, rows }).toEqual({ code: 0, rows: [`${first} Japan 60`] })
  })

  it('does not look at the numbers of lines that are left out', async () => {
    const commas = [header, `${first};Japan;60.5`, `${first};Summe;60,5`]
    const db = folder.database()
    writeFileSync(folder.file('marks.csv'), commas.join('\n'))
    const flags = [...named, '--set', 'type=countries', '--skip', 'Name=Summe', '--replace']
    expect(await folder.import('structure_item', 'marks.csv', '--db', db, ...flags)).toMatchObject({
      code: 0,
    })
  })

  it('refuses a column that the file lacks', async () => {
    const { code, stderr } = await importItems(lines, ...named, '--skip', 'Typ=TRL')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('the file has no column "typ"') as string,
    })
  })

  it('is part of the config that --explain proposes', async () => {
    const { stdout } = await importItems(
      lines,
      ...named,
      '--skip',
      'ISIN=TRL',
      '--fill-down',
      'ISIN',
      '--explain',
    )
    expect(stdout).toContain('"skip": {\n        "ISIN": [\n          "TRL"\n        ]\n      }')
    expect(stdout).toContain('"fillDown": [\n        "ISIN"\n      ]')
  })
})

describe('a cell that is empty below another one', () => {
  const lines = [header, `${first};Japan;60`, ';Chile;40', `${second};Japan;70`, ';Chile;30']
  const rows = [`${first} Japan 60`, `${first} Chile 40`, `${second} Japan 70`, `${second} Chile 30`]
  const sheet = workbook({
    name: 'A',
    rows: lines.map((line) => line.split(';').map((cell) => cell || null)),
  })

  it.each([
    ['CSV', lines],
    ['a workbook', sheet],
  ] as const)('of %s is asked for, with the flag, which fills it and says so', async (_, content) => {
    const asked = await importItems(content, ...named)
    expect(asked).toMatchObject({ code: 1, rows: [] })
    expect(asked.stdout).toContain(
      `line 3: isin is empty; the last one above is "${first}": if the cells are merged, --fill-down ISIN takes it\n`,
    )
    const filled = await importItems(content, ...named, '--fill-down', 'isin')
    expect({ code: filled.code, rows: filled.rows }).toEqual({ code: 0, rows })
    expect(filled.stdout).toContain('filled with the cell above, as --fill-down says: ISIN (2 lines)')
  })

  it('is filled from no line that cannot be read, and from no header that comes again', async () => {
    const torn = [header, `${first};Japan;60`, `${second};a "b";70`, ';Chile;30', header, ';Peru;10']
    const { stdout } = await importItems(torn, ...named, '--fill-down', 'ISIN')
    expect(stdout.match(/^line \d+: isin .*$/gm)).toEqual(['line 4: isin is empty', 'line 6: isin is empty'])
  })

  it('is no merged one in a line with other faults', async () => {
    const { stdout } = await importItems([header, `${first};Japan;60`, ';;x'], ...named)
    expect(stdout).toContain('line 3: isin is empty; ')
    expect(stdout).not.toContain('--fill-down')
  })
})

describe('merged cells of a workbook', () => {
  const sheet = 'xl/worksheets/sheet1.xml'
  const asItIs = (xml: string) => xml
  const merging = (
    rows: readonly (readonly SheetCell[])[],
    ranges: readonly string[],
    edit = asItIs,
  ): Buffer => {
    const parts = workbookParts({ name: 'A', rows })
    const cells = ranges.map((ref) => `<mergeCell ref="${ref}"/>`).join('')
    const xml = parts[sheet]?.replace('</sheetData>', `</sheetData><mergeCells>${cells}</mergeCells>`) ?? ''
    return zip({ ...parts, [sheet]: edit(xml) })
  }
  const share = (percent: string) => ({ number: percent })
  const rows: readonly (readonly SheetCell[])[] = [
    ['Fund list', null, null],
    ['ISIN', 'name_de', 'percent'],
    [first, 'Japan', share('60')],
    [null, 'Chile', share('40')],
    [second, 'Peru', share('100')],
  ]
  const taken = [`${first} Japan 60`, `${first} Chile 40`, `${second} Peru 100`]

  it('have the value of their range in each of its rows, as the report says, without a flag', async () => {
    const { code, stdout, rows: found } = await importItems(merging(rows, ['A3:A4', 'A1:C1']))
    expect({ code, found }).toEqual({ code: 0, found: taken })
    expect(stdout).toContain('filled, as the cells are merged: column A (1 cell)')
  })

  it('do so beside what is hidden and left out: their first row, and a column before them', async () => {
    const hiding = (xml: string) =>
      xml
        .replace('<sheetData>', '<cols><col min="1" max="1" hidden="1"/></cols><sheetData>')
        .replace('<row r="3">', '<row r="3" hidden="1">')
    const book = merging(
      rows.map((cells) => ['x', ...cells]),
      ['B3:B4'],
      hiding,
    )
    const { code, stdout, rows: found } = await importItems(book, '--skip-hidden')
    expect({ code, found }).toEqual({ code: 0, found: taken.slice(1) })
    expect(stdout).toContain('filled, as the cells are merged: column B (1 cell)')
  })

  it('end where their range ends', async () => {
    const { code, stdout } = await importItems(merging([...rows, [null, 'Rest', share('1')]], ['A3:A4']))
    expect(code).toBe(1)
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([expect.stringMatching(/^line 6: isin is empty; /)])
  })

  it('make no row of one that has nothing else', async () => {
    const [title = [], header = [], ...items] = rows
    const { code, rows: found } = await importItems(
      merging([title, header, ...items, [null, null, null], [null, 'Rest', share('1')]], ['A3:A4', 'A5:A7']),
    )
    expect({ code, found }).toEqual({ code: 0, found: [...taken, `${second} Rest 1`] })
  })

  it('are bad where a share is merged, as it may be the sum of the rows, until --fill-down says that it is of each', async () => {
    const [title = [], header = []] = rows
    const shares = [[first, 'Japan', share('50')] as const, [first, 'Chile', null] as const]
    const book = merging([title, header, ...shares], ['C3:C4'])
    const { code, stdout } = await importItems(book)
    expect(code).toBe(1)
    const fault =
      'percent is "50" in merged cells: that may be the sum of their rows; --fill-down percent takes it for each of them'
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([`line 3: ${fault}`, `line 4: ${fault}`])
    const filled = await importItems(book, '--fill-down', 'percent')
    expect(filled).toMatchObject({ code: 0, rows: [`${first} Japan 50`, `${first} Chile 50`] })
  })

  it('have a number in each row where it is no part of a sum: a year, a price, a surcharge', async () => {
    const db = folder.database()
    const price = (nav: string) => ({ number: nav })
    const book = merging(
      [
        ['isin', 'date', 'net_asset_value', 'issue_price', 'repurchase_price'],
        [first, { day: '2026-11-27' }, price('61.5'), price('64.5'), price('61.5')],
        [null, { day: '2026-11-30' }, null, null, null],
      ],
      ['A2:A3', 'C2:C3', 'D2:D3', 'E2:E3'],
    )
    writeFileSync(folder.file('merged-prices.xlsx'), book)
    const { code, stdout } = await folder.import('price', 'merged-prices.xlsx', '--db', db, '--derive')
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'filled, as the cells are merged: column A (1 cell), C (1 cell), D (1 cell), E (1 cell)',
      ),
    })
    expect(
      readDatabase(
        folder.file(db),
        `SELECT net_asset_value AS nav, issue_price AS issue FROM price WHERE isin = '${first}' AND date >= '2026-11-27'`,
      ),
    ).toEqual([
      { nav: '61.5', issue: '64.5' },
      { nav: '61.5', issue: '64.5' },
    ])
  })

  it('that are said to have cells in common end the work all the same', async () => {
    const ranges = Array.from({ length: 50_000 }, (_, at) => `A3:A${1_000_000 - at}`)
    expect((await importItems(merging(rows, ranges))).code).toBe(0)
  })
})

describe('a percentage in place of a coefficient', () => {
  it.each(['50 %', '50%'])('is bad: %s', async (percent) => {
    const lines = [
      ['isin', 'type', 'position', 'name_de', 'percent'],
      [first, 'correlation', '1', 'Index', percent],
      [first, 'countries', '1', 'Japan', percent],
    ]
    const { code, stdout } = await folder.importLines(folder.database(), 'structure_item', lines)
    expect(code).toBe(1)
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([
      `line 2: percent is "${percent}": a correlation is a coefficient, 0.5 and not 50 %; or --skip 'type=correlation' leaves such lines out`,
    ])
  })
})

describe('what a workbook hides', () => {
  const rows = [
    ['ISIN', 'name_de', 'percent', 'name_en'],
    [first, 'Japan', '60', 'Japan'],
    [first, 'Chile', '30', 'Chile'],
    [first, 'Peru', '10', 'Peru'],
  ]
  const parts = workbookParts({ name: 'Old', rows }, { name: 'Items', rows })

  /** @param changes texts of parts, before and after */
  function hiding(...changes: readonly (readonly [part: string, before: string, after: string])[]): Buffer {
    const changed = { ...parts }
    for (const [part, before, after] of changes) {
      const found = changed[part] ?? ''
      expect(found).toContain(before)
      changed[part] = found.replace(before, after)
    }
    return zip(changed)
  }
  const sheet = 'xl/worksheets/sheet2.xml'
  const hiddenRows = [
    [sheet, '<row r="3">', '<row r="3" hidden="1">'],
    [sheet, '<row r="4">', '<row r="4" hidden="true">'],
    // Nobody misses an empty one.
    [sheet, '</sheetData>', '<row r="9" hidden="1"/></sheetData>'],
  ] as const
  const hiddenColumn = [
    [
      sheet,
      '<sheetData>',
      '<cols><col min="1" max="3" hidden="0"/><col min="4" max="16384" hidden="1"/></cols><sheetData>',
    ],
  ] as const
  const hiddenSheet = [['xl/workbook.xml', 'sheetId="1"', 'sheetId="1" state="veryHidden"']] as const
  const all = rows.slice(1).map(([isin, name, percent]) => `${isin} ${name} ${percent}`)

  it('is taken: rows and columns, and the report names them', async () => {
    const ended = await importItems(hiding(...hiddenRows, ...hiddenColumn), '--sheet', 'Items')
    expect({ code: ended.code, rows: ended.rows }).toEqual({ code: 0, rows: all })
    expect(ended.stdout).toContain(
      'hidden, and taken all the same (--skip-hidden leaves it out): 2 rows, the first 3; column D',
    )
  })

  it('is left out by --skip-hidden: rows, columns and sheets', async () => {
    const book = hiding(...hiddenRows, ...hiddenColumn, ...hiddenSheet)
    const { code, stdout, rows: taken } = await importItems(book, '--skip-hidden')
    expect({ code, taken }).toEqual({ code: 0, taken: all.slice(0, 1) })
    expect(stdout).toContain('hidden, and left out, as --skip-hidden says: 2 rows, the first 3; column D')
    expect(stdout).toContain('not in the file: name_en')
  })

  it('is no column that is ignored, and no row above the header', async () => {
    const book = hiding(...hiddenColumn, [sheet, '<row r="1">', '<row r="1" hidden="1">'])
    const { code, stdout } = await importItems(book, '--sheet', 'Items', '--map', 'name_en=')
    expect(code).toBe(0)
    expect(stdout).not.toContain('hidden')
  })

  it('may be a sheet that is named, and not the only one', async () => {
    const book = hiding(...hiddenSheet)
    const { stdout } = await importItems(book, '--sheet', 'Old')
    expect(stdout).toContain('hidden, and taken all the same (--skip-hidden leaves it out): the sheet')
    const both = hiding(...hiddenSheet, ['xl/workbook.xml', 'sheetId="2"', 'sheetId="2" state="hidden"'])
    const { code, stderr } = await importItems(both, '--skip-hidden')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('all sheets are hidden, and --skip-hidden leaves them out') as string,
    })
  })
})

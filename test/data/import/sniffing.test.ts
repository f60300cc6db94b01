/** How a file is written is found out from all of it, shown, and asked for where it is left open. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readDatabase } from '../../support/database.ts'
import { importFolder, isins, refusal } from './database.ts'

const folder = importFolder()
const isin = isins[2]

let files = 0
async function importText(text: string | Buffer, table: string, ...flags: string[]) {
  const file = `text-${files++}.csv`
  const db = folder.database()
  writeFileSync(folder.file(file), text)
  const ended = await folder.import(table, file, '--db', db, ...flags)
  const rows = () => readDatabase(folder.file(db), `SELECT * FROM ${table} WHERE isin = ?`, isin)
  return { ...ended, said: ended.stderr.replace(`fundpress: ${file}`, 'file').trim(), rows }
}

const points = (...values: string[]): string =>
  ['isin;date;value', ...values.map((value, index) => `${isin};0${index + 1}.02.2024;${value}`)].join('\n')

describe('import of numbers', () => {
  it.each([
    [['1,5', '1.234'], 'decimal comma', [1.5, 1234]],
    [['1.5', '1,234'], 'decimal point', [1.5, 1234]],
    [['1.234,5', '7'], 'decimal comma', [1234.5, 7]],
    [["1'234.5", '7'], 'decimal point', [1234.5, 7]],
    [['1234.567', '7'], 'decimal point', [1234.567, 7]],
  ])('finds that %j have a %s', async (values, form, expected) => {
    const { stdout, stderr, rows } = await importText(points(...values), 'legal_point')
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining(`, ${form}, `), stderr: '' })
    expect(rows().map(({ value }) => value)).toEqual(expected)
  })

  it.each([
    [['1.234', '2.345'], '"1.234" (line 2)'],
    [['7', '1,234'], '"1,234" (line 3)'],
    [['1,234', '1.234'], '"1,234" (line 2)'],
  ])('asks for --decimal if a column holds only %j', async (values, example) => {
    const { code, said, rows } = await importText(points(...values), 'legal_point')
    expect({ code, said }).toEqual({
      code: 1,
      said:
        `file: column value: ${example} can be read with a decimal comma and with a decimal point, and no other ` +
        'cell of the column decides it: choose one with --decimal',
    })
    expect(rows()).toEqual([])
    const comma = await importText(points(...values), 'legal_point', '--decimal', 'comma')
    const point = await importText(points(...values), 'legal_point', '--decimal', 'point')
    const read = (text: string, group: string, mark: string) =>
      Number(text.replace(group, '').replace(mark, '.'))
    expect(comma.rows().map(({ value }) => value)).toEqual(values.map((text) => read(text, '.', ',')))
    expect(point.rows().map(({ value }) => value)).toEqual(values.map((text) => read(text, ',', '.')))
  })

  it('names a line of each mark if a column has both', async () => {
    const reason = '"1,5" (line 2) has a decimal comma, "2.25" (line 4) a decimal point'
    expect(await importText(points('1,5', '2', '2.25'), 'legal_point')).toMatchObject(refusal(reason))
    const { stdout } = await importText(points('1,5', '2', '2.25'), 'legal_point', '--decimal', 'comma')
    expect(stdout).toContain('line 4: value "2.25" is not a number (with a decimal comma)\n')
  })

  /** A command without a table, for what says itself what it is. */
  const importFiles = async (text: string, ...flags: string[]) => {
    const file = `text-${files++}.csv`
    const db = folder.database()
    writeFileSync(folder.file(file), text)
    const ended = await folder.import(file, '--db', db, ...flags)
    return { ...ended, said: ended.stderr.replace(`fundpress: ${file}`, 'file').trim() }
  }
  const day = '27.11.2026'
  const noted = ['--map', 'Note=', '--derive']
  it.each([
    [
      'a cell of an ignored column',
      ['price', ...noted],
      `isin,date,net_asset_value,Note\n${isin},${day},61,83,\n`,
    ],
    [
      'a line without its last cell',
      ['price', ...noted],
      `isin,date,net_asset_value,Note\n${isin},${day},61,83\n`,
    ],
    [
      'thousands',
      ['price', '--decimal', 'comma', ...noted],
      `isin,date,net_asset_value,Note\n${isin},${day},1.061,83,\n`,
    ],
    ['a percentage', ['legal_point', '--map', 'Note='], `isin,date,value,Note\n${isin},${day},5,5 %,\n`],
    ['a currency behind', ['price', ...noted], `isin,date,net_asset_value,Note\n${isin},${day},61,83 EUR,\n`],
    [
      'groups of thousands',
      ['price', ...noted],
      `isin,date,net_asset_value,Note\n${isin},${day},1 061,83,\n`,
    ],
    ['a Swiss number', ['price', ...noted], `isin,date,net_asset_value,Note\n${isin},${day},-1'061,83,\n`],
    [
      'one line of many',
      ['price', ...noted],
      `isin,date,net_asset_value,Note\n${isin},26.11.2026,62,,\n${isin},${day},61,83,\n`,
    ],
    [
      'a cell of a column',
      ['structure_item'],
      `isin,type,position,name_de,percent,name_en\n${isin},top_values,1,Bund,60,5,\n`,
    ],
    [
      'a column for each fund',
      ['price', '--map', '*=net_asset_value', ...noted],
      `date,${isin},Note\n${day},61,83,\n`,
    ],
    ['openfunds, a column a field', [], `OFST020000,OFDY000010,OFDY000040,Note\n${isin},${day},61,83,\n`],
    [
      'openfunds, a line a field',
      [],
      `ISIN,Field,Value,Note\n${isin},OFDY000010,${day},\n${isin},OFDY000040,61,83,\n`,
    ],
  ])('never takes 61 for 61,83 that a comma has split: %s', async (_, [table, ...flags], text) => {
    const ended = await (table === undefined ? importFiles(text) : importText(text, table, ...flags))
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.said).toMatch(
      /^file: column [^:]*: "[-\d. ']+" \(line \d\) may be "[-\d. ']+,\d+(?: %| EUR)?", as commas separate/,
    )
  })

  it('takes whole numbers where --decimal says so, or a number of the column has a decimal point', async () => {
    const text = (last: string) =>
      `isin,date,value,Note\n${isin},2024-02-01,61,83\n${isin},2024-02-02,${last},5\n`
    const ignored = ['--map', 'Note=']
    const open = await importText(text('62'), 'legal_point', ...ignored)
    expect(open.said).toContain('if the column has whole numbers, --decimal point says so')
    const said = await importText(text('62'), 'legal_point', ...ignored, '--decimal', 'point')
    expect(said.rows().map(({ value }) => value)).toEqual([61, 62])
    const clear = await importText(text('62.5'), 'legal_point', ...ignored)
    expect(clear.rows().map(({ value }) => value)).toEqual([61, 62.5])
  })

  const prices = (nav: string, percent: string): string =>
    'isin;date;issue_price;repurchase_price;net_asset_value;change;change_percent;performance\n' +
    `${isin};02.05.2024;10,50;10,50;${nav};-0,5;${percent};3\n`

  it('reads columns with different marks, as the interface itself has', async () => {
    const { stdout, rows } = await importText(prices('10,50', '-0.51'), 'price')
    expect(stdout).toContain(
      'decimal comma (issue_price, repurchase_price, net_asset_value, change) and point (change_percent)',
    )
    expect(rows()).toEqual([
      {
        isin,
        date: '2024-05-02',
        issue_price: '10.50',
        repurchase_price: '10.50',
        net_asset_value: '10.50',
        change: '-0.5',
        change_percent: '-0.51',
        performance: '3',
        intercompany_profit: null,
        share_profit: null,
        real_estate_profits: null,
        share_profit2: null,
      },
    ])
  })

  it('reads an open column as the others if that makes it a fraction', async () => {
    const { rows } = await importText(prices('10,505', '-0,51'), 'price')
    expect(rows()[0]).toMatchObject({ net_asset_value: '10.505', change: '-0.5', change_percent: '-0.51' })
  })

  it('never reads an open column as thousands', async () => {
    const ended = await importText(prices('10,50', '1.234'), 'price')
    expect(ended).toMatchObject(refusal('column change_percent: "1.234" (line 2)'))
  })
})

describe('import of days', () => {
  const daysAs = (...days: readonly string[]) =>
    ['isin;date;value', ...days.map((day) => `${isin};${day};1`)].join('\n')

  it('names a line of each form if a file has both', async () => {
    const text = daysAs('2024-02-01', '02.02.2024')
    const reason = 'of two forms, "2024-02-01" (line 2) and "02.02.2024" (line 3): choose one with --dates'
    expect(await importText(text, 'legal_point')).toMatchObject(refusal(reason))
    const { stdout, rows } = await importText(text, 'legal_point', '--dates', 'german', '--skip-bad')
    expect(stdout).toContain('line 2: date "2024-02-01" is not a day (DD.MM.YYYY)\n')
    expect(rows()).toEqual([{ isin, date: '2024-02-02', value: 1 }])
  })

  it.each([
    ['01.02.26', 'DD.MM.YYYY', ': its year has two digits; --dates german takes it for 2026-02-01'],
    ['18.11.2026 14:30', 'DD.MM.YYYY', ': it has a time of day, which --drop-times leaves out'],
    ['31.02.2026 00:00', 'DD.MM.YYYY', ''],
    ['2026-11-18T00:00:00.001', 'YYYY-MM-DD', ': it has a time of day, which --drop-times leaves out'],
    // Midnight in another zone may be another day here.
    ['2026-11-18T00:00:00Z', 'YYYY-MM-DD', ': it has a time of day, which --drop-times leaves out'],
    ['2026-11-18 00', 'YYYY-MM-DD', ': it has a time of day'],
  ])('refuses %s by the form that the file has, alone and beside others', async (day, form, why) => {
    const said = (line: number) => `line ${line}: date "${day}" is not a day (${form})${why}\n`
    const alone = await importText(daysAs(day), 'legal_point')
    expect({ code: alone.code, stdout: alone.stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(said(2)),
    })
    const good = form === 'YYYY-MM-DD' ? '2026-11-17' : '17.11.2026'
    const beside = await importText(daysAs(good, day), 'legal_point', '--skip-bad')
    expect({ code: beside.code, stdout: beside.stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(said(3)),
    })
    expect(beside.rows()).toEqual([{ isin, date: '2026-11-17', value: 1 }])
  })

  it('refuses a line, not the file, if what looks like the other form is no day', async () => {
    const reason =
      'line 3: date "01.02.26" is not a day (YYYY-MM-DD): its year has two digits; --dates german takes it for 2026-02-01\n'
    const ended = await importText(daysAs('2026-11-17', '01.02.26'), 'legal_point')
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining(reason) })
  })

  it.each([
    ['18.11.2026 0:00', 'DD.MM.YYYY'],
    [' 18.11.2026 00:00:00 ', 'DD.MM.YYYY'],
    ['2026-11-18 00:00:00.000', 'YYYY-MM-DD'],
    ['2026-11-18T00:00:00', 'YYYY-MM-DD'],
  ])('reads %s as its day, as databases and spreadsheets write it', async (day, form) => {
    const { code, stdout, rows } = await importText(daysAs(day), 'legal_point')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`, dates ${form}\n`) })
    expect(rows()).toEqual([{ isin, date: '2026-11-18', value: 1 }])
  })
})

/** UTF-16 with its mark. @param text UTF-8, if it is no text */
const wide = (text: string | Buffer) => Buffer.from(`\ufeff${text.toString()}`, 'utf16le')

describe('import of encodings', () => {
  const figure = (name: string | Buffer): Buffer =>
    Buffer.concat(
      [`isin;position;name_de;value\n${isin};1;`, name, ';x\n'].map((part) => Buffer.from(part as string)),
    )

  it.each([
    ['UTF-8', Buffer.from('Größe'), 'Größe'],
    ['Windows-1252', Buffer.from('Gr\xf6\xdfe \x80', 'latin1'), 'Größe €'],
  ])('recognises %s', async (form, bytes, name) => {
    const { stdout, rows } = await importText(figure(bytes), 'key_figure')
    expect(stdout).toContain(`form   ${form}, delimiter ;\n`)
    expect(rows()[0]?.['name_de']).toBe(name)
  })

  it.each([
    ['little', (bytes: Buffer) => bytes],
    ['big', (bytes: Buffer) => bytes.swap16()],
  ])('reads UTF-16 with a mark, %s end first, as Excel writes it', async (_, order) => {
    const columns = 'isin\tposition\tname_de\tvalue\r\n'
    const filler = Array.from({ length: 40_000 }, (_, index) => `${isin}\t${index + 2}\t"a\tb"\tx\r\n`)
    const text = `${columns}${isin}\t1\tGröße 😀 €\tx\r\n${filler.join('')}`
    const bytes = order(wide(text))
    const { stdout, rows } = await importText(bytes, 'key_figure')
    expect(stdout).toContain('form   UTF-16, delimiter tab\n')
    expect(
      rows()
        .slice(0, 2)
        .map(({ name_de: name }) => name),
    ).toEqual(['Größe 😀 €', 'a\tb'])
    expect(rows()).toHaveLength(40_001)
    const asked = await importText(bytes, 'key_figure', '--encoding', 'utf-8')
    expect({ code: asked.code, said: asked.said }).toEqual({
      code: 1,
      said: 'file, line 1: it is UTF-16: leave --encoding out',
    })
  })

  it.each([
    ['little', (bytes: Buffer) => bytes],
    ['big', (bytes: Buffer) => bytes.swap16()],
  ])(
    'reads UTF-16 without a mark, %s end first, with the table named or not, and says so',
    async (_, order) => {
      const text = `isin;position;name_de;value\r\n${isin};1;Größe € Ω;x\r\n`
      const bytes = order(Buffer.from(text, 'utf16le'))
      writeFileSync(folder.file('wide.csv'), bytes)
      for (const table of [['key_figure'], []]) {
        const db = folder.database()
        const { stdout } = await folder.import(...table, 'wide.csv', '--db', db)
        expect(stdout).toContain('form   UTF-16 without a mark, delimiter ;\n')
        const names = readDatabase(folder.file(db), `SELECT name_de FROM key_figure WHERE isin = '${isin}'`)
        expect(names).toEqual([{ name_de: 'Größe € Ω' }])
      }
    },
  )

  it('refuses a file that is partly UTF-8', async () => {
    const bytes = figure(Buffer.concat([Buffer.from('Größe '), Buffer.from([0xfc])]))
    expect(await importText(bytes, 'key_figure')).toMatchObject(refusal('line 2: it is not UTF-8, though'))
    const asked = await importText(bytes, 'key_figure', '--encoding', 'windows-1252')
    expect(asked.rows()[0]?.['name_de']).toBe('GrÃ¶ÃŸe ü')
    const utf8 = await importText(bytes, 'key_figure', '--encoding', 'utf-8')
    expect({ code: utf8.code, said: utf8.said }).toEqual({
      code: 1,
      said: 'file, line 2: it is not UTF-8: give another --encoding',
    })
  })

  // The sniffing cuts a file before its last character, which must not hide a whole one before it.
  it('refuses a file whose last character is UTF-8 with broken bytes around it', async () => {
    const bytes = Buffer.concat([Buffer.from([0xf0, 0x9f]), Buffer.from('😀'), Buffer.from([0xbf, 0x80])])
    expect(await importText(bytes, 'key_figure')).toMatchObject(refusal('line 1: it is not UTF-8, though'))
  })

  it.each([
    ['UTF-16 without a mark that was cut', Buffer.from('isin;position', 'utf16le').subarray(1), 'line 1: '],
    ['UTF-32 without a mark', Buffer.from('690000007300000069000000', 'hex'), 'line 1: it is not text'],
    ['UTF-16 with half a pair', wide(figure('\ud83d!')), 'line 2: it is not UTF-16'],
    ['UTF-32', Buffer.from('fffe000069000000', 'hex'), 'line 1: it is not UTF-16'],
    ['half a letter at the end', Buffer.from([0x69, 0x8d, 0xc3]), 'line 1: it is not UTF-8, and its bytes'],
  ])('refuses a file in %s', async (_, bytes, reason) => {
    expect(await importText(bytes, 'key_figure')).toMatchObject(refusal(`.csv, ${reason}`))
  })

  it('reads the whole file to recognise the encoding, across chunks', async () => {
    const line = (name: string, index: number) => `${isin};${index};${name};x\n`
    const many = Array.from({ length: 60_000 }, (_, index) => line('ä'.repeat(1 + (index % 7)), index))
    const text = ['isin;position;name_de;value\n', ...many].join('')
    const whole = await importText(text, 'key_figure', '--dry-run')
    expect(whole.stdout).toContain('form   UTF-8, ')
    const broken = await importText(Buffer.concat([Buffer.from(text), Buffer.from([0xe4])]), 'key_figure')
    expect(broken.said).toContain('file, line 60002: it is not UTF-8, though')
  })
})

describe('import of a header', () => {
  const unnamed = "(--map '=<column>' takes it as that column of the table, --map '=' ignores it)"
  it.each([
    [
      'isin;nav;currency',
      'table legal_point has no column "nav", "currency" (there are isin, date, value); columns date, value of table legal_point are missing' +
        "; take a column of another name with --map 'nav=<column>', ignore one with --map 'nav=', or list them in import.legal_point.columns of the config",
    ],
    ['isin;date;value;valeu', 'table legal_point has no column "valeu" (did you mean "value"?)'],
    ['isin;date;value;date', 'column date is there twice'],
    [
      `${isin};2024-01-02;1`,
      `the file has no header: its first line, "${isin}", "2024-01-02", "1", holds values. It has to name the columns: isin, date, value`,
    ],
    [
      '10/06/2016;1407.27;x',
      'the file has no header: its first line, "10/06/2016", "1407.27", "x", holds values. It has to name the columns: isin, date, value',
    ],
    ['isin;date;  ;value;;', `column 3 has no name ${unnamed}`],
    [
      'isin;date;value;;valeu',
      `column 4 has no name ${unnamed}; table legal_point has no column "valeu" (did you mean "value"?)`,
    ],
    ['isin;value;;', 'column date of table legal_point is missing (--set date=… gives all rows one value)'],
  ])('refuses %j: %s', async (line, reason) => {
    const { code, said } = await importText(`${line}\n${isin};2024-01-02;1\n`, 'legal_point')
    expect({ code, said }).toEqual({ code: 1, said: `file, line 1: ${reason}` })
  })

  it.each(['\n', 'sep=;\n'])('refuses %j, which is no header', async (text) => {
    expect((await importText(text, 'legal_point')).said).toBe('file is empty')
  })

  it('takes delimiters at its end, as Excel writes them for empty columns', async () => {
    const lines = ['isin;date;value;; ', `${isin};02.01.2024;1,5;;`, `${isin};03.01.2024;2; ;`]
    // Excel leaves them out now and then.
    lines.push(`${isin};04.01.2024;3`, `${isin};05.01.2024;4;`)
    const { code, stderr, rows } = await importText(lines.join('\r\n'), 'legal_point')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(rows().map(({ value }) => value)).toEqual([1.5, 2, 3, 4])
  })

  it('refuses a line with a cell in a column without a name', async () => {
    const lines = ['isin;date;value;;', `${isin};02.01.2024;1,5;;`, `${isin};03.01.2024;2;;note`]
    lines.push(`${isin};04.01.2024`, `${isin};04.01.2024;3;;;x`)
    const { code, stdout, rows } = await importText(lines.join('\n'), 'legal_point')
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'line 3: column 5 has no name in the header, but here "note"',
      'line 4: it has 2 cells, the header 5',
      'line 5: it has 6 cells, the header 5',
    ])
    expect(rows()).toEqual([])
  })

  it('takes names in any order, in capitals, with spaces around', async () => {
    const text = ` VALUE ,"Date",ISIN\n1.5,2024-01-02,${isin.toLowerCase()}\n`
    const { stdout, rows } = await importText(text, 'legal_point')
    expect(stdout).toContain('delimiter ,, decimal point')
    expect(rows()).toEqual([{ isin, date: '2024-01-02', value: 1.5 }])
  })
})

describe("import of Excel's line sep=", () => {
  it.each([
    ['sep=;\r\n', ';', ''],
    ['\ufeffsep=,\r\n', ',', ''],
    ['"sep=\t"\n', '\t', 'tab'],
    ['SEP=;\n\n', ';', ''],
  ])('takes %j for the delimiter, shows it, and finds the header below', async (first, mark, name) => {
    const lines = [`isin,date,value`, `${isin},2024-01-02,"1.5"`, `${isin},2024-01-32,1`]
    const text = first + lines.join('\n').replaceAll(',', mark)
    const { code, stdout, rows } = await importText(text, 'legal_point', '--skip-bad')
    const form = `form  UTF-8, delimiter ${name === '' ? mark : name} (line 1 is sep=), `
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(form) })
    expect(stdout).toContain(`line ${first.endsWith('\n\n') ? 5 : 4}: date "2024-01-32"`)
    expect(rows()).toEqual([{ isin, date: '2024-01-02', value: 1.5 }])
  })

  it('prefers the delimiter that was asked for', async () => {
    const text = `sep=;\nisin,date,value\n${isin},2024-01-02,1\n`
    const { code, rows } = await importText(text, 'legal_point', '--delimiter', 'comma')
    expect(code).toBe(0)
    expect(rows()).toEqual([{ isin, date: '2024-01-02', value: 1 }])
  })
})

it.each([
  [['prices', 'x.csv'], 2, 'there is no table "prices" (did you mean "price"?)'],
  [['price', 'missing.csv'], 1, 'missing.csv does not exist'],
  [['price', '.'], 1, '. is a folder: name a file'],
  [['price', 'x.csv', '--decimal', 'dot'], 2, "'dot' is invalid"],
  [['price', 'x.csv', '--replace', '--replace-all'], 2, 'cannot be used with'],
])('import %j ends with exit code %d: %s', async (args, code, reason) => {
  const stderr = expect.stringContaining(reason)
  expect(await folder.import(...args, '--db', folder.database())).toMatchObject({ code, stdout: '', stderr })
})

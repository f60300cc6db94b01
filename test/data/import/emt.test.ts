/** The European MiFID Template: its fields by their numbers, as CSV and as a workbook, several funds a file. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { launcher } from '../../cli/run.ts'
import { readDatabase } from '../../support/database.ts'
import { importFolder, isins, refusal, unknownIsin } from './database.ts'
import { plain, writeCsv } from './dialects.ts'
import { workbook, type SheetCell } from './workbook.ts'

const folder = importFolder()
const [first, second, third] = isins

/** Fields of the template 4.3 with the values of a full line, in its order; more than are needed. */
const template = {
  '00001_EMT_Version': 'V4.3',
  '00005_File_Generation_Date_And_Time': '2026-01-15 08:00:00',
  '00010_Financial_Instrument_Identifying_Data': first,
  '00020_Type_Of_Identification_Code_For_The_Financial_Instrument': '1',
  '00030_Financial_Instrument_Name': 'Fund',
  '00050_General_Reference_Date': '2025-12-30',
  '00075_Financial_Instrument_Manufacturer_Product_Governance_Process': 'B',
  '04010_Risk_Tolerance_PRIIPS_Methodology': '3',
  '04020_Risk_Tolerance_UCITS_Methodology': '5',
  '05105_Does_This_Financial_Instrument_Consider_End_Client_Sustainability_Preferences': 'Neutral',
  '05115_Other_Specific_Investment_Need': 'I',
  '07020_Gross_One-off_Cost_Financial_Instrument_Maximum_Entry_Cost_Non_Acquired': '0.055',
  '07100_Financial_Instrument_Gross_Ongoing_Costs': '0.0149',
  '07130_Financial_Instrument_Transaction_Costs_Ex_Ante': '0.0012',
  '07140_Financial_Instrument_Incidental_Costs_Ex_Ante': '0.0003',
  '07160_Ex_Ante_Costs_Reference_Date': '2025-12-29',
  '08025_One-off_Cost_Financial_Instrument_Entry_Cost_Acquired': '0.0125',
  '08030_Financial_Instrument_Ongoing_Costs_Ex_Post': '0.0158',
  '08090_Beginning_Of_Reference_Period': '2025-01-01',
  '08100_End_Of_Reference_Period': '2025-12-28',
}
const fields = Object.keys(template)

/** The values by number; what is not named is empty. */
type Line = Readonly<Record<string, string>>
const cellsOf = (line: Line) => fields.map((name) => line[name.slice(0, 5)] ?? '')

const full: Line = Object.fromEntries(
  Object.entries(template).map(([name, value]) => [name.slice(0, 5), value]),
)
const sparse: Line = { '00001': 'V4', '00010': second, '00020': '1' }

/** Costs are fractions; each has the date that the template gives it. */
const fullRow = {
  isin: first,
  srri: 5,
  ongoing_costs_date: '2025-12-28',
  ongoing_costs: 0.0158,
  transaction_costs_date: '2025-12-29',
  transaction_costs: 0.0012,
  incidental_costs_date: '2025-12-29',
  incidental_costs: 0.0003,
  entry_costs: 0.0125,
  governanceprocess: 'B',
  compatible_for_clients_with_esg_preferences: 'Neutral',
  other_specific_investment_need: 'I',
}
const esg = 'compatible_for_clients_with_esg_preferences'
const nothing = Object.fromEntries(Object.keys(fullRow).map((column) => [column, null]))
const sparseRow = { ...nothing, isin: second }

const rowsOf = (db: string) => readDatabase(folder.file(db), 'SELECT * FROM emt')
const write = (name: string, content: Buffer): string => {
  writeFileSync(folder.file(name), content)
  return name
}

describe.each(['csv', 'xlsx'])('import of the EMT template as %s', (kind) => {
  const importLines = async (lines: readonly Line[], ...flags: string[]) => {
    const db = folder.database()
    const name = `emt-${db}.${kind}`
    const rows = [fields, ...lines.map(cellsOf)]
    if (kind === 'csv') writeCsv(folder.file(name), rows, plain)
    else write(name, workbook({ name: 'EMT', rows }))
    return { ...(await folder.import('emt', name, '--db', db, ...flags)), db }
  }

  it('takes every field that the schema has, for every fund', async () => {
    const { code, stdout, stderr, db } = await importLines([full, sparse])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('notes  EMT V4; EMT V4.3\n')
    expect(rowsOf(db)).toEqual([fullRow, sparseRow])
  })

  it.each([
    [{ '00001': 'V3.1' }, '00001: EMT version "V3.1" is not one of V4, V4.0, V4.1, V4.2, V4.3'],
    [{ '00020': '4' }, '00020: the fund is named by a code of type "4", not by its ISIN (1)'],
    [{ '00010': unknownIsin }, `there is no fund ${unknownIsin}`],
    [{ '04020': 'high' }, '04020 (srri) "high" is not a whole number'],
    [{ '00075': 'E' }, '00075 (governanceprocess) "E" is not one of A, B, C, D'],
    [{ '05105': 'Maybe' }, `05105 (${esg}) "Maybe" is not one of Y, N, Neutral`],
    [{ '05115': 'ja' }, '05115 (other_specific_investment_need) "ja" is not one of N, I, O'],
  ])('refuses a line with %j', async (changed, reason) => {
    const flags = ['--decimal', 'point', '--dates', 'iso']
    const { code, stdout, db } = await importLines([sparse, { ...full, ...changed }], ...flags)
    expect(code).toBe(1)
    expect(stdout.split('\n')[0]).toBe(`line 3: ${reason}`)
    expect(rowsOf(db)[1]?.['srri']).toBe(4)
  })

  it.each([
    ['yes', 'No', 'Y', 'N'],
    ['nein', ' i', 'N', 'I'],
    ['NEUTRAL', '', 'Neutral', null],
  ])('takes %j and %j for words of the template’s lists', async (preference, need, esgOf, needOf) => {
    const { code, db } = await importLines([{ ...full, '05105': preference, '05115': need }])
    expect(code).toBe(0)
    expect(rowsOf(db)[0]).toMatchObject({ [esg]: esgOf, other_specific_investment_need: needOf })
  })

  it.each([
    ['V4.9', 'EMT V4.9, which is not known here'],
    ['4.1', 'EMT V4.1'],
  ])('shows the version %s', async (version, note) => {
    const stdout = expect.stringContaining(`notes  ${note}\n`)
    expect(await importLines([{ ...full, '00001': version }])).toMatchObject({ code: 0, stdout })
  })
})

describe('a section of the EMT that is not reported', () => {
  const flags = ['00006', '00007', '00008']
  /** Loads all of the template, then a second file. @returns the row of the first fund, and what the second load says */
  const loadThen = async (line: Line, ...args: readonly string[]) => {
    const db = folder.database()
    expect(await folder.importLines(db, 'emt', [fields, cellsOf(full)])).toMatchObject({ code: 0 })
    const names = [...fields, ...flags]
    const cells = [...cellsOf(line), ...flags.map((flag) => line[flag] ?? '')]
    const { code, stdout } = await folder.importLines(db, 'emt', [names, cells], args)
    expect(code).toBe(0)
    return { row: rowsOf(db).find(({ isin }) => isin === first), stdout }
  }
  const ofTarget: Line = {
    '00001': 'V4.3',
    '00010': first,
    '00020': '1',
    '00075': 'C',
    '04020': '6',
    '05105': 'Y',
  }
  const target = { srri: 6, governanceprocess: 'C', [esg]: 'Y', other_specific_investment_need: null }

  it('takes no value away, and the report says so', async () => {
    const { row, stdout } = await loadThen({ ...ofTarget, '00006': 'Y', '00007': 'N', '00008': 'N' })
    expect(row).toEqual({ ...fullRow, ...target })
    expect(stdout).toContain(
      'not reported, as field 00008 says: ongoing_costs_date (1 line), ongoing_costs (1 line), entry_costs (1 line)',
    )
    const costs = await loadThen({
      ...full,
      '04020': '',
      '05105': '',
      '05115': '',
      '07130': '0.002',
      '00006': 'N',
    })
    expect(costs.row).toEqual({ ...fullRow, transaction_costs: 0.002 })
  })

  it('gives the value that is there all the same', async () => {
    const { row } = await loadThen({ ...ofTarget, '00006': 'N' })
    expect(row).toMatchObject({ srri: 6, [esg]: 'Y', other_specific_investment_need: 'I' })
  })

  it('is one that is said to be reported, and empty: its values go', async () => {
    const { row } = await loadThen({ ...ofTarget, '00006': 'Y', '00007': 'Y', '00008': 'Y' })
    expect(row).toEqual({ ...nothing, isin: first, ...target })
  })

  it('loses its values where --replace says that the file has all', async () => {
    const { row } = await loadThen({ ...ofTarget, '00007': 'N', '00008': 'N' }, '--replace')
    expect(row).toEqual({ ...nothing, isin: first, ...target })
  })
})

it('import finds fields in any order, by their numbers alone', async () => {
  const order = [...fields.keys()].reverse()
  const pick = (cells: readonly string[]) => order.map((index) => cells[index] ?? '')
  const numbers = fields.map((name) => name.slice(0, 5))
  const db = folder.database()
  expect(await folder.importLines(db, 'emt', [pick(numbers), pick(cellsOf(full))])).toMatchObject({ code: 0 })
  expect(rowsOf(db)[0]).toEqual(fullRow)
})

it('import lists the fields that a file lacks, and keeps their values', async () => {
  const some = ['00001', '00010', '04020']
  const db = folder.database()
  const { stdout } = await folder.importLines(db, 'emt', [some, some.map((number) => full[number] ?? '')])
  expect(stdout).toContain(
    'notes  EMT V4.3; not in the file: 00075, 05105, 05115, 07130, 07140, 07160, 08025, 08030, 08100\n',
  )
  expect(rowsOf(db)[0]).toMatchObject({
    isin: first,
    srri: 5,
    ongoing_costs_date: '2024-01-31',
    ongoing_costs: 0.0158,
  })
})

it.each([
  [['00010_x', '00020_x', '04020_x'], 'field 00001 of the template, the version, is missing'],
  [['00001_x', '00020_x', '04020_x'], 'field 00010 of the template, the ISIN, is missing'],
  [['00001_x', '00010_x', '04020_x', '04020_y'], 'field 04020 is there twice'],
])('import refuses the header %j: %s', async (header, reason) => {
  const ended = await folder.importLines(folder.database(), 'emt', [header, header.map(() => '1')])
  expect(ended).toMatchObject(refusal(`line 1: ${reason}`))
})

describe('import of a workbook', () => {
  it('reads typed numbers and dates, below titles and beside other sheets', async () => {
    const typed = cellsOf(full).map((text, index): SheetCell => {
      const number = fields[index]?.slice(0, 5) ?? ''
      if (['07160', '08090', '08100'].includes(number)) return { day: text }
      // As a spreadsheet writes small ones.
      if (number === '07130') return { number: '1.1999999999999999E-3' }
      if (/^(?:0[78]|04|00020)/.test(number) && text !== '') return { number: text }
      return text === '' ? null : text
    })
    const last = cellsOf({ ...sparse, '00010': third })
    const rows = [['European MiFID Template'], [], [], fields, typed, [], last]
    const notes = { name: 'Notes', rows: [['Field', 'Meaning']].concat([['00010', 'ISIN']]) }
    const db = folder.database()
    const name = write('typed.xlsx', workbook(notes, { name: 'EMT V4.3', rows }))
    const { code, stdout, stderr } = await folder.import('emt', name, '--db', db)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('form   XLSX, sheet "EMT V4.3"\n')
    expect(rowsOf(db)[0]).toEqual(fullRow)
    expect(rowsOf(db)[2]).toEqual({ ...nothing, isin: third })
  })

  it('counts lines as the rows of the sheet', async () => {
    const rows = [[], ['Title'], [], fields, [], cellsOf({ ...full, '04020': 'x' })]
    const name = write('rows.xlsx', workbook({ name: 'EMT', rows }))
    const { stdout } = await folder.import('emt', name, '--db', folder.database())
    expect(stdout.split('\n')[0]).toBe('line 6: 04020 (srri) "x" is not a whole number')
  })

  const sheet = (name: string) => ({ name, rows: [fields] })
  const other = { name: 'A', rows: [['Code', 'Text']] }
  it.each([
    ['without the fields', 'emt', workbook(other), ': no sheet has a line'],
    ['with two sheets of them', 'emt', workbook(sheet('A'), sheet('B')), 'the sheets "A", "B" have'],
    ['that is cut off', 'emt', workbook(sheet('A')).subarray(0, 900), ' cannot be read as a workbook (XLSX)'],
    ['for another table', 'price', workbook({ name: 'A', rows: [['isin']] }), 'of table price are missing'],
  ])('refuses one %s', async (_, table, content, reason) => {
    const name = write('refused.xlsx', content)
    const ended = await folder.import(table, name, '--db', folder.database())
    expect(ended).toMatchObject(refusal(reason))
    expect(ended.stderr).toContain('refused.xlsx')
  })
})

describe('import warns of mandatory fields of EMT V4.3', () => {
  /** A line with every mandatory field of a fund, as the workbook of FinDatEx of 17 December 2025 marks them. */
  const mandatory = {
    ...template,
    '00006_EMT_Data_Reporting_Target_Market': 'Y',
    '00007_EMT_Data_Reporting_Ex_Ante': 'Y',
    '00008_EMT_Data_Reporting_Ex_Post': 'Y',
    '00040_Financial_Instrument_Currency': 'EUR',
    '00045_Financial_Instrument_Performance_Fee': 'N',
    '00047_Financial_Instrument_Distribution_Of_Cash': 'Y',
    '00060_Financial_Instrument_Product_Type': 'U',
    '00070_Financial_Instrument_Manufacturer_Name': 'Funds Inc.',
    '01000_Target_Market_Reference_Date': '2025-12-30',
    '01010_Investor_Type_Retail': 'Neutral',
    '01020_Investor_Type_Professional': 'P',
    '01030_Investor_Type_Eligible_Counterparty': 'Y',
    '02010_Basic_Investor': 'Y',
    '02020_Informed_Investor': 'Y',
    '02030_Advanced_Investor': 'Y',
    '03010_Compatible_With_Clients_Who_Can_Not_Bear_Capital_Loss': 'N',
    '03040_Compatible_With_Clients_Who_Do_Not_Need_Capital_Guarantee': 'Y',
    '03050_Compatible_With_Clients_Who_Can_Bear_Loss_Beyond_Capital': 'Neutral',
    '05010_Return_Profile_Client_Looking_For_Preservation': 'N',
    '05020_Return_Profile_Client_Looking_For_Capital_Growth': 'Y',
    '05030_Return_Profile_Client_Looking_For_Income': 'Neutral',
    '05080_Minimum_Recommended_Holding_Period': '3.5',
    '07110_Financial_Instrument_Management_Fee': '0.01',
    '08050_Financial_Instrument_Management_Fee_Ex_Post': '0.01',
    '08070_Financial_Instrument_Transaction_Costs_Ex_Post': '0',
    '08080_Financial_Instrument_Incidental_Costs_Ex_Post': '0',
  }
  const names = Object.keys(mandatory)
  /** @param changed by the numbers of the fields; undefined leaves the field out of the file */
  const warningsOf = async (...lines: readonly Readonly<Record<string, string | undefined>>[]) => {
    const isLeftOut = (name: string) =>
      lines.some((line) => name.slice(0, 5) in line && line[name.slice(0, 5)] === undefined)
    const header = names.filter((name) => !isLeftOut(name))
    const rows = lines.map((line, index) =>
      Object.entries({ ...mandatory, '00010_Financial_Instrument_Identifying_Data': isins[index] ?? '' })
        .filter(([name]) => header.includes(name))
        .map(([name, value]) => line[name.slice(0, 5)] ?? value),
    )
    const flags = ['--json', '--decimal', 'point', '--dates', 'iso']
    const ended = await folder.importLines(folder.database(), 'emt', [header, ...rows], flags)
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' })
    const { files } = JSON.parse(ended.stdout) as { files: readonly { warnings: string[] }[] }
    return files[0]?.warnings
  }

  it('not of a line that has them all', async () => {
    expect(await warningsOf({}, { '05080': 'L', '00060': 'SF' })).toEqual([])
  })

  it.each([
    [{ '07100': '' }, '07100_Financial_Instrument_Gross_Ongoing_Costs is missing: line 2'],
    [{ '00007': 'Maybe' }, '00007_EMT_Data_Reporting_Ex_Ante is not one of Y, N: "Maybe" in line 2'],
    [{ '01010': 'neutral' }, '01010_Investor_Type_Retail is not one of Y, N, Neutral: "neutral" in line 2'],
    [
      { '00060': 'X' },
      '00060_Financial_Instrument_Product_Type is not one of S, SF, U, N, UM, NM, ETC, B: "X" in line 2',
    ],
    [
      { '05080': 'long' },
      '05080_Minimum_Recommended_Holding_Period is not one of V, S, M, L, H: "long" in line 2',
    ],
    [{ '08080': '' }, '08080_Financial_Instrument_Incidental_Costs_Ex_Post is missing: line 2'],
  ])('of a line with %j', async (changed, warning) => {
    expect(await warningsOf(changed)).toEqual([warning])
  })

  it('once for all lines, and only in sections that the line says are filled', async () => {
    const noCosts = { '00007': 'N', '07100': '', '07110': '', '07130': '', '07140': '', '07160': '' }
    const noExPost = { '00008': 'N', '08030': '', '08090': '', '08100': '' }
    const warnings = await warningsOf(
      noCosts,
      { ...noExPost, '00047': '' },
      { '00006': 'N', '02010': '', '00047': '' },
    )
    expect(warnings).toEqual([
      '00047_Financial_Instrument_Distribution_Of_Cash is missing: line 3 and 1 more',
    ])
  })

  it('not of the fees of a structured security', async () => {
    const other = { '00060': 'S', '07110': '', '07130': '', '08050': '', '08070': '' }
    expect(await warningsOf(other)).toEqual([])
  })

  it('to people as well, and takes the lines', async () => {
    const db = folder.database()
    const { stdout } = await folder.importLines(db, 'emt', [fields, cellsOf(full)])
    expect(stdout).toContain('\nwarning: 00040_Financial_Instrument_Currency is missing: line 2\n')
    expect(rowsOf(db)[0]).toEqual(fullRow)
  })
})

it('does not load the parsers for commands other than import', () => {
  const script = `
    const { registerHooks } = require('node:module')
    registerHooks({ resolve: (specifier, context, next) => {
      if (/csv-parse|saxen/.test(specifier)) process.exit(9)
      return next(specifier, context)
    } })
    import(process.env.LAUNCHER)`
  const env = { ...process.env, LAUNCHER: launcher }
  const codes = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['-e', script, 'fundpress', ...args], { env }).status
  const db = folder.file(folder.database())
  expect(codes('check', '--db', db, '--as-of', '2024-05-03')).toBe(0)
  const csv = write('any.csv', Buffer.from('isin\n'))
  expect(codes('import', 'emt', folder.file(csv), '--db', db)).toBe(9)
})

/** Files that no reader takes are called what they are, with what to do; nothing is taken of them. */
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { importFolder, isins } from './database.ts'
import { dumpAll } from './dialects.ts'
import { workbook, zip } from './workbook.ts'

const folder = importFolder()
const csv = `isin;date;value\n${isins[0]};2024-01-02;1\n`
const asUtf16 = (text: string) => Buffer.from(text, 'utf16le')
/** The signature of the files that old workbooks are, and a directory. */
const ole = (entry: string) =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1500), asUtf16(entry)])
const xml = (root: string) => `<?xml version="1.0"?>\n<!-- <html> -->\n${root}`
const excel2003 = '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>'
const header = (...names: readonly string[]) => `${names.join(';')}\n${names.map(() => '1').join(';')}\n`
const ept = [
  '00001_EPT_Version',
  '00002_EPT_Producer_Name',
  '00010_Portfolio_Issuer_Name',
  '00030_Portfolio_Name',
]
const onlyEmt = 'which is not read: of the templates of FinDatEx, the EMT is (V4)'

const files: readonly (readonly [what: string, content: string | Buffer, reason: string])[] = [
  [
    'a ZIP archive',
    zip({ 'nav.csv': csv }),
    'is a ZIP archive with "nav.csv": unpack it, and import the files in it',
  ],
  [
    'an archive of files',
    zip({ 'a.csv': csv, 'b.csv': csv }),
    'is a ZIP archive with "a.csv" and more: unpack it',
  ],
  [
    'a document of Word',
    zip({ '[Content_Types].xml': '', 'word/document.xml': '' }),
    'is a document of Word: save its table',
  ],
  [
    'an OpenDocument sheet',
    zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
    'is an OpenDocument file: save it as XLSX',
  ],
  ['a compressed file', gzipSync(csv), 'is compressed (gzip): unpack it'],
  ['an old workbook', ole('Workbook'), 'is an old workbook (.xls): open it, and save it as XLSX'],
  [
    'a workbook with a password',
    ole('EncryptedPackage'),
    'is a workbook with a password: save it without one',
  ],
  ['a PDF', '%PDF-1.7\n%âãÏÓ\n', 'is a PDF, which is for people'],
  ['a database', 'SQLite format 3\0more', 'is an SQLite database: --db names a database'],
  ['a Parquet file', 'PAR1\u0015', 'is a Parquet file: save it as CSV'],
  [
    'JSON',
    ` {"data":[{"date":"27-11-2026","nav":"83.1"}]}`,
    'is JSON: make a CSV of it, with a line for each row',
  ],
  ['a list in JSON', '[\n  {"isin": 1}\n]', 'is JSON: make a CSV of it'],
  [
    'HTML with a name of Excel',
    '\n<html xmlns:x="urn:excel"><table><tr><td>isin</td></tr></table>',
    'is a web page (HTML), whatever its name says',
  ],
  [
    'a bare HTML table',
    '<table><tr><td>isin</td></tr></table>',
    'is a web page (HTML), whatever its name says',
  ],
  ['MHTML', 'MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n', 'is a web page in one file (MHTML)'],
  [
    'a workbook of Excel 2003',
    xml(excel2003),
    'is a workbook in XML of Excel 2003: open it, and save it as XLSX',
  ],
  ['an old FundsXML', xml('<FundsXML version="3.0.6"/>'), 'is FundsXML 3 or older: ask for FundsXML 4'],
  [
    'other XML',
    xml('<gesmes:Envelope a="1"><Cube/></gesmes:Envelope>'),
    'is XML with the element "gesmes:Envelope", which no reader knows',
  ],
  ['an EPT', header(...ept), `is an EPT (European PRIIPs Template), ${onlyEmt}`],
  [
    'an EPT as a workbook',
    workbook({ name: 'EPT', rows: [['EPT'], ept, ept.map(() => '1')] }),
    `is an EPT (European PRIIPs Template), ${onlyEmt}`,
  ],
  [
    'an EET',
    header('00010_EET_Version', '00020_EET_Producer_Name', '00030_EET_Producer_LEI'),
    'is an EET (European ESG Template), ',
  ],
  [
    'a TPT',
    header('1_Portfolio_identifying_data', '12_CIC_code_of_the_instrument', '17_Instrument_name'),
    'is a TPT (Tripartite Template), ',
  ],
]

describe.each([[[]], [['emt']], [['legal_point']]])('import %j of', (table) => {
  it.for(files)('%s says so', async ([what, content, reason]) => {
    const db = folder.database()
    const name = `${what.replaceAll(' ', '-')}.xls`
    writeFileSync(folder.file(name), content, typeof content === 'string' ? 'latin1' : undefined)
    const before = dumpAll(folder.file(db))
    const { code, stdout, stderr } = await folder.import(...table, name, '--db', db)
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${name} ${reason}`),
    })
    expect(dumpAll(folder.file(db))).toEqual(before)
  })
})

describe('import of a file', () => {
  const take = async (content: string, ...args: readonly string[]) => {
    const db = folder.database()
    writeFileSync(folder.file('file.txt'), content)
    return folder.import(...args, 'file.txt', '--db', db)
  }

  it('without a field for its version, as an EMT V1 has none, says so', async () => {
    const { stderr } = await take(
      header('00010_Financial_Instrument_Identifying_Data', '00020_Type', '00030_Name'),
    )
    expect(stderr).toContain(
      'field 00001 of the template, the version, is missing: it may be an EMT V1 or V2, which had none; ask for EMT V4',
    )
  })

  it('whose columns fit two tables asks which', async () => {
    expect((await take(csv)).stderr).toContain(
      'file.txt has the columns of the tables legal_point and launch_point: name the table, ' +
        'fundpress import legal_point FILE or fundpress import launch_point FILE',
    )
    expect(await take(csv, 'legal_point')).toMatchObject({ code: 0 })
  })

  it('whose columns fit no table shows them, and takes them with a map', async () => {
    const foreign = `Fondsname;ISIN;Tag;Wert\nA;${isins[0]};2024;1\n`
    expect((await take(foreign)).stderr).toContain(
      'file.txt is of no format that is known here, and its columns fit no table ' +
        '(its first line is "Fondsname", "ISIN", "Tag", "Wert"): name the table',
    )
    const map = ['Tag=year', 'Wert=percent', 'Fondsname='].flatMap((each) => ['--map', each])
    const { code, stdout } = await take(foreign, ...map)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('table performance_year\n') })
  })

  it('is read by the reader that --as names, which says what it misses', async () => {
    expect((await take(csv, '--as', 'emt')).stderr).toContain(
      'field 00001 of the template, the version, is missing',
    )
    expect((await take(csv, '--as', 'table')).stderr).toContain(
      'has the columns of the tables legal_point and launch_point',
    )
  })

  it('is of one table or of a format that has tables of its own', async () => {
    expect(await take(csv, 'legal_point', '--as', 'table')).toMatchObject({ code: 0 })
    expect(await take(csv, 'price', '--as', 'emt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'price is a table, and files of --as emt have tables of their own: leave one out',
      ),
    })
  })

  it('that is empty or a folder says so', async () => {
    expect((await take('')).stderr).toContain('file.txt is empty')
    expect((await folder.import('.', '--db', folder.database())).stderr).toContain(
      '. is a folder: name a file',
    )
  })
})

it('import takes a first argument for a file if there is one of that name', async () => {
  writeFileSync(folder.file('emt'), `isin;year;percent\n${isins[0]};1999;1\n`)
  const { code, stdout } = await folder.import('emt', '--db', folder.database())
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('as    table performance_year\n'),
  })
})

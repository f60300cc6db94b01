/** Property of `import --explain`: where it promises that the next import needs no flag, that import takes the file. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { tempFolder } from '../../support/product.ts'
import { importFolder, isins } from './database.ts'
import { workbook } from './workbook.ts'

const isin = isins[2]

interface Explained {
  readonly table: string | null
  readonly columns: readonly { readonly name: string; readonly as: string | null }[]
  readonly lacking: readonly string[]
  readonly notes: readonly string[]
  readonly bad: { readonly count: number }
  readonly question: string | null
}

/** Explains a file, then imports it with the part of the config that was printed. */
async function explainAndImport(content: string | Buffer, ...flags: readonly string[]) {
  const folder = importFolder()
  const db = folder.database()
  writeFileSync(folder.file('list.dat'), content)
  const { stdout } = await folder.import('list.dat', '--db', db, '--explain', '--json', ...flags)
  const { files, config } = JSON.parse(stdout) as {
    readonly files: readonly [Explained]
    readonly config: object | null
  }
  const [file] = files
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ import: config ?? {} }))
  const { code, stderr } = await folder.import('list.dat', '--db', db)
  return { file, code, stderr }
}

/** The letters of Windows-1253 stand as in Unicode, at another place. */
const inGreek = (text: string) =>
  Buffer.from(
    Array.from(text, (letter) => {
      const point = letter.charCodeAt(0)
      return point < 128 ? point : point - 0x370 + 0xa0
    }),
  )

describe('what --explain proposes', () => {
  it.each([
    ['ISIN;WKN;Fondsname;Whg;Datum;Ausgabepreis;Rücknahmepreis', '847140;Elbe;EUR;27.11.2026;64,93;61,83'],
    ['ISIN;Fondsname;Whg;Datum;Ausgabepreis;Rücknahmepreis', 'Elbe;EUR;27.11.2026;64,93;61,83'],
    ['ISIN;NAV-Datum;NIW', '27.11.2026;61,83'],
    ['ISIN;Trade Date;Net Asset Value per Share', '27/11/2026;61.83'],
    ['ISIN;Stand der Kurse;Rechenwert', '27.11.2026;61,83'],
    ['ISIN;Datum;NAV in EUR', '27.11.2026;61,83'],
    ['ISIN;Bewertungstag;Kurs', '27.11.2026;61,83'],
    ['ISIN;Datum;Anteilspreis (EUR)', '27.11.2026;61,83'],
    ['ISIN;Libellé;Date VL;Valeur liquidative;Devise', 'Elbe;27/11/2026;61,83;EUR'],
    ['ISIN;Data wyceny;Wartość jednostki uczestnictwa;Waluta', '27.11.2026;61,83;EUR'],
    ['ISIN;Ημερομηνία;Καθαρή Τιμή;Νόμισμα', '27/11/2026;61,83;EUR'],
  ])('of a list of prices is imported: %s', async (header, values) => {
    const { file, code, stderr } = await explainAndImport(`${header}\n${isin};${values}\n`)
    const { table, lacking, question } = file
    expect({ table, lacking, question, code, stderr }).toEqual({
      table: 'price',
      lacking: [],
      question: null,
      code: 0,
      stderr: '',
    })
  })

  it('of a workbook with a WKN beside the ISIN is imported', async () => {
    const content = workbook({
      name: 'Kurse',
      rows: [
        ['ISIN', 'WKN', 'Whg', 'Datum', 'Rücknahmepreis'],
        [isin, '847140', 'EUR', { day: '2026-11-27' }, { number: '61.83' }],
      ],
    })
    const { file, code } = await explainAndImport(content)
    expect({ code, columns: file.columns }).toEqual({
      code: 0,
      columns: [
        { name: 'ISIN', as: 'isin' },
        { name: 'WKN', as: null, isProposed: true },
        { name: 'Whg', as: 'currency', isProposed: true },
        { name: 'Datum', as: 'date', isProposed: true },
        { name: 'Rücknahmepreis', as: 'repurchase_price,net_asset_value', isProposed: true },
      ],
    })
    expect(file.notes).toContain(
      'Rücknahmepreis is proposed as the NAV, too, which the file lacks: of a fund without a redemption fee it is that',
    )
  })

  it('has the tax figures by the words of the interface', async () => {
    const { file, code } = await explainAndImport(
      `ISIN;Datum;NAV;Zwischengewinn;Aktiengewinn;Immobiliengewinn\n${isin};27.11.2026;61,83;0,1;2,5;0,2\n`,
    )
    expect({ code, taken: file.columns.slice(3).map(({ as }) => as) }).toEqual({
      code: 0,
      taken: ['intercompany_profit', 'share_profit', 'real_estate_profits'],
    })
  })

  it.each([
    ['ISIN;Ex-Tag;Betrag;Währung', '27.11.2026;1,5;EUR', 'corporate_action', 'kind=distribution'],
    ['ISIN;Name;Weight (%)', 'Japan;60,5', 'structure_item', 'type=countries'],
  ])('of another list is imported, too: %s', async (header, values, table, set) => {
    const { file, code, stderr } = await explainAndImport(`${header}\n${isin};${values}\n`, '--set', set)
    expect({ table: file.table, code, stderr }).toEqual({ table, code: 0, stderr: '' })
  })

  it('is in the encoding that a flag names, and the next import knows the columns by it', async () => {
    const content = inGreek(`ISIN;Νόμισμα;Ημερομηνία;NAV\n${isin};EUR;27/11/2026;61,83\n`)
    const open = await explainAndImport(content)
    expect(open.file.question).toContain('"Νόμισμα" "Ημερομηνία" (windows-1253)')
    const { file, code, stderr } = await explainAndImport(content, '--encoding', 'windows-1253')
    expect({ table: file.table, code, stderr }).toEqual({ table: 'price', code: 0, stderr: '' })
  })
})

describe('what --explain asks', () => {
  const explain = async (content: string | Buffer) => {
    const place = tempFolder()
    writeFileSync(place.file('list.dat'), content)
    const { code, stdout } = await run(['import', 'list.dat', '--explain', '--json'], { cwd: place.path })
    const { files } = JSON.parse(stdout) as { readonly files: readonly [Explained] }
    return { code, ...files[0] }
  }

  it('is the table, if the columns are as many of two', async () => {
    const { code, question } = await explain(
      `ISIN;Fonds;Sprache;Link\n${isin};Elbe;de;https://a.example/b.pdf\n`,
    )
    expect({ code, question }).toEqual({
      code: 1,
      question:
        'list.dat may be of the tables fund and document: name the table, ' +
        '`fundpress import fund list.dat --explain` or `fundpress import document list.dat --explain`',
    })
  })

  it('is what a list of documents lacks, whatever names of funds it has', async () => {
    const { table, question } = await explain(
      `ISIN;Fondsname;Dokument;Sprache;Link\n${isin};Elbe;kid;de;https://a.example/b.pdf\n`,
    )
    expect(table).toBe('document')
    expect(question).toContain('columns date, title of table document are missing (--set date=…')
  })

  it('is the table, if most columns are unknown', async () => {
    const { code, question } = await explain(`ISIN;Fonds;Kz1;Kz2;Kz3\n${isin};Elbe;1;2;3\n`)
    expect(code).toBe(1)
    expect(question).toContain('but most of its columns are not known here ("Kz1", "Kz2", "Kz3")')
  })

  it('is the column of the key, beside what is known of each column', async () => {
    const { code, table, columns, question } = await explain(`Fonds Nr;Stand;NAV\n17;27.11.2026;61,83\n`)
    expect({ code, table, columns }).toEqual({
      code: 1,
      table: 'price',
      columns: [
        { name: 'Fonds Nr', as: null, isProposed: true },
        { name: 'Stand', as: 'date', isProposed: true },
        { name: 'NAV', as: 'net_asset_value', isProposed: true },
      ],
    })
    expect(question).toContain(
      "if one of the columns that are ignored is it (Fonds Nr), --map 'Fonds Nr=isin' says so",
    )
  })

  it.each([
    ['a text', `ISIN;Fonds;25.11.2026;26.11.2026\n${isin};Elbe;61,8;61,9\n`],
    [
      'a day of a workbook',
      workbook({
        name: 'Kurse',
        rows: [
          ['ISIN', 'Fonds', { day: '2026-11-25' }, { day: '2026-11-26' }],
          [isin, 'Elbe', { number: '61.8' }, { number: '61.9' }],
        ],
      }),
    ],
  ])('is another form of a list with a column for each day, if that is %s', async (_, content) => {
    const { code, question } = await explain(content)
    expect(code).toBe(1)
    expect(question).toMatch(
      /^list\.dat has a column for each day \("(?:25\.11\.2026|2026-11-25)", "(?:26\.11\.2026|2026-11-26)"\), which cannot be read: turn the table/,
    )
  })

  it('is nothing, but the advice names columns that new rows need', async () => {
    const place = tempFolder()
    writeFileSync(place.file('funds.csv'), `ISIN;Fondsname;Währung\n${isin};Elbe;EUR\n`)
    const { stdout } = await run(['import', 'funds.csv', '--explain'], { cwd: place.path })
    expect(stdout).toContain(
      'The next import takes nothing, until the files have fund_inception_date of table fund: ' +
        '--map takes a column of the file for one, --set gives all rows one value.',
    )
    expect(stdout).not.toContain('needs no flag')
  })
})

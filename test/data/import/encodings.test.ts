/** Files with one byte for a character: none is read in an encoding that it may not have. */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importFolder, isins } from './database.ts'
import { times } from '../../support/rounds.ts'
import { dump } from './dialects.ts'

const folder = importFolder()
const isin = isins[2]
let files = 0

/** A name in bytes, written as Latin-1: `M\x9fnchen` is München in Mac Roman. */
async function importName(name: string, flags: readonly string[] = []) {
  const file = `name-${files++}.csv`
  const db = folder.database()
  writeFileSync(
    folder.file(file),
    Buffer.from(`isin;name;url\n${isin};${name};https://example.com/\n`, 'latin1'),
  )
  const { code, stdout, stderr } = await folder.import('fund', file, '--db', db, ...flags)
  const [row] = dump(folder.file(db), `fund WHERE isin = '${isin}'`, 'isin, name').rows
  return { code, stdout, stderr: stderr.replace(`fundpress: ${file}, `, ''), name: row?.[1] }
}

/** In bytes as Latin-1, and as it is read. */
const samples = {
  'windows-1252': ['Cr\xe9dit Espa\xf1a \x84Gr\xf6\xdfe\x93', 'Crédit España „Größe“'],
  'windows-1250': ['Zr\xf3wnowa\xbfony \x8crodk\xf3w \xa3\xf3d\x9f', 'Zrównoważony Środków Łódź'],
  'windows-1251': ['\xd4\xee\xed\xe4', 'Фонд'],
  'windows-1253': ['\xc1\xec\xef\xe9\xe2\xe1\xdf\xef', 'Αμοιβαίο'],
  'windows-1254': ['De\xf0i\xfeken Yat\xfdr\xfdm', 'Değişken Yatırım'],
  'windows-1257': ['\xc1vair\xf8s \xfealies', 'Įvairųs žalies'],
  'iso-8859-2': ['Zr\xf3wnowa\xbfony \xa6rodk\xf3w', 'Zrównoważony Środków'],
  'iso-8859-15': ['Gr\xf6\xdfe \xa4 \xbcuvre', 'Größe € Œuvre'],
  macintosh: ['Verm\x9agen Gr\x9a\xa7e F\x9fr M\x9fnchen', 'Vermögen Größe Für München'],
  cp850: ['Verm\x94gens-Gr\x94\xe1e \x8enderung', 'Vermögens-Größe Änderung'],
} as const

describe('import of a name beyond ASCII', () => {
  it.each(Object.entries(samples))(
    'asks for the encoding of a file in %s, and reads it then',
    async (encoding, [bytes, read]) => {
      const open = await importName(bytes)
      expect({ code: open.code, name: open.name }).toEqual({ code: 1, name: 'Empty Fund' })
      expect(open.stderr).toMatch(
        /^line 2: it is not UTF-8, and its bytes do not say what it is\. It may be read as "/,
      )
      expect(open.stderr).toContain(
        'Choose one with --encoding, or for all files of the table with import.fund.encoding in the config',
      )
      expect(open.stderr).toMatch(new RegExp(`\\([^)]*${encoding}[^)]*\\)`))
      expect(await importName(bytes, ['--encoding', encoding])).toMatchObject({ code: 0, name: read })
    },
  )

  it('shows the first words as each encoding has them, those first that look like words', async () => {
    const { stderr } = await importName('Fonds M\x9fnchen')
    const places = ['"München" (macintosh)', '"MŸnchen" (windows-1252, windows-1254)'].map((word) =>
      stderr.indexOf(word),
    )
    expect(places[0]).toBeGreaterThan(0)
    expect(places[1]).toBeGreaterThan(places[0] ?? 0)
  })

  it.each([
    ['Gr\xf6\xdfe', 'Größe'],
    ['M\xfcnchen \x80 \xa7 5', 'München € § 5'],
    ['\xd6kologie f\xfcr \xc4ltere \x96 \xdcberschuss', 'Ökologie für Ältere – Überschuss'],
    ['Verm\xf6gensverw\xe4ltung', 'Vermögensverwältung'],
    ['Cr\xe9dit Agricole', 'Crédit Agricole'],
    ['F\xfcr 1\xa0234 \x84Zitat\x93', 'Für 1\u00a0234 „Zitat“'],
    ['Klasse \x80', 'Klasse €'],
    ['5 \x80/100 \x80', '5 €/100 €'],
    ['Bund \xd6sterreich', 'Bund Österreich'],
    ['\xd6l, \xd6kofonds', 'Öl, Ökofonds'],
    ['\xdcberschuss', 'Überschuss'],
    ['Angaben \xfcber \xf6ffentliche \xe4ltere', 'Angaben über öffentliche ältere'],
    ['\xc4gypten', 'Ägypten'],
    ['\xfcblich', 'üblich'],
    // No other encoding has a word à.
    ['Fran\xe7ais \xe0 \xeatre', 'Français à être'],
  ])('reads %j as Windows-1252, since no encoding of words has others', async (bytes, read) => {
    const { code, stdout, stderr, name } = await importName(bytes)
    expect({ code, stderr, name }).toEqual({ code: 0, stderr: '', name: read })
    expect(stdout).toContain('form   Windows-1252, ')
  })

  it.each([
    ['Verm\x9agen', 'ö of Mac Roman, š of Windows'],
    ['M\x9fnchen', 'ü of Mac Roman'],
    ['Gro\xa7', 'ß of Mac Roman'],
    ['\x80nderung', 'Ä of Mac Roman'],
    ['F\x81r', 'ü of CP850'],
    ['Stra\xe1e', 'ß of CP850, á of Windows'],
    ['Previs\xe4es', 'õ of CP850, ä of Windows'],
    ['\xd6ndice', 'Í of CP850, Ö of Windows'],
    ['Espa\xf1a', 'ñ or ń'],
    ['pa\x92s', 'í of Mac Roman, an apostrophe of Windows'],
    ['Moody\x92s', 'the same'],
    ['\xcf\xd1\xc1', 'Cyrillic, or capitals'],
    ['Fran\xe7ais, \xeatre', 'ê or ę'],
    ['s\xe9rie \xe8. 2', 'č. or è.'],
    ['Klasa \xa3', 'Ł or the sign of pounds'],
  ])('asks about %j: %s', async (bytes) => {
    const { code, stderr, name } = await importName(bytes)
    expect({ code, name }).toEqual({ code: 1, name: 'Empty Fund' })
    expect(stderr).toContain('Choose one with --encoding')
  })

  it('looks at all words of the file', async () => {
    const file = 'many.csv'
    const lines = Array.from({ length: 60_000 }, (_, index) => `${isin};${index};Gr\xf6\xdfe ${index};x\n`)
    const head = 'isin;position;name_de;value\n'
    const odd = `${isin};70000;Espa\xf1a;x\n`
    writeFileSync(folder.file(file), Buffer.from([head, ...lines, odd].join(''), 'latin1'))
    const ended = await folder.import('key_figure', file, '--db', folder.database())
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('do not say what it is') })
  })
})

/** Parts of names with letters beyond ASCII, which also stand alone: short forms, share classes, names of currencies. */
const parts = {
  'windows-1250': [
    'Příležitost, podfond č. 5',
    'Peněžní trh, série č.2',
    'Akcie ČR a zahraničí',
    'tř. Ž',
    'Třída 3Č',
    '5 Kč',
    'Ľ. Štúr',
    'Klasa Ł',
    'A/Ł',
    'Akcji Środkowej',
    'ul. Żelazna 5',
    'Klasa Ą',
    '100 zł',
    'Tőke- és hozamvédett',
    'Részvény „A” sorozat',
    'čl. 5',
    'Novčani fond Đ',
    'Obligaţiuni închis',
    'eČeská',
  ],
  'iso-8859-2': [
    'Reální fond č. 7',
    'Příležitost',
    'Klasa Ł',
    'Akcji Środkowej',
    'Šance',
    'Třída Ž',
    '100 zł',
  ],
  'windows-1251': ['Фонд № 5', 'Облигации и акции', 'г. Москва', 'Акция «А»', 'ООО', 'в т.ч.', '10 р.'],
  'windows-1253': ['Αμοιβαίο Κεφάλαιο', 'Α΄ κατηγορία', 'Κλάση Ά', 'Α.Ε.', 'ή', '5 €'],
  'windows-1254': ['İş Portföy', 'Değişken', 'Şirketi A.Ş.', 'no. ş', 'Ğ', 'Altın'],
  'windows-1257': ['Vērtspapīru', 'Žalias ų', 'Įvairūs', 'Klasė Š', 'Nr. ē', 'č. 5'],
  macintosh: [
    'Fonds für Öl',
    'Größe',
    'Österreich',
    'Actions à dividende',
    'Índice',
    'Años',
    'Übersicht',
    'n° 5',
    '5 €',
    'l’avenir',
    '– «Größe»',
    'Classe É',
    'Ø',
    'Ações',
    '10 £',
  ],
} as const

describe('no file is read in an encoding that it does not have', () => {
  it.each(Object.entries(parts))('in %s', async (encoding, texts) => {
    const upper = new TextDecoder(encoding).decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at))
    const bytesOf = (text: string) =>
      text.replace(/[^\0-\x7f]/g, (letter) => String.fromCharCode(128 + upper.indexOf(letter)))
    const names = fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 })
    const property = fc.asyncProperty(names, async (chosen) => {
      const name = chosen.join(' ')
      const ended = await importName(bytesOf(name))
      if (ended.code === 0) expect(ended.name).toBe(name)
      else expect(ended.stderr).toContain(encoding)
    })
    await fc.assert(property, { numRuns: times(160) })
  })
})

describe('import.<table>.encoding in the config', () => {
  const withConfig = (config: object) => {
    writeFileSync(folder.file('encoding.json'), JSON.stringify(config))
    return ['--config', 'encoding.json']
  }
  const polish = withConfig({ import: { fund: { encoding: 'windows-1250' } } })
  const [bytes, read] = samples['windows-1250']

  it('answers for each file that does not say itself what it is', async () => {
    const flags = withConfig({ import: { fund: { encoding: 'windows-1250' } } })
    const taken = await importName(bytes, flags)
    expect(taken).toMatchObject({ code: 0, name: read })
    expect(taken.stdout).toContain('form   Windows-1250, ')
    const utf8 = await importName(Buffer.from(read).toString('latin1'), flags)
    expect(utf8).toMatchObject({ code: 0, name: read })
    // The flag is for this file.
    const other = await importName('\xd4\xee\xed\xe4', [...flags, '--encoding', 'windows-1251'])
    expect(other).toMatchObject({ code: 0, name: 'Фонд' })
  })

  it('is refused if there is no such encoding, or the file has bytes that it does not know', async () => {
    const unknown = await importName(bytes, withConfig({ import: { fund: { encoding: 'latin1' } } }))
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"import.fund.encoding" must be one of utf-8, '),
    })
    withConfig({ import: { fund: { encoding: 'windows-1250' } } })
    const wrong = await importName('Gr\x81n', polish)
    expect(wrong).toMatchObject({
      code: 1,
      stderr: 'line 2: it is not Windows-1250: it has no character 0x81\n',
    })
  })
})

it('import refuses UTF-8 that is said to have one byte for a character', async () => {
  const ended = await importName(Buffer.from('Größe').toString('latin1'), ['--encoding', 'windows-1252'])
  expect(ended).toMatchObject({
    code: 1,
    stderr: 'line 2: it is UTF-8, not Windows-1252: leave --encoding out\n',
  })
})

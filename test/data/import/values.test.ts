/** Numbers, days and texts as files have them: whatever is in a cell, the row holds it in the schema's form. */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dump, plain, type Dialect } from './dialects.ts'
import { importFolder, isins } from './database.ts'
import { times } from '../../support/rounds.ts'

const folder = importFolder()

/** A run is a process: few runs, with many values each. */
const runs = { numRuns: times(6), endOnFailure: true } as const
const many = { minLength: 60, maxLength: 120 } as const

const digits = fc.stringMatching(/^(?:0|[1-9][0-9]{0,17})$/)
const fraction = fc.stringMatching(/^[0-9]{1,12}$/)
const number = fc.record({
  minus: fc.boolean(),
  whole: digits,
  fraction: fc.option(fraction, { nil: undefined }),
  group: fc.constantFrom('', '', 'other', "'", '\u2019', ' ', '\u00a0', '\u202f'),
})
type Number = typeof number extends fc.Arbitrary<infer T> ? T : never

/** The number as the schema wants it. */
const canonical = (value: Number): string =>
  (value.minus ? '-' : '') + value.whole + (value.fraction === undefined ? '' : `.${value.fraction}`)

/** The number as a spreadsheet may write it. */
function written(value: Number, decimal: ',' | '.'): string {
  const other = decimal === ',' ? '.' : ','
  const divider = value.group === 'other' ? other : value.group
  const grouped = value.whole.replace(/\B(?=(?:[0-9]{3})+$)/g, divider)
  return (value.minus ? '-' : '') + grouped + (value.fraction === undefined ? '' : decimal + value.fraction)
}

/** Days, one after the other, so that each value has a row of its own. */
const dayAt = (index: number): string => new Date(Date.UTC(2001, 0, 1 + index)).toISOString().slice(0, 10)

const header =
  'isin date issue_price repurchase_price net_asset_value change change_percent performance'.split(' ')

async function importPrices(cells: readonly string[], flags: readonly string[], dialect?: Dialect) {
  const db = folder.database()
  const lines = cells.map((cell, index) => [isins[2], dayAt(index), '1', '1', '1', cell, '1', '1'])
  const ended = await folder.importLines(db, 'price', [header, ...lines], flags, dialect)
  const { rows } = dump(folder.file(db), `price WHERE isin = '${isins[2]}' ORDER BY date`, 'change')
  return { ended, values: rows.map(([value]) => value) }
}

describe('import of decimals', () => {
  const marks = [
    [',', ['--decimal', 'comma']],
    ['.', ['--decimal', 'point']],
    [',', []],
    ['.', []],
  ] as const
  it.each(marks)('keeps digits with the mark %s and flags %j, in any groups', async (decimal, flags) => {
    // Without a flag, one number has to decide.
    const sure = { minus: false, whole: '12', fraction: '5', group: '' } as const
    await fc.assert(
      fc.asyncProperty(fc.array(number, many), async (numbers) => {
        const all = flags.length === 0 ? [...numbers, sure] : numbers
        const cells = all.map((value) => written(value, decimal))
        const { ended, values } = await importPrices(cells, flags)
        expect(ended).toMatchObject({ code: 0, stderr: '' })
        expect(values).toEqual(all.map(canonical))
      }),
      runs,
    )
  })

  it.each([
    ['+5', '5'],
    ['-0,00', '-0.00'],
    [',5', '0.5'],
    ['\u22121,50', '-1.50'],
    ['007,50', '007.50'],
    [' 1,5 ', '1.5'],
    ['\u00a01,5', '1.5'],
    ['1,5E-05', '0.000015'],
    ['1,25e+2', '125'],
    ['-1,2345E2', '-123.45'],
    ['0,5E1', '5'],
    ['0E+9', '0'],
    ['12345678901234567890123,1234567', '12345678901234567890123.1234567'],
  ])('reads %j as %j', async (cell, expected) => {
    const { ended, values } = await importPrices([cell, '0,1'], [])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(values).toEqual([expected, '0.1'])
  })

  it('refuses cells that are not numbers or hide digits', async () => {
    const cells =
      "1,23457E+11|1,2,3|1.23,4|01.234,5|1 23,5|5,|12 EUR|1'234.567,8|0x1|--1|1,5-|١|#N/A|1e9999|,".split('|')
    const { ended, values } = await importPrices(cells, ['--decimal', 'comma'])
    expect(ended.code).toBe(1)
    expect(values).toEqual([])
    const named = ended.stdout.match(/^line \d+: change ".*" is not a number/gm)
    expect(named).toEqual(cells.map((cell, at) => `line ${at + 2}: change "${cell}" is not a number`))
  })
})

/** Imports points and gives back a column of them, in the order of their dates. */
async function importPoints(
  lines: readonly (readonly string[])[],
  column: string,
  flags: readonly string[] = [],
) {
  const db = folder.database()
  const all = [['isin', 'date', 'value'], ...lines.map((cells) => [isins[2], ...cells])]
  expect(await folder.importLines(db, 'launch_point', all, flags)).toMatchObject({ code: 0, stderr: '' })
  return dump(folder.file(db), `launch_point WHERE isin = '${isins[2]}' ORDER BY date`, column).rows.flat()
}

it('import of numbers gives the same floats', async () => {
  // An index is not below 0, and no figure is beyond these.
  const finite = fc
    .double({ min: 0, max: 1e30, maxExcluded: true, noNaN: true })
    .filter((value) => value === 0 || value > 1e-30)
    .map((value) => value + 0 || 0)
  await fc.assert(
    fc.asyncProperty(fc.array(finite, many), fc.constantFrom(',', '.'), async (numbers, decimal) => {
      const lines = numbers.map((value, index) => [dayAt(index), String(value).replace('.', decimal)])
      const flags = ['--decimal', decimal === ',' ? 'comma' : 'point']
      expect(await importPoints(lines, 'value', flags)).toEqual(numbers)
    }),
    runs,
  )
})

it.each(['-1', '1e31', '1e-31', '-1e40'])('import refuses %s as an index, as check does', async (value) => {
  const lines = [
    ['isin', 'date', 'value'],
    [isins[2], dayAt(0), value],
  ]
  const ended = await folder.importLines(folder.database(), 'launch_point', lines, ['--decimal', 'point'])
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringMatching(/^line 2: value -?1/) as string })
})

it('import of days gives the same days for either form, with or without their zeros', async () => {
  const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2070-12-31'), noInvalidDate: true })
  const text = day.map((each) => each.toISOString().slice(0, 10))
  const days = fc.uniqueArray(text, many)
  await fc.assert(
    fc.asyncProperty(days, fc.constantFrom('iso', 'german', 'short'), async (expected, form) => {
      const lines = expected.map((each) => {
        const parts = each.split('-').reverse()
        const short = parts.map((part, index) => (index < 2 ? String(Number(part)) : part))
        return [form === 'iso' ? each : (form === 'german' ? parts : short).join('.'), '1']
      })
      expect(await importPoints(lines, 'date')).toEqual([...expected].sort())
    }),
    runs,
  )
})

/** A dash alone says that there is no value. */
const isText = (text: string) => !/^\s*–+\s*$/.test(text)
const latin = fc
  .string({
    unit: fc.constantFrom(...'aZ09 ;,\t"\'\r\n.äöüßéÀ€„“–™œ'.split('').concat('\r\n')),
    minLength: 1,
    maxLength: 12,
  })
  .filter(isText)

it('import of texts gives the same letters, in any encoding, with any delimiter and line end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(latin, many),
      fc.constantFrom<Dialect['encoding'][]>('utf-8', 'utf-8 with BOM', 'windows-1252'),
      fc.constantFrom<Dialect['delimiter'][]>(';', ',', '\t'),
      fc.constantFrom<Dialect['lineEnd'][]>('\n', '\r\n'),
      async (texts, encoding, delimiter, lineEnd) => {
        const db = folder.database()
        const lines = texts.map((text, index) => [isins[2], String(index), text, 'x'])
        const all = [['isin', 'position', 'name_de', 'value'], ...lines]
        const dialect = { ...plain, encoding, delimiter, lineEnd }
        // Two letters of Windows-1252 can be one of UTF-8: chance finds them.
        const flags = encoding === 'windows-1252' ? ['--encoding', encoding] : []
        const ended = await folder.importLines(db, 'key_figure', all, flags, dialect)
        expect(ended).toMatchObject({ code: 0, stderr: '' })
        const rows = `key_figure WHERE isin = '${isins[2]}' ORDER BY position`
        expect(dump(folder.file(db), rows, 'name_de').rows.flat()).toEqual(texts)
      },
    ),
    runs,
  )
})

it('import reads every byte of Windows-1252 as the character of the standard', async () => {
  const db = folder.database()
  const bytes = Array.from({ length: 224 }, (_, index) => index + 32).filter(
    (byte) => ![0x22, 0x3b, 0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte),
  )
  const line = Buffer.from(`isin;position;name_de;value\n${isins[2]};1;`)
  writeFileSync(folder.file('bytes.csv'), Buffer.concat([line, Buffer.from(bytes), Buffer.from(';x\n')]))
  expect(
    await folder.import('key_figure', 'bytes.csv', '--encoding', 'windows-1252', '--db', db),
  ).toMatchObject({ code: 0 })
  const { rows } = dump(folder.file(db), `key_figure WHERE isin = '${isins[2]}'`, 'name_de')
  const upper = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'
  const expected = bytes.filter((byte) => byte < 128 || byte > 159).map((byte) => String.fromCharCode(byte))
  expect(rows[0]?.[0]).toBe(expected.slice(0, 93).join('') + upper + expected.slice(93).join(''))
})

/** Forms of days beside YYYY-MM-DD and DD.MM.YYYY: sniffed where they leave nothing open, asked for else. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dateFormNames } from '../../../src/extensions/import/days.ts'
import { dump } from './dialects.ts'
import { importFolder, isins, refusal } from './database.ts'

const folder = importFolder()
const isin = isins[2]

let files = 0
async function importDays(days: readonly string[], ...flags: string[]) {
  const file = `days-${files++}.csv`
  const db = folder.database()
  const lines = days.map((day) => `${isin};"${day}";1`)
  writeFileSync(folder.file(file), ['isin;date;value', ...lines].join('\n'))
  const ended = await folder.import('legal_point', file, '--db', db, ...flags)
  const found = () =>
    dump(folder.file(db), `legal_point WHERE isin = '${isin}' ORDER BY date`, 'date').rows.flat()
  return { ...ended, said: ended.stderr.replace(`fundpress: ${file}`, 'file').trim(), found }
}

describe('import of days', () => {
  it.each([
    [['20261127', '20260105'], 'YYYYMMDD', ['2026-01-05', '2026-11-27']],
    [['2026/11/27', '2026年1月5日'], 'YYYY-MM-DD', ['2026-01-05', '2026-11-27']],
    [['27/11/2026', '05/01/2026'], 'DD/MM/YYYY', ['2026-01-05', '2026-11-27']],
    [['05-01-2026', '27-11-2026'], 'DD/MM/YYYY', ['2026-01-05', '2026-11-27']],
    [['27-Nov-2026', '5 Jan 2026', '3. März 2026'], 'DD/MM/YYYY', ['2026-01-05', '2026-03-03', '2026-11-27']],
    [['27NOV2026', '05-dez-2026'], 'DD/MM/YYYY', ['2026-11-27', '2026-12-05']],
    [['11/27/2026', '01/05/2026'], 'MM/DD/YYYY', ['2026-01-05', '2026-11-27']],
    [
      ['Nov 27, 2026', 'January 5 2026', '01/06/2026'],
      'MM/DD/YYYY',
      ['2026-01-05', '2026-01-06', '2026-11-27'],
    ],
    [['1868-03-19'], 'YYYY-MM-DD', ['1868-03-19']],
  ])('reads %j as %s', async (days, form, expected) => {
    const { code, stdout, found } = await importDays(days)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`, dates ${form}\n`) })
    expect(found()).toEqual(expected)
  })

  it('asks if no day says whether its month comes first', async () => {
    const { code, said } = await importDays(['05/06/2026', '01/02/2026'])
    expect({ code, said }).toEqual({
      code: 1,
      said:
        'file: the dates can be read as DD/MM/YYYY and as MM/DD/YYYY, as "05/06/2026" (line 2), ' +
        'and no other one decides it: choose one with --dates dmy or --dates mdy',
    })
    const dmy = await importDays(['05/06/2026'], '--dates', 'dmy')
    const mdy = await importDays(['05/06/2026'], '--dates', 'mdy')
    expect([dmy.found(), mdy.found()]).toEqual([['2026-06-05'], ['2026-05-06']])
  })

  it('asks from which day the numbers of a spreadsheet count', async () => {
    const { code, said } = await importDays(['44927', '45291'])
    expect({ code, said }).toEqual({
      code: 1,
      said:
        'file: the dates can be read as days of Excel (44927 is 2023-01-01) and as days of Excel since 1904 (43465 is 2023-01-01), ' +
        'as "44927" (line 2), and no other one decides it: choose one with --dates excel or --dates excel1904',
    })
  })

  it.each([
    [['44927', '45291.00', '45351,0'], 'excel', ['2023-01-01', '2023-12-31', '2024-02-29']],
    [['43465', '43889'], 'excel1904', ['2023-01-01', '2024-02-29']],
    [['59', '61'], 'excel', ['1900-02-28', '1900-03-01']],
  ])('reads %j as the numbers that a spreadsheet holds, by --dates %s', async (days, form, expected) => {
    const { code, found } = await importDays(days, '--dates', form)
    expect({ code, found: found() }).toEqual({ code: 0, found: expected })
  })

  it.each(['60', '0', '44927.5', '2023-01-01', '444444'])('takes %s for no number of a day', async (day) => {
    const { code, stdout } = await importDays([day], '--dates', 'excel')
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(`line 2: date "${day}" is not a day (days of Excel`) as string,
    })
  })

  it.each([
    [['05/06/2026', '27/11/2026', '11/27/2026'], '"27/11/2026" (line 3) and "11/27/2026" (line 4)'],
    [['20261127', '05/06/2026'], '"20261127" (line 2) and "05/06/2026" (line 3)'],
  ])('names a line of each form if a file has both: %j', async (days, examples) => {
    const reason = `the dates are of two forms, ${examples}: choose one with --dates`
    expect(await importDays(days)).toMatchObject(refusal(reason))
  })

  it.each([
    ['27-Nov-26', ': its year has two digits; --dates dmy takes it for 2026-11-27'],
    ['27/11/26', ': its year has two digits; --dates dmy takes it for 2026-11-27'],
    [
      '05/06/07',
      ': its year has two digits; --dates dmy takes it for 2007-06-05; --dates mdy takes it for 2007-05-06',
    ],
    ['31/02/26', ': its year has two digits'],
    ['27. 11. 2026', '; other forms, by --dates: DD.MM.YYYY, YYYYMMDD, DD/MM/YYYY, MM/DD/YYYY'],
    ['27-Foo-2026', '; other forms, by --dates: DD.MM.YYYY, YYYYMMDD, DD/MM/YYYY, MM/DD/YYYY'],
  ])('says why %s is none', async (day, why) => {
    const { stdout } = await importDays([day])
    expect(stdout).toContain(`line 2: date "${day}" is not a day (YYYY-MM-DD)${why}\n`)
  })

  it.each([
    ['german', ['27.11.26', '01.02.2026', '1.1.50'], ['1950-01-01', '2026-02-01', '2026-11-27']],
    ['dmy', ['27/11/26', '5-Jan-49', '31-12-99'], ['1999-12-31', '2026-11-27', '2049-01-05']],
    ['mdy', ['11/27/26', 'Jan 5, 98'], ['1998-01-05', '2026-11-27']],
  ])('takes years of two digits by --dates %s, and says by which rule', async (form, days, expected) => {
    const { code, stdout, found } = await importDays(days, '--dates', form)
    expect({ code, found: found() }).toEqual({ code: 0, found: expected })
    const count = days.filter((day) => !/\d{4}/.test(day)).length
    expect(stdout).toContain(
      `date: ${count} cells have a year of two digits (50 to 99 are 1950 to 1999, 00 to 49 are 2000 to 2049): "${days[0]}" is 2026-11-27`,
    )
  })

  it.each(['iso', 'compact'])('takes no year of two digits by --dates %s', async (form) => {
    expect(await importDays(['26-11-27'], '--dates', form)).toMatchObject({ code: 1 })
  })

  it.each([
    ['2026-11-27T18:30', 'YYYY-MM-DD'],
    ['2026-11-27 18:30:05.123', 'YYYY-MM-DD'],
    ['2026-11-27T23:30:00Z', 'YYYY-MM-DD'],
    ['2026-11-27T23:30:00+01:00', 'YYYY-MM-DD'],
    ['27.11.2026 18:30', 'DD.MM.YYYY'],
    ['11/27/2026 6:30 PM', 'MM/DD/YYYY'],
    ['20261127 18:30', 'YYYYMMDD'],
  ])('asks whether the time of %s may go, and leaves it out by --drop-times', async (day, form) => {
    const asked = await importDays([day])
    expect(asked).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `line 2: date "${day}" is not a day (${form}): it has a time of day, which --drop-times leaves out\n`,
      ),
    })
    const { code, stdout, found } = await importDays([day], '--drop-times')
    expect({ code, found: found() }).toEqual({ code: 0, found: ['2026-11-27'] })
    expect(stdout).toContain(`date: 1 cell has a time of day, which is left out: "${day}" is 2026-11-27`)
  })

  it('says nothing of midnight, which databases write behind each day', async () => {
    const { code, stdout } = await importDays(['2026-11-27 00:00:00'], '--drop-times')
    expect(code).toBe(0)
    expect(stdout).not.toContain('time of day')
  })

  it('leaves out the decimals of the numbers of a spreadsheet by --drop-times', async () => {
    const asked = await importDays(['44927.75'], '--dates', 'excel')
    expect(asked.stdout).toContain('it has a time of day, which --drop-times leaves out\n')
    const { found } = await importDays(['44927.75'], '--dates', 'excel', '--drop-times')
    expect(found()).toEqual(['2023-01-01'])
  })

  it.each([
    ['31.12.', 'german', '12-31'],
    ['1231', 'compact', '12-31'],
    ['31/12', 'dmy', '12-31'],
    ['31 Dez', 'dmy', '12-31'],
    ['12/31', 'mdy', '12-31'],
    ['06-05', 'mdy', '06-05'],
    ['05-06', 'dmy', '06-05'],
  ])('reads the day of a year %s as %s', async (cell, form, expected) => {
    const db = folder.database()
    const lines = [
      ['isin', 'end_of_fiscal_year'],
      [isins[0], cell],
    ]
    const ended = await folder.importLines(db, 'profile', lines, ['--dates', form])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(dump(folder.file(db), `profile WHERE isin = '${isins[0]}'`, 'end_of_fiscal_year').rows).toEqual([
      [expected],
    ])
  })
})

describe('days of a year beside other days', () => {
  const header =
    'OFST020000;OFST020540;OFST020560;OFST010440;OFDY000060;OFST020400;OFST452120;OFST452000;OFST451027'
  const importBoth = async (launch: string, end: string, ...flags: readonly string[]) => {
    const db = folder.database()
    const line = `${isins[0]};EUR;${launch};${end};1000;accumulating;0.01;0.01;no`
    writeFileSync(folder.file('both.csv'), `${header}\n${line}\n`)
    const { code, stdout, stderr } = await folder.import('both.csv', '--db', db, ...flags)
    const query = `fund JOIN profile USING (isin) WHERE isin = '${isins[0]}'`
    const { rows } = dump(folder.file(db), query, 'fund_inception_date, end_of_fiscal_year')
    return { code, stdout, stderr, rows }
  }

  it.each([
    ['2019-05-04', '31.12.', '12-31'],
    ['2019-05-04', '30-09', '09-30'],
    ['04.05.2019', '09-30', '09-30'],
    ['2019-05-04', '06-05', '06-05'],
  ])('may have another form, if it leaves no doubt: %s and %s', async (launch, end, expected) => {
    expect(await importBoth(launch, end)).toMatchObject({ code: 0, rows: [['2019-05-04', expected]] })
  })

  it('are bad if their form leaves a doubt', async () => {
    const { code, stdout } = await importBoth('04.05.2019', '06-05')
    expect(code).toBe(1)
    expect(stdout).toContain('"06-05" is not a day of the year (DD.MM.)')
  })

  it('are named with their form', async () => {
    expect((await importBoth('2019-05-04', '31.12.')).stdout).toContain(
      'dates YYYY-MM-DD, days of the year DD.MM.',
    )
  })
})

it('help lists the forms of days, by their names, and says no number of them', async () => {
  const { stdout } = await folder.import('--help')
  const option = /--dates <form>([^]*?)\n +--/.exec(stdout)?.[1] ?? ''
  const text = option.replace(/\s+/g, ' ')
  for (const [form, name] of Object.entries(dateFormNames)) expect(text).toContain(`${form}: ${name}`)
  expect(stdout).not.toMatch(/\b(?:two|three|four|five|six|seven|eight|[0-9]+) forms\b/)
})

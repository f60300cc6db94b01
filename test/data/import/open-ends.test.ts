/** Days that stand for an end that nobody knows, and days that lie too far ahead: what an import takes, a build takes, too. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [first] = isins

async function importContent(content: string, { edit = '', args = [] as readonly string[] } = {}) {
  const db = folder.database()
  editDatabase(
    folder.file(db),
    `UPDATE fund SET end_date = NULL, end_reason = NULL, suspended_from = NULL, suspended_to = NULL; ${edit}`,
  )
  writeFileSync(folder.file('data.dat'), content)
  const outcome = await folder.import(...args, 'data.dat', '--db', db)
  const [fund] = readDatabase(
    folder.file(db),
    `SELECT end_date, end_reason, suspended_from, suspended_to FROM fund WHERE isin = '${first}'`,
  )
  const check = await run(['check', '--db', db, '--as-of', '2024-05-03'], { cwd: folder.path })
  return { ...outcome, fund, errors: check.stdout.match(/^ {2}error .*/gm) ?? [] }
}

const alive = { end_date: null, end_reason: null, suspended_from: null, suspended_to: null }

const fundsXml = (
  ofClass: string,
) => `<FundsXML4><ControlData><ContentDate>2024-05-03</ContentDate></ControlData>
<Funds><Fund><Currency>EUR</Currency><SingleFund><ShareClasses><ShareClass><Identifiers><ISIN>${first}</ISIN></Identifiers>
<Names><OfficialName>Elbe R</OfficialName></Names><Currency>EUR</Currency>${ofClass}</ShareClass></ShareClasses></SingleFund></Fund></Funds></FundsXML4>`
const maturing = (day: string) =>
  fundsXml('').replace(
    '<SingleFund>',
    `<FundStaticData><MaturityDate>${day}</MaturityDate></FundStaticData><SingleFund>`,
  )

describe('an end that is not known', () => {
  it.each([
    ['FundsXML, MaturityDate', maturing('9999-12-31')],
    [
      'FundsXML, LiquidationDate',
      fundsXml('<LiquidationDate>2099-12-31</LiquidationDate><LiquidationReason>MERGER</LiquidationReason>'),
    ],
    ['openfunds, OFEM000650', `OFST020000;OFST020540;OFEM000650\n${first};EUR;9999-12-31\n`],
    [
      'openfunds, OFST020566 of a merger',
      `OFST020000;OFST020540;OFST020566;OFST020575\n${first};EUR;9999-12-31;${isins[1]}\n`,
    ],
    ['a table', `isin;end_date;end_reason\n${first};31.12.9999;matured\n`],
    [
      'a table whose years have two digits',
      `isin;end_date;end_reason\n${first};31.12.99;matured\n`,
      'german',
    ],
    ['a table in ISO days', `isin;end_date;end_reason\n${first};2999-12-31;liquidated\n`],
  ])('is no day: %s', async (_, content, dates?: string) => {
    const args = dates === undefined ? [] : ['--dates', dates]
    const { code, stdout, fund, errors } = await importContent(content, { args })
    expect({ code, fund, errors }).toEqual({ code: 0, fund: alive, errors: [] })
    expect(stdout).toMatch(
      /left out.*an end that is not known \(end_date (?:9999|2999|2099)-12-31\) \(1, the/,
    )
  })

  it.each([
    ['a table', `isin;suspended_from;suspended_to\n${first};02.05.2024;31.12.2099\n`],
    [
      'openfunds, OFST020563',
      `OFST020000;OFST020540;OFST020562;OFST020563\n${first};EUR;2024-05-02;9999-12-31\n`,
    ],
  ])('leaves a suspension without its last day: %s', async (_, content) => {
    const { code, fund, errors } = await importContent(content)
    const expected = { ...alive, suspended_from: '2024-05-02', suspended_to: null }
    expect({ code, fund, errors }).toEqual({ code: 0, fund: expected, errors: [] })
  })

  it.each(['30.12.99', '31.12.98'])(
    'is none of the last days of %s, whose year has two digits',
    async (day) => {
      const content = `isin;end_date;end_reason\n${first};${day};matured\n`
      const { code, fund } = await importContent(content, { args: ['--dates', 'german'] })
      expect({ code, fund }).toMatchObject({ code: 0, fund: { end_reason: 'matured' } })
    },
  )

  it.each([
    [
      'FundsXML',
      maturing('2031-12-31').replace(
        '</Currency></ShareClass>',
        '</Currency><LiquidationDate>9999-12-31</LiquidationDate></ShareClass>',
      ),
    ],
    ['openfunds', `OFST020000;OFST020540;OFST020566;OFEM000650\n${first};EUR;9999-12-31;2031-12-31\n`],
  ])('says nothing beside another one that is: %s', async (_, content) => {
    const { code, fund } = await importContent(content)
    expect({ code, fund }).toEqual({
      code: 0,
      fund: { ...alive, end_date: '2031-12-31', end_reason: 'matured' },
    })
  })

  const ended = `UPDATE fund SET end_date = '2031-12-31', end_reason = 'matured' WHERE isin = '${first}'`
  const suspended = `UPDATE fund SET suspended_from = '2024-05-02', suspended_to = '2024-05-10' WHERE isin = '${first}'`

  it.each([
    ['9999-12-31', ended, 'end_date', 'end_reason'],
    ['', ended, 'end_date', 'end_reason'],
    ['', suspended, 'suspended_from', 'suspended_to'],
  ])('of %j takes away what the database says of it', async (day, edit, column, mate) => {
    const content = `isin;${column}\n${first};${day}\n`
    const { code, stdout, fund, errors } = await importContent(content, { edit, args: ['fund'] })
    expect({ code, fund, errors }).toEqual({ code: 0, fund: alive, errors: [] })
    expect(stdout).toContain(
      `${mate} of the database, which has no ${column} any more (1, the first: line 2)`,
    )
    expect(stdout).toContain('0 new, 1 changed')
  })

  it.each([
    ['end_reason', 'matured', '', 'an end_reason needs an end_date'],
    ['suspended_to', '2024-05-01', suspended, 'a suspension does not end before it begins'],
    ['suspended_from', '2024-05-11', suspended, 'a suspension does not end before it begins'],
  ])('that does not fit the database is a bad line: %s %s', async (column, value, edit, message) => {
    const content = `isin;${column}\n${first};${value}\n`
    const { code, stdout } = await importContent(content, { edit, args: ['fund'] })
    expect(code).toBe(1)
    expect(stdout).toContain(`line 2: against the schema: ${message}`)
  })

  it('keeps what the database says beside a day that fits it', async () => {
    const content = `isin;end_date\n${first};2032-12-31\n`
    const { code, fund } = await importContent(content, { edit: ended, args: ['fund'] })
    expect({ code, fund }).toMatchObject({ code: 0, fund: { end_date: '2032-12-31', end_reason: 'matured' } })
  })

  it('is an error of a database that has it, which says what to write', async () => {
    const { errors } = await importContent(`isin;name\n${first};Elbe\n`, {
      edit: `UPDATE fund SET end_date = '9999-12-31', end_reason = 'matured' WHERE isin = '${first}'`,
      args: ['fund'],
    })
    expect(errors).toEqual([
      expect.stringMatching(/end_date 9999-12-31 does not lie between .*: an end that is not known is NULL$/),
    ])
  })
})

describe('a day that lies too far ahead', () => {
  it.each([
    ['the end of a fund', maturing('2150-06-30'), 'end_date 2150-06-30'],
    ['the end in a table', `isin;end_date;end_reason\n${first};30.06.2150;matured\n`, 'end_date 2150-06-30'],
    ['an inception', `isin;fund_inception_date\n${first};9999-12-31\n`, 'fund_inception_date 9999-12-31'],
    ['a year', `isin;year;percent\n${first};2204;5.1\n`, '2204'],
  ])('is a bad line: %s', async (_, content, what) => {
    const { code, stdout, fund } = await importContent(content)
    expect({ code, fund }).toEqual({ code: 1, fund: alive })
    expect(stdout).toContain(`${what} does not lie between 1700`)
  })
})

describe('the day on which a fund begins', () => {
  const begins = (day: string, ...args: readonly string[]) =>
    importContent(`isin;fund_inception_date\n${first};${day}\n`, { args: ['fund', ...args] })
  const later = (years: number) => `${String(new Date().getUTCFullYear() + years)}-01-01`

  it('may lie a year ahead, and not more', async () => {
    expect(await begins(later(1))).toMatchObject({ code: 0 })
    const { code, stdout } = await begins(later(2))
    expect(code).toBe(1)
    expect(stdout).toContain(`line 2: fund_inception_date ${later(2)} does not lie between 1700-01-01 and `)
  })

  it('is asked for where two digits would put it ahead', async () => {
    const { code, stdout } = await begins('15.06.49', '--dates', 'german')
    expect(code).toBe(1)
    expect(stdout).toContain('line 2: fund_inception_date 2049-06-15 does not lie between')
  })

  it('is an error of a database that has it too far ahead', async () => {
    const { errors } = await importContent(`isin;name\n${first};Elbe\n`, {
      edit: `UPDATE fund SET fund_inception_date = '2049-06-15' WHERE isin = '${first}'`,
      args: ['fund'],
    })
    expect(errors.join()).toContain(
      'fund_inception_date 2049-06-15 does not lie between 1700-01-01 and 2025-05-03',
    )
  })
})

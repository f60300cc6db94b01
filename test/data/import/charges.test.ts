/** The issue surcharge of a file makes the issue prices of the same file, also where its profile is too little to be taken. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
/** A fund without a profile. */
const isin = isins[2]

const openfunds = (surcharge: string, nav = '150.40', day = '2026-11-27') =>
  `OFST020000;OFST020540;OFDY000040;OFDY000041;OFST451320\n${isin};EUR;${nav};${day};${surcharge}\n`
const fundsXml = (fee: string) => `<FundsXML4>
<ControlData><Version>4.2.9</Version><ContentDate>2026-11-27</ContentDate></ControlData>
<Funds><Fund><Currency>EUR</Currency><SingleFund><ShareClasses><ShareClass>
<Identifiers><ISIN>${isin}</ISIN></Identifiers><Names><OfficialName>Elbe R</OfficialName></Names><Currency>EUR</Currency>
<Prices><Price><ActionCode>C</ActionCode><NavDate>2026-11-27</NavDate><PriceCurrency>EUR</PriceCurrency>
<PriceNature>OFFICIAL</PriceNature><NavPrice>150.40</NavPrice></Price></Prices>
<Fees><Fee><Type>Entry Fee</Type><PayReceive>P</PayReceive><Maximum>${fee}</Maximum></Fee></Fees>
</ShareClass></ShareClasses></SingleFund></Fund></Funds></FundsXML4>`

async function importFiles(contents: readonly string[], ...flags: string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), `DELETE FROM price WHERE isin = '${isin}'`)
  return { db, ...(await importInto(db, contents, ...flags)) }
}

async function importInto(db: string, contents: readonly string[], ...flags: string[]) {
  const files = contents.map((content, index) => {
    const name = `charges-${index}.dat`
    writeFileSync(folder.file(name), content)
    return name
  })
  const ended = await folder.import(...files, '--db', db, ...flags)
  const prices = readDatabase(
    folder.file(db),
    `SELECT net_asset_value AS nav, issue_price AS issue, repurchase_price AS repurchase FROM price WHERE isin = '${isin}' ORDER BY date`,
  )
  return { ...ended, prices }
}

const note =
  `issue surcharge and redemption fee of the files: fund ${isin} has no row in table profile, and the files lack the rest of one. ` +
  'Later files that do not name them have the same'

describe('an issue surcharge whose profile is left out', () => {
  it.each([
    ['openfunds', openfunds('0.05')],
    ['FundsXML', fundsXml('5')],
  ])('is in the issue prices of the same file of %s, and the report says so', async (_, content) => {
    const { code, stdout, prices } = await importFiles([content])
    expect({ code, prices }).toEqual({
      code: 0,
      prices: [{ nav: '150.40', issue: '157.92', repurchase: '150.40' }],
    })
    expect(stdout).toContain(note)
    expect(stdout).toContain('a part of a profile that is not there')
    expect(stdout).not.toContain('no issue surcharge')
  })

  it('is in the prices of another file of the same import', async () => {
    const prices = `isin;date;net_asset_value\n${isin};2026-11-26;100.00\n`
    const { code, prices: taken } = await importFiles([prices, openfunds('0.05')], '--derive')
    expect({ code, taken }).toEqual({
      code: 0,
      taken: [
        { nav: '100.00', issue: '105.00', repurchase: '100.00' },
        { nav: '150.40', issue: '157.92', repurchase: '150.40' },
      ],
    })
  })

  it('is kept by the next price whose file does not name it, as the report says, until a file or a profile names another', async () => {
    const { db } = await importFiles([openfunds('0.05')])
    const next = await importInto(db, [openfunds('', '151.00', '2026-11-30')])
    expect(next.prices.at(-1)).toEqual({ nav: '151.00', issue: '158.55', repurchase: '151.00' })
    expect(next.stdout).toContain(
      `issue surcharge and redemption fee of the last derived price: fund ${isin} has no row in table profile, and the files name none`,
    )
    expect(next.stdout).not.toContain('of the files')
    const without = await importInto(db, [openfunds('0', '152.00', '2026-12-01')])
    expect(without.prices.at(-1)).toEqual({ nav: '152.00', issue: '152.00', repurchase: '152.00' })
    const later = await importInto(db, [openfunds('', '153.00', '2026-12-02')])
    expect(later.prices.at(-1)).toEqual({ nav: '153.00', issue: '153.00', repurchase: '153.00' })
    expect(later.stdout).not.toContain('of the last derived price')
  })

  it('is forgotten with a price that was removed', async () => {
    const { db } = await importFiles([openfunds('0.03', '50.00', '2026-11-24')])
    await importInto(db, [openfunds('0.1', '50.00', '2026-11-25')])
    editDatabase(folder.file(db), `DELETE FROM price WHERE isin = '${isin}' AND date = '2026-11-25'`)
    const { prices } = await importInto(db, [openfunds('', '52.00')])
    expect(prices.at(-1)).toMatchObject({ nav: '52.00', issue: '53.56' })
  })

  it('leaves the schema of the database as it is if no price changes', async () => {
    const { db } = await importFiles([openfunds('0.05')])
    const schema = () => readDatabase(folder.file(db), 'SELECT name FROM sqlite_schema ORDER BY name')
    editDatabase(folder.file(db), 'DROP TABLE fundpress_derived_offers')
    const before = schema()
    await importInto(db, [openfunds('0.05')])
    expect(schema()).toEqual(before)
  })

  it('makes the issue price anew with a NAV that another file corrects', async () => {
    const { db } = await importFiles([openfunds('0.05')])
    const { prices } = await importInto(db, [openfunds('', '150.50')])
    expect(prices).toEqual([{ nav: '150.50', issue: '158.03', repurchase: '150.50' }])
  })

  it('may be in another file than the redemption fee', async () => {
    const fee = `OFST020000;OFST451420\n${isin};0.02\n`
    const { code, stdout, prices } = await importFiles([openfunds('0.05'), fee])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('the same isin') })
    expect(prices).toEqual([{ nav: '150.40', issue: '157.92', repurchase: '147.39' }])
  })

  it('is bad in two files that contradict each other, both of which are named', async () => {
    const two = [openfunds('0.05'), openfunds('0.03', '151.00', '2026-11-30')]
    const { code, stdout } = await importFiles(two)
    expect(code).toBe(1)
    expect(stdout).toContain(
      `charges-0.dat, line 2: the same isin as in line 2 of charges-1.dat, where issue_surcharge is "3", not "5"`,
    )
    expect(stdout).toContain(
      `charges-1.dat, line 2: the same isin as in line 2 of charges-0.dat, where issue_surcharge is "5", not "3"`,
    )
  })

  it('completes a profile that is there, so that nothing is left out', async () => {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      `CREATE TEMP TABLE own AS SELECT * FROM profile WHERE isin = '${isins[0]}';
       UPDATE own SET isin = '${isin}', issue_surcharge = NULL, redemption_fee = NULL; INSERT INTO profile SELECT * FROM own`,
    )
    const { code, stdout, prices } = await importInto(db, [openfunds('0.05')])
    expect({ code, prices }).toMatchObject({ code: 0, prices: [{ issue: '157.92' }] })
    expect(stdout).not.toContain('of the files')
  })
})

describe('a fee below 0', () => {
  const profile = (column: string) => `isin;${column}\n${isins[0]};-5\n`

  it.each(['issue_surcharge', 'redemption_fee', 'management_fee', 'custodian_bank_fee'])(
    'is a bad value of %s, with its place',
    async (column) => {
      const { code, stdout } = await importFiles([profile(column)])
      expect(code).toBe(1)
      expect(stdout).toContain(`line 2: ${column} -5 is below 0, which cannot be`)
    },
  )

  it.each([
    ['openfunds', openfunds('-0.05'), 'line 2: OFST451320 is -0.05, below 0, which cannot be'],
    ['FundsXML', fundsXml('-5'), 'issue_surcharge -5 is below 0, which cannot be'],
  ])('is bad in a file of %s, with its place', async (_, content, message) => {
    const { code, stdout, prices } = await importFiles([content])
    expect({ code, prices }).toEqual({ code: 1, prices: [] })
    expect(stdout).toContain(message)
    expect(stdout).toContain('line ')
  })

  it('is no fault of costs of a year, which refunds lower', async () => {
    const { code } = await importFiles([profile('total_expense_ratio')])
    expect(code).toBe(0)
  })
})

/** The issue surcharge of a file makes the issue prices of the same file, also where its profile is too little to be taken. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
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

const chargedIn = (db: string) =>
  readDatabase(folder.file(db), `SELECT issue_price AS issue FROM price WHERE isin = '${isin}' ORDER BY date`)

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
    expect(without.stdout).not.toContain('no issue surcharge')
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
    editDatabase(folder.file(db), 'DROP TABLE fundpress_derived_charges')
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

/** A profile that is whole, beside the two charges. */
const profile = (surcharge: string, fee: string) =>
  'isin;issue_surcharge;redemption_fee;total_fund_assets;end_of_fiscal_year;accumulating;total_expense_ratio;management_fee;performance_fee\n' +
  `${isin};${surcharge};${fee};1000;12-31;0;1.5;1.2;0\n`
const chargesOf = (db: string) =>
  readDatabase(
    folder.file(db),
    `SELECT issue_surcharge AS surcharge, redemption_fee AS fee FROM profile WHERE isin = '${isin}'`,
  )

const inDoubt = (columns: string) =>
  `what fund ${isin} charges is in doubt, by bad rows or fees that differ, so ${columns} cannot be derived: correct them, or bring these prices or its row of table profile`

describe('charges that contradict each other, with --skip-bad', () => {
  const two = [openfunds('0.05'), `OFST020000;OFST451320\n${isin};0.03\n`]

  it('leave those of the last derived price', async () => {
    const { db } = await importFiles([openfunds('0.04', '150.00', '2026-11-24')])
    const { code, prices } = await importInto(db, two, '--skip-bad')
    expect({ code, price: prices.at(-1) }).toEqual({
      // Two of three lines are bad.
      code: 1,
      price: { nav: '150.40', issue: '156.42', repurchase: '150.40' },
    })
  })

  it('leave no price where the database knows none: it would be the NAV, until the lines are corrected', async () => {
    const { db, stdout, prices } = await importFiles(two, '--skip-bad')
    expect(prices).toEqual([])
    expect(stdout).toContain(`charges-0.dat, line 2: ${inDoubt('issue_price and repurchase_price')}`)
    const corrected = await importInto(db, [openfunds('0.05')])
    expect(corrected.prices).toEqual([{ nav: '150.40', issue: '157.92', repurchase: '150.40' }])
  })

  it('leave a price that is delivered, and one that the database has already', async () => {
    const whole = `isin;date;net_asset_value;issue_price;repurchase_price\n${isin};2026-11-26;100.00;105.00;100.00\n`
    const { db, prices } = await importFiles([whole, ...two], '--derive', '--skip-bad')
    expect(prices).toEqual([{ nav: '100.00', issue: '105.00', repurchase: '100.00' }])
    const corrected = `isin;date;net_asset_value\n${isin};2026-11-26;101.00\n${isin};2026-11-30;102.00\n`
    const next = await importInto(db, [corrected, ...two], '--derive', '--skip-bad')
    expect(next.prices).toEqual([{ nav: '101.00', issue: '105.00', repurchase: '101.00' }])
    expect(next.stdout).toContain(`charges-0.dat, line 3: ${inDoubt('issue_price and repurchase_price')}`)
  })

  it('make bad rows of a history, which one line of the report tells', async () => {
    const history = [
      'isin;date;net_asset_value',
      `${isin};2026-11-25;100.00`,
      `${isin};2026-11-26;100.00`,
      '',
    ].join('\n')
    const { stdout, prices } = await importFiles([history, ...two], '--derive', '--skip-bad')
    expect(prices).toEqual([])
    expect(stdout).toContain(`charges-0.dat, line 2: ${inDoubt('issue_price and repurchase_price')} (2 rows)`)
  })

  it('are not used for single days either: the profile of the database counts', async () => {
    const db = folder.database()
    await importInto(db, [profile('4', '')])
    const { prices } = await importInto(db, two, '--skip-bad')
    expect(prices.at(-1)).toMatchObject({ nav: '150.40', issue: '156.42' })
    expect(chargesOf(db)).toEqual([{ surcharge: 4, fee: null }])
  })

  it.each([
    ['of openfunds', openfunds('5')],
    ['of FundsXML', fundsXml('-5')],
  ])('are not told from a charge that is a bad value in a file %s', async (_, content) => {
    const prices = `isin;date;net_asset_value\n${isin};2026-11-26;100.00\n`
    const { stdout, prices: taken } = await importFiles([prices, content], '--derive', '--skip-bad')
    expect(stdout).toContain(`charges-0.dat, line 2: ${inDoubt('issue_price and repurchase_price')}`)
    expect(taken).toEqual([])
  })

  it('are bad in any order, with every line that repeats one of them', async () => {
    const name = (surcharge: string) => `OFST020000;OFST451320\n${isin};${surcharge}\n`
    const orders = [
      ['0.05', '0.05', '0.03'],
      ['0.05', '0.03', '0.05'],
      ['0.03', '0.05', '0.05'],
    ]
    for (const order of orders) {
      const { code, stdout } = await importFiles(order.map(name))
      expect(code).toBe(1)
      expect(stdout.match(/^charges-\d.dat, line 2: the same isin as in line 2/gm)).toHaveLength(3)
    }
  })

  it('are bad beside another one of a whole profile, which is left out', async () => {
    const db = folder.database()
    const { stdout } = await importInto(db, [openfunds('0.05'), profile('3', '')], '--skip-bad')
    expect(stdout).toContain('where issue_surcharge is "3", not "5"')
    expect(stdout).toContain('where issue_surcharge is "5", not "3"')
    expect(chargesOf(db)).toEqual([])
  })
})

describe('a surcharge of the last derived price', () => {
  it('is in the figures of a fund without a profile that are net of it', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), `UPDATE fund SET fund_inception_date = '2025-11-24' WHERE isin = '${isin}'`)
    const mondays = Array.from({ length: 52 }, (_, week) =>
      new Date(Date.UTC(2025, 10, 24 + 7 * week)).toISOString().slice(0, 10),
    )
    const navs = ['isin;date;net_asset_value', ...mondays.map((day) => `${isin};${day};100.00`), ''].join(
      '\n',
    )
    await importInto(db, [navs, openfunds('0.05', '110.00', '2026-11-24')], '--derive')
    expect(await run(['derive', '--db', db], { cwd: folder.path })).toMatchObject({ code: 0 })
    expect(
      readDatabase(folder.file(db), `SELECT gross, net FROM legal_period WHERE isin = '${isin}'`),
    ).toEqual([
      // 110 of 105 is 4.76 % more.
      { gross: 10, net: 4.76 },
    ])
  })

  it('is what `derive --charges` gives prices that stand at their NAV, if the report says so', async () => {
    const { db } = await importFiles([openfunds('')])
    const { stdout } = await importInto(db, [openfunds('0.05')])
    expect(stdout).toContain('1 price of the database keeps the NAV as issue or repurchase price')
    const charged = await run(['derive', '--db', db, '--charges'], { cwd: folder.path })
    expect(charged.stdout).toContain('issue and repurchase prices of 1 price')
    expect(chargedIn(db)).toEqual([{ issue: '157.92' }])
  })

  it('is not noted of a price of the company, which keeps its own', async () => {
    const db = folder.database()
    const own = isins[0]
    editDatabase(
      folder.file(db),
      `UPDATE price SET issue_price = '77', repurchase_price = '66'; UPDATE profile SET issue_surcharge = 5`,
    )
    const [day = ''] = readDatabase(
      folder.file(db),
      `SELECT date FROM price WHERE isin = '${own}' ORDER BY date DESC`,
    ).map(({ date }) => String(date))
    const { stdout } = await importInto(db, [`isin;date;net_asset_value\n${own};${day};71.50\n`], '--derive')
    expect(stdout).toContain('1 corrected price keeps its own issue or repurchase price')
    expect(
      readDatabase(folder.file(db), 'SELECT name FROM sqlite_schema').map(({ name }) => name),
    ).not.toContain('fundpress_derived_charges')
  })
})

describe('a first profile that names no charge', () => {
  it('has those of the derived prices before, and so have the prices behind it', async () => {
    const { db } = await importFiles([openfunds('0.05', '150.00', '2026-11-24')])
    const { stdout } = await importInto(db, [profile('', '2')])
    expect(stdout).toContain(
      `issue surcharge and redemption fee of a first profile: fund ${isin} has those that another file or a derived price has`,
    )
    expect(chargesOf(db)).toEqual([{ surcharge: 5, fee: 2 }])
    const { prices } = await importInto(
      db,
      [`isin;date;net_asset_value\n${isin};2026-11-27;100.00\n`],
      '--derive',
    )
    expect(prices.at(-1)).toEqual({ nav: '100.00', issue: '105.00', repurchase: '98.00' })
  })

  it('has those of another file, with its prices', async () => {
    const db = folder.database()
    const { prices } = await importInto(db, [openfunds('0.05'), profile('', '')])
    expect(chargesOf(db)).toEqual([{ surcharge: 5, fee: null }])
    expect(prices).toEqual([{ nav: '150.40', issue: '157.92', repurchase: '150.40' }])
  })

  it('has none if it names 0, or if nothing else names one', async () => {
    const { db } = await importFiles([openfunds('0.05', '150.00', '2026-11-24')])
    const { stdout } = await importInto(db, [profile('0', '')])
    expect(chargesOf(db)).toEqual([{ surcharge: 0, fee: null }])
    expect(stdout).not.toContain('of a first profile')
  })

  it('is the first one only: an empty cell takes the charge of a profile away', async () => {
    const db = folder.database()
    await importInto(db, [profile('5', '')])
    await importInto(db, [profile('', '')])
    expect(chargesOf(db)).toEqual([{ surcharge: null, fee: null }])
  })
})

describe('a fee below 0', () => {
  const feeOf = (column: string) => `isin;${column}\n${isins[0]};-5\n`

  it.each(['issue_surcharge', 'redemption_fee', 'management_fee', 'custodian_bank_fee'])(
    'is a bad value of %s, with its place',
    async (column) => {
      const { code, stdout } = await importFiles([feeOf(column)])
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
    const { code } = await importFiles([feeOf('total_expense_ratio')])
    expect(code).toBe(0)
  })
})

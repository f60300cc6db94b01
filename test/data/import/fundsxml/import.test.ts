/** A FundsXML file into a database: what it completes, replaces and takes back, and what it leaves as it was. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, isinOf, makeDatabase } from '../../../support/database.ts'
import { importFolder, isins } from '../database.ts'
import { dump, dumpAll } from '../dialects.ts'

const folder = importFolder()
const [first] = isins

interface Parts {
  readonly isin?: string
  readonly ofClass?: string
  readonly dynamic?: string
  readonly assets?: string
}

/** A class of a fund that the database has: it needs neither its inception nor its page. */
const document = ({
  isin = first,
  ofClass = '',
  dynamic = '',
  assets = '',
}: Parts) => `<?xml version="1.0" encoding="UTF-8"?>
<FundsXML4>
<ControlData><Version>4.2.9</Version><ContentDate>2024-05-03</ContentDate></ControlData>
<Funds><Fund><Currency>EUR</Currency>
<FundDynamicData>${dynamic}</FundDynamicData>
<SingleFund><ShareClasses>
<ShareClass><Identifiers><ISIN>${isin}</ISIN></Identifiers><Names><OfficialName>Elbe R</OfficialName></Names><Currency>EUR</Currency>${ofClass}</ShareClass>
</ShareClasses></SingleFund>
</Fund></Funds>
<AssetMasterData>${assets}</AssetMasterData>
</FundsXML4>
`

const price = (
  day: string,
  nav: string,
  action = 'C',
) => `<Price><ActionCode>${action}</ActionCode><NavDate>${day}</NavDate><PriceCurrency>EUR</PriceCurrency>
<PriceNature>OFFICIAL</PriceNature><NavPrice>${nav}</NavPrice><SubscriptionPrice>${nav}</SubscriptionPrice><RedemptionPrice>${nav}</RedemptionPrice></Price>`
const prices = (...all: string[]) => `<Prices>${all.join('')}</Prices>`

function importXml(db: string, content: string, ...flags: string[]) {
  writeFileSync(folder.file('funds.xml'), content)
  return folder.import('funds.xml', '--db', db, ...flags)
}

const rows = (db: string, table: string, columns: string) =>
  dump(folder.file(db), table, columns)
    .rows.map((row) => row.join(' '))
    .filter((row) => row.startsWith(first))

describe('import of FundsXML', () => {
  it('recognises it, and takes rows of several tables in one transaction', async () => {
    const db = folder.database()
    const ofClass = `${prices(price('2024-05-03', '101.50'))}<ShareClassType><EarningUse>D</EarningUse></ShareClassType>`
    const outcome = await importXml(db, document({ ofClass }))
    expect(outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('FundsXML 4.2.9, UTF-8') as string,
    })
    expect(rows(db, 'fund', 'isin, name, status_date, url, fund_inception_date')).toEqual([
      `${first} Elbe R 2024-05-03 https://funds.example/good 2010-01-04`,
    ])
    expect(rows(db, 'price', 'isin, date, net_asset_value, change, change_percent')).toEqual([
      `${first} 2024-05-02 100.00 0.00 0.00`,
      `${first} 2024-05-03 101.50 1.50 1.50`,
    ])
    expect(rows(db, 'profile', 'isin, accumulating, category_de, total_expense_ratio')).toEqual([
      `${first} 0 Aktienfonds 1.5`,
    ])
  })

  it.each([
    [['price', 'funds.xml'], 'leave out the name of the table'],
    [['funds.xml', '--as', 'emt'], 'leave out --as emt'],
  ])('says what it is to who asks for something else: %j', async (args, advice) => {
    const db = folder.database()
    writeFileSync(folder.file('funds.xml'), document({}))
    const { code, stderr } = await folder.import(...args, '--db', db)
    expect(code).toBe(1)
    expect(stderr).toBe(`fundpress: funds.xml is of the format fundsxml: ${advice}\n`)
  })

  it('fills the issue price of a NAV by the surcharge of the fund, without being asked', async () => {
    const db = folder.database()
    const nav = price('2024-05-03', '101.50').replace(/<Sub.*/, '</Price>')
    expect(await importXml(db, document({ ofClass: prices(nav) }))).toMatchObject({ code: 0 })
    expect(rows(db, 'price', 'isin, date, issue_price, repurchase_price').at(-1)).toBe(
      `${first} 2024-05-03 106.58 101.50`,
    )
  })

  it.each([
    ['C', 'D'],
    ['D', 'C'],
  ])('refuses a price that the file has and takes back: %s, then %s', async (one, other) => {
    const both = prices(price('2024-05-03', '101.50', one), price('2024-05-03', '101.50', other))
    const { code, stdout } = await importXml(folder.database(), document({ ofClass: both }))
    expect(code).toBe(1)
    expect(stdout).toContain('the file has the price of 2024-05-03, and takes it back (ActionCode D)')
  })

  describe('a SplitFactor', () => {
    /** The NAVs say which of the two it is. */
    const halved = (factor: string) =>
      document({
        ofClass: prices(
          price('2024-05-03', '100.00'),
          price('2024-05-06', '50.00').replace('</Price>', `<SplitFactor>${factor}</SplitFactor></Price>`),
        ),
      })
    const splits = (db: string) => rows(db, "corporate_action WHERE kind = 'split'", 'isin, ex_date, factor')

    it('is asked about, since FundsXML does not say what it counts', async () => {
      const db = folder.database()
      const { code, stdout } = await importXml(db, halved('2'))
      expect(code).toBe(1)
      expect(stdout).toMatch(
        /^line \d+, \/FundsXML4.*: SplitFactor is "2", and FundsXML does not say what it counts: choose --split-factor new-for-old \(/m,
      )
      expect(rows(db, 'price', 'isin, date').at(-1)).toBe(`${first} 2024-05-02`)
    })

    it.each([
      ['new-for-old', '2', '2'],
      ['new-for-old', '+02.50', '2.50'],
      ['old-for-new', '0.5', '2'],
      ['old-for-new', '0.3333333', '3'],
      ['old-for-new', '10', '0.1'],
    ])('that counts %s of %s is a split by %s', async (counts, given, factor) => {
      const db = folder.database()
      editDatabase(folder.file(db), 'DELETE FROM price; DELETE FROM corporate_action')
      const flags = ['--split-factor', counts, '--history', 'original']
      expect(await importXml(db, halved(given), ...flags)).toMatchObject({ code: 0 })
      expect(splits(db)).toEqual([`${first} 2024-05-06 ${factor}`])
    })

    it('may be answered in the config, and by a split no price changes', async () => {
      const db = folder.database()
      editDatabase(folder.file(db), 'DELETE FROM price; DELETE FROM corporate_action')
      writeFileSync(folder.file('splits.json'), JSON.stringify({ import: { splitFactor: 'new-for-old' } }))
      expect(await importXml(db, halved('2'), '--config', 'splits.json')).toMatchObject({ code: 0 })
      expect(rows(db, 'price', 'isin, date, change_percent').at(-1)).toBe(`${first} 2024-05-06 0.00`)
    })

    it.each(['0', '-2', 'two'])('of %s is a bad row', async (factor) => {
      const { code, stdout } = await importXml(
        folder.database(),
        halved(factor),
        '--split-factor',
        'new-for-old',
      )
      expect(code).toBe(1)
      expect(stdout).toContain(factor)
    })

    it('of 1 is none', async () => {
      const db = folder.database()
      expect(await importXml(db, halved('1.0'))).toMatchObject({ code: 0 })
    })
  })

  it('changes nothing when it comes again', async () => {
    const db = folder.database()
    const content = document({ ofClass: prices(price('2024-05-03', '101.50')) })
    await importXml(db, content)
    const before = dumpAll(folder.file(db))
    expect(await importXml(db, content)).toMatchObject({ code: 0 })
    expect(dumpAll(folder.file(db))).toEqual(before)
  })

  it('leaves out a profile that it only knows a part of, if there is none yet', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), 'DELETE FROM profile')
    const outcome = await importXml(
      db,
      document({ ofClass: '<ShareClassType><EarningUse>D</EarningUse></ShareClassType>' }),
    )
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout + outcome.stderr).toContain(
      'a part of a profile that is not there, as the file lacks total_fund_assets',
    )
    expect(rows(db, 'profile', '*')).toEqual([])
  })

  it('replaces structures as a whole, and keeps those that it does not have', async () => {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      `DELETE FROM structure_item; INSERT INTO structure_item (isin, type, position, name_de, percent) VALUES
        ('${first}', 'countries', 1, 'Deutschland', 60), ('${first}', 'countries', 2, 'Schweden', 30),
        ('${first}', 'countries', 3, 'Finnland', 10);
      WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 20)
      INSERT INTO structure_item (isin, type, position, name_de, percent) SELECT '${isins[1]}', 'terms', at, 'kurz', 5 FROM n;
      INSERT INTO structure_item (isin, type, position, name_de, percent) VALUES ('${first}', 'terms', 1, 'kurz', 100)`,
    )
    const dynamic = `<Portfolios><Portfolio><NavDate>2024-05-03</NavDate><Positions>
<Position><UniqueID>A</UniqueID><TotalPercentage>55</TotalPercentage><Equity/></Position>
<Position><UniqueID>B</UniqueID><TotalPercentage>45</TotalPercentage><Equity/></Position></Positions></Portfolio></Portfolios>`
    const assets = ['DE', 'SE']
      .map(
        (country, at) =>
          `<Asset><UniqueID>${'AB'.charAt(at)}</UniqueID><Country>${country}</Country><Name>N${at}</Name><AssetType>EQ</AssetType></Asset>`,
      )
      .join('')
    expect(await importXml(db, document({ dynamic, assets }))).toMatchObject({ code: 0 })
    expect(rows(db, 'structure_item', 'isin, type, position, name_de, percent')).toEqual([
      `${first} asset_structure 1 Aktien 100`,
      `${first} countries 1 Deutschland 55`,
      `${first} countries 2 Schweden 45`,
      `${first} terms 1 kurz 100`,
      `${first} top_values 1 N0 55`,
      `${first} top_values 2 N1 45`,
      `${first} top_values_securities 1 N0 55`,
      `${first} top_values_securities 2 N1 45`,
    ])
  })

  it.each([
    [
      'a position',
      '<Positions>',
      '</Positions>',
      ['asset_structure', 'countries', 'currencies', 'top_values'],
    ],
    ['an item of a breakdown', '', '', ['countries']],
  ])('keeps what the database has where the file lacks %s, which is bad', async (_, open, close, types) => {
    const place = (country: string, percent: string) =>
      open === ''
        ? `<Value><DimValues><DimValue>${country}</DimValue></DimValues><Percentage>${percent}</Percentage></Value>`
        : `<Position><UniqueID>${country}</UniqueID><Currency>EUR</Currency><TotalPercentage>${percent}</TotalPercentage><Equity/></Position>`
    const breakdown = (values: string) =>
      `<BreakDowns><BreakDown><Dimensions><Dimension>Country</Dimension></Dimensions><Values>${values}</Values></BreakDown></BreakDowns>`
    const portfolio = (...shares: readonly string[]) => {
      const content = shares.map((share, at) => place(at === 0 ? 'DE' : 'FR', share)).join('')
      const list = open === '' ? breakdown(content) : open + content + close
      return `<Portfolios><Portfolio><NavDate>2024-05-03</NavDate>${list}</Portfolio></Portfolios>`
    }
    const assets = ['DE', 'FR']
      .map((id) => `<Asset><UniqueID>${id}</UniqueID><Country>${id}</Country><Name>${id} AG</Name></Asset>`)
      .join('')
    const db = folder.database()
    const of = (list: string) =>
      rows(db, 'structure_item', 'isin, type, name_de, percent').filter((row) => row.includes(` ${list} `))
    const read = (...shares: readonly string[]) =>
      importXml(db, document({ dynamic: portfolio(...shares), assets }), '--skip-bad')
    expect((await read('60', '40')).code).toBe(0)
    const before = types.map(of)
    const allocations = rows(db, 'asset_allocation', 'isin, class_de, percent')
    for (const list of before) expect(list.length).toBeGreaterThan(0)
    const { stdout } = await read('70', 'n/a')
    expect(stdout).toContain('is no number')
    expect(types.map(of)).toEqual(before)
    expect(rows(db, 'asset_allocation', 'isin, class_de, percent')).toEqual(allocations)
    expect(stdout).toContain('a list with a bad row: the database keeps its own')
    await read('70', '30')
    expect(types.map(of)).not.toEqual(before)
  })

  it('takes a price back, and derives the next one against the one before', async () => {
    const db = folder.database()
    // Many, so that one less is no loss that a guard asks about.
    const days = Array.from({ length: 20 }, (_, at) =>
      price(`2024-04-${String(at + 8).padStart(2, '0')}`, '90.00'),
    )
    await importXml(
      db,
      document({ ofClass: prices(...days, price('2024-05-03', '50.00'), price('2024-05-06', '110.00')) }),
    )
    const figures = () => rows(db, 'price', 'isin, date, change, change_percent').slice(-2)
    expect(figures()).toEqual([`${first} 2024-05-03 -50.00 -50.00`, `${first} 2024-05-06 60.00 120.00`])
    expect(
      await importXml(db, document({ ofClass: prices(price('2024-05-03', '50.00', 'D')) })),
    ).toMatchObject({ code: 0 })
    expect(figures()).toEqual([`${first} 2024-05-02 10.00 11.11`, `${first} 2024-05-06 10.00 10.00`])
  })

  it.each<[string, readonly string[]]>([
    ['by default', []],
    ['with --replace', ['--replace']],
  ])('takes back the prices that it names, and no other, %s', async (_, flags) => {
    const db = folder.database()
    const days = Array.from({ length: 20 }, (_, at) =>
      price(`2024-04-${String(at + 8).padStart(2, '0')}`, '90.00'),
    )
    await importXml(db, document({ ofClass: prices(...days) }))
    const before = rows(db, 'price', 'isin, date')
    const gone = document({ ofClass: prices(price('2024-04-08', '90.00', 'D')) })
    const dry = await importXml(db, gone, ...flags, '--dry-run')
    expect(await importXml(db, gone, ...flags)).toMatchObject({ code: 0 })
    expect(dry.stdout).toMatch(/price +0 new, 0 changed, [0-9]+ unchanged, 1 removed/)
    expect(rows(db, 'price', 'isin, date')).toEqual(before.filter((row) => row !== `${first} 2024-04-08`))
  })

  it('asks before it takes back more than a tenth of the prices', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    expect(
      await importXml(db, document({ ofClass: prices(price('2024-05-02', '100.00', 'D')) })),
    ).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('removed-rows') as string,
    })
    expect(dumpAll(folder.file(db))).toEqual(before)
  })

  it('refuses a fund that is new and of which it lacks something, with all that is of it', async () => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const isin = isinOf(8)
    const outcome = await importXml(db, document({ isin, ofClass: prices(price('2024-05-03', '1')) }))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain(`ShareClass: ${isin} is new, and the file lacks fund_inception_date`)
    expect(outcome.stdout).toContain(`Prices/Price: there is no fund ${isin}`)
    expect(dumpAll(folder.file(db))).toEqual(before)
  })

  const emptyDatabase = (): string => {
    makeDatabase(folder.file('empty.sqlite'), () => undefined)
    return 'empty.sqlite'
  }

  it.each([
    ['with funds', folder.database],
    ['that is empty', emptyDatabase],
  ])('takes it if another file has what it lacks, as the message says: a database %s', async (_, make) => {
    const db = make()
    const isin = isinOf(8)
    const content = document({ isin, ofClass: prices(price('2024-05-03', '1')) })
    const alone = await importXml(db, content)
    expect(alone.stdout).toContain('; a file with isin, fund_inception_date in the same import completes it')
    writeFileSync(folder.file('inception.csv'), `isin;fund_inception_date\n${isin};2024-05-02\n`)
    const both = await importXml(db, content, 'inception.csv')
    expect(both).toMatchObject({ code: 0, stderr: '' })
    expect(both.stdout).toContain('1 row completes another one')
    const found = dump(folder.file(db), `fund WHERE isin = '${isin}'`, 'name, fund_inception_date')
    expect(found.rows).toEqual([['Elbe R', '2024-05-02']])
  })

  it.each([
    [
      'a bomb',
      (content: string) =>
        content.replace(
          '<FundsXML4>',
          '<!DOCTYPE FundsXML4 [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><FundsXML4>',
        ),
    ],
    [
      'an entity from outside',
      (content: string) =>
        content
          .replace('<FundsXML4>', '<!DOCTYPE FundsXML4 [<!ENTITY a SYSTEM "file:///etc/passwd">]><FundsXML4>')
          .replace('Elbe', '&a;'),
    ],
    ['an end that is missing', (content: string) => content.slice(0, -20)],
    [
      'a letter of another encoding',
      (content: string) => Buffer.from(content.replace('Elbe', 'Ölbe'), 'latin1'),
    ],
  ])('takes nothing of a file with %s', async (_, spoil) => {
    const db = folder.database()
    const before = dumpAll(folder.file(db))
    const content = spoil(document({ ofClass: prices(price('2024-05-03', '101.50')) }))
    writeFileSync(folder.file('funds.xml'), content)
    expect(await folder.import('funds.xml', '--db', db)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^fundpress: funds\.xml, line \d+: it /) as string,
    })
    expect(dumpAll(folder.file(db))).toEqual(before)
  })

  const fee = (type: string, percent: string) =>
    `<Fee><Type>${type}</Type><PayReceive>P</PayReceive><Maximum>${percent}</Maximum></Fee>`
  const importFees = async (...fees: string[]) => {
    const db = folder.database()
    const outcome = await importXml(db, document({ ofClass: `<Fees>${fees.join('')}</Fees>` }))
    const [row = ''] = rows(db, 'profile', 'isin, issue_surcharge, redemption_fee, management_fee')
    const left = /^left out +(.*)$/m.exec(outcome.stdout)?.[1]
    return { ...outcome, fees: row.replace(`${first} `, ''), left }
  }

  it('takes no tax for a fee: the subscription tax of Luxembourg is no surcharge', async () => {
    const { code, fees, left } = await importFees(
      fee('Subscription Tax', '0.05'),
      fee('Management Fee VAT', '19'),
      fee('Verwaltungssteuer', '7'),
    )
    expect({ code, fees }).toEqual({ code: 0, fees: '5 0 1.25' })
    expect(left).toContain('a fee of type Subscription Tax: the profile has no such fee (1, the first')
  })

  it('adds the surcharge of the fund to that of the distributor, and says so', async () => {
    const { code, fees, left, stdout } = await importFees(
      fee('Entry Fee Distributor', '3'),
      fee('Entry Fee Fund', '2'),
      fee('Redemption Fee Fund', '0.5'),
    )
    expect({ code, fees, left }).toEqual({ code: 0, fees: '5 0.5 1.25', left: undefined })
    expect(stdout).toContain(
      'fees by their types: issue_surcharge: Entry Fee Distributor + Entry Fee Fund, redemption_fee: Redemption Fee Fund',
    )
  })

  it.each([['in front'], ['behind']])('takes none of fees that differ: the lower one %s', async (where) => {
    const all = [fee('Management Company Fee', '0.05'), fee('Management Fee', '1.5'), fee('Entry Fee', '4')]
    const { code, fees, left } = await importFees(...(where === 'behind' ? all.toReversed() : all))
    expect({ code, fees }).toEqual({ code: 0, fees: '4 0 1.25' })
    expect(left).toMatch(/^fees that differ: .*: which one is management_fee is not said \(1, the first/)
  })

  it('refuses a NAV whose issue price needs a surcharge of which two are named, unless the database knows it', async () => {
    const nav = price('2024-05-03', '101.50').replace(/<Sub.*/, '</Price>')
    const ofClass = `<Fees>${fee('Entry Fee', '5')}${fee('Subscription Charge', '3')}</Fees>${prices(nav)}`
    const known = folder.database()
    expect(await importXml(known, document({ ofClass }))).toMatchObject({ code: 0 })
    const unknown = folder.database()
    editDatabase(folder.file(unknown), 'DELETE FROM profile; DELETE FROM price')
    const { code, stdout } = await importXml(unknown, document({ ofClass }))
    expect(code).toBe(1)
    expect(stdout).toContain(
      `what fund ${first} charges is in doubt, by bad rows or fees that differ, so issue_price`,
    )
  })

  it('refuses a file that has a class twice, with other fees: none of them is the one', async () => {
    const db = folder.database()
    const ofClass = (percent: string) => `<Fees>${fee('Management Fee', percent)}</Fees>`
    const [start = '', end = ''] = document({ ofClass: ofClass('1.5') }).split('</ShareClass>')
    const again = /<ShareClass>[^]*/.exec(start)?.[0].replace('1.5', '1.6') ?? ''
    const { code, stdout } = await importXml(db, `${start}</ShareClass>${again}</ShareClass>${end}`)
    expect(code).toBe(1)
    expect(stdout).toContain('where management_fee is "1.6", not "1.5"')
  })

  it('names no flag about a day that flags do not change', async () => {
    const ofClass = prices(price('2024-05-03T17:30:00', '101.50'))
    const { code, stdout } = await importXml(folder.database(), document({ ofClass }))
    expect(code).toBe(1)
    expect(stdout).toContain('date "2024-05-03T17:30:00" is not a date (YYYY-MM-DD)')
    expect(stdout).not.toContain('--drop-times')
  })

  it('adds up payments of one ex-day as other files are, and says so; the same amount again is a repetition', async () => {
    const db = folder.database()
    const payment = (
      amount: string,
    ) => `<Distribution><ActionCode>C</ActionCode><DividendStatus>OFFICIAL</DividendStatus><ExDate>2024-05-02</ExDate>
<GrossDividendAmount><PerShare><Amount ccy="EUR">${amount}</Amount></PerShare></GrossDividendAmount></Distribution>`
    const ofClass = `<Distributions>${payment('1.25')}${payment('0.5')}${payment('1.25')}</Distributions>`
    const { code, stdout } = await importXml(db, document({ ofClass }))
    expect(code).toBe(0)
    expect(rows(db, 'corporate_action', 'isin, ex_date, amount, currency')).toContain(
      `${first} 2024-05-02 1.75 EUR`,
    )
    expect(stdout).toContain('distributions that were added to another one of the same day: 1')
    expect(stdout).toContain('1 row repeats another one')
  })
})

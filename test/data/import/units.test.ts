/** Amounts in thousands or more, and prices of 0: wrong data that looks right. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { headerUnit } from '../../../src/extensions/import/header-unit.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const [isin] = isins

/** Imports a file into a database without prices, whose fund has a surcharge of 5 % and no redemption fee. */
async function importInto(content: string, ...flags: readonly string[]) {
  const folder = importFolder()
  const db = folder.database()
  editDatabase(
    folder.file(db),
    `DELETE FROM price; UPDATE profile SET issue_surcharge = 5, redemption_fee = NULL; UPDATE fund SET currency = 'EUR'`,
  )
  writeFileSync(folder.file('list.dat'), content)
  const ended = await folder.import('list.dat', '--db', db, ...flags)
  return { ...ended, folder, db, query: (sql: string) => readDatabase(folder.file(db), sql) }
}

describe('a column whose name says thousands or more', () => {
  it.each([
    ['fondsvolumen in mio. eur', 'fondsvolumen', 1_000_000],
    ['fondsvolumen (mio. €)', 'fondsvolumen', 1_000_000],
    ['fondsvolumen mio. eur', 'fondsvolumen', 1_000_000],
    ['fondsvolumen in mrd.', 'fondsvolumen', 1_000_000_000],
    ['fund size (million)', 'fund size', 1_000_000],
    ['fondsvermögen teur', 'fondsvermögen', 1000],
    ['nav in eur', 'nav', 1],
    ['weight (%)', 'weight', 1],
    ['nav (net)', 'nav (net)', 1],
    ['fund in liquidation', 'fund in liquidation', 1],
    ['aktien in den usa', 'aktien in den usa', 1],
  ])('%s is %s, times %d', (name, bare, factor) => {
    expect(headerUnit(name)).toEqual({ bare, factor })
  })

  const list = `ISIN;Fondsvolumen in Mio. EUR\n${isin};5123,4\n`
  const volume = `SELECT total_fund_assets AS volume FROM profile WHERE isin = '${isin}'`

  it('is asked about, and multiplied by what the map says', async () => {
    const map = (target: string) => ['--map', `Fondsvolumen in Mio. EUR=${target}`, '--decimal', 'comma']
    const asked = await importInto(list, '--as', 'table', ...map('total_fund_assets'))
    expect(asked).toMatchObject({ code: 1 })
    expect(asked.stderr).toContain(
      "column Fondsvolumen in Mio. EUR says that one is 1000000: --map 'Fondsvolumen in Mio. EUR=total_fund_assets*1000000' " +
        "multiplies by that, --map 'Fondsvolumen in Mio. EUR=total_fund_assets*1' takes its numbers as they are",
    )
    const multiplied = await importInto(list, ...map('total_fund_assets*1000000'))
    expect(multiplied.query(volume)).toEqual([{ volume: '5123400000' }])
    expect(multiplied.stdout).toContain('multiplied by 1000000: Fondsvolumen in Mio. EUR (total_fund_assets)')
    const asItIs = await importInto(list, ...map('total_fund_assets*1'))
    expect(asItIs.query(volume)).toEqual([{ volume: '5123.4' }])
  })

  it('is proposed with its factor, and the next import takes it so', async () => {
    const { stdout, folder, db } = await importInto(list, '--explain', '--json')
    const { config } = JSON.parse(stdout) as { readonly config: object }
    expect(config).toEqual({
      profile: { columns: { 'Fondsvolumen in Mio. EUR': 'total_fund_assets*1000000' } },
    })
    writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ import: config }))
    expect(await folder.import('list.dat', '--db', db)).toMatchObject({ code: 0, stderr: '' })
    expect(readDatabase(folder.file(db), volume)).toEqual([{ volume: '5123400000' }])
  })

  it('multiplies amounts only', async () => {
    const { code, stderr } = await importInto(
      `a;date;net_asset_value\n${isin};2026-11-27;61.83\n`,
      '--map',
      'a=isin*1000',
      '--explain',
    )
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('table price has no column "isin*1000"') as string,
    })
  })
})

describe('a currency in the name of a column of prices', () => {
  const list = (name: string) => `isin;date;${name}\n${isin};2026-11-27;6183\n`
  const take = (name: string, ...flags: readonly string[]) =>
    importInto(list(name), '--map', `${name}=net_asset_value`, '--derive', ...flags)

  it('is compared with that of the fund', async () => {
    const right = await take('NAV in EUR')
    expect(right).toMatchObject({ code: 0, stderr: '' })
    expect(right.stdout).toContain('compared with the fund: EUR, as names of columns say')
    const wrong = await take('NAV (USD)')
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toContain(`currency is "USD", but fund ${isin} is in EUR`)
  })

  it('may be hundredths, with the flag that divides them', async () => {
    const asked = await take('NAV (GBp)')
    expect(asked.code).toBe(1)
    expect(asked.stderr).toContain('the names of columns say GBp: currency "GBp" is not')
    expect(asked.stderr).toContain('--minor-units')
    const divided = await take('NAV (GBp)', '--minor-units')
    expect(divided.stdout).toContain(`currency is "GBP", but fund ${isin} is in EUR`)
  })

  it('is refused if several columns say several, unless --set says which', async () => {
    const text = `isin;date;NAV (GBp);Ausgabepreis (GBP)\n${isin};2026-11-27;6183;64\n`
    const names = [
      '--map',
      'NAV (GBp)=net_asset_value',
      '--map',
      'Ausgabepreis (GBP)=issue_price',
      '--derive',
    ]
    const asked = await importInto(text, ...names)
    expect(asked.code).toBe(1)
    expect(asked.stderr).toContain('the names of columns say GBp and GBP, but a price has one currency')
    expect(await importInto(text, ...names, '--set', 'currency=EUR')).toMatchObject({ code: 0, stderr: '' })
  })

  it('is none if it is another word', async () => {
    expect(await take('NAV (net)')).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a price of 0', () => {
  const csv = (nav: string) =>
    `isin;date;net_asset_value;issue_price;repurchase_price\n${isin};2026-11-27;${nav};0.00;0\n`
  const xml = (nav: string) =>
    `<FundsXML4><ControlData><Version>4.2.9</Version></ControlData><Funds><Fund><SingleFund><ShareClasses><ShareClass>
    <Identifiers><ISIN>${isin}</ISIN></Identifiers><Currency>EUR</Currency><Prices><Price><NavDate>2026-11-27</NavDate><PriceCurrency>EUR</PriceCurrency>
    <PriceNature>OFFICIAL</PriceNature><NavPrice>${nav}</NavPrice><SubscriptionPrice>0.00</SubscriptionPrice>
    <RedemptionPrice>0</RedemptionPrice></Price></Prices></ShareClass></ShareClasses></SingleFund></Fund></Funds></FundsXML4>`
  const openfunds = (nav: string) =>
    `OFST020000;OFDY000040;OFDY000041;OFDY000025;OFDY000020\n${isin};${nav};2026-11-27;0.00;0\n`
  const formats = [
    ['a table', csv, ['--derive']],
    ['FundsXML', xml, []],
    ['openfunds', openfunds, []],
  ] as const

  it.each(formats)('is no issue or repurchase price in %s: both are derived', async (_, content, flags) => {
    const { stderr, query } = await importInto(content('61.83'), ...flags)
    expect({
      stderr,
      rows: query('SELECT issue_price AS issue, repurchase_price AS repurchase FROM price'),
    }).toEqual({
      stderr: '',
      rows: [{ issue: '64.92', repurchase: '61.83' }],
    })
  })

  it.each(formats)('is no NAV in %s: the row is bad', async (_, content, flags) => {
    const { code, stdout } = await importInto(content('0.0'), ...flags)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('net_asset_value is 0, which is no price') as string,
    })
  })

  it('makes a bad line of a table whose prices are not derived, with the flag for that', async () => {
    const { code, stdout } = await importInto(
      csv('61.83').replace('price\n', 'price;change;change_percent\n').replace(/;0\n$/, ';0;0;0\n'),
    )
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(
        'issue_price is 0, which is no price (--derive computes issue_price); repurchase_price is 0',
      ) as string,
    })
  })
})

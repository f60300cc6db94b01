/**
 * Files as the industry has them, small and invented: what a data person types, and what becomes of each. A file that cannot be
 * taken says why in a sentence.
 */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [first, second] = isins

let files = 0
async function importText(name: string, content: string | Buffer, flags: readonly string[], table?: string) {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM price; DELETE FROM structure_item; DELETE FROM corporate_action')
  const file = `${files++}-${name}`
  writeFileSync(folder.file(file), content)
  const named = table === undefined ? [] : [table]
  const ended = await folder.import(...named, file, '--db', db, ...flags)
  const query = (sql: string) => readDatabase(folder.file(db), sql).map((row) => Object.values(row).join(' '))
  return { ...ended, said: ended.stdout + ended.stderr, query }
}

const navs = `SELECT isin, date, net_asset_value FROM price ORDER BY isin, date`
const lines = (...all: readonly string[]) => `${all.join('\n')}\n`
const derived = ['--derive']

describe('a file of prices', () => {
  it.each<[kind: string, content: string, flags: readonly string[], expected: readonly string[]]>([
    [
      'of a whole market, with sections between the lines and dashes for no ISIN',
      lines(
        'Scheme Code;ISIN Div Payout/ISIN Growth;ISIN Div Reinvestment;Scheme Name;Net Asset Value;Date',
        '',
        'Open Ended Schemes(Debt Scheme)',
        '',
        'Elbe Mutual Fund',
        '',
        `119551;${first};-;Elbe Bonds;103.0415;14-May-2025`,
        `119552;-;-;Elbe Bonds Direct;104.1;14-May-2025`,
        `119553;${second};-;Elbe Liquid;1000.5;14-May-2025`,
      ),
      [
        ...derived,
        '--skip-bad',
        ...['ISIN Div Payout/ISIN Growth=isin', 'Net Asset Value=net_asset_value', 'Date=date', '*='].flatMap(
          (each) => ['--map', each],
        ),
      ],
      [`${first} 2025-05-14 103.0415`, `${second} 2025-05-14 1000.5`],
    ],
    [
      'with repurchase and sale prices',
      lines(
        'Scheme;ISIN;Net Asset Value;Repurchase Price;Sale Price;Date',
        `Elbe;${first};10.5;10.4;10.6;14-May-2025`,
      ),
      [
        ...derived,
        ...[
          'Net Asset Value=net_asset_value',
          'Repurchase Price=repurchase_price',
          'Sale Price=issue_price',
          'Scheme=',
        ].flatMap((each) => ['--map', each]),
      ],
      [`${first} 2025-05-14 10.5`],
    ],
    [
      'of one fund, as a portfolio program has it',
      lines('Date,Quote', '2025-05-14,"1,023.45"', '2025-05-13,"1,020.00"'),
      [...derived, '--set', `isin=${first}`, '--map', 'Quote=net_asset_value'],
      [`${first} 2025-05-13 1020.00`, `${first} 2025-05-14 1023.45`],
    ],
    [
      'of a central bank, with lines above and points for missing values',
      lines(
        '"";FUND.D.EUR',
        '"";Elbe Fund',
        'Einheit;EUR',
        'Stand vom;14.05.2025',
        'Datum;Wert',
        '2025-05-12;101,5',
        '2025-05-13;.',
        '2025-05-14;102,25',
      ),
      [
        ...derived,
        '--skip-bad',
        '--skip-lines',
        '4',
        '--set',
        `isin=${first}`,
        '--map',
        'Datum=date',
        '--map',
        'Wert=net_asset_value',
      ],
      [`${first} 2025-05-12 101.5`, `${first} 2025-05-14 102.25`],
    ],
    [
      'of a company that writes days as Americans do',
      lines('isin,date,net_asset_value', `${first},05/14/2025,123.45`),
      derived,
      [`${first} 2025-05-14 123.45`],
    ],
  ])('%s is taken', async (_, content, flags, expected) => {
    const { said, query } = await importText('prices.csv', content, flags, 'price')
    expect({ found: query(navs), said }).toEqual({ found: expected, said: expect.any(String) as string })
  })

  it.each<[kind: string, content: string | Buffer, says: RegExp]>([
    [
      'without a header',
      lines(`${first},14/05/2025,1407.27`, `${first},13/05/2025,1400.01`),
      /the file has no header: its first line, .* holds values/,
    ],
    [
      'with dollars in its numbers',
      lines('isin,date,net_asset_value', `${first},05/14/2025,$123.45`),
      /line 2: net_asset_value "\$123\.45" is not a number/,
    ],
    [
      'by a number of Brazil in place of an ISIN',
      lines('CNPJ_FUNDO;DT_COMPTC;VL_QUOTA', '00.017.024/0001-53;2025-05-14;28.5011620'),
      /table price has no column "CNPJ_FUNDO", "DT_COMPTC", "VL_QUOTA"/,
    ],
    [
      'in Shift-JIS',
      Buffer.concat([
        Buffer.from([0x8a, 0xee, 0x8f, 0x80, 0x93, 0xfa]),
        Buffer.from(',isin\n'),
        Buffer.from([0x32, 0x30, 0x32, 0x36, 0x94, 0x4e]),
        Buffer.from(`,${first}\n`),
      ]),
      /its encoding|encoding .*--encoding/,
    ],
    [
      'of Quicken',
      lines('!Type:Prices', '"ELBE",103.5,"05/14/2025"', '^'),
      /is QIF, the format of Quicken: make a CSV of it/,
    ],
    [
      'of a bank (OFX)',
      lines('OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102', '', '<OFX><INVPOS></INVPOS></OFX>'),
      /is OFX, which banks give their customers: make a CSV of it/,
    ],
  ])('%s says so', async (_, content, says) => {
    const { code, said, query } = await importText('prices.txt', content, derived, 'price')
    expect(code).toBe(1)
    expect(said).toMatch(says)
    expect(query(navs)).toEqual([])
  })
})

describe('a file of holdings', () => {
  it('with lines above the header and a disclaimer below is taken with what it lacks', async () => {
    const content = lines(
      'Elbe Core ETF',
      'Fund Holdings as of,"May 14, 2025"',
      'Inception Date,"May 15, 2010"',
      'Shares Outstanding,"755,000.00"',
      '',
      'Ticker,Name,Sector,Rank,Weight (%)',
      '"AAPL","APPLE INC","Information Technology","1","7.15"',
      '"MSFT","MICROSOFT CORP","Information Technology","2","6.22"',
      '',
      '"The content contained herein is owned or licensed, and all rights are reserved."',
    )
    const map = ['Name=name_de', 'Weight (%)=percent', 'Rank=position', '*='].flatMap((one) => ['--map', one])
    const set = [`isin=${first}`, 'type=top_values'].flatMap((each) => ['--set', each])
    const { code, query } = await importText('holdings.csv', content, [...map, ...set], 'structure_item')
    expect(code).toBe(0)
    expect(query('SELECT position, name_de, percent FROM structure_item')).toEqual([
      '1 APPLE INC 7.15',
      '2 MICROSOFT CORP 6.22',
    ])
  })
})

describe('a file of reported income', () => {
  it('has no table: its columns are shown', async () => {
    const content = lines('Sub-fund,ISIN,Currency,Excess reported income', `Elbe,${first},EUR,0.0512`)
    const { code, said } = await importText('eri.csv', content, [])
    expect(code).toBe(1)
    expect(said).toContain('is of no format that is known here, and its columns fit no table')
  })
})

/** In the shapes of the public examples of FundsXML. */
describe('a FundsXML file', () => {
  const fundsXml = (content: string, version = '<Version>4.2.9</Version>') =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- An example. -->\n<FundsXML4>\n<ControlData><UniqueDocumentID>X</UniqueDocumentID>
${version}<ContentDate>2025-10-01</ContentDate><DataOperation>INITIAL</DataOperation></ControlData>\n${content}\n</FundsXML4>\n`
  const position = (id: string, percent: string, type: string) =>
    `<Position><UniqueID>${id}</UniqueID><Currency>EUR</Currency><TotalPercentage>${percent}</TotalPercentage><${type}/></Position>`
  const portfolio = (...all: readonly string[]) =>
    `<Portfolio><NavDate>2025-10-01</NavDate><Positions>${all.join('')}</Positions>
<Transactions><Transaction><TransactionKind>BUY</TransactionKind></Transaction></Transactions></Portfolio>`
  const fund = (portfolios: string, classes: string) =>
    `<Funds><Fund><Identifiers><LEI>529900T8BM49AURSDO55</LEI></Identifiers><Names><OfficialName>Elbe</OfficialName></Names>
<Currency>EUR</Currency><FundDynamicData><Portfolios>${portfolios}</Portfolios></FundDynamicData>${classes}</Fund></Funds>`
  const shareClass = (isin: string) => `<ShareClass><Identifiers><ISIN>${isin}</ISIN></Identifiers>
<Names><OfficialName>Elbe ${isin}</OfficialName></Names><Currency>EUR</Currency><Prices><Price><ActionCode>C</ActionCode>
<NavDate>2025-10-01</NavDate><PriceCurrency>EUR</PriceCurrency><PriceNature>OFFICIAL</PriceNature><NavPrice>100.00</NavPrice></Price></Prices></ShareClass>`
  const classes = `<SingleFund><ShareClasses>${shareClass(first)}${shareClass(second)}</ShareClasses></SingleFund>`
  const documents = `<Documents><Document><Type><ListedType>Factsheet</ListedType></Type><Language>de</Language>
<PublicationCountries><Country>AT</Country><Country>DE</Country></PublicationCountries>
<Fund><Identifiers><LEI>529900T8BM49AURSDO55</LEI></Identifiers></Fund><Name>Factsheet</Name><ForPublicUsage>true</ForPublicUsage>
<CreationDate>2025-09-30</CreationDate><DocumentURL>https://funds.example/factsheet.pdf</DocumentURL></Document></Documents>`
  const read = (content: string) => importText('delivery.xml', content, [])

  it('with two portfolios of a day has one structure, for each of its classes', async () => {
    const both =
      portfolio(position('A', '32', 'Equity'), position('B', '24', 'Bond')) +
      portfolio(position('C', '44', 'Equity'))
    const { code, said, query } = await read(fundsXml(fund(both, classes)))
    expect(code).toBe(0)
    expect(
      query("SELECT isin, name_en, percent FROM structure_item WHERE type = 'asset_structure' ORDER BY 1, 2"),
    ).toEqual([first, second].toSorted().flatMap((isin) => [`${isin} Bonds 24`, `${isin} Equities 76`]))
    expect(said).toContain('transactions of a portfolio: no endpoint has them (2,')
    expect(query(navs)).toHaveLength(2)
  })

  it('of version 4.0, which does not say its version, is taken', async () => {
    const { code, said } = await read(fundsXml(fund(portfolio(position('A', '100', 'Equity')), classes), ''))
    expect(code).toBe(0)
    expect(said).toContain('FundsXML 4, UTF-8')
  })

  it.each<[string, string, string]>([
    [
      'of a fund that has neither an ISIN nor classes',
      fund(portfolio(position('A', '100', 'Equity')), ''),
      'a fund that has no ISIN, nor has any class of it (1)',
    ],
    [
      'of documents alone, by an LEI',
      documents,
      'a document that names no share class by ISIN, and no fund of the file (1)',
    ],
    [
      'of a report that no endpoint has',
      '<RegulatoryReportings><DirectReporting><EFTs><EFT/></EFTs></DirectReporting></RegulatoryReportings>',
      'EFTs',
    ],
  ])('%s has nothing for a table, and says why', async (_, content, reason) => {
    const { code, said } = await read(fundsXml(content))
    expect(code).toBe(1)
    expect(said).toContain('has nothing for a table: nothing was imported')
    expect(said).toContain(reason)
  })

  it('with documents by the LEI of a fund, whose classes it has, takes them for each class and country', async () => {
    const { query } = await read(fundsXml(fund('', classes) + documents))
    expect(
      query(
        "SELECT isin, country FROM document WHERE kind = 'factsheet' AND date = '2025-09-30' ORDER BY 1, 2",
      ),
    ).toEqual([first, second].toSorted().flatMap((isin) => [`${isin} AT`, `${isin} DE`]))
  })

  it('that is signed is read without its signature', async () => {
    const signature =
      '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo/></ds:Signature>'
    const { code, said } = await read(fundsXml(fund('', classes) + signature))
    expect(code).toBe(0)
    expect(said).toContain('the signature of the file, which is not verified')
  })
})

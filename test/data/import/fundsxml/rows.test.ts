/** What the elements of FundsXML become: rows of the schema, in its units, and what is left out with a reason. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fundsxml } from '../../../../src/extensions/import/readers/fundsxml/fundsxml.ts'
import type { FileStart, ReadOptions, RowSink } from '../../../../src/extensions/import/readers/reader.ts'
import { isinOf } from '../../../support/database.ts'
import { tempFolder } from '../../../support/folders.ts'

const folder = tempFolder()
const [first, second, third] = [isinOf(1), isinOf(2), isinOf(3)] as const

type Row = Readonly<Record<string, unknown>>

async function read(content: string) {
  const file = folder.file('funds.xml')
  writeFileSync(file, content)
  const rows: Record<string, Row[]> = {}
  const gone: Record<string, Row[]> = {}
  const parts: Record<string, Row[]> = {}
  const keep = (into: Record<string, Row[]>) => (table: string, values: Row) => {
    ;(into[table] ??= []).push(values)
  }
  const leftOut: string[] = []
  const bad: string[] = []
  const sink: Partial<RowSink> = {
    row: keep(rows),
    part: keep(parts),
    gone: keep(gone),
    bad: (place, reasons) => bad.push(`${place}: ${reasons.join('; ')}`),
    leftOut: (what) => leftOut.push(what),
    bytes: () => undefined,
  }
  const told = await fundsxml.read({ file } as FileStart, sink as RowSink, {} as ReadOptions)
  return { rows, gone, parts, leftOut, bad, told }
}

interface Parts {
  readonly control?: string
  readonly staticData?: string
  readonly dynamic?: string
  readonly classes?: string
  readonly assets?: string
  readonly more?: string
}

const document = ({
  control = '',
  staticData = '',
  dynamic = '',
  classes = '',
  assets = '',
  more = '',
}: Parts) =>
  `<FundsXML4>
<ControlData><Version>4.2.9</Version><ContentDate>2026-11-27</ContentDate>${control}</ControlData>
<Funds><Fund>
<Identifiers><LEI>529900T8BM49AURSDO55</LEI></Identifiers>
<Names><OfficialName>Elbe Fund</OfficialName></Names>
<Currency>EUR</Currency>
<FundStaticData>${staticData}</FundStaticData>
<FundDynamicData>${dynamic}</FundDynamicData>
<SingleFund><ShareClasses>${classes}</ShareClasses></SingleFund>
</Fund></Funds>
<AssetMasterData>${assets}</AssetMasterData>
${more}
</FundsXML4>`

const shareClass = (isin: string, more = '', currency = 'EUR') =>
  `<ShareClass><Identifiers><ISIN>${isin}</ISIN><GermanWKN>A1B2C3</GermanWKN></Identifiers>
<Names><OfficialName>Elbe Fund R</OfficialName></Names><Currency>${currency}</Currency>${more}</ShareClass>`

interface Price {
  readonly day?: string
  readonly action?: string
  readonly nature?: string
  readonly currency?: string
  readonly nav?: string
  readonly more?: string
}

const price = ({
  day = '2026-11-27',
  action = 'C',
  nature = 'OFFICIAL',
  currency = 'EUR',
  nav = '142.870',
  more = '',
}: Price) =>
  `<Price><ActionCode>${action}</ActionCode><NavDate>${day}</NavDate><PriceCurrency>${currency}</PriceCurrency>
<PriceNature>${nature}</PriceNature><NavPrice>${nav}</NavPrice>${more}</Price>`

const prices = (...all: Price[]) => `<Prices>${all.map(price).join('')}</Prices>`

describe('FundsXML: funds', () => {
  it('makes a fund of each class', async () => {
    const more = '<InceptionDate>2015-03-16Z</InceptionDate><IsPublicFlag>true</IsPublicFlag>'
    const { rows, told } = await read(
      document({ classes: shareClass(first, more) + shareClass(second, '', 'USD') }),
    )
    expect(told).toEqual({ form: ['FundsXML 4.2.9', 'UTF-8'], notes: [], warnings: [] })
    const both = { name: 'Elbe Fund R', wkn: 'A1B2C3', status_date: '2026-11-27' }
    expect(rows['fund']).toEqual([
      { isin: first, ...both, fund_inception_date: '2015-03-16', currency: 'EUR', prices_permitted: 1 },
      { isin: second, ...both, currency: 'USD' },
    ])
  })

  it.each([
    [
      '<LiquidationDate>2026-10-30</LiquidationDate>',
      '',
      { end_date: '2026-10-30', end_reason: 'liquidated' },
    ],
    [
      '<LiquidationDate>2026-10-30</LiquidationDate><LiquidationReason>MERGER</LiquidationReason>',
      '',
      { end_date: '2026-10-30', end_reason: 'merged' },
    ],
    ['', '<MaturityDate>2031-12-31</MaturityDate>', { end_date: '2031-12-31', end_reason: 'matured' }],
  ])('knows the end of a fund: %s%s', async (ofClass, staticData, end) => {
    const { rows } = await read(document({ staticData, classes: shareClass(first, ofClass) }))
    expect(rows['fund']).toMatchObject([end])
  })

  it('takes umbrellas: a subfund has its own inception, and one without classes is a fund if it has an ISIN', async () => {
    const subfund = (identifiers: string, more: string) => `<Subfund><Identifiers>${identifiers}</Identifiers>
<Names><OfficialName>Sub</OfficialName></Names><Currency>EUR</Currency>${more}</Subfund>`
    const { rows, leftOut } =
      await read(`<FundsXML4><ControlData><ContentDate>2026-11-27</ContentDate></ControlData><Funds><Fund>
<Identifiers><ISIN>${third}</ISIN></Identifiers><FundStaticData><InceptionDate>1999-01-04</InceptionDate></FundStaticData>
<Subfunds>${subfund('', `<SubfundStaticData><InceptionDate>2020-01-02</InceptionDate></SubfundStaticData><ShareClasses>${shareClass(first)}</ShareClasses>`)}
${subfund(`<ISIN>${second}</ISIN>`, '')}${subfund('<LEI>529900T8BM49AURSDO66</LEI>', '')}</Subfunds></Fund></Funds></FundsXML4>`)
    expect(
      rows['fund']?.map(({ isin, name, fund_inception_date }) => ({ isin, name, fund_inception_date })),
    ).toEqual([
      { isin: first, name: 'Elbe Fund R', fund_inception_date: '2020-01-02' },
      { isin: second, name: 'Sub', fund_inception_date: '1999-01-04' },
    ])
    expect(leftOut).toEqual(['a fund that has no ISIN, nor has any class of it'])
  })

  it('leaves out a class without an ISIN, with its prices', async () => {
    const classes = `<ShareClass><Identifiers/><Currency>EUR</Currency>${prices({})}</ShareClass>`
    const { rows, leftOut } = await read(document({ classes }))
    expect(rows).toEqual({})
    expect(leftOut).toEqual([
      'a price of a share class without an ISIN, by which the schema knows funds',
      'a share class without an ISIN, by which the schema knows funds',
      'a fund that has no ISIN, nor has any class of it',
    ])
  })
})

describe('FundsXML: prices', () => {
  it('takes official ones in the currency of the class, digit for digit', async () => {
    const both = '<SubscriptionPrice>+150.0135</SubscriptionPrice><RedemptionPrice>.5</RedemptionPrice>'
    const classes = shareClass(
      first,
      prices(
        { more: both },
        { day: '2026-11-26', nature: 'ESTIMATED' },
        { day: '2026-11-25', nature: 'TECHNICAL' },
        { day: '2026-11-24', currency: 'USD' },
        { day: '2026-11-23', more: '<SplitFactor>1</SplitFactor>' },
        { day: '2026-11-20', more: '<SplitFactor>10</SplitFactor>' },
      ),
    )
    const { rows, leftOut } = await read(document({ classes }))
    const nav = { isin: first, currency: 'EUR', net_asset_value: '142.870' }
    expect(rows['price']).toEqual([
      { ...nav, date: '2026-11-27', issue_price: '150.0135', repurchase_price: '0.5' },
      { ...nav, date: '2026-11-23' },
      { ...nav, date: '2026-11-20' },
    ])
    expect(leftOut).toEqual([
      'a price that is estimated, not official',
      'a price that is technical, not official',
      'a price in another currency than that of its share class',
      'a SplitFactor, since FundsXML does not say whether it counts new shares or old ones: import it as corporate_action',
    ])
  })

  it('takes prices back', async () => {
    const { rows, gone } = await read(
      document({ classes: shareClass(first, prices({ action: 'D' }, { action: 'M', day: '2026-11-26' })) }),
    )
    expect(gone['price']).toEqual([{ isin: first, date: '2026-11-27' }])
    expect(rows['price']).toHaveLength(1)
  })
})

describe('FundsXML: distributions', () => {
  const distribution = (day: string, amounts: string, more = '', status = 'OFFICIAL', action = 'C') =>
    `<Distribution><ActionCode>${action}</ActionCode><DividendStatus>${status}</DividendStatus><ExDate>${day}</ExDate>
<GrossDividendAmount><Total><Amount ccy="EUR">1000000</Amount></Total><PerShare>${amounts}</PerShare></GrossDividendAmount>
<NetDividendAmount><PerShare><Amount ccy="EUR">0.1</Amount></PerShare></NetDividendAmount>${more}</Distribution>`
  const euro = (amount: string) => `<Amount ccy="EUR">${amount}</Amount>`

  it('adds up the payments of a day, gross, per share', async () => {
    const all = [
      distribution('2026-05-04', euro('1.25')),
      distribution('2026-05-04', euro('0.505') + '<Amount ccy="USD">0.6</Amount>'),
      distribution('2025-05-05', euro('1')),
      distribution('2024-05-06', euro('1'), '', 'ESTIMATED'),
      distribution('2023-05-05', euro('1'), '<DistributionFlag>false</DistributionFlag>'),
      distribution('2022-05-05', euro('1'), '', 'OFFICIAL', 'D'),
    ]
    const { rows, gone, leftOut } = await read(
      document({ classes: shareClass(first, `<Distributions>${all.join('')}</Distributions>`) }),
    )
    const own = { isin: first, kind: 'distribution', currency: 'EUR' }
    expect(rows['corporate_action']).toEqual([
      { ...own, ex_date: '2026-05-04', amount: '1.755' },
      { ...own, ex_date: '2025-05-05', amount: '1' },
    ])
    expect(gone['corporate_action']).toEqual([{ isin: first, ex_date: '2022-05-05', kind: 'distribution' }])
    expect(leftOut).toEqual([
      'a distribution that is estimated, not official',
      'a dividend that is not distributed (DistributionFlag)',
    ])
  })

  it('refuses one in another currency', async () => {
    const all = `<Distributions>${distribution('2026-05-04', '<Amount ccy="USD">0.6</Amount>')}</Distributions>`
    const { bad } = await read(document({ classes: shareClass(first, all) }))
    expect(bad).toEqual([
      'line 10, /FundsXML4/Funds/Fund/SingleFund/ShareClasses/ShareClass/Distributions/Distribution: ' +
        'the distribution has its amount in USD, not in EUR',
    ])
  })
})

const position = (asset: string, percent: string | null, element = 'Equity', currency = 'EUR', value = '0') =>
  `<Position><UniqueID>${asset}</UniqueID><Currency>${currency}</Currency><TotalValue><Amount ccy="EUR">${value}</Amount></TotalValue>
${percent === null ? '' : `<TotalPercentage>${percent}</TotalPercentage>`}<${element}><Price><Amount ccy="USD">1</Amount></Price></${element}></Position>`
const asset = (id: string, name: string, type: string, country = '') =>
  `<Asset><UniqueID>${id}</UniqueID><Identifiers/><Currency>EUR</Currency>${country === '' ? '' : `<Country>${country}</Country>`}
<Name>${name}</Name><AssetType>${type}</AssetType></Asset>`
const portfolio = (day: string, content: string) =>
  `<Portfolio><NavDate>${day}</NavDate>${content}</Portfolio>`
const portfolios = (...all: string[]) => `<Portfolios>${all.join('')}</Portfolios>`
const positions = (...all: string[]) => `<Positions>${all.join('')}</Positions>`

/** The items of a structure, as `name percent`. */
const items = (rows: Record<string, Row[]>, isin: string, type: string) =>
  rows['structure_item']
    ?.filter((row) => row['isin'] === isin && row['type'] === type)
    .map((row) => `${String(row['position'])} ${String(row['name_de'])} ${String(row['percent'])}`)

describe('FundsXML: portfolios', () => {
  const assets = [
    asset('A', 'Alpha', 'EQ', 'DE'),
    asset('B', 'Beta', 'BO', 'US'),
    asset('C', 'Gamma', 'EQ', 'US'),
    asset('D', 'Cash', 'AC'),
  ].join('')

  it('groups positions by country, currency and asset type, with exact sums', async () => {
    const own = positions(
      position('A', '0.1'),
      position('A', '0.2', 'Equity', 'USD'),
      position('B', '50', 'Bond'),
      position('C', '30.15'),
      position('D', '-1.5', 'Account'),
    )
    const { rows, gone, leftOut } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first), assets }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Vereinigte Staaten 80.15', '2 Deutschland 0.3'])
    expect(items(rows, first, 'currencies')).toEqual(['1 Euro 78.75', '2 US-Dollar 0.2'])
    expect(items(rows, first, 'asset_structure')).toEqual([
      '1 Anleihen 50',
      '2 Aktien 30.45',
      '3 Bankguthaben -1.5',
    ])
    expect(items(rows, first, 'top_values')).toEqual([
      '1 Beta 50',
      '2 Gamma 30.15',
      '3 Alpha 0.3',
    ])
    expect(items(rows, first, 'top_values_securities')).toEqual([
      '1 Gamma 30.15',
      '2 Alpha 0.3',
    ])
    expect(
      rows['asset_allocation']?.map(({ position: at, class_en, percent, date, derivatives }) => ({
        at,
        class_en,
        percent,
        date,
        derivatives,
      })),
    ).toEqual([
      { at: 1, class_en: 'Equities', percent: 30.45, date: '2026-11-27', derivatives: 0 },
      { at: 2, class_en: 'Bonds', percent: 50, date: '2026-11-27', derivatives: 0 },
      { at: 22, class_en: 'Bank accounts', percent: -1.5, date: '2026-11-27', derivatives: 0 },
    ])
    expect(gone['structure_item']).toContainEqual({ isin: first, type: 'countries' })
    expect(gone['asset_allocation']).toEqual([{ isin: first, derivatives: 0, date: '2026-11-27' }])
    expect(leftOut).toEqual(['a position in no item of countries, as its asset has none'])
  })
})

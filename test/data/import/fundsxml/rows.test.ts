/** What the elements of FundsXML become: rows of the schema, in its units, and what is left out with a reason. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fundsxml } from '../../../../src/extensions/import/readers/fundsxml/fundsxml.ts'
import type { FileStart, ReadOptions, RowSink } from '../../../../src/extensions/import/readers/reader.ts'
import { isinOf } from '../../../support/database.ts'
import { tempFolder } from '../../../support/folders.ts'

const folder = tempFolder()
const first = isinOf(1)
const second = isinOf(2)
const third = isinOf(3)

type Row = Readonly<Record<string, unknown>>

async function read(content: string) {
  const file = folder.file('funds.xml')
  writeFileSync(file, content)
  const rows: Record<string, Row[]> = {}
  const gone: Record<string, Row[]> = {}
  const parts: Record<string, Row[]> = {}
  const spoilt: Record<string, Row[]> = {}
  const keep = (into: Record<string, Row[]>) => (table: string, values: Row) => {
    ;(into[table] ??= []).push(values)
  }
  const leftOut: string[] = []
  const bad: string[] = []
  const sink: Partial<RowSink> = {
    row: keep(rows),
    part: keep(parts),
    gone: keep(gone),
    spoilt: keep(spoilt),
    bad: (place, reasons) => bad.push(`${place}: ${reasons.join('; ')}`),
    leftOut: (what) => leftOut.push(what),
    bytes: () => undefined,
  }
  const told = await fundsxml.read({ file } as FileStart, sink as RowSink, {} as ReadOptions)
  return { rows, gone, parts, spoilt, leftOut, bad, told }
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
      ),
    )
    const { rows, leftOut } = await read(document({ classes }))
    const nav = { isin: first, currency: 'EUR', net_asset_value: '142.870' }
    expect(rows['price']).toEqual([
      { ...nav, date: '2026-11-27', issue_price: '150.0135', repurchase_price: '0.5' },
      { ...nav, date: '2026-11-23' },
    ])
    expect(leftOut).toEqual([
      'a price that is estimated, not official',
      'a price that is technical, not official',
      'a price in another currency than that of its share class',
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

  it('gives each payment of a day, gross, per share', async () => {
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
      { ...own, ex_date: '2026-05-04', amount: '1.25' },
      { ...own, ex_date: '2026-05-04', amount: '0.505' },
      { ...own, ex_date: '2025-05-05', amount: '1' },
    ])
    expect(gone['corporate_action']).toEqual([{ isin: first, ex_date: '2022-05-05', kind: 'distribution' }])
    expect(leftOut).toEqual([
      'a distribution that is estimated, not official',
      'a dividend that is not distributed (DistributionFlag)',
    ])
  })

  it('leaves out one of 0, and takes one back that is modified to 0', async () => {
    const all = [
      distribution('2026-05-04', euro('0.00')),
      distribution('2025-05-05', euro('0'), '', 'OFFICIAL', 'M'),
      distribution('2024-05-06', euro('1')),
    ]
    const ofClass = `<Distributions>${all.join('')}</Distributions>`
    const { rows, gone, leftOut, bad } = await read(document({ classes: shareClass(first, ofClass) }))
    expect(bad).toEqual([])
    expect(rows['corporate_action']).toMatchObject([{ ex_date: '2024-05-06', amount: '1' }])
    expect(gone['corporate_action']).toEqual([{ isin: first, ex_date: '2025-05-05', kind: 'distribution' }])
    expect(leftOut).toEqual(['a distribution of 0, which is none'])
  })

  it('refuses a new one beside a modified one of the same day', async () => {
    const both = ['C', 'M'].map((action) => distribution('2026-05-04', euro('1'), '', 'OFFICIAL', action))
    const ofClass = `<Distributions>${both.join('')}</Distributions>`
    const { bad } = await read(document({ classes: shareClass(first, ofClass) }))
    expect(bad).toEqual([
      expect.stringMatching(
        /: one distribution of the day is new \(C\) and one is modified \(M\): their sum is not known$/,
      ),
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
    expect(items(rows, first, 'top_values')).toEqual(['1 Beta 50', '2 Gamma 30.15', '3 Alpha 0.3'])
    expect(items(rows, first, 'top_values_securities')).toEqual(['1 Gamma 30.15', '2 Alpha 0.3'])
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

describe('FundsXML: parts of portfolios', () => {
  const allAssets = [asset('A', 'Alpha', 'EQ', 'DE'), asset('B', 'Beta', 'EQ', 'US')].join('')
  const itemsBy = (dimension: string, values: Readonly<Record<string, string>>, method = '') =>
    `<BreakDown><Dimensions><Dimension>${dimension}</Dimension></Dimensions><CalculationMethod>${method}</CalculationMethod>
<Values>${Object.entries(values)
      .map(
        ([name, percent]) =>
          `<Value><DimValues><DimValue dim="x">${name}</DimValue></DimValues><Percentage>${percent}</Percentage></Value>`,
      )
      .join('')}</Values></BreakDown>`
  const breakdowns = (...all: string[]) => `<BreakDowns>${all.join('')}</BreakDowns>`

  it('cuts the top values to ten, without those that are below zero', async () => {
    const many = Array.from({ length: 14 }, (_, at) => `E${at}`)
    const own = positions(...many.map((id, at) => position(id, String(at - 1))))
    const assets = many.map((id) => asset(id, `Equity ${id}`, 'EQ', 'DE')).join('')
    const { rows } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first), assets }),
    )
    expect(items(rows, first, 'top_values')).toHaveLength(10)
    expect(items(rows, first, 'top_values')?.[0]).toBe('1 Equity E13 12')
    expect(items(rows, first, 'top_values')?.[9]).toBe('10 Equity E4 3')
  })

  it('computes a share that is missing from the net assets of the day', async () => {
    const assetsOf = (day: string) =>
      `<TotalAssetValues><TotalAssetValue><NavDate>${day}</NavDate><TotalAssetNature>OFFICIAL</TotalAssetNature>
<TotalNetAssetValue><Amount ccy="EUR">8000</Amount></TotalNetAssetValue></TotalAssetValue></TotalAssetValues>`
    const own = portfolios(portfolio('2026-11-27', positions(position('A', null, 'Equity', 'EUR', '1000'))))
    const found = await read(
      document({ dynamic: assetsOf('2026-11-27') + own, classes: shareClass(first), assets: allAssets }),
    )
    expect(items(found.rows, first, 'countries')).toEqual(['1 Deutschland 12.5'])
    const other = await read(
      document({ dynamic: assetsOf('2026-11-26') + own, classes: shareClass(first), assets: allAssets }),
    )
    expect(other.rows['structure_item']).toBeUndefined()
    expect(other.leftOut).toContain(
      'a position without TotalPercentage, and without net assets of its day and currency to compute it from',
    )
  })

  it('takes breakdowns before positions, and names codes in both languages', async () => {
    const own =
      positions(position('A', '60'), position('B', '40')) +
      breakdowns(
        itemsBy('Country', { DE: '55.5', Übrige: '44.5' }),
        itemsBy('Asset Type', { EQ: '90', Liquidität: '10' }),
        itemsBy('Currency', { USD: '70' }, 'Exposure'),
        itemsBy('Rating', { AAA: '1' }),
        itemsBy('Country', { FR: '100' }),
      )
    const { rows, leftOut } = await read(
      document({
        dynamic: portfolios(portfolio('2026-11-27', own)),
        classes: shareClass(first),
        assets: allAssets,
      }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Deutschland 55.5', '2 Übrige 44.5'])
    expect(items(rows, first, 'currencies')).toEqual(['1 Euro 100'])
    expect(items(rows, first, 'currencies_derivatives')).toEqual(['1 US-Dollar 70'])
    expect(items(rows, first, 'top_values')).toEqual(['1 Alpha 60', '2 Beta 40'])
    expect(rows['asset_allocation']).toMatchObject([
      { position: 1, class_de: 'Aktien', class_en: 'Equities', percent: 90 },
      { position: 102, class_de: 'Liquidität', class_en: null, percent: 10 },
    ])
    expect(leftOut).toEqual([
      'a breakdown by Rating: no structure is of this kind',
      'a second breakdown by the same dimension',
    ])
  })

  it('leaves out the total of others, by its name or its share', async () => {
    const own = breakdowns(
      itemsBy('Country', { DE: '60', US: '40', Total: '100' }),
      itemsBy('Currency', { EUR: '70', USD: '30', 'Fund as a whole': '100' }),
      itemsBy('Asset Type', { EQ: '100', Futures: '100' }, 'Exposure'),
      itemsBy('Sector', { Total: '100' }),
    )
    const { rows, gone, leftOut } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first) }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Deutschland 60', '2 Vereinigte Staaten 40'])
    expect(items(rows, first, 'currencies')).toEqual(['1 Euro 70', '2 US-Dollar 30'])
    expect(items(rows, first, 'asset_structure_derivatives')).toEqual(['1 Aktien 100', '2 Futures 100'])
    expect(gone['structure_item']?.map(({ type }) => type)).not.toContain('industrial_sectors')
    expect(leftOut.toSorted()).toEqual([
      'an item "Fund as a whole", which looks like the total of others',
      'an item "Total", which looks like the total of others',
      'an item "Total", which looks like the total of others',
    ])
  })

  it('names codes of three letters and in small ones, and sums positions by country', async () => {
    const own =
      positions(position('A', '60'), position('B', '30'), position('C', '10')) +
      breakdowns(itemsBy('Currency', { eur: '70', USD: '30' }))
    const assets = [
      asset('A', 'Alpha', 'EQ', 'DE'),
      asset('B', 'Beta', 'EQ', 'DEU'),
      asset('C', 'Gamma', 'EQ', 'usa'),
    ].join('')
    const { rows } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first), assets }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Deutschland 90', '2 Vereinigte Staaten 10'])
    expect(items(rows, first, 'currencies')).toEqual(['1 Euro 70', '2 US-Dollar 30'])
  })

  it('says of a portfolio with an unknown breakdown only that', async () => {
    const own = breakdowns(itemsBy('Rating', { AAA: '100' }))
    const { leftOut } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first) }),
    )
    expect(leftOut).toEqual(['a breakdown by Rating: no structure is of this kind'])
  })

  it.each(['XX', 'ZZ', 'XA', 'xx', 'XXX'])(
    'names the code %s, of no country, in both languages, and says so',
    async (code) => {
      const own = breakdowns(itemsBy('Country', { DE: '60', [code]: '40' }))
      const { rows, leftOut } = await read(
        document({ dynamic: portfolios(portfolio('2026-11-27', own)), classes: shareClass(first) }),
      )
      const found = rows['structure_item']?.map(({ name_de, name_en }) => [name_de, name_en])
      expect(found).toEqual([
        ['Deutschland', 'Germany'],
        ['Sonstige', 'Other'],
      ])
      expect(leftOut).toEqual([`the code ${code}, which names no country: the item is Sonstige (Other)`])
    },
  )

  it('gives a class its own portfolios, else those of its fund; allocations have all days, structures the newest', async () => {
    const dynamic = portfolios(
      portfolio('2026-11-26', positions(position('A', '100'))),
      portfolio('2026-11-27', positions(position('A', '60'))),
      portfolio('2026-11-27', positions(position('B', '40'))),
    )
    const own = portfolios(portfolio('2026-11-27', positions(position('B', '99'))))
    const { rows } = await read(
      document({ dynamic, classes: shareClass(first) + shareClass(second, own), assets: allAssets }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Deutschland 60', '2 Vereinigte Staaten 40'])
    expect(items(rows, second, 'countries')).toEqual(['1 Vereinigte Staaten 99'])
    expect(rows['asset_allocation']?.map(({ isin, date, percent }) => ({ isin, date, percent }))).toEqual([
      { isin: first, date: '2026-11-26', percent: 100 },
      { isin: first, date: '2026-11-27', percent: 100 },
      { isin: second, date: '2026-11-27', percent: 99 },
    ])
  })

  it('makes key figures of risk codes, as texts without a unit', async () => {
    const codes = `<RiskCodes><RiskCode><ListedCode>VOLATILITY OF RETURNS</ListedCode><Value>+3.50</Value></RiskCode>
<RiskCode><UnlistedCode>My ratio</UnlistedCode><Value>-1</Value></RiskCode></RiskCodes>`
    const { rows, gone } = await read(
      document({ dynamic: portfolios(portfolio('2026-11-27', codes)), classes: shareClass(first) }),
    )
    const own = { isin: first, has_value2: 0 }
    expect(rows['key_figure']).toEqual([
      {
        ...own,
        position: 1,
        name_de: 'Volatilität der Renditen',
        name_en: 'Volatility of returns',
        value: '3,50',
      },
      { ...own, position: 2, name_de: 'My ratio', name_en: null, value: '-1' },
    ])
    expect(gone['key_figure']).toEqual([{ isin: first }])
  })

  it('gives a class its own structures and the key figures of its fund, and leaves out figures of 0', async () => {
    const code = (name: string, value: string) =>
      `<RiskCode><ListedCode>${name}</ListedCode><Value>${value}</Value></RiskCode>`
    const ofFund =
      positions(position('A', '100')) + `<RiskCodes>${code('YIELD', '0')}${code('DELTA', '0.5')}</RiskCodes>`
    const own = portfolios(portfolio('2026-11-27', positions(position('B', '99'))))
    const { rows, leftOut } = await read(
      document({
        dynamic: portfolios(portfolio('2026-11-27', ofFund)),
        classes: shareClass(first, own),
        assets: allAssets,
      }),
    )
    expect(items(rows, first, 'countries')).toEqual(['1 Vereinigte Staaten 99'])
    expect(rows['key_figure']).toMatchObject([{ isin: first, position: 1, name_de: 'Delta', value: '0,5' }])
    expect(leftOut).toEqual(['a risk code of 0: what a fund does not have is written so'])
  })

  it('takes one value of a risk code, of the newest period, and none if those differ', async () => {
    const code = (name: string, value: string, until: string) =>
      `<RiskCode><ListedCode>${name}</ListedCode><Value>${value}</Value><DateTo>${until}</DateTo></RiskCode>`
    const codes = [
      code('YIELD', '4', '2026-10-30'),
      code('YIELD', '3', '2025-10-31'),
      code('DELTA', '0.5', '2026-10-30'),
      code('DELTA', '0.6', '2026-10-30'),
      code('VEGA', '1.0', '2026-10-30'),
      code('VEGA', '1', '2026-10-30'),
    ]
    const { rows, leftOut } = await read(
      document({
        dynamic: portfolios(portfolio('2026-11-27', `<RiskCodes>${codes.join('')}</RiskCodes>`)),
        classes: shareClass(first),
      }),
    )
    expect(rows['key_figure']?.map(({ name_de, value }) => [name_de, value])).toEqual([
      ['Rendite', '4'],
      ['Vega', '1,0'],
    ])
    expect(leftOut).toEqual(
      Array(3).fill('a risk code that has several values, as of other periods: a key figure has one'),
    )
  })

  it('refuses a share that is no number', async () => {
    const { bad } = await read(
      document({
        dynamic: portfolios(portfolio('2026-11-27', positions(position('A', 'n/a')))),
        classes: shareClass(first),
      }),
    )
    expect(bad).toEqual([
      'line 8, /FundsXML4/Funds/Fund/FundDynamicData/Portfolios/Portfolio/Positions/Position: its share is no number',
    ])
  })
})

describe('FundsXML: profile', () => {
  it('takes what there is, in percent, as a part', async () => {
    const staticData = `<ListedLegalStructure>UCITS - SICAV</ListedLegalStructure>
<StartOfFiscalYear><Day>1</Day><Month>3</Month></StartOfFiscalYear>
<Classifications><Classification><ListedGroup>EFAMA</ListedGroup><Value>Equity</Value></Classification>
<Classification><ListedGroup>BVI</ListedGroup><Language>de</Language><Value level="1">Aktienfonds</Value><Value level="2">Aktienfonds Europa</Value></Classification></Classifications>
<Benchmarks><Benchmark><Name>Index A</Name></Benchmark></Benchmarks>
<OngoingCosts><OngoingCost><CostType>Ongoing Costs</CostType><Percentage>1.80</Percentage></OngoingCost></OngoingCosts>`
    const total = (
      amount: string,
      day = '2026-11-27',
    ) => `<TotalAssetValue><NavDate>${day}</NavDate><TotalAssetNature>OFFICIAL</TotalAssetNature>
<TotalNetAssetValue><Amount ccy="EUR">${amount}</Amount></TotalNetAssetValue></TotalAssetValue>`
    const ofClass = `<ShareClassType><EarningUse>R</EarningUse></ShareClassType>
<SubscriptionRestrictions><MinSubscriptionAmount><Amount ccy="EUR">500.00</Amount></MinSubscriptionAmount></SubscriptionRestrictions>
<TotalAssetValues>${total('15000000.50')}${total('1', '2026-11-26')}</TotalAssetValues>
<Fees><Fee><Type>Management Fee</Type><PayReceive>P</PayReceive><Maximum>1.5</Maximum></Fee>
<Fee><Type>Ausgabeaufschlag</Type><PayReceive>P</PayReceive><DataByPeriods>
<DataByPeriod><EndDate>2026-12-31</EndDate><Values><FeeAsPercentageOfTNA>4.5</FeeAsPercentageOfTNA></Values></DataByPeriod>
<DataByPeriod><EndDate>2025-12-31</EndDate><Values><FeeAsPercentageOfTNA>5</FeeAsPercentageOfTNA></Values></DataByPeriod></DataByPeriods></Fee>
<Fee><Type>Postage</Type><PayReceive>P</PayReceive><Maximum>1</Maximum></Fee></Fees>
<HighWatermark><ExistingFlag>true</ExistingFlag></HighWatermark>`
    const { rows, parts, leftOut } = await read(
      document({
        staticData,
        dynamic: `<TotalAssetValues>${total('25000000')}</TotalAssetValues>`,
        classes: shareClass(first, ofClass),
      }),
    )
    expect(rows['profile']).toBeUndefined()
    expect(parts['profile']).toEqual([
      {
        isin: first,
        category_de: 'Aktienfonds Europa',
        benchmark: 'Index A',
        fund_assets: '15000000.50',
        total_fund_assets: '25000000',
        total_fund_assets_currency: null,
        end_of_fiscal_year: '02-28',
        accumulating: 1,
        conformity: 1,
        issue_surcharge: 4.5,
        total_expense_ratio: 1.8,
        management_fee: 1.5,
        performance_fee: 1,
        one_time_investment: 1,
        one_time_investment_minimum: '500.00',
      },
    ])
    expect(leftOut).toEqual(['a fee of type Postage: the profile has no such fee'])
  })
})

/** @returns the profile of a class, and what is left out */
async function profileOf(staticData: string, ofClass = '') {
  const found = await read(document({ staticData, classes: shareClass(first, ofClass) }))
  return { ...found, profile: found.parts['profile']?.[0] }
}

describe('FundsXML: ongoing costs', () => {
  const cost = (percent: string, published: string, more = '', type = 'Ongoing Costs') =>
    `<OngoingCost><CostType>${type}</CostType><PublicationDate>${published}</PublicationDate>${more}<Percentage>${percent}</Percentage></OngoingCost>`
  const costs = (...all: string[]) => profileOf(`<OngoingCosts>${all.join('')}</OngoingCosts>`)
  const holds = (from: string, to: string) => `<ValidFrom>${from}</ValidFrom><ValidTo>${to}</ValidTo>`

  it.each([
    [['1.80 2026-02-01', '2.40 2024-02-01'], 1.8],
    [['2.40 2024-02-01', '1.80 2026-02-01'], 1.8],
    [['1.80 2026-02-01', '1.8 2026-02-01'], 1.8],
  ])('are those that were published last, in any order: %j', async (all, expected) => {
    const { profile } = await costs(...all.map((one) => cost(...(one.split(' ') as [string, string]))))
    expect(profile?.['total_expense_ratio']).toBe(expected)
  })

  it('are those that hold on the day of the file', async () => {
    const { profile, leftOut } = await costs(
      cost('1.5', '2025-02-01', holds('2025-02-01', '2026-11-27Z')),
      cost('1.6', '2026-11-02', holds('2026-12-01', '2027-11-30')),
      cost('1.7', '2026-11-01', holds('2025-01-01', '2026-11-26')),
      cost('0.2', '2026-11-03', '', 'Transaction Costs'),
      cost('0.3', '03.11.2026'),
    )
    expect(profile?.['total_expense_ratio']).toBe(1.5)
    expect(leftOut).toEqual([
      'ongoing costs that do not hold on the day of the file (ValidFrom, ValidTo)',
      'ongoing costs that do not hold on the day of the file (ValidFrom, ValidTo)',
      'costs of type Transaction Costs, which are no ongoing costs',
      'ongoing costs whose PublicationDate is no day',
    ])
  })

  it('are not taken if those of one day differ', async () => {
    const { profile, leftOut } = await costs(cost('1.8', '2026-02-01'), cost('2.4', '2026-02-01'))
    expect(profile).toBeUndefined()
    expect(leftOut).toEqual(
      Array(2).fill('ongoing costs that differ from others of their day, so that none are taken'),
    )
  })
})

describe('FundsXML: benchmarks', () => {
  const benchmark = (name: string, usage = '') =>
    `<Benchmark><Name>${name}</Name><Currency>EUR</Currency>${usage === '' ? '' : `<BenchmarkUsage ListedType="${usage}"/>`}
<BenchmarkComponents><BenchmarkComponent><ValidFrom>2020-01-01</ValidFrom><Name>Part</Name><Weight>60</Weight></BenchmarkComponent></BenchmarkComponents></Benchmark>`
  const benchmarks = async (...all: string[]) => {
    const { profile, leftOut } = await profileOf(`<Benchmarks>${all.join('')}</Benchmarks>`)
    const components = 'components of a benchmark, which has a name of its own'
    return { name: profile?.['benchmark'], leftOut: leftOut.filter((what) => what !== components) }
  }

  it('takes none of several, and says so', async () => {
    expect(await benchmarks(benchmark('MSCI World'), benchmark('iBoxx'))).toEqual({
      name: undefined,
      leftOut: Array(2).fill('one of several benchmarks of a fund, whose profile has one'),
    })
  })

  it('takes the official one, and none for inner use', async () => {
    expect(
      await benchmarks(
        benchmark('MSCI World', 'UCITS KIID'),
        benchmark('60 % MSCI World, 40 % iBoxx', 'OFFICIAL'),
        benchmark('Peers', 'INTERNAL'),
      ),
    ).toEqual({
      name: '60 % MSCI World, 40 % iBoxx',
      leftOut: ['a benchmark for inner use (BenchmarkUsage)', 'a benchmark beside the official one'],
    })
    expect(await benchmarks(benchmark('Peers', 'INTERNAL'))).toMatchObject({ name: undefined })
  })
})

describe('FundsXML: classifications', () => {
  const of = (group: string, ...values: string[]) =>
    `<Classification><ListedGroup>${group}</ListedGroup>${values.join('')}</Classification>`
  const level = (at: number, text: string) => `<Value level="${at}">${text}</Value>`
  const category = async (...all: string[]) => {
    const { profile, leftOut } = await profileOf(`<Classifications>${all.join('')}</Classifications>`)
    return { name: profile?.['category_de'], leftOut }
  }

  it('takes the deepest level, in any order', async () => {
    expect(await category(of('BVI', level(2, 'Aktienfonds Europa'), level(1, 'Aktienfonds')))).toEqual({
      name: 'Aktienfonds Europa',
      leftOut: [],
    })
  })

  it.each([
    ['of two classifications', [of('BVI', level(1, 'Aktienfonds')), of('BVI', level(1, 'Mischfonds'))]],
    ['without levels', [of('BVI', '<Value>Aktienfonds</Value><Value>Mischfonds</Value>')]],
  ])('takes the next group if nothing says which value counts: %s', async (_, all) => {
    const { name, leftOut } = await category(...all, of('EFAMA', '<Value>Equity</Value>'))
    expect(name).toBe('Equity')
    expect(new Set(leftOut)).toEqual(
      new Set(['one of several classifications of BVI, of which a profile has one']),
    )
  })
})

describe('FundsXML: fees', () => {
  const fee = (type: string, percent: string) =>
    `<Fee><Type>${type}</Type><PayReceive>P</PayReceive><Maximum>${percent}</Maximum></Fee>`
  const fees = async (...all: string[]) => {
    const found = await profileOf('', `<Fees>${all.join('')}</Fees>`)
    return { ...found, surcharge: found.profile?.['issue_surcharge'] }
  }

  it.each([
    [
      'of the distributor and of the fund together, without a minimum',
      [
        fee('Subscription Fee in favour of distributor', '5'),
        fee('Subscription Fee in favour of fund', '1'),
        fee('Subscription Fee minimum', '0'),
      ],
      6,
    ],
    ['of both, also if they are equal', [fee('Entry Fee Distributor', '2'), fee('Entry Fee Fund', '2')], 4],
    ['once, if two names say the same', [fee('Entry Fee', '5'), fee('Subscription Charge', '5.00')], 5],
    [
      'of no minimum alone',
      [fee('Mindestausgabeaufschlag', '0'), fee('Ausgabeaufschlag min.', '0')],
      undefined,
    ],
  ])('takes the surcharge %s', async (_, all, expected) => {
    expect((await fees(...all)).surcharge).toBe(expected)
  })

  it('takes none of fees that differ, says so, and lets no price be derived without it', async () => {
    const { surcharge, leftOut, spoilt } = await fees(fee('Entry Fee', '5'), fee('Subscription Charge', '3'))
    expect(surcharge).toBeUndefined()
    expect(leftOut).toEqual([
      'fees that differ: Entry Fee (5), Subscription Charge (3): which one is issue_surcharge is not said',
    ])
    expect(spoilt).toEqual({ profile: [{ isin: first }] })
  })
})

describe('FundsXML: net assets of one day', () => {
  const total = (amount: string, currency = 'EUR') =>
    `<TotalAssetValue><NavDate>2026-11-27</NavDate><TotalAssetNature>OFFICIAL</TotalAssetNature>
<TotalNetAssetValue><Amount ccy="${currency}">${amount}</Amount></TotalNetAssetValue></TotalAssetValue>`
  const assets = async (...all: string[]) => {
    const { profile, leftOut } = await profileOf('', `<TotalAssetValues>${all.join('')}</TotalAssetValues>`)
    return { assets: profile?.['fund_assets'], leftOut }
  }

  it('count once, whatever their currencies, and not at all if they differ', async () => {
    expect(await assets(total('7', 'USD'), total('5.00'), total('5'))).toEqual({
      assets: '5.00',
      leftOut: [],
    })
    expect(await assets(total('5'), total('6'))).toEqual({
      assets: undefined,
      leftOut: ['net assets that differ from others of their day, so that none are taken'],
    })
  })
})

describe('FundsXML: the assets of all share classes', () => {
  const total = (
    ...amounts: readonly string[]
  ) => `<TotalAssetValues><TotalAssetValue><NavDate>2026-11-27</NavDate>
<TotalAssetNature>OFFICIAL</TotalAssetNature><TotalNetAssetValue>${amounts.join('')}</TotalNetAssetValue></TotalAssetValue></TotalAssetValues>`
  const euros = '<Amount ccy="EUR">25000000</Amount>'
  const dollars = '<Amount ccy="USD">27000000</Amount>'

  it.each([
    ['the currency of the class', [dollars, euros], '25000000', null],
    ['another one, which is named', [dollars], '27000000', 'USD'],
  ] as const)('are in %s', async (_, amounts, expected, currency) => {
    const { parts } = await read(document({ dynamic: total(...amounts), classes: shareClass(first, '') }))
    expect(parts['profile']).toMatchObject([
      { total_fund_assets: expected, total_fund_assets_currency: currency },
    ])
  })
})

describe('FundsXML: the performance fee', () => {
  const fee = (maximum: string) =>
    `<Fees><Fee><Type>Performance Fee</Type><Maximum>${maximum}</Maximum></Fee></Fees>`
  it.each([
    ['there is one', fee('15'), 1],
    ['it is 0 at most', fee('0.00'), 0],
    ['there is one without a number', '<Fees><Fee><Type>Performance Fee</Type></Fee></Fees>', 1],
    ['there is a high watermark', '<HighWatermark><ExistingFlag>true</ExistingFlag></HighWatermark>', 1],
    ['nothing is said', '<HighWatermark><ExistingFlag>false</ExistingFlag></HighWatermark>', undefined],
  ])('%s', async (_, ofClass, flag) => {
    const { parts } = await read(document({ classes: shareClass(first, ofClass) }))
    expect(parts['profile']?.[0]?.['performance_fee']).toBe(flag)
  })
})

describe('FundsXML: documents', () => {
  interface Paper {
    readonly type?: string
    readonly of?: string
    readonly isPublic?: string
    readonly url?: string
    readonly language?: string
    readonly countries?: readonly string[]
  }
  const paper = ({
    type = 'PRIIPS-KID',
    of = '',
    isPublic = 'true',
    url = 'https://funds.example/kid.pdf',
    language = 'de',
    countries = [],
  }: Paper) =>
    `<Document><Type><ListedType>${type}</ListedType></Type><Language>${language}</Language>${countriesOf(countries)}${of}<Name>A paper</Name>
<ForPublicUsage>${isPublic}</ForPublicUsage><CreationDate>2026-01-02</CreationDate>${url === '' ? '' : `<DocumentURL>${url}</DocumentURL>`}</Document>`
  const countriesOf = (codes: readonly string[]) =>
    codes.length === 0
      ? ''
      : `<PublicationCountries>${codes.map((code) => `<Country>${code}</Country>`).join('')}</PublicationCountries>`
  const ofClass = (isin: string) =>
    `<ShareClasses><ShareClass><Identifiers><ISIN>${isin}</ISIN></Identifiers></ShareClass></ShareClasses>`
  const ofFund = (lei: string) => `<Fund><Identifiers><LEI>${lei}</LEI></Identifiers></Fund>`

  it('takes public ones that have an address, of classes or of all classes of a fund', async () => {
    const all = [
      paper({ of: ofFund('529900T8BM49AURSDO55') + ofClass(third), language: 'de-AT' }),
      paper({ of: ofFund('529900T8BM49AURSDO55'), type: 'AnnualReport' }),
      paper({ of: ofFund('529900T8BM49AURSDO99') }),
      paper({ of: ofClass(first), type: 'AuditReport' }),
      paper({ of: ofClass(first), isPublic: 'false' }),
      paper({ of: ofClass(first), url: '' }),
    ]
    const classes = shareClass(first) + shareClass(second)
    const { rows, leftOut } = await read(
      document({ classes, more: `<Documents>${all.join('\n')}</Documents>` }),
    )
    const own = { language: 'de', date: '2026-01-02', title: 'A paper', url: 'https://funds.example/kid.pdf' }
    expect(rows['document']).toEqual([
      { isin: first, kind: 'annual_report', ...own },
      { isin: second, kind: 'annual_report', ...own },
      { isin: third, kind: 'kid', ...own },
    ])
    expect(leftOut).toEqual([
      'a document that names no share class by ISIN, and no fund of the file',
      'a document of type AuditReport: the schema has no such kind',
      'a document that is not said to be public (ForPublicUsage)',
      'a document without an address (DocumentURL): files cannot be held',
    ])
  })

  const papers = async (...all: string[]) => {
    const found = await read(
      document({ classes: shareClass(first), more: `<Documents>${all.join('')}</Documents>` }),
    )
    return { titles: found.rows['document']?.map(({ title }) => title), leftOut: found.leftOut }
  }
  const prospectus = (name: string) =>
    paper({
      of: ofClass(first),
      type: 'Prospectus',
      url: `https://funds.example/${encodeURIComponent(name)}.pdf`,
    }).replace('A paper', name)

  it('takes the prospectus and not its supplement of the same day', async () => {
    const both = [prospectus('Nachtrag 1'), prospectus('Prospekt')]
    const expected = {
      titles: ['Prospekt'],
      leftOut: ['a supplement beside its document, of the same kind and day'],
    }
    expect(await papers(...both)).toEqual(expected)
    expect(await papers(...both.toReversed())).toEqual(expected)
    expect(await papers(prospectus('Nachtrag 1'))).toEqual({ titles: ['Nachtrag 1'], leftOut: [] })
  })

  it('takes none of two of one kind and day, nor one without a day, and says so', async () => {
    expect(await papers(prospectus('Part A'), prospectus('Part B'))).toEqual({
      titles: undefined,
      leftOut: Array(2).fill(
        'one of several documents of a kind, language and day: which one counts is not said',
      ),
    })
    const undated = prospectus('Prospekt').replace('<CreationDate>2026-01-02</CreationDate>', '')
    expect((await papers(undated)).leftOut).toEqual([
      'a document without a day (ModificationDate, CreationDate)',
    ])
  })

  it('takes one for several countries once for each', async () => {
    const all = [
      paper({ of: ofClass(first), countries: ['DE'] }),
      paper({ of: ofClass(first), countries: ['AT', 'LU', 'AT'], url: 'https://funds.example/kid-at.pdf' }),
    ]
    const { rows } = await read(
      document({ classes: shareClass(first), more: `<Documents>${all.join('')}</Documents>` }),
    )
    expect(rows['document']?.map(({ country, url }) => [country, url])).toEqual([
      ['AT', 'https://funds.example/kid-at.pdf'],
      ['DE', 'https://funds.example/kid.pdf'],
      ['LU', 'https://funds.example/kid-at.pdf'],
    ])
  })
})

describe('FundsXML: reports', () => {
  const instrument = (code: string, more: string, needs = '') => `<FinancialInstrument>
<GeneralInformation><Code>${code}</Code><CodificationSystem>1</CodificationSystem><InstrumentPerformanceFee>Y</InstrumentPerformanceFee>
<ManufacturerProductGovernanceProces>B</ManufacturerProductGovernanceProces></GeneralInformation>
<TargetMarket><RiskTolerance><UCITSMethodology>5</UCITSMethodology></RiskTolerance>
<ClientObjectives><IntendedCompatibleWithClientsHavingSustainabilityPreferences>Neutral</IntendedCompatibleWithClientsHavingSustainabilityPreferences>${needs}</ClientObjectives></TargetMarket>
<CostsAndChargesExAnte><Fund><ManagementFee>0.0135</ManagementFee><TransactionCosts>0.0012</TransactionCosts></Fund>
<CostsReferenceDate>2025-12-29</CostsReferenceDate></CostsAndChargesExAnte>${more}</FinancialInstrument>`
  const exPost = `<CostsAndChargesExPost><Fund><EntryCostAcquired>0.0125</EntryCostAcquired><OngoingCosts>0.0158</OngoingCosts></Fund>
<ReferencePeriod><Start>2025-01-01</Start><End>2025-12-28</End></ReferencePeriod></CostsAndChargesExPost>`

  it('takes the EMT V4 with its fractions, and nothing of another template', async () => {
    const reports = `<EMT_V3><FinancialInstrument/></EMT_V3><EMT_V4>${instrument(first, exPost, '<OtherSpecificInvestmentNeed>I</OtherSpecificInvestmentNeed>')}</EMT_V4>
<EMT_V4_3>${instrument(second, '')}</EMT_V4_3><EFTs><EFT/></EFTs>`
    const { rows, parts, leftOut } = await read(
      document({
        classes: shareClass(first),
        more: `<RegulatoryReportings><DirectReporting>${reports}</DirectReporting></RegulatoryReportings>`,
      }),
    )
    const both = {
      srri: 5,
      governanceprocess: 'B',
      compatible_for_clients_with_esg_preferences: 'Neutral',
      transaction_costs_date: '2025-12-29',
      transaction_costs: 0.0012,
      incidental_costs_date: '2025-12-29',
      incidental_costs: null,
    }
    expect(rows['emt']).toEqual([
      {
        isin: first,
        ...both,
        other_specific_investment_need: 'I',
        ongoing_costs_date: '2025-12-28',
        ongoing_costs: 0.0158,
        entry_costs: 0.0125,
      },
      { isin: second, ...both },
    ])
    expect(parts['profile']).toEqual(
      [
        { isin: first, performance_fee: 1, management_fee: 1.35 },
        { isin: second, performance_fee: 1, management_fee: 1.35 },
      ].sort((one, other) => (one.isin < other.isin ? -1 : 1)),
    )
    expect(leftOut).toEqual([
      'an EMT older than V4: its fields mean something else',
      'reports of another template (EFTs): no endpoint has them',
    ])
  })
})

it('FundsXML: a target market that is not reported, and empty then, takes no value away', async () => {
  const general = `<GeneralInformation><Code>${first}</Code><CodificationSystem>1</CodificationSystem></GeneralInformation>`
  const report = `<EMT_V4_3><FinancialInstrument>${general}<TargetMarket/><CostsAndChargesExAnte/></FinancialInstrument></EMT_V4_3>`
  const more = `<RegulatoryReportings><DirectReporting>${report}</DirectReporting></RegulatoryReportings>`
  const { rows } = await read(document({ classes: shareClass(first), more }))
  expect(rows['emt']).toEqual([{ isin: first, governanceprocess: null }])
})

describe('FundsXML: a file', () => {
  it('is recognised by its root, whatever it is called', () => {
    const isOne = (text: string) => fundsxml.recognises({ text } as FileStart, {} as ReadOptions)
    expect(isOne('\ufeff<?xml version="1.0"?>\n<!-- by hand -->\n<FundsXML4\n xmlns:xsi="x">')).toBe(true)
    expect(isOne('isin;<FundsXML4>')).toBe(false)
    expect(isOne('<FundsXML4Old>')).toBe(false)
  })

  it('that takes back others is refused', async () => {
    await expect(read(document({ control: '<DataOperation>DELETE</DataOperation>' }))).rejects.toThrow(
      'line 2, /FundsXML4/ControlData: it takes back other files (DataOperation DELETE), which no import can do',
    )
  })

  it('of a newer version is read, with a warning', async () => {
    const { told } = await read('<FundsXML4><ControlData><Version>4.3.0</Version></ControlData></FundsXML4>')
    expect(told.warnings).toEqual(['FundsXML 4.3.0 is not known here: it was read as 4.2'])
  })
})

/** The oracle itself, held to answers that were written by hand from the interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initDatabase } from '../../../src/core/data/model/new-database.ts'
import { insertOddFunds, oddFunds } from '../../support/odd-funds.ts'
import { tempFolder } from '../../support/folders.ts'
import { type Oracle, openOracle } from '../../../src/extensions/conform/oracle/oracle.ts'

const folder = tempFolder()
let oracle: Oracle

beforeAll(() => {
  const db = folder.file('odd.sqlite')
  initDatabase(db)
  insertOddFunds(db)
  oracle = openOracle({ db, asOf: oddFunds.asOf, docsUrl: 'https://docs.example' })
})
afterAll(() => {
  oracle.close()
})

const get = (target: string) => {
  const { status, body } = oracle.answer({ target })
  return { status, body }
}

const leaplingHead =
  '"name":"Fund LU00000ODD21","isin":"LU00000ODD21","wkn":null,"fund_inception_date":"2024-02-29"'
const leaplingUrl = '"url":"https://funds.example/LU00000ODD21"'

describe('answers', () => {
  it('gives current prices with a decimal point, and historic ones with a comma', () => {
    const recordWith = (amount: string, change: string): string =>
      `{"date":"2025-02-27","issue_price":{"name":"Ausgabepreis","value":"${amount}"},` +
      `"repurchase_price":{"name":"Rücknahmepreis","value":"${amount}"},` +
      `"net_asset_value":{"name":"Net asset value","value":"${amount}"},` +
      `"change":{"name":"Differenz zum Vortag","value":"${change}"},` +
      `"change_percent":{"name":"Differenz zum Vortag in %","value":"-1.25"},` +
      `"performance":{"name":"Wertentwicklung in % seit 31.12.2024","value":"${amount}"}}`
    expect(get('/api/v1/prices-current/lu00000odd21/')).toEqual({
      status: 200,
      body: `{"fund":{${leaplingHead},${leaplingUrl}},"prices":${recordWith('10.5', '-0.10')},"currency":"EUR"}`,
    })
    expect(get('/api/v1/prices-historic/LU00000ODD21/2025-02-27/2025-02-27/')).toEqual({
      status: 200,
      body: `{"fund":{${leaplingHead},${leaplingUrl}},"prices":[${recordWith('10,5', '-0,10')}],"currency":"EUR"}`,
    })
  })

  it('leaves out a performance that is not since the end of the year before', () => {
    const end = `"change_percent":{"name":"Differenz zum Vortag in %","value":"-1.25"}}`
    const { body: current } = get('/api/v1/prices-current/LU00000ODD39/')
    expect(current).toContain(`${end},"currency"`)
    const { body: historic } = get('/api/v1/prices-historic/LU00000ODD39/2025-02-27/2025-02-27/')
    expect(historic).toContain(`${end}],"currency"`)
    const { body: xml } = get('/api/v1/prices-current/LU00000ODD39/?format=xml')
    expect(xml).not.toContain('Wertentwicklung')
    const { body: cells } = get('/api/v1/prices-current/LU00000ODD39/?format=csv')
    expect(cells).toContain('\r\n2025-02-27,10.5,10.5,10.5,-0.10,-1.25,,EUR\r\n')
  })

  it('gives prices as CSV, with decimal points, empty cells and line endings of RFC 4180', () => {
    const columns = 'date,issue_price,repurchase_price,net_asset_value,change,change_percent,performance'
    const cells = '2025-02-27,10.5,10.5,10.5,-0.10,-1.25,10.5'
    expect(get('/api/v1/prices-current/lu00000odd21/?format=csv')).toEqual({
      status: 200,
      body: `${columns},currency\r\n${cells},EUR\r\n`,
    })
    const tax = 'intercompany_profit,share_profit,real_estate_profits,share_profit2'
    const range = (days: string) => get(`/api/v1/prices-historic/LU00000ODD21/${days}/?format=csv`)
    expect(range('2025-02-27/2025-02-27')).toEqual({
      status: 200,
      body: `${columns},${tax},currency\r\n${cells},,,,,EUR\r\n`,
    })
    expect(range('1970-01-01/1970-01-02')).toEqual({ status: 200, body: `${columns},${tax},currency\r\n` })
    const { status, body: all } = get('/api/v1/prices-current-all/?format=csv')
    expect({ status, header: all.split('\r\n')[0] }).toEqual({
      status: 200,
      header: `isin,${columns},currency`,
    })
    expect(all).toContain(`\r\nLU00000ODD21,${cells},EUR\r\n`)
  })

  it('keys the items of an XML answer by year, by position and by name', () => {
    const head =
      '<?xml version="1.0" encoding="UTF-8"?>\n<root><fund><name>Fund LU00000ODD21</name><isin>LU00000ODD21</isin><wkn/>' +
      '<fund_inception_date>2024-02-29</fund_inception_date><status_date>2025-02-27</status_date>' +
      '<url>https://funds.example/LU00000ODD21</url></fund>'
    expect(get('/api/v1/performance-years/LU00000ODD21/?format=xml')).toEqual({
      status: 200,
      body: `${head}<years><item key="2024">5.25</item></years></root>`,
    })
    expect(get('/api/v1/performance-legal/LU00000ODD21/?format=xml')).toEqual({
      status: 200,
      body: `${head}<performance><periods/><line><item key="0"><x>1733097600000</x><y>0</y></item></line><bargross/><barnet/></performance></root>`,
    })
    expect(get('/api/v2/asset-allocations/without-derivatives/LU00000ODD21/?format=xml&language=en')).toEqual(
      {
        status: 200,
        body: `${head}<allocations><item key="Shares"><item key="2024-12-31">99.5</item></item></allocations></root>`,
      },
    )
  })

  it('keeps the order of classes that are named like numbers and of their days, and splits a class whose name changes', () => {
    const { body: german } = get('/api/v2/asset-allocations/with-derivatives/LU00000ODD13/')
    expect(german).toContain(
      '"allocations":{"2020":{"2023-12-31":7,"2024-01-31":2,"2024-02-29":3},"10":{"2024-01-31":4},"Alte Klasse":{"2024-02-29":5},"Neue Klasse":{"2024-03-31":6},',
    )
    const { body: english } = get('/api/v2/asset-allocations/with-derivatives/LU00000ODD13/?language=en')
    expect(english).toContain('"Ten":{"2024-01-31":4,"2024-02-29":5},"New class":{"2024-03-31":6},')
  })

  it('writes a profile with money, months, flags, what is null and only the offers there are', () => {
    const { body } = get('/api/v1/profile/LU00000ODD21/?language=en&format=xml')
    expect(body).toContain(
      '<category/><fund_inception_date>2024-02-29</fund_inception_date><status_date>2025-02-27</status_date>' +
        '<url>https://funds.example/LU00000ODD21</url><currency>EUR</currency><fund_assets/>' +
        '<total_fund_assets>98765432109876.00 USD</total_fund_assets><end_of_fiscal_year>Dec 31</end_of_fiscal_year>' +
        '<dividend_distributions>accumulating</dividend_distributions><conformity/>' +
        '<issue_surcharge/><redemption_fee/><total_expense_ratio>1.45</total_expense_ratio>' +
        '<management_fee>0.30000000000000004</management_fee><custodian_bank_fee/><performance_fee>0</performance_fee>',
    )
    expect(body).toContain(
      '<savings_plan><possible>1</possible><minimum_investment>50.00 EUR</minimum_investment></savings_plan>' +
        '<one_time_investment><possible>0</possible></one_time_investment></fund></root>',
    )
    const { body: other } = get('/api/v1/profile/LU00000ODD13/')
    expect(other).toContain('"fund_assets":"1234567.80 EUR","total_fund_assets":"98765432109876.00 EUR"')
    expect(other).toContain('"end_of_fiscal_year":"Mrz 5"')
    expect(other).toContain('"conformity":false,"issue_surcharge":5,')
  })

  it('writes what EMT data lacks as null', () => {
    expect(get('/api/v2/emt/LU00000ODD21/').body).toContain(
      '"emt_data":{"srri":null,"ongoing_costs_date":null,',
    )
    expect(get('/api/v2/emt/LU00000ODD21/?format=xml').body).toContain(
      '<emt_data><srri/><ongoing_costs_date/>',
    )
    expect(get('/api/v2/emt/LU00000ODD13/').body).toContain('"ongoing_costs":0.000000001,')
  })
})

describe('refusals', () => {
  it.each(
    `
/api/v1/prices-current/ | 400 index noisin | No ISIN provided
/api/v2/asset-allocations/with-derivatives// | 400 index noisin | No ISIN provided
/api/v1/prices-historic/LU00000ODD21/2025-01-01/ | 400 prices wrongdate | Wrong or missing date parameters
/api/v1/prices-historic/LU00000ODD21/2023-02-29/2025-01-01/ | 400 prices wrongdate | Wrong or missing date parameters
/api/v1/investment_structure-shoes/ | 416 investment_structure wrongtype | There is no investment structure type: shoes
/api/v1/figures/LU00000ODD21/?format=x | 400 index wrongformat | Unsupported format: x
/api/v1/figures/LU00000ODD21/?format=csv | 400 index wrongformat | Unsupported format: csv
/api/v1/prices-current/?format=csv | 400 index noisin | No ISIN provided
/api/v1/figures/LU00000ODD21/?language=fr+x | 400 index wronglanguage | Unsupported language: fr x
/api/v3/ | 404 index noendpoint | There is no such endpoint: /api/v3/
/api/v3 | 404 index noendpoint | There is no such endpoint: /api/v3
/api/v1/prices-current/lu000nosuch8/ | 404 prices notfound | No current prices for the fund with ISIN: LU000NOSUCH8
/api/v1/performance-years/lu000nosuch8/ | 404 performance-years nodata | No performance data (years) for the fund: LU000NOSUCH8
/api/v2/emt/lu000nosuch8/ | 404 emt notfound | There is no fund with this ISIN: LU000NOSUCH8
/api/v2/emt/LU00000ODD47/ | 404 emt nodata | No data found for the fund with ISIN: LU00000ODD47
/api/v1/figures/LU00000ODD54/ | 403 figures noapidataforfund | It is not permitted to get data for the fund with ISIN: LU00000ODD54
/api/v1/prices-historic/LU00000ODD62/2020-01-01/2020-01-01/ | 403 prices noapidataforfund | Not permitted to get data for the fund with ISIN: LU00000ODD62
/api/v1/investment_structure-terms/LU00000ODD54/ | 404 investment_structure nodata | No investment structure data found for this fund and type: LU00000ODD54, terms
/api/v1/performance-legal/LU00000ODD70/ | 404 performance-legal nodata | No performance data (legal) found for this fund: LU00000ODD70
/api/v1/performance-launch/LU00000ODD39/ | 403 performance-launch noapidataforfund | Not permitted to get performance data for the fund with ISIN: LU00000ODD39, because the fund is not yet one year old`
      .trim()
      .split('\n')
      .map((line) => line.split(' | ')),
  )('refuses %s with %s', (target = '', error = '', title = '') => {
    const [status = '', group, slug] = error.split(' ')
    const type = `https://docs.example/v1/endpoints/${group}/#error-${status}-${slug}`
    expect(get(target)).toEqual({
      status: Number(status),
      body: JSON.stringify({ title, type, status: Number(status) }),
    })
  })

  it('shows an empty value as it was asked for', () => {
    expect(get('/api/v1/figures/LU00000ODD21/?format=').body).toContain('"Unsupported format: "')
  })

  it('redirects a path that lacks only its slash, with its query', () => {
    const path = '/api/v1/investment_structure-shoes/x'
    const query = '?a=b%20&format=q'
    const { status, headers, body } = oracle.answer({ target: path + query })
    expect({ status, headers, body }).toEqual({
      status: 308,
      headers: { location: `${path}/${query}` },
      body: '',
    })
  })

  it('refuses other methods before anything else', () => {
    const asked = { method: 'POST', target: '/nothing', accept: 'text/xml' }
    const { status, headers, body } = oracle.answer(asked)
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS' })
    expect(body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<root><title>Method not allowed: POST</title>' +
        '<type>https://docs.example/v1/endpoints/index/#error-405-wrongmethod</type><status>405</status></root>',
    )
  })

  it('shows characters that XML cannot hold as U+FFFD', () => {
    expect(get('/%00%0Da/?format=xml').body).toContain(
      '<title>There is no such endpoint: /\uFFFD&#xD;a/</title>',
    )
    expect(get('/%00%0Da/').body).toContain('"title":"There is no such endpoint: /\\u0000\\ra/"')
  })
})

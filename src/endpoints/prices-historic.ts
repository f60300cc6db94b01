import { eachFund, endpoint, fail, isoDate } from '../contract/endpoint.ts'
import { noIsin, pricesDenied } from '../contract/errors.ts'
import { fundOfPrices, fundWithoutStatus, mayGiveOutPrices } from '../contract/fund.ts'
import { currencyOfPrices, historicPrice, historicPriceRecord } from '../contract/prices.ts'
import { list, record } from '../contract/shape.ts'

export default endpoint({
  id: 'prices-historic',
  group: 'prices',
  path: '/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/',
  summary: 'Historic prices of one fund between two days, both included',
  hasLanguages: false,
  parameters: {
    isin: eachFund({ missing: 'noisin', unknown: 'nodata' }),
    datefrom: isoDate({ invalid: 'wrongdate' }),
    dateto: isoDate({ invalid: 'wrongdate' }),
  },
  errors: {
    noisin: noIsin,
    wrongdate: { status: 400, slug: 'wrongdate', title: 'Wrong or missing date parameters' },
    denied: pricesDenied,
    nodata: { status: 404, slug: 'notfound', title: 'No historic prices for the fund with ISIN: {isin}' },
  },
  reads: ['prices'],
  body: record({ fund: fundOfPrices, prices: list(historicPriceRecord), currency: currencyOfPrices }),
  series: { list: 'prices', date: 'date' },
  build({ fund, prices }) {
    if (!mayGiveOutPrices(fund)) return fail('denied')
    if (prices.length === 0) return fail('nodata')
    return { fund: fundWithoutStatus(fund), prices: prices.map(historicPrice), currency: fund.currency }
  },
})

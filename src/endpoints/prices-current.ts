import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin, pricesDenied } from '../contract/errors.ts'
import { fundOfPrices, fundWithoutStatus, mayGiveOutPrices } from '../contract/fund.ts'
import { currencyOfPrices, currentPrice, currentPriceRecord } from '../contract/prices.ts'
import { record } from '../contract/shape.ts'

export default endpoint({
  id: 'prices-current',
  group: 'prices',
  path: '/api/v1/prices-current/{isin}/',
  summary: 'Current prices of one fund',
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    denied: pricesDenied,
    nodata: { status: 404, slug: 'notfound', title: 'No current prices for the fund with ISIN: {isin}' },
  },
  reads: ['prices'],
  readsNewestPrice: true,
  body: record({ fund: fundOfPrices, prices: currentPriceRecord, currency: currencyOfPrices }),
  build({ fund, prices }) {
    if (!mayGiveOutPrices(fund)) return fail('denied')
    const newest = prices.at(-1)
    if (newest === undefined) return fail('nodata')
    return { fund: fundWithoutStatus(fund), prices: currentPrice(newest), currency: fund.currency }
  },
})

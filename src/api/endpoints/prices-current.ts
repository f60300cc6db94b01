import { allFunds, eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { fundOfPrices, fundWithoutStatus, mayGiveOutPrices } from '../contract/fund.ts'
import {
  currencyOfPrices,
  currentPrice,
  currentPriceRecord,
  pricesDenied,
  pricesGroup,
} from '../contract/prices.ts'
import { record } from '../contract/shape.ts'

const pricesCurrent = endpoint({
  id: 'prices-current',
  group: pricesGroup,
  path: '/api/v1/prices-current/{isin}/',
  name: { en: 'Current prices', de: 'Aktuelle Preise' },
  summary: { en: 'Current prices of one fund', de: 'Aktuelle Preise eines Fonds' },
  hasLanguages: false,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'nodata' }) },
  errors: {
    noisin: noIsin,
    denied: pricesDenied,
    nodata: {
      status: 404,
      slug: 'notfound',
      title: 'No current prices for the fund with ISIN: {isin}',
      when: {
        en: 'The fund has no prices, or the ISIN is unknown.',
        de: 'Der Fonds hat keine Preise, oder die ISIN ist unbekannt.',
      },
    },
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

export default pricesCurrent

export const pricesCurrentAll = allFunds(pricesCurrent, {
  id: 'prices-current-all',
  path: '/api/v1/prices-current-all/',
  summary: { en: 'Current prices of all funds', de: 'Aktuelle Preise aller Fonds' },
})

import { eachFund, endpoint, fail, isoDate } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { fundOfPrices, fundWithoutStatus, mayGiveOutPrices } from '../contract/fund.ts'
import {
  currencyOfPrices,
  historicPrice,
  historicPriceRecord,
  pricesDenied,
  pricesGroup,
} from '../contract/prices.ts'
import { list, record } from '../contract/shape.ts'

export default endpoint({
  id: 'prices-historic',
  group: pricesGroup,
  path: '/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/',
  name: { en: 'Historic prices', de: 'Historische Preise' },
  summary: {
    en: 'Historic prices of one fund in a date range',
    de: 'Historische Preise eines Fonds in einem Zeitraum',
  },
  hasLanguages: false,
  parameters: {
    isin: eachFund({ missing: 'noisin', unknown: 'nodata' }),
    datefrom: isoDate({
      invalid: 'wrongdate',
      meaning: {
        en: 'First day of the range, included',
        de: 'Erster Tag des Zeitraums, eingeschlossen',
      },
    }),
    dateto: isoDate({
      invalid: 'wrongdate',
      meaning: {
        en: 'Last day of the range, included; not before `datefrom`',
        de: 'Letzter Tag des Zeitraums, eingeschlossen; nicht vor `datefrom`',
      },
    }),
  },
  errors: {
    noisin: noIsin,
    wrongdate: {
      status: 400,
      slug: 'wrongdate',
      title: 'Wrong or missing date parameters',
      when: {
        en: 'A date is missing, does not have the form YYYY-MM-DD or does not exist, or the range ends before it begins.',
        de: 'Ein Datum fehlt, hat nicht die Form JJJJ-MM-TT oder existiert nicht, oder der Zeitraum endet vor seinem Anfang.',
      },
    },
    denied: pricesDenied,
    nodata: {
      status: 404,
      slug: 'notfound',
      title: 'No historic prices for the fund with ISIN: {isin}',
      when: {
        en: 'The fund has no prices, or the ISIN is unknown. If the fund has prices, but none in the range, the answer is a 200 with an empty list.',
        de: 'Der Fonds hat keine Preise, oder die ISIN ist unbekannt. Hat der Fonds Preise, aber keinen im Zeitraum, ist die Antwort ein 200 mit leerer Liste.',
      },
    },
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

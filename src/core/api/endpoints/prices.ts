/** Current and historic prices: endpoints 1 to 3. */

import { allFunds, endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { fundOfPrices, fundWithoutStatus, mayGiveOutPrices } from '../contract/fund.ts'
import { currentPriceRecord, historicPriceRecord, type PriceRow } from '../contract/prices.ts'
import { list, record, textLike, type ValueOf } from '../contract/shape.ts'

const group = {
  id: 'prices',
  title: { en: 'Prices', de: 'Preise' },
  lead: {
    en: 'Issue price, repurchase price and net asset value: the newest prices of one fund or of all funds, and historic prices for any date range.',
    de: 'Ausgabepreis, Rücknahmepreis und Nettoinventarwert: die neuesten Preise eines Fonds oder aller Fonds und historische Preise für jeden Zeitraum.',
  },
}

const denied = {
  status: 403,
  slug: 'noapidataforfund',
  title: 'Not permitted to get data for the fund with ISIN: {isin}',
  when: {
    en: 'The fund is known, but its prices may not be published.',
    de: 'Der Fonds ist bekannt, seine Preise sind aber nicht freigegeben.',
  },
}

const currency = textLike('Currency of all prices, ISO 4217', 'Währung aller Preise, ISO 4217', '^[A-Z]{3}$')

const csv = { records: 'prices', then: ['currency'] }

export const pricesCurrent = endpoint({
  id: 'prices-current',
  group,
  path: '/api/v1/prices-current/{isin}/',
  name: { en: 'Current prices', de: 'Aktuelle Preise' },
  summary: { en: 'Current prices of one fund', de: 'Aktuelle Preise eines Fonds' },
  hasLanguages: false,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'nodata' } },
  errors: {
    noisin: noIsin,
    denied,
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
  body: record({ fund: fundOfPrices, prices: currentPriceRecord, currency }),
  csv,
  build({ fund, prices }) {
    if (!mayGiveOutPrices(fund)) return fail('denied')
    const newest = prices.at(-1)
    if (newest === undefined) return fail('nodata')
    return { fund: fundWithoutStatus(fund), prices: currentPrice(newest), currency: fund.currency }
  },
})

export const pricesCurrentAll = allFunds(pricesCurrent, {
  id: 'prices-current-all',
  path: '/api/v1/prices-current-all/',
  summary: { en: 'Current prices of all funds', de: 'Aktuelle Preise aller Fonds' },
})

export const pricesHistoric = endpoint({
  id: 'prices-historic',
  group,
  path: '/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/',
  name: { en: 'Historic prices', de: 'Historische Preise' },
  summary: {
    en: 'Historic prices of one fund in a date range',
    de: 'Historische Preise eines Fonds in einem Zeitraum',
  },
  hasLanguages: false,
  parameters: {
    isin: { kind: 'isin', missing: 'noisin', unknown: 'nodata' },
    datefrom: {
      kind: 'date',
      invalid: 'wrongdate',
      meaning: { en: 'First day of the range, included', de: 'Erster Tag des Zeitraums, eingeschlossen' },
    },
    dateto: {
      kind: 'date',
      invalid: 'wrongdate',
      meaning: {
        en: 'Last day of the range, included; not before the first one',
        de: 'Letzter Tag des Zeitraums, eingeschlossen; nicht vor dem ersten',
      },
    },
  },
  errors: {
    noisin: noIsin,
    wrongdate: {
      status: 400,
      slug: 'wrongdate',
      title: 'Wrong or missing date parameters',
      when: {
        en: 'A date is missing, does not have the form YYYY-MM-DD or does not exist, or the range ends before it begins.',
        de: 'Ein Datum fehlt, hat nicht die Form JJJJ-MM-TT oder existiert nicht, oder das Ende des Zeitraums liegt vor seinem Anfang.',
      },
    },
    denied,
    nodata: {
      status: 404,
      slug: 'notfound',
      title: 'No historic prices for the fund with ISIN: {isin}',
      when: {
        en: 'The fund has no prices, or the ISIN is unknown. If the fund has prices, but none in the range, the response is a 200 with an empty array.',
        de: 'Der Fonds hat keine Preise, oder die ISIN ist unbekannt. Hat der Fonds Preise, aber keinen im Zeitraum, lautet die Antwort 200 mit leerer Liste.',
      },
    },
  },
  reads: ['prices'],
  body: record({ fund: fundOfPrices, prices: list(historicPriceRecord), currency }),
  series: { list: 'prices', date: 'date' },
  csv,
  build({ fund, prices }) {
    if (!mayGiveOutPrices(fund)) return fail('denied')
    if (prices.length === 0) return fail('nodata')
    return { fund: fundWithoutStatus(fund), prices: prices.map(historicPrice), currency: fund.currency }
  },
})

function currentPrice(row: PriceRow): ValueOf<typeof currentPriceRecord> {
  return {
    date: row.date,
    issue_price: row.issuePrice,
    repurchase_price: row.repurchasePrice,
    net_asset_value: row.netAssetValue,
    change: row.change,
    change_percent: row.changePercent,
    performance: performanceOf(row, row.performance),
  }
}

function historicPrice(row: PriceRow): ValueOf<typeof historicPriceRecord> {
  return {
    date: row.date,
    issue_price: comma(row.issuePrice),
    repurchase_price: comma(row.repurchasePrice),
    net_asset_value: comma(row.netAssetValue),
    change: comma(row.change),
    change_percent: row.changePercent,
    performance: performanceOf(row, orAbsent(row.performance)),
    intercompany_profit: orAbsent(row.intercompanyProfit),
    share_profit: orAbsent(row.shareProfit),
    real_estate_profits: orAbsent(row.realEstateProfits),
    share_profit2: orAbsent(row.shareProfit2),
  }
}

const orAbsent = (value: string | null) => (value === null ? undefined : comma(value))

/** Absent without a value: its name promises the day that it is counted from. */
const performanceOf = ({ date }: PriceRow, value: string | null | undefined) =>
  typeof value === 'string'
    ? { name: `Wertentwicklung in % seit 31.12.${Number(date.slice(0, 4)) - 1}`, value }
    : undefined

const comma = (value: string) => value.replace('.', ',')

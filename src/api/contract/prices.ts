/** Price records, current and historic. Source: the interface, "Price record". */

import type { EndpointGroup, ErrorRow } from './errors.ts'
import { day, decimal, item, optional, record, text, type ValueOf } from './shape.ts'

/** Endpoints 1, 2, 3. */
export const pricesGroup: EndpointGroup = {
  id: 'prices',
  title: { en: 'Prices', de: 'Preise' },
  lead: {
    en: 'Issue price, repurchase price and net asset value: the newest prices of one fund or of all funds, and historic prices for any date range.',
    de: 'Ausgabepreis, Rücknahmepreis und Nettoinventarwert: die neuesten Preise eines Fonds oder aller Fonds und historische Preise für jeden Zeitraum.',
  },
}

/** Endpoints 1, 2, 3. */
export const pricesDenied: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title: 'Not permitted to get data for the fund with ISIN: {isin}',
  when: {
    en: 'The fund is known, but its prices may not be published.',
    de: 'Der Fonds ist bekannt, seine Preise sind aber nicht freigegeben.',
  },
}

export const currencyOfPrices = text('Currency of all prices, ISO 4217', 'Währung aller Preise, ISO 4217')

const commonItems = (mark: '.' | ',') => ({
  date: day('Date of the prices', 'Datum der Preise'),
  issue_price: item('Ausgabepreis', decimal('Issue price', 'Ausgabepreis', mark)),
  repurchase_price: item('Rücknahmepreis', decimal('Repurchase price', 'Rücknahmepreis', mark)),
  net_asset_value: item(
    'Net asset value',
    decimal('Net asset value (NAV) of one share', 'Nettoinventarwert (NAV) eines Anteils', mark),
  ),
  change: item(
    'Differenz zum Vortag',
    decimal('Change against the previous day', 'Differenz zum Vortag', mark),
  ),
  // The one value of historic prices with a point.
  change_percent: item(
    'Differenz zum Vortag in %',
    decimal('Change against the previous day, percent', 'Differenz zum Vortag in Prozent'),
  ),
  performance: record({
    name: text(
      'Display name; carries the year that the performance is counted from',
      'Anzeigename; nennt das Jahr, seit dessen Ende gerechnet wird',
    ),
    value: decimal(
      'Performance since the end of the previous year, percent',
      'Wertentwicklung seit dem Ende des Vorjahres in Prozent',
      mark,
    ),
  }),
})

/** Values carry a decimal point. */
export const currentPriceRecord = record(commonItems('.'))

/** Values carry a decimal comma, change_percent a point. Tax figures are left out where the fund has none. */
export const historicPriceRecord = record({
  ...commonItems(','),
  intercompany_profit: optional(
    item('Zwischengewinn', decimal('Interim profit (tax figure)', 'Zwischengewinn (Steuerkennzahl)', ',')),
  ),
  share_profit: optional(
    item('Aktiengewinn', decimal('Share profit (tax figure)', 'Aktiengewinn (Steuerkennzahl)', ',')),
  ),
  real_estate_profits: optional(
    item(
      'Immobiliengewinn',
      decimal('Real estate profit (tax figure)', 'Immobiliengewinn (Steuerkennzahl)', ','),
    ),
  ),
  share_profit2: optional(
    item(
      'Aktiengewinn 2',
      decimal('Second share profit (tax figure)', 'Zweiter Aktiengewinn (Steuerkennzahl)', ','),
    ),
  ),
})

/** A row of table price: the fields of the record in camelCase, decimals as they were delivered; null is an optional one. */
export type PriceRow = {
  readonly [F in keyof HistoricFields as CamelCase<F>]: HistoricFields[F] extends {
    readonly kind: 'optional'
  }
    ? string | null
    : string
}
type HistoricFields = (typeof historicPriceRecord)['fields']
type CamelCase<Name extends string> = Name extends `${infer Start}_${infer End}`
  ? `${Start}${Capitalize<CamelCase<End>>}`
  : Name

export function currentPrice(row: PriceRow): ValueOf<typeof currentPriceRecord> {
  return {
    date: row.date,
    issue_price: row.issuePrice,
    repurchase_price: row.repurchasePrice,
    net_asset_value: row.netAssetValue,
    change: row.change,
    change_percent: row.changePercent,
    performance: { name: performanceName(row), value: row.performance },
  }
}

export function historicPrice(row: PriceRow): ValueOf<typeof historicPriceRecord> {
  return {
    date: row.date,
    issue_price: comma(row.issuePrice),
    repurchase_price: comma(row.repurchasePrice),
    net_asset_value: comma(row.netAssetValue),
    change: comma(row.change),
    change_percent: row.changePercent,
    performance: { name: performanceName(row), value: comma(row.performance) },
    intercompany_profit: taxFigure(row.intercompanyProfit),
    share_profit: taxFigure(row.shareProfit),
    real_estate_profits: taxFigure(row.realEstateProfits),
    share_profit2: taxFigure(row.shareProfit2),
  }
}

const taxFigure = (value: string | null) => (value === null ? undefined : comma(value))

const performanceName = (row: PriceRow) =>
  `Wertentwicklung in % seit 31.12.${Number(row.date.slice(0, 4)) - 1}`

const comma = (value: string) => value.replace('.', ',')

/** Price records, current and historic. Source: the interface, "Price record"; names.md. */

import type { PriceRow } from './rows.ts'
import { day, decimal, item, optional, record, text, type ValueOf } from './shape.ts'

export const currencyOfPrices = text('Currency of all prices, ISO 4217')

const commonItems = (mark: '.' | ',') => ({
  date: day('Date of the prices'),
  issue_price: item('Ausgabepreis', decimal('Issue price', mark)),
  repurchase_price: item('Rücknahmepreis', decimal('Repurchase price', mark)),
  net_asset_value: item('Net asset value', decimal('Net asset value (NAV) of one share', mark)),
  change: item('Differenz zum Vortag', decimal('Change against the previous day', mark)),
  // The one value of historic prices with a point.
  change_percent: item('Differenz zum Vortag in %', decimal('Change against the previous day, percent')),
  performance: record({
    name: text('Display name; carries the year that the performance is counted from'),
    value: decimal('Performance since the end of the previous year, percent', mark),
  }),
})

/** Values carry a decimal point. */
export const currentPriceRecord = record(commonItems('.'))

/** Values carry a decimal comma, change_percent a point. Tax figures are left out where the fund has none. */
export const historicPriceRecord = record({
  ...commonItems(','),
  intercompany_profit: optional(item('Zwischengewinn', decimal('Interim profit (tax figure)', ','))),
  share_profit: optional(item('Aktiengewinn', decimal('Share profit (tax figure)', ','))),
  real_estate_profits: optional(item('Immobiliengewinn', decimal('Real estate profit (tax figure)', ','))),
  share_profit2: optional(item('Aktiengewinn 2', decimal('Second share profit (tax figure)', ','))),
})

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

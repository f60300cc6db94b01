/** Price records, current and historic. Source: the interface, "Price record"; names.md. */

import type { PriceRow } from './rows.ts'
import { day, decimal, optional, record, text, type ValueOf } from './shape.ts'

export const currencyOfPrices = text('Currency of all prices, ISO 4217')

const item = (description: string) => record({ name: text('German display name'), value: decimal(description) })

const commonItems = {
  date: day('Date of the prices'),
  issue_price: item('Issue price'),
  repurchase_price: item('Repurchase price'),
  net_asset_value: item('Net asset value (NAV) of one share'),
  change: item('Change against the previous day'),
  change_percent: item('Change against the previous day, percent'),
  performance: item('Performance since the end of the previous year, percent; the name carries that year'),
}

/** Values carry a decimal point. */
export const currentPriceRecord = record(commonItems)

/** Values carry a decimal comma, change_percent a point. Tax figures are left out where the fund has none. */
export const historicPriceRecord = record({
  ...commonItems,
  intercompany_profit: optional(item('Interim profit (tax figure)')),
  share_profit: optional(item('Share profit (tax figure)')),
  real_estate_profits: optional(item('Real estate profit (tax figure)')),
  share_profit2: optional(item('Second share profit (tax figure)')),
})

export function currentPrice(row: PriceRow): ValueOf<typeof currentPriceRecord> {
  return {
    date: row.date,
    issue_price: { name: 'Ausgabepreis', value: row.issuePrice },
    repurchase_price: { name: 'Rücknahmepreis', value: row.repurchasePrice },
    net_asset_value: { name: 'Net asset value', value: row.netAssetValue },
    change: { name: 'Differenz zum Vortag', value: row.change },
    change_percent: { name: 'Differenz zum Vortag in %', value: row.changePercent },
    performance: { name: performanceName(row), value: row.performance },
  }
}

export function historicPrice(row: PriceRow): ValueOf<typeof historicPriceRecord> {
  return {
    date: row.date,
    issue_price: { name: 'Ausgabepreis', value: comma(row.issuePrice) },
    repurchase_price: { name: 'Rücknahmepreis', value: comma(row.repurchasePrice) },
    net_asset_value: { name: 'Net asset value', value: comma(row.netAssetValue) },
    change: { name: 'Differenz zum Vortag', value: comma(row.change) },
    change_percent: { name: 'Differenz zum Vortag in %', value: row.changePercent },
    performance: { name: performanceName(row), value: comma(row.performance) },
    intercompany_profit: taxFigure('Zwischengewinn', row.intercompanyProfit),
    share_profit: taxFigure('Aktiengewinn', row.shareProfit),
    real_estate_profits: taxFigure('Immobiliengewinn', row.realEstateProfits),
    share_profit2: taxFigure('Aktiengewinn 2', row.shareProfit2),
  }
}

const taxFigure = (name: string, value: string | null) => (value === null ? undefined : { name, value: comma(value) })

const performanceName = (row: PriceRow) => `Wertentwicklung in % seit 31.12.${Number(row.date.slice(0, 4)) - 1}`

const comma = (value: string) => value.replace('.', ',')

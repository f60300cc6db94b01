/** Endpoints 1 to 3: current prices of one fund and of all, historic prices of a range. */
import { type Branch, fundsTree, listTree, recordTree } from './document.ts'
import { type OracleFund, type OracleFunds, fundTree } from './funds.ts'
import { type OracleProblem, problems } from './problems.ts'

interface PriceRow {
  readonly date: string
  readonly issue_price: string
  readonly repurchase_price: string
  readonly net_asset_value: string
  readonly change: string
  readonly change_percent: string
  readonly performance: string
  readonly intercompany_profit: string | null
  readonly share_profit: string | null
  readonly real_estate_profits: string | null
  readonly share_profit2: string | null
}

export function currentPrices(funds: OracleFunds, isin: string): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined) return problems.noPrices(isin, 'current')
  if (!mayShowPrices(fund)) return problems.pricesDenied(isin)
  return currentDocument(funds, fund) ?? problems.noPrices(isin, 'current')
}

export function currentPricesOfAll(funds: OracleFunds): Branch {
  const entries: [string, Branch][] = []
  for (const fund of funds.all()) {
    const document = mayShowPrices(fund) ? currentDocument(funds, fund) : undefined
    if (document !== undefined) entries.push([fund.isin, document])
  }
  return recordTree({ funds: fundsTree(entries) })
}

export function historicPrices(
  funds: OracleFunds,
  isin: string,
  from: string,
  to: string,
): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined) return problems.noPrices(isin, 'historic')
  if (!mayShowPrices(fund)) return problems.pricesDenied(isin)
  const [first] = funds.select('SELECT 1 FROM price WHERE isin = ? LIMIT 1', isin)
  if (first === undefined) return problems.noPrices(isin, 'historic')
  const rows = funds.select<PriceRow>(
    'SELECT * FROM price WHERE isin = ? AND date BETWEEN ? AND ? ORDER BY date',
    isin,
    from,
    to,
  )
  return recordTree({
    fund: fundTree(fund, 'without status date'),
    prices: listTree(rows.map(historicRecord)),
    currency: fund.currency,
  })
}

function mayShowPrices(fund: OracleFund): boolean {
  return fund.data_permitted === 1 && fund.prices_permitted === 1
}

function currentDocument(funds: OracleFunds, fund: OracleFund): Branch | undefined {
  const [row] = funds.select<PriceRow>(
    'SELECT * FROM price WHERE isin = ? ORDER BY date DESC LIMIT 1',
    fund.isin,
  )
  if (row === undefined) return undefined
  return recordTree({
    fund: fundTree(fund, 'without status date'),
    prices: recordTree({
      date: row.date,
      issue_price: item('Ausgabepreis', row.issue_price),
      repurchase_price: item('Rücknahmepreis', row.repurchase_price),
      net_asset_value: item('Net asset value', row.net_asset_value),
      change: item('Differenz zum Vortag', row.change),
      change_percent: item('Differenz zum Vortag in %', row.change_percent),
      performance: item(performanceName(row.date), row.performance),
    }),
    currency: fund.currency,
  })
}

/** Like the current record, with decimal commas (not in change_percent) and with tax figures. */
function historicRecord(row: PriceRow): Branch {
  return recordTree({
    date: row.date,
    issue_price: item('Ausgabepreis', comma(row.issue_price)),
    repurchase_price: item('Rücknahmepreis', comma(row.repurchase_price)),
    net_asset_value: item('Net asset value', comma(row.net_asset_value)),
    change: item('Differenz zum Vortag', comma(row.change)),
    change_percent: item('Differenz zum Vortag in %', row.change_percent),
    performance: item(performanceName(row.date), comma(row.performance)),
    intercompany_profit: taxFigure('Zwischengewinn', row.intercompany_profit),
    share_profit: taxFigure('Aktiengewinn', row.share_profit),
    real_estate_profits: taxFigure('Immobiliengewinn', row.real_estate_profits),
    share_profit2: taxFigure('Aktiengewinn 2', row.share_profit2),
  })
}

function item(name: string, value: string): Branch {
  return recordTree({ name, value })
}

function taxFigure(name: string, value: string | null): Branch | undefined {
  return value === null ? undefined : item(name, comma(value))
}

function comma(value: string): string {
  return value.replace('.', ',')
}

function performanceName(date: string): string {
  return `Wertentwicklung in % seit 31.12.${Number(date.slice(0, 4)) - 1}`
}

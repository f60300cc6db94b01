/** Endpoints 1 to 3: current prices of one fund and of all, historic prices of a range. */
import type { Branch, Table } from './document.ts'
import { type OracleFund, type OracleFunds, type Question, fundTree } from './funds.ts'
import { problems } from './problems.ts'

type AmountColumn = 'issue_price' | 'repurchase_price' | 'net_asset_value' | 'change'
type TaxColumn = 'intercompany_profit' | 'share_profit' | 'real_estate_profits' | 'share_profit2'
type PriceRow = Readonly<
  Record<AmountColumn | 'date' | 'change_percent', string> & Record<TaxColumn | 'performance', string | null>
>

export function currentPrices(question: Question): Branch {
  const document = currentDocument(question.funds, pricedFund(question, 'current'))
  if (document === undefined) throw problems.noPrices(question.isin, 'current')
  return document
}

export function currentPricesOfAll({ funds }: Question): Branch {
  const shown = funds.all().filter(mayShowPrices)
  return { funds: Object.fromEntries(shown.map((fund) => [fund.isin, currentDocument(funds, fund)])) }
}

export function historicPrices(question: Question): Branch {
  const { funds, isin, from, to } = question
  const fund = pricedFund(question, 'historic')
  const [any] = funds.select('SELECT 1 FROM price WHERE isin = ? LIMIT 1', isin)
  if (any === undefined) throw problems.noPrices(isin, 'historic')
  const inRange = 'SELECT * FROM price WHERE isin = ? AND date BETWEEN ? AND ? ORDER BY date'
  const prices = funds.select<PriceRow>(inRange, isin, from, to).map(historicRecord)
  return { fund: fundTree(fund, 'without status date'), prices, currency: fund.currency }
}

const commonColumns =
  'date issue_price repurchase_price net_asset_value change change_percent performance'.split(' ')
const taxColumns = 'intercompany_profit share_profit real_estate_profits share_profit2'.split(' ')

export function currentPricesTable(question: Question): Table {
  currentPrices(question)
  const columns = [...commonColumns, 'currency']
  return [columns, ...newestWith(question.funds, columns, question.isin)]
}

export function currentPricesTableOfAll({ funds }: Question): Table {
  const columns = ['isin', ...commonColumns, 'currency']
  const shown = funds.all().filter(mayShowPrices)
  return [columns, ...shown.flatMap(({ isin }) => newestWith(funds, columns, isin))]
}

export function historicPricesTable(question: Question): Table {
  historicPrices(question)
  const { funds, isin, from, to } = question
  const columns = [...commonColumns, ...taxColumns, 'currency']
  return [
    columns,
    ...cellsOf(funds, columns, 'isin = ? AND date BETWEEN ? AND ? ORDER BY date', isin, from, to),
  ]
}

const newestWith = (funds: OracleFunds, columns: readonly string[], isin: string): Table =>
  cellsOf(funds, columns, 'isin = ? ORDER BY date DESC LIMIT 1', isin)

/** Prices with the currency of their fund. NULL is an empty cell. */
const cellsOf = (
  funds: OracleFunds,
  columns: readonly string[],
  which: string,
  ...parameters: readonly string[]
): Table =>
  funds
    .select<Readonly<Record<string, string | null>>>(
      `SELECT * FROM price JOIN (SELECT isin, currency FROM fund) USING (isin) WHERE ${which}`,
      ...parameters,
    )
    .map((row) => columns.map((column) => row[column] ?? ''))

function pricedFund({ fund, isin }: Question, which: 'current' | 'historic'): OracleFund {
  if (fund === undefined) throw problems.noPrices(isin, which)
  if (!mayShowPrices(fund)) throw problems.pricesDenied(isin)
  return fund
}

const mayShowPrices = (fund: OracleFund): boolean => fund.data_permitted === 1 && fund.prices_permitted === 1

function currentDocument(funds: OracleFunds, fund: OracleFund): Branch | undefined {
  const latest = 'SELECT * FROM price WHERE isin = ? ORDER BY date DESC LIMIT 1'
  const [row] = funds.select<PriceRow>(latest, fund.isin)
  if (row === undefined) return undefined
  const prices = record(row, (amount) => amount)
  return { fund: fundTree(fund, 'without status date'), prices, currency: fund.currency }
}

/** The current record with decimal commas (not in change_percent) and with tax figures. */
function historicRecord(row: PriceRow): Branch {
  const taxFigure = (name: string, column: TaxColumn) => {
    const value = row[column]
    return value === null ? undefined : { name, value: comma(value) }
  }
  return {
    ...record(row, comma),
    intercompany_profit: taxFigure('Zwischengewinn', 'intercompany_profit'),
    share_profit: taxFigure('Aktiengewinn', 'share_profit'),
    real_estate_profits: taxFigure('Immobiliengewinn', 'real_estate_profits'),
    share_profit2: taxFigure('Aktiengewinn 2', 'share_profit2'),
  }
}

function record(row: PriceRow, written: (amount: string) => string): Branch {
  const item = (name: string, column: AmountColumn) => ({ name, value: written(row[column]) })
  const yearBefore = Number(row.date.slice(0, 4)) - 1
  return {
    date: row.date,
    issue_price: item('Ausgabepreis', 'issue_price'),
    repurchase_price: item('Rücknahmepreis', 'repurchase_price'),
    net_asset_value: item('Net asset value', 'net_asset_value'),
    change: item('Differenz zum Vortag', 'change'),
    change_percent: { name: 'Differenz zum Vortag in %', value: row.change_percent },
    // Without a value there is no item: its name would promise a day.
    performance:
      row.performance === null
        ? undefined
        : { name: `Wertentwicklung in % seit 31.12.${yearBefore}`, value: written(row.performance) },
  }
}

const comma = (value: string): string => value.replace('.', ',')

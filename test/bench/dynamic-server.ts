/**
 * What the edge is measured against: a server of the kind that is run for such an API today. Node, better-sqlite3,
 * prepared statements, one query a request, JSON only. Prints its address.
 */

import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { listen } from '../support/request.ts'

type Row = Readonly<Record<string, string | null>>

const [file = ''] = process.argv.slice(2)
const db = new Database(file, { readonly: true })
const columns = 'price.*, wkn, name, fund_inception_date, url, currency'
const newest = db.prepare<[string], Row>(
  `SELECT ${columns} FROM price JOIN fund USING (isin) WHERE isin = ? ORDER BY date DESC LIMIT 1`,
)
const between = db.prepare<[string, string, string], Row>(
  `SELECT ${columns} FROM price JOIN fund USING (isin) WHERE isin = ? AND date BETWEEN ? AND ? ORDER BY date`,
)

const item = (name: string, value: string | null | undefined) => ({ name, value })
const comma = (value: string | null | undefined) => value?.replace('.', ',')
const taxItem = (name: string, value: string | null | undefined) =>
  value === null ? undefined : item(name, comma(value))
const asIs = (value: string | null | undefined) => value ?? undefined

function priceRecord(row: Row, number: typeof comma) {
  const year = Number(row['date']?.slice(0, 4)) - 1
  return {
    date: row['date'],
    issue_price: item('Ausgabepreis', number(row['issue_price'])),
    repurchase_price: item('Rücknahmepreis', number(row['repurchase_price'])),
    net_asset_value: item('Net asset value', number(row['net_asset_value'])),
    change: item('Differenz zum Vortag', number(row['change'])),
    change_percent: item('Differenz zum Vortag in %', row['change_percent']),
    performance: item(`Wertentwicklung in % seit 31.12.${year}`, number(row['performance'])),
  }
}

const historicRecord = (row: Row) => ({
  ...priceRecord(row, comma),
  intercompany_profit: taxItem('Zwischengewinn', row['intercompany_profit']),
  share_profit: taxItem('Aktiengewinn', row['share_profit']),
  real_estate_profits: taxItem('Immobiliengewinn', row['real_estate_profits']),
  share_profit2: taxItem('Aktiengewinn 2', row['share_profit2']),
})

function fundOf({ name, isin, wkn, fund_inception_date, url }: Row) {
  return { name, isin, wkn, fund_inception_date, url }
}

function answer(path: string): object | undefined {
  const [, , , endpoint, isin = '', from = '', to = ''] = path.split('/')
  const isCurrent = endpoint === 'prices-current'
  const rows = isCurrent ? newest.all(isin) : between.all(isin, from, to)
  const [row] = rows
  if (row === undefined) return undefined
  const prices = isCurrent ? priceRecord(row, asIs) : rows.map(historicRecord)
  return { fund: fundOf(row), prices, currency: row['currency'] }
}

const server = createServer((request, response) => {
  const body = answer(request.url ?? '')
  const text = JSON.stringify(body ?? { title: 'Not found', status: 404 })
  response.writeHead(body === undefined ? 404 : 200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
})
process.stdout.write((await listen(server)).base)

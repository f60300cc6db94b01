/**
 * What the edge is measured against: a server of the kind that is run for such an API today. Node, better-sqlite3,
 * prepared statements, one query a request, JSON only. Prints its address.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'

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

const fundOf = ({ name, isin, wkn, fund_inception_date, url }: Row) => ({
  name,
  isin,
  wkn,
  fund_inception_date,
  url,
})

function answer(path: string): object | undefined {
  const [, , , endpoint, isin = '', from = '', to = ''] = path.split('/')
  if (endpoint === 'prices-current') {
    const row = newest.get(isin)
    return row && { fund: fundOf(row), prices: priceRecord(row, asIs), currency: row['currency'] }
  }
  const rows = between.all(isin, from, to)
  const [row] = rows
  return row && { fund: fundOf(row), prices: rows.map(historicRecord), currency: row['currency'] }
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
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

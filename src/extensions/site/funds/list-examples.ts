import type { ExampleSource } from '../../../core/api/contract/page.ts'
import { fundList } from './list.ts'

/** This snapshot's own list of funds; for the lists of a fund made-up figures. */
export function exampleLists(source: ExampleSource) {
  const { isin, currency, newest } = source.fund
  const date = newest?.date ?? source.asOf
  const distribution = {
    ex_date: date,
    amount: '1.20',
    currency,
    reinvested_on: date,
    net_asset_value: newest?.nav ?? '100.00',
  }
  const document = {
    kind: 'kid',
    language: 'en',
    date,
    title: 'Key information document',
    url: `https://www.example.com/${isin}/kid-en.pdf`,
  }
  return {
    'fund-list': fundList(source),
    distributions: { isin, currency, distributions: [distribution], splits: [] },
    documents: { isin, documents: [document] },
  }
}

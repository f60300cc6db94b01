/** The lists of one fund: its distributions and splits, and the documents about it. */

import { listShapes } from '../../../core/api/contract/list-shapes.ts'
import type { Page } from '../../../core/api/contract/page.ts'
import type { ValueOf } from '../../../core/api/contract/shape.ts'
import { csvEncoder } from '../../../core/api/encode/csv.ts'
import { isoOf } from '../../../core/system/day-number.ts'
import { distributionKeys, documentsKey } from '../../../core/layout/layout.ts'
import type { FundFacts } from './facts.ts'
import { papersOf } from './papers.ts'

const { distributions: shape } = listShapes
const csv = csvEncoder(shape, { records: 'distributions', then: [] })

export function fundLists({ fund, actions, documents }: FundFacts): readonly Page[] {
  const { isin, currency } = fund
  const paid: ValueOf<typeof shape> = {
    isin,
    currency,
    distributions: actions.distributions.map(({ exDay, amount, reinvested }) => ({
      ex_date: isoOf(exDay),
      amount,
      currency,
      reinvested_on: reinvested && isoOf(reinvested.day),
      net_asset_value: reinvested?.nav ?? null,
    })),
    splits: actions.splits.map(({ exDay, factor }) => ({ ex_date: isoOf(exDay), factor })),
  }
  const papers: ValueOf<typeof listShapes.documents> = {
    isin,
    documents: papersOf(documents).map(({ countries, ...paper }) =>
      countries.length === 0 ? paper : { ...paper, countries },
    ),
  }
  const keys = distributionKeys(isin)
  return [
    { key: keys.csv, content: csv.document(paid) },
    { key: keys.json, content: JSON.stringify(paid) },
    { key: documentsKey(isin), content: JSON.stringify(papers) },
  ]
}

import type { ExampleSource } from '../../core/api/contract/page.ts'
import { countsOf, describeChanges } from './words.ts'

/** Made-up changes of a day, in the form of the published lists. */
export function exampleChanges({ asOf, snapshot, funds, fund }: ExampleSource) {
  const { isin, name, newest } = fund
  const date = newest?.date ?? asOf
  const correction = { isin, name, date, item: 'net_asset_value', before: '101.20', after: '101.25' }
  const counts = { added: 0, removed: 0, changed: 2 }
  const ofDay = { as_of: asOf, snapshot, before: { as_of: asOf, snapshot: `${asOf}-08d2b1c7e6f5` } }
  const day = {
    format: 1,
    ...ofDay,
    funds: {
      total: funds.length,
      overdue: 0,
      stale: 0,
      held_back: 0,
      added: [],
      removed: [],
      renamed: [],
      ending: [],
      suspended: [],
    },
    documents: counts,
    endpoints: [{ endpoint: 'prices-historic', ...counts }],
    prices: {
      counts: { corrected: 1, added: 0, removed: 0 },
      totals: { funds_with_new: 0, corrected_prices: 1, corrected_funds: 1 },
      corrected: [correction],
      added: [],
      removed: [],
    },
    other_data: {
      values: 1,
      funds: 1,
      changed: [{ isin, name, table: 'profiles', item: 'management_fee', before: '1.2', after: '1.1' }],
    },
    not_compared: [],
    publish: 1,
    published: `${asOf}T03:17:00Z`,
  }
  const told = {
    ...ofDay,
    ...describeChanges(day, 'en'),
    de: describeChanges(day, 'de'),
    counts: countsOf(day),
    publish: 1,
    published: `${asOf}T03:17:00Z`,
  }
  const file = { file: `${asOf}.json`, sha256: '3f9c2ab4d1e0'.repeat(6).slice(0, 64), bytes: 1024 }
  return {
    changes: { format: 1, nights: [{ ...told, earlier: [], ...file }] },
    'changes-of-day': { ...day, earlier: [] },
  }
}

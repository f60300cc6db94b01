/** What two snapshots hold of each fund, compared by their statistics: names, and data other than prices. Pure. */

import type { ChangedData, RenamedFund } from '../../api/contract/changes.ts'
import {
  type FundStatistics,
  parseStatistics,
  parseTable,
  type Slice,
  type Statistics,
  type Summary,
} from '../../guards/statistics.ts'

/**
 * The tables that readers are told of, by their names in the database, with those in the downloads. Prices have lists of their
 * own, and performance and key figures follow them.
 */
const toldTables: ReadonlyMap<string, string> = new Map([
  ['fund', 'funds'],
  ['profile', 'profiles'],
  ['emt', 'emt'],
  ['document', 'documents'],
  ['corporate_action', 'distributions'],
  ['structure_item', 'structures'],
  ['asset_allocation', 'allocations'],
])

/** They change with the days, or answers of the API say them. */
const untoldColumns: ReadonlySet<string> = new Set([
  'fund.status_date',
  'fund.data_permitted',
  'fund.prices_permitted',
  'fund.performance_permitted',
  'profile.fund_assets',
  'profile.total_fund_assets',
])

type Both<T> = Readonly<Record<'before' | 'after', T>>

export interface FundComparison {
  /** Of all funds, by ISIN. */
  readonly names: Both<ReadonlyMap<string, string>>
  readonly renamed: readonly RenamedFund[]
  /** By ISIN. */
  readonly data: readonly ChangedData[]
  /** The currency that a fund has now, ISO 4217; null if it is not known. */
  readonly currencyOf: (isin: string) => string | null
}

/** @param texts of `statistics.ndjson` @returns null if one has another format @throws {Error} if one is no such file */
export function compareFunds(texts: Both<string>): FundComparison | null {
  const before = parseStatistics(texts.before)
  const after = parseStatistics(texts.after)
  if (before === null || after === null) return null
  const renamed: RenamedFund[] = []
  const data: ChangedData[] = []
  for (const [isin, is] of after.funds) {
    const was = before.funds.get(isin)
    if (was === undefined) continue
    const { name } = is
    if (was.name !== name) renamed.push({ isin, before: was.name, after: name })
    for (const change of changesOf({ before: was, after: is }, { before, after }))
      data.push({ isin, name, ...change })
  }
  return {
    names: { before: namesOf(before), after: namesOf(after) },
    renamed,
    data,
    currencyOf: (isin) => currencyOf(isin, after),
  }
}

const namesOf = ({ funds }: Statistics) =>
  new Map([...funds].map(([isin, { name }]) => [isin, name] as const))

function currencyOf(isin: string, { columns, funds }: Statistics): string | null {
  const at = columns['fund']?.indexOf('currency') ?? -1
  const row = parseTable(funds.get(isin)?.lines.get('fund'))?.slices[0]
  const [, currency = null] = /\|~([A-Z]{3})$/.exec(row?.summaries[at] ?? '') ?? []
  return currency
}

type DataChange = Omit<ChangedData, 'isin' | 'name'>

/** Tables that may be given out in one of them only are not compared. */
function changesOf(
  { before, after }: Both<FundStatistics>,
  statistics: Both<Statistics>,
): readonly DataChange[] {
  return [...toldTables].flatMap(([name, table]) => {
    const lines = { before: before.lines.get(name), after: after.lines.get(name) }
    if (lines.before === lines.after) return []
    const was = parseTable(lines.before)?.slices
    const is = parseTable(lines.after)?.slices
    if (was === undefined || is === undefined) return []
    const [old] = was
    const [fresh] = is
    // The row of a table with one row has no name.
    const isRow = old?.name === '' && fresh?.name === ''
    return isRow
      ? changedColumns({ before: old, after: fresh }, statistics, name).map((change) => ({
          table,
          ...change,
        }))
      : changedKinds({ before: was, after: is }).map((change) => ({ table, ...change }))
  })
}

function changedColumns(slices: Both<Slice>, statistics: Both<Statistics>, table: string) {
  const summaryOf = (when: keyof Both<unknown>, column: string) =>
    slices[when].summaries[statistics[when].columns[table]?.indexOf(column) ?? -1]
  return (statistics.after.columns[table] ?? []).flatMap((item) => {
    const before = summaryOf('before', item)
    const after = summaryOf('after', item)
    // Another version may have other columns.
    if (before === undefined || after === undefined || before === after) return []
    if (untoldColumns.has(`${table}.${item}`)) return []
    return [{ item, ...valueIn('before', before), ...valueIn('after', after) }]
  })
}

/** @returns nothing of a long text, of which only a digest is known */
function valueIn(when: keyof Both<unknown>, summary: Summary): Partial<Both<string | null>> {
  const [count] = summary.split('|')
  if (count === '0') return { [when]: null }
  const [, value] = /\|~(.*)$/.exec(summary) ?? []
  return value === undefined ? {} : { [when]: value }
}

/** Kinds of rows that differ, with the newest day of each if that is another one; null where rows have no kind. */
function changedKinds(slices: Both<readonly Slice[]>): readonly Omit<DataChange, 'table'>[] {
  const texts = { before: new Set(slices.before.map(textOf)), after: new Set(slices.after.map(textOf)) }
  const differing = [
    ...slices.before.filter((slice) => !texts.after.has(textOf(slice))),
    ...slices.after.filter((slice) => !texts.before.has(textOf(slice))),
  ]
  const kinds = [...new Set(differing.map(kindOf))].sort()
  return kinds.map((item) => {
    const newest = (some: readonly Slice[]) =>
      some.filter((slice) => kindOf(slice) === item).reduce((last, { day }) => (day > last ? day : last), '')
    const before = newest(slices.before)
    const after = newest(slices.after)
    return before === after ? { item } : { item, before: before || null, after: after || null }
  })
}

const textOf = ({ name, day, summaries }: Slice) => JSON.stringify([name, day, ...summaries])

/** The second row of a kind is `kid (2)`, and a structure is `type countries`; an allocation is with or without derivatives. */
function kindOf({ name }: Slice): string | null {
  const kind = name.replace(/ \(\d+\)$/, '').replace(/^type /, '')
  return kind === '' || kind.startsWith('derivatives ') ? null : kind
}

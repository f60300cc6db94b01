/** What two snapshots hold of each fund, compared by their statistics: names, and data other than prices. Pure. */

import type {
  ChangedData,
  EndingFund,
  NamedFund,
  RenamedFund,
  SuspendedFund,
} from '../../api/contract/changes.ts'
import {
  type FundEnd,
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
export const toldTables: ReadonlyMap<string, string> = new Map([
  ['fund', 'funds'],
  ['profile', 'profiles'],
  ['emt', 'emt'],
  ['document', 'documents'],
  ['corporate_action', 'distributions'],
  ['structure_item', 'structures'],
  ['asset_allocation', 'allocations'],
])

/** They change with the days, answers of the API say them, or the end or the suspension of the fund does. */
export const untoldColumns: ReadonlySet<string> = new Set([
  'fund.status_date',
  'fund.data_permitted',
  'fund.prices_permitted',
  'fund.performance_permitted',
  'fund.end_date',
  'fund.end_reason',
  'fund.suspended_from',
  'fund.suspended_to',
  'profile.fund_assets',
  'profile.total_fund_assets',
])

type Both<T> = Readonly<Record<'before' | 'after', T>>

export interface FundComparison {
  /** Of all funds, by ISIN. */
  readonly names: Both<ReadonlyMap<string, string>>
  readonly renamed: readonly RenamedFund[]
  /** Funds whose end has become known, is another one, or is no longer known. */
  readonly ending: readonly EndingFund[]
  /** Funds of which a suspension has become known, is another one, or is no longer known. */
  readonly suspended: readonly SuspendedFund[]
  /** By ISIN. */
  readonly data: readonly ChangedData[]
  /** The currency that a fund has now, ISO 4217; null if it is not known. */
  readonly currencyOf: (isin: string) => string | null
}

/** @param files `statistics.ndjson` of both @returns null if one has another format @throws {Error} if one is no such file */
export function compareFunds(files: Both<Buffer>): FundComparison | null {
  const before = parseStatistics([files.before])
  const after = parseStatistics([files.after])
  if (before === null || after === null) return null
  const renamed: RenamedFund[] = []
  const ending: EndingFund[] = []
  const suspended: SuspendedFund[] = []
  const data: ChangedData[] = []
  for (const [isin, is] of after.funds) {
    const was = before.funds.get(isin)
    if (was === undefined) continue
    const { name } = is
    if (was.name !== name) renamed.push({ isin, before: was.name, after: name })
    if (JSON.stringify(was.end) !== JSON.stringify(is.end))
      ending.push(endingFund({ isin, name }, is.end, after))
    const suspension = suspensionOf(isin, after)
    if (JSON.stringify(suspensionOf(isin, before)) !== JSON.stringify(suspension))
      suspended.push({ isin, name, ...suspension })
    for (const change of changesOf({ before: was, after: is }, { before, after }))
      data.push({ isin, name, ...change })
  }
  return {
    names: { before: namesOf(before), after: namesOf(after) },
    renamed,
    ending,
    suspended,
    data,
    currencyOf: (isin) => fundColumn(isin, 'currency', after),
  }
}

function endingFund(fund: NamedFund, end: FundEnd | null, { funds }: Statistics): EndingFund {
  const { day = null, reason = null, successorIsin = null } = end ?? {}
  const successor =
    successorIsin === null ? null : { isin: successorIsin, name: funds.get(successorIsin)?.name ?? null }
  return { ...fund, last_day: day, reason, ...(successor !== null && { successor }) }
}

const namesOf = ({ funds }: Statistics) =>
  new Map([...funds].map(([isin, { name }]) => [isin, name] as const))

const suspensionOf = (isin: string, statistics: Statistics): Omit<SuspendedFund, keyof NamedFund> => ({
  from: fundColumn(isin, 'suspended_from', statistics),
  to: fundColumn(isin, 'suspended_to', statistics),
})

/** A short value of the fund's row; null without one, and if another version knows no such column. */
function fundColumn(isin: string, column: string, { columns, funds }: Statistics): string | null {
  const at = columns['fund']?.indexOf(column) ?? -1
  const row = parseTable(funds.get(isin)?.lineOf('fund'))?.slices[0]
  const [, value = null] = /\|~(.*)$/.exec(row?.summaries[at] ?? '') ?? []
  return value
}

type DataChange = Omit<ChangedData, 'isin' | 'name'>

/** Tables that may be given out in one of them only are not compared. */
function changesOf(
  { before, after }: Both<FundStatistics>,
  statistics: Both<Statistics>,
): readonly DataChange[] {
  return [...toldTables].flatMap(([name, table]): readonly DataChange[] => {
    const lines = { before: before.lineOf(name), after: after.lineOf(name) }
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

/** Kinds of rows that differ, with the newest day of each if that is another one. */
function changedKinds(slices: Both<readonly Slice[]>): readonly Omit<DataChange, 'table'>[] {
  const texts = { before: new Set(slices.before.map(textOf)), after: new Set(slices.after.map(textOf)) }
  const differing = [
    ...slices.before.filter((slice) => !texts.after.has(textOf(slice))),
    ...slices.after.filter((slice) => !texts.before.has(textOf(slice))),
  ]
  return [...new Set(differing.map(kindOf))].sort().flatMap((kind) => {
    // The end of the fund says it.
    if (kind === 'merger') return []
    const newest = (some: readonly Slice[]) =>
      some.filter((slice) => kindOf(slice) === kind).reduce((last, { day }) => (day > last ? day : last), '')
    const days = { before: newest(slices.before) || null, after: newest(slices.after) || null }
    const [item = '', language] = kind.split(' ')
    const of = { item: item === '' ? null : item, ...(language !== undefined && { language }) }
    return [days.before === days.after ? of : { ...of, ...days }]
  })
}

const textOf = ({ name, day, summaries }: Slice) => JSON.stringify([name, day, ...summaries])

/**
 * Of a document, kind and language: `kid de`, `kid de AT`, `kid de (2)`; of a structure, its type: `type countries`. An allocation
 * is with or without derivatives, which is no kind.
 */
function kindOf({ name }: Slice): string {
  const [kind = '', language = ''] = name.replace(/ \(\d+\)$/, '').split(' ')
  if (kind === 'type') return language
  return kind === 'derivatives' ? '' : `${kind} ${language}`.trimEnd()
}

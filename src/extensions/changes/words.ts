/** Changes of a publish in words, in both languages. Corrections come first: readers must act on them. Pure. */

import type {
  ChangedData,
  ChangedFund,
  ChangeWords,
  CorrectedValue,
  EndingFund,
  HistoryEntry,
  NamedFund,
  PastDay,
  SnapshotChanges,
  SuspendedFund,
} from '../../core/api/contract/changes.ts'
import { priceTitle } from '../../core/api/contract/prices.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { amountIn, dayIn, decimalIn, fixedIn, percentIn } from '../../core/layout/formats.ts'
import { endOn } from '../../core/layout/life-wording.ts'
import { dataChange, dataName, toldOnce } from './data-words.ts'
import { changeWords } from './wording.ts'

/** Number of items of a kind. The rest is counted. */
const shown = 20

/** @returns plain text */
export function describeChanges(changes: SnapshotChanges, language: Language): ChangeWords {
  const w = changeWords[language]
  const { before, funds } = changes
  const others = otherLines(changes, language)
  const remarks = others.length > 0 && { remarks: others }
  if (before === null) {
    const what = w.first(w.funds(funds.total, countIn(language, funds.total)))
    return { title: what, lines: [what, ...others], ...remarks }
  }
  const headings = headingsOf(countsOf(changes), changes.funds, language)
  const items = itemsOf(changes, language)
  const kinds = changeKinds.filter((kind) => headings[kind] !== null)
  const what = kinds.map((kind) => headings[kind]).join(', ')
  if (what === '') {
    const title = otherTitle(changes, language)
    const lines = [...documentLines(changes, language), ...others]
    // A feed shows the lines below the title: without one, its entry would be empty.
    return { title, lines: lines.length === 0 ? [title] : lines, ...remarks }
  }
  return {
    title: sentence(what),
    lines: [
      ...kinds.flatMap((kind) => {
        const { list, total } = items[kind]
        const left = total - Math.min(list.length, shown)
        const more = list.length > 0 && left > 0 ? [w.andMore(countIn(language, left))] : []
        return [sentence(headings[kind] ?? ''), ...list.slice(0, shown), ...more]
      }),
      ...others,
    ],
    ...remarks,
  }
}

/** Documents by endpoint, for a publish of which nothing else can be said. */
function documentLines({ documents, endpoints }: SnapshotChanges, language: Language): readonly string[] {
  const w = changeWords[language].documents
  const say = (counts: SnapshotChanges['documents']) =>
    (['changed', 'added', 'removed'] as const)
      .filter((kind) => counts[kind] > 0)
      .map((kind) => w[kind](counts[kind], countIn(language, counts[kind])))
      .join(', ')
  if (endpoints.length > 0) return endpoints.map(({ endpoint, ...counts }) => `${endpoint}: ${say(counts)}`)
  const all = say(documents)
  return all === '' ? [] : [all]
}

export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** What is not known, and reasons for what a guard objected to: for readers, so without the names of guards. */
export function otherLines(changes: SnapshotChanges, language: Language): readonly string[] {
  const w = changeWords[language]
  const { not_compared: notCompared, allowed = [] } = changes
  const unknown =
    notCompared.length === 0 ? [] : [w.notCompared(notCompared.length, countIn(language, notCompared.length))]
  const names = namesIn(changes)
  const checked = allowed.map(({ subject, reason }) => w.checked(names.get(subject ?? '') ?? null, reason))
  // Several guards may object to the same, and one reason may be for many funds.
  return [...unknown, ...new Set(checked)].slice(0, shown)
}

/** The funds that the changes of a publish name, by ISIN. */
function namesIn({ funds, prices, other_data: data }: SnapshotChanges): ReadonlyMap<string, string> {
  const ofPrices = [...prices.corrected, ...prices.added, ...prices.removed]
  const all = [
    ...funds.added,
    ...funds.removed,
    ...funds.ending,
    ...funds.suspended,
    ...ofPrices,
    ...data.changed,
  ]
  const renamed = funds.renamed.map(({ isin, after }) => [isin, `${after} (${isin})`] as const)
  return new Map([...all.map((fund) => [fund.isin, fundName(fund)] as const), ...renamed])
}

/** In the order of their weight for readers. */
export const changeKinds = [
  'corrected',
  'daysAdded',
  'daysRemoved',
  'removed',
  'ending',
  'suspended',
  'added',
  'renamed',
  'data',
  'newPrices',
] as const
export type ChangeKind = (typeof changeKinds)[number]
export type ChangeCounts = HistoryEntry['counts']

export function countsOf({ funds, prices, other_data: data }: SnapshotChanges): ChangeCounts {
  const { counts, totals } = prices
  return {
    corrected_prices: totals.corrected_prices,
    corrected_funds: totals.corrected_funds,
    days_added: counts.added,
    days_removed: counts.removed,
    funds_added: funds.added.length,
    funds_removed: funds.removed.length,
    funds_renamed: funds.renamed.length,
    funds_ending: funds.ending.length,
    funds_suspended: funds.suspended.length,
    funds_with_other_data: data.funds,
    funds_with_new: totals.funds_with_new,
    funds_total: funds.total,
    funds_overdue: funds.overdue,
    funds_stale: funds.stale,
    funds_held_back: funds.held_back,
  }
}

/** Funds whose end or suspension changed, as far as they are known by name. */
export interface LifeChanges {
  readonly ending: readonly Pick<EndingFund, 'last_day' | 'reason'>[]
  readonly suspended: readonly Pick<SuspendedFund, 'from'>[]
}

/** @returns those that the list of a publish has */
export const lifeChangesIn = ({ funds = [] }: Pick<HistoryEntry, 'funds'>): LifeChanges => ({
  ending: funds.flatMap(({ end }) => end ?? []),
  suspended: funds.flatMap(({ suspension }) => suspension ?? []),
})

const endKind = ({ last_day: day, reason }: LifeChanges['ending'][number]) =>
  day === null ? 'cancelled' : (reason ?? 'ended')

const suspensionKind = ({ from }: LifeChanges['suspended'][number]) => (from === null ? 'over' : 'begun')

/** Each kind of change with its number; null for none. */
export function headingsOf(
  counts: ChangeCounts,
  { ending, suspended }: LifeChanges,
  language: Language,
): Readonly<Record<ChangeKind, string | null>> {
  const w = changeWords[language]
  const say = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  const some = (count: number, heading: () => string) => (count === 0 ? null : heading())
  /** Each kind by its own number, or all in one if not every fund is named. */
  const each = <Kind extends string>(
    count: number,
    kinds: readonly Kind[],
    words: Readonly<Record<Kind, (funds: string) => string>>,
    ofAll: (funds: string) => string,
  ) =>
    kinds.length < count
      ? ofAll(say(w.funds, count))
      : (Object.keys(words) as Kind[])
          .map((kind) => ({ kind, number: kinds.filter((one) => one === kind).length }))
          .flatMap(({ kind, number }) => (number === 0 ? [] : [words[kind](say(w.funds, number))]))
          .join(', ')
  return {
    corrected: some(counts.corrected_prices, () =>
      w.corrected(say(w.prices, counts.corrected_prices), say(w.funds, counts.corrected_funds)),
    ),
    daysAdded: some(counts.days_added, () => say(w.daysAdded, counts.days_added)),
    daysRemoved: some(counts.days_removed, () => say(w.daysRemoved, counts.days_removed)),
    removed: some(counts.funds_removed, () => w.removed(say(w.funds, counts.funds_removed))),
    added: some(counts.funds_added, () => say(w.added, counts.funds_added)),
    renamed: some(counts.funds_renamed, () => w.renamed(say(w.funds, counts.funds_renamed))),
    ending: some(counts.funds_ending, () => each(counts.funds_ending, ending.map(endKind), w.ends, w.ending)),
    suspended: some(counts.funds_suspended, () =>
      each(counts.funds_suspended, suspended.map(suspensionKind), w.suspensionKinds, w.suspended),
    ),
    data: some(counts.funds_with_other_data, () => w.otherDataOf(say(w.funds, counts.funds_with_other_data))),
    newPrices: some(counts.funds_with_new, () => w.newPrices(say(w.funds, counts.funds_with_new))),
  }
}

function itemsOf({ funds, prices, other_data: data }: SnapshotChanges, language: Language) {
  const { counts } = prices
  const of = (list: readonly string[], total = list.length) => ({ list, total })
  const dayOf = ({ date, ...fund }: PastDay) => `${fundName(fund)} ${dayIn(language, date)}`
  const values = prices.corrected.map((row) => {
    const { before, after } = valuesIn(language, row)
    return `${dayOf(row)}, ${priceTitle(row.item, language)}: ${before} → ${after}`
  })
  return {
    corrected: of(values, counts.corrected),
    daysAdded: of(prices.added.map(dayOf), counts.added),
    daysRemoved: of(prices.removed.map(dayOf), counts.removed),
    removed: of(
      funds.removed.map(({ successor, ...fund }) =>
        successor === undefined
          ? fundName(fund)
          : `${fundName(fund)}: ${changeWords[language].mergedInto} ${fundName(successor)}`,
      ),
    ),
    added: of(funds.added.map(fundName)),
    renamed: of(funds.renamed.map(({ isin, before, after }) => `${before} → ${after} (${isin})`)),
    ending: of(
      funds.ending.map(({ isin, name, ...end }) => {
        const { successor } = end
        const into = successor === undefined ? '' : ` ${changeWords[language].into} ${fundName(successor)}`
        return `${fundName({ isin, name })}: ${endIn(end, language)}${into}`
      }),
    ),
    suspended: of(
      funds.suspended.map(
        ({ isin, name, ...suspension }) =>
          `${fundName({ isin, name })}: ${suspensionIn(suspension, language)}`,
      ),
    ),
    data: of(
      groupedByFund(data.changed).flatMap((rows) =>
        rows.slice(0, 1).map((fund) => `${fundName(fund)}: ${dataSentence(rows, language)}`),
      ),
      data.funds,
    ),
    newPrices: of([]),
  }
}

/** `Total expense ratio (TER) 1.50% → 1.99%, Key information document changed`. @param rows of one fund */
function dataSentence(rows: readonly ChangedData[], language: Language): string {
  return toldOnce(rows, language)
    .map((row) => `${dataName(row, language)} ${dataChange(row, language)}`)
    .join(', ')
}

/** `Liquidation on 31 Dec 2026` */
export function endIn(
  { last_day: day, reason }: Pick<EndingFund, 'last_day' | 'reason'>,
  language: Language,
): string {
  return day === null ? changeWords[language].noEnd : sentence(endOn(day, reason, language))
}

/** `Suspended from 18 Nov 2026` */
export function suspensionIn({ from, to }: Pick<SuspendedFund, 'from' | 'to'>, language: Language): string {
  const w = changeWords[language].suspensions
  if (from === null) return w.over
  return to === null ? w.open(dayIn(language, from)) : w.closed(dayIn(language, from), dayIn(language, to))
}

/** If neither a price nor a fund changed. */
function otherTitle({ documents, not_compared: notCompared }: SnapshotChanges, language: Language): string {
  const w = changeWords[language]
  if (documents.added + documents.removed + documents.changed > 0) return w.otherData
  return notCompared.length > 0 ? w.unknown : w.nothing
}

/** Number of rows in a table on the page of a day. */
export const maxRows = 1000

/** Number of funds in the list of a publish: pages over all days hold the lists of thirty days. */
const fundsKept = 200

/** Values of a fund in the list of a publish, beside prices. */
const dataKept = 3

/** They change in the course of things, as prices do: the page of a day tells of them. */
const routineTables: readonly string[] = ['structures', 'allocations']

/** Funds with a change other than a new price, by ISIN: only funds that the page of the day names. */
export function changedFunds({ funds, prices, other_data: data }: SnapshotChanges): readonly ChangedFund[] {
  const found = new Map<string, ChangedFund>()
  const add = ({ isin, name }: NamedFund, change: (fund: ChangedFund) => Partial<ChangedFund>) => {
    const fund = found.get(isin) ?? { isin, name }
    found.set(isin, { ...fund, ...change(fund) })
  }
  for (const fund of funds.added) add(fund, () => ({ what: 'added' }))
  for (const { successor, ...fund } of funds.removed)
    add(fund, () => ({ what: 'removed', ...(successor !== undefined && { successor }) }))
  for (const { isin, before, after: name } of funds.renamed)
    add({ isin, name }, () => ({ what: 'renamed', former_name: before }))
  for (const [index, row] of prices.corrected.entries()) {
    const last = prices.corrected[index - 1]
    // Rows come by fund, then by day, and a price may have several values.
    if (last?.isin !== row.isin || last.date !== row.date)
      add(row, ({ corrected = 0 }) => ({ corrected: corrected + 1 }))
  }
  for (const rows of groupedByFund(prices.corrected)) {
    const newest = newestCorrection(rows)
    if (newest !== undefined) add(newest, () => ({ newest_correction: valuesOf(newest) }))
  }
  for (const row of prices.added) add(row, ({ days_added = 0 }) => ({ days_added: days_added + 1 }))
  for (const row of prices.removed) add(row, ({ days_removed = 0 }) => ({ days_removed: days_removed + 1 }))
  const told = data.changed.slice(0, maxRows).filter(({ table }) => !routineTables.includes(table))
  for (const { isin, name, ...end } of funds.ending) add({ isin, name }, () => ({ end }))
  for (const { isin, name, ...change } of told)
    add({ isin, name }, ({ other_data: { values, changed } = { values: 0, changed: [] } }) => ({
      other_data: { values: values + 1, changed: [...changed, change].slice(0, dataKept) },
    }))
  for (const { isin, name, ...suspension } of funds.suspended) add({ isin, name }, () => ({ suspension }))
  const tables = [
    funds.renamed,
    funds.ending,
    funds.suspended,
    prices.corrected,
    prices.added,
    prices.removed,
    told,
  ]
  const onPage = [funds.added, funds.removed, ...tables.map((rows) => rows.slice(0, maxRows))]
  const isins = new Set(onPage.flatMap((rows) => rows.map(({ isin }) => isin)))
  return [...found.values()]
    .filter(({ isin }) => isins.has(isin))
    .sort((one, other) => (one.isin < other.isin ? -1 : 1))
    .slice(0, fundsKept)
}

/** Rows of each fund. Browsers of some years ago know no `Map.groupBy`. @param rows by fund */
export function groupedByFund<Row extends NamedFund>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups: Row[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0]?.isin === row.isin) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** The NAV tells readers most. @param rows of a fund, by day */
const newestCorrection = (rows: readonly CorrectedValue[]) =>
  rows.filter(({ item }) => item === 'net_asset_value').at(-1) ?? rows.at(-1)

const valuesOf = ({ isin: _, name: __, ...correction }: CorrectedValue) => correction

const fundName = ({ isin, name }: NamedFund) => (name === null ? isin : `${name} (${isin})`)

export const countIn = (language: Language, count: number) => fixedIn(language, count, 0)

type Correction = Pick<CorrectedValue, 'item' | 'before' | 'after' | 'currency'>

/** The values of a correction, digit for digit, with their currency. */
export function valuesIn(
  language: Language,
  { before, after, currency }: Correction,
): Readonly<Record<'before' | 'after', string>> {
  const said = (value: string | null) => {
    if (value === null) return changeWords[language].none
    return currency === undefined ? decimalIn(language, value) : amountIn(language, value, currency)
  }
  return { before: said(before), after: said(after) }
}

/** Values that are amounts of money. */
const amounts: readonly string[] = ['net_asset_value', 'issue_price', 'repurchase_price']

/**
 * How much a correction moves an amount, in percent of the value before. A small one has more decimal places, so that none is 0.
 * @returns null for other values, and without a value before or after
 */
export function differenceOf({ item, before, after }: Correction, language: Language): string | null {
  const percent = before === null || after === null ? NaN : (Number(after) / Number(before) - 1) * 100
  if (!amounts.includes(item) || !Number.isFinite(percent)) return null
  const size = Math.abs(percent)
  const digits = size >= 0.005 || size === 0 ? 2 : 1 - Math.floor(Math.log10(size))
  return `${percent > 0 ? '+' : ''}${percentIn(language, percent, digits)}`
}

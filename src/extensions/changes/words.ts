/** Changes of a publish in words, in both languages. Corrections come first: readers must act on them. Pure. */

import type {
  ChangedFund,
  ChangeWords,
  NamedFund,
  PastDay,
  SnapshotChanges,
} from '../../core/api/contract/changes.ts'
import { priceTitle } from '../../core/api/contract/prices.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { dayIn, decimalIn, fixedIn } from '../../core/layout/formats.ts'
import { changeWords } from './wording.ts'

/** Number of items of a kind. The rest is counted. */
const shown = 20

/** @returns plain text */
export function describeChanges(changes: SnapshotChanges, language: Language): ChangeWords {
  const w = changeWords[language]
  const { before, funds } = changes
  const others = otherLines(changes, language)
  if (before === null) {
    const what = w.first(w.funds(funds.total, countIn(language, funds.total)))
    return { title: what, lines: [what, ...others] }
  }
  const headings = headingsOf(changes, language)
  const items = itemsOf(changes, language)
  const kinds = (Object.keys(headings) as ChangeKind[]).filter((kind) => headings[kind] !== null)
  const what = kinds.map((kind) => headings[kind]).join(', ')
  if (what === '') {
    const title = otherTitle(changes, language)
    const lines = [...documentLines(changes, language), ...others]
    // A feed shows the lines below the title: without one, its entry would be empty.
    return { title, lines: lines.length === 0 ? [title] : lines }
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

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function otherLines(changes: SnapshotChanges, language: Language): readonly string[] {
  const w = changeWords[language]
  const { not_compared: notCompared, allowed = [] } = changes
  return [
    ...(notCompared.length === 0
      ? []
      : [w.notCompared(notCompared.length, countIn(language, notCompared.length))]),
    ...allowed
      .slice(0, shown)
      .map(({ guard, subject, reason }) =>
        w.allowed([guard, ...(subject === null ? [] : [subject])].join(' '), reason),
      ),
  ]
}

type ChangeKind = 'corrected' | 'daysAdded' | 'daysRemoved' | 'removed' | 'added' | 'renamed' | 'newPrices'

/** Each kind of change with its number; null for none. */
export function headingsOf(
  { funds, prices }: SnapshotChanges,
  language: Language,
): Readonly<Record<ChangeKind, string | null>> {
  const w = changeWords[language]
  const { counts, totals } = prices
  const say = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  const some = (count: number, heading: () => string) => (count === 0 ? null : heading())
  const fundsWithNew = totals.funds_with_new
  return {
    corrected: some(counts.corrected, () =>
      w.corrected(say(w.prices, totals.corrected_prices), say(w.funds, totals.corrected_funds)),
    ),
    daysAdded: some(counts.added, () => say(w.daysAdded, counts.added)),
    daysRemoved: some(counts.removed, () => say(w.daysRemoved, counts.removed)),
    removed: some(funds.removed.length, () => w.removed(say(w.funds, funds.removed.length))),
    added: some(funds.added.length, () => say(w.added, funds.added.length)),
    renamed: some(funds.renamed.length, () => w.renamed(say(w.funds, funds.renamed.length))),
    newPrices: some(fundsWithNew, () => w.newPrices(say(w.funds, fundsWithNew))),
  }
}

function itemsOf({ funds, prices }: SnapshotChanges, language: Language) {
  const { counts } = prices
  const of = (list: readonly string[], total = list.length) => ({ list, total })
  const dayOf = ({ date, ...fund }: PastDay) => `${fundName(fund)} ${dayIn(language, date)}`
  const values = prices.corrected.map(
    ({ item, before, after, ...day }) =>
      `${dayOf(day)}, ${priceTitle(item, language)}: ${valueIn(language, before)} → ${valueIn(language, after)}`,
  )
  return {
    corrected: of(values, counts.corrected),
    daysAdded: of(prices.added.map(dayOf), counts.added),
    daysRemoved: of(prices.removed.map(dayOf), counts.removed),
    removed: of(funds.removed.map(fundName)),
    added: of(funds.added.map(fundName)),
    renamed: of(funds.renamed.map(({ isin, before, after }) => `${before} → ${after} (${isin})`)),
    newPrices: of([]),
  }
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

/** Funds with a change other than a new price, by ISIN: only funds that the page of the day names. */
export function changedFunds({ funds, prices }: SnapshotChanges): readonly ChangedFund[] {
  const found = new Map<string, ChangedFund>()
  const add = ({ isin, name }: NamedFund, change: (fund: ChangedFund) => Partial<ChangedFund>) => {
    const fund = found.get(isin) ?? { isin, name }
    found.set(isin, { ...fund, ...change(fund) })
  }
  for (const fund of funds.added) add(fund, () => ({ what: 'added' }))
  for (const fund of funds.removed) add(fund, () => ({ what: 'removed' }))
  for (const { isin, after: name } of funds.renamed) add({ isin, name }, () => ({ what: 'renamed' }))
  for (const [index, row] of prices.corrected.entries()) {
    const last = prices.corrected[index - 1]
    // Rows come by fund, then by day, and a price may have several values.
    if (last?.isin !== row.isin || last.date !== row.date)
      add(row, ({ corrected = 0 }) => ({ corrected: corrected + 1 }))
  }
  for (const row of prices.added) add(row, ({ days_added = 0 }) => ({ days_added: days_added + 1 }))
  for (const row of prices.removed) add(row, ({ days_removed = 0 }) => ({ days_removed: days_removed + 1 }))
  const tables = [funds.renamed, prices.corrected, prices.added, prices.removed]
  const onPage = [funds.added, funds.removed, ...tables.map((rows) => rows.slice(0, maxRows))]
  const isins = new Set(onPage.flatMap((rows) => rows.map(({ isin }) => isin)))
  return [...found.values()]
    .filter(({ isin }) => isins.has(isin))
    .sort((one, other) => (one.isin < other.isin ? -1 : 1))
    .slice(0, fundsKept)
}

const fundName = ({ isin, name }: NamedFund) => (name === null ? isin : `${name} (${isin})`)

export const countIn = (language: Language, count: number) => fixedIn(language, count, 0)

/** A value of a price, digit for digit. */
export const valueIn = (language: Language, value: string | null) =>
  value === null ? changeWords[language].none : decimalIn(language, value)

/** Changes of a publish in words, in both languages. Corrections come first: readers must act on them. Pure. */

import type {
  ChangedFund,
  ChangeWords,
  NamedFund,
  PastDay,
  SnapshotChanges,
} from '../../api/contract/changes.ts'
import { priceTitle } from '../../api/contract/prices.ts'
import type { Language } from '../../api/routes/table.ts'
import { dayIn, decimalIn, fixedIn } from '../funds/chart/formats.ts'
import { changeWords } from './wording.ts'

/** Number of items in a line. The rest is counted. */
const shown = 20

/** @returns plain text */
export function describeChanges(changes: SnapshotChanges, language: Language): ChangeWords {
  const w = changeWords[language]
  const { before, funds, documents } = changes
  const others = otherLines(changes, language)
  if (before === null) {
    const what = w.first(countIn(language, funds.total), countIn(language, documents.added))
    return { title: what, lines: [what, ...others] }
  }
  const lists = listsOf(changes, language).filter(({ total }) => total > 0)
  const newest = newPrices(changes, language)
  const what = [...lists.map(({ heading }) => heading), ...newest].join('; ')
  return {
    title: what === '' ? documentTitle(changes, language) : what,
    lines: [
      ...lists.map(({ heading, items, total }) =>
        items.length === 0 ? heading : `${heading}: ${shortList(items, total, language)}`,
      ),
      ...newest,
      ...others,
    ],
  }
}

export function otherLines(changes: SnapshotChanges, language: Language): readonly string[] {
  const w = changeWords[language]
  const { before, not_compared: notCompared, allowed = [] } = changes
  const unknown = `${w.notCompared}: ${shortList(notCompared, notCompared.length, language)}`
  return [
    ...(before === null ? [] : [documentLine(changes, language)]),
    ...(notCompared.length === 0 ? [] : [unknown]),
    ...allowed
      .slice(0, shown)
      .map(({ guard, subject, reason }) =>
        w.allowed([guard, ...(subject === null ? [] : [subject])].join(' '), reason),
      ),
  ]
}

function newPrices({ prices }: SnapshotChanges, language: Language): readonly string[] {
  const { funds_with_new: fundsWithNew = 0 } = prices.totals ?? {}
  return fundsWithNew === 0
    ? []
    : [changeWords[language].newPrices(fundsWithNew, countIn(language, fundsWithNew))]
}

function listsOf({ funds, prices }: SnapshotChanges, language: Language) {
  const w = changeWords[language]
  const { counts, totals, corrected } = prices
  const list = (heading: string, items: readonly string[], total = items.length) => ({
    heading,
    items,
    total,
  })
  const dayOf = ({ date, ...fund }: PastDay) => `${fundName(fund)} ${dayIn(language, date)}`
  const values = corrected.map(({ item, before, after, ...day }) =>
    [dayOf(day), priceTitle(item, language), valueIn(language, before), '→', valueIn(language, after)].join(
      ' ',
    ),
  )
  const one = (text: (count: number, shown: string) => string, count: number) =>
    text(count, countIn(language, count))
  const correctedHeading =
    totals === undefined
      ? one(w.correctedValues, counts.corrected)
      : w.corrected(one(w.prices, totals.corrected_prices), one(w.funds, totals.corrected_funds))
  const renamed = funds.renamed.map(({ isin, before, after }) => `${before} → ${after} (${isin})`)
  return [
    list(correctedHeading, values, counts.corrected),
    list(w.daysAdded(one(w.prices, counts.added)), prices.added.map(dayOf), counts.added),
    list(w.daysRemoved(one(w.prices, counts.removed)), prices.removed.map(dayOf), counts.removed),
    list(w.removed(one(w.funds, funds.removed.length)), funds.removed.map(fundName)),
    list(w.added(one(w.funds, funds.added.length)), funds.added.map(fundName)),
    list(w.renamed(one(w.funds, funds.renamed.length)), renamed),
  ]
}

function documentTitle(
  { documents, not_compared: notCompared }: SnapshotChanges,
  language: Language,
): string {
  const w = changeWords[language]
  const count = documents.added + documents.removed + documents.changed
  if (count > 0) return w.documents(count, countIn(language, count))
  return notCompared.length > 0 ? w.unknown : w.nothing
}

function documentLine({ documents, endpoints }: SnapshotChanges, language: Language): string {
  const w = changeWords[language]
  const counts = (['changed', 'added', 'removed'] as const)
    .filter((what) => documents[what] > 0)
    .map((what) => `${countIn(language, documents[what])} ${w.counted[what]}`)
  if (counts.length === 0) return w.noDocument
  const byEndpoint = endpoints.map(
    (one) => `${one.endpoint} ${countIn(language, one.added + one.removed + one.changed)}`,
  )
  return `${w.documentLine}: ${counts.join(', ')} (${byEndpoint.join(', ')})`
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

function shortList(items: readonly string[], total: number, language: Language): string {
  const left = total - Math.min(items.length, shown)
  const more = left > 0 ? ` ${changeWords[language].andMore(countIn(language, left))}` : ''
  return items.slice(0, shown).join('; ') + more
}

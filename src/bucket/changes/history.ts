/**
 * `changes/index.json`: the last days that were published, with all that the feed needs. Pure. `nights` has the newest day
 * first; `file` is the name beside the index, with its `sha256` (hex) and `bytes`. `publish` counts the publishes of the
 * day, `title` and `lines` describe the newest one, and `earlier` the last twenty before it, the newest first.
 */

import type { Counts } from '../manifest/compare.ts'
import { earlierKept, type NamedFund, type PastDay, type SnapshotChanges, type SnapshotName } from './day.ts'

export type ChangeHistory = Readonly<{ format: 1; nights: readonly HistoryDay[] }>

/** What a publish changed, in words: plain text, which the caller escapes. */
export interface HistoryEntry extends SnapshotName {
  readonly before: SnapshotName | null
  readonly title: string
  /** A sentence or a short list each. */
  readonly lines: readonly string[]
  /** Its number among the publishes of its day, from 1. */
  readonly publish: number
}

export interface HistoryDay extends HistoryEntry {
  readonly earlier: readonly HistoryEntry[]
  readonly file: string
  readonly sha256: string
  readonly bytes: number
}

const daysKept = 30
export const noHistory: ChangeHistory = { format: 1, nights: [] }

/** The file of a day, beside the index. @param asOf ISO 8601 day */
export const fileOf = (asOf: string) => `${asOf}.json`
export const findDay = ({ nights }: ChangeHistory, asOf: string) => nights.find((day) => day.asOf === asOf)

/** The number of the next publish among those of its day. @param asOf ISO 8601 day */
export const nextPublish = (history: ChangeHistory, asOf: string) =>
  (findDay(history, asOf)?.publish ?? 0) + 1

/** Adds a publish to its day; the oldest days go. */
export function withPublish(
  history: ChangeHistory,
  newest: Omit<HistoryDay, 'publish' | 'earlier'>,
): ChangeHistory {
  const { asOf } = newest
  const before = findDay(history, asOf)
  const earlier = before === undefined ? [] : publishesOf(before).slice(0, earlierKept)
  const day = { ...newest, publish: nextPublish(history, asOf), earlier }
  const others = history.nights.filter((other) => other.asOf !== asOf).slice(0, daysKept - 1)
  return { format: 1, nights: [...others, day].sort((one, other) => (one.asOf < other.asOf ? 1 : -1)) }
}

export function publishesOf({ asOf, snapshot, before, title, lines, publish, earlier }: HistoryDay) {
  return [{ asOf, snapshot, before, title, lines, publish }, ...earlier]
}

/** @throws {Error} if it is not the index of this version */
export function parseHistory(text: string): ChangeHistory {
  const history = JSON.parse(text) as Partial<ChangeHistory> | null
  if (history?.format !== 1 || !Array.isArray(history.nights) || !history.nights.every(isDayEntry))
    throw new Error('it is not one of this fundpress')
  const days: readonly OldDay[] = history.nights
  const nights = days.map(({ publish = 1, earlier = [], ...day }) => ({ ...day, publish, earlier }))
  return { format: 1, nights }
}

/** Earlier versions kept one publish a day, without a number. */
type OldDay = Omit<HistoryDay, 'publish' | 'earlier'> & Partial<Pick<HistoryDay, 'publish' | 'earlier'>>

type Unchecked = { readonly [K in keyof HistoryDay]?: unknown } | null

function isDayEntry(day: Unchecked): boolean {
  const { asOf, file, sha256, bytes, earlier = [] } = day ?? {}
  return (
    isEntry(day) &&
    // It becomes part of a key.
    file === fileOf(String(asOf)) &&
    typeof sha256 === 'string' &&
    typeof bytes === 'number' &&
    Array.isArray(earlier) &&
    earlier.every((one) => isEntry(one as Unchecked) && (one as HistoryEntry).asOf === asOf)
  )
}

function isEntry(entry: Unchecked): boolean {
  const { asOf, snapshot, title, lines, before, publish = 1 } = entry ?? {}
  const texts = [asOf, snapshot, title, ...(Array.isArray(lines) ? (lines as readonly unknown[]) : [null])]
  return (
    texts.every((text) => typeof text === 'string') &&
    /^\d{4}-\d{2}-\d{2}$/.test(String(asOf)) &&
    typeof before === 'object' &&
    Number.isSafeInteger(publish) &&
    Number(publish) > 0
  )
}

/** A line names no more than this, and counts the rest. */
const shown = 20

export function describeChanges(changes: SnapshotChanges): Pick<HistoryEntry, 'title' | 'lines'> {
  const { asOf, before, funds, documents, notCompared, allowed = [] } = changes
  if (before === null) {
    const what = `first snapshot: ${count(funds.total, 'fund')}, ${count(documents.added, 'document')}`
    return { title: `${asOf}: ${what}`, lines: [what, ...allowed.slice(0, shown).map(describeAllowed)] }
  }
  const lists = listsOf(changes).filter(({ total }) => total > 0)
  const title = lists.map(({ heading }) => heading).join(', ') || documentTitle(changes)
  return {
    title: `${asOf}: ${title}`,
    lines: [
      ...lists.map(({ heading, items, total }) => `${heading}: ${shortList(items, total)}`),
      documentLine(changes),
      ...(notCompared.length === 0 ? [] : [`not compared: ${shortList(notCompared, notCompared.length)}`]),
      ...allowed.slice(0, shown).map(describeAllowed),
    ],
  }
}

const describeAllowed = ({ message, who, reason }: NonNullable<SnapshotChanges['allowed']>[number]) =>
  `allowed by ${who}: ${message} (${reason})`

function listsOf({ funds, prices }: SnapshotChanges) {
  const { counts, corrected } = prices
  const list = (noun: string, what: string, items: readonly string[], total = items.length) => {
    return { total, items, heading: `${count(total, noun)} ${what}` }
  }
  const dayOf = ({ date, ...fund }: PastDay) => `${nameOf(fund)} ${date}`
  const renamed = funds.renamed.map(({ isin, before, after }) => `${before} is now ${after} (${isin})`)
  const values = corrected.map(
    ({ item, before, after, ...day }) => `${dayOf(day)} ${item} ${before ?? 'none'} → ${after ?? 'none'}`,
  )
  return [
    list('fund', 'added', funds.added.map(nameOf)),
    list('fund', 'removed', funds.removed.map(nameOf)),
    list('fund', 'renamed', renamed),
    list('price', 'corrected', values, counts.corrected),
    list('past day', 'added', prices.added.map(dayOf), counts.added),
    list('past day', 'removed', prices.removed.map(dayOf), counts.removed),
  ]
}

function documentTitle({ documents, notCompared }: SnapshotChanges): string {
  if (sum(documents) > 0) return `${count(sum(documents), 'document')} changed`
  return notCompared.length > 0 ? 'not known what changed' : 'nothing changed'
}

function documentLine({ documents, endpoints }: SnapshotChanges): string {
  if (sum(documents) === 0) return 'no document changed'
  const counts = (['changed', 'added', 'removed'] as const)
    .filter((what) => documents[what] > 0)
    .map((what) => `${number(documents[what])} ${what}`)
  const byEndpoint = endpoints.map((one) => `${one.endpoint} ${number(sum(one))}`)
  return `documents: ${counts.join(', ')}: ${byEndpoint.join(', ')}`
}

const nameOf = ({ isin, name }: NamedFund) => (name === null ? isin : `${name} (${isin})`)
const sum = ({ added, removed, changed }: Counts) => added + removed + changed
function shortList(items: readonly string[], total: number): string {
  const left = total - Math.min(items.length, shown)
  return items.slice(0, shown).join('; ') + (left > 0 ? ` and ${number(left)} more` : '')
}

const count = (total: number, noun: string) => `${number(total)} ${noun}${total === 1 ? '' : 's'}`
const number = (value: number) => value.toLocaleString('en-US')

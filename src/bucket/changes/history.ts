/**
 * `changes/index.json`: the last days that were published, with all that the feed needs. Pure. `nights` has the newest day
 * first; `file` is the name beside the index, with its `sha256` (hex) and `bytes`. `publish` counts the publishes of the
 * day, `title` and `lines` describe the newest one, and `earlier` the last twenty before it, the newest first.
 */

import { earlierKept, type SnapshotName } from './day.ts'
import type { Description } from './describe.ts'

export type ChangeHistory = Readonly<{ format: 1; nights: readonly HistoryDay[] }>

/** What a publish changed, in words. */
export interface HistoryEntry extends SnapshotName, Description {
  readonly before: SnapshotName | null
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

export const publishesOf = (day: HistoryDay): readonly HistoryEntry[] => {
  const { asOf, snapshot, before, title, lines, publish } = day
  return [{ asOf, snapshot, before, title, lines, publish }, ...day.earlier]
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

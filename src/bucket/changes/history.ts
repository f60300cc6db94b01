/** `changes/index.json`: the last days that were published, with all that pages and feeds over all days need. Pure. */

import {
  type ChangeHistory,
  type ChangeWords,
  type DayChanges,
  type HistoryDay,
  type HistoryEntry,
  type PublishChanges,
  publishesOf,
} from '../../api/contract/changes.ts'
import { changedFunds, describeChanges } from '../../site/changes/words.ts'
import { earlierKept } from './day.ts'

const daysKept = 30

/** The file of a day, beside the index. @param asOf ISO 8601 day */
export const fileOf = (asOf: string) => `${asOf}.json`
export const findDay = ({ nights }: ChangeHistory, asOf: string) => nights.find((day) => day.asOf === asOf)

/** The number of the next publish among those of its day. @param asOf ISO 8601 day */
export const nextPublish = (history: ChangeHistory, asOf: string) =>
  (findDay(history, asOf)?.publish ?? 0) + 1

/** A publish in words, and the funds that it names. */
function entryOf(changes: PublishChanges): HistoryEntry {
  const { asOf, snapshot, before, publish } = changes
  const words = { ...describeChanges(changes, 'en'), de: describeChanges(changes, 'de') }
  return { asOf, snapshot, before, publish, ...words, funds: changedFunds(changes) }
}

/** What the index says of a file. */
type FileFacts = Pick<HistoryDay, 'sha256' | 'bytes'>

/** @param publishes the newest first; one at least */
function dayOf(
  [newest, ...earlier]: readonly HistoryEntry[],
  { sha256, bytes }: FileFacts,
): readonly HistoryDay[] {
  return newest === undefined ? [] : [{ ...newest, earlier, file: fileOf(newest.asOf), sha256, bytes }]
}

/** Adds the newest publish of a day to it; the oldest days go. */
export function withPublish(history: ChangeHistory, newest: PublishChanges, file: FileFacts): ChangeHistory {
  const { asOf } = newest
  const before = findDay(history, asOf)
  const earlier = before === undefined ? [] : publishesOf(before).slice(0, earlierKept)
  const others = history.nights.filter((other) => other.asOf !== asOf).slice(0, daysKept - 1)
  const nights = [...others, ...dayOf([entryOf(newest), ...earlier], file)]
  return { ...history, nights: nights.sort((one, other) => (one.asOf < other.asOf ? 1 : -1)) }
}

/** Says anew what is in the file of a day. A publish that the file does not have keeps its title alone: nobody can take a price out of its lines. */
export function withDay(
  history: ChangeHistory,
  { earlier, ...newest }: DayChanges,
  file: FileFacts,
): ChangeHistory {
  const known = new Map([newest, ...earlier].map((changes) => [changes.publish, entryOf(changes)]))
  const nights = history.nights.flatMap((day) =>
    day.asOf === newest.asOf
      ? dayOf(
          publishesOf(day).map((entry) => known.get(entry.publish) ?? titleOf(entry)),
          file,
        )
      : [day],
  )
  return { ...history, nights }
}

function titleOf({ de, funds: _, ...entry }: HistoryEntry): HistoryEntry {
  const alone = ({ title }: ChangeWords) => ({ title, lines: [title] })
  return { ...entry, ...alone(entry), ...(de !== undefined && { de: alone(de) }) }
}

/** @throws {Error} if it is not the index of this version */
export function parseHistory(text: string): ChangeHistory {
  const history = JSON.parse(text) as Partial<ChangeHistory> | null
  if (history?.format !== 1 || !Array.isArray(history.nights) || !history.nights.every(isDayEntry))
    throw new Error('it is not one of this fundpress')
  const days: readonly OldDay[] = history.nights
  const nights = days.flatMap(({ publish = 1, earlier = [], ...day }) =>
    dayOf(publishesOf({ ...day, publish, earlier }), day),
  )
  const { look } = history
  return { format: 1, ...(typeof look === 'string' && { look }), nights }
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
  const { asOf, snapshot, before, publish = 1, de, funds = [] } = entry ?? {}
  return (
    typeof snapshot === 'string' &&
    hasWords(entry) &&
    (de === undefined || hasWords(de)) &&
    Array.isArray(funds) &&
    funds.every((fund) => typeof (fund as { isin?: unknown } | null)?.isin === 'string') &&
    /^\d{4}-\d{2}-\d{2}$/.test(String(asOf)) &&
    typeof before === 'object' &&
    Number.isSafeInteger(publish) &&
    Number(publish) > 0
  )
}

function hasWords(entry: Unchecked): boolean {
  const { title, lines } = entry ?? {}
  const texts = [title, ...(Array.isArray(lines) ? (lines as readonly unknown[]) : [null])]
  return texts.every((text) => typeof text === 'string')
}

/** `changes/<as-of>.json`, the changes of a day, and `changes/index.json`, from which pages and feeds are made. Pure. */

import { z } from 'zod'
import {
  type ChangeHistory,
  type ChangeWords,
  type DayChanges,
  type HistoryDay,
  type HistoryEntry,
  type PublishChanges,
  type PublishMark,
  publishesOf,
  type NamedFund,
  type SnapshotChanges,
} from '../../core/api/contract/changes.ts'
import { listShapes } from '../../core/api/contract/list-shapes.ts'
import { checked, formOf, parseStrictly, WrongForm } from '../../core/snapshot/forms.ts'
import { maxRowsTold } from '../../core/bucket/changes/compare.ts'
import { changedFunds, countsOf, describeChanges } from './words.ts'

const daysKept = 30

export const textOfDay = (day: DayChanges) => `${JSON.stringify(day)}\n`
export const textOfHistory = (history: ChangeHistory) => `${JSON.stringify(history)}\n`
export const fileOf = (asOf: string) => `${asOf}.json`
export const findDay = ({ nights }: ChangeHistory, asOf: string) => nights.find((day) => day.as_of === asOf)

export const nextPublish = (history: ChangeHistory, asOf: string) =>
  (findDay(history, asOf)?.publish ?? 0) + 1

function entryOf(changes: PublishChanges): HistoryEntry {
  const { as_of, snapshot, before, publish, published } = changes
  const words = { ...describeChanges(changes, 'en'), de: describeChanges(changes, 'de') }
  const { awaited } = changes.funds
  return {
    as_of,
    snapshot,
    before,
    publish,
    published,
    ...words,
    counts: countsOf(changes),
    ...(awaited !== undefined && { awaited }),
    funds: changedFunds(changes),
  }
}

type FileFacts = Pick<HistoryDay, 'sha256' | 'bytes'>

/** @param publishes the newest first; one at least */
function dayOf(
  [newest, ...earlier]: readonly HistoryEntry[],
  { sha256, bytes }: FileFacts,
): readonly HistoryDay[] {
  return newest === undefined ? [] : [{ ...newest, file: fileOf(newest.as_of), sha256, bytes, earlier }]
}

export function withPublish(history: ChangeHistory, newest: PublishChanges, file: FileFacts): ChangeHistory {
  const { as_of } = newest
  const before = findDay(history, as_of)
  const earlier = before === undefined ? [] : publishesOf(before).slice(0, earlierKept)
  const others = history.nights.filter((other) => other.as_of !== as_of).slice(0, daysKept - 1)
  const nights = [...others, ...dayOf([entryOf(newest), ...earlier], file)]
  return { ...history, nights: nights.sort((one, other) => (one.as_of < other.as_of ? 1 : -1)) }
}

/** Replaces the words of a day. A publish that the file lacks keeps its title alone: its lines may name a price that has to go. */
export function withDay(
  history: ChangeHistory,
  { earlier, ...newest }: DayChanges,
  file: FileFacts,
): ChangeHistory {
  const known = new Map([newest, ...earlier].map((changes) => [changes.publish, entryOf(changes)]))
  const nights = history.nights.flatMap((day) =>
    day.as_of === newest.as_of
      ? dayOf(
          publishesOf(day).map((entry) => known.get(entry.publish) ?? titleOf(entry)),
          file,
        )
      : [day],
  )
  return { ...history, nights }
}

function titleOf({ de, funds: _, awaited: ___, remarks: __, ...entry }: HistoryEntry): HistoryEntry {
  const alone = ({ title }: ChangeWords) => ({ title, lines: [title] })
  return { ...entry, ...alone(entry), de: alone(de) }
}

const historyForm = formOf(listShapes.changes) as z.ZodType<ChangeHistory>
const dayForm = formOf(listShapes.changesOfDay) as z.ZodType<DayChanges>

/** @throws {WrongForm} if the body is no index of this format */
export function parseHistory(body: string): ChangeHistory {
  const history = inItsOrder(historyForm, parseStrictly(z.unknown(), body))
  for (const { as_of, file, earlier } of history.nights) {
    // The name of the file becomes part of a key.
    if (file !== fileOf(as_of)) throw new WrongForm(`the file of ${as_of} is not ${fileOf(as_of)}`)
    if (earlier.some((one) => one.as_of !== as_of))
      throw new WrongForm(`${as_of} has a publish of another day`)
  }
  return history
}

/** Fields stay in their order: a repair writes the same bytes. @throws {WrongForm} */
function inItsOrder<T>(form: z.ZodType<T>, value: unknown): T {
  checked(form, value)
  return value as T
}

/**
 * The time of a publish, in whole seconds: later than that of all before it, also after a rollback, and if clocks go back. All of
 * them were published before the live snapshot went live, and `liveSince` never goes back.
 * @param now by the store's clock @param liveSince of the live snapshot, ISO 8601; null if nothing is live
 */
export const timeOfPublish = (now: Date, liveSince: string | null): string => {
  const seconds = (time: number) => Math.floor(time / 1000)
  const earliest = liveSince === null ? -Infinity : seconds(Date.parse(liveSince)) + 1
  const time = Math.max(seconds(now.getTime()), earliest)
  return new Date(time * 1000).toISOString().replace('.000Z', 'Z')
}

/** Limit of a day, beside the newest publish. */
const earlierKept = 20

/** @param live the live file of this day, or null @throws {Error} if `live` is no file of a day */
export function dayChanges(changes: SnapshotChanges, mark: PublishMark, live: string | null): DayChanges {
  return { ...changes, ...mark, earlier: live === null ? [] : shorten(publishesOfDay(parseDay(live))) }
}

function shorten(publishes: readonly PublishChanges[]): PublishChanges[] {
  const left = { corrected: maxRowsTold, added: maxRowsTold, removed: maxRowsTold, data: maxRowsTold }
  const cut = <Row>(kind: keyof typeof left, rows: readonly Row[]): readonly Row[] => {
    const some = rows.slice(0, left[kind])
    left[kind] -= some.length
    return some
  }
  return publishes.slice(0, earlierKept).map((one) => {
    const { corrected, added, removed, ...counts } = one.prices
    const rows = {
      corrected: cut('corrected', corrected),
      added: cut('added', added),
      removed: cut('removed', removed),
    }
    const data = { ...one.other_data, changed: cut('data', one.other_data.changed) }
    return { ...one, prices: { ...counts, ...rows }, other_data: data }
  })
}

/** Removes each row that names a price of these funds: such a price may no longer be given out. */
export function withoutPricesOf(isins: ReadonlySet<string>, day: DayChanges): DayChanges {
  const others = <Row extends NamedFund>(rows: readonly Row[]) => rows.filter(({ isin }) => !isins.has(isin))
  const cut = <Changes extends SnapshotChanges>(changes: Changes): Changes => {
    const { corrected, added, removed, ...counts } = changes.prices
    const rows = { corrected: others(corrected), added: others(added), removed: others(removed) }
    const data = { ...changes.other_data, changed: others(changes.other_data.changed) }
    const allowed = changes.allowed?.filter(({ subject }) => subject === null || !isins.has(subject))
    const { awaited, ...funds } = changes.funds
    return {
      ...changes,
      funds: { ...funds, ...(awaited !== undefined && { awaited: others(awaited) }) },
      prices: { ...counts, ...rows },
      other_data: data,
      ...(allowed !== undefined && { allowed }),
    }
  }
  return { ...cut(day), earlier: day.earlier.map(cut) }
}

/** @throws {WrongForm} if the text is not that of a day */
export const parseDay = (body: string): DayChanges => inItsOrder(dayForm, parseStrictly(z.unknown(), body))

const publishesOfDay = ({ earlier, ...newest }: DayChanges): readonly PublishChanges[] => [newest, ...earlier]

/** The publications of the last weeks, as bars and in words, for the status page. The browser draws them from `changes/index.json`. Pure. */

import {
  type ChangeHistory,
  type HistoryEntry,
  mostAwaited,
  publishesOf,
} from '../../../core/api/contract/changes.ts'
import type { Language } from '../../../core/api/routes/table.ts'
import { dayIn, fixedIn } from '../../../core/layout/formats.ts'
import { dayNumber, isoOf } from '../../../core/system/day-number.ts'
import { historyWords } from './history-wording.ts'

/** Six weeks: thirty business days, as many as the index has. */
export const daysShown = 42

interface NamedFunds {
  readonly names: readonly string[]
  /** False if there are more, which the index only counts. */
  readonly areAll: boolean
}

/** A calendar day. */
export interface Night {
  /** ISO 8601 */
  readonly day: string
  /** 0: nothing was published. */
  readonly publishes: number
  /** Of all publishes of the day. */
  readonly corrected: number
  /** With these prices. */
  readonly correctedFunds: NamedFunds
  /** Funds, as the newest publish left them: all, and those whose price is late, stale or being checked. */
  readonly funds: number
  readonly late: number
  readonly stale: number
  readonly heldBack: number
  /** Those whose price is late, stale or being checked. */
  readonly awaitedFunds: NamedFunds
}

/** @returns each day from the first one of the index, or the last six weeks, to the newest publish; none if nothing was published */
export function nightsOf({ nights }: ChangeHistory): readonly Night[] {
  const [newest] = nights
  const oldest = nights.at(-1)
  if (newest === undefined || oldest === undefined) return []
  const known = new Map(nights.map((night) => [night.as_of, night]))
  const last = dayNumber(newest.as_of)
  const first = Math.max(dayNumber(oldest.as_of), last - daysShown + 1)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const day = isoOf(first + index)
    const night = known.get(day)
    if (night === undefined) return { day, ...nothing }
    const publishes = publishesOf(night)
    const { counts } = night
    return {
      day,
      publishes: publishes.length,
      corrected: publishes.reduce((sum, one) => sum + one.counts.corrected_prices, 0),
      correctedFunds: correctedFundsOf(publishes),
      funds: counts.funds_total,
      late: counts.funds_overdue - counts.funds_stale,
      stale: counts.funds_stale,
      heldBack: counts.funds_held_back,
      awaitedFunds: awaitedFundsOf(night),
    }
  })
}

/** A fund whose prices two publishes of a day corrected is one. */
function correctedFundsOf(publishes: readonly HistoryEntry[]): NamedFunds {
  const known = publishes.map(({ funds = [] }) => funds.filter(({ corrected = 0 }) => corrected > 0))
  const names = new Map(known.flat().map(({ isin, name }) => [isin, name ?? isin]))
  const areAll = publishes.every(({ counts }, index) => counts.corrected_funds === known[index]?.length)
  return { names: [...names.values()], areAll }
}

function awaitedFundsOf({ awaited = [], counts }: HistoryEntry): NamedFunds {
  // A fund whose prices are being checked may be late, too.
  const { funds_overdue: overdue, funds_held_back: heldBack } = counts
  const isCut = awaited.length === mostAwaited && overdue + heldBack > mostAwaited
  const areAll = awaited.length >= Math.max(overdue, heldBack) && !isCut
  return { names: awaited.map(({ isin, name }) => name ?? isin), areAll }
}

const noFunds: NamedFunds = { names: [], areAll: true }

const nothing = {
  publishes: 0,
  corrected: 0,
  correctedFunds: noFunds,
  funds: 0,
  late: 0,
  stale: 0,
  heldBack: 0,
  awaitedFunds: noFunds,
}

/** True of a day that a reader should know of. */
export const isNotable = ({ corrected, late, stale, heldBack }: Night): boolean =>
  corrected + late + stale + heldBack > 0

/** A bar a day, as the inside of an `<svg>` that is `nights.length / daysShown` as wide as the page. */
export function nightBars(nights: readonly Night[]): string {
  const slot = 100 / nights.length
  return nights.map((night, index) => barOf(lookOf(night), (index + 0.15) * slot, 0.7 * slot)).join('')
}

/** `troubled` is the share of the funds whose price is late, stale or being checked; one of them is `isLate`, one more than late `isOld`. */
interface Look {
  readonly isPublished: boolean
  readonly isCorrected: boolean
  readonly troubled: number
  readonly isLate: boolean
  readonly isOld: boolean
}

function lookOf({ publishes, corrected, funds, late, stale, heldBack }: Night): Look {
  const troubled = late + stale + heldBack
  return {
    isPublished: publishes > 0,
    isCorrected: corrected > 0,
    troubled: troubled === 0 ? 0 : Math.min(1, troubled / Math.max(1, funds)),
    isLate: late > 0,
    isOld: stale + heldBack > 0,
  }
}

/** Parts and gaps, in percent of the height. The smallest foot is still seen. */
const gap = 8
const gapInFoot = 5
const smallestFoot = 18
const top = 26

/**
 * A bar: whole, or with a part of its own at the top for corrections, and a foot for prices that are not new, which is as high as their
 * share. It is in one piece if they are late, and in two if some are stale or being checked. So nothing depends on colours.
 * @param x in percent, as its width
 */
function barOf(
  { isPublished, isCorrected, troubled, isLate, isOld }: Look,
  x: number,
  width: number,
): string {
  const part = (kind: string, from: number, to: number) =>
    to <= from
      ? ''
      : `<rect class="${kind}" x="${rounded(x)}%" width="${rounded(width)}%" y="${rounded(from)}%" rx="2" height="${rounded(to - from)}%"/>`
  if (!isPublished) return part('quiet', 70, 100)
  const start = isCorrected ? top + gap : 0
  const foot = troubled === 0 ? 0 : Math.max(smallestFoot, troubled * (100 - start))
  const middle = 100 - foot / 2
  const half = gapInFoot / 2
  return [
    isCorrected ? part('corrected', 0, top) : '',
    part('published', start, foot === 0 ? 100 : 100 - foot - gap),
    isOld
      ? part(isLate ? 'late' : 'stale', 100 - foot, middle - half) + part('stale', middle + half, 100)
      : '',
    foot > 0 && !isOld ? part('late', 100 - foot, 100) : '',
  ].join('')
}

const rounded = (percent: number) => Math.round(percent * 100) / 100

const ordinary: Look = { isPublished: true, isCorrected: false, troubled: 0, isLate: false, isOld: false }

/** What the legend shows, in its order. */
export const barKinds = {
  published: ordinary,
  corrected: { ...ordinary, isCorrected: true },
  late: { ...ordinary, troubled: 0.4, isLate: true },
  stale: { ...ordinary, troubled: 0.4, isOld: true },
  quiet: { ...ordinary, isPublished: false },
} as const satisfies Readonly<Record<string, Look>>

export type BarKind = keyof typeof barKinds

/** The kinds that the bars of these days have. */
export function kindsIn(nights: readonly Night[]): ReadonlySet<BarKind> {
  const found = new Set<BarKind>()
  for (const { isPublished, isCorrected, isLate, isOld } of nights.map(lookOf)) {
    found.add(isPublished ? 'published' : 'quiet')
    if (isCorrected) found.add('corrected')
    if (isLate) found.add('late')
    if (isOld) found.add('stale')
  }
  return found
}

/** A bar of the legend, as the inside of an `<svg>`. */
export const keyBar = (kind: BarKind): string => barOf(barKinds[kind], 0, 100)

/** `3 prices corrected, 1 of 40 prices late`; empty if there is nothing to tell. */
export function notableIn({ corrected, funds, late, stale, heldBack }: Night, language: Language): string {
  const w = historyWords[language]
  const shown = (count: number) => fixedIn(language, count, 0)
  const kinds = [
    { count: corrected, text: () => w.corrected(corrected, shown(corrected)) },
    { count: late, text: () => w.late(shown(late), shown(funds)) },
    { count: stale, text: () => w.stale(shown(stale), shown(funds)) },
    { count: heldBack, text: () => w.heldBack(shown(heldBack), shown(funds)) },
  ]
  return kinds
    .filter(({ count }) => count > 0)
    .map(({ text }) => text())
    .join(', ')
}

/** `20 Nov 2026: published, 3 prices corrected` */
export function nightIn(night: Night, language: Language): string {
  const w = historyWords[language]
  const { day, publishes } = night
  const what = publishes === 0 ? w.quiet : w.published(publishes, fixedIn(language, publishes, 0))
  return `${dayIn(language, day)}: ${[what, notableIn(night, language)].filter((text) => text !== '').join(', ')}`
}

/** Funds that a day names. */
const mostNamed = 3

/** The funds of a day's notes, in lines: those with corrected prices, and those whose price is awaited. None if no name is known. */
export function namesIn({ correctedFunds, awaitedFunds }: Night, language: Language): readonly string[] {
  const w = historyWords[language]
  const lines = [
    { names: namedIn(correctedFunds, language), say: w.correctedOf },
    { names: namedIn(awaitedFunds, language), say: w.awaitedOf },
  ]
  return lines.filter(({ names }) => names !== '').map(({ names, say }) => say(names))
}

/** `Fund A, Fund B, Fund C and 4 more`; empty if no name is known. */
function namedIn({ names, areAll }: NamedFunds, language: Language): string {
  const w = historyWords[language]
  const shown = names.slice(0, mostNamed).join(', ')
  const left = names.length - mostNamed
  if (shown === '' || (areAll && left <= 0)) return shown
  return `${shown} ${areAll ? w.andMore(fixedIn(language, left, 0)) : w.andOthers}`
}

/** Days in a row with the same notes: one, but for days without a publication between them. */
export interface Run {
  readonly first: Night
  readonly last: Night
}

/** A correction is news on its day, so no other day is in its run. @param nights ascending @returns the newest first */
export function notableRuns(nights: readonly Night[]): readonly Run[] {
  const runs: Run[] = []
  let before: Night | undefined
  for (const night of nights.filter(({ publishes }) => publishes > 0)) {
    const run = runs.at(-1)
    if (run !== undefined && run.last === before && tellsTheSame(before, night))
      runs.splice(-1, 1, { first: run.first, last: night })
    else if (isNotable(night)) runs.push({ first: night, last: night })
    before = night
  }
  return runs.reverse()
}

const tellsTheSame = (one: Night, other: Night): boolean =>
  one.corrected + other.corrected === 0 &&
  isNotable(other) &&
  one.late === other.late &&
  one.stale === other.stale &&
  one.heldBack === other.heldBack &&
  one.awaitedFunds.names.join() === other.awaitedFunds.names.join()

/** All bars in a sentence. */
export function summaryOf(nights: readonly Night[], language: Language): string {
  const w = historyWords[language]
  const days = (of: (night: Night) => boolean) => {
    const count = nights.filter(of).length
    return { count, shown: fixedIn(language, count, 0) }
  }
  const published = days(({ publishes }) => publishes > 0)
  const notable = days(isNotable)
  return `${w.publishedOn(published.count, published.shown)}, ${w.notableOn(notable.count, notable.shown)}`
}

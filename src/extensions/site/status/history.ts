/** The publications of the last weeks, as bars and in words, for the status page. The browser draws them from `changes/index.json`. Pure. */

import { type ChangeHistory, publishesOf } from '../../../core/api/contract/changes.ts'
import type { Language } from '../../../core/api/routes/table.ts'
import { dayIn, fixedIn } from '../../../core/layout/formats.ts'
import { dayNumber, isoOf } from '../../../core/system/day-number.ts'
import { historyWords } from './history-wording.ts'

/** Six weeks: thirty business days, as many as the index has. */
export const daysShown = 42

/** A calendar day. `quiet`: nothing was published; `before`: the index does not reach back to it. */
type NightState = 'published' | 'quiet' | 'before'

export interface Night {
  /** ISO 8601 */
  readonly day: string
  readonly state: NightState
  readonly publishes: number
  /** Of all publishes of the day. */
  readonly corrected: number
  /** Funds, as the newest publish left them. */
  readonly overdue: number
  readonly heldBack: number
}

/** @returns the last days until the newest publish, ascending; none if nothing was published */
export function nightsOf({ nights }: ChangeHistory): readonly Night[] {
  const [newest] = nights
  const oldest = nights.at(-1)
  if (newest === undefined || oldest === undefined) return []
  const known = new Map(nights.map((night) => [night.as_of, night]))
  const last = dayNumber(newest.as_of)
  return Array.from({ length: daysShown }, (_, index) => {
    const day = isoOf(last - daysShown + 1 + index)
    const night = known.get(day)
    if (night === undefined) {
      const state = day < oldest.as_of ? 'before' : 'quiet'
      return { day, state, publishes: 0, corrected: 0, overdue: 0, heldBack: 0 }
    }
    const publishes = publishesOf(night)
    return {
      day,
      state: 'published',
      publishes: publishes.length,
      corrected: publishes.reduce((sum, { counts }) => sum + counts.corrected_prices, 0),
      overdue: night.counts.funds_overdue,
      heldBack: night.counts.funds_held_back,
    }
  })
}

/** True of a day that a reader should know of. */
export const isNotable = ({ corrected, overdue, heldBack }: Night): boolean =>
  corrected + overdue + heldBack > 0

/** A bar a day, as the inside of an `<svg>`. */
export function nightBars(nights: readonly Night[]): string {
  const slot = 100 / daysShown
  return nights.map((night, index) => barOf(night, (index + 0.15) * slot, 0.7 * slot)).join('')
}

type Look = Pick<Night, 'state' | 'corrected' | 'overdue' | 'heldBack'>

/**
 * A bar: whole, or with a part of its own at the top for corrections, and one at the foot for prices that are overdue or held
 * back. So nothing depends on colours.
 * @param x in percent, as its width
 */
function barOf({ state, corrected, overdue, heldBack }: Look, x: number, width: number): string {
  const part = (kind: string, from: number, to: number) =>
    `<rect class="${kind}" x="${rounded(x)}%" width="${rounded(width)}%" y="${from}%" rx="2" height="${to - from}%"/>`
  if (state !== 'published') return part(state, 88, 100)
  const isCorrected = corrected > 0
  const isOverdue = overdue + heldBack > 0
  return [
    isCorrected ? part('corrected', 0, 26) : '',
    part('published', isCorrected ? 34 : 0, isOverdue ? 66 : 100),
    isOverdue ? part('overdue', 74, 100) : '',
  ].join('')
}

const rounded = (percent: number) => Math.round(percent * 100) / 100

const ordinary: Look = { state: 'published', corrected: 0, overdue: 0, heldBack: 0 }

/** What the legend shows, in its order. */
export const barKinds = {
  published: ordinary,
  corrected: { ...ordinary, corrected: 1 },
  overdue: { ...ordinary, overdue: 1 },
  quiet: { ...ordinary, state: 'quiet' },
} as const satisfies Readonly<Record<string, Look>>

/** A bar of the legend, as the inside of an `<svg>`. */
export const keyBar = (kind: keyof typeof barKinds): string => barOf(barKinds[kind], 0, 100)

/** `3 prices corrected, 1 price overdue`; empty if there is nothing to tell. */
export function notableIn({ corrected, overdue, heldBack }: Night, language: Language): string {
  const w = historyWords[language]
  const say = (text: (count: number, shown: string) => string, count: number) =>
    count === 0 ? [] : [text(count, fixedIn(language, count, 0))]
  return [...say(w.corrected, corrected), ...say(w.overdue, overdue), ...say(w.heldBack, heldBack)].join(', ')
}

/** `20 Nov 2026: published, 3 prices corrected` */
export function nightIn(night: Night, language: Language): string {
  const w = historyWords[language]
  const { day, state, publishes } = night
  const what = state === 'published' ? w.published(publishes, fixedIn(language, publishes, 0)) : w[state]
  return `${dayIn(language, day)}: ${[what, notableIn(night, language)].filter((text) => text !== '').join(', ')}`
}

/** All bars in a sentence. */
export function summaryOf(nights: readonly Night[], language: Language): string {
  const w = historyWords[language]
  const days = (of: (night: Night) => boolean) => {
    const count = nights.filter(of).length
    return { count, shown: fixedIn(language, count, 0) }
  }
  const published = days(({ state }) => state === 'published')
  const notable = days(isNotable)
  return `${w.publishedOn(published.count, published.shown)}, ${w.notableOn(notable.count, notable.shown)}`
}

/**
 * The nights that a slot knows of, as `changes/index.json` lists them: all that the feed needs, so that no other file is
 * read to make it. `nights` has the newest first; `file` is the name beside the index, `sha256` (hex) and `bytes` are its.
 * A night is a day: `publish` counts how often it was published, `title` and `lines` tell of the newest publish, and
 * `earlier` of those before it, the newest first, the last twenty of them.
 */

import { earlierKept } from './day-changes.ts'
import type { Description } from './describe-night.ts'
import type { SnapshotName } from './night-changes.ts'

export interface History {
  readonly format: 1
  readonly nights: readonly Night[]
}

/** What a publish changed, in words. */
export interface Told extends SnapshotName, Description {
  readonly before: SnapshotName | null
  /** The how manieth of its day, from 1. */
  readonly publish: number
}

export interface Night extends Told {
  readonly earlier: readonly Told[]
  readonly file: string
  readonly sha256: string
  readonly bytes: number
}

const nightsKept = 30

export const noHistory: History = { format: 1, nights: [] }

/** The night's file, beside the index. @param asOf ISO 8601 day */
export const fileOf = (asOf: string) => `${asOf}.json`

/** The day's night as it stands, or undefined. @param asOf ISO 8601 day */
export const nightOf = ({ nights }: History, asOf: string) => nights.find((night) => night.asOf === asOf)

/** The how manieth of its day a publish is that comes now. @param asOf ISO 8601 day */
export const nextPublish = (history: History, asOf: string) => (nightOf(history, asOf)?.publish ?? 0) + 1

/** With this publish, which joins others of the same day; the oldest nights of more than thirty go. */
export function withNight(history: History, told: Omit<Night, 'publish' | 'earlier'>): History {
  const { asOf } = told
  const standing = nightOf(history, asOf)
  const earlier = standing === undefined ? [] : [toldBy(standing), ...standing.earlier].slice(0, earlierKept)
  const night = { ...told, publish: nextPublish(history, asOf), earlier }
  const others = history.nights.filter((other) => other.asOf !== asOf).slice(0, nightsKept - 1)
  return { format: 1, nights: [...others, night].sort((one, other) => (one.asOf < other.asOf ? 1 : -1)) }
}

/** Each publish of a night, the newest first. */
export const publishesOf = (night: Night): readonly Told[] => [toldBy(night), ...night.earlier]

const toldBy = ({ asOf, snapshot, before, title, lines, publish }: Night): Told => ({
  ...{ asOf, snapshot, before, title, lines, publish },
})

/** Without nights whose files are gone. */
export const withoutNights = ({ nights }: History, gone: readonly Night[]): History => ({
  format: 1,
  nights: nights.filter((night) => !gone.includes(night)),
})

/** @throws {Error} if it is not the index of this version */
export function parseHistory(text: string): History {
  const history = JSON.parse(text) as Partial<History> | null
  if (history?.format !== 1 || !Array.isArray(history.nights) || !history.nights.every(isNight))
    throw new Error('it is not one of this fundpress')
  // Earlier versions told of one publish a day.
  const nights: readonly Night[] = history.nights
  return { format: 1, nights: nights.map((night) => ({ ...night, ...countOf(night) })) }
}

const countOf = ({ publish = 1, earlier = [] }: Partial<Night>) => ({ publish, earlier })

type Loose = { readonly [K in keyof Night]?: unknown } | null

function isNight(night: Loose): boolean {
  const { asOf, file, sha256, bytes, earlier = [] } = night ?? {}
  return (
    isTold(night) &&
    // It becomes part of a key.
    file === fileOf(String(asOf)) &&
    typeof sha256 === 'string' &&
    typeof bytes === 'number' &&
    Array.isArray(earlier) &&
    earlier.every((one) => isTold(one as Loose) && (one as Told).asOf === asOf)
  )
}

function isTold(told: Loose): boolean {
  const { asOf, snapshot, title, lines, before, publish = 1 } = told ?? {}
  const texts = [asOf, snapshot, title, ...(Array.isArray(lines) ? (lines as readonly unknown[]) : [null])]
  return (
    texts.every((text) => typeof text === 'string') &&
    /^\d{4}-\d{2}-\d{2}$/.test(String(asOf)) &&
    typeof before === 'object' &&
    Number.isSafeInteger(publish) &&
    Number(publish) > 0
  )
}
